/** A value that is given once and can be waited for by many, before or after. */
export class Signal<T> {
  private resolve: (value: T) => void = () => undefined;
  private readonly promise: Promise<T>;
  given = false;

  constructor() {
    this.promise = new Promise((resolve) => (this.resolve = resolve));
  }

  /** Later values are dropped. */
  give(value: T): void {
    if (this.given) return;
    this.given = true;
    this.resolve(value);
  }

  wait(): Promise<T> {
    return this.promise;
  }
}

/** How times are written in the panel. All times are UTC. Pure. */

/** Last stretch of a wait, shown with a clock icon and in the warning colour. */
export const urgentMs = 45_000;

/** `1:56`, `0:42`, `1:05:00`. Never negative; a begun second counts. */
export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** The same for a reader: `1 minute 56 seconds left`. */
export function timeLeftSpoken(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const parts = [];
  if (minutes > 0) parts.push(`${minutes} minute${minutes === 1 ? '' : 's'}`);
  if (seconds % 60 > 0 || minutes === 0) parts.push(`${seconds % 60} second${seconds % 60 === 1 ? '' : 's'}`);
  return `${parts.join(' ')} left`;
}

/** `14:21:02`, from RFC 3339 UTC. */
export function clockTime(time: string): string {
  return time.slice(11, 19);
}

/** `2026-03-12 14:03:24.618`, from RFC 3339 UTC. */
export function fullTime(time: string): string {
  return time.replace('T', ' ').replace(/Z$/u, '');
}

/** `4s`, `3m`, `5h`, `2d`: how long ago. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** The foreign function library, loaded once by each thread that needs it. */
import { createRequire } from 'node:module';
import type library from 'koffi';

type Koffi = typeof library;

const load = createRequire(import.meta.url);

/**
 * Its native part by its own path: koffi's loader reads five files and Node's own binary to find it, which takes three
 * times as long as the loading (18 against 5 ms of processor time), in each of a session's three threads.
 */
function loadNative(): Koffi {
  const { arch, platform } = process;
  if (platform === 'linux') {
    try {
      return load(`@koromix/koffi-linux-${arch}/linux_${arch}/koffi.node`) as Koffi;
    } catch {
      // Another C library, or another layout of the package: its own loader knows.
    }
  }
  return load('koffi') as Koffi;
}

export const koffi = loadNative();

/** What the doctor found, before it is put into sentences. */
import type { Domain } from '../../kernel/landlock.ts';

/** What came of holding a real program. */
export type HeldTry =
  /** The filter or the domain was refused. */
  | { readonly kind: 'unable'; readonly reason: string }
  /** It was installed, and the program did not run as it should. */
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'held';
      readonly domain: Domain;
      /** The exec's path was read from its memory: `process_vm_readv(2)`. */
      readonly memory: boolean;
      /** What it runs and where it works was read from `/proc`. */
      readonly proc: boolean;
      /** `pidfd_open(2)`. */
      readonly pidfd: boolean;
      /** Its socket was duplicated: `pidfd_getfd(2)`. Else the error's name. */
      readonly socket: 'duplicated' | { readonly errno: string };
      /** The kernel said that nobody was left. */
      readonly emptied: boolean;
    };

export interface MachineFacts {
  readonly platform: string;
  readonly architecture: string;
  /** `uname -r`. */
  readonly kernel: string;
  readonly landlockAbi: number;
  /** `ptrace_scope` of Yama; undefined without Yama. */
  readonly ptraceScope: number | undefined;
  /** The mount option of `/proc`, as written; undefined when it hides nothing. */
  readonly hidepid: string | undefined;
  readonly isContainer: boolean;
  /** `permitted`, or why not. */
  readonly userNamespaces: 'permitted' | { readonly reason: string };
  readonly processNamespaces: 'permitted' | { readonly reason: string };
  /** Of `lsof`, `crontab`, `atq`, `systemd-run`: what is installed where Kinwatch looks for it. */
  readonly installed: ReadonlySet<string>;
  readonly node: string;
  readonly koffi: string;
}

export interface PlaceFacts {
  readonly name: string;
  readonly path: string;
  /** Undefined when nothing is wrong with it. */
  readonly fault: string | undefined;
  /** Octal; undefined when it does not exist yet. */
  readonly mode: string | undefined;
}

export type DeskFacts =
  | { readonly kind: 'none' }
  /** `version` is undefined when it cannot be told. */
  | { readonly kind: 'running'; readonly version: string | undefined }
  | { readonly kind: 'refused'; readonly reason: string };

export interface InstallationFacts {
  readonly version: string | undefined;
  readonly places:
    | { readonly kind: 'places'; readonly places: readonly PlaceFacts[]; readonly socketBytes: number }
    /** Why there are none. */
    | { readonly kind: 'fault'; readonly reason: string };
  readonly desk: DeskFacts;
  /** Another supervisor above this process, by pid. */
  readonly supervisorAbove: number | undefined;
}

export interface DoctorFacts {
  readonly held: HeldTry;
  readonly machine: MachineFacts;
  readonly installation: InstallationFacts;
}

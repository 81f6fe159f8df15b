/** Lets a reviewer in by its token, or enrols the first one. */
import { readExe } from '../watch/proc.ts';
import { reasonOf } from './deskError.ts';
import type { Enrolment } from './enrolment.ts';
import type { Records } from './records.ts';
import type { VisitorParts } from './visitor.ts';

/** @param written called once the token's hash file is this desk's own. */
export function admission(
  enrolment: Enrolment,
  records: Records,
  written: () => void,
): VisitorParts['admitReviewer'] {
  return async (peer, token) => {
    const verdict = enrolment.judge(token);
    if (verdict.kind === 'refused') return { refused: verdict.text };
    const who = { pid: peer.pid, startTicks: peer.startTicks, exe: readExe(peer.pid) ?? null };
    if (verdict.kind === 'known') {
      records.note({ kind: 'reviewer connected', ...who });
      return 'known';
    }
    enrolment.reserve(verdict.hash);
    const isWritten = await records.decide({ kind: 'reviewer enrolled', ...who });
    try {
      if (!isWritten) throw new Error('its record could not be written; free disk space and try again');
      enrolment.enrol(verdict.hash);
      written();
      return 'new';
    } catch (error) {
      enrolment.release();
      return { refused: `the reviewer cannot be enrolled: ${reasonOf(error)}` };
    }
  };
}

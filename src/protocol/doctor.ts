/** What `kinwatch doctor --json` prints, and its process tells the command line. */
import * as z from 'zod';

export const doctorCheck = z.strictObject({
  name: z.string(),
  /** `partly`: it works with less than it could. */
  state: z.enum(['yes', 'no', 'partly']),
  /** One sentence with the consequence; the next step where it is not `yes` and there is one. */
  text: z.string(),
});
export type DoctorCheck = z.infer<typeof doctorCheck>;

export const doctorReport = z.strictObject({
  checks: z.array(doctorCheck).readonly(),
  /**
   * What the held watch can do here. `held`: programs and connections. `execs held`: programs; connections are
   * refused. `none`: `kinwatch run` refuses every start.
   */
  level: z.enum(['held', 'execs held', 'none']),
});
export type DoctorReport = z.infer<typeof doctorReport>;

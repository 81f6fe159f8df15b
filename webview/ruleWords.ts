/** What a rule is for, in a sentence for whoever reads of a refusal. Other rules speak for themselves. */
import type { Rule } from '../src/protocol/desk.ts';

export const ruleWords: Partial<Record<Rule, string>> = {
  'local only': 'This server is kept to this machine: it has no network at all.',
  'kind of socket': 'Sockets of this kind go around what Kinwatch can hold.',
  'TCP fast open': 'It sends before the connection can be looked at.',
  'address unreadable': 'What cannot be read is not let through.',
  'control socket of Kinwatch': 'A family must not reach what decides about it.',
  'control socket of an editor': 'Through it a family could press the buttons of your editor.',
  display: 'Through it a family could see your screen and type for you.',
  'abstract socket outside the family': 'It belongs to a program outside this family.',
  'process outside the family': 'A family may stop and look into its own processes only.',
  'namespace outside the family': 'It would leave the part of the system in which it is watched.',
  io_uring: 'It acts without the calls that Kinwatch holds.',
  'foreign architecture': 'Calls of another kind of processor go around what Kinwatch holds.',
  'memory-only or deleted file': 'A program without a file cannot be shown before it runs.',
  'program differs from what was judged': 'The file was changed after it was looked at.',
};

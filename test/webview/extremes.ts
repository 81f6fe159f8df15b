/** What a hostile or a large family sends: bidi controls, 4 kB arguments, 60 processes, deep lineage. */
import type { ProcessView } from '../../src/protocol/desk.ts';
import type { PanelState } from '../../src/protocol/panel.ts';
import { at, base, client, ended, exec, execQuestion, file, process, request, session } from './story.ts';

const hostileArguments = [
  'evil\u202egnp.exe',
  `--long=${'A'.repeat(2048)}${'\u2066'.repeat(3)}${'B'.repeat(2048)}`,
  '',
  'line\nbreak\ttab\u001b[31m',
  `⟦ZWSP⟧ \u0301\u0301\u0301\u0301\u0301\u0301`,
  `allow${' '.repeat(300)}deny`,
  'שלום/../etc/passwd',
  ...Array.from({ length: 30 }, (_, index) => `--flag-${index}`),
];
const deepPath = `/home/dev/src/${'deeply-nested-directory/'.repeat(24)}evil\u202egnp.exe`;
const hostile = execQuestion(
  'h1',
  exec({
    requested: deepPath,
    argv: hostileArguments,
    argvUnreadBytes: 70_000,
    cwd: '/tmp/\u202etxt.evil',
    program: {
      executable: file(deepPath, { ownerUid: 1000, writable: true }),
      inline: { option: '-e', text: `${'x'.repeat(500)}\n${'\t\tif (a) b();\n'.repeat(40)}\u2067end` },
    },
    request: request(4, 'run\u200b_anything_with_a_very_long_tool_name_that_does_not_fit_in_a_row'),
    requestArguments: JSON.stringify({
      'na\u202eme': 'v'.repeat(900),
      b: [1, 2, { c: '\u2028' }],
      d: null,
      e: 1,
      f: 2,
    }),
  }),
  at('14:06:43'),
  at('14:04:43'),
);

const many: ProcessView[] = Array.from({ length: 60 }, (_, index) =>
  process(
    50_000 + index,
    index === 0 ? 49_999 : 50_000 + Math.floor((index - 1) / 3),
    ['worker', `--index=${index}`],
    {
      startedAt: at(`14:02:${String(index).padStart(2, '0')}`),
      ...(index % 7 === 6 ? ended(index % 2 === 0 ? 'exit 0' : 'signal SIGKILL') : {}),
      ...(index % 9 === 4 ? { request: request(index, 'fan_out') } : {}),
    },
  ),
);
const deep: ProcessView[] = Array.from({ length: 16 }, (_, index) =>
  process(60_000 + index, 59_999 + index, ['sh', '-c', `level ${index}`], {
    startedAt: at(`14:03:${String(index).padStart(2, '0')}`),
  }),
);

export const extremes: Readonly<Record<string, PanelState>> = {
  hostile: {
    ...base,
    questions: [hostile],
    sessions: [
      session({
        server: 'repo\u202etools',
        processes: [
          process(48192, 48190, ['node', '/opt/repo-tools/server.js']),
          process(48602, 48192, hostileArguments, {
            exe: deepPath,
            state: 'held',
            startedAt: at('14:04:43'),
            request: request(4, 'run\u200b_anything_with_a_very_long_tool_name_that_does_not_fit_in_a_row'),
          }),
        ],
        client: { ...client, claims: { name: 'Kin\u200bwatch', version: '\u202e1' } },
        overrides: ['KINWATCH_HOME=/tmp/demo'],
      }),
    ],
  },
  many: {
    ...base,
    sessions: [session({ processes: many }), session({ session: 'dd', server: 'deep', processes: deep })],
  },
};

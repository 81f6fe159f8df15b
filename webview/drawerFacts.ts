/** What the details say about a process or a family, on screen and as text to copy. */
import { html, nothing, type TemplateResult } from 'lit';
import { visibleText } from '../src/core/consequence/visible.ts';
import { stayedBehind } from '../src/core/consequence/stayedBehind.ts';
import type { Certificate, ProcessView, SessionView } from '../src/protocol/desk.ts';
import { argumentList } from './args.ts';
import { stayed } from './certificate.ts';
import { connectionFact } from './connections.ts';
import { icon } from './icons.ts';
import { attributionWords, clientName, processName, requestLabel } from './processWords.ts';
import type { Shell } from './shell.ts';
import { count, data, longData, sentence } from './text.ts';
import { fullTime } from './time.ts';
import { parentOf } from './treeRows.ts';

export interface Fact {
  readonly label: string;
  readonly body: TemplateResult;
  /** The same as plain text. */
  readonly text: string;
}

function time(label: string, at: string, more = ''): Fact {
  return {
    label,
    body: html`<span class="num">${fullTime(at)}</span> UTC${more}`,
    text: `${fullTime(at)} UTC${more}`,
  };
}

export function processFacts(shell: Shell, session: SessionView, process: ProcessView): Fact[] {
  const key = `drawer/${process.pid}@${process.startedAt}`;
  const facts = [causedBy(process), time('Started', process.startedAt)];
  if (process.endedAt !== undefined) {
    facts.push(
      time(
        'Ended',
        process.endedAt,
        process.status === undefined || process.status === 'unknown'
          ? '. How is not known.'
          : `, ${process.status}`,
      ),
    );
  }
  if (process.refusedBy !== undefined) {
    facts.push({
      label: 'Refused',
      body: html`<p class="err-t">${icon('slash', 'error')} Never released: ${process.refusedBy}</p>`,
      text: `never released: ${process.refusedBy}`,
    });
  }
  facts.push(bornOf(session, process));
  const { exe, cwd, argv } = process;
  if (exe !== undefined) {
    facts.push({
      label: 'Executable',
      body: longData(shell, `${key}/exe`, exe),
      text: visibleText(exe),
    });
  }
  facts.push({
    label: 'With',
    body: argumentList(shell, key, argv),
    text: argv
      .map((each) => (typeof each === 'string' ? visibleText(each) : `base64 ${each.base64}`))
      .map((each, index) => `\n  ${index} ${each}`)
      .join(''),
  });
  if (cwd !== undefined)
    facts.push({ label: 'In', body: longData(shell, `${key}/cwd`, cwd), text: visibleText(cwd) });
  const sockets = connectionFact(process);
  if (sockets !== undefined) facts.push(sockets);
  return facts;
}

function causedBy({ request }: ProcessView): Fact {
  const label = 'Caused by';
  if (request === undefined || request.attribution === 'outside') {
    return { label, body: html`No request`, text: 'no request' };
  }
  const words = attributionWords[request.attribution];
  const name = requestLabel(request);
  return {
    label,
    body: html`<span class="chip mono">${data(name)}</span> ${words}`,
    text: `${visibleText(name)}, ${words}`,
  };
}

function bornOf(session: SessionView, process: ProcessView): Fact {
  const label = 'Parent';
  const parent = parentOf(process, session.processes);
  const now = 'Now under Kinwatch’s supervisor';
  if (parent === undefined) {
    const text = `Started by Kinwatch’s supervisor, ${process.ppid}`;
    return { label, body: html`${text}`, text };
  }
  const end = parent.state === 'ended' ? ', ended' : '';
  return {
    label,
    body: html`Born of <code>${data(processName(parent))}</code>
      <span class="num">${parent.pid}</span>${end}${
        process.detached ? html`<p class="sub"><span>${now}</span></p>` : nothing
      }`,
    text: `born of ${visibleText(processName(parent))} ${parent.pid}${end}${process.detached ? `. ${now}` : ''}`,
  };
}

function survivorsOf({ survivors, proved }: Certificate): Fact {
  const word = proved ? ', proved by the kernel' : ', not proved';
  return {
    label: 'Survivors',
    body: html`<strong class="num ${survivors > 0 ? 'err-t' : ''}">${survivors}</strong>${word}`,
    text: `${survivors}${word}`,
  };
}

function stayedOf(shell: Shell, it: Certificate): Fact[] {
  if (it.persistence === undefined) return [];
  const groups = stayedBehind(it.persistence);
  const label = 'Stayed behind';
  if (groups.length === 0) {
    const text = 'Nothing new in start-up places';
    return [{ label, body: html`${text}`, text }];
  }
  const text = groups.map(
    ({ words, paths }) => `${words}: ${paths.map((path) => visibleText(path)).join(', ')}`,
  );
  return [{ label, body: stayed(shell, it), text: text.join('; ') }];
}

export function familyFacts(shell: Shell, session: SessionView): Fact[] {
  const { client, coverage } = session;
  const exe = client.exe ?? 'a program that could not be read';
  const gaps = Object.entries(coverage.gaps).map(([what, number]) => `${what}: ${number}`);
  const facts: Fact[] = [
    {
      label: 'Client',
      body: html`<code>${data(exe)}</code>
        <p class="sub">
          <span
            >pid ${client.pid}, since
            <span class="num">${fullTime(client.startedAt).slice(0, 19)}</span> UTC</span
          >
        </p>
        ${
          client.claims === undefined
            ? nothing
            : html`<p class="sub">
                <span
                  >Calls itself “${data(`${client.claims.name} ${client.claims.version}`)}”
                  <span class="claim">its own claim</span></span
                >
              </p>`
        }`,
      text: `${visibleText(exe)}, ${clientName(client)}, pid ${client.pid}, since ${fullTime(client.startedAt).slice(0, 19)} UTC`,
    },
    {
      label: 'Session',
      body: html`<code>${data(session.session)}</code>`,
      text: visibleText(session.session),
    },
    time('Started', session.startedAt),
    {
      label: 'Coverage',
      body: html`${sentence(coverage.text)}
        <p class="sub ${gaps.length > 0 ? 'warn-t' : ''}">
          <span>${gaps.length > 0 ? `Gaps: ${gaps.join(', ')}` : 'No gaps counted'}</span>
        </p>`,
      text: `${coverage.text}. Gaps: ${gaps.length > 0 ? gaps.join(', ') : '0'}`,
    },
  ];
  if (session.endedAt !== undefined) {
    facts.push(time('Ended', session.endedAt, session.cause === undefined ? '' : `, ${session.cause}`));
    const { certificate } = session;
    if (certificate !== undefined) facts.push(survivorsOf(certificate), ...stayedOf(shell, certificate));
  }
  if (session.overrides.length > 0) {
    facts.push({
      label: 'Overrides',
      body: html`${session.overrides.map(
        (each) => html`<p class="sub warn-t">${icon('warning', 'warn')}<span>${data(each)}</span></p>`,
      )}`,
      text: session.overrides.map((each) => visibleText(each)).join('; '),
    });
  }
  if (session.endedUnlisted > 0) {
    const text = `${count(session.endedUnlisted, 'ended process', 'ended processes')} no longer listed here; the record has them.`;
    facts.push({ label: 'Not listed', body: html`${text}`, text });
  }
  return facts;
}

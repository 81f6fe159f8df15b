/** What a containment did: who was ended, who survives, and whether the kernel itself said so. */
import { html, nothing, type TemplateResult } from 'lit';
import { stayedBehind } from '../src/core/consequence/stayedBehind.ts';
import type { Certificate } from '../src/protocol/desk.ts';
import { icon } from './icons.ts';
import type { Shell } from './shell.ts';
import { baseName, count, data, domId, expander, longData, sentence, told } from './text.ts';
import { clockTime } from './time.ts';

/** An ordinary end that left nothing is no news: its row and details say so. */
export function isNews(it: Certificate): boolean {
  const isClean = it.survivors === 0 && it.proved && it.outside.length === 0 && it.gaps.length === 0;
  return !isClean || it.evidence !== null || (it.persistence ?? []).length > 0;
}

/** Certificates that need a look, the newest first and open, older ones folded unless something survived. */
export function certificates(shell: Shell): TemplateResult[] {
  const all = new Map(shell.state.certificates.map((each) => [each.session, each]));
  for (const { certificate } of shell.state.sessions) {
    if (certificate !== undefined) all.set(certificate.session, certificate);
  }
  return [...all.values()]
    .filter(isNews)
    .toSorted((a, b) => (a.requestedAt < b.requestedAt ? 1 : -1))
    .map((each, index) => certificateCard(shell, each, index === 0 || each.survivors > 0 || !each.proved));
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const milliseconds = (ms: number): string => `${number.format(ms)}\u00a0ms`;
const shownProcesses = 6;

function certificateCard(shell: Shell, it: Certificate, isAlwaysOpen: boolean): TemplateResult {
  const server = shell.state.sessions.find((each) => each.session === it.session)?.server ?? it.session;
  const id = domId('cert', it.session);
  const key = `cert/${it.session}/open`;
  const isOpen = isAlwaysOpen || shell.view.isExpanded(key);
  return html`<article class="cert" aria-labelledby=${id}>
    <p class="card-kind small">
      ${icon('seal')}<span>Containment certificate</span><span class="grow"></span
      ><span class="quiet num">${clockTime(it.requestedAt)} UTC</span>
    </p>
    <h3 class="headline" id=${id}>${data(server)} ${outcome(it)}</h3>
    ${isOpen ? certificateFacts(shell, it) : nothing}
    ${
      isAlwaysOpen
        ? nothing
        : html`<p class="acts">${expander(shell, key, 'Show certificate', 'Fold certificate')}</p>`
    }
  </article>`;
}

function certificateFacts(shell: Shell, it: Certificate): TemplateResult {
  const isClean = it.survivors === 0 && it.proved;
  return html`<dl class="facts">
      ${fact('Cause', html`${told(sentence(it.cause))}`)} ${fact('Evidence', evidence(it))}
      ${it.signalled.length > 0 ? fact('Ended', endedTable(shell, it), true) : nothing}
      ${fact(
        'Survivors',
        html`<strong class="num ${it.survivors > 0 ? 'err-t' : ''}">${it.survivors}</strong> ${
            isClean ? html`proved <span class="quiet">by the kernel</span>` : nothing
          }${
            it.proved
              ? nothing
              : html`<p class="sub warn-t">${icon('warning', 'warn')}<span>not proved</span></p>`
          }`,
      )}
      ${fact(
        'Left outside',
        it.outside.length === 0
          ? html`Nothing`
          : html`${it.outside.map((each) => html`<p>${told(each)}</p>`)}`,
      )}
      ${(it.persistence ?? []).length === 0 ? nothing : fact('What stayed behind', stayed(shell, it))}
      ${
        it.gaps.length === 0
          ? nothing
          : fact(
              'Gaps',
              html`${it.gaps.map(
                (gap) => html`<p class="sub warn-t">${icon('warning', 'warn')}<span>${told(gap)}</span></p>`,
              )}`,
            )
      }
      ${fact(
        'Took',
        html`<span class="num">${milliseconds(it.durationMs)}</span>
          <span class="quiet small">of which evidence ${milliseconds(it.evidenceMs)}</span>`,
      )}
    </dl>
    ${
      it.evidence === null
        ? nothing
        : html`<div class="acts">
            <vscode-button
              class="btn"
              appearance="secondary"
              @click=${() => shell.post({ kind: 'openEvidence', session: it.session })}
              >Show evidence</vscode-button
            >
          </div>`
    }`;
}

/** Which sessions ran meanwhile is said where there were several: nobody knows which of them it was. */
export function stayed(shell: Shell, it: Certificate): TemplateResult {
  const others = new Set((it.persistence ?? []).flatMap(({ sessions }) => sessions));
  others.delete(it.session);
  const names = [...others].map(
    (id) => shell.state.sessions.find(({ session }) => session === id)?.server ?? id,
  );
  return html`${stayedBehind(it.persistence ?? []).map(
      ({ words, paths }) =>
        html`<p class="warn-t">${icon('warning', 'warn')} ${words}</p>
          ${paths.map((path) => html`<p class="sub">${longData(shell, `stayed/${it.session}/${path}`, path)}</p>`)}`,
    )}
    <p class="sub">
      <span
        >Changed while this
        ran${
          names.length === 0
            ? nothing
            : html`, and while these did:
              ${names.map((name, index) => html`${index === 0 ? '' : ', '}${data(name)}`)}`
        }.
        Kinwatch changed nothing there.</span
      >
    </p>`;
}

function outcome({ survivors, proved, signalled, evidence: saved, persistence }: Certificate): string {
  const left = (persistence ?? []).length;
  if (survivors === 0 && proved && saved === null && left > 0) {
    return `has ended, none survive. ${count(left, 'change')} in start-up places stayed behind.`;
  }
  const ended = `${count(signalled.length, 'process', 'processes')} ended`;
  if (survivors > 0) return `is not contained. ${ended}, ${survivors} survive${survivors === 1 ? 's' : ''}.`;
  return proved
    ? `is contained. ${ended}, none survive.`
    : `was ended. ${ended}, none found alive, not proved.`;
}

/** Of a command line that is one text: what stands before its first argument. */
function programOf(command: string): string {
  return baseName(command.split(' ', 1)[0] ?? command);
}

function fact(label: string, body: TemplateResult, isWide = false): TemplateResult {
  return html`<div class="fact ${isWide ? 'wide' : ''}">
    <dt>${label}</dt>
    <dd>${body}</dd>
  </div>`;
}

function evidence(it: Certificate): TemplateResult {
  if (it.evidence === null) return html`None saved`;
  const { folder, manifest } = it.evidence;
  return html`Saved first
    <p class="sub">
      <span
        ><code>${data(baseName(folder))}</code> ·
        <code title=${manifest}>${data(manifest.slice(0, 20))}…</code></span
      >
    </p>`;
}

function endedTable(shell: Shell, it: Certificate): TemplateResult {
  const key = `cert/${it.session}`;
  const isCut = it.signalled.length > shownProcesses + 1;
  const shown = isCut && !shell.view.isExpanded(key) ? it.signalled.slice(0, shownProcesses) : it.signalled;
  return html`<table class="mini">
      <thead>
        <tr>
          <th scope="col">Program</th>
          <th scope="col">Pid</th>
          <th scope="col">Signal</th>
          <th scope="col" class="r">Sent</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (each) =>
            html`<tr>
              <td>${data(programOf(each.command))}</td>
              <td class="num">${each.pid}</td>
              <td>${each.signals.map(({ signal }) => signal.replace(/^SIG/u, '')).join(', ')}</td>
              <td class="r num">
                ${each.signals.length === 0 ? '' : clockTime(each.signals.at(-1)?.at ?? '')}
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${isCut ? expander(shell, key, `Show ${it.signalled.length - shownProcesses} more`) : nothing}`;
}

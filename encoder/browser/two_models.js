// @ts-check
// Two models that read the same sentence, on Compare: in which layer they part, and which heads passed in each.
import { bars } from './bars.js';
import { brief, listed } from './claim.js';
import { leads } from './controls.js';
import { titleOf } from './jobs.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing } from './lit.js';
import { percent, tight, typeset } from './number.js';
import { said } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./jobs.js').Known} Known */

const HEADS = 'heads';

/** @param {{context: import('./mount.js').Context, changed: () => void}} given */
export function twoModels({ context, changed }) {
  const [apart, own, theirs] = [14, 6, 6].map(level => layerPackets(context, level, changed));
  /** @param {Packet | null} packet @returns {Known | null} */
  const known = packet => /** @type {{heads?: Known} | null} */ (/** @type {unknown} */ (packet?.about))?.heads ?? null;

  /** Where they part; null where that is not known, or cannot be. @param {Packet} run @param {string} other @returns {{first: number | null} | null} */
  const aboutApart = (run, other) => /** @type {{models?: {first: number | null} | null} | undefined} */ (/** @type {unknown} */ (apart.get(run, { other })?.about))?.models ?? null;

  /** In which layer they part. @param {Packet} run @param {[string, string]} names */
  function layers(run, [model, other]) {
    const packet = apart.get(run, { other }), why = apart.why(run, { other }), found = aboutApart(run, other);
    if (!packet) return html`<p role="status">${why || 'Running it in both …'}</p>`;
    if (!found) return html`<p>${said('models_unlike', { model, other })}</p>`;
    const { first } = found, { values } = packet.arrays.apart, cosines = packet.arrays.cosine.values, last = values.length - 1;
    const where = first === null ? said('models_same', { model, other }) : first ? said('models_part', { model, other, layer: first - 1, cosine: tight(cosines[last].toFixed(2)) }) : said('models_part_before', { model, other, cosine: tight(cosines[last].toFixed(2)) });
    return html`<p class="tm-said">${where}</p>${first === null ? nothing : html`${bars(Array.from(values, (share, i) => ({ name: i ? `layer ${i - 1}` : 'embedding', kind: i === first ? 'is-first' : '', fills: [{ share, text: typeset(`${percent(share, 1)} · ${cosines[i].toFixed(3)}`), cut: share > 1 }], data: { share } })), { label: 'How far they are apart', kind: 'tm-bars' })}
      <p class="cc-small">How far the vectors of a token are apart, as a part of their length, a mean over the tokens; then their cosine.</p>`}`;
  }

  /** Which heads passed in each. @param {Packet} run @param {[string, string]} names */
  function passed(run, names) {
    const each = [known(own.get(run, null)), known(theirs.get(run, { model: names[1] }))];
    if (!each.every(Boolean)) return nothing;
    const equal = aboutApart(run, names[1])?.first === null, all = equal ? each.map(one => (one?.exam ? one : each.find(other => other?.exam) ?? one)) : each; // equal vectors give equal answers
    const has = all.map(one => Boolean(one?.exam)), jobs = all.map(one => (one?.jobs ?? []).filter(job => job.passed));
    const titles = [...new Set(jobs.flat().map(job => titleOf(job.job)))], heads = (/** @type {number} */ i, /** @type {string} */ title) => listed(jobs[i].filter(job => titleOf(job.job) === title).map(brief)) || 'none';
    return html`<h3 class="cc-of">Heads that passed</h3>${titles.length ? html`<table class="tm-passed"><thead><tr><th scope="col">Job</th>${names.map((name, i) => (has[i] ? html`<th scope="col"><bdi translate="no" lang="">${name}</bdi></th>` : nothing))}</tr></thead><tbody>${titles.map(title => html`<tr><th scope="row">${title}</th>${names.map((_, i) => (has[i] ? html`<td>${heads(i, title)}</td>` : nothing))}</tr>`)}</tbody></table>` : nothing}
      ${names.map((name, i) => (has[i] && !jobs[i].length ? html`<p>${said('models_none_passed', { model: name })}</p>` : nothing))}
      ${names.map((name, i) => (has[i] ? nothing : html`<p>${said('models_not_examined', { model: name })} ${leads('Examine them', '→', '#', () => context.go(HEADS, { model: name }), HEADS)}</p>`))}`;
  }

  return {
    /** @param {Packet} run @param {[string, string]} names of the model of A and of the other */
    view: (run, names) => html`<section class="tm-models" aria-label="Two models"><h2 class="cp-title">Sentence A in both models</h2><div class="tm">${html`<div>${layers(run, names)}</div><div>${passed(run, names)}</div>`}</div></section>`,
    end() { for (const one of [apart, own, theirs]) one.end(); },
  };
}

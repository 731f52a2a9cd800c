// @ts-check
// A guess as an exact sum of its words: what each adds for one word over another, after any layer, and what its loss really costs.
import { bars } from './bars.js';
import { html, nothing } from './lit.js';
import { brief, sure, typeset } from './number.js';
import { at } from './packet.js';
import { apart } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** What a packet of level 10 says. @typedef {{position: number, places: [number, number][], names: string[]}} SumAbout */
/** What is shown: the row of the arrays, 0 is the input; which of the words told of leads which other, and their names; whether the word asked about is hidden. @typedef {{layer: number, word: number, other: number, names: [string, string], gap: boolean}} Shown */

export const MOST_TOKENS = 64; // of a text whose words are added up
const MOST = 14, LARGEST = 12; // words of a list; of a longer sentence those that add most
const DECIDED = 0.5; // nats: a lead below it decides nothing
const LEFT = 1e-3; // of what is left over, from which on it is drawn
const HELD = 'Held as they are in this run: where each head looks, how each norm scales, how far each unit is open. Then every vector is a sum, with one part for each word (its place with it) and one for all biases. It says how this run was added up, not what would happen without a word.';

/** A number of nats with its sign. @param {number} value */
const signed = value => typeset(`${value > 0 ? '+' : ''}${value.toFixed(2)}`).replace(/^[+−]0\.00$/, '0.00');

/** How many times as likely: the power of e of a lead. @param {number} lead */
function times(lead) {
  const ratio = Math.exp(Math.abs(lead));
  return ratio < 10 ? ratio.toFixed(1) : ratio < 1e6 ? Math.round(ratio).toLocaleString('en-US') : ratio.toExponential(1);
}

/** The sentence over the bars. @param {string[]} names @param {[string, string]} pair @param {number[]} adds of words, then biases and the rest @param {number} total @param {string} after where the vector is read */
function finding(names, pair, adds, total, after) {
  const name = (/** @type {string} */ word) => html`<bdi translate="no" lang="">“${word}”</bdi>`, [word, other] = pair;
  const words = adds.slice(0, names.length), most = words.indexOf(Math.max(...words)), least = words.indexOf(Math.min(...words)), [more, less] = total > 0 ? [word, other] : [other, word];
  return html`${after}${name(apart(names[most]))} ${words[most] > 0 ? html`speaks for ${name(word)} most, ${signed(words[most])}` : 'speaks against it least'}${words[least] < 0 ? html`; ${name(apart(names[least]))} speaks against it, ${signed(words[least])}` : nothing}.
    The biases, which no word brings: ${signed(adds[names.length])}. Together ${signed(total)}: ${Math.abs(total) < DECIDED ? 'nothing is decided, both are about as likely' : html`${name(more)} is ${times(total)} times as likely as ${name(less)}`}.`;
}

/** How two orders of the same things agree, from -1 to 1 (Spearman); NaN where one is all equal. @param {number[]} one @param {number[]} other */
export function alike(one, other) {
  const ranks = (/** @type {number[]} */ values) => values.map(value => values.filter(each => each < value).length + (values.filter(each => each === value).length - 1) / 2);
  const [a, b] = [ranks(one), ranks(other)].map(all => all.map(rank => rank - (all.length - 1) / 2)), sum = (/** @type {number[]} */ x, /** @type {number[]} */ y) => x.reduce((total, value, i) => total + value * y[i], 0);
  return sum(a, b) / Math.sqrt(sum(a, a) * sum(b, b));
}

/** The sum, as bars for and against. @param {Packet} packet of level 10 @param {Shown} shown */
export function wordSum({ about, arrays }, { layer, word: first, other: second, names: [word, other], gap }) {
  const of = /** @type {SumAbout} */ (/** @type {unknown} */ (about)), { names, places } = of, count = names.length, last = arrays.read.shape[0] - 1, ends = layer === last;
  const adds = Array.from({ length: count + 2 }, (_, i) => (ends ? at(arrays.adds, first, i) - at(arrays.adds, second, i) : at(arrays.read, layer, first, i) - at(arrays.read, layer, second, i))), total = adds.reduce((sum, one) => sum + one, 0);
  const lost = ends ? Array.from({ length: count }, (_, i) => at(arrays.lost, first, i) - at(arrays.lost, second, i)) : null;
  const beside = names.map((_, i) => i).filter(i => of.position < places[i][0] || of.position >= places[i][0] + places[i][1]), agree = lost ? alike(beside.map(i => adds[i]), beside.map(i => lost[i])) : NaN;
  const shown = count <= MOST ? names.map((_, i) => i) : names.map((_, i) => i).sort((a, b) => Math.abs(adds[b]) - Math.abs(adds[a])).slice(0, LARGEST).sort((a, b) => a - b), others = names.map((_, i) => i).filter(i => !shown.includes(i));
  const rest = others.reduce((sum, i) => sum + adds[i], 0), most = Math.max(...shown.map(i => Math.abs(adds[i])), ...(lost ? shown.map(i => Math.abs(lost[i])) : []), Math.abs(adds[count]), Math.abs(total), 1e-9);
  const strongest = [Math.max(...adds.slice(0, count)), Math.min(...adds.slice(0, count))];
  const line = (/** @type {string} */ name, /** @type {number} */ value, /** @type {string} */ colour, mark = NaN, kind = '') => ({ name, kind, fills: [{ share: value / most, text: signed(value), colour, mark: mark / most, both: true }] });
  const lines = [
    ...shown.map(i => ({ ...line(names[i], adds[i], adds[i] < 0 ? 'second' : 'accent', lost?.[i], strongest.includes(adds[i]) ? 'is-first' : ''), data: { share: adds[i] } })),
    ...(others.length ? [line(`${others.length} other words`, rest, rest < 0 ? 'second' : 'accent')] : []),
    line('biases', adds[count], 'muted'),
    ...(Math.abs(adds[count + 1]) > LEFT ? [line('changes', adds[count + 1], 'muted')] : []),
    line('together', total, 'ink', NaN, 'is-sum'),
  ];
  const after = ends ? '' : `${layer ? `After layer ${layer - 1}` : 'At the input'}, as the model’s own head would read it: `;
  return html`<section class="ou-sum" aria-label="The guess as a sum of its words"><h2>Which words say “<bdi translate="no" lang="">${word}</bdi>”, and not “<bdi translate="no" lang="">${other}</bdi>”</h2>
    <p class="ou-told">${finding(names, [word, other], adds, total, after)}</p>
    <div class="ou-parts">${bars(lines, { label: `What each word adds for ${word} over ${other}, in nats`, kind: 'is-both' })}
      <div class="ou-held"><p>${HELD}</p>${lost ? html`<p><b class="ou-mark"></b> What the lead really loses when that word alone is masked.${Number.isFinite(agree) ? ` In rank the two agree to ${typeset(agree.toFixed(2))}, of 1.` : ''}</p>` : nothing}
        ${gap ? nothing : html`<p>The word itself is there to be read, so its own part is large: mask it to see what the others say.</p>`}
        ${ends ? html`<p>The parts miss the run’s own number, ${typeset(sure(total, 0, 5))}, by ${typeset(brief(Math.abs(adds[count + 1]), 1))}.</p>` : nothing}</div></div></section>`;
}

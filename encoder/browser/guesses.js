// @ts-check
// Words with a bar each: the guess beside the sentence and at the foot.
import { bars } from './bars.js';
import { el } from './dom.js';
import { html, nothing, render as into } from './lit.js';
import { percent, tight } from './number.js';
import { effects, labelsOf, maskHint, maskToken } from './run.js';
import { parts, say } from './say.js';
import { alone, becomes, drawn, grows, or } from './switches.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./switches.js').Share} Share */

const MOST = 5, FEW = 3; // words of a list: at the foot, and beside the sentence

/** All words that are told of at a gap, with their shares as it is and, at the first one, without a head. @param {Packet} run @param {number} layer @param {number} head @param {number} [gap] @returns {Share[]} */
function told(run, layer, head, gap = run.about.gap) {
  const found = (run.about.guesses[String(gap)] ?? []).map(([word, share]) => ({ word, before: share, after: NaN }));
  return gap === run.about.gap ? or(alone(run, null, { layer, column: head }), found) : found;
}

/** What the first guess loses without a head, and how many heads cost it more. @param {Packet} run @param {{layer: number, head: number}} place @param {string} [start] how the sentence begins: where it is given nothing is said of another word, but of another label that comes first then */
export function without(run, { layer, head }, start = '') {
  const all = told(run, layer, head), of = effects(run), own = of.find(one => one.layer === layer && one.head === head);
  if (!all.length || !own) return [];
  const turned = labelsOf(run) && all.some(one => one.after > all[0].after), said = start ? becomes(start, turned ? all : all.slice(0, 1)) : becomes(say('without_part', { part: say('part_head', { layer, head }) }), all), more = of.filter(one => one.change < own.change).length;
  if (own.change >= 0) return said;
  const rank = more > 1 ? parts('rank', { count: more, all: of.length, layer: of[0].layer, head: of[0].head }) : more ? parts('rank_second', { layer: of[0].layer, head: of[0].head }) : parts('rank_first', {});
  return [...said, ...(of.length > 1 ? [{ text: ' ', name: '', format: '' }, ...rank] : [])];
}

/** The likeliest words as bars, without the head the two likeliest and what gains most; null where there is no guess. @param {Packet} run @param {{layer: number, head: number}} place @param {boolean} off @param {number} gap */
export function guessBars(run, { layer, head }, off, gap) {
  const listed = told(run, layer, head, gap), all = off ? drawn(listed, FEW).sort((a, b) => b.after - a.after) : listed.slice(0, FEW);
  return all.length ? bars(all.map(({ word, before, after }, i) => {
    const share = off ? after : before;
    return { name: word, kind: i ? (off && grows(all[i]) ? 'is-risen' : '') : 'is-first', fills: [{ share, text: tight(percent(share, 1)), mark: off ? before : NaN }], data: { guess: word, share: String(share) } };
  }), { label: labelsOf(run) ? 'The labels' : 'What the model guesses' }) : null;
}

/** The guess of a run and its share in another one; NaN where that is not known. @param {Packet} run @param {Packet | null} before */
export function guesses(run, before) {
  const list = (/** @type {Packet | null} */ of) => of?.about.guesses[String(of.about.gap)] ?? [];
  const shares = new Map(list(before));
  return list(run).slice(0, MOST).map(([word, share]) => ({ word, share, before: shares.get(word) ?? NaN }));
}

/** @param {import('./mount.js').Context} context */
export function foot({ peek, fetch, store }) {
  const element = el('section', { class: 'enc-foot', 'aria-label': 'What the model guesses', hidden: true });
  let wanted = false, veiled = false;
  /** @type {Packet | null} */
  let drawn = null;

  /** The same sentence without any change; null until it is here. */
  const unchanged = () => {
    const { hidden, edits } = store.get();
    if (!hidden.length && !edits) return null;
    const there = peek({ hidden: [], edits: '' });
    if (!there) fetch({ hidden: [], edits: '' }).then(() => draw(drawn), () => null);
    return there;
  };
  /** @param {Packet | null} run */
  function draw(run) {
    drawn = run;
    element.hidden = !wanted || !run || veiled;
    if (element.hidden || !run) return;
    element.ariaLabel = labelsOf(run) ? 'The labels' : 'What the model guesses';
    const all = guesses(run, unchanged());
    const lines = all.map(({ word, share, before }, i) => ({ name: word, kind: i ? '' : 'is-first', fills: [{ share, text: tight(percent(share, 1)), mark: before }], data: { guess: word, share } }));
    into(html`${bars(lines)}${all.length ? nothing : html`<p>${labelsOf(run) ? 'This model gives numbers: the page Output has them.' : `There is no gap to guess here. ${maskHint(maskToken(run))}`}</p>`}`, element);
  }
  return {
    element, draw,
    turn() {
      wanted = !wanted;
      draw(drawn);
    },
    /** @param {boolean} is whether something stands in the place of the page */
    veil(is) {
      veiled = is;
      draw(drawn);
    },
  };
}

// @ts-check
// Words with a bar each: the guess beside the sentence and at the foot.
import { el, put } from './dom.js';
import { html, nothing, render as into } from './lit.js';
import { percent, tight } from './number.js';
import { effects, maskHint, maskToken } from './run.js';
import { parts, say } from './say.js';
import { alone, becomes, grows, or, riser } from './switches.js';

/** A bar: its word, what is written behind it, how far it goes and where its mark is, from 0 to 1 (NaN for no mark); `props` are those of its line. @typedef {{name: string, text: string, filled: number, marked: number, props: import('./dom.js').Props}} Bar */

/** @param {number} part */
const percentOf = part => 100 * Math.min(1, Math.max(0, part || 0));

/** Draws bars into a list. @param {Element} list @param {Bar[]} all */
export function shareBars(list, all) {
  into(all.map(({ name, text, filled, marked }) => html`<li><bdi class="enc-bar-name" translate="no" lang="">${name}</bdi>
    <span class="enc-bar-room"><i style="width: max(2px, ${percentOf(filled)}%)"></i><b ?hidden=${!Number.isFinite(marked)} style="inset-inline-start: ${percentOf(marked)}%"></b></span><span class="enc-bar-share">${text}</span></li>`), /** @type {HTMLElement} */ (list));
  all.forEach(({ props }, i) => put(list.children[i], props));
}

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./switches.js').Share} Share */

/** All words that are told of at the gap, with their shares as it is and without a head. @param {Packet} run @param {number} layer @param {number} head @returns {Share[]} */
function told(run, layer, head) {
  const found = (run.about.guesses[String(run.about.gap)] ?? []).map(([word, share]) => ({ word, before: share, after: NaN }));
  return or(alone(run, null, { layer, column: head }), found);
}

/** The three that are drawn: the two likeliest, and what would gain most without the head. @param {Packet} run @param {number} layer @param {number} head @returns {Share[]} */
export function three(run, layer, head) {
  const all = told(run, layer, head);
  if (!all.length) return [];
  const first = all.slice(0, 2), most = riser(all);
  const third = Number.isFinite(most.after) && !first.includes(most) ? most : all[2];
  return third ? [...first, third] : first;
}

/** What the guess becomes without a head, and how many heads cost it more. @param {Packet} run @param {{layer: number, head: number}} place @param {string} [start] how the sentence begins */
export function without(run, { layer, head }, start = say('without_part', { part: say('part_head', { layer, head }) })) {
  const all = told(run, layer, head), of = effects(run), own = of.find(one => one.layer === layer && one.head === head);
  if (!all.length || !own) return [];
  const said = becomes(start, all), more = of.filter(one => one.change < own.change).length;
  if (own.change >= 0) return said;
  const rank = more > 1 ? parts('rank', { count: more, all: of.length, layer: of[0].layer, head: of[0].head }) : more ? parts('rank_second', { layer: of[0].layer, head: of[0].head }) : parts('rank_first', {});
  return [...said, ...(of.length > 1 ? [{ text: ' ', name: '', format: '' }, ...rank] : [])];
}

/** Draws three bars into a list; whether there are any. @param {Element} list @param {Packet} run @param {{layer: number, head: number}} place @param {boolean} off */
export function guessBars(list, run, { layer, head }, off) {
  const all = three(run, layer, head);
  shareBars(list, all.map(({ word, before, after }, i) => {
    const share = off ? after : before, name = [i ? '' : 'enc-first', off && i > 1 && grows(all[i]) ? 'enc-risen' : ''].join(' ').trim();
    return { name: word, text: tight(percent(share, 1)), filled: share, marked: off ? before : NaN, props: { 'data-guess': word, 'data-share': String(share), class: name || null } };
  }));
  return all.length > 0;
}

const MOST = 5; // words

/** The guess of a run and its share in another one; NaN where that is not known. @param {Packet} run @param {Packet | null} before */
export function guesses(run, before) {
  const list = (/** @type {Packet | null} */ of) => of?.about.guesses[String(of.about.gap)] ?? [];
  const shares = new Map(list(before));
  return list(run).slice(0, MOST).map(([word, share]) => ({ word, share, before: shares.get(word) ?? NaN }));
}

/** @param {import('./mount.js').Context} context */
export function foot({ peek, fetch, store }) {
  const list = el('ul', { class: 'enc-bars' }), element = el('section', { class: 'enc-foot', 'aria-label': 'What the model guesses', hidden: true });
  let wanted = false;
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
    element.hidden = !wanted || !run;
    if (!wanted || !run) return;
    const all = guesses(run, unchanged());
    into(html`${list}${all.length ? nothing : html`<p>There is no gap to guess here. ${maskHint(maskToken(run))}</p>`}`, element);
    shareBars(list, all.map(({ word, share, before }, i) => ({
      name: word, text: tight(percent(share, 1)), filled: share, marked: before, props: { 'data-guess': word, 'data-share': share, class: i ? null : 'enc-first' },
    })));
  }
  return {
    element, draw,
    turn() {
      wanted = !wanted;
      draw(drawn);
    },
  };
}

// @ts-check
// Words with a bar each: the guess beside the sentence and at the foot.
import { children, el, put, write } from './dom.js';
import { percent, tight } from './number.js';
import { at } from './packet.js';
import { effects, maskHint, maskToken } from './run.js';
import { parts } from './say.js';

/** A bar: its word, what is written behind it, how far it goes and where its mark is, from 0 to 1 (NaN for no mark); `props` are those of its line. @typedef {{name: string, text: string, filled: number, marked: number, props: import('./dom.js').Props}} Bar */

/** @param {number} part */
const percentOf = part => 100 * Math.min(1, Math.max(0, part || 0));

/** Draws bars into a list. @param {Element} list @param {Bar[]} all */
export function shareBars(list, all) {
  const line = () => el('li', {}, el('bdi', { class: 'enc-bar-name' }), el('span', { class: 'enc-bar-room' }, el('i'), el('b')), el('span', { class: 'enc-bar-share' }));
  children(list, all.length, line).forEach((item, i) => {
    const { name, text, filled, marked, props } = all[i], [label, room, share] = item.children, [fill, mark] = /** @type {HTMLElement[]} */ ([...room.children]);
    write(label, name);
    write(share, text);
    put(item, props);
    fill.style.width = `max(2px, ${percentOf(filled)}%)`;
    mark.hidden = !Number.isFinite(marked);
    mark.style.insetInlineStart = `${percentOf(marked)}%`;
  });
}

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {{word: string, before: number, after: number}} Guess */
const SAME = 0.005; // of a share: heads whose effects differ by less matter alike

/** All words that are told of at the gap, with their shares as it is and without a head. @param {Packet} run @param {number} layer @param {number} head @returns {Guess[]} */
function told(run, layer, head) {
  const { off, gap, guesses } = run.about, found = guesses[String(gap)] ?? [];
  if (!off || !run.arrays.off) return found.map(([word, share]) => ({ word, before: share, after: NaN }));
  return off.words.map((word, i) => ({ word, before: off.shares?.[i] ?? new Map(found).get(word) ?? NaN, after: at(run.arrays.off, layer, head, i) }));
}

/** The word besides the first guess that gains most where a head is off. @param {Guess[]} all */
const riser = all => all.slice(1).reduce((best, one) => (one.after - one.before > best.after - best.before ? one : best), all[1] ?? all[0]);

/** The three that are drawn: the two likeliest, and what would gain most without the head. @param {Packet} run @param {number} layer @param {number} head @returns {Guess[]} */
export function three(run, layer, head) {
  const all = told(run, layer, head);
  if (!all.length) return [];
  const first = all.slice(0, 2), most = riser(all);
  const third = Number.isFinite(most.after) && !first.includes(most) ? most : all[2];
  return third ? [...first, third] : first;
}

/** What the guess becomes without a head, and how many heads matter more. @param {Packet} run @param {number} layer @param {number} head */
export function without(run, layer, head) {
  const all = told(run, layer, head);
  if (!all.length || !Number.isFinite(all[0].after)) return [];
  const [first] = all, most = riser(all), rises = most.after - most.before;
  const [key, one] = rises >= SAME ? ['without_rises', most] : first.before - first.after >= SAME ? ['without_falls', first] : ['without_same', first];
  return [...parts(key, { layer, head, word: one.word, before: one.before, after: one.after }), ...rank(run, layer, head)];
}

/** @param {Packet} run @param {number} layer @param {number} head */
function rank(run, layer, head) {
  const all = effects(run), own = all.find(one => one.layer === layer && one.head === head);
  if (!own) return [];
  const more = all.filter(one => one.change < own.change - SAME);
  const alike = all.find(one => one !== own && Math.abs(one.change - own.change) <= SAME);
  if (more.length > 1) return parts('rank', { count: more.length, all: all.length, layer: more[0].layer, head: more[0].head });
  if (more.length) return parts('rank_second', { layer: more[0].layer, head: more[0].head });
  return alike && own.change < -SAME ? parts('rank_first_alike', { layer: alike.layer, head: alike.head }) : parts('rank_first', {});
}

/** Three bars. @param {HTMLElement} root */
export function guessBars(root) {
  const list = root.appendChild(el('ul', { class: 'enc-bars', 'aria-label': 'What the model guesses' }));
  return {
    /** @param {Packet} run @param {{layer: number, head: number}} place @param {boolean} off */
    draw(run, { layer, head }, off) {
      const all = three(run, layer, head);
      root.hidden = !all.length;
      shareBars(list, all.map(({ word, before, after }, i) => {
        const share = off ? after : before, name = [i ? '' : 'enc-first', off && after - before >= SAME && i > 1 ? 'enc-risen' : ''].join(' ').trim();
        return { name: word, text: tight(percent(share, 1)), filled: share, marked: off ? before : NaN, props: { 'data-guess': word, 'data-share': String(share), class: name || null } };
      }));
    },
  };
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
  const list = el('ul', { class: 'enc-bars' }), none = el('p');
  const element = el('section', { class: 'enc-foot', 'aria-label': 'What the model guesses', hidden: true }, list, none);
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
    none.hidden = all.length > 0;
    write(none, `There is no gap to guess here. ${maskHint(maskToken(run))}`);
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

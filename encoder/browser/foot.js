// @ts-check
// The guess at the foot of any page: the likeliest words at the gap, with marks where they were before the run was changed.
import { children, el, put, write } from './dom.js';
import { percent, tight } from './number.js';

/** @typedef {import('./packet.js').Packet} Packet */
const MOST = 5; // words

/** The guess of a run and its share in another one; NaN where that is not known. @param {Packet} run @param {Packet | null} before */
export function guesses(run, before) {
  const list = (/** @type {Packet | null} */ of) => of?.about.guesses[String(of.about.gap)] ?? [];
  const shares = new Map(list(before));
  return list(run).slice(0, MOST).map(([word, share]) => ({ word, share, before: shares.get(word) ?? NaN }));
}

/** @param {import('./mount.js').Context} context */
export function foot({ peek, fetch, store }) {
  const list = el('ul', { class: 'enc-bars' }), none = el('p', {}, 'There is no gap to guess here: write [MASK] for a word.');
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
    children(list, all.length, () => el('li', {}, el('span', { class: 'enc-bar-name' }), el('span', { class: 'enc-bar-room' }, el('i'), el('b')), el('span', { class: 'enc-bar-share' }))).forEach((line, i) => {
      const { word, share, before } = all[i], [name, room, text] = line.children, [filled, mark] = /** @type {HTMLElement[]} */ ([...room.children]);
      write(name, word);
      write(text, tight(percent(share, 1)));
      put(line, { 'data-guess': word, 'data-share': share, class: i ? null : 'enc-first' });
      filled.style.width = `max(2px, ${100 * share}%)`;
      mark.hidden = Number.isNaN(before);
      mark.style.insetInlineStart = `${100 * before}%`;
    });
  }
  return {
    element, draw,
    turn() {
      wanted = !wanted;
      draw(drawn);
    },
  };
}

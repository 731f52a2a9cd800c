// @ts-check
// The guess at the foot of any page: the likeliest words at the gap, with marks where they were before the run was changed.
import { el } from './dom.js';
import { percent, tight } from './number.js';
import { shareBars } from './share_bars.js';

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

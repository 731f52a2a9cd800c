// @ts-check
// What the model reads, below the bar: a second sentence, and the tokens that no other may look at. And what is changed in the run.
import { sentenceField } from './bar.js';
import { AS_IS, children, el, focused, put, write } from './dom.js';
import { namesOf } from './strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** Which of the two is open. @typedef {'second' | 'mask'} Part */

const MOST = 128; // tokens with a button of their own

/** @param {import('./mount.js').Context} context */
export function reading({ store }) {
  const field = sentenceField(second => { if (second !== store.get().second) store.set({ second }, { push: true }); }, 'Second sentence');
  put(field.input, { placeholder: 'A second sentence: both are read as one input' });
  const drop = el('button', { type: 'button', class: 'enc-pill', onclick: () => {
    opened.delete('second');
    if (store.get().second) store.set({ second: '' }, { push: true });
    else draw(drawn);
  } }, 'One sentence');
  const pair = el('div', { class: 'enc-second' }, field.form, drop);

  const tokens = el('div', { class: 'enc-tokens', role: 'group', 'aria-label': 'Tap a token to mask it, so that no token looks at it' });
  const done = el('button', { type: 'button', class: 'enc-pill', onclick: () => { opened.delete('mask'); draw(drawn); } }, 'Done');
  const mask = el('div', { class: 'enc-masks' }, el('p', {}, 'Tap a token: no other looks at it then, and the run changes.'), tokens, done);

  const changed = el('span'), undo = el('button', { type: 'button', class: 'enc-pill', onclick: () => store.set({ hidden: [], edits: '' }) }, 'Remove all changes');
  const changes = el('p', { class: 'enc-changes' }, changed, ' ', undo);
  const element = el('div', { class: 'enc-reading' }, pair, mask, changes);
  /** @type {Set<Part>} */
  const opened = new Set();
  /** @type {Packet | null} */
  let drawn = null;
  let stop = 0; // of the tab key among the tokens

  tokens.onkeydown = event => {
    const all = /** @type {HTMLElement[]} */ ([...tokens.children]), at = all.indexOf(/** @type {HTMLElement} */ (focused(tokens)));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    rove((to + all.length) % all.length);
    all[stop].focus();
  };
  /** @param {number} to */
  function rove(to) {
    put(tokens.children[stop] ?? el('i'), { tabindex: '-1' });
    stop = to;
    put(tokens.children[stop] ?? el('i'), { tabindex: '0' });
  }
  /** @param {number} position */
  function toggle(position) {
    const { hidden } = store.get();
    rove(position);
    store.pin(); // the same head as before, whatever is clearest now
    store.set({ hidden: hidden.includes(position) ? hidden.filter(one => one !== position) : [...hidden, position].sort((a, b) => a - b) });
  }

  /** @param {Packet | null} run @param {boolean} [told] whether the page itself tells what is changed by edits */
  function draw(run, told = false) {
    drawn = run;
    const { second, hidden } = store.get();
    pair.hidden = !second && !opened.has('second');
    if (focused(field.form) !== field.input) field.input.value = second;
    mask.hidden = !opened.has('mask') || !run;
    if (!mask.hidden && run) {
      const names = namesOf(run.about.tokens).slice(0, MOST);
      stop = Math.min(stop, names.length - 1);
      children(tokens, names.length, i => el('button', { ...AS_IS, type: 'button', class: 'enc-token', dir: 'auto', onclick: () => toggle(i) })).forEach((token, i) => {
        put(token, { 'aria-pressed': String(hidden.includes(i)), tabindex: i === stop ? '0' : '-1', 'data-token': i });
        write(token, names[i]);
      });
    }
    const masked = run ? run.about.hidden.map(i => namesOf(run.about.tokens)[i]) : [];
    const sentences = [...(masked.length ? [`no token looks at ${masked.join(', ')}`] : []), ...(told ? [] : run?.about.changes ?? [])];
    changes.hidden = !sentences.length;
    write(changed, sentences.length ? `This run is changed: ${sentences.join('; ')}.` : '');
    element.hidden = pair.hidden && mask.hidden && changes.hidden;
  }
  draw(null);
  return {
    element, draw,
    /** Opens a part, and gives it the keys. @param {Part} part */
    open(part) {
      opened.add(part);
      draw(drawn);
      if (part === 'second') field.input.focus();
      else /** @type {HTMLElement | undefined} */ (tokens.children[stop])?.focus();
    },
  };
}

// @ts-check
// What the model reads, below the bar: a second sentence, and the tokens that no other may look at. And what is changed in the run.
import { sentenceField } from './bar.js';
import { el, focused, put } from './dom.js';
import { html, render as into } from './lit.js';
import { namesOf } from './number_strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** Which of the two is open. @typedef {'second' | 'mask'} Part */

const MOST = 128; // tokens with a button of their own

/** @param {import('./mount.js').Context} context */
export function reading({ store }) {
  const field = sentenceField(second => { if (second !== store.get().second) store.set({ second }, { push: true }); }, 'Second sentence');
  put(field.input, { placeholder: 'A second sentence: both are read as one input' });
  const element = el('div', { class: 'enc-reading' });
  /** @type {Set<Part>} */
  const opened = new Set();
  /** @type {Packet | null} */
  let run = null;
  let told = false;
  let stop = 0; // of the tab key among the tokens

  const tokens = () => /** @type {HTMLElement[]} */ ([...element.querySelectorAll('[data-token]')]);
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const all = tokens(), at = all.indexOf(/** @type {HTMLElement} */ (focused(element)));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    stop = (to + all.length) % all.length;
    render();
    all[stop].focus();
  }
  /** @param {number} position */
  function toggle(position) {
    const { hidden } = store.get();
    stop = position;
    render();
    store.pin(); // the same head as before, whatever is clearest now
    store.set({ hidden: hidden.includes(position) ? hidden.filter(one => one !== position) : [...hidden, position].sort((a, b) => a - b) });
  }
  /** @param {Part} part */
  function close(part) {
    opened.delete(part);
    if (part === 'second' && store.get().second) store.set({ second: '' }, { push: true });
    else render();
  }

  function render() {
    const { second, hidden } = store.get(), names = run ? namesOf(run.about.tokens) : [], masked = (run?.about.hidden ?? []).map(i => names[i]);
    const sentences = [...(masked.length ? [`no token looks at ${masked.join(', ')}`] : []), ...(told ? [] : run?.about.changes ?? [])];
    const pair = second || opened.has('second'), mask = opened.has('mask') && run, shown = mask ? names.slice(0, MOST) : [];
    if (mask) stop = Math.min(stop, shown.length - 1);
    if (focused(field.form) !== field.input) field.input.value = second;
    element.hidden = !pair && !mask && !sentences.length;
    into(html`<div class="enc-second" ?hidden=${!pair}>${field.form}<button type="button" class="enc-pill" @click=${() => close('second')}>One sentence</button></div>
      <div class="enc-masks" ?hidden=${!mask}><p>Tap a token: no other looks at it then, and the run changes.</p>
        <div class="enc-tokens" role="group" aria-label="Tap a token to mask it, so that no token looks at it" @keydown=${walk}>${shown.map((name, i) => html`
          <button type="button" class="enc-token" dir="auto" translate="no" lang="" aria-pressed=${hidden.includes(i)} tabindex=${i === stop ? 0 : -1} data-token=${i} @click=${() => toggle(i)}>${name}</button>`)}</div>
        <button type="button" class="enc-pill" @click=${() => close('mask')}>Done</button></div>
      <p class="enc-changes" ?hidden=${!sentences.length}><span>This run is changed: ${sentences.join('; ')}.</span> <button type="button" class="enc-pill" @click=${() => store.set({ hidden: [], edits: '' })}>Remove all changes</button></p>`, element);
  }
  render();
  return {
    element,
    /** @param {Packet} given @param {boolean} known whether the page itself tells what is changed by edits */
    draw(given, known) {
      [run, told] = [given, known];
      render();
    },
    /** Opens a part, and gives it the keys. @param {Part} part */
    open(part) {
      opened.add(part);
      render();
      if (part === 'second') field.input.focus();
      else tokens()[stop]?.focus();
    },
  };
}

// @ts-check
// Tokens to choose from: each with a bar above it, and as the words of the sentence.
import { AS_IS, children, el, focused, put, rove, walkByKeys, write } from './dom.js';
import { html, nothing, render as into } from './lit.js';
import { inRow } from './number.js';
import { inFull } from './run.js';

/** @typedef {{names: string[], positions: number[], values: number[], chosen: number, direction: 'ltr' | 'rtl', label: string, says: (row: number) => string}} RowView */

/** @param {{choose: (row: number) => void}} calls */
export function tokenRow({ choose }) {
  const element = el('div', { class: 'tr', role: 'listbox', 'aria-orientation': 'horizontal' });
  /** @type {RowView | null} */
  let view = null;
  let opened = '';
  element.onclick = event => {
    const row = event.target instanceof Element ? event.target.closest('[role=option]') : null;
    if (row) choose([...element.children].indexOf(row));
  };
  element.onkeydown = event => {
    const last = element.children.length - 1;
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const on = view.direction === 'rtl' ? -1 : 1;
    const to = { ArrowRight: view.chosen + on, ArrowLeft: view.chosen - on, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const row = Math.min(last, Math.max(0, to));
    choose(row);
    /** @type {HTMLElement} */ (element.children[row]).focus();
  };
  return {
    element,
    /** @param {RowView} given */
    draw(given) {
      view = given;
      const { names, positions, values, chosen } = given, most = values.reduce((so, value) => Math.max(so, Math.abs(value) || 0), 0), texts = inRow(values);
      put(element, { 'aria-label': given.label, dir: given.direction });
      children(element, names.length, () => el('div', { role: 'option' }, el('span', { class: 'tr-value' }), el('span', { class: 'tr-bar' }, el('i')), el('bdi', { class: 'tr-name' }))).forEach((one, i) => {
        const value = values[i], bar = /** @type {Element} */ (one.children[1].firstElementChild);
        put(one, { 'data-word': positions[i], 'aria-selected': String(i === chosen), tabindex: i === chosen ? '0' : '-1', 'aria-label': given.says(i) });
        write(one.children[0], Number.isFinite(value) ? texts[i] : '–');
        put(bar, { style: `height: ${(most > 0 && Number.isFinite(value) ? 100 * Math.abs(value) / most : 0).toFixed(1)}%`, 'data-below': value < 0 });
        write(one.children[2], names[i]);
      });
      const place = `${names.length} ${positions[0]}`, one = /** @type {HTMLElement | undefined} */ (element.children[chosen]);
      if (opened !== place && one && element.clientWidth) {
        opened = place;
        if (focused(element) !== one && element.scrollWidth > element.clientWidth) element.scrollLeft = one.offsetLeft - element.clientWidth / 2;
      }
    },
  };
}

/** A word or token to choose. @typedef {{name: string, position: number, title?: string | null, off?: boolean, kind?: string, label?: string}} Choice */

const FADES = 32; // px at the ends of a row that goes on
const LONG = 12; // letters from which on a token says in full what it is

/** The tokens of a run to choose from; those that are not among `held` cannot be. @param {import('./packet.js').Packet} run @param {number[]} held @returns {Choice[]} */
export const tokenChoices = (run, held) => run.about.tokens.flatMap((name, position) => {
  const kind = run.about.kinds[position];
  return kind === 'padding' ? [] : [{ name, position, off: !held.includes(position), kind: kind === 'word' ? '' : 'is-other', title: name.length > LONG ? inFull(run, name) : null }];
});

/** Words to choose one of: a row that breaks into lines, with one tab stop. @param {(position: number) => void} choose */
export function wordRow(choose) {
  const element = el('div', { class: 'word-row', role: 'toolbar', 'aria-label': 'Words: choose the one to ask about' });
  let shown = -1;
  element.onclick = event => {
    const button = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('[data-word]')) : null;
    if (button && !button.hasAttribute('aria-disabled')) choose(Number(button.dataset.word));
  };
  walkByKeys(element);
  return {
    element,
    /** @param {Choice[]} all @param {number} chosen the position of one of them @param {'ltr' | 'rtl'} way */
    draw(all, chosen, way) {
      const at = all.findIndex(one => one.position === chosen);
      put(element, { dir: way });
      into(html`${all.map(({ name, position, title, off, kind, label }) => html`<button type="button" class=${kind || nothing} data-word=${position} aria-pressed=${String(position === chosen)} aria-disabled=${off ? 'true' : nothing} title=${title ?? nothing}><bdi translate=${AS_IS.translate} lang=${AS_IS.lang}>${name}</bdi>${label === undefined ? nothing : html`<small><bdi translate="no" lang="">${label}</bdi></small>`}</button>`)}`, element);
      const buttons = /** @type {HTMLElement[]} */ ([...element.children]), one = buttons[at];
      if (!element.contains(focused(element)) || !buttons.some(each => each.tabIndex === 0)) rove(buttons, at);
      if (shown !== chosen && one && element.clientWidth) {
        shown = chosen;
        const box = element.getBoundingClientRect(), own = one.getBoundingClientRect();
        if (own.left < box.left + FADES || own.right > box.right - FADES) element.scrollLeft += own.left - box.left - box.width / 2;
        if (own.top < box.top || own.bottom > box.bottom) element.scrollTop += own.top - box.top - box.height / 2;
      }
    },
  };
}

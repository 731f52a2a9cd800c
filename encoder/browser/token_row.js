// @ts-check
// The tokens of a run side by side, each with a number above it; one is chosen, by pointer and by keys.
import { children, el, focused, put, write } from './dom.js';
import { brief, typeset } from './number.js';

/** @typedef {{names: string[], positions: number[], values: number[], chosen: number, direction: 'ltr' | 'rtl', label: string, says: (row: number) => string}} View */

/** @param {{choose: (row: number) => void}} calls */
export function tokenRow({ choose }) {
  const element = el('div', { class: 'tr', role: 'listbox', 'aria-orientation': 'horizontal' });
  /** @type {View | null} */
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
    /** @param {View} given */
    draw(given) {
      view = given;
      const { names, positions, values, chosen } = given, most = values.reduce((so, value) => Math.max(so, Math.abs(value) || 0), 0);
      put(element, { 'aria-label': given.label, dir: given.direction });
      children(element, names.length, () => el('div', { role: 'option' }, el('span', { class: 'tr-value' }), el('span', { class: 'tr-bar' }, el('i')), el('bdi', { class: 'tr-name' }))).forEach((one, i) => {
        const value = values[i], bar = /** @type {Element} */ (one.children[1].firstElementChild);
        put(one, { 'data-word': positions[i], 'aria-selected': String(i === chosen), tabindex: i === chosen ? '0' : '-1', 'aria-label': given.says(i) });
        write(one.children[0], value === 0 ? '0' : Number.isFinite(value) ? typeset(brief(value, 2)) : '–');
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

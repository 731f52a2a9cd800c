// @ts-check
// The tokens of a run one below the other, each with bars; one is chosen, by pointer and by keys.
import { children, el, focused, put, write } from './dom.js';
import { brief, typeset } from './number.js';

/** `bars` are drawn in every row, one below the other: a colour of the page, and a number for each row; `most` is as long as a bar gets. @typedef {{names: string[], positions: number[], chosen: number, most: number, direction: 'ltr' | 'rtl', bars: {colour: string, values: number[]}[], says: (row: number) => string}} View */

/** @param {{label: string, choose: (row: number) => void, place?: string}} calls `place` is the attribute that says which one a row is */
export function tokenList({ label, choose, place: attribute = 'data-word' }) {
  const element = el('div', { class: 'tl', role: 'listbox', 'aria-label': label });
  /** @type {View | null} */
  let view = null;
  /** @param {EventTarget | null} target */
  const rowOf = target => {
    const row = target instanceof Element ? target.closest('[role=option]') : null;
    return row ? [...element.children].indexOf(row) : -1;
  };
  element.onclick = event => {
    const row = rowOf(event.target);
    if (row >= 0) choose(row);
  };
  element.onkeydown = event => {
    const last = element.children.length - 1;
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowDown: view.chosen + 1, ArrowUp: view.chosen - 1, PageDown: view.chosen + 5, PageUp: view.chosen - 5, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const row = Math.min(last, Math.max(0, to));
    choose(row);
    /** @type {HTMLElement} */ (element.children[row]).focus();
  };
  let opened = '';

  /** @param {View} given */
  function draw(given) {
    view = given;
    const { names, positions, chosen, most, bars } = given;
    children(element, names.length, () => el('div', { role: 'option' }, el('bdi', { class: 'tl-name' }), el('span', { class: 'tl-bars' }))).forEach((row, i) => {
      put(row, { [attribute]: positions[i], 'aria-selected': String(i === chosen), tabindex: i === chosen ? '0' : '-1', 'aria-label': given.says(i) });
      write(row.children[0], names[i]);
      children(row.children[1], bars.length, () => el('span', { class: 'tl-bar' }, el('i'), el('span'))).forEach((bar, b) => {
        const value = bars[b].values[i];
        put(bar, { 'data-colour': bars[b].colour });
        put(bar.children[0], { style: `width: ${(Number.isFinite(value) && most > 0 ? 84 * Math.min(1, Math.abs(value) / most) : 0).toFixed(2)}%`, 'data-cut': Math.abs(value) > most });
        write(bar.children[1], Number.isFinite(value) ? typeset(brief(value)) : '–');
      });
    });
    const place = `${names.length} ${positions[0]}`;
    if (opened !== place && element.clientHeight) {
      opened = place;
      const row = /** @type {HTMLElement | undefined} */ (element.children[chosen]);
      if (row && focused(element) !== row && element.scrollHeight > element.clientHeight) element.scrollTop = row.offsetTop - element.clientHeight / 2;
    }
  }
  return { element, draw };
}

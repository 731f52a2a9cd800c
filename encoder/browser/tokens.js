// @ts-check
// Tokens to choose from: with bars below or beside one another, and as the words of the sentence.
import { children, el, focused, put, rove, walkByKeys, write } from './dom.js';
import { sure, typeset } from './number.js';
import { direction, inFull, words } from './run.js';

/** `bars` are drawn in every row, one below the other: a colour of the page, and a number for each row; `most` is as long as a bar gets, `within` is how far a number may be off. @typedef {{names: string[], positions: number[], chosen: number, most: number, direction: 'ltr' | 'rtl', bars: {colour: string, values: number[]}[], within?: number, says: (row: number) => string}} View */

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

  /** @param {View} given */
  function draw(given) {
    view = given;
    const { names, positions, chosen, most, bars, within = 0 } = given;
    children(element, names.length, () => el('div', { role: 'option' }, el('bdi', { class: 'tl-name' }), el('span', { class: 'tl-bars' }))).forEach((row, i) => {
      put(row, { [attribute]: positions[i], 'aria-selected': String(i === chosen), tabindex: i === chosen ? '0' : '-1', 'aria-label': given.says(i) });
      write(row.children[0], names[i]);
      children(row.children[1], bars.length, () => el('span', { class: 'tl-bar' }, el('i'), el('span'))).forEach((bar, b) => {
        const value = bars[b].values[i];
        put(bar, { 'data-colour': bars[b].colour });
        put(bar.children[0], { style: `width: ${(Number.isFinite(value) && most > 0 ? 84 * Math.min(1, Math.abs(value) / most) : 0).toFixed(2)}%`, 'data-cut': Math.abs(value) > most });
        write(bar.children[1], Number.isFinite(value) ? typeset(sure(value, within)) : '–');
      });
    });
  }
  return { element, draw };
}

/** @typedef {{names: string[], positions: number[], values: number[], within: number[], chosen: number, direction: 'ltr' | 'rtl', label: string, says: (row: number) => string}} RowView */

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
      const { names, positions, values, within, chosen } = given, most = values.reduce((so, value) => Math.max(so, Math.abs(value) || 0), 0);
      put(element, { 'aria-label': given.label, dir: given.direction });
      children(element, names.length, () => el('div', { role: 'option' }, el('span', { class: 'tr-value' }), el('span', { class: 'tr-bar' }, el('i')), el('bdi', { class: 'tr-name' }))).forEach((one, i) => {
        const value = values[i], bar = /** @type {Element} */ (one.children[1].firstElementChild);
        put(one, { 'data-word': positions[i], 'aria-selected': String(i === chosen), tabindex: i === chosen ? '0' : '-1', 'aria-label': given.says(i) });
        write(one.children[0], Number.isFinite(value) ? typeset(sure(value, within[i], 2)) : '–');
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

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */

/** @param {(position: number) => void} choose */
export function sentence(choose) {
  const list = el('div', { class: 'ou-words', role: 'toolbar', 'aria-label': 'Words: choose the one to ask about' });
  let shown = -1;
  list.onclick = event => {
    const button = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('[data-word]')) : null;
    if (button && !button.hasAttribute('aria-disabled')) choose(Number(button.dataset.word));
  };
  walkByKeys(list);
  return {
    element: list,
    /** @param {Packet} run @param {Word} asked @param {Packet | null} found what says which words can be asked */
    draw(run, asked, found) {
      const all = words(run), can = new Set(found?.about.vocabulary ? found.about.positions : run.about.rows), from = all.indexOf(asked);
      put(list, { dir: direction(run) });
      const buttons = children(list, all.length, () => el('button', { type: 'button', class: 'ou-word' }, el('bdi')));
      buttons.forEach((button, i) => {
        write(button.children[0], all[i].name);
        put(button, {
          'data-word': all[i].position, 'aria-pressed': String(i === from), 'aria-disabled': can.has(all[i].position) ? null : 'true',
          title: all[i].name.endsWith('…') ? inFull(run, all[i].name) : null, class: `ou-word${all[i].gap ? ' is-gap' : ''}`,
        });
      });
      if (!list.contains(focused(list)) || !buttons.some(one => one.tabIndex === 0)) rove([...list.children], from);
      if (shown !== from && list.scrollHeight > list.clientHeight) list.scrollTop = buttons[from].offsetTop - list.offsetTop - list.clientHeight / 2;
      shown = from;
    },
  };
}

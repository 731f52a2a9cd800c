// @ts-check
// The picture of a stop in the page: a canvas to look at, and over it the one chosen cell, which has the keys.
import { coloursOf, inPage, sized, watched } from './canvas.js';
import { AS_IS, densityOf, el, placeIn, put, themeOf, write, zoomOf } from './dom.js';
import { boxOf, cellAt, gradient, layout, paint } from './grid.js';
import { tight } from './number.js';

/** @typedef {import('./grid.js').Scene} Scene */
/** @typedef {{row: number, column: number}} At */
/**
 * What is drawn: `label` names the picture, `says` a cell, `ends` writes the ends of the colours. `last` is the last token. `unfold`: from left to right, over
 * what was drawn before. `chosen` is what is framed, also where the pointer is; `kept` is what was chosen and has the keys: `says` it.
 * @typedef {Omit<Scene, 'theme' | 'colours'> & {key: string, kept: At, label: string, says: string, shown: string, low: string, high: string, above: string, unfold: boolean, tokens: number, last: string}} View
 */

const UNFOLD = 420; // ms
const NARROW = 900, LOW = 320, SHORT = 800, ABOVE = [336, 368], CLASS = 12; // pixels: a window in which all stands below each other; how tall a picture is at least; a short window, what else stands above and below a picture in one and in others, and how much more in front of a class
const LONG = { PageUp: -5, PageDown: 5 };
const STILL = matchMedia('(prefers-reduced-motion: reduce)');

/**
 * @param {{point: (at: At | null) => void, keep: (at: At) => void, open: () => void}} calls `point` follows the pointer, `keep` chooses
 */
export function picture({ point, keep, open }) {
  const canvas = el('canvas', { class: 'picture-canvas', 'aria-hidden': 'true' });
  const cell = el('div', { class: 'picture-cell', role: 'gridcell', tabindex: '0' });
  const line = el('div', { role: 'row' }, cell), grid = el('div', { class: 'picture-grid', role: 'grid' }, canvas, line);
  const scroll = el('div', { class: 'picture-scroll' }, grid);
  const low = el('span'), bar = el('i'), high = el('span'), above = el('span', { class: 'picture-above' });
  const said = el('p', { ...AS_IS, class: 'picture-said' });
  const shut = el('span', { class: 'picture-shut', hidden: true }, el('i'), 'not looked at');
  const legend = el('div', { class: 'picture-legend' }, low, bar, high, above, shut);
  const probe = el('i', { class: 'enc-probe', hidden: true });
  const element = el('div', { class: 'picture' }, scroll, el('div', { class: 'picture-foot' }, said, legend), probe);
  const pen = canvas.getContext('2d');
  /** @type {View | null} */
  let view = null;
  /** @type {import('./grid.js').Layout | null} */
  let laid = null;
  let drawn = '', frame = 0, began = 0, room = 0;
  /** @type {HTMLCanvasElement | null} */
  let before = null;

  /** @param {PointerEvent | MouseEvent} event */
  const under = event => {
    const { x, y } = placeIn(event, canvas);
    return view && laid ? cellAt(laid, view.numbers.rows.length, view.numbers.columns, x, y) : null;
  };
  grid.onpointermove = event => { if (event.pointerType !== 'touch') point(under(event)); };
  grid.onpointerleave = () => point(null);
  grid.onclick = event => {
    const at = event.detail ? under(event) : null;
    if (!at) return;
    keep(at);
    cell.focus({ preventScroll: true });
  };
  cell.onkeydown = event => {
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = view.kept, { numbers: { rows, columns } } = view;
    if (event.key === 'Enter') { event.preventDefault(); open(); return; }
    const to = {
      ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], Home: [row, 0],
      End: [row, columns - 1], PageUp: [row + LONG.PageUp, column], PageDown: [row + LONG.PageDown, column],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    keep({ row: Math.min(rows.length - 1, Math.max(0, to[0])), column: Math.min(columns - 1, Math.max(0, to[1])) });
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };

  const unwatch = watched(scroll, () => room, () => { drawn = ''; if (view) draw(view); });

  /** @param {View} given */
  function draw(given) {
    if (!inPage(element, () => { if (view) draw(view); })) { view = given; return; } // it has no room, and no colours
    const theirs = coloursOf(probe), theme = themeOf(theirs.page), ratio = densityOf(canvas);
    const { numbers } = given, rows = numbers.rows.length, font = getComputedStyle(element).fontFamily;
    room = scroll.clientWidth || 600;
    const key = [given.key, room, theme, ratio, given.chosen.row, given.chosen.column].join(' ');
    const anew = !view || given.key !== view.key;
    view = given;
    if (drawn !== key && pen) {
      if (anew && given.unfold && !STILL.matches) remember();
      drawn = key;
      pen.font = `600 14px ${font}`;
      const widest = Math.max(...given.rows.map(name => pen.measureText(name).width));
      const digits = given.parts === 'share' ? 2 : Math.max(3, ...[given.ends.high, given.ends.low].map(value => given.form(value).length));
      const last = pen.measureText(given.last).width;
      laid = layout({ rows, columns: numbers.columns, tokens: given.tokens, widest: Math.min(widest, 150), last, digits }, room, innerWidth > NARROW ? Math.max(LOW, (innerHeight - ABOVE[Number(innerHeight > SHORT)] - (zoomOf(scroll) > 1 ? CLASS : 0)) / zoomOf(scroll)) : Infinity);
      sized(canvas, laid.width, laid.height);
      put(canvas, { style: `width: ${laid.width}px; height: ${laid.height}px` });
      scene(theirs, theme, ratio, font);
    }
    if (laid) {
      const box = boxOf(laid, view.kept.row, view.kept.column), wide = Math.max(box.width, 5);
      put(cell, { style: `left: ${box.x + (box.width - wide) / 2}px; top: ${box.y}px; width: ${wide}px; height: ${box.height}px` });
    }
    put(grid, { 'aria-label': given.label, 'aria-rowcount': rows, 'aria-colcount': numbers.columns });
    put(line, { 'aria-rowindex': view.kept.row + 1 });
    put(cell, { 'aria-colindex': view.kept.column + 1, 'aria-label': given.says, 'data-cell': `${numbers.rows[view.kept.row]},${view.kept.column}` });
    write(said, given.shown);
    write(low, tight(given.low));
    write(high, tight(given.high));
    write(above, given.above);
    shut.hidden = !numbers.shut?.some(Boolean);
    bar.style.background = gradient(given.parts, theme);
  }

  /** Keeps what is drawn, to unfold over it. */
  function remember() {
    before = document.createElement('canvas');
    before.width = canvas.width;
    before.height = canvas.height;
    if (canvas.width) before.getContext('2d')?.drawImage(canvas, 0, 0);
    began = performance.now();
  }

  /** @param {Scene['colours']} theirs @param {import('./grid.js').Theme} theme @param {number} ratio @param {string} font */
  function scene(theirs, theme, ratio, font) {
    cancelAnimationFrame(frame);
    if (!pen || !view || !laid) return;
    const t = before ? Math.min(1, (performance.now() - began) / UNFOLD) : 1;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(pen, laid, { ...view, theme, colours: theirs }, font);
    if (t >= 1 || !before) { before = null; return; }
    const across = laid.wide * view.numbers.columns, from = Math.round((laid.left + across * (1 - (1 - t) ** 2)) * ratio), top = Math.round(laid.top * ratio);
    const end = Math.min(before.width, Math.round((laid.left + across) * ratio));
    pen.setTransform(1, 0, 0, 1, 0, 0);
    if (end > from && before.height > top) {
      pen.clearRect(from, top, end - from, canvas.height);
      pen.drawImage(before, from, top, end - from, before.height - top, from, top, end - from, before.height - top);
    }
    frame = requestAnimationFrame(() => scene(theirs, theme, ratio, font));
  }

  return {
    element, draw,
    /** Whether something else stands in the place of the picture. @param {boolean} hidden */
    hide(hidden) { element.hidden = hidden; },
    end() {
      cancelAnimationFrame(frame);
      unwatch();
    },
  };
}

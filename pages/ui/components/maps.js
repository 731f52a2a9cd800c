// @ts-check
// Small maps on canvases with one shared cursor: hover or arrow keys read a cell in all of them, click or Enter picks it.
import { bytes, cellUnder, moved, pixels } from './cells.js';
import { short, typeset } from '../../../encoder/browser/number.js';

/** @typedef {import('./cells.js').Cell} Cell */
/**
 * A map: its numbers are float32 where it is exact, else levels from 0 to 254 between low and high.
 * @typedef {{ title: string, label: string, cells: string, exact: boolean, low: number, high: number, kind: string, blank?: number | null }} SmallMap
 */
/**
 * @typedef {object} MapsData
 * @property {SmallMap[]} maps
 * @property {number} rows
 * @property {number} columns
 * @property {string[]} names
 * @property {number} every how many tokens share a cell
 * @property {number} width
 * @property {number} across
 * @property {number | null} chosen
 * @property {Cell | null} cell
 * @property {number} second row and column where the second sentence of a pair begins; 0 without one
 * @property {Record<string, string>} palettes
 */
/** @typedef {HTMLElement & { point: (at: Cell | null) => void }} Figure */
/** @typedef {HTMLElement & { at?: Cell | null, arrange?: () => void, watched?: ResizeObserver }} Root */

/** The numbers of a map. @param {Pick<SmallMap, 'cells' | 'exact'>} map */
export const numbers = map => (map.exact ? new Float32Array(bytes(map.cells).buffer) : bytes(map.cells));

const NONE = 255; // the level of what is no finite number, or masked

/**
 * Which of the 255 colours of its palette a number has; -1 for what is not finite and what is masked, which have none.
 * @param {Pick<SmallMap, 'exact' | 'low' | 'high' | 'blank'>} map
 * @param {number} value
 */
export function level(map, value) {
  if (map.exact ? !Number.isFinite(value) || value === map.blank : value === NONE) return -1;
  return map.exact ? Math.round(Math.max(0, Math.min(1, (value - map.low) / (map.high - map.low))) * 254) : value;
}

/**
 * A number as it is read aloud: four digits where it is exact, else marked as near.
 * @param {Pick<SmallMap, 'exact' | 'low' | 'high'>} map
 * @param {number} value
 */
export function spelled(map, value) {
  if (map.exact || !Number.isFinite(value)) return typeset(short(value));
  if (value === NONE) return 'masked, or not finite';
  return '\u2248 ' + (map.low + (value / 254) * (map.high - map.low)).toPrecision(3);
}

/** Where in its map a cell stands, as styles. @param {Cell} at @param {number} rows @param {number} columns */
export const place = (at, rows, columns) => ({
  top: (100 * at[0]) / rows + '%', left: (100 * at[1]) / columns + '%', height: 100 / rows + '%', width: 100 / columns + '%',
});

const GAP = 6; // pixels between two maps, as in maps.css

/**
 * How many maps stand in a row that has room for `fit`: rows of one length where that leaves no row half empty.
 * @param {number} count
 * @param {number} fit
 */
export function inARow(count, fit) {
  if (fit >= count) return fit;
  for (let n = fit; 2 * n >= fit && n > 1; n--) if (count % n === 0) return n;
  return fit;
}

function build() {
  const box = document.createElement('figure');
  for (const tag of ['figcaption', 'div', 'output']) box.append(document.createElement(tag));
  box.children[1].className = 'plate';
  box.children[1].append(...['canvas', 's', 's', 'i', 'b'].map(tag => document.createElement(tag)));
  return box;
}

/** @param {ComponentArguments<MapsData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {Root} */ (parentElement.querySelector('.maps'));
  const { maps, rows, columns, names, every, width, across, chosen, cell, second, palettes } = data;
  const colours = Object.fromEntries(Object.entries(palettes).map(([kind, text]) => [kind, bytes(text)]));
  const read = maps.map(numbers);
  const name = (/** @type {number} */ i) => names[i * every];

  root.style.setProperty('--least', width + 'px');
  root.classList.toggle('pair', second > 0);
  root.style.setProperty('--second', (100 * second) / rows + '%');
  root.arrange = () => {
    if (!root.clientWidth) return; // not on the screen yet
    const fit = Math.max(1, Math.floor((root.clientWidth + GAP) / (width + GAP)));
    const grid = across ? `repeat(${across}, minmax(24px, 1fr))` : `repeat(${inARow(maps.length, fit)}, minmax(0, 1fr))`;
    if (root.style.gridTemplateColumns !== grid) root.style.gridTemplateColumns = grid;
  };
  root.arrange();
  root.watched ??= new ResizeObserver(() => root.arrange?.());
  root.watched.observe(root);
  while (root.children.length > maps.length) root.lastElementChild?.remove();
  maps.forEach((map, index) => {
    if (!root.children[index]) root.append(build());
    const box = /** @type {Figure} */ (root.children[index]);
    const [caption, plate, output] = /** @type {HTMLElement[]} */ ([...box.children]);
    const canvas = /** @type {HTMLCanvasElement} */ (plate.children[0]);
    const [row, column, cursor, mark] = /** @type {HTMLElement[]} */ ([...plate.children].slice(1));
    caption.textContent = map.title;
    box.className = index === chosen ? 'chosen' : '';
    canvas.width = columns;
    canvas.height = rows;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'button');
    canvas.setAttribute('aria-label', map.label);
    const levels = Array.from(read[index], value => level(map, value));
    canvas.getContext('2d')?.putImageData(new ImageData(pixels(levels, colours[map.kind]), columns, rows), 0, 0);

    /** @param {HTMLElement} element @param {Cell | null} at */
    const frame = (element, at) => {
      element.hidden = !at;
      if (at) Object.assign(element.style, place(at, rows, columns));
    };
    box.point = at => {
      frame(cursor, at);
      output.textContent = at
        ? `${name(at[0])} \u2192 ${name(at[1])}: ${spelled(map, read[index][at[0] * columns + at[1]])}`
        : '';
    };
    frame(mark, cell);
    frame(row, cell);
    frame(column, cell);
    Object.assign(row.style, { left: '0', width: '100%' }); // the whole row and column of the opened number are lit
    Object.assign(column.style, { top: '0', height: '100%' });
    box.point(null);
    /** @param {Cell | null} at */
    const point = at => {
      root.at = at;
      for (const other of root.children) /** @type {Figure} */ (other).point(at);
    };
    const inside = (/** @type {MouseEvent} */ event) =>
      cellUnder(event.clientX, event.clientY, canvas.getBoundingClientRect(), rows, columns);
    const pick = (/** @type {Cell | null | undefined} */ at) => setTriggerValue('picked', [index, ...(at || [0, 0])]);
    canvas.onmousemove = event => point(inside(event));
    canvas.onmouseleave = () => point(null);
    canvas.onclick = event => pick(inside(event));
    canvas.onfocus = () => canvas.matches(':focus-visible') && point(root.at || cell || [0, 0]);
    canvas.onblur = () => point(null);
    canvas.onkeydown = event => {
      const next = moved(root.at || [0, 0], event.key, rows, columns);
      if (next) point(next);
      else if (event.key === 'Enter' || event.key === ' ') pick(root.at);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
  });
}

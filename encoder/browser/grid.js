// @ts-check
// A picture of numbers on one canvas: where its cells and names stand, its colours, and how it is painted. No page.
import palette from '../support/palette.json' with { type: 'json' };

/** @typedef {import('./number_strips.js').Numbers} Numbers */
/** @typedef {'light' | 'dark'} Theme */
/** @typedef {[number, number, number]} Colour */

/**
 * Where things stand, in pixels of the page: the cells begin at `left`, `top`; each takes `wide` x `high`. `text` is the size of the
 * numbers in the cells, 0 where there is no room. `every` tells which names stand there: one row, one column in so many.
 * `flat` is whether the names of the columns lie level.
 * @typedef {object} Layout
 * @property {number} left
 * @property {number} top
 * @property {number} wide
 * @property {number} high
 * @property {number} width
 * @property {number} height
 * @property {number} text
 * @property {number} names
 * @property {{rows: number, columns: number}} every
 */

const LEAST = 3; // pixels of a cell's side, below which it is a part of one
const MOST = 44, READ = 18, SMALL = 11, LINE = 13, GAP = 8; // READ: a cell whose number is still read, below which none shrinks for the height of a window; SMALL: the same of cells without one
const FAR = { share: 4, signed: 2 }; // a largest number that is so many times the usual one does not end the colours

/**
 * Where the cells and names of a picture stand in so much room. Strips take the width that a grid of the same tokens takes, so that the
 * rows stay in place from stop to stop.
 * @param {{rows: number, columns: number, tokens: number, widest: number, last?: number, digits?: number}} what `widest` is the length in pixels of the longest name, `last` of the last token's
 * @param {number} room in pixels, from side to side
 * @param {number} [tall] pixels that it should not be taller than, while its numbers are read
 * @returns {Layout}
 */
export function layout({ rows, columns, tokens, widest, last = widest, digits = 3 }, room, tall = Infinity) {
  const left = Math.ceil(Math.min(widest, room * 0.28)) + GAP + 2;
  const grid = columns === tokens;
  const count = Math.max(tokens, 8), tail = Math.round(Math.min(last, 110) * 0.72) + 10; // a tilted name goes on to the right of its column
  const top = Math.round(Math.min(widest, 110) * 0.72) + 16;
  const fits = Math.max(0.1, Math.min((room - left - 2) / count, (room - left - tail) / (tokens - 0.5))), widely = fits < LEAST ? fits : Math.min(MOST, Math.floor(fits));
  const side = Math.min(widely, Math.max(widely < READ ? SMALL : READ, Math.floor((tall - top - 2) / rows)));
  const high = side;
  const across = side * count;
  const wide = grid ? side : across / columns;
  const text = Math.min(17, Math.floor(Math.min(wide / (digits * 0.62 + 0.3), high * 0.55)));
  return {
    left, top, wide, high,
    width: Math.max(left + across + 2, left + side * (tokens - 0.5) + tail),
    height: top + high * rows + 2,
    text: text >= 9 ? text : 0,
    names: Math.max(10, Math.min(14, high * 0.5)),
    every: { rows: Math.max(1, Math.ceil(LINE / high)), columns: grid ? Math.max(1, Math.ceil(LINE / wide)) : Math.max(1, columns / 8) },
  };
}

/**
 * Which cell lies at a point; null where none does.
 * @param {Layout} laid @param {number} rows @param {number} columns @param {number} x @param {number} y
 */
export function cellAt(laid, rows, columns, x, y) {
  const row = Math.floor((y - laid.top) / laid.high), column = Math.floor((x - laid.left) / laid.wide);
  return row >= 0 && row < rows && column >= 0 && column < columns ? { row, column } : null;
}

/** The box of a cell: left, top, width, height. @param {Layout} laid @param {number} row @param {number} column */
export const boxOf = (laid, row, column) => ({ x: laid.left + column * laid.wide, y: laid.top + row * laid.high, width: laid.wide, height: laid.high });

/** Sizes of numbers in order. @param {ArrayLike<number>} values */
const sizesOf = values => Float64Array.from(Array.from(values).filter(Number.isFinite), Math.abs).sort();

/**
 * The ends of the colours: they fit what is drawn. A few numbers that are far above all others do not make the rest pale: then the scale
 * ends at the 99th percentile, of shares at what nine rows in ten have at most, and `above` counts what lies beyond.
 * What is not looked at has no colour, and no say.
 * @param {{values: ArrayLike<number>, columns: number, shut?: Uint8Array | null}} numbers @param {'share' | 'signed'} parts @param {number} [least] how far apart the ends are at least
 * @returns {{low: number, high: number, above: number}}
 */
export function endsOf({ values: all, columns, shut }, parts, least = 0) {
  const values = shut ? Float32Array.from(all, (value, i) => (shut[i] ? NaN : value)) : all;
  const sizes = sizesOf(values), most = sizes.length ? sizes[sizes.length - 1] : 0;
  let usual = sizes.length ? sizes[Math.floor(0.99 * (sizes.length - 1))] : 0;
  if (parts === 'share') {
    const rows = Array.from({ length: values.length / columns }, (_, i) => Array.from({ length: columns }, (_, j) => values[i * columns + j]).reduce((a, b) => (b > a ? b : a), 0));
    const peaks = sizesOf(rows);
    usual = peaks[Math.floor(0.9 * (peaks.length - 1))] ?? 0;
  }
  const high = Math.max(least, usual > 0 && most > FAR[parts] * usual ? usual : most || 1);
  let above = 0;
  for (let i = sizes.length; i-- && sizes[i] > high;) above++;
  return { low: parts === 'share' ? 0 : -high, high, above };
}

/**
 * From nothing to much: the page's own background to its blue, and its warm colour for what is below zero.
 * @type {Record<Theme, {share: Colour[], signed: Colour[], none: Colour}>}
 */
const RAMPS = /** @type {any} */ (palette);

/** The colour of a number between the ends. @param {number} value @param {{low: number, high: number}} ends @param {'share' | 'signed'} parts @param {Theme} theme @returns {Colour} */
export function colourOf(value, { low, high }, parts, theme) {
  const ramp = RAMPS[theme][parts];
  if (Number.isNaN(value) || !Number.isFinite(value)) return RAMPS[theme].none;
  const at = Math.min(1, Math.max(0, (value - low) / (high - low || 1))) * (ramp.length - 1);
  const from = Math.min(ramp.length - 2, Math.floor(at)), part = at - from;
  return /** @type {Colour} */ (ramp[from].map((channel, i) => Math.round(channel + part * (ramp[from + 1][i] - channel))));
}

/** Black or white, whichever reads on a colour. @param {Colour} colour */
export function inkOn(colour) {
  const [r, g, b] = colour.map(channel => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? '#000000' : '#ffffff'; // one of them has a contrast of 4.58 to 1 at least
}

/** @param {Colour} colour */
export const css = colour => `rgb(${colour.join(', ')})`;

/** The colours of a scale, each with its place from 0 to 1. @param {'share' | 'signed'} parts @param {Theme} theme @returns {[number, string][]} */
export const gradientOn = (parts, theme) => RAMPS[theme][parts].map((colour, i, { length }) => [i / (length - 1), css(colour)]);

/** A colour scale from end to end, as CSS. @param {'share' | 'signed'} parts @param {Theme} theme */
export const gradient = (parts, theme) => `linear-gradient(90deg, ${RAMPS[theme][parts].map(css).join(', ')})`;

/**
 * What a picture is painted from. `form` writes the number of a cell, "" for none; `shown` is the part of the width that is painted yet,
 * from the left, over what was there before.
 * @typedef {object} Scene
 * @property {Numbers} numbers
 * @property {string[]} rows names of the rows
 * @property {string[]} columns names of the columns
 * @property {{low: number, high: number}} ends
 * @property {'share' | 'signed'} parts
 * @property {Theme} theme
 * @property {{row: number, column: number}} chosen
 * @property {(value: number) => string} form
 * @property {{ink: string, muted: string, accent: string, second: string, page: string}} colours
 * @property {[number, number] | null} band columns that are framed, from and to: a head's own
 * @property {number} [hidden] a row that is not to be seen yet
 */

/** @type {WeakMap<Float32Array, Map<string, HTMLCanvasElement>>} */
const pictures = new WeakMap();

/** The mean of the numbers of each of fewer cells. @param {Numbers} numbers @param {number} across @param {number} down */
function averaged({ values, shut, columns, rows: { length: rows } }, across, down) {
  const sums = new Float32Array(across * down), counts = new Uint32Array(across * down);
  values.forEach((value, i) => {
    if (shut?.[i] || !Number.isFinite(value)) return;
    const at = Math.floor(Math.floor(i / columns) * down / rows) * across + Math.floor(i % columns * across / columns);
    sums[at] += value;
    counts[at]++;
  });
  return sums.map((sum, i) => (counts[i] ? sum / counts[i] : NaN));
}

/**
 * The cells as one small picture, one pixel each, kept with their numbers; where there are fewer pixels than cells, each is the mean of those that fall into it.
 * @param {Scene} scene @param {number} wide @param {number} high pixels that there are
 */
function pixels({ numbers, ends, parts, theme }, wide, high) {
  const across = Math.max(1, Math.min(numbers.columns, Math.floor(wide))), down = Math.max(1, Math.min(numbers.rows.length, Math.floor(high)));
  const kept = pictures.get(numbers.values) ?? new Map();
  pictures.set(numbers.values, kept);
  const name = `${theme} ${across} ${down}`, known = kept.get(name);
  if (known) return known;
  const canvas = document.createElement('canvas');
  canvas.width = across;
  canvas.height = down;
  const pen = canvas.getContext('2d');
  if (!pen) return canvas;
  const image = pen.createImageData(canvas.width, canvas.height);
  const fewer = across < numbers.columns || down < numbers.rows.length, values = fewer ? averaged(numbers, across, down) : numbers.values;
  values.forEach((value, i) => image.data.set([...colourOf(!fewer && numbers.shut?.[i] ? NaN : value, ends, parts, theme), 255], 4 * i));
  pen.putImageData(image, 0, 0);
  if (kept.size > 4) kept.clear(); // of other windows
  kept.set(name, canvas);
  return canvas;
}

/** A name cut to fit, with the number that tells it from another one of that name. @param {CanvasRenderingContext2D} pen @param {string} name @param {number} room */
export function cut(pen, name, room) {
  if (pen.measureText(name).width <= room) return name;
  const number = / \(\d+\)$/.exec(name)?.[0] ?? '';
  let end = name.length - number.length - 1;
  while (end > 1 && pen.measureText(`${name.slice(0, end)}…${number}`).width > room) end--;
  return `${name.slice(0, end)}…${number}`;
}

/**
 * Paint a picture.
 * @param {CanvasRenderingContext2D} pen in pixels of the page
 * @param {Layout} laid
 * @param {Scene} scene
 * @param {string} font its family
 */
export function paint(pen, laid, scene, font) {
  const { numbers, chosen, colours } = scene, { rows, columns } = numbers;
  const right = laid.left + laid.wide * columns, bottom = laid.top + laid.high * rows.length;
  pen.clearRect(0, 0, laid.width, laid.height);
  pen.imageSmoothingEnabled = false;
  const ratio = pen.getTransform().a;
  pen.drawImage(pixels(scene, ratio * (right - laid.left), ratio * (bottom - laid.top)), laid.left, laid.top, right - laid.left, bottom - laid.top);
  pen.fillStyle = colours.page;
  if (laid.wide >= 10) for (let j = 1; j < columns; j++) pen.fillRect(laid.left + j * laid.wide - 0.5, laid.top, 1, bottom - laid.top);
  if (laid.high >= 10) for (let i = 1; i < rows.length; i++) pen.fillRect(laid.left, laid.top + i * laid.high - (numbers.names ? 0.5 : 1.5), right - laid.left, numbers.names ? 1 : 3);
  strike(pen, laid, scene);
  if (scene.hidden !== undefined) hatch(pen, laid, scene, scene.hidden);
  if (laid.text) {
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.font = `${laid.text}px ${font}`;
    for (let i = 0; i < rows.length; i++) {
      for (let j = 0; j < columns; j++) {
        const value = numbers.values[i * columns + j], shut = Boolean(numbers.shut?.[i * columns + j]);
        if ((shut && Number.isFinite(value)) || i === scene.hidden) continue;
        pen.fillStyle = inkOn(colourOf(shut ? NaN : value, scene.ends, scene.parts, scene.theme));
        pen.fillText(scene.form(value), laid.left + (j + 0.5) * laid.wide, laid.top + (i + 0.5) * laid.high + 0.5);
      }
    }
  }
  paintNames(pen, laid, scene, font);
  pen.lineWidth = 1.5;
  pen.strokeStyle = colours.accent;
  if (scene.band) pen.strokeRect(laid.left + scene.band[0] * laid.wide, laid.top - 3, (scene.band[1] - scene.band[0]) * laid.wide, bottom - laid.top + 4);
  pen.strokeRect(laid.left - 1, laid.top + chosen.row * laid.high, right - laid.left + 2, laid.high);
  pen.lineWidth = 2.5;
  pen.strokeStyle = colours.second;
  const wide = Math.max(laid.wide, 5);
  pen.strokeRect(laid.left + (chosen.column + 0.5) * laid.wide - wide / 2, laid.top + chosen.row * laid.high, wide, laid.high);
}

/** Stripes over a row that is not to be seen yet. @param {CanvasRenderingContext2D} pen @param {Layout} laid @param {Scene} scene @param {number} row */
function hatch(pen, laid, { numbers: { columns }, colours }, row) {
  const x = laid.left, y = laid.top + row * laid.high, width = laid.wide * columns;
  pen.save();
  pen.beginPath();
  pen.rect(x, y, width, laid.high);
  pen.clip();
  pen.fillStyle = colours.page;
  pen.fillRect(x, y, width, laid.high);
  pen.beginPath();
  for (let at = -laid.high; at < width; at += 8) {
    pen.moveTo(x + at, y + laid.high);
    pen.lineTo(x + at + laid.high, y);
  }
  pen.lineWidth = 3;
  pen.globalAlpha = 0.25;
  pen.strokeStyle = colours.muted;
  pen.stroke();
  pen.restore();
}

/** A stroke through each cell that is not looked at. @param {CanvasRenderingContext2D} pen @param {Layout} laid @param {Scene} scene */
function strike(pen, laid, { numbers: { shut, rows, columns }, colours }) {
  if (!shut || laid.wide < 6) return;
  pen.beginPath();
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < columns; j++) {
      if (!shut[i * columns + j]) continue;
      const { x, y, width, height } = boxOf(laid, i, j);
      pen.moveTo(x + 1, y + height - 1);
      pen.lineTo(x + width - 1, y + 1);
    }
  }
  pen.lineWidth = 1;
  pen.globalAlpha = 0.45;
  pen.strokeStyle = colours.muted;
  pen.stroke();
  pen.globalAlpha = 1;
}

/** The names along both sides; that of the chosen row and column always, the others where they have room. @param {CanvasRenderingContext2D} pen @param {Layout} laid @param {Scene} scene @param {string} font */
function paintNames(pen, laid, { numbers, rows, columns, chosen, colours }, font) {
  const size = `${laid.names}px ${font}`;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  rows.forEach((name, i) => {
    const is = i === chosen.row;
    if (!is && (i % laid.every.rows || (laid.every.rows > 1 && Math.abs(i - chosen.row) < laid.every.rows))) return;
    pen.font = is ? `600 ${size}` : size;
    pen.fillStyle = is ? colours.accent : colours.ink;
    pen.fillText(cut(pen, name, laid.left - 10), laid.left - 9, laid.top + (i + 0.5) * laid.high);
  });
  pen.textAlign = 'left';
  if (numbers.names) {
    columns.forEach((name, j) => {
      const is = j === chosen.column;
      if (!is && (j % laid.every.columns || (laid.every.columns > 1 && Math.abs(j - chosen.column) < laid.every.columns))) return;
      pen.save();
      pen.translate(laid.left + (j + 0.5) * laid.wide, laid.top - 6);
      pen.rotate(-Math.PI / 4);
      pen.font = is ? `600 ${size}` : size;
      pen.fillStyle = is ? colours.accent : colours.ink;
      pen.fillText(cut(pen, name, (laid.top - 14) / 0.72), 0, 0);
      pen.restore();
    });
    return;
  }
  pen.textAlign = 'center';
  pen.font = `12px ${font}`;
  pen.fillStyle = colours.muted;
  const shown = new Set();
  const near = 26 / laid.wide;
  for (let j = 0; j < numbers.columns; j += laid.every.columns) if (Math.abs(j - chosen.column) > near) shown.add(Math.round(j));
  for (const j of shown) pen.fillText(String(j), laid.left + (j + 0.5) * laid.wide, laid.top - 12);
  pen.font = `600 12px ${font}`;
  pen.fillStyle = colours.accent;
  pen.fillText(String(chosen.column), laid.left + (chosen.column + 0.5) * laid.wide, laid.top - 12);
}

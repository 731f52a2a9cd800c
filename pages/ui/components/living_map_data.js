// @ts-check
// What the map is drawn from: unpacking, weights in half percents, bands, and how a number is written. No page, no canvas.
import { percent, points, typeset } from '../../../encoder/browser/number.js';

/**
 * @typedef {Uint8Array | Float32Array} Numbers
 * @typedef {{ about: any, arrays: Record<string, { values: Numbers, shape: number[] }> }} Unpacked
 * @typedef {{ query: number, key: number, level: number, less?: boolean }} Band
 */

export const NONE = 255; // the level of what is no finite number

/** The header and the arrays of a packet: 4 bytes of the header's length, the header, the arrays. @param {Uint8Array} data @returns {Unpacked} */
export function unpack(data) {
  const length = new DataView(data.buffer, data.byteOffset, 4).getUint32(0, true);
  const about = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  /** @type {Unpacked['arrays']} */
  const arrays = {};
  for (const [name, [kind, shape, offset]] of Object.entries(about.arrays)) {
    const count = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const start = 4 + length + offset;
    const float = kind === '<f4';
    const raw = data.slice(start, start + count * (float ? 4 : 1)); // a copy, so that it begins at a whole float
    arrays[name] = { values: float ? new Float32Array(raw.buffer) : raw, shape };
  }
  return { about, arrays };
}

/** Half percents, rounded down, as whole percents, rounded to the nearest. @param {number} level */
export const wholePercent = level => (level + 1) >> 1;

/** A weight as it is written, in whole percents. @param {number} level half percents, rounded down: any weight that has this level is written so */
export const levelText = level => percent(level === NONE ? NaN : level < 200 ? (level + 0.5) / 200 : 1, 1);

/**
 * A signed level as a value: three digits are more than it holds, so "≈" stands before it, and the ends say "beyond".
 * @param {number} level
 * @param {number} scale
 */
export function signedText(level, scale) {
  if (level === NONE) return 'no finite number';
  const value = ((level - 127) / 127) * scale;
  const sign = value < 0 ? '\u2212' : '';
  const size = String(Number(Math.abs(value).toPrecision(2)));
  return level === 0 || level === 254 ? `${sign}${size} or beyond` : `\u2248 ${sign}${size}`;
}

/**
 * The bands of one layer whose weight is `least` percent or more, weak ones first.
 * @param {Numbers} levels [rows, rows], a row looks, a column is looked at
 * @param {number} rows
 * @param {number} least whole percents
 * @param {(query: number, key: number) => boolean} wanted
 * @returns {Band[]}
 */
export function bandsOf(levels, rows, least, wanted) {
  /** @type {Band[]} */
  const found = [];
  for (let query = 0; query < rows; query++) {
    for (let key = 0; key < rows; key++) {
      const level = levels[query * rows + key];
      if (level !== NONE && level >= 2 * least && level > 0 && wanted(query, key)) found.push({ query, key, level });
    }
  }
  return found.sort((a, b) => a.level - b.level);
}

/**
 * The same of differences, which are signed levels of `scale`: those of `least` percent or more, small ones first. Their level is
 * the size of the change in half percents; `less` where it is one downwards.
 * @param {Numbers} levels
 * @param {number} rows
 * @param {number} least
 * @param {(query: number, key: number) => boolean} wanted
 * @param {number} scale
 * @returns {Band[]}
 */
export function changesOf(levels, rows, least, wanted, scale) {
  const sizes = Float32Array.from(levels, level => (level === NONE ? 0 : Math.abs(level - 127) / 127) * scale * 200);
  /** @type {Band[]} */
  const found = [];
  for (let at = 0; at < rows * rows; at++) {
    const [query, key] = [Math.floor(at / rows), at % rows];
    if (sizes[at] > 0 && sizes[at] >= 2 * least && wanted(query, key)) found.push({ query, key, level: sizes[at], less: levels[at] < 127 });
  }
  return found.sort((a, b) => a.level - b.level);
}

/** What a band carries, as it is written; a change, in percentage points, with its sign. @param {Band} band @param {{ difference: boolean }} about */
export const bandText = (band, about) =>
  about.difference ? (band.less ? '' : '+') + typeset(points((band.less ? -1 : 1) * band.level / 200, 1)) : typeset(levelText(band.level));

/** What shares, or their changes, are counted in. @param {{ difference: boolean }} about */
export const unitOf = about => (about.difference ? 'points' : '%');

/**
 * The same stretch of an array for one index of its first dimensions.
 * @param {{ values: Numbers, shape: number[] }} array
 * @param {...number} index
 */
export function part(array, ...index) {
  const inner = array.shape.slice(index.length).reduce((a, b) => a * b, 1);
  let at = 0;
  index.forEach((i, d) => { at = at * array.shape[d] + i; });
  return array.values.subarray(at * inner, (at + 1) * inner);
}

/**
 * What a row of the picture is called: its token, or the stretch of tokens that share it.
 * @param {{ tokens: string[], every: number }} about
 * @param {number} row
 */
export function rowName(about, row) {
  const first = row * about.every;
  if (about.every === 1) return about.tokens[first];
  const last = Math.min(first + about.every, about.tokens.length) - 1;
  return `${about.tokens[first]} \u2026 ${about.tokens[last]}`;
}

/** Whether the picture is light or dark, from the page's own background ("rgb(13, 17, 24)"). @param {string} background */
export function isDark(background) {
  const [r = 255, g = 255, b = 255] = (background.match(/[\d.]+/g) || []).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

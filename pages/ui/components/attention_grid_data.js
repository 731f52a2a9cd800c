// @ts-check
// The numbers of the grid: products, the softmax done again, and how a number is written. No page, no canvas.
import { brief, percent, typeset } from '../../../encoder/browser/number.js';

/** @typedef {import('./living_map_data.js').Unpacked} Unpacked */
/** @typedef {Float32Array | Float64Array | Uint8Array} Values */
/** @typedef {{ step: string, operation: string, title: string, formula: string, changed: string }} Frame */
/**
 * What is drawn with one setting of the softmax: [rows, columns] for each step, and whole rows [rows, n] behind them.
 * @typedef {object} Numbers
 * @property {boolean} recorded whether all of it is what the run recorded
 * @property {Record<string, Values>} cells by the step's name: of "attention.scores", ..., "attention.weights"
 * @property {Values} masked whole rows
 * @property {Values} weights whole rows
 */

/** A number as it is set in the picture. @param {number} value @param {number} [digits] */
export const written = (value, digits = 3) => typeset(brief(value, digits));

/** A share as it is set in the picture. @param {number} share */
export const shareText = share => typeset(percent(share));

/**
 * How well two computations of a number agree, among numbers up to a size.
 * @param {number} difference
 * @param {number} size
 */
export function agreementText(difference, size) {
  if (difference === 0) return 'to the last bit';
  if (!(difference < 0.1 * size)) return '';
  return `to ${Math.floor(-Math.log10(difference / size))} digits`;
}

/**
 * Number by number the product of two vectors.
 * @param {Values} a
 * @param {Values} b
 */
export const products = (a, b) => Float64Array.from(a, (value, d) => value * b[d]);

/** @param {Iterable<number>} values */
export function total(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/**
 * One row from its scores to its weights: divided, masked, softmax.
 * @param {Values} scores
 * @param {Values} hidden 1 where a key may not be seen
 * @param {number} mask what stands there instead
 * @param {number} divisor
 */
export function softmaxRow(scores, hidden, mask, divisor) {
  const scaled = Float64Array.from(scores, score => score / divisor);
  const masked = scaled.map((value, j) => (hidden[j] ? mask : value));
  const top = masked.reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = masked.map(value => Math.exp(value - top));
  const sum = total(powers);
  return { scaled, masked, powers, sum, top, weights: powers.map(power => power / sum) };
}

/**
 * The weights of a row times the values [n, d], added up over the tokens.
 * @param {Values} weights
 * @param {Values} values
 * @param {number} size d
 */
export function weightedSum(weights, values, size) {
  const found = new Float64Array(size);
  weights.forEach((/** @type {number} */ weight, /** @type {number} */ j) => {
    for (let d = 0; d < size; d++) found[d] += weight * values[j * size + d];
  });
  return found;
}

/**
 * The columns that are drawn, of whole rows.
 * @param {Values} whole [rows, n]
 * @param {number} n
 * @param {[number, number]} columns
 */
export function cut(whole, n, [first, last]) {
  const found = new Float64Array((whole.length / n) * (last - first));
  for (let i = 0, at = 0; i < whole.length / n; i++) for (let j = first; j < last; j++) found[at++] = whole[i * n + j];
  return found;
}

/**
 * All numbers of the grid: as recorded, or computed again from the recorded scores.
 * @param {Unpacked} run
 * @param {number} heat the softmax takes every number divided by it
 * @param {boolean} scaled whether the scores are divided by the square root of d_head
 * @returns {Numbers}
 */
export function numbersOf({ about, arrays }, heat, scaled) {
  const n = about.tokens.length, columns = about.columns;
  const scores = arrays.scores.values, hidden = arrays.hidden.values;
  const recorded = heat === 1 && scaled;
  let masked = arrays.masked.values, weights = arrays.weights.values;
  /** @type {Values} */
  let divided = arrays.scaled.values;
  if (!recorded) {
    const all = new Float64Array(scores.length);
    masked = /** @type {any} */ (new Float64Array(scores.length));
    weights = /** @type {any} */ (new Float64Array(scores.length));
    const divisor = (scaled ? Math.sqrt(about.root) : 1) * heat;
    for (let at = 0; at < scores.length; at += n) {
      const row = softmaxRow(scores.subarray(at, at + n), hidden.subarray(at, at + n), about.mask ?? -Infinity, divisor);
      all.set(row.scaled, at);
      masked.set(row.masked, at);
      weights.set(row.weights, at);
    }
    divided = cut(all, n, columns);
  }
  return {
    recorded, masked, weights,
    cells: {
      'attention.scores': cut(scores, n, columns), 'attention.scaled': divided,
      'attention.masked': cut(masked, n, columns), 'attention.weights': cut(weights, n, columns),
    },
  };
}

/**
 * The end of the colour scale of a step: the largest size among what is not masked.
 * @param {Values} cells
 * @param {Values} hidden of the same cells; all of them count where a step is not masked yet
 * @param {boolean} masked
 */
export function largest(cells, hidden, masked) {
  let found = 0;
  cells.forEach((/** @type {number} */ value, /** @type {number} */ c) => {
    if (Number.isFinite(value) && !(masked && hidden[c])) found = Math.max(found, Math.abs(value));
  });
  return found || 1;
}

/**
 * The square root that the scores are divided by: "8", or "√24".
 * @param {number} size d_head, or more where several scores are added
 */
export const rootText = size => (Number.isInteger(Math.sqrt(size)) ? String(Math.sqrt(size)) : `\u221a${size}`);

/**
 * What happens to one pair in one frame, in a plain sentence with its numbers; the names are in quotation marks already.
 * @param {string} operation
 * @param {{ query: string, key: string, score: number, scaled: number, masked: number, weight: number, hidden: boolean,
 *   hiddenKeys: number, size: number, root: number, total?: number, divided: boolean, heat: number, top: { name: string, weight: number }[] }} pair
 */
export function sentenceOf(operation, pair) {
  const names = `${pair.query} and ${pair.key}`;
  if (operation === 'dot') return `${names}: the ${pair.size} products of query and key add up to ${written(pair.score)}.`;
  if (operation === 'unscale') {
    const by = [...(pair.divided ? [rootText(pair.root)] : []), ...(pair.heat === 1 ? [] : [written(pair.heat)])];
    return by.length
      ? `${names}: ${[pair.total === undefined ? written(pair.score) : `(${written(pair.score)} + ${written(pair.total - pair.score)} for the distance)`, ...by].join(' / ')} = ${written(pair.scaled)}.`
      : `${names}: ${written(pair.score)} is not divided by the square root of ${pair.root}, and stays ${written(pair.scaled)}.`;
  }
  if (operation === 'mask') {
    if (pair.hidden) return `${pair.key} may not be seen: ${written(pair.scaled)} becomes ${written(pair.masked)}.`;
    const others = pair.hiddenKeys === 1 ? '1 token is' : `${pair.hiddenKeys} tokens are`;
    const why = pair.hiddenKeys ? `${others} hidden from ${pair.query}, but not ${pair.key}` : `Nothing is hidden from ${pair.query}`;
    return `${why}: ${written(pair.scaled)} stays ${written(pair.masked)}.`;
  }
  if (operation === 'softmax') return `${pair.query} gives ${shareText(pair.weight)} of its attention to ${pair.key}.`;
  const parts = pair.top.map(one => `${shareText(one.weight)} of the value of ${one.name}`);
  return `${pair.query} takes ${parts.join(', ')}: all values times their weights, added up, are its row of Z.`;
}

// @ts-check
// What a word is answered: which weights, in which order heads stand, and how it is said. No page, no canvas.
import { NONE, levelText, part } from './living_map_data.js';

/**
 * @typedef {import('./living_map_data.js').Numbers} Numbers
 * @typedef {'from' | 'to'} Way where a word looks, or who looks at it
 * @typedef {{ word: number, second: number, way: Way, layer: number, head: number }} Question words by their number, -1 for none
 * @typedef {{ row: Numbers[], parked: Numbers, best: Numbers }} Answers of every head: levels of each word, of what is left out, and the best word
 */

/**
 * The column of a matrix.
 * @param {Numbers} matrix [m, m]
 * @param {number} m
 * @param {number} column
 */
export const columnOf = (matrix, m, column) => Uint8Array.from({ length: m }, (_, i) => matrix[i * m + column]);

/**
 * What every head answers to a word, from all weights.
 * @param {import('./living_map_data.js').Unpacked} run
 * @param {number} word
 * @param {Way} way
 * @returns {Answers}
 */
export function answersOf({ about, arrays }, word, way) {
  const m = about.names.length;
  const row = Array.from({ length: about.layers * about.heads }, (_, h) =>
    way === 'from' ? part(arrays.weights, h, word) : columnOf(part(arrays.weights, h), m, word));
  return { row, parked: part(arrays.parked, word), best: part(arrays[`best_${way}`], word) };
}

/**
 * How strongly a head answers, and with which word: that of the pair where a second word is asked, else its best one.
 * @param {Answers} answers
 * @param {number} second
 * @param {number} head counted through all layers
 */
export function strength(answers, second, head) {
  const word = second >= 0 ? second : answers.best[head];
  return { word, level: word >= 0 ? answers.row[head][word] : NONE };
}

/**
 * The heads by how strongly they answer, the strongest first; those that answer alike stay in the order of the layers.
 * @param {Answers} answers
 * @param {number} second
 * @returns {number[]}
 */
export function ordered(answers, second) {
  const size = answers.row.map((_, head) => strength(answers, second, head).level).map(level => (level === NONE ? -1 : level));
  return size.map((_, head) => head).sort((a, b) => size[b] - size[a] || a - b);
}

/**
 * What one head answers, in one sentence.
 * @param {{ called: string[], drawn: number[], heads: number }} about
 * @param {Question} question
 * @param {Answers} answers
 */
export function sentence(about, { word, second, way, layer, head }, answers) {
  const h = layer * about.heads + head;
  const where = `in layer ${layer}, head ${head}`;
  const found = strength(answers, second, h);
  const one = about.called[word];
  if (found.word < 0) return about.drawn.length < 2 ? `There is no word but ${one}.` : `There is no number ${where}.`;
  const other = about.called[found.word];
  const share = levelText(found.level);
  if (second >= 0) {
    const [looks, seen] = way === 'from' ? [one, other] : [other, one];
    return `${looks} looks at ${seen} with ${share} of its attention, ${where}.`;
  }
  if (way === 'from') return `${one} looks most at ${other}: ${share}, ${where}.`;
  return `${one} is looked at most by ${other}, which gives it ${share} of its attention, ${where}.`;
}

/**
 * An arc from one point to another: over the words of a line, or down to another line.
 * @param {{ x: number, y: number }} a
 * @param {{ x: number, y: number }} b
 */
export function arc(a, b) {
  const rise = Math.min(58, 16 + 0.16 * Math.abs(b.x - a.x));
  return `M${a.x.toFixed(1)} ${a.y.toFixed(1)}C${a.x.toFixed(1)} ${(a.y - rise).toFixed(1)} ${b.x.toFixed(1)} ${(b.y - rise).toFixed(1)} ${b.x.toFixed(1)} ${b.y.toFixed(1)}`;
}

/**
 * The levels of the small map of a head, of the words that are drawn alone.
 * @param {import('./living_map_data.js').Unpacked} run
 * @param {number} head counted through all layers
 */
export function mapOf({ about, arrays }, head) {
  if (arrays.maps) return { side: arrays.maps.shape[2], levels: Array.from(part(arrays.maps, head)) };
  const m = about.names.length;
  const all = part(arrays.weights, head);
  return { side: about.drawn.length, levels: about.drawn.flatMap((/** @type {number} */ i) => about.drawn.map((/** @type {number} */ j) => all[i * m + j])) };
}

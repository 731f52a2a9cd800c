// @ts-check
// What a layer does beside attention, read from its packet (level 3), and done again number by number. No page.
import { at, row } from './packet.js';
import { digitsOf } from './row.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./packet.js').Numbers} Numbers */
/** @typedef {'layer_norm' | 'std_norm' | 'rms_norm' | 'none'} Kind */
/** What a header of level 3 says beside the layer. @typedef {{layer: number, rows: number[], pre_norm: boolean, sums: Record<string, {kind: Kind, eps: number}>, units: {activation: string, title: string, cuts: boolean, gated: boolean, never: number}}} AboutBlock */
/** A number done again: `terms` are what it was made of, `digits` to how many it agrees with the run's own. @typedef {{terms: Record<string, number>, made: number, recorded: number, digits: number, agrees: boolean}} Redone */

const ROUNDING = 2 ** -22; // of sums in float32, for each unit of size
export const SUMS = /** @type {const} */ (['add_norm_1', 'add_norm_2']);
export const ADDS = ['attention', 'feed-forward']; // what is added before each norm

/** @param {Packet} block @returns {AboutBlock} */
export const aboutBlock = block => /** @type {AboutBlock} */ (/** @type {unknown} */ (block.about));

/** Half of the step in which an array was sent: no number is farther than this from the run's own. @param {Numbers} array */
const half = array => (array.type === 'f32' ? 0 : array.scale / 2);

/** The array of a sum, which is 0 or 1. @param {Packet} block @param {string} name @param {number} sum */
const arrayOf = (block, name, sum) => block.arrays[`${name}_${sum + 1}`];

/** A token's vector: what came in ("residual"), what is "added", the "sum", "normalized", and what the norm gave ("normed"). @param {Packet} block @param {string} name @param {number} sum @param {number} i its place among the rows that are kept */
export const vectorOf = (block, name, sum, i) => row(arrayOf(block, name, sum) ?? arrayOf(block, 'normed', sum), i);

/** The length of a token's vector, of any token. @param {Packet} block @param {string} name @param {number} sum @param {number} position */
export const lengthOf = (block, name, sum, position) => at(arrayOf(block, `${name}_length`, sum) ?? arrayOf(block, 'normed_length', sum), position);

/** What a norm reads: the sum, or before it what came in. @param {Packet} block */
export const readBy = block => (aboutBlock(block).pre_norm ? 'residual' : 'sum');

/** @param {Packet} block @param {number} sum */
export const normOf = (block, sum) => aboutBlock(block).sums[SUMS[sum]];

/** What a norm knows of a token and of a dimension. @param {Packet} block @param {number} sum @param {number} position @param {number} d */
export function operandsOf(block, sum, position, d) {
  const of = (/** @type {string} */ name, /** @type {number} */ place) => (arrayOf(block, name, sum) ? at(arrayOf(block, name, sum), place) : NaN);
  const { kind, eps } = normOf(block, sum);
  return {
    kind, eps, mean: kind === 'rms_norm' ? 0 : of('mean', position), variance: of(kind === 'rms_norm' ? 'mean_square' : 'variance', position),
    gamma: of('gamma', d), beta: arrayOf(block, 'beta', sum) ? of('beta', d) : NaN,
  };
}

/** What the rest of a token's numbers is divided by. @param {{kind: Kind, eps: number, variance: number}} norm */
export const spreadOf = ({ kind, eps, variance }) => (kind === 'std_norm' ? Math.sqrt(variance) + eps : Math.sqrt(variance + eps));

/** @param {number} made @param {number} recorded @param {number} within */
const held = (made, recorded, within) => ({
  made, recorded, digits: digitsOf(made, recorded), agrees: made === recorded || (Number.isNaN(recorded) ? !Number.isFinite(made) : Math.abs(made - recorded) <= within),
});

/** A number of a norm, done again. @param {Packet} block @param {number} sum @param {number} i @param {number} d @returns {Redone} */
export function normAgain(block, sum, i, d) {
  const into = arrayOf(block, readBy(block), sum), out = arrayOf(block, 'normed', sum), x = at(into, i, d);
  const norm = operandsOf(block, sum, aboutBlock(block).rows[i], d), { mean, gamma, variance } = norm;
  const beta = Number.isNaN(norm.beta) ? 0 : norm.beta;
  if (norm.kind === 'none') return { terms: { x }, ...held(x, at(out, i, d), half(into) + half(out) + ROUNDING) };
  const spread = spreadOf(norm), made = (x - mean) / spread * gamma + beta;
  const within = half(into) / spread * Math.abs(gamma) + half(out) + 4 * ROUNDING * (1 + Math.abs(beta) + (Math.abs(x) + Math.abs(mean)) / spread * Math.abs(gamma));
  return { terms: { x, mean, variance, gamma, beta: norm.beta, spread }, ...held(made, at(out, i, d), within) };
}

/** A number of a sum, done again. @param {Packet} block @param {number} sum @param {number} i @param {number} d @returns {Redone} */
export function sumAgain(block, sum, i, d) {
  const [residual, added, whole] = ['residual', 'added', 'sum'].map(name => arrayOf(block, name, sum));
  const terms = { residual: at(residual, i, d), added: at(added, i, d) };
  const within = half(residual) + half(added) + half(whole) + ROUNDING * (1 + Math.abs(terms.residual) + Math.abs(terms.added));
  return { terms, ...held(terms.residual + terms.added, at(whole, i, d), within) };
}

/** How many of a token's numbers do not agree when they are done again. @param {(block: Packet, sum: number, i: number, d: number) => Redone} again @param {Packet} block @param {number} sum @param {number} i */
export function wrongOf(again, block, sum, i) {
  const { shape } = arrayOf(block, 'sum', sum);
  let count = 0;
  for (let d = 0; d < shape[1]; d++) if (!again(block, sum, i, d).agrees) count++;
  return count;
}

/** Mean, variance and length of numbers. @param {ArrayLike<number>} values */
export function momentsOf(values) {
  const n = values.length;
  let sum = 0, squares = 0, apart = 0;
  for (let d = 0; d < n; d++) { sum += values[d]; squares += values[d] ** 2; }
  for (let d = 0; d < n; d++) apart += (values[d] - sum / n) ** 2;
  return { mean: sum / n, variance: apart / n, square: squares / n, length: Math.sqrt(squares) };
}

/** The cosine of two vectors. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function cosineOf(a, b) {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum / (momentsOf(a).length * momentsOf(b).length);
}

/** The share of a normal distribution below a number, from its series. @param {number} x */
function below(x) {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0;
  let term = x, sum = x;
  for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && k < 200; k++) {
    term *= x * x / (2 * k + 1);
    sum += term;
  }
  return 0.5 + sum * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
}

/** The activations, by their names in a configuration. @type {Record<string, (x: number) => number>} */
export const ACTIVATIONS = {
  relu: x => Math.max(0, x),
  gelu: x => x * below(x),
  gelu_tanh: x => x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  silu: x => x / (1 + Math.exp(-x)),
};

/** What a unit does with its number: before and after the activation, and behind the gate where there is one. @param {Packet} block @param {number} i @param {number} unit */
export function unitOf(block, i, unit) {
  const { hidden, activation, up, gated } = block.arrays;
  return { before: at(hidden, i, unit), after: at(activation, i, unit), up: up ? at(up, i, unit) : NaN, gated: gated ? at(gated, i, unit) : NaN };
}

/** A unit's activation, done again. @param {Packet} block @param {number} i @param {number} unit @returns {Redone} */
export function activationAgain(block, i, unit) {
  const { hidden, activation } = block.arrays, bend = ACTIVATIONS[aboutBlock(block).units.activation], before = at(hidden, i, unit);
  return { terms: { before }, ...held(bend(before), at(activation, i, unit), 1.2 * half(hidden) + half(activation) + ROUNDING * (1 + Math.abs(before))) };
}

/** A unit's activation times its gate, done again. @param {Packet} block @param {number} i @param {number} unit @returns {Redone} */
export function gateAgain(block, i, unit) {
  const { activation, up, gated } = block.arrays, after = at(activation, i, unit), gate = at(up, i, unit);
  const within = half(activation) * Math.abs(gate) + half(up) * Math.abs(after) + half(activation) * half(up) + half(gated) + ROUNDING * (1 + Math.abs(after * gate));
  return { terms: { after, gate }, ...held(after * gate, at(gated, i, unit), within) };
}

/** What a unit hands on, at each place of a row: after the activation, or behind the gate. @param {Packet} block */
export const handedOn = block => block.arrays.gated ?? block.arrays.activation;

/** The units that do most for a token, the strongest first; behind a gate of either sign. @param {Packet} block @param {number} i @param {number} most @returns {number[]} */
export function strongest(block, i, most) {
  const values = row(handedOn(block), i), gated = Boolean(block.arrays.gated);
  const size = (/** @type {number} */ unit) => (Number.isNaN(values[unit]) ? -Infinity : gated ? Math.abs(values[unit]) : values[unit]);
  return Array.from(values, (_, unit) => unit).sort((a, b) => size(b) - size(a) || a - b).slice(0, most);
}

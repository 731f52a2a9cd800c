// @ts-check
// What a layer does beside attention, read from its packet (level 3), and done again number by number. No page.
import { at, row } from './packet.js';
import { digitsOf, lengthOf as size, product } from './row.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {'layer_norm' | 'std_norm' | 'rms_norm' | 'none'} Kind */
/** What a header of level 3 says beside the layer; `reads` is how many tokens an answer is read from. @typedef {{layer: number, rows: number[], pre_norm: boolean, sums: Record<string, {kind: Kind, eps: number}>, final_norm: boolean, leads: [position: number, word: string, over: string][], reads: number, units: {activation: string, title: string, cuts: boolean, gated: boolean}}} AboutBlock */
/** What a header of level 11 says: which units' weights it holds, and sentences in which the one that was asked about fires. @typedef {{units: number[], contexts: [before: string, word: string, after: string][]}} AboutWeights */
/** A number done again: `terms` are what it was made of, `digits` to how many it agrees with the run's own. @typedef {{terms: Record<string, number>, made: number, recorded: number, digits: number, agrees: boolean}} Redone */

const ROUNDING = 2 ** -22; // of sums in float32, for each unit of size
export const SUMS = /** @type {const} */ (['add_norm_1', 'add_norm_2']);
export const ADDS = ['attention', 'feed-forward']; // what is added before each norm

/** Which sum a step means: that after attention where it means none. What leaves the layer is the second one. @param {string} step */
export const sumOf = step => Number(step === 'output' || step.startsWith('add_norm_2'));

/** @param {Packet} block @returns {AboutBlock} */
export const aboutBlock = block => /** @type {AboutBlock} */ (/** @type {unknown} */ (block.about));

/** What a row of an array is worth: each is sent in shares of its largest. @param {Packet} block @param {string} name @param {number} i */
const peakOf = (block, name, i) => (block.arrays[peak(name)] ? at(block.arrays[peak(name)], i) : 1);
const peak = (/** @type {string} */ name) => name.replace(/(_[12])?$/, '_peak$1');

/** The numbers of a row. @param {Packet} block @param {string} name @param {number} i */
export function valuesOf(block, name, i) {
  const size = peakOf(block, name, i);
  return row(block.arrays[name], i).map(value => value * size);
}
/** A number of a row. @param {Packet} block @param {string} name @param {number} i @param {number} d */
export const valueOf = (block, name, i, d) => at(block.arrays[name], i, d) * peakOf(block, name, i);

/** Half of the step in which a row was sent: no number of it is farther than this from the run's own. @param {Packet} block @param {string} name @param {number} i */
export const half = (block, name, i) => (block.arrays[name].type === 'f32' ? 0 : block.arrays[name].scale / 2 * peakOf(block, name, i));

/** The name of an array of a sum, which is 0 or 1. @param {string} name @param {number} sum */
const called = (name, sum) => `${name}_${sum + 1}`;
/** @param {Packet} block @param {string} name @param {number} sum */
const arrayOf = (block, name, sum) => block.arrays[called(name, sum)];

/** A token's vector: what came in ("residual"), what is "added", the "sum", "normalized", and what the norm gave ("normed"). @param {Packet} block @param {string} name @param {number} sum @param {number} i its place among the rows that are kept */
export const vectorOf = (block, name, sum, i) => valuesOf(block, nameOf(block, name, sum), i);

/** The length of a token's vector, of any token. @param {Packet} block @param {string} name @param {number} sum @param {number} position */
export const lengthOf = (block, name, sum, position) => at(arrayOf(block, `${name}_length`, sum) ?? arrayOf(block, 'normed_length', sum), position);

/** The name of an array that holds a token's vector. @param {Packet} block @param {string} name @param {number} sum */
const nameOf = (block, name, sum) => called(arrayOf(block, name, sum) ? name : 'normed', sum);

/** How far a number of a token's vector may be from the run's own. @param {Packet} block @param {string} name @param {number} sum @param {number} i */
export const withinOf = (block, name, sum, i) => half(block, nameOf(block, name, sum), i);

/** Mean, variance, mean square and length of a token's vector, as the run has them. @param {Packet} block @param {string} name @param {number} sum @param {number} position */
export function momentsOf(block, name, sum, position) {
  const of = arrayOf(block, `${name}_moments`, sum) ?? arrayOf(block, 'normed_moments', sum), [mean, variance] = [at(of, position, 0), at(of, position, 1)];
  return { mean, variance, square: variance + mean ** 2, length: lengthOf(block, name, sum, position) };
}

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

/** To how many digits a number that was done again agrees, in words. @param {number} digits */
export const digitsSaid = digits => (digits < 1 ? 'as far as it was sent' : `to ${digits} ${digits === 1 ? 'digit' : 'digits'}`);

/** @param {number} made @param {number} recorded @param {number} within */
const held = (made, recorded, within) => ({
  made, recorded, digits: digitsOf(made, recorded), agrees: made === recorded || (Number.isNaN(recorded) ? !Number.isFinite(made) : Math.abs(made - recorded) <= within),
});

/** What a norm makes of a number. @param {{kind: Kind, eps: number, mean: number, variance: number, gamma: number, beta: number}} norm @param {number} x */
export const normed = (norm, x) => (x - norm.mean) / spreadOf(norm) * norm.gamma + (Number.isNaN(norm.beta) ? 0 : norm.beta);

/** A number of a norm, done again. @param {Packet} block @param {number} sum @param {number} i @param {number} d @returns {Redone} */
export function normAgain(block, sum, i, d) {
  const into = called(readBy(block), sum), out = called('normed', sum), x = valueOf(block, into, i, d), recorded = valueOf(block, out, i, d);
  const norm = operandsOf(block, sum, aboutBlock(block).rows[i], d), { mean, gamma, variance } = norm, [near, far] = [half(block, into, i), half(block, out, i)];
  const beta = Number.isNaN(norm.beta) ? 0 : norm.beta;
  if (norm.kind === 'none') return { terms: { x }, ...held(x, recorded, near + far + ROUNDING * (1 + Math.abs(x))) };
  const spread = spreadOf(norm), made = normed(norm, x);
  const within = near / spread * Math.abs(gamma) + far + 4 * ROUNDING * (1 + Math.abs(beta) + (Math.abs(x) + Math.abs(mean)) / spread * Math.abs(gamma));
  return { terms: { x, mean, variance, gamma, beta: norm.beta, spread }, ...held(made, recorded, within) };
}

/** A number of a sum, done again. @param {Packet} block @param {number} sum @param {number} i @param {number} d @returns {Redone} */
export function sumAgain(block, sum, i, d) {
  const names = ['residual', 'added', 'sum'].map(name => called(name, sum)), [residual, added, whole] = names.map(name => valueOf(block, name, i, d));
  const within = names.reduce((all, name) => all + half(block, name, i), 0) + ROUNDING * (1 + Math.abs(residual) + Math.abs(added));
  return { terms: { residual, added }, ...held(residual + added, whole, within) };
}

/** A vector's length in parts: how far what was `kept`, what was `added` and the norm's `beta` each reach along it; `rest` is what a change of the run made. Together they are `whole`. @typedef {{kept: number, added: number, beta: number, rest: number, whole: number}} Along */

/**
 * The parts of a token's sum, or of what the norm made of it: a norm is linear where its spread is held, so each part goes through it alone.
 * @param {Packet} block @param {'sum' | 'normed'} name @param {number} sum @param {number} i @returns {Along}
 */
export function partsAlong(block, name, sum, i) {
  const vector = vectorOf(block, name, sum, i), whole = size(vector), { pre_norm: before, rows } = aboutBlock(block), norm = operandsOf(block, sum, rows[i], 0);
  const reach = (/** @type {ArrayLike<number>} */ values) => (whole === 0 ? 0 : product(values, vector) / whole);
  const through = name === 'normed' && norm.kind !== 'none', spread = through ? spreadOf(norm) : 1, gamma = through ? row(arrayOf(block, 'gamma', sum)) : [];
  const part = (/** @type {string} */ of) => {
    const mean = through && norm.kind !== 'rms_norm' ? momentsOf(block, of, sum, rows[i]).mean : 0;
    return reach(vectorOf(block, of, sum, i).map((value, d) => (value - mean) / spread * (gamma[d] ?? 1)));
  };
  const kept = part('residual'), added = name === 'normed' && before ? 0 : part('added'), beta = through && arrayOf(block, 'beta', sum) ? reach(row(arrayOf(block, 'beta', sum))) : 0;
  return { kept, added, beta, rest: whole - kept - added - beta, whole };
}

/** How many of a token's numbers do not agree when they are done again. @param {(block: Packet, sum: number, i: number, d: number) => Redone} again @param {Packet} block @param {number} sum @param {number} i */
export function wrongOf(again, block, sum, i) {
  const { shape } = arrayOf(block, 'sum', sum);
  let count = 0;
  for (let d = 0; d < shape[1]; d++) if (!again(block, sum, i, d).agrees) count++;
  return count;
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

/** What an activation does with a number, as it is written: in letters, where the numbers alone do not say it, and in numbers. @type {Record<string, {formula: string, line: (x: string, y: string) => string}>} */
export const ACTIVATIONS_WRITTEN = {
  relu: { formula: '', line: (x, y) => `max(0, ${x}) = ${y}` },
  gelu: { formula: 'x · Φ(x) = y, Φ the share of a normal distribution below x', line: (x, y) => `${x} · Φ(${x}) = ${y}` },
  gelu_tanh: { formula: 'x / 2 · (1 + tanh(√(2 / π) (x + 0.044715 x³))) = y', line: (x, y) => `GELU(${x}) = ${y}` },
  silu: { formula: 'x · σ(x) = x / (1 + e^−x) = y', line: (x, y) => `${x} · σ(${x}) = ${y}` },
};

/** What a unit does with its number: before and after the activation, and behind the gate where there is one. @param {Packet} block @param {number} i @param {number} unit */
export function unitOf(block, i, unit) {
  const of = (/** @type {string} */ name) => (block.arrays[name] ? valueOf(block, name, i, unit) : NaN);
  return { before: of('hidden'), after: of('activation'), up: of('up'), gated: of('gated') };
}

/** A unit's activation, done again. @param {Packet} block @param {number} i @param {number} unit @returns {Redone} */
export function activationAgain(block, i, unit) {
  const before = valueOf(block, 'hidden', i, unit), made = ACTIVATIONS[aboutBlock(block).units.activation](before);
  return { terms: { before }, ...held(made, valueOf(block, 'activation', i, unit), 1.2 * half(block, 'hidden', i) + half(block, 'activation', i) + 4 * ROUNDING * (1 + Math.abs(before))) };
}

/** A unit's activation times its gate, done again. @param {Packet} block @param {number} i @param {number} unit @returns {Redone} */
export function gateAgain(block, i, unit) {
  const { after, up: gate, gated } = unitOf(block, i, unit), [one, two, whole] = ['activation', 'up', 'gated'].map(name => half(block, name, i));
  const within = one * Math.abs(gate) + two * Math.abs(after) + one * two + whole + 4 * ROUNDING * (1 + Math.abs(after * gate));
  return { terms: { after, gate }, ...held(after * gate, gated, within) };
}

/** What of a unit goes on: after the activation, or behind the gate. @param {Packet} block */
export const handedOn = block => (block.arrays.gated ? 'gated' : 'activation');

/** The units that do most for a token, the strongest first; behind a gate of either sign. @param {Packet} block @param {number} i @param {number} most @returns {number[]} */
export function strongest(block, i, most) {
  const values = valuesOf(block, handedOn(block), i), gated = Boolean(block.arrays.gated);
  const size = (/** @type {number} */ unit) => (Number.isNaN(values[unit]) ? -Infinity : gated ? Math.abs(values[unit]) : values[unit]);
  return Array.from(values, (_, unit) => unit).sort((a, b) => size(b) - size(a) || a - b).slice(0, most);
}

/** What feed-forward reads: the name of the vector of its sum. @param {Packet} block */
const readName = block => (aboutBlock(block).pre_norm ? 'normed' : 'residual');

/** @param {Packet} weights @returns {AboutWeights} */
export const aboutWeights = weights => /** @type {AboutWeights} */ (/** @type {unknown} */ (weights.about));

/** A unit's number before the activation, done again from what comes in, `x`, its weights `w` and, where there is one, its bias; with a gate also that. @param {Packet} block @param {Packet} weights @param {number} i @param {number} unit @param {'hidden' | 'up'} [name] */
export function unitAgain(block, weights, i, unit, name = 'hidden') {
  const k = aboutWeights(weights).units.indexOf(unit), x = vectorOf(block, readName(block), 1, i), w = valuesOf(weights, `into_${name}`, k), biases = weights.arrays[`bias_${name}`];
  const products = x.map((value, d) => value * w[d]), total = products.reduce((sum, one) => sum + one, 0), bias = biases ? at(biases, k) : NaN;
  const [near, far] = [withinOf(block, readName(block), 1, i), half(weights, `into_${name}`, k)], sizes = (/** @type {Float32Array} */ values) => values.reduce((sum, one) => sum + Math.abs(one), 0);
  const within = near * sizes(w) + far * sizes(x) + x.length * near * far + half(block, name, i) + ROUNDING * (1 + sizes(products) + Math.abs(bias || 0));
  return { x, w, products, total, bias, off: [near, far], ...held(total + (bias || 0), valueOf(block, name, i, unit), within) };
}

/** What a unit writes: its value times its row of W_2. @param {Packet} block @param {Packet} weights @param {number} i @param {number} unit */
export function writtenBy(block, weights, i, unit) {
  const value = valueOf(block, handedOn(block), i, unit);
  return valuesOf(weights, 'out', aboutWeights(weights).units.indexOf(unit)).map(one => one * value);
}

/** What each unit of a token adds to the lead of the answer that is read from it over the next one, and all with the bias; null where no answer is that means something. @param {Packet} block @param {number} position */
export function addsAt(block, position) {
  const { leads } = aboutBlock(block), k = leads.findIndex(([own]) => own === position);
  if (k < 0) return null;
  return { word: leads[k][1], over: leads[k][2], values: valuesOf(block, 'adds', k), within: half(block, 'adds', k), total: at(block.arrays.adds_total, k) };
}

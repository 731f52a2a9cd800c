// The sums, norms and units of a layer made by hand: what is done again, what a length is made of, what is strongest.
import assert from 'node:assert/strict';
import test from 'node:test';
import { drawnAt, isOfUnits, stopOf, STOPS, sumsAt, tellingAt } from '../../encoder/browser/unit_stops.js';
import { ACTIVATIONS, activationAgain, addsAt, gateAgain, momentsOf, normAgain, partsAlong, strongest, sumAgain, sumOf, unitAgain, unitOf, writtenBy, wrongOf } from '../../encoder/browser/block.js';
import { addingUp } from '../../encoder/browser/number.js';

const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const f32 = (shape, ...values) => ({ values: Float32Array.from(values), shape, scale: 1, type: 'f32' });
const i16 = (shape, ...values) => ({ values: Int16Array.from(values.map(value => Math.round(value * 32767))), shape, scale: 1 / 32767, type: 'i16' });

/** Two tokens of two numbers; the second token's are a hundred times the first's. */
function made({ kind = 'layer_norm', normed, change = 0, up = null }) {
  const arrays = {
    residual_1: i16([2, 2], 1, 0.5, 1, 0.5), residual_peak_1: f32([2], 2, 200), added_1: i16([2, 2], 1, 0, 1, 0), added_peak_1: f32([2], 2, 200),
    sum_1: i16([2, 2], 1, 0.25 + change, 1, 0.25), sum_peak_1: f32([2], 4, 400), normed_1: i16([2, 2], ...normed.map(one => one / 10), 0, 0), normed_peak_1: f32([2], 10, 10),
    mean_1: f32([2], 2.5, 250), variance_1: f32([2], 2.25, 22500), mean_square_1: f32([2], 8.5, 85000), gamma_1: f32([2], 2, 3), beta_1: f32([2], 0.5, -1),
    hidden: i16([1, 3], -1, 0.5, 0.25), hidden_peak: f32([1], 4), activation: i16([1, 3], 0, 1, 0.5), activation_peak: f32([1], 2),
    ...(up && { up: i16([1, 3], 1, ...up), up_peak: f32([1], 8), gated: i16([1, 3], 0, 1, -0.5), gated_peak: f32([1], 8) }),
  };
  return { level: 3, about: { layer: 0, rows: [0, 1], pre_norm: false, sums: { add_norm_1: { kind, eps: 0 } }, units: { activation: 'relu', cuts: true, gated: Boolean(up) } }, arrays };
}

test('a sum is what came in and what is added, of short and long tokens alike', () => {
  const block = made({ normed: [2.5, -4] });
  near(sumAgain(block, 0, 0, 0).made, 4, 1e-3);
  near(sumAgain(block, 0, 1, 1).made, 100, 0.1);
  assert.equal(wrongOf(sumAgain, block, 0, 0), 0);
  assert.equal(wrongOf(sumAgain, made({ normed: [2.5, -4], change: 0.01 }), 0, 0), 1);
});

test('a norm takes the mean off, divides by the spread, scales and moves', () => {
  const done = normAgain(made({ normed: [2.5, -4] }), 0, 0, 1);
  near(done.made, -4, 1e-3); // (1 - 2.5) / 1.5 * 3 - 1
  assert.ok(done.agrees && done.digits >= 3);
  assert.equal(wrongOf(normAgain, made({ normed: [2.5, -4] }), 0, 0), 0);
  assert.equal(wrongOf(normAgain, made({ normed: [2.5, -4.1] }), 0, 0), 1);
});

test('RMSNorm takes no mean off, and where no norm stands the numbers stay', () => {
  const root = Math.sqrt(8.5);
  near(normAgain(made({ kind: 'rms_norm', normed: [4 / root * 2 + 0.5, 1 / root * 3 - 1] }), 0, 0, 0).made, 4 / root * 2 + 0.5, 1e-3);
  assert.equal(wrongOf(normAgain, made({ kind: 'none', normed: [4, 1] }), 0, 0), 0);
});

test('moments and lengths are those of the run', () => {
  const arrays = { residual_length_1: f32([2], 5, 1), residual_moments_1: f32([2, 2], 3.5, 0.25, 0, 1) };
  assert.deepEqual(momentsOf({ arrays }, 'residual', 0, 0), { mean: 3.5, variance: 0.25, square: 12.5, length: 5 });
});

test('what was kept and what was added make the length of the sum, and go through the norm each for itself', () => {
  const block = made({ normed: [2.5, -4] });
  Object.assign(block.arrays, { residual_moments_1: f32([2, 2], 1.5, 0.25, 150, 2500), added_moments_1: f32([2, 2], 1, 1, 100, 10000), residual_length_1: f32([2], 2.2, 220), added_length_1: f32([2], 2, 200) });
  const whole = partsAlong(block, 'sum', 0, 0), long = Math.hypot(4, 1);
  near(whole.kept, (2 * 4 + 1 * 1) / long, 1e-3);
  near(whole.added, 2 * 4 / long, 1e-3);
  near(whole.kept + whole.added, whole.whole, 1e-3);
  // kept (2, 1) less its mean of 1.5 is (0.5, -0.5), added (2, 0) less 1 is (1, -1); both over a spread of 1.5, times gamma (2, 3)
  const norm = partsAlong(block, 'normed', 0, 0), far = Math.hypot(2.5, 4);
  near(norm.kept, (0.5 / 1.5 * 2 * 2.5 + -0.5 / 1.5 * 3 * -4) / far, 1e-3);
  near(norm.added, (1 / 1.5 * 2 * 2.5 + -1 / 1.5 * 3 * -4) / far, 1e-3);
  near(norm.beta, (0.5 * 2.5 + -1 * -4) / far, 1e-3);
  near(norm.rest, 0, 2e-3);
  const other = partsAlong(made({ normed: [2.5, -4], change: 0.5 }), 'sum', 0, 0);
  near(other.kept + other.added + other.rest, other.whole);
  assert.ok(other.rest > 0.3, 'what a change made is no part of either');
  assert.deepEqual(partsAlong({ ...block, about: { ...block.about, pre_norm: true } }, 'normed', 0, 0).added, 0, 'a norm that stands before reads what came in alone');
});

test('rounded parts add up to their rounded total', () => {
  assert.deepEqual(addingUp([7.332, 7.444], 14.776), { values: ['7.33', '7.45'], total: '14.78' });
  assert.deepEqual(addingUp([120, -19.96], 100.04), { values: ['120.0', '-20.0'], total: '100.0' });
  assert.deepEqual(addingUp([0.1, 0.2], 0.3), { values: ['0.100', '0.200'], total: '0.300' });
  assert.deepEqual(addingUp([3, 0], 3), { values: ['3.00', '0.00'], total: '3.00' });
});

test('a step means the sum that it belongs to', () => {
  assert.deepEqual(['', 'add_norm_1.mean', 'add_norm_2.sum', 'output', 'attention.weights'].map(sumOf), [0, 0, 1, 1, 0]);
});

test('activations are those of the library', () => {
  // torch.nn.functional at -3, -0.5, 0, 1 and 6
  const at = [-3, -0.5, 0, 1, 6];
  const known = {
    relu: [0, 0, 0, 1, 6], gelu: [-0.00404969, -0.1542688, 0, 0.8413447, 6], gelu_tanh: [-0.00363739, -0.1542860, 0, 0.8411920, 6], silu: [-0.1422776, -0.1887703, 0, 0.7310586, 5.9851642],
  };
  for (const [name, values] of Object.entries(known)) at.forEach((x, i) => near(ACTIVATIONS[name](x), values[i], 2e-6));
});

test('the strongest unit is the largest one, and behind a gate the largest of either sign', () => {
  assert.deepEqual(strongest(made({ normed: [0, 0] }), 0, 2), [1, 2]);
  const gated = made({ normed: [0, 0], up: [0.5, -0.5] });
  assert.deepEqual(strongest(gated, 0, 3), [1, 2, 0]);
  near(unitOf(gated, 0, 2).gated, -4, 1e-3);
  assert.ok(activationAgain(gated, 0, 1).agrees && gateAgain(gated, 0, 2).agrees);
  assert.ok(!gateAgain(made({ normed: [0, 0], up: [0.5, 0.5] }), 0, 2).agrees);
});

/** A block of two numbers and three units for one token, and the weights of its second and third unit. */
function units({ bias = -0.5, before = [0, 1.5, 1] } = {}) {
  const block = {
    level: 3, about: { layer: 0, rows: [4], pre_norm: false, leads: [[4, 'are', 'were']], units: { activation: 'relu', title: 'ReLU', cuts: true, gated: false } },
    arrays: {
      residual_2: f32([1, 2], 2, 1), added_2: f32([1, 2], 4, -1), sum_2: f32([1, 2], 6, 0), hidden: f32([1, 3], ...before), activation: f32([1, 3], ...before),
      adds: f32([1, 3], 0, 0.25, -0.5), adds_total: f32([1], -0.125),
    },
  };
  const weights = { level: 11, about: { units: [1, 2], contexts: [] }, arrays: { into_hidden: f32([2, 2], 0.5, 1, 1, -1), out: f32([2, 2], 2, 1, 0.5, -2), ...(bias && { bias_hidden: f32([2], bias, 0) }) } };
  return { block, weights };
}

test('a unit is what comes in times its weights, and its bias', () => {
  const { block, weights } = units(), { products, total, made, agrees } = unitAgain(block, weights, 0, 1);
  assert.deepEqual([[...products], total, made, agrees], [[1, 1], 2, 1.5, true]);
  assert.ok(Number.isNaN(unitAgain(units({ bias: 0 }).block, units({ bias: 0 }).weights, 0, 2).bias), 'a model without biases has none');
  const changed = units({ before: [0, 1.4, 1] });
  assert.ok(!unitAgain(changed.block, changed.weights, 0, 1).agrees);
});

test('what units write adds up to what feed-forward gives, with the others and the bias as what is left', () => {
  const { block, weights } = units();
  assert.deepEqual([...writtenBy(block, weights, 0, 1)], [3, 1.5]);
  const shown = { block, weights, i: 0, word: 'the gap', unit: 1 }, { strips, said } = drawnAt('out', { ...shown, gone: 1 });
  assert.deepEqual(strips.map(({ values }) => [...values]), [[3, 1.5], [0.5, -2], [0.5, -0.5], [4, -1]]);
  assert.equal(said(1), 'number 1: 1.5 − 2.0 − 0.5 = −1.0');
  const half = drawnAt('out', { ...shown, gone: 0.5 });
  assert.equal(half.said(1), 'number 1: 1.5 = 1.5', 'what is on its way is no number of the run');
  assert.deepEqual(half.strips.map(({ whole }) => [...whole]), [[3, 1.5], [0.5, -2], [0.5, -0.5], [3, 1.5]]);
  assert.deepEqual(half.strips.map(({ values }) => [...values]), [[3, 1.5], [0.25, -1], [0, -0], [3.25, 0.5]]);
});

test('each stop moves from what it is made of to what was recorded', () => {
  const { block, weights } = units(), shown = { block, weights, i: 0, word: 'the gap', unit: 1 };
  const at = (key, gone) => [...drawnAt(key, { ...shown, gone }).strips.at(-1).values];
  assert.deepEqual([at('in', 0), at('in', 0.5), at('in', 1)], [[0, 0], [1, 0], [1, 1]]);
  assert.deepEqual([0.5, 1].map(gone => drawnAt('in', { ...shown, gone }).at), [0, -1], 'the last product that has come is looked at');
  assert.deepEqual([at('added', 0), at('added', 0.5), at('added', 1)], [[2, 1], [4, 0.5], [6, 0]]);
  assert.deepEqual(STOPS.map(({ key }) => sumsAt(key, { block, weights, i: 0, unit: 1 }, 0, () => 0).map(({ line, agrees }) => [line, agrees])), [
    [['2.0 + (−0.5) = 1.5', true]], [['unit 1: max(0, 1.5) = 1.5', true], ['', true]], [['1.5 · 2 = 3', true]], [['2 + 4 = 6', true]],
  ]);
  assert.deepEqual([tellingAt('in', { ...shown, unit: 2 }), tellingAt('out', shown), tellingAt('added', shown)], [0, 0, 0]);
});

test('steps of the run lead to their stop, and none to that of the activation', () => {
  assert.deepEqual(['', 'feed_forward.hidden', 'feed_forward.up', 'feed_forward.gated', 'feed_forward.output', 'add_norm_2.sum'].map(stopOf), [1, 0, 0, 1, 2, 3]);
  assert.ok(isOfUnits('feed_forward.hidden') && !isOfUnits('feed_forward.output'));
});

test('what ReLU keeps and what it sets to 0 stand side by side', () => {
  const { block, weights } = units({ before: [-4, 1.5, 1] }), other = unit => sumsAt('activation', { block: { ...block, arrays: { ...block.arrays, activation: f32([1, 3], 0, 1.5, 1) } }, weights, i: 0, unit }, 0, () => 0)[1].formula;
  assert.deepEqual([1, 0].map(other), ['unit 0, below zero: max(0, −4) = 0', 'unit 1, above zero: max(0, 1.5) = 1.5']);
});

test('what units add is told where a guess means something', () => {
  const { block } = units(), found = addsAt(block, 4);
  assert.deepEqual([found.word, found.over, [...found.values], found.total], ['are', 'were', [0, 0.25, -0.5], -0.125]);
  assert.equal(addsAt(block, 3), null);
});

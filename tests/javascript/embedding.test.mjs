// The stops of the embedding, its arithmetic and its findings, on vectors made by hand.
import assert from 'node:assert/strict';
import test from 'node:test';
import { endsOf } from '../../encoder/browser/curves.js';
import { say } from '../../encoder/browser/say.js';
import { again, cellOf, cosine, countOf, finding, lengthOf, pairsBeside, readCell, stopFor, stopsOf, stripsOf, turnAt, waveAt } from '../../encoder/browser/way_in.js';

const array = (shape, ...values) => ({ values: Float32Array.from(values), shape, scale: 1, type: 'f32' });
const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const WAVES = [0, 1, 2].flatMap(place => [Math.sin(place), Math.cos(place), Math.sin(place / 100), Math.cos(place / 100)]);
const TOKENS = [3, 0, 4, 0, 0, 1, 0, 0, 1, 1, 1, 1];
const NEAR = [[['dog', 0.8], ['cat', 0.5]], [['x', 0.2]], []];

/** A packet of three tokens of four numbers, like `base`. */
function made(more = {}, arrays = {}) {
  return {
    level: 4,
    about: { rows: [0, 1, 2], positions: 'sinusoidal', width: 4, factor: 2, vocabulary: 16384, chance: 0.19, near: NEAR, near_of: [0, 1, 2], ids: [1, 2, 3], ...more },
    arrays: {
      tokens: array([3, 4], ...TOKENS), scaled: array([3, 4], ...TOKENS.map(x => 2 * x)), positions: array([3, 4], ...WAVES),
      output: array([3, 4], ...TOKENS.map((x, i) => 2 * x + WAVES[i])), alike: array([3, 3], 1, 0.9, 0.5, 0.9, 1, 0.8, 0.5, 0.8, 1), ...arrays,
    },
  };
}
const base = made();
const stop = (part, key) => stopsOf(part).find(one => one.key === key);
const sentence = (part, key, i, query = 'keys') => { const found = finding(part, stop(part, key), i, query); return say(found.key, found.given); };

test('a model has the stops of what it does, each with a step of its own', () => {
  assert.deepEqual(stopsOf(base).map(one => one.label), ['word', '× 2', 'place', 'sum']);
  const bert = made({ factor: null, positions: 'learned', norm: { kind: 'layer_norm', eps: 0 } }, { sum: base.arrays.output });
  assert.deepEqual(stopsOf(bert).map(one => [one.key, one.step]), [['word', 'embedding.tokens'], ['place', 'embedding.positions'], ['sum', 'embedding.sum'], ['norm', 'embedding.output']]);
  const narrow = made({ norm: { kind: 'layer_norm', eps: 0 } }, { sum: base.arrays.output, normed: base.arrays.output, output: array([3, 6], ...Array(18).fill(1)) });
  assert.deepEqual(stopsOf(narrow).slice(-3).map(one => one.step), ['embedding.sum', 'embedding.norm.output', 'embedding.output']);
  assert.equal(countOf(narrow, stop(narrow, 'widened')), 6);
  assert.equal(sentence(narrow, 'widened', 0), 'A linear map widens the vector of keys from 4 numbers to 6.');
});

test('every step of the embedding leads to a stop', () => {
  const at = step => stopsOf(base)[stopFor(stopsOf(base), step)].key;
  assert.deepEqual(['', 'embedding.tokens', 'embedding.scaled', 'embedding.positions', 'embedding.output', 'embedding.segments', 'attention.weights'].map(at), ['word', 'word', 'scaled', 'place', 'sum', 'sum', 'word']);
  const plain = made({ factor: null });
  assert.equal(stopsOf(plain)[stopFor(stopsOf(plain), 'embedding.scaled')].key, 'word');
});

test('a number is spelled as links spell it, and read again', () => {
  assert.equal(cellOf(stop(base, 'sum'), 6, 17), 'embedding.output:6,17');
  assert.deepEqual(readCell('embedding.positions:6,17'), { step: 'embedding.positions', position: 6, number: 17 });
  for (const bad of ['', 'layers.5.attention.weights:6,6,2', 'embedding.output:6', 'embedding.output:-1,2', '<b>']) assert.equal(readCell(bad), null);
});

test('a number is worked out again from what comes before it', () => {
  assert.deepEqual([again(base, stop(base, 'scaled'), 0, 2).text, again(base, stop(base, 'scaled'), 0, 2).recorded], ['4 × 2 = 8.00', 8]);
  const sum = again(base, stop(base, 'sum'), 1, 1);
  assert.equal(sum.text, '1 × 2 + 0.540 = 2.54');
  near(sum.value, 2 + Math.cos(1));
  assert.ok(Math.abs(sum.value - sum.recorded) <= sum.within);
  const wave = again(base, stop(base, 'place'), 2, 3);
  near(wave.value, Math.cos(2 / 100));
  assert.match(wave.text, /^cos\(2 \/ 10000\^\(2\/4\)\) = cos\(0\.02\)/);
  assert.ok(Math.abs(wave.value - wave.recorded) <= wave.within);
  assert.equal(again(base, stop(base, 'word'), 0, 0), null);
});

test('what does not follow is not said to agree', () => {
  const changed = made({}, { output: array([3, 4], ...Array(12).fill(9)) });
  const found = again(changed, stop(changed, 'sum'), 1, 1);
  assert.ok(Math.abs(found.value - found.recorded) > found.within);
});

test('a norm is done again in each of its kinds', () => {
  const parts = { sum: array([1, 2], 1, 5), gamma: array([2], 2, 10), beta: array([2], 1, -1) }, one = { rows: [0], factor: null, width: 2, near_of: [0] };
  const tensors = { tokens: array([1, 2], 1, 5), positions: array([1, 2], 0, 0), alike: undefined };
  const layer = made({ ...one, norm: { kind: 'layer_norm', eps: 0 } }, { ...tensors, ...parts, mean: array([1], 3), variance: array([1], 4), output: array([1, 2], -1, 9) });
  assert.deepEqual([0, 1].map(number => again(layer, stop(layer, 'norm'), 0, number)).map(({ value, recorded }) => [value, recorded]), [[-1, -1], [9, 9]]);
  assert.equal(again(layer, stop(layer, 'norm'), 0, 0).text, '(1.00 − 3.00) / 2 × 2 + 1.00 = -1.00');
  const std = made({ ...one, norm: { kind: 'std_norm', eps: 2 } }, { ...tensors, ...parts, mean: array([1], 3), variance: array([1], 4), output: array([1, 2], 0, 4) });
  near(again(std, stop(std, 'norm'), 0, 1).value, 4);
  const rms = made({ ...one, norm: { kind: 'rms_norm', eps: 12 } }, { ...tensors, ...parts, mean_square: array([1], 13), output: array([1, 2], 1.4, 9) });
  near(again(rms, stop(rms, 'norm'), 0, 1).value, 9);
});

test('waves and turns follow their formulas', () => {
  near(waveAt(3, 0, 512), Math.sin(3));
  near(waveAt(3, 1, 512), Math.cos(3));
  near(waveAt(100, 256, 512), Math.sin(100 / 100));
  near(turnAt({ theta: 10000, divisor: 2 }, 8, 2, 4), 8 / 100 / 2);
  assert.deepEqual(pairsBeside(256, 64), [0, 32, 64]);
  assert.deepEqual(pairsBeside(256, 70), [0, 32, 64, 70]);
  assert.deepEqual(pairsBeside(1, 0), [0]);
});

test('the finding is that of the chosen token, and a weak one says so', () => {
  assert.equal(sentence(base, 'word', 0), 'Of 16,384 words and pieces in the table, “dog” is nearest to keys: cosine 0.80.');
  assert.match(sentence(base, 'word', 1), /^No word is near keys: of 16,384 words and pieces, “x” is nearest, with a cosine of 0\.20; .* about 0\.19\.$/);
  assert.match(sentence(base, 'word', 2), /^keys has no numbers/i);
  assert.equal(sentence(base, 'scaled', 0), 'Multiplied by 2, the vector of keys has length 10; that of its place, added next, has 1.41.');
  assert.equal(sentence(base, 'place', 0), 'Place 0 is most like place 1, cosine 0.90, and least like place 2, 0.50.');
  assert.equal(sentence(base, 'place', 2), 'Place 2 is most like place 1, cosine 0.80, and least like place 0, 0.50.');
  near(Number(/cosine of (\S+) with/.exec(sentence(base, 'sum', 1))[1]), cosine([0, 1, 0, 0], base.arrays.output.values.subarray(4, 8)), 0.005);
});

test('a place that nothing is added for is said to have none', () => {
  const none = positions => made({ positions }, { alike: undefined, positions: array([3, 4], ...Array(12).fill(0)) });
  assert.match(sentence(none('none'), 'place', 1), /^This model is not told that keys stands at place 1/);
  assert.match(sentence(none('rotary'), 'place', 1), /attention turns queries and keys/);
  assert.match(sentence(none('distances'), 'place', 1), /how far apart/);
  assert.match(sentence(none('sinusoidal'), 'place', 1), /a change of this run/);
  assert.equal(sentence(none('none'), 'sum', 1), 'Nothing is added to the vector of keys.');
  assert.deepEqual(stripsOf(none('none'), stop(none('none'), 'sum'), 0, 0).map(one => one.name), ['the word × 2', 'the sum']);
  const two = made({ rows: [0, 1] }, { alike: array([2, 2], 1, 0.3, 0.3, 1) });
  assert.equal(sentence(two, 'place', 0), 'The vectors of place 0 and place 1 have a cosine of 0.30.');
  assert.equal(sentence(made({ rows: [4] }, { alike: array([1, 1], 1) }), 'place', 0), 'Place 4 is the only one here.');
});

test('numbers that are none are not worked out as if they were', () => {
  const lost = made({}, { tokens: array([3, 4], ...Array(12).fill(NaN)), output: array([3, 4], ...Array(12).fill(NaN)) });
  assert.match(sentence(lost, 'sum', 0), /no numbers here/);
  assert.match(again(lost, stop(lost, 'sum'), 0, 0).text, /no number/);
  assert.equal(lengthOf([3, 4]), 5);
  assert.equal(cosine([0, 0], [1, 2]), 0);
});

test('the ends of a curve fit its numbers', () => {
  assert.deepEqual(endsOf([0.66, 1, NaN, 0.7]), { low: 0.66, high: 1 });
  assert.deepEqual(endsOf([2]), { low: 1.5, high: 2.5 });
  assert.deepEqual(endsOf([]), { low: -1, high: 1 });
});

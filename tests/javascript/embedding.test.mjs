// The strips of the embedding, its arithmetic and its findings, on vectors made by hand.
import assert from 'node:assert/strict';
import test from 'node:test';
import { endsOf } from '../../encoder/browser/curves.js';
import { cellOf, cosine, isContent, isForm, knownOf, lengthOf, litOf, normAgain, pairsBeside, placeAgain, placeSaid, readCell, scaledSaid, stripsOf, sumAgain, sumSaid, tableSaid, tellingOf, textsOf, turnAt, waveAt, windowAround } from '../../encoder/browser/embedding_math.js';

const array = (shape, ...values) => ({ values: Float32Array.from(values), shape, scale: 1, type: 'f32' });
const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const WAVES = [0, 1, 2].flatMap(place => [Math.sin(place), Math.cos(place), Math.sin(place / 100), Math.cos(place / 100)]);
const TOKENS = [3, 0, 4, 0, 0, 1, 0, 0, 1, 1, 1, 1];
const NEAR = [[['dog', 0.8], ['cat', 0.5]], [['x', 0.2]], []];

/** A packet of three tokens of four numbers, like `base`. */
function made(more = {}, arrays = {}) {
  return {
    level: 4,
    about: { rows: [0, 1, 2], positions: 'sinusoidal', width: 4, factor: 2, table: 16384, chance: 0.19, near: NEAR, any: [0.1, 0.1, 0.1], near_of: [0, 1, 2], ids: [1, 2, 3], ...more },
    arrays: {
      tokens: array([3, 4], ...TOKENS), scaled: array([3, 4], ...TOKENS.map(x => 2 * x)), positions: array([3, 4], ...WAVES),
      output: array([3, 4], ...TOKENS.map((x, i) => 2 * x + WAVES[i])), alike: array([3, 3], 1, 0.9, 0.5, 0.9, 1, 0.8, 0.5, 0.8, 1), ...arrays,
    },
  };
}
const base = made();
const written = parts => parts.map(one => one.text).join('');
const table = (part, i) => written(tableSaid(part, i, 'keys'));
const names = (part, changed = false) => stripsOf(part, 0, changed).map(one => [one.lit, one.name]);
const [word, place, sum] = ['word', 'position', 'sum'];

test('a model has the strips of what it does, each lit with its part', () => {
  assert.deepEqual(names(base), [[word, 'the word × 2'], [place, '+ position 0'], [sum, '= the sum']]);
  const bert = made({ factor: null, positions: 'learned', norm: { kind: 'layer_norm', eps: 0 } }, { sum: base.arrays.output, segments: base.arrays.tokens });
  assert.deepEqual(names(bert), [[word, 'the word'], [place, '+ position 0'], [sum, '+ first or second sentence'], [sum, '= the sum'], [sum, 'after the norm']]);
  assert.deepEqual(litOf(bert).map(one => one.step), ['embedding.tokens', 'embedding.positions', 'embedding.sum']);
  const narrow = made({ norm: { kind: 'layer_norm', eps: 0 } }, { sum: base.arrays.output, normed: base.arrays.output, output: array([3, 6], ...Array(18).fill(1)) });
  assert.deepEqual(names(narrow).slice(-2), [[sum, 'after the norm'], [sum, 'widened to 6']]);
  assert.match(written(sumSaid(narrow, 0, 'keys')), /A linear map widens it from 4 numbers to 6, each of which mixes all before\.$/);
});

test('the numbers of a table are rounded to the same digits, and to no digit that is not sure', () => {
  const strip = (name, value, within = 0) => ({ name, values: [value], within }), texts = within => textsOf([strip('the word', 0.0044, within), strip('+ position 1', -1.18362, within), strip('= the sum', -1.17922, within)], 0);
  assert.deepEqual([texts(0), texts(1e-3)], [['0.004', '-1.184', '-1.179'], ['0.00', '-1.18', '-1.18']]);
  assert.equal(textsOf([strip('the word', NaN)], 0)[0], 'no number');
});

test('a number has the same digits in the table and worked out again', () => {
  for (let i = 0; i < 3; i++) {
    for (let d = 0; d < 4; d++) {
      const [, place, total] = textsOf(stripsOf(base, i, false), d), { text, says } = sumAgain(base, i, d);
      assert.ok(text.endsWith(` ${place.replace('-', '')} = ${total}`) || text.endsWith(` ${place.replace('-', '')} ≈ ${total}`), text);
      assert.equal(says, total);
      assert.ok(placeAgain(base, i, d).text.endsWith(` = ${place}`));
    }
  }
});

test('a number is spelled as links spell it, and read again', () => {
  assert.equal(cellOf(litOf(base)[2], 6, 17), 'embedding.output:6,17');
  assert.deepEqual(readCell('embedding.positions:6,17'), { step: 'embedding.positions', position: 6, number: 17 });
  for (const bad of ['', 'layers.5.attention.weights:6,6,2', 'embedding.output:6', 'embedding.output:-1,2', '<b>']) assert.equal(readCell(bad), null);
});

test('what does not follow is not said to agree', () => {
  const found = sumAgain(made({}, { output: array([3, 4], ...Array(12).fill(9)) }), 1, 1);
  assert.ok(Math.abs(found.value - found.recorded) > found.within);
});

test('a norm is done again in each of its kinds', () => {
  const parts = { sum: array([1, 2], 1, 5), gamma: array([2], 2, 10), beta: array([2], 1, -1) }, one = { rows: [0], factor: null, width: 2, near_of: [0] };
  const tensors = { tokens: array([1, 2], 1, 5), positions: array([1, 2], 0, 0), alike: undefined };
  const layer = made({ ...one, norm: { kind: 'layer_norm', eps: 0 } }, { ...tensors, ...parts, mean: array([1], 3), variance: array([1], 4), output: array([1, 2], -1, 9) });
  assert.deepEqual([0, 1].map(number => normAgain(layer, 0, number)).map(({ value, recorded }) => [value, recorded]), [[-1, -1], [9, 9]]);
  assert.equal(normAgain(layer, 0, 0).text, '(1.00 − 3.00) / 2 × 2 + 1.00 = -1.000');
  const std = made({ ...one, norm: { kind: 'std_norm', eps: 2 } }, { ...tensors, ...parts, mean: array([1], 3), variance: array([1], 4), output: array([1, 2], 0, 4) });
  near(normAgain(std, 0, 1).value, 4);
  const rms = made({ ...one, norm: { kind: 'rms_norm', eps: 12 } }, { ...tensors, ...parts, mean_square: array([1], 13), output: array([1, 2], 1.4, 9) });
  near(normAgain(rms, 0, 1).value, 9);
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

test('what is said is of the chosen token, and a weak finding says so', () => {
  assert.equal(table(base, 0), 'On its own, keys is most like “dog” to this model: cosine 0.80, where a random word has 0.10.');
  assert.equal(table(base, 1), 'On its own, keys is like no word to this model (closest: “x”, 0.20; by chance it would be 0.19).');
  assert.equal(tableSaid(base, 0, 'the gap', '', '<mask>').map(one => one.text).join(''), 'The gap starts as one row of numbers, the same for every gap: that of <mask>.');
  assert.match(table(base, 2), /^keys has no numbers/i);
  assert.equal(written(placeSaid(base, 0, 'keys')), 'Position 0 is most like position 1, cosine 0.90, and least like position 2, 0.50.');
  assert.equal(written(placeSaid(base, 2, 'keys')), 'Position 2 is most like position 1, cosine 0.80, and least like position 0, 0.50.');
  near(Number(/cosine with its row alone is (\S+)\./.exec(written(sumSaid(base, 1, 'keys')))[1]), cosine([0, 1, 0, 0], base.arrays.output.values.subarray(4, 8)), 0.005);
});

test('a word whose nearest is hardly nearer than the next is told with both', () => {
  const of = near => table(made({ near: [near], near_of: [0, 0, 0] }), 0);
  assert.equal(of([['dog', 0.62], ['cat', 0.61]]), 'On its own, keys is most like “dog” (0.62) and “cat” (0.61) to this model; a random word has 0.10.');
  assert.match(of([['dog', 0.743], ['cat', 0.741]]), /“dog” \(0\.743\) and “cat” \(0\.741\)/, 'as many digits as tell them apart');
  assert.match(of([['dog', 0.62], ['cat', 0.58]]), /is most like “dog”/);
  assert.match(of([['dog', 0.21], ['cat', 0.2]]), /like no word/);
});

test('forms of a word are told as such, and the word that comes first without being one', () => {
  const of = (near, name) => tableSaid(made({ near: [near], near_of: [0, 0, 0] }), 0, `“${name}”`, name).map(one => one.text).join('');
  assert.equal(of([['climb', 0.77], ['climbing', 0.76], ['jumped', 0.75]], 'climbed'), 'On its own, “climbed” is most like its own forms “climb” and “climbing”, then “jumped”: cosine 0.75, where a random word has 0.10.');
  assert.match(of([['dogs', 0.61], ['cat', 0.54]], 'dog'), /its own form “dogs”, then “cat”/);
  for (const [a, b] of [['stop', 'stopped'], ['bake', 'baking'], ['city', 'cities'], ['keys', 'key']]) assert.ok(isForm(a, b) && isForm(b, a), `${a} ${b}`);
  for (const [a, b] of [['keys', 'keyboard'], ['grandmother', 'grandfather'], ['state', 'station'], ['thin', 'thing'], ['he', 'her'], ['form', 'former']]) assert.ok(!isForm(a, b), `${a} ${b}`);
});

test('the word that the table knows best is farthest above a random word, forms aside', () => {
  const of = near => knownOf(made({ near: [near], near_of: [0, 0, 0] }), 0, 'dog');
  near(of([['dogs', 0.9], ['cat', 0.54]]), 0.44, 1e-9);
  assert.ok(of([['cat', 0.2]]) < 0, 'no more than chance');
  assert.deepEqual(['winter', 'their', 'the', 'Never', 'old'].filter(isContent), ['winter', 'old']);
});

test('a row is scaled up where its place is longer, and otherwise as the paper does', () => {
  assert.equal(scaledSaid(base, 1), 'The position (length 1.41) counts less than the word (2) because every row is multiplied by √4 = 2: the row alone has length 1.');
  assert.equal(scaledSaid(base, 0), 'Rows are scaled up by √4 = 2, as in the paper.');
  assert.equal(scaledSaid(made({ factor: null }), 1), '');
});

test('the stretch that is shown lies around the chosen number, and within those that there are', () => {
  assert.deepEqual([[0, 512, 9], [511, 512, 9], [100, 512, 9], [1, 4, 9]].map(of => windowAround(...of)), [[0, 9], [503, 512], [96, 105], [0, 4]]);
  assert.equal(tellingOf(base, 2), 1, 'where its row has a number, and its position another one than the others');
  assert.equal(tellingOf(made({}, { alike: undefined }), 0), 2, 'without positions the largest');
});

test('a place that nothing is added for is said to have none', () => {
  const none = (positions, more = {}) => made({ positions, ...more }, { alike: undefined, positions: array([3, 4], ...Array(12).fill(0)) });
  const said = positions => written(placeSaid(none(positions), 1, 'keys'));
  assert.match(said('none'), /^This model is not told that keys stands at position 1/);
  assert.match(said('rotary'), /attention turns queries and keys/);
  assert.match(said('distances'), /how far apart/);
  assert.match(said('sinusoidal'), /a change of this run/);
  assert.equal(written(sumSaid(none('none'), 1, 'keys')), 'Nothing is added to keys.');
  assert.deepEqual(names(none('none')), [[word, 'the word × 2']]);
  assert.deepEqual(names(none('none'), true), [[word, 'the word × 2'], [sum, 'what came of it']], 'a change may have made it another one');
  assert.equal(sumAgain(none('none'), 1, 1).text, '1 × 2 = 2.00');
  assert.equal(sumAgain(none('none', { factor: null }), 1, 1), null);
  const two = made({ rows: [0, 1] }, { alike: array([2, 2], 1, 0.3, 0.3, 1) });
  assert.equal(written(placeSaid(two, 0, 'keys')), 'The vectors of position 0 and position 1 have a cosine of 0.30.');
  assert.equal(written(placeSaid(made({ rows: [4] }, { alike: array([1, 1], 1) }), 0, 'keys')), 'Position 4 is the only one here.');
});

test('numbers that are none are not worked out as if they were', () => {
  const lost = made({}, { tokens: array([3, 4], ...Array(12).fill(NaN)), output: array([3, 4], ...Array(12).fill(NaN)) });
  assert.match(written(sumSaid(lost, 0, 'keys')), /no numbers here/);
  assert.match(sumAgain(lost, 0, 0).text, /no number/);
  assert.equal(lengthOf([3, 4]), 5);
  assert.equal(cosine([0, 0], [1, 2]), 0);
});

test('the ends of a curve fit its numbers', () => {
  assert.deepEqual(endsOf([0.66, 1, NaN, 0.7]), { low: 0.66, high: 1 });
  assert.deepEqual(endsOf([2]), { low: 1.5, high: 2.5 });
  assert.deepEqual(endsOf([]), { low: -1, high: 1 });
});

// Two runs held against each other: which words stand side by side, and what each head does more in B.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { align, alikeInShape, differences, nameOf, pairsOf, sentenceB, sharesOfBoth } from '../../encoder/browser/compare_runs.js';
import { read } from '../../encoder/browser/packet.js';
import { GAP } from '../../encoder/browser/store.js';

const shipped = name => read(new Uint8Array(readFileSync(new URL(`../../encoder/packet/shipped/${name}.packet`, import.meta.url))));
const key = shipped('the-key-to-the-cabinet-mask-on-the-table'), cat = shipped('the-cat-chased-the-mouse');
const spoken = text => text.split(' ').map((name, i) => ({ position: i + 1, count: 1, name, gap: name === '[MASK]', plain: true }));
const side = (a, b) => align(spoken(a), spoken(b)).map(pair => [pair.a?.name ?? '–', pair.b?.name ?? '–', pair.same].join(' '));
/** A run of made weights: `weights[layer][head][row][column]`, of the tokens that stand in `text`; `rows` are those that it holds. */
function made(text, weights, { rows = null, words = null } = {}) {
  const tokens = text.split(' '), list = words ?? tokens.map((_, i) => [i, 1]);
  return { level: 1, about: {
    tokens, kinds: tokens.map(name => (name === '[MASK]' ? 'mask' : name.startsWith('[') ? 'special' : 'word')), names: list.map(([first, count]) => tokens.slice(first, first + count).join('')),
    words: list, rows: rows ?? tokens.map((_, i) => i), model: { layers: weights.length, heads: weights[0].length }, guesses: {}, gap: -1, sentence: text, second: '',
  }, arrays: { weights: { values: new Float32Array(weights.flat(3)), shape: [weights.length, weights[0].length, weights[0][0].length, tokens.length], scale: 1, type: 'f32' } } };
}

test('words that stand in both are paired, as many replaced ones too, and all others stand alone', () => {
  assert.deepEqual(side('the cat is here', 'The dog is here'), ['the The true', 'cat dog false', 'is is true', 'here here true']);
  assert.deepEqual(side('a big cat sat', 'a cat sat down'), ['a a true', 'big – false', 'cat cat true', 'sat sat true', '– down false']);
  assert.deepEqual(side('one two', 'three four'), ['one three false', 'two four false']);
  assert.deepEqual(side('one two', 'three'), ['one – false', 'two – false', '– three false']);
  assert.deepEqual(side('the dog chased the cat', 'the cat chased the dog'), ['the the true', 'dog cat false', 'chased chased true', 'the the true', 'cat dog false']);
  assert.deepEqual(side('It is [MASK] here', 'It is red here'), ['It It true', 'is is true', '[MASK] red false', 'here here true']);
});

test('shares to a word of several tokens are added, from one their mean is taken, and the rest is what no column has', () => {
  const ours = made('[CLS] un kind cat [SEP]', [[[[0, 0, 0, 0, 1], [.1, .2, .3, .3, .1], [.3, .4, .1, .1, .1], [.5, .1, .1, .2, .1], [1, 0, 0, 0, 0]]]], { words: [[1, 2], [3, 1]] });
  const theirs = made('[CLS] mean cat sat [SEP]', [[[[0, 0, 0, 0, 1], [.1, .6, .1, .1, .1], [.2, .2, .2, .2, .2], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]]]], { words: [[1, 1], [2, 1], [3, 1]] });
  const of = differences(ours, theirs), { a, b, rest } = sharesOfBoth(ours, theirs, of, 0, 0);
  const near = (found, wanted) => assert.ok([...found].every((one, i) => Math.abs(one - wanted[i]) < 1e-6) && found.length === wanted.length, `${[...found]} ${wanted}`);
  assert.deepEqual(of.columns.map(nameOf), ['unkind/mean', 'cat']); // “sat” has no partner
  near(a, [.5, .2, .2, .2]);
  near(b, [.6, .1, .2, .2]);
  near(rest.a, [.3, .6]);
  near(rest.b, [.3, .6]);
  assert.deepEqual(of.counts, [false, true]);
  assert.equal(of.heads[0].change, 0);
});

test('where every word is another, all rows count', () => {
  const even = [[[[1, 0], [0, 1]]]], turned = [[[[0, 1], [0, 1]]]];
  const of = differences(made('a b', even), made('c d', turned));
  assert.deepEqual(of.counts, [true, true]);
  assert.deepEqual([of.heads[0].row, Math.abs(of.heads[0].change)], [0, 1]);
});

test('rows that one run does not hold are not drawn', () => {
  const row = [.5, .25, .25], part = made('a b c', [[[row]]], { rows: [1] }), whole = made('a b c', [[[row, row, row]]]);
  assert.deepEqual(differences(part, whole).rows, [1]);
  assert.equal(differences(part, made('a b c', [[[row]]], { rows: [2] })), null);
});

test('models of other shapes and sentences without a common place are not subtracted', () => {
  const one = [[[[1]]]];
  assert.ok(!alikeInShape(made('a', one), made('a', [...one, ...one])));
  assert.equal(differences(made('a', one), made('a', [...one, ...one])), null);
  assert.equal(differences(made('a', one), made('b c', [[[[1, 0], [0, 1]]]])), null);
});

test('a bundled sentence has its twin as B, any other itself, and what was chosen goes before', () => {
  assert.equal(sentenceB({ sentence: GAP, other: '' }), key.about.sentence);
  assert.equal(sentenceB({ sentence: key.about.sentence, other: '' }), GAP);
  assert.equal(sentenceB({ sentence: 'A cat.', other: ' ' }), 'A cat.');
  assert.equal(sentenceB({ sentence: GAP, other: 'A cat.' }), 'A cat.');
});

test('a sentence against itself differs nowhere', () => {
  assert.ok(differences(cat, cat).heads.every(one => one.change === 0));
  assert.ok(pairsOf(cat, cat).every(pair => pair.same));
});

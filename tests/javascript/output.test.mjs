// What is said of a word after each layer: who is first from where on, the mask in place of a word, long runs.
import assert from 'node:assert/strict';
import test from 'node:test';
import { labelSaid } from '../../encoder/browser/labels.js';
import { words } from '../../encoder/browser/run.js';
import { guessed, masked, said, turned, wordsTable } from '../../encoder/browser/logit_lens.js';
import { leadSaid, pairOf, sumOf, written } from '../../encoder/browser/word_sum.js';

const text = parts => parts.map(part => part.text).join('');
const f32 = (shape, values) => ({ values: Float32Array.from(values), shape, scale: 1, type: 'f32' });
const u16 = (shape, values) => ({ values: Uint16Array.from(values), shape, scale: 1, type: 'u16' });
/** A packet of one token, position 3, with three words of which two lead; `places` are those of each word after each layer. */
function told(places, shares = places.map(row => row.map(place => 1 / (place ** 2 + 1)))) {
  const layers = places.length, words = places[0].length;
  const first = places.map(row => row.map((place, i) => [place, i]).sort((a, b) => a[0] - b[0]).slice(0, 2).map(([, i]) => i));
  return {
    level: 5, about: { positions: [3], vocabulary: ['are', 'is', 'was', 'were'].slice(0, words), vocab_size: 90 },
    arrays: {
      words: u16([1, words], Array.from({ length: words }, (_, i) => i)), first: u16([layers, 1, 2], first.flat()),
      share: f32([layers, 1, words], shares.flat()), rank: f32([layers, 1, words], places.flat()),
      cosine: f32([layers, 5], Array(layers * 5).fill(0.5)), length: f32([layers, 5], Array(layers * 5).fill(2)),
    },
  };
}
/** A run whose fourth token is a gap, or a word; `again` says that the sixth is of the same name. */
const runOf = (kind, { again = false, ...more } = {}) => ({ about: {
  guesses: {}, model: { layers: 3, ...more }, tokens: ['a', 'b', 'c', 'cats', 'e', 'cats'], kinds: ['special', 'word', 'word', kind, 'word', again ? kind : 'word'],
  words: [[1, 1], [2, 1], [3, 1], [4, 1], [5, 1]], names: ['a', 'b', 'cats', 'd', again ? 'cats' : 'e'],
} });
const wordOf = run => words(run).find(one => one.position === 3), run = runOf('mask'), gap = wordOf(run), read = runOf('word'), word = wordOf(read);

test('the first column from which on the winner stays first is said', () => {
  for (const [places, expected] of [
    [[[3, 1], [2, 1], [1, 2], [1, 2]], ', first from layer 1 on: after layer 0 “is” led with 50 %.'],
    [[[1, 2], [2, 1], [1, 2], [1, 2]], ', first again from layer 1 on: after layer 0 “is” led with 50 %.'],
    [[[1, 2], [1, 2], [1, 2], [1, 2]], ', first from the start, before any layer.'],
    [[[1, 2], [1, 2], [5, 1], [1, 2]], ', first again only after the last layer: after layer 1 “is” led with 50 %.'],
  ]) assert.ok(text(said(run, gap, guessed(told(places), 3, ''), null)).endsWith(expected), expected);
});

test('a gap has a winner, a weak one says so, and which of two gaps it is', () => {
  const places = [[2, 1], [1, 2]], strong = guessed(told(places, [[0.1, 0.2], [0.7, 0.1]]), 3, ''), weak = guessed(told(places, [[0.1, 0.2], [0.1, 0.05]]), 3, '');
  assert.match(text(said(run, gap, strong, null)), /^“are” wins at the gap with 70 %, /);
  assert.match(text(said(run, gap, weak, null)), /^“are” leads at the gap with only 10 %, /);
  assert.match(text(said(run, gap, guessed(told(places, [[0.1, 0.2], [0.2, 0.18]]), 3, ''), null)), /^“are” leads at the gap with 20\u00a0%, just ahead of “is” with 18\u00a0%, first only after the last layer\.$/);
  assert.match(text(said(run, gap, guessed(told(places, [[0.1, 0.2], [0.2, 0.15]]), 3, ''), null)), /^“are” leads at the gap with 20\u00a0%, 1\.3 times as likely as “is” with 15\u00a0%, first only after the last layer\.$/);
  const two = runOf('mask', { again: true });
  assert.match(text(said(two, wordOf(two), strong, null)), /^“are” wins at the first gap /);
  assert.match(text(said(run, gap, guessed(told(places, [[0.1, 0.2], [NaN, NaN]]), 3, ''), null)), /are not finite/);
  assert.equal(guessed(told(places), 2, ''), null);
});

test('of a word that is read it is said what comes out for it, and unknown words and untrained models are called so', () => {
  const places = [[2, 1, 5], [1, 2, 40]], of = (own, unknown = []) => {
    const found = told(places, [[0.1, 0.2, 0.01], [0.7, 0.1, 0.002]]);
    Object.assign(found.about, { own: [own], unknown });
    return guessed(found, 3, '');
  };
  assert.equal(text(said(read, word, of(0), null)), 'The model reads “cats” here and says it again, with 70 %. “are” is first only after the last layer.');
  assert.match(text(said(read, word, of(2), null)), /^The model reads “cats” here and yet says “are”, with 70 %: “cats” ranks number 40 of 90, with 0.2 %\. /);
  assert.match(text(said(read, word, of(2, [3]), null)), /^The model does not know “cats”: it reads cats there and says “are”, with 70 %\. /);
  const twice = runOf('word', { again: true });
  assert.match(text(said(twice, wordOf(twice), of(0), null)), /^The model reads the first “cats” here /);
  for (const one of [runOf('word', { untrained: true }), runOf('mask', { untrained: true })]) {
    assert.match(text(said(one, wordOf(one), of(0), null)), /^The weights of this model are random: what it says at (the gap|“cats”) means nothing, “are” with 70 %\.$/);
  }
});

test('a word that is followed is in every column, in its own row where it does not lead', () => {
  const found = told([[40, 1, 2], [2, 1, 3], [1, 2, 3]]), here = guessed(found, 3, ''), table = wordsTable(here);
  assert.deepEqual(table.path, [2, 1, 0]);
  assert.equal(table.rows[2].cells[0].text, '40');
  assert.equal(guessed(found, 3, 'cats').followed, 0, 'a word of another token is not followed here');
});

test('a typed word that the rows do not hold is followed by what its sum tells of it', () => {
  const found = told([[3, 1], [1, 2]]), sum = { about: { words: ['are', 'purple'], ids: [7, 9], pair: [1, 0] }, arrays: { rank: f32([2, 2], [3, 80, 1, 70]), share: f32([2, 2], [0.1, 0.01, 0.7, 0.02]) } };
  const here = guessed(found, 3, 'Purple', sum), table = wordsTable(here);
  assert.equal(here.name(here.followed), 'purple');
  assert.deepEqual(here.place(here.followed), { step: 'mlm.probabilities', index: [3, 9] });
  assert.equal(table.rows[2].name, 'rank of purple');
  assert.deepEqual(table.rows[2].cells.map(cell => cell.text), ['80', '70']);
  assert.match(text(said(run, gap, here, null)), /^“purple” ranks number 70 at the gap, with 2 %\.$/);
});

/** A packet of level 10: two words, of three the parts of each for both, at the input and at the end. */
function summed(adds, lost = adds.map(row => row.slice(0, -2))) {
  const words = adds.length, n = adds[0].length;
  return {
    about: { step: 'mlm.logits', index: [3], places: [[1, 1], [2, 1], [3, 1]], names: ['the', 'keys', '[MASK]'], words: ['are', 'is', 'were'].slice(0, words), ids: [1, 2, 3].slice(0, words), pair: [0, 1] },
    arrays: { adds: f32([words, n], adds.flat()), read: f32([2, words, n], [...adds, ...adds].flat().map((value, i) => (i < words * n ? 2 * value : value))), lost: f32([words, n - 2], lost.flat()) },
  };
}

test('a lead is the difference of two sums, and says which word speaks for it or against it', () => {
  const packet = summed([[1, 3, 0, -0.5, 0], [2, -1, 0, 0.5, 0]], [[0, 2, 5], [0, 1, 5]]), sum = sumOf(packet, [0, 1], 1, [1, 2, 3]);
  assert.deepEqual([sum.adds, sum.biases, sum.total], [[-1, 4, 0], -1, 2]);
  assert.ok(Number.isNaN(sum.lost[2]) && sum.lost[1] === 1, 'the gap has nothing to lose');
  assert.equal(sum.agree, 1);
  assert.equal(text(leadSaid(sum)), '“are” is 7.4 times as likely as “is”; “keys” speaks for it most');
  assert.equal(text(leadSaid(sumOf(packet, [1, 0], 1, [1, 2, 3]))), '“is” is 7.4 times less likely than “are”; “keys” speaks against it most');
  assert.equal(text(leadSaid(sumOf(summed([[0.1, 0.2, 0, 3, 0], [0, 0, 0, 0, 0]]), [0, 1], 1, [1]))), '“are” is 27 times as likely as “is”; most of that lead comes from the model’s biases');
  assert.equal(text(leadSaid(sumOf(summed([[0.1, -2, 0, 4, 0], [0, 0, 0, 0, 0]]), [0, 1], 1, [1]))), '“are” is 8.2 times as likely as “is”; the words speak for “is”, the model’s biases more for “are”');
  assert.equal(sumOf(packet, [0, 1], 0, [1, 2, 3]).total, 4, 'the input is read by itself');
  assert.equal(sumOf(packet, [0, 1], 0, [1, 2, 3]).lost, null);
  assert.match(text(leadSaid(sumOf(summed([[1, 0, 0, 0, 0], [0.9, 0, 0, 0, 0]]), [0, 1], 1, [1, 2]))), /^“are” is just ahead of “is”, 1\.1 to 1; “the” speaks for it most$/);
  assert.match(text(leadSaid(sumOf(summed([[1, 0, 0, 0, 0], [0.9, 0, 0, 0, 0]]), [1, 0], 1, [1, 2]))), /^“is” is just behind “are”, 1 to 1\.1; “the” speaks against it most$/);
});

test('the numbers of a sum are written so that they add up', () => {
  const adds = [1.104, 0.994, 0.714, 2.2242], biases = -4.8272, left = 0, total = adds.reduce((sum, one) => sum + one, biases);
  const found = written({ adds, biases, left, total }), units = [...found.adds, found.biases, found.left].map(one => Math.round(100 * one));
  assert.equal(units.reduce((sum, one) => sum + one, 0), Math.round(100 * total));
  assert.ok([...found.adds, found.biases].every((one, i) => Math.abs(one - [...adds, biases][i]) < 0.01));
});

test('the pair of an address is the usual one where it says nothing, and none that is not told of', () => {
  const packet = summed([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [2, 0, 0, 0, 0]]);
  for (const [guess, over, pair] of [['', '', [0, 1]], ['were', '', [2, 0]], ['', 'were', [0, 2]], ['is', 'were', [1, 2]], ['purple', '', null], ['is', 'is', null]]) assert.deepEqual(pairOf(packet, guess, over), pair, `${guess} over ${over}`);
});

test('an address calls each word by its name, and a second one of that name by its number', () => {
  const found = told([[3, 2, 1], [1, 2, 3]]);
  found.about.vocabulary = ['are', 'is', 'are'];
  const here = guessed(found, 3, '');
  assert.deepEqual(here.spelled, ['are', 'is', 'are,2']);
  for (const [i, name] of here.spelled.entries()) assert.equal(guessed(found, 3, name).followed, i);
});

test('the mask takes the place of a word and of nothing else, whatever letters stand before it', () => {
  const spans = [[0, 0, 1], [0, 2, 6], [1, 2, 5], [1, 5, 5]], about = { words: [[1, 1], [2, 2], [5, 1], [6, 1]], sentence: '😀 cats', second: 'a dog' };
  const found = { about: { mask: '<mask>', spans } };
  assert.deepEqual(masked({ about }, found, 2), { sentence: '😀 <mask>' });
  assert.deepEqual(masked({ about }, found, 5), { second: 'a <mask>' });
  assert.equal(masked({ about }, found, 6), null);
  assert.equal(masked({ about }, found, 9), null);
  assert.equal(masked({ about }, { about: { mask: null, spans } }, 2), null);
});

test('of a long run the rows around the word are drawn, and the largest turn is said', () => {
  const tokens = Array.from({ length: 300 }, (_, i) => `t${i}`), way = [0.1, 0.2, 0.9, 1];
  const found = { about: {}, arrays: { cosine: f32([4, 300], way.flatMap(value => Array(300).fill(value))), length: f32([4, 300], Array(1200).fill(1)) } };
  const moves = turned({ about: { tokens } }, found, 290);
  assert.ok(moves.first <= 290 && moves.end === 300 && moves.end - moves.first < 60);
  assert.equal(moves.table().rows[moves.table().path[0]].name, 't290');
  assert.equal(text(said(read, word, null, moves)), 'The vector of “cats” turns most in layer 1: its cosine with the final vector goes from 0.2 to 0.9.');
});

test('where the words speak against a label and what is built in decides, exactly that is said', () => {
  const labelled = { about: { ...runOf('word').about, gap: 6, guesses: { 6: [['good', 0.8], ['bad', 0.2]] }, answer: { of: 'sentence', labels: ['good', 'bad'], problem: 'single_label' } } };
  const of = (adds, biases) => text(labelSaid(labelled, word, { word: 'good', other: 'bad', names: ['a', 'b'], adds, biases, left: 0, total: adds[0] + adds[1] + biases })).replace('\u00a0', ' ');
  assert.match(of([-1, -0.29], 2.91), /: the words speak against it \(−1\.3\), what is built in decides \(\+2\.9\)\.$/);
  assert.match(of([0.3, 0], 1.2), /: most of that is built in \(\+1\.2\), the words add \+0\.3\.$/);
  assert.match(of([3, -1], 0.1), /: “a” speaks for it most, with \+3\.0; “b” against it, with −1\.0\.$/);
});

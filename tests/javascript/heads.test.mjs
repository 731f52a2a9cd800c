// The maps of all heads: how large they are, which rows they have, and what is said of them; words that run from the right.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ends, sizes, windowed } from '../../encoder/browser/heads.js';
import { at, read } from '../../encoder/browser/packet.js';
import { apart, direction, inFull, looks, rowsOf, words } from '../../encoder/browser/run.js';

const shipped = new URL('../../encoder/packet/shipped/the-keys-to-the-cabinet-mask-on-the-table.packet', import.meta.url);
const run = read(new Uint8Array(readFileSync(shipped))), gap = words(run).find(word => word.gap);
/** A run of so many layers and heads, of which only some rows are here. */
const made = (layers, heads, tokens, rows = tokens) => ({ about: {
  model: { layers, heads }, tokens: Array(tokens).fill('a'), kinds: Array(tokens).fill('word'), rows: Array.from({ length: rows }, (_, i) => i + 3),
} });
/** A run of these words, one token each. */
const spoken = (names, more = {}) => ({ about: { tokens: names, kinds: names.map(name => (name === '[MASK]' ? 'mask' : 'word')), names, words: names.map((_, i) => [i, 1]), sentence: '', second: '', ...more } });

test('maps of few heads fit on a screen, those of many can be told apart and hit', () => {
  for (const [layers, heads] of [[1, 1], [6, 8], [12, 12], [24, 16]]) {
    for (const [room, tall] of [[1124, 640], [358, 600]]) {
      const { wide, high, gap } = sizes(made(layers, heads, 14), room, tall);
      assert.ok(wide >= 34 && high === wide && gap > 0, `${layers} ${heads} ${wide}`);
      if (heads <= 8) assert.ok(layers * (high + gap) <= tall && heads * (wide + gap) <= room);
    }
  }
});

test('maps of few rows are low, and it is said which rows they are', () => {
  const part = made(24, 16, 506, 5), { wide, high } = sizes(part, 1124, 640);
  assert.ok(high < wide && high >= 24);
  assert.match(windowed(part), /rows 3 to 7 of 506/);
  assert.equal(windowed(run), '');
});

test('a head that looks nearly at one word alone gives the colours their end', () => {
  const { low, high } = ends(run);
  assert.equal(low, 0);
  let most = 0;
  for (let layer = 0; layer < 6; layer++) for (let head = 0; head < 8; head++) for (let i = 0; i < 12; i++) for (let j = 0; j < 12; j++) most = Math.max(most, at(run.arrays.weights, layer, head, i, j));
  assert.ok(Math.abs(high - most) < 1e-6);
});

test('where another word is asked, all heads are asked anew', () => {
  const keys = words(run)[1], before = looks(run, gap)[5][6].shares[1];
  assert.notEqual(looks(run, keys)[5][6].shares[1], before);
  assert.equal(looks(run, gap)[5][6].shares[1], before);
});

test('a word of several tokens has several rows', () => {
  assert.deepEqual(rowsOf({ about: { rows: [3, 4, 5] } }, { position: 2, count: 3 }), [0, 1]);
  assert.deepEqual(rowsOf(run, gap), [gap.position]);
});

test('words run as the first of them is read, whatever is guessed at a gap', () => {
  for (const [names, way] of [[['שלום', 'world', '123'], 'rtl'], [['The', 'word', 'سلام', 'means', 'peace', '.'], 'ltr'], [['123', '«', 'سلام', 'and'], 'rtl'], [['[MASK]', 'الولد'], 'rtl'], [['[MASK]', 'boy'], 'ltr'], [['…'], 'ltr']]) {
    assert.equal(direction(spoken(names)), way, names.join(' '));
  }
  assert.equal(apart('keys'), 'keys');
  assert.equal(apart('سلام'), '\u2068سلام\u2069');
});

test('a name that was cut is found in its sentence', () => {
  const long = `${'pneumono'.repeat(8)}osis`, cut = `${long.slice(0, 39)}…`;
  assert.equal(inFull(spoken(['A', cut], { sentence: `A ${long}, they say.` }), cut), long);
  assert.equal(inFull(spoken(['A', cut], { sentence: 'One.', second: `A ${long}` }), cut), long);
  assert.equal(inFull(spoken(['A', cut], { sentence: 'Another one.' }), cut), cut);
  assert.equal(inFull(spoken(['…'], { sentence: 'And so on …' }), '…'), '…');
});

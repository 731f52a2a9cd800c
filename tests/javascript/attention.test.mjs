// The stops of attention and the layout of a grid; the arithmetic is tried on recorded runs in a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { boxOf, cellAt, colourOf, endsOf, layout } from '../../encoder/browser/grid.js';
import { read } from '../../encoder/browser/packet.js';
import { digitsOf } from '../../encoder/browser/row.js';
import { begins, calledToken } from '../../encoder/browser/run.js';
import { cellOf, labelOf, readCell, STOPS } from '../../encoder/browser/steps_of_attention.js';
import { maskedBy, namesOf, numbersOf } from '../../encoder/browser/number_strips.js';

const shipped = new URL('../../encoder/packet/shipped/the-keys-to-the-cabinet-mask-on-the-table.packet', import.meta.url);
const run = read(new Uint8Array(readFileSync(shipped)));
const stop = key => STOPS.find(one => one.key === key);
const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
test('a cell is spelled as links spell it, and read again', () => {
  assert.equal(cellOf(stop('softmax'), 5, 6, { row: 6, column: 2 }), 'layers.5.attention.weights:6,6,2');
  assert.equal(cellOf(stop('x'), 0, 6, { row: 3, column: 500 }), 'layers.0.attention.input:3,500');
  STOPS.forEach((one, i) => {
    assert.deepEqual(readCell(cellOf(one, 4, 1, { row: 8, column: 2 })), { stop: i, layer: 4, head: one.own ? 1 : null, place: { row: 8, column: 2 } });
  });
  for (const bad of ['', 'layers.5.attention.weights:6,2', 'layers.5.feed_forward.hidden:1,2', 'layers.x.attention.q:1,2,3', '<b>']) assert.equal(readCell(bad), null);
});

test('strips wait for the vectors, and tokens of one name are told apart', () => {
  assert.equal(numbersOf(stop('q'), run, null, { layer: 0, head: 1 }), null);
  assert.deepEqual(namesOf(['a', 'b', 'a']), ['a (0)', 'b', 'a (2)']);
});

test('words are quoted and placed, gaps are counted', () => {
  const of = (tokens, kinds) => tokens.map((_, i) => calledToken({ about: { tokens, kinds } }, i));
  const word = 'word', [the, key, gap, end] = ['the', '-', '[MASK]', '[SEP]'];
  assert.deepEqual(of([the, key, the, gap, '.', end], [word, word, word, 'mask', word, 'special']), ['the first “the”', '“-”', 'the second “the”', 'the gap', '“.”', '[SEP]']);
  assert.deepEqual(of([gap, gap, end, end], ['mask', 'mask', 'special', 'special']), ['the first gap', 'the second gap', 'the first [SEP]', 'the second [SEP]']);
  assert.equal(of(Array(23).fill(the), Array(23).fill(word))[21], 'the 22nd “the”');
  assert.equal(of(Array(23).fill(the), Array(23).fill(word))[12], 'the 13th “the”');
  assert.deepEqual([begins('the second “the”'), begins('“the”'), begins('[SEP]')], ['The second “the”', '“the”', '[SEP]']);
});

test('a mask is a stop only where something is hidden', () => {
  const made = (/** @type {object} */ about) => ({ arrays: {}, about: { tokens: ['a', 'b', 'c', 'd'], kinds: ['word', 'mask', 'word', 'word'], hidden: [], windows: [], ...about } });
  assert.deepEqual([made({}), made({ hidden: [1] }), made({ kinds: ['word', 'padding'] }), made({ windows: [null, 1] }), made({ windows: [1, 3] })].map(one => maskedBy(one, 1)), [null, '', 'padding', 'window', null]);
  assert.equal(maskedBy({ ...made({ kinds: ['padding'] }), arrays: { masked: {} } }, 1), '');
  assert.deepEqual(['', 'padding'].map(why => labelOf(stop('mask'), 8, false, why)), ['mask', 'padding mask']);
});

test('digits that two numbers have in common', () => {
  assert.deepEqual([[1, 1], [1.002, 1], [100.2, 100], [3, 1], [0, 0], [0.1, 0]].map(([a, b]) => digitsOf(a, b)), [7, 2, 2, 0, 7, 0]);
});

test('every cell of a grid is found where it is drawn, and a grid of up to 64 tokens fits', () => {
  for (const [n, room] of [[12, 640], [12, 358], [20, 358], [64, 640], [120, 358], [600, 358], [1, 358]]) {
    const laid = layout({ rows: n, columns: n, tokens: n, widest: 60, digits: 2 }, room);
    assert.ok(laid.left + laid.wide * n <= room && laid.width <= room + 1, `${n} in ${room}: ${laid.width}`);
    for (const [row, column] of [[0, 0], [n - 1, n - 1], [n >> 1, n >> 2]]) {
      const box = boxOf(laid, row, column);
      assert.deepEqual(cellAt(laid, n, n, box.x + box.width / 2, box.y + box.height / 2), { row, column });
    }
    assert.equal(cellAt(laid, n, n, laid.left - 1, laid.top + 1), null);
    assert.equal(cellAt(laid, n, n, laid.left + 1, laid.top - 1), null);
  }
  assert.ok(layout({ rows: 12, columns: 12, tokens: 12, widest: 60, digits: 2 }, 640).text >= 9);
  assert.ok(layout({ rows: 14, columns: 14, tokens: 14, widest: 60, digits: 2 }, 724, 200).text >= 9); // in a low window
  assert.equal(layout({ rows: 64, columns: 64, tokens: 64, widest: 60, digits: 2 }, 640).text, 0);
  const long = layout({ rows: 512, columns: 512, tokens: 512, widest: 60 }, 640);
  assert.ok(long.width <= 641 && long.wide < 2, 'more tokens than pixels are averaged, not scrolled');
  assert.ok(long.every.rows * long.high >= 12 && long.every.columns * long.wide >= 12); // names do not pile up
});

test('strips take the rows of the grid', () => {
  const grid = layout({ rows: 12, columns: 12, tokens: 12, widest: 60 }, 640), strips = layout({ rows: 12, columns: 64, tokens: 12, widest: 60 }, 640);
  assert.deepEqual([strips.top, strips.left, strips.high, strips.height], [grid.top, grid.left, grid.high, grid.height]);
  near(strips.wide * 64, grid.wide * 12);
});

test('colours fit what is drawn, and one number does not make the rest pale', () => {
  const ends_ = (values, parts, columns, shut = null) => endsOf({ values, columns, shut }, parts);
  assert.deepEqual(ends_([0.1, 0.4, 0.2, 0.3], 'share', 2), { low: 0, high: 0.4, above: 0 });
  assert.deepEqual(ends_([-3, 2, -Infinity, NaN], 'signed', 4), { low: -3, high: 3, above: 0 });
  assert.deepEqual(ends_([-3, 2, -1e9, 1], 'signed', 4, Uint8Array.from([0, 0, 3, 0])), { low: -3, high: 3, above: 0 });
  const { high, above } = ends_([...Array.from({ length: 200 }, (_, i) => i / 200), 90], 'signed', 201);
  assert.ok(high < 1 && above > 0 && above < 5);
  // A hundred tokens that each look at one: most shares are small, and the large ones still differ.
  const n = 100, looks = Array.from({ length: n * n }, (_, i) => (i % (n + 1) ? 0.001 : 0.6 + 0.3 * (i / n / n)));
  assert.equal(ends_(looks, 'share', n).above, 0);
  assert.equal(ends_(looks.map((one, i) => (i === 0 ? 1 : one / 9)), 'share', n).above, 10);
  const ends = { low: -1, high: 1 };
  assert.notDeepEqual(colourOf(0.5, ends, 'signed', 'light'), colourOf(-0.5, ends, 'signed', 'light'));
  assert.deepEqual(colourOf(7, ends, 'signed', 'dark'), colourOf(1, ends, 'signed', 'dark'));
});

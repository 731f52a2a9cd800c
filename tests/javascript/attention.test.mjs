// The stops of attention, the arithmetic of a row and the layout of a grid, on a shipped run and on one made by hand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { boxOf, cellAt, colourOf, endsOf, LEAST, layout } from '../../encoder/browser/grid.js';
import { at, read } from '../../encoder/browser/packet.js';
import { digitsOf, tableOf } from '../../encoder/browser/row.js';
import { cellOf, readCell, STOPS, stopOf } from '../../encoder/browser/stops.js';
import { namesOf, numbersOf } from '../../encoder/browser/strips.js';

const shipped = new URL('../../encoder/packet/shipped/the-keys-to-the-cabinet-mask-on-the-table.packet', import.meta.url);
const run = read(new Uint8Array(readFileSync(shipped)));
const stop = key => STOPS.find(one => one.key === key);
const near = (a, b, within = 1e-6) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);
const array = (shape, ...values) => ({ values: Float32Array.from(values), shape, scale: 1, type: 'f32' });

// Three tokens, two heads of two numbers: q, k and v of head 1 are other than those of head 0, and the third token is hidden.
const e = Math.exp(1 / Math.SQRT2);
const hand = {
  run: {
    level: 1,
    about: { tokens: ['a', 'b', 'a'], kinds: ['word', 'word', 'word'], hidden: [2], rows: [0, 1, 2], gap: -1, model: { layers: 1, heads: 2, d_model: 4, d_head: 2 } },
    arrays: {
      scores: array([1, 2, 3, 3], ...[0, 0, 0, 0, 0, 0, 0, 0, 0], ...[1, 0, 4, 0, 2, 4, 1, 2, 8].map(one => one / Math.SQRT2)),
      weights: array([1, 2, 3, 3], ...[0.5, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5, 0], ...[e / (e + 1), 1 / (e + 1), 0, 1 / (1 + e ** 2), e ** 2 / (1 + e ** 2), 0, 1 / (1 + e), e / (1 + e), 0]),
    },
  },
  vectors: {
    level: 2, about: { layer: 0 },
    arrays: {
      x: array([3, 4], 1, 2, 3, 4, 5, 6, 7, 8, 3, 0, 4, 0),
      q: array([2, 3, 2], 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1), k: array([2, 3, 2], 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 4, 4),
      v: array([2, 3, 2], 0, 0, 0, 0, 0, 0, 3, 4, 0, 2, 9, 9), mixed: array([2, 3, 2], 0, 0, 0, 0, 0, 0, 3 * e / (e + 1), (4 * e + 2) / (e + 1), 0, 0, 0, 0),
      concat: array([3, 4], 0, 0, 3 * e / (e + 1), (4 * e + 2) / (e + 1), 0, 0, 0, 0, 0, 0, 0, 0), output: array([3, 4], 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0),
      products: array([2, 3, 3], ...[0, 0, 0, 0, 0, 0, 0, 0, 0], ...[1, 0, 4, 0, 2, 4, 1, 2, 8]),
    },
  },
};
const byHand = (key, row, column = 0) => tableOf(stop(key), hand.run, hand.vectors, { layer: 0, head: 1 }, { row, column });
const line = (table, position) => table.lines.find(one => one.position === position);

test('eleven stops, each with one short sentence and a step of its own', () => {
  assert.equal(STOPS.length, 11);
  assert.equal(new Set(STOPS.map(one => one.step)).size, 11);
  for (const one of STOPS) assert.ok(one.what.split(/\s+/).length <= 25 && one.title.split(/\s+/).length <= 13, one.what);
  assert.equal(STOPS[stopOf('')].key, 'softmax');
  assert.equal(STOPS[stopOf('attention.q')].key, 'q');
});

test('a cell is spelled as links spell it, and read again', () => {
  assert.equal(cellOf(stop('softmax'), 5, 6, { row: 6, column: 2 }), 'layers.5.attention.weights:6,6,2');
  assert.equal(cellOf(stop('x'), 0, 6, { row: 3, column: 500 }), 'layers.0.attention.input:3,500');
  STOPS.forEach((one, i) => {
    assert.deepEqual(readCell(cellOf(one, 4, 1, { row: 8, column: 2 })), { stop: i, layer: 4, head: one.own ? 1 : null, place: { row: 8, column: 2 } });
  });
  for (const bad of ['', 'layers.5.attention.weights:6,2', 'layers.5.feed_forward.hidden:1,2', 'layers.x.attention.q:1,2,3', '<b>']) assert.equal(readCell(bad), null);
});

test('softmax done again is the recorded one in every row of every head of a real run', () => {
  const { layers, heads } = run.about.model;
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      for (let row = 0; row < run.about.rows.length; row++) {
        const table = tableOf(stop('softmax'), run, null, { layer, head }, { row, column: 0 });
        assert.ok(table.agrees, `${layer} ${head} ${row}`);
        assert.equal(table.lines.length, run.about.tokens.length);
        for (const one of table.lines) near(one.numbers[2], at(run.arrays.weights, layer, head, row, one.position), 1 / 65534);
        near(table.lines.reduce((sum, one) => sum + one.numbers[2], 0), 1);
        near(table.lines[0].numbers[2], Math.max(...table.lines.map(one => one.numbers[2])));
      }
    }
  }
});

test('the gap gives most of its attention to keys, to as many digits as 16 bits hold', () => {
  const table = tableOf(stop('softmax'), run, null, { layer: 5, head: 6 }, { row: run.about.gap, column: 2 });
  assert.equal(table.lines[0].name, 'keys');
  assert.equal(table.about, '[MASK] looks at');
  assert.equal(table.lines[0].numbers[1], 1);
  near(table.sum.numbers[1], 1 / table.lines[0].numbers[2], 1e-6);
  assert.ok(table.lines[0].digits >= 4);
});

test('a temperature divides the scores, and nothing is said to be recorded', () => {
  const table = tableOf(stop('softmax'), hand.run, null, { layer: 0, head: 1, temperature: 0.5 }, { row: 0, column: 0 });
  near(line(table, 0).numbers[2], e ** 2 / (e ** 2 + 1));
  near(line(table, 1).numbers[2], 1 / (e ** 2 + 1));
  assert.equal(line(table, 2).numbers[2], 0);
  assert.ok(table.lines.every(one => one.digits === null) && table.check.includes('0.5'));
});

test('a number that was changed on the way does not agree, and it is said', () => {
  const weights = { ...run.arrays.weights, values: run.arrays.weights.values.slice() };
  weights.values[0] += 40;
  const table = tableOf(stop('softmax'), { ...run, arrays: { ...run.arrays, weights } }, null, { layer: 0, head: 0 }, { row: 0, column: 0 });
  assert.equal(table.agrees, false);
  assert.equal(line(table, 0).agrees, false);
  assert.match(table.check, /1 of 12 do not agree/);
});

test('queries times keys, the division and the mask by hand', () => {
  const scores = byHand('scores', 1);
  assert.deepEqual(scores.lines.map(one => [one.position, one.numbers[2]]), [[2, 4], [1, 2], [0, 0]]);
  near(line(scores, 2).numbers[0], Math.hypot(4, 4));
  near(line(scores, 2).numbers[1], Math.SQRT1_2);
  assert.ok(scores.agrees && scores.lines.every(one => one.digits === 7));
  const scaled = byHand('scaled', 2);
  assert.deepEqual(line(scaled, 2).numbers.slice(0, 2), [8, Math.SQRT2]);
  near(line(scaled, 2).numbers[2], 8 / Math.SQRT2);
  assert.ok(scaled.agrees);
  const masked = byHand('mask', 2);
  assert.deepEqual(line(masked, 2).numbers.slice(1), ['hidden', -Infinity]);
  assert.equal(line(masked, 0).numbers[1], 'seen');
});

test('what each token adds to the mixture by hand, and the heads side by side', () => {
  const mixed = byHand('mixed', 0, 1), share = e / (e + 1);
  assert.deepEqual(line(mixed, 0).numbers.map(one => Number(one.toFixed(5))), [share, 5, 5 * share, 4 * share].map(one => Number(one.toFixed(5))));
  near(mixed.sum.numbers[2], Math.hypot(3 * share, 4 * share + 2 * (1 - share)), 1e-5);
  near(mixed.sum.numbers[3], 4 * share + 2 * (1 - share), 1e-5);
  assert.ok(mixed.agrees);
  const concat = byHand('concat', 0);
  assert.deepEqual(concat.lines.map(one => [one.name, one.numbers[0], one.agrees]), [['head 0', '0 to 1', true], ['head 1', '2 to 3', true]]);
  const x = byHand('x', 2);
  assert.deepEqual([x.lines[0].position, x.lines[0].numbers[0], x.sum.numbers[0]], [2, 4, 5]);
});

test('numbers of a stop are those of its head; strips wait for the vectors', () => {
  assert.equal(numbersOf(stop('q'), hand.run, null, { layer: 0, head: 1 }), null);
  assert.deepEqual([...numbersOf(stop('q'), hand.run, hand.vectors, { layer: 0, head: 1 }).values], [1, 0, 0, 1, 1, 1]);
  assert.deepEqual([...numbersOf(stop('mask'), hand.run, null, { layer: 0, head: 1 }).values].filter(one => one === -Infinity).length, 3);
  assert.deepEqual(namesOf(hand.run.about.tokens), ['a (0)', 'b', 'a (2)']);
});

test('digits that two numbers have in common', () => {
  assert.deepEqual([[1, 1], [1.002, 1], [100.2, 100], [3, 1], [0, 0], [0.1, 0]].map(([a, b]) => digitsOf(a, b)), [7, 2, 2, 0, 7, 0]);
});

test('every cell of a grid is found where it is drawn, and a grid of up to 64 tokens fits', () => {
  for (const [n, room] of [[12, 640], [12, 358], [20, 358], [64, 640], [1, 358]]) {
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
  assert.equal(layout({ rows: 64, columns: 64, tokens: 64, widest: 60, digits: 2 }, 640).text, 0);
  const long = layout({ rows: 512, columns: 512, tokens: 512, widest: 60 }, 640);
  assert.equal(long.wide, LEAST);
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

// Arcs end at their words, are as thick as their shares, and go no farther than their room.
import assert from 'node:assert/strict';
import test from 'node:test';
import { arcs } from '../../encoder/browser/arcs.js';
import { twinOf } from '../../encoder/browser/start.js';

const line = n => Array.from({ length: n }, (_, i) => ({ x: 50 * i, y: 180, w: 40, h: 50 }));
const numbers = path => path.match(/-?[\d.]+/g).map(Number);
const draw = more => arcs({ boxes: line(5), from: 3, shares: [0.03, 0.8, 0.0001, 0.1, 0.07], way: 'across', room: 160, thickest: 20, ...more });

test('an arc goes from the asked word to another, none to itself and none for nothing', () => {
  const all = draw();
  assert.deepEqual(all.map(arc => arc.to), [0, 4, 1]);
  for (const { to, path } of all) {
    const [x1, y1, , , , , x2, y2] = numbers(path);
    assert.deepEqual([x1, y1, x2, y2], [170, 180, 50 * to + 20, 180]);
  }
});

test('thickness is the share, the thickest lies above and is the one that says most', () => {
  const all = draw(), wide = new Map(all.map(arc => [arc.to, arc.width]));
  assert.equal(wide.get(1), 16);
  assert.ok(Math.abs(wide.get(4) - 1.4) < 1e-9);
  assert.deepEqual(all.map(arc => arc.most), [false, false, true]);
});

test('the top of every arc stays in its room', () => {
  for (let from = 0; from < 5; from++) {
    for (const { path, width } of draw({ from })) {
      const [, y1, , handle] = numbers(path);
      assert.ok(0.75 * (y1 - handle) + width / 2 <= 160);
    }
  }
});

test('arcs beside a column stay in their room', () => {
  const boxes = line(6).map((box, i) => ({ ...box, x: 100, y: 34 * i }));
  for (const { path, width } of draw({ boxes, way: 'down' })) {
    const [x1, , handle] = numbers(path);
    assert.ok(0.75 * (handle - x1) + width / 2 <= 160);
  }
});

test('of 500 words on many lines only the clearest have arcs', () => {
  const boxes = Array.from({ length: 500 }, (_, i) => ({ x: (i % 12) * 80, y: Math.floor(i / 12) * 50, w: 70, h: 30 }));
  const shares = boxes.map((_, i) => (i % 20 ? 0.0001 : 0.02 + i / 20000));
  const all = draw({ boxes, shares, from: 250, way: 'lines' });
  assert.equal(all.length, 12);
  assert.equal(all.at(-1).to, 480);
  assert.ok(all.every(({ path }) => numbers(path).every(Number.isFinite)));
});

test('from line to line an arc goes over the upper line, and straight down to a word below: none lies flat between them', () => {
  const boxes = Array.from({ length: 10 }, (_, i) => ({ x: 50 * (i % 5), y: 60 * Math.floor(i / 5), w: 40, h: 30 }));
  const [below, far] = [5, 9].map(to => draw({ boxes, from: 0, shares: boxes.map((_, i) => Number(i === to)), way: 'lines', room: 22, thickest: 4 })[0].path).map(numbers);
  assert.deepEqual([below[1], below.at(-1)], [30, 60], 'out of the lower edge and into the upper one');
  assert.deepEqual([far[1], far.at(-1)], [0, 60], 'both words are left and reached from above');
  assert.ok(far[3] < 0 && far[3] === far[5], 'it rises over the upper line');
});

test('what the model leaves open draws nothing', () => {
  assert.deepEqual(draw({ shares: Array(5).fill(NaN) }), []);
  assert.deepEqual(draw({ from: -1 }), []);
});

test('a pair differs by one word', () => {
  const all = ['The keys open it.', 'The key open it.', 'The key opens it.'];
  assert.deepEqual(twinOf('The keys open it.', all), { other: 'The key open it.', at: 1 });
  assert.equal(twinOf('A longer one.', all), null);
});

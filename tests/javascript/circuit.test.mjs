// Arrows of a circuit start at their words, fall side by side into the box, and their names cover nothing; dots of a strip do not lie on each other.
import assert from 'node:assert/strict';
import test from 'node:test';
import { layout, widthOf } from '../../encoder/browser/circuit_layout.js';
import { heights, median } from '../../encoder/browser/dot_strip.js';

const words = Array.from({ length: 9 }, (_, i) => ({ at: 60 + 90 * i, high: 60 }));
const arrow = (layer, head, from, to, share) => ({ layer, head, from, to, share });
const CIRCUIT = [arrow(5, 6, 1, 5, 0.42), arrow(4, 1, 1, 5, 0.27), arrow(4, 1, 0, 5, 0.2), arrow(3, 6, 1, 0, 0.15)];
const draw = (arrows = CIRCUIT, more = {}) => layout({ arrows, words, gap: 5, room: 860, start: 80, row: 44, beside: 16, name: { u: 128, v: 32 }, box: { u: 180, v: 48 }, head: 66, down: false, ...more });
const numbers = path => path.match(/-?[\d.]+/g).map(Number);

test('arrows start at their words, and those to the gap end beside each other within the box', () => {
  const { arrows, box } = draw(), ends = [];
  CIRCUIT.forEach(({ from, to, share }, i) => {
    const all = numbers(arrows[i].path);
    assert.equal(all[0], words[from].at);
    assert.equal(arrows[i].width, widthOf(share));
    if (to === 5) ends.push([all.at(-2) - arrows[i].width / 2, all.at(-2) + arrows[i].width / 2]);
    else assert.ok(arrows[i].tip && Math.abs(all.at(-2) - words[to].at) < 20);
  });
  ends.sort((a, b) => a[0] - b[0]);
  ends.slice(1).forEach(([low], i) => assert.ok(low > ends[i][1]));
  assert.ok(ends[0][0] > box.u - 90 && ends.at(-1)[1] < box.u + 90);
});

test('no line bends within less than half of its own width', () => {
  for (let share = 0.02; share < 1; share += 0.02) {
    for (const { path, width } of draw([arrow(5, 1, 5, 5, share), arrow(4, 0, 2, 5, 0.2), arrow(4, 4, 4, 5, 0.05)]).arrows) {
      const bend = /Q([-\d.]+),?\s*[-\d.]+/.exec(path), before = numbers(path)[2];
      if (bend) assert.ok(Math.abs(Number(bend[1]) - before) >= width / 2 - 0.2, path); // places are written in tenths
    }
  }
});

test('an arrow of a lower layer never crosses one that falls from above', () => {
  for (const from of [[0, 1, 2], [6, 7, 8], [1, 7, 2]]) {
    const some = from.map((word, i) => arrow(3 + i, 0, word, 5, 0.3)), { arrows } = draw(some);
    const lines = arrows.map(({ path, width }) => { const all = numbers(path); return { u: all[0], v: all[1], turn: all.at(-2), half: width / 2 }; });
    for (const upper of lines) {
      for (const lower of lines) if (lower.v > upper.v) assert.ok(upper.turn + upper.half <= Math.min(lower.u, lower.turn - lower.half) || upper.turn - upper.half >= Math.max(lower.u, lower.turn + lower.half));
    }
  }
});

test('names stand within the room and on no other name', () => {
  const many = Array.from({ length: 6 }, (_, i) => arrow(i, i, i === 5 ? 6 : i, 5, 0.1 + i / 20));
  for (const [arrows, more] of [[CIRCUIT, {}], [many, {}], [CIRCUIT, { down: true, name: { u: 30, v: 78 }, row: 40 }], [[arrow(2, 0, 5, 5, 0.6), arrow(2, 1, 4, 5, 1.4)], {}]]) {
    const name = more.name ?? { u: 128, v: 32 }, spots = draw(arrows, more).arrows.map(one => one.name);
    spots.forEach(({ u, v }, i) => {
      assert.ok(u >= name.u / 2 && u <= 860 - name.u / 2);
      for (const other of spots.slice(0, i)) assert.ok(Math.abs(u - other.u) >= name.u || Math.abs(v - other.v) >= name.v);
    });
  }
});

test('a name leaves the tip of an arrow to another word in sight', () => {
  const close = [226, 296, 381, 496, 575, 640].map(at => ({ at, high: 60 }));
  const { arrows: [{ name, tip }] } = draw([arrow(3, 6, 2, 0, 0.09), arrow(3, 0, 2, 3, 0.21), arrow(4, 1, 2, 3, 0.22), arrow(4, 4, 2, 3, 0.12), arrow(4, 1, 0, 3, 0.11)], { words: close, gap: 3, room: 896, name: { u: 214, v: 32 } });
  assert.ok(tip && Math.abs(name.u - close[0].at) > 214 / 2);
});

test('a name that is short stands the nearer to its arrow', () => {
  const short = { ...arrow(5, 7, 6, 5, 0.1), wide: 120 }, [first, second] = [short, { ...short, wide: 240 }].map(one => draw([one]).arrows[0]);
  for (const [{ name, dot, width }, { wide }] of [[first, short], [second, { wide: 240 }]]) assert.ok(Math.abs(name.u - dot.u) - wide / 2 < width + 12, `${name.u} ${dot.u}`);
  assert.ok(Math.abs(first.name.u - first.dot.u) < Math.abs(second.name.u - second.dot.u));
});

test('dots of a strip are as far apart as they are wide, and the median is the middle', () => {
  const places = Array.from({ length: 200 }, (_, i) => 300 + 40 * Math.sin(i * 7.3) ** 3), up = heights(places);
  places.forEach((x, i) => { for (let j = 0; j < i; j++) assert.ok(Math.hypot(x - places[j], up[i] - up[j]) > 4); });
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
});

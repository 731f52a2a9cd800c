// The functions of the server pages' components that touch no page, with values known by hand.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { brief, percent, points, short } from '../../encoder/browser/number.js';
import { bytes, pixels } from '../../pages/ui/components/cells.js';
import { bandsOf, isDark, levelText, signedText, unpack, wholePercent } from '../../pages/ui/components/living_map_data.js';
import { columnSpans, kept, layout, thumbAt, thumbGrid } from '../../pages/ui/components/living_map_layout.js';

const packed = array => Buffer.from(array.buffer).toString('base64');

test('numbers are written as the table says that Python keeps to', async () => {
  const cases = JSON.parse(await readFile(new URL('../number_cases.json', import.meta.url), 'utf8'));
  for (const { value, ...forms } of cases) {
    const v = { inf: Infinity, '-inf': -Infinity, nan: NaN }[value] ?? Number(value);
    assert.deepEqual({ brief: brief(v), short: short(v), percent: percent(v), 'whole percent': percent(v, 1), points: points(v), 'whole points': points(v, 1) }, forms, value);
  }
});

test('levels become colours of the palette, and what has none is clear', () => {
  assert.deepEqual([...bytes(packed(Uint8Array.of(0, 7, 254, 255)))], [0, 7, 254, 255]);
  const [a, d] = [[97, 98, 99, 255], [100, 101, 102, 255]];
  assert.deepEqual([...pixels([1, -1, 0, 2, 255], Buffer.from('abcdef'))], [...d, 0, 0, 0, 0, ...a, ...Array(8).fill(0)]);
});

test('a packet of the living map is unpacked, and its levels are written', () => {
  const about = Buffer.from(JSON.stringify({ arrays: { a: ['|u1', [1, 3], 0], b: ['<f4', [2], 3] } }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(about.length);
  const { arrays } = unpack(new Uint8Array(Buffer.concat([length, about, Buffer.of(1, 2, 255), Buffer.from(Float32Array.of(0.5, -3).buffer)])));
  assert.deepEqual(arrays, { a: { values: Uint8Array.of(1, 2, 255), shape: [1, 3] }, b: { values: Float32Array.of(0.5, -3), shape: [2] } });
  assert.deepEqual([0, 1, 2, 97, 98, 199, 200].map(wholePercent), [0, 1, 1, 49, 49, 100, 100]);
  assert.deepEqual([0, 98, 199, 200, 255].map(levelText), ['under 1 %', '49 %', 'over 99 %', '100 %', 'no number']);
  for (let share = 0.0007; share < 1; share += 0.0013) { // every weight of a level has the text of the level
    assert.equal(levelText(Math.floor(share * 200)), percent(share, 1));
  }
  assert.deepEqual([signedText(127, 3), signedText(0, 3)], ['≈ 0', '\u22123 or beyond']);
  assert.deepEqual(bandsOf(Uint8Array.of(30, 29, 255, 200), 2, 15, () => true).map(band => [band.query, band.key]), [[0, 0], [1, 1]]);
  assert.deepEqual([isDark('rgb(13, 17, 24)'), isDark('rgb(255, 255, 255)')], [true, false]);
});

test('nothing of the living map stands on another', () => {
  const apart = spans => spans.every(({ x, w }, i) => !spans[i + 1] || x + w <= spans[i + 1].x);
  for (const layers of [1, 6, 24]) {
    for (const open of [-1, 0]) {
      const asked = { width: 800, rows: 14, layers, heads: 8, open, guesses: true, coarse: false, natural: 540 };
      const all = layout(asked);
      assert.ok(apart([...all.strips, ...all.cards, all.guess]));
    }
  }
  const columns = columnSpans([14, 14, 110, 14], 400), thumbs = Array.from({ length: 8 }, (_, head) => thumbAt(head, thumbGrid(8, 92, 106), 92));
  assert.ok(apart(columns) && columns[3].x + columns[3].w <= 400);
  assert.equal(new Set(thumbs.map(({ x, y }) => `${x} ${y}`)).size, 8);
  assert.ok(thumbs.every(({ x, size }) => x >= 0 && x + size <= 92));
  assert.deepEqual([kept(-5, 900, 400), kept(700, 900, 400), kept(50, 300, 400)], [0, 500, 0]);
});

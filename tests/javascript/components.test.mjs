// The functions of the server pages' components that touch no page, with values known by hand.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { brief, percent, points, short } from '../../encoder/browser/number.js';
import { bytes, pixels } from '../../pages/ui/components/cells.js';

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

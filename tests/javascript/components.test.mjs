// The functions of the server pages' components that touch no page, with values known by hand.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { brief, percent, points, short } from '../../encoder/browser/number.js';

test('numbers are written as the table says that Python keeps to', async () => {
  const cases = JSON.parse(await readFile(new URL('../number_cases.json', import.meta.url), 'utf8'));
  for (const { value, ...forms } of cases) {
    const v = { inf: Infinity, '-inf': -Infinity, nan: NaN }[value] ?? Number(value);
    assert.deepEqual({ brief: brief(v), short: short(v), percent: percent(v), 'whole percent': percent(v, 1), points: points(v), 'whole points': points(v, 1) }, forms, value);
  }
});


// The functions of the server pages' components that touch no page, with values known by hand.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { both, brief, fromTo, inCell, percent, points, pointsLost, short, tight } from '../../encoder/browser/number.js';

test('numbers are written as the table says that Python keeps to', async () => {
  const cases = JSON.parse(await readFile(new URL('../number_cases.json', import.meta.url), 'utf8'));
  for (const { value, ...forms } of cases) {
    const v = { inf: Infinity, '-inf': -Infinity, nan: NaN }[value] ?? Number(value);
    assert.deepEqual({ brief: brief(v), short: short(v), percent: percent(v), 'whole percent': percent(v, 1), points: points(v), 'whole points': points(v, 1) }, forms, value);
  }
});

test('what is lost of a share is the difference of both as they are told', async () => {
  for (const { before, after, both: texts, lost } of JSON.parse(await readFile(new URL('../share_cases.json', import.meta.url), 'utf8'))) {
    assert.deepEqual([both(before, after), pointsLost(before, after)], [texts, lost], `${before} ${after}`);
    assert.equal(fromTo(before, after), texts.map(tight).join(' → '));
  }
});

test('a share in a cell is a whole percent, a dot where that is none, and nothing where it is zero', () => {
  assert.deepEqual([0, 0.004, 0.005, 0.994, 0.996, 1, -0.3, NaN].map(inCell), ['', '·', '1', '99', '>99', '100', '−30', '–']);
});

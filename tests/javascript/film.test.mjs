// The film of a training: labels apart, where a step of another training stands, and shares as they were packed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { placeOf, spread, unpacked } from '../../encoder/browser/film_layout.js';

const STEPS = [0, 10, 30, 100, 300, 1000, 3000, 10000, 20000];

test('names of curves that end close together are moved apart in their order, and none below the foot', () => {
  assert.deepEqual(spread([100, 40, 104, 41], 18, 200), [100, 40, 118, 58]);
  assert.deepEqual(spread([195, 190, 60], 20, 200), [200, 180, 60]);
});

test('a step stands among others by its logarithm', () => {
  STEPS.forEach((step, i) => assert.equal(placeOf(STEPS, step), i));
  assert.ok(Math.abs(placeOf(STEPS, 1732) - 5.5) < 0.001);
  assert.equal(placeOf(STEPS, 50000), 8);
  assert.equal(placeOf([5, 50], 0), 0);
});

test('shares come out of 16 bits as they were packed', () => {
  const shares = [0, 1, 0.5, 0.125, 0.6], bytes = new Uint8Array(new Uint16Array(shares.map(share => Math.round(share * 65535))).buffer);
  unpacked(btoa(String.fromCharCode(...bytes))).forEach((share, i) => assert.ok(Math.abs(share - shares[i]) < 1e-5));
});

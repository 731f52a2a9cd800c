// The film of a training: where a moment stands, which one is meant by a place or a key, labels apart, and what arcs say.
import assert from 'node:assert/strict';
import test from 'node:test';
import { saidOf, sharesOf } from '../../pages/ui/components/film_arcs.js';
import { filmLine, keyed, momentAt, shareAt, spread, stepAt } from '../../pages/ui/components/film_draw.js';

const STEPS = [0, 10, 30, 100, 300, 1000, 3000, 10000, 20000], frame = { left: 46, right: 646, top: 14, low: 214 };

test('steps stand on a logarithmic axis that has room for step 0', () => {
  const places = STEPS.map(step => stepAt(step, 20000, frame));
  assert.equal(places[0], 46);
  assert.equal(places[8], 646);
  assert.ok(places.every((x, i) => !i || x > places[i - 1] + 25), 'no two lie on each other');
  assert.ok(Math.abs(places[5] - places[3] - (places[7] - places[5])) < 3, 'the same factor is the same distance');
});

test('a share of all is at the top, none at the foot', () => {
  assert.equal(shareAt(1, frame), 14);
  assert.equal(shareAt(0, frame), 214);
  assert.equal(shareAt(0.25, frame, 0.25), 14);
  assert.equal(filmLine([0, 9], [0, 1], frame), 'M46.0 214.0L646.0 14.0');
});

test('a place on the axis means the moment that is nearest to it', () => {
  STEPS.forEach((step, i) => assert.equal(momentAt(STEPS, stepAt(step, 20000, frame) + 6, frame), i));
  assert.equal(momentAt(STEPS, -50, frame), 0);
  assert.equal(momentAt(STEPS, 5000, frame), 8);
});

test('keys go from moment to moment and stay within the film', () => {
  assert.equal(keyed('ArrowRight', 3, 8), 4);
  assert.equal(keyed('ArrowRight', 8, 8), 8);
  assert.equal(keyed('ArrowLeft', 0, 8), 0);
  assert.equal(keyed('Home', 5, 8), 0);
  assert.equal(keyed('End', 5, 8), 8);
  assert.equal(keyed('x', 5, 8), null);
});

test('names of curves that end close together are moved apart in their order', () => {
  const placed = spread([100, 40, 104, 41], 18);
  assert.deepEqual(placed, [100, 40, 118, 58]);
});

test('shares come out of 16 bits as they were packed, and what is said are the largest of them', () => {
  const shares = [[0.5, 0.25, 0.125], [0.1, 0.2, 0.6]], numbers = new Uint16Array([...shares, ...shares, ...shares].flat().map(share => Math.round(share * 65535)));
  const bytes = new Uint8Array(numbers.buffer);
  sharesOf(bytes, 0, 1, 3).forEach((share, i) => assert.ok(Math.abs(share - shares[1][i]) < 1e-4));
  const said = saidOf('head 0 of layer 2', ['the', 'old', 'man'], 1, [0.1, 0.2, 0.6], 0.1, 3000);
  assert.equal(said, 'At step 3,000 head 0 of layer 2 looks from “old” at “man” 60 %, “the” 10 %; 20 % stay on it, 10 % rest on tokens that are no words.');
});

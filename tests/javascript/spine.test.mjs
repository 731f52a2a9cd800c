// What is said of a guess, or of a word, without one part of the model or one head.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { read } from '../../encoder/browser/packet.js';
import { headFor, look, wordAt, words } from '../../encoder/browser/run.js';
import { withoutPart } from '../../encoder/browser/spine.js';

const shipped = name => read(new Uint8Array(readFileSync(new URL(`../../encoder/packet/shipped/${name}.packet`, import.meta.url))).buffer);
const keys = shipped('the-keys-to-the-cabinet-mask-on-the-table'), { gap } = keys.about;
const text = (run, part, position = gap) => withoutPart(run, part, position).map(one => one.text).join('');
const f32 = (shape, ...values) => ({ values: Float32Array.from(values), shape, scale: 1, type: 'f32' });

/** A run of one layer and one head, in which a word of 50 % has this share without attention, and this one without feed-forward. */
const guessing = (attention, feedForward, untrained) => ({
  about: { tokens: ['a', '[MASK]'], kinds: ['word', 'mask'], words: [[0, 1]], names: ['a'], rows: [0, 1], gap: 1, guesses: { 1: [['it', 0.5]] }, off: { words: ['it'], shares: [0.5] }, model: { layers: 1, heads: 1, ...(untrained && { untrained }) } },
  arrays: { off: f32([1, 1, 1], 0.25), parts: f32([1, 2, 1], attention, feedForward), places: f32([1], 0.001) },
});

test('nothing is said of a guess where it was not tried, is none, or means nothing', () => {
  const part = { layer: 0, block: 1 };
  assert.deepEqual(withoutPart(guessing(0.4, NaN), part, 1), [], 'no number came of it');
  assert.deepEqual(withoutPart(guessing(0.4, 0.4), part, 0), [], 'the word is not the gap');
  assert.deepEqual(withoutPart(guessing(0.4, 0.4, true), part, 1), [], 'random weights');
  const long = guessing(0.4, 0.4);
  assert.deepEqual(withoutPart({ ...long, arrays: {} }, part, 1), [], 'too long to try');
  assert.deepEqual(withoutPart(long, { layer: 3, head: 0 }, 1), [], 'no such head');
  assert.ok(withoutPart(long, part, 1).length);
});

test('without a guess it is said how far the word moves, of a word of several tokens the mean', () => {
  const run = {
    about: { tokens: ['[CLS]', 'ca', '##t'], kinds: ['special', 'word', 'word'], words: [[1, 2]], names: ['cat'], rows: [0, 1, 2], gap: -1, guesses: {}, model: { layers: 1, heads: 1 } },
    arrays: { moved: f32([1, 1, 3], 0, 0.1, 0.3), moved_parts: f32([1, 2, 3], 0, 0.2, 0.2, 0, 0.5, 0.25) },
  };
  assert.equal(text(run, { layer: 0, block: 1 }, 2), 'Without the feed-forward of layer 0 the last vector of “cat” changes by 38 %');
  assert.equal(text(run, { layer: 0, head: 0 }, 1), 'Without head 0 of layer 0 the last vector of “cat” changes by 20 %');
  assert.deepEqual(withoutPart(run, { layer: -1, block: 0 }, 1), [], 'no positions are added');
  assert.deepEqual(withoutPart(run, { layer: 0, block: 1 }, 0), [], 'no word stands there');
});

test('a word that is pressed has a head that looks at another word, and keeps one that does', () => {
  const all = words(keys), most = (word, place) => { const { shares, rest } = look(keys, place.layer, place.head, word); return { to: all[shares.indexOf(Math.max(...shares))], rest, top: Math.max(...shares) }; };
  for (const word of all.filter(one => one.plain)) {
    const place = headFor(keys, word, { layer: 4, head: 7 }), { to, rest, top } = most(word, place);
    assert.ok(to !== word && (to.plain || to.gap) && top >= rest, `${word.name} looks at ${to.name}`);
    assert.deepEqual(headFor(keys, word, place), place);
  }
  assert.deepEqual(headFor(keys, all[wordAt(keys, gap)], { layer: 0, head: 0 }), { layer: null, head: null }, 'at the gap the run chooses');
});

// Shelves of lessons: what was done of each, which one comes next, and what a search finds.
import assert from 'node:assert/strict';
import test from 'node:test';
import { fits, nextOf, stateOf } from '../../encoder/browser/shelf_state.js';

const card = (name, asks) => ({ name, title: name, minutes: 5, picture: '', says: '', asks, steps: asks.map((_, i) => `/${name}?at=${i + 1}`) });
const first = card('first', [true, false, true]), second = card('second', [true, true]);
const done = { guess: 1, of: '' }, shown = { guess: null, of: '' };

test('a step is done with a guess, and seen where its answer was only shown; one that asks nothing is done when it was seen', () => {
  assert.deepEqual(stateOf(first, {}), { dots: ['', '', ''], begun: false, next: 0 });
  assert.deepEqual(stateOf(first, { first: { at: 2, guesses: { 1: shown, 2: shown } } }), { dots: ['is-seen', 'is-done', ''], begun: true, next: 2 });
  assert.equal(stateOf(first, { first: { at: 3, guesses: { 1: done, 2: shown, 3: done } } }).next, -1);
});

test('a lesson goes on behind the step that was seen last, then with what was left out', () => {
  assert.equal(stateOf(first, { first: { at: 2, guesses: { 2: shown } } }).next, 2);
  assert.equal(stateOf(first, { first: { at: 3, guesses: { 3: done } } }).next, 0);
});

test('the next lesson is one that was begun, else the first that is left', () => {
  assert.equal(nextOf([first, second], {}), first);
  assert.equal(nextOf([first, second], { second: { at: 1, guesses: { 1: done } } }), second);
  assert.equal(nextOf([first, second], { first: { at: 3, guesses: { 1: done, 2: shown, 3: done } } }), second);
  assert.equal(nextOf([second], { second: { at: 2, guesses: { 1: shown, 2: done } } }), undefined);
});

test('progress that is not as it was written opens the list as on a first visit', () => {
  for (const broken of [{ first: null }, { first: {} }, { first: { guesses: null } }, { first: 7 }]) assert.equal(stateOf(first, broken).next, 0);
});

test('a search finds what has all its words, whatever their case', () => {
  assert.ok(fits('HIDDEN size', 'The size', 'of hidden_size'));
  assert.ok(!fits('hidden head', 'hidden_size'));
});

// Sentences are those of Python: one table of cases, tests/pattern_cases.json.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { typeset } from '../../encoder/browser/number.js';
import { parts, say } from '../../encoder/browser/say.js';

const cases = JSON.parse(readFileSync(new URL('../pattern_cases.json', import.meta.url), 'utf8'));

test('every sentence is the one of the table', () => {
  for (const [key, args, text] of cases) assert.equal(say(key, args), text);
});

test('the parts of a sentence are its text, and its arguments have names', () => {
  for (const [key, args, text] of cases) {
    const all = parts(key, args);
    assert.equal(all.map(part => part.text).join(''), text);
    assert.deepEqual(new Set(all.map(part => part.name).filter(Boolean)), new Set(Object.keys(args)));
  }
});

test('no sentence is made of what is missing', () => {
  assert.throws(() => say('nothing'));
  assert.throws(() => say('looks', { head: 1, layer: 2, word: 'keys' }));
});

test('no percentage is broken before its sign', () => {
  assert.equal(typeset('from 85 % to -7 %'), 'from 85\u00a0% to \u22127\u00a0%');
});

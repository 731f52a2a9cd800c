// Terms that are explained where they stand: which words of a sentence, and each meaning once.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { explained } from '../../encoder/browser/terms.js';

const glossary = JSON.parse(readFileSync(new URL('../../encoder/model/steps/glossary.json', import.meta.url), 'utf8'));
/** The terms of a sentence, and what it says in all. */
const terms = text => explained(text).filter(part => typeof part !== 'string').map(part => part.values);
const whole = text => explained(text).map(part => (typeof part === 'string' ? part : part.values.at(-1))).join('');

test('a term is found in any case and as a word of its own, once in a sentence', () => {
  const text = 'Heads look. A head of a layer reads vectors; ahead of it [SEP] and the gap, a gapless one.';
  assert.deepEqual(terms(text).map(([, word]) => word), ['Heads', 'layer', 'vectors', '[SEP]', 'gap']);
  assert.equal(whole(text), text);
  assert.equal(terms(text)[0][0], glossary.find(term => term.words?.includes('head')).meaning);
  assert.deepEqual(terms('Nothing here.'), []);
});

test('every word of the glossary that may be explained is', () => {
  for (const { words = [], meaning } of glossary) for (const word of words) assert.deepEqual(terms(`It is ${word}.`), [[meaning, word]]);
});

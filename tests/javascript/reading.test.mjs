// What a run chooses and claims: the cases of reading_cases.json.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import test from 'node:test';
import { read } from '../../encoder/browser/packet.js';
import { choice, toHide, words } from '../../encoder/browser/run.js';
import { claim, question } from '../../encoder/browser/claim.js';

const { runs, cases } = JSON.parse(readFileSync(new URL('reading_cases.json', import.meta.url), 'utf8'));
const folder = new URL('../../encoder/packet/shipped/', import.meta.url);
const shipped = readdirSync(folder).filter(name => name.endsWith('.packet')).map(name => read(new Uint8Array(readFileSync(new URL(name, folder))).buffer));
const text = parts => parts.map(part => part.text).join('');

/** A run that the table holds itself; null is no number. */
function small({ about, weights }) {
  const values = Float32Array.from(weights.flat(3), value => value ?? NaN);
  const shape = [about.model.layers, about.model.heads, about.rows.length, about.tokens.length];
  return { level: 1, about, arrays: { weights: { values, shape, scale: 1, type: 'f32' } } };
}
const runOf = name => (runs[name] ? small(runs[name]) : shipped.find(run => run.about.sentence === name));

test('words to hide stand once before others, and are the longest, in their order', () => {
  const of = names => ({ about: { tokens: names, names, kinds: names.map(() => 'word'), words: names.map((_, i) => [i, 1]) } });
  const hidden = names => toHide(of(names)).map(word => word.name);
  assert.deepEqual(hidden(['The', 'dog', 'sees', 'the', 'small', 'river', '.']), ['sees', 'small', 'river']);
  assert.deepEqual(hidden(['dogs', 'run', 'Dogs', 'run']), ['dogs', 'run']);
  assert.deepEqual(hidden(['.', '!']), []);
});

for (const { run: name, given, question: asked, claim: claimed, ...chosen } of cases) {
  test(`${name} ${JSON.stringify(given)}`, () => {
    const run = runOf(name), all = choice(run, { word: null, layer: null, head: null, ...given });
    assert.deepEqual(all, chosen);
    const word = words(run).find(one => one.position === all.word);
    if (asked === undefined) assert.equal(word, undefined);
    else assert.deepEqual([text(question(run, word)), text(claim(run, all, word))], [asked, claimed]);
  });
}

// Sentences are those of Python: one table of cases, tests/pattern_cases.json.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { sure, typeset } from '../../encoder/browser/number.js';
import { parts, said, say, set } from '../../encoder/browser/say.js';

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

test('the hyphens of words stay, and numbers have a minus', () => {
  assert.equal(said('attention', { query: '“co-worker”', share: -0.05, word: '“-”' }), 'This head looks from “co-worker” at “-” (\u22125\u00a0%)');
  assert.deepEqual(parts('score', { query: '“-”', word: '“5 %”', value: -1 }).map(set), ['“-”', ' scores highest with ', '“5 %”', ': ', '\u22121', '.']);
});

test('no digit is written that what was sent does not carry', () => {
  assert.deepEqual([[0.005346, 2e-5], [0.005336, 1e-7], [3.14159, 0.02], [-0.0123, 0.1], [0, 0.1], [1234.5, 30], [2, 0]].map(([value, within]) => sure(value, within)), ['0.0053', '0.00534', '3.1', '0', '0', '1,200', '2']);
  assert.equal(sure(-0.00042, 4e-5), '-4e-04');
  for (let i = 0; i < 2000; i++) { // one unit of the last digit that is written holds the error of what was sent
    const true_ = (Math.random() - 0.5) * 10 ** (4 * Math.random() - 3), step = 10 ** (-5 * Math.random()), sent = Math.round(true_ / step) * step, text = sure(sent, step / 2);
    const [mantissa, power = '0'] = text.replaceAll(',', '').split('e'), places = (mantissa.split('.')[1] ?? '').length, whole = /0*$/.exec(mantissa.split('.')[0])?.[0].length ?? 0;
    const unit = 10 ** (Number(power) - places) * (places || sent === 0 ? 1 : 10 ** whole);
    assert.ok(sent === 0 || Math.abs(Number(`${mantissa}e${power}`) - true_) <= unit * 1.001, `${text} of ${true_} in steps of ${step}`);
  }
});

test('no percentage is broken before its sign', () => {
  assert.equal(typeset('from 85 % to -7 %'), 'from 85\u00a0% to \u22127\u00a0%');
});

// What is off as an address spells it, what a press makes of it, and the sentences on what it does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { at, read } from '../../encoder/browser/packet.js';
import { words } from '../../encoder/browser/run.js';
import { alone, becomes, beginning, columnsOf, drawn, effect, ends, falls, fits, isOff, masked, parse, places, pressed, spell } from '../../encoder/browser/switches.js';

const run = read(new Uint8Array(readFileSync(new URL('../../encoder/packet/shipped/the-keys-to-the-cabinet-mask-on-the-table.packet', import.meta.url))));
const model = { layers: 6, heads: 8 };
const text = all => all.map(part => part.text).join('');
const off = (...keys) => ({ off: new Set(keys), others: [] });

test('edits are read as switches, in every spelling, and others are left as they are', () => {
  const cases = [
    ['', []],
    ['layers.5.attention.heads:zero:h=6', ['5,6']],
    ['layers.5.attention.heads:zero:h=1;layers.5.attention.heads:zero:h=6', ['5,1', '5,6']],
    ['layers.0.attention.heads:zero:h=0-2,7', ['0,0', '0,1', '0,2', '0,7']],
    ['layers.2.attention.output:zero;layers.2.feed_forward.output:zero', ['2,8', '2,9']],
  ];
  for (const [edits, expected] of cases) assert.deepEqual([...parse(edits, model).off], expected, edits);
  assert.equal(parse('layers.1.attention.heads:zero', model).off.size, 8);
  const strange = ['embedding.positions:shift:v=2', 'layers.0.attention.scaled:scale:v=0.5', 'layers.0.attention.heads:zero:h=1:p=3', 'layers.0.attention.heads:mean:h=1',
    'layers.9.attention.heads:zero:h=1', 'layers.0.attention.heads:zero:h=9', 'layers.0.feed_forward.output:zero:p=2', 'output:patch:v=a%20b'];
  assert.deepEqual(parse(strange.join(';'), model), { off: new Set(), others: strange });
});

test('what is off is spelled as the app spells it, and read back', () => {
  assert.equal(spell(off('5,6', '5,1', '2,9', '2,8'), model), 'layers.2.attention.output:zero;layers.2.feed_forward.output:zero;layers.5.attention.heads:zero:h=1,6');
  assert.equal(spell({ off: new Set(['0,0', '0,1', '0,2', '0,7']), others: ['embedding.positions:shift:v=2'] }, model), 'layers.0.attention.heads:zero:h=0-2,7;embedding.positions:shift:v=2');
  for (let layer = 0; layer < 6; layer++) {
    for (let column = 0; column < columnsOf(model); column++) {
      const now = pressed(new Set(), { layer, column }, model), back = parse(spell({ off: now, others: [] }, model), model);
      assert.deepEqual(back, { off: now, others: [] });
      assert.ok(isOff(now, { layer, column }, model));
      assert.equal(pressed(now, { layer, column }, model).size, 0);
    }
  }
});

test('a layer is off where both of its parts are, and is said in place of them', () => {
  const one = pressed(new Set(['3,8', '1,2']), { layer: 3, column: 10 }, model);
  assert.deepEqual([...one].sort(), ['1,2', '3,8', '3,9']);
  assert.deepEqual(places(one, model), [{ layer: 1, column: 2 }, { layer: 3, column: 10 }]);
  assert.equal(beginning({ off: one, others: [] }, model), 'Without head 2 of layer 1 and layer 3');
  assert.equal(beginning(off('0,1', '0,2', '4,9'), model), 'Without these 3 parts');
  assert.equal(beginning(off('4,9'), model), 'Without the feed-forward of layer 4');
  assert.equal(beginning({ off: new Set(['4,9']), others: ['a'] }, model), 'With these 2 changes');
});

test('what is off with another is not what was pressed', () => {
  const all = off => Array.from({ length: columnsOf(model) }, (_, column) => falls(off, { layer: 3, column }, model));
  assert.deepEqual(all(new Set(['3,8', '3,9', '3,2'])), [true, true, false, true, true, true, true, true, true, true, false], 'head 2 was pressed before its layer');
  assert.deepEqual(all(new Set(['3,9'])), Array(11).fill(false));
});

test('an address holds only so much', () => {
  const all = [];
  for (let layer = 0; layer < 24; layer++) all.push(`${layer},16`, `${layer},17`);
  assert.ok(!fits(spell(off(...all), { layers: 24, heads: 16 })) && fits(spell(off('5,6'), model)));
});

test('a head alone does what the packet says', () => {
  const shares = alone(run, null, { layer: 5, column: 6 }), first = shares[0];
  assert.equal(first.word, 'are');
  assert.equal(first.after, at(run.arrays.off, 5, 6, 0));
  assert.equal(effect(run, null, { layer: 5, column: 6 }), first.before - first.after);
  assert.ok(Number.isNaN(effect(run, null, { layer: 5, column: 8 })));
  assert.match(text(becomes('Without it', shares)), /^Without it, “are” falls from 85 % to 70 %, “is” rises to 11 %\.$/);
  const shown = drawn(shares).map(one => one.word);
  assert.ok(shown.length <= 5 && shown[0] === 'are' && shown.includes('were') && shown.includes('is'));
  const falling = drawn([['a', 0.5, 0.01], ['b', 0.2, 0.02], ['c', 0.1, 0.3], ['d', 0.05, 0.1]].map(([word, before, after]) => ({ word, before, after })));
  assert.equal(falling.map(one => one.word).join(''), 'cdba', 'the guess now is on top');
});

test('what a guess becomes is told as it is', () => {
  const share = (word, before, after) => ({ word, before, after });
  const say = (...all) => text(becomes('So', all));
  assert.equal(say(share('a', 0.8, 0.2), share('b', 0.1, 0.6)), 'So, “b” comes first, with 60 %: “a” goes from 80 % to 20 %.');
  assert.equal(say(share('a', 0.8, 0.7), share('b', 0.1, 0.1)), 'So, “a” falls from 80 % to 70 %.');
  assert.equal(say(share('a', 0.8, 0.9), share('b', 0.1, 0.05)), 'So, “a” rises from 80 % to 90 %.');
  assert.equal(say(share('a', 0.8, 0.805), share('b', 0.1, 0.1)), 'So, “a” hardly changes: 80 % → 81 %.');
  assert.equal(say(share('a', 0.8, 0.8), share('b', 0.1, 0.1)), 'So, “a” stays at 80 %.');
  assert.equal(say(share('a', 0.3, 0.35), share('b', 0.1, 0.6)), 'So, “b” comes first, with 60 %: “a” goes from 30 % to 35 %.', 'a guess that grows does not fall');
  assert.equal(say(share('a', 0.0013, 0.00049), share('b', 0.0001, 0.0001)), 'So, “a” falls from 0.13 % to 0.049 %.', 'a third of little is no nothing');
  assert.equal(say(share('a', 0.7545, 0.7382), share('b', 0.1, 0.1)), 'So, “a” falls from 75 % to 74 %.');
  assert.equal(say(share('a', 0.0000354, 0.0000346), share('b', 0, 0)), 'So, “a” falls from 0.00354 % to 0.00346 %.', 'both numbers can be told apart');
  assert.equal(say(share('a', 0.8, NaN)), 'So, the model gives no numbers for its guess.');
});

test('colours end at the largest effect of all, and nothing goes beyond', () => {
  assert.deepEqual(ends([0.1, -0.15, NaN, 0.4, -0.2]), { lost: 0.4, gained: 0.2, most: 0.4 });
  assert.deepEqual(ends([0, 0]), { lost: 0, gained: 0, most: 0.02 });
  assert.equal(ends([0.0003, 0.0001], 0.001).most, 0.0003, 'what is much of a small share has a colour');
});

test('a word is hidden where it stands, and hidden places behind it move', () => {
  const own = (sentence, second, names, counts, hidden = []) => {
    let position = 1;
    const starts = counts.map(count => [(position += count) - count, count]);
    const tokens = Array.from({ length: position + 1 }, (_, i) => `t${i}`);
    const of = { about: { sentence, second, tokens, kinds: tokens.map(() => 'word'), words: starts, names, gap: -1 }, arrays: {} };
    return which => masked(of, words(of)[which], { sentence, second, hidden });
  };
  const the = own('The cat, the Thesaurus and the dog.', '', ['the', 'cat', ',', 'the', 'thesaurus', 'and', 'the', 'dog', '.'], [1, 1, 1, 1, 3, 1, 1, 1, 1], [2, 6, 9]);
  assert.equal(the(3).sentence, 'The cat, [MASK] Thesaurus and the dog.');
  assert.equal(the(6).sentence, 'The cat, the Thesaurus and [MASK] dog.');
  assert.deepEqual(the(4), { sentence: 'The cat, the [MASK] and the dog.', second: '', hidden: [2, 5, 7] });
  const pair = own('A dog.', 'A dog ran.', ['A', 'dog', '.', 'A', 'dog', 'ran', '.'], [1, 1, 1, 1, 1, 1, 1]);
  assert.deepEqual(pair(4), { sentence: 'A dog.', second: 'A [MASK] ran.', hidden: [] });
  assert.equal(own('abc', '', ['xyz'], [1])(0), null);
});

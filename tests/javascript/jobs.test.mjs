// What is said of heads: jobs in words, where most rows look, what is weak; layouts of few and many heads.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { besides, carriedBy, carriedFinding, carrierHere, carrierOf, commonEnds, findingOf, findsOf, habit, isWeak, jobsAt, jobsHere, jobsOf, layout, leader, nearOf, neededSaid, opensOn, titleOf, verdictOf, wasExamined } from '../../encoder/browser/jobs.js';
import { read } from '../../encoder/browser/packet.js';
import { effects } from '../../encoder/browser/run.js';

const shipped = new URL('../../encoder/packet/shipped/the-keys-to-the-cabinet-mask-on-the-table.packet', import.meta.url);
const run = read(new Uint8Array(readFileSync(shipped)));
const text = parts => parts.map(part => part.text).join('');
/** A run of one head over these words, one token each, with these rows. */
const small = (names, rows, more = {}, arrays = {}) => ({
  about: {
    tokens: names, names: names.filter(name => !name.startsWith('[')), kinds: names.map(name => (name.startsWith('[') ? 'special' : 'word')), words: names.map((name, i) => [i, name]).filter(([, name]) => !name.startsWith('[')).map(([i]) => [i, 1]),
    rows: rows.map((_, i) => i), gap: -1, guesses: {}, model: { layers: 1, heads: 1 }, ...more,
  },
  arrays: { ...arrays, weights: { values: Float32Array.from(rows.flat()), shape: [1, 1, rows.length, names.length], scale: 1, type: 'f32' } },
});
const place = { layer: 0, head: 0 };

test('a job is said as what is found, and as from what to what', () => {
  assert.equal(findsOf('looks from an object to its verb'), 'finds the verb of an object');
  assert.equal(findsOf('looks from a joining word such as “and” to the word it adds'), 'looks from a joining word such as “and” to the word it adds');
  assert.equal(findsOf('looks at an object from its verb'), 'looks at an object from its verb');
  assert.deepEqual(['looks from an object to its verb', 'looks at an object from its verb', 'looks from a masked verb to its subject'].map(titleOf), ['object → verb', 'object → verb', 'gap → subject']);
});

test('a run brings the jobs of its heads before anything is asked', () => {
  const job = jobsOf(run, null).find(one => one.layer === 4 && one.head === 0);
  const said = run.about.evidence.find(one => one.layer === 4 && one.head === 0);
  assert.deepEqual([job.figures[0].share, job.figures[0].count, job.figures[0].rule], [said.args.share, said.args.count, said.args.rule]);
  assert.match(text(findingOf(run, null, { layer: 4, head: 0 })), /^Head 0 of layer 4 perhaps finds the verb of an object: right in \d\d % of \d+ cases \(news and Wikipedia\), but a simple rule in \d\d %\.$/);
  assert.match(text(findingOf(run, null, { layer: 5, head: 6 })), /^Head 6 of layer 5 looks from the gap at “keys” here \(89 %\)\.$/);
  assert.ok(!job.passed && !job.made, 'the run says that it did not pass');
  assert.ok(wasExamined(run, null) && !wasExamined(small(['a'], [[1]]), null));
});

test('most rows are counted, at a place, at a word and at none', () => {
  const names = ['[CLS]', 'a', 'b', 'c', '[SEP]'];
  const back = small(names, [[1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]]);
  assert.deepEqual(habit(back, place), { where: 'the previous word', count: 2, all: 3 });
  const one = small(names, [[1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]);
  assert.deepEqual(habit(one, place), { where: '“c”', count: 3, all: 3 });
  const none = small(names, Array(5).fill([0.3, 0.2, 0.1, 0.1, 0.3]));
  assert.deepEqual(habit(none, place), { where: '[CLS] and [SEP]', count: 3, all: 3 });
  assert.ok(!isWeak(habit(none, place)) && isWeak({ where: '', count: 1, all: 2 }));
  const lost = small(names, Array(5).fill(Array(5).fill(NaN)));
  assert.equal(habit(lost, place).all, 0);
  assert.equal(text(findingOf(lost, null, place)), 'Head 0 of layer 0 has no word to look from here.');
});

test('of a head without a job the survey is said, and what is weak', () => {
  const names = ['a', 'b'], one = small(names, [[1, 0], [1, 0]]);
  const known = { exam: 'Examined.', jobs: [], tried: [{ ...place, job: 'looks from an object to its verb', why: 'not certain', figure: { text: 'web text', share: 0.5, count: 10, rule: 0.4, how: '' } }], examples: [], survey: { over: '10 tokens', heads: [['no clear role', 'cls', 0.4]] } };
  assert.match(text(findingOf(one, known, place)), /^Here 2 of 2 words look most at “a” in head 0 of layer 0\.$/);
  assert.deepEqual(besides(one, known, place).map(([key]) => key), ['heads_tried']);
  const next = { ...known, tried: [], survey: { over: '10 tokens', heads: [['previous', 'previous', 0.9]] } };
  assert.equal(nearOf(next, 1, place), 'previous word');
  assert.match(text(findingOf(one, next, place)), /gives 90 % of its attention to the previous token/);
  assert.deepEqual(besides(one, next, place).map(([key]) => key), ['heads_rows', 'heads_survey']);
  const unexamined = { exam: '', jobs: [], tried: [], examples: [], survey: null };
  assert.match(text(findingOf(one, unexamined, place)), /^Here 2 of 2 words/);
});

test('a head that passed, on real text or on constructed sentences alone, and one that did not are told apart', () => {
  const one = small(['a', 'b'], [[1, 0], [1, 0]]), figures = [{ text: 'web text', share: 0.9, count: 10, rule: 0.7, how: 'the nearest verb before', fixed: 0.4, apart: 'two words back' }];
  const known = more => ({ exam: 'Examined.', passed: '', tried: [], examples: [], survey: null, jobs: [{ ...place, job: 'looks from an object to its verb', made: false, passed: true, why: '', figures, ...more }] });
  const verdict = more => verdictOf(jobsOf(one, known(more))[0])[0];
  assert.deepEqual([{}, { made: true }, { passed: false, why: 'not certain' }, { passed: false }].map(verdict), ['heads_passed', 'heads_passed_made', 'heads_not_passed_why', 'heads_not_passed']);
  assert.equal(verdict({ passed: false, why: 'near', figures: [{ ...figures[0], rule: 0.85 }] }), 'heads_not_passed_near');
  assert.equal(verdict({ passed: false, why: 'the rule is better', figures: [{ ...figures[0], rule: 0.95 }] }), 'heads_not_passed', 'the numbers say why');
  assert.match(text(findingOf(one, known({}), place)), /^Head 0 of layer 0 finds /);
  assert.match(text(findingOf(one, known({ passed: false }), place)), /^Head 0 of layer 0 perhaps finds .* 10 cases \(web text\), a simple rule in 70 %\.$/);
  assert.equal(verdictOf(jobsOf(one, known({ passed: false, why: 'not certain' }))[0])[1].why, 'not certain');
});

test('what the loss of a head does over its examples is said with their number, of gaps and of words', () => {
  const figures = [{ text: 'web text', share: 0.9, count: 10, rule: 0.7, how: '', fixed: 0.4, apart: '' }];
  const known = gap => ({ exam: 'Examined.', passed: '', tried: [], survey: null, jobs: [{ ...place, job: 'looks from an object to its verb', made: false, passed: true, why: '', figures }], examples: [{ ...place, title: '', text: 'web text', count: 9, cost: 0.25, gap, some: [] }] });
  const one = small(['a', 'b'], [[1, 0], [1, 0]]);
  assert.deepEqual(besides(one, known(true), place)[0], ['heads_cost', { cost: 0.25, count: 9, text: 'web text' }]);
  assert.equal(besides(one, known(false), place)[0][0], 'heads_moves');
});

test('jobs are found in a run by words that can be nothing else, those that passed first', () => {
  const names = ['[CLS]', 'The', 'dog', 'of', 'the', 'house', '[SEP]'], even = Array(7).fill(0);
  const rows = names.map((_, i) => even.map((_, j) => (i === 4 && j === 5 ? 0.9 : i === 1 && j === 2 ? 0.4 : 0)));
  const run_ = small(names, rows), figures = [{ share: 0.9 }];
  const job = (text, passed) => ({ ...place, job: `looks from ${text}`, made: false, passed, why: '', figures });
  const known = jobs => ({ exam: 'Examined.', passed: '', tried: [], examples: [], survey: null, jobs });
  const found = jobsHere(run_, known([job('an object to its verb', true), job('an article to its noun', false), job('a preposition to its noun', true), job('a masked verb to its subject', true)]));
  assert.deepEqual(found.map(one => [one.job.job, one.word.name]), [['looks from a preposition to its noun', 'of'], ['looks from an article to its noun', 'the']]);
  assert.deepEqual(jobsHere(run, null).map(one => one.job.layer)[0], 5, 'of the bundled sentence the masked verb');
});

test('of a head with several jobs the one that is found in the run is told', () => {
  const jobs = ['a preposition to its noun', 'an article to its noun'].map(job => ({ ...place, job: `looks from ${job}`, made: false, passed: false, why: 'not certain', figures: [{ share: 0.9, count: 9, text: 'web text', rule: 0.95 }] }));
  const known = { exam: 'Examined.', passed: '', tried: [], examples: [], survey: null, jobs }, one = small(['the', 'dog'], [[0, 1], [0, 1]]);
  assert.deepEqual(jobsAt(one, known, place).map(({ job }) => job), [jobs[1].job, jobs[0].job]);
  assert.equal(text(findingOf(one, known, place)), 'Head 0 of layer 0 looks from “the” at “dog” here (100 %).');
  assert.match(text(findingOf(small(['the', 'dog'], [[0.6, 0.4], [0, 1]]), known, place)), /perhaps finds the noun of an article: right in 90 % of 9 cases/, 'not seen here');
});

test('nobody having chosen, it opens on a job that is found here, of the word of every page where it did not pass', () => {
  const job = (layer, passed) => ({ layer, head: 0, passed }), none = small(['a', 'b', 'c'], [[0, 0, 1], [0, 0, 1], [0, 0, 1]]);
  const unclear = { job: job(1, false), masked: true, clear: false }, clear = { job: job(2, false), masked: false, clear: true }, gap = { job: job(3, false), masked: true, clear: true }, passed = { job: job(4, true), masked: false, clear: true };
  const needing = (share, untrained = false) => small(['a', '[MASK]'], [[1, 0], [1, 0]], { kinds: ['word', 'mask'], gap: 1, guesses: { 1: [['she', 0.72]] }, off: { words: ['she'], shares: [0.72] }, model: { layers: 1, heads: 1, untrained } }, { off: { values: Float32Array.of(share), shape: [1, 1, 1], scale: 1, type: 'f32' } });
  assert.equal(opensOn(none, [clear, gap]), gap);
  assert.equal(opensOn(none, [clear, unclear]), undefined, 'the word is that of every page');
  assert.equal(opensOn(none, []), undefined);
  assert.equal(opensOn(none, [unclear]), undefined, 'what hardly shows is not opened on');
  assert.equal(opensOn(none, [passed, clear]), passed);
  const back = small(['a', 'b', 'c', 'd'], [[1, 0, 0, 0], [0.8, 0.2, 0, 0], [0, 0.7, 0.3, 0], [0, 0, 0.9, 0.1]]);
  assert.deepEqual(opensOn(back, [clear]), place);
  assert.equal(text(findingOf(back, null, place)), 'Head 0 of layer 0 looks at the previous word: here with 80 % of its attention.');
  assert.deepEqual(opensOn(needing(0.16), [clear]), effects(needing(0.16))[0], 'what the guess needs most');
  assert.equal(opensOn(needing(0.16), [passed]), passed);
  assert.equal(text(findingOf(needing(0.16), null, place)), 'Head 0 of layer 0 looks from the gap at “a” here (100 %); without it “she” falls from 72 % to 16 %.');
  assert.equal(text(neededSaid(needing(0.16)).said), '“she” needs head 0 of layer 0 most: without it 72 % becomes 16 %.');
  assert.equal(neededSaid(needing(0.7)), null, 'no head costs more than noise');
  assert.equal(neededSaid(needing(0.16, true)), null, 'random weights need nothing');
});

test('a single row is no crowd, and a full stop is quoted', () => {
  const known = { exam: 'Examined.', passed: '', jobs: [], tried: [], examples: [], survey: null };
  assert.equal(text(findingOf(small(['.'], [[1]]), known, place)), 'Here the only word looks most at the word itself in head 0 of layer 0.');
  const stops = small(['a', 'b', 'c', '.'], Array(4).fill([0, 0, 0, 1]));
  assert.match(text(findingOf(stops, known, place)), /4 of 4 words look most at “\.” in head/);
});

test('a head carries what it does alone or in a small set, and is named by more than a quarter', () => {
  const one = (what, heads, small = true) => ({ what, tells: '', natural: false, heads, share: 0.85, small, random: 0.02, count: 60, a: '', b: '', words: ['his', 'her'] });
  const known = { exam: '', passed: '', jobs: [], tried: [], examples: [], survey: null, carries: [one('number', [[0, 0, 0.4], [0, 1, 0.45]]), one('gender', [[0, 0, 0.9]]), one('this or these', [[0, 2, 0.7]], false)] };
  assert.deepEqual(carriedBy(known, place).map(({ of, own }) => [of.what, own]), [['gender', 0.9], ['number', 0.4]]);
  assert.deepEqual([0, 1, 2].map(head => carrierOf(known, { layer: 0, head })?.of.what), ['gender', 'number', undefined]);
  assert.equal(text(carriedFinding(known, { layer: 0, head: 1 })), 'In 60 constructed pairs, head 1 of layer 0 alone carries 45 % of what turns “his” into “her”.');
  assert.equal(text(carriedFinding(known, { layer: 5, head: 5 })), 'Head 5 of layer 5 carries none of these changes, alone or in a small set.', 'never of another head');
  assert.deepEqual(leader(known), { layer: 0, head: 0 });
  const here = (...heads) => carrierHere({ about: { carries: heads.map(own => ({ heads: own })) } });
  assert.deepEqual(here([[0, 0, 0.4], [1, 1, 0.6]], [[2, 2, 0.7]]), { layer: 2, head: 2 });
  assert.equal(here([[0, 0, 0.4], [1, 1, 0.45]]), undefined);
  assert.equal(carrierHere({ about: {} }), undefined);
});

test('of two sentences the words between their common ends are what differs', () => {
  assert.deepEqual(commonEnds('The man took off', 'The woman took off'), { before: 'The', a: 'man', b: 'woman', after: 'took off' });
  assert.deepEqual(commonEnds('Paris is', 'Berlin is'), { before: '', a: 'Paris', b: 'Berlin', after: 'is' });
  assert.deepEqual(commonEnds('a b', 'a b'), { before: 'a b', a: '', b: '', after: '' });
});

test('maps of few heads are large, what a head does stands there where there is room, and all of a usual model are on one screen', () => {
  const of = (layers, heads, tokens = 12, rows = tokens) => ({ about: { model: { layers, heads }, tokens: Array(tokens), rows: Array(rows) } });
  assert.ok(layout(of(6, 8), 904, 524).named && !layout(of(6, 8), 358, 600).named);
  for (const tall of [498, 450]) {
    const { side, high } = layout(of(6, 8), 942, tall);
    assert.ok(6 * (high + 4 + 23) <= tall && high >= 48 && side > 1.5 * high, `${tall} ${side} ${high}`);
  }
  for (const [layers, heads] of [[1, 1], [6, 8], [12, 12], [24, 16]]) {
    for (const room of [920, 358]) {
      const { names, side, gap } = layout(of(layers, heads), room, 670);
      assert.ok(side >= (room > 600 ? 28 : 12) && names + heads * (side + gap) <= room + gap, `${heads} ${room} ${side}`);
    }
  }
  assert.ok(layout(of(1, 1), 920, 670).side > layout(of(6, 8), 920, 670).side);
  assert.ok(layout(of(6, 8, 506, 41), 920, 670).high < 30);
});

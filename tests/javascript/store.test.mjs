// What is chosen is in memory at once, in the address when it rests, and Back leads to what was before.
import assert from 'node:assert/strict';
import test from 'node:test';
import { GAP, beyond, fromQuery, makeStore } from '../../encoder/browser/store.js';

/** A window with a history, without a screen. */
function page(search = '') {
  const entries = [`/${search}`], heard = {};
  let at = 0;
  const url = () => new URL(entries[at], 'http://app.test');
  const written = [];
  return {
    written,
    location: { get search() { return url().search; }, get pathname() { return url().pathname; }, get hash() { return url().hash; }, get href() { return url().href; } },
    history: {
      state: null,
      replaceState(_state, _title, to) { entries[at] = to; written.push(to); },
      pushState(_state, _title, to) { entries.splice(++at, entries.length, to); written.push(to); },
    },
    addEventListener(name, hear) { heard[name] = hear; },
    removeEventListener(name) { delete heard[name]; },
    back() { at--; heard.popstate(); },
    leave() { heard.pagehide(); },
    heard,
  };
}
/** @param {ReturnType<typeof page>} where */
const asked = where => Object.fromEntries(new URL(where.location.href).searchParams);

test('many choices are one writing, of the last, after a rest', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const where = page(), store = makeStore({ where });
  for (let i = 0; i < 400; i++) store.set({ layer: i % 6, head: i % 8 });
  assert.deepEqual([store.get().layer, store.get().head], [3, 7]);
  assert.equal(where.written.length, 0);
  t.mock.timers.tick(149);
  assert.equal(where.written.length, 0);
  t.mock.timers.tick(1);
  assert.equal(where.written.length, 1);
  assert.deepEqual(asked(where), { layer: '3', head: '7', v: '1' });
});

test('who copies or leaves has all in the address', () => {
  const where = page(), store = makeStore({ where });
  store.set({ word: 4 });
  assert.equal(store.link(), 'http://app.test/?word=4&v=1');
  store.set({ step: 'attention.weights' });
  where.leave();
  assert.equal(asked(where).step, 'attention.weights');
});

test('another browser restores what an address says', () => {
  const first = page(), store = makeStore({ where: first });
  store.set({ sentence: 'Katzen & Mäuse = ?', layer: 2, head: 0, word: 3, hidden: [1, 5], cell: 'layers.2.attention.weights:0,3,1', edits: 'layers.1.attention.heads:zero:h=3', off: true, maps: true });
  const other = makeStore({ where: page(new URL(store.link()).search) });
  assert.deepEqual(other.get(), store.get());
});

test('the layer that the guess is looked at by and the words that compete go along, the words until another sentence', () => {
  const where = page(), store = makeStore({ where });
  store.set({ word: 3, after: 'input', guess: 'Käse,2', over: 'is' });
  const other = makeStore({ where: page(new URL(store.link()).search) });
  assert.deepEqual([other.get().after, other.get().guess], ['input', 'Käse,2']);
  store.set({ word: 3, layer: 2 });
  assert.equal(store.get().guess, 'Käse,2');
  store.set({ word: 4 });
  assert.deepEqual([store.get().after, store.get().guess, store.get().over], ['input', 'Käse,2', 'is'], 'who looks at another word speaks of the same guess');
  store.set({ sentence: 'Another one.' });
  assert.deepEqual([store.get().after, store.get().guess, store.get().over], ['input', '', '']);
});

test('Back leads to the sentence before, with what was chosen in it', () => {
  const where = page(), store = makeStore({ where });
  let seen = '';
  store.subscribe(state => { seen = state.sentence; });
  store.set({ layer: 1, head: 2, word: 5 });
  store.set({ sentence: 'Another one.' }, { push: true });
  assert.deepEqual([store.get().word, store.get().layer], [null, 1]);
  where.back();
  assert.deepEqual([seen, store.get().layer, store.get().head, store.get().word], [GAP, 1, 2, 5]);
});

test('who hears of a change is told whether somebody chose it, or a page did by itself', () => {
  const store = makeStore(), told = [];
  store.subscribe((_, chose) => told.push(chose));
  store.set({});
  store.set({ other: 'One more.' }, { push: false });
  store.set({ word: 3 });
  assert.deepEqual(told, [false, false, true]);
});

test('a layer and its head are written together', () => {
  const where = page(), store = makeStore({ where });
  store.suggest({ layer: 5, head: 6, word: 6 });
  assert.equal(store.get().head, 6);
  store.set({ layer: 2 });
  store.link();
  assert.deepEqual(asked(where), { layer: '2', head: '6', v: '1' });
});

test('another word, or anything else that is chosen, keeps the layer and head that were shown', () => {
  for (const change of [{ word: 2 }, { hidden: [3] }, { step: 'attention.q' }, { off: true }]) {
    const where = page(), store = makeStore({ where });
    store.suggest({ layer: 5, head: 6, word: 6 });
    store.set(change);
    store.suggest({ layer: 0, head: 1, word: 3 });
    assert.deepEqual([store.get().layer, store.get().head, store.get().word], [5, 6, change.word ?? 6]);
    const other = makeStore({ where: page(new URL(store.link()).search) });
    assert.deepEqual([other.get().layer, other.get().head, other.get().word], [5, 6, change.word ?? 6]);
  }
});

test('another sentence begins with its own word', () => {
  const store = makeStore();
  store.suggest({ layer: 5, head: 6, word: 6 });
  store.set({ sentence: 'Another one.' });
  assert.deepEqual([store.get().layer, store.get().head, store.get().word], [null, null, null]);
});

test('what is open on a page does not go along to another', () => {
  const where = page('?number=layers.5.attention.weights:6,6,2&numbers=1&cell=layers.5.attention.weights:6,6,2&layer=5&head=6&word=6'), store = makeStore({ where });
  assert.deepEqual(store.along(), { sentence: GAP, model: 'base', layer: '5', head: '6', word: '6' });
  store.leave({});
  assert.deepEqual([store.get().number, store.get().numbers, store.get().cell, store.get().word], ['', '', '', 6]);
});

test('what others wrote into the address stays, what is wrong in it is left out', () => {
  const where = page('?lesson=heads&layer=-3&head=x&word=1e9&hidden=2,a&sentence=%20'), store = makeStore({ where });
  const { layer, head, word, hidden, sentence } = store.get();
  assert.deepEqual({ layer, head, word, hidden, sentence }, { layer: null, head: null, word: null, hidden: [], sentence: GAP });
  store.set({ word: 2 });
  store.link();
  assert.deepEqual(asked(where), { lesson: 'heads', word: '2', v: '1' });
});

test('without a window it is memory, and after its end nothing hears', () => {
  const store = makeStore({ defaults: { sentence: 'A cat.' } });
  store.set({ word: 1 });
  assert.equal(store.link(), '');
  assert.deepEqual(store.query(), { sentence: 'A cat.', model: 'base', word: '1' });
  const where = page();
  makeStore({ where }).end();
  assert.deepEqual(where.heard, {});
});

test('a word is taken over from what stands below a picture', () => {
  assert.deepEqual(['word=3', 'lens_token=4', 'near_word=5', 'word=3&near_word=5'].map(search => fromQuery(search).word), [3, 4, 5, 3]);
});

test('what is chosen below a picture stands beside the state, and a view that is shown has its own', () => {
  const where = page('?layer=2&head=1&lesson=a&move=Length&alike_layer=input'), store = makeStore({ where });
  let told = 0;
  store.subscribe(() => { told += 1; });
  assert.deepEqual(store.choices(), { move: 'Length', alike_layer: 'input' });
  store.choose({ move: '' });
  assert.deepEqual([store.choices(), store.get().layer, told], [{ alike_layer: 'input' }, 2, 1]);
  store.choose({ layer: '5', move: 'Width', lesson: 'b' }, false);
  assert.deepEqual([store.choices(), asked(where).lesson, store.get().layer], [{ move: 'Width' }, 'a', 2]);
  store.set({ layer: 3 }, { push: true });
  store.choose({ move: 'Angle' });
  where.back();
  assert.deepEqual([store.choices(), store.get().layer], [{ move: 'Width' }, 2]);
  const memory = makeStore();
  memory.choose({ move: 'Length' });
  assert.deepEqual(memory.choices(), { move: 'Length' });
});

test('a link to what a picture does not show asks for the numbers of its step, and for the one number', () => {
  const addNorm = { parts: ['add_norm_1', 'add_norm_2'], step: 'layers.*.add_norm_1.sum', shows: ['add_norm_1.sum'] };
  const cell = 'layers.2.add_norm_1.mean:1';
  assert.deepEqual(beyond(addNorm, { step: 'add_norm_1.mean', cell: '' }), { step: '', cell: '', numbers: 'layers.*.add_norm_1.mean' });
  assert.equal(beyond(addNorm, { step: 'add_norm_1.mean', cell }).number, cell);
  assert.equal(beyond(addNorm, { step: 'add_norm_1.variance', cell }).number, undefined); // of another step
  assert.deepEqual(beyond(addNorm, { step: 'add_norm_1.sum', cell }), {}); // its own picture shows it
  assert.deepEqual(beyond(addNorm, { step: 'attention.q', cell: '' }), {});
  const output = { parts: ['output', 'mlm'], step: 'output', shows: ['output'] };
  assert.deepEqual(beyond(output, { step: 'mlm.logits', cell: '' }), { step: '', cell: '', numbers: 'mlm.logits' });
  assert.deepEqual(beyond({ parts: ['attention'], step: 'layers.*.attention.weights', shows: null }, { step: 'attention.q', cell }), {}); // it shows all
  assert.deepEqual(beyond({ parts: [] }, { step: '', cell }), { number: cell }); // Start has no step of its own
});

test('Back undoes a choice; those within a second are one, and what nobody chose is none', t => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const where = page('?layer=1&head=1'), store = makeStore({ where });
  store.set({ step: 'attention.scores' }, { push: false }); // as a link is put right
  t.mock.timers.tick(5000);
  store.set({ head: 2 });
  t.mock.timers.tick(600);
  store.set({ head: 3 });
  t.mock.timers.tick(600);
  store.choose({ move: 'Length' }); // below the picture
  t.mock.timers.tick(5000);
  store.set({ word: 4 });
  t.mock.timers.tick(5000);
  const after = asked(where);
  where.back();
  assert.deepEqual([store.get().head, store.get().word, store.choices()], [3, null, { move: 'Length' }]);
  where.back();
  assert.deepEqual([store.get().head, store.get().step, store.choices()], [1, 'attention.scores', {}]);
  assert.deepEqual([after.word, after.move, after.head], ['4', 'Length', '3']);
  store.set({ head: 5 });
  store.choose({ move: 'Width' }, false); // a class has gone on
  t.mock.timers.tick(5000);
  where.back();
  assert.equal(store.get().head, 1);
});

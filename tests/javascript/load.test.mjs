// Which runs are asked for, and when again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loader } from '../../encoder/browser/load.js';
import { DEFAULTS } from '../../encoder/browser/store.js';

const FILE = new URL('../../encoder/packet/shipped/the-cat-chased-the-mouse.packet', import.meta.url);
const EDITED = { ...DEFAULTS, sentence: 'The cat chased the mouse.', edits: 'layers.0.output:zero' };

/** A loader on a page, and what it asked for. */
function made(page) {
  const asked = [], options = { page, shipped: {}, load: async request => { asked.push(request); return new Uint8Array(readFileSync(FILE)).buffer; } };
  return { asked, options, runs: loader(() => options) };
}

test('the guess without each head is asked for where a page shows it', async () => {
  const { asked, options, runs } = made('what_if');
  await runs.run(EDITED);
  await runs.run({ ...EDITED, edits: '' });
  assert.deepEqual(asked.map(one => one.off), [false, true]);
  const light = runs.peek(EDITED), name = runs.key(EDITED);
  assert.ok(light);
  options.page = 'attention';
  assert.equal(runs.peek(EDITED), light);
  assert.equal(runs.key(EDITED), name);
  options.page = 'start';
  assert.equal(runs.peek(EDITED), null);
  assert.notEqual(runs.key(EDITED), name);
  const whole = await runs.run(EDITED);
  assert.deepEqual(asked.map(one => one.off), [false, true, true]);
  options.page = 'what_if';
  assert.equal(runs.peek(EDITED), whole);
  assert.equal(await runs.run(EDITED), whole);
  assert.equal(asked.length, 3);
});

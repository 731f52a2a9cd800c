// lit-html (BSD-3-Clause, Copyright 2017 Google LLC), from where npm puts it: templates that change what changed and nothing else. A text in one is never read as HTML.
// @ts-ignore: the build that also loads where there is no document has no types of its own.
import * as lit from '../../tests/javascript/node_modules/lit-html/node/lit-html.js';
// @ts-ignore: likewise.
import * as directive from '../../tests/javascript/node_modules/lit-html/node/directives/live.js';
// @ts-ignore: likewise.
import * as kept from '../../tests/javascript/node_modules/lit-html/node/directives/repeat.js';
import { set } from './say.js';
import { open, spelled } from './store.js';

/** @typedef {typeof import('../../tests/javascript/node_modules/lit-html/lit-html.js')} Lit */
export const html = /** @type {Lit['html']} */ (lit.html);
export const svg = /** @type {Lit['svg']} */ (lit.svg);
export const nothing = /** @type {Lit['nothing']} */ (lit.nothing);
export const render = /** @type {Lit['render']} */ (lit.render);
/** A property that a person changes too: it is set wherever it differs. */
export const live = /** @type {typeof import('../../tests/javascript/node_modules/lit-html/directives/live.js').live} */ (directive.live);
/** Templates of a list, each of which stays with its key. */
export const repeat = /** @type {typeof import('../../tests/javascript/node_modules/lit-html/directives/repeat.js').repeat} */ (kept.repeat);

/** The sign that a text begins with. @param {string} [text] */
const sign = (text = '') => /^[.,;:!?)]*/.exec(text)?.[0] ?? '';

/** The parts of a sentence; each argument is an element with its name, and a number that stands in the run opens: a bracket before it and the sign after it stay on its line. @param {import('./say.js').Part[]} all */
export const composed = all => all.map((part, i) => {
  const { name, text, to } = part, opens = all[i - 1]?.text.endsWith('(') ? '(' : '', rest = all[i - 1]?.to ? text.slice(sign(text).length) : text;
  const said = name ? html`<bdi class="enc-said-${name}" translate="no" lang="">${set(part)}</bdi>` : all[i + 1]?.to && rest.endsWith('(') ? rest.slice(0, -1) : rest;
  return to ? html`<span class="enc-unbroken">${opens}<button type="button" class="enc-opens" title="Open this number" data-number=${spelled(to)} @click=${() => open(to)}>${said}</button>${sign(all[i + 1]?.text)}</span>` : said;
});

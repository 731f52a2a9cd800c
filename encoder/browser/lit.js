// lit-html (BSD-3-Clause, Copyright 2017 Google LLC), from where npm puts it: templates that change what changed and nothing else. A text in one is never read as HTML.
// @ts-ignore: the build that also loads where there is no document has no types of its own.
import * as lit from '../../tests/javascript/node_modules/lit-html/node/lit-html.js';

/** @typedef {typeof import('../../tests/javascript/node_modules/lit-html/lit-html.js')} Lit */
export const html = /** @type {Lit['html']} */ (lit.html);
export const svg = /** @type {Lit['svg']} */ (lit.svg);
export const nothing = /** @type {Lit['nothing']} */ (lit.nothing);
export const render = /** @type {Lit['render']} */ (lit.render);

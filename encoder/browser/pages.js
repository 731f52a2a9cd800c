// @ts-check
// The pages that a first visit does not begin with: they come in a file of their own, and take from the first one what both need.
import { addNorm } from './add_norm.js';
import { attention } from './attention.js';
import { compare } from './compare.js';
import { embedding } from './embedding.js';
import { feedForward } from './feed_forward.js';
import { heads } from './heads_page.js';
import { output } from './output.js';
import { whatIf } from './what_if.js';

export { drawer } from './drawer.js';
export { film } from './film.js';
export { learning } from './learning.js';
export { numbers } from './numbers.js';
export { shelves } from './shelves.js';

/** @type {Record<string, (root: HTMLElement, context: import('./mount.js').Context) => import('./mount.js').Page>} */
export const PAGES = {
  attention,
  heads,
  what_if: whatIf,
  compare,
  output,
  embedding,
  add_norm: addNorm,
  feed_forward: feedForward,
};

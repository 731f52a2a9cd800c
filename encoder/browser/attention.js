// @ts-check
// Stands here until the Attention page is drawn in the browser: says its headline.
import { el, write } from './dom.js';

/** @param {HTMLElement} root @param {import('./mount.js').Context} _context @returns {import('./mount.js').Page} */
export function attention(root, _context) {
  const title = root.appendChild(el('h1', { class: 'question', tabindex: '-1' }));
  return {
    draw: (run, state) => write(title, `Layer ${state.layer}, head ${state.head}: ${run.about.tokens.length} tokens`),
    end: () => title.remove(),
  };
}

// @ts-check
import { el, write } from './dom.js';
/** @param {HTMLElement} root @param {import('./mount.js').Context} _context @returns {import('./mount.js').Page} */
export function start(root, _context) {
  const title = root.appendChild(el('h1', { class: 'question', tabindex: '-1' }));
  return { draw: run => write(title, run.about.sentence), end: () => title.remove() };
}

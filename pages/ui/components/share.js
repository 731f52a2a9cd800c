// @ts-check
// A link: its code for a camera, its text, and a button that copies it.
import { el, svg } from '../../../encoder/browser/dom.js';

const SAID = 2000; // milliseconds that "Copied" stands

/** Copy what a field holds; without a secure connection a browser has only the old way. @param {HTMLInputElement} field */
async function copy(field) {
  field.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
  else document.execCommand('copy');
}

/** The code as a drawing. @param {number} size @param {string} path */
const drawing = (size, path) => svg('svg', {
  viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': 'The link as a code for a camera', 'shape-rendering': 'crispEdges',
}, svg('path', { d: path }));

/** @param {ComponentArguments<{ link: string, size: number, path: string }>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.share'));
  const field = el('input', { readonly: true, value: data.link, 'aria-label': 'Link' });
  const button = el('button', { type: 'button' }, 'Copy the link');
  button.onclick = async () => {
    await copy(field);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy the link'; }, SAID);
  };
  root.replaceChildren(...(data.path ? [drawing(data.size, data.path)] : []), el('div', { class: 'line' }, field, button));
}

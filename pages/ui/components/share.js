// @ts-check
// A link: its code for a camera, its text, and a button that copies it.

const SVG = 'http://www.w3.org/2000/svg';
const SAID = 2000; // milliseconds that "Copied" stands

/** Copy what a field holds; without a secure connection a browser has only the old way. @param {HTMLInputElement} field */
async function copy(field) {
  field.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
  else document.execCommand('copy');
}

/** The code as a drawing. @param {number} size @param {string} path */
function drawing(size, path) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', 'The link as a code for a camera');
  svg.setAttribute('shape-rendering', 'crispEdges');
  const dark = document.createElementNS(SVG, 'path');
  dark.setAttribute('d', path);
  svg.append(dark);
  return svg;
}

/** @param {ComponentArguments<{ link: string, size: number, path: string }>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.share'));
  const line = Object.assign(document.createElement('div'), { className: 'line' });
  const field = Object.assign(document.createElement('input'), { readOnly: true, value: data.link, ariaLabel: 'Link' });
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy the link' });
  button.onclick = async () => {
    await copy(field);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy the link'; }, SAID);
  };
  line.append(field, button);
  root.replaceChildren(...(data.path ? [drawing(data.size, data.path)] : []), line);
}

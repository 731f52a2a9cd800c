// @ts-check
// The encoder as one line of names that wraps: a click leads from anywhere to a block of the chosen layer.

/**
 * @typedef {object} MapData
 * @property {string[]} names
 * @property {boolean[]} inside whether a box is part of the layer
 * @property {number} here
 * @property {string} layer
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {string} [text]
 */
const make = (tag, className, text) =>
  Object.assign(document.createElement(tag), { className, textContent: text || '' });

/** @param {ComponentArguments<MapData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.encoder'));
  const { names, inside, here, layer } = data;
  const focused = [...root.querySelectorAll('button')].findIndex(one => one === parentElement.activeElement);
  const list = make('ol', '');
  /** @type {HTMLOListElement | null} */
  let frame = null;
  names.forEach((name, i) => {
    if (inside[i] && !frame) {
      const item = make('li', 'layer');
      frame = make('ol', '');
      frame.append(make('li', 'which', layer));
      item.append(frame);
      list.append(item);
    }
    const item = make('li', 'box');
    const button = make('button', '', name);
    button.type = 'button';
    if (i === here) button.setAttribute('aria-current', 'step');
    button.onclick = () => setTriggerValue('picked', i);
    item.append(button);
    (inside[i] && frame ? frame : list).append(item);
  });
  root.replaceChildren(list);
  if (focused >= 0) root.querySelectorAll('button')[focused]?.focus();
}

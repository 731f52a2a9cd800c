// @ts-check
// The arcs of a head over a sentence: an SVG whose texts the server has escaped.

/** @param {ComponentArguments<{ markup: string }>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.arcs'));
  root.innerHTML = data.markup;
}

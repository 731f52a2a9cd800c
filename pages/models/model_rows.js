// @ts-check
// Models to open, one a row, with what each costs; those that are not in sight at first come in place.
import { el } from '../../encoder/browser/dom.js';

/** @typedef {{ name: string, title: string, parameters: string, operations: string, chosen: boolean, first: boolean }} Row */
/** @typedef {HTMLElement & { all?: boolean }} Root */

/** @param {ComponentArguments<{ rows: Row[] }>} given */
export default function ({ data: { rows }, parentElement, setTriggerValue }) {
  const root = /** @type {Root} */ (parentElement.querySelector('.rows'));
  const focused = /** @type {ShadowRoot | Document} */ (root.getRootNode()).activeElement?.tagName;
  const chosen = rows.find(row => row.chosen)?.name;
  const draw = () => {
    const shown = rows.filter(row => root.all || row.first || row.chosen), left = rows.length - shown.length;
    root.replaceChildren(el('div', { class: 'columns', 'aria-hidden': 'true' }, el('small', {}, 'parameters'), el('small', {}, 'operations')), ...shown.map(({ name, title, parameters, operations }) => {
      const input = el('input', { type: 'radio', name: 'model', value: name, onchange: () => setTriggerValue('open', name) });
      input.checked = name === chosen;
      return el('label', { class: input.checked ? 'chosen' : '' }, input, el('bdi', {}, title), ' ', el('small', {}, parameters), ' ', el('small', {}, operations));
    }), ...(left ? [el('button', { type: 'button', onclick: () => { root.all = true; draw(); radio(shown.length); } }, `${left} more`)] : []));
  };
  const radio = (/** @type {number} */ i) => root.querySelectorAll('input')[i]?.focus();
  draw();
  if (focused === 'INPUT') /** @type {HTMLElement | null} */ (root.querySelector('.chosen input'))?.focus();
}

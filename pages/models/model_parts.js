// @ts-check
// The parameters of a model as areas, and below them a table of its kinds of parts. Pointing at one marks it in both, a click opens its page.
import { el } from '../../encoder/browser/dom.js';

/** @typedef {{ title: string, count: string, colour: string, strong: boolean, parameters: string, share: string, part: number, operations: string, spent: string, spends: number }} Kind */
/** @typedef {{ kind: number, x: number, y: number, width: number, height: number, says: string, label: string, about: string, layer: number | null, head: number | null }} Box */
/**
 * @typedef {object} Parts
 * @property {Kind[]} kinds
 * @property {Box[]} boxes sides are shares of the picture's
 * @property {[string, number, number][]} names of layers: where each begins, and how wide it is
 * @property {string} alt
 * @property {{ parameters: string, operations: string }} all
 */

const FEW = 150; // boxes
const THIN = 0.002; // a share of all that no eye finds
/** Boxes to the next by a key. @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const AREA = 'Area is parameters: numbers to be trained. A column is a layer. Press an area to go inside.';
const sides = (/** @type {{ x: number, width: number }} */ { x, width }) => `left: ${100 * x}%; width: ${100 * width}%`;
const number = (/** @type {string} */ text, name = '') => el('td', { class: `number ${name}` }, text);
const bar = (/** @type {number} */ share) => el('td', { class: 'room' }, el('i', {}, ...(share ? [el('b', { style: `width: ${100 * share}%` })] : [])));

/** @param {ComponentArguments<Parts>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.parts')), { kinds, boxes, names, all } = data;
  const says = el('span', { role: 'status' }, AREA);
  const picture = el('div', { class: boxes.length > FEW ? 'areas fine' : 'areas', role: 'group', 'aria-label': data.alt }, ...boxes.map((box, i) => el('div', {
    class: kinds[box.kind].strong ? 'box strong' : 'box', role: 'button', 'aria-label': box.says, tabindex: i ? -1 : 0, 'data-kind': box.kind, 'data-box': i, style: `${sides(box)}; top: ${100 * box.y}%; height: ${100 * box.height}%; --own: ${kinds[box.kind].colour}`,
  }, el('span', {}, el('b', {}, box.label), el('small', {}, box.about)))));
  const below = el('div', { class: 'names', 'aria-hidden': 'true' }, ...names.map(([name, x, width]) => {
    const [word, ...rest] = name.split(' ');
    return el('span', { style: sides({ x, width }) }, el('i', {}, `${word} `), rest.join(' '));
  }));
  const key = kinds.filter((kind, i) => i && kind.part > THIN).map(kind => el('span', { 'aria-hidden': 'true' }, el('i', { style: `--own: ${kind.colour}` }), kind.title));
  const rows = kinds.map((kind, i) => el('tr', { 'data-kind': i }, el('th', { scope: 'row' }, el('button', { type: 'button', 'data-part': i }, kind.title), ' ', el('small', {}, kind.count)),
    number(kind.parameters), bar(kind.part), number(kind.share), number(kind.operations), bar(kind.spends), number(kind.spent)));
  const heads = ['', 'parameters', null, 'share', 'operations', null, 'share'];
  const table = el('table', {}, el('thead', {}, el('tr', {}, ...heads.map(name => (name === null ? el('td', { class: 'room' }) : name ? el('th', { scope: 'col', class: 'number' }, name) : el('td'))))),
    el('tbody', {}, ...rows), el('tfoot', {}, el('tr', {}, el('th', { scope: 'row' }, 'All'), number(all.parameters), el('td', { class: 'room' }), number('100 %'), number(all.operations), el('td', { class: 'room' }), number('100 %'))));

  const at = (/** @type {Event} */ { type, target }) => (type === 'focusout' ? null : /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest('[data-kind]')));
  const mark = (/** @type {Event} */ event) => {
    const { kind, box } = at(event)?.dataset ?? {};
    root.classList.toggle('pointed', kind !== undefined);
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('[data-kind]'))) part.classList.toggle('marked', part.dataset.kind === kind);
    says.textContent = box ? boxes[Number(box)].says : AREA;
  };
  root.onpointerover = mark;
  root.onpointerleave = mark;
  for (const part of [table, picture]) for (const moves of ['focusin', 'focusout']) part.addEventListener(moves, mark);
  picture.onkeydown = event => {
    const all = /** @type {HTMLElement[]} */ ([...picture.querySelectorAll('.box')]), i = all.indexOf(/** @type {HTMLElement} */ (event.target)), to = all[i + (STEPS[event.key] ?? 0)];
    if (event.key === 'Enter' || event.key === ' ') all[i]?.click();
    else if (!STEPS[event.key]) return;
    event.preventDefault();
    if (!to) return;
    all.forEach(one => { one.tabIndex = one === to ? 0 : -1; });
    to.focus();
  };
  root.onclick = event => {
    const target = at(event);
    if (!target || (!target.dataset.box && !(/** @type {Element} */ (event.target).closest('button')))) return;
    const { layer = null, head = null } = boxes[Number(target.dataset.box ?? -1)] ?? {};
    setTriggerValue('open', { kind: Number(target.dataset.kind), layer, head });
  };
  root.replaceChildren(picture, below, el('p', { class: 'key' }, says, ...key), table);
}

// @ts-check
// The chapters of the story, and the stops of the one on the screen: a click leads to one, what was guessed has a tick.
import { el } from '../../../encoder/browser/dom.js';

/**
 * @typedef {{ number: number, name: string, done: boolean }} RailStop
 * @typedef {{ at: number, chapters: { name: string, stops: RailStop[] }[] }} RailData
 */

/** @param {ComponentArguments<RailData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.rail'));
  const within = root.contains(parentElement.activeElement ?? null);
  /** @param {string} className @param {string} label @param {number} to @param {HTMLElement[]} inside */
  const way = (className, label, to, inside) => el('li', { class: className },
    el('button', { type: 'button', 'aria-label': label, onclick: () => setTriggerValue('picked', to) }, ...inside));
  const chapters = el('ol', { class: 'chapters' }), list = el('ol', { class: 'stops' });
  for (const { name, stops } of data.chapters) {
    const first = stops[0].number, range = `${first}–${stops[stops.length - 1].number}`, left = stops.filter(stop => !stop.done);
    const titled = [el('strong', {}, name), el('span', { class: 'range' }, left.length ? range : `${range} ✓`)];
    if (stops.every(stop => stop.number !== data.at)) {
      chapters.append(way('chapter', `${name}, stops ${range}`, (left[0] ?? stops[0]).number, titled));
      continue;
    }
    chapters.append(el('li', { class: 'chapter here' }, ...titled));
    for (const stop of stops) {
      const label = `${stop.number} ${stop.name}${stop.done ? ', guessed' : ''}`, kind = stop.done ? 'done' : '';
      const named = [el('i', {}, stop.done ? '✓' : String(stop.number)), el('span', {}, stop.name)];
      list.append(stop.number === data.at // where we are leads nowhere
        ? el('li', { class: kind, 'aria-label': label, 'aria-current': 'step', tabindex: -1 }, ...named)
        : way(kind, label, stop.number, named));
    }
  }
  root.replaceChildren(chapters, list);
  if (within) /** @type {HTMLElement | null} */ (root.querySelector('[aria-current]'))?.focus();
}

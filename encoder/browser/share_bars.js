// @ts-check
// Words with a bar each, and a mark where the bar ended before: the guess wherever it stands.
import { children, el, put, write } from './dom.js';

/** A bar: its word, what is written behind it, how far it goes and where its mark is, from 0 to 1 (NaN for no mark); `props` are those of its line. @typedef {{name: string, text: string, filled: number, marked: number, props: import('./dom.js').Props}} Bar */

/** @param {number} part */
const percentOf = part => 100 * Math.min(1, Math.max(0, part || 0));

/** Draws bars into a list. @param {Element} list @param {Bar[]} all */
export function shareBars(list, all) {
  const line = () => el('li', {}, el('span', { class: 'enc-bar-name' }), el('span', { class: 'enc-bar-room' }, el('i'), el('b')), el('span', { class: 'enc-bar-share' }));
  children(list, all.length, line).forEach((item, i) => {
    const { name, text, filled, marked, props } = all[i], [label, room, share] = item.children, [fill, mark] = /** @type {HTMLElement[]} */ ([...room.children]);
    write(label, name);
    write(share, text);
    put(item, props);
    fill.style.width = `max(2px, ${percentOf(filled)}%)`;
    mark.hidden = !Number.isFinite(marked);
    mark.style.insetInlineStart = `${percentOf(marked)}%`;
  });
}

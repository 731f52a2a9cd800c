// @ts-check
// Words with their shares as bars; each can be chosen.
import { children, el, put, write } from './dom.js';

/** @typedef {import('./settling.js').Line} Line */

/** @param {HTMLElement} root @param {(word: number) => void} choose */
export function bars(root, choose) {
  const list = root.appendChild(el('ul', { class: 'ou-bars' }));
  list.onclick = event => {
    const line = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('[data-line]')) : null;
    if (line) choose(Number(line.dataset.line));
  };
  return {
    element: list,
    /** @param {Line[]} all @param {number} chosen @param {number} [most] lines from which on one stands apart */
    draw(all, chosen, most = all.length) {
      const make = () => el('li', {}, el('span', { class: 'ou-place' }), el('bdi', { class: 'ou-name' }), el('span', { class: 'ou-room' }, el('i')), el('span', { class: 'ou-share' }));
      children(list, all.length, make).forEach((line, i) => {
        const { name, text, deep, word, place } = all[i], [number, said, room, share] = line.children;
        write(number, place === undefined ? '' : place.toLocaleString('en-US'));
        write(said, name);
        write(share, text);
        put(line, { 'data-line': word, 'data-guess': name, 'data-share': String(deep), class: [i >= most ? 'is-far' : '', word === chosen ? 'is-followed' : ''].join(' ').trim() || null });
        /** @type {HTMLElement} */ (room.firstElementChild).style.width = `max(2px, ${100 * Math.max(0, Math.min(1, deep || 0))}%)`;
      });
    },
  };
}

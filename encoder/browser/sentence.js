// @ts-check
// The words of a sentence, one of which is asked about: a row of buttons with one tab stop.
import { children, el, focused, put, write } from './dom.js';
import { direction, inFull, words } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */

/** @param {(position: number) => void} choose */
export function sentence(choose) {
  const list = el('div', { class: 'ou-words', role: 'toolbar', 'aria-label': 'Words: choose the one to ask about' });
  let shown = -1;
  list.onclick = event => {
    const button = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('[data-word]')) : null;
    if (button && !button.hasAttribute('aria-disabled')) choose(Number(button.dataset.word));
  };
  list.onkeydown = event => {
    const all = /** @type {HTMLElement[]} */ ([...list.children]), here = all.indexOf(/** @type {HTMLElement} */ (focused(list)));
    const ahead = getComputedStyle(list).direction === 'rtl' ? -1 : 1;
    const to = { ArrowRight: here + ahead, ArrowLeft: here - ahead, ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || here < 0 || to < 0 || to >= all.length) return;
    event.preventDefault();
    rove(to);
    all[to].focus();
  };
  /** @param {number} to */
  const rove = to => [...list.children].forEach((one, i) => put(one, { tabindex: i === to ? '0' : '-1' }));
  return {
    element: list,
    /** @param {Packet} run @param {Word} asked @param {Packet | null} found what says which words can be asked */
    draw(run, asked, found) {
      const all = words(run), can = new Set(found?.about.vocabulary ? found.about.positions : run.about.rows), from = all.indexOf(asked);
      put(list, { dir: direction(run) });
      const buttons = children(list, all.length, () => el('button', { type: 'button', class: 'ou-word' }, el('span', { dir: 'auto' })));
      buttons.forEach((button, i) => {
        write(button.children[0], all[i].name);
        put(button, {
          'data-word': all[i].position, 'aria-pressed': String(i === from), 'aria-disabled': can.has(all[i].position) ? null : 'true',
          title: all[i].name.endsWith('…') ? inFull(run, all[i].name) : null, class: `ou-word${all[i].gap ? ' is-gap' : ''}`,
        });
      });
      if (!list.contains(focused(list)) || !buttons.some(one => one.tabIndex === 0)) rove(from);
      if (shown !== from && list.scrollHeight > list.clientHeight) list.scrollTop = buttons[from].offsetTop - list.offsetTop - list.clientHeight / 2;
      shown = from;
    },
  };
}

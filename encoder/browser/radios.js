// @ts-check
// One of several, as buttons in a row with one tab stop and arrow keys; as a list to open where there are too many for a row.
import { children, el, put, write } from './dom.js';

const MOST = 12, MOST_SMALL = 8; // buttons side by side
const SMALL = matchMedia('(max-width: 560px)');

/** What can be chosen, and how it is called where its text is short. @typedef {{text: string, title?: string}} Choice */

/**
 * @param {string} label
 * @param {(index: number) => void} choose
 * @param {{most?: number, small?: number, hidden?: boolean, class?: string}} [options] so many side by side, so many on a small screen; `hidden` leaves the label to those who hear it
 */
export function radios(label, choose, { most = MOST, small = most === MOST ? MOST_SMALL : most, hidden = false, class: name = '' } = {}) {
  const group = el('div', { class: 'radios', role: 'radiogroup', 'aria-label': label });
  const list = el('select', { class: 'radios-list', 'aria-label': label, onchange: () => choose(list.selectedIndex) });
  const element = el('div', { class: `radios-part ${name}` }, ...(hidden ? [] : [el('span', { class: 'radios-label', 'aria-hidden': 'true' }, label)]), group, list);
  let chosen = -1, count = 0;

  group.onkeydown = event => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? count - 1 : by === undefined ? -1 : (chosen + by + count) % count;
    if (to < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(to);
    /** @type {HTMLElement | undefined} */ (group.children[to])?.focus();
  };
  return {
    element, group,
    /** @param {Choice[]} choices @param {number} index */
    draw(choices, index) {
      const many = choices.length > (SMALL.matches ? small : most);
      group.hidden = many;
      list.hidden = !many;
      chosen = index;
      count = choices.length;
      if (many) {
        if (list.options.length !== count) list.replaceChildren(...choices.map(({ text }) => el('option', {}, text)));
        list.selectedIndex = index;
        group.replaceChildren();
        return;
      }
      children(group, count, i => el('button', { type: 'button', role: 'radio', onclick: () => choose(i) })).forEach((button, i) => {
        put(button, { 'aria-checked': String(i === index), tabindex: i === index ? '0' : '-1', 'aria-label': choices[i].title });
        write(button, choices[i].text);
      });
    },
  };
}

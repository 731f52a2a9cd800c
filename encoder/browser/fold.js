// @ts-check
// A list that a button unfolds: keys walk through it, Escape folds it, and so does a click elsewhere.
import { focused, put } from './dom.js';

/**
 * @param {HTMLElement} button
 * @param {HTMLElement} box
 * @param {{items: () => HTMLElement[], fill: () => void, first?: () => HTMLElement | undefined}} list `first` has the focus when it unfolds
 */
export function fold(button, box, { items, fill, first = () => items()[0] }) {
  /** @param {boolean} shown */
  function unfold(shown) {
    if (shown) fill();
    box.hidden = !shown;
    put(button, { 'aria-expanded': String(shown) });
    if (shown) first()?.focus();
  }
  button.onclick = () => unfold(box.hidden);
  box.onkeydown = event => {
    const all = items(), at = all.indexOf(/** @type {HTMLElement} */ (focused(box)));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape') {
      unfold(false);
      button.focus();
    } else if (event.key === 'Tab') unfold(false);
    else if (to !== undefined) {
      event.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    }
  };
  /** @param {Event} event */
  const away = event => { if (!box.hidden && !event.composedPath().includes(box) && !event.composedPath().includes(button)) unfold(false); };
  document.addEventListener('pointerdown', away);
  return { unfold, end: () => document.removeEventListener('pointerdown', away) };
}

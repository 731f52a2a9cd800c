// @ts-check
// Bars, to read or to choose from: a name, and for each of its numbers how far it goes and what it says.
import { focused } from './dom.js';
import { html, nothing } from './lit.js';

/** A number: `share` of the room from 0 to 1, a `mark` there, what is written behind it, and of several which one it is; `cut` where it goes beyond. With `both` it goes from the middle either way, and so does its mark. @typedef {{share: number, text: string, mark?: number, colour?: string, cut?: boolean, title?: string, both?: boolean}} Fill */
/**
 * A line. `key` is what its choice means, `says` is heard of it; `kind` are classes, `word`, `cell` and `data` are written at it for whom it concerns.
 * @typedef {{name: string, fills: Fill[], key?: number, title?: string, says?: string, chosen?: boolean, kind?: string, word?: number, cell?: number, data?: {guess?: string, share?: number | string, before?: number, after?: number, moved?: string}}} Bar
 */
/** `choose` makes the list one to choose from by pointer and by keys. @typedef {{label?: string, kind?: string, direction?: 'ltr' | 'rtl', choose?: (key: number) => void}} Of */

/** Where a number goes that may be of either sign, from the middle of its room. @param {number} share from -1 to 1 */
const fromMiddle = share => `left: ${(share < 0 ? 50 - percentOf(-share) / 2 : 50).toFixed(2)}%; width: ${(percentOf(Math.abs(share)) / 2).toFixed(2)}%`;

/** @param {number} part */
const percentOf = part => 100 * Math.min(1, Math.max(0, part || 0));

/** @param {Bar[]} all @param {Of} [of] */
export function bars(all, { label, kind = '', direction, choose } = {}) {
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const list = /** @type {HTMLElement} */ (event.currentTarget), lines = [...list.children], here = lines.indexOf(/** @type {Element} */ (focused(list))), last = lines.length - 1;
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, PageDown: here + 5, PageUp: here - 5, Home: 0, End: last }[event.key];
    if (to === undefined || here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const row = Math.min(last, Math.max(0, to));
    choose?.(all[row].key ?? row);
    /** @type {HTMLElement} */ (lines[row]).focus();
  }
  const own = Math.max(0, all.findIndex(one => one.chosen));
  return html`<ul class="bars ${kind}" role=${choose ? 'listbox' : nothing} aria-label=${label ?? nothing} dir=${direction ?? nothing} @keydown=${choose ? walk : nothing}>${all.map(({ name, fills, key, title, says, chosen, kind: is, word, cell, data = {} }, i) => html`<li class=${is || nothing}
    role=${choose ? 'option' : nothing} aria-selected=${choose ? String(Boolean(chosen)) : nothing} tabindex=${choose ? (i === own ? 0 : -1) : nothing} aria-label=${says ?? nothing} @click=${choose ? () => choose(key ?? i) : nothing}
    data-word=${word ?? nothing} data-cell=${cell ?? nothing} data-guess=${data.guess ?? nothing} data-share=${data.share ?? nothing} data-after=${data.after ?? nothing} data-before=${data.before ?? nothing} data-moved=${data.moved ?? nothing}>
    <bdi class="bar-name" translate="no" lang="" title=${title ?? nothing}>${name}</bdi><span class="bar-fills">${fills.map(({ share, text, mark = NaN, colour, cut, title: which, both }) => html`<span class="bar-room" data-colour=${colour ?? nothing}><i ?data-cut=${cut} style=${both ? fromMiddle(share) : `width: max(1px, ${percentOf(share).toFixed(2)}%)`}></i>${Number.isFinite(mark) ? html`<b style="inset-inline-start: ${both ? 50 + Math.max(-1, Math.min(1, mark)) * 50 : percentOf(mark)}%"></b>` : nothing}</span>${which ? html`<span class="enc-spoken"> ${which} </span>` : nothing}<span class="bar-said" data-colour=${colour ?? nothing}>${text}</span>`)}</span></li>`)}</ul>`;
}

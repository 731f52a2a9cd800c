// @ts-check
// A table of numbers: what a number was made of, in the drawer and beside a picture. A number that stands in the run opens.
import { AS_IS } from './dom.js';
import { html, nothing } from './lit.js';
import { open as show, spelled } from './store.js';

/** @typedef {import('./store.js').Place} Place */
/** A number or a word; `to` is where it stands in the run, and opens it. @typedef {{text: string, to?: Place | null, kind?: 'check' | 'wrong'}} Cell */
/** `key` names the line to who chooses it; `bar` is the share of the width that its size takes, below zero of what is taken off. @typedef {{name: string, cells: Cell[], key?: number, chosen?: boolean, bar?: number}} Line */
/**
 * `lead` opens a number instead of the page; `choose` and `point` hear of a line.
 * @typedef {{heads: string[], lines: Line[], sum?: Line | null, lead?: (to: Place) => void, choose?: (key: number) => void, point?: (key: number | null) => void}} NumberTable
 */

/** @param {NumberTable} given */
export function numberTable({ heads, lines, sum, lead, choose, point }) {
  /** What opens in place is reached by keys through the picture: its buttons stand in nobody's way. @param {Cell} cell */
  const inCell = ({ text, to }) => (!to ? text : html`<button type="button" tabindex=${lead ? nothing : -1} data-number=${spelled(to)}
    @click=${(/** @type {Event} */ event) => { event.stopPropagation(); (lead ?? show)(to); }}>${text}</button>`);
  /** @param {Line} line */
  const row = ({ name, cells, key, chosen, bar }) => html`<tr class=${chosen ? 'is-chosen' : nothing} data-line=${key ?? nothing}
    @click=${choose && key !== undefined ? () => choose(key) : nothing} @pointerenter=${point && key !== undefined ? () => point(key) : nothing} @pointerleave=${point ? () => point(null) : nothing}>
    <th scope="row" dir="auto" translate=${AS_IS.translate} lang=${AS_IS.lang}>${name}${bar === undefined ? nothing : html`<i class=${bar < 0 ? 'is-below' : nothing} style="width: ${Math.min(100, 100 * Math.abs(bar))}%"></i>`}</th>${cells.map(cell => html`<td class=${cell.kind ? `is-${cell.kind}` : nothing}>${inCell(cell)}</td>`)}</tr>`;
  return html`<table class="row-table">
    <thead><tr>${heads.map(head => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${lines.map(row)}</tbody>${sum ? html`<tfoot>${row(sum)}</tfoot>` : nothing}
  </table>`;
}

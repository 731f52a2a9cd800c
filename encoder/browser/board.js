// @ts-check
// A board: layers down, heads across, and what else a layer has behind them.
import { html, nothing } from './lit.js';

/** A part of the model: `colour` and `ink` are CSS, `text` stands in it, `says` names it. A switch is `pressed` or not; of others one is `selected`, which `among` of rows.js sees to. @typedef {{colour: string, ink?: string, text?: string, says: string, pressed?: boolean, value?: number, kind?: string, tab?: boolean}} Part */
/** `names` are those of the columns, the heads first; `attribute` says at each part where it is. @typedef {{label: string, layers: number, heads: number, names: string[], attribute?: 'data-cell' | 'data-head-row', kind?: string, part: (layer: number, column: number) => Part}} Board */

const MANY = 8, MOST = 16; // layers from which on cells are lower

/** @param {Board} of */
export function board({ label, layers, heads, names, attribute = 'data-cell', kind = '', part }) {
  const blocks = (/** @type {number} */ column) => (column < heads ? nothing : 'is-block'), swap = attribute === 'data-cell';
  /** @param {number} layer @param {number} column */
  function cell(layer, column) {
    const { colour, ink = 'inherit', text = '', says, pressed, value, kind: own, tab = false } = part(layer, column), place = `${layer},${column}`;
    return html`<td class=${blocks(column)} role=${swap ? nothing : 'none'}><button type="button" tabindex=${tab ? 0 : -1} data-cell=${swap ? place : nothing} data-head-row=${swap ? nothing : place} data-value=${value !== undefined && Number.isFinite(value) ? value : nothing}
      role=${swap ? nothing : 'gridcell'} aria-selected=${swap ? nothing : 'false'} aria-pressed=${pressed === undefined ? nothing : String(pressed)} class=${own || nothing} aria-label=${says} style="--colour: ${colour}; --on: ${ink}">${text}</button></td>`;
  }
  return html`<table class="board ${kind}" role="grid" aria-label=${label} style="--heads: ${heads}" data-many=${layers > MOST ? 'most' : layers > MANY ? 'many' : nothing}>
    <thead><tr><th scope="col">layer</th>${names.map((name, i) => html`<th scope="col" aria-label=${i < heads ? `head ${i}` : name.replace('\u00ad', '')} class=${blocks(i)}>${name}</th>`)}</tr></thead>
    <tbody>${Array.from({ length: layers }, (_, layer) => html`<tr><th scope="row" aria-label="layer ${layer}">${layer}</th>${names.map((_, column) => cell(layer, column))}</tr>`)}</tbody></table>`;
}

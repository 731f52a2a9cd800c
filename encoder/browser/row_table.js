// @ts-check
// The table of a row of Attention, and the head that looks there most.
import { html, nothing } from './lit.js';
import { percent, sure, tight, typeset } from './number.js';
import { numberTable } from './number_table.js';
import { at } from './packet.js';
import { said, say } from './say.js';

/** @typedef {import('./row.js').Table} Table */
/** @typedef {import('./row.js').Form} Form */

export const PROVED = /agrees|of its head, to|share of 0/; // says of a table that it was done again
const FEW = 8; // lines before all are asked for

/** How many digits after the point the numbers of a column have, by the largest of them and by how far they may be off; -1 for powers of ten. @param {(number | string | null)[]} column @param {number} [within] */
function placesOf(column, within = 0) {
  const most = Math.max(0, ...column.map(value => (typeof value === 'number' && Number.isFinite(value) ? Math.abs(value) : 0)));
  if (most >= 1e6 || (most && most < 0.01)) return -1;
  const places = most >= 1000 || column.every(value => typeof value !== 'number' || Number.isInteger(value)) ? 0 : most >= 100 ? 1 : most >= 1 ? 2 : 3;
  return within > 0 ? Math.max(0, Math.min(places, Math.floor(-Math.log10(2 * within)))) : places;
}

/** A number as it stands in a column. @param {number | string | null | undefined} value @param {Form} form @param {number} [places] @param {number} [within] */
export function written(value, form, places = -1, within = 0) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (form === 'percent') return tight(percent(value, value ? 1 : undefined));
  if (form === 'power') return value > 0 && value < 5e-4 ? '<\u00a00.001' : value.toFixed(3);
  return places < 0 || !Number.isFinite(value) ? typeset(sure(value, within)) : typeset(value.toFixed(places)).replace(/^−(0\.?0*)$/, '$1');
}

/**
 * @param {Table} told
 * @param {number} chosen column of the picture
 * @param {{choose: (column: number) => void, point: (column: number | null) => void, all: boolean, turn: () => void}} calls whether all lines are asked for, and what asks for them
 */
export function rowTable(told, chosen, { choose, point, all, turn }) {
  const { about, columns, lines, sum, index } = told, checks = lines.some(line => line.digits !== null);
  const places = columns.map(({ within }, c) => placesOf([...lines.map(line => line.numbers[c]), sum?.numbers[c] ?? null], within));
  const texts = (/** @type {(number | string | null)[]} */ numbers) => numbers.map((value, c) => ({ text: written(value, columns[c].form, places[c], columns[c].within) }));
  // The chosen line is always there, in its place by size or as the last one.
  const first = lines.slice(0, all ? lines.length : FEW), mine = lines.find(line => line.position === chosen);
  if (mine && !first.includes(mine)) first[first.length - 1] = mine;
  return html`<div class="row">${numberTable({
    heads: [about, ...columns.map(column => column.name), ...(checks ? ['agrees'] : [])], choose, point,
    lines: first.map(({ name, position, numbers, digits, agrees }) => ({
      name, key: position, chosen: position === chosen,
      cells: [
        ...texts(numbers).map((cell, c) => { const { step } = columns[c]; return { ...cell, to: step ? { step, index: index(position) } : null }; }),
        ...(checks ? [{ text: digits === null ? '' : agrees && digits < 3 ? 'as sent' : `${digits} digits`, kind: /** @type {'check' | 'wrong'} */ (agrees ? 'check' : 'wrong') }] : []),
      ],
    })),
    sum: sum && { name: sum.name, cells: [...texts(sum.numbers), ...(checks ? [{ text: '' }] : [])] },
  })}<button type="button" class="row-more" ?hidden=${lines.length <= FEW} @click=${turn}>${all ? `Only the ${FEW} largest` : `Show all ${lines.length}`}</button>
    <p class="row-check" data-agrees=${told.agrees}>${told.check}${told.agrees && PROVED.test(told.check) ? ' ✓' : ''}</p></div>`;
}

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./claim.js').Head} Head */

/** The head that looks most from a token at another, the first of several; null where none does. @param {Packet} run @param {number} row among those that the run keeps @param {number} column @returns {(Head & {share: number}) | null} */
function mostThere({ about: { model }, arrays: { weights } }, row, column) {
  let best = { layer: -1, head: -1, share: 0 };
  for (let layer = 0; layer < model.layers; layer++) {
    for (let head = 0; head < model.heads; head++) {
      const share = at(weights, layer, head, row, column);
      if (share > best.share) best = { layer, head, share };
    }
  }
  return best.layer < 0 ? null : best;
}

/**
 * Whether another head looks there more, and which: a way to it. Nothing where none looks there.
 * @param {Packet} run
 * @param {Head & {row: number, column: number}} place what is chosen
 * @param {(head: Head) => void} go
 */
export function lookedAtMost(run, { layer, head, row, column }, go) {
  const found = mostThere(run, row, column), count = run.about.model.layers * run.about.model.heads;
  if (!found || count < 2) return nothing;
  const own = at(run.arrays.weights, layer, head, row, column) >= found.share;
  return html`<p class="at-most">${own ? say('most_here', { count }) : html`<button type="button" class="enc-link" @click=${() => go({ layer: found.layer, head: found.head })}>${said('most_elsewhere', { count, ...found })} →</button>`}</p>`;
}

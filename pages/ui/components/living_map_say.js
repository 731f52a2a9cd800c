// @ts-check
// What the map says in words: of a layer, a column, a row, a cell, in the numbers of this run.
import { bandText, levelText, part, rowName, signedText, unitOf } from './living_map_data.js';
import { bandsOfLayer } from './living_map_paint.js';

/** @param {any} map @param {number} l */
export function sayLayer(map, l) {
  const { about } = map.run;
  const best = about.links[l].map((/** @type {any} */ k, /** @type {number} */ h) => [k, h]).filter((/** @type {any} */ [k]) => k)
    .sort((/** @type {any} */ a, /** @type {any} */ b) => b[0][3] - a[0][3])[0];
  const what = map.open === l ? 'Click to fold it.' : 'Click to unfold it.';
  if (!best) return `Layer ${l}. ${what}`;
  const [[query, key, share], head] = best;
  return `Layer ${l}: its strongest look from word to word is \u201c${about.tokens[query]}\u201d \u2192 \u201c${about.tokens[key]}\u201d, ${share}, in head ${head}. ${what}`;
}

/** @param {any} map @param {number} i */
export function sayColumn(map, i) {
  const c = map.columns[i];
  return `${c.title}${c.heads ? ` of head ${map.head}` : ''}: ${c.note}`;
}

/** What a band says of its word. @param {any} map @param {boolean} difference */
function verbOf(map, difference) {
  if (map.bands === 'flow') return map.way === 'from' ? (difference ? 'takes otherwise from' : 'takes most from') : (difference ? 'gives otherwise to' : 'gives most to');
  if (difference) return map.way === 'from' ? 'looks otherwise at' : 'is looked at otherwise by';
  return map.way === 'from' ? 'looks most at' : 'is looked at most by';
}

/** Where a row looks, layer by layer. @param {any} map @param {number} row */
export function sayRow(map, row) {
  const { about, arrays } = map.run;
  const name = rowName(about, row);
  const said = map.now.cards.map((/** @type {any} */ _, /** @type {number} */ layer) => {
    const best = bandsOfLayer(map.scene, layer).filter(b => (map.way === 'from' ? b.query : b.key) === row).pop();
    if (!best) return '';
    const other = rowName(about, map.way === 'from' ? best.key : best.query);
    const head = map.bands === 'strongest' ? ` (head ${part(arrays.who, layer)[best.query * about.rows + best.key]})` : '';
    return `layer ${layer}: ${other} ${bandText(best, about)}${head}`;
  }).filter(Boolean);
  const verb = verbOf(map, about.difference);
  const limit = `${map.words ? 'words only, ' : ''}from ${map.least}\u00a0${unitOf(about)}`;
  return said.length ? `\u201c${name}\u201d ${verb}, ${said.join(' \u00b7 ')}` : `\u201c${name}\u201d: no band here (${limit}).`;
}

/** What a number is more than. @param {any} about */
const more = about => about.difference ? ' more than without the changes' : '';

/** @param {any} map @param {any} at */
export function sayCell(map, at) {
  const { about } = map.run;
  const row = rowName(about, at.row);
  if (at.column === undefined) return `${about.titles[at.strip]} of \u201c${row}\u201d: ${signedText(at.level, about.scales[at.strip])}${more(about)}. Click to open this number.`;
  const c = map.columns[at.column];
  const levels = map.levelsOf(at.column);
  if (!levels) return sayColumn(map, at.column);
  const level = levels[at.row * at.cells + at.cell];
  const what = c.share && !about.difference ? levelText(level) : signedText(level, map.detail.scales[at.column]) + more(about);
  return `${c.title}${c.heads ? `, head ${map.head}` : ''}: \u201c${row}\u201d${c.pairs ? ` \u2192 \u201c${rowName(about, at.cell)}\u201d` : ''} ${what}. Click, or Enter, opens this number.`;
}

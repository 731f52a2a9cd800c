// @ts-check
// What the map says in words, in the numbers of this run: of a layer, a column, a row, a cell; and Play, in which a frame runs
// from column to column of one word's row while a sentence says what happens there.
import { bandText, levelText, part, rowName, signedText, unitOf } from './living_map_data.js';
import { bandsOfLayer, toX, toY } from './living_map_paint.js';

const PAUSE = 1500; // at the least at a column, and
const PER_LETTER = 28; // milliseconds more for each letter of its sentence

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

/** The columns of the walk: where they stand. @param {any} map */
export const stopsOf = map => [...map.now.strips.slice(0, 2), ...map.now.cards, map.now.guess];

/** Begin at the first column, or end where the walk goes on. @param {any} map */
export function startWalk(map) {
  if (map.walking) { stopWalk(map); return; }
  const row = map.pinned >= 0 ? map.pinned : map.walkData.row;
  map.walking = { at: -1, timer: 0, row, asked: false };
  map.playButton.textContent = 'Stop';
  map.pinned = row;
  if (row === map.walkData.row) { nextStop(map, 1); return; }
  map.walking.asked = true;
  map.send({ follow: row * map.run.about.every });
}

/** New data came: the sentences of the word that was asked for may be among it. @param {any} map */
export function heardWalk(map) {
  if (!map.walking?.asked || map.walkData.row !== map.walking.row) return;
  map.walking.asked = false;
  nextStop(map, 1);
}

/** @param {any} map */
export function stopWalk(map) {
  clearTimeout(map.walking?.timer);
  map.walking = undefined;
  map.playButton.textContent = 'Play';
  map.later();
}

/** To the next column, or by -1 to the one before. @param {any} map @param {number} by */
export function nextStop(map, by) {
  const walk = map.walking;
  const stops = stopsOf(map);
  clearTimeout(walk.timer);
  if (walk.at + by >= stops.length) { stopWalk(map); return; }
  walk.at = Math.max(0, walk.at + by);
  map.into(stops[walk.at].x, stops[walk.at].w);
  const said = map.walkData.said[walk.at];
  map.said.textContent = said;
  walk.timer = setTimeout(() => nextStop(map, 1), PAUSE + PER_LETTER * said.length);
  map.later();
}

/** The frame where it stands now. @param {CanvasRenderingContext2D} c @param {any} map */
export function paintStop(c, map) {
  const walk = map.walking;
  if (!walk || walk.at < 0) return;
  const { x, w } = stopsOf(map)[walk.at];
  c.strokeStyle = map.colours.second;
  c.lineWidth = 3;
  c.beginPath();
  c.roundRect(toX(map.scene, x) - 2, map.top - 2, w + 4, map.tall + 4, 6);
  c.stroke();
  c.lineWidth = 2;
  c.strokeRect(toX(map.scene, x), toY(map.scene, walk.row), w, map.rowHeight);
}

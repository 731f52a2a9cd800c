// @ts-check
// Play: a frame runs from column to column of one word's row, and a sentence says what happens there.
import { toX, toY } from './living_map_paint.js';
import { eased } from './living_map_layout.js';

const STEP = 300; // milliseconds of the frame's glide from column to column
const PAUSE = 1500; // at the least at a column, and
const PER_LETTER = 28; // milliseconds more for each letter of its sentence

/** The columns of the walk: where they stand. @param {any} map */
export const stopsOf = map => [...map.now.strips.slice(0, 2), ...map.now.cards, map.now.guess];

/** Begin at the first column, or end where the walk goes on. @param {any} map */
export function startWalk(map) {
  if (map.walking) { stopWalk(map); return; }
  const row = map.pinned >= 0 ? map.pinned : map.walkData.row;
  map.walking = { at: -1, from: null, since: 0, timer: 0, row, asked: false };
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
  walk.from = walk.at < 0 ? null : walk.at;
  walk.at = Math.max(0, walk.at + by);
  walk.since = performance.now();
  map.into(stops[walk.at].x, stops[walk.at].w);
  const said = map.walkData.said[walk.at];
  map.said.textContent = said;
  walk.timer = setTimeout(() => nextStop(map, 1), PAUSE + PER_LETTER * said.length);
  map.later();
}

/** The frame where it stands now, or glides. @param {CanvasRenderingContext2D} c @param {any} map */
export function paintStop(c, map) {
  const walk = map.walking;
  if (!walk || walk.at < 0) return;
  const stops = stopsOf(map);
  const [a, b] = [stops[walk.from ?? walk.at], stops[walk.at]];
  const t = map.still.matches ? 1 : Math.min(1, (performance.now() - walk.since) / STEP);
  const e = eased(t);
  const k = map.camera.k;
  const [x, w] = [a.x + (b.x - a.x) * e, a.w + (b.w - a.w) * e];
  c.strokeStyle = map.colours.second;
  c.lineWidth = 3;
  c.beginPath();
  c.roundRect(toX(map.scene, x) - 2, Math.max(toY(map.scene, 0), map.top) - 2, w * k + 4, map.tall + 4, 6);
  c.stroke();
  c.lineWidth = 2;
  c.strokeRect(toX(map.scene, x), toY(map.scene, walk.row), w * k, map.rowHeight * k);
  if (t < 1) requestAnimationFrame(() => map.later());
}

// @ts-check
// What is done with the map by mouse, touch, wheel and keys.
import { part } from './living_map_data.js';
import { clamp, columnSpans, foldedParts } from './living_map_layout.js';
import { thumbPlaces } from './living_map_paint.js';
import { nextStop, sayCell, sayColumn, stopWalk } from './living_map_say.js';

/** What stands at a point of the stage. @param {any} map @param {number} x @param {number} y */
export function whatIsAt(map, x, y) {
  const { about } = map.run;
  const row = Math.floor((y - map.top) / map.rowHeight);
  if (y < map.top || row < 0 || row >= about.rows) return { row: -1, cell: null };
  const wx = x - map.left + map.scroll;
  const inside = (/** @type {any} */ s) => wx >= s.x && wx <= s.x + s.w;
  const cellIn = (/** @type {any} */ s, /** @type {number} */ cells) => clamp(Math.floor(((wx - s.x) / s.w) * cells), 0, cells - 1);
  const inStrip = (/** @type {any} */ s, /** @type {number} */ i) => {
    const cells = about.widths[i];
    const cell = cellIn(s, cells);
    const levels = part(map.run.arrays.strips, i);
    return { ...s, strip: i, cells, row, cell, pairs: false, level: levels[row * (levels.length / about.rows) + cell] };
  };
  const strip = map.now.strips.findIndex(inside);
  if (strip >= 0) return { row, cell: inStrip(map.now.strips[strip], strip) };
  const layer = map.now.cards.findIndex(inside);
  if (layer < 0) return { row, cell: null };
  const card = map.now.cards[layer];
  if (layer !== map.open) {
    const s = foldedParts(card.w).strip;
    const span = { x: card.x + s.x, w: s.w };
    return { row, layer, cell: inside(span) ? inStrip(span, 2 + layer) : null };
  }
  const spans = columnSpans(map.detail.natural, card.w).map(s => ({ x: card.x + s.x, w: s.w }));
  const column = spans.findIndex(inside);
  return { row, layer, cell: column < 0 ? null : map.cellAt(column, row, cellIn(spans[column], map.cellsOf(column))) };
}

/** @param {any} map */
export function listenTo(map) {
  const { canvas, stage } = map;
  const where = (/** @type {any} */ e) => { const box = stage.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
  stage.addEventListener('wheel', (/** @type {WheelEvent} */ e) => {
    if (Math.abs(e.deltaX) <= Math.abs(e.deltaY) && !e.shiftKey) return;
    const before = map.scroll;
    map.move(-(e.deltaX || e.deltaY));
    if (map.scroll !== before) e.preventDefault();
  }, { passive: false });
  canvas.onpointerdown = (/** @type {PointerEvent} */ e) => {
    if (map.walking) stopWalk(map);
    map.drag = { moved: 0, from: where(e), at: where(e)[0] };
    map.held = true;
    if (e.pointerType !== 'mouse') canvas.setPointerCapture(e.pointerId);
  };
  canvas.onpointermove = (/** @type {PointerEvent} */ e) => {
    const [x, y] = where(e);
    if (!map.held) { pointAt(map, x, y); return; }
    const by = x - map.drag.at;
    map.drag.moved += Math.abs(by);
    map.drag.at = x;
    if (map.drag.moved > 6) { map.move(by); canvas.classList.add('dragged'); }
  };
  canvas.onpointerup = canvas.onpointercancel = () => { map.held = false; canvas.classList.remove('dragged'); };
  canvas.onpointerleave = () => { map.pointed = null; map.point(-1); map.later(); };
  canvas.onclick = (/** @type {MouseEvent} */ e) => {
    if (map.drag && map.drag.moved > 6) return;
    const [x, y] = map.drag ? map.drag.from : where(e); // a click has whole pixels, what was pointed at need not
    const found = map.at(x, y);
    if (found.row < 0) return;
    if (found.cell) { map.pinned = found.row; map.tell(sayCell(map, found.cell)); map.openNumber(found.cell); }
    else map.pin(found.row);
  };
  map.root.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => onKey(map, e));
  map.root.addEventListener('focusin', (/** @type {FocusEvent} */ e) => followFocus(map, /** @type {HTMLElement} */ (e.target)));
}

/** @param {any} map @param {number} x @param {number} y */
export function pointAt(map, x, y) {
  if (!map.now || !map.detail) return;
  const found = map.at(x, y);
  map.point(found.row);
  map.pointed = found.cell;
  if (found.cell) map.tell(sayCell(map, found.cell));
  map.later();
}

/** What has the focus is moved into the window. @param {any} map @param {HTMLElement} e */
export function followFocus(map, e) {
  const layer = map.layerButtons?.findIndex((/** @type {any} */ b, /** @type {number} */ l) => b === e || map.thumbButtons[l].includes(e));
  const column = map.columnButtons?.indexOf(e);
  if (layer >= 0 && layer !== map.open) map.into(map.now.cards[layer].x, map.now.cards[layer].w);
  else if (column >= 0) map.into(map.cellAt(column, 0, 0).x, map.cellAt(column, 0, 0).w);
}

/** Only one button of a group takes part in tabbing. @param {any} map @param {HTMLElement} group @param {HTMLElement} chosen */
export function rove(map, group, chosen) {
  for (const b of group.querySelectorAll('button')) b.tabIndex = b === chosen ? 0 : -1;
}

/** @param {any} map @param {KeyboardEvent} e */
export function onKey(map, e) {
  const at = /** @type {HTMLElement} */ (map.root.getRootNode().activeElement);
  const used = keyOn(map, at, e.key);
  if (used) { e.preventDefault(); }
  if (used || e.key.startsWith('Arrow')) e.stopPropagation(); // arrow keys walk the pages elsewhere
}

/** @param {any} map @param {HTMLElement} at @param {string} key */
export function keyOn(map, at, key) {
  const step = /** @type {any} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] })[key];
  if (key === 'Escape') {
    if (map.walking) { stopWalk(map); return true; }
    if (document.documentElement.hasAttribute('data-number-open')) return false; // the opened number is closed first
    if (map.pointed) { map.pointed = null; map.hover = -1; map.later(); return true; }
    if (map.open >= 0) { map.unfold(-1); map.layerButtons[map.layer].focus(); return true; }
    return false;
  }
  if (at === map.playButton && step?.[1] && map.walking) { nextStop(map, step[1]); return true; }
  const rows = [...map.tokens.children].map(li => li.firstChild);
  const row = rows.indexOf(at);
  if (row >= 0 && step) {
    const to = rows[clamp(row + step[0], 0, rows.length - 1)];
    if (step[1] > 0) map.layerButtons[map.layer].focus(); else to.focus();
    return true;
  }
  const layer = map.layerButtons.indexOf(at);
  if (layer >= 0 && step) {
    if (step[0] > 0) (map.thumbButtons[layer].find((/** @type {any} */ t) => !t.hidden) || at).focus();
    else if (step[0] < 0) rows[Math.max(0, map.pinned)].focus();
    else map.layerButtons[clamp(layer + step[1], 0, map.layerButtons.length - 1)].focus();
    return true;
  }
  const of = map.thumbButtons.findIndex((/** @type {any} */ list) => list.includes(at));
  if (of >= 0 && step) {
    const list = map.thumbButtons[of];
    const head = list.indexOf(at);
    const across = Math.max(1, thumbPlaces(map.scene, of).filter(p => p.y === thumbPlaces(map.scene, of)[0].y).length);
    const to = head + step[1] + step[0] * across;
    if (to >= list.length && of === map.open && step[0]) map.columnButtons[Math.max(0, map.focus)].focus();
    else if (to < 0) map.layerButtons[of].focus();
    else if (to >= list.length) map.layerButtons[Math.min(of + 1, map.layerButtons.length - 1)].focus();
    else list[to].focus();
    return true;
  }
  const column = map.columnButtons.indexOf(at);
  if (column < 0) return false;
  if (key === 'Enter' && map.pointed) { map.openNumber(map.pointed); return true; }
  if (!step) return false;
  if (!map.pointed && step[0] < 0) { map.thumbButtons[map.open][map.head].focus(); return true; }
  if (!map.pointed && step[1]) { map.columnButtons[clamp(column + step[1], 0, map.columnButtons.length - 1)].focus(); return true; }
  const [r, cell] = map.pointed ? [map.pointed.row + step[0], map.pointed.cell + step[1]] : [Math.max(0, map.pinned), 0];
  if (r < 0) { map.pointed = null; map.point(-1); map.tell(sayColumn(map, column)); map.later(); return true; }
  const cells = map.cellsOf(column);
  if (cell < 0 || cell >= cells) {
    const next = clamp(column + step[1], 0, map.columnButtons.length - 1);
    map.columnButtons[next].focus();
    map.pointed = map.cellAt(next, r, next === column ? clamp(cell, 0, cells - 1) : step[1] > 0 ? 0 : map.cellsOf(next) - 1);
  } else {
    map.pointed = map.cellAt(column, clamp(r, 0, map.run.about.rows - 1), cell);
  }
  map.hover = map.pointed.row;
  map.tell(sayCell(map, map.pointed));
  map.later();
  return true;
}

// @ts-check
// A strip of dots, one for each of many things, in two groups: where each stands on one scale; pointer and keys go from dot to dot.
import { html, nothing, svg } from './lit.js';
import { percent, tight, typeset } from './number.js';

/** Groups of dots by their values; the first is the one that is walked, `mark` is its chosen dot. @typedef {{name: string, values: number[], kind: string}} Group */

const DOT = 2.4, STEP = 4.4, HIGH = 52; // pixels: a dot's radius, the distance of two, how far up and down they go at most
const ROOMY = 500; // from here on quarters have room
const END = 46; // from an end, where a text begins or ends there
const EDGE = 24, NEAR = 24; // at both ends; how far from a dot it is still meant

/** Heights of dots that would lie on each other, from the middle out: dots in order of their places. @param {number[]} places @returns {number[]} */
export function heights(places) {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]), up = places.map(() => 0);
  /** @type {number[]} The dots that a next one may meet. */
  let near = [];
  for (const i of order) {
    near = near.filter(j => places[i] - places[j] < STEP);
    for (let level = 0; ; level++) {
      const height = (level % 2 ? 1 : -1) * Math.ceil(level / 2) * STEP;
      if (near.every(j => Math.hypot(places[i] - places[j], height - up[j]) >= STEP - 0.2)) { up[i] = height; break; }
    }
    near.push(i);
  }
  return up;
}

/** The value in the middle. @param {number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** @type {WeakMap<number[], {wide: number, places: number[], up: number[]}>} */
const known = new WeakMap();

/**
 * @param {{groups: Group[], label: string, wide: number, chosen: number, says: (dot: number) => string, point: (dot: number | null) => void, keep: (dot: number) => void, ends: [string, string]}} given
 *   `wide` is how many pixels there are, `ends` is what 0 and all of it are called
 */
export function dotStrip({ groups, label, wide, chosen, says, point, keep, ends }) {
  const all = groups.flatMap(one => one.values), low = Math.min(0, ...all), high = Math.max(1, ...all), at = (/** @type {number} */ value) => EDGE + (value - low) / (high - low) * (wide - 2 * EDGE);
  const of = (/** @type {Group} */ { values }) => {
    const there = known.get(values);
    if (there?.wide === wide) return there;
    const places = values.map(at), up = heights(places), tall = Math.max(HIGH, ...up.map(Math.abs)), found = { wide, places, up: up.map(one => one * HIGH / tall) };
    known.set(values, found);
    return found;
  };
  const reach = Math.max(20, ...groups.flatMap(one => of(one).up.map(Math.abs))) + 8, middle = 8 + reach, bottom = middle + reach;
  const order = groups[0].values.map((_, i) => i).sort((a, b) => groups[0].values[a] - groups[0].values[b]), { places, up } = of(groups[0]);
  /** The dot nearest to a pointer, if it is near. @param {PointerEvent | MouseEvent} event */
  function nearest(event) {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect(), x = (event.clientX - box.left) * wide / box.width, y = (event.clientY - box.top) * (bottom + 22) / box.height;
    const far = (/** @type {number} */ i) => Math.hypot(places[i] - x, middle + up[i] - y), best = order.reduce((one, i) => (far(i) < far(one) ? i : one), order[0]);
    return far(best) < NEAR ? best : null;
  }
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const here = order.indexOf(chosen), to = { ArrowRight: here + 1, ArrowUp: here + 1, ArrowLeft: here - 1, ArrowDown: here - 1, PageUp: here + 20, PageDown: here - 20, Home: 0, End: order.length - 1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); keep(chosen); }
    if (to === undefined) return;
    event.preventDefault();
    point(order[Math.max(0, Math.min(order.length - 1, to))]);
  }
  const part = (/** @type {number} */ value) => svg`<line class="ds-grid" x1=${at(value)} x2=${at(value)} y1="8" y2=${bottom}></line><text x=${at(value) < END ? 0 : at(value) > wide - END ? wide : at(value)} y=${bottom + 16} text-anchor=${at(value) < END ? 'start' : at(value) > wide - END ? 'end' : 'middle'}>${value === 0 ? ends[0] : value === 1 ? ends[1] : typeset(percent(value, 1))}</text>`;
  const middleOf = (/** @type {Group} */ { values, kind }) => svg`<line class="ds-median ${kind}" x1=${at(median(values))} x2=${at(median(values))} y1="4" y2=${bottom}></line>`;
  return html`<p class="ds-key">${groups.map(({ name, values, kind }) => html`<span class=${kind}><i></i><b>${name}</b> median ${tight(percent(median(values), 1))}</span>`)}</p><div class="ds" role="slider" tabindex="0" aria-label=${label} aria-valuemin="0" aria-valuemax=${order.length - 1} aria-valuenow=${order.indexOf(chosen)} aria-valuetext=${says(chosen)} @keydown=${walk}>
    <svg viewBox="0 0 ${wide} ${bottom + 22}" width="100%" aria-hidden="true" @pointermove=${(/** @type {PointerEvent} */ event) => { const dot = nearest(event); if (dot !== null) point(dot); }} @click=${(/** @type {MouseEvent} */ event) => { const dot = nearest(event); if (dot !== null) keep(dot); }}>
      ${(wide < ROOMY ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map(part)}${groups.map((group, i) => { const { places: xs, up: ys } = of(group); return svg`<g class="ds-dots ${group.kind}" data-group=${i}>${xs.map((x, j) => svg`<circle cx=${x.toFixed(1)} cy=${(middle + ys[j]).toFixed(1)} r=${DOT}></circle>`)}</g>`; })}
      ${groups.map(middleOf)}${chosen >= 0 ? svg`<circle class="ds-chosen" cx=${places[chosen].toFixed(1)} cy=${(middle + up[chosen]).toFixed(1)} r="5.5"></circle>` : nothing}</svg></div>`;
}

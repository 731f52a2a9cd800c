// @ts-check
// What the parts of the film share: places on the axis of steps, lines, keys, and the moment that all of them show.

/** @typedef {{ left: number, right: number, top: number, low: number }} FilmFrame in pixels */

/**
 * Where a step stands between the ends of an axis: logarithmic, with step 0 at its beginning.
 * @param {number} step
 * @param {number} last
 * @param {FilmFrame} frame
 */
export const stepAt = (step, last, frame) => frame.left + (Math.log10(step + 1) / Math.log10(last + 1)) * (frame.right - frame.left);

/** Where a share stands between two heights. @param {number} share @param {FilmFrame} frame @param {number} [most] */
export const shareAt = (share, frame, most = 1) => frame.low - (share / most) * (frame.low - frame.top);

/**
 * The path of a line over the moments.
 * @param {number[]} steps
 * @param {number[]} shares
 * @param {FilmFrame} frame
 * @param {number} [most]
 * @param {number} [last] the step at the end of the axis
 */
export function filmLine(steps, shares, frame, most = 1, last = steps[steps.length - 1]) {
  return 'M' + shares.map((share, i) => stepAt(steps[i], last, frame).toFixed(1) + ' ' + shareAt(share, frame, most).toFixed(1)).join('L');
}

/**
 * The moment whose place is nearest to x.
 * @param {number[]} steps
 * @param {number} x
 * @param {FilmFrame} frame
 * @param {number} [last] the step at the end of the axis
 */
export function momentAt(steps, x, frame, last = steps[steps.length - 1]) {
  const far = steps.map(step => Math.abs(stepAt(step, last, frame) - x));
  return far.indexOf(Math.min(...far));
}

/** Heights of labels that may lie too close, moved apart, in the order in which they came. @param {number[]} heights @param {number} apart */
export function spread(heights, apart) {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  for (let i = 1; i < order.length; i++) placed[order[i]] = Math.max(placed[order[i]], placed[order[i - 1]] + apart);
  return placed;
}

/** A number of steps as it is written. @param {number} step */
export const steps1000 = step => step.toLocaleString('en-US');

/** The next moment for a key; null where the key means nothing here. @param {string} key @param {number} at @param {number} last */
export function keyed(key, at, last) {
  const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last }[key];
  return to === undefined ? null : Math.max(0, Math.min(last, to));
}

/** @typedef {{ at: number, playing: boolean }} FilmMoment */

const NAME = 'film-moment';
const page = /** @type {{ filmMoment?: number }} */ (/** @type {unknown} */ (globalThis));

/** The moment that is shown now, as it is told, or the one to begin with. @param {number} start @param {number} count */
export const momentNow = (start, count) => Math.min(page.filmMoment ?? start, count - 1);

/** Shows another moment in all parts. @param {number} at @param {boolean} playing */
export function tellMoment(at, playing) {
  page.filmMoment = at;
  document.dispatchEvent(new CustomEvent(NAME, { detail: { at, playing } }));
}

/** Begins anew at another moment. */
export function forgetMoment() {
  delete page.filmMoment;
}

/** Hears of every moment from now on, until what it returns is called. @param {(now: FilmMoment) => void} hear */
export function hearMoment(hear) {
  const take = (/** @type {Event} */ event) => hear(/** @type {CustomEvent<FilmMoment>} */ (event).detail);
  document.addEventListener(NAME, take);
  return () => document.removeEventListener(NAME, take);
}

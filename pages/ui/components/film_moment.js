// @ts-check
// Which moment of training a page shows: all parts of its film hear of it in the browser alone.

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

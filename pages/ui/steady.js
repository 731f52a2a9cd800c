// @ts-check
// While a picture is replaced by the next one, its last look stays where it was: no frame is without it.
// Streamlit builds a chart anew when its numbers change, and has nothing to show until that is drawn.

/** @typedef {{ still: HTMLElement, key: string, place: DOMRect, since: number }} Ghost */

const LONGEST = 3000; // milliseconds that a last look may stay
const SETTLED = 3000; // milliseconds after a run in which pictures still make way: a busy browser draws late
const MOVED = 0.5; // of its height: a picture that went further leaves its place to another one
const PLOT = '.js-plotly-plot';
const DRAWN = `${PLOT}:has(.main-svg .cartesianlayer :is(image, .trace, .point))`;

/** @type {Map<string, { place: DOMRect, from: number, look: Node }>} each chart in the window as it was at the last key or click: a chart that goes is emptied first */
const looks = new Map();
/** @type {Map<string, Ghost>} */
const ghosts = new Map();
let ran = 0; // when a run was last seen, or what may begin one
let looking = false; // whether the next frame looks for ghosts to let go

/** The key of a chart, as Streamlit writes it into a class. @param {Element} plot */
const keyOf = plot => /st-key-[\w-]+/.exec(plot.closest('[data-testid=stElementContainer]')?.className || '')?.[0] || '';

/** @param {string} key */
const chart = key => /** @type {HTMLElement | null} */ (document.querySelector(`[data-testid=stElementContainer].${key}`));

/** The chart of that key, where it is drawn. @param {string} key */
const drawn = key => chart(key)?.querySelector(DRAWN);

/** How far the page is scrolled. */
const scrolled = () => document.querySelector('[data-testid=stMain]')?.scrollTop || 0;

/** Whether Streamlit runs the page's script. */
const runs = () => /** @type {HTMLElement | null} */ (document.querySelector('[data-testid=stApp]'))?.dataset.testScriptState !== 'notRunning';

/** Whether a picture has left its place: it is gone, hidden, or went elsewhere. @param {string} key @param {DOMRect} place @param {number} from */
function isAway(key, place, from) {
  const now = drawn(key)?.getBoundingClientRect();
  return !now?.height || Math.abs(now.top + scrolled() - place.top - from) > MOVED * place.height;
}

/** Whether some picture stands in a place. @param {DOMRect} place */
function isTaken({ left, top, width, height }) {
  const [x, y] = [left + width / 2, top + height / 2];
  return [...document.querySelectorAll(`[data-testid=stMain] ${DRAWN}`)]
    .map(one => one.getBoundingClientRect())
    .some(now => now.left < x && x < now.right && now.top < y && y < now.bottom);
}

/** Whether some chart of the page is still to be drawn. */
const isAwaited = () => [...document.querySelectorAll('[data-testid=stMain] [data-testid=stPlotlyChart]')]
  .some(host => !host.querySelector(DRAWN));

/** @param {Event} event */
function remember(event) {
  const to = event.composedPath()[0];
  if (event.type === 'keydown' && (to instanceof HTMLTextAreaElement || to instanceof HTMLInputElement)) return;
  looks.clear();
  if (to instanceof Element && to.closest('[role=tab]')) return; // what stands under another tab is another thing
  ran = performance.now();
  for (const plot of document.querySelectorAll(PLOT)) {
    const [key, place] = [keyOf(plot), plot.getBoundingClientRect()];
    if (key && place.bottom > 0 && place.top < innerHeight) looks.set(key, { place, from: scrolled(), look: plot.cloneNode(true) });
  }
}

/** A look as it was: with its own clips and fades, which have the names of those that are drawn now, and the page's theme. @param {HTMLElement} still */
function asItWas(still) {
  const app = document.querySelector('[data-testid=stApp]');
  if (app) still.style.colorScheme = getComputedStyle(app).colorScheme;
  for (const svg of still.querySelectorAll('svg')) {
    for (const one of svg.querySelectorAll('[id]')) one.id += '-last';
    for (const one of svg.querySelectorAll('[clip-path], [style*="#"]')) {
      for (const name of ['clip-path', 'style']) {
        const value = one.getAttribute(name);
        if (value) one.setAttribute(name, value.replace(/(#[^"')]+)(["']?\))/g, '$1-last$2'));
      }
    }
  }
}

/** Show the last look of every picture whose place no picture has now: it may be pushed aside before it goes. */
function keep() {
  if (runs()) ran = performance.now();
  if (performance.now() - ran > SETTLED) looks.clear();
  for (const [key, { place, from, look }] of looks) {
    if (ghosts.has(key) || !isAway(key, place, from) || isTaken(place)) continue;
    const still = document.createElement('div');
    still.className = 'last-look';
    still.setAttribute('aria-hidden', 'true');
    still.style.cssText = `left:${place.left}px;top:${place.top}px;width:${place.width}px;height:${place.height}px`;
    still.append(look);
    asItWas(still);
    document.body.append(still);
    ghosts.set(key, { still, key, place, since: performance.now() });
  }
}

/** Look at the next frame whether a last look can go, once for all of them. */
function lookAgain() {
  if (looking || !ghosts.size) return;
  looking = true;
  requestAnimationFrame(letGo);
}

/** Let go of last looks whose place has a picture again, or gets none. */
function letGo() {
  looking = false;
  for (const ghost of ghosts.values()) {
    const late = performance.now() - ghost.since > LONGEST;
    const gone = !runs() && (drawn(ghost.key) || !chart(ghost.key)) && !isAwaited();
    if (!isTaken(ghost.place) && !late && !gone) continue;
    ghosts.delete(ghost.key);
    if (late || gone) looks.delete(ghost.key);
    requestAnimationFrame(() => requestAnimationFrame(() => ghost.still.remove())); // what is in its place is painted by then
  }
  lookAgain();
}

export default function () {
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, remember, true);
  const watch = new MutationObserver(() => {
    keep();
    lookAgain();
  });
  watch.observe(document.querySelector('[data-testid=stMain]') || document.body, { childList: true, subtree: true });
  return () => {
    for (const kind of ['pointerdown', 'keydown']) document.removeEventListener(kind, remember, true);
    watch.disconnect();
  };
}

// @ts-check
// The drawer of the opened number: what was clicked stays where it is while the page makes room beside it, and keys find the way in and back.

/** @typedef {HTMLElement & { isOpen?: boolean }} Host */

const SETTLING = 2500; // milliseconds in which the page may still change its heights
const BY_HAND = 800; // milliseconds for which a page rolls on after a wheel or a finger
const STEADY = 'canvas, .js-plotly-plot, [data-testid=stElementContainer]';

/** What was used last: the element, where it stood, and whether by key. */
const last = { element: /** @type {Element | null} */ (null), top: 0, y: 0, byKey: false };
/** @type {HTMLElement | null} where the focus was before the drawer took it */
let before = null;
let scrolledAt = -Infinity;

/** The focused element, through the shadow roots of our components. */
function focused() {
  let found = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found instanceof HTMLElement ? found : null;
}

/** The drawer begins below what leads on and what is done with a run, wherever they stand now. */
function place() {
  const bottoms = [...document.querySelectorAll('.st-key-bar, .st-key-under_top')].map(one => one.getBoundingClientRect().bottom);
  const top = bottoms.length ? `${Math.round(Math.max(...bottoms)) + 8}px` : '';
  const { style } = document.documentElement;
  if (top && style.getPropertyValue('--drawer-top') !== top) style.setProperty('--drawer-top', top); // a change has the page styled anew
}

/** A person scrolls: what was clicked goes along. */
function byHand() {
  scrolledAt = performance.now();
}

/** @param {Event} event */
function remember(event) {
  const path = /** @type {Element[]} */ (event.composedPath().filter(one => one instanceof Element));
  if (path.some(one => one.matches('.st-key-inspector'))) return;
  if (path[0]?.matches('[data-testid=stMain]')) byHand(); // its scroll bar
  last.element = path.find(one => one.matches(STEADY)) || last.element; // a key may be pressed nowhere
  last.top = last.element ? last.element.getBoundingClientRect().top : 0;
  last.byKey = event.type === 'keydown';
  last.y = event instanceof MouseEvent ? event.clientY : last.top;
}

/** Scroll by what the remembered element has moved. @param {Element} page */
function hold(page) {
  if (!last.element?.isConnected) return;
  const moved = last.element.getBoundingClientRect().top - last.top;
  if (Math.abs(moved) >= 1) page.scrollTop += moved;
}

/** On a phone the drawer is a sheet from below, and what was tapped goes above it, as high as that has grown. @param {Element} drawer */
function lift(drawer) {
  const { left, top } = drawer.getBoundingClientRect();
  const under = left <= 0 ? Math.max(0, last.y + 24 - top) : 0;
  last.top -= under;
  last.y -= under;
}

/** Until the page has settled, hold what was clicked: the drawer comes late, and in parts, over a slow connection. @param {Element} page */
function steady(page) {
  let until = performance.now() + SETTLING;
  let drawer = /** @type {Element | null} */ (null);
  const watch = new ResizeObserver(() => {
    if (drawer) lift(drawer);
    hold(page);
  });
  const block = page.querySelector('[data-testid=stMainBlockContainer]');
  if (block) for (const part of [block, ...block.querySelectorAll('[data-testid=stElementContainer]')]) watch.observe(part);
  hold(page);
  const look = () => {
    const now = document.querySelector('.st-key-inspector');
    if (now !== drawer) {
      if (now) watch.observe(now);
      [drawer, until] = [now, performance.now() + SETTLING];
    }
    if (performance.now() < until) requestAnimationFrame(look);
    else watch.disconnect();
  };
  look();
}

/** Take the focus into the drawer, as soon as that is there. */
function enter() {
  before = focused();
  const until = performance.now() + SETTLING;
  const look = () => {
    const way = /** @type {HTMLElement | null} */ (document.querySelector('.st-key-close button'));
    if (way) way.focus({ preventScroll: true });
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  look();
}

function leave() {
  if (before?.isConnected) before.focus({ preventScroll: true });
  before = null;
}

/** @param {ComponentArguments<{ open: boolean }>} given */
export default function ({ data, parentElement }) {
  const host = /** @type {Host} */ (parentElement.querySelector('span'));
  const page = document.querySelector('[data-testid=stMain]');
  const was = host.isOpen;
  host.isOpen = data.open;
  if (data.open) place();
  if (page && was !== undefined && was !== data.open) {
    steady(page);
    if (data.open && last.byKey) enter();
    if (!data.open && before) leave();
  }
  if (was !== undefined) return undefined;
  const scrolled = () => {
    if (host.isOpen) place();
    if (!last.element || performance.now() - scrolledAt >= BY_HAND) return;
    const { top } = last.element.getBoundingClientRect();
    last.y += top - last.top;
    last.top = top;
  };
  document.addEventListener('pointerdown', remember, true);
  document.addEventListener('keydown', remember, true);
  for (const kind of ['wheel', 'touchmove']) page?.addEventListener(kind, byHand, { passive: true });
  page?.addEventListener('scroll', scrolled);
  const watch = new ResizeObserver(() => { if (host.isOpen) place(); });
  for (const part of document.querySelectorAll('.st-key-top, .st-key-under_top, .st-key-bar')) watch.observe(part);
  return () => {
    document.removeEventListener('pointerdown', remember, true);
    document.removeEventListener('keydown', remember, true);
    for (const kind of ['wheel', 'touchmove']) page?.removeEventListener(kind, byHand);
    page?.removeEventListener('scroll', scrolled);
    watch.disconnect();
  };
}

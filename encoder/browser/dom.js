// @ts-check
// Elements, made and changed with as few words as possible. Texts are texts: nothing is ever read as HTML.

/** @typedef {Record<string, string | number | boolean | null | undefined | EventListener | ((event: any) => void)>} Props */

/**
 * Sets properties: `onclick` and the like are listeners, `class`, `data-...`, `aria-...` attributes; null takes one away.
 * What is as it was is not touched.
 * @template {Element} T
 * @param {T} element
 * @param {Props} props
 * @returns {T}
 */
export function put(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') /** @type {any} */ (element)[name] = value;
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? '' : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
  return element;
}

/** What a browser's translator leaves as it is, in no language of its own: tokens, words and sentences that a model reads. An element `bdi` has it by itself. */
export const AS_IS = { translate: 'no', lang: '' };

/**
 * An element with its properties and what is in it.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Props} [props]
 * @param {...(Node | string)} inside
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(name, props = {}, ...inside) {
  const made = put(document.createElement(name), name === 'bdi' ? { ...AS_IS, ...props } : props);
  made.append(...inside);
  return made;
}

/**
 * The same for SVG.
 * @param {string} name
 * @param {Props} [props]
 * @param {...Node} inside
 */
export function svg(name, props = {}, ...inside) {
  const made = put(document.createElementNS('http://www.w3.org/2000/svg', name), props);
  made.append(...inside);
  return made;
}

/** Writes a text where it is not written yet. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes a list of children fit a number: those that are there are kept.
 * @template {Element} T
 * @param {Element} parent
 * @param {number} count
 * @param {(index: number) => T} make
 * @returns {T[]}
 */
export function children(parent, count, make) {
  while (parent.children.length > count) parent.lastElementChild?.remove();
  while (parent.children.length < count) parent.append(make(parent.children.length));
  return /** @type {T[]} */ ([...parent.children]);
}

/** Which theme a page of a colour has. @param {string} page the colour, as CSS says it @returns {import('./grid.js').Theme} */
export const themeOf = page => ((page.match(/[\d.]+/g) ?? ['255']).slice(0, 3).reduce((sum, channel) => sum + Number(channel), 0) < 380 ? 'dark' : 'light');

/** Scrolls a list across, no farther than it must, until one of its elements can be seen whole beside what covers its beginning. @param {Element} list @param {Element | null | undefined} one @param {number} [covered] pixels */
export function reveal(list, one, covered = 0) {
  if (!one) return;
  const box = list.getBoundingClientRect(), own = one.getBoundingClientRect();
  const zoom = zoomOf(list);
  if (own.left < box.left + covered) list.scrollLeft += (own.left - box.left - covered) / zoom;
  else if (own.right > box.right) list.scrollLeft += (own.right - box.right) / zoom;
}

/** How much larger an element is on the screen than its own pixels say, as in front of a class. @param {Element} element @returns {number} */
export const zoomOf = element => /** @type {any} */ (element).currentCSSZoom ?? 1;

/** How many pixels of the screen one of an element has: a canvas of so many is sharp, in front of a class too. @param {Element} element */
export const densityOf = element => (devicePixelRatio || 1) * zoomOf(element);

/** How high the window is in the pixels of an element. @param {Element} element */
export const highIn = element => innerHeight / zoomOf(element);

/** Where something happened within an element, in its own pixels. @param {{clientX: number, clientY: number}} event @param {Element} element */
export function placeIn({ clientX, clientY }, element) {
  const { left, top } = element.getBoundingClientRect(), zoom = zoomOf(element);
  return { x: (clientX - left) / zoom, y: (clientY - top) / zoom };
}

/** Where elements stand within another, in its own pixels. @param {Element} base @param {Element[]} all */
export function places(base, all) {
  const { left, top } = base.getBoundingClientRect(), zoom = zoomOf(base);
  return all.map(one => {
    const box = one.getBoundingClientRect();
    return { x: (box.left - left) / zoom, y: (box.top - top) / zoom, w: box.width / zoom, h: box.height / zoom };
  });
}

/** The element that has the keys, also inside a shadow root. @param {Element} inside */
export const focused = inside => /** @type {Document | ShadowRoot} */ (inside.getRootNode()).activeElement;

/** Whether a key is no shortcut: it is typed into a field, or pressed with others. @param {KeyboardEvent} event */
export function isTyped(event) {
  const at = event.composedPath()[0];
  return event.ctrlKey || event.metaKey || event.altKey || (at instanceof HTMLElement && at.matches('input:not([type=radio], [type=checkbox], [type=range]), select, textarea, [contenteditable]'));
}

/** Gives one element of a list its tab stop. @param {Element[]} all @param {number} to */
export const rove = (all, to) => all.forEach((each, i) => put(each, { tabindex: i === to ? '0' : '-1' }));

/**
 * Lets the arrow keys, Home and End lead through a list with one tab stop.
 * @param {HTMLElement} list
 * @param {() => Element[]} [items]
 * @param {() => boolean} [fromRight] whether its next element stands on the left
 */
export function walkByKeys(list, items = () => [...list.children], fromRight = () => getComputedStyle(list).direction === 'rtl') {
  list.onkeydown = event => {
    const all = items(), here = all.findIndex(each => each === focused(list)), ahead = fromRight() ? -1 : 1;
    const to = { ArrowRight: here + ahead, ArrowLeft: here - ahead, ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || here < 0 || !all[to] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    rove(all, to);
    /** @type {HTMLElement} */ (all[to]).focus();
  };
}

/** The styles that a document or shadow root was given. @type {WeakMap<Node, Map<string, CSSStyleSheet>>} */
const dressed = new WeakMap();

/** Begins a strip beside the page below the bar, which a class has a line above. @param {HTMLElement | null} strip */
export function below(strip) {
  if (!strip) return;
  const within = /** @type {Document | ShadowRoot} */ (strip.getRootNode()), above = [within, document].flatMap(one => [...one.querySelectorAll('.enc-bar, .enc-class-line')]);
  if (!above.length) strip.style.removeProperty('--lesson-top');
  else strip.style.setProperty('--lesson-top', `${Math.max(0, ...above.map(one => one.getBoundingClientRect().bottom))}px`);
}

/** Keeps a strip there while the window is scrolled or changes its size. @param {() => HTMLElement | null} strip */
export function keepBelow(strip) {
  for (const event of ['scroll', 'resize']) addEventListener(event, () => below(strip()), { passive: true, capture: true });
}

/** Gives the document of an element, or its shadow root, a style; once, unless somebody took it away. @param {Element} root @param {string} css */
export function dress(root, css) {
  const within = /** @type {Document | ShadowRoot} */ (root.getRootNode());
  const given = dressed.get(within) ?? new Map();
  dressed.set(within, given);
  if (within.adoptedStyleSheets.includes(given.get(css))) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  within.adoptedStyleSheets = [...within.adoptedStyleSheets, sheet];
  given.set(css, sheet);
}

/** What each element of a page of the server has. @type {WeakMap<HTMLElement, {draw: (...shown: any[]) => void, end: () => void}>} */
const parts = new WeakMap();

/** Draws in an element, which is begun once: a server hands over what it shows again and again. What this gives takes it down. @template {unknown[]} A @param {HTMLElement} root @param {(root: HTMLElement) => {draw: (...shown: A) => void, end: () => void}} begin @param {A} shown */
export function drawn(root, begin, ...shown) {
  const here = parts.get(root) ?? begin(root);
  parts.set(root, here);
  here.draw(...shown);
  return () => {
    parts.get(root)?.end();
    parts.delete(root);
  };
}

/** What scrolls around a component is no stop of the tab key: all that can be pressed is within it. @param {HTMLElement} root */
export const unstopped = root => /** @type {ShadowRoot} */ (root.getRootNode()).host?.closest('main')?.setAttribute('tabindex', '-1');

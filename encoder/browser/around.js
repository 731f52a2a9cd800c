// @ts-check
// What stands around a page that a server draws: the bar on top, and the layer and head beside its headline.
import { bar } from './bar.js';
import { dress, el } from './dom.js';
import { radios } from './radios.js';
import { DEFAULTS } from './store.js';
import css from './style.css';

/** @typedef {import('./mount.js').Context} Context */
/** Tells the server: `go` leads to a page, `set` chooses. @typedef {(kind: 'go' | 'set', said: Record<string, unknown>) => void} Act */
/** What the server shows; `query` is that of an address of it. @typedef {{sentence: string, model: string, query: Record<string, string>, page: string} & Pick<import('./mount.js').Options, 'pages' | 'models' | 'examples' | 'plain'>} Shown */
/** @typedef {{layers: number, heads: number, layer: number, head: number}} Place */

/** What each element has; a server hands over what it shows again and again. @type {WeakMap<HTMLElement, {draw: (shown: any, act: Act) => void, end: () => void}>} */
const made = new WeakMap();

/** @template T @param {HTMLElement} root @param {T} shown @param {Act} act @param {(root: HTMLElement) => {draw: (shown: T, act: Act) => void, end: () => void}} begin */
function drawn(root, shown, act, begin) {
  const here = made.get(root) ?? begin(root);
  made.set(root, here);
  here.draw(shown, act);
  return () => {
    made.get(root)?.end();
    made.delete(root);
  };
}

/** The bar of a page whose headline stands below it. @param {HTMLElement} root @param {Shown} shown @param {Act} act */
export const drawBar = (root, shown, act) => drawn(root, shown, act, beginBar);

/** The layer and head. @param {HTMLElement} root @param {Place} place @param {Act} act */
export const drawPlace = (root, place, act) => drawn(root, place, act, beginPlace);

/** @param {HTMLElement} root */
function beginBar(root) {
  dress(root, css);
  root.classList.add('enc', 'enc-around');
  let now = /** @type {Shown} */ ({}), tell = /** @type {Act} */ (() => {});
  const context = /** @type {Context} */ (/** @type {unknown} */ ({
    store: {
      get: () => ({ ...DEFAULTS, sentence: now.sentence, model: now.model }),
      set: (/** @type {Record<string, unknown>} */ changes) => tell('set', changes),
      query: () => now.query,
      flush() {},
    },
    go: (/** @type {string} */ key) => tell('go', { key }),
    options: () => ({ ...now, headed: true }),
    kept: () => null,
  }));
  const top = bar(root, context);
  root.append(top.element);
  return {
    /** @param {Shown} shown @param {Act} act */
    draw(shown, act) {
      [now, tell] = [shown, act];
      top.draw();
    },
    end() {
      top.end();
      root.replaceChildren();
    },
  };
}

/** @param {HTMLElement} root */
function beginPlace(root) {
  dress(root, css);
  root.classList.add('enc', 'enc-around');
  let tell = /** @type {Act} */ (() => {});
  const layers = radios('layer', layer => tell('set', { layer }), { small: 0 }), heads = radios('head', head => tell('set', { head }), { small: 0 });
  root.append(el('div', { class: 'enc-place' }, layers.element, heads.element));
  /** @param {string} what @param {number} count */
  const counted = (what, count) => Array.from({ length: count }, (_, i) => ({ text: String(i), title: `${what} ${i}` }));
  return {
    /** @param {Place} place @param {Act} act */
    draw(place, act) {
      tell = act;
      layers.draw(counted('layer', place.layers), place.layer);
      heads.draw(counted('head', place.heads), place.head);
    },
    end: () => root.replaceChildren(),
  };
}

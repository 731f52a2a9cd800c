// @ts-check
// What stands around a page that a server draws: the bar on top, and the layer and head beside its headline.
import { bar } from './bar.js';
import { dress, el } from './dom.js';
import { loader, made } from './load.js';
import { look } from './look.js';
import { maskToken } from './run.js';
import { DEFAULTS, fromQuery, OF_PAGE, OPEN } from './store.js';
import { radios } from './controls.js';

/** @typedef {import('./mount.js').Context} Context */
/** @typedef {import('./packet.js').Packet} Packet */
/** Tells the server: `go` leads to a page, `set` chooses. @typedef {(kind: 'go' | 'set', said: Record<string, unknown>) => void} Act */
/** What the server shows; `query` is that of an address of it, `load` asks for more of that run, `number` is what was opened in a picture and how often one was. @typedef {{sentence: string, model: string, mask?: string | null, query: Record<string, string>, page: string, load: import('./mount.js').Load, number: [number, string]} & Pick<import('./mount.js').Options, 'pages' | 'models' | 'examples'>} Shown */
/** @typedef {{layers: number, heads: number, layer: number, head: number}} Place */

/** What each element has; a server hands over what it shows again and again. @type {WeakMap<HTMLElement, {draw: (shown: any, act: Act) => void, end: () => void}>} */
const parts = new WeakMap();

/** @template T @param {HTMLElement} root @param {T} shown @param {Act} act @param {(root: HTMLElement) => {draw: (shown: T, act: Act) => void, end: () => void}} begin */
function drawn(root, shown, act, begin) {
  const here = parts.get(root) ?? begin(root);
  parts.set(root, here);
  here.draw(shown, act);
  return () => {
    parts.get(root)?.end();
    parts.delete(root);
  };
}

/** The bar of a page whose headline stands below it. @param {HTMLElement} root @param {Shown} shown @param {Act} act */
export const drawBar = (root, shown, act) => drawn(root, shown, act, beginBar);

/** The layer and head. @param {HTMLElement} root @param {Place} place @param {Act} act */
export const drawPlace = (root, place, act) => drawn(root, place, act, beginPlace);

/** @param {HTMLElement} root */
function beginBar(root) {
  dress(root, look);
  root.classList.add('enc', 'enc-around');
  let now = /** @type {Shown} */ ({}), tell = /** @type {Act} */ (() => {});
  const context = /** @type {Context} */ (/** @type {unknown} */ ({
    store: {
      get: () => ({ ...DEFAULTS, sentence: now.sentence, model: now.model }),
      set: (/** @type {Record<string, unknown>} */ changes) => tell('set', changes),
      query: () => now.query,
      along: () => Object.fromEntries(Object.entries(now.query).filter(([name]) => !OF_PAGE.some(one => one === name))),
      flush() {},
    },
    go: (/** @type {string} */ key) => tell('go', { key }),
    options: () => ({ ...now, headed: true }),
    mask: () => (now.mask === undefined ? maskToken(null) : now.mask),
    kept: () => null,
  }));
  const top = bar(root, context);
  root.append(top.element);
  /** The drawer of a number, which comes when the first one is opened. @type {ReturnType<import('./drawer.js').drawer> | null} */
  let opened = null;
  /** What stands for the run that is shown. @type {Packet} */
  let run = { level: 0, about: /** @type {any} */ ({}), arrays: {} };
  let known = '', counted = '';
  const runs = loader(() => /** @type {any} */ (now)), gone = new AbortController();
  /** The state that the address of what is shown says. */
  const state = () => ({ ...DEFAULTS, ...fromQuery(new URLSearchParams(now.query).toString()) });
  /** @param {string} number */
  function open(number) {
    import('./pages.js').then(({ drawer }) => {
      opened ??= drawer(root, { part: (level, of, signal) => runs.part(state(), level, of, signal), tell: to => { opened?.draw(run, to, true); if (!to) tell('set', { cell: '' }); } });
      opened.draw(run, number, true);
    }, () => null);
  }
  document.addEventListener(OPEN, event => open(String(/** @type {CustomEvent} */ (event).detail)), { signal: gone.signal });
  return {
    /** @param {Shown} shown @param {Act} act */
    draw(shown, act) {
      [now, tell] = [shown, act];
      top.draw();
      const of = JSON.stringify(made(state()));
      if (known !== of) {
        known = of;
        run = { ...run };
        opened?.draw(run, '');
      }
      if (String(shown.number) === counted) return;
      counted = String(shown.number);
      if (shown.number[1]) open(shown.number[1]);
    },
    end() {
      gone.abort();
      opened?.end();
      top.end();
      root.replaceChildren();
    },
  };
}

/** @param {HTMLElement} root */
function beginPlace(root) {
  dress(root, look);
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

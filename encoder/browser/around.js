// @ts-check
// What stands around a page that a server draws: the bar on top, and the layer and head of a lab.
import { bar, BEFORE_CLASS, byKeys } from './bar.js';
import { dress, drawn, el, unstopped } from './dom.js';
import { loader, made } from './load.js';
import { look } from './look.js';
import { maskToken } from './run.js';
import { DEFAULTS, fromQuery, OF_PAGE, OPEN } from './store.js';
import { radios } from './controls.js';

/** @typedef {import('./mount.js').Context} Context */
/** @typedef {import('./packet.js').Packet} Packet */
/** Tells the server: `go` leads to a page, `set` chooses. @typedef {(kind: 'go' | 'set', said: Record<string, unknown>) => void} Act */
/** What the server shows; `query` is that of an address of it, `load` asks for more of that run, `file` for a file at an address. @typedef {{sentence: string, model: string, mask?: string | null, query: Record<string, string>, page: string, load: import('./mount.js').Load, file: (address: string, signal?: AbortSignal) => Promise<{name: string, data: Blob}>} & Pick<import('./mount.js').Options, 'pages' | 'models' | 'examples' | 'menu' | 'reads'>} Shown */
/** @typedef {{layers: number, heads: number, layer: number, head: number}} Place */
/** A picture of the page, and where each of its files is. @typedef {{name: string, picture: string, files: [string, string][]}} Saved */
/** What is shown in it. @typedef {{query: Record<string, string>}} Of */

const TAKEN = 'enc-pictures'; // the event that other pictures are shown

/** The pictures of the page that is drawn. @type {(Saved & Of)[]} */
let pictures = [];

/** The bar of a page whose headline stands below it. @param {HTMLElement} root @param {Shown} shown @param {Act} act */
export const drawBar = (root, shown, act) => drawn(root, beginBar, shown, act);

/** Takes the pictures of the page and what they are of, for Save in the bar. @param {Saved[]} saved @param {Record<string, string>} query */
export function takePictures(saved, query) {
  pictures = saved.map(one => ({ ...one, query }));
  document.dispatchEvent(new CustomEvent(TAKEN));
}

/** The layer and head. @param {HTMLElement} root @param {Place} place @param {Act} act */
export const drawPlace = (root, place, act) => drawn(root, beginPlace, place, act);

/** @param {HTMLElement} root */
function beginBar(root) {
  dress(root, look);
  unstopped(root);
  root.classList.add('enc', 'enc-around');
  let now = /** @type {Shown} */ ({}), tell = /** @type {Act} */ (() => {});
  const context = /** @type {Context} */ (/** @type {unknown} */ ({
    store: {
      get: () => ({ ...DEFAULTS, sentence: now.sentence, model: now.model }),
      set: (/** @type {Record<string, unknown>} */ changes) => tell('set', changes),
      query: () => now.query,
      along: () => Object.fromEntries(Object.entries(now.query).filter(([name]) => !OF_PAGE.some(one => one === name))),
      flush() {},
      link: () => location.href,
    },
    go: (/** @type {string} */ key) => tell('go', { key }),
    options: () => ({ ...now, keep: file }),
    mask: () => (now.mask === undefined ? maskToken(null) : now.mask),
    run: () => null,
    pictures: () => pictures.map(({ name, picture, query }) => ({ name, picture, query })),
  }));
  /** @type {import('./save_menu.js').Keep} */
  const file = ({ picture, format, size = 'shown' }, signal) => now.file(new Map(pictures.find(one => one.picture === picture)?.files).get(`${format}_${size}`) ?? '', signal);
  const gone = new AbortController(), top = bar(root, context, [], byKeys(root, { p: [BEFORE_CLASS, present] }, gone.signal));
  /** The bar without its menus, and the page large. */
  function present() {
    document.documentElement.toggleAttribute('data-present', root.classList.toggle('enc-present'));
  }
  root.append(top.element);
  /** The drawer of a number, which comes when the first one is opened. @type {ReturnType<import('./drawer.js').drawer> | null} */
  let opened = null;
  /** What stands for the run that is shown. @type {Packet} */
  let run = { level: 0, about: /** @type {any} */ ({}), arrays: {} };
  let known = '';
  const runs = loader(() => /** @type {any} */ (now));
  /** The state that the address of what is shown says. */
  const state = () => ({ ...DEFAULTS, ...fromQuery(new URLSearchParams(now.query).toString()) });
  /** @param {string} number */
  function open(number) {
    import('./pages.js').then(({ drawer }) => {
      opened ??= drawer(root, { part: (level, of, signal) => runs.part(state(), level, of, signal), tell: to => opened?.draw(run, to, true) });
      opened.draw(run, number, true);
    }, () => null);
  }
  document.addEventListener(TAKEN, top.renew, { signal: gone.signal });
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
    },
    end() {
      gone.abort();
      document.documentElement.removeAttribute('data-present');
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

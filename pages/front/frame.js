// @ts-check
// The front in the frame: fetches the browser's code once, mounts it, and asks the server for runs and pages.
// It stands alone: the browser's code is under an address that the server says.

import { goTo, showClass, tellClass } from './class_screen.js';
import { above, showLesson } from './lesson_screen.js';
import { file, items, NO_LINE, post, RENEWED } from './post.js';

/** @typedef {{level: number, [name: string]: unknown}} Asked */
/** @typedef {{key: string, title: string, address: string, front: boolean, parts: string[], step: string, shows: string[] | null}} Listed */
/** @typedef {{script: string, run: string, picture: string, more: string, page: string, pages: Listed[], menu: boolean, examples: string[], shipped: [string, string][], models: {name: string, title: string}[], lesson: string, classes: string, code: string}} Told */
/** @typedef {{end(): void, flush(): void, query(): Record<string, string>, choices(): Record<string, string>, choose(changes: Record<string, string>, rest: boolean): void, get(): {step: string, cell: string, lesson: string}, set(changes: object, how?: { push?: boolean }): void, subscribe(hear: (state: object, chose: boolean) => void): () => void}} Store */
/** @typedef {{mount: (root: HTMLElement, options: object) => () => void, windowStore: (options?: object) => Store, beyond: (of: Listed, state: {step: string, cell: string}) => object, fromQuery: (search: string) => object, DEFAULTS: object} & import('./class_screen.js').Classes & import('./lesson_screen.js').Lessons} Front */
/** @typedef {{data: Told, trigger: ComponentArguments<Told>['setTriggerValue'], page: string, end: () => void, mounted?: () => void, mount?: () => void, beside?: () => void, store?: Store, front?: Front}} Kept */

const OLD = 'This browser is too old to draw this page: it needs one of 2024 or later.';

const frame = () => /** @type {HTMLElement | null} */ (document.querySelector('[data-testid=stApp]'));

/** Whether the server can be told of anything now. */
const connected = () => [undefined, 'CONNECTED'].includes(frame()?.dataset.testConnectionState);

/**
 * Asks for a run when the connection is back: another server may answer then, which does not know this page. While it is away
 * Streamlit lays a dialog over everything, again and again; what is drawn here goes on without a server, so that is closed.
 * @param {() => void} back
 */
function reconnect(back) {
  const app = frame();
  if (!app) return () => {};
  let away = false;
  const state = new MutationObserver(() => {
    const here = connected();
    if (here && away) back();
    away = !here;
    document.documentElement.toggleAttribute('data-front-away', away);
  });
  const dialogs = new MutationObserver(() => {
    if (!connected()) /** @type {HTMLElement | null} */ (document.querySelector('[data-testid=stDialog] button[aria-label=Close]'))?.click();
  });
  state.observe(app, { attributes: true, attributeFilter: ['data-test-connection-state'] });
  dialogs.observe(document.body, { childList: true });
  return () => {
    state.disconnect();
    dialogs.disconnect();
    document.documentElement.removeAttribute('data-front-away');
  };
}

// A run may hand over a new copy of this script, so what it keeps is kept apart from it.
const all = /** @type {{encoderFronts?: WeakMap<HTMLElement, Kept>}} */ (globalThis);
const kept = (all.encoderFronts ||= new WeakMap());

/** One sentence in place of the page. @param {HTMLElement} root @param {string} sentence */
function say(root, sentence) {
  const said = document.createElement('p');
  said.setAttribute('role', 'alert');
  said.style.padding = '2rem';
  said.textContent = sentence;
  root.replaceChildren(said);
}

/** Draws what is told last. @param {HTMLElement} root @param {Kept} here @param {Front} front */
function draw(root, here, front) {
  if (kept.get(root) !== here) return; // it is gone
  if (here.front !== front) { // the first one, or that of an app that was renewed meanwhile
    here.mounted?.();
    here.store?.end(); // its state is in the address now
    here.store = front.windowStore();
    const of = here.data.pages.find(one => one.key === here.page), more = of && front.beyond(of, here.store.get());
    if (more && Object.keys(more).length) here.store.set(more, { push: false });
    here.store.subscribe((_, chose) => { if (chose) tellClass('chose'); here.beside?.(); });
    here.front = front;
  }
  const told = here.data;
  here.mount = () => { here.mounted = front.mount(root, {
    load: (/** @type {Asked} */ asked, /** @type {AbortSignal | undefined} */ signal) => post(told.run, asked, answer => answer.arrayBuffer(), signal), // whoever reads it says where it is no packet
    keep: (/** @type {object} */ asked, /** @type {AbortSignal | undefined} */ signal) => post(told.picture, asked, file, signal),
    more: (/** @type {object} */ asked, /** @type {AbortSignal} */ signal, /** @type {(share: number) => void} */ hear) => post(told.more, asked, answer => ('table' in asked ? file(answer) : items(answer, hear)), signal),
    store: here.store,
    pages: told.pages,
    menu: told.menu,
    page: here.page,
    shipped: Object.fromEntries(told.shipped),
    examples: told.examples,
    models: told.models,
    drawn: () => tellClass('changed'),
    above: () => above(Boolean(here.store?.get().lesson)),
    goTo: (/** @type {string} */ key, /** @type {Record<string, string>} */ query) => {
      const to = told.pages.find(one => one.key === key);
      if (!to || key === here.page) return '';
      if (!to.front && !connected()) return NO_LINE;
      tellClass('chose');
      go(root, here, front, to, query);
      return '';
    },
  }); };
  here.mount();
  showClass(/** @type {HTMLElement | null} */ (root.previousElementSibling), {
    page: here.page,
    drawn: true,
    code: told.code,
    address: told.pages.find(one => one.key === 'class')?.address ?? '',
    query: () => ({ ...here.store?.choices(), ...here.store?.query() }),
    show: (key, query) => show(root, here, front, key, query, false),
  }, told.classes, front);
  here.beside = () => showLesson(/** @type {HTMLElement | null} */ (root.nextElementSibling), {
    page: here.page,
    drawn: true,
    query: () => ({ ...here.store?.choices(), ...here.store?.query() }),
    show: (key, query) => show(root, here, front, key, query, true),
    put: changes => here.store?.set(changes, { push: false }),
    draw: () => here.mount?.(),
  }, told.lesson, front);
  here.beside();
}

/** Leads to a page with a view; `push` makes an entry that Back leads from. @param {HTMLElement} root @param {Kept} here @param {Front} front @param {string} key @param {Record<string, string>} query @param {boolean} push */
function show(root, here, front, key, query, push) {
  const to = here.data.pages.find(one => one.key === key);
  if (!to) return;
  if (!to.front) return goTo(to.address, query);
  if (push && key !== here.page) {
    here.page = key; // drawn at once; the store reads the address
    goTo(to.address, query);
    return draw(root, here, front);
  }
  here.store?.set({ ...front.DEFAULTS, ...front.fromQuery(new URLSearchParams(query).toString()) }, { push });
  here.store?.choose(query, false);
  if (key !== here.page) go(root, here, front, to, query);
}

/** Leads to another page. @param {HTMLElement} root @param {Kept} here @param {Front} front @param {Listed} to @param {Record<string, string>} query */
function go(root, here, front, { key, front: drawn }, query) {
  here.trigger('go', { key, query });
  if (!drawn) return;
  here.page = key; // drawn at once; the server hears of it for the address and for Back
  draw(root, here, front);
}

/** @param {ComponentArguments<Told>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.front'));
  /** @type {Kept} */
  const here = kept.get(root) ?? {
    data, trigger: setTriggerValue, page: data.page, end: reconnect(() => here.trigger('back', true)),
  };
  kept.set(root, here);
  Object.assign(here, { data, trigger: setTriggerValue, page: data.page });
  if (!('adoptedStyleSheets' in document) || !CSS.supports('color', 'light-dark(white, black)')) say(root, OLD);
  else import(new URL(data.script, location.origin).href).then(front => draw(root, here, front), () => say(root, RENEWED));
  // A run that was overtaken by the next one ends late: what that one draws stays.
  return () => {
    if (root.isConnected || kept.get(root) !== here) return;
    kept.delete(root);
    here.end();
    here.mounted?.();
    here.store?.end();
  };
}

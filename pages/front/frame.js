// @ts-check
// The front in the frame: fetches the browser's code once, mounts it, and asks the server for runs and pages.
// It stands alone: what it imports is under an address that the server says.

/** @typedef {{level: number, [name: string]: unknown}} Asked */
/** @typedef {{key: string, title: string, address: string, front: boolean}} Listed */
/** @typedef {{script: string, run: string, picture: string, page: string, pages: Listed[], shipped: Record<string, string>, models: {name: string, title: string}[]}} Told */
/** @typedef {{mount: (root: HTMLElement, options: object) => () => void, windowStore: (options?: object) => {end(): void}}} Front */
/** @typedef {{data: Told, trigger: ComponentArguments<Told>['setTriggerValue'], page: string, end: () => void, mounted?: () => void, store?: {end(): void}}} Kept */

const WAITS = 3; // times that a server which has no room is asked again
const NO_LINE = 'The server cannot be reached: look at your connection and try again.';
const CUT = 'The answer was cut on its way: try again.';
const RENEWED = 'The app was renewed meanwhile, or cannot be reached: load the page again.';
const OLD = 'This browser is too old to draw this page: it needs one of 2024 or later.';
/** @type {Record<number, string>} */
const SAID = { 404: RENEWED, 413: 'This is too long for one run here: shorten it.', 429: 'The server has much to do: try again in a moment.' };

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
const rest = (ms, signal) => new Promise((done, gone) => {
  const waiting = setTimeout(done, ms);
  signal?.addEventListener('abort', () => { clearTimeout(waiting); gone(signal.reason); }, { once: true });
});

/** What the server says went wrong, or what its status means. @param {Response} answer @returns {Promise<Error>} */
async function wrong(answer) {
  const said = await answer.json().then(one => one.message, () => null);
  const usual = SAID[answer.status] ?? (answer.status >= 500 ? 'The server could not answer just now: try again.' : RENEWED);
  return new Error(typeof said === 'string' && said ? said : usual);
}

/** The server's answer, read by `take`, or an Error that says in one sentence why there is none. @template T @param {string} address @param {object} asked @param {(answer: Response) => Promise<T>} take @param {AbortSignal} [signal] @returns {Promise<T>} */
async function post(address, asked, take, signal) {
  for (let tried = 0; ; tried++) {
    /** @type {Response} */
    let answer;
    try {
      answer = await fetch(new URL(address, location.origin), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(asked), signal, credentials: 'same-origin' });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(NO_LINE);
    }
    const after = Number(answer.headers.get('Retry-After'));
    if ((answer.status === 429 || answer.status === 503) && after > 0 && tried < WAITS) {
      await rest(1000 * Math.min(after, 5) * (0.5 + Math.random()), signal);
      continue;
    }
    if (!answer.ok) throw await wrong(answer);
    try {
      return await take(answer);
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(CUT);
    }
  }
}

/** A file as the server names it. @param {Response} answer */
async function file(answer) {
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
  if (!name) throw new Error(RENEWED); // Streamlit's own page, from a server that knows no such address
  return { name, data: await answer.blob() };
}

/** Asks for a run when the connection is back: another server may answer then, which does not know this page. @param {() => void} back */
function reconnect(back) {
  const app = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid=stApp]'));
  if (!app) return () => {};
  let away = false;
  const observer = new MutationObserver(() => {
    const here = app.dataset.testConnectionState === 'CONNECTED';
    if (here && away) back();
    away = !here;
  });
  observer.observe(app, { attributes: true, attributeFilter: ['data-test-connection-state'] });
  return () => observer.disconnect();
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
  here.store ??= front.windowStore();
  const told = here.data;
  here.mounted = front.mount(root, {
    load: (/** @type {Asked} */ asked, /** @type {AbortSignal | undefined} */ signal) => post(told.run, asked, answer => answer.arrayBuffer(), signal), // whoever reads it says where it is no packet
    keep: (/** @type {object} */ asked, /** @type {AbortSignal | undefined} */ signal) => post(told.picture, asked, file, signal),
    store: here.store,
    pages: told.pages,
    page: here.page,
    shipped: told.shipped,
    models: told.models,
    goTo: (/** @type {string} */ key, /** @type {Record<string, string>} */ query) => {
      const to = told.pages.find(one => one.key === key);
      if (!to || key === here.page) return;
      here.trigger('go', { key, query });
      if (to.front) { // drawn at once; the server hears of it for the address and for Back
        here.page = key;
        draw(root, here, front);
      }
    },
  });
}

/** @param {ComponentArguments<Told>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.front'));
  /** @type {Kept} */
  const here = kept.get(root) ?? { data, trigger: setTriggerValue, page: data.page, end: reconnect(() => here.trigger('back', true)) };
  kept.set(root, here);
  Object.assign(here, { data, trigger: setTriggerValue, page: data.page });
  if (!('adoptedStyleSheets' in document) || !CSS.supports('color', 'light-dark(white, black)')) say(root, OLD);
  else import(new URL(data.script, location.origin).href).then(front => draw(root, here, front), () => say(root, RENEWED));
  return () => {
    kept.delete(root);
    here.end();
    here.mounted?.();
    here.store?.end();
  };
}

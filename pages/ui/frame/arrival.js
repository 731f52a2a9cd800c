// @ts-check
// A page opens at its top, each act is one entry of the browser's history.

/** @typedef {Window & { arrivedAt?: string, acted?: boolean, coloursChanged?: () => void }} Here */
const ACTS = ['pointerdown', 'click', 'keydown'];

/** A person's act makes at most one entry: what else the app writes to the address after it replaces that entry. */
function countActs() {
  const here = /** @type {Here} */ (window);
  if (here.acted !== undefined) return;
  here.acted = false; // what is written while the app opens is no act
  for (const kind of ACTS) addEventListener(kind, () => { here.acted = true; }, true);
  addEventListener('popstate', () => { here.acted = false; }, true); // it has an entry already
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) => {
    if (here.acted) push(state, unused, url);
    else history.replaceState(state, unused, url);
    here.acted = false;
  };
}

/** The pictures are drawn for light or dark: where the browser changes between the two, they are drawn again. @param {() => void} ask */
function watchColours(ask) {
  const here = /** @type {Here} */ (window);
  if (!here.coloursChanged) {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => requestAnimationFrame(() => requestAnimationFrame(() => here.coloursChanged?.())));
  }
  here.coloursChanged = ask;
}

/** @param {ComponentArguments<{ page: string, said: string }>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const here = /** @type {Here} */ (window);
  countActs();
  watchColours(() => setTriggerValue('colours', true));
  const status = parentElement.querySelector('p');
  if (status && status.textContent !== data.said) status.textContent = data.said;
  if (here.arrivedAt !== data.page) arrive(data.page);
}

/** Show another page than before. @param {string} page */
function arrive(page) {
  const here = /** @type {Here} */ (window);
  const first = here.arrivedAt === undefined;
  here.arrivedAt = page;
  if (first) return;
  document.querySelector('[data-testid=stMain]')?.scrollTo(0, 0);
}

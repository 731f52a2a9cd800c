// @ts-check
// A page opens at its top, and who cannot see the screen is told where they are.

/** @typedef {Window & { arrivedAt?: string, coloursChanged?: () => void }} Here */

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

// @ts-check
// Vectors as strips of colour, one below the other, with one number of each framed; pressing chooses a number.
import { children, el, put, themeOf, write } from './dom.js';
import { colourOf } from './grid.js';
import { brief, typeset } from './number.js';

/** @typedef {import('./way_in.js').Strip} Strip */
/** What is drawn: `own` gives each strip ends of its own, `number` is framed in all that have it. @typedef {{strips: Strip[], number: number, own: boolean, whose: string}} View */

/** @param {{choose: (number: number) => void}} calls */
export function vectorStrips({ choose }) {
  const element = el('div', { class: 'vectors' }), probe = el('i', { hidden: true });
  /** @type {View | null} */
  let view = null;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const anew = () => { if (view) draw(view); };
  dark.addEventListener('change', anew);

  /** @param {HTMLCanvasElement} canvas @param {Float32Array} values @param {number} most @param {import('./grid.js').Theme} theme */
  function paint(canvas, values, most, theme) {
    if (canvas.width !== values.length) canvas.width = values.length;
    const pen = canvas.getContext('2d');
    if (!pen) return;
    const image = pen.createImageData(values.length, 1), ends = { low: -most, high: most };
    values.forEach((value, i) => image.data.set([...colourOf(value, ends, 'signed', theme), 255], 4 * i));
    pen.putImageData(image, 0, 0);
  }

  /** @param {View} given */
  function draw(given) {
    view = given;
    element.append(probe);
    probe.style.color = 'var(--page)';
    const theme = themeOf(getComputedStyle(probe).color);
    probe.remove();
    const sizes = given.strips.map(({ values }) => values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0));
    const all = Math.max(...sizes, 0) || 1;
    const rows = children(element, given.strips.length, () => {
      const canvas = el('canvas', { height: '1', role: 'img' });
      canvas.onpointerdown = event => {
        const take = (/** @type {PointerEvent} */ { clientX }) => {
          const box = canvas.getBoundingClientRect();
          choose(Math.min(canvas.width - 1, Math.max(0, Math.floor(((clientX - box.left) / box.width) * canvas.width))));
        };
        canvas.setPointerCapture(event.pointerId);
        canvas.onpointermove = take;
        canvas.onpointerup = canvas.onpointercancel = () => { canvas.onpointermove = null; };
        take(event);
      };
      return el('div', { class: 'vector' }, el('div', { class: 'vector-name' }, el('b'), el('span')), el('div', { class: 'vector-strip' }, canvas, el('i', { 'aria-hidden': 'true' })));
    });
    rows.forEach((line, s) => {
      const { name, values } = given.strips[s], most = given.own ? sizes[s] || 1 : all, canvas = /** @type {HTMLCanvasElement} */ (line.querySelector('canvas'));
      const has = given.number < values.length, frame = /** @type {HTMLElement} */ (line.querySelector('.vector-strip i'));
      write(/** @type {Element} */ (line.querySelector('b')), name);
      write(/** @type {Element} */ (line.querySelector('span')), typeset(`colours from -${brief(most)} to ${brief(most)}`));
      paint(canvas, values, most, theme);
      put(canvas, { 'aria-label': typeset(`${given.whose}, ${name}: ${values.length} numbers, the largest in size ${brief(sizes[s])}${has ? `; number ${given.number} is ${brief(values[given.number])}` : ''}.`) });
      frame.hidden = !has;
      frame.style.insetInlineStart = `${((given.number + 0.5) / values.length) * 100}%`;
    });
  }
  return { element, draw, end: () => dark.removeEventListener('change', anew) };
}

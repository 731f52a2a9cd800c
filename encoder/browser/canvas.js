// @ts-check
// A canvas in a page: painted again where its room or the page's colours change, and within a slider that keys and a pointer move.
import { densityOf, el, placeIn, put } from './dom.js';

const COLOURS = /** @type {const} */ (['ink', 'muted', 'accent', 'second', 'page', 'line', 'soft']);
/** The colours of the page. @typedef {Record<typeof COLOURS[number], string>} Colours */

/** The colours of the page, read where they are said. @param {HTMLElement} probe */
export const coloursOf = probe => /** @type {Colours} */ (Object.fromEntries(COLOURS.map(name => {
  probe.style.color = `var(--${name})`;
  return [name, getComputedStyle(probe).color];
})));

/** Calls where an element has another width than was drawn, or the page other colours, until what it gives is called. @param {Element} element @param {() => number} room that was drawn @param {() => void} anew */
export function watched(element, room, anew) {
  const watch = new ResizeObserver(() => { if (Math.abs(element.clientWidth - room()) > 1) anew(); }), dark = matchMedia('(prefers-color-scheme: dark)');
  watch.observe(element);
  dark.addEventListener('change', anew);
  return () => {
    watch.disconnect();
    dark.removeEventListener('change', anew);
  };
}

/** Whether an element is in the page. Where it is not, what is drawn around it may be about to take it in: then it is painted once it is there. @param {Element} element @param {() => void} paint */
export function inPage(element, paint) {
  if (!element.isConnected) requestAnimationFrame(() => { if (element.isConnected) paint(); });
  return element.isConnected;
}

/** Gives a canvas the pixels of the screen that so many of its own have, at most once each, and says how many one has. @param {HTMLCanvasElement} canvas @param {number} wide @param {number} high */
export function sized(canvas, wide, high) {
  const ratio = densityOf(canvas), [width, height] = [Math.round(wide * ratio), Math.round(high * ratio)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return ratio;
}

/**
 * A canvas in a slider. `under` says what lies at a place of it, `keyed` where a key leads; both are numbers, null for nothing.
 * @param {{name: string, usual: number, under: (across: number, down: number, wide: number) => number | null, keyed: (key: string) => number | null, point: (at: number | null) => void, keep: (at: number) => void, again: () => void}} calls
 */
export function canvasSlider({ name, usual, under, keyed, point, keep, again }) {
  const canvas = el('canvas', { class: `${name}-canvas`, 'aria-hidden': 'true' }), probe = el('i', { class: 'enc-probe', hidden: true }), pen = canvas.getContext('2d');
  const slider = el('div', { class: `${name}-slider`, role: 'slider', tabindex: '0', 'data-cell': '' }, canvas);
  let drawn = '', room = 0;
  /** @param {MouseEvent} event */
  const at = event => {
    const { x, y } = placeIn(event, canvas);
    return under(x, y, canvas.offsetWidth);
  };
  slider.onpointermove = event => { if (event.pointerType !== 'touch') point(at(event)); };
  slider.onpointerleave = () => point(null);
  slider.onclick = event => {
    const found = at(event);
    if (found !== null) keep(found);
  };
  slider.onkeydown = event => {
    const to = event.ctrlKey || event.metaKey || event.altKey ? null : keyed(event.key);
    if (to === null) return;
    event.preventDefault();
    keep(to);
  };
  const end = watched(slider, () => room, () => { drawn = ''; again(); });
  return {
    slider, probe, end,
    /** Begins to draw what `key` names, so high; null where it is drawn already. @param {string} key @param {(room: number) => number} high */
    begin(key, high) {
      if (!inPage(slider, again)) return null; // it has no room, and no colours
      const colours = coloursOf(probe);
      room = slider.clientWidth || usual;
      const now = [key, room, densityOf(slider), colours.page].join(' '), tall = high(room);
      if (drawn === now || !pen) return null;
      drawn = now;
      const ratio = sized(canvas, room, tall);
      put(canvas, { style: `height: ${tall}px` });
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, room, tall);
      return { pen, colours, room, high: tall, font: getComputedStyle(slider).fontFamily };
    },
  };
}

// @ts-check
// Curves in a frame: lines of numbers over places, dots on them, the ends of both scales, and one place marked.
import { children, el, put, svg, write } from './dom.js';
import { brief, typeset } from './number.js';

const WIDE = 1000, HIGH = 100; // of the drawing, which is stretched to its frame
/** A line or dots: `points` are pairs of x and y. @typedef {{points: [number, number][], name: string, dots?: boolean}} Series */
/**
 * @typedef {{
 *   title: string, label: string, series: Series[], x: {low: number, high: number, name: string}, y: {low: number, high: number}, mark: number | null
 * }} View `label` says what the picture shows, `mark` is a place on x
 */

/** @param {{choose?: (x: number) => void, high?: number}} [options] `choose` hears of a place that is pressed */
export function curves({ choose, high = 140 } = {}) {
  const title = el('figcaption'), top = el('span'), low = el('span'), first = el('span'), name = el('span'), last = el('span');
  const drawing = svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: 'none', role: 'img', style: `height: ${high}px` });
  const zero = svg('path', { class: 'curve-zero' }), mark = svg('path', { class: 'curve-mark' }), lines = svg('g');
  drawing.append(zero, mark, lines);
  const element = el('figure', { class: 'curve', 'data-choose': Boolean(choose) },
    title, el('div', { class: 'curve-plot' }, el('div', { class: 'curve-ends', 'aria-hidden': 'true' }, top, low), drawing),
    el('div', { class: 'curve-under', 'aria-hidden': 'true' }, first, name, last));
  /** @type {View | null} */
  let view = null;
  if (choose) {
    /** @param {PointerEvent} event */
    const take = event => {
      const box = drawing.getBoundingClientRect();
      if (view && box.width) choose(Math.round(view.x.low + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (view.x.high - view.x.low)));
    };
    put(drawing, { onpointerdown: (/** @type {PointerEvent} */ event) => { drawing.setPointerCapture(event.pointerId); take(event); } });
    put(drawing, { onpointermove: (/** @type {PointerEvent} */ event) => { if (drawing.hasPointerCapture(event.pointerId)) take(event); } });
  }
  return {
    element,
    /** @param {View} given */
    draw(given) {
      view = given;
      const { x, y } = given, across = x.high - x.low || 1, up = y.high - y.low || 1;
      const px = (/** @type {number} */ value) => ((value - x.low) / across * WIDE).toFixed(1), py = (/** @type {number} */ value) => ((y.high - value) / up * HIGH).toFixed(2);
      write(title, given.title);
      write(top, typeset(brief(y.high, 2)));
      write(low, typeset(brief(y.low, 2)));
      write(first, String(x.low));
      write(name, x.name);
      write(last, String(x.high));
      put(drawing, { 'aria-label': given.label });
      put(zero, { d: y.low < 0 && y.high > 0 ? `M0 ${py(0)}H${WIDE}` : '' });
      put(mark, { d: given.mark === null ? '' : `M${px(given.mark)} 0V${HIGH}` });
      children(lines, given.series.length, () => svg('path')).forEach((path, s) => {
        const { points, dots, name: called } = given.series[s], seen = points.filter(([, value]) => Number.isFinite(value));
        put(path, { class: `curve-${dots ? 'dots' : 'line'} is-${called}`, d: seen.map(([a, b], k) => (dots ? `M${px(a)} ${py(b)}h0` : `${k ? 'L' : 'M'}${px(a)} ${py(b)}`)).join('') });
      });
    },
  };
}

/** The ends of numbers, a little wider than they are. @param {Iterable<number>} values */
export function endsOf(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) return { low: -1, high: 1 };
  return low === high ? { low: low - 0.5, high: high + 0.5 } : { low, high };
}

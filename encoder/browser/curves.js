// @ts-check
// Curves over places, and units on their curve.
import { canvasSlider } from './canvas.js';
import { el, highIn, put } from './dom.js';
import { html, nothing, svg } from './lit.js';
import { brief, many, typeset } from './number.js';

const WIDE = 1000, HIGH = 100; // of the drawing, which is stretched to its frame
/** A line or dots: `points` are pairs of x and y. @typedef {{points: [number, number][], name: string, dots?: boolean}} Series */
/**
 * @typedef {{
 *   title: string, label: string, series: Series[], x: {low: number, high: number, name: string}, y: {low: number, high: number}, mark: number | null
 * }} View `label` says what the picture shows, `mark` is a place on x
 */

/** @param {View} view @param {{choose?: (x: number) => void, high?: number, own?: boolean}} [options] `choose` hears of a place that is pressed */
export function curve({ title, label, series, x, y, mark }, { choose, high = 140, own = false } = {}) {
  const across = x.high - x.low || 1, up = y.high - y.low || 1;
  const px = (/** @type {number} */ value) => ((value - x.low) / across * WIDE).toFixed(1), py = (/** @type {number} */ value) => ((y.high - value) / up * HIGH).toFixed(2);
  /** @param {PointerEvent} event */
  function take(event) {
    const drawing = /** @type {Element} */ (event.currentTarget), box = drawing.getBoundingClientRect();
    if (event.type === 'pointerdown') drawing.setPointerCapture(event.pointerId);
    if (box.width && drawing.hasPointerCapture(event.pointerId)) choose?.(Math.round(x.low + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (x.high - x.low)));
  }
  const path = (/** @type {Series} */ { points, dots }) => points.filter(([, value]) => Number.isFinite(value)).map(([a, b], k) => (dots ? `M${px(a)} ${py(b)}h0` : `${k ? 'L' : 'M'}${px(a)} ${py(b)}`)).join('');
  return html`<figure class="curve" ?data-choose=${Boolean(choose)} ?data-own=${own}><figcaption>${title}</figcaption>
    <div class="curve-plot"><div class="curve-ends" aria-hidden="true"><span>${typeset(brief(y.high, 2))}</span><span>${typeset(brief(y.low, 2))}</span></div>
      <svg viewBox="0 0 ${WIDE} ${HIGH}" preserveAspectRatio="none" role="img" style="height: ${high}px" aria-label=${label} @pointerdown=${choose ? take : nothing} @pointermove=${choose ? take : nothing}>
        <path class="curve-zero" d=${y.low < 0 && y.high > 0 ? `M0 ${py(0)}H${WIDE}` : ''}></path><path class="curve-mark" d=${mark === null ? '' : `M${px(mark)} 0V${HIGH}`}></path>
        <g>${series.map(one => svg`<path class="curve-${one.dots ? 'dots' : 'line'} is-${one.name}" d=${path(one)}></path>`)}</g></svg></div>
    <div class="curve-under" aria-hidden="true"><span>${x.low}</span><span>${x.name}</span><span>${x.high}</span></div></figure>`;
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

/** `before` and `after` hold a number for each unit, `curve` is the activation, `gone` the share of the way from the one to the other; `firing` counts those above zero after it, before any rounding; `named` are units whose names are written where there is room, `sides` says what becomes of those below zero and above. @typedef {{key: string, before: Float32Array, after: Float32Array, curve: (x: number) => number, gone: number, chosen: number, kept: number, firing: number, named: number[], sides: [below: string, above: string], label: string, says: string}} UnitView */

const BINS = 48, NEAR = 28; // px from a dot
const LOWEST = 208, HIGHEST = 420, AROUND = 512; // px: of the picture, and of what stands above and below it in a window
const SIDE = { left: 44, right: 16, top: 16, bottom: 24 }, COUNTS = 54; // px

/** The order of units by their number before the activation. @param {Float32Array} before */
const inOrder = before => Array.from(before, (_, unit) => unit).filter(unit => Number.isFinite(before[unit])).sort((a, b) => before[a] - before[b] || a - b);

/** Round numbers between two ends, about so many. @param {number} low @param {number} high @param {number} count */
function ticks(low, high, count) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(one => one * power).find(one => one >= rough) ?? rough;
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => (Math.ceil(low / step) + i) * step);
}

/** @param {{point: (unit: number | null) => void, keep: (unit: number) => void}} calls */
export function curvePicture({ point, keep }) {
  const paper = canvasSlider({
    name: 'cv', usual: 600, point, keep, again: () => { if (view) draw(view); },
    under(across, down) {
      let best = -1, least = NEAR ** 2;
      for (let unit = 0; view && unit < view.before.length; unit++) {
        const apart = (x(view.before[unit]) - across) ** 2 + (y(view.after[unit]) - down) ** 2;
        if (apart < least) [best, least] = [unit, apart];
      }
      return best < 0 ? null : best;
    },
    keyed(key) {
      const at = view ? order.indexOf(view.kept) : -1, last = order.length - 1;
      const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, PageUp: at + 50, PageDown: at - 50, Home: 0, End: last }[key];
      return to === undefined || last < 0 ? null : order[Math.min(last, Math.max(0, to))];
    },
  });
  const { slider } = paper, element = el('div', { class: 'cv' }, slider, paper.probe);
  /** @type {UnitView | null} */
  let view = null;
  /** @type {number[]} */
  let order = [];
  let room = 0, x = (/** @type {number} */ value) => value, y = x;

  /** @param {UnitView} given */
  function draw(given) {
    if (view?.before !== given.before) order = inOrder(given.before);
    view = given;
    put(slider, { 'aria-label': given.label, 'aria-valuemin': 0, 'aria-valuemax': Math.max(0, order.length - 1), 'aria-valuenow': Math.max(0, order.indexOf(given.kept)), 'aria-valuetext': given.says });
    const begun = paper.begin(`${given.key} ${given.chosen} ${given.gone}`, wide => (wide < 500 ? 280 : Math.max(LOWEST, Math.min(HIGHEST, highIn(slider) - AROUND))));
    if (!begun) return;
    room = begun.room;
    paint(begun.pen, given, begun.colours, begun.high, begun.font);
  }

  /** @param {CanvasRenderingContext2D} pen @param {UnitView} given @param {import('./canvas.js').Colours} colours @param {number} high @param {string} font */
  function paint(pen, { before, after, curve, gone, chosen, firing, named, sides }, colours, high, font) {
    if (!order.length) return;
    const low = before[order[0]], end = before[order[order.length - 1]], wide = end - low || 1, from = low - 0.03 * wide, to = end + 0.03 * wide;
    const ends = after.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [0, 0]), tall = ends[1] - ends[0] || 1;
    const bottom = high - SIDE.bottom - COUNTS, right = room - SIDE.right;
    x = value => SIDE.left + (value - from) / (to - from) * (right - SIDE.left);
    y = value => bottom - (value - ends[0] + 0.04 * tall) / (1.08 * tall) * (bottom - SIDE.top);
    pen.font = `12px ${font}`;
    pen.lineWidth = 1;
    pen.textBaseline = 'middle';
    for (const tick of ticks(ends[0], ends[1], 5)) {
      pen.strokeStyle = colours.line;
      pen.beginPath();
      pen.moveTo(SIDE.left, Math.round(y(tick)) + 0.5);
      pen.lineTo(right, Math.round(y(tick)) + 0.5);
      pen.stroke();
      pen.textAlign = 'right';
      pen.fillStyle = colours.muted;
      pen.fillText(typeset(brief(tick)), SIDE.left - 6, y(tick));
    }
    for (const tick of ticks(from, to, 6)) {
      pen.strokeStyle = Math.abs(tick) < 1e-9 ? colours.muted : colours.line;
      pen.beginPath();
      pen.moveTo(Math.round(x(tick)) + 0.5, SIDE.top);
      pen.lineTo(Math.round(x(tick)) + 0.5, bottom + COUNTS);
      pen.stroke();
      pen.textAlign = 'center';
      pen.fillText(typeset(brief(tick)), x(tick), high - SIDE.bottom / 2 + 2);
    }
    // How many units have which number.
    const counts = new Array(BINS).fill(0), bin = (/** @type {number} */ value) => Math.min(BINS - 1, Math.floor((value - low) / wide * BINS));
    for (const unit of order) counts[bin(before[unit])]++;
    const most = Math.max(...counts);
    counts.forEach((count, i) => {
      const begin = low + i * wide / BINS, size = count && Math.max(1.5, count / most * (COUNTS - 10));
      pen.fillStyle = begin + wide / BINS / 2 > 0 ? colours.accent : colours.muted;
      pen.globalAlpha = 0.55;
      pen.fillRect(x(begin) + 0.5, bottom + COUNTS - size, Math.max(1, x(begin + wide / BINS) - x(begin) - 1), size);
    });
    pen.globalAlpha = 1;
    pen.strokeStyle = colours.muted;
    pen.lineWidth = 1.5;
    pen.beginPath();
    for (let i = 0; i <= 240; i++) {
      const value = from + (to - from) * i / 240;
      if (curve(value) <= ends[1] + 0.04 * tall) pen.lineTo(x(value), y(curve(value)));
    }
    pen.stroke();
    for (const unit of order) {
      const fires = before[unit] > 0;
      pen.fillStyle = fires ? colours.accent : colours.muted;
      pen.globalAlpha = fires ? 0.6 : 0.3;
      pen.beginPath();
      pen.arc(x(before[unit]), y(gone * after[unit]), fires ? 4 : 3, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.globalAlpha = 1;
    const [across, up] = [x(before[chosen]), y(gone * after[chosen])];
    if (Number.isFinite(across) && Number.isFinite(up)) {
      pen.strokeStyle = colours.ink;
      pen.setLineDash([4, 4]);
      pen.beginPath();
      pen.moveTo(across, bottom + COUNTS);
      pen.lineTo(across, up);
      pen.lineTo(SIDE.left, up);
      pen.stroke();
      pen.setLineDash([]);
      pen.fillStyle = colours.ink;
      pen.beginPath();
      pen.arc(across, up, 6, 0, 2 * Math.PI);
      pen.fill();
    }
    // How many units stand on each side of zero, and what becomes of them.
    sides.forEach((side, i) => {
      const count = i ? firing : order.length - firing, text = `${many(count)} ${side}`, wide = (i ? right - x(0) : x(0) - SIDE.left) - 12;
      pen.font = `650 ${i ? 16 : 20}px ${font}`;
      pen.fillStyle = i ? colours.accent : colours.muted;
      pen.textAlign = i ? 'right' : 'center';
      const size = pen.measureText(text).width, level = y(0) - 18;
      if (!count || size > wide) return;
      const clear = (/** @type {number} */ end) => end - size - 6 > x(0) && (Math.abs(across - end + size / 2) > size / 2 + 8 || up > level + 10) && order.every(unit => Math.abs(y(gone * after[unit]) - level) > 14 || Math.abs(x(before[unit]) - end + size / 2) > size / 2 + 8); // of the line of the chosen unit, and of every dot
      const end = [right - 2, across - 10].find(clear);
      if (i && end === undefined) return; // it stands nowhere free: the headline says it
      const free = (/** @type {number} */ at) => Math.abs(at - up) > 18 && (Math.abs(at - up + 9) > 24 || (SIDE.left + x(0) + size) / 2 < across - 84); // of the line of the chosen unit, and of its name
      const [mid, down] = i ? [end ?? right, level] : [(SIDE.left + x(0)) / 2, [24, 56, 88].map(far => y(0) - far).find(free) ?? y(0) - 24];
      pen.strokeStyle = colours.page;
      pen.lineWidth = 5;
      pen.strokeText(text, mid, down); // clear of the lines behind it
      pen.fillText(text, mid, down);
    });
    /** @type {[number, number][]} */
    const places = [];
    for (const unit of [chosen, ...named]) {
      const [px, py] = [x(before[unit]), y(gone * after[unit])];
      const right_ = px > SIDE.left + 90, [wx, wy] = [px + (right_ ? -13 : 13), py - (py > SIDE.top + 12 ? 9 : 0)];
      if (!Number.isFinite(px) || !Number.isFinite(py) || places.some(([ox, oy]) => Math.abs(oy - wy) < 16 && Math.abs(ox - wx) < 80)) continue;
      places.push([wx, wy]);
      pen.font = unit === chosen ? `600 13px ${font}` : `12.5px ${font}`;
      pen.fillStyle = colours.ink;
      pen.textAlign = right_ ? 'right' : 'left';
      pen.strokeStyle = colours.page; // clear of the lines behind it
      pen.lineWidth = 5;
      pen.strokeText(`unit ${unit}`, wx, wy);
      pen.fillText(`unit ${unit}`, wx, wy);
    }
  }

  return { element, slider, draw, end: paper.end };
}

// @ts-check
// Vectors as strips below one another, on one scale as far as they are of one size, whose numbers a slider walks through.
import { canvasSlider } from './canvas.js';
import { el, put, themeOf } from './dom.js';
import { colourOf, css, gradient } from './grid.js';
import { html, nothing, render as into } from './lit.js';
import { brief, many, sure, typeset } from './number.js';

/** `within` is how far a number may be off; `behind` a norm numbers may be of another size, `end` is a scale of its own, `whole` the numbers that are written, where those that are drawn are on their way to them. @typedef {{name: string, values: Float32Array, within: number, behind?: boolean, end?: number, whole?: Float32Array}} SliderStrip */
/** The number that is chosen stands in all strips that are as long as the first; `high` is how high each is; with `heat` a number is a colour, not a bar that has the colour of its sign. @typedef {{key: string, strips: SliderStrip[], chosen: number, kept: number, label: string, says: string, high?: number, heat?: boolean}} SliderView */

const ROOM = 252, HIGH = 64, HEAT = 28, NAME = 19, FAR = 3, OTHER = 4; // px of all strips, of one at most, of one of colours, and of its name; how far above the usual the ends may lie; times another end: then both are drawn to their own

/** Where the bars end: the largest, unless a few are far above all others; colours where few go beyond. @param {SliderStrip[]} strips @param {boolean} [heat] */
export function endOf(strips, heat = false) {
  const sizes = Float64Array.from(strips.flatMap(strip => Array.from(strip.values).filter(Number.isFinite).map(Math.abs))).sort();
  const most = sizes[sizes.length - 1] || 1, usual = sizes[Math.floor(0.99 * (sizes.length - 1))] || most;
  return heat ? usual : most > FAR * usual ? 1.5 * usual : most;
}

/** `keep` hears of a number, and in which strip it was pressed, -1 for none. @param {{point: (d: number | null) => void, keep: (d: number, strip: number) => void}} calls */
export function vectorSlider({ point, keep }) {
  const foot = el('p', { class: 'vs-foot' }), paper = canvasSlider({
    name: 'vs', usual: 500, point, keep: d => keep(d, pressed), again: () => { if (view) draw(view); },
    under(across, down, wide) {
      pressed = tops.filter(top => down >= top - NAME).length - 1;
      const count = view?.strips[0].values.length ?? 0, d = Math.floor(across / wide * count);
      return d >= 0 && d < count ? d : null;
    },
    keyed(key) {
      if (!view) return null;
      pressed = -1;
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[key], last = view.strips[0].values.length - 1;
      return key === 'Home' ? 0 : key === 'End' ? last : by === undefined ? null : Math.min(last, Math.max(0, view.kept + by));
    },
  });
  const { slider } = paper, element = el('div', { class: 'vs' }, slider, foot, paper.probe);
  /** @type {SliderView | null} */
  let view = null;
  let pressed = -1;
  /** Where the box of each strip begins. @type {number[]} */
  let tops = [];
  /** @param {SliderView} given */
  function draw(given) {
    view = given;
    const { strips, chosen, heat = false } = given, count = strips[0].values.length, [before, behind] = [false, true].map(is => strips.filter(strip => Boolean(strip.behind) === is)), own = behind.length ? [before, behind].map(part => endOf(part, heat)) : [];
    const two = Math.max(...own) > OTHER * Math.min(...own), one = endOf(strips, heat), ends = two ? own : [one, one], endAt = (/** @type {SliderStrip} */ strip) => strip.end ?? ends[Number(Boolean(strip.behind))], first = endAt(strips[0]);
    put(slider, { 'aria-label': given.label, 'aria-valuemin': 0, 'aria-valuemax': count - 1, 'aria-valuenow': given.kept, 'aria-valuetext': given.says });
    const above = strips.reduce((sum, strip) => sum + strip.values.reduce((so, value) => so + Number(Math.abs(value) > endAt(strip)), 0), 0), to = (/** @type {number} */ end) => `${typeset(brief(-end))} to ${brief(end)}`;
    const theme = themeOf(getComputedStyle(slider.closest('.enc') ?? slider).backgroundColor);
    into(html`${heat ? html`<i class="vs-scale" style="background: ${gradient('signed', theme)}"></i>` : nothing}${many(count)} numbers, ${heat ? 'coloured' : 'drawn'} ${!two && strips.some(strip => endAt(strip) !== first) ? 'in each strip to its largest' : `from ${to(first)}${two ? `, after the norm from ${to(ends[1])}` : ''}`}${above ? `; ${above} go beyond` : ''}. Tap one, or step with ← →.`, foot);
    const box = given.high ?? Math.min(heat ? HEAT : HIGH, Math.round(ROOM / strips.length - NAME));
    tops = strips.map((_, i) => i * (NAME + box) + NAME);
    const begun = paper.begin(`${given.key} ${chosen}`, () => strips.length * (NAME + box));
    if (!begun) return;
    const { pen, colours: theirs, room, font } = begun, at = (chosen + 0.5) * room / count, thick = Math.max(room / count, 3);
    strips.forEach((strip, i) => {
      const { name, values, within, whole = values } = strip, end = endAt(strip);
      const top = tops[i], middle = top + box / 2, wide = room / values.length;
      const size = (/** @type {number} */ value) => Math.min(1, Math.abs(value) / end) * box / 2;
      pen.fillStyle = theirs.muted;
      pen.font = `14px ${font}`;
      pen.textBaseline = 'alphabetic';
      pen.textAlign = 'left';
      pen.fillText(name, 0, top - 5);
      const named = pen.measureText(name).width;
      pen.fillStyle = theirs.soft;
      pen.fillRect(0, top, room, box);
      if (heat) {
        values.forEach((value, d) => {
          pen.fillStyle = css(colourOf(value, { low: -end, high: end }, 'signed', theme));
          pen.fillRect(d * wide, top, wide + 0.4, box); // no seams
        });
      } else values.forEach((value, d) => {
        pen.fillStyle = value < 0 ? theirs.second : theirs.accent;
        if (Number.isFinite(value)) pen.fillRect(d * wide, value > 0 ? middle - size(value) : middle, Math.max(0.8, wide - (wide > 5 ? 1 : 0)), size(value));
      });
      if (values.length !== count) return;
      if (heat) {
        pen.strokeStyle = theirs.second;
        pen.lineWidth = 2;
        pen.strokeRect(at - thick / 2 - 1, top, thick + 2, box);
        return;
      }
      const value = values[chosen];
      pen.fillStyle = theirs.ink;
      pen.globalAlpha = 0.3;
      const from = i && at - thick / 2 > named + 4 ? top - NAME : top; // clear of the name
      pen.fillRect(at - thick / 2, from, thick, top + box - from);
      pen.globalAlpha = 1;
      if (Number.isFinite(value)) pen.fillRect(at - thick / 2, value > 0 ? middle - size(value) : middle, thick, Math.max(1, size(value)));
      pen.font = `600 14px ${font}`;
      const text = `${i ? '' : `number ${chosen}: `}${typeset(sure(whole[chosen], within, 4))}`, long = pen.measureText(text).width;
      pen.fillText(text, Math.max(named + 12, Math.min(room - long, at + 6)), top - 5);
    });
  }

  return { element, slider, foot, draw, end: paper.end };
}

/** Arithmetic that was computed again here, with a tick where the run recorded the same; `words` say how, and where it did not what is wrong. @param {string} text @param {boolean} agrees @param {string} words */
export const worked = (text, agrees, words) => html`<p class="vs-worked" dir="ltr"><span>${text}</span>${agrees ? html`\u00a0<span class="vs-tick" role="img" data-agrees="true" aria-label=${words} title=${words}>✓</span>` : html`<span class="vs-tick" data-agrees="false">${words}</span>`}</p>`;

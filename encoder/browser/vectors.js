// @ts-check
// Vectors as strips below one another, on one scale, whose numbers a slider walks through.
import { canvasSlider } from './canvas.js';
import { el, put, write } from './dom.js';
import { brief, sure, typeset } from './number.js';

/** `colour` is one of those of the page, or that of each number's sign; `within` is how far a number may be off, `end` a scale of its own, `whole` the numbers that are written, where those that are drawn are on their way to them. @typedef {{name: string, values: Float32Array, within: number, colour: 'muted' | 'accent' | 'second' | 'ink' | 'sign', end?: number, whole?: Float32Array}} SliderStrip */
/** @typedef {{key: string, strips: SliderStrip[], chosen: number, kept: number, label: string, says: string, high?: number}} SliderView */

const HIGH = 56, NAME = 17, FAR = 3; // px of a strip and of its name; how far above the usual the ends may lie

/** Where the bars end: the largest, unless a few are far above all others. @param {SliderStrip[]} strips */
export function endOf(strips) {
  const sizes = Float64Array.from(strips.flatMap(strip => Array.from(strip.values).filter(Number.isFinite).map(Math.abs))).sort();
  const most = sizes[sizes.length - 1] || 1, usual = sizes[Math.floor(0.99 * (sizes.length - 1))] || most;
  return most > FAR * usual ? 1.5 * usual : most;
}

/** @param {{point: (d: number | null) => void, keep: (d: number) => void}} calls */
export function vectorSlider({ point, keep }) {
  const foot = el('p', { class: 'vs-foot' }), paper = canvasSlider({
    name: 'vs', usual: 500, point, keep, again: () => { if (view) draw(view); },
    under(across, _down, wide) {
      const count = view?.strips[0].values.length ?? 0, d = Math.floor(across / wide * count);
      return d >= 0 && d < count ? d : null;
    },
    keyed(key) {
      if (!view) return null;
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[key], last = view.strips[0].values.length - 1;
      return key === 'Home' ? 0 : key === 'End' ? last : by === undefined ? null : Math.min(last, Math.max(0, view.kept + by));
    },
  });
  const { slider } = paper, element = el('div', { class: 'vs' }, slider, foot, paper.probe);
  /** @type {SliderView | null} */
  let view = null;
  /** @param {SliderView} given */
  function draw(given) {
    view = given;
    const { strips, chosen, high = HIGH } = given, common = endOf(strips), endAt = (/** @type {SliderStrip} */ strip) => strip.end ?? common, first = endAt(strips[0]), own = strips.some(strip => endAt(strip) !== first), count = strips[0].values.length;
    put(slider, { 'aria-label': given.label, 'aria-valuemin': 0, 'aria-valuemax': count - 1, 'aria-valuenow': given.kept, 'aria-valuetext': given.says });
    const above = strips.reduce((sum, strip) => sum + strip.values.reduce((so, value) => so + Number(Math.abs(value) > endAt(strip)), 0), 0);
    write(foot, `${count.toLocaleString('en-US')} numbers, drawn ${own ? 'in each strip to its largest' : `from ${typeset(brief(-first))} to ${brief(first)}`}${above ? `; ${above} go beyond` : ''}`);
    const begun = paper.begin(`${given.key} ${chosen}`, () => strips.length * (high + NAME));
    if (!begun) return;
    const { pen, colours: theirs, room, font } = begun, wide = room / count;
    strips.forEach((strip, i) => {
      const top = i * (high + NAME) + NAME, middle = top + high / 2, signed = strip.colour === 'sign', marked = signed ? theirs.ink : theirs.second, end = endAt(strip);
      pen.fillStyle = theirs.muted;
      pen.font = `13px ${font}`;
      pen.textBaseline = 'alphabetic';
      pen.textAlign = 'left';
      pen.fillText(strip.name, 0, top - 4);
      pen.fillStyle = theirs.soft;
      pen.fillRect(0, top, room, high);
      if (strip.colour !== 'sign') pen.fillStyle = theirs[strip.colour];
      strip.values.forEach((value, d) => {
        const size = Math.min(1, Math.abs(value) / end) * high / 2;
        if (signed) pen.fillStyle = value < 0 ? theirs.second : theirs.accent;
        if (Number.isFinite(value)) pen.fillRect(d * wide, value > 0 ? middle - size : middle, Math.max(0.8, wide - (wide > 5 ? 1 : 0)), size);
      });
      const value = strip.values[chosen], thick = Math.max(wide, 3), x = (chosen + 0.5) * wide;
      pen.globalAlpha = 0.35;
      pen.fillStyle = marked;
      pen.fillRect(x - thick / 2, top, thick, high);
      pen.globalAlpha = 1;
      pen.fillStyle = marked;
      const size = Math.min(1, Math.abs(value) / end) * high / 2;
      if (Number.isFinite(value)) pen.fillRect(x - thick / 2, value > 0 ? middle - size : middle, thick, Math.max(1, size));
      pen.textAlign = 'right';
      pen.font = `600 13px ${font}`;
      pen.fillStyle = marked;
      pen.fillText(`number ${chosen}: ${typeset(sure((strip.whole ?? strip.values)[chosen], strip.within))}`, room, top - 4);
    });
  }

  return { element, slider, draw, end: paper.end };
}

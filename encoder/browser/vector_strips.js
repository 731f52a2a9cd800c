// @ts-check
// The numbers of one token as strips of thin bars over one another, with one dimension chosen in all of them.
import { el, put, write } from './dom.js';
import { brief, typeset } from './number.js';

/** `colour` is a name of COLOURS. @typedef {{name: string, values: Float32Array, colour: 'muted' | 'accent' | 'second' | 'ink'}} Strip */
/** @typedef {{key: string, strips: Strip[], chosen: number, kept: number, label: string, says: string}} View */

const HIGH = 56, NAME = 17, FAR = 3; // px of a strip and of its name; how far above the usual the ends may lie
const COLOURS = /** @type {const} */ (['ink', 'muted', 'accent', 'second', 'page', 'line', 'soft']);

/** Where the bars end: the largest, unless a few are far above all others. @param {Strip[]} strips */
export function endOf(strips) {
  const sizes = Float64Array.from(strips.flatMap(strip => Array.from(strip.values).filter(Number.isFinite).map(Math.abs))).sort();
  const most = sizes[sizes.length - 1] || 1, usual = sizes[Math.floor(0.99 * (sizes.length - 1))] || most;
  return most > FAR * usual ? 1.5 * usual : most;
}

/** @param {{point: (d: number | null) => void, keep: (d: number) => void}} calls */
export function vectorStrips({ point, keep }) {
  const canvas = el('canvas', { class: 'vs-canvas', 'aria-hidden': 'true' });
  const slider = el('div', { class: 'vs-slider', role: 'slider', tabindex: '0', 'data-cell': '' }, canvas);
  const foot = el('p', { class: 'vs-foot' }), probe = el('i', { hidden: true });
  const element = el('div', { class: 'vs' }, slider, foot, probe), pen = canvas.getContext('2d');
  /** @type {View | null} */
  let view = null;
  let drawn = '', room = 0;

  /** @param {MouseEvent} event */
  const under = event => {
    const box = canvas.getBoundingClientRect(), count = view?.strips[0].values.length ?? 0;
    const d = Math.floor((event.clientX - box.left) / box.width * count);
    return d >= 0 && d < count ? d : null;
  };
  slider.onpointermove = event => { if (event.pointerType !== 'touch') point(under(event)); };
  slider.onpointerleave = () => point(null);
  slider.onclick = event => {
    const d = under(event);
    if (d !== null) keep(d);
  };
  slider.onkeydown = event => {
    if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key], last = view.strips[0].values.length - 1;
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? last : by === undefined ? -1 : Math.min(last, Math.max(0, view.kept + by));
    if (to < 0) return;
    event.preventDefault();
    keep(to);
  };

  const anew = () => { drawn = ''; if (view) draw(view); };
  const watch = new ResizeObserver(() => { if (Math.abs(slider.clientWidth - room) > 1) anew(); });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  watch.observe(slider);
  dark.addEventListener('change', anew);

  /** @param {View} given */
  function draw(given) {
    view = given;
    const { strips, chosen } = given, end = endOf(strips), count = strips[0].values.length;
    const theirs = /** @type {Record<typeof COLOURS[number], string>} */ (Object.fromEntries(COLOURS.map(name => {
      probe.style.color = `var(--at-${name})`;
      return [name, getComputedStyle(probe).color];
    })));
    room = slider.clientWidth || 500;
    const ratio = devicePixelRatio || 1, high = strips.length * (HIGH + NAME), key = [given.key, chosen, room, ratio, theirs.page].join(' ');
    put(slider, { 'aria-label': given.label, 'aria-valuemin': 0, 'aria-valuemax': count - 1, 'aria-valuenow': given.kept, 'aria-valuetext': given.says });
    const above = strips.reduce((sum, { values }) => sum + values.reduce((so, value) => so + Number(Math.abs(value) > end), 0), 0);
    write(foot, `${count.toLocaleString('en-US')} numbers, drawn from ${typeset(brief(-end))} to ${brief(end)}${above ? `; ${above} go beyond` : ''}`);
    if (drawn === key || !pen) return;
    drawn = key;
    const [width, height] = [Math.round(room * ratio), Math.round(high * ratio)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    put(canvas, { style: `height: ${high}px` });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, room, high);
    const wide = room / count, font = getComputedStyle(element).fontFamily;
    strips.forEach((strip, i) => {
      const top = i * (HIGH + NAME) + NAME, middle = top + HIGH / 2;
      pen.fillStyle = theirs.muted;
      pen.font = `13px ${font}`;
      pen.textBaseline = 'alphabetic';
      pen.textAlign = 'left';
      pen.fillText(strip.name, 0, top - 4);
      pen.fillStyle = theirs.soft;
      pen.fillRect(0, top, room, HIGH);
      pen.fillStyle = theirs[strip.colour];
      strip.values.forEach((value, d) => {
        const size = Math.min(1, Math.abs(value) / end) * HIGH / 2;
        if (Number.isFinite(value)) pen.fillRect(d * wide, value > 0 ? middle - size : middle, Math.max(0.8, wide - (wide > 5 ? 1 : 0)), size);
      });
      const value = strip.values[chosen], thick = Math.max(wide, 3), x = (chosen + 0.5) * wide;
      pen.globalAlpha = 0.35;
      pen.fillStyle = theirs.second;
      pen.fillRect(x - thick / 2, top, thick, HIGH);
      pen.globalAlpha = 1;
      pen.fillStyle = theirs.second;
      const size = Math.min(1, Math.abs(value) / end) * HIGH / 2;
      if (Number.isFinite(value)) pen.fillRect(x - thick / 2, value > 0 ? middle - size : middle, thick, Math.max(1, size));
      pen.textAlign = 'right';
      pen.font = `600 13px ${font}`;
      pen.fillStyle = theirs.second;
      pen.fillText(`number ${chosen}: ${typeset(brief(value))}`, room, top - 4);
    });
  }

  return {
    element, slider, draw,
    end() {
      watch.disconnect();
      dark.removeEventListener('change', anew);
    },
  };
}

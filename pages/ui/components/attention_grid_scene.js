// @ts-check
// The picture of the grid at one moment, as plain shapes: painted on a canvas and written as SVG alike. No page.
import { agreementText, largest, products, rootText, shareText, softmaxRow, total, weightedSum, written } from './attention_grid_data.js';
import { tight } from '../../../encoder/browser/number.js';

/** @typedef {import('./attention_grid_data.js').Values} Values */
/** @typedef {{ x: number, y: number, w: number, h: number }} Area */
/**
 * @typedef {{ kind: 'rect', x: number, y: number, w: number, h: number, fill?: string, stroke?: string, line?: number, alpha?: number }
 *   | { kind: 'line', points: [number, number][], stroke: string, line: number, alpha?: number }
 *   | { kind: 'text', x: number, y: number, text: string, fill: string, size: number, weight?: number, anchor?: 'start' | 'middle' | 'end',
 *       turn?: number, alpha?: number }
 *   | { kind: 'cells', x: number, y: number, w: number, h: number, rows: number, columns: number, pixels: Uint8ClampedArray, alpha?: number }} Shape
 */
/**
 * What is to be drawn: the run, its numbers, the chosen pair, and how far the way from one frame to another is gone (0 to 1).
 * @typedef {{ about: any, arrays: any, numbers: import('./attention_grid_data.js').Numbers, query: number, key: number,
 *   from: number, to: number, t: number, heat: number, scaled: boolean }} Moment
 */
/** @typedef {{ ink: string, muted: string, accent: string, second: string, page: string, border: string, signed: Uint8Array, share: Uint8Array }} Colours */

const LABELS = 66; // pixels for the names of the columns
const BARS = 92;
const LARGEST_CELL = 40;
const PRINTED = 25; // from this size on a cell has its number written in it, to two digits; from the next on to three
const ROOMY = 36;
const FINE = 12; // up to this size cells stand without a gap, as one image
const RAMP = 120; // pixels of the colour scale
const ROWS = 7; // tokens that are listed beside the grid

/**
 * Where everything stands in a picture of a width.
 * @param {number} width
 * @param {any} about
 */
export function placed(width, about) {
  const rows = about.rows[1] - about.rows[0], columns = about.columns[1] - about.columns[0];
  const narrow = width < 700;
  const longest = Math.max(...about.tokens.map((/** @type {string} */ token) => token.length));
  const left = Math.max(44, Math.min(narrow ? 74 : 104, 7.2 * longest + 12));
  const beside = narrow ? width : Math.max(270, Math.min(430, width * 0.38));
  const room = (narrow ? width - 26 : width - beside - 48) - left;
  const cell = Math.min(LARGEST_CELL, room / columns, 560 / rows);
  const grid = { x: left, y: LABELS, w: cell * columns, h: cell * rows };
  const bars = { x: left, y: LABELS + grid.h + 18, w: grid.w, h: BARS };
  const foot = bars.y + bars.h + 48;
  const strip = { x: left + Math.max(cell, 46) + 8, w: Math.max(grid.w, Math.min(room, 240)) - Math.max(cell, 46) - 8 };
  const side = narrow ? { x: 0, y: foot + 8, w: width - 4, h: 300 } : { x: left + Math.max(grid.w, 240) + 44, y: 20, w: 0, h: 300 };
  if (!narrow) side.w = Math.min(460, width - side.x - 4);
  return { rows, columns, cell, grid, bars, strip, side, narrow, width, height: Math.max(foot, side.y + side.h) };
}

/**
 * The cell under a point: its row and column within what is drawn; null outside.
 * @param {ReturnType<typeof placed>} at
 * @param {number} x
 * @param {number} y
 * @param {boolean} last whether values are drawn, not pairs; the column is a dimension then, or -1 for the weight
 * @param {number} size d_head
 * @returns {[number, number] | null}
 */
export function under(at, x, y, last, size) {
  const row = Math.floor((y - at.grid.y) / at.cell);
  if (row < 0 || row >= (last ? at.columns : at.rows) || x < at.grid.x) return null;
  if (last) {
    const d = Math.floor(((x - at.strip.x) / at.strip.w) * size);
    return d >= size ? null : [row, x < at.strip.x ? -1 : Math.max(0, d)];
  }
  const column = Math.floor((x - at.grid.x) / at.cell);
  return column >= at.columns ? null : [row, column];
}

/**
 * The colour of a number on a scale that ends at `end`.
 * @param {number} value
 * @param {number} end
 * @param {boolean} share
 * @param {Colours} colours
 * @returns {[number, number, number] | null}
 */
export function colourOf(value, end, share, colours) {
  if (!Number.isFinite(value)) return null;
  const place = share ? value / end : (value / end + 1) / 2;
  const at = 3 * Math.round(254 * Math.max(0, Math.min(1, place)));
  const palette = share ? colours.share : colours.signed;
  return [palette[at], palette[at + 1], palette[at + 2]];
}

/** @param {[number, number, number]} rgb */
const css = rgb => `rgb(${rgb.map(Math.round).join(',')})`;
/**
 * @param {[number, number, number]} a
 * @param {[number, number, number]} b
 * @param {number} t
 * @returns {[number, number, number]}
 */
const mixed = (a, b, t) => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
/** Ink that is read on a colour. @param {[number, number, number]} rgb */
const inkOn = rgb => (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > 140 ? '#14171d' : '#ffffff');
const between = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ t) => a + (b - a) * t;
/** How much of the old frame's words, and of the new one's, is seen. @param {number} t */
const fades = t => [Math.max(0, 1 - 2.5 * t), Math.max(0, 2.5 * t - 1.5)];

/**
 * A number written into a cell; a share without its sign where all are shares.
 * @param {number} value
 * @param {boolean} share
 * @param {number} cell its size in pixels
 */
const inCell = (value, share, cell) =>
  share ? tight(shareText(value)).replace('\u00a00.', '.').replace('\u00a0', '').replace('%', '') : written(value, cell < ROOMY ? 2 : 3);

/**
 * Everything that is seen at a moment.
 * @param {Moment} moment
 * @param {number} width
 * @param {Colours} colours
 */
export function scene(moment, width, colours) {
  const at = placed(width, moment.about);
  /** @type {Shape[]} */
  const shapes = [];
  const draw = new Drawing(moment, at, colours, shapes);
  draw.names();
  draw.values();
  draw.pairs();
  draw.row();
  draw.scale();
  const [before, after] = fades(moment.t);
  if (moment.from !== moment.to && before > 0) draw.beside(moment.from, before);
  draw.beside(moment.to, moment.from === moment.to ? 1 : after);
  return { shapes, width, height: at.height };
}

class Drawing {
  /** How much of the pairs is seen while they leave. */
  old = 1;
  /** How much of the values is seen while they come. */
  fresh = 0;

  /**
   * @param {Moment} moment
   * @param {ReturnType<typeof placed>} at
   * @param {Colours} colours
   * @param {Shape[]} shapes
   */
  constructor(moment, at, colours, shapes) {
    this.moment = moment;
    this.at = at;
    this.colours = colours;
    this.shapes = shapes;
    const { about, arrays, numbers } = moment;
    this.frames = about.frames;
    this.last = this.frames.length - 1;
    this.n = about.tokens.length;
    this.i = moment.query - about.rows[0];
    this.j = moment.key - about.columns[0];
    /** How far the picture is from pairs to values. */
    this.taken = (moment.from === this.last ? 1 - moment.t : 0) + (moment.to === this.last ? moment.t : 0);
    if (moment.from === moment.to) this.taken = moment.to === this.last ? 1 : 0;
    [this.old, this.fresh] = [Math.max(0, 1 - 1.7 * this.taken), Math.max(0, 1.7 * this.taken - 0.7)];
    this.name = (/** @type {number} */ k) => about.tokens[k];
    const counts = about.tokens.reduce((/** @type {any} */ all, /** @type {string} */ token) => all.set(token, (all.get(token) || 0) + 1), new Map());
    /** The name of a token where it stands away from its place: with its position if it is there more than once. */
    this.named = (/** @type {number} */ k) => (counts.get(about.tokens[k]) > 1 ? `${about.tokens[k]} (${k})` : about.tokens[k]);
    this.size = about.d_head;
    const whole = arrays.hidden.values;
    this.hidden = new Uint8Array(at.rows * at.columns);
    for (let r = 0; r < at.rows; r++) for (let c = 0; c < at.columns; c++) this.hidden[r * at.columns + c] = whole[r * this.n + c + about.columns[0]];
    this.rowOf = (/** @type {Values} */ values) => values.subarray(this.i * this.n, (this.i + 1) * this.n);
    this.weights = this.rowOf(numbers.weights);
    this.mask = about.mask ?? -Infinity;
  }

  /** What a frame colours: its cells, the end of their scale, and whether they are shares. @param {number} frame */
  look(frame) {
    const { operation, step } = this.frames[Math.min(frame, this.last - 1)];
    const masked = operation === 'mask' || operation === 'softmax';
    const cells = this.moment.numbers.cells[step];
    return { cells, masked, share: operation === 'softmax', end: largest(cells, this.hidden, masked) };
  }

  /** @param {string} text @param {number} x @param {number} y @param {any} [more] */
  text(text, x, y, more = {}) {
    this.shapes.push({ kind: 'text', text, x, y, fill: this.colours.ink, size: 12, ...more });
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {any} more */
  rect(x, y, w, h, more) {
    this.shapes.push({ kind: 'rect', x, y, w: Math.max(0, w), h: Math.max(0, h), ...more });
  }

  /**
   * Many cells as one image.
   * @param {Area} place
   * @param {number} rows
   * @param {number} columns
   * @param {(row: number, column: number) => [number, number, number] | null} colour
   * @param {number} alpha
   */
  image(place, rows, columns, colour, alpha) {
    const pixels = new Uint8ClampedArray(4 * rows * columns);
    for (let r = 0, at = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++, at += 4) {
        const found = colour(r, c);
        if (found) [pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]] = [found[0], found[1], found[2], 255];
      }
    }
    this.shapes.push({ kind: 'cells', ...place, rows, columns, pixels, alpha });
  }

  /** The tokens along both sides. */
  names() {
    const { grid, cell, rows, columns, bars } = this.at, { about } = this.moment, { accent, muted } = this.colours;
    const every = Math.ceil(11 / cell), size = Math.max(9, Math.min(13, cell * 0.62));
    const fade = this.old;
    const side = (/** @type {number} */ first, /** @type {number} */ count, /** @type {number} */ chosen, /** @type {number} */ alpha) => {
      for (let r = 0; r < count; r++) {
        if (alpha <= 0 || (r % every && r !== chosen) || (every > 1 && r !== chosen && Math.abs(r - chosen) < every)) continue;
        this.text(this.name(first + r), grid.x - 7, grid.y + (r + 0.5) * cell + size * 0.35, {
          anchor: 'end', size, weight: r === chosen ? 700 : 400, fill: r === chosen ? accent : this.colours.ink, alpha });
      }
    };
    if (this.taken < 0.5) side(about.rows[0], rows, this.i, fade);
    else side(about.columns[0], columns, this.j, this.fresh);
    for (let c = 0; c < columns; c++) {
      if (fade <= 0 || (c % every && c !== this.j) || (every > 1 && c !== this.j && Math.abs(c - this.j) < every)) continue;
      this.text(this.name(about.columns[0] + c), grid.x + (c + 0.6) * cell, grid.y - 6, {
        turn: -55, size, weight: c === this.j ? 700 : 400, fill: c === this.j ? accent : this.colours.ink, alpha: fade });
    }
    if (this.fresh > 0) {
      const more = { size: 12, fill: muted, alpha: this.fresh };
      this.text('weight', grid.x, grid.y - 8, more);
      this.text(`value of each token, ${this.size} numbers`, this.at.strip.x, grid.y - 8, more);
    }
    this.text(`\u201c${this.name(this.moment.query)}\u201d`, grid.x - 7, bars.y + (fade > 0.5 ? bars.h / 2 : 14), { anchor: 'end', weight: 700, fill: accent, size: Math.min(13, size + 1) });
  }

  /** The cells of all pairs; those of the chosen row leave for their places before the values. */
  pairs() {
    const { grid, cell, rows, columns } = this.at, { from, to, t } = this.moment;
    const a = this.look(from), b = this.look(to), still = from === to ? 1 : t;
    const wide = Math.max(cell, 46), [before, after] = from === to ? [0, 1] : fades(t);
    /** @param {number} p */
    const colourAt = p => {
      const masked = this.hidden[p];
      const one = a.masked && masked ? null : colourOf(a.cells[p], a.end, a.share, this.colours);
      const two = b.masked && masked ? null : colourOf(b.cells[p], b.end, b.share, this.colours);
      return one && two ? mixed(one, two, still) : still > 0.5 ? two : one;
    };
    const fine = cell <= FINE;
    if (fine && this.old > 0) this.image(grid, rows, columns, (r, c) => (r === this.i && this.taken > 0 ? null : colourAt(r * columns + c)), this.old);
    for (let r = 0; r < rows; r++) {
      const leaves = r === this.i;
      const alpha = leaves ? 1 : this.old;
      if (alpha <= 0) continue;
      for (let c = 0; c < columns; c++) {
        const p = r * columns + c, masked = this.hidden[p], u = leaves ? this.taken : 0;
        if (fine && u === 0 && !masked) continue;
        const x = between(grid.x + c * cell, grid.x, u), y = between(grid.y + r * cell, grid.y + c * cell, u), w = between(cell, wide, u);
        const colour = colourAt(p), gap = fine ? 0 : 1;
        if (!colour) this.blank(x, y, w - gap, cell - gap, alpha);
        else if (!fine || u > 0) this.rect(x, y, w - gap, cell - gap, { fill: css(colour), alpha });
        if (cell < PRINTED && u === 0) continue;
        const printed = (/** @type {typeof a} */ look, /** @type {number} */ shown) => {
          if (shown <= 0) return;
          const fill = colour ? inkOn(colour) : this.colours.muted;
          this.text(look.masked && masked && look.share ? '' : inCell(look.cells[p], look.share, cell), x + w / 2 - 0.5, y + cell / 2 + 3.5, {
            anchor: 'middle', size: u > 0 ? Math.min(11, cell * 0.8) : Math.min(11, cell * 0.36), fill, alpha: shown * alpha });
        };
        if (from !== to && from !== this.last) printed(a, leaves && u > 0 ? 0 : before);
        if (to !== this.last) printed(b, u > 0 ? 0 : after);
        else if (leaves && u > 0) printed(b, cell >= 11 ? after : 0);
      }
    }
    if (this.taken < 0.5) {
      const line = { stroke: this.colours.accent, alpha: this.old };
      this.rect(grid.x - 1, grid.y + this.i * cell - 1, grid.w + 1, cell + 1, { ...line, line: 1 });
      this.rect(grid.x + this.j * cell - 1, grid.y - 1, cell + 1, grid.h + 1, { ...line, line: 1 });
      this.rect(grid.x + this.j * cell - 1.5, grid.y + this.i * cell - 1.5, cell + 2, cell + 2, { ...line, stroke: this.colours.second, line: 3 });
    }
  }

  /** A cell that is masked. @param {number} x @param {number} y @param {number} w @param {number} h @param {number} alpha */
  blank(x, y, w, h, alpha) {
    this.rect(x, y, w, h, { fill: this.colours.border, alpha: alpha * 0.55 });
    this.shapes.push({ kind: 'line', points: [[x, y + h], [x + w, y]], stroke: this.colours.muted, line: 1, alpha: alpha * 0.8 });
  }

  /** The chosen row as bars under its cells. */
  row() {
    const { bars, cell, columns, rows } = this.at, { from, to, t } = this.moment, fade = this.old;
    if (fade <= 0 || this.i < 0 || this.i >= rows) return;
    const heights = (/** @type {number} */ frame) => {
      const look = this.look(frame), values = look.cells.subarray(this.i * columns, (this.i + 1) * columns);
      const hidden = this.hidden.subarray(this.i * columns, (this.i + 1) * columns);
      const end = largest(values, hidden, look.masked), zero = look.share ? 1 : values.some((v, c) => v < 0 && !(look.masked && hidden[c])) ? 0.5 : 1;
      return { look, values, hidden, zero, tops: Array.from(values, (v, c) => (look.masked && hidden[c]) || !Number.isFinite(v) ? zero : zero - (v / end) * (zero === 1 ? 0.86 : 0.43)) };
    };
    const a = heights(from), b = heights(to), u = from === to ? 1 : t;
    const zero = bars.y + bars.h * between(a.zero, b.zero, u);
    this.shapes.push({ kind: 'line', points: [[bars.x, zero], [bars.x + bars.w, zero]], stroke: this.colours.muted, line: 1, alpha: fade });
    for (let c = 0; c < columns; c++) {
      const top = bars.y + bars.h * between(a.tops[c], b.tops[c], u), chosen = c === this.j;
      const below = top > zero;
      this.rect(bars.x + c * cell + cell * 0.14, Math.min(top, zero), cell * 0.72, Math.abs(zero - top), {
        fill: below ? this.colours.second : this.colours.accent, alpha: fade * (chosen ? 1 : 0.55) });
      if (b.look.masked && b.hidden[c] && u > 0.5) this.text('\u00d7', bars.x + (c + 0.5) * cell, zero - 3, { anchor: 'middle', size: Math.min(12, cell), fill: this.colours.muted, alpha: fade });
      if (!chosen || u < 1) continue;
      const said = b.look.share ? shareText(b.values[c]) : written(b.values[c]);
      this.text(said, bars.x + (c + 0.5) * cell, below ? top + 13 : top - 4, { anchor: 'middle', weight: 700, alpha: fade });
    }
  }

  /** The value vectors, and their sum: computed here and as recorded. */
  values() {
    if (this.fresh <= 0) return;
    const { grid, cell, columns, strip, bars } = this.at, { about, arrays } = this.moment, alpha = this.fresh;
    const values = arrays.v.values;
    const drawn = values.subarray(about.columns[0] * this.size, about.columns[1] * this.size);
    const end = largest(drawn, drawn, false);
    const place = { x: strip.x, y: grid.y, w: strip.w, h: grid.h };
    this.image(place, columns, this.size, (c, d) => colourOf(drawn[c * this.size + d], end, false, this.colours), alpha);
    if (this.j >= 0 && this.j < columns) this.rect(grid.x - 1, grid.y + this.j * cell - 1, strip.x + strip.w - grid.x + 2, cell + 1, { stroke: this.colours.accent, line: 1.5, alpha });
    const sum = weightedSum(this.weights, values, this.size), kept = this.z();
    const lines = this.moment.numbers.recorded ? [['sum', sum], ['Z', kept]] : [['Z', sum]];
    const last = largest(sum, sum, false);
    lines.forEach(([name, row], k) => {
      const y = bars.y + 22 + k * 28;
      this.text(name === 'Z' && lines.length === 2 ? 'Z, recorded' : name === 'sum' ? 'all added up' : 'Z', strip.x - 8, y + 14, { anchor: 'end', size: 12, fill: this.colours.muted, alpha });
      this.image({ x: strip.x, y, w: strip.w, h: 20 }, 1, this.size, (_, d) => colourOf(/** @type {Values} */ (row)[d], last, false, this.colours), alpha);
    });
  }

  /** The recorded row of Z. */
  z() {
    return this.moment.arrays.z.values.subarray(this.i * this.size, (this.i + 1) * this.size);
  }

  /** The colour scale, with its ends. */
  scale() {
    const { bars } = this.at, last = this.moment.to === this.last, y = bars.y + bars.h + 22, steps = 40;
    const { about, arrays } = this.moment, look = this.look(this.moment.to);
    const values = arrays.v.values.subarray(about.columns[0] * this.size, about.columns[1] * this.size);
    const share = look.share && !last, end = last ? largest(values, values, false) : look.end;
    const shown = this.moment.t < 1 && this.moment.from !== this.moment.to ? fades(this.moment.t)[1] : 1;
    const low = share ? '0' : written(-end), high = share ? shareText(end) : written(end);
    const more = { size: 11, fill: this.colours.muted, alpha: shown };
    this.text(low, bars.x + 34, y + 9, { ...more, anchor: 'end' });
    for (let k = 0; k < steps; k++) {
      const value = share ? (k / (steps - 1)) * end : (2 * k / (steps - 1) - 1) * end;
      const colour = colourOf(value, end, share, this.colours);
      if (colour) this.rect(bars.x + 40 + (k * RAMP) / steps, y, RAMP / steps + 0.3, 10, { fill: css(colour), alpha: shown });
    }
    this.text(`${high}${last ? ' (values)' : ''}`, bars.x + 46 + RAMP, y + 9, more);
  }

  /** What makes the chosen number, beside the grid. @param {number} frame @param {number} alpha */
  beside(frame, alpha) {
    if (alpha <= 0) return;
    const start = this.shapes.length, operation = this.frames[frame].operation;
    const parts = { dot: () => this.multiplied(), unscale: () => this.divided(), mask: () => this.masked(), softmax: () => this.shared(), weighted_sum: () => this.added() };
    parts[/** @type {keyof typeof parts} */ (operation)]?.();
    for (const shape of this.shapes.slice(start)) shape.alpha = (shape.alpha ?? 1) * alpha;
  }

  /** A strip of numbers. @param {Values} values @param {number} y @param {number} h */
  strip(values, y, h) {
    const { side } = this.at, end = largest(values, values, false);
    this.image({ x: side.x, y, w: side.w, h }, 1, values.length, (_, d) => colourOf(values[d], end, false, this.colours), 1);
  }

  /** Query times key, number by number, and the running sum. */
  multiplied() {
    const { side } = this.at, { arrays } = this.moment, { muted, accent, second, ink } = this.colours;
    const q = arrays.q.values.subarray(this.i * this.size, (this.i + 1) * this.size);
    const k = arrays.k.values.subarray(this.j * this.size, (this.j + 1) * this.size);
    const each = products(q, k), sum = total(each);
    const line = { fill: muted, size: 12 };
    this.text(`query of \u201c${this.name(this.moment.query)}\u201d`, side.x, side.y + 12, line);
    this.strip(q, side.y + 18, 24);
    this.text(`\u00d7  key of \u201c${this.name(this.moment.key)}\u201d`, side.x, side.y + 62, line);
    this.strip(k, side.y + 68, 24);
    this.text(`=  ${this.size} products`, side.x, side.y + 112, line);
    const top = side.y + 120, tall = 66, end = largest(each, each, false), width = side.w / this.size;
    this.shapes.push({ kind: 'line', points: [[side.x, top + tall / 2], [side.x + side.w, top + tall / 2]], stroke: muted, line: 1 });
    each.forEach((value, d) => {
      const h = (Math.abs(value) / end) * (tall / 2);
      this.rect(side.x + d * width, value < 0 ? top + tall / 2 : top + tall / 2 - h, Math.max(width - 0.6, 0.6), h, { fill: value < 0 ? second : accent });
    });
    this.text('added up, one after the other', side.x, side.y + 208, line);
    let running = 0;
    const sums = [0, ...Array.from(each, value => (running += value))];
    const low = Math.min(...sums), high = Math.max(...sums), span = high - low || 1;
    const y = (/** @type {number} */ value) => side.y + 276 - ((value - low) / span) * 54;
    this.shapes.push({ kind: 'line', points: [[side.x, y(0)], [side.x + side.w, y(0)]], stroke: muted, line: 1, alpha: 0.6 });
    this.shapes.push({ kind: 'line', points: sums.map((value, d) => [side.x + d * width, y(value)]), stroke: accent, line: 2 });
    this.rect(side.x + side.w - 3, y(sum) - 3, 6, 6, { fill: second });
    this.text(written(sum), side.x + side.w - 8, y(sum) + (y(sum) < side.y + 236 ? 20 : -9), { anchor: 'end', size: 15, weight: 700, fill: ink });
  }

  /** Two numbers as bars on one scale. @param {[string, number, string][]} rows */
  bars(rows) {
    const { side } = this.at, end = Math.max(...rows.map(row => (Number.isFinite(row[1]) ? Math.abs(row[1]) : 0))) || 1;
    rows.forEach(([name, value, said], k) => {
      const y = side.y + 18 + k * 62;
      this.text(name, side.x, y, { fill: this.colours.muted, size: 12 });
      const w = Number.isFinite(value) && said !== 'masked' ? (Math.abs(value) / end) * (side.w - 90) : 0;
      this.rect(side.x, y + 8, w, 22, { fill: value < 0 ? this.colours.second : this.colours.accent });
      if (!w) this.blank(side.x, y + 8, 22, 22, 1);
      this.text(written(value), side.x + Math.max(w, 22) + 8, y + 25, { size: 15, weight: 700 });
    });
  }

  /** @param {string} step */
  cellOf(step) {
    return this.moment.numbers.cells[step][this.i * this.at.columns + this.j];
  }

  divided() {
    const { heat, scaled } = this.moment;
    const { about, arrays } = this.moment, all = arrays.total?.values[this.i * this.at.columns + this.j];
    const by = [...(scaled ? [rootText(about.root)] : []), ...(heat === 1 ? [] : [written(heat)])];
    this.bars([['score', this.cellOf('attention.scores'), ''], ...(all === undefined ? [] : [/** @type {[string, number, string]} */ (['with the scores of the distance', all, ''])]), [by.length ? `divided by ${by.join(' and by ')}` : 'not divided', this.cellOf('attention.scaled'), '']]);
    if (scaled) this.text(`${about.root_name} = \u221a${about.root} = ${rootText(about.root) === `\u221a${about.root}` ? written(Math.sqrt(about.root), 4) : rootText(about.root)}`, this.at.side.x, this.at.side.y + (all === undefined ? 152 : 214), { fill: this.colours.muted });
  }

  masked() {
    const hidden = this.hidden[this.i * this.at.columns + this.j];
    this.bars([['scaled score', this.cellOf('attention.scaled'), ''], [hidden ? 'masked: this key may not be seen' : 'kept', this.cellOf('attention.masked'), hidden ? 'masked' : '']]);
  }

  /** The tokens that count most in the chosen row, the chosen one among them. */
  listed() {
    const order = Array.from(this.weights.keys()).sort((a, b) => this.weights[b] - this.weights[a] || a - b);
    const found = order.slice(0, ROWS);
    return found.includes(this.moment.key) ? found : [...found.slice(0, -1), this.moment.key];
  }

  /** The powers of a row, their sum and the shares. */
  shared() {
    const { side } = this.at, { muted, accent } = this.colours, hidden = this.rowOf(this.moment.arrays.hidden.values);
    const masked = this.rowOf(this.moment.numbers.masked);
    const row = softmaxRow(masked, new Uint8Array(this.n), this.mask, 1);
    const columns = [side.x + side.w * 0.42, side.x + side.w * 0.75], head = { fill: muted, size: 12, anchor: 'end' };
    const wide = side.w > 400, small = (/** @type {number} */ share) => tight(shareText(share));
    if (wide) columns.splice(0, 2, side.x + 150, side.x + 250);
    this.text('number x', columns[0], side.y + 12, head);
    this.text(`e^(x ${row.top < 0 ? '+' : '\u2212'} ${written(Math.abs(row.top))})`, columns[1], side.y + 12, head);
    this.text('share', side.x + side.w, side.y + 12, head);
    const most = Math.max(...this.weights) || 1, left = columns[1] + 12, room = side.x + side.w - left - 58;
    const listed = this.listed();
    listed.forEach((k, r) => {
      const y = side.y + 36 + r * 25, weight = k === this.moment.key ? 700 : 400;
      this.text(this.named(k), side.x, y, { size: 13, weight, fill: weight === 700 ? accent : this.colours.ink });
      this.text(hidden[k] ? 'masked' : written(masked[k]), columns[0], y, { anchor: 'end', size: 13, weight });
      this.text(written(row.powers[k]), columns[1], y, { anchor: 'end', size: 13, weight });
      if (wide) this.rect(left, y - 11, (this.weights[k] / most) * room, 14, { fill: accent, alpha: weight === 700 ? 1 : 0.55 });
      this.text(small(this.weights[k]), side.x + side.w, y, { anchor: 'end', size: 13, weight });
    });
    const y = side.y + 44 + listed.length * 25, others = this.n - listed.length;
    this.shapes.push({ kind: 'line', points: [[side.x, y - 16], [side.x + side.w, y - 16]], stroke: muted, line: 1 });
    this.text(`sum of all ${this.n}`, side.x, y, { size: 13 });
    this.text(written(row.sum), columns[1], y, { anchor: 'end', size: 13, weight: 700 });
    this.text(shareText(total(this.weights)), side.x + side.w, y, { anchor: 'end', size: 13 });
    if (others > 0) this.text(`${others} more with smaller shares`, side.x, y + 22, { size: 12, fill: muted });
  }

  /** What the chosen token takes from each, and one number of Z made of it. */
  added() {
    const { side } = this.at, { muted, accent } = this.colours, { arrays, numbers } = this.moment;
    const sum = weightedSum(this.weights, arrays.v.values, this.size), kept = this.z();
    let d = 0;
    sum.forEach((value, k) => { if (Math.abs(value) > Math.abs(sum[d])) d = k; });
    const head = { fill: muted, size: 12, anchor: 'end' };
    const columns = [side.x + side.w * 0.5, side.x + side.w * 0.75, side.x + side.w];
    this.text(`dimension ${d}`, side.x, side.y + 12, { ...head, anchor: 'start' });
    this.text('weight', columns[0], side.y + 12, head);
    this.text('\u00d7 value', columns[1], side.y + 12, head);
    this.text('= part of Z', columns[2], side.y + 12, head);
    const listed = this.listed();
    listed.forEach((k, r) => {
      const y = side.y + 36 + r * 25, weight = k === this.moment.key ? 700 : 400, value = arrays.v.values[k * this.size + d];
      this.text(this.named(k), side.x, y, { size: 13, weight, fill: weight === 700 ? accent : this.colours.ink });
      this.text(tight(shareText(this.weights[k])), columns[0], y, { anchor: 'end', size: 13, weight });
      this.text(written(value), columns[1], y, { anchor: 'end', size: 13, weight });
      this.text(written(this.weights[k] * value), columns[2], y, { anchor: 'end', size: 13, weight });
    });
    const y = side.y + 44 + listed.length * 25, others = this.n - listed.length;
    const rest = total(Array.from(this.weights, (weight, k) => (listed.includes(k) ? 0 : weight * arrays.v.values[k * this.size + d])));
    if (others > 0) {
      this.text(`${others} more`, side.x, y - 6, { size: 13, fill: muted });
      this.text(written(rest), columns[2], y - 6, { anchor: 'end', size: 13 });
    }
    this.shapes.push({ kind: 'line', points: [[side.x, y + 2], [side.x + side.w, y + 2]], stroke: muted, line: 1 });
    this.text(`Z of \u201c${this.name(this.moment.query)}\u201d, dimension ${d}`, side.x, y + 20, { size: 13 });
    this.text(written(sum[d]), columns[2], y + 20, { anchor: 'end', size: 13, weight: 700 });
    if (numbers.recorded) {
      const said = agreementText(Math.abs(sum[d] - kept[d]), Math.abs(sum[d]));
      this.text(`recorded: ${written(kept[d])}`, side.x, y + 42, { size: 12, fill: muted });
      this.text(said ? `the same ${said}` : 'changed in this run', columns[2], y + 42, { size: 12, fill: muted, anchor: 'end' });
    }
  }
}

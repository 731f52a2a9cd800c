// @ts-check
// Where everything stands: rows, columns, layers, and small maps. Pure numbers.

/**
 * @typedef {{ x: number, w: number }} Span
 * @typedef {Span & { open: boolean }} Card
 * @typedef {{ strips: Span[], cards: Card[], guess: Span, width: number }} Layout
 * @typedef {{ width: number, rows: number, layers: number, heads: number, open: number, guesses: boolean, coarse: boolean,
 *   natural: number }} Asked
 */

export const TITLE = 28; // the height of a layer's name
export const LABELS = 86; // the height of the names of an unfolded layer's columns
const GAP = 8;
const SLIM = 22;
const COLUMN_GAP = 6;
const LEAST_THUMB = 24;
const MOST_THUMB = 46;

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/**
 * The height of a row: as tall as the window gives, high enough to be read, and to be touched.
 * @param {number} rows
 * @param {number} room
 * @param {boolean} coarse
 */
export const rowHeight = (rows, room, coarse) => clamp(Math.floor(room / rows), coarse ? 26 : 13, 38);

/** Where the columns stand when one layer is unfolded (`open` is its number), or none (-1). @param {Asked} asked @returns {Layout} */
export function layout({ width, layers, open, guesses, coarse, natural }) {
  const folded = open < 0;
  const strip = folded ? clamp(width * 0.035, 26, 52) : 16;
  const strips = [0, 1].map(i => ({ x: GAP + i * (strip + GAP), w: strip }));
  const start = 2 * (strip + GAP) + 2 * GAP;
  const end = guesses ? clamp(width * 0.12, 84, 150) : 0;
  const room = width - start - end - GAP;
  const least = coarse ? 4 * (LEAST_THUMB + 2) + 10 : 84;
  const gap = folded ? GAP : 5;
  /** @type {Card[]} */
  const cards = [];
  let x = start;
  const slim = folded ? 0 : Math.max(SLIM, coarse ? 30 : 0);
  const wide = folded
    ? clamp(room / layers - gap, least, 260)
    : Math.max(natural, Math.min(room - (layers - 1) * (slim + gap) - gap, natural * 2.2));
  for (let i = 0; i < layers; i++) {
    const w = folded ? wide : i === open ? wide : slim;
    cards.push({ x, w, open: i === open });
    x += w + gap;
  }
  const guess = { x: x + 4, w: end };
  return { strips, cards, guess, width: x + 4 + end };
}

/**
 * The small maps of a layer: how many stand side by side, and how large each is.
 * @param {number} heads
 * @param {number} width
 * @param {number} room the height there is
 */
export function thumbGrid(heads, width, room) {
  let best = { across: 1, size: 0 };
  for (let across = 1; across <= heads; across++) {
    const down = Math.ceil(heads / across);
    const size = Math.min((width - 8) / across - 2, room / down - 2, MOST_THUMB);
    if (size > best.size + 0.5) best = { across, size };
  }
  return { across: best.across, size: Math.max(4, Math.floor(best.size)) };
}

/** The same of an unfolded layer: one line of them, as long as they fit. @param {number} heads @param {number} width */
export function thumbLine(heads, width) {
  const across = Math.max(1, Math.min(heads, Math.floor((width - 8) / (LEAST_THUMB + 2))));
  return { across, size: LEAST_THUMB };
}

/** Where a small map stands within its layer. @param {number} head @param {{ across: number, size: number }} grid @param {number} width */
export function thumbAt(head, grid, width) {
  const used = grid.across * (grid.size + 2) - 2;
  return {
    x: (width - used) / 2 + (head % grid.across) * (grid.size + 2),
    y: TITLE + Math.floor(head / grid.across) * (grid.size + 2),
    size: grid.size,
  };
}

/** The parts of a folded layer from its left edge: bands, the bars of what was added, the strip of its output. @param {number} width */
export function foldedParts(width) {
  const strip = clamp(width * 0.22, 12, 46);
  const bars = width > 70 ? 11 : 0;
  const bands = Math.max(0, width - 8 - strip - bars - (bars ? 4 : 2));
  return {
    bands: { x: 4, w: bands },
    bars: { x: 4 + bands + 2, w: bars },
    strip: { x: width - 4 - strip, w: strip },
  };
}

/**
 * How wide the columns of an unfolded layer want to be; the one in focus has room to be read.
 * @param {{ pairs: number, size: number }[]} columns
 * @param {number} rows
 * @param {number} focus
 * @param {boolean} coarse
 */
export function naturalWidths(columns, rows, focus, coarse) {
  const least = coarse ? 24 : 14;
  return columns.map((c, i) => {
    if (c.pairs) return i === focus ? clamp(rows * (coarse ? 10 : 8), 104, 420) : clamp(rows * 1.9, least + 8, 70);
    return i === focus ? 80 : c.size > 1024 ? least + 8 : least;
  });
}

/** The columns of an unfolded layer within its width. @param {number[]} natural @param {number} width @returns {Span[]} */
export function columnSpans(natural, width) {
  const gap = COLUMN_GAP;
  const total = natural.reduce((a, b) => a + b, 0);
  const scale = Math.max(0.1, (width - 12 - gap * (natural.length - 1)) / total);
  let x = 6;
  return natural.map(w => {
    const span = { x, w: w * scale };
    x += span.w + gap;
    return span;
  });
}

/** What an unfolded layer needs so that every column has its natural width. @param {number[]} natural */
export const naturalTotal = natural => natural.reduce((a, b) => a + b, 0) + COLUMN_GAP * (natural.length - 1) + 12;

/**
 * How far the picture is moved to the left, kept where there is something to see.
 * @param {number} scroll
 * @param {number} world the picture's width
 * @param {number} room the window's width
 */
export const kept = (scroll, world, room) => clamp(scroll, 0, Math.max(0, world - room));

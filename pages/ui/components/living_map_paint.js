// @ts-check
// The map on a canvas: layers, strips, bands, small maps, guesses. It reads a scene and changes nothing but the canvas.
import { NONE, bandText, bandsOf, changesOf, levelText, part, wholePercent } from './living_map_data.js';
import { percent, tight } from '../../../encoder/browser/number.js';
import { TITLE, columnSpans, foldedParts, thumbAt, thumbGrid, thumbLine } from './living_map_layout.js';

/**
 * @typedef {import('./living_map_layout.js').Layout} Layout
 * @typedef {import('./living_map_layout.js').Span} Span
 * @typedef {import('./living_map_data.js').Unpacked} Unpacked
 * @typedef {{ ink: string, muted: string, accent: string, second: string, border: string, surface: string, page: string,
 *   font: string, dark: boolean, more: string, less: string, signed: Uint32Array, share: Uint32Array }} Colours
 * @typedef {{ columns: any[], natural: number[], arrays: Unpacked['arrays'] | null, scales: number[], layer: number }} Detail
 * @typedef {{ run: Unpacked, detail: Detail, layout: Layout, scroll: number, left: number,
 *   head: number, layer: number, rowHeight: number, top: number, tall: number, foot: number, width: number, focus: number,
 *   colours: Colours, bands: 'strongest' | 'mean' | 'head' | 'flow', least: number, words: boolean, way: 'from' | 'to',
 *   mark: { column: number, layer: number, row: number, cell: number } | null, lit: ({ layer: number } & import('./living_map_data.js').Band)[], images: WeakMap<ArrayBufferLike, Map<string, HTMLCanvasElement>>,
 *   found: { choice: string, layers: import('./living_map_data.js').Band[][] } }} Scene
 */

/** A level as an offset into its palette; shares by their square root, so that small ones are seen. @param {number} level @param {boolean} share */
export const paletteIndex = (level, share) => (share ? Math.round(254 * Math.sqrt(Math.min(level, 200) / 200)) : level);

/**
 * The colour of every level as the four bytes of a pixel; what is no finite number stays clear.
 * @param {Uint8Array} palette 3 bytes a colour
 * @param {boolean} share
 */
export function inksOf(palette, share) {
  const found = new Uint8Array(4 * 256);
  for (let level = 0; level < NONE; level++) {
    const at = 3 * paletteIndex(level, share);
    found.set([...palette.subarray(at, at + 3), 255], 4 * level);
  }
  return new Uint32Array(found.buffer);
}

/**
 * Levels as an image of one pixel a cell, made once for each array and theme: one image of many rows costs less than many small ones.
 * @param {Scene} scene
 * @param {import('./living_map_data.js').Numbers} levels
 * @param {number} rows
 * @param {number} cells
 * @param {boolean} share
 */
function imageOf(scene, levels, rows, cells, share) {
  const key = `${levels.byteOffset}:${levels.length}:${share}:${scene.colours.dark}`;
  const all = scene.images.get(levels.buffer) || new Map();
  scene.images.set(levels.buffer, all);
  if (all.has(key)) return all.get(key);
  const canvas = document.createElement('canvas');
  canvas.width = cells;
  canvas.height = rows;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const image = context.createImageData(cells, rows);
  const inks = share ? scene.colours.share : scene.colours.signed;
  const pixels = new Uint32Array(image.data.buffer);
  for (let p = 0; p < pixels.length; p++) pixels[p] = inks[levels[p]];
  context.putImageData(image, 0, 0);
  all.set(key, canvas);
  return canvas;
}

/** @param {Scene} s @param {number} x */
export const toX = (s, x) => s.left + x - s.scroll;
/** @param {Scene} s @param {number} row */
export const toY = (s, row) => s.top + row * s.rowHeight;

/** Which tokens are drawn as looking and looked at. @param {Scene} s */
function wanted(s) {
  const { special, every } = s.run.about;
  if (!s.words || every > 1) return () => true;
  return (/** @type {number} */ query, /** @type {number} */ key) => !special[query] && !special[key];
}

/** The bands of a layer as they are drawn now, looked for once for each choice. @param {Scene} s @param {number} layer */
export function bandsOfLayer(s, layer) {
  const choice = [s.bands, s.bands === 'head' && s.head, s.least, s.words].join();
  if (s.found.choice !== choice) s.found = { choice, layers: [] };
  return (s.found.layers[layer] ||= bandsNow(s, layer));
}

/** @param {Scene} s @param {number} layer */
function bandsNow(s, layer) {
  const { rows, heads, difference, band_scale } = s.run.about;
  let levels = part(s.run.arrays[s.bands] || s.run.arrays.strongest, layer);
  const thumbs = s.run.arrays.thumbs;
  if (s.bands === 'head' && thumbs.shape[2] === rows) levels = part(thumbs, layer, Math.min(s.head, heads - 1));
  return difference ? changesOf(levels, rows, s.least, wanted(s), band_scale) : bandsOf(levels, rows, s.least, wanted(s));
}

/** What was changed in a part of a layer: "off", "changed" or "". @param {any} about @param {string} prefix @param {number} [head] */
export function changeOf(about, prefix, head) {
  let said = '';
  for (const change of about.changed) {
    const here = change.step.startsWith(prefix);
    if (!here || (head !== undefined && change.heads.length && !change.heads.includes(head))) continue;
    if (head === undefined && change.heads.length && change.heads.length < about.heads) { said = said || 'changed'; continue; }
    said = change.off && !change.positions.length ? 'off' : said || 'changed';
  }
  return said;
}

/** The whole picture, all rows alike. @param {CanvasRenderingContext2D} c @param {Scene} s */
export function paintAll(c, s) {
  c.imageSmoothingEnabled = false;
  frames(c, s);
  c.save();
  c.beginPath();
  c.rect(s.left, s.top, s.width - s.left, s.tall);
  c.clip();
  rowsOf(c, s, -1);
  c.restore();
  thumbs(c, s);
}

/**
 * One row over the dimmed picture: its line, its strips and bars, and its bands through all layers.
 * @param {CanvasRenderingContext2D} c
 * @param {Scene} s
 * @param {number} row
 */
export function paintRow(c, s, row) {
  c.imageSmoothingEnabled = false;
  c.save();
  c.beginPath();
  c.rect(0, s.top, s.width, s.tall);
  c.clip();
  c.globalAlpha = s.colours.dark ? 0.2 : 0.11;
  c.fillStyle = s.colours.accent;
  c.fillRect(0, toY(s, row), s.width, s.rowHeight);
  c.globalAlpha = 1;
  c.beginPath();
  c.rect(s.left, s.top, s.width - s.left, s.tall);
  c.clip();
  rowsOf(c, s, row);
  c.restore();
}

/** The boxes of the layers. @param {CanvasRenderingContext2D} c @param {Scene} s */
function frames(c, s) {
  c.save();
  c.beginPath();
  c.rect(s.left, 0, s.width - s.left, s.top + s.tall + s.foot);
  c.clip();
  s.layout.cards.forEach((card, i) => {
    const { open } = card;
    c.beginPath();
    c.roundRect(toX(s, card.x) + 0.5, 0.5, card.w - 1, s.top + s.tall + 5, 8);
    c.globalAlpha = s.colours.dark ? 0.55 : 0.6;
    c.fillStyle = s.colours.surface;
    c.fill();
    c.globalAlpha = 1;
    const off = changeOf(s.run.about, `layers.${i}.`);
    c.setLineDash(off ? [5, 4] : []);
    c.lineWidth = open ? 2 : 1;
    c.strokeStyle = off ? s.colours.second : open ? s.colours.accent : s.colours.border;
    c.stroke();
    c.setLineDash([]);
  });
  c.restore();
}

/** Every row, or one in full colour. @param {CanvasRenderingContext2D} c @param {Scene} s @param {number} only */
function rowsOf(c, s, only) {
  const { about, arrays } = s.run;
  const list = only < 0 ? Array.from({ length: about.rows }, (_, i) => i) : [only];
  stream(c, s, list, only >= 0);
  s.layout.strips.forEach((span, i) => strip(c, s, i, span, list));
  s.layout.cards.forEach((card, layer) => {
    if (toX(s, card.x + card.w) < s.left || toX(s, card.x) > s.width) return;
    if (card.open) {
      unfolded(c, s, layer, card, list);
    } else {
      const parts = foldedParts(card.w);
      if (parts.bands.w > 6) bands(c, s, layer, card.x + parts.bands.x, parts.bands.w, only);
      strip(c, s, 2 + layer, { x: card.x + parts.strip.x, w: parts.strip.w }, list);
      if (parts.bars.w) bars(c, s, layer, card.x + parts.bars.x, list);
    }
    c.globalAlpha = 1;
  });
  if (about.guesses.length) guesses(c, s, list, only >= 0);
}

/** The residual stream: a line through each row. @param {CanvasRenderingContext2D} c @param {Scene} s @param {number[]} list @param {boolean} lit */
function stream(c, s, list, lit) {
  const { n, every } = s.run.about;
  const [attention, feed] = [s.run.arrays.attention.values, s.run.arrays.feed_forward.values];
  c.strokeStyle = lit ? s.colours.accent : s.colours.muted;
  const from = toX(s, s.layout.strips[0].x);
  for (const row of list) {
    const y = toY(s, row + 0.5);
    c.globalAlpha = lit ? 0.5 : 0.16;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(from, y);
    c.lineTo(toX(s, s.layout.guess.x), y);
    c.stroke();
    const last = Math.min(row * every, n - 1);
    s.layout.cards.forEach((card, layer) => { // thick where what stood there is most of the vector
      const kept = 1 / (1 + attention[layer * n + last] + feed[layer * n + last]);
      c.lineWidth = 0.5 + 3.5 * kept;
      c.beginPath();
      c.moveTo(toX(s, card.x), y);
      c.lineTo(toX(s, card.x + card.w), y);
      c.stroke();
    });
  }
  c.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} c @param {Scene} s @param {number} index @param {Span} span @param {number[]} list */
function strip(c, s, index, span, list) {
  const { values, shape: [count, rows, wide] } = s.run.arrays.strips;
  const cells = s.run.about.widths[index];
  const image = imageOf(s, values, count * rows, wide, false);
  const x = toX(s, span.x);
  const tall = s.rowHeight;
  const inset = Math.min(tall * 0.2, 6);
  for (const row of list) {
    c.fillStyle = s.colours.page;
    c.fillRect(x, toY(s, row) + inset, span.w, tall - 2 * inset);
    c.drawImage(image, 0, index * rows + row, cells, 1, x, toY(s, row) + inset, span.w, tall - 2 * inset);
  }
}

/** What attention (first bar) and feed-forward (second) add. @param {CanvasRenderingContext2D} c @param {Scene} s @param {number} layer @param {number} x @param {number[]} list */
function bars(c, s, layer, x, list) {
  const { n, every } = s.run.about;
  const most = s.rowHeight - 6;
  [['attention', s.colours.accent], ['feed_forward', s.colours.second]].forEach(([name, colour], i) => {
    const off = changeOf(s.run.about, `layers.${layer}.${name}.output`) === 'off';
    c.fillStyle = c.strokeStyle = colour;
    for (const row of list) {
      const value = s.run.arrays[name].values[layer * n + Math.min(row * every, n - 1)];
      const tall = Math.max(1, Math.min(1, value / 1.5) * most);
      const y = toY(s, row) + s.rowHeight - 3;
      if (off) { c.lineWidth = 1; c.strokeRect(toX(s, x) + i * 5, y - most, 4, most); continue; }
      c.fillRect(toX(s, x) + i * 5, y - tall, 4, tall);
    }
  });
}

/** @param {CanvasRenderingContext2D} c @param {Scene} s @param {number} layer @param {number} x @param {number} w @param {number} only */
function bands(c, s, layer, x, w, only) {
  const lit = only >= 0;
  const from = toX(s, x);
  const to = toX(s, x + w);
  const middle = (from + to) / 2;
  const alpha = c.globalAlpha;
  const off = changeOf(s.run.about, `layers.${layer}.attention.`) === 'off';
  c.lineCap = 'butt';
  c.strokeStyle = lit ? s.colours.accent : s.colours.muted;
  c.setLineDash(off ? [3, 3] : []);
  const chosen = bandsOfLayer(s, layer).filter(b => !lit || (s.way === 'from' ? b.query : b.key) === only);
  if (lit) s.lit.push(...chosen.map(b => ({ layer, ...b })));
  for (const { query, key, level, less } of chosen) {
    if (s.run.about.difference) { // red is more, as in the cells, and blue less; that is dashed, too
      c.strokeStyle = less ? s.colours.less : s.colours.more;
      c.setLineDash(less ? [4, 3] : []);
    }
    const a = toY(s, key + 0.5);
    const b = toY(s, query + 0.5);
    c.globalAlpha = alpha * (lit ? 0.8 : 0.1 + (0.25 * level) / 200);
    c.lineWidth = Math.max(0.7, (level / 200) * s.rowHeight * 0.5);
    c.beginPath();
    c.moveTo(from, a);
    c.bezierCurveTo(middle, a, middle, b, to, b);
    c.stroke();
  }
  c.setLineDash([]);
  if (lit && w > 40) {
    c.font = `600 ${Math.min(11, s.rowHeight * 0.6)}px ${s.colours.font}`;
    c.textAlign = s.way === 'from' ? 'left' : 'right';
    c.textBaseline = 'middle';
    for (const band of chosen) {
      const { query, key, level } = band;
      if (wholePercent(level) < Math.max(10, s.least)) continue;
      const text = tight(bandText(band, s.run.about)).replace(/\s+points?$/, '');
      const y = toY(s, (s.way === 'from' ? key : query) + 0.5) - Math.max(8, (level / 200) * s.rowHeight * 0.25 + 6);
      c.globalAlpha = alpha;
      c.lineWidth = 3;
      c.lineJoin = 'round';
      c.strokeStyle = s.colours.page;
      c.strokeText(text, s.way === 'from' ? from + 1 : to - 1, y);
      c.fillStyle = s.colours.ink;
      c.fillText(text, s.way === 'from' ? from + 1 : to - 1, y);
    }
  }
  c.globalAlpha = alpha;
}

/** @param {CanvasRenderingContext2D} c @param {Scene} s @param {number} layer @param {import('./living_map_layout.js').Card} card @param {number[]} list */
function unfolded(c, s, layer, card, list) {
  const { detail } = s;
  const at = detail.layer === layer ? detail.arrays : null;
  const tall = s.rowHeight;
  columnSpans(detail.natural, card.w).forEach((span, i) => {
    const column = detail.columns[i];
    const share = Boolean(column.share) && !s.run.about.difference;
    const x = toX(s, card.x + span.x);
    const w = span.w;
    const rows = s.run.about.rows;
    let levels = at && (column.heads ? part(at[i], s.head) : at[i].values);
    const small = s.run.arrays.thumbs;
    if (!levels && column.share && s.run.about.band_scale === 1 && small.shape[2] === rows) levels = part(small, layer, s.head);
    const inset = column.pairs ? Math.min(1, tall * 0.05) : Math.min(tall * 0.2, 6);
    for (const row of list) {
      c.fillStyle = levels ? s.colours.page : s.colours.border;
      c.fillRect(x, toY(s, row) + inset, w, tall - 2 * inset);
      if (!levels) continue;
      const wide = levels.length / rows;
      c.drawImage(imageOf(s, levels, rows, wide, share), 0, row, wide, 1, x, toY(s, row) + inset, w, tall - 2 * inset);
      if (share && w / wide > 17 && tall > 14) cellTexts(c, s, levels, row, wide, x, w);
    }
  });
}

/** Percents in the cells of a matrix that are large enough. @param {CanvasRenderingContext2D} c @param {Scene} s @param {import('./living_map_data.js').Numbers} levels @param {number} row @param {number} wide @param {number} x @param {number} w */
function cellTexts(c, s, levels, row, wide, x, w) {
  c.font = `${Math.min(11, w / wide / 1.9)}px ${s.colours.font}`;
  c.textAlign = 'center';
  c.textBaseline = 'middle';
  for (let j = 0; j < wide; j++) {
    const level = levels[row * wide + j];
    if (level === NONE || !wholePercent(level)) continue;
    const dark = paletteIndex(level, true) > 128;
    c.fillStyle = dark === !s.colours.dark ? '#ffffff' : '#10141c';
    c.fillText(tight(levelText(level)).replace('\u00a0%', ''), x + ((j + 0.5) * w) / wide, toY(s, row + 0.5));
  }
}

/** @param {CanvasRenderingContext2D} c @param {Scene} s @param {number[]} list @param {boolean} lit */
function guesses(c, s, list, lit) {
  const { about } = s.run;
  const x = toX(s, s.layout.guess.x);
  const room = s.layout.guess.w;
  const alpha = c.globalAlpha;
  c.textBaseline = 'middle';
  c.textAlign = 'left';
  for (const row of list) {
    const first = row * about.every;
    const masked = about.masked.includes(first);
    const lines = about.guesses[first].slice(0, masked && s.rowHeight >= 30 ? 3 : 1);
    const step = s.rowHeight / lines.length;
    lines.forEach((/** @type {[string, number]} */ [word, p], /** @type {number} */ i) => {
      const y = toY(s, row) + step * (i + 0.5);
      const tall = Math.min(16, step * 0.62);
      const wide = Math.max(1, p * Math.min(room * 0.32, 44));
      c.globalAlpha = alpha * (lit || masked ? 1 : 0.5);
      c.fillStyle = lit || masked ? s.colours.accent : s.colours.muted;
      c.fillRect(x, y - tall / 2, wide, tall);
      c.globalAlpha = alpha;
      c.fillStyle = lit || masked ? s.colours.ink : s.colours.muted;
      c.font = `${(lit || masked) && i === 0 ? 600 : 400} ${Math.min(12, step * 0.72)}px ${s.colours.font}`;
      const share = ` ${tight(percent(p, 1))}`;
      c.fillText(word + share, x + wide + 5, y, Math.max(10, room - wide - 5));
    });
  }
  c.globalAlpha = alpha;
}

/** Where the small maps of a layer stand now. @param {Scene} s @param {number} layer */
export function thumbPlaces(s, layer) {
  const card = s.layout.cards[layer];
  const { heads } = s.run.about;
  const w = card.w;
  const grid = card.open ? thumbLine(heads, w) : thumbGrid(heads, w, s.top - TITLE - 6);
  const used = card.open ? grid.across * (grid.size + 2) + 14 : w; // an unfolded layer has them at its left
  return Array.from({ length: heads }, (_, h) => thumbAt(h, grid, used));
}

/** Every head's small map. @param {CanvasRenderingContext2D} c @param {Scene} s */
function thumbs(c, s) {
  const { about, arrays } = s.run;
  const side = arrays.thumbs.shape[2];
  c.save();
  c.beginPath();
  c.rect(s.left, 0, s.width - s.left, s.top);
  c.clip();
  s.layout.cards.forEach((card, layer) => {
    if (card.w < 56 || toX(s, card.x + card.w) < s.left || toX(s, card.x) > s.width) return;
    const image = imageOf(s, part(arrays.thumbs, layer), about.heads * side, side, !about.difference);
    thumbPlaces(s, layer).forEach((place, head) => {
      const x = toX(s, card.x) + place.x;
      c.imageSmoothingEnabled = side > place.size;
      c.drawImage(image, 0, head * side, side, side, x, place.y, place.size, place.size);
      c.imageSmoothingEnabled = false;
      const said = changeOf(about, `layers.${layer}.attention.`, head);
      const chosen = layer === s.layer && head === s.head;
      c.lineWidth = chosen ? 2 : 1;
      c.strokeStyle = said ? s.colours.second : chosen ? s.colours.accent : s.colours.border;
      c.strokeRect(x + 0.5, place.y + 0.5, place.size - 1, place.size - 1);
      if (said === 'off') {
        c.globalAlpha = 0.8;
        c.fillStyle = s.colours.page;
        c.fillRect(x + 1, place.y + 1, place.size - 2, place.size - 2);
        c.globalAlpha = 1;
        c.lineWidth = 1.5;
        c.beginPath();
        c.moveTo(x + 2, place.y + place.size - 2);
        c.lineTo(x + place.size - 2, place.y + 2);
        c.stroke();
      } else if (said) {
        c.fillStyle = s.colours.second;
        c.beginPath();
        c.arc(x + place.size - 4, place.y + 4, 3, 0, 7);
        c.fill();
      }
    });
  });
  c.restore();
}

/**
 * The frame around a cell, and the lines of its row and column.
 * @param {CanvasRenderingContext2D} c
 * @param {Scene} s
 * @param {{ x: number, w: number, cells: number, row: number, cell: number, pairs: boolean }} at
 * @param {string} colour
 */
export function paintCell(c, s, at, colour) {
  const tall = s.rowHeight;
  const inset = at.pairs ? 0 : Math.min(tall * 0.2, 6);
  const w = (at.w) / at.cells;
  const x = toX(s, at.x) + at.cell * w;
  c.save();
  c.beginPath();
  c.rect(s.left, s.top, s.width - s.left, s.tall);
  c.clip();
  c.strokeStyle = colour;
  if (at.pairs) {
    c.globalAlpha = 0.5;
    c.lineWidth = 1;
    c.strokeRect(x, s.top, w, s.tall);
    c.globalAlpha = 1;
  }
  c.lineWidth = 2;
  c.strokeRect(x, toY(s, at.row) + inset, Math.max(3, w), tall - 2 * inset);
  c.restore();
}

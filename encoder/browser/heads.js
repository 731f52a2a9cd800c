// @ts-check
// The whole run in one picture: the map of every head, a row for each layer, and at its end the mean of its heads.
import { among } from './rows.js';
import { aim, aimTogether } from './claim.js';
import { densityOf, el, highIn, put, themeOf } from './dom.js';
import { colourOf, endsOf, gradient } from './grid.js';
import { composed, html, nothing, render as into } from './lit.js';
import { percent, tight } from './number.js';
import { row } from './packet.js';
import { apart, called, direction, looks, rowsOf } from './run.js';
import { said, set } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./grid.js').Theme} Theme */
/** The sides of a map and what parts it from the next, in pixels. @typedef {{wide: number, high: number, gap: number}} Sizes */

const LEAST = 34, MOST = 200; // pixels of a map's side
const LOW = 24; // of one that has few rows
const NAMES = 24; // what the numbers of layers take at the left
const EDGE = 8; // beside the last map, for its frame
const MEAN = 10; // of the line at the end of a row
const SCREEN = 0.75; // of the window's height for all layers
const SHADES = 1024;
const LONGEST = 8192; // pixels of a canvas' side

/** Which rows are drawn where these are not all; "" where they are. @param {Packet} run */
export function windowed({ about: { rows, tokens } }) {
  return rows.length < tokens.length ? `The sentence is too long for all rows: these are rows ${rows[0]} to ${rows[rows.length - 1]} of ${tokens.length}.` : '';
}

/**
 * How large maps are: so that all layers are on one screen, and all heads side by side where that can be.
 * @param {Packet} run @param {number} room pixels from side to side @param {number} tall pixels from the first layer to the last
 * @returns {Sizes}
 */
export function sizes({ about: { model, rows, tokens } }, room, tall) {
  const fits = Math.min(tall / model.layers, (room - NAMES - EDGE) / columnsOf(model.heads)), gap = fits > 56 ? 8 : 4;
  const wide = Math.floor(Math.max(LEAST, Math.min(MOST, fits - gap)));
  return { wide, high: Math.max(Math.min(LOW, wide), Math.round((wide * rows.length) / tokens.length)), gap };
}

/** How many stand beside each other: the heads, and of several their mean. @param {number} heads */
const columnsOf = heads => heads + Number(heads > 1);

/** The ends of the colours of all maps: as in the grid of Attention, of what heads have at most. @param {Packet} run */
export function ends(run) {
  const { layers, heads } = run.about.model, peaks = new Float32Array(layers * heads);
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) peaks[layer * heads + head] = row(run.arrays.weights, layer, head).reduce((most, share) => (share > most ? share : most), 0);
  }
  return endsOf({ values: peaks, columns: 1 }, 'share');
}

/** What draws shares as a small picture, a pixel each, of so many lines. @typedef {(shares: Float32Array, lines: number) => void} Brush */
/** @param {HTMLCanvasElement} small where it draws @param {number} n how many shares a line has @param {Theme} theme @param {{low: number, high: number}} ends @returns {Brush} */
export function brushOf(small, n, theme, ends) {
  const pen = /** @type {CanvasRenderingContext2D} */ (small.getContext('2d'));
  const shades = Uint32Array.from({ length: SHADES + 2 }, (_, i) => {
    const [r, g, b] = colourOf(i > SHADES ? NaN : ends.low + (i / SHADES) * (ends.high - ends.low), ends, 'share', theme);
    return new Uint32Array(new Uint8ClampedArray([r, g, b, 255]).buffer)[0];
  });
  return (shares, lines) => {
    if (small.width !== n || small.height !== lines) [small.width, small.height] = [n, lines];
    const image = pen.createImageData(n, lines), colours = new Uint32Array(image.data.buffer), scale = SHADES / (ends.high - ends.low || 1);
    for (let i = 0; i < colours.length; i++) {
      const shade = Math.round((shares[i] - ends.low) * scale);
      colours[i] = shades[Number.isNaN(shade) ? SHADES + 1 : Math.min(SHADES, Math.max(0, shade))];
    }
    pen.putImageData(image, 0, 0);
  };
}

/** @param {import('./say.js').Part[]} all */
const spoken = all => all.map(part => (part.name ? apart(set(part)) : part.text)).join('');

/** @param {import('./rows.js').Heard} heard @param {() => unknown} links where the chosen head can be looked at further */
export function heads(heard, links) {
  const [canvas, marks] = [0, 1].map(() => el('canvas', { class: 'enc-map-canvas', 'aria-hidden': 'true' }));
  const grid = el('div', { class: 'enc-map', role: 'grid', 'aria-label': 'The maps of all heads' });
  const element = el('section', { class: 'enc-heads', id: 'enc-heads', 'aria-labelledby': 'enc-heads-title', hidden: true });
  const keys = among(grid, 'data-head-map', heard, true);
  /** @type {Packet | null} */
  let drawn = null;
  let key = '', layered = -1, span = { low: 0, high: 1 };
  /** @type {Theme} */
  let theme = 'light';
  const small = document.createElement('canvas');
  /** @type {Word | null} */
  let asked = null;

  /** The layer whose mean is pointed at. @param {number} layer */
  const over = layer => { if (layer !== layered) { layered = layer; tell(); } };
  grid.addEventListener('pointermove', event => {
    const line = event.target instanceof Element && event.pointerType === 'mouse' && event.target.closest('[data-mean]');
    over(line ? Number(line.getAttribute('data-mean')) : -1);
  });
  grid.addEventListener('pointerleave', () => over(-1));
  /** @type {Head | null} */
  let told = null;
  function tell() {
    if (!drawn || !asked) return;
    const { layers, heads } = drawn.about.model, total = layers * heads;
    into(html`<h2 id="enc-heads-title">${total > 1 ? `All ${total} heads, layer by layer` : 'The whole head'}</h2><div class="enc-map-box">${grid}</div>
      <div class="enc-map-beside"><p class="enc-map-aim" data-aim>${layered >= 0 ? composed(aimTogether(drawn, layered, asked)) : told ? composed(aim(drawn, told, asked)) : said('choose_head')}</p><div class="enc-map-links">${links()}</div>
        <div class="enc-map-legend"><span>0 %</span><i style="background: ${gradient('share', theme)}"></i><span>${tight(percent(span.high, 1))}</span></div>
        <p class="enc-map-how">In a map rows look and columns are looked at, in the order of the sentence. The mark at its left shows the row of ${called(drawn, asked)}.${heads > 1 ? ' The line at the end of a layer is the mean of its heads, in that row.' : ''}</p>
        <p class="enc-map-how" data-window>${windowed(drawn)}</p></div>`, element);
  }

  /** Makes the elements that have the keys, and says what each is. @param {Packet} run @param {Word} word */
  function fill(run, word) {
    const all = looks(run, word), { heads } = run.about.model;
    put(grid, { 'aria-rowcount': all.length + 1, 'aria-colcount': heads + 1 });
    into(html`${canvas}${marks}<div role="row" class="enc-map-top" data-mean-of=${heads > 1 ? 'mean' : nothing}><div role="columnheader"><span class="enc-spoken">layer</span></div>${all[0].map((_, head) => html`<div role="columnheader">${head}</div>`)}</div>
      ${all.map((each, layer) => {
    const mean = heads > 1 ? spoken(aimTogether(run, layer, word)) : nothing, of = heads > 1 ? layer : nothing;
    return html`<div role="row" class="enc-map-row"><div role="rowheader" data-mean=${of} aria-label=${mean}>${layer}</div><div class="enc-map-mean" aria-hidden="true" data-mean=${of} ?hidden=${heads < 2}></div>
      ${each.map((_, head) => html`<div role="gridcell" tabindex="-1" aria-selected="false" data-head-map="${layer},${head}" aria-label=${spoken(aim(run, { layer, head }, word))}></div>`)}</div>`;
  })}`, grid);
  }

  /** A canvas as large as all maps, ready to be painted on. @param {HTMLCanvasElement} sheet @param {Sizes} laid @param {Packet} run */
  function clear(sheet, { wide, high, gap }, { about: { model } }) {
    const from = /** @type {HTMLElement} */ (grid.children[2]).offsetHeight, width = NAMES + columnsOf(model.heads) * (wide + gap), height = from + model.layers * (high + gap);
    const ratio = Math.min(densityOf(element), LONGEST / width, LONGEST / height);
    sheet.width = Math.round(width * ratio);
    sheet.height = Math.round(height * ratio);
    put(sheet, { style: `width: ${width}px; height: ${height}px` });
    return { pen: /** @type {CanvasRenderingContext2D} */ (sheet.getContext('2d')), ratio, from };
  }

  /** Paints every head's map. @param {Packet} run @param {Sizes} laid @param {Brush} brush */
  function paint(run, laid, brush) {
    const { pen, ratio, from } = clear(canvas, laid, run), { model, rows } = run.about;
    for (let layer = 0; layer < model.layers; layer++) {
      for (let head = 0; head < model.heads; head++) {
        brush(row(run.arrays.weights, layer, head), rows.length);
        stamp(pen, ratio, run, laid, NAMES + head * (laid.wide + laid.gap), from + layer * (laid.high + laid.gap), laid.high);
      }
    }
  }

  /** Paints where the asked word is in each map, and the mean of each layer. @param {Packet} run @param {Word} word @param {Sizes} laid @param {Brush} brush */
  function mark(run, word, laid, brush) {
    const { pen, ratio, from } = clear(marks, laid, run), { model, rows, tokens } = run.about, { wide, high, gap } = laid;
    const mine = rowsOf(run, word), colour = getComputedStyle(marks).color;
    if (!mine.length) return;
    for (let layer = 0; layer < model.layers; layer++) {
      const y = from + layer * (high + gap), mean = new Float32Array(tokens.length);
      for (let head = 0; head < model.heads; head++) {
        for (const i of mine) row(run.arrays.weights, layer, head, i).forEach((share, j) => { mean[j] += share / mine.length / model.heads; });
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.fillStyle = colour;
        pen.fillRect(NAMES + head * (wide + gap) - gap + 1, y + (mine[0] * high) / rows.length, gap - 2, Math.max(2, (mine.length * high) / rows.length));
      }
      if (model.heads === 1) continue;
      brush(mean, 1);
      stamp(pen, ratio, run, laid, NAMES + model.heads * (wide + gap), y + (high - MEAN) / 2, MEAN);
    }
  }

  /** Puts what the brush drew into its place; from right to left as the sentence runs. @param {CanvasRenderingContext2D} pen @param {number} ratio @param {Packet} run @param {Sizes} laid @param {number} x @param {number} y @param {number} high */
  function stamp(pen, ratio, run, { wide }, x, y, high) {
    const back = direction(run) === 'rtl' ? -1 : 1;
    pen.setTransform(ratio * back, 0, 0, ratio, ratio * (back < 0 ? x + wide : x), ratio * y);
    pen.imageSmoothingEnabled = small.width > wide * ratio || small.height > high * ratio;
    pen.drawImage(small, 0, 0, wide, high);
  }

  return {
    element,
    /** @param {Packet} run @param {Word} word @param {Head | null} chosen @param {Head | null} pointed */
    draw(run, word, chosen, pointed) {
      const { clientWidth } = element, laid = sizes(run, clientWidth, highIn(element) * SCREEN);
      theme = themeOf(getComputedStyle(element).backgroundColor);
      const now = [clientWidth, densityOf(element), theme].join(' '), anew = run !== drawn || now !== key, other = anew || word.position !== asked?.position;
      if (run !== drawn) span = ends(run);
      [drawn, key, asked, told] = [run, now, word, pointed ?? chosen];
      tell();
      if (other) {
        for (const [name, value] of Object.entries({ ...laid, names: NAMES })) grid.style.setProperty(`--${name}`, `${value}px`);
        grid.style.setProperty('--columns', String(columnsOf(run.about.model.heads)));
        fill(run, word);
        const brush = brushOf(small, run.about.tokens.length, theme, span);
        if (anew) paint(run, laid, brush);
        mark(run, word, laid, brush);
      }
      keys.show(chosen, pointed);
    },
  };
}

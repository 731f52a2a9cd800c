// @ts-check
// The whole run in one picture: the map of every head, a column for each layer, and above each column the mean of its heads.
import { among } from './among.js';
import { aim, aimTogether, licence } from './claim.js';
import { children, compose, el, put, themeOf, write } from './dom.js';
import { colourOf, endsOf, gradient } from './grid.js';
import { percent, tight, typeset } from './number.js';
import { row } from './packet.js';
import { apart, direction, words } from './run.js';
import { say } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./grid.js').Theme} Theme */
/** The sides of a map and what parts it from the next, in pixels. @typedef {{wide: number, high: number, gap: number}} Sizes */

const LEAST = 34, MOST = 200; // pixels of a map's side
const LOW = 24; // of one that has few rows
const NAMES = 24; // what the numbers of heads take at the left
const MEAN = 10; // of the line above a column
const SCREEN = 0.7; // of the window's height for the heads of a layer
const SHADES = 1024;
const LONGEST = 8192; // pixels of a canvas' side

/** The rows of the arrays that hold the asked word, counted from 0. @param {Packet} run @param {Word} word */
export const rowsOf = (run, word) => Array.from({ length: word.count }, (_, i) => run.about.rows.indexOf(word.position + i)).filter(i => i >= 0);

/** Which rows are drawn where these are not all; "" where they are. @param {Packet} run */
export function windowed({ about: { rows, tokens } }) {
  return rows.length < tokens.length ? `The sentence is too long for all rows: these are rows ${rows[0]} to ${rows[rows.length - 1]} of ${tokens.length}.` : '';
}

/**
 * How large maps are: so that all heads of a layer are on one screen, and all layers side by side where that can be.
 * @param {Packet} run @param {number} room pixels from side to side @param {number} tall pixels for a column
 * @returns {Sizes}
 */
export function sizes({ about: { model, rows, tokens } }, room, tall) {
  const fits = Math.min(tall / model.heads, (room - NAMES) / model.layers), gap = fits > 56 ? 8 : 4;
  const wide = Math.round(Math.max(LEAST, Math.min(MOST, fits - gap)));
  return { wide, high: Math.max(Math.min(LOW, wide), Math.round((wide * rows.length) / tokens.length)), gap };
}

/** The ends of the colours of all maps: as in the grid of Attention, of what heads have at most. @param {Packet} run */
export function ends(run) {
  const { layers, heads } = run.about.model, peaks = new Float32Array(layers * heads);
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) peaks[layer * heads + head] = row(run.arrays.weights, layer, head).reduce((most, share) => (share > most ? share : most), 0);
  }
  return endsOf(peaks, 'share', 1);
}

/** @param {import('./say.js').Part[]} all */
const spoken = all => typeset(all.map(part => (part.name ? apart(part.text) : part.text)).join(''));

/**
 * @param {HTMLElement} root
 * @param {import('./among.js').Heard} heard
 * @param {HTMLElement[]} links where the chosen head can be looked at further
 */
export function heads(root, heard, links) {
  const canvas = el('canvas', { class: 'enc-map-canvas', 'aria-hidden': 'true' });
  const top = el('div', { role: 'row', class: 'enc-map-top' }), grid = el('div', { class: 'enc-map', role: 'grid', 'aria-label': 'The maps of all heads' }, canvas, top);
  const box = el('div', { class: 'enc-map-box' }, grid);
  const aimed = el('p', { class: 'enc-map-aim', 'data-aim': '' }), known = el('p', { class: 'enc-map-known' });
  const low = el('span'), bar = el('i'), high = el('span');
  const how = el('p', { class: 'enc-map-how' }), part = el('p', { class: 'enc-map-how', 'data-window': '' });
  const beside = el('div', { class: 'enc-map-beside' }, aimed, known, el('div', { class: 'enc-map-links' }, ...links), el('div', { class: 'enc-map-legend' }, low, bar, high), how, part);
  root.append(box, beside);
  const keys = among(grid, 'data-head-map', heard);
  /** @type {Packet | null} */
  let drawn = null;
  let key = '', layered = -1;
  /** @type {Word | null} */
  let asked = null;

  /** The layer whose mean is pointed at. @param {number} layer */
  const over = layer => { if (layer !== layered) { layered = layer; tell(); } };
  top.onpointermove = event => { if (event.pointerType === 'mouse') over([...top.children].indexOf(/** @type {Element} */ (event.target)) - 1); };
  top.onpointerleave = () => over(-1);
  /** @type {Head} */
  let told = { layer: 0, head: 0 };
  function tell() {
    if (!drawn || !asked) return;
    compose(aimed, layered < 0 ? aim(drawn, told, asked) : aimTogether(drawn, layered, asked));
    const { main } = licence(drawn, told);
    write(known, layered < 0 ? typeset(main.map(one => say(one.key, one.args)).join(' ')) : '');
  }

  /** Makes the elements that have the keys, and says what each is. @param {Packet} run @param {Word} word */
  function fill(run, word) {
    const { layers, heads } = run.about.model;
    put(grid, { 'aria-rowcount': heads + 1, 'aria-colcount': layers + 1 });
    children(top, layers + 1, i => el('div', { role: 'columnheader', ...(i ? {} : { 'aria-label': 'head' }) }));
    for (let layer = 0; layer < layers; layer++) {
      write(top.children[layer + 1], String(layer));
      put(top.children[layer + 1], { 'aria-label': spoken(aimTogether(run, layer, word)) });
    }
    while (grid.children.length > heads + 2) grid.lastElementChild?.remove();
    while (grid.children.length < heads + 2) grid.append(el('div', { role: 'row', class: 'enc-map-row' }));
    for (let head = 0; head < heads; head++) {
      const line = grid.children[head + 2];
      children(line, layers + 1, i => (i ? el('div', { role: 'gridcell', tabindex: '-1', 'aria-selected': 'false' }) : el('div', { role: 'rowheader' }))).forEach((cell, i) => {
        if (i) put(cell, { 'data-head-map': `${i - 1},${head}`, 'aria-label': spoken(aim(run, { layer: i - 1, head }, word)) });
        else write(cell, String(head));
      });
    }
  }

  /** @param {Packet} run @param {Word} word @param {Sizes} laid @param {Theme} theme @param {{low: number, high: number}} ends */
  function paint(run, word, { wide, high, gap }, theme, ends) {
    const pen = canvas.getContext('2d'), { model, rows, tokens } = run.about, n = tokens.length;
    const width = NAMES + model.layers * (wide + gap), from = top.offsetHeight, height = from + model.heads * (high + gap);
    const ratio = Math.min(devicePixelRatio || 1, LONGEST / width, LONGEST / height);
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    put(canvas, { style: `width: ${width}px; height: ${height}px` });
    const small = document.createElement('canvas'), own = small.getContext('2d');
    if (!pen || !own) return;
    const back = direction(run) === 'rtl' ? -1 : 1, mine = rowsOf(run, word);
    const shades = Uint32Array.from({ length: SHADES + 2 }, (_, i) => {
      const [r, g, b] = colourOf(i > SHADES ? NaN : ends.low + (i / SHADES) * (ends.high - ends.low), ends, 'share', theme);
      return new Uint32Array(new Uint8ClampedArray([r, g, b, 255]).buffer)[0];
    });
    /** Draws shares as a picture of so many lines. @param {ArrayLike<number>} shares @param {number} lines @param {number} x @param {number} y @param {number} tall */
    const draw = (shares, lines, x, y, tall) => {
      if (small.width !== n || small.height !== lines) { small.width = n; small.height = lines; }
      const image = own.createImageData(n, lines), colours = new Uint32Array(image.data.buffer);
      for (let i = 0; i < colours.length; i++) {
        const share = (shares[i] - ends.low) / (ends.high - ends.low || 1);
        colours[i] = shades[Number.isNaN(share) ? SHADES + 1 : Math.round(SHADES * Math.min(1, Math.max(0, share)))];
      }
      own.putImageData(image, 0, 0);
      pen.setTransform(ratio * back, 0, 0, ratio, ratio * (back < 0 ? x + wide : x), ratio * y);
      pen.imageSmoothingEnabled = n > wide * ratio || lines > tall * ratio;
      pen.drawImage(small, 0, 0, wide, tall);
    };
    const mark = getComputedStyle(canvas).color;
    for (let layer = 0; layer < model.layers; layer++) {
      const x = NAMES + layer * (wide + gap), mean = new Float32Array(n);
      for (let head = 0; head < model.heads; head++) {
        const shares = row(run.arrays.weights, layer, head), y = from + head * (high + gap);
        draw(shares, rows.length, x, y, high);
        for (const i of mine) for (let j = 0; j < n; j++) mean[j] += shares[i * n + j] / mine.length / model.heads;
        if (!mine.length) continue;
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.fillStyle = mark;
        const tall = Math.max(2, (mine.length * high) / rows.length), line = y + (mine[0] * high) / rows.length;
        pen.fillRect(x - 3, line, 3, tall);
        pen.fillRect(x + wide, line, 3, tall);
      }
      if (model.heads > 1 && mine.length) draw(mean, 1, x, from - MEAN - 4, MEAN);
    }
  }

  return {
    /** @param {Packet} run @param {Word} word @param {Head} chosen @param {Head | null} pointed */
    draw(run, word, chosen, pointed) {
      const { model } = run.about, laid = sizes(run, root.clientWidth, innerHeight * SCREEN);
      const theme = themeOf(getComputedStyle(root).getPropertyValue('background-color')), now = [word.position, root.clientWidth, devicePixelRatio, theme].join(' ');
      if (run !== drawn || now !== key) {
        [drawn, key, asked] = [run, now, word];
        for (const [name, value] of Object.entries({ ...laid, names: NAMES })) grid.style.setProperty(`--${name}`, `${value}px`);
        grid.style.setProperty('--layers', String(model.layers));
        const found = ends(run);
        fill(run, word);
        paint(run, word, laid, theme, found);
        write(low, '0 %');
        write(high, tight(percent(found.high, 1)));
        bar.style.background = gradient('share', theme);
        const from = word.gap ? 'the gap' : `“${apart(word.name)}”`;
        write(how, `In a map a row is where from, a column where to, in the order of the sentence. The marks at its sides show the row of ${from}.${model.heads > 1 ? ' The line above a column is the mean of its heads, in that row.' : ''}`);
        write(part, windowed(run));
      }
      keys.show(chosen, pointed);
      told = pointed ?? chosen;
      tell();
    },
  };
}

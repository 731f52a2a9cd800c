// @ts-check
// The map of one head, large, with the words at its sides: a row for each token that looks, a column for each that is looked at.
import { AS_IS, el, placeIn, put } from './dom.js';
import { brushOf } from './heads.js';
import { html, nothing, render as into, svg } from './lit.js';
import { percent, tight } from './number.js';
import { row } from './packet.js';
import { words } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */

const LEFT = 74, TOP = 62, BARE = 8; // pixels for names at the left and above, and of a side without any
const HIGH = [120, 216], ROW = 24, LINE = 13, WHOLE = 8; // pixels of all rows at least and at most, of one at most, from a name to the next, and of rows that are as high as whole pixels
const LETTERS = 9; // of a name

/** @param {string} name */
const short = name => (name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name);

/** @param {(position: number) => void} choose hears of the word whose row is pressed */
export function largeMap(choose) {
  const canvas = el('canvas', { 'aria-hidden': 'true' }), marks = el('div', { ...AS_IS, 'aria-hidden': 'true' }), said = el('div', { ...AS_IS, class: 'hd-read', 'aria-hidden': 'true' });
  const sheet = el('div', { class: 'hd-large', role: 'img' }, canvas, marks), element = el('div', { class: 'hd-chosen' }, sheet, said);
  const small = document.createElement('canvas');
  /** What is drawn, and where. @type {{run: Packet, layer: number, head: number, left: number, top: number, wide: number, high: number, names: string[]} | null} */
  let laid = null;

  /** The cell under a pointer: a row and a column. @param {PointerEvent | MouseEvent} event */
  function under(event) {
    if (!laid) return null;
    const { x, y } = placeIn(event, sheet), { run: { about: { tokens, rows } }, left, top, wide, high } = laid;
    const i = Math.floor((y - top) / high), j = Math.floor((x - left) / wide);
    return i >= 0 && i < rows.length && j >= 0 && j < tokens.length ? { i, j } : null;
  }
  sheet.onpointermove = event => {
    const at = under(event);
    if (!laid || !at) { said.textContent = ''; return; }
    const { run, layer, head, names } = laid;
    said.textContent = `${names[run.about.rows[at.i]]} → ${names[at.j]}: ${tight(percent(row(run.arrays.weights, layer, head, run.about.rows[at.i])[at.j], 1))}`;
  };
  sheet.onpointerleave = () => { said.textContent = ''; };
  sheet.onclick = event => {
    const at = under(event), position = laid && at ? laid.run.about.rows[at.i] : -1, word = laid && words(laid.run).find(one => position >= one.position && position < one.position + one.count);
    if (word) choose(word.position);
  };

  return {
    element,
    /** @param {Packet} run @param {import('./claim.js').Head} place @param {import('./run.js').Word | undefined} word whose row is framed @param {import('./grid.js').Theme} theme @param {{low: number, high: number}} span the ends of the colours @param {number} [tall] pixels that there are for it */
    draw(run, { layer, head }, word, theme, span, tall = Infinity) {
      const { tokens, rows } = run.about, n = tokens.length, [left, top] = [LEFT, TOP], room = sheet.clientWidth - left - BARE;
      if (room <= 0) return;
      const step = Math.max(HIGH[0], Math.min(HIGH[1], tall - top)) / rows.length, high = Math.min(ROW, step < WHOLE ? step : Math.floor(step)), wide = Math.min(room / n, high * 2), each = Math.max(1, Math.ceil(LINE / Math.min(high, wide))), names = [...tokens];
      for (const one of words(run)) if (!one.gap && one.count === 1) names[one.position] = one.name;
      for (const one of words(run)) if (one.gap) names[one.position] = 'gap';
      laid = { run, layer, head, left, top, wide, high, names };
      const ratio = Math.min(devicePixelRatio || 1, 2), [across, down] = [wide * n, high * rows.length], pen = canvas.getContext('2d');
      [canvas.width, canvas.height] = [across * ratio, down * ratio].map(Math.round);
      put(canvas, { style: `left: ${left}px; top: ${top}px; width: ${across}px; height: ${down}px` });
      put(sheet, { style: `height: ${top + down + 4}px`, 'aria-label': `The map of head ${head} of layer ${layer}: a row for each word that looks, a column for each that is looked at` });
      brushOf(small, n, theme, span)(row(run.arrays.weights, layer, head), rows.length);
      if (pen) {
        pen.imageSmoothingEnabled = small.width > canvas.width || small.height > canvas.height;
        pen.drawImage(small, 0, 0, canvas.width, canvas.height);
      }
      const x = (/** @type {number} */ j) => left + wide * (j + 0.5), y = (/** @type {number} */ i) => top + high * (i + 0.5), mine = word ? rows.map((position, i) => (position >= word.position && position < word.position + word.count ? i : -1)).filter(i => i >= 0) : [];
      /** Whether a token has its name: all, or every so many; the framed ones push out those beside them. @param {number} i @param {number[]} first */
      const named = (i, first) => first.includes(i) || (i % each === 0 && !first.some(one => Math.abs(one - i) < each));
      into(html`<svg width=${sheet.clientWidth} height=${top + down + 4}>${rows.map((position, i) => (named(i, mine.slice(0, 1)) ? svg`<text x=${left - 6} y=${y(i)} text-anchor="end" dominant-baseline="central" class=${mine.includes(i) ? 'is-mine' : nothing}>${short(names[position])}</text>` : nothing))}${names.map((name, j) => (named(j, []) ? svg`<text transform="translate(${x(j)} ${top - 6}) rotate(-90)" dominant-baseline="central">${short(name)}</text>` : nothing))}
        ${mine.length ? svg`<rect x=${left - 1} y=${top + high * mine[0] - 1} width=${across + 2} height=${high * mine.length + 2}></rect>` : nothing}</svg>`, marks);
    },
  };
}

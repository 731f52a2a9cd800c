// @ts-check
// One map at several moments: a slider and a play button that move it in the browser alone, with what is said at each moment.
import { bytes, cellUnder, moved, pixels } from './cells.js';
import { el } from '../../../encoder/browser/dom.js';
import { percent, typeset } from '../../../encoder/browser/number.js';

/** @typedef {import('./cells.js').Cell} Cell */
/** @typedef {{ title: string, cells: string, answers: [string, number][] }} Moment */
/**
 * @typedef {object} PlayerData
 * @property {Moment[]} moments
 * @property {number} rows
 * @property {number} every how many tokens share a cell
 * @property {string[]} names
 * @property {string} palette
 * @property {string} label
 * @property {number} start
 */
/** @typedef {ReturnType<typeof build>} Parts */
/** @typedef {HTMLElement & { parts?: Parts, start?: number, at?: number, cell?: Cell | null, timer?: number }} Root */

const PAUSE = 900; // milliseconds at each moment
const MOST_NAMED = 20; // tokens that are written beside the map

/**
 * What is read at a cell: who looks at whom, and how much, from a level of 0 to 254.
 * @param {string[]} names
 * @param {number} every
 * @param {Cell} at
 * @param {number} level
 */
export const reading = (names, every, at, level) =>
  `${names[at[0] * every]} \u2192 ${names[at[1] * every]}: \u2248 ${(level / 254).toFixed(2)}`;

/** @param {Element} root */
function build(root) {
  const button = el('button', { class: 'play' }), slider = el('input', { class: 'slider', type: 'range', min: 0 });
  const step = el('output', { class: 'step' }), bar = el('div', { class: 'bar' }, button, slider, step);
  const left = el('div', { class: 'left' }), canvas = el('canvas', { class: 'map', tabindex: 0, role: 'img' });
  const below = el('div', { class: 'below' }), plate = el('div', { class: 'plate' }, left, canvas, below);
  const answers = el('ol', { class: 'answers' }), cell = el('output', { class: 'cell' });
  root.append(bar, el('div', { class: 'view' }, plate, answers, cell));
  return { bar, button, slider, step, plate, left, canvas, below, cell, answers };
}

/** @param {ComponentArguments<PlayerData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {Root} */ (parentElement.querySelector('.player'));
  const { moments, rows, every, names, palette, label, start } = data;
  const parts = (root.parts ||= build(root));
  const colours = bytes(palette);
  const last = moments.length - 1;
  if (root.start !== start) root.at = root.start = start;
  let now = Math.min(root.at ?? start, last);

  for (const box of [parts.left, parts.below]) box.replaceChildren(...(names.length <= MOST_NAMED ? names : []).map(name => el('span', {}, name)));
  parts.slider.max = String(last);
  parts.slider.setAttribute('aria-label', 'Moment of training');
  parts.canvas.width = parts.canvas.height = rows;

  /** @param {Cell | null} at */
  const read = at => {
    root.cell = at;
    parts.cell.textContent = at ? reading(names, every, at, bytes(moments[now].cells)[at[0] * rows + at[1]]) : '';
  };
  /** @param {number} index */
  const show = index => {
    root.at = now = index;
    const moment = moments[index];
    parts.slider.value = String(index);
    parts.step.textContent = moment.title;
    parts.slider.setAttribute('aria-valuetext', moment.title);
    parts.canvas.setAttribute('aria-label', label + ', ' + moment.title);
    const image = new ImageData(pixels([...bytes(moment.cells)], colours), rows, rows);
    parts.canvas.getContext('2d')?.putImageData(image, 0, 0);
    parts.answers.replaceChildren(...moment.answers.map(([word, share]) => (
      el('li', {}, el('i', { style: `width: ${100 * share}%` }), `${word} ${typeset(percent(share))}`))));
    read(root.cell || null);
  };
  /** @param {boolean} on */
  const play = on => {
    window.clearInterval(root.timer);
    root.timer = on ? window.setInterval(() => {
      if (!root.isConnected || now >= last) return play(false);
      show(now + 1);
    }, PAUSE) : 0;
    parts.button.textContent = on ? '\u275a\u275a Pause' : '\u25b6 Play';
    parts.button.setAttribute('aria-pressed', String(on));
  };
  parts.button.onclick = () => {
    if (!root.timer && now >= last) show(0);
    play(!root.timer);
  };
  parts.slider.oninput = () => { play(false); show(Number(parts.slider.value)); };
  parts.bar.onkeydown = event => event.stopPropagation(); // arrow keys walk the pages elsewhere
  parts.canvas.onmousemove = event =>
    read(cellUnder(event.clientX, event.clientY, parts.canvas.getBoundingClientRect(), rows, rows));
  parts.canvas.onmouseleave = parts.canvas.onblur = () => read(null);
  parts.canvas.onkeydown = event => {
    const next = moved(root.cell || [0, 0], event.key, rows, rows);
    if (!next) return;
    read(next);
    event.preventDefault();
    event.stopPropagation();
  };
  show(now);
  play(Boolean(root.timer));
}

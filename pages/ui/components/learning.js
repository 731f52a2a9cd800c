// @ts-check
// A run of training, moment by moment: played, paused and stepped in the browser alone. A live run grows while it is shown.
import { bytes, pixels } from './cells.js';
import { el } from '../../../encoder/browser/dom.js';
import { percent } from '../../../encoder/browser/number.js';

/** @typedef {{ step: number, loss: number, exact: number, distance: number[][], heads: string[], said: string[], right: (boolean | null)[] }} Moment */
/**
 * @typedef {object} LearningData
 * @property {Moment[]} moments
 * @property {number} last the last step of the run
 * @property {boolean} live
 * @property {string[]} signs what the maps' rows and columns stand for
 * @property {string[]} wanted the right answers
 * @property {string} pattern
 * @property {string} palette
 */
/** @typedef {HTMLElement & { at?: number, timer?: number, follows?: boolean, given?: LearningData, run?: string }} Root */

const PAUSE = 350; // milliseconds at each moment
const WIDE = 320, HIGH = 170, LEFT = 34, LOW = 150; // of the curves

/** The head that is nearest to the known pattern: its number, counted through all layers, and its distance. @param {number[][]} distance */
export function nearest(distance) {
  const all = distance.flat();
  const far = Math.min(...all);
  return { head: all.indexOf(far), far };
}

/**
 * A curve as the path of an SVG: values between 0 and `most` over steps between 0 and `last`.
 * @param {number[]} steps
 * @param {number[]} values
 * @param {number} last
 * @param {number} most
 */
export function path(steps, values, last, most) {
  const points = steps.map((step, i) => {
    const x = LEFT + (step / last) * (WIDE - LEFT), y = LOW - (Math.min(values[i], most) / most) * (LOW - 10);
    return x.toFixed(1) + ' ' + y.toFixed(1);
  });
  return points.length ? 'M' + points.join('L') : '';
}

/** What a moment comes to, in words. @param {Moment} moment @param {number} heads of a layer */
export function told(moment, heads) {
  const { head, far } = nearest(moment.distance);
  const where = 'layer ' + Math.floor(head / heads) + ', head ' + (head % heads);
  return 'Step ' + moment.step + ': ' + percent(moment.exact) + ' of the held-out inputs are all right; ' + where + ' is '
    + far.toFixed(2) + ' from the known pattern.';
}

/**
 * A map on a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {string} cells
 * @param {number} rows
 * @param {Uint8Array} colours
 * @param {string} label
 */
function paint(canvas, cells, rows, colours, label) {
  canvas.width = canvas.height = rows;
  canvas.setAttribute('aria-label', label);
  canvas.getContext('2d')?.putImageData(new ImageData(pixels([...bytes(cells)], colours), rows, rows), 0, 0);
}

/** A tile for a map. @param {string[]} signs @param {string} name */
function tile(signs, name) {
  const caption = el('figcaption'), canvas = el('canvas', { role: 'img' });
  const below = el('div', { class: 'signs' }, ...signs.map(sign => el('span', {}, sign.length > 1 ? '·' : sign)));
  return { figure: el('figure', { class: name }, caption, canvas, below), caption, canvas };
}

/** @param {ComponentArguments<LearningData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {Root} */ (parentElement.querySelector('.learning'));
  const { moments, last, live, signs, wanted, pattern, palette } = data;
  const end = moments.length - 1, rows = signs.length, colours = bytes(palette);
  const heads = moments[0].distance[0].length;
  const run = JSON.stringify([signs, last, moments[0]]);
  if (root.run !== run) {
    window.clearInterval(root.timer);
    root.timer = 0;
    root.run = run;
    root.at = 0;
    root.follows = live;
    if (!live) root.timer = -1; // a recorded run plays at once
  }
  const focused = /** @type {ShadowRoot | Document} */ (root.getRootNode()).activeElement?.className;
  const play = el('button', { class: 'play' }), slider = el('input', {
    class: 'slider', type: 'range', min: 0, max: end, 'aria-label': 'Moment of training',
  });
  const back = el('button', { class: 'back', 'aria-label': 'One moment back' }, '‹');
  const on = el('button', { class: 'on', 'aria-label': 'One moment on' }, '›'), count = el('output', { class: 'step' });
  const bar = el('div', { class: 'bar' }, play, back, on, slider, count), said = el('p', { class: 'said' });
  const known = tile(signs, 'known'), drawn = moments[0].heads.map(() => tile(signs, 'head'));
  known.caption.textContent = 'The known pattern';
  paint(known.canvas, pattern, rows, colours, 'The known pattern: rows look, columns are looked at');
  const curves = el('div', { class: 'curves' });
  const most = Math.max(...moments.map(one => one.loss), 0.1), steps = moments.map(one => one.step);
  const lines = {
    exact: path(steps, moments.map(one => one.exact), last, 1),
    distance: path(steps, moments.map(one => nearest(one.distance).far), last, 1),
    loss: path(steps, moments.map(one => one.loss), last, most),
  };
  curves.innerHTML = `<svg viewBox="0 0 ${WIDE} ${HIGH}" role="img"><path class="frame" d="M${LEFT} 10V${LOW}H${WIDE}"/>
    <text x="${LEFT - 6}" y="14" text-anchor="end">1</text><text x="${LEFT - 6}" y="${LOW}" text-anchor="end">0</text>
    <text x="${LEFT}" y="${HIGH - 4}">step 0</text><text x="${WIDE}" y="${HIGH - 4}" text-anchor="end">${Number(last)}</text>
    ${Object.entries(lines).map(([name, d]) => `<path class="${name}" d="${d}"/>`).join('')}<path class="now"/></svg>`;
  curves.querySelector('svg')?.setAttribute('aria-label', 'Exact match, distance and loss by training step');
  const keyed = Object.keys(lines).map(name => /** @type {const} */ ([name, el('span')]));
  curves.append(el('ul', { class: 'key' }, ...keyed.map(([name, item]) => el('li', { class: name }, el('i'), item))));
  const rowsOf = [['Input', signs.slice(1, -1)], ['Right', wanted], ['Says', wanted]];
  const cells = rowsOf.map(([, all]) => [.../** @type {string[]} */ (all)].map(sign => el('td', {}, sign)));
  const table = el('table', {}, ...rowsOf.map(([title], i) => el('tr', {}, el('th', { scope: 'row' }, String(title)), ...cells[i])));
  const tiles = el('div', { class: 'tiles' }, ...[known, ...drawn].map(one => one.figure));
  root.replaceChildren(bar, said, el('div', { class: 'view' }, tiles, curves, el('div', { class: 'scroll' }, table)));

  /** @param {number} index */
  const show = index => {
    root.at = index;
    const moment = moments[index], near = nearest(moment.distance);
    slider.value = String(index);
    count.textContent = 'step ' + moment.step + ' of ' + last;
    slider.setAttribute('aria-valuetext', count.textContent);
    said.textContent = told(moment, heads);
    drawn.forEach(({ figure, caption, canvas }, i) => {
      const name = 'Layer ' + Math.floor(i / heads) + ', head ' + (i % heads);
      figure.className = i === near.head ? 'head nearest' : 'head';
      caption.textContent = name + ' · ' + moment.distance.flat()[i].toFixed(2);
      paint(canvas, moment.heads[i], rows, colours, name + ' at step ' + moment.step);
    });
    const x = LEFT + (moment.step / last) * (WIDE - LEFT);
    curves.querySelector('.now')?.setAttribute('d', 'M' + x + ' 10V' + LOW);
    const now = { exact: 'exact match ' + percent(moment.exact), distance: 'distance ' + near.far.toFixed(2),
      loss: 'loss ' + moment.loss.toFixed(3) + ' (of ' + most.toFixed(1) + ')' };
    keyed.forEach(([name, item]) => {
      item.textContent = now[/** @type {keyof typeof now} */ (name)];
    });
    cells[2].forEach((cell, i) => {
      cell.textContent = moment.right[i] === null ? '' : moment.said[i];
      cell.className = moment.right[i] === null ? '' : moment.right[i] ? 'right' : 'wrong';
    });
    back.disabled = index === 0;
    on.disabled = index === end;
  };
  /** @param {boolean} going */
  const move = going => {
    window.clearInterval(root.timer);
    root.timer = going ? window.setInterval(() => {
      if (!root.isConnected || (root.at ?? 0) >= end) return move(false);
      show((root.at ?? 0) + 1);
    }, PAUSE) : 0;
    play.textContent = going || root.follows ? '\u275a\u275a Pause' : '\u25b6 Play';
    play.setAttribute('aria-pressed', String(going || Boolean(root.follows)));
  };
  /** @param {number} index */
  const go = index => { root.follows = false; move(false); show(Math.max(0, Math.min(end, index))); };
  play.onclick = () => {
    if (root.follows) return go(root.at ?? 0);
    if (live) { root.follows = true; move(false); return show(end); }
    const going = Boolean(root.timer);
    if (!going && (root.at ?? 0) >= end) show(0);
    move(!going);
  };
  back.onclick = () => go((root.at ?? 0) - 1);
  on.onclick = () => go((root.at ?? 0) + 1);
  slider.oninput = () => go(Number(slider.value));
  bar.onkeydown = event => event.stopPropagation(); // arrow keys walk the pages elsewhere
  if (!live && root.follows) root.follows = false;
  show(live && root.follows ? end : Math.min(root.at ?? 0, end));
  move(Boolean(root.timer));
  if (focused) /** @type {HTMLElement | null} */ (bar.querySelector('.' + focused))?.focus();
}

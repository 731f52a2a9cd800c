// @ts-check
// A run of training, moment by moment: played, paused and stepped in the browser alone. A live run grows while it is shown.
import { bytes, pixels } from './cells.js';
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

/**
 * The head that is nearest to the known pattern: its number, counted through all layers, and its distance.
 * @param {number[][]} distance
 */
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

/**
 * What a moment comes to, in words.
 * @param {Moment} moment
 * @param {number} heads of a layer
 */
export function told(moment, heads) {
  const { head, far } = nearest(moment.distance);
  const where = 'layer ' + Math.floor(head / heads) + ', head ' + (head % heads);
  return 'Step ' + moment.step + ': ' + percent(moment.exact) + ' of the held-out inputs are all right; ' + where + ' is '
    + far.toFixed(2) + ' from the known pattern.';
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Element} parent
 * @param {string} [className]
 * @param {string} [text]
 */
function make(tag, parent, className = '', text = '') {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
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
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', label);
  canvas.getContext('2d')?.putImageData(new ImageData(pixels([...bytes(cells)], colours), rows, rows), 0, 0);
}

/**
 * A tile for a map.
 * @param {Element} parent
 * @param {string[]} signs
 * @param {string} className
 */
function tile(parent, signs, className) {
  const figure = make('figure', parent, className);
  const caption = make('figcaption', figure), canvas = make('canvas', figure), below = make('div', figure, 'signs');
  signs.forEach(sign => make('span', below, '', sign.length > 1 ? '·' : sign));
  return { figure, caption, canvas };
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
  root.replaceChildren();
  const bar = make('div', root, 'bar');
  const play = make('button', bar, 'play'), back = make('button', bar, 'back', '‹'), on = make('button', bar, 'on', '›');
  const slider = make('input', bar, 'slider'), count = make('output', bar, 'step');
  back.setAttribute('aria-label', 'One moment back');
  on.setAttribute('aria-label', 'One moment on');
  slider.type = 'range';
  slider.min = '0';
  slider.max = String(end);
  slider.setAttribute('aria-label', 'Moment of training');
  const said = make('p', root, 'said');
  const view = make('div', root, 'view');
  const tiles = make('div', view, 'tiles');
  const known = tile(tiles, signs, 'known');
  known.caption.textContent = 'The known pattern';
  paint(known.canvas, pattern, rows, colours, 'The known pattern: rows look, columns are looked at');
  const drawn = moments[0].heads.map(() => tile(tiles, signs, 'head'));
  const curves = make('div', view, 'curves');
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
  const names = make('ul', curves, 'key');
  const keyed = Object.keys(lines).map(name => {
    const item = make('li', names, name);
    make('i', item);
    return [name, make('span', item)];
  });
  const table = make('table', make('div', view, 'scroll'));
  const cells = [['Input', signs.slice(1, -1)], ['Right', wanted], ['Says', wanted]].map(([title, all]) => {
    const line = make('tr', table);
    make('th', line, '', String(title)).scope = 'row';
    return [.../** @type {string[]} */ (all)].map(sign => make('td', line, '', sign));
  });

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
      /** @type {HTMLElement} */ (item).textContent = now[/** @type {keyof typeof now} */ (name)];
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

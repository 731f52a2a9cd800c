// @ts-check
// Where a head looks from a word of a sentence, at the moment of training that the film shows: arcs that move with it.
import { arcs } from '../../../encoder/browser/arcs.js';
import { el, svg, write } from '../../../encoder/browser/dom.js';
import { percent, typeset } from '../../../encoder/browser/number.js';
import { bytes } from './cells.js';
import { hearMoment, momentNow, steps1000 } from './film_draw.js';

/**
 * @typedef {object} ArcsData
 * @property {number[]} steps
 * @property {string[]} words
 * @property {string} weights [moments, words, words] of 16 bits, the low ones first
 * @property {number[][]} parked what rests on tokens that are no words, by moment and word
 * @property {number} from
 * @property {[number, number] | null} gold
 * @property {string} who
 * @property {number} start
 */
/** @typedef {HTMLElement & { end?: () => void, from?: number, of?: string, sizes?: ResizeObserver }} ArcsRoot */

const ROOM = 92, BELOW = 62; // pixels for arcs above the words, and for what stands below them
const SAID = 3; // words whose shares are said

/**
 * The shares of a moment and a word, from 0 to 1.
 * @param {Uint8Array} packed
 * @param {number} moment
 * @param {number} from
 * @param {number} m how many words
 */
export function sharesOf(packed, moment, from, m) {
  const start = (moment * m + from) * m;
  return Array.from({ length: m }, (_, i) => (packed[2 * (start + i)] + 256 * packed[2 * (start + i) + 1]) / 65535);
}

/**
 * Where a head looks from a word, in words: the largest shares, and what rests on no word.
 * @param {string} who
 * @param {string[]} words
 * @param {number} from
 * @param {number[]} shares
 * @param {number} parked
 * @param {number} step
 */
export function saidOf(who, words, from, shares, parked, step) {
  const order = words.map((_, i) => i).filter(i => i !== from).sort((a, b) => shares[b] - shares[a]).slice(0, SAID);
  const most = order.map(i => `“${words[i]}” ${percent(shares[i])}`).join(', ');
  return `At step ${steps1000(step)} ${who} looks from “${words[from]}” at ${most}; ${percent(shares[from])} stay on it, `
    + `${percent(parked)} rest on tokens that are no words.`;
}

/** @param {ComponentArguments<ArcsData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {ArcsRoot} */ (parentElement.querySelector('.film'));
  const { steps, words, weights, parked, from, gold, who, start } = data;
  const packed = bytes(weights), m = words.length, of = JSON.stringify([words, from, who]);
  if (root.of !== of) root.from = from;
  root.of = of;
  let now = momentNow(start, steps.length);
  const focused = root.contains(/** @type {Node} */ (/** @type {ShadowRoot | Document} */ (root.getRootNode()).activeElement));
  const said = el('p', { class: 'said', 'aria-live': 'polite' });
  const picture = svg('svg', { class: 'arcs', 'aria-hidden': 'true' });
  const line = el('div', { class: 'words', role: 'group', dir: 'auto', 'aria-label': 'Words: tap one to see where it looks from there' });
  const stage = el('div', { class: 'stage' }, line, picture);
  const buttons = words.map((word, i) => el('button', { class: 'word', type: 'button', 'data-word': i, onclick: () => ask(i), onkeydown: walk }, word));
  const shown = words.map(() => el('span', { class: 'share' }));
  line.append(...buttons.map((button, i) => el('span', { class: 'place' }, button, shown[i])));
  root.replaceChildren(stage, said);

  const draw = () => {
    const asked = root.from ?? from, shares = sharesOf(packed, now, asked, m);
    const boxes = buttons.map(one => ({ x: one.offsetLeft, y: one.offsetTop, w: one.offsetWidth, h: one.offsetHeight }));
    const wide = line.offsetWidth, high = line.offsetHeight;
    picture.setAttribute('width', String(wide));
    picture.setAttribute('height', String(high));
    const drawn = arcs({ boxes, from: asked, shares, way: 'across', room: ROOM - 12, thickest: 12 });
    const paths = new Map([...picture.querySelectorAll('path[data-to]')].map(one => [one.getAttribute('data-to'), one]));
    for (const { to, path, width, most } of drawn) {
      const one = paths.get(String(to)) ?? picture.appendChild(svg('path', { 'data-to': to }));
      paths.delete(String(to));
      one.setAttribute('d', path);
      one.setAttribute('class', most ? 'arc most' : 'arc');
      /** @type {SVGElement} */ (one).style.strokeWidth = width.toFixed(2);
    }
    paths.forEach(one => one.remove());
    picture.querySelectorAll('.gold, text').forEach(one => one.remove());
    if (gold && gold[0] === asked) {
      const [a, b] = gold.map(i => boxes[i].x + boxes[i].w / 2), y = boxes[asked].y + boxes[asked].h + 22, low = y + 26;
      picture.append(svg('path', { class: 'gold', d: `M${a} ${y}C${a} ${low} ${b} ${low} ${b} ${y}` }),
        svg('path', { class: 'gold tip', d: `M${b - 5} ${y + 7}L${b} ${y - 2}L${b + 5} ${y + 7}` }));
    }
    buttons.forEach((one, i) => {
      one.classList.toggle('asked', i === asked);
      one.classList.toggle('goal', Boolean(gold && gold[0] === asked && gold[1] === i));
      one.setAttribute('aria-pressed', String(i === asked));
      one.tabIndex = i === asked ? 0 : -1;
      write(shown[i], i !== asked && shares[i] >= 0.05 ? typeset(percent(shares[i], 1)) : '\u00a0');
    });
    write(said, typeset(saidOf(who, words, asked, shares, parked[now][asked], steps[now])));
  };
  /** @param {number} i */
  const ask = i => {
    root.from = i;
    draw();
    setTriggerValue('word', i);
  };
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.currentTarget));
    const ways = getComputedStyle(line).direction === 'rtl' ? -1 : 1;
    const to = { ArrowRight: at + ways, ArrowLeft: at - ways, Home: 0, End: m - 1 }[event.key];
    if (to === undefined) return;
    buttons[Math.max(0, Math.min(m - 1, to))].focus();
    event.preventDefault();
    event.stopPropagation(); // arrow keys walk the pages elsewhere
  }
  root.sizes?.disconnect();
  root.sizes = new ResizeObserver(draw);
  root.sizes.observe(line);
  root.end?.();
  root.end = hearMoment(({ at, playing }) => {
    now = at;
    said.setAttribute('aria-live', playing ? 'off' : 'polite');
    draw();
  });
  draw();
  stage.scrollLeft = buttons[root.from ?? from].offsetLeft - stage.clientWidth * 0.7; // of a long line the word that is asked is in sight
  if (focused) buttons[root.from ?? from]?.focus();
  return () => root.end?.();
}

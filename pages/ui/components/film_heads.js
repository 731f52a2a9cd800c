// @ts-check
// Every head of a model over its training as a small curve of its own, beside the best simple rule.
import { el, svg } from '../../../encoder/browser/dom.js';
import { percent, typeset } from '../../../encoder/browser/number.js';
import { filmLine, hearMoment, momentNow, shareAt, stepAt, steps1000 } from './film_draw.js';

/**
 * @typedef {object} HeadsData
 * @property {number[]} steps
 * @property {string[]} names
 * @property {number[][]} shares by head and moment
 * @property {number} rule
 * @property {number[]} best the number of the best head at each moment
 * @property {number} heads of a layer
 * @property {number} start
 */
/** @typedef {HTMLElement & { end?: () => void }} HeadsRoot */

const WIDE = 150, HIGH = 74;
const FRAME = { left: 6, right: WIDE - 6, top: 6, low: HIGH - 6 };

/** @param {ComponentArguments<HeadsData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HeadsRoot} */ (parentElement.querySelector('.film'));
  const { steps, names, shares, rule, best, heads, start } = data;
  const last = steps.length - 1, end = best[last];
  const tiles = names.map((name, i) => {
    const picture = svg('svg', { viewBox: `0 0 ${WIDE} ${HIGH}`, role: 'img', 'aria-label': `${name}: ${shares[i].map(share => percent(share, 1)).join(', ')}` });
    picture.append(svg('path', { class: 'rule', d: `M${FRAME.left} ${shareAt(rule, FRAME)}H${FRAME.right}` }), svg('line', { class: 'now', y1: FRAME.top, y2: FRAME.low }),
      svg('path', { class: 'line', d: filmLine(steps, shares[i], FRAME) }));
    best.forEach((head, k) => {
      if (head === i) picture.append(svg('circle', { class: 'dot', r: 3.5, cx: stepAt(steps[k], steps[last], FRAME).toFixed(1), cy: shareAt(shares[i][k], FRAME).toFixed(1) }));
    });
    const value = el('span', { class: 'value' });
    return { value, picture, tile: el('figure', { class: i === end ? 'end' : '' }, el('figcaption', {}, `${name} `, value), picture) };
  });
  const grid = el('div', { class: 'tiles', style: `--heads: ${heads}` }, ...tiles.map(one => one.tile));
  root.replaceChildren(grid);
  /** @param {number} now */
  const place = now => {
    const x = stepAt(steps[now], steps[last], FRAME).toFixed(1);
    tiles.forEach(({ value, picture, tile }, i) => {
      value.textContent = typeset(percent(shares[i][now], 1)) + (i === best[now] ? `, best at step ${steps1000(steps[now])}` : '');
      tile.classList.toggle('best', i === best[now]);
      picture.querySelector('.now')?.setAttribute('x1', x);
      picture.querySelector('.now')?.setAttribute('x2', x);
    });
  };
  root.end?.();
  root.end = hearMoment(({ at }) => place(at));
  place(momentNow(start, steps.length));
  return () => root.end?.();
}

// @ts-check
// What a model guesses at a gap at each moment of its training, and how likely two forms of a verb are.
import { el, svg, write } from '../../../encoder/browser/dom.js';
import { percent, typeset } from '../../../encoder/browser/number.js';
import { filmLine, hearMoment, momentNow, shareAt, stepAt, steps1000 } from './film_draw.js';

/** @typedef {{ name: string, shares: number[] }} FormCurve */
/**
 * @typedef {object} GuessData
 * @property {number[]} steps
 * @property {string} sentence
 * @property {[string, number][][]} guesses by moment, the likeliest first
 * @property {FormCurve[]} forms
 * @property {number} start
 * @property {string} label
 */
/** @typedef {HTMLElement & { end?: () => void, sizes?: ResizeObserver }} GuessRoot */

const HIGH = 96;

/** @param {ComponentArguments<GuessData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {GuessRoot} */ (parentElement.querySelector('.film'));
  const { steps, sentence, guesses, forms, start, label } = data;
  const last = steps.length - 1, most = Math.max(...forms.flatMap(form => form.shares), 0.01);
  let now = momentNow(start, steps.length);
  const rows = steps.map((step, i) => el('tr', {}, el('th', { scope: 'row' }, steps1000(step)),
    ...guesses[i].slice(0, 3).map(([word, share]) => el('td', {}, word + ' ', el('small', {}, share < 0.01 ? '' : typeset(percent(share, 1)))))));
  const table = el('table', {}, el('caption', {}, sentence),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'step'), el('th', { scope: 'col', colspan: '3' }, 'first guesses then'))), el('tbody', {}, ...rows));
  const chart = el('div', { class: 'forms' });
  root.replaceChildren(el('div', { class: 'title' }, 'What it guesses then'), table, chart);
  let frame = { left: 8, right: 200, top: 16, low: HIGH - 10 };

  const place = () => {
    rows.forEach((row, i) => {
      row.classList.toggle('here', i === now);
      if (i === now) row.setAttribute('aria-current', 'step');
      else row.removeAttribute('aria-current');
    });
    const x = stepAt(steps[now], steps[last], frame).toFixed(1);
    chart.querySelector('.now')?.setAttribute('x1', x);
    chart.querySelector('.now')?.setAttribute('x2', x);
    chart.querySelectorAll('.name').forEach((one, i) => write(one, typeset(`${forms[i].name} ${percent(forms[i].shares[now], 1)}`)));
  };
  const draw = () => {
    const wide = Math.max(200, root.clientWidth);
    frame = { left: 8, right: wide - 96, top: 14, low: HIGH - 12 };
    const picture = svg('svg', { width: wide, height: HIGH, viewBox: `0 0 ${wide} ${HIGH}`, role: 'img', 'aria-label': label });
    picture.append(svg('line', { class: 'grid', x1: frame.left, x2: frame.right, y1: frame.low, y2: frame.low }),
      svg('line', { class: 'now', y1: 4, y2: frame.low }));
    const ends = forms.map(form => shareAt(form.shares[last], frame, most));
    forms.forEach((form, i) => {
      picture.append(svg('path', { class: `line form${i}`, d: filmLine(steps, form.shares, frame, most) }));
      steps.forEach((step, k) => picture.append(svg('circle', { class: `dot form${i}`, cx: stepAt(step, steps[last], frame).toFixed(1), cy: shareAt(form.shares[k], frame, most).toFixed(1), r: 2.5 })));
      const apart = Math.abs(ends[0] - ends[1]) < 18 ? (ends[i] === Math.min(...ends) ? -5 : 12) : 4;
      picture.append(svg('text', { class: `name form${i}`, x: frame.right + 10, y: ends[i] + apart }));
    });
    chart.replaceChildren(picture);
    place();
  };
  root.sizes?.disconnect();
  root.sizes = new ResizeObserver(draw);
  root.sizes.observe(root);
  root.end?.();
  root.end = hearMoment(({ at }) => {
    now = at;
    place();
  });
  draw();
  return () => root.end?.();
}

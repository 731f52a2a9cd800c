// @ts-check
// The film of a training: what heads get right at each moment, played, dragged and stepped in the browser alone.
import { el, svg, write } from '../../../encoder/browser/dom.js';
import { percent, typeset } from '../../../encoder/browser/number.js';
import { filmLine, forgetMoment, keyed, momentAt, momentNow, shareAt, spread, stepAt, steps1000, tellMoment } from './film_draw.js';

/** @typedef {{ title: string, shares: number[], rule: number }} FilmCurve */
/**
 * @typedef {object} FilmData
 * @property {number[]} steps
 * @property {FilmCurve[]} curves
 * @property {number} chosen
 * @property {string} rule what the best simple rule of the chosen curve is called
 * @property {{ name: string, share: number }} fixed the best fixed distance of that curve, in words, and its share
 * @property {number[]} near from how many it looks at that distance; empty where that was not counted
 * @property {[number, number][]} intervals of the chosen curve
 * @property {{ title: string, steps: number[], shares: number[] } | null} beside another training, where one is shown
 * @property {string} film what is filmed: where it changes the film begins anew
 * @property {number} start
 * @property {string} label
 */
/** @typedef {ReturnType<typeof build>} FilmParts */
/** @typedef {HTMLElement & { parts?: FilmParts, timer?: number, of?: string, sizes?: ResizeObserver }} FilmRoot */

const PAUSE = 900; // milliseconds at each moment
const HALF = 10; // pixels beside the last moment that still are it
const NARROW = 560; // pixels below which the names of curves stand above them

/** @param {Element} root */
function build(root) {
  const chart = el('div', { class: 'chart', role: 'slider', tabindex: '0', 'aria-label': 'Moment of training' });
  const play = el('button', { class: 'play', type: 'button' }), walk = el('button', { class: 'walk', type: 'button' });
  const step = el('output', { class: 'step' }), names = el('ul', { class: 'names' });
  root.append(names, chart, el('div', { class: 'bar' }, play, step, walk));
  return { chart, play, walk, step, names };
}

/** @param {ComponentArguments<FilmData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {FilmRoot} */ (parentElement.querySelector('.film'));
  const { steps, curves, chosen, rule, fixed, near, intervals, beside, film, start, label } = data;
  const parts = (root.parts ||= build(root));
  const last = steps.length - 1, own = curves[chosen], end = Math.max(steps[last], ...(beside?.steps ?? []));
  if (root.of !== undefined && root.of !== film) forgetMoment();
  root.of = film;
  let now = momentNow(start, steps.length), frame = { left: 46, right: 300, top: 14, low: 240 };
  const order = [...curves.keys()].filter(i => i !== chosen).concat(chosen); // the chosen one above the others

  const draw = () => {
    const wide = Math.max(260, root.clientWidth), narrow = wide < NARROW, high = narrow ? 230 : 292;
    frame = { left: 46, right: wide - (narrow ? 14 : 196), top: 14, low: high - 44 };
    const x = (/** @type {number} */ step) => stepAt(step, end, frame).toFixed(1);
    const picture = svg('svg', { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': label });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      const y = shareAt(share, frame).toFixed(1);
      picture.append(svg('line', { class: 'grid', x1: frame.left, x2: frame.right, y1: y, y2: y }),
        text('tick', frame.left - 8, Number(y) + 4, typeset(percent(share)), 'end'));
    }
    let free = -1; // where the last number below the axis ends
    for (const step of steps) {
      const at = Number(x(step)), half = 4 * steps1000(step).length;
      if (at - half <= free) continue;
      free = at + half + 4;
      picture.append(text('tick', at, frame.low + 18, steps1000(step), 'middle'));
    }
    picture.append(text('tick', (frame.left + frame.right) / 2, frame.low + 36, 'training steps', 'middle'));
    for (const i of order) {
      const { shares, rule: best } = curves[i], kind = i === chosen ? `chosen tone${i}` : `tone${i}`, y = shareAt(best, frame);
      picture.append(svg('path', { class: `rule ${kind}`, d: `M${frame.left} ${y.toFixed(1)}H${frame.right}` }),
        svg('path', { class: `line ${kind}`, d: filmLine(steps, shares, frame, 1, end) }));
      steps.forEach((step, k) => picture.append(svg('circle', { class: `dot ${kind}`, cx: x(step), cy: shareAt(shares[k], frame).toFixed(1), r: i === chosen ? 4.5 : 2.5 })));
    }
    if (near.length) picture.append(svg('path', { class: `near tone${chosen}`, d: filmLine(steps, near, frame, 1, end) }));
    intervals.forEach(([low, high], k) => picture.append(
      svg('path', { class: `interval tone${chosen}`, d: `M${x(steps[k])} ${shareAt(low, frame).toFixed(1)}V${shareAt(high, frame).toFixed(1)}` })));
    if (beside) {
      const { title, steps: other, shares } = beside, at = other.length - 1;
      picture.append(svg('path', { class: 'line beside', d: filmLine(other, shares, frame, 1, end) }));
      other.forEach((step, k) => picture.append(svg('circle', { class: 'dot beside', cx: x(step), cy: shareAt(shares[k], frame).toFixed(1), r: 3.5 })));
      picture.append(text('name beside', Number(x(other[at])) - 6, shareAt(shares[at], frame) - 10, title, 'end'));
    }
    const low = shareAt(fixed.share, frame);
    if (fixed.name !== rule) picture.append(
      svg('path', { class: `rule chosen tone${chosen}`, d: `M${frame.left} ${low.toFixed(1)}H${frame.right}` }),
      text(`note tone${chosen}`, frame.left + 8, low - 7, typeset(`“${fixed.name}”: ${percent(fixed.share)}`), 'start'));
    picture.append(text(`note tone${chosen}`, frame.left + 8, shareAt(own.rule, frame) + 15, typeset(`best simple rule: ${percent(own.rule)}`), 'start'));
    const ends = curves.map(one => one.shares[last]).concat(near.slice(last)), heights = spread(ends.map(share => shareAt(share, frame)), 18);
    if (near.length && !narrow) {
      picture.append(text(`note tone${chosen}`, frame.right + 12, heights[curves.length] + 4, `looks ${fixed.name} at all`, 'start'));
    }
    if (!narrow) curves.forEach((one, i) => {
      const name = text(i === chosen ? `name chosen tone${i}` : `name tone${i}`, frame.right + 12, heights[i] + 4, one.title, 'start');
      name.dataset.curve = String(i);
      picture.append(name);
    });
    parts.names.replaceChildren(...(narrow ? curves.map((one, i) => el('li', { class: `name tone${i}`, 'data-curve': String(i) }, one.title)) : []));
    picture.append(svg('line', { class: 'now', y1: frame.top - 8, y2: frame.low }), svg('circle', { class: 'handle', cy: frame.top - 4, r: 8 }));
    parts.chart.replaceChildren(picture);
    place();
  };

  /** @param {string} kind @param {number} x @param {number} y @param {string} words @param {string} anchor */
  const text = (kind, x, y, words, anchor) => {
    const made = svg('text', { class: kind, x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor });
    made.textContent = words;
    return made;
  };

  /** Draws where the moment is. */
  const place = () => {
    const x = stepAt(steps[now], end, frame).toFixed(1), share = percent(own.shares[now]);
    parts.chart.querySelector('.now')?.setAttribute('x1', x);
    parts.chart.querySelector('.now')?.setAttribute('x2', x);
    parts.chart.querySelector('.handle')?.setAttribute('cx', x);
    for (const [name, value] of Object.entries({ min: 0, max: last, now })) parts.chart.setAttribute(`aria-value${name}`, String(value));
    parts.chart.setAttribute('aria-valuetext', `step ${steps1000(steps[now])}: ${share}`);
    write(parts.step, typeset(`step ${steps1000(steps[now])}: ${share}`));
    write(parts.walk, `Walk the network of step ${steps1000(steps[now])}`);
  };

  /** @param {number} at */
  const show = at => {
    now = at;
    place();
    tellMoment(at, Boolean(root.timer));
  };
  /** @param {boolean} on */
  const play = on => {
    window.clearInterval(root.timer);
    root.timer = on ? window.setInterval(() => {
      if (!root.isConnected || now >= last) return play(false);
      show(now + 1);
    }, PAUSE) : 0;
    write(parts.play, on ? '\u275a\u275a Pause' : '\u25b6 Play');
    parts.play.setAttribute('aria-pressed', String(on));
    if (!on) tellMoment(now, false);
  };
  /** @param {PointerEvent} event */
  const dragged = event => {
    const to = momentAt(steps, event.clientX - parts.chart.getBoundingClientRect().left, frame, end);
    if (root.timer) play(false); // pointing takes over
    if (to !== now) show(to);
  };
  parts.play.onclick = () => {
    if (!root.timer && now >= last) show(0);
    play(!root.timer);
  };
  parts.walk.onclick = () => setTriggerValue('walk', steps[now]);
  /** @param {Event} event the press of a curve's name, which chooses the curve */
  const named = event => {
    const name = /** @type {Element} */ (event.target).closest('[data-curve]'), at = Number(name?.getAttribute('data-curve'));
    if (name && at !== chosen) setTriggerValue('curve', at);
    return name !== null;
  };
  parts.names.onclick = named;
  parts.chart.onpointerdown = event => {
    // Beside the curves stand their names, and nowhere there is a moment.
    if (named(event) || event.clientX - parts.chart.getBoundingClientRect().left > frame.right + HALF) return;
    parts.chart.setPointerCapture(event.pointerId);
    dragged(event);
  };
  parts.chart.onpointermove = event => { if (parts.chart.hasPointerCapture(event.pointerId)) dragged(event); };
  parts.chart.onkeydown = event => {
    const to = keyed(event.key, now, last);
    if (event.key === ' ') parts.play.click();
    else if (to === null) return;
    else { play(false); show(to); }
    event.preventDefault();
    event.stopPropagation(); // arrow keys walk the pages elsewhere
  };
  root.sizes?.disconnect();
  root.sizes = new ResizeObserver(draw);
  root.sizes.observe(root);
  draw();
  play(Boolean(root.timer));
}

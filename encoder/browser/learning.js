// @ts-check
// A small network while it is trained: the pattern that is wanted beside what every head does, the answers, and the curves. A live run grows while it is shown.
import { watched } from './canvas.js';
import { rail } from './controls.js';
import { curve } from './curves.js';
import { drawn, dress, themeOf } from './dom.js';
import waves from './embedding.css';
import { bytesOf } from './film_layout.js';
import { brushOf } from './heads.js';
import style from './learning.css';
import { html, nothing, render as into } from './lit.js';
import { look } from './look.js';
import { many, percent, tight } from './number.js';

/** What a network does after a step; the maps of its heads, as bytes of 0 to 254. @typedef {{step: number, loss: number, exact: number, distance: number[][], heads: string[], said: string[], right: (boolean | null)[]}} Moment */
/** A line below the maps: a sign for each place. @typedef {{title: string, signs: string[]}} Line */
/**
 * `wanted` is the pattern that heads should have and what it is called, "" where it is hidden; `heads` of a layer; `harm` by head is the share of inputs answered otherwise without it.
 * @typedef {object} LearningData
 * @property {string} of which run it is
 * @property {Moment[]} moments
 * @property {number} last the last step of the run
 * @property {boolean} live
 * @property {string} asks what is asked of it
 * @property {string[]} signs what the maps' rows and columns stand for
 * @property {Line[]} lines
 * @property {[pattern: string, name: string]} wanted
 * @property {number[] | null} harm
 */

const STAY = 350; // ms at each moment
const PARTS = 4, CLOSE = 0.05; // of the axis, whose ends are labelled; labels that are so near, as a share of it, are left out
const TILES = 5; // maps side by side
const HIGH = 100; // pixels of the curves
/** How tokens that are no input are written beside a map. @type {Record<string, string>} */
const SPECIAL = { '[CLS]': 'C', '[SEP]': 'S', '[MASK]': '?' };
const ENDS = { low: 0, high: 1 };
/** Before the first one. @type {Moment} */
const NONE = { step: 0, loss: 0, exact: 0, distance: [[]], heads: [], said: [], right: [] };

/** The head that is nearest to the known pattern: its number, counted through all layers, and its distance. @param {number[][]} distance */
export function nearest(distance) {
  const all = distance.flat(), far = Math.min(...all);
  return { head: all.indexOf(far), far };
}

/** The number of the moment that is nearest to a step. @param {Moment[]} moments @param {number} step */
const nearestTo = (moments, step) => moments.reduce((best, one, i) => (Math.abs(one.step - step) < Math.abs(moments[best].step - step) ? i : best), 0);

/** Draws a run, or what is new of it; what it gives takes it down. @param {HTMLElement} root @param {LearningData} data */
export const learning = (root, data) => drawn(root, begin, data);

/** @param {HTMLElement} root */
function begin(root) {
  for (const css of [look, waves, style]) dress(root, css);
  root.classList.add('enc', 'tn');
  let data = /** @type {LearningData} */ ({}), now = 0, follows = false, wide = 0;
  const axis = rail({ choose: go, play: show, rest: redraw }, { name: 'Moment of training', pause: STAY });
  root.addEventListener('pointerdown', event => { if (!(/** @type {Element} */ (event.target)).closest('.rail-play')) axis.pause(); });
  const unwatch = watched(root, () => wide, redraw);

  /** @param {number} to */
  function show(to) {
    now = to;
    follows = false;
    redraw();
  }
  /** @param {number} to */
  function go(to) {
    axis.pause();
    show(to);
  }
  /** The places of a map that nothing is asked of. @param {string} pattern */
  function unasked(pattern) {
    const levels = bytesOf(pattern), side = data.signs.length;
    return data.signs.map((_, i) => i).filter(i => levels.length && !levels.subarray(i * side, (i + 1) * side).some(Boolean));
  }
  const signs = () => html`${data.signs.map(sign => html`<span>${SPECIAL[sign] ?? sign}</span>`)}`;
  /** A map with what it is called; its first has its rows named. @param {string} name @param {string} says @param {string} kind @param {number[]} idle */
  const tile = (name, says, kind, idle) => html`<figure class=${kind}><figcaption>${name}</figcaption>
    <div class="tn-map">${kind === 'is-hidden' ? html`<div class="tn-hidden" aria-hidden="true">?</div>` : html`<canvas role="img" aria-label=${`${name}: rows look, columns are looked at`}></canvas>`}
      ${idle.map(row => html`<i style="top: ${row / data.signs.length * 100}%; height: calc(${100 / data.signs.length}% + 1px)"></i>`)}<div class="tn-signs is-rows" aria-hidden="true">${signs()}</div></div>
    <div class="tn-signs" aria-hidden="true">${signs()}</div><p>${says}</p></figure>`;

  function redraw() {
    if (!data.moments || !root.clientWidth) return;
    wide = root.clientWidth;
    const { moments, last, lines, wanted: [pattern, name], harm, live, asks } = data, moment = moments[now] ?? NONE, heads = moment.heads.length / moment.distance.length, near = nearest(moment.distance), known = Number.isFinite(near.far) && near.far >= 0, idle = unasked(pattern);
    const most = Math.max(...moments.map(one => one.loss), 0.1), line = (/** @type {(one: Moment) => number} */ of, /** @type {string} */ kind) => ({ name: kind, points: /** @type {[number, number][]} */ (moments.map(one => [one.step, of(one)])) });
    const says = (/** @type {number} */ i) => (harm ? `without it ${harm[i] ? tight(percent(harm[i], 1)) : 'none'} of the answers change` : known ? `${tight(percent(1 - moment.distance.flat()[i], 1))} of its weight as wanted` : '');
    const own = (/** @type {number} */ i) => (harm ? harm[i] === Math.max(...harm) : known && i === near.head), runs = moments.length > 1 || live;
    into(html`<div class="tn-top"><div><div class="tn-maps">${tile('Wanted', name, pattern ? 'is-wanted' : 'is-hidden', idle)}${moment.heads.map((_, i) => tile(moment.distance.length > 1 || heads > 1 ? `Head ${i % heads} of layer ${Math.floor(i / heads)}` : 'Seen', says(i), own(i) ? 'is-nearest' : '', idle))}</div>
          <p class="tn-reads">A row looks at the columns; the darker, the more weight. C and S are [CLS] and [SEP], around every input.${idle.length ? ' Hatched rows are not scored.' : ''}</p></div>
        <div class="tn-side"><h2>${asks}</h2><div class="tn-scroll"><table>${lines.map(({ title, signs: all }) => html`<tr><th scope="row">${title}</th>${all.map(sign => html`<td>${sign}</td>`)}</tr>`)}
          ${moment.said.length ? html`<tr><th scope="row">Says</th>${moment.said.map((sign, i) => html`<td class=${moment.right[i] === null ? nothing : moment.right[i] ? 'is-right' : 'is-wrong'}>${moment.right[i] === null ? '' : sign}</td>`)}</tr>` : nothing}</table></div>
          <div class="tn-axis" ?hidden=${moments.length < 2}>${axis.element}</div>
          ${runs ? html`${curve({
            title: '', label: 'Right answers, weight as wanted and loss by training step', series: [line(one => one.loss / most, 'loss'), ...(known ? [line(one => 1 - nearest(one.distance).far, 'near')] : []), line(one => one.exact, 'exact')],
            x: { low: 0, high: last, name: 'training step' }, y: { low: 0, high: 1 }, mark: moment.step,
          }, { choose: step => go(nearestTo(moments, step)), high: HIGH })}
          <ul class="tn-key">${moments.length ? html`<li class="is-exact"><i></i><b>${tight(percent(moment.exact))}</b> of unseen inputs all right</li>
            ${known ? html`<li class="is-near"><i></i><b>${tight(percent(1 - near.far, 1))}</b> of the framed head’s weight as wanted</li>` : nothing}<li class="is-loss"><i></i><b>${moment.loss < 0.0005 ? '<\u00a00.001' : moment.loss.toFixed(3)}</b> loss, scaled to its highest value</li>` : nothing}</ul>` : nothing}</div></div>`, root);
    root.style.setProperty('--tiles', String(Math.min(TILES, moment.heads.length + 1)));
    const labelled = new Set(Array.from({ length: PARTS + 1 }, (_, part) => nearestTo(moments, last * part / PARTS))), theme = themeOf(getComputedStyle(root.ownerDocument.body).backgroundColor);
    const stops = moments.map(({ step, exact }, i) => ({ text: i === now || (labelled.has(i) && Math.abs(step - moment.step) > CLOSE * last) ? many(step) : '', title: `step ${many(step)} of ${many(last)}: ${percent(exact)} right` }));
    axis.draw(stops, now);
    axis.element.querySelectorAll('[role=radio]').forEach((one, i) => { /** @type {HTMLElement} */ (one).style.left = `${moments[i].step / last * 100}%`; });
    axis.draw(stops, now); // its handle stands where they are now
    const maps = [...(pattern ? [pattern] : []), ...moment.heads];
    root.querySelectorAll('canvas').forEach((canvas, i) => brushOf(canvas, data.signs.length, theme, ENDS)(Float32Array.from(bytesOf(maps[i]), level => level / 254), data.signs.length));
  }
  return {
    /** @param {LearningData} given */
    draw(given) {
      if (given.of !== data.of) {
        axis.pause();
        [follows, now] = [given.live, given.moments.length - 1];
      }
      data = given;
      now = follows ? data.moments.length - 1 : Math.min(now, data.moments.length - 1);
      follows &&= data.live;
      redraw();
    },
    end() {
      axis.end();
      unwatch();
      root.replaceChildren();
    },
  };
}

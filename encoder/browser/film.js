// @ts-check
// Grammar on film: a sentence's arcs at a moment of training, one axis of moments that goes through the curves, and what is guessed then.
import { bars } from './bars.js';
import { watched } from './canvas.js';
import { radios, rail } from './controls.js';
import { curve } from './curves.js';
import { drawn, dress, highIn, reveal } from './dom.js';
import waves from './embedding.css';
import style from './film.css';
import { placeOf, spread, unpacked } from './film_layout.js';
import { html, nothing, render as into } from './lit.js';
import { look } from './look.js';
import { many, percent, tight, typeset } from './number.js';
import { fromRight } from './run.js';
import { say } from './say.js';
import { stage } from './sentence_arcs.js';

/** A curve: its name and its shares by moment; null where there is none. @typedef {{title: string, shares: (number | null)[]}} Curve */
/**
 * `lines` are shares that stay, `dashed` what else belongs to the chosen curve, `beside` another training; `weights` [moments, words, words] and `parked` [moments, words] are shares of
 * 16 bits, `gold` is what is right. `tops` are the likeliest words of each moment, as places in `vocabulary`, whose shares by moment are `guessed`; `around` is the sentence around its gap, `hidden` the word that was hidden there.
 * @typedef {object} FilmData
 * @property {number[]} steps
 * @property {Curve[]} curves
 * @property {number} chosen
 * @property {string} unit what a share of 100 % is
 * @property {{name: string, share: number}[]} lines
 * @property {Curve[]} dashed
 * @property {{title: string, steps: number[], shares: number[]} | null} beside
 * @property {string[]} words
 * @property {boolean[]} gaps
 * @property {string} weights
 * @property {string} parked
 * @property {string} special what is no word, in words
 * @property {number} from
 * @property {[number, number] | null} gold
 * @property {boolean} typed whether the sentence is one's own
 * @property {string} who which head it is
 * @property {string} note
 * @property {{hidden: string, around: [string, string], vocabulary: string[], guessed: number[][], tops: number[][]} | null} guess
 * @property {number} start
 * @property {string} label
 */
/** Tells the server: the `word` that is asked, the `curve` that is chosen, that its `example` is to come back, the step whose network is to be walked. @typedef {(kind: 'word' | 'curve' | 'walk' | 'example', said: number) => void} Tell */

const STAY = 700; // ms at each moment
const HIGH = 236, LOW = 150, ABOVE = 570, APART = 34, NARROW = 700; // pixels: of the curves, at least and beside what stands above them in a window, from one label to the next, below which width labels stand in a row
const STEEP = 0.2; // a rise of the curve that its number below and before it would be on
const LABELS = 12; // steps that are written below an axis
const MOST = 4; // guesses
const PIECE = '##';

/** How a step is written where there is little room. @param {number} step */
const brief = step => (step >= 1000 && step % 1000 === 0 ? `${step / 1000}k` : many(step));

/** Draws the film, or what is new in it; what it gives takes it down. @param {HTMLElement} root @param {FilmData} data @param {Tell} tell */
export const film = (root, data, tell) => drawn(root, begin, data, tell);

/** @param {HTMLElement} root */
function begin(root) {
  for (const css of [look, waves, style]) dress(root, css);
  root.classList.add('enc', 'fm');
  let data = /** @type {FilmData} */ ({}), tell = /** @type {Tell} */ (() => {}), of = '', now = 0, second = -1, from = 0, wide = 0;
  let weights = new Float64Array(), parked = new Float64Array();
  const picture = stage(word => { from = word; redraw(); tell('word', word); });
  const pills = radios('Curve', index => { if (index !== data.chosen) tell('curve', index); }, { most: Infinity, hidden: true, class: 'fm-pills' });
  const axis = rail({ choose: go, play: show, rest: redraw, second: to => { second = to; redraw(); } }, { name: 'Moment of training', pause: STAY });
  root.addEventListener('pointerdown', event => { if (!(/** @type {Element} */ (event.target)).closest('.rail-play')) axis.pause(); });
  const unwatch = watched(root, () => wide, redraw);

  /** @param {number} to */
  function show(to) {
    now = to;
    redraw();
  }
  /** @param {number} to */
  function go(to) {
    axis.pause();
    show(to);
  }
  /** A row of shares. @param {Float64Array} all @param {number} moment @param {number} word @param {number} size */
  const row = (all, moment, word, size) => Array.from(all.subarray((moment * data.words.length + word) * size, (moment * data.words.length + word + 1) * size));
  /** A share as it is written. @param {number | null} share */
  const said = share => (share === null ? '–' : tight(percent(share, 1)));

  function redraw() {
    if (!data.steps || !root.clientWidth) return;
    wide = root.clientWidth;
    const { steps, words, gaps, gold, beside, special, note, label, typed } = data, own = data.curves[data.chosen], last = steps.length - 1, narrow = wide < NARROW, high = narrow ? HIGH : Math.max(LOW, Math.min(HIGH, highIn(root) - ABOVE)), compared = second >= 0 ? second : Math.max(0, now - 1);
    const aimed = gold && gold[0] === from ? gold[1] : -1, gone = parked[now * words.length + from];
    const all = words.map((name, position) => ({ position, name, gap: gaps[position], can: true, kind: position === aimed ? 'fm-goal' : '' }));
    const shares = row(weights, now, from, words.length), top = shares.indexOf(Math.max(...shares)), here = say('film_own', { from: words[from], to: words[top], share: shares[top] });
    const rest = gone >= 0.005 ? `Another ${percent(gone, 1)} goes to ${special}, not drawn.` : '';
    const every = Math.ceil((last + 1) / LABELS), scale = beside ? [...new Set([...steps, ...beside.steps])].sort((a, b) => a - b) : steps, at = (/** @type {number} */ step) => placeOf(scale, step);
    /** @param {(number | null)[]} shares @param {string} name @param {number[]} [along] */
    const line = (shares, name, along = steps) => ({ name, points: /** @type {[number, number][]} */ (shares.map((share, i) => [at(along[i]), share ?? NaN])) });
    const others = data.curves.filter(one => one !== own), flat = (/** @type {number} */ share) => /** @type {[number, number][]} */ ([[-0.5, share], [scale.length - 0.5, share]]);
    const series = [
      ...[0, 0.25, 0.5, 0.75, 1].map(share => ({ name: 'grid', points: flat(share) })), ...data.lines.map(({ share }, i) => ({ name: `rule d${i}`, points: flat(share) })),
      ...others.flatMap(({ shares }) => [line(shares, 'other'), { ...line(shares, 'other'), dots: true }]), ...data.dashed.map(({ shares }, i) => line(shares, `part d${i}`)),
      ...(beside ? [line(beside.shares, 'beside', beside.steps), { ...line(beside.shares, 'beside', beside.steps), dots: true }] : []), line(own.shares, 'own'), { ...line(own.shares, 'own'), dots: true },
    ];
    const low = (/** @type {number} */ share) => `${(1 - share) * 100}%`, across = (/** @type {number} */ place) => `${(place + 0.5) / scale.length * 100}%`, nearest = (/** @type {number} */ place) => steps.reduce((best, step, i) => (Math.abs(at(step) - place) < Math.abs(at(steps[best]) - place) ? i : best), 0);
    const key = [...data.lines.map(({ name, share }, i) => ({ kind: `rule d${i}`, text: `${name}: ${said(share)}` })), ...data.dashed.map(({ title }, i) => ({ kind: `part d${i}`, text: title })), ...(beside ? [{ kind: 'beside', text: beside.title }] : [])];
    const heights = spread(data.curves.map(({ shares }) => (1 - (shares[last] ?? 0)) * high), APART, high), share = own.shares[now], right = at(steps[now]) > scale.length * 0.7, steep = (share ?? 0) - (own.shares[now - 1] ?? 1) > STEEP;
    into(html`<p class="fm-own" ?hidden=${!typed}>${here} <button type="button" class="enc-link" @click=${() => tell('example', 0)}>Back to the film’s sentence</button></p><div class="fm-top"><div class="fm-picture">${picture.element}</div>${guesses(compared)}</div>
      <div class="fm-axis">${axis.element}</div>
      <div class="fm-curves"><div class="fm-plot"><div class="fm-scale" aria-hidden="true">${[0, 0.25, 0.5, 0.75, 1].map(one => html`<span style="top: ${low(one)}">${said(one).replace('<\u00a01', '0')}${one < 1 ? '' : ` ${data.unit}`}</span>`)}</div>
        <div class="fm-lines">${curve({ title: '', label, series, x: { low: -0.5, high: scale.length - 0.5, name: '' }, y: { low: 0, high: 1 }, mark: at(steps[now]) }, { choose: place => go(nearest(place)), high })}
          <div class="fm-over" aria-hidden="true" style="height: ${high}px">${second >= 0 ? html`<i class="fm-second" style="left: ${across(at(steps[second]))}"></i>` : nothing}${share === null ? nothing : html`<i class="fm-ring" style="left: ${across(at(steps[now]))}; top: ${low(share)}"></i><b class=${right ? (steep ? 'is-left is-above' : 'is-left') : nothing} style="left: ${across(at(steps[now]))}; top: ${low(share)}">${said(share)}</b>`}</div></div>
        <ul class="fm-key">${key.map(({ kind, text }) => html`<li><svg viewBox="0 0 34 4" aria-hidden="true"><path class="is-${kind}" d="M0 2H34"></path></svg>${typeset(text)}</li>`)}</ul></div>
        <div class="fm-labels"><span class="fm-name" style=${narrow ? nothing : `bottom: calc(100% - ${Math.min(...heights) - APART / 2}px)`}>Press a curve’s name to see it:</span>${pills.element}</div></div>`, root);
    const stops = steps.map((step, i) => ({ text: i % every && i !== now && i !== last ? '·' : `${i || narrow ? '' : 'step '}${narrow ? brief(step) : many(step)}`, title: `step ${many(step)}: ${said(own.shares[i])}` }));
    axis.draw(stops, now, second);
    root.style.setProperty('--places', String(scale.length));
    axis.element.querySelectorAll('[role=radio]').forEach((one, i) => { /** @type {HTMLElement} */ (one).style.gridColumn = String(at(steps[i]) + 1); });
    axis.draw(stops, now, second); // its handle stands where they are now
    pills.draw(data.curves.map(({ title, shares }) => ({ text: title, symbol: said(shares[last]) })), data.chosen);
    pills.buttons().forEach((button, i) => { button.style.top = narrow ? '' : `${heights[i] - APART / 2 + 2}px`; });
    if (narrow) reveal(/** @type {Element} */ (pills.element.querySelector('.radios')), pills.buttons()[data.chosen]);
    const caption = [data.who, second >= 0 ? `Above: step ${many(steps[now])}; below: step ${many(steps[second])}.` : rest, aimed >= 0 ? 'Dotted: the right word, marked by hand.' : '', note];
    picture.draw({ of: words, dir: fromRight(words.filter((_, i) => !gaps[i]).join(' ')) ? 'rtl' : 'ltr', words: all }, from, shares, caption.filter(Boolean).join(' '), null, second < 0 ? null : row(weights, second, from, words.length));
  }
  /** What is guessed at this moment, beside another one; and what leads on. @param {number} compared */
  function guesses(compared) {
    const { guess, steps } = data, step = many(steps[now]);
    const listed = guess?.tops[now].slice(0, MOST).map((word, i) => {
      const [share, before] = [now, compared].map(moment => guess.guessed[word][moment]);
      return { name: guess.vocabulary[word], kind: i ? '' : 'is-first', fills: [{ share, text: said(share), mark: compared === now ? NaN : before }], data: { guess: guess.vocabulary[word], share } };
    });
    return html`<aside class="fm-guesses">${guess && listed ? html`<h2>${guess.hidden ? html`Hide <bdi translate="no" lang="">${guess.hidden}</bdi>, and it guesses` : 'It guesses'}</h2>
      <p dir="auto" translate="no" lang="">${guess.around[0]}<b>?</b>${guess.around[1]}</p>${bars(listed, { label: `What it guesses at step ${step}` })}<p class=${compared === now ? 'fm-before is-off' : 'fm-before'}><i></i>at step ${many(steps[compared])}</p><p class="fm-piece" ?hidden=${!listed.some(({ name }) => name.startsWith(PIECE))}>“${PIECE}” goes on with the word before it.</p>` : nothing}
      <div class="fm-ways"><button type="button" class="enc-link" data-walk @click=${() => tell('walk', steps[now])}>Step into this network →</button>
        <button type="button" class="enc-link" aria-pressed=${second >= 0} @click=${() => { second = second < 0 ? Math.max(0, now - 1) : -1; redraw(); }}>${second < 0 ? 'Set two moments side by side' : 'Back to one moment'} →</button></div></aside>`;
  }

  return {
    /** @param {FilmData} given @param {Tell} act */
    draw(given, act) {
      const key = JSON.stringify([given.steps, given.curves[0].shares, given.chosen]), words = JSON.stringify(given.words);
      if (of !== key) [of, now, second] = [key, given.start, -1];
      if (JSON.stringify(data.words) === words) given = { ...given, words: data.words }; // laid out once
      [data, tell, from] = [given, act, given.from];
      [weights, parked] = [unpacked(data.weights), unpacked(data.parked)];
      redraw();
    },
    end() {
      axis.end();
      unwatch();
      root.replaceChildren();
    },
  };
}

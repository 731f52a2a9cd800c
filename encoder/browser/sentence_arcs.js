// @ts-check
// The sentence in large words, with arcs from the word asked and the share of each word below it.
import { arcs } from './arcs.js';
import { most } from './claim.js';
import { el, focused, places, put, rove, svg, walkByKeys, write } from './dom.js';
import { html, nothing, render as into, svg as drawing } from './lit.js';
import { percent, tight } from './number.js';
import { direction, inFull, words } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./arcs.js').Way} Way */
/** Words as they are drawn: `of` is what they are of, `can` whether one can look from there, `kind` a class of its own, `text` what stands below it in the place of its share. @typedef {{of: object, dir: string, words: {position: number, name: string, gap: boolean, can: boolean, title?: string, kind?: string, text?: string}[]}} Line */
const NARROW = 600; // pixels below which words stand in a column
const COLUMN = 12; // words of a column
const SIZES = [44, 38, 33, 29, 25, 22]; // pixels of letters on one line
const SAID = 0.005; // a share from which on it is written, among words on several lines
const SHORT = 10; // letters that are never cut
const BELOW = 64; // pixels of arcs below the words
const MANY = 60; // words from which on they are small
const RISE = [46, 22], LONG = 44; // pixels that arcs among words on several lines take at most, on a wide screen and else, and words from which on there is less room for them

/** The words of a run by these names. @param {Packet} run @param {string[]} names @returns {Line} */
export function lineOf(run, names) {
  const rows = new Set(run.about.rows);
  return { of: run, dir: direction(run), words: words(run).map(({ position, gap }, i) => ({ position, name: names[i], gap, can: rows.has(position), title: names[i].length > SHORT ? inFull(run, names[i]) : undefined })) };
}

/** @param {(position: number) => void} choose @param {{column?: boolean, label?: string}} [options] whether few words stand in a column where it is narrow, and what they are for */
export function stage(choose, { column = true, label = 'Words: choose the one to look from' } = {}) {
  const picture = svg('svg', { class: 'enc-arcs', 'aria-hidden': 'true' });
  const list = el('div', { class: 'enc-words', role: 'toolbar', 'aria-label': label });
  const under = el('div', { class: 'enc-hide' }), caption = el('p', { class: 'enc-caption', 'data-rest': '' }), sheet = el('div', { class: 'enc-sheet' }, picture, list, under), root = el('div', { class: 'enc-stage' }, sheet, caption);
  /** @type {object | null} */
  let drawn = null;
  let shown = '', wide = 0, rise = 0;
  /** @type {Way} */
  let way = 'across';
  /** @type {import('./arcs.js').Box[]} */
  let boxes = [];

  walkByKeys(list, undefined, () => getComputedStyle(list).direction === 'rtl' && way !== 'down');

  /** Finds how the words stand. */
  function settle() {
    const n = list.children.length, narrow = root.clientWidth < NARROW;
    way = narrow && column && n <= COLUMN ? 'down' : 'lines';
    root.dataset.way = narrow ? way : 'across';
    if (!narrow) {
      const size = SIZES.find(one => {
        root.style.setProperty('--letters', `${one}px`);
        return list.scrollWidth <= list.clientWidth;
      });
      way = size ? 'across' : 'lines';
      root.dataset.way = way;
    }
    rise = narrow || n > LONG ? RISE[1] : RISE[0];
    root.style.setProperty('--rise', `${rise}px`);
    if (way === 'lines') root.style.setProperty('--letters', n > MANY ? '18px' : narrow ? '21px' : '28px');
    else if (way === 'down') root.style.setProperty('--letters', '22px');
  }
  /** Finds where each word is. */
  function measure() {
    boxes = places(sheet, [...list.children].map(one => (way === 'across' ? one : one.children[0])));
    put(picture, { width: sheet.offsetWidth, height: sheet.offsetHeight });
  }
  /** Brings the asked word of many into sight. @param {number} from */
  function show(from) {
    if (root.scrollHeight > root.clientHeight && boxes[from]) root.scrollTop = boxes[from].y - root.clientHeight / 2;
  }

  return {
    element: root,
    /** @param {Line} line @param {number} from @param {number[] | null} given shares, null where no head is chosen @param {string} says what the arcs are of, and what none shows @param {{text: string, act: () => void} | null} hide what hides the word @param {number[] | null} [others] shares of a second picture, whose arcs go below the words */
    draw({ of: run, dir, words: all }, from, given, says, hide, others = null) {
      const shares = given ?? all.map(() => NaN), top = given ? most(given) : -1, names = all.map(one => one.name), wordy = (/** @type {number} */ share) => (way === 'lines' && !(share >= SAID) ? '' : tight(percent(share, 1)));
      put(list, { dir });
      root.classList.toggle('has-others', others !== null);
      into(all.map(({ position, name, gap, can, title, kind, text }, i) => html`<button type="button" class="enc-word ${kind ?? ''} ${i === from ? 'enc-asked' : ''} ${i === top ? 'enc-most' : ''} ${gap ? 'enc-gap' : ''}" style="--share: ${Math.round(100 * Math.min(1, shares[i] || 0))}"
        data-word=${position} data-share=${given ? shares[i] : nothing} aria-pressed=${i === from} aria-disabled=${can ? nothing : 'true'} @click=${() => { if (can) choose(position); }}
        ><bdi class="enc-name" translate="no" lang="" title=${title ?? nothing}>${name}</bdi><small dir="ltr">${given ? text ?? wordy(shares[i]) : ''}${others ? html`<i>${wordy(others[i])}</i>` : nothing}</small></button>`), list);
      if (drawn !== run || !list.querySelector('[tabindex="0"]') || !list.contains(focused(list))) rove([...list.children], from);
      // Bold words are wider, so all may have moved; among words on several lines none is bold.
      const text = names.join(' ') + (way === 'lines' ? '' : ` ${from} ${top}`) + (others ? ' ' : ''), anew = drawn !== run || wide !== root.clientWidth;
      if (anew) settle();
      if (anew || text !== shown) measure();
      if (anew) show(from);
      [drawn, shown, wide] = [run, text, root.clientWidth];
      const room = way === 'down' ? sheet.clientWidth - Math.max(...boxes.map(one => one.x + one.w)) - 10 : way === 'across' ? Math.min(...boxes.map(one => one.y)) - 4 : rise;
      under.hidden = !hide;
      write(caption, says);
      into(hide ? html`<button type="button" class="enc-pill" @click=${hide.act}>${hide.text}</button>` : nothing, under);
      const half = /** @type {HTMLElement | null} */ (under.querySelector('button'))?.offsetWidth ?? 0;
      if (boxes[from]) under.style.setProperty('--middle', `${Math.max(half / 2, Math.min(sheet.clientWidth - half / 2, boxes[from].x + boxes[from].w / 2))}px`);
      const size = { from, way, thickest: way === 'across' ? 22 : way === 'down' ? 17 : 9 };
      const paths = (/** @type {number[]} */ of, /** @type {import('./arcs.js').Box[]} */ at, high = room) => arcs({ ...size, room: high, boxes: at, shares: of }).map(({ to, path, width, most }) => drawing`<path d=${path} stroke-width=${width.toFixed(2)} class="${most ? 'enc-most' : ''} ${all[to].kind ?? ''}" data-to=${all[to].position}></path>`);
      into(html`${paths(shares, boxes)}${others && way === 'across' ? drawing`<g transform="scale(1 -1)">${paths(others, boxes.map(one => ({ ...one, y: -one.y - one.h })), BELOW)}</g>` : nothing}`, picture);
    },
  };
}

// @ts-check
// A sentence with arrows from one of its words: where a head looks in the run, and in one from a treebank what it answers and what people marked.
import { arcs } from './arcs.js';
import { most } from './claim.js';
import { AS_IS, el, focused, places, put, rove, walkByKeys } from './dom.js';
import { composed, html, nothing, render as into, svg } from './lit.js';
import { percent, typeset } from './number.js';
import { direction, held, inFull, look, words as wordsOf } from './run.js';
import { parts } from './say.js';

/** @typedef {import('./jobs.js').Example} Example */
/** @typedef {import('./arcs.js').Box} Box */

const HIGH = 16, OVER = 7; // pixels of the highest arrow above its line, and of the marked one above the answer's
const TIP = 4; // half of an arrow's head
const OVER_WORDS = 22, THICKEST = 5, MANY = 24; // pixels of the highest arc of a run and of the thickest, words from which on they are small
const NO_SPACE = /^[.,;:!?)\]’'…]|^n't$|^-$/;

/** The sentence of the run, with arcs from one word to where a head looks. @param {(position: number) => void} choose */
export function sentenceHere(choose) {
  const list = el('p', { class: 'hd-words', role: 'toolbar', 'aria-label': 'Words: choose the one to look from' }), arrows = el('div'), element = el('div', { class: 'hd-sheet hd-here' }, arrows, list);
  walkByKeys(list, undefined, () => getComputedStyle(list).direction === 'rtl');
  return {
    element,
    /** @param {import('./packet.js').Packet} run @param {import('./claim.js').Head} place @param {import('./run.js').Word} word */
    draw(run, { layer, head }, word) {
      const all = wordsOf(run), from = all.indexOf(word), { shares, rest } = look(run, layer, head, word), top = rest > shares[most(shares)] ? -1 : most(shares);
      put(list, { dir: direction(run), 'data-many': all.length > MANY });
      into(all.map((one, i) => html`${i && !NO_SPACE.test(one.name) ? ' ' : ''}<button type="button" class="hd-word ${i === from ? 'is-from' : ''} ${i === top ? 'is-answer' : ''}" data-word=${one.position} data-share=${shares[i]} style="--looks: ${(100 * shares[i]).toFixed(1)}%" aria-pressed=${i === from} aria-disabled=${held(run, one) ? nothing : 'true'}
        translate=${AS_IS.translate} lang=${AS_IS.lang} title=${inFull(run, one.name)} @click=${() => { if (held(run, one)) choose(one.position); }}>${one.gap ? '____' : one.name}</button>`), list);
      if (!list.contains(focused(list))) rove([...list.children], from);
      const boxes = places(element, [...list.children]), room = Math.min(...boxes.map(box => box.y)), wraps = boxes.some(box => Math.abs(box.y - boxes[0].y) > box.h / 2);
      put(list, { 'data-wraps': wraps }); // then arcs would run through other words: words are tinted
      into(html`<svg class="hd-arrows" aria-hidden="true">${wraps ? nothing : arcs({ boxes, from, shares, way: 'lines', room: Math.max(8, Math.min(OVER_WORDS, room)), thickest: THICKEST }).map(({ to, path, width }) => svg`<path d=${path} stroke-width=${width.toFixed(1)} class="hd-arc is-answer ${to === top ? 'is-most' : ''}" data-to=${all[to].position}></path>`)}</svg>`, arrows);
    },
  };
}

/** @param {string} name what the example is one of: "Right" or "Wrong" */
export function example(name) {
  const element = el('div', { class: 'hd-example', 'data-example': name.toLowerCase() });
  /** @type {Example | null} */
  let drawn = null;
  let wide = -1;

  /** An arrow from word to word. @param {Box[]} boxes @param {number} from @param {number} to @param {number} room @param {string} kind */
  function arrow(boxes, from, to, room, kind) {
    const [found] = arcs({ boxes, from, shares: boxes.map((_, i) => Number(i === to)), way: 'lines', room, thickest: 2 });
    if (!found) return nothing;
    const [x, y] = (/[-\d.]+ [-\d.]+$/.exec(found.path)?.[0] ?? '0 0').split(' ').map(Number), tail = y > boxes[to].y ? TIP * 1.6 : -TIP * 1.6;
    return svg`<path d=${found.path} class="hd-arc ${kind}"></path><path d="M${x} ${y}L${x - TIP} ${y + tail}L${x + TIP} ${y + tail}Z" class="hd-tip ${kind}"></path>`;
  }

  /** @param {Example} one @param {unknown} arrows */
  function write({ words, from, answer, gold }, arrows) {
    const word = (/** @type {string} */ text, /** @type {number} */ i) => html`${i && !NO_SPACE.test(text) ? ' ' : ''}<span class="hd-word ${i === from ? 'is-from' : ''} ${i === answer ? 'is-answer' : ''} ${i === gold && i !== answer ? 'is-gold' : ''}">${text}</span>`;
    into(html`<h4>${name}</h4><div class="hd-sheet"><svg class="hd-arrows" aria-hidden="true" data-arrows="${from} ${answer} ${gold}">${arrows}</svg><p class="hd-words" dir="ltr" lang="en">${words.map(word)}</p></div>
      <p class="hd-said">${composed(answer === gold ? parts('heads_right', { source: words[from], answer: words[answer] }) : parts('heads_wrong', { source: words[from], answer: words[answer], gold: words[gold] }))}</p>`, element);
  }

  return {
    element,
    /** @param {Example | null} one */
    draw(one) {
      element.hidden = !one;
      if (!one) { drawn = null; return; }
      if (drawn !== one) write(one, nothing);
      const sheet = /** @type {HTMLElement} */ (element.querySelector('.hd-sheet'));
      if (drawn === one && wide === sheet.offsetWidth) return;
      [drawn, wide] = [one, sheet.offsetWidth];
      const boxes = places(sheet, [...element.querySelectorAll('.hd-word')]);
      write(one, [arrow(boxes, one.from, one.gold, HIGH, 'is-gold'), arrow(boxes, one.from, one.answer, HIGH - OVER, 'is-answer')]);
    },
  };
}

/** Right and wrong examples side by side, and a button for others. @param {() => void} more */
export function examples(more) {
  const two = { right: example('Right'), wrong: example('Wrong') }, element = el('section', { class: 'hd-examples' });
  return {
    element,
    /** @param {import('./jobs.js').Examples | null} of @param {number} turn how often another was asked for */
    draw(of, turn) {
      element.hidden = !of;
      if (!of) return;
      const right = of.some.filter(one => one.answer === one.gold), wrong = of.some.filter(one => one.answer !== one.gold);
      into(html`<h3>Examples from ${of.text}: ${of.title}</h3>${two.right.element}${two.wrong.element}
        <div class="hd-under"><button type="button" class="enc-pill hd-another" ?hidden=${Math.max(right.length, wrong.length) < 2} @click=${more}>Another example</button><p class="hd-key"><i class="is-answer"></i>the head’s answer<i class="is-gold"></i>what people marked</p></div>`, element);
      two.right.draw(right[turn % (right.length || 1)] ?? null);
      two.wrong.draw(wrong[turn % (wrong.length || 1)] ?? null);
    },
  };
}

/** How often a head is right in its job, in each kind of text, and the best simple rule. @param {import('./jobs.js').Job} job */
export const figures = ({ figures }) => html`<table class="hd-figures"><thead><tr><td></td><th scope="col">this head</th><th scope="col">best rule</th></tr></thead>
  <tbody>${figures.map(({ text, share, count, rule }) => html`<tr><th scope="row">${text}</th><td class="hd-share">${typeset(percent(share))} of ${count}</td><td>${typeset(percent(rule))}</td></tr>`)}</tbody></table>`;

/** Which rules these are, and the best fixed distance. @param {import('./jobs.js').Job} job */
export const rules = ({ figures }) => html`<div class="hd-notes">${figures.map(({ text, how, fixed, apart }) => html`<p ?hidden=${!how}>In ${text}: ${how}. The best fixed distance, ${apart}, is right in ${typeset(percent(fixed))}.</p>`)}</div>`;

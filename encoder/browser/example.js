// @ts-check
// A sentence from a treebank with two arrows from one of its words: what a head answers, and what people marked.
import { arcs } from './arcs.js';
import { el, places } from './dom.js';
import { titleOf } from './jobs.js';
import { composed, html, nothing, render as into, svg } from './lit.js';
import { percent, typeset } from './number.js';
import { parts } from './say.js';

/** @typedef {import('./jobs.js').Example} Example */
/** @typedef {import('./arcs.js').Box} Box */

const HIGH = 16, OVER = 7; // pixels of the highest arrow above its line, and of the marked one above the answer's
const TIP = 4; // half of an arrow's head
const NO_SPACE = /^[.,;:!?)\]’'…]|^n't$|^-$/;

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
    const a = boxes[from], b = boxes[to], x = b.x + b.w / 2, up = a.y - b.y > a.h / 2, y = up ? b.y + b.h : b.y, tail = up ? TIP * 1.6 : -TIP * 1.6;
    return svg`<path d=${found.path} class="hd-arc ${kind}"></path><path d="M${x} ${y}L${x - TIP} ${y + tail}L${x + TIP} ${y + tail}Z" class="hd-tip ${kind}"></path>`;
  }

  /** @param {Example} one @param {unknown} arrows */
  function write({ words, from, answer, gold }, arrows) {
    const word = (/** @type {string} */ text, /** @type {number} */ i) => html`${i && !NO_SPACE.test(text) ? ' ' : ''}<span class="hd-word ${i === from ? 'is-from' : ''} ${i === answer ? 'is-answer' : ''} ${i === gold && i !== answer ? 'is-gold' : ''}">${text}</span>`;
    into(html`<h3>${name}</h3><div class="hd-sheet"><svg class="hd-arrows" aria-hidden="true" data-arrows="${from} ${answer} ${gold}">${arrows}</svg><p class="hd-words" dir="ltr" lang="en">${words.map(word)}</p></div>
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
      into(html`<h2>Examples: ${of.title}, ${of.text}</h2>${two.right.element}${two.wrong.element}
        <div class="hd-under"><button type="button" class="enc-pill hd-another" ?hidden=${Math.max(right.length, wrong.length) < 2} @click=${more}>Another example</button><p class="hd-key"><i class="is-answer"></i>the head’s answer<i class="is-gold"></i>what people marked</p></div>`, element);
      two.right.draw(right[turn % (right.length || 1)] ?? null);
      two.wrong.draw(wrong[turn % (wrong.length || 1)] ?? null);
    },
  };
}

/** The figures of a head: a line for each job, with each kind of text and the best rule beside. @param {import('./jobs.js').Job[]} all */
export const figures = all => html`<table class="hd-figures" ?hidden=${!all.length}>${all.map(({ job, figures }) => html`<tbody><tr><th colspan="3" scope="colgroup">${titleOf(job)}</th></tr>
  ${figures.map(({ text, share, count, rule, how }) => html`<tr><th scope="row">${text}</th><td class="hd-share">${typeset(percent(share))} of ${count}</td><td>best rule ${typeset(percent(rule))}${how ? ` (${how})` : ''}</td></tr>`)}</tbody>`)}</table>`;

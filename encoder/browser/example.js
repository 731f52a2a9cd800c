// @ts-check
// A sentence from a treebank with two arrows from one of its words: what a head answers, and what people marked.
import { arcs } from './arcs.js';
import { children, compose, el, put, svg, write } from './dom.js';
import { parts } from './say.js';

/** @typedef {import('./jobs.js').Example} Example */
/** @typedef {import('./arcs.js').Box} Box */

const HIGH = 16, OVER = 7; // pixels of the highest arrow above its line, and of the marked one above the answer's
const TIP = 4; // half of an arrow's head
const NO_SPACE = /^[.,;:!?)\]’'…]|^n't$|^-$/;

/** @param {string} name what the example is one of: "Right" or "Wrong" */
export function example(name) {
  const picture = svg('svg', { class: 'hd-arrows', 'aria-hidden': 'true' }), line = el('p', { class: 'hd-words', dir: 'ltr', lang: 'en' });
  const said = el('p', { class: 'hd-said' }), title = el('h3', {}, name);
  const element = el('div', { class: 'hd-example', 'data-example': name.toLowerCase() }, title, el('div', { class: 'hd-sheet' }, picture, line), said);
  /** @type {Example | null} */
  let drawn = null;
  let wide = -1;

  /** An arrow from word to word. @param {Box[]} boxes @param {number} from @param {number} to @param {number} room @param {string} kind */
  function arrow(boxes, from, to, room, kind) {
    const [found] = arcs({ boxes, from, shares: boxes.map((_, i) => Number(i === to)), way: 'lines', room, thickest: 2 });
    if (!found) return [];
    const a = boxes[from], b = boxes[to], x = b.x + b.w / 2, up = a.y - b.y > a.h / 2, y = up ? b.y + b.h : b.y, tail = up ? TIP * 1.6 : -TIP * 1.6;
    return [
      svg('path', { d: found.path, class: `hd-arc ${kind}` }),
      svg('path', { d: `M${x} ${y}L${x - TIP} ${y + tail}L${x + TIP} ${y + tail}Z`, class: `hd-tip ${kind}` }),
    ];
  }

  return {
    element,
    /** @param {Example | null} one */
    draw(one) {
      element.hidden = !one;
      if (!one) { drawn = null; return; }
      const { words, from, answer, gold } = one;
      if (drawn !== one) {
        line.replaceChildren(...words.flatMap((word, i) => [
          ...(i && !NO_SPACE.test(word) ? [' '] : []),
          el('span', { class: ['hd-word', i === from ? 'is-from' : '', i === answer ? 'is-answer' : '', i === gold && i !== answer ? 'is-gold' : ''].filter(Boolean).join(' ') }, word),
        ]));
        compose(said, answer === gold ? parts('heads_right', { source: words[from], answer: words[answer] }) : parts('heads_wrong', { source: words[from], answer: words[answer], gold: words[gold] }));
      }
      const base = picture.getBoundingClientRect();
      if (drawn === one && wide === base.width) return;
      [drawn, wide] = [one, base.width];
      const boxes = [...line.children].map(word => {
        const { left, top, width, height } = word.getBoundingClientRect();
        return { x: left - base.left, y: top - base.top, w: width, h: height };
      });
      picture.replaceChildren(...arrow(boxes, from, gold, HIGH, 'is-gold'), ...arrow(boxes, from, answer, HIGH - OVER, 'is-answer'));
      put(picture, { 'data-arrows': `${from} ${answer} ${gold}` });
    },
  };
}

/** Right and wrong examples side by side, and a button for others. @param {() => void} more */
export function examples(more) {
  const two = { right: example('Right'), wrong: example('Wrong') };
  const title = el('h2'), key = el('p', { class: 'hd-key' }, el('i', { class: 'is-answer' }), 'the head’s answer', el('i', { class: 'is-gold' }), 'what people marked');
  const another = el('button', { type: 'button', class: 'enc-pill hd-another', onclick: more }, 'Another example');
  const element = el('section', { class: 'hd-examples' }, title, two.right.element, two.wrong.element, el('div', { class: 'hd-under' }, another, key));
  return {
    element,
    /** @param {import('./jobs.js').Examples | null} of @param {number} turn how often another was asked for */
    draw(of, turn) {
      element.hidden = !of;
      if (!of) return;
      write(title, `Examples: ${of.title}, ${of.text}`);
      const right = of.some.filter(one => one.answer === one.gold), wrong = of.some.filter(one => one.answer !== one.gold);
      two.right.draw(right[turn % (right.length || 1)] ?? null);
      two.wrong.draw(wrong[turn % (wrong.length || 1)] ?? null);
      another.hidden = Math.max(right.length, wrong.length) < 2;
    },
  };
}

/** The figures of a head: a line for each job, with each kind of text and the best rule beside. @param {HTMLElement} table @param {import('./jobs.js').Job[]} all @param {(job: string) => string} title @param {(share: number) => string} share */
export function figures(table, all, title, share) {
  table.hidden = !all.length;
  children(table, all.length, () => el('tbody')).forEach((body, i) => {
    const { job, figures } = all[i];
    children(body, figures.length + 1, at => (at ? el('tr', {}, el('th', { scope: 'row' }), el('td', { class: 'hd-share' }), el('td')) : el('tr', {}, el('th', { colspan: '3', scope: 'colgroup' }))));
    write(body.children[0].children[0], title(job));
    figures.forEach((one, at) => {
      const [of, right, rule] = body.children[at + 1].children;
      write(of, one.text);
      write(right, `${share(one.share)} of ${one.count}`);
      write(rule, `best rule ${share(one.rule)}${one.how ? ` (${one.how})` : ''}`);
    });
  });
}

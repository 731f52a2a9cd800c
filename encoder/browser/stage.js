// @ts-check
// The sentence in large words, with arcs from the word asked and the share of each word below it.
import { arcs } from './arcs.js';
import { children, el, focused, put, rove, svg, walkByKeys, write } from './dom.js';
import { percent, tight } from './number.js';
import { direction, inFull, words } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./arcs.js').Way} Way */
const NARROW = 600; // pixels below which words stand in a column
const COLUMN = 12; // words of a column
const SIZES = [44, 38, 33, 29, 25, 22]; // pixels of letters on one line
const SAID = 0.005; // a share from which on it is written, among words on several lines
const SHORT = 10; // letters that are never cut
const MANY = 60; // words from which on they are small

/** @param {HTMLElement} root @param {(position: number) => void} choose */
export function stage(root, choose) {
  const picture = svg('svg', { class: 'enc-arcs', 'aria-hidden': 'true' });
  const list = el('div', { class: 'enc-words', role: 'toolbar', 'aria-label': 'Words: choose the one to look from' });
  const sheet = el('div', { class: 'enc-sheet' });
  sheet.append(picture, list);
  root.append(sheet);
  /** @type {Packet | null} */
  let drawn = null;
  let shown = '', wide = 0;
  /** @type {Way} */
  let way = 'across';
  /** @type {import('./arcs.js').Box[]} */
  let boxes = [];

  /** @param {EventTarget | null} target */
  const buttonOf = target => /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest('[data-word]') : null);
  list.onclick = event => {
    const button = buttonOf(event.target);
    if (button && !button.hasAttribute('aria-disabled')) choose(Number(button.dataset.word));
  };
  walkByKeys(list, undefined, () => getComputedStyle(list).direction === 'rtl' && way !== 'down');

  /** Finds how the words stand. */
  function settle() {
    const n = list.children.length, narrow = root.clientWidth < NARROW;
    way = narrow && n <= COLUMN ? 'down' : 'lines';
    root.dataset.way = narrow ? way : 'across';
    if (!narrow) {
      const size = SIZES.find(one => {
        root.style.setProperty('--letters', `${one}px`);
        return list.scrollWidth <= list.clientWidth;
      });
      way = size ? 'across' : 'lines';
      root.dataset.way = way;
    }
    if (way === 'lines') root.style.setProperty('--letters', n > MANY ? '18px' : narrow ? '21px' : '28px');
    else if (way === 'down') root.style.setProperty('--letters', '22px');
  }
  /** Finds where each word is. */
  function measure() {
    const base = sheet.getBoundingClientRect();
    boxes = [...list.children].map(one => {
      const { left, top, width, height } = (way === 'across' ? one : one.children[0]).getBoundingClientRect();
      return { x: left - base.left, y: top - base.top, w: width, h: height };
    });
    put(picture, { width: Math.round(base.width), height: Math.round(sheet.offsetHeight) });
  }
  /** Brings the asked word of many into sight. @param {number} from */
  function show(from) {
    if (root.scrollHeight > root.clientHeight && boxes[from]) root.scrollTop = boxes[from].y - root.clientHeight / 2;
  }

  return {
    /** @param {Packet} run @param {string[]} names @param {number} from @param {number[]} shares */
    draw(run, names, from, shares) {
      const all = words(run), top = shares.reduce((best, share, i) => (share > shares[best] ? i : best), 0);
      const buttons = children(list, names.length, () => el('button', { type: 'button', class: 'enc-word' }, el('bdi', { class: 'enc-name' }), el('small', { dir: 'ltr' })));
      put(list, { dir: direction(run) });
      const rows = new Set(run.about.rows), roves = buttons.findIndex(one => one.tabIndex === 0 && one.hasAttribute('tabindex'));
      buttons.forEach((button, i) => {
        const asked = i === from, share = way === 'lines' && !(shares[i] >= SAID) ? '' : tight(percent(shares[i], 1));
        write(button.children[0], names[i]);
        put(button.children[0], { title: names[i].length > SHORT ? inFull(run, names[i]) : null });
        write(button.children[1], share);
        put(button, {
          'data-word': all[i].position, 'data-share': String(shares[i]), 'aria-pressed': String(asked), 'aria-disabled': rows.has(all[i].position) ? null : 'true',
          class: ['enc-word', asked ? 'enc-asked' : '', i === top ? 'enc-most' : '', all[i].gap ? 'enc-gap' : ''].filter(Boolean).join(' '),
        });
        button.style.setProperty('--share', String(Math.round(100 * Math.min(1, shares[i] || 0))));
      });
      if (drawn !== run || roves < 0 || !list.contains(focused(list))) rove([...list.children], from);
      // Bold words are wider, so all may have moved; among words on several lines none is bold.
      const text = names.join(' ') + (way === 'lines' ? '' : ` ${from} ${top}`), anew = drawn !== run || wide !== root.clientWidth;
      if (anew) settle();
      if (anew || text !== shown) measure();
      if (anew) show(from);
      [drawn, shown, wide] = [run, text, root.clientWidth];
      const room = way === 'down' ? sheet.clientWidth - Math.max(...boxes.map(one => one.x + one.w)) - 10 : way === 'across' ? Math.min(...boxes.map(one => one.y)) - 4 : 22;
      const found = arcs({ boxes, from, shares, way, room, thickest: way === 'across' ? 22 : way === 'down' ? 17 : 9 });
      children(picture, found.length, () => svg('path')).forEach((path, i) => put(path, {
        d: found[i].path, 'stroke-width': found[i].width.toFixed(2), class: found[i].most ? 'enc-most' : null, 'data-to': all[found[i].to].position,
      }));
    },
  };
}

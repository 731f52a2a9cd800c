// @ts-check
// Which of all heads looks most from one token at another, and the way to it.
import { el, put, write } from './dom.js';
import { typeset } from './number.js';
import { at } from './packet.js';
import { say } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./claim.js').Head} Head */

/** The head that looks most from a token at another, the first of several; null where none does. @param {Packet} run @param {number} row among those that the run keeps @param {number} column @returns {(Head & {share: number}) | null} */
export function mostThere({ about: { model }, arrays: { weights } }, row, column) {
  let best = { layer: -1, head: -1, share: 0 };
  for (let layer = 0; layer < model.layers; layer++) {
    for (let head = 0; head < model.heads; head++) {
      const share = at(weights, layer, head, row, column);
      if (share > best.share) best = { layer, head, share };
    }
  }
  return best.layer < 0 ? null : best;
}

/** @param {(head: Head) => void} go */
export function lookedAtMost(go) {
  const here = el('span'), link = el('button', { type: 'button', class: 'enc-link' }), element = el('p', { class: 'at-most' }, here, link);
  return {
    element,
    /** @param {Packet | null} run null where nothing is to be said @param {Head & {row: number, column: number}} place what is chosen */
    draw(run, { layer, head, row, column }) {
      const found = run && mostThere(run, row, column), count = run ? run.about.model.layers * run.about.model.heads : 0;
      element.hidden = !found || count < 2;
      if (!run || !found) return;
      const own = at(run.arrays.weights, layer, head, row, column) >= found.share;
      here.hidden = !own;
      link.hidden = own;
      write(here, own ? say('most_here', { count }) : '');
      write(link, own ? '' : typeset(`${say('most_elsewhere', { count, ...found })} →`));
      put(link, { onclick: () => go({ layer: found.layer, head: found.head }) });
    },
  };
}

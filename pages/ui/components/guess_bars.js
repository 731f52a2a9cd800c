// @ts-check
// The words of a guess as bars. They stay while their numbers change, so that one sees them move.
import { children, el, put, write } from '../../../encoder/browser/dom.js';

/**
 * @typedef {{ word: string, now: number, before: number | null, said: string }} GuessedWord
 * @typedef {{ said: string, words: GuessedWord[] }} GuessData
 */

const line = () => el('li', {}, el('b'),
  el('span', { class: 'track' }, el('i', { class: 'now' }), el('i', { class: 'before' })), el('span', { class: 'share' }));

/** How wide a bar is. @param {number} share */
export const width = share => `${(100 * share).toFixed(2)}%`;

/** @param {Element} line @param {string} selector */
const part = (line, selector) => /** @type {HTMLElement} */ (line.querySelector(selector));

/** @param {Element} line @param {GuessedWord} one */
function fill(line, one) {
  write(put(part(line, 'b'), { title: one.word }), one.word);
  write(part(line, '.share'), one.said);
  part(line, '.now').style.width = width(one.now);
  part(line, '.before').hidden = one.before === null;
  part(line, '.before').style.width = width(one.before || 0);
}

/** @param {ComponentArguments<GuessData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.guess'));
  const [list] = children(put(root, { 'aria-label': data.said }), 1, () => el('ol'));
  children(list, data.words.length, line).forEach((one, i) => fill(one, data.words[i]));
}

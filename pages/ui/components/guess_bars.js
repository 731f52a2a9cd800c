// @ts-check
// The words of a guess as bars. They stay while their numbers change, so that one sees them move.

/**
 * @typedef {{ word: string, now: number, before: number | null, said: string }} GuessedWord
 * @typedef {{ said: string, words: GuessedWord[] }} GuessData
 */

const LINE = "<b></b><span class='track'><i class='now'></i><i class='before'></i></span><span class='share'></span>";

/** How wide a bar is. @param {number} share */
export const width = share => `${(100 * share).toFixed(2)}%`;

/** @param {Element} line @param {string} selector */
const part = (line, selector) => /** @type {HTMLElement} */ (line.querySelector(selector));

/** @param {Element} line @param {GuessedWord} one */
function fill(line, one) {
  part(line, 'b').textContent = one.word;
  part(line, 'b').title = one.word;
  part(line, '.share').textContent = one.said;
  part(line, '.now').style.width = width(one.now);
  part(line, '.before').hidden = one.before === null;
  part(line, '.before').style.width = width(one.before || 0);
}

/** @param {ComponentArguments<GuessData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.guess'));
  if (!root.firstChild) root.append(document.createElement('ol'));
  root.setAttribute('aria-label', data.said);
  const list = /** @type {HTMLElement} */ (root.firstElementChild);
  while (list.children.length > data.words.length) list.lastElementChild?.remove();
  while (list.children.length < data.words.length) {
    const line = document.createElement('li');
    line.innerHTML = LINE;
    list.append(line);
  }
  data.words.forEach((one, i) => fill(list.children[i], one));
}

// @ts-check
// The chapters of the story with their stops: a click leads to one, what was guessed has a tick.

/**
 * @typedef {{ number: number, name: string, done: boolean }} RailStop
 * @typedef {{ at: number, chapters: { name: string, stops: RailStop[] }[] }} RailData
 */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {string} [text]
 */
const element = (tag, className, text) =>
  Object.assign(document.createElement(tag), { className, textContent: text || '' });

/** @param {ComponentArguments<RailData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.rail'));
  const focused = [...root.querySelectorAll('button')].findIndex(one => one === parentElement.activeElement);
  const chapters = element('ol', 'chapters');
  for (const { name, stops } of data.chapters) {
    const here = stops.some(stop => stop.number === data.at);
    const chapter = element('li', here ? 'chapter here' : 'chapter');
    const list = element('ol', 'stops');
    for (const stop of stops) {
      const item = element('li', '');
      const button = element('button', stop.done ? 'done' : '');
      button.type = 'button';
      button.append(element('i', '', stop.done ? '✓' : String(stop.number)), element('span', '', stop.name));
      button.setAttribute('aria-label', `${stop.number} ${stop.name}${stop.done ? ', guessed' : ''}`);
      if (stop.number === data.at) button.setAttribute('aria-current', 'step');
      button.onclick = () => setTriggerValue('picked', stop.number);
      item.append(button);
      list.append(item);
    }
    chapter.append(element('strong', '', name), list);
    chapters.append(chapter);
  }
  root.replaceChildren(chapters);
  if (focused >= 0) root.querySelectorAll('button')[focused]?.focus();
}

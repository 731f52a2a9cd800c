// @ts-check
// The chapters of the story, and the stops of the one on the screen: a click leads to one, what was guessed has a tick.

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
  const within = root.contains(parentElement.activeElement ?? null);
  /** @param {string} className @param {string} label @param {number} to @param {HTMLElement[]} inside */
  const way = (className, label, to, inside) => {
    const item = element('li', className), button = element('button', '');
    button.type = 'button';
    button.append(...inside);
    button.setAttribute('aria-label', label);
    button.onclick = () => setTriggerValue('picked', to);
    item.append(button);
    return item;
  };
  const chapters = element('ol', 'chapters'), list = element('ol', 'stops');
  for (const { name, stops } of data.chapters) {
    const first = stops[0].number, range = `${first}–${stops[stops.length - 1].number}`, left = stops.filter(stop => !stop.done);
    const titled = [element('strong', '', name), element('span', 'range', left.length ? range : `${range} ✓`)];
    if (stops.every(stop => stop.number !== data.at)) {
      chapters.append(way('chapter', `${name}, stops ${range}`, (left[0] ?? stops[0]).number, titled));
      continue;
    }
    const here = element('li', 'chapter here');
    here.append(...titled);
    chapters.append(here);
    for (const stop of stops) {
      const label = `${stop.number} ${stop.name}${stop.done ? ', guessed' : ''}`, kind = stop.done ? 'done' : '';
      const named = [element('i', '', stop.done ? '✓' : String(stop.number)), element('span', '', stop.name)];
      if (stop.number !== data.at) {
        list.append(way(kind, label, stop.number, named));
        continue;
      }
      const now = element('li', kind); // where we are leads nowhere
      now.append(...named);
      now.setAttribute('aria-label', label);
      now.setAttribute('aria-current', 'step');
      now.tabIndex = -1;
      list.append(now);
    }
  }
  root.replaceChildren(chapters, list);
  if (within) /** @type {HTMLElement | null} */ (root.querySelector('[aria-current]'))?.focus();
}

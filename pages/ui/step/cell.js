// @ts-check
// The way to a number without a mouse: its row, its column, and a button that opens it. Both follow the number that is open.

/** @typedef {{ rows: string[], columns: string[] | number | null, at: [number, number] | null }} Data without rows there is but one; columns are by their names, by number, or as the rows */
/** @typedef {HTMLElement & { at?: string }} Host */

/**
 * The words of both lists.
 * @param {Data} data
 */
export const lists = ({ rows, columns }) => [rows, typeof columns === 'number' ? Array.from({ length: columns }, (_, i) => String(i)) : columns ?? rows];

/** @param {ComponentArguments<Data>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const host = /** @type {Host} */ (parentElement.querySelector('div'));
  const boxes = [...host.querySelectorAll('select')];
  lists(data).forEach((words, which) => {
    const box = boxes[which], chosen = box.selectedIndex;
    /** @type {HTMLElement} */ (box.parentElement).hidden = !words.length;
    if (words.length === box.options.length && words.every((word, i) => word === box.options[i].text)) return;
    box.replaceChildren(...words.map((word, i) => new Option(word, String(i))));
    box.selectedIndex = Math.min(Math.max(0, chosen), words.length - 1);
  });
  const at = JSON.stringify(data.at);
  if (data.at && host.at !== at) boxes.forEach((box, which) => { box.selectedIndex = /** @type {[number, number]} */ (data.at)[which]; });
  host.at = at;
  /** @type {HTMLButtonElement} */ (host.querySelector('button')).onclick = () =>
    setTriggerValue('picked', boxes.map(box => Math.max(0, box.selectedIndex)));
}

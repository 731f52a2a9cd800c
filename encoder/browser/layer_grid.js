// @ts-check
// A grid with a column for each layer. What is followed has a line through the columns; a column or cell that is pressed is told of.
import { el, focused, put, reveal, rove } from './dom.js';
import { html, nothing, render as into } from './lit.js';

/** @typedef {import('./logit_lens.js').Table} Table */
/** @typedef {{column: number, row: number}} At `row` is -1 for the heads of columns */
/** @typedef {{keep: (column: number, word: number | null, token: number | null) => void}} Heard */

const FIT = 8; // columns that stand side by side without scrolling

/** @param {Heard} heard */
export function layered({ keep }) {
  const sheet = el('div'), element = el('div', { class: 'ou-scroll' }, sheet);
  /** @type {Table | null} */
  let table = null;
  /** @type {At} */
  let at = { column: 0, row: -1 };
  let known = '', seen = -1;

  /** @param {EventTarget | null} target @returns {At | null} */
  const placeOf = target => {
    const [column, row] = (target instanceof Element ? target.closest('[data-cell]')?.getAttribute('data-cell') ?? '' : '').split(',').map(Number);
    return row === undefined ? null : { column, row };
  };
  const cells = () => /** @type {HTMLElement[]} */ ([...sheet.querySelectorAll('[data-cell]')]);
  /** @param {At} to */
  const cellOf = ({ column, row }) => /** @type {HTMLElement | null} */ (sheet.querySelector(`[data-cell="${column},${row}"]`));
  const stop = () => rove(cells(), cells().findIndex(cell => cell === cellOf(at)));
  /** @param {At} to @param {boolean} [still] whether nothing is scrolled */
  function choose(to, still = false) {
    const row = table?.rows[to.row];
    at = to;
    keep(to.column, row?.cells[to.column].word ?? null, row?.token ?? null);
    stop();
    cellOf(at)?.focus({ preventScroll: still });
  }
  /** @param {MouseEvent} event */
  function click({ target }) {
    const to = placeOf(target);
    if (to) choose(to, true);
  }
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const from = placeOf(focused(sheet));
    if (!from || !table || event.ctrlKey || event.metaKey || event.altKey) return;
    const { row, column } = from, last = table.columns.length - 1;
    const to = { ArrowRight: [column + 1, row], ArrowLeft: [column - 1, row], ArrowDown: [column, row + 1], ArrowUp: [column, row - 1], Home: [0, row], End: [last, row] }[event.key];
    if (!to) return;
    event.preventDefault();
    if (to[0] >= 0 && to[0] <= last && to[1] >= -1 && to[1] < table.rows.length) choose({ column: to[0], row: to[1] });
  }

  /** Draws the line from cell to cell. */
  function trace() {
    if (!table || element.hidden) return;
    element.classList.toggle('is-long', sheet.offsetWidth > element.clientWidth);
    const boxes = table.path.map((row, column) => cellOf({ column, row })), [line, path] = sheet.querySelectorAll('svg, path');
    put(line, { width: sheet.offsetWidth, height: sheet.offsetHeight });
    const middle = (/** @type {HTMLElement} */ cell) => cell.offsetTop + cell.offsetHeight / 2;
    put(path, { d: boxes.slice(1).map((to, i) => {
      const from = boxes[i];
      if (!from || !to) return '';
      const x = from.offsetLeft + from.offsetWidth, end = to.offsetLeft, half = (x + end) / 2;
      return `M${x},${middle(from)}C${half},${middle(from)},${half},${middle(to)},${end},${middle(to)}`;
    }).join('') });
  }
  const watch = new ResizeObserver(trace);
  watch.observe(sheet);

  return {
    element,
    /** @param {Table} given @param {number} kept the column that is told of */
    draw(given, kept) {
      table = given;
      const { columns, rows } = given, count = columns.length, mark = (/** @type {number} */ column) => (column === kept ? ' is-kept' : '');
      put(sheet, { class: `ou-sheet${count > FIT ? ' is-wide' : ''}`, style: `--columns: ${count}` });
      into(html`<div class="ou-grid" role="grid" aria-label=${given.label} aria-colcount=${count + 1} aria-rowcount=${rows.length + 1} @click=${click} @keydown=${walk}>
          <div role="row" class="ou-row"><div role="columnheader" class="ou-corner"><span>after</span></div>${columns.map(({ text, title }, i) => html`<div role="columnheader" class="ou-head${mark(i)}" data-cell="${i},-1" data-column=${i} title=${title}>${text}</div>`)}</div>
          ${rows.map(({ name, title: whole, plain, cells }, r) => html`<div role="row" class="ou-row${plain ? ' is-plain' : ''}"><div role="rowheader" class="ou-row-name" title=${whole ?? nothing} aria-label=${whole ?? nothing}><bdi translate="no" lang="">${name}</bdi></div>${cells.map(({ text, small, deep, title, is }, i) => html`
            <div role="gridcell" class="ou-cell${plain ? ' is-plain' : ''}${is ? ' is-followed' : ''}${mark(i)}" data-cell="${i},${r}" data-column=${i} aria-label=${title} aria-selected=${is ? 'true' : nothing} title=${text.length > 9 ? title : nothing} style="--deep: ${Math.round(50 * Math.max(0, Math.min(1, deep || 0)))}%"><bdi translate="no" lang="">${text}</bdi><small>${small}</small></div>`)}</div>`)}</div>
        <svg class="ou-line" aria-hidden="true"><path></path></svg>`, sheet);
      if (!sheet.contains(focused(sheet))) at = { column: kept, row: given.path[kept] };
      stop();
      trace();
      const head = cellOf({ column: kept, row: -1 });
      if (known !== given.key) element.scrollLeft = (head?.offsetLeft ?? 0) - element.clientWidth / 2;
      else if (kept !== seen) reveal(element, head, /** @type {Element} */ (sheet.querySelector('.ou-corner')).getBoundingClientRect().right - element.getBoundingClientRect().left);
      [known, seen] = [given.key, kept];
    },
    end: () => watch.disconnect(),
  };
}

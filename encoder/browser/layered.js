// @ts-check
// A grid with a column for each layer. What is followed has a line through the columns; a column that is pointed at, or a cell that is chosen, is told of.
import { children, el, focused, put, reveal, svg, write } from './dom.js';

/** @typedef {import('./settling.js').Table} Table */
/** @typedef {{column: number, row: number}} At `row` is -1 for the heads of columns */
/**
 * @typedef {{point: (column: number | null) => void, keep: (column: number, word: number | null, token: number | null) => void}} Heard
 */

const FIT = 8; // columns that stand side by side without scrolling

/** @param {Heard} heard */
export function layered({ point, keep }) {
  const grid = el('div', { class: 'ou-grid', role: 'grid' }), line = svg('svg', { class: 'ou-line', 'aria-hidden': 'true' }), path = line.appendChild(svg('path'));
  const sheet = el('div', { class: 'ou-sheet' }, grid, line), element = el('div', { class: 'ou-scroll' }, sheet);
  /** @type {Table | null} */
  let table = null;
  /** @type {At} */
  let at = { column: 0, row: -1 };
  let known = '', seen = -1;

  /** @param {EventTarget | null} target @returns {At | null} */
  const placeOf = target => {
    const cell = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('[data-cell]')) : null;
    const [column, row] = (cell?.dataset.cell ?? '').split(',').map(Number);
    return cell ? { column, row } : null;
  };
  /** @param {At} to */
  const cellOf = ({ column, row }) => /** @type {HTMLElement | null} */ (grid.querySelector(`[data-cell="${column},${row}"]`));
  /** @param {At} to */
  function choose(to) {
    const row = table?.rows[to.row];
    at = to;
    keep(to.column, row?.cells[to.column].word ?? null, row?.token ?? null);
    rove();
  }
  const rove = () => { for (const cell of grid.querySelectorAll('[data-cell]')) put(cell, { tabindex: cell.getAttribute('data-cell') === `${at.column},${at.row}` ? '0' : '-1' }); };

  grid.onpointerover = event => { if (event.pointerType === 'mouse') point(placeOf(event.target)?.column ?? null); };
  grid.onpointerleave = () => point(null);
  grid.onclick = event => {
    const to = placeOf(event.target);
    if (!to) return;
    choose(to);
    cellOf(at)?.focus({ preventScroll: true });
  };
  grid.onkeydown = event => {
    const from = placeOf(focused(grid));
    if (!from || !table || event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    const columns = table.columns.length;
    const to = event.key === 'Home' ? { ...from, column: 0 } : event.key === 'End' ? { ...from, column: columns - 1 }
      : by ? { column: from.column + by[0], row: from.row + by[1] } : null;
    if (!to) return;
    event.preventDefault();
    if (to.column < 0 || to.column >= columns || to.row < -1 || to.row >= table.rows.length) return;
    choose(to);
    cellOf(at)?.focus();
  };

  /** Draws the line from cell to cell. */
  function trace() {
    if (!table || element.hidden) return;
    const boxes = table.path.map((row, column) => cellOf({ column, row }));
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
    /** @param {Table} given @param {number} shown the column that is told of @param {number} kept */
    draw(given, shown, kept) {
      table = given;
      const { columns, rows } = given, count = columns.length;
      put(grid, { 'aria-label': given.label, 'aria-colcount': count + 1, 'aria-rowcount': rows.length + 1 });
      sheet.style.setProperty('--columns', String(count));
      sheet.classList.toggle('is-wide', count > FIT);
      const lines = children(grid, rows.length + 1, () => el('div', { role: 'row', class: 'ou-row' }));
      const top = children(lines[0], count + 1, i => el('div', { role: 'columnheader', class: i ? 'ou-head' : 'ou-corner' }));
      top.forEach((head, i) => {
        if (!i) {
          write(head, 'after');
          return;
        }
        write(head, columns[i - 1].text);
        put(head, { 'data-cell': `${i - 1},-1`, 'data-column': i - 1, title: columns[i - 1].title, class: marks('ou-head', i - 1) });
      });
      rows.forEach((row, r) => {
        const cells = children(lines[r + 1], count + 1, i => (i ? el('div', { role: 'gridcell' }, el('bdi'), el('small')) : el('div', { role: 'rowheader', class: 'ou-row-name' }, el('bdi'))));
        put(lines[r + 1], { class: `ou-row${row.plain ? ' is-plain' : ''}` });
        cells.forEach((cell, i) => {
          if (!i) {
            write(cell.children[0], row.name);
            put(cell, { title: row.title ?? null, 'aria-label': row.title ?? null });
            return;
          }
          const { text, small = '', deep, title, is } = row.cells[i - 1];
          write(cell.children[0], text);
          write(cell.children[1], small);
          put(cell, {
            'data-cell': `${i - 1},${r}`, 'data-column': i - 1, 'aria-label': title, 'aria-selected': is ? 'true' : null,
            class: marks(`ou-cell${row.plain ? ' is-plain' : ''}${is ? ' is-followed' : ''}`, i - 1), title: text.length > 9 ? title : null,
          });
          cell.style.setProperty('--deep', `${Math.round(50 * Math.max(0, Math.min(1, deep || 0)))}%`);
        });
      });
      if (!grid.contains(focused(grid))) at = { column: kept, row: given.path[kept] };
      rove();
      trace();
      if (known !== given.key) element.scrollLeft = (cellOf({ column: kept, row: -1 })?.offsetLeft ?? 0) - element.clientWidth / 2;
      else if (kept !== seen) reveal(element, cellOf({ column: kept, row: -1 }), top[0].getBoundingClientRect().right - element.getBoundingClientRect().left);
      [known, seen] = [given.key, kept];

      /** @param {string} name @param {number} column */
      function marks(name, column) {
        return `${name}${column === shown ? ' is-shown' : ''}${column === kept ? ' is-kept' : ''}`;
      }
    },
    end: () => watch.disconnect(),
  };
}

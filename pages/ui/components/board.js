// @ts-check
// A table of switches: a row for each layer, a column for each part; the server decides what a click does.

/**
 * What a switch says of itself.
 * @param {string} row
 * @param {string} column
 * @param {boolean} off
 */
export const spoken = (row, column, off) => `${row}, ${column}, ${off ? 'off' : 'on'}`;

/**
 * A cell that names its row or column.
 * @param {string} scope
 * @param {string} text
 */
const title = (scope, text) => Object.assign(document.createElement('th'), { scope, textContent: text });

/** @param {ComponentArguments<{ rows: string[], columns: string[], off: boolean[][] }>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const { rows, columns, off } = data;
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  head.append(document.createElement('td'), ...columns.map(name => title('col', name)));
  const body = table.createTBody();
  const focused = [...parentElement.querySelectorAll('button')].findIndex(one => one === parentElement.activeElement);
  rows.forEach((name, i) => {
    const row = body.insertRow();
    row.append(title('row', name));
    columns.forEach((column, j) => {
      const button = document.createElement('button');
      button.className = off[i][j] ? 'off' : '';
      button.setAttribute('aria-pressed', String(Boolean(off[i][j])));
      button.setAttribute('aria-label', spoken(name, column, off[i][j]));
      button.textContent = off[i][j] ? '\u2715' : '\u00b7';
      button.title = name + ', ' + column;
      button.onclick = () => setTriggerValue('picked', [i, j]);
      row.insertCell().append(button);
    });
  });
  parentElement.querySelector('.board')?.replaceChildren(table);
  if (focused >= 0) table.querySelectorAll('button')[focused]?.focus();
}

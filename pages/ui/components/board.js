// @ts-check
// A table of switches: a row for each layer, a column for each part; the server decides what a click does.

/**
 * What a switch says of itself.
 * @param {string} row
 * @param {string} column
 * @param {boolean} off
 * @param {string} effect
 */
export const spoken = (row, column, off, effect) => `${row}, ${column}, ${off ? 'off' : 'on'}${effect ? `, ${effect}` : ''}`;

/**
 * A cell that names its row or column.
 * @param {string} scope
 * @param {string} text
 */
const title = (scope, text) => Object.assign(document.createElement('th'), { scope, textContent: text });

/**
 * @typedef {{ colour: string, said: string } | null} SwitchEffect
 * @param {ComponentArguments<{ rows: string[], columns: string[], off: boolean[][], effects: SwitchEffect[][] }>} given
 */
export default function ({ data, parentElement, setTriggerValue }) {
  const { rows, columns, off, effects } = data;
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
      const effect = effects[i][j];
      button.className = off[i][j] ? 'off' : effect ? 'measured' : '';
      button.style.setProperty('--effect', effect ? effect.colour : '');
      button.setAttribute('aria-pressed', String(Boolean(off[i][j])));
      button.setAttribute('aria-label', spoken(name, column, off[i][j], effect ? effect.said : ''));
      button.textContent = off[i][j] ? '\u2715' : '\u00b7';
      button.title = `${name}, ${column}${effect ? `: ${effect.said}` : ''}`;
      button.onclick = () => setTriggerValue('picked', [i, j]);
      row.insertCell().append(button);
    });
  });
  parentElement.querySelector('.board')?.replaceChildren(table);
  if (focused >= 0) table.querySelectorAll('button')[focused]?.focus();
}

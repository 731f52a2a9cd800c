// A table of switches: a row for each layer, a column for each part; the server decides what a click does.
export default function ({ data, parentElement, setTriggerValue }) {
  const { rows, columns, off } = data;
  const table = document.createElement('table');
  const head = table.createTHead().insertRow();
  head.append(document.createElement('td'));
  for (const name of columns) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  const old = parentElement.querySelector('table');
  const focused = old && [...old.querySelectorAll('button')].indexOf(parentElement.activeElement);
  rows.forEach((name, i) => {
    const row = body.insertRow();
    const title = document.createElement('th');
    title.scope = 'row';
    title.textContent = name;
    row.append(title);
    columns.forEach((column, j) => {
      const button = document.createElement('button');
      button.className = off[i][j] ? 'off' : '';
      button.setAttribute('aria-pressed', Boolean(off[i][j]));
      button.setAttribute('aria-label', name + ', ' + column + (off[i][j] ? ', off' : ', on'));
      button.textContent = off[i][j] ? '\u2715' : '\u00b7';
      button.title = name + ', ' + column;
      button.onclick = () => setTriggerValue('picked', [i, j]);
      row.insertCell().append(button);
    });
  });
  parentElement.querySelector('.board').replaceChildren(table);
  if (focused >= 0) table.querySelectorAll('button')[focused]?.focus();
}

export default function ({ data, parentElement, setTriggerValue }) {
  const grid = parentElement.querySelector('.grid');
  const cells = Uint8Array.from(atob(data.cells), c => c.charCodeAt(0));
  const { rows, heads, tokens, pixels, palette, low, high, chosen, every } = data;
  const text = level => (low + (level / 254) * (high - low)).toPrecision(3);
  while (grid.children.length > heads) grid.lastChild.remove();
  for (let h = 0; h < heads; h++) {
    let box = grid.children[h];
    if (!box) {
      box = document.createElement('button');
      box.append(document.createElement('span'), document.createElement('canvas'));
      grid.append(box);
    }
    const [name, canvas] = box.children;
    name.textContent = 'head ' + h;
    box.className = h === chosen ? 'chosen' : '';
    box.setAttribute('aria-pressed', h === chosen);
    box.setAttribute('aria-label', 'Show head ' + h);
    canvas.width = canvas.height = rows;
    canvas.style.width = canvas.style.height = pixels + 'px';
    const context = canvas.getContext('2d');
    const image = context.createImageData(rows, rows);
    for (let p = 0; p < rows * rows; p++) {
      image.data.set([...palette[cells[h * rows * rows + p]], 255], 4 * p);
    }
    context.putImageData(image, 0, 0);
    canvas.onmousemove = event => {
      const [i, j] = [event.offsetY, event.offsetX].map(d => Math.max(0, Math.min(rows - 1, Math.floor(d / pixels * rows))));
      canvas.title = tokens[i * every] + ' \u2192 ' + tokens[j * every] + '  ' + text(cells[h * rows * rows + i * rows + j]);
    };
    box.onclick = () => setTriggerValue('head', h);
  }
}

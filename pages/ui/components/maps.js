// Small maps on canvases with one shared cursor: hover or arrow keys read a cell in all of them, click or Enter picks it.
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.maps');
  const { maps, rows, columns, names, every, width, across, chosen, cell, palettes } = data;
  const colours = Object.fromEntries(Object.entries(palettes).map(([kind, text]) => [kind, bytes(text)]));
  const read = maps.map(m => (m.exact ? new Float32Array(bytes(m.cells).buffer) : bytes(m.cells)));
  const level = (m, v) => Math.round(Math.max(0, Math.min(1, (v - m.low) / (m.high - m.low))) * 254);
  const shown = (m, v) => {
    if (v === -Infinity) return '\u2212\u221e';
    return m.exact ? String(Number(v.toPrecision(4))) : '\u2248 ' + (m.low + (v / 254) * (m.high - m.low)).toPrecision(3);
  };
  const name = i => names[i * every];

  root.style.setProperty('--least', width + 'px');
  root.style.gridTemplateColumns = across ? `repeat(${across}, minmax(24px, 1fr))` : '';
  while (root.children.length > maps.length) root.lastChild.remove();
  maps.forEach((m, index) => {
    let box = root.children[index];
    if (!box) {
      box = document.createElement('figure');
      for (const [tag, cls] of [['figcaption', ''], ['div', 'plate'], ['output', '']]) {
        const part = document.createElement(tag);
        part.className = cls;
        box.append(part);
      }
      box.children[1].append(document.createElement('canvas'), document.createElement('i'), document.createElement('b'));
      root.append(box);
    }
    const [caption, plate, output] = box.children;
    const [canvas, cursor, mark] = plate.children;
    caption.textContent = m.title;
    box.className = index === chosen ? 'chosen' : '';
    canvas.width = columns;
    canvas.height = rows;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'button');
    canvas.setAttribute('aria-label', m.label);
    const image = canvas.getContext('2d').createImageData(columns, rows);
    read[index].forEach((v, p) => {
      if (v === -Infinity) return;
      const at = 3 * (m.exact ? level(m, v) : v);
      image.data.set([...colours[m.kind].subarray(at, at + 3), 255], 4 * p);
    });
    canvas.getContext('2d').putImageData(image, 0, 0);

    const frame = (element, at) => {
      element.hidden = !at;
      if (!at) return;
      Object.assign(element.style, {
        top: (100 * at[0]) / rows + '%', left: (100 * at[1]) / columns + '%',
        height: 100 / rows + '%', width: 100 / columns + '%',
      });
    };
    box.point = at => {
      frame(cursor, at);
      const value = at && read[index][at[0] * columns + at[1]];
      output.textContent = at ? name(at[0]) + ' \u2192 ' + name(at[1]) + ': ' + shown(m, value) : '';
    };
    frame(mark, cell);
    box.point(null);
    const point = at => { root.at = at; for (const other of root.children) other.point(at); };
    const inside = event => {
      const rect = canvas.getBoundingClientRect();
      const part = (d, size, count) => Math.max(0, Math.min(count - 1, Math.floor((d / size) * count)));
      return [part(event.clientY - rect.top, rect.height, rows), part(event.clientX - rect.left, rect.width, columns)];
    };
    const pick = at => setTriggerValue('picked', [index, ...(at || [0, 0])]);
    canvas.onmousemove = event => point(inside(event));
    canvas.onmouseleave = () => point(null);
    canvas.onclick = event => pick(inside(event));
    canvas.onfocus = () => canvas.matches(':focus-visible') && point(root.at || cell || [0, 0]);
    canvas.onblur = () => point(null);
    canvas.onkeydown = event => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (step) {
        const at = root.at || [0, 0];
        point([Math.max(0, Math.min(rows - 1, at[0] + step[0])), Math.max(0, Math.min(columns - 1, at[1] + step[1]))]);
      } else if (event.key === 'Enter' || event.key === ' ') pick(root.at);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
  });
}

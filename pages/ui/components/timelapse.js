// One map at several moments: a slider and a play button that move it in the browser alone, with what is said at each moment.
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const PAUSE = 900; // milliseconds at each moment

function build(root) {
  const make = (tag, cls, parent) => {
    const element = document.createElement(tag);
    element.className = cls;
    parent.append(element);
    return element;
  };
  const bar = make('div', 'bar', root);
  const view = make('div', 'view', root);
  const parts = { bar, button: make('button', 'play', bar), slider: make('input', 'slider', bar), step: make('output', 'step', bar) };
  const plate = make('div', 'plate', view);
  Object.assign(parts, {
    plate, left: make('div', 'left', plate), canvas: make('canvas', 'map', plate), below: make('div', 'below', plate),
    cell: make('output', 'cell', view), answers: make('ol', 'answers', view),
  });
  view.insertBefore(parts.answers, parts.cell);
  parts.slider.type = 'range';
  parts.slider.min = 0;
  parts.canvas.tabIndex = 0;
  return parts;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector('.player');
  const { moments, rows, every, names, palette, label, start } = data;
  const parts = (root.parts ||= build(root));
  const colours = bytes(palette);
  const last = moments.length - 1;
  if (root.start !== start) root.at = root.start = start;
  root.at = Math.min(root.at, last);

  const labels = (box, shown) => box.replaceChildren(...(shown ? names : []).map(name => {
    const line = document.createElement('span');
    line.textContent = name;
    return line;
  }));
  labels(parts.left, names.length <= 20);
  labels(parts.below, names.length <= 20);
  parts.slider.max = last;
  parts.slider.setAttribute('aria-label', 'Moment of training');
  parts.canvas.width = parts.canvas.height = rows;
  parts.canvas.setAttribute('role', 'img');

  const read = at => {
    root.cell = at;
    const cells = bytes(moments[root.at].cells);
    parts.cell.textContent = at
      ? names[at[0] * every] + ' \u2192 ' + names[at[1] * every] + ': \u2248 ' + (cells[at[0] * rows + at[1]] / 254).toFixed(2)
      : '';
  };
  const show = index => {
    root.at = index;
    const moment = moments[index];
    parts.slider.value = index;
    parts.step.textContent = moment.title;
    parts.slider.setAttribute('aria-valuetext', moment.title);
    parts.canvas.setAttribute('aria-label', label + ', ' + moment.title);
    const context = parts.canvas.getContext('2d');
    const image = context.createImageData(rows, rows);
    bytes(moment.cells).forEach((v, p) => image.data.set([...colours.subarray(3 * v, 3 * v + 3), 255], 4 * p));
    context.putImageData(image, 0, 0);
    parts.answers.replaceChildren(...moment.answers.map(([word, share]) => {
      const line = document.createElement('li');
      const bar = document.createElement('i');
      bar.style.width = 100 * share + '%';
      line.append(bar, word + ' ' + share.toPrecision(3));
      return line;
    }));
    read(root.cell || null);
  };
  const play = on => {
    clearInterval(root.timer);
    root.timer = on ? setInterval(() => {
      if (!root.isConnected || root.at >= last) return play(false);
      show(root.at + 1);
    }, PAUSE) : 0;
    parts.button.textContent = on ? '\u275a\u275a Pause' : '\u25b6 Play';
    parts.button.setAttribute('aria-pressed', on);
  };
  parts.button.onclick = () => {
    if (!root.timer && root.at >= last) show(0);
    play(!root.timer);
  };
  parts.slider.oninput = () => { play(false); show(Number(parts.slider.value)); };
  parts.bar.onkeydown = event => event.stopPropagation(); // arrow keys walk the pages elsewhere
  const inside = event => {
    const box = parts.canvas.getBoundingClientRect();
    const part = (d, size) => Math.max(0, Math.min(rows - 1, Math.floor((d / size) * rows)));
    return [part(event.clientY - box.top, box.height), part(event.clientX - box.left, box.width)];
  };
  parts.canvas.onmousemove = event => read(inside(event));
  parts.canvas.onmouseleave = parts.canvas.onblur = () => read(null);
  parts.canvas.onkeydown = event => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    read((root.cell || [0, 0]).map((v, i) => Math.max(0, Math.min(rows - 1, v + step[i]))));
    event.preventDefault();
    event.stopPropagation();
  };
  show(root.at);
  play(Boolean(root.timer));
}

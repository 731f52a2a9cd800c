// The encoder as boxes from top to bottom; a bracket on the right is a residual path around a sublayer.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.encoder');
  const { names, inside, sources, here, layer } = data;
  const focused = [...root.querySelectorAll('button')].indexOf(parentElement.activeElement);
  const make = (tag, className, text) => Object.assign(document.createElement(tag), { className, textContent: text || '' });
  const list = make('ol', '');
  let frame = null;
  names.forEach((name, i) => {
    if (inside[i] && !frame) {
      const item = make('li', 'layer');
      frame = make('ol', '');
      item.append(make('span', 'which', layer), frame);
      list.append(item);
    }
    const item = make('li', 'box');
    const button = make('button', '', name);
    button.type = 'button';
    if (i === here) button.setAttribute('aria-current', 'step');
    button.onclick = () => setTriggerValue('picked', i);
    item.append(button);
    if (sources[i] !== null) {
      const path = make('i', 'residual');
      path.title = 'residual path';
      path.style.setProperty('--boxes', i - sources[i]);
      item.append(path);
    }
    (inside[i] ? frame : list).append(item);
  });
  root.replaceChildren(list);
  if (focused >= 0) root.querySelectorAll('button')[focused]?.focus();
}

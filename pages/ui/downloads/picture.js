// Keeps what is on the screen: a picture as SVG, PNG or print, its caption, or the address of the page.
const NS = 'http://www.w3.org/2000/svg';
const EDGE = 12, LINE = 16;  // pixels around a picture, and from one line of its caption to the next
const LARGEST = 16384;  // pixels of a canvas side
const UNSEEN = '.hoverlayer, .draglayer, .zoomlayer, .selectionlayer';

const make = (tag, attributes, text) => {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  return made;
};

function ofPlot(plot) {
  const layers = [...plot.querySelectorAll('.main-svg')];
  const part = make('g', {});
  for (const layer of layers) {
    const copy = layer.cloneNode(true);
    copy.querySelectorAll(UNSEEN).forEach(one => one.remove());
    const group = make('g', {});
    group.append(...copy.childNodes);
    part.append(group);
  }
  return { part, width: layers[0].clientWidth || Number(layers[0].getAttribute('width')),
    height: layers[0].clientHeight || Number(layers[0].getAttribute('height')) };
}

function ofMaps(root, ink) {
  const whole = root.getBoundingClientRect(), part = make('g', {});
  const title = { fill: ink, 'font-family': 'sans-serif', 'font-size': 12.8, 'text-anchor': 'middle' };
  for (const box of root.children) {
    const [name, plate] = box.children, canvas = plate.querySelector('canvas');
    const at = canvas.getBoundingClientRect(), said = name.getBoundingClientRect();
    const x = at.left - whole.left, y = at.top - whole.top;
    part.append(make('text', { ...title, x: x + at.width / 2, y: said.bottom - whole.top - 4 }, name.textContent));
    part.append(make('image', { x, y, width: at.width, height: at.height, href: canvas.toDataURL(),
      preserveAspectRatio: 'none', style: 'image-rendering: pixelated' }));
    part.append(make('rect', { x, y, width: at.width, height: at.height, fill: 'none', stroke: ink, 'stroke-opacity': 0.3 }));
  }
  return { part, width: whole.width, height: whole.height };
}

function find(chart, ink) {
  const place = document.querySelector(`.st-key-${chart}`);
  const plot = place && place.querySelector('.js-plotly-plot');
  if (plot) return ofPlot(plot);
  const hosts = place ? [place, ...place.querySelectorAll('*')] : [];
  const root = hosts.map(host => (host.shadowRoot || host).querySelector('.maps')).find(Boolean);
  return root && ofMaps(root, ink);
}

function lines(text, width, font) {
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = font;
  const found = [''];
  for (const word of text.split(' ')) {
    const longer = (found.at(-1) + ' ' + word).trim();
    if (pen.measureText(longer).width <= width || !found.at(-1)) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
}

function compose({ chart, caption, alt }, host, { captioned, clear }) {
  const ink = getComputedStyle(host).getPropertyValue('--st-text-color').trim() || '#31333f';
  const app = document.querySelector('[data-testid=stApp]');
  const found = find(chart, ink);
  if (!found) return null;
  const said = captioned ? lines(caption, found.width * 0.97, '12px sans-serif') : [];
  const width = Math.round(found.width + 2 * EDGE);
  const height = Math.round(found.height + 2 * EDGE + (said.length ? LINE * said.length + EDGE : 0));
  const svg = make('svg', { xmlns: NS, width, height, viewBox: `0 0 ${width} ${height}`, role: 'img',
    'font-family': 'sans-serif' });
  svg.append(make('title', {}, alt), make('desc', {}, caption));
  if (!clear) svg.append(make('rect', { width, height, fill: app ? getComputedStyle(app).backgroundColor : '#fff' }));
  found.part.setAttribute('transform', `translate(${EDGE} ${EDGE})`);
  svg.append(found.part);
  said.forEach((line, i) => svg.append(make('text', { class: 'caption', x: EDGE, fill: ink, 'font-size': 12,
    y: found.height + 2 * EDGE + LINE * (i + 0.8) }, line)));
  return { text: new XMLSerializer().serializeToString(svg), width, height };
}

function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();  // not part of the page: a click there would close the fold this stands in
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function rasterise({ text, width, height }, scale) {
  const image = new Image();
  image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  await image.decode();
  const fit = Math.min(scale, LARGEST / Math.max(width, height));
  const canvas = Object.assign(document.createElement('canvas'),
    { width: Math.round(width * fit), height: Math.round(height * fit) });
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise(done => canvas.toBlob(done, 'image/png'));
}

function print({ text }, name) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'position: fixed; width: 0; height: 0; border: 0';
  document.body.append(frame);
  const page = frame.contentDocument;
  page.title = name;
  const style = page.createElement('style');
  style.textContent = '@page { margin: 10mm } body { margin: 0 } svg { width: 100%; height: auto; max-height: 98vh }';
  page.head.append(style);
  page.body.append(page.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true));
  frame.contentWindow.onafterprint = () => setTimeout(() => frame.remove());
  frame.contentWindow.focus();
  frame.contentWindow.print();
}

async function copy(text, field) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {  // without https the clipboard is closed, but a chosen text may be copied
    field.hidden = false;
    field.value = text;
    field.select();
    return document.execCommand('copy');
  }
}

function address(version) {
  const url = new URL(window.location.href);
  for (const name of ['embed', 'embed_options']) url.searchParams.delete(name);
  url.searchParams.set('v', version);
  return url.href;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector('.keep');
  const [options, buttons, told, field] = root.children;
  const [captioned, clear] = options.querySelectorAll('input');
  const choices = () => ({ captioned: captioned.checked, clear: clear.checked });
  options.hidden = !data.chart;
  field.hidden = true;
  told.textContent = '';
  const say = done => { told.textContent = done ? 'Copied.' : 'Copy it from the field below.'; };
  const picture = use => async () => {
    const drawing = compose(data, root, choices());
    if (!drawing) { told.textContent = 'There is no picture to keep.'; return; }
    told.textContent = '';
    await use(drawing);
  };
  const png = scale => picture(async drawing => save(await rasterise(drawing, scale), `${data.name}-${scale}x.png`));
  const actions = data.chart ? {
    'SVG': picture(drawing => save(new Blob([drawing.text], { type: 'image/svg+xml' }), `${data.name}.svg`)),
    'PNG 1×': png(1), 'PNG 2×': png(2), 'PNG 4×': png(4),
    'Print or PDF': picture(drawing => print(drawing, data.name)),
    'Copy caption': async () => say(await copy(data.caption, field)),
    'Copy alt text': async () => say(await copy(data.alt, field)),
  } : { 'Copy link': async () => say(await copy(address(data.version), field)) };
  buttons.replaceChildren(...Object.entries(actions).map(([name, act]) => {
    const button = Object.assign(document.createElement('button'), { textContent: name, type: 'button' });
    button.onclick = () => act().catch(error => { told.textContent = `This did not work: ${error.message}`; });
    return button;
  }));
}

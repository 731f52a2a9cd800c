// @ts-check
// Keeps what is on the screen: a picture as SVG, PNG or print, its caption, or the address of the page.
const NS = 'http://www.w3.org/2000/svg';
const EDGE = 12, LINE = 16;  // pixels around a picture, and from one line of its caption to the next
const LARGEST = 16384;  // pixels of a canvas side
const VECTOR = 4096;  // cells of a picture that are drawn as rectangles; of more an image is kept
/** What was chosen last, which holds for the next picture, and where a fold is drawn anew. */
const chosen = { captioned: true, clear: false };
const UNSEEN = '.hoverlayer, .draglayer, .zoomlayer, .selectionlayer';

/** @typedef {{ chart: string, name: string, caption: string, alt: string, version?: string }} KeepData */
/** @typedef {{ part: SVGElement, width: number, height: number }} Found the drawing of a chart and its size in pixels */
/** @typedef {{ text: string, width: number, height: number }} Drawing an SVG file */

/**
 * Break a text into lines that are at most so wide; a single word may be wider.
 * @param {string} text
 * @param {number} width
 * @param {(line: string) => number} measure
 */
export function broken(text, width, measure) {
  const found = [''];
  for (const word of text.split(' ')) {
    const longer = (found[found.length - 1] + ' ' + word).trim();
    if (measure(longer) <= width || !found[found.length - 1]) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found;
}

/**
 * A text with a sign in place of every character that no XML may hold, which a sentence may.
 * @param {string} text
 */
export function wellFormed(text) {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}

/**
 * The size of a file of pixels: so many times the drawing, but no side longer than a canvas may be.
 * @param {number} width
 * @param {number} height
 * @param {number} scale
 */
export function pixelSize(width, height, scale) {
  const fit = Math.min(scale, LARGEST / Math.max(width, height));
  return { width: Math.round(width * fit), height: Math.round(height * fit) };
}

/**
 * The address of a page as a link for others: of this version, and not as a frame.
 * @param {string} href
 * @param {string} version
 */
export function address(href, version) {
  const url = new URL(href);
  for (const name of ['embed', 'embed_options']) url.searchParams.delete(name);
  url.searchParams.set('v', version);
  return url.href;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {string | null} [text]
 */
const make = (tag, attributes, text) => {
  const made = /** @type {SVGElement} */ (document.createElementNS(NS, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
};

/**
 * Rectangles for the cells of an area, from a picture of it: each has the colour in its middle, and what is clear has none.
 * @param {ArrayLike<number>} pixels red, green, blue and how solid, row by row
 * @param {{ width: number, height: number }} size of the picture in pixels
 * @param {{ rows: number, columns: number }} count
 * @param {{ x: number, y: number, width: number, height: number }} area
 */
export function cells(pixels, size, { rows, columns }, area) {
  const found = [], width = area.width / columns, height = area.height / rows;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const down = Math.floor((row + 0.5) / rows * size.height), across = Math.floor((column + 0.5) / columns * size.width);
      const [red, green, blue, solid] = Array.from({ length: 4 }, (_, i) => pixels[4 * (down * size.width + across) + i]);
      if (solid) found.push({ row, column, shape: { x: area.x + column * width, y: area.y + row * height, width, height,
        fill: `rgb(${red},${green},${blue})`, 'shape-rendering': 'crispEdges' } });
    }
  }
  return found;
}

/**
 * The heatmaps of a chart as rectangles, where they have few enough cells.
 * @param {any} plot
 * @param {SVGElement} part
 */
async function asCells(plot, part) {
  const heats = (plot._fullData || []).filter((/** @type {any} */ one) => one.type === 'heatmap' && one.visible === true);
  const images = [...part.querySelectorAll('.hm image')];
  const counts = heats.map((/** @type {any} */ { z }) => ({ rows: z.length, columns: z[0]?.length || 0 }));
  const all = counts.reduce((/** @type {number} */ sum, /** @type {any} */ { rows, columns }) => sum + rows * columns, 0);
  if (images.length !== heats.length || all > VECTOR) return;
  for (const [index, image] of images.entries()) {
    const seen = new Image();
    seen.src = image.getAttribute('href') || image.getAttributeNS('http://www.w3.org/1999/xlink', 'href') || '';
    await seen.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: seen.naturalWidth, height: seen.naturalHeight });
    const pen = canvas.getContext('2d');
    if (!pen) return;
    pen.drawImage(seen, 0, 0);
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(name => Number(image.getAttribute(name)));
    const group = make('g', { class: 'cells' });
    group.append(...cells(pen.getImageData(0, 0, canvas.width, canvas.height).data, canvas, counts[index],
      { x, y, width, height }).map(({ shape }) => make('rect', shape)));
    image.replaceWith(group);
  }
}

/**
 * @param {Element} plot
 * @returns {Promise<Found>}
 */
async function ofPlot(plot) {
  const layers = [...plot.querySelectorAll('.main-svg')];
  const part = make('g', {});
  for (const layer of layers) {
    const copy = /** @type {Element} */ (layer.cloneNode(true));
    copy.querySelectorAll(UNSEEN).forEach(one => one.remove());
    const group = make('g', {});
    group.append(...copy.childNodes);
    part.append(group);
  }
  await asCells(plot, part);
  return { part, width: layers[0].clientWidth || Number(layers[0].getAttribute('width')),
    height: layers[0].clientHeight || Number(layers[0].getAttribute('height')) };
}

/**
 * Small maps: their cells as rectangles that say which token looks at which, and the tokens below, as words.
 * @param {any} root
 * @param {string} ink
 * @returns {Found}
 */
function ofMaps(root, ink) {
  const whole = root.getBoundingClientRect(), part = make('g', {});
  const every = [...root.querySelectorAll('canvas')];
  const few = every.reduce((sum, { width, height }) => sum + width * height, 0) <= VECTOR;
  const title = { fill: ink, 'font-family': 'sans-serif', 'font-size': 12.8, 'text-anchor': 'middle' };
  for (const box of root.children) {
    const [name, plate] = box.children, canvas = plate.querySelector('canvas');
    if (!canvas) continue;
    const at = canvas.getBoundingClientRect(), said = name.getBoundingClientRect();
    const x = at.left - whole.left, y = at.top - whole.top;
    part.append(make('text', { ...title, x: x + at.width / 2, y: said.bottom - whole.top - 4 }, name.textContent));
    const area = { x, y, width: at.width, height: at.height }, pen = few && canvas.getContext('2d');
    if (pen) {
      const { width: columns, height: rows } = canvas, group = make('g', { class: 'cells' });
      for (const { row, column, shape } of cells(pen.getImageData(0, 0, columns, rows).data, canvas, { rows, columns }, area)) {
        const cell = make('rect', shape);
        cell.append(make('title', {}, `${root.named(row)} \u2192 ${root.named(column)}`));
        group.append(cell);
      }
      part.append(group);
    } else part.append(make('image', { ...area, href: canvas.toDataURL(), preserveAspectRatio: 'none',
      style: 'image-rendering: pixelated' }));
    part.append(make('rect', { x, y, width: at.width, height: at.height, fill: 'none', stroke: ink, 'stroke-opacity': 0.3 }));
  }
  const count = every[0]?.height || 0;
  const said = few ? lines(`Rows and columns: ${Array.from({ length: count }, (_, i) => root.named(i)).join(', ')}`,
    whole.width, '12px sans-serif') : [];
  said.forEach((line, i) => part.append(make('text', { x: 0, y: whole.height + LINE * (i + 1), fill: ink, 'font-size': 12 }, line)));
  return { part, width: whole.width, height: whole.height + LINE * said.length };
}

/**
 * The living map: its canvas, and its words as words.
 * @param {any} root
 * @param {string} ink
 * @returns {Found}
 */
function ofLivingMap(root, ink) {
  const { canvas, texts, width, height } = root.map.drawing();
  const part = make('g', {});
  part.append(make('image', { x: 0, y: 0, width, height, href: canvas.toDataURL(), preserveAspectRatio: 'none' }));
  for (const { text, x, y, size, weight, anchor, turn, box, colour } of texts) {
    if (box) part.append(make('rect', { ...box, rx: 6, fill: box.fill || 'none', stroke: colour || ink }));
    part.append(make('text', { x, y, fill: box && box.fill ? '#ffffff' : ink, 'font-size': size, 'font-weight': weight,
      'font-family': 'sans-serif', 'text-anchor': anchor, ...(turn ? { transform: `rotate(${turn} ${x} ${y})` } : {}) }, text));
  }
  return { part, width, height };
}

/**
 * A drawing that is SVG already, with the look that the page gives it.
 * @param {any} root
 * @returns {Found}
 */
function ofDrawing(root) {
  const drawing = [...root.children].find(one => one.checkVisibility()), part = make('g', {});
  for (const shape of drawing.querySelectorAll('path, text')) {
    const { fill, stroke, opacity, fontWeight, textDecorationLine } = getComputedStyle(shape), copy = shape.cloneNode(true);
    const look = { fill, stroke, opacity, 'font-weight': fontWeight, 'text-decoration': textDecorationLine, 'font-family': 'sans-serif' };
    for (const [name, value] of Object.entries(look)) copy.setAttribute(name, value);
    part.append(copy);
  }
  const { width, height } = drawing.viewBox.baseVal;
  return { part, width, height };
}

/**
 * A part of the film: the shapes that it names, words as words.
 * @param {any} root
 * @returns {Found}
 */
function ofFilm(root) {
  const { shapes, width, height } = root.film.drawing();
  const part = make('g', {});
  for (const { tag, attributes, text } of shapes) part.append(make(tag, attributes, text));
  return { part, width, height };
}

/**
 * @param {string} chart
 * @param {string} ink
 * @returns {Promise<Found> | Found | null}
 */
function find(chart, ink) {
  const place = document.querySelector(`.st-key-${chart}`);
  const plot = place?.querySelector('.js-plotly-plot');
  if (plot) return ofPlot(plot);
  const hosts = place ? [place, ...place.querySelectorAll('*')] : [];
  const root = hosts.map(host => (host.shadowRoot || host).querySelector('.maps, section.map, .arcs, section.film')).find(Boolean);
  if (!root) return null;
  if (root.matches('.arcs')) return ofDrawing(root);
  if (root.matches('.film')) return ofFilm(root);
  return root.matches('.maps') ? ofMaps(root, ink) : ofLivingMap(root, ink);
}

/**
 * @param {string} text
 * @param {number} width
 * @param {string} font
 */
function lines(text, width, font) {
  const pen = document.createElement('canvas').getContext('2d');
  if (!pen) return [text];
  pen.font = font;
  return broken(text, width, line => pen.measureText(line).width);
}

/**
 * @param {KeepData} data
 * @param {Element} host
 * @param {{ captioned: boolean, clear: boolean }} choices
 * @returns {Promise<Drawing | null>}
 */
async function compose({ chart, caption, alt }, host, { captioned, clear }) {
  const ink = getComputedStyle(host).getPropertyValue('--st-text-color').trim() || '#31333f';
  const app = document.querySelector('[data-testid=stApp]');
  const found = await find(chart, ink);
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
  return { text: wellFormed(new XMLSerializer().serializeToString(svg)), width, height };
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function save(blob, name) {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
  link.click();  // not part of the page: a click there would close the fold this stands in
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/**
 * @param {Drawing} drawing
 * @param {number} scale
 * @returns {Promise<Blob>}
 */
async function rasterise({ text, width, height }, scale) {
  const image = new Image();
  image.src = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), pixelSize(width, height, scale));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob(blob => blob ? done(blob) : failed(new Error('it is too large')), 'image/png'));
}

/**
 * @param {Drawing} drawing
 * @param {string} name
 */
function print({ text }, name) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'position: fixed; width: 0; height: 0; border: 0';
  document.body.append(frame);
  const page = frame.contentDocument, view = frame.contentWindow;
  if (!page || !view) return;
  page.title = name;
  const style = page.createElement('style');
  style.textContent = '@page { margin: 10mm } body { margin: 0 } svg { width: 100%; height: auto; max-height: 98vh }';
  page.head.append(style);
  page.body.append(page.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true));
  view.onafterprint = () => setTimeout(() => frame.remove());
  view.focus();
  view.print();
}

/**
 * @param {string} text
 * @param {HTMLTextAreaElement} field
 */
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

/** @param {ComponentArguments<KeepData>} given */
export default function ({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.keep'));
  const [options, buttons, told] = /** @type {HTMLElement[]} */ ([...root.children]);
  const field = /** @type {HTMLTextAreaElement} */ (root.children[3]);
  const [captioned, clear] = options.querySelectorAll('input');
  [captioned.checked, clear.checked] = [chosen.captioned, chosen.clear];
  options.onchange = () => Object.assign(chosen, { captioned: captioned.checked, clear: clear.checked });
  options.hidden = !data.chart;
  field.hidden = true;
  told.textContent = '';
  /** @param {boolean} done */
  const say = done => { told.textContent = done ? 'Copied.' : 'Copy it from the field below.'; };
  /** @param {(drawing: Drawing) => unknown} use */
  const picture = use => async () => {
    const drawing = await compose(data, root, chosen);
    if (!drawing) { told.textContent = 'There is no picture to keep.'; return; }
    told.textContent = '';
    await use(drawing);
  };
  /** @param {number} scale */
  const png = scale => picture(async drawing => save(await rasterise(drawing, scale), `${data.name}-${scale}x.png`));
  /** @type {Record<string, () => Promise<void>>} */
  const actions = data.chart ? {
    'SVG': picture(drawing => save(new Blob([drawing.text], { type: 'image/svg+xml' }), `${data.name}.svg`)),
    'PNG 1×': png(1), 'PNG 2×': png(2), 'PNG 4×': png(4),
    'Print or PDF': picture(drawing => print(drawing, data.name)),
    'Copy caption': async () => say(await copy(data.caption, field)),
    'Copy alt text': async () => say(await copy(data.alt, field)),
  } : { 'Copy link': async () => say(await copy(address(window.location.href, data.version || ''), field)) };
  buttons.replaceChildren(...Object.entries(actions).map(([name, act]) => {
    const button = Object.assign(document.createElement('button'), { textContent: name, type: 'button' });
    button.onclick = () => act().catch(error => { told.textContent = `This did not work: ${error.message}`; });
    return button;
  }));
}

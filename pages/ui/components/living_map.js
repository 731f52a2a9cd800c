// @ts-check
// The whole run in one picture: a token is a row, a layer a column; what can be done by mouse, touch and keys, and words for all of it.
import { isDark, part, percentText, rowName, signedText, unpack } from './living_map_data.js';
import {
  LABELS, TITLE, between, clamp, columnSpans, eased, foldedParts, kept, layout, naturalTotal, naturalWidths, rowHeight, zoomed,
} from './living_map_layout.js';
import { bandsOfLayer, changeOf, paintAll, paintCell, paintRow, thumbPlaces, toX, toY } from './living_map_paint.js';

const GLIDE = 300; // milliseconds from one arrangement to another
const bytes = (/** @type {string} */ text) => Uint8Array.from(atob(text), c => c.charCodeAt(0));
/** @type {any} */
const shared = globalThis;
shared.livingMap ||= new EventTarget(); // where the unfolded layer, a component of its own, is handed over

/**
 * @param {string} tag
 * @param {Record<string, any>} [more]
 * @param {...(Node | string)} inside
 * @returns {any}
 */
const make = (tag, more = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), more);
  element.append(...inside);
  return element;
};

export default function (/** @type {any} */ { data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.map');
  const map = (root.map ||= new LivingMap(root));
  map.send = (/** @type {any} */ said) => setTriggerValue('picked', said);
  map.take(data);
  return () => map.leave();
}

class LivingMap {
  /** @type {any} */ now = null; // where everything stands
  /** @type {any} */ goal = null; // where it will stand
  /** @type {any} */ colours = null;
  /** @type {any} */ drag = null;
  /** @type {any} */ run = null;
  /** @type {any} */ detail = null;
  /** @type {any} */ mark = null; // the opened number
  /** @type {any} */ pointed = null; // the cell under the pointer or the keys
  /** @type {any[]} */ columns = [];
  /** @type {any[]} */ names = [];
  /** @type {any[]} */ layerButtons = [];
  /** @type {any[][]} */ thumbButtons = [];
  /** @type {any[]} */ columnButtons = [];
  /** @type {number | undefined} */ asked; // the layer that was unfolded here and is being sent for
  base = document.createElement('canvas'); // the picture as it is when nothing stands out
  left = 0;
  top = 0;
  tall = 0;
  foot = 0;
  width = 0;
  rowHeight = 24;
  ratio = 1;
  id = '';
  page = '';
  stale = true;
  waiting = false;
  gliding = false;

  /** @param {any} root */
  constructor(root) {
    this.root = root;
    /** @type {(said: any) => void} */
    this.send = () => {};
    this.bands = 'strongest';
    this.way = 'from';
    this.least = 15;
    this.words = true;
    this.open = -1;
    this.focus = -1;
    this.head = 0;
    this.layer = 0;
    this.pinned = -1;
    this.hover = -1;
    this.camera = { k: 1, x: 0, y: 0 };
    this.images = new WeakMap();
    this.cache = new Map();
    this.pointers = new Map();
    this.still = matchMedia('(prefers-reduced-motion: reduce)');
    this.coarse = matchMedia('(pointer: coarse)');
    this.build();
    this.heard = () => this.takeLayer(shared.livingMap.latest);
    shared.livingMap.addEventListener('layer', this.heard);
    this.turned = () => setTimeout(() => this.refresh(), 300);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.scheme.addEventListener('change', this.turned);
    this.watch = new ResizeObserver(() => this.arrange());
    this.watch.observe(root);
  }

  leave() {
    shared.livingMap.removeEventListener('layer', this.heard);
    this.scheme.removeEventListener('change', this.turned);
    this.watch.disconnect();
    this.root.map = null;
    this.root.replaceChildren();
  }

  build() {
    const { root } = this;
    const option = (/** @type {string} */ value, /** @type {string} */ text) => make('option', { value, textContent: text });
    this.bandsBox = make('select', {}, option('strongest', 'the strongest head'), option('mean', 'all heads, mean'), option('head', 'the chosen head'));
    this.wayBox = make('select', {}, option('from', 'where it looks'), option('to', 'who looks at it'));
    this.leastBox = make('input', { type: 'range', min: 1, max: 60, value: this.least });
    this.leastText = make('output', { textContent: '' });
    this.wordsBox = make('input', { type: 'checkbox', checked: true });
    const button = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ act) =>
      make('button', { type: 'button', textContent: text, title: label, onclick: act, ariaLabel: label });
    const middle = (/** @type {number} */ f) => this.zoom(f, (this.width - this.left) / 2, this.tall / 2);
    this.controls = make('div', { className: 'controls', role: 'group', ariaLabel: 'What the bands show' },
      make('label', {}, 'Bands', this.bandsBox), make('label', {}, 'of a word', this.wayBox),
      make('label', {}, 'from', this.leastBox, this.leastText), make('label', {}, this.wordsBox, 'words only'),
      make('span', { className: 'end' },
        button('\u2212', 'Zoom out', () => middle(1 / 1.4)), button('+', 'Zoom in', () => middle(1.4)),
        button('Fit', 'The whole picture', () => this.whole()), button('Enlarge', 'The picture on the whole screen', () => this.fill())));
    this.bandsBox.onchange = () => { this.bands = this.bandsBox.value; this.again(); };
    this.wayBox.onchange = () => { this.way = this.wayBox.value; this.again(); };
    this.leastBox.oninput = () => { this.least = Number(this.leastBox.value); this.again(); };
    this.wordsBox.onchange = () => { this.words = this.wordsBox.checked; this.again(); };
    this.canvas = make('canvas', { ariaHidden: 'true' });
    this.context = this.canvas.getContext('2d');
    this.tokens = make('ul', { className: 'tokens', ariaLabel: 'Tokens' });
    this.heading = make('div', { className: 'heading', role: 'group', ariaLabel: 'Layers and heads' });
    this.stage = make('div', { className: 'stage' }, this.canvas, this.tokens, this.heading);
    this.said = make('output', { className: 'said', ariaLive: 'polite' });
    this.go = make('button', { type: 'button', hidden: true });
    this.probe = make('i', { hidden: false });
    this.probe.style.cssText = 'position:absolute;visibility:hidden';
    this.ramp = make('canvas', { width: 72, height: 1 });
    this.legend = make('p', { className: 'legend' },
      make('span', {}, make('i'), make('i', { className: 'two' }), 'what attention, and feed-forward, adds to the row'),
      make('span', {}, '0\u00a0%', this.ramp, '100\u00a0% of a row\u2019s attention (small shares are drawn stronger)'),
      make('span', {}, 'Strips: values of a vector, blue below zero, red above'));
    this.pooledNote = make('span', { hidden: true });
    this.legend.append(this.pooledNote);
    root.append(this.controls, this.stage, make('div', { className: 'below' }, this.said, this.go), this.legend, this.probe);
    this.listen();
  }

  /** A new run, or the same one again. @param {any} data */
  take(data) {
    const fresh = !this.run || this.run.raw !== data.whole;
    this.palettes = data.palettes;
    this.look();
    if (fresh) {
      this.run = { ...unpack(bytes(data.whole)), raw: data.whole };
      this.id = data.id;
      this.cache.clear();
      this.pinned = data.begin;
      const { every } = this.run.about;
      this.pooledNote.hidden = every === 1;
      this.pooledNote.textContent = `${every} tokens share a row: bands and cells show the largest of theirs, the bars and the guess are those of the first`;
      this.wordsBox.disabled = every > 1;
      this.hover = -1;
      this.pointed = null;
      this.camera = { k: 1, x: 0, y: 0 };
      this.writeTokens();
      this.writeHeading();
      this.columns = this.run.about.columns;
      this.focus = this.columns.findIndex((/** @type {any} */ c) => c.share);
      this.now = null;
      this.bring();
      this.writeColumns();
    }
    this.arrange();
    if (!fresh) return;
    this.takeLayer(shared.livingMap.latest);
    if (this.pinned >= 0 && this.now) this.tell(this.sayRow(this.pinned));
  }

  /** One layer unfolded, and what is chosen. @param {any} said */
  takeLayer(said) {
    if (!this.run || !said || said.id !== this.id) return;
    if (!this.cache.has(said.layer)) this.cache.set(said.layer, unpack(bytes(said.columns)));
    this.layer = said.layer;
    this.head = said.head;
    this.mark = said.cell;
    this.bring();
    const before = this.open;
    if (this.asked === undefined) this.open = said.open;
    this.asked = undefined;
    this.writeColumns();
    if (before !== this.open && this.now && before !== null) this.glide(); else this.arrange();
    if (this.now) this.reveal();
  }

  /** What is at hand of the unfolded layer. */
  bring() {
    const at = this.cache.get(this.open >= 0 ? this.open : this.layer);
    const natural = naturalWidths(this.columns, this.run.about.rows, this.focus, this.coarse.matches);
    this.detail = { columns: this.columns, natural, arrays: at ? at.arrays : null, scales: at ? at.about.scales : [], layer: this.open >= 0 ? this.open : this.layer };
  }

  /** What tells one theme from another, and a page whose style has come from one that still waits for it. */
  coloursNow() {
    const style = getComputedStyle(this.root);
    const accent = style.getPropertyValue('--accent');
    if (!accent) setTimeout(() => this.refresh(), 60);
    return accent + style.getPropertyValue('--st-background-color');
  }

  /** Colours as the page has them now. */
  look() {
    this.page = this.coloursNow();
    const style = getComputedStyle(this.root);
    const resolved = (/** @type {string} */ value) => { this.probe.style.color = value; return getComputedStyle(this.probe).color; };
    const page = resolved('var(--st-background-color)');
    const dark = isDark(page);
    const palettes = this.palettes[dark ? 'dark' : 'light'];
    this.colours = {
      page, dark, ink: resolved('var(--st-text-color)'), muted: resolved('var(--muted)'), accent: resolved('var(--accent)'),
      second: resolved('var(--second)'), border: resolved('var(--st-border-color)'), surface: resolved('var(--st-secondary-background-color)'),
      font: style.fontFamily, signed: bytes(palettes.signed), share: bytes(palettes.share),
    };
    const context = this.ramp.getContext('2d');
    for (let i = 0; i < 72; i++) {
      const at = 3 * Math.round(254 * Math.sqrt(i / 71));
      context.fillStyle = `rgb(${this.colours.share.slice(at, at + 3).join()})`;
      context.fillRect(i, 0, 1, 1);
    }
  }

  /** Sizes that follow the window and the run. */
  arrange() {
    if (!this.run || !this.colours || !this.root.clientWidth) return;
    const { about } = this.run;
    const coarse = this.coarse.matches;
    this.width = this.root.clientWidth - (document.fullscreenElement === this.root.getRootNode().host ? 48 : 0);
    this.left = this.width < 500 ? 78 : clamp(8 * Math.max(...about.tokens.map((/** @type {string} */ t) => t.length)) + 26, 76, 124);
        this.top = TITLE + 26 + LABELS;
    const room = (document.fullscreenElement ? innerHeight - 300 : innerHeight - 470);
    this.rowHeight = rowHeight(about.rows, Math.max(room, 300), coarse);
    this.tall = this.rowHeight * about.rows;
    this.foot = 8;
    this.goal = layout({
      width: this.width - this.left, rows: about.rows, layers: about.layers, heads: about.heads, open: this.open, coarse,
      guesses: about.guesses.length > 0, natural: this.detail ? naturalTotal(this.detail.natural) : 500,
    });
    if (!this.now || this.now.cards.length !== this.goal.cards.length || !this.gliding) this.now = this.goal;
    this.stage.style.height = this.top + this.tall + this.foot + 'px';
    const ratio = Math.min(2, devicePixelRatio || 1);
    for (const canvas of [this.canvas, this.base]) {
      const [w, h] = [Math.round(this.width * ratio), Math.round((this.top + this.tall + this.foot) * ratio)];
      if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    }
    this.ratio = ratio;
    this.camera = kept(this.camera, this.now.width + 8 + this.drawer, this.width - this.left, this.tall);
    this.refresh();
  }

  /** From where everything stands to where it should. */
  glide() {
    const from = this.now || this.goal;
    this.bring();
    this.gliding = true;
    this.arrange();
    this.now = from;
    const to = this.goal;
    const camera = { ...this.camera };
    const card = this.open >= 0 ? to.cards[this.open] : null;
    const room = this.width - this.left;
    const x = card ? clamp(camera.x, card.x + card.w + 12 - room, Math.max(0, card.x - 4)) : 0;
    const end = kept(card ? { k: 1, x: card.w > room ? card.x - 4 : x, y: 0 } : { k: 1, x: 0, y: 0 }, to.width + 8 + this.drawer, room, this.tall);
    const start = performance.now();
    const step = (/** @type {number} */ time) => {
      if (this.goal !== to && this.goal.cards.length !== from.cards.length) { this.gliding = false; return; }
      const t = this.still.matches || !from || from === to ? 1 : Math.min(1, (time - start) / GLIDE);
      const e = eased(Math.max(0, t));
      this.now = t === 1 ? this.goal : between(from, this.goal, e);
      this.camera = { k: camera.k + (end.k - camera.k) * e, x: camera.x + (end.x - camera.x) * e, y: camera.y + (end.y - camera.y) * e };
      if (t === 1) { this.gliding = false; this.reveal(); }
      this.refresh();
      if (t < 1) requestAnimationFrame(step);
    };
    step(start);
  }

  /** Everything again, from the bottom up. */
  refresh() {
    this.stale = true;
    this.leastText.textContent = `${this.least}\u00a0%`;
    this.later();
  }

  /** The bands again, and what is said of them. */
  again() {
    this.refresh();
    if (this.row >= 0) this.tell(this.sayRow(this.row));
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  get scene() {
    return /** @type {any} */ (this);
  }

  get layout() {
    return this.now;
  }

  paint() {
    if (!this.now || !this.detail) return;
    const scene = this.scene;
    if (this.stale) {
      if (this.page !== this.coloursNow()) this.look();
      const base = /** @type {CanvasRenderingContext2D} */ (this.base.getContext('2d'));
      base.setTransform(1, 0, 0, 1, 0, 0);
      base.clearRect(0, 0, this.base.width, this.base.height);
      base.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      paintAll(base, scene);
      this.place();
      this.stale = false;
    }
    const c = this.context;
    const row = this.row;
    /** @type {any[]} */ this.lit = []; // the bands that stand out
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (row < 0) {
      c.drawImage(this.base, 0, 0);
    } else {
      const head = Math.round(this.top * this.ratio);
      c.drawImage(this.base, 0, 0, this.base.width, head, 0, 0, this.base.width, head);
      c.globalAlpha = this.open < 0 ? 0.42 : 0.75;
      c.drawImage(this.base, 0, head, this.base.width, this.base.height - head, 0, head, this.base.width, this.base.height - head);
      c.globalAlpha = 1;
    }
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    if (row >= 0) paintRow(c, scene, row);
    const opened = this.placeOfMark();
    if (opened) paintCell(c, scene, opened, '#e0592a');
    if (this.pointed) paintCell(c, scene, this.pointed, this.colours.ink);
    this.root.dataset.lit = row;
    this.light();
  }

  /** How much of the window the opened number takes at the right. */
  get drawer() {
    return this.mark && innerWidth > 640 ? Math.min(400, innerWidth * 0.4) : 0;
  }

  /** The opened number is seen: what stands where it is shown moves to the left. */
  reveal() {
    const at = this.placeOfMark();
    if (at && !this.gliding) this.into(at.x, at.w);
  }

  /** What is needed to keep the picture: the canvas, and the words beside it with where they stand. */
  drawing() {
    const stage = this.stage.getBoundingClientRect();
    const centred = (/** @type {any} */ b, /** @type {any} */ more) => {
      const r = b.getBoundingClientRect();
      return { text: b.textContent, x: r.left - stage.left + r.width / 2, y: r.top - stage.top + r.height / 2 + 4, size: 12, weight: 400, anchor: 'middle', ...more };
    };
    const seen = (/** @type {any} */ b) => !b.hidden && b.checkVisibility();
    const tokens = [...this.tokens.children].map(li => li.firstChild).filter(seen).map((/** @type {any} */ b) => {
      const r = b.getBoundingClientRect();
      const tall = Math.min(r.height - 2, 25);
      const chosen = b.ariaPressed === 'true';
      const size = Math.min(13, this.rowHeight * 0.6);
      return centred(b, { size, y: r.top - stage.top + r.height / 2 + size * 0.35, weight: chosen ? 600 : 400, colour: b.classList.contains('b') ? this.colours.second : this.colours.accent,
        box: { x: r.left - stage.left, y: r.top - stage.top + (r.height - tall) / 2, width: r.width, height: tall, fill: chosen ? '#1f6fb2' : '' } });
    });
    const turned = [...this.names, ...this.columnButtons].filter(seen).map(b => centred(b, { text: b.textContent, y: this.top - 6, anchor: 'start', turn: -58 }));
    const heads = [...this.layerButtons, this.guessName].filter(seen).map(b => centred(b, { weight: 600, size: 13 }));
    return { canvas: this.canvas, texts: [...tokens, ...turned, ...heads], width: stage.width, height: stage.height };
  }

  get row() {
    return this.hover >= 0 ? this.hover : this.pinned;
  }

  /** Where the opened number is drawn. */
  placeOfMark() {
    const mark = this.mark;
    if (!mark) return null;
    const at = this.run.about.steps.indexOf(mark.step);
    const { about } = this.run;
    if (at >= 0 && at < 2) return { ...this.now.strips[at], cells: about.widths[at], row: mark.row, cell: mark.cell, pairs: false };
    if (at >= 2 && this.open !== at - 2) {
      const card = this.now.cards[at - 2];
      const strip = foldedParts(card.w).strip;
      return { x: card.x + strip.x, w: strip.w, cells: about.widths[at], row: mark.row, cell: mark.cell, pairs: false };
    }
    const column = this.columns.findIndex((/** @type {any} */ c) => mark.step === `layers.${this.open}.${c.local}`);
    if (this.open < 0 || column < 0 || (this.columns[column].heads && mark.head !== this.head)) return null;
    return this.cellAt(column, mark.row, mark.cell);
  }

  /** A cell of the unfolded layer. @param {number} column @param {number} row @param {number} cell */
  cellAt(column, row, cell) {
    const card = this.now.cards[this.open];
    const span = columnSpans(this.detail.natural, card.w)[column];
    const about = this.columns[column];
    return { x: card.x + span.x, w: span.w, cells: this.cellsOf(column), row, cell, column, pairs: Boolean(about.pairs) };
  }

  /** @param {number} column */
  cellsOf(column) {
    const array = this.detail.arrays?.[column];
    return array ? array.shape[array.shape.length - 1] : 1;
  }

  writeTokens() {
    const { about } = this.run;
    this.tokens.replaceChildren(...Array.from({ length: about.rows }, (_, i) => {
      const at = i * about.every;
      const b = make('button', { type: 'button', textContent: about.every === 1 ? about.tokens[at] : rowName(about, i) });
      b.className = [about.special[at] && !about.masked.includes(at) ? 'special' : '', about.segments[at] ? 'b' : '', about.hidden.includes(at) ? 'hidden-token' : ''].join(' ');
      b.tabIndex = i ? -1 : 0;
      const guess = about.guesses[at]?.[0];
      const sentence = about.segments.length ? `, sentence ${'AB'[about.segments[at]]}` : '';
      b.ariaLabel = `${rowName(about, i)}, token ${at}${sentence}${about.hidden.includes(at) ? ', hidden' : ''}${guess ? `; guess ${guess[0]}` : ''}`;
      b.onclick = () => this.pin(i);
      b.onmouseenter = () => this.point(i);
      b.onfocus = () => { this.point(i); this.rove(this.tokens, b); };
      b.onblur = () => this.point(-1);
      return make('li', {}, b);
    }));
  }

  writeHeading() {
    const { about } = this.run;
    this.names = ['Word', 'Place'].map((text, i) => {
      const b = make('button', { type: 'button', className: 'column', ariaLabel: about.titles[i] }, make('span', { textContent: text }));
      b.onclick = () => this.tell(`${about.titles[i]}: a strip shows the ${about.widths[i]} values of largest size of a row, one from each stretch. Click one to open it.`);
      return b;
    });
    this.guessName = make('span', { className: 'name', textContent: 'Guess' });
    this.layerButtons = [];
    this.thumbButtons = [];
    for (let l = 0; l < about.layers; l++) {
      const b = make('button', { type: 'button', className: 'layer' });
      b.onclick = () => this.unfold(this.open === l ? -1 : l);
      b.onmouseenter = () => this.tell(this.sayLayer(l));
      this.layerButtons.push(b);
      this.thumbButtons.push(Array.from({ length: about.heads }, (_, h) => {
        const t = make('button', { type: 'button', className: 'thumb', tabIndex: -1 });
        const link = about.links[l][h];
        const change = changeOf(about, `layers.${l}.attention.`, h);
        t.ariaLabel = `Layer ${l}, head ${h}${change ? `, ${change === 'off' ? 'switched off' : 'changed'}` : ''}` +
          (link ? `: \u201c${about.tokens[link[0]]}\u201d gives \u201c${about.tokens[link[1]]}\u201d ${link[2]}` : '');
        t.onclick = () => this.choose(l, h);
        t.onmouseenter = t.onfocus = () => this.tell(t.ariaLabel + (link ? ', its strongest look from word to word.' : '.'));
        return t;
      }));
    }
    this.columnButtons = [];
    this.fillHeading();
  }

  writeColumns() {
    if (this.columnButtons.length !== this.columns.length) {
      this.columnButtons = this.columns.map((/** @type {any} */ c, /** @type {number} */ i) => {
        const b = make('button', { type: 'button', className: 'column', tabIndex: -1 }, make('span'));
        b.onclick = () => this.focusOn(i);
        b.onmouseenter = () => this.tell(this.sayColumn(i));
        b.onfocus = () => this.tell(this.sayColumn(i));
        return b;
      });
      this.fillHeading();
    }
    this.columnButtons.forEach((/** @type {any} */ b, /** @type {number} */ i) => {
      const c = this.columns[i];
      b.firstChild.textContent = c.label;
      b.ariaLabel = `${c.title}${c.heads ? `, head ${this.head}` : ''}. Arrow down to read its cells.`;
    });
  }

  fillHeading() {
    const first = document.activeElement;
    this.heading.replaceChildren(...this.names, ...this.layerButtons.flatMap((/** @type {any} */ b, /** @type {number} */ l) => [b, ...this.thumbButtons[l]]), ...this.columnButtons, this.guessName);
    if (first instanceof HTMLElement && first.isConnected) first.focus({ preventScroll: true });
  }

  /** Names and buttons where the picture has them. */
  place() {
    const scene = this.scene;
    const { about } = this.run;
    const put = (/** @type {any} */ e, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ w, /** @type {number} */ h) => {
      e.style.cssText = `left:${x - this.left}px;top:${y}px;width:${w}px;height:${h}px`;
      e.hidden = x + w < this.left || x > this.width;
    };
    this.heading.style.cssText = `left:${this.left}px;right:0;height:${this.top}px`;
    this.tokens.style.cssText = `top:${this.top}px;width:${this.left}px;height:${this.tall}px`;
    const k = this.camera.k;
    const tall = this.rowHeight * k;
    const font = clamp(this.rowHeight * 0.55, 9, 14);
    [...this.tokens.children].forEach((li, i) => {
      const y = toY(scene, i) - this.top;
      const b = li.firstChild;
      b.style.cssText = `top:${y}px;height:${tall}px;font-size:${font}px;--inset:${Math.max(0, (tall - Math.min(tall, 27)) / 2 + (tall > 20 ? 1 : 0))}px`;
      b.hidden = y + tall < 0 || y > this.tall;
    });
    this.names.forEach((b, i) => {
      const s = this.now.strips[i];
      put(b, toX(scene, s.x) - 2, this.top - 60, Math.max(24, s.w * k + 4), 60);
    });
    put(this.guessName, toX(scene, this.now.guess.x), this.top - 22, this.now.guess.w * k, 18);
    this.guessName.hidden ||= !about.guesses.length;
    this.layerButtons.forEach((/** @type {any} */ b, /** @type {number} */ l) => {
      const card = this.now.cards[l];
      const w = card.w * k;
      const slim = w < 56;
      put(b, toX(scene, card.x), slim ? 2 : 2, w, slim ? Math.max(25, this.top - 8) : 25);
      const off = [['attention', 'attention off'], ['feed_forward', 'feed-forward off']]
        .filter(([part]) => changeOf(about, `layers.${l}.${part}.`) === 'off').map(([, said]) => said).join(', ');
      const change = off || (changeOf(about, `layers.${l}.`) && 'changed');
      const text = slim ? `L${l}` : `Layer ${l}`;
      if (b.shown !== text + change) {
        b.replaceChildren(text, ...(change && !slim ? [make('small', { textContent: change })] : []));
        b.shown = text + change;
        b.ariaLabel = `Layer ${l}${change ? `, ${change}` : ''}`;
      }
      b.ariaExpanded = String(this.open === l);
      const places = slim ? null : thumbPlaces(scene, l);
      this.thumbButtons[l].forEach((/** @type {any} */ t, /** @type {number} */ h) => {
        if (!places) { t.hidden = true; return; }
        put(t, toX(scene, card.x) + places[h].x, places[h].y, places[h].size, places[h].size);
        t.ariaPressed = String(l === this.layer && h === this.head);
      });
    });
    const shown = this.open >= 0 && this.now.cards[this.open].open > 0.5;
    const spans = shown ? columnSpans(this.detail.natural, this.now.cards[this.open].w) : [];
    this.columnButtons.forEach((/** @type {any} */ b, /** @type {number} */ i) => {
      if (!shown) { b.hidden = true; return; }
      put(b, toX(scene, this.now.cards[this.open].x + spans[i].x) - 3, this.top - LABELS, spans[i].w * k + 6, LABELS);
      b.ariaPressed = String(i === this.focus);
      b.classList.toggle('changed', about.changed.some((/** @type {any} */ e) => e.step === `layers.${this.open}.${this.columns[i].local}`));
    });
    this.canvas.classList.toggle('far', this.now.width * k > this.width - this.left + 1);
  }

  light() {
    [...this.tokens.children].forEach((li, i) => {
      li.firstChild.ariaPressed = String(i === this.pinned);
      li.firstChild.classList.toggle('lit', i === this.row);
    });
  }

  // What is said

  /** @param {string} text */
  tell(text) {
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  /** @param {number} l */
  sayLayer(l) {
    const { about } = this.run;
    const best = about.links[l].map((/** @type {any} */ k, /** @type {number} */ h) => [k, h]).filter((/** @type {any} */ [k]) => k)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => parseInt(b[0][2]) - parseInt(a[0][2]))[0];
    const what = this.open === l ? 'Click to fold it.' : 'Click to unfold it.';
    if (!best) return `Layer ${l}. ${what}`;
    const [[query, key, share], head] = best;
    return `Layer ${l}: its strongest look from word to word is \u201c${about.tokens[query]}\u201d \u2192 \u201c${about.tokens[key]}\u201d, ${share}, in head ${head}. ${what}`;
  }

  /** @param {number} i */
  sayColumn(i) {
    const c = this.columns[i];
    return `${c.title}${c.heads ? ` of head ${this.head}` : ''}: ${c.note}`;
  }

  /** Where a row looks, layer by layer. @param {number} row */
  sayRow(row) {
    const { about, arrays } = this.run;
    const name = rowName(about, row);
    const said = this.now.cards.map((/** @type {any} */ _, /** @type {number} */ layer) => {
      const best = bandsOfLayer(this.scene, layer).filter(b => (this.way === 'from' ? b.query : b.key) === row).pop();
      if (!best) return '';
      const other = rowName(about, this.way === 'from' ? best.key : best.query);
      const head = this.bands === 'strongest' ? ` (head ${part(arrays.who, layer)[best.query * about.rows + best.key]})` : '';
      return `layer ${layer}: ${other} ${percentText(best.level)}${head}`;
    }).filter(Boolean);
    const verb = this.way === 'from' ? 'looks most at' : 'is looked at most by';
    const limit = `${this.words ? 'words only, ' : ''}from ${this.least}\u00a0%`;
    return said.length ? `\u201c${name}\u201d ${verb}, ${said.join(' \u00b7 ')}` : `\u201c${name}\u201d: no band here (${limit}).`;
  }

  /** @param {any} at */
  sayCell(at) {
    const { about } = this.run;
    const row = rowName(about, at.row);
    if (at.column === undefined) return `${about.titles[at.strip]} of \u201c${row}\u201d: ${signedText(at.level, about.scales[at.strip])}. Click to open this number.`;
    const c = this.columns[at.column];
    const levels = this.levelsOf(at.column);
    if (!levels) return this.sayColumn(at.column);
    const level = levels[at.row * at.cells + at.cell];
    const what = c.share ? percentText(level) : signedText(level, this.detail.scales[at.column]);
    return `${c.title}${c.heads ? `, head ${this.head}` : ''}: \u201c${row}\u201d${c.pairs ? ` \u2192 \u201c${rowName(about, at.cell)}\u201d` : ''} ${what}. Click, or Enter, opens this number.`;
  }

  /** @param {number} column */
  levelsOf(column) {
    const array = this.detail.arrays?.[column];
    return array ? (this.columns[column].heads ? part(array, this.head) : array.values) : null;
  }

  // What is done

  /** @param {number} row */
  point(row) {
    if (row === this.hover) return;
    this.hover = row;
    if (row >= 0) this.tell(this.sayRow(row)); else if (this.pinned >= 0) this.tell(this.sayRow(this.pinned));
    this.later();
  }

  /** @param {number} row */
  pin(row) {
    this.pinned = this.pinned === row ? -1 : row;
    this.tell(this.pinned < 0 ? '' : this.sayRow(row));
    this.later();
  }

  /** @param {number} layer */
  unfold(layer) {
    this.open = layer;
    this.asked = layer;
    this.pointed = null;
    if (layer >= 0) this.layer = layer;
    this.glide();
    this.writeColumns();
    this.tell(layer < 0 ? 'The whole picture.' : `Layer ${layer}, head ${this.head}, unfolded into ${this.columns.length} steps. ${this.sayLayer(layer)}`);
    this.showGo();
    this.send({ layer: this.layer, head: this.head, open: layer });
  }

  /** @param {number} layer @param {number} head */
  choose(layer, head) {
    this.head = head;
    if (this.open !== layer) { this.unfold(layer); return; }
    this.layer = layer;
    this.writeColumns();
    this.refresh();
    this.send({ layer, head, open: this.open });
  }

  /** A column into focus. @param {number} i */
  focusOn(i) {
    this.focus = i;
    this.tell(this.sayColumn(i));
    this.showGo();
    this.glide();
  }

  showGo() {
    const shown = this.open >= 0 && this.columns[this.focus];
    this.go.hidden = !shown;
    if (!shown) return;
    this.go.textContent = `${shown.title}: go to its page`;
    this.go.onclick = () => this.send({ go: `layers.${this.open}.${shown.local}` });
  }

  /** @param {any} at */
  openNumber(at) {
    const { about } = this.run;
    const step = at.column === undefined ? about.steps[at.strip] : `layers.${this.open}.${this.columns[at.column].local}`;
    this.mark = { step, head: this.head, row: at.row, cell: at.cell };
    this.later();
    this.send({ step, head: this.head, row: at.row, cell: at.cell, open: this.open });
  }

  whole() {
    if (this.open >= 0) { this.unfold(-1); return; }
    this.camera = { k: 1, x: 0, y: 0 };
    this.refresh();
  }

  fill() {
    const host = this.root;
    if (document.fullscreenElement) document.exitFullscreen(); else host.requestFullscreen?.();
  }

  /** @param {number} factor @param {number} x @param {number} y */
  zoom(factor, x, y) {
    this.camera = kept(zoomed(this.camera, factor, x, y), this.now.width + 8 + this.drawer, this.width - this.left, this.tall);
    this.refresh();
  }

  /** @param {number} dx @param {number} dy */
  move(dx, dy) {
    const before = this.camera;
    this.camera = kept({ k: before.k, x: before.x - dx, y: before.y - dy }, this.now.width + 8 + this.drawer, this.width - this.left, this.tall);
    this.refresh();
  }

  /** What stands at a point of the stage. @param {number} x @param {number} y */
  at(x, y) {
    const { about } = this.run;
    const row = Math.floor((y - this.top + this.camera.y) / (this.rowHeight * this.camera.k));
    if (y < this.top || row < 0 || row >= about.rows) return { row: -1, cell: null };
    const wx = (x - this.left + this.camera.x) / this.camera.k;
    const inside = (/** @type {any} */ s) => wx >= s.x && wx <= s.x + s.w;
    const cellIn = (/** @type {any} */ s, /** @type {number} */ cells) => clamp(Math.floor(((wx - s.x) / s.w) * cells), 0, cells - 1);
    const inStrip = (/** @type {any} */ s, /** @type {number} */ i) => {
      const cells = about.widths[i];
      const cell = cellIn(s, cells);
      const levels = part(this.run.arrays.strips, i);
      return { ...s, strip: i, cells, row, cell, pairs: false, level: levels[row * (levels.length / about.rows) + cell] };
    };
    const strip = this.now.strips.findIndex(inside);
    if (strip >= 0) return { row, cell: inStrip(this.now.strips[strip], strip) };
    const layer = this.now.cards.findIndex(inside);
    if (layer < 0) return { row, cell: null };
    const card = this.now.cards[layer];
    if (layer !== this.open) {
      const s = foldedParts(card.w).strip;
      const span = { x: card.x + s.x, w: s.w };
      return { row, layer, cell: inside(span) ? inStrip(span, 2 + layer) : null };
    }
    const spans = columnSpans(this.detail.natural, card.w).map(s => ({ x: card.x + s.x, w: s.w }));
    const column = spans.findIndex(inside);
    return { row, layer, cell: column < 0 ? null : this.cellAt(column, row, cellIn(spans[column], this.cellsOf(column))) };
  }

  listen() {
    const { canvas, stage } = this;
    const where = (/** @type {any} */ e) => { const box = stage.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
    const zoomBy = (/** @type {number} */ f, /** @type {number} */ x, /** @type {number} */ y) => this.zoom(f, x - this.left, y - this.top);
    stage.addEventListener('wheel', (/** @type {WheelEvent} */ e) => {
      const [x, y] = where(e);
      const held = this.root.getRootNode().activeElement && this.root.contains(this.root.getRootNode().activeElement) && this.camera.k > 1;
      if (e.ctrlKey || e.metaKey || held || document.fullscreenElement) { zoomBy(Math.exp(-clamp(e.deltaY, -60, 60) / 180), x, y); e.preventDefault(); }
      else if (Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey) {
        const before = this.camera.x;
        this.move(-(e.deltaX || e.deltaY), 0);
        if (this.camera.x !== before) e.preventDefault();
      }
    }, { passive: false });
    canvas.onpointerdown = (/** @type {PointerEvent} */ e) => {
      this.pointers.set(e.pointerId, where(e));
      this.drag = { moved: 0, from: where(e) };
      if (e.pointerType !== 'mouse' || this.camera.k > 1) canvas.setPointerCapture(e.pointerId);
    };
    canvas.onpointermove = (/** @type {PointerEvent} */ e) => {
      const [x, y] = where(e);
      const before = this.pointers.get(e.pointerId);
      if (!before) { this.over(x, y); return; }
      if (this.pointers.size === 2) {
        const other = [...this.pointers].find(([id]) => id !== e.pointerId)?.[1];
        const far = (/** @type {number[]} */ p) => Math.hypot(p[0] - other[0], p[1] - other[1]);
        zoomBy(far([x, y]) / Math.max(1, far(before)), (x + other[0]) / 2, (y + other[1]) / 2);
        this.drag.moved = 99;
      } else {
        this.drag.moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
        if (this.drag.moved > 6) { this.move(x - before[0], y - before[1]); canvas.classList.add('dragged'); }
      }
      this.pointers.set(e.pointerId, [x, y]);
    };
    const up = (/** @type {PointerEvent} */ e) => { this.pointers.delete(e.pointerId); canvas.classList.remove('dragged'); };
    canvas.onpointerup = canvas.onpointercancel = up;
    canvas.onpointerleave = () => { this.pointed = null; this.point(-1); this.later(); };
    canvas.onclick = (/** @type {MouseEvent} */ e) => {
      if (this.drag && this.drag.moved > 6) return;
      const [x, y] = where(e);
      const found = this.at(x, y);
      if (found.row < 0) return;
      if (found.cell) { this.pinned = found.row; this.tell(this.sayCell(found.cell)); this.openNumber(found.cell); }
      else this.pin(found.row);
    };
    canvas.ondblclick = () => { this.camera = { k: 1, x: 0, y: 0 }; this.refresh(); };
    this.root.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => this.key(e));
    this.root.addEventListener('focusin', (/** @type {FocusEvent} */ e) => this.follow(/** @type {HTMLElement} */ (e.target)));
  }

  /** @param {number} x @param {number} y */
  over(x, y) {
    if (!this.now || !this.detail) return;
    const found = this.at(x, y);
    this.point(found.row);
    this.pointed = found.cell;
    if (found.cell) this.tell(this.sayCell(found.cell));
    this.later();
  }

  /** What has the focus is moved into the window. @param {HTMLElement} e */
  follow(e) {
    const layer = this.layerButtons?.findIndex((/** @type {any} */ b, /** @type {number} */ l) => b === e || this.thumbButtons[l].includes(e));
    const column = this.columnButtons?.indexOf(e);
    if (layer >= 0 && layer !== this.open) this.into(this.now.cards[layer].x, this.now.cards[layer].w);
    else if (column >= 0) this.into(this.cellAt(column, 0, 0).x, this.cellAt(column, 0, 0).w);
  }

  /** @param {number} x @param {number} w */
  into(x, w) {
    const k = this.camera.k;
    const room = this.width - this.left - this.drawer;
    const goal = clamp(this.camera.x, (x + w) * k + 8 - room, x * k - 8);
    if (Math.abs(goal - this.camera.x) > 1) this.move(this.camera.x - goal, 0);
  }

  /** Only one button of a group takes part in tabbing. @param {HTMLElement} group @param {HTMLElement} chosen */
  rove(group, chosen) {
    for (const b of group.querySelectorAll('button')) b.tabIndex = b === chosen ? 0 : -1;
  }

  /** @param {KeyboardEvent} e */
  key(e) {
    const at = /** @type {HTMLElement} */ (this.root.getRootNode().activeElement);
    const used = this.keyOn(at, e.key);
    if (used) { e.preventDefault(); }
    if (used || e.key.startsWith('Arrow')) e.stopPropagation(); // arrow keys walk the pages elsewhere
  }

  /** @param {HTMLElement} at @param {string} key */
  keyOn(at, key) {
    const step = /** @type {any} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] })[key];
    if (key === '+' || key === '=' || key === '-') {
      if (at instanceof HTMLInputElement) return false;
      this.zoom(key === '-' ? 1 / 1.25 : 1.25, (this.width - this.left) / 2, this.tall / 2);
      return true;
    }
    if (key === 'Escape') {
      if (this.pointed) { this.pointed = null; this.hover = -1; this.later(); return true; }
      if (this.camera.k > 1) { this.camera = { k: 1, x: 0, y: 0 }; this.refresh(); return true; }
      if (this.open >= 0) { this.unfold(-1); this.layerButtons[this.layer].focus(); return true; }
      return false;
    }
    const rows = [...this.tokens.children].map(li => li.firstChild);
    const row = rows.indexOf(at);
    if (row >= 0 && step) {
      const to = rows[clamp(row + step[0], 0, rows.length - 1)];
      if (step[1] > 0) this.layerButtons[this.layer].focus(); else to.focus();
      return true;
    }
    const layer = this.layerButtons.indexOf(at);
    if (layer >= 0 && step) {
      if (step[0] > 0) (this.thumbButtons[layer].find((/** @type {any} */ t) => !t.hidden) || at).focus();
      else if (step[0] < 0) rows[Math.max(0, this.pinned)].focus();
      else this.layerButtons[clamp(layer + step[1], 0, this.layerButtons.length - 1)].focus();
      return true;
    }
    const of = this.thumbButtons.findIndex((/** @type {any} */ list) => list.includes(at));
    if (of >= 0 && step) {
      const list = this.thumbButtons[of];
      const head = list.indexOf(at);
      const across = Math.max(1, thumbPlaces(this.scene, of).filter(p => p.y === thumbPlaces(this.scene, of)[0].y).length);
      const to = head + step[1] + step[0] * across;
      if (to >= list.length && of === this.open && step[0]) this.columnButtons[Math.max(0, this.focus)].focus();
      else if (to < 0) this.layerButtons[of].focus();
      else if (to >= list.length) this.layerButtons[Math.min(of + 1, this.layerButtons.length - 1)].focus();
      else list[to].focus();
      return true;
    }
    const column = this.columnButtons.indexOf(at);
    if (column < 0) return false;
    if (key === 'Enter' && this.pointed) { this.openNumber(this.pointed); return true; }
    if (!step) return false;
    if (!this.pointed && step[0] < 0) { this.thumbButtons[this.open][this.head].focus(); return true; }
    if (!this.pointed && step[1]) { this.columnButtons[clamp(column + step[1], 0, this.columnButtons.length - 1)].focus(); return true; }
    const [r, cell] = this.pointed ? [this.pointed.row + step[0], this.pointed.cell + step[1]] : [Math.max(0, this.pinned), 0];
    if (r < 0) { this.pointed = null; this.point(-1); this.tell(this.sayColumn(column)); this.later(); return true; }
    const cells = this.cellsOf(column);
    if (cell < 0 || cell >= cells) {
      const next = clamp(column + step[1], 0, this.columnButtons.length - 1);
      this.columnButtons[next].focus();
      this.pointed = this.cellAt(next, r, next === column ? clamp(cell, 0, cells - 1) : step[1] > 0 ? 0 : this.cellsOf(next) - 1);
    } else {
      this.pointed = this.cellAt(column, clamp(r, 0, this.run.about.rows - 1), cell);
    }
    this.hover = this.pointed.row;
    this.tell(this.sayCell(this.pointed));
    this.later();
    return true;
  }
}

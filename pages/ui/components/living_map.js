// @ts-check
// The whole run in one picture: a token is a row, a layer a column; what can be done by mouse, touch and keys, and words for all of it.
import { bytes } from './cells.js';
import { isDark, part, unitOf, unpack } from './living_map_data.js';
import { whatIsAt } from './living_map_input.js';
import { LABELS, TITLE, clamp, columnSpans, foldedParts, kept, layout, naturalTotal, naturalWidths, rowHeight } from './living_map_layout.js';
import { inksOf, paintAll, paintCell, paintRow } from './living_map_paint.js';
import { COLOURS, buildMap, lightTokens, placeAll, writeColumns, writeHeading, writeTokens } from './living_map_parts.js';
import { heardWalk, paintStop, sayColumn, sayLayer, sayRow, stopWalk } from './living_map_say.js';

const MORE = 210; // the level of the signed palette, 127 for none to 254, that a band has which is more
/** @type {any} */
const shared = globalThis;
shared.livingMap ||= new EventTarget(); // where the unfolded layer, a component of its own, is handed over

export default function (/** @type {any} */ { data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector('.map');
  const map = (root.map ||= new LivingMap(root));
  map.send = (/** @type {any} */ said) => setTriggerValue('picked', said);
  map.take(data);
  return () => map.leave();
}

class LivingMap {
  /** @type {any} */ now = null; // where everything stands
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
  /** @type {any} */ stage;
  /** @type {any} */ canvas;
  /** @type {any} */ context;
  /** @type {any} */ said;
  /** @type {any} */ go;
  /** @type {any} */ wordsBox;
  /** @type {any} */ leastBox;
  /** @type {any} */ leastText;
  /** @type {any} */ probe;
  /** @type {any} */ ramp;
  /** @type {any} */ pooledNote;
  /** @type {any} */ changeBox;
  /** @type {any} */ changeLabel;
  /** @type {any} */ changeNote;
  /** @type {any} */ shareNote;
  /** @type {any} */ playButton;
  /** @type {any} */ walkData;
  /** @type {any} */ walking;
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
  across = 0; // the width of the page's column
  high = 0; // the height of the window
  frame = 0; // the frame that is asked for

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
    this.pinned = this.begun = -1;
    this.hover = -1;
    this.scroll = 0; // pixels that the picture is moved to the left
    this.images = new WeakMap();
    this.cache = new Map();
    /** @type {{ choice: string, layers: any[][] }} */ this.found = { choice: '', layers: [] };
    this.coarse = matchMedia('(pointer: coarse)');
    buildMap(this);
    this.heard = () => this.takeLayer(shared.livingMap.latest);
    shared.livingMap.addEventListener('layer', this.heard);
    this.turned = () => setTimeout(() => this.refresh(), 300);
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.scheme.addEventListener('change', this.turned);
    this.watch = new ResizeObserver(() => {
      if (root.clientWidth === this.across && innerHeight === this.high) return; // it is its own height that changed
      this.across = 0;
      this.arrange();
    });
    this.watch.observe(root);
  }

  leave() {
    shared.livingMap.removeEventListener('layer', this.heard);
    this.scheme.removeEventListener('change', this.turned);
    this.watch.disconnect();
    this.root.map = null;
    this.root.replaceChildren();
  }

  /** A new run, or the same one again. @param {any} data */
  take(data) {
    const fresh = !this.run || this.run.raw !== data.whole;
    const followed = !fresh && data.begin !== this.begun && this.pinned === this.begun && !this.walking;
    if (followed) this.pinned = data.begin; // no word was chosen: the picture shows the one that the headline names
    this.begun = data.begin;
    this.palettes = data.palettes;
    this.changeLabel.hidden = !data.changed;
    this.changeBox.checked = data.difference;
    this.changeNote.hidden = !data.difference;
    this.shareNote.hidden = data.difference;
    this.walkData = data.walk;
    if (!this.colours) this.look();
    if (fresh) {
      const before = this.run?.about;
      this.run = { ...unpack(bytes(data.whole)), raw: data.whole };
      const same = before && before.tokens.join() === this.run.about.tokens.join();
      if (!same && this.walking) stopWalk(this); // of a word that is gone
      if (!same) this.pinned = before || data.asked < 0 ? data.begin : data.asked;
      if (this.run.about.difference !== Boolean(before?.difference)) this.threshold(this.run.about.difference ? 5 : 15);
      this.changeNote.textContent = `Everything but bars and guesses is this run minus the same without the changes: red is more, blue is less; bands are in percentage points of a row, and dashed where less`;
      this.id = data.id;
      this.cache.clear();
      this.found.choice = '';
      const { every } = this.run.about;
      this.pooledNote.hidden = every === 1;
      this.pooledNote.textContent = `${every} tokens share a row: bands and cells show the largest of theirs, the bars and the guess are those of the first`;
      this.wordsBox.disabled = every > 1;
      this.hover = -1;
      this.pointed = null;
      if (!same) this.scroll = 0;
      writeTokens(this);
      writeHeading(this);
      this.columns = this.run.about.columns;
      this.focus = this.columns.findIndex((/** @type {any} */ c) => c.share);
      if (!same) this.now = null;
      this.bring();
      writeColumns(this);
    }
    this.arrange();
    heardWalk(this);
    if (followed) { this.paint(); this.tell(this.pinned >= 0 ? sayRow(this, this.pinned) : ''); }
    if (!fresh) return;
    this.takeLayer(shared.livingMap.latest);
    this.paint(); // now, not in the next frame: what else of the page changes may hold that up
    if (this.now) this.tell(this.pinned >= 0 ? sayRow(this, this.pinned) : '');
  }

  /** One layer unfolded, and what is chosen. @param {any} said */
  takeLayer(said) {
    if (!this.run || !said || said.id !== this.id) return;
    const known = said.layer === this.layer && said.head === this.head && said.open === this.open && this.asked === undefined;
    if (known && !said.columns && !said.cell && !this.mark) return; // as it is drawn
    if (said.columns && !this.cache.has(said.layer)) this.cache.set(said.layer, unpack(bytes(said.columns)));
    this.layer = said.layer;
    this.head = said.head;
    this.mark = said.cell;
    this.bring();
    const before = this.open;
    if (this.asked === undefined) this.open = said.open;
    this.asked = undefined;
    writeColumns(this);
    if (before !== this.open && this.now) this.settle(); else this.arrange();
    if (this.now) this.reveal();
  }

  /** The least that a band must carry. @param {number} percents */
  threshold(percents) {
    this.least = percents;
    this.leastBox.value = percents;
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
    const shown = [...this.probe.children].map(one => getComputedStyle(one).color);
    const colours = Object.fromEntries(Object.keys(COLOURS).map((name, i) => [name, shown[i]]));
    const dark = isDark(colours.page);
    const palettes = this.palettes[dark ? 'dark' : 'light'];
    const share = bytes(palettes.share);
    const signed = bytes(palettes.signed);
    const strong = (/** @type {number} */ level) => `rgb(${signed.slice(3 * level, 3 * level + 3).join()})`;
    this.colours = { ...colours, dark, font: getComputedStyle(this.root).fontFamily, signed: inksOf(signed, false), share: inksOf(share, true), more: strong(MORE), less: strong(254 - MORE) };
    const context = this.ramp.getContext('2d');
    for (let i = 0; i < 72; i++) {
      const at = 3 * Math.round(254 * Math.sqrt(i / 71));
      context.fillStyle = `rgb(${share.slice(at, at + 3).join()})`;
      context.fillRect(i, 0, 1, 1);
    }
  }

  /** Sizes that follow the window and the run. */
  arrange() {
    if (!this.run || !this.colours) return;
    this.across ||= this.root.clientWidth; // asked for once: the whole page is laid out to answer
    if (!this.across) return;
    this.high = innerHeight;
    const { about } = this.run;
    const coarse = this.coarse.matches;
    this.width = this.across;
    this.left = this.width < 500 ? 78 : clamp(8 * Math.max(...about.tokens.map((/** @type {string} */ t) => t.length)) + 26, 76, 124);
    this.top = TITLE + 26 + LABELS;
    this.rowHeight = rowHeight(about.rows, Math.max(innerHeight - 470, 300), coarse);
    this.tall = this.rowHeight * about.rows;
    this.foot = 8;
    this.now = layout({
      width: this.width - this.left, rows: about.rows, layers: about.layers, heads: about.heads, open: this.open, coarse,
      guesses: about.guesses.length > 0, natural: this.detail ? naturalTotal(this.detail.natural) : 500,
    });
    this.stage.style.height = this.top + this.tall + this.foot + 'px';
    const ratio = Math.min(2, devicePixelRatio || 1);
    for (const canvas of [this.canvas, this.base]) {
      const [w, h] = [Math.round(this.width * ratio), Math.round((this.top + this.tall + this.foot) * ratio)];
      if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    }
    this.ratio = ratio;
    this.move(0);
  }

  /** Another layer or column is unfolded: it is moved to where it is seen. */
  settle() {
    this.bring();
    this.arrange();
    if (!this.now) return;
    const card = this.now.cards[this.open], room = this.width - this.left;
    this.scroll = kept(!card ? 0 : card.w > room ? card.x - 4 : clamp(this.scroll, card.x + card.w + 12 - room, Math.max(0, card.x - 4)), this.now.width + 8, room);
    this.reveal();
    this.refresh();
  }

  /** Everything again, from the bottom up. */
  refresh() {
    this.stale = true;
    this.leastText.textContent = `${this.least}\u00a0${this.run ? unitOf(this.run.about) : '%'}`;
    this.later();
  }

  /** The bands again, and what is said of them. */
  again() {
    this.refresh();
    if (this.row >= 0) this.tell(sayRow(this, this.row));
  }

  later() {
    this.frame ||= requestAnimationFrame(() => this.paint());
  }

  get scene() {
    return /** @type {any} */ (this);
  }

  get layout() {
    return this.now;
  }

  paint() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    if (!this.now || !this.detail) return;
    const scene = this.scene;
    if (this.stale) {
      if (this.page !== this.coloursNow()) this.look();
      const base = /** @type {CanvasRenderingContext2D} */ (this.base.getContext('2d'));
      base.setTransform(1, 0, 0, 1, 0, 0);
      base.clearRect(0, 0, this.base.width, this.base.height);
      base.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
      paintAll(base, scene);
      placeAll(this);
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
    paintStop(c, this);
    this.root.dataset.lit = row;
    lightTokens(this);
  }

  /** The opened number is seen: what stands where it is shown moves to the left. */
  reveal() {
    const at = this.placeOfMark();
    if (at) this.into(at.x, at.w);
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

  // What is said

  /** @param {string} text */
  tell(text) {
    if (this.walking) return; // the walk has the word
    if (this.said.textContent !== text) this.said.textContent = text;
  }

  /** @param {number} column */
  levelsOf(column) {
    const array = this.detail.arrays?.[column];
    return array ? (this.columns[column].heads ? part(array, this.head) : array.values) : null;
  }

  // What is done

  /** @param {number} row */
  point(row) {
    if (row === this.hover || this.walking) return;
    this.hover = row;
    if (row >= 0) this.tell(sayRow(this, row)); else if (this.pinned >= 0) this.tell(sayRow(this, this.pinned));
    this.later();
  }

  /** @param {number} row */
  pin(row) {
    this.pinned = this.pinned === row ? -1 : row;
    this.tell(this.pinned < 0 ? '' : sayRow(this, row));
    this.later();
  }

  /** @param {number} layer */
  unfold(layer) {
    this.open = layer;
    this.asked = layer;
    this.pointed = null;
    if (layer >= 0) this.layer = layer;
    this.settle();
    writeColumns(this);
    this.tell(layer < 0 ? 'The whole picture.' : `Layer ${layer}, head ${this.head}, unfolded into ${this.columns.length} steps. ${sayLayer(this, layer)}`);
    this.showGo();
    this.send({ layer: this.layer, head: this.head, open: layer });
  }

  /** @param {number} layer @param {number} head */
  choose(layer, head) {
    this.head = head;
    if (this.open !== layer) { this.unfold(layer); return; }
    this.layer = layer;
    writeColumns(this);
    this.refresh();
    this.send({ layer, head, open: this.open });
  }

  /** A column into focus. @param {number} i */
  focusOn(i) {
    this.focus = i;
    this.tell(sayColumn(this, i));
    this.showGo();
    this.settle();
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

  /** The picture to the right by so many pixels. @param {number} by */
  move(by) {
    this.scroll = kept(this.scroll - by, this.now.width + 8, this.width - this.left);
    this.refresh();
  }

  /** What stands at a point of the stage. @param {number} x @param {number} y */
  at(x, y) { return whatIsAt(this, x, y); }

  /** @param {number} x @param {number} w */
  into(x, w) {
    const goal = clamp(this.scroll, x + w + 8 - (this.width - this.left), x - 8);
    if (Math.abs(goal - this.scroll) > 1) this.move(this.scroll - goal);
  }
}

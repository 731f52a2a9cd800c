// @ts-check
// One grid that becomes: from scores to what is taken, frame by frame, by mouse, touch and keys; words for all of it.
import { agreementText, numbersOf, products, rootText, sentenceOf, shareText, softmaxRow, total, weightedSum, written } from './attention_grid_data.js';
import { placed, scene, under } from './attention_grid_scene.js';
import { bytes, moved } from './cells.js';
import { isDark, unpack } from './living_map_data.js';

/** @typedef {{ step: string, query: number, key: number, heat: number, scaled: boolean }} State */
/** @typedef {{ id: string, grid: string, state: State, heats: number[], zoom: number, palettes: Record<string, Record<string, string>> }} GridData */

const GLIDE = 600; // milliseconds from one frame to the next
const PAUSE = 1900; // on each frame while it plays
const SETTLED = 400; // after the last change the address follows

/**
 * @param {string} tag
 * @param {Record<string, any>} [more]
 * @param {...(Node | string)} inside
 * @returns {any}
 */
const element = (tag, more = {}, ...inside) => {
  const made = Object.assign(document.createElement(tag), more);
  made.append(...inside);
  return made;
};

/** @param {ComponentArguments<GridData>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {any} */ (parentElement.querySelector('.grid'));
  const grid = (root.grid ||= new Grid(root));
  grid.send = (/** @type {any} */ said) => setTriggerValue('picked', said);
  grid.take(data);
  return () => grid.leave();
}

class Grid {
  /** @type {any} */ run = null;
  /** @type {any} */ numbers = null;
  /** @type {any} */ colours = null;
  /** @type {State} */ state = { step: '', query: 0, key: 0, heat: 1, scaled: true };
  /** @type {[number, number] | null} */ pointed = null;
  /** @type {any} */ queryBox = null;
  /** @type {any} */ keyBox = null;
  /** @type {number[]} */ heats = [];
  /** @type {Set<string>} */ sent = new Set();
  known = '';
  id = '';
  frame = 0;
  from = 0;
  t = 1;
  width = 0;
  zoom = 1;
  timer = 0;
  playing = 0;

  /** @param {any} root */
  constructor(root) {
    this.root = root;
    /** @type {(said: any) => void} */
    this.send = () => {};
    this.still = matchMedia('(prefers-reduced-motion: reduce)');
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.turned = () => setTimeout(() => this.paint(true), 300);
    this.build();
    this.scheme.addEventListener('change', this.turned);
    this.watch = new ResizeObserver(() => this.paint(true));
    this.watch.observe(root);
  }

  leave() {
    this.play(false);
    clearTimeout(this.timer);
    this.scheme.removeEventListener('change', this.turned);
    this.watch.disconnect();
    this.root.grid = null;
    this.root.replaceChildren();
  }

  build() {
    const select = () => element('select', { onchange: () => this.choose(Number(this.queryBox.value), Number(this.keyBox.value)) });
    this.button = element('button', { type: 'button', className: 'play', onclick: () => this.play(!this.playing) });
    this.slider = element('input', { type: 'range', min: 0, step: 1, ariaLabel: 'From scores to what is taken',
      oninput: () => { this.play(false); this.go(Number(this.slider.value)); } });
    this.stops = element('div', { className: 'stops', role: 'group', ariaLabel: 'Frames' });
    this.bar = element('div', { className: 'bar' }, this.button, element('div', { className: 'track' }, this.slider, this.stops));
    this.canvas = element('canvas', { tabIndex: 0, role: 'application' });
    this.said = element('output', { className: 'said', ariaLive: 'polite' });
    this.formula = element('p', { className: 'formula' });
    this.check = element('p', { className: 'check' });
    this.part = element('p', { className: 'check' });
    this.reading = element('output', { className: 'reading' });
    [this.queryBox, this.keyBox] = [select(), select()];
    this.heatBox = element('input', { type: 'range', step: 1, min: 0, oninput: () => this.warm(this.heats[Number(this.heatBox.value)], this.state.scaled) });
    this.heatText = element('output');
    this.scaledBox = element('input', { type: 'checkbox', onchange: () => this.warm(this.state.heat, this.scaledBox.checked) });
    this.scaledText = element('span');
    this.back = element('button', { type: 'button', textContent: 'As recorded', onclick: () => this.warm(1, true) });
    this.opens = element('button', { type: 'button', textContent: 'Open this number', onclick: () => this.open() });
    this.setting = element('fieldset', {}, element('legend', { textContent: 'Try another softmax' }),
      element('label', {}, 'temperature', this.heatBox, this.heatText), element('label', {}, this.scaledBox, this.scaledText), this.back);
    this.blocked = element('p', { className: 'blocked' });
    this.controls = element('div', { className: 'controls' },
      element('label', {}, 'query (looks)', this.queryBox), element('label', {}, 'key (is looked at)', this.keyBox), this.opens, this.setting);
    this.table = element('table');
    this.fold = element('details', { ontoggle: () => this.list() }, element('summary'), element('div', { className: 'scroll', tabIndex: 0 }, this.table));
    this.probe = element('i', { className: 'probe', ariaHidden: 'true' });
    this.root.append(this.bar, this.said, this.formula, this.check, this.part, this.canvas, this.reading, this.controls, this.blocked, this.fold, this.probe);
    this.listen();
  }

  listen() {
    const { canvas } = this;
    const inside = (/** @type {MouseEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      return under(placed(this.width, this.run.about), (event.clientX - box.left) / this.zoom, (event.clientY - box.top) / this.zoom, this.frame === this.last, this.run.about.d_head);
    };
    canvas.onmousemove = (/** @type {MouseEvent} */ event) => { this.pointed = inside(event); this.read(); };
    canvas.onmouseleave = () => { this.pointed = null; this.read(); };
    canvas.onclick = (/** @type {MouseEvent} */ event) => {
      const at = inside(event);
      if (!at) return;
      const { rows, columns } = this.run.about;
      if (this.frame === this.last) this.choose(this.state.query, columns[0] + at[0]);
      else this.choose(rows[0] + at[0], columns[0] + at[1]);
    };
    canvas.onkeydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const { rows, columns } = this.run.about, last = this.frame === this.last;
      /** @type {Record<string, () => void>} */
      const keys = {
        PageDown: () => this.go(Math.min(this.frame + 1, this.last)), PageUp: () => this.go(Math.max(this.frame - 1, 0)),
        Home: () => this.go(0), End: () => this.go(this.last), ' ': () => this.play(!this.playing), Enter: () => this.open(),
      };
      const key = last && event.key.startsWith('Arrow') ? { ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight' }[event.key] : event.key;
      const next = key && moved([this.state.query - rows[0], this.state.key - columns[0]], key, rows[1] - rows[0], columns[1] - columns[0]);
      if (next) this.choose(rows[0] + next[0], columns[0] + next[1]);
      else if (keys[event.key]) { if (event.key !== ' ') this.play(false); keys[event.key](); }
      else if (!event.key.startsWith('Arrow')) return;
      event.preventDefault();
      event.stopPropagation();
    };
    this.root.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => { // arrow keys walk the pages elsewhere
      if (event.key.startsWith('Arrow') && /** @type {any} */ (event.target).matches('input, select, .scroll')) event.stopPropagation();
    });
  }

  get last() {
    return this.run.about.frames.length - 1;
  }

  /** What the server sent. @param {GridData} data */
  take(data) {
    const asked = JSON.stringify(data.state);
    this.palettes = data.palettes;
    this.heats = data.heats;
    this.zoom = data.zoom;
    const fresh = this.id !== data.id;
    if (fresh) {
      this.run = unpack(bytes(data.grid));
      this.id = data.id;
      this.pointed = null;
      this.name();
    }
    if (asked === this.known) this.sent.clear();
    const late = this.sent.has(asked); // an answer to what was asked before; more was asked since
    if (fresh || (asked !== this.known && !late)) {
      const before = this.state;
      if (asked !== this.known) {
        this.play(false);
        clearTimeout(this.timer);
        this.state = { ...data.state };
      }
      this.known = asked;
      this.numbers = numbersOf(this.run, this.state.heat, this.state.scaled);
      const frame = Math.max(0, this.run.about.frames.findIndex((/** @type {any} */ one) => one.step === this.state.step));
      if (!fresh && before.step !== this.state.step && before.step) this.glide(frame);
      else { this.frame = this.from = frame; this.t = 1; }
      this.show();
    }
    this.paint(true);
  }

  /** The parts that depend on the run alone. */
  name() {
    const { about } = this.run;
    const options = () => about.tokens.map((/** @type {string} */ token, /** @type {number} */ k) => element('option', { value: String(k), textContent: `${k} ${token}` }));
    this.queryBox.replaceChildren(...options());
    this.keyBox.replaceChildren(...options());
    /** @type {Record<string, string>} */
    const short = { dot: 'QK\u1d40', unscale: `\u00f7 ${rootText(about.root)}`, mask: 'mask', softmax: 'softmax', weighted_sum: '\u00d7 V' };
    this.stops.replaceChildren(...about.frames.map((/** @type {any} */ one, /** @type {number} */ k) =>
      element('button', { type: 'button', textContent: short[one.operation] || one.title, title: one.title, ariaLabel: `${short[one.operation] || ''} ${one.title}`, onclick: () => { this.play(false); this.go(k); } })));
    this.slider.max = String(about.frames.length - 1);
    this.heatBox.max = String(this.heats.length - 1);
    this.scaledText.textContent = `divide by ${about.root_name} = ${rootText(about.root)}`;
    const span = (/** @type {[number, number]} */ [first, last]) => `${first} to ${last - 1}`, n = about.tokens.length;
    this.part.hidden = about.rows[1] - about.rows[0] === n;
    this.part.textContent = this.part.hidden ? '' : `Drawn are queries ${span(about.rows)} and keys ${span(about.columns)} of ${n} tokens, those around the chosen pair; every softmax and sum counts all ${n}.`;
    this.setting.disabled = Boolean(about.blocked);
    this.blocked.hidden = !about.blocked;
    this.blocked.textContent = about.blocked ? `Another softmax cannot be tried here: ${about.blocked}.` : '';
  }

  /** Another frame. @param {number} frame */
  go(frame) {
    if (frame === this.frame) return;
    this.glide(frame);
    this.state.step = this.run.about.frames[frame].step;
    this.show();
    this.settle();
  }

  /** @param {number} frame */
  glide(frame) {
    this.from = this.frame;
    this.frame = frame;
    if (this.still.matches) { this.from = frame; this.t = 1; return this.paint(); }
    const begin = performance.now();
    this.t = 0;
    const run = this.gliding = {};
    const tick = (/** @type {number} */ now) => {
      if (this.gliding !== run || !this.root.isConnected) return;
      const share = Math.max(0, Math.min(1, (now - begin) / GLIDE));
      this.t = share < 0.5 ? 2 * share * share : 1 - 2 * (1 - share) * (1 - share);
      if (share >= 1) { this.from = this.frame; this.t = 1; }
      this.paint();
      if (share < 1) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  /** @param {boolean} on */
  play(on) {
    const was = this.playing;
    clearInterval(this.playing);
    this.playing = 0;
    if (on) {
      if (this.frame === this.last) this.go(0);
      this.playing = window.setInterval(() => {
        if (!this.root.isConnected || this.frame >= this.last) return this.play(false);
        this.go(this.frame + 1);
        if (this.frame >= this.last) this.play(false);
      }, PAUSE);
      clearTimeout(this.timer);
    } else if (was) this.settle();
    this.button.textContent = on ? '\u275a\u275a Pause' : '\u25b6 Play';
    this.button.setAttribute('aria-pressed', String(on));
  }

  /** Another pair. @param {number} query @param {number} key */
  choose(query, key) {
    const { rows, columns } = this.run.about;
    Object.assign(this.state, { query, key });
    const outside = query < rows[0] || query >= rows[1] || key < columns[0] || key >= columns[1];
    if (outside) return this.tell();
    this.show();
    this.paint();
    this.settle();
  }

  /** Another softmax. @param {number} heat @param {boolean} scaled */
  warm(heat, scaled) {
    Object.assign(this.state, { heat, scaled });
    this.numbers = numbersOf(this.run, heat, scaled);
    this.show();
    this.paint();
    this.settle();
  }

  settle() {
    clearTimeout(this.timer);
    if (!this.playing) this.timer = window.setTimeout(() => this.tell(), SETTLED);
  }

  /** Let the address follow. */
  tell() {
    const now = JSON.stringify(this.state);
    if (now === this.known) return;
    this.known = now;
    this.sent.add(now);
    this.send({ ...this.state });
  }

  open() {
    clearTimeout(this.timer);
    this.known = JSON.stringify(this.state);
    this.send({ ...this.state, open: this.frame === this.last ? this.strongest() : this.state.key });
  }

  /** The dimension of Z with the largest number in the chosen row. */
  strongest() {
    const sum = this.sum();
    return sum.reduce((best, value, d) => (Math.abs(value) > Math.abs(sum[best]) ? d : best), 0);
  }

  sum() {
    const { about, arrays } = this.run, n = about.tokens.length, i = this.state.query - about.rows[0];
    return weightedSum(this.numbers.weights.subarray(i * n, (i + 1) * n), arrays.v.values, about.d_head);
  }

  /** All that is said of the chosen pair in this frame. */
  pair() {
    const { about, arrays } = this.run, { query, key, heat, scaled } = this.state, n = about.tokens.length;
    const i = query - about.rows[0], j = key - about.columns[0], wide = about.columns[1] - about.columns[0];
    const weights = this.numbers.weights.subarray(i * n, (i + 1) * n), hidden = arrays.hidden.values.subarray(i * n, (i + 1) * n);
    const order = Array.from(weights.keys()).sort((/** @type {any} */ a, /** @type {any} */ b) => weights[b] - weights[a] || a - b).slice(0, 2);
    const cells = this.numbers.cells;
    const at = i * wide + j;
    const named = (/** @type {number} */ k) => {
      const twice = about.tokens.filter((/** @type {string} */ token) => token === about.tokens[k]).length > 1;
      return `\u201c${about.tokens[k]}\u201d${twice ? ` (${k})` : ''}`;
    };
    return {
      query: named(query), key: named(key), score: cells['attention.scores'][at], scaled: cells['attention.scaled'][at],
      masked: cells['attention.masked'][at], weight: cells['attention.weights'][at], hidden: Boolean(hidden[key]), hiddenKeys: total(hidden),
      size: about.d_head, root: about.root, total: arrays.total?.values[at], divided: scaled, heat, top: order.map((/** @type {any} */ k) => ({ name: named(k), weight: weights[k] })),
    };
  }

  /** Everything in words: the sentence, the formula, where the numbers come from, and whether they agree. */
  show() {
    const { about, arrays } = this.run, frame = about.frames[this.frame], pair = this.pair(), recorded = this.numbers.recorded;
    this.slider.value = String(this.frame);
    this.slider.setAttribute('aria-valuetext', frame.title);
    [...this.stops.children].forEach((one, k) => { if (k === this.frame) one.setAttribute('aria-current', 'step'); else one.removeAttribute('aria-current'); });
    this.queryBox.value = String(this.state.query);
    this.keyBox.value = String(this.state.key);
    this.heatBox.value = String(this.heats.indexOf(this.state.heat));
    this.heatText.textContent = this.state.heat.toFixed(1);
    this.heatBox.setAttribute('aria-valuetext', this.state.heat.toFixed(1));
    this.scaledBox.checked = this.state.scaled;
    this.back.disabled = recorded || Boolean(about.blocked);
    const said = sentenceOf(frame.operation, pair);
    if (this.said.textContent !== said) this.said.textContent = said;
    this.formula.textContent = frame.formula;
    const origin = recorded || frame.operation === 'dot' ? 'Recorded in this run.' : 'Recomputed here, in float64, from the recorded scores.';
    this.check.textContent = [origin, frame.changed ? `Changed in this run: ${frame.changed}.` : '', this.agreement(frame.operation)].filter(Boolean).join(' ');
    this.canvas.setAttribute('aria-label', `${frame.title}. Arrow keys choose a pair, Page Up and Page Down a frame, Space plays, Enter opens the number.`);
    const folds = { dot: `All ${about.d_head} products`, softmax: `All ${about.tokens.length} shares of this row`, weighted_sum: `All ${about.d_head} numbers of this row of Z` };
    const title = folds[/** @type {keyof typeof folds} */ (frame.operation)];
    this.fold.hidden = !title;
    this.fold.firstChild.textContent = title || '';
    this.fold.lastChild.setAttribute('aria-label', title || '');
    if (arrays && this.fold.open) this.list();
    this.read();
  }

  /** Whether what is computed here is what the run recorded. @param {string} operation */
  agreement(operation) {
    const { about, arrays } = this.run, n = about.tokens.length, i = this.state.query - about.rows[0];
    const compare = (/** @type {ArrayLike<number>} */ made, /** @type {ArrayLike<number>} */ kept) => {
      let difference = 0, size = 0;
      for (let k = 0; k < made.length; k++) {
        if (made[k] === kept[k]) continue;
        difference = Math.max(difference, Math.abs(made[k] - kept[k]));
      }
      for (let k = 0; k < made.length; k++) if (Number.isFinite(kept[k])) size = Math.max(size, Math.abs(kept[k]), Math.abs(made[k]));
      return agreementText(difference, size);
    };
    let said = '', what = '';
    if (operation === 'dot') {
      const [q, k] = this.vectors();
      const wide = about.columns[1] - about.columns[0];
      const recorded = this.numbers.cells['attention.scores'][i * wide + this.state.key - about.columns[0]];
      const each = products(q, k);
      const size = Math.max(...each.map(Math.abs), Math.abs(recorded));
      said = agreementText(Math.abs(total(each) - recorded), size);
      what = 'The sum of the products';
    } else if (operation === 'softmax' && this.numbers.recorded) {
      const [masked, weights] = [this.numbers.masked, this.numbers.weights].map(values => values.subarray(i * n, (i + 1) * n));
      said = compare(softmaxRow(masked, new Uint8Array(n), 0, 1).weights, weights);
      what = 'The softmax done again here';
    } else if (operation === 'weighted_sum' && this.numbers.recorded) {
      said = compare(this.sum(), arrays.z.values.subarray(i * about.d_head, (i + 1) * about.d_head));
      what = 'The weighted sum done again here';
    }
    if (!what) return '';
    return said ? `${what} agrees with the recorded numbers ${said} \u2713` : `${what} is not what was recorded.`;
  }

  vectors() {
    const { about, arrays } = this.run, size = about.d_head, i = this.state.query - about.rows[0], j = this.state.key - about.columns[0];
    return [arrays.q.values.subarray(i * size, (i + 1) * size), arrays.k.values.subarray(j * size, (j + 1) * size)];
  }

  /** The numbers behind the picture beside the grid, one by one. */
  list() {
    if (!this.fold.open) return;
    const { about, arrays } = this.run, n = about.tokens.length, i = this.state.query - about.rows[0];
    const { operation } = about.frames[this.frame];
    /** @type {string[][]} */
    let rows = [];
    /** @type {string[]} */
    let head = [];
    const six = (/** @type {number} */ value) => written(value, 6);
    if (operation === 'dot') {
      const [q, k] = this.vectors(), each = products(q, k);
      let running = 0;
      head = ['dimension', 'query', 'key', 'product', 'sum so far'];
      rows = Array.from(each, (value, d) => [String(d), six(q[d]), six(k[d]), six(value), six((running += value))]);
    } else if (operation === 'softmax') {
      const row = (/** @type {any} */ values) => values.subarray(i * n, (i + 1) * n);
      const masked = row(this.numbers.masked), weights = row(this.numbers.weights);
      head = ['token', 'number', 'share'];
      rows = about.tokens.map((/** @type {string} */ token, /** @type {number} */ k) => [`${k} ${token}`, six(masked[k]), six(weights[k])]);
    } else {
      const sum = this.sum(), kept = arrays.z.values.subarray(i * about.d_head, (i + 1) * about.d_head);
      head = ['dimension', 'added up', ...(this.numbers.recorded ? ['recorded'] : [])];
      rows = Array.from(sum, (value, d) => [String(d), six(value), ...(this.numbers.recorded ? [six(kept[d])] : [])]);
    }
    const line = (/** @type {string} */ tag, /** @type {string[]} */ cells) => element('tr', {}, ...cells.map(cell => element(tag, { textContent: cell })));
    this.table.replaceChildren(element('thead', {}, line('th', head)), element('tbody', {}, ...rows.map(row => line('td', row))));
  }

  /** What lies under the pointer. */
  read() {
    const at = this.pointed;
    if (!at) { this.reading.textContent = ''; return; }
    const { about, arrays } = this.run, frame = about.frames[this.frame];
    if (this.frame === this.last) {
      const k = about.columns[0] + at[0], i = this.state.query - about.rows[0];
      const weight = this.numbers.weights[i * about.tokens.length + k];
      this.reading.textContent = at[1] < 0
        ? `weight of \u201c${about.tokens[k]}\u201d: ${shareText(weight)}`
        : `value of \u201c${about.tokens[k]}\u201d, dimension ${at[1]}: ${written(arrays.v.values[k * about.d_head + at[1]], 4)}`;
      return;
    }
    const [query, key] = [about.rows[0] + at[0], about.columns[0] + at[1]];
    const wide = about.columns[1] - about.columns[0], value = this.numbers.cells[frame.step][at[0] * wide + at[1]];
    this.reading.textContent = `\u201c${about.tokens[query]}\u201d \u2192 \u201c${about.tokens[key]}\u201d: ${frame.operation === 'softmax' ? shareText(value) : written(value, 4)}`;
  }

  look() {
    const style = getComputedStyle(this.root);
    const resolved = (/** @type {string} */ value) => { this.probe.style.color = value; return getComputedStyle(this.probe).color; };
    const page = resolved('var(--st-background-color)');
    const palettes = this.palettes?.[isDark(page) ? 'dark' : 'light'];
    if (!palettes) return;
    this.colours = {
      page, ink: resolved('var(--st-text-color)'), muted: resolved('var(--muted)'), accent: resolved('var(--accent)'), second: resolved('var(--second)'),
      border: resolved('var(--st-border-color)'), font: style.fontFamily, signed: bytes(palettes.signed), share: bytes(palettes.share),
    };
  }

  /** @returns {import('./attention_grid_scene.js').Moment} */
  get moment() {
    const { about, arrays } = this.run;
    return { about, arrays, numbers: this.numbers, ...this.state, from: this.from, to: this.frame, t: this.t };
  }

  /** @param {boolean} [anew] whether size or colours may have changed */
  paint(anew = false) {
    if (!this.run || !this.numbers || !this.root.clientWidth) return;
    if (anew || !this.colours) this.look();
    if (!this.colours) return;
    this.width = this.root.clientWidth / this.zoom;
    const { shapes, height } = scene(this.moment, this.width, this.colours);
    const ratio = Math.min(2, devicePixelRatio || 1) * this.zoom, { canvas } = this;
    const [w, h] = [Math.round(this.width * ratio), Math.round(height * ratio)];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    canvas.style.height = height * this.zoom + 'px';
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, height);
    for (const shape of shapes) this.stroke(pen, shape);
  }

  /** @param {CanvasRenderingContext2D} pen @param {import('./attention_grid_scene.js').Shape} shape */
  stroke(pen, shape) {
    pen.globalAlpha = shape.alpha ?? 1;
    if (shape.kind === 'cells') {
      pen.imageSmoothingEnabled = false;
      pen.drawImage(this.image(shape), shape.x, shape.y, shape.w, shape.h);
    } else if (shape.kind === 'rect') {
      if (shape.fill) { pen.fillStyle = shape.fill; pen.fillRect(shape.x, shape.y, shape.w, shape.h); }
      if (shape.stroke) { pen.strokeStyle = shape.stroke; pen.lineWidth = shape.line || 1; pen.strokeRect(shape.x, shape.y, shape.w, shape.h); }
    } else if (shape.kind === 'line') {
      pen.strokeStyle = shape.stroke;
      pen.lineWidth = shape.line;
      pen.beginPath();
      shape.points.forEach(([x, y], k) => (k ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
    } else {
      pen.fillStyle = shape.fill;
      pen.font = `${shape.weight || 400} ${shape.size}px ${this.colours.font}`;
      pen.textAlign = shape.anchor === 'middle' ? 'center' : shape.anchor || 'start';
      pen.save();
      pen.translate(shape.x, shape.y);
      if (shape.turn) pen.rotate((shape.turn * Math.PI) / 180);
      pen.fillText(shape.text, 0, 0);
      pen.restore();
    }
  }

  /** Cells as a canvas, a pixel each. @param {{ rows: number, columns: number, pixels: Uint8ClampedArray }} cells */
  image({ rows, columns, pixels }) {
    const made = element('canvas', { width: columns, height: rows });
    made.getContext('2d').putImageData(new ImageData(/** @type {any} */ (pixels), columns, rows), 0, 0);
    return made;
  }

  /** The picture as it is now, for a file; images as links, and the sentence below. */
  drawing() {
    this.look();
    const { shapes, width, height } = scene({ ...this.moment, from: this.frame, t: 1 }, this.width, this.colours);
    const pen = this.canvas.getContext('2d');
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.font = '700 13px sans-serif';
    /** @type {string[]} */
    const lines = [''];
    for (const word of [this.said.textContent, this.part.textContent].join(' ').trim().split(' ')) {
      const longer = `${lines[lines.length - 1]} ${word}`.trim();
      if (pen.measureText(longer).width < width * 0.94) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const words = lines.map((text, k) => ({ kind: 'text', text, x: 0, y: height + 16 + 18 * k, fill: this.colours.ink, size: 13, weight: 700 }));
    const drawn = shapes.map(shape => (shape.kind === 'cells' ? { ...shape, href: this.image(shape).toDataURL() } : shape));
    return { shapes: [...drawn, ...words], width, height: height + 18 * lines.length + 8 };
  }
}

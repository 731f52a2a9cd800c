// @ts-check
// Ask a word: tap it, and the others say how much it looks at them; every head's map stands below, by how much it answers.
import { bytes, moved, pixels } from './cells.js';
import { answersOf, arc, mapOf, ordered, sentence, strength } from './ask_data.js';
import { NONE, isDark, levelText, unpack } from './living_map_data.js';
import { tight } from '../../../encoder/browser/number.js';

const LEAST = 4; // half percents from which an arc is drawn
const MOST_LEFT_OUT = 4; // special tokens that are each named in their chip

/** @type {any} */
const shared = globalThis;
shared.askAWord ||= new EventTarget(); // where the question, a component of its own, is handed over

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
  const root = parentElement.querySelector('.ask');
  const ask = (root.ask ||= new Ask(root));
  ask.send = (/** @type {any} */ said) => setTriggerValue('picked', said);
  ask.take(data);
  return () => ask.leave();
}

class Ask {
  /** @type {any} */ run = null;
  /** @type {any} */ svg = null;
  /** @type {any} */ ways = {};
  /** @type {any} */ scheme = null;
  /** @type {any} */ palette = null;
  /** @type {any} */ come = null; // a run that is not drawn yet
  /** @type {any} */ remote = null; // the answers that were sent for one word
  /** @type {any} */ answers = null; // to the word that is asked; null while they are on their way
  /** @type {any} */ sent = null; // the question that was sent and has not come back
  /** @type {any[]} */ words = [];
  /** @type {any[]} */ thumbs = [];
  /** @type {'word' | 'second'} */ slot = 'word'; // what the next tap chooses
  question = { word: -1, second: -1, way: /** @type {'from' | 'to'} */ ('from'), layer: 0, head: 0 };
  id = '';
  all = false; // whether every head is shown
  top = 1;
  due = 0; // the frame in which what came is drawn
  look = ''; // light or dark

  /** @param {any} root */
  constructor(root) {
    this.root = root;
    /** @type {(said: any) => void} */
    this.send = () => {};
    this.build();
    this.heard = () => { if (!this.come) this.arrive(); };
    shared.askAWord.addEventListener('question', this.heard);
    this.watch = new ResizeObserver(() => this.arcs());
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.turned = () => setTimeout(() => this.paint(), 300); // the page takes its new colours a little later
    this.scheme.addEventListener('change', this.turned);
    this.watch.observe(this.stage);
  }

  leave() {
    shared.askAWord.removeEventListener('question', this.heard);
    cancelAnimationFrame(this.due);
    this.watch.disconnect();
    this.scheme.removeEventListener('change', this.turned);
    this.root.ask = null;
    this.root.replaceChildren();
  }

  build() {
    const button = (/** @type {string} */ text, /** @type {() => void} */ act, more = {}) => make('button', { type: 'button', textContent: text, onclick: act, ...more });
    this.ways = { from: button('Where it looks', () => this.ask({ way: 'from' })), to: button('Who looks at it', () => this.ask({ way: 'to' })) };
    this.first = button('', () => this.choose('word'), { className: 'slot' });
    this.other = button('', () => this.choose('second'), { className: 'slot' });
    this.clear = button('\u00d7', () => { this.slot = 'word'; this.ask({ second: -1 }); }, { className: 'clear', ariaLabel: 'No second word', title: 'No second word' });
    this.svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    this.svg.setAttribute('aria-hidden', 'true');
    this.list = make('ol', { className: 'words', ariaLabel: 'The words of the sentence' });
    this.chip = make('p', { className: 'chip' });
    this.stage = make('div', { className: 'stage' }, this.svg, this.list);
    this.said = make('output', { className: 'said', ariaLive: 'polite' });
    this.heading = make('p', { className: 'heading' });
    this.heads = make('div', { className: 'heads', role: 'group', ariaLabel: 'Heads, the one that answers most first' });
    this.more = button('', () => { this.all = true; this.paint(); }, { className: 'more' });
    this.legend = make('p', { className: 'legend' });
    this.probe = make('i', { className: 'probe' });
    this.root.append(
      make('div', { className: 'question', role: 'group', ariaLabel: 'The question' },
        make('span', { className: 'ways' }, this.ways.from, this.ways.to), make('span', {}, 'Word', this.first), make('span', {}, 'and', this.other, this.clear)),
      this.stage, this.chip, this.said, this.heading, this.heads, this.more, this.legend, this.probe);
    this.list.onkeydown = (/** @type {KeyboardEvent} */ event) => this.keys(event, this.words.map(one => one.word));
    this.heads.onkeydown = (/** @type {KeyboardEvent} */ event) => this.keys(event, [...this.heads.children]);
  }

  /** Arrow keys go from word to word, and from head to head. @param {KeyboardEvent} event @param {any[]} list */
  keys(event, list) {
    const at = list.indexOf(event.composedPath()[0]);
    const to = moved([0, at], event.key, 1, list.length);
    if (at < 0 || !to || event.key === 'ArrowUp' || event.key === 'ArrowDown') return;
    list[to[1]].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** A run. The first is drawn at once, the next ones when what stands above them is painted. @param {any} data */
  take(data) {
    this.come = data;
    if (!this.run) this.arrive();
    else this.due ||= requestAnimationFrame(() => { this.due = requestAnimationFrame(() => this.arrive()); });
  }

  /** What came is drawn, with its question. */
  arrive() {
    this.due = 0;
    const data = this.come;
    this.come = null;
    if (data) this.palettes = data.palettes;
    if (data && this.id !== data.id) {
      this.run = unpack(bytes(data.packet));
      this.id = data.id;
      this.answers = this.sent = null;
      this.slot = 'word';
      this.few = data.few;
      this.all = false;
      this.write();
    }
    this.hear(shared.askAWord.latest);
    this.paint();
  }

  /** The colours of the maps, as the page is light or dark now. */
  colours() {
    this.probe.style.color = 'var(--st-background-color)';
    const look = isDark(getComputedStyle(this.probe).color) ? 'dark' : 'light';
    if (look === this.look) return;
    this.look = look;
    this.palette = bytes(this.palettes[look]);
    for (const thumb of this.thumbs) thumb.drawn = false;
  }

  /** The question as the page has it now. @param {any} said */
  hear(said) {
    if (!this.run || !said || said.id !== this.id) return;
    const { word, second, way, layer, head } = said;
    const asked = { word, second, way, layer, head };
    if (said.answer) {
      const { about, arrays } = unpack(bytes(said.answer));
      this.remote = { word: about.word, way: about.way, row: arrays.row.values, parked: arrays.parked.values, best: arrays.best.values };
    }
    const back = JSON.stringify(asked) === JSON.stringify(this.sent);
    if (back) this.sent = null;
    if (!this.sent) this.question = asked;
    this.answers = null;
  }

  /** Another question, answered here at once and told to the page. @param {any} change */
  ask(change) {
    this.question = { ...this.question, ...change };
    this.answers = null;
    this.sent = this.question;
    this.paint();
    this.send({ ...this.question, word: this.place(this.question.word), second: this.place(this.question.second) });
  }

  /** @param {number} word */
  place(word) { return word < 0 ? -1 : this.run.about.first[word]; }

  /** @param {'word' | 'second'} slot */
  choose(slot) {
    this.slot = slot;
    this.paint();
  }

  /** A word was tapped. @param {number} word @param {boolean} second */
  tap(word, second) {
    if (second || (this.slot === 'second' && this.question.word >= 0)) {
      if (word !== this.question.word) this.ask({ second: word === this.question.second ? -1 : word });
    } else this.ask({ word, second: word === this.question.second ? -1 : this.question.second });
  }

  /** @param {number} word the word whose share it is */
  open(word) {
    const { question } = this;
    const [query, key] = question.way === 'from' ? [question.word, word] : [word, question.word];
    this.send({ ...question, word: this.place(question.word), second: this.place(question.second), query: this.place(query), key: this.place(key) });
  }

  /** What is the same for every question: words, and the maps of the heads. */
  write() {
    const { about } = this.run;
    this.words = about.drawn.map((/** @type {number} */ i) => {
      const word = make('button', { type: 'button', className: 'word', textContent: about.names[i] });
      word.onclick = (/** @type {MouseEvent} */ event) => this.tap(i, event.shiftKey);
      const share = make('button', { type: 'button', className: 'share', onclick: () => this.open(i) });
      return { i, word, share };
    });
    const pair = new Set(about.segments).size > 1;
    const items = this.words.map(({ i, word, share }, at) => {
      const item = make('li', { className: pair ? 'ab'[about.segments[i]] : '' }, word, share);
      if (pair && (at === 0 || about.segments[this.words[at - 1].i] !== about.segments[i])) {
        const name = 'AB'[about.segments[i]];
        return [make('li', { className: `part ${name.toLowerCase()}`, ariaLabel: `Sentence ${name}`, textContent: name }), item];
      }
      return [item];
    });
    this.list.replaceChildren(...items.flat());
    this.thumbs = Array.from({ length: about.layers * about.heads }, (_, h) => {
      const [layer, head] = [Math.floor(h / about.heads), h % about.heads];
      const canvas = make('canvas', {});
      const frame = make('i', { hidden: true });
      const words = make('span', {});
      const box = make('button', { type: 'button', onclick: () => this.ask({ layer, head }) },
        make('b', { textContent: `L${layer} H${head}` }), make('span', { className: 'plate' }, canvas, frame), words);
      return { layer, head, canvas, frame, words, box, drawn: false };
    });
    this.top = Math.max(1, ...this.thumbs.map((_, h) => mapOf(this.run, h).levels.reduce((/** @type {number} */ a, /** @type {number} */ b) => (b === NONE ? a : Math.max(a, b)), 0)));
    this.heads.replaceChildren();
  }

  /** @param {number} h */
  map(h) {
    const { canvas } = this.thumbs[h];
    const { side, levels } = mapOf(this.run, h);
    canvas.width = canvas.height = side;
    const colours = levels.map((/** @type {number} */ level) => (level === NONE ? -1 : Math.round((254 * level) / this.top)));
    canvas.getContext('2d').putImageData(new ImageData(pixels(colours, this.palette), side, side), 0, 0);
    this.thumbs[h].drawn = true;
  }

  /** The answers to the word that is asked, as far as they are at hand. */
  bring() {
    const { about } = this.run;
    const { word, way } = this.question;
    if (word < 0) return null;
    if (about.at_once) return answersOf(this.run, word, way);
    const at = this.remote;
    if (!at || at.word !== word || at.way !== way) return null;
    const m = about.names.length;
    return { row: Array.from({ length: about.layers * about.heads }, (_, h) => at.row.subarray(h * m, (h + 1) * m)), parked: at.parked, best: at.best };
  }

  paint() {
    if (!this.run) return;
    this.colours();
    const { about } = this.run;
    const { word, second, way, layer, head } = this.question;
    this.answers ||= this.bring();
    const h = layer * about.heads + head;
    const row = this.answers && this.answers.row[h];
    for (const [name, one] of Object.entries(this.ways)) one.ariaPressed = String(name === way);
    this.first.textContent = word < 0 ? 'tap a word' : about.names[word];
    this.first.ariaPressed = String(this.slot === 'word');
    this.other.textContent = second < 0 ? (this.slot === 'second' ? 'tap a second word' : 'any word') : about.names[second];
    this.other.ariaPressed = String(this.slot === 'second');
    this.first.ariaLabel = `The word that is asked: ${this.first.textContent}`;
    this.other.ariaLabel = `The second word: ${this.other.textContent}`;
    this.clear.hidden = second < 0;
    const most = row ? Math.max(1, ...about.drawn.filter((/** @type {number} */ i) => i !== word).map((/** @type {number} */ i) => (row[i] === NONE ? 0 : row[i]))) : 1;
    for (const { i, word: button, share } of this.words) {
      const level = row ? row[i] : NONE;
      button.ariaPressed = String(i === word);
      button.classList.toggle('second', i === second);
      button.style.setProperty('--level', row && i !== word && level !== NONE ? `${Math.round((50 * level) / most)}%` : '0%');
      share.hidden = !row;
      share.classList.toggle('small', level < LEAST);
      share.textContent = level === NONE ? '?' : tight(levelText(level));
      const [a, b] = way === 'from' ? [word, i] : [i, word];
      share.ariaLabel = row ? `Open this number: ${about.called[a]} looks at ${about.called[b]}, ${levelText(level)}` : '';
    }
    this.park(row, h);
    const said = this.answers ? sentence(about, this.question, this.answers) : word < 0 ? 'Tap a word to ask it.' : 'The answers of all heads are on their way.';
    if (this.said.textContent !== said) this.said.textContent = said;
    this.line(h);
    this.arcs();
  }

  /** What is left out, in one chip. @param {any} row @param {number} h */
  park(row, h) {
    const { about } = this.run;
    const { word, way } = this.question;
    const drawn = new Set(about.drawn);
    const others = about.names.map((/** @type {string} */ _, /** @type {number} */ i) => i).filter((/** @type {number} */ i) => !drawn.has(i));
    this.chip.hidden = !row || !others.length;
    if (this.chip.hidden) return;
    const level = (/** @type {number} */ i) => (row[i] === NONE ? -1 : row[i]);
    const named = others.sort((/** @type {number} */ a, /** @type {number} */ b) => level(b) - level(a)).slice(0, MOST_LEFT_OUT);
    const one = (/** @type {number} */ i) => make('button', {
      type: 'button', textContent: `${about.names[i]} ${levelText(row[i])}`, onclick: () => this.open(i),
      ariaLabel: `Open this number: ${way === 'from' ? `${about.called[word]} looks at ${about.names[i]}` : `${about.names[i]} looks at ${about.called[word]}`}, ${levelText(row[i])}`,
    });
    const rest = others.length - named.length;
    const lead = way === 'from' ? make('b', { textContent: `${levelText(this.answers.parked[h])} parked` }) : 'Who else looks at it:';
    this.chip.replaceChildren(lead, ...named.map(one), rest > 0 ? `and ${rest} more, smaller` : '');
  }

  /** The heads in their order. @param {number} chosen */
  line(chosen) {
    const { about } = this.run;
    const { word, second, way } = this.question;
    const order = this.answers ? ordered(this.answers, second) : this.thumbs.map((_, h) => h);
    const shown = this.all ? order : order.slice(0, this.few);
    if (!this.all && !shown.includes(chosen)) shown[shown.length - 1] = chosen;
    const boxes = shown.map(h => this.thumbs[h].box);
    if (boxes.some((box, i) => this.heads.children[i] !== box) || boxes.length !== this.heads.children.length) this.heads.replaceChildren(...boxes);
    for (const h of shown) {
      const thumb = this.thumbs[h];
      if (!thumb.drawn) this.map(h);
      thumb.box.ariaPressed = String(h === chosen);
      const found = this.answers && strength(this.answers, second, h);
      const text = found && found.word >= 0 ? `${second < 0 ? `${about.names[found.word]} ` : ''}${levelText(found.level)}` : '';
      thumb.words.textContent = text;
      thumb.box.ariaLabel = `Layer ${thumb.layer}, head ${thumb.head}${text ? `: ${text}` : ''}`;
      this.frame(thumb.frame, about.drawn.indexOf(word), about.drawn.indexOf(second));
    }
    this.more.hidden = shown.length === order.length;
    this.more.textContent = `All ${order.length} heads`;
    const one = word < 0 ? '' : about.called[word];
    const two = second < 0 ? '' : about.called[second];
    const [a, b] = way === 'from' ? [one, two] : [two, one];
    this.heading.textContent = word < 0 ? 'Every head' : second >= 0 ? `Which heads look from ${a} to ${b}? The strongest first.`
      : way === 'from' ? `Where does ${one} look in each head? The strongest look at another word first.` : `Who looks at ${one} in each head? The strongest look first.`;
    const pooled = about.every > 1 ? ` A cell is the largest of ${about.every} \u00d7 ${about.every} weights.` : '';
    this.legend.textContent = `Small maps: a row looks, a column is looked at; colours from 0 to ${levelText(this.top)}, the largest weight drawn.${pooled}`
      + ' Percents are rounded to whole ones; a click on one opens the exact number.';
  }

  /** The asked row or column of a small map, or the cell of both words. @param {any} frame @param {number} word @param {number} second */
  frame(frame, word, second) {
    const count = this.run.about.drawn.length;
    frame.hidden = word < 0;
    const across = this.question.way === 'from';
    const at = (/** @type {number} */ i) => [`${(100 * Math.max(0, i)) / count}%`, i < 0 ? '100%' : `${100 / count}%`];
    const [[top, height], [left, width]] = across ? [at(word), at(second)] : [at(second), at(word)];
    Object.assign(frame.style, { top, height, left, width });
  }

  /** Lines from the asked word to where it looks, or from those that look at it. */
  arcs() {
    if (!this.run) return;
    const { word, way, layer, head } = this.question;
    const whole = this.stage.getBoundingClientRect();
    this.svg.setAttribute('viewBox', `0 0 ${whole.width} ${whole.height}`);
    const asked = this.words.find(one => one.i === word);
    const row = this.answers && this.answers.row[layer * this.run.about.heads + head];
    const middle = (/** @type {any} */ one) => {
      const box = one.word.getBoundingClientRect();
      return { x: box.left + box.width / 2 - whole.left, y: box.top - whole.top };
    };
    const drawn = row && asked && whole.width ? this.words.filter(one => one.i !== word && row[one.i] !== NONE && row[one.i] >= LEAST) : [];
    this.svg.replaceChildren(...drawn.flatMap(one => {
      const [a, b] = way === 'from' ? [middle(asked), middle(one)] : [middle(one), middle(asked)];
      const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      path.setAttribute('d', arc(a, { x: b.x, y: b.y - 4 }));
      path.setAttribute('stroke-width', (1 + row[one.i] / 25).toFixed(2));
      path.setAttribute('stroke-opacity', (0.35 + row[one.i] / 400).toFixed(2));
      const tip = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      const wide = 3.5 + row[one.i] / 50;
      tip.setAttribute('d', `M${(b.x - wide).toFixed(1)} ${(b.y - 2 * wide).toFixed(1)}L${(b.x + wide).toFixed(1)} ${(b.y - 2 * wide).toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}Z`);
      tip.setAttribute('class', 'tip');
      return [path, tip];
    }));
  }

  /** The picture as shapes, for a file: words, shares, arcs, and the maps that are shown. */
  drawing() {
    const whole = this.root.getBoundingClientRect();
    const pen = /** @type {CanvasRenderingContext2D} */ (make('canvas', { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true }));
    const solid = (/** @type {string} */ colour) => {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      return a ? `rgb(${r}, ${g}, ${b})` : 'none';
    };
    /** @type {{ tag: string, attributes: Record<string, any>, text?: string }[]} */
    const shapes = [];
    const at = (/** @type {any} */ element) => {
      const box = element.getBoundingClientRect();
      return { x: box.left - whole.left, y: box.top - whole.top, width: box.width, height: box.height };
    };
    const write = (/** @type {any} */ element, left = false) => {
      const style = getComputedStyle(element);
      const box = at(element);
      if (!box.width || !element.textContent) return;
      const boxed = solid(style.backgroundColor) !== 'none' || parseFloat(style.borderTopWidth) > 0;
      if (boxed) shapes.push({ tag: 'rect', attributes: { ...box, rx: 6, fill: solid(style.backgroundColor), stroke: parseFloat(style.borderTopWidth) ? solid(style.borderTopColor) : 'none',
        'stroke-dasharray': style.borderTopStyle === 'dashed' ? '4 3' : 'none' } });
      const size = parseFloat(style.fontSize);
      const range = document.createRange();
      range.selectNodeContents(element);
      const wide = range.getBoundingClientRect().width; // a file has another font: its words keep their width
      shapes.push({ tag: 'text', attributes: { x: left ? box.x : box.x + box.width / 2, y: box.y + box.height / 2 + size * 0.35, 'font-size': size, 'font-family': 'sans-serif',
        'font-weight': style.fontWeight, 'text-anchor': left ? 'start' : 'middle', textLength: wide, lengthAdjust: 'spacingAndGlyphs', fill: solid(style.color) }, text: element.textContent });
    };
    const stage = at(this.stage);
    for (const path of this.svg.children) {
      const style = getComputedStyle(path);
      const tip = path.getAttribute('class') === 'tip';
      shapes.push({ tag: 'path', attributes: { d: path.getAttribute('d'), transform: `translate(${stage.x} ${stage.y})`, fill: tip ? solid(style.fill) : 'none',
        stroke: tip ? 'none' : solid(style.stroke), 'stroke-width': path.getAttribute('stroke-width') || 0, 'stroke-opacity': path.getAttribute('stroke-opacity') || 1 } });
    }
    for (const part of this.list.querySelectorAll('.part')) write(part);
    for (const { word, share } of this.words) { write(word); if (!share.hidden) write(share); }
    if (!this.chip.hidden) {
      const box = at(this.chip);
      shapes.push({ tag: 'rect', attributes: { ...box, rx: 6, fill: 'none', stroke: solid(getComputedStyle(this.chip).borderTopColor), 'stroke-dasharray': '4 3' } });
      for (const part of this.chip.children) write(part);
    }
    write(this.said, true);
    write(this.heading, true);
    for (const box of this.heads.children) {
      const thumb = this.thumbs.find(one => one.box === box);
      const plate = at(thumb.canvas);
      write(box.children[0]);
      shapes.push({ tag: 'image', attributes: { ...plate, href: thumb.canvas.toDataURL(), preserveAspectRatio: 'none', style: 'image-rendering: pixelated' } });
      shapes.push({ tag: 'rect', attributes: { ...plate, fill: 'none', stroke: solid(getComputedStyle(box).color), 'stroke-opacity': box.ariaPressed === 'true' ? 1 : 0.3 } });
      if (!thumb.frame.hidden) shapes.push({ tag: 'rect', attributes: { ...at(thumb.frame), fill: 'none', stroke: solid(getComputedStyle(thumb.frame).outlineColor) } });
      write(thumb.words);
    }
    const end = this.heads.children.length ? at(this.heads) : at(this.said);
    return { shapes, width: whole.width, height: end.y + end.height };
  }
}

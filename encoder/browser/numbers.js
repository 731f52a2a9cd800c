// @ts-check
// The numbers of any recorded step, all of them, and the drawer of one: the arithmetic that made it and what it was made of.
import style from './attention.css';
import { AS_IS, dress, el, put, write } from './dom.js';
import { endsOf } from './grid.js';
import { layerPackets } from './layer_packets.js';
import { made } from './load.js';
import { brief, percent, short, typeset } from './number.js';
import css from './numbers.css';
import { at } from './packet.js';
import { picture } from './picture.js';
import { open as show, placeOf, spelled, toQuery, touched } from './store.js';
import { namesOf } from './strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** What a packet of level 8 says. @typedef {{step: string, title: string, note: string, formula: string, shape: [string[], number[]], rows: string[], columns: string[] | string, values: string, index: number[], all: number, layer?: number, look: string, steps: [string, string][], terms: [string, string][], words?: string[][]}} About */
/** What a page shows of a run's steps: the parts of the encoder it is about, and the step it begins with. @typedef {{parts: string[], step: string}} Of */

const MOST_ROWS = 100; // of words
const LAYER = /^layers\.\d+\./;

/** Which part of the encoder a step is of, as the pages name their parts. @param {string} step */
const partOf = step => (LAYER.test(step) && step.replace(LAYER, '') === 'output' ? 'layer_output' : step.replace(LAYER, '').split('.')[0]);

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @param {Of} of */
export function numbers(root, context, of) {
  dress(root, style);
  dress(root, css);
  const { store } = context, packets = layerPackets(context, 8, () => { if (state) render(); });
  const which = el('select', { class: 'enc-pill', 'aria-label': 'Step', onchange: () => store.set({ numbers: which.value }) });
  const shape = el('code'), note = el('p', { class: 'nu-note' }), formula = el('div', { class: 'nu-formula', tabindex: '0', role: 'group', 'aria-label': 'Formula' });
  const look = el('p', { class: 'nu-note' }), terms = el('details', { class: 'nu-terms' }), said = el('p', { class: 'nu-said' }), waiting = el('p', { class: 'nu-said', role: 'status' }, 'Loading the numbers …'), why = el('p', { role: 'alert' });
  const grid = picture({ point: at => { pointed = at; render(); }, keep: at => { chosen = at; pointed = null; render(); }, open: () => open() });
  const table = el('table', { class: 'nu-words-table' });
  const button = el('button', { type: 'button', class: 'enc-pill', onclick: () => open() });
  const body = el('div', {}, el('div', { class: 'nu-words' }, note, formula), grid.element, table, look, terms, el('div', { class: 'nu-foot' }, button, said));
  const page = el('section', { class: 'at nu', 'aria-label': 'The numbers of a step' }, el('div', { class: 'nu-top' }, which, shape), waiting, why, body);
  root.append(page);
  grid.element.addEventListener('click', event => { if (event.detail && /** @type {Element} */ (event.target).closest('.picture-grid')) open(); });
  /** Steps that are the same for all heads, by the head that they were first asked with. @type {Map<string, number>} */
  const alone = new Map();
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  /** @type {{row: number, column: number}} */
  let chosen = { row: 0, column: 0 };
  /** @type {{row: number, column: number} | null} */
  let pointed = null;
  let drawn = '';
  /** What is drawn. @type {About | null} */
  let described = null;

  /** The step that is shown: what was chosen, in the layer that is chosen now. */
  function stepOf() {
    const wished = placeOf(state.number)?.step ?? '', name = state.numbers !== '1' ? state.numbers : wished && of.parts.includes(partOf(wished)) ? wished : of.step;
    return name.replace(/^layers\.(\d+|\*)\./, `layers.${state.layer}.`);
  }
  /** The packet of a step: of one that has a matrix for each head, that of the chosen head. @param {Packet} given @param {string} step */
  function found(given, step) {
    const to = { step, index: [alone.get(step.replace(LAYER, '')) ?? state.head] }, packet = packets.get(given, to);
    if (packet && !/** @type {number[]} */ (/** @type {any} */ (packet.about).index).length) alone.set(step.replace(LAYER, ''), to.index[0]);
    return { packet, why: packets.why(given, to) };
  }
  /** The index of a cell in its step. @param {About} about @param {Packet} packet @param {{row: number, column: number}} cell */
  function indexOf(about, packet, { row, column }) {
    if (about.words) return [row, Number(packet.arrays.ids.values[row * packet.arrays.ids.shape[1] + column])];
    return about.shape[0].length === 1 ? [row] : [...about.index, row, column];
  }
  function open() {
    const packet = run && found(run, stepOf()).packet;
    if (!packet) return;
    const about = /** @type {About} */ (/** @type {unknown} */ (packet.about));
    show({ step: about.step, index: indexOf(about, packet, chosen) });
  }

  /** What the numbers depend on. */
  const fingerprint = () => {
    const { sentence, second, edits, hidden, model } = /** @type {Packet} */ (run).about;
    return [sentence, second, edits, hidden, model.digest, drawn].join(' ');
  };
  /** The likeliest words of each token, of a step with a number for every word. @param {About} about @param {Packet} packet @param {string[]} names @param {(value: number) => string} text */
  function drawWords(about, packet, names, text) {
    const { values, shape } = packet.arrays.numbers, key = fingerprint();
    if (table.dataset.key !== key) table.replaceChildren(el('tbody', {}, ...names.slice(0, MOST_ROWS).map((name, row) => el('tr', {}, el('th', { ...AS_IS, dir: 'auto', scope: 'row' }, name), ...(about.words?.[row] ?? []).map((word, column) => {
      const to = { step: about.step, index: indexOf(about, packet, { row, column }) };
      return el('td', {}, el('button', { type: 'button', 'data-number': spelled(to), 'data-cell': `${row},${column}`, onclick: () => show(to) }, el('bdi', {}, el('b', {}, word)), ` ${typeset(text(values[row * shape[1] + column]))}`));
    })))));
    table.dataset.key = key; // a button that has the keys stays
    for (const one of table.querySelectorAll('button')) put(one, { 'aria-pressed': String(one.dataset.number === state.number) });
  }

  function render() {
    if (!run || !state) return;
    const step = stepOf(), { packet, why: wrong } = found(run, step);
    waiting.hidden = Boolean(packet || wrong);
    why.hidden = !wrong;
    write(why, wrong);
    body.hidden = !packet && !described;
    body.classList.toggle('enc-old', !packet);
    if (!packet) return;
    const about = /** @type {About} */ (/** @type {unknown} */ (packet.about)), { numbers: values } = packet.arrays, [rows, columns] = values.shape;
    described = about;
    if (drawn !== about.step + about.index) {
      drawn = about.step + about.index;
      const offered = about.steps.filter(([name]) => of.parts.includes(partOf(name)));
      which.replaceChildren(...offered.map(([name, title]) => el('option', { value: name }, title)));
      which.value = about.step;
      write(note, about.note);
      write(look, about.look);
      formula.replaceChildren(mathml(about.formula));
      terms.hidden = !about.terms.length;
      terms.replaceChildren(el('summary', {}, `Terms: ${about.terms.map(([name]) => name).join(', ')}`), ...about.terms.map(([name, meaning]) => el('p', {}, el('b', {}, name), ` ${meaning}`)));
      const [dims, sizes] = about.shape;
      write(shape, `${about.step} · ${dims.join(' × ')} = ${sizes.join(' × ')}`);
    }
    const place = placeOf(state.number);
    if (place?.step === about.step && !pointed) {
      const at = about.shape[0].length === 1 ? [place.index[0], 0] : place.index.slice(-2), column = about.words ? [...packet.arrays.ids.values.slice(at[0] * columns, (at[0] + 1) * columns)].indexOf(at[1]) : at[1];
      if (at[0] < rows && column >= 0 && column < columns) chosen = { row: at[0], column };
    }
    chosen = { row: Math.min(chosen.row, rows - 1), column: Math.min(chosen.column, columns - 1) };
    const on = pointed && pointed.row < rows && pointed.column < columns ? pointed : chosen, share = about.values === 'share';
    const names = namesOf(about.rows), across = about.words ? null : Array.isArray(about.columns) ? namesOf(about.columns) : null;
    const all = /** @type {Float32Array} */ (values.values), ends = endsOf({ values: all, columns }, share ? 'share' : 'signed');
    const text = (/** @type {number} */ value) => (share ? percent(value) : brief(value));
    const inCell = (/** @type {number} */ value) => (!share ? brief(value) : value < 0.005 ? '·' : String(Math.round(100 * value)));
    grid.element.hidden = button.hidden = Boolean(about.words);
    table.hidden = !about.words;
    if (about.words) drawWords(about, packet, names, text);
    const says = (/** @type {{row: number, column: number}} */ { row, column }) => {
      const word = about.words?.[row][column], where = word ?? (across ? across[column] : about.shape[0].length === 1 ? '' : `${about.columns} ${column}`);
      return `${names[row]}${where && (across ? ` → ${where}` : `, ${where}`)}: ${typeset(short(all[row * columns + column]))}`;
    };
    grid.draw({
      key: fingerprint(), numbers: { rows: names.map((_, i) => i), columns, values: all, names: across, shut: null, parts: share ? 'share' : 'signed' },
      rows: names, columns: across ?? Array.from({ length: columns }, (_, i) => String(i)), ends, parts: share ? 'share' : 'signed', chosen: on, kept: chosen, form: inCell, band: null,
      label: `${about.title}: a row for each of ${rows}, arrows move, Enter opens a number`, says: says(chosen), shown: says(on), low: text(ends.low), high: text(ends.high), above: ends.above ? `${ends.above} beyond` : '',
      unfold: false, tokens: across ? columns : Math.max(rows, 8), last: across?.at(-1) ?? '',
    });
    write(button, 'Open this number');
    put(button, { 'aria-label': `Open ${says(chosen)}` });
    write(said, rows < about.all ? `Rows 0 to ${rows - 1} of ${about.all}: the rest of this long run is not sent.` : about.words ? `The ${columns} likeliest of all words at each token; each opens.` : '');
  }

  return {
    /** @param {Packet} given @param {State} now */
    draw(given, now) {
      if (run !== given) pointed = null;
      run = given;
      state = now;
      render();
    },
    /** The picture of the step, where it is what stands in sight. @returns {import('./keep.js').Kept | null} */
    kept() {
      if (!run || !described || page.getBoundingClientRect().top > innerHeight / 2) return null;
      const { step, title, layer } = described;
      return { picture: layer === undefined ? 'picture' : 'layer_step', name: `${title}: the numbers of all tokens`, query: toQuery({ ...made(state), layer: state.layer, head: state.head, step: step.replace(LAYER, '') }) };
    },
    end() {
      packets.end();
      grid.end();
      page.remove();
    },
  };
}

/** @typedef {import('./store.js').Place} Place */
/** @typedef {Place & {place: string, value: string}} Operand */
/** What a packet of level 9 says. @typedef {Place & {place: string, words: string, formula: string, recorded: string, check: {again?: string, recorded?: string, agrees?: string}, edited: string, operands: Operand[], terms?: number, names?: string[], lines?: [string, (number | null)[]][]}} NumberAbout */
/** What a drawer is drawn with: what asks for packets of the run, and what is told when another number is opened, "" when none. @typedef {{part: import('./mount.js').Context['part'], tell: (number: string) => void}} Calls */

const SHOWN = 12; // terms before the others are asked for
const MOST_TRAIL = 50;
const SETTLING = 2500; // ms in which a page may still change its heights

/** A formula as an element. @param {string} text MathML, which a server of ours wrote */
export function mathml(text) {
  const read = new DOMParser().parseFromString(text.replace(/&(?!#)\w+;/g, ''), 'application/xml').documentElement;
  return document.importNode(read, true);
}

/** @param {HTMLElement} root @param {Calls} calls */
export function opened(root, { part, tell }) {
  dress(root, css);
  const packets = layerPackets({ part }, 9, () => render());
  const trail = el('nav', { class: 'on-trail', 'aria-label': 'Opened before' }), close = el('button', { type: 'button', class: 'enc-pill', onclick: () => tell('') }, 'Close');
  const title = el('h2', { tabindex: '-1', id: 'enc-number-title' }), words = el('p'), edited = el('p', { class: 'on-edited' });
  const formula = el('div', { class: 'on-formula', tabindex: '0', role: 'group', 'aria-label': 'Arithmetic' }), check = el('p', { class: 'on-check' }), operands = el('div', { class: 'on-operands' });
  const largest = el('h3'), terms = el('table', { class: 'on-terms' }), more = el('button', { type: 'button', class: 'enc-pill', onclick: () => { all = true; render(); } });
  const waiting = el('p', { class: 'on-waiting', role: 'status' }, 'Looking where this number comes from …'), why = el('p', { role: 'alert' }), again = el('button', { type: 'button', class: 'enc-pill', onclick: () => packets.again() }, 'Try again');
  const rest = el('div', {}, words, edited, formula, check, operands, largest, terms, more);
  const aside = el('section', { class: 'enc-number', 'aria-labelledby': 'enc-number-title', hidden: true }, el('div', { class: 'on-top' }, trail, close), title, waiting, why, again, rest);
  root.append(aside);
  /** @type {Packet | null} */
  let run = null;
  let now = '', all = false, inside = false;
  let until = 0; // when it is held no longer
  /** @type {string[]} the way to the number that is open, itself last */
  let way = [];
  /** @type {HTMLElement | null} */
  let before = null;
  /** @type {NumberAbout | null} */
  let shown = null;

  aside.onkeydown = event => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    tell('');
  };
  const leaves = (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Escape' && now) tell(''); };
  document.addEventListener('keydown', leaves);

  /** The element that has the keys, wherever on the page it is. */
  function inFocus() {
    let found = document.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return found instanceof HTMLElement ? found : null;
  }

  /** Opens a number from within the drawer: what is open leads back. @param {Place} to */
  function lead(to) {
    inside = true;
    tell(spelled(to));
  }

  /** What was touched stays where it was, while the page makes room; on a phone it goes above the drawer. */
  function hold() {
    const { element, top, y } = touched;
    if (!element?.isConnected || aside.contains(element) || performance.now() > until) return;
    const pane = document.querySelector('[data-testid=stMain]') ?? document.scrollingElement, box = aside.getBoundingClientRect();
    const moved = element.getBoundingClientRect().top - top, under = aside.hidden || box.left > 0 ? 0 : Math.max(0, y + 40 - box.top);
    if (Math.abs(moved + under) >= 1) pane?.scrollBy({ top: moved + under, behavior: 'instant' });
    Object.assign(touched, { top: top - under, y: y - under });
  }
  const room = new ResizeObserver(hold); // the drawer's text comes later, and so may what the page draws anew for its room
  room.observe(aside);
  room.observe(root);
  const byHand = () => { until = 0; };
  for (const kind of ['wheel', 'touchmove']) document.addEventListener(kind, byHand, { passive: true });

  /** @param {Packet} packet @param {NumberAbout} about */
  function list(packet, about) {
    const { arrays } = packet, count = about.names?.length ?? 0, lines = about.lines ?? [], rows = Math.min(count, all ? count : SHOWN);
    largest.hidden = terms.hidden = !count;
    more.hidden = rows >= count;
    write(largest, count < 2 ? 'What was added up' : `The largest of ${(about.terms ?? 0).toLocaleString('en-US')} terms`);
    write(more, `Show ${count === about.terms ? 'all' : 'the largest'} ${count.toLocaleString('en-US')}`);
    const most = count ? Math.abs(at(arrays.values, 0)) : 1;
    const named = lines.map(([step]) => step.split('.').slice(-2).join('.'));
    terms.replaceChildren(el('thead', {}, el('tr', {}, ...['term', ...named, 'value', 'sum so far'].map(name => el('th', { scope: 'col' }, name)))), el('tbody', {}, ...Array.from({ length: rows }, (_, k) => {
      const value = at(arrays.values, k), place = at(arrays.places, k), bar = el('i');
      bar.style.width = `${Math.min(100, 100 * Math.abs(value) / most)}%`;
      if (value < 0) put(bar, { class: 'on-below' });
      return el('tr', {}, el('th', { scope: 'row' }, el('bdi', {}, about.names?.[k] ?? ''), bar), ...lines.map(([step, index], i) => el('td', {}, el('button', {
        type: 'button', onclick: () => lead({ step, index: index.map(one => one ?? place) }),
      }, typeset(short(at(arrays[`line_${i}`], k)))))), el('td', {}, typeset(short(value))), el('td', {}, typeset(short(at(arrays.running, k)))));
    })));
  }

  function render() {
    aside.hidden = !now || !run;
    document.documentElement.toggleAttribute('data-number-open', !aside.hidden);
    if (!now || !run) return;
    const to = placeOf(now), packet = to ? packets.get(run, to) : null, wrong = to ? packets.why(run, to) : 'This number cannot be shown: the address names none.';
    waiting.hidden = Boolean(packet || wrong);
    why.hidden = again.hidden = !wrong;
    again.hidden ||= !to;
    write(why, wrong);
    rest.hidden = !packet;
    if (trail.dataset.way !== way.join(' ')) trail.replaceChildren(...way.slice(0, -1).map(number => {
      const of = /** @type {Place} */ (placeOf(number));
      return el('button', { type: 'button', onclick: () => lead(of) }, `${of.step.replace('layers.', '')} [${of.index.join(', ')}]`);
    }));
    trail.dataset.way = way.join(' '); // a button that has the keys stays
    if (!packet) {
      write(title, 'An opened number');
      return;
    }
    const about = /** @type {NumberAbout} */ (/** @type {unknown} */ (packet.about));
    write(title, `${about.place} = ${typeset(about.recorded)}`);
    if (shown !== about) {
      shown = about;
      write(words, about.words);
      edited.hidden = !about.edited;
      write(edited, `This number was changed: ${about.edited}. The arithmetic is that of the step as it is.`);
      formula.replaceChildren(mathml(about.formula));
      check.hidden = !about.check.again;
      const { again: redone = '', recorded = '', agrees = '' } = about.check;
      write(check, `Computed again in float64: ${typeset(redone)}. Recorded: ${typeset(recorded)}. ${agrees}`.trim());
      operands.replaceChildren(...about.operands.map(one => el('button', { type: 'button', class: 'enc-pill', onclick: () => lead(one) }, `${one.place} = ${typeset(one.value)}`)));
      aside.scrollTop = 0;
    }
    list(packet, about);
  }

  return {
    element: aside,
    /** @param {Packet} given @param {string} number as an address spells it; "" closes @param {boolean} [enter] whether it takes the keys */
    draw(given, number, enter = false) {
      if (number !== now) {
        if (number && !now) before = inFocus();
        all = false;
        const known = way.indexOf(number);
        way = !number ? [] : known >= 0 ? way.slice(0, known + 1) : inside ? [...way.slice(1 - MOST_TRAIL), number] : [number];
        const took = inside || enter;
        inside = false;
        now = number;
        run = given;
        render();
        until = performance.now() + SETTLING;
        requestAnimationFrame(() => requestAnimationFrame(hold));
        if (number && took) title.focus({ preventScroll: true });
        if (!number) {
          before?.focus({ preventScroll: true });
          before = null;
        }
      } else if (run !== given) {
        run = given;
        render();
      }
    },
    /** The number that is open and what it is of, where it is a sum; null for none. */
    sum: () => (now && shown?.terms ? { cell: now, name: `The largest terms of ${shown.place}` } : null),
    end() {
      packets.end();
      room.disconnect();
      for (const kind of ['wheel', 'touchmove']) document.removeEventListener(kind, byHand);
      document.removeEventListener('keydown', leaves);
      document.documentElement.removeAttribute('data-number-open');
      aside.remove();
    },
  };
}

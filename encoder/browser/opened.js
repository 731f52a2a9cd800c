// @ts-check
// The drawer of an opened number: where it stands, the arithmetic that made it, and what it was made of, each of which opens in turn.
import { dress, el, put, write } from './dom.js';
import { layerPackets } from './layer_packets.js';
import { short, typeset } from './number.js';
import css from './opened.css';
import { at } from './packet.js';
import { mathml, placeOf, spelled, touched } from './places.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./places.js').Place} Place */
/** @typedef {Place & {place: string, value: string}} Operand */
/** What a packet of level 9 says. @typedef {Place & {place: string, words: string, formula: string, recorded: string, check: {again?: string, recorded?: string, agrees?: string}, edited: string, operands: Operand[], terms?: number, names?: string[], lines?: [string, (number | null)[]][]}} About */
/** What a drawer is drawn with: what asks for packets of the run, and what is told when another number is opened, "" when none. @typedef {{part: import('./mount.js').Context['part'], tell: (number: string) => void}} Calls */

const SHOWN = 12; // terms before the others are asked for
const MOST_TRAIL = 50;
const SETTLING = 2500; // ms in which a page may still change its heights

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
  /** @type {About | null} */
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

  /** @param {Packet} packet @param {About} about */
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
      return el('tr', {}, el('th', { scope: 'row' }, about.names?.[k] ?? '', bar), ...lines.map(([step, index], i) => el('td', {}, el('button', {
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
    const about = /** @type {About} */ (/** @type {unknown} */ (packet.about));
    write(title, `${about.place} = ${typeset(about.recorded)}`);
    if (shown !== about) {
      shown = about;
      write(words, about.words);
      edited.hidden = !about.edited;
      write(edited, `This number was changed: ${about.edited}. The arithmetic is that of the step as it is.`);
      formula.replaceChildren(mathml(about.formula));
      check.hidden = !about.check.again;
      const { again: redone = '', recorded = '', agrees = '' } = about.check, how = agrees.startsWith('to ') ? ` They agree ${agrees}.` : agrees && ` The number ${agrees}.`;
      write(check, `Computed again in float64: ${typeset(redone)}. Recorded: ${typeset(recorded)}.${how}`);
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

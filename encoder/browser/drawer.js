// @ts-check
// The drawer of one number: the arithmetic that made it, done again, and what it was made of, each of which opens.
import { dress, el } from './dom.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { short, typeset } from './number.js';
import { numberTable } from './number_table.js';
import css from './drawer.css';
import { at } from './packet.js';
import { placeOf, spelled, touched } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Place} Place */
/** @typedef {Place & {place: string, value: string}} Operand */
/**
 * What a packet of level 9 says of a number: `place` where it stands, `formula` its arithmetic as MathML, `check` the same done again, `operands`
 * the numbers that it was made of. Of a sum, `terms` counts what was added up; `names` and `lines` are of the largest.
 * @typedef {Place & {place: string, words: string, formula: string, recorded: string, check: {again?: string, recorded?: string, agrees?: string}, edited: string, operands: Operand[], terms?: number, names?: string[], lines?: [string, (number | null)[]][]}} NumberAbout
 */
/** What a drawer is drawn with: what asks for packets of the run, and what is told when another number is opened, "" when none. @typedef {{part: import('./mount.js').Context['part'], tell: (number: string) => void}} Calls */

const SHOWN = 12; // terms before the others are asked for
const MOST_TRAIL = 50;
const CLEAR = 8; // px that a headline keeps from the bar
const SETTLING = 2500; // ms in which a page may still change its heights

/** A formula as an element. @param {string} text MathML, which a server of ours wrote */
export function mathml(text) {
  const read = new DOMParser().parseFromString(text.replace(/&(?!#)\w+;/g, ''), 'application/xml').documentElement;
  return document.importNode(read, true);
}

/** @param {HTMLElement} root @param {Calls} calls */
export function drawer(root, { part, tell }) {
  dress(root, css);
  const packets = layerPackets({ part }, 9, () => render());
  const aside = el('section', { class: 'enc-number', 'aria-labelledby': 'enc-number-title', hidden: true });
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
  /** @type {WeakMap<NumberAbout, Element>} */
  const formulas = new WeakMap();

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

  /** What was touched stays where it was while the page makes room, as far as that leaves the headline in sight; on a phone a number that was touched goes above the drawer. */
  function hold() {
    const { element, top, y } = touched;
    if (!element?.isConnected || aside.contains(element) || performance.now() > until) return;
    const pane = document.querySelector('[data-testid=stMain]') ?? document.scrollingElement, box = aside.getBoundingClientRect(), beside = aside.hidden || box.left > 0;
    const moved = element.getBoundingClientRect().top - top, under = beside || element.closest('[data-open]') ? 0 : Math.max(0, y + 40 - box.top);
    const above = (root.querySelector('h1')?.getBoundingClientRect().top ?? -1) - (beside ? box.top : 0) - CLEAR, by = above < 0 ? moved : Math.min(moved, above);
    if (Math.abs(by + under) >= 1) pane?.scrollBy({ top: by + under, behavior: 'instant' });
    Object.assign(touched, { top: top - under, y: y - under });
  }
  const room = new ResizeObserver(hold); // the drawer's text comes later, and so may what the page draws anew for its room
  room.observe(aside);
  room.observe(root);
  const byHand = () => { until = 0; };
  for (const kind of ['wheel', 'touchmove']) document.addEventListener(kind, byHand, { passive: true });

  /** The largest terms of a sum, with the sum so far. @param {Packet} packet @param {NumberAbout} about */
  function terms({ arrays }, { names = [], lines = [], terms: count = 0 }) {
    const rows = Math.min(names.length, all ? names.length : SHOWN), most = Math.abs(at(arrays.values, 0)) || 1;
    return html`<h3>${names.length < 2 ? 'What was added up' : `The largest of ${count.toLocaleString('en-US')} terms`}</h3>${numberTable({
      heads: ['term', ...lines.map(([step]) => step.split('.').slice(-2).join('.')), 'value', 'sum so far'], lead,
      lines: names.slice(0, rows).map((name, k) => ({
        name, bar: at(arrays.values, k) / most,
        cells: [
          ...lines.map(([step, index], i) => ({ text: typeset(short(at(arrays[`line_${i}`], k))), to: { step, index: index.map(one => one ?? at(arrays.places, k)) } })),
          ...[arrays.values, arrays.running].map(array => ({ text: typeset(short(at(array, k))) })),
        ],
      })),
    })}<button type="button" class="enc-pill" ?hidden=${rows >= names.length} @click=${() => { all = true; render(); }}>Show ${names.length === count ? 'all' : 'the largest'} ${names.length.toLocaleString('en-US')}</button>`;
  }

  /** @param {Packet} packet @param {NumberAbout} about */
  function number(packet, about) {
    const formula = formulas.get(about) ?? mathml(about.formula), { again, recorded = '', agrees = '' } = about.check;
    formulas.set(about, formula);
    return html`<p>${about.words}</p>
      ${about.edited ? html`<p class="on-edited">This number was changed: ${about.edited}. The arithmetic is that of the step as it is.</p>` : nothing}
      <div class="on-formula" tabindex="0" role="group" aria-label="Arithmetic">${formula}</div>
      ${again ? html`<p class="on-check">Computed again in float64: ${typeset(again)}. Recorded: ${typeset(recorded)}. ${agrees}</p>` : nothing}
      <div class="on-operands">${about.operands.map(one => html`<button type="button" class="enc-pill" data-number=${spelled(one)} @click=${() => lead(one)}>${one.place} = ${typeset(one.value)}</button>`)}</div>
      ${about.names?.length ? terms(packet, about) : nothing}`;
  }

  function render() {
    aside.hidden = !now || !run;
    document.documentElement.toggleAttribute('data-number-open', !aside.hidden);
    if (!now || !run) return;
    const to = placeOf(now), packet = to ? packets.get(run, to) : null, wrong = to ? packets.why(run, to) : 'This number cannot be shown: the address names none.';
    const about = /** @type {NumberAbout | null} */ (/** @type {unknown} */ (packet?.about ?? null)), anew = Boolean(about && about !== shown);
    const before = way.slice(0, -1).map(one => /** @type {Place} */ (placeOf(one)));
    into(html`<div class="on-top"><nav class="on-trail" aria-label="Opened before">${before.map(of => html`<button type="button" @click=${() => lead(of)}>${of.step.replace('layers.', '')} [${of.index.join(', ')}]</button>`)}</nav>
        <button type="button" class="enc-pill" @click=${() => tell('')}>Close</button></div>
      <h2 tabindex="-1" id="enc-number-title">${about ? `${about.place} = ${typeset(about.recorded)}` : 'An opened number'}</h2>
      ${packet && about ? number(packet, about) : wrong ? html`<p role="alert">${wrong}</p>${to ? html`<button type="button" class="enc-pill" @click=${() => packets.again()}>Try again</button>` : nothing}`
    : html`<p class="on-waiting" role="status">Finding where this number comes from …</p>`}`, aside);
    if (anew) aside.scrollTop = 0;
    if (about) shown = about;
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
        if (number && took) aside.querySelector('h2')?.focus({ preventScroll: true });
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

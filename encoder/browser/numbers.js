// @ts-check
// The numbers of any recorded step, all of them; each opens in the drawer.
import style from './attention.css';
import { dress, el } from './dom.js';
import { mathml } from './drawer.js';
import { endsOf } from './grid.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { brief, inCell, percent, short, typeset } from './number.js';
import css from './numbers.css';
import { picture } from './picture.js';
import { open as show, placeOf, spelled, toQuery } from './store.js';
import { namesOf } from './number_strips.js';

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
  const grid = picture({ point: at => { pointed = at; render(); }, keep: at => { chosen = at; pointed = null; render(); }, open: () => open() });
  const page = el('section', { class: 'at nu', 'aria-label': 'The numbers of a step' });
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
  /** What is drawn, which stays while another step is on its way. @type {About | null} */
  let described = null;
  let [formula, top, body] = /** @type {unknown[]} */ ([nothing, nothing, nothing]);

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

  /** The likeliest words of each token, of a step with a number for every word. @param {About} about @param {Packet} packet @param {string[]} names @param {(value: number) => string} text */
  function wordsTable(about, packet, names, text) {
    const { values, shape } = packet.arrays.numbers;
    return html`<table class="nu-words-table"><tbody>${names.slice(0, MOST_ROWS).map((name, row) => html`<tr><th scope="row" dir="auto" translate="no" lang="">${name}</th>${(about.words?.[row] ?? []).map((word, column) => {
      const to = { step: about.step, index: indexOf(about, packet, { row, column }) }, number = spelled(to);
      return html`<td><button type="button" data-number=${number} data-cell="${row},${column}" aria-pressed=${number === state.number} @click=${() => show(to)}><bdi translate="no" lang=""><b>${word}</b></bdi> ${typeset(text(values[row * shape[1] + column]))}</button></td>`;
    })}</tr>`)}</tbody></table>`;
  }

  function render() {
    if (!run || !state) return;
    const { packet, why } = found(run, stepOf()), view = packet && drawn(run, packet);
    into(html`<div class="nu-top">${top}</div><p class="nu-said" role="status" ?hidden=${packet || why}>Loading the numbers …</p><p role="alert" ?hidden=${!why}>${why}</p>
      <div class=${packet ? nothing : 'enc-old'} ?hidden=${!described}>${body}</div>`, page);
    if (view) grid.draw(view);
  }

  /** Draws a step, and gives what its picture is drawn with. @param {Packet} run @param {Packet} packet @returns {import('./picture.js').View} */
  function drawn(run, packet) {
    const about = /** @type {About} */ (/** @type {unknown} */ (packet.about)), { numbers: values } = packet.arrays, [rows, columns] = values.shape, [dims, sizes] = about.shape;
    if (described !== about) formula = mathml(about.formula);
    described = about;
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
    grid.element.hidden = Boolean(about.words);
    const says = (/** @type {{row: number, column: number}} */ { row, column }) => {
      const word = about.words?.[row][column], where = word ?? (across ? across[column] : about.shape[0].length === 1 ? '' : `${about.columns} ${column}`);
      return `${names[row]}${where && (across ? ` → ${where}` : `, ${where}`)}: ${typeset(short(all[row * columns + column]))}`;
    };
    top = html`<select class="enc-pill" aria-label="Step" @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => store.set({ numbers: target.value })}>
      ${about.steps.filter(([name]) => of.parts.includes(partOf(name))).map(([name, title]) => html`<option value=${name} .selected=${name === about.step}>${title}</option>`)}</select><code>${about.step} · ${dims.join(' × ')} = ${sizes.join(' × ')}</code>`;
    body = html`<div class="nu-words"><p class="nu-note">${about.note}</p><div class="nu-formula" tabindex="0" role="group" aria-label="Formula">${formula}</div></div>
      ${grid.element}${about.words ? wordsTable(about, packet, names, text) : nothing}<p class="nu-note">${about.look}</p>
      <details class="nu-terms" ?hidden=${!about.terms.length}><summary>Terms: ${about.terms.map(([name]) => name).join(', ')}</summary>${about.terms.map(([name, meaning]) => html`<p><b>${name}</b> ${meaning}</p>`)}</details>
      <div class="nu-foot"><button type="button" class="enc-pill" ?hidden=${about.words} aria-label="Open ${says(chosen)}" @click=${open}>Open this number</button>
        <p class="nu-said">${rows < about.all ? `Rows 0 to ${rows - 1} of ${about.all}: the rest of this long run is not sent.` : about.words ? `The ${columns} likeliest of all words at each token; each opens.` : ''}</p></div>`;
    const { sentence, second, edits, hidden, model } = run.about;
    return {
      key: [sentence, second, edits, hidden, model.digest, about.step, about.index].join(' '),
      numbers: { rows: names.map((_, i) => i), columns, values: all, names: across, shut: null, parts: share ? 'share' : 'signed' },
      rows: names, columns: across ?? Array.from({ length: columns }, (_, i) => String(i)), ends, parts: share ? 'share' : 'signed', chosen: on, kept: chosen, form: share ? inCell : brief, band: null,
      label: `${about.title}: a row for each of ${rows}, arrows move, Enter opens a number`, says: says(chosen), shown: says(on), low: text(ends.low), high: text(ends.high), above: ends.above ? `${ends.above} beyond` : '',
      unfold: false, tokens: across ? columns : Math.max(rows, 8), last: across?.at(-1) ?? '',
    };
  }

  return {
    /** @param {Packet} given @param {State} now */
    draw(given, now) {
      if (run !== given) pointed = null;
      run = given;
      state = now;
      render();
    },
    /** The picture of the step, where it is what stands in sight. @returns {import('./save_menu.js').Kept[]} */
    pictures() {
      if (!run || !described || page.getBoundingClientRect().top > innerHeight / 2) return [];
      const { step, title, layer } = described;
      return [{ picture: layer === undefined ? 'picture' : 'layer_step', name: `${title}: the numbers of all tokens`, query: toQuery({ ...made(state), layer: state.layer, head: state.head, step: step.replace(LAYER, '') }) }];
    },
    end() {
      packets.end();
      grid.end();
      page.remove();
    },
  };
}

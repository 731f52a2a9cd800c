// @ts-check
// Feed-forward: which units fire for a token, on the curve of their activation, and what one of them does at every token.
import style from './attention.css';
import { bars } from './bars.js';
import { ACTIVATIONS, aboutBlock, activationAgain, digitsSaid, gateAgain, half, handedOn, strongest, unitOf, valueOf, valuesOf } from './block.js';
import { curvePicture } from './curves.js';
import { dress, el, put } from './dom.js';
import own from './block.css';
import { coder, headline, opener, plainly } from './controls.js';
import { layerPackets, rowAmong, steady, waitingFor } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { sure, typeset } from './number.js';
import { at } from './packet.js';
import { begins, calledToken, direction, wordAt, words } from './run.js';
import { opening, parts, said } from './say.js';
import { namesOf } from './strips.js';
import { open, toQuery } from './store.js';
import { tokenRow } from './tokens.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */

const LISTED = 8, NAMED = 4; // units
/** What an activation does with a number, as it is written. @type {Record<string, {formula: string, line: (x: string, y: string) => string}>} */
const WRITTEN = {
  relu: { formula: 'max(0, x) = y', line: (x, y) => `max(0, ${x}) = ${y}` },
  gelu: { formula: 'x · Φ(x) = y, Φ the share of a normal distribution below x', line: (x, y) => `${x} · Φ(${x}) = ${y}` },
  gelu_tanh: { formula: 'x / 2 · (1 + tanh(√(2 / π) (x + 0.044715 x³))) = y', line: (x, y) => `GELU(${x}) = ${y}` },
  silu: { formula: 'x · σ(x) = x / (1 + e^−x) = y', line: (x, y) => `${x} · σ(${x}) = ${y}` },
};

/** A number of units. @param {number} count */
const many = count => count.toLocaleString('en-US');

/** The parts of the headline. @param {Packet} block @param {number} i the token's place among the rows that are kept @param {string} word */
export function finding(block, i, word) {
  const { rows, units } = aboutBlock(block), values = valuesOf(block, handedOn(block), i), [unit] = strongest(block, i, 1), all = many(values.length);
  const firing = at(block.arrays.firing, rows[i]), near = (/** @type {number} */ value) => Number(value.toPrecision(3));
  if (!values.every(Number.isFinite)) return parts('no_numbers', { query: begins(word) });
  if (units.gated) {
    const { after, up, gated } = unitOf(block, i, unit);
    return parts('fires_gated', { all, unit, word, after: near(after), gate: near(up), value: near(gated) });
  }
  if (firing === 0) return parts('fires_none', { all, word });
  return parts(firing === 1 ? 'fires_alone' : 'fires', { ...(firing === 1 ? {} : { count: many(firing) }), all, word, unit, value: near(values[unit]) });
}

/** How many units are silent, or below zero, as a sentence. @param {Packet} block @param {number} i @param {string} word */
function silence(block, i, word) {
  const { rows, units } = aboutBlock(block), size = block.arrays.hidden.shape[1], activation = units.title;
  if (units.cuts) return said('silent', { share: at(block.arrays.silent, rows[i]) / size, word, activation, never: units.never });
  return said('damped', { word, share: valuesOf(block, 'hidden', i).reduce((sum, value) => sum + Number(value < 0), 0) / size, activation });
}

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function feedForward(root, context) {
  dress(root, style);
  dress(root, own);
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  let counted = { key: '', wrong: 0 };
  let pointed = -1, pinned = false; // a unit that was chosen stays chosen at another token
  const packets = layerPackets(context, 3, () => { if (root.contains(page)) render(); });
  const head = headline(context, { head: false });
  const tokens = tokenRow({ choose: row => choose({ row }) });
  const curve = curvePicture({ point: unit => { if (pointed !== (unit ?? -1)) { pointed = unit ?? -1; render(); } }, keep: unit => choose({ unit }) });
  const page = el('section', { class: 'at ff', 'aria-label': 'Feed-forward' });
  root.append(page);

  /** What the layer's numbers depend on. */
  const fingerprint = () => {
    const { model, sentence, second, edits, hidden } = /** @type {Packet} */ (run).about;
    return [model.digest, sentence, second, edits, hidden.join(), state.layer].join(' ');
  };
  /** The step whose numbers go on. */
  const stepOf = (/** @type {Packet} */ block) => `feed_forward.${aboutBlock(block).units.gated ? 'gated' : 'activation'}`;

  /** What is chosen: the token's place among the rows that are kept, and the unit. @param {Packet} block */
  function placed(block) {
    const of = /** @type {Packet} */ (run), { rows } = aboutBlock(block);
    const [, position, unit] = /^layers\.\d+\.feed_forward\.\w+:(\d+),(\d+)$/.exec(state.cell) ?? [];
    const row = rowAmong(rows, [position, state.word, of.about.gap]);
    return { row, unit: unit !== undefined && Number(unit) < block.arrays.hidden.shape[1] ? Number(unit) : strongest(block, row, 1)[0] };
  }

  /** @param {{row?: number, unit?: number}} to */
  function choose(to) {
    const block = run && packets.get(run, state.layer);
    if (!run || !block) return;
    pointed = -1;
    if (to.unit !== undefined) pinned = true;
    const now = placed(block), row = to.row ?? now.row, unit = to.unit ?? (pinned ? now.unit : strongest(block, row, 1)[0]), position = aboutBlock(block).rows[row], word = words(run)[wordAt(run, position)];
    const step = stepOf(block);
    store.set({ step, cell: `layers.${state.layer}.${step}:${position},${unit}`, ...(to.row !== undefined && word ? { word: word.position } : {}) });
  }

  function render() {
    if (!run) return;
    const block = packets.get(run, state.layer);
    steady(page, Boolean(block));
    if (!block) head.draw(run, state, [{ text: 'Which units fire for this word?', name: '', format: '' }]);
    into(html`${head.element}${block ? picture(run, block) : waitingFor(packets, run, state.layer, 'units')}`, page);
  }

  /** @param {Packet} of @param {Packet} block */
  function picture(of, block) {
    const { row, unit } = placed(block), { rows, units } = aboutBlock(block), names = namesOf(of.about.tokens), word = calledToken(of, rows[row]);
    const shown = pointed >= 0 ? pointed : unit, handed = handedOn(block), values = rows.map((_, i) => valueOf(block, handed, i, shown));
    const [first] = strongest(block, row, 1), number = { step: `layers.${state.layer}.${stepOf(block)}`, index: [rows[row], unit] };
    head.draw(of, state, opening(finding(block, row, word), 'value', { ...number, index: [rows[row], first] }));
    tokens.draw({
      names: rows.map(position => names[position]), positions: rows, values, chosen: row, direction: direction(of), label: `Tokens, and what unit ${shown} gives at each`,
      says: i => `${begins(calledToken(of, rows[i]))}: unit ${shown} gives ${typeset(sure(values[i], half(block, handed, i)))}`,
      within: rows.map((_, i) => half(block, handed, i)),
    });

    const [before, after] = [valuesOf(block, 'hidden', row), valuesOf(block, 'activation', row)];
    const best = strongest(block, row, LISTED), two = (/** @type {number} */ of_) => `unit ${of_}: ${typeset(sure(before[of_], half(block, 'hidden', row)))} becomes ${typeset(sure(after[of_], half(block, 'activation', row)))}`;
    curve.draw({
      key: `${fingerprint()} ${row}`, before, after, curve: ACTIVATIONS[units.activation],
      chosen: shown, kept: unit, named: best.slice(0, NAMED), label: `The ${many(before.length)} units of ${word} on the curve of ${units.title}, by their number before it`, says: two(unit), shown: two(shown),
    });
    put(curve.slider, { 'data-cell': `${rows[row]},${unit}` });

    const listed = best.includes(unit) ? best : [...best.slice(0, LISTED - 1), unit], strengths = valuesOf(block, handed, row), most = Math.abs(strengths[best[0]]);
    const lines = listed.map(one => {
      const text = typeset(sure(strengths[one], half(block, handed, row)));
      return { name: `unit ${one}`, key: one, cell: one, chosen: one === unit, says: `unit ${one}: ${text}`, fills: [{ share: Math.abs(strengths[one]) / most, text }] };
    });
    const { more, keep } = context.options();
    return html`${tokens.element}<p class="an-window">${rows.length < of.about.tokens.length ? `Tokens ${rows[0]} to ${rows[rows.length - 1]} of ${of.about.tokens.length}: the rest of this long run is not sent.` : ''}</p>
      <div class="at-body"><div class="at-left">
          <p class="at-what ff-what">Above: what unit ${shown} gives at every token. Below each dot is a unit: across, its number before ${units.title}; up, after it. The columns at the foot count them.</p>${curve.element}
          <p class="ff-silent">${silence(block, row, word)}</p></div>
        <div class="at-beside"><h2>The strongest units for ${word}</h2>${bars(lines, { label: 'The strongest units', choose: one => choose({ unit: one }) })}${arithmetic(block, row, shown)}
          <div class="at-tools">${opener(() => open(number))}${more ? html`<a class="enc-pill is-first ff-corpus" data-unit=${unit} href="?${new URLSearchParams({ ...store.query(), more: 'corpus', atlas_unit: String(unit) })}" @click=${plainly(() => context.more('corpus', { atlas_unit: String(unit) }))}>Unit ${unit} in many sentences ↓</a>` : nothing}
          ${keep ? coder(() => context.code()) : nothing}</div></div></div>`;
  }

  /** The chosen unit's numbers, done again. @param {Packet} block @param {number} row @param {number} unit */
  function arithmetic(block, row, unit) {
    const { units } = aboutBlock(block), size = block.arrays.hidden.shape[1];
    const four = (/** @type {number} */ value, /** @type {string} */ name) => typeset(sure(value, half(block, name, row), 4));
    const { made: result, digits, terms } = activationAgain(block, row, unit), x = four(terms.before, 'hidden'), inside = units.activation === 'relu' || terms.before >= 0 ? x : `(${x})`;
    let gate = '';
    if (units.gated) {
      const behind = gateAgain(block, row, unit), { after, gate: by } = behind.terms;
      gate = `times its gate: ${four(after, 'activation')} · ${by < 0 ? `(${four(by, 'up')})` : four(by, 'up')} = ${four(behind.made, 'gated')}`;
    }
    const key = `${fingerprint()} ${row}`;
    let { wrong } = counted.key === key ? counted : { wrong: 0 };
    for (let one = 0; counted.key !== key && one < size; one++) if (!activationAgain(block, row, one).agrees || (units.gated && !gateAgain(block, row, one).agrees)) wrong++;
    counted = { key, wrong };
    const { formula, line } = WRITTEN[units.activation];
    return html`<h2>Unit ${unit}, before and after</h2><p class="an-formula" dir="ltr">${formula}</p><p class="an-line" dir="ltr">${line(inside, four(result, 'activation'))}</p>
      ${gate ? html`<p class="an-line" dir="ltr">${gate}</p>` : nothing}
      <p class="row-check" data-agrees=${!wrong}>${wrong
    ? `Done again here, ${many(wrong)} of ${many(size)} units do not agree: ${/** @type {Packet} */ (run).about.edits ? 'this run was changed on the way' : 'this model does more on the way'}.`
    : `Recorded in this run; done again here from 16-bit numbers, all ${many(size)} agree, this one ${digitsSaid(digits)}\u00a0✓`}</p>`;
  }

  return {
    draw(given, chosen) {
      if (run !== given) { pointed = -1; pinned = false; }
      run = given;
      state = chosen;
      render();
    },
    kept() {
      const block = run && packets.get(run, state.layer);
      if (!run || !block) return null;
      const position = aboutBlock(block).rows[placed(block).row];
      return {
        picture: 'units_on_curve', name: `The units of “${run.about.tokens[position]}” before and after the activation, layer ${state.layer}`,
        query: { ...toQuery({ ...made(state), layer: state.layer, head: state.head }), curve_token: String(position) },
      };
    },
    end() {
      packets.end();
      curve.end();
      page.remove();
    },
  };
}

// @ts-check
// Feed-forward: which units fire for a token, on the curve of their activation, and what one of them does at every token.
import style from './attention.css';
import { bars } from './bars.js';
import { aboutBlock, aboutWeights, activationAgain, addsAt, gateAgain, half, handedOn, strongest, unitOf, valueOf, valuesOf, vectorOf } from './block.js';
import { listed } from './claim.js';
import { curvePicture } from './curves.js';
import { dress, el, highIn, put, write } from './dom.js';
import own from './block.css';
import { coder, headline, opener, plainly, rail } from './controls.js';
import { layerPackets, rowAmong, steady, waitingFor } from './layer_packets.js';
import { composed, html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { both, brief, inRow, many, placesOf, signed, sure, typeset } from './number.js';
import { at } from './packet.js';
import { lengthOf } from './row.js';
import { answerName, begins, calledToken, direction, labelsOf, LITTLE, wordAt, words } from './run.js';
import { opening, parts, said } from './say.js';
import { lossOf } from './spine.js';
import { namesOf } from './number_strips.js';
import { open, spelled, toQuery } from './store.js';
import { explained } from './terms.js';
import { tokenRow } from './tokens.js';
import { curveOf, drawnAt, isOfUnits, stopOf, STOPS, sumsAt, tellingAt, toldOf } from './unit_stops.js';
import { vectorSlider } from './vectors.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */

const LISTED = 6, NAMED = 4; // units
/** Marks by their names. @type {Record<string, string>} */
const MARKS = { '.': 'full stops', ',': 'commas', ';': 'semicolons', ':': 'colons', '?': 'question marks', '!': 'exclamation marks', '\'': 'apostrophes', '"': 'quotation marks', '-': 'hyphens' };
const POINT = 0.01; // of a share: without the part the answer moves so far, or the strip above is not spoken of
const COUNTS = 0.05; // of a score, over the tokens that it is read from: a unit that adds less is not told of first
const LOW = 700; // px of a window, as in front of a class: strips are lower there
const REST = 250; // ms after the last choice until a unit's weights are asked for: keys run through many units
const STILL = matchMedia('(prefers-reduced-motion: reduce)');
const CELL = /^layers\.(\d+)\.((?:feed_forward|add_norm_2)\.\w+):(\d+),(\d+)$/;

/** The unit that a token opens on: the one that adds most to its guess, else the strongest. @param {Packet} block @param {number} i the token's place among the rows that are kept */
export const opensOn = (block, i) => addingMost(block, i) ?? strongest(block, i, 1)[0];

/** The unit that adds most to the guess of a token, or against it; null where there is none that counts. @param {Packet} block @param {number} i */
function addingMost(block, i) {
  const { rows, units, reads } = aboutBlock(block), adds = units.gated ? null : addsAt(block, rows[i]), most = adds ? adds.values.reduce((best, value, one) => (Math.abs(value) > Math.abs(adds.values[best]) ? one : best), 0) : 0;
  return adds && Math.abs(adds.values[most]) >= COUNTS / reads ? most : null;
}

/** The parts of the headline. @param {Packet} block @param {number} i the token's place among the rows that are kept @param {string} word @param {ReturnType<typeof lossOf>} loss of the answer without this feed-forward */
export function finding(block, i, word, loss) {
  const { rows, units } = aboutBlock(block), values = valuesOf(block, handedOn(block), i), [unit] = strongest(block, i, 1), all = many(values.length);
  const firing = at(block.arrays.firing, rows[i]), near = (/** @type {number} */ value) => Number(value.toPrecision(3));
  if (!values.every(Number.isFinite)) return parts('no_numbers', { query: begins(word) });
  if (units.gated) {
    const { after, up, gated } = unitOf(block, i, unit);
    return parts('fires_gated', { all, unit, word, after: near(after), gate: near(up), value: near(gated) });
  }
  if (firing === 0) return parts('fires_none', { all, word });
  const given = { count: many(firing), all, word };
  if (firing > 1 && loss?.word && Math.abs(loss.cost) >= Math.max(POINT, LITTLE * loss.share)) {
    const [before, after] = both(loss.share, loss.share - loss.cost).map(typeset);
    return parts(loss.cost > 0 ? 'fires_falls' : 'fires_rises', { ...given, guess: loss.word, before, after });
  }
  return firing === 1 ? parts('fires_alone', { all, word, unit, value: near(values[unit]) }) : parts('fires', given);
}

/** The parts of the headline at another stop than that of the activation. @param {'in' | 'out' | 'added'} key @param {Packet} block @param {number} i @param {number} unit @param {string} word */
function doneAt(key, block, i, unit, word) {
  const long = (/** @type {string} */ name) => lengthOf(vectorOf(block, name, 1, i)), added = long('added'), [before, after] = [long('residual'), long('sum')].map(value => brief(value)), value = valueOf(block, 'hidden', i, unit);
  if (![added, value].every(Number.isFinite)) return parts('no_numbers', { query: begins(word) });
  if (key === 'in') return parts('units_read', { unit, word, count: vectorOf(block, 'sum', 1, i).length, value: brief(value) });
  return key === 'out' ? parts('units_write', { all: many(block.arrays.hidden.shape[1]), word, length: brief(added) }) : parts('units_add', { word, before, after });
}

/** What is said of the unit that the page opens on. @param {Packet} block @param {number} i @param {string} word */
function unitSaid(block, i, word) {
  const unit = opensOn(block, i), value = Number(valuesOf(block, handedOn(block), i)[unit].toPrecision(3)), most = addingMost(block, i), adds = addsAt(block, aboutBlock(block).rows[i]);
  if (most === null || !adds) return parts('unit_strongest', { unit, word, value });
  const own = adds.values[most];
  return parts('unit_pushes', { unit, value, word: own > 0 ? adds.word : adds.over, size: Math.abs(own).toFixed(placesOf(own)) });
}

/** The words of places; of marks alone their name, or that they are marks. @param {string[]} words */
function atSaid(words) {
  const all = [...new Set(words.map(word => word.toLowerCase()))];
  if (all.every(word => /^\p{P}+$/u.test(word))) return `${all.length > 1 ? 'punctuation' : MARKS[all[0]] ?? `“${all[0]}”`}: what do these sentences share?`; // a mark says nothing by itself
  return listed(all.map(word => `“${word}”`));
}

/** What all units of a token add to the answer, and how that goes with what the answer loses without this feed-forward; each where it counts. @param {Packet} of @param {Packet} block @param {NonNullable<ReturnType<typeof addsAt>>} adds @param {ReturnType<typeof lossOf>} loss @param {string} at the token @param {boolean} last whether no layer follows */
function addsSaid(of, block, { word, over, values, total }, loss, at, last) {
  if (Math.abs(total) < COUNTS / aboutBlock(block).reads) return nothing;
  const costs = loss?.word && Math.abs(loss.cost) >= POINT, turned = costs && loss.cost * total < 0, labels = labelsOf(of);
  const without = [...(labels ? ['every word lacks it'] : []), last ? `the norm rescales what is left${labels ? '' : `, so other words than “${over}” change too`}` : 'later layers respond to that'].join(', and ');
  return html`<p class="ff-adds">${said('units_lead', { word, asked: at, all: many(values.length), way: total > 0 ? 'for' : 'against', total: signed(total, placesOf(total)) })} ${turned ? html`<span>The strip above says the opposite, and both are true: in a run without them ${without}.</span>` : nothing}</p>`;
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
  let last = { layer: -1, row: -1, unit: -1 }; // what was drawn
  let pointed = -1, pinned = -1, number = -1; // what the pointer is at; a unit that was chosen stays chosen at another token, and a number of a vector at another stop
  let played = -1, begun = 0, frame = 0, seen = '', rested = '', resting = 0;
  let paintAgain = () => {};
  const again = () => { if (root.contains(page)) render(); };
  const packets = layerPackets(context, 3, again), weights = layerPackets(context, 11, again);
  const head = headline(context, { head: false });
  const stops = rail({
    choose: stop => choose({ stop }), rest: () => { const stop = played; played = -1; if (stop >= 0) choose({ stop }); },
    play: stop => { played = stop; if (state.number) store.set({ number: '' }); render(); },
  });
  const tokens = tokenRow({ choose: row => choose({ row }) });
  const point = (/** @type {number | null} */ at_) => { if (pointed !== (at_ ?? -1)) { pointed = at_ ?? -1; render(); } };
  const curve = curvePicture({ point, keep: unit => choose({ unit }) }), strips = vectorSlider({ point, keep: d => choose({ number: d }) }), drawn = el('p', { class: 'cv-said' });
  const page = el('section', { class: 'at ff', 'aria-label': 'Feed-forward' });
  root.append(page);
  for (const { element } of [curve, strips]) element.addEventListener('pointermove', () => stops.pause());
  page.addEventListener('keydown', event => { if (!(event.target instanceof Element && event.target.closest('.rail-play'))) stops.pause(); });

  /** What the layer's numbers depend on. */
  const fingerprint = () => {
    const { model, sentence, second, edits, hidden } = /** @type {Packet} */ (run).about;
    return [model.digest, sentence, second, edits, hidden.join(), state.layer].join(' ');
  };
  /** The step of a stop; behind a gate, what goes on. @param {Packet} block @param {number} stop */
  const stepOf = (block, stop) => (STOPS[stop].key === 'activation' && aboutBlock(block).units.gated ? 'feed_forward.gated' : STOPS[stop].step);
  /** Where the weights of a unit stand. @param {number} position @param {number} unit */
  const placeOfUnit = (position, unit) => ({ step: `layers.${state.layer}.feed_forward.hidden`, index: [position, unit] });

  /** What is chosen: the stop, the token's place among the rows that are kept, the unit, and the number of a vector, -1 for the one that tells most. @param {Packet} block */
  function placed(block) {
    const of = /** @type {Packet} */ (run), { rows } = aboutBlock(block), [, layer, step, position, at_] = CELL.exec(state.cell) ?? [], { d_model: wide } = of.about.model;
    const row = rowAmong(rows, [position, state.word, of.about.gap]), chosen = at_ === undefined ? -1 : Number(at_), ofUnits = chosen >= 0 && isOfUnits(step), here = Number(layer) === state.layer, count = block.arrays.hidden.shape[1];
    if (last.layer !== state.layer) pinned = -1; // in another layer the number is another unit's
    const unit = ofUnits && here ? chosen : pinned < 0 && last.row === row && last.layer === state.layer ? last.unit : pinned;
    return { stop: played >= 0 ? played : stopOf(state.step), row, unit: unit >= 0 && unit < count ? unit : opensOn(block, row), number: chosen >= 0 && !ofUnits && chosen < wide ? chosen : number < wide ? number : -1 };
  }

  /** @param {{stop?: number, row?: number, unit?: number, number?: number}} to */
  function choose(to) {
    const block = run && packets.get(run, state.layer);
    if (!run || !block) return;
    pointed = -1;
    if (to.unit !== undefined) {
      pinned = to.unit;
      if (store.choices().atlas_unit) store.choose({ atlas_unit: '' }); // what stands below follows
    }
    const now = placed(block), row = to.row ?? now.row, unit = to.unit ?? (pinned < 0 && to.row !== undefined ? opensOn(block, row) : now.unit), stop = to.stop ?? now.stop;
    number = to.number ?? number;
    const position = aboutBlock(block).rows[row], word = words(run)[wordAt(run, position)], step = stepOf(block, stop), { key } = STOPS[stop];
    const index = isOfUnits(step) ? unit : to.number ?? (isOfUnits(CELL.exec(state.cell)?.[2] ?? '') ? number : now.number), kept = state.cell || to.row !== undefined || to.unit !== undefined || to.number !== undefined;
    const at_ = index >= 0 || key === 'in' || key === 'activation' ? index : tellingAt(key, { block, weights: null, i: row, unit });
    store.set({ step, cell: kept ? `layers.${state.layer}.${step}:${position},${at_}` : '', ...(to.row !== undefined && word ? { word: word.position } : {}) });
  }

  function render() {
    if (!run) return;
    const block = packets.get(run, state.layer);
    steady(page, Boolean(block));
    if (!block) head.draw(run, state, [{ text: 'Which units fire for this word?', name: '', format: '' }]);
    into(html`${head.element}${block ? picture(run, block) : waitingFor(packets, run, state.layer, 'units')}`, page);
  }

  /** How far the step has gone, from 0 to 1. @param {number} stop */
  const gone = stop => (STILL.matches || !begun ? 1 : Math.min(1, (performance.now() - begun) / STOPS[stop].ms));

  /** Moves from one stop to the next: what is drawn grows out of what it is made of. @param {number} stop */
  function move(stop) {
    cancelAnimationFrame(frame);
    const on = () => {
      const ended = gone(stop) >= 1;
      if (ended) begun = 0;
      paintAgain();
      if (!ended) frame = requestAnimationFrame(on);
    };
    frame = requestAnimationFrame(on);
  }

  /** The weights of a unit, asked for at once where they are drawn, or else once nothing else is chosen for a moment. @param {Packet} of @param {import('./store.js').Place} place @param {boolean} now */
  function weightsOf(of, place, now) {
    const name = `${spelled(place)} ${fingerprint()}`;
    if (now) rested = name;
    if (rested === name) return weights.get(of, place);
    clearTimeout(resting);
    resting = window.setTimeout(() => { rested = name; again(); }, REST);
    return null;
  }

  /** @param {Packet} of @param {Packet} block */
  function picture(of, block) {
    const now = placed(block), { row, unit: kept, stop } = now, { key } = STOPS[stop], { rows } = aboutBlock(block), names = namesOf(of.about.tokens), position = rows[row], word = calledToken(of, position), loss = lossOf(of, { layer: state.layer, block: 1 }, position);
    const unit = key === 'activation' && pointed >= 0 ? pointed : kept, handed = handedOn(block), values = rows.map((_, i) => valueOf(block, handed, i, unit));
    const place = placeOfUnit(position, kept), there = weightsOf(of, place, key === 'in' || key === 'out'), told = toldOf(block, key, kept);
    const firstNumber = { step: `layers.${state.layer}.${stepOf(block, 1)}`, index: [position, opensOn(block, row)] };
    head.draw(of, state, key !== 'activation' ? doneAt(key, block, row, unit, word) : opening(finding(block, row, word, loss), 'value', firstNumber));
    stops.draw(STOPS.map(one => { const { label, symbol, title } = toldOf(block, one.key, kept); return { text: label, symbol, title: `${label}, ${symbol}: ${title}` }; }), stop);
    tokens.draw({
      names: rows.map(one => names[one]), positions: rows, values, chosen: row, direction: direction(of), label: `Tokens, and what unit ${unit} gives at each`,
      says: i => `${begins(calledToken(of, rows[i]))}: unit ${unit} gives ${typeset(sure(values[i], half(block, handed, i)))}`,
    });
    last = { layer: state.layer, row, unit: kept };
    context.below({ atlas_unit: String(kept) });
    if (seen !== key) {
      begun = seen && !STILL.matches ? performance.now() : 0;
      seen = key;
      if (begun) move(stop);
    }
    const d = draw(block, there, now, unit, word);
    const { keep } = context.options(), adds = addsAt(block, position), gap = aboutBlock(block).leads[0], index = isOfUnits(STOPS[stop].step) ? kept : d;
    return html`<p class="ff-lead">${explained(`Each of the ${many(block.arrays.hidden.shape[1])} units is a small detector of its own: it reads the word and, where it fires, writes into it. Press a unit, or a word below.`)}</p>${stops.element}<p class="ff-row-of">What unit ${unit} gives at each token</p>${tokens.element}<p class="an-window">${rows.length < of.about.tokens.length ? `Tokens ${rows[0]} to ${rows[rows.length - 1]} of ${of.about.tokens.length}: the rest of this long run is not sent.` : ''}</p>
      <div class="at-body"><div class="at-left">
          <p class="at-what ff-what">${explained(told.what)}</p>${key === 'activation' ? curve.element : d < 0 ? waiting(of, place) : strips.element}${drawn}
          ${arithmetic(block, there, stop, row, unit, d)}</div>
        <div class="at-beside"><h2>${composed(opening(unitSaid(block, row, word), 'value', firstNumber))}</h2>${listOf(block, row, kept, adds)}
          ${adds ? addsSaid(of, block, adds, loss, word, state.layer === of.about.model.layers - 1)
    : gap ? html`<p class="ff-adds"><span>What a unit adds to the ${answerName(of)} is shown at ${labelsOf(of) ? 'the words that it is read from' : calledToken(of, gap[0])}.</span></p>` : nothing}
          ${contexts(there, kept, Boolean(weights.why(of, place)))}
          <div class="at-tools">${d < 0 && !isOfUnits(STOPS[stop].step) ? nothing : opener(() => open({ step: `layers.${state.layer}.${stepOf(block, stop)}`, index: [position, index] }))}${keep ? coder(() => context.code()) : nothing}</div></div></div>`;
  }

  /** The units that add most at a gap, and what each adds, or else the strongest, and what each gives; the chosen one among them. @param {Packet} block @param {number} row @param {number} unit @param {ReturnType<typeof addsAt>} adds */
  function listOf(block, row, unit, adds) {
    const size = (/** @type {number} */ one) => Math.abs(adds?.values[one] ?? 0), byAdds = addingMost(block, row) !== null, best = adds && byAdds ? Array.from(adds.values, (_, one) => one).sort((a, b) => size(b) - size(a)).slice(0, LISTED) : strongest(block, row, LISTED), shown = best.includes(unit) ? best : [...best.slice(0, LISTED - 1), unit];
    const handed = handedOn(block), values = valuesOf(block, handed, row), most = Math.max(...shown.map(one => Math.abs(values[one]))) || 1, farthest = Math.max(...shown.map(size)) || 1, places = placesOf(farthest);
    const texts = inRow(shown.map(one => values[one])), lines = shown.map((one, i) => {
      const text = texts[i], added = adds?.values[one] ?? NaN;
      return {
        name: `unit ${one}`, key: one, cell: one, chosen: one === unit, says: `unit ${one}: ${text}${adds ? `, adds ${signed(added, places)}` : ''}`,
        fills: [byAdds ? { share: added / farthest, text: signed(added, places), colour: added < 0 ? 'second' : 'accent', both: true } : { share: Math.abs(values[one]) / most, text, colour: values[one] < 0 ? 'second' : undefined }],
      };
    });
    return bars(lines, { label: byAdds ? 'The units that add most' : 'The strongest units', kind: byAdds ? 'is-both' : '', choose: one => choose({ unit: one }) });
  }

  /** Draws what the stop shows, and again while it moves; the number that is looked at in its strips, -1 while they are not here. @param {Packet} block @param {Packet | null} there @param {ReturnType<typeof placed>} now @param {number} unit @param {string} word */
  function draw(block, there, { stop, row, unit: kept, number: chosen }, unit, word) {
    const { key } = STOPS[stop], { units } = aboutBlock(block), name = `${fingerprint()} ${row}`;
    paintAgain = () => { if (run) draw(block, there, { stop, row, unit: kept, number: chosen }, unit, word); };
    if (key === 'activation') {
      const [before, after] = [valuesOf(block, 'hidden', row), valuesOf(block, 'activation', row)];
      const two = (/** @type {number} */ of) => {
        const [was, is] = /** @type {const} */ ([[before, 'hidden'], [after, 'activation']]).map(([values_, name_]) => typeset(sure(values_[of], half(block, name_, row))));
        return was === is || (units.cuts && before[of] > 0) ? `unit ${of}: ${is} stays as it is` : `unit ${of}: ${was} becomes ${is}`;
      };
      curve.draw({
        key: name, before, after, curve: curveOf(block), gone: gone(stop), chosen: unit, kept, firing: at(block.arrays.firing, aboutBlock(block).rows[row]), named: strongest(block, row, NAMED), sides: [units.cuts ? 'units set to 0' : 'units damped', units.cuts ? 'kept' : 'nearly kept'],
        label: `The ${many(before.length)} units of ${word} on the curve of ${units.title}, by their number before it`, says: two(kept),
      });
      put(curve.slider, { 'data-cell': `${aboutBlock(block).rows[row]},${kept}` });
      write(drawn, '');
      return -1;
    }
    if (!there && key !== 'added') { write(drawn, ''); return -1; }
    const shown = { block, weights: /** @type {Packet} */ (there), i: row, word, unit: kept, gone: gone(stop) }, { strips: own_, at: moving, said: so } = drawnAt(key, shown);
    const low = highIn(page) < LOW, here = chosen >= 0 ? chosen : tellingAt(key, shown), d = moving >= 0 ? moving : pointed >= 0 ? pointed : here, says = (/** @type {number} */ of) => `number ${of}: ${own_.map(one => `${one.name} ${typeset(sure((one.whole ?? one.values)[of], one.within))}`).join(', ')}`;
    strips.draw({
      key: `${name} ${key} ${kept} ${shown.gone}`, strips: own_, chosen: d, kept: here, high: own_.length > 3 ? (low ? 13 : 34) : low ? 42 : 56,
      label: `The ${own_[0].values.length} numbers of ${word}`, says: says(here),
    });
    put(strips.slider, { 'data-cell': `${aboutBlock(block).rows[row]},${here}` });
    write(drawn, so(d));
    return pointed >= 0 ? pointed : here;
  }

  /** What stands in the place of strips while the weights are on their way, or where they cannot be had. @param {Packet} of @param {import('./store.js').Place} place */
  function waiting(of, place) {
    const why = weights.why(of, place);
    return why ? html`<div class="at-trouble" role="alert"><p>${why}</p><button type="button" class="enc-pill" @click=${() => weights.again()}>Try again</button></div>` : html`<div class="at-waiting" role="status"><span>Loading the weights …</span><i></i><i></i><i></i></div>`;
  }

  /** The numbers of the stop, done again. @param {Packet} block @param {Packet | null} there @param {number} stop @param {number} row @param {number} unit @param {number} d */
  function arithmetic(block, there, stop, row, unit, d) {
    const why = /** @type {Packet} */ (run).about.edits ? 'this run was changed on the way' : 'this model does more on the way';
    const all = sumsAt(STOPS[stop].key, { block, weights: there, i: row, unit }, d, () => wrongOf(block, row));
    return all.map(({ formula, line, agrees, proof }) => html`${formula && html`<p class="an-formula" dir="ltr">${formula}</p>`}${line ? html`<p class="an-line" dir="ltr">${line}${agrees && proof ? html`\u00a0<span class="ff-proof" role="img" tabindex="0" aria-label=${proof} title=${proof}>✓</span>` : nothing}</p>` : nothing}
      ${agrees ? nothing : html`<p class="row-check" data-agrees="false">${proof.startsWith('Done') ? proof : 'Computed again here, it does not agree'}: ${why}.</p>`}`);
  }

  /** How many units of a token do not agree when they are done again. @param {Packet} block @param {number} row */
  function wrongOf(block, row) {
    const key = `${fingerprint()} ${row}`, { units } = aboutBlock(block);
    if (counted.key !== key) {
      counted = { key, wrong: 0 };
      for (let one = 0; one < block.arrays.hidden.shape[1]; one++) if (!activationAgain(block, row, one).agrees || (units.gated && !gateAgain(block, row, one).agrees)) counted.wrong++;
    }
    return counted.wrong;
  }

  /** Where the unit fires strongest in many sentences. @param {Packet | null} there @param {number} unit @param {boolean} failed whether that cannot be had */
  function contexts(there, unit, failed) {
    const some = there ? aboutWeights(there).contexts : [], all = context.options().more;
    if (!some.length && !all) return nothing;
    const link = all ? html`<a class="enc-pill is-first ff-corpus" data-unit=${unit} href="?${new URLSearchParams({ ...store.query(), more: 'corpus', atlas_unit: String(unit) })}" @click=${plainly(() => context.more('corpus', { atlas_unit: '' }))}>Unit ${unit} in many sentences ↓</a>` : nothing;
    return html`<section class="ff-contexts" aria-label="Where unit ${unit} fires strongest" aria-busy=${there || failed ? nothing : 'true'}>${some.length ? html`<h2>In many other sentences unit ${unit} fires strongest at ${atSaid(some.map(([, word]) => word))}</h2><ul>${some.map(([before, word, after]) => html`<li dir="auto" translate="no" lang="">${before}<b>${word}</b>${after}</li>`)}</ul>` : nothing}${link}</section>`;
  }

  return {
    draw(given, chosen) {
      if (run !== given) { pointed = -1; pinned = -1; number = -1; last = { layer: -1, row: -1, unit: -1 }; }
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      const block = run && packets.get(run, state.layer);
      if (!run || !block) return [];
      const { stop, row, unit } = placed(block), position = aboutBlock(block).rows[row], query = toQuery({ ...made(state), layer: state.layer, head: state.head });
      const { key, step } = STOPS[stop], title = key === 'activation' ? `The units of “${run.about.tokens[position]}” before and after the activation` : begins(toldOf(block, key, 0).title);
      return [{ ...context.main(step, key === 'activation' ? { ...query, curve_unit: String(unit) } : { ...query, step }, position), name: `${title}, layer ${state.layer}` }];
    },
    end() {
      clearTimeout(resting);
      cancelAnimationFrame(frame);
      packets.end();
      weights.end();
      stops.end();
      curve.end();
      strips.end();
      page.remove();
    },
  };
}

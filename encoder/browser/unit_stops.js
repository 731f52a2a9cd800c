// @ts-check
// The stops of Feed-forward: what goes into a unit, what the activation makes of it, what the units write, and what is added. No page.
import { ACTIVATIONS, ACTIVATIONS_WRITTEN, aboutBlock, aboutWeights, activationAgain, addsAt, digitsSaid, gateAgain, half, handedOn, sumAgain, unitAgain, valueOf, valuesOf, vectorOf, withinOf, writtenBy } from './block.js';
import { inRow, many, sure, typeset, written } from './number.js';
import { lengthOf } from './row.js';
import { endOf } from './vectors.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./vectors.js').SliderStrip} SliderStrip */
/** @typedef {'in' | 'activation' | 'out' | 'added'} Key */
/** What is drawn of a token: its place `i` among the rows that are kept, its name, the unit, and the share of the way that the step has gone. @typedef {{block: Packet, weights: Packet, i: number, word: string, unit: number, gone: number}} Shown */
/** Strips, the number that is looked at while they move (-1 where they rest), and what has come together so far, of a number where it is one of each. @typedef {{strips: SliderStrip[], at: number, said: (d: number) => string}} Drawn */
/** A line of arithmetic: what it means, with this run's numbers, and whether it agrees with what was recorded, in words. @typedef {{formula: string, line: string, agrees: boolean, proof: string}} Sum */

/** In the order they are computed: `ms` is how long each takes while it moves, `steps` are those of the run that it shows. @type {{key: Key, step: string, ms: number, steps: string[]}[]} */
export const STOPS = [
  { key: 'in', step: 'feed_forward.hidden', ms: 2400, steps: ['feed_forward.hidden', 'feed_forward.up'] },
  { key: 'activation', step: 'feed_forward.activation', ms: 1000, steps: ['feed_forward.activation', 'feed_forward.gated'] },
  { key: 'out', step: 'feed_forward.output', ms: 2800, steps: ['feed_forward.output'] },
  { key: 'added', step: 'add_norm_2.sum', ms: 1400, steps: ['add_norm_2.sum'] },
];

/** The place of the stop that shows a step, that of the activation without one. @param {string} step */
export const stopOf = step => Math.max(0, STOPS.findIndex(({ steps }) => steps.includes(step || 'feed_forward.activation')));

/** Whether a cell of a step is of a unit, and not of one of the numbers of a vector. @param {string} step */
export const isOfUnits = step => stopOf(step) < 2;

/** How a stop is called, and what is seen at it. @param {Packet} block @param {Key} key @param {number} unit */
export function toldOf(block, key, unit) {
  const { units, pre_norm: before } = aboutBlock(block), { title, cuts, gated } = units;
  return {
    in: { label: 'read', symbol: 'W₁', title: 'what goes into a unit', what: `x${before ? ', which the norm gave,' : ', the token’s vector,'} times w, number by number: all products and a bias make the unit’s number.` },
    activation: { label: cuts ? 'keep what is positive' : 'damp what is negative', symbol: gated ? `${title}, gate` : title, title: 'what the activation makes of it', what: `Each dot is a unit: across, its number before ${title}; up, after it.` },
    out: { label: 'write', symbol: 'W₂', title: 'what the units write', what: 'Each unit writes its row of W₂, as strongly as it fires.' },
    added: { label: 'add', symbol: '+', title: 'what is added to the token', what: 'Added, number by number, to what the token had: the residual.' },
  }[key];
}

/** A number to four digits, and one that follows a sign. @param {number} value @param {number} [within] */
const four = (value, within = 0) => typeset(sure(value, within, 4));
/** @param {number} value @param {number} [within] */
const inside = (value, within = 0) => (value < 0 ? `(${four(value, within)})` : four(value, within));
/** @param {number} value @param {number} within */
const three = (value, within) => typeset(sure(value, within));
/** @param {Float32Array} values */
const largest = values => values.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0) || 1;

/** The strips of a stop. @param {Exclude<Key, 'activation'>} key @param {Shown} shown @returns {Drawn} */
export const drawnAt = (key, shown) => ({ in: cameIn, out: wrote, added })[key](shown);

/** @param {Shown} shown @returns {Drawn} */
function cameIn({ block, weights, i, word, unit, gone }) {
  const { x, w, products, total, bias, made, off } = unitAgain(block, weights, i, unit), count = Math.round(gone * x.length), so = products.map((value, d) => (d < count ? value : 0));
  const strip = (/** @type {string} */ name, /** @type {Float32Array} */ values, within = 0, end = largest(values)) => ({ name, values, within, end });
  const rest = Number.isNaN(bias) ? '' : `; with the bias ${four(bias)} that is ${four(made)}`;
  return {
    strips: [strip(`x, what comes in for ${word}`, x, off[0]), strip(`w, the weights of unit ${unit}`, w, off[1]), strip('x · w', so, 0, largest(products))], at: gone < 1 ? Math.max(0, count - 1) : -1,
    said: () => gone < 1 ? `The first ${count} of ${x.length} products add up to ${typeset(so.reduce((sum, one) => sum + one, 0).toFixed(2))}` : `All ${x.length} products add up to ${four(total)}${rest}`,
  };
}

/** @param {Shown} shown @returns {Drawn} */
function wrote({ block, weights, i, unit, gone }) {
  const { rows, units: own } = aboutBlock(block), { units } = aboutWeights(weights), some = units.includes(unit) && units.indexOf(unit) < MOST ? units.slice(0, MOST) : [...units.slice(0, MOST - 1), unit], whole = vectorOf(block, 'added', 1, i), handed = handedOn(block);
  const each = some.map(one => writtenBy(block, weights, i, one)), others = whole.map((value, d) => each.reduce((left, one) => left - one[d], value)), all = [...each, others];
  const share = (/** @type {number} */ k) => Math.min(1, Math.max(0, gone * all.length - k)), here = all.filter((_, k) => share(k) === 1);
  const summed = (/** @type {(k: number) => number} */ by) => whole.map((_, d) => all.reduce((so, values, k) => so + by(k) * values[d], 0)), [moving, arrived] = gone < 1 ? [summed(share), summed(k => Math.floor(share(k)))] : [whole, whole];
  const within = withinOf(block, 'added', 1, i), end = endOf([...all, whole].map(values => ({ name: '', values, within }))), count = block.arrays.hidden.shape[1] - some.length;
  const strip = (/** @type {string} */ name, /** @type {Float32Array} */ values, /** @type {Float32Array} */ true_) => ({ name, values, whole: true_, within, end });
  const adds = own.gated ? null : addsAt(block, rows[i]), most = adds ? adds.values.reduce((best, value, one) => (Math.abs(value) > Math.abs(adds.values[best]) ? one : best), 0) : -1, lengths = each.map(lengthOf), small = lengths[some.indexOf(most)] <= Math.min(...lengths);
  const points = (/** @type {number} */ one) => (adds && one === most && small ? `: small, ${adds.values[one] > 0 ? 'for' : 'against'} “${adds.word}”` : '');
  const names = [...some.map(one => `unit ${one}: ${four(valueOf(block, handed, i, one), half(block, handed, i))} times its row${points(one)}`), `the other ${many(count)} units, and the bias`];
  return {
    strips: [...all.map((values, k) => strip(names[k], values.map(value => share(k) * value), values)), strip('together: what feed-forward gives', moving, arrived)], at: -1,
    said: d => {
      const texts = inRow([...here.map((values, k) => (k ? Math.abs(values[d]) : values[d])), arrived[d]], 4);
      return here.length ? `number ${d}: ${here.map((values, k) => `${k ? (values[d] < 0 ? '− ' : '+ ') : ''}${texts[k]}`).join(' ')} = ${texts.at(-1)}` : '';
    },
  };
}
const MOST = 4; // units whose rows are drawn

/** @param {Shown} shown @returns {Drawn} */
function added({ block, i, word, gone }) {
  const [residual, own, sum] = ['residual', 'added', 'sum'].map(name => vectorOf(block, name, 1, i)), within = withinOf(block, 'sum', 1, i);
  const end = endOf([residual, own, sum].map(values => ({ name: '', values, within })));
  const strip = (/** @type {string} */ name, /** @type {Float32Array} */ values) => ({ name, values, within, end });
  return { strips: [strip(`what ${word} had`, residual), strip('what feed-forward gives', own), { ...strip('the sum', gone < 1 ? residual.map((value, d) => value + gone * own[d]) : sum), whole: sum }], at: -1, said: () => '' };
}

/** @param {number} digits @param {string} [all] */
const proved = (digits, all = '') => `Recorded in this run. Computed again here from 16-bit numbers ${all ? `${all} agree, this one` : 'it agrees'} ${digitsSaid(digits)}.`;

/**
 * The arithmetic of a stop, done again. `wrong` counts the units that do not agree, where all were done again.
 * @param {Key} key @param {{block: Packet, weights: Packet | null, i: number, unit: number}} shown @param {number} d the number of the vectors that is looked at @param {() => number} wrong @returns {Sum[]}
 */
export function sumsAt(key, { block, weights, i, unit }, d, wrong) {
  const { units } = aboutBlock(block), at = (/** @type {string} */ name) => half(block, name, i);
  if (key === 'added') {
    const { terms, made, digits, agrees } = sumAgain(block, 1, i, d);
    return [{ formula: `number ${d}: what the token had + what feed-forward gives`, line: written([terms.residual, terms.added], made), agrees, proof: proved(digits) }];
  }
  if (key === 'activation') {
    const { terms, made, digits } = activationAgain(block, i, unit), on = units.cuts && terms.before > 0, x = on ? three(valueOf(block, 'activation', i, unit), at('activation')) : three(terms.before, at('hidden')), { formula, line } = ACTIVATIONS_WRITTEN[units.activation], count = block.arrays.hidden.shape[1], bad = wrong();
    const proof = bad ? `Computed again here, ${many(bad)} of ${many(count)} units do not agree` : proved(digits, `all ${many(count)}`);
    const named = `unit ${unit}: `, first = { formula: formula && named + formula, line: (formula ? '' : named) + line(units.activation === 'relu' || terms.before >= 0 ? x : `(${x})`, on ? x : three(made, at('activation'))), agrees: !bad, proof };
    if (!units.gated) return [first, ...(units.cuts ? onOtherSide(block, i, terms.before) : [])];
    const gate = gateAgain(block, i, unit), { after, gate: by } = gate.terms;
    return [first, { formula: 'times its gate', line: `${four(after, at('activation'))} · ${inside(by, at('up'))} = ${four(gate.made, at('gated'))}`, agrees: gate.agrees, proof: proved(gate.digits) }];
  }
  if (!weights) return [];
  if (key === 'out') {
    const value = valueOf(block, handedOn(block), i, unit), row = valuesOf(weights, 'out', aboutWeights(weights).units.indexOf(unit)), off = half(weights, 'out', aboutWeights(weights).units.indexOf(unit));
    return [{ formula: `number ${d}: what unit ${unit} writes there`, line: `${four(value, at(handedOn(block)))} · ${inside(row[d], off)} = ${four(value * row[d], at(handedOn(block)) * Math.abs(row[d]) + off * Math.abs(value))}`, agrees: true, proof: '' }];
  }
  return (units.gated ? /** @type {const} */ (['hidden', 'up']) : /** @type {const} */ (['hidden'])).map(name => {
    const { x, w, products, total, bias, made, digits, agrees } = unitAgain(block, weights, i, unit, name), one = `${four(x[d])} · ${inside(w[d])} = ${four(products[d])}`;
    return {
      formula: name === 'up' ? `its gate, with W_up in place of W₁` : `number ${d}: ${one}; all ${x.length} together${Number.isNaN(bias) ? '' : ', and the bias'}`,
      line: Number.isNaN(bias) ? four(made, at(name)) : written([total, bias], made), agrees, proof: proved(digits),
    };
  });
}

/** What ReLU does with the unit that is farthest on the other side of zero: what it keeps and what it sets to 0 stand side by side. @param {Packet} block @param {number} i @param {number} before @returns {Sum[]} */
function onOtherSide(block, i, before) {
  const values = valuesOf(block, 'hidden', i), kept = before <= 0, unit = values.reduce((best, value, one) => ((kept ? value > values[best] : value < values[best]) ? one : best), 0);
  if (kept === values[unit] <= 0) return [];
  return [{ formula: `unit ${unit}, ${kept ? 'above' : 'below'} zero: ${ACTIVATIONS_WRITTEN.relu.line(four(values[unit], half(block, 'hidden', i)), four(valueOf(block, 'activation', i, unit), half(block, 'activation', i)))}`, line: '', agrees: true, proof: '' }];
}

/** The curve of a block's activation. @param {Packet} block */
export const curveOf = block => ACTIVATIONS[aboutBlock(block).units.activation];

/** The place of the number that a stop opens on: the largest of what it is about; of what comes in that needs the weights. @param {Exclude<Key, 'activation'>} key @param {{block: Packet, weights: Packet | null, i: number, unit: number}} shown */
export function tellingAt(key, { block, weights, i, unit }) {
  const values = key === 'in' && weights ? unitAgain(block, weights, i, unit).products : vectorOf(block, 'added', 1, i);
  return values.reduce((best, value, d) => (Math.abs(value) > Math.abs(values[best]) || Number.isNaN(values[best]) ? d : best), 0);
}

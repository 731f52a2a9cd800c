// @ts-check
// How a token becomes the vector that the first layer reads: the stops of it that a model has, and the arithmetic of one number. No page.
import { sure, typeset } from './number.js';
import { at, row } from './packet.js';
import { apart, begins } from './run.js';
import { half as halfOf } from './strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/**
 * What level 4 of a packet says beside its arrays. `near` are the words most like each different token, `near_of` says whose is whose;
 * `factor` is what a token's numbers are multiplied by, null for nothing.
 * @typedef {{
 *   rows: number[], positions: 'sinusoidal' | 'learned' | 'rotary' | 'distances' | 'none', width: number, factor: number | null, vocabulary: number, ids: number[],
 *   chance: number, near: [string, number][][], near_of: number[], norm?: {kind: string, eps: number}, theta?: number, divisor?: number
 * }} About
 */
/** @typedef {{key: 'word' | 'scaled' | 'place' | 'sum' | 'norm' | 'widened', label: string, step: string, title: string, what: string}} Stop */
/** A number worked out again: `text` shows how, `value` is what came out, `recorded` what the run has, `within` what rounding may change. @typedef {{text: string, value: number, recorded: number, within: number}} Again */
/** A vector as a strip, with its name; its numbers may be off by `within`. @typedef {{name: string, values: Float32Array, within: number}} Strip */

const WAVES = 10_000; // the base of sines and cosines (paper, section 3.5)
const ROUNDED = 2e-6; // of a number: what sums in float32 may be off
const CELL = /^(embedding\.[a-z_.]+):(\d{1,6}),(\d{1,6})$/;

/** @param {Packet} part */
export const aboutOf = part => /** @type {About} */ (/** @type {unknown} */ (part.about));

const PLACES = {
  sinusoidal: 'Each place has numbers of its own: sines and cosines, fast waves first, slow ones last. Dots are what this run recorded.',
  learned: 'Each place has a row of a table of its own, learned like that of the words. The framed row is the chosen word\'s.',
  rotary: 'Each pair of numbers of a query and of a key is turned by an angle that grows with the place. Dots are what this run recorded.',
  distances: 'Nothing is added here: attention adds to each score a number for how far apart its two words are.',
  none: 'Nothing is added here: to this model a sentence is a set of words without an order.',
};

/** The stops that a model has, in order. @param {Packet} part @returns {Stop[]} */
export function stopsOf(part) {
  const { factor, positions, norm, width } = aboutOf(part), { arrays } = part, widened = Boolean(arrays.output && arrays.output.shape[1] !== width);
  const prefix = widened ? 'embedding.norm.' : 'embedding.';
  /** @type {(Stop | null)[]} */
  const all = [
    { key: 'word', label: 'word', step: 'embedding.tokens', title: 'Its row of the table', what: 'Every word of the vocabulary has one vector, the same in every sentence. Bars are cosines: 1 is the same direction, 0 nothing in common.' },
    factor === null ? null : { key: 'scaled', label: `× ${tidy(factor)}`, step: 'embedding.scaled', title: 'Multiplied by √d', what: 'Every number is multiplied by the root of how many there are, so that the word outweighs the place that is added next.' },
    { key: 'place', label: 'place', step: 'embedding.positions', title: 'Its place', what: PLACES[positions] },
    { key: 'sum', label: 'sum', step: arrays.sum ? 'embedding.sum' : 'embedding.output', title: 'Added, number by number', what: 'Number by number, the upper strips add up to the last one. All have one scale.' },
    norm ? { key: 'norm', label: 'norm', step: `${prefix}output`, title: 'Brought to one size', what: 'A norm brings the numbers of each token to one mean and one spread, then stretches and shifts each by what it has learned.' } : null,
    widened ? { key: 'widened', label: 'widened', step: 'embedding.output', title: 'Widened', what: 'The tables of this model are narrower than its layers: a linear map brings each row to their width.' } : null,
  ];
  return all.filter(stop => stop !== null);
}

/** The place among the stops of a step's name; the first where none fits. @param {readonly Stop[]} stops @param {string} step */
export function stopFor(stops, step) {
  const own = stops.findIndex(stop => stop.step === step);
  const key = step === 'embedding.segments' ? 'sum' : step === 'embedding.projected' ? 'widened' : 'word';
  return own >= 0 ? own : Math.max(0, stops.findIndex(stop => stop.key === key));
}

/** A number of a token as an address spells it. @param {Stop} stop @param {number} position @param {number} number */
export const cellOf = (stop, position, number) => `${stop.step}:${position},${number}`;

/** The token and the number that an address means; null where it means none of the embedding. @param {string} cell */
export function readCell(cell) {
  const [, step, position, number] = CELL.exec(cell) ?? [];
  return step ? { step, position: Number(position), number: Number(number) } : null;
}

/** A number in few letters. @param {number} value */
const tidy = value => String(Number(value.toPrecision(3)));

/** A number as it stands in a sum, with no digit that is not sure. @param {number} value @param {number} [within] how far it may be off */
export function figure(value, within = 0) {
  if (!Number.isFinite(value)) return 'no number';
  const places = Math.abs(value) >= 1 ? 2 : Math.abs(value) >= 0.1 || value === 0 ? 3 : 4;
  return value.toFixed(within > 0 ? Math.max(0, Math.min(places, Math.floor(-Math.log10(2 * within)))) : places).replace(/^-(0\.?0*)$/, '$1');
}

/** A number that is multiplied: with more digits, so that who works it out again comes to the same. @param {number} value @param {number} [within] */
const fine = (value, within = 0) => (within > 0 ? sure(value, within, 5) : Number.isFinite(value) ? String(Number(value.toPrecision(5))) : 'no number');

/** The strips of a stop for the token at a row of the packet, from above. @param {Packet} part @param {Stop} stop @param {number} i @param {number} position @returns {Strip[]} */
export function stripsOf({ arrays, about }, stop, i, position) {
  const { factor } = /** @type {About} */ (/** @type {unknown} */ (about));
  /** @param {string} name @param {string} called */
  const strip = (name, called) => (arrays[name] ? [{ name: called, values: row(arrays[name], i), within: halfOf(arrays[name]) }] : []);
  const own = strip('tokens', 'the word'), scaled = factor === null ? own : strip('scaled', `the word × ${tidy(factor)}`);
  const total = strip(arrays.sum ? 'sum' : 'output', 'the sum');
  if (stop.key === 'word') return own;
  if (stop.key === 'scaled') return [...own, ...scaled];
  if (stop.key === 'sum') return [...scaled, ...(arrays.alike ? strip('positions', `place ${position}`) : []), ...strip('segments', 'its segment'), ...total];
  if (stop.key === 'norm') return [...total, ...strip(arrays.normed ? 'normed' : 'output', 'after the norm')];
  if (stop.key === 'widened') return [...(arrays.normed ? strip('normed', 'after the norm') : total), ...strip('output', 'widened')];
  return [];
}

/** How many numbers can be chosen among at a stop. @param {Packet} part @param {Stop} stop */
export function countOf({ arrays, about }, stop) {
  const { width } = /** @type {About} */ (/** @type {unknown} */ (about));
  if (stop.key === 'place' && arrays.cos) return arrays.cos.shape[1];
  return stop.key === 'widened' ? arrays.output.shape[1] : width;
}

/** A number of a place by the formula of sines and cosines. @param {number} place @param {number} number @param {number} width */
export function waveAt(place, number, width) {
  const angle = place / WAVES ** ((number - (number % 2)) / width);
  return number % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** By which angle a pair of numbers is turned at a place. @param {About} about @param {number} place @param {number} pair @param {number} pairs */
export const turnAt = ({ theta = WAVES, divisor = 1 }, place, pair, pairs) => place / theta ** (pair / pairs) / divisor;

/**
 * One number of a token, worked out again from what comes before it; null where a stop has nothing to work out.
 * @param {Packet} part @param {Stop} stop @param {number} i @param {number} number
 * @returns {Again | null}
 */
export function again(part, stop, i, number) {
  const { arrays } = part, { factor, rows, width, positions, norm, theta } = aboutOf(part), place = rows[i];
  const half = (/** @type {string} */ name) => halfOf(arrays[name]);
  const of = (/** @type {string} */ name) => at(arrays[name], i, number);
  if (stop.key === 'scaled' && factor !== null) {
    const value = of('tokens') * factor;
    return { text: `${fine(of('tokens'), half('tokens'))} × ${fine(factor)} = ${figure(value, factor * half('tokens'))}`, value, recorded: of('scaled'), within: factor * half('tokens') + half('scaled') + ROUNDED * Math.abs(value) };
  }
  if (stop.key === 'place' && positions === 'sinusoidal') {
    const power = number - (number % 2), value = waveAt(place, number, width), angle = place / WAVES ** (power / width);
    const name = number % 2 ? 'cos' : 'sin';
    return { text: `${name}(${place} / 10000^(${power}/${width})) = ${name}(${fine(angle)}) = ${figure(value)}`, value, recorded: of('positions'), within: half('positions') + ROUNDED };
  }
  if (stop.key === 'place' && arrays.cos) {
    const pairs = arrays.cos.shape[1], angle = turnAt(aboutOf(part), place, number, pairs), value = Math.cos(angle);
    return { text: `cos(${place} / ${theta}^(${number}/${pairs})) = cos(${fine(angle)}) = ${figure(value)}`, value, recorded: of('cos'), within: half('cos') + 1e-4 };
  }
  if (stop.key === 'sum') {
    const total = arrays.sum ? 'sum' : 'output', word = of('tokens') * (factor ?? 1);
    const added = [...(arrays.alike ? ['positions'] : []), ...(arrays.segments ? ['segments'] : [])];
    const value = added.reduce((sum, name) => sum + of(name), word);
    const own = half('tokens'), terms = [factor === null ? figure(of('tokens'), own) : `${fine(of('tokens'), own)} × ${fine(factor)}`, ...added.map(name => (of(name) < 0 ? `− ${figure(-of(name), half(name))}` : `+ ${figure(of(name), half(name))}`))];
    const within = (factor ?? 1) * half('tokens') + added.reduce((sum, name) => sum + half(name), half(total)) + ROUNDED * Math.abs(word);
    return { text: `${terms.join(' ')} = ${figure(value, within)}`, value, recorded: of(total), within };
  }
  if (stop.key === 'norm' && norm && arrays.gamma) {
    const before = at(arrays[arrays.sum ? 'sum' : 'output'], i, number), mean = arrays.mean ? at(arrays.mean, i) : 0;
    const spread = arrays.mean_square ? Math.sqrt(at(arrays.mean_square, i) + norm.eps)
      : norm.kind === 'std_norm' ? Math.sqrt(at(arrays.variance, i)) + norm.eps : Math.sqrt(at(arrays.variance, i) + norm.eps);
    const gamma = at(arrays.gamma, number), beta = arrays.beta ? at(arrays.beta, number) : 0, value = ((before - mean) / spread) * gamma + beta;
    const off = half(arrays.sum ? 'sum' : 'output'), x = figure(before, off), top = arrays.mean ? `(${x} ${mean < 0 ? '+' : '−'} ${figure(Math.abs(mean))})` : x;
    const after = arrays.normed ? 'normed' : 'output';
    return {
      text: `${top} / ${fine(spread)} × ${gamma < 0 ? `(${fine(gamma)})` : fine(gamma)}${arrays.beta ? ` ${beta < 0 ? '−' : '+'} ${figure(Math.abs(beta))}` : ''} = ${figure(value, off * Math.abs(gamma) / spread)}`, value,
      recorded: of(after), within: (half('sum') * Math.abs(gamma)) / spread + half(after) + 1e-5 * Math.max(1, Math.abs(value)),
    };
  }
  return null;
}

/** How long a vector is. @param {ArrayLike<number>} values */
export const lengthOf = values => Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));

/** The cosine of two vectors; 0 where one has no length. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function cosine(a, b) {
  const sizes = lengthOf(a) * lengthOf(b);
  return sizes === 0 ? 0 : Array.from(a).reduce((sum, value, i) => sum + value * b[i], 0) / sizes;
}

/**
 * What is found for a token at a stop, as a sentence: its pattern and arguments.
 * @param {Packet} part @param {Stop} stop @param {number} i @param {string} query how the token is called
 * @returns {{key: string, given: Record<string, string | number>}}
 */
export function finding(part, stop, i, query) {
  const { arrays } = part, { vocabulary, near, near_of: whose, chance, rows, factor, positions } = aboutOf(part), place = rows[i];
  const none = { key: 'no_numbers', given: { query: begins(query) } }, two = (/** @type {number} */ value) => typeset(value.toFixed(2).replace('-0.00', '0.00'));
  const total = arrays.sum ?? arrays.output;
  if (stop.key === 'word') {
    const [word, value] = near[whose[i]][0] ?? ['', NaN];
    if (!Number.isFinite(value)) return none;
    const given = { count: vocabulary.toLocaleString('en-US'), word: `“${apart(word)}”`, query, value: two(value) };
    return value > WEAK * chance ? { key: 'near', given } : { key: 'near_weak', given: { ...given, chance: two(chance) } };
  }
  if (stop.key === 'scaled' && factor !== null) {
    const value = lengthOf(row(arrays.scaled, i)), given = { factor: tidy(factor), query, value: tidy(value) };
    if (!Number.isFinite(value)) return none;
    return arrays.alike ? { key: 'scaled', given: { ...given, place: tidy(lengthOf(row(arrays.positions, i))) } } : { key: 'scaled_alone', given };
  }
  if (stop.key === 'place') {
    if (positions === 'rotary') return { key: 'place_turned', given: { place } };
    if (positions === 'distances') return { key: 'place_distances', given: { place } };
    if (positions === 'none') return { key: 'place_none', given: { query, place } };
    if (!arrays.alike) return { key: 'place_off', given: { place } };
    const like = row(arrays.alike, i), others = rows.map((_, j) => j).filter(j => j !== i).sort((a, b) => like[b] - like[a] || Math.abs(a - i) - Math.abs(b - i));
    if (!others.length) return { key: 'place_alone', given: { place } };
    const first = others[0], last = others[others.length - 1];
    if (!Number.isFinite(like[first])) return none;
    if (first === last) return { key: 'place_two', given: { place, near: rows[first], value: two(like[first]) } };
    return { key: 'place', given: { place, near: rows[first], value: two(like[first]), far: rows[last], least: two(like[last]) } };
  }
  if (stop.key === 'sum') {
    const value = cosine(row(arrays.tokens, i), row(total, i));
    if (!Number.isFinite(value)) return none;
    return arrays.alike || arrays.segments ? { key: 'sum', given: { query, value: two(value) } } : { key: 'sum_nothing', given: { query } };
  }
  if (stop.key === 'norm') {
    const before = lengthOf(row(total, i)), value = lengthOf(row(arrays.normed ?? arrays.output, i));
    return Number.isFinite(before + value) ? { key: 'norm', given: { query, before: tidy(before), value: tidy(value) } } : none;
  }
  return { key: 'widened', given: { query, before: total.shape[1], after: arrays.output.shape[1] } };
}

const WEAK = 1.25; // times what random vectors reach: from there on words are near

/** The step of a pair's waves beside the chosen one, from fast to slow. @param {number} pairs @param {number} chosen */
export function pairsBeside(pairs, chosen) {
  const some = [...new Set([0, Math.round(pairs / 8), Math.round(pairs / 4)].map(pair => Math.min(pair, pairs - 1)))];
  return some.includes(chosen) ? some : [...some, chosen];
}

// @ts-check
// How a token becomes the vector that the first layer reads: its strips, what is found for each part, and the arithmetic of one number. No page.
import { many, sure, typeset } from './number.js';
import { at, row } from './packet.js';
import { listed } from './claim.js';
import { apart, begins } from './run.js';
import { parts, say } from './say.js';
import { half as halfOf } from './number_strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./say.js').Part} Said */
/**
 * What level 4 of a packet says beside its arrays. `table` counts its rows, `near` are the words most like each different token, `any` its mean cosine with all words, `near_of` says whose is whose;
 * `factor` is what a token's numbers are multiplied by, null for nothing.
 * @typedef {{
 *   rows: number[], positions: 'sinusoidal' | 'learned' | 'rotary' | 'distances' | 'none', width: number, factor: number | null, table: number, ids: number[],
 *   chance: number, near: [string, number][][], any: number[], near_of: number[], norm?: {kind: string, eps: number}, theta?: number, divisor?: number
 * }} About
 */
/** What of the picture is lit, with what stands beside it. @typedef {{key: 'word' | 'position' | 'sum', step: string, title: string}} Lit */
/** A number worked out again: `text` shows how, `value` is what came out, `recorded` what the run has and `says` in the table, `within` what rounding may change. @typedef {{text: string, value: number, recorded: number, says: string, within: number}} Again */
/** A vector as a strip, with its name; its numbers may be off by `within`. @typedef {{lit: Lit['key'], name: string, values: Float32Array, within: number, behind: boolean}} Strip */

const WAVES = 10_000; // the base of sines and cosines (paper, section 3.5)
const ROUNDED = 2e-6; // of a number: what sums in float32 may be off
const WEAK = 1.25; // times what random vectors reach: from there on words are near
const DIGITS = 3; // after the point, of numbers below one another
const ALIKE = 0.9; // a cosine from which on two vectors are much the same
const CLEAR = 0.02; // of a cosine: by so much the nearest word must be nearer than the next
const CELL = /^(embedding\.[a-z_.]+):(\d{1,6}),(\d{1,6})$/;

/** @param {Packet} part */
export const aboutOf = part => /** @type {About} */ (/** @type {unknown} */ (part.about));

/** How a model knows of places, in words. */
export const PLACES = {
  sinusoidal: 'Each position has numbers of its own: sines (blue) and cosines (dashed), fast waves first, slow ones last. Dots are what this run recorded.',
  learned: 'Each position has a row of a table of its own, learned like that of the words. The framed row is the chosen word\'s.',
  rotary: 'Each pair of numbers of a query and of a key is turned by an angle that grows with the position. Dots are what this run recorded.',
  distances: 'Attention adds to each score a number for how far apart its two words are.',
  none: 'To this model a sentence is a set of words without an order.',
};

/** What can be lit, in order. @type {Lit['key'][]} */
export const LIT = ['word', 'position', 'sum'];

/** The same with their steps. @param {Packet} part @returns {Lit[]} */
export const litOf = ({ arrays }) => [
  { key: 'word', step: 'embedding.tokens', title: 'Its row of the table' }, { key: 'position', step: 'embedding.positions', title: 'Its position' },
  { key: 'sum', step: arrays.sum ? 'embedding.sum' : 'embedding.output', title: 'Added, number by number' },
];

/** Which of them a step of the embedding belongs to. @param {string} step */
export const litFor = step => (['', 'embedding.tokens', 'embedding.scaled'].includes(step) || !step.startsWith('embedding.') ? 0 : step === 'embedding.positions' ? 1 : 2);

/** A number of a token as an address spells it. @param {Lit} lit @param {number} position @param {number} number */
export const cellOf = (lit, position, number) => `${lit.step}:${position},${number}`;

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

/** A number with so many digits after the point. @param {number} value @param {number} places */
const plain = (value, places) => value.toFixed(places).replace(/^-(0\.?0*)$/, '$1');

/** How texts add up: as they stand, or but for their last digit. @param {number} shown @param {string} total */
const equals = (shown, total) => (shown.toFixed(total.split('.')[1]?.length ?? 0) === total ? '=' : '≈');

/** The text of a number in each strip that is as wide as the first, from above, with no digit that is not sure. @param {Strip[]} strips @param {number} d */
export function textsOf(strips, d) {
  const whole = strips.filter(({ values }) => values.length === strips[0].values.length), off = Math.max(0, ...whole.map(({ within }) => within)), places = off > 0 ? Math.max(0, Math.min(DIGITS, Math.floor(-Math.log10(2 * off)))) : DIGITS;
  return whole.map(({ values }) => (Number.isFinite(values[d]) ? plain(values[d], places) : figure(values[d])));
}

/** A number that is multiplied: with more digits, so that who works it out again comes to the same. @param {number} value @param {number} [within] */
const fine = (value, within = 0) => (within > 0 ? sure(value, within, 5) : Number.isFinite(value) ? String(Number(value.toPrecision(5))) : 'no number');

/** Whether something is added to the words. @param {Packet} part */
const adds = ({ arrays }) => Boolean(arrays.alike || arrays.segments);

/** The strips of the token at a row of the packet, from above. @param {Packet} part @param {number} i @param {boolean} changed whether the run was @returns {Strip[]} */
export function stripsOf(part, i, changed) {
  const { arrays } = part, { factor, rows, norm } = aboutOf(part), total = arrays.sum ? 'sum' : 'output', scaled = factor === null ? 'tokens' : 'scaled';
  /** @param {string} of @param {Lit['key']} lit @param {string} name @param {boolean} [there] */
  const strip = (of, lit, name, there = true) => (arrays[of] && there ? [{ lit, name, values: row(arrays[of], i), within: halfOf(arrays[of]), behind: Boolean(norm) && (of === 'normed' || of === 'output') }] : []);
  return [
    ...strip(scaled, 'word', factor === null ? 'the word' : `the word × ${tidy(factor)}`), ...strip('positions', 'position', `+ position ${rows[i]}`, Boolean(arrays.alike)), ...strip('segments', 'sum', '+ first or second sentence'),
    ...strip(total, 'sum', adds(part) ? '= the sum' : 'what came of it', (adds(part) || changed) && arrays[total]?.shape[1] === arrays.tokens.shape[1]),
    ...(norm ? strip(arrays.normed ? 'normed' : 'output', 'sum', 'after the norm') : []), ...strip('output', 'sum', `widened to ${arrays.output?.shape[1]}`, widened(part)),
  ];
}

/** Whether the vectors of the tables are narrower than those of the layers. @param {Packet} part */
export const widened = part => part.arrays.output.shape[1] !== aboutOf(part).width;

/** A number of a place by the formula of sines and cosines. @param {number} place @param {number} number @param {number} width */
export function waveAt(place, number, width) {
  const angle = place / WAVES ** ((number - (number % 2)) / width);
  return number % 2 ? Math.cos(angle) : Math.sin(angle);
}

/** By which angle a pair of numbers is turned at a place. @param {About} about @param {number} place @param {number} pair @param {number} pairs */
export const turnAt = ({ theta = WAVES, divisor = 1 }, place, pair, pairs) => place / theta ** (pair / pairs) / divisor;

/** A number of a token's sum, worked out again; null where nothing is multiplied or added. @param {Packet} part @param {number} i @param {number} number @returns {Again | null} */
export function sumAgain(part, i, number) {
  const { arrays } = part, { factor } = aboutOf(part), total = arrays.sum ? 'sum' : 'output', added = ['positions', 'segments'].filter(name => arrays[name] && (name !== 'positions' || arrays.alike));
  if (arrays[total].shape[1] !== arrays.tokens.shape[1] || (factor === null && !added.length)) return null;
  const of = (/** @type {string} */ name) => at(arrays[name], i, number), own = halfOf(arrays.tokens), word = of('tokens') * (factor ?? 1), value = added.reduce((sum, name) => sum + of(name), word);
  const within = (factor ?? 1) * own + added.reduce((sum, name) => sum + halfOf(arrays[name]), halfOf(arrays[total])) + ROUNDED * Math.abs(word), recorded = of(total);
  const texts = textsOf(stripsOf(part, i, false), number), terms = texts.slice(1, added.length + 1), says = added.length ? texts[added.length + 1] : figure(recorded, halfOf(arrays[total])), first = factor === null ? [texts[0]] : [fine(of('tokens'), own), fine(factor)];
  const shown = terms.reduce((sum, term) => sum + Number(term), first.reduce((product, text) => product * Number(text), 1)), result = Math.abs(value - recorded) <= within ? says : figure(value, within);
  return { text: `${[first.join(' × '), ...terms.map(term => `${term.startsWith('-') ? '−' : '+'} ${term.replace('-', '')}`)].join(' ')} ${equals(shown, result)} ${result}`, value, recorded, says, within };
}

/** A number of a place by its formula, worked out again; null where it has none. @param {Packet} part @param {number} i @param {number} number @returns {Again | null} */
export function placeAgain(part, i, number) {
  const { arrays } = part, { rows, width, positions } = aboutOf(part), place = rows[i];
  if (positions !== 'sinusoidal' || !arrays.alike) return null;
  const power = number - (number % 2), value = waveAt(place, number, width), angle = place / WAVES ** (power / width), name = number % 2 ? 'cos' : 'sin';
  const recorded = at(arrays.positions, i, number), within = halfOf(arrays.positions) + ROUNDED, says = textsOf(stripsOf(part, i, false), number)[1];
  return { text: `${name}(${place} / 10000^(${power}/${width})) = ${name}(${fine(angle)}) = ${Math.abs(value - recorded) <= within ? says : figure(value)}`, value, recorded, says, within };
}

/** A number behind the norm, worked out again; null where there is none. @param {Packet} part @param {number} i @param {number} number @returns {Again | null} */
export function normAgain(part, i, number) {
  const { arrays } = part, { norm } = aboutOf(part);
  if (!norm || !arrays.gamma) return null;
  const into = arrays.sum ? 'sum' : 'output', after = arrays.normed ? 'normed' : 'output', before = at(arrays[into], i, number), mean = arrays.mean ? at(arrays.mean, i) : 0;
  const spread = arrays.mean_square ? Math.sqrt(at(arrays.mean_square, i) + norm.eps)
    : norm.kind === 'std_norm' ? Math.sqrt(at(arrays.variance, i)) + norm.eps : Math.sqrt(at(arrays.variance, i) + norm.eps);
  const gamma = at(arrays.gamma, number), beta = arrays.beta ? at(arrays.beta, number) : 0, value = ((before - mean) / spread) * gamma + beta;
  const strips = stripsOf(part, i, false), texts = textsOf(strips, number), textOf = (/** @type {string} */ name) => texts[strips.findIndex(strip => strip.name.startsWith(name))];
  const off = halfOf(arrays[into]), recorded = at(arrays[after], i, number), within = (off * Math.abs(gamma)) / spread + halfOf(arrays[after]) + 1e-5 * Math.max(1, Math.abs(value)), says = textOf('after') ?? figure(recorded, halfOf(arrays[after]));
  const x = textOf('=') ?? figure(before, off), top = arrays.mean ? `(${x} ${mean < 0 ? '+' : '−'} ${figure(Math.abs(mean))})` : x;
  return {
    text: `${top} / ${fine(spread)} × ${gamma < 0 ? `(${fine(gamma)})` : fine(gamma)}${arrays.beta ? ` ${beta < 0 ? '−' : '+'} ${figure(Math.abs(beta))}` : ''} = ${Math.abs(value - recorded) <= within ? says : figure(value, off * Math.abs(gamma) / spread)}`,
    value, recorded, says, within,
  };
}

/** How long a vector is. @param {ArrayLike<number>} values */
export const lengthOf = values => Math.sqrt(Array.from(values).reduce((sum, value) => sum + value * value, 0));

/** The cosine of two vectors; 0 where one has no length. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function cosine(a, b) {
  const sizes = lengthOf(a) * lengthOf(b);
  return sizes === 0 ? 0 : Array.from(a).reduce((sum, value, i) => sum + value * b[i], 0) / sizes;
}

const two = (/** @type {number} */ value) => typeset(value.toFixed(2).replace('-0.00', '0.00'));

/** Whether one word's row is nearer to a token's than the next and than chance. @param {Packet} part @param {number} i */
export function isClear(part, i) {
  const { near, near_of: whose, chance } = aboutOf(part), [first, second] = near[whose[i]].map(([, value]) => value);
  return first > WEAK * chance && !(first - second < CLEAR);
}

const ENDING = /^(?:|e|y|d|s|es|ed|ing|ies|ied|'s)$/;

/** Whether two words are forms of one, as climb and climbing, stop and stopped. @param {string} a @param {string} b */
export function isForm(a, b) {
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  return same > 2 && [a, b].every(word => ENDING.test(word.slice(same + Number(word.length > same + 1 && word[same] === word[same - 1]))));
}

/** How many of the words nearest to a token are forms of it before the first that is none. @param {Packet} part @param {number} i @param {string} name of the token */
const formsOf = ({ about }, i, name) => { const { near, near_of: whose } = /** @type {About} */ (/** @type {unknown} */ (about)), at = near[whose[i]].findIndex(([word]) => !isForm(name, word)); return at < 0 ? 0 : at; };

/** How much the nearest word that begins with another letter, so that it is no form of a token, is nearer than a random word is, or than that one is opposite, as to rows of very frequent words; below zero where that is no more than chance. @param {Packet} part @param {number} i @param {string} name of the token */
export function knownOf(part, i, name) {
  const { near, near_of: whose, chance, any } = aboutOf(part), [, value] = near[whose[i]].find(([word]) => word[0] !== name[0]) ?? ['', -1];
  return value > WEAK * chance ? value - Math.abs(any[whose[i]]) : value - 1;
}

/** Words that say little alone. */
const FUNCTION = new Set(('a about above after again all almost also although always am among an and another any anything are around as at away back be because been before being below between both but by can could did do does doing don\'t down during each either else enough even ever every everyone everything few for from had has have having he her here hers him himself his how however i if in instead into is it its itself just less many may me might mine more most much must my myself near neither never next no nobody none nor not nothing now of off often on once one only onto or other others our ours out over own quite rather same several shall she should since so some somebody someone something sometimes soon still such than that the their theirs them themselves then there these they this those though through to together too toward towards two under until up upon us very was we well were what whatever when where whether which while who whom whose why will with within without would yet you your yours').split(' '));

/** Whether a word means something alone. @param {string} name */
export const isContent = name => name.length >= 3 && !FUNCTION.has(name.toLowerCase());

/** What the table knows of a token: the word whose row is most like its own. @param {Packet} part @param {number} i @param {string} query how the token is called @param {string} [name] the token @param {string} [mask] of a gap, what the model calls it @returns {Said[]} */
export function tableSaid(part, i, query, name = '', mask = '') {
  const { near, near_of: whose, chance, any } = aboutOf(part), all = near[whose[i]], [word, value] = all[0] ?? ['', NaN], named = (/** @type {string} */ one) => `“${apart(one)}”`, random = two(any[whose[i]]), given = { query, word: named(word), value: two(value) };
  if (!Number.isFinite(value)) return parts('no_numbers', { query: begins(query) });
  if (mask) return parts('near_gap', { query: begins(query), mask });
  if (value <= WEAK * chance) return parts('near_weak', { ...given, chance: two(chance) });
  const count = formsOf(part, i, name), forms = all.slice(0, count).map(([one]) => named(one));
  if (count) return parts('near_forms', { ...given, random, forms: `its own form${count > 1 ? 's' : ''} ${listed(forms)}`, word: named(all[count][0]), value: two(all[count][1]) });
  if (isClear(part, i)) return parts('near', { ...given, random });
  const [next, second] = all[1], digits = [2, 3, 4].find(one => value.toFixed(one) !== second.toFixed(one)) ?? 2; // as many as tell them apart
  return parts('near_several', { ...given, value: typeset(value.toFixed(digits)), next: named(next), second: typeset(second.toFixed(digits)), random });
}

/** What the table is, and what is added to a row because it does not say where its word stands. @param {Packet} part @param {boolean} untrained @returns {Said[]} */
export function leadSaid(part, untrained) {
  const { width, table } = aboutOf(part);
  return parts(part.arrays.alike ? 'table_added' : 'table_is', { width, what: untrained ? 'random' : 'learned', count: many(table) });
}

/** Why a row is multiplied, with what that changes; "" where it is not. @param {Packet} part @param {number} i */
export function scaledSaid(part, i) {
  const { factor: by } = aboutOf(part);
  if (by === null) return '';
  const factor = `√${Math.round(by ** 2)} = ${tidy(by)}`, [before, place] = ['tokens', 'positions'].map(name => lengthOf(row(part.arrays[name], i)));
  return place > before && before * by > place ? say('row_scaled', { factor, before: tidy(before), place: tidy(place), after: tidy(before * by) }) : say('row_scaled_alone', { factor });
}

/** So many numbers around one, as far as there are any: the first and what follows the last. @param {number} d @param {number} count @param {number} most @returns {[from: number, to: number]} */
export function windowAround(d, count, most) {
  const from = Math.max(0, Math.min(d - Math.floor(most / 2), count - most));
  return [from, Math.min(count, from + most)];
}

/** The number of a token that its row fills, and in which its place is unlike the others here: there is something to see in the sum. @param {Packet} part @param {number} i */
export function tellingOf({ arrays }, i) {
  const values = row(arrays.scaled ?? arrays.tokens, i), [count, width] = arrays.positions.shape, places = row(arrays.positions);
  const own = arrays.alike && count > 1 ? values.map((_, d) => places[i * width + d] - Array.from({ length: count }, (_, j) => places[j * width + d] / count).reduce((a, b) => a + b)) : values;
  const size = (/** @type {number} */ d) => Math.min(Math.abs(values[d]), Math.abs(own[d])) || 0;
  return values.reduce((best, _, d) => (size(d) > size(best) ? d : best), 0);
}

/** What is found for a token's place. @param {Packet} part @param {number} i @param {string} query how the token is called @returns {Said[]} */
export function placeSaid(part, i, query) {
  const { arrays } = part, { rows, positions } = aboutOf(part), place = rows[i];
  if (positions === 'rotary') return parts('place_turned', { place });
  if (positions === 'distances') return parts('place_distances', { place });
  if (positions === 'none') return parts('place_none', { query, place });
  if (!arrays.alike) return parts('place_off', { place });
  const like = row(arrays.alike, i), others = rows.map((_, j) => j).filter(j => j !== i).sort((a, b) => like[b] - like[a] || Math.abs(a - i) - Math.abs(b - i));
  if (!others.length) return parts('place_alone', { place });
  const first = others[0], last = others[others.length - 1];
  if (!Number.isFinite(like[first])) return parts('no_numbers', { query: `Position ${place}` });
  const alike = others.filter(j => two(like[j]) === two(like[first])).slice(0, 2).map(j => rows[j]).sort((a, b) => a - b);
  return first === last ? parts('place_two', { place, near: rows[first], value: two(like[first]) }) : parts('place', { place, near: `position${alike.length > 1 ? 's' : ''} ${alike.join(' and ')}`, value: two(like[first]), far: rows[last], least: two(like[last]) });
}

/** What is found for a token's sum, and what follows it. @param {Packet} part @param {number} i @param {string} query how the token is called @returns {Said[]} */
export function sumSaid(part, i, query) {
  const { arrays } = part, { norm } = aboutOf(part), total = arrays[arrays.sum ? 'sum' : 'output'], same = total.shape[1] === arrays.tokens.shape[1], value = same ? cosine(row(arrays.tokens, i), row(total, i)) : NaN;
  const [before, after] = norm ? [total, arrays.normed ?? arrays.output].map(one => lengthOf(row(one, i))) : [0, 0];
  if ((same && !Number.isFinite(value)) || !Number.isFinite(before + after)) return parts('no_numbers', { query: begins(query) });
  const all = [
    adds(part) && same ? parts(value >= ALIKE ? 'sum_little' : 'sum', { query, value: two(value) }) : adds(part) ? [] : parts('sum_nothing', { query }), norm ? parts('after_norm', { before: tidy(before), value: tidy(after) }) : [],
    widened(part) ? parts('widened', { before: aboutOf(part).width, after: arrays.output.shape[1] }) : [],
  ].filter(one => one.length);
  return all.flatMap((one, k) => [...(k ? [{ text: ' ', name: '', format: '' }] : []), ...one]);
}

/** The step of a pair's waves beside the chosen one, from fast to slow. @param {number} pairs @param {number} chosen */
export function pairsBeside(pairs, chosen) {
  const some = [...new Set([0, Math.round(pairs / 8), Math.round(pairs / 4)].map(pair => Math.min(pair, pairs - 1)))];
  return some.includes(chosen) ? some : [...some, chosen];
}

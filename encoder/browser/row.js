// @ts-check
// The arithmetic of one row at one stop, done again from the numbers of the stop before and held against what was recorded. No page.

import { at, row } from './packet.js';
import { calledToken } from './run.js';
import { divisorOf, half, maskedOf, meeting, namesOf, productsOf, scoresOf, SHUT, softmax } from './number_strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./packet.js').Numbers} Kept */
/** @typedef {import('./steps_of_attention.js').Stop} Stop */
/** @typedef {import('./steps_of_attention.js').Place} Place */
/** @typedef {import('./number_strips.js').Chosen} Chosen */

/** How a column is written; `within` is how far its numbers may be from the run's own, `step` is where the run recorded them. @typedef {{name: string, form: Form, within?: number, step?: string}} Column */
/** @typedef {'number' | 'power' | 'percent' | 'sum' | 'text'} Form */
/**
 * One line: `numbers` stand in the columns. `digits` tells to how many digits the last of them agrees with the run's own, `agrees`
 * whether it does as far as that was sent; null where nothing was recorded. `position` is the column of the picture that it is about.
 * @typedef {{name: string, position: number, numbers: (number | string)[], digits: number | null, agrees: boolean | null}} Line
 */
/**
 * The table of a row: `lines` from the largest on; `sum` is of all of them. `check` says how well it agrees. `index` says where a line's numbers stand in their steps.
 * @typedef {{index: (position: number) => number[], about: string, columns: Column[], lines: Line[], sum: {name: string, numbers: (number | string | null)[]} | null, check: string, agrees: boolean}} Table
 */

const DIGITS = 7; // of a float32
const LEAST = Number.MIN_VALUE; // a share that is sent as nothing
const ROUNDING = 2 ** -22; // of sums in float32, for each unit of size

/** To how many digits a number agrees with another. @param {number} made @param {number} kept */
export function digitsOf(made, kept) {
  if (made === kept || (Number.isNaN(made) && Number.isNaN(kept))) return DIGITS;
  const apart = Math.abs(made - kept), size = Math.abs(kept);
  return Math.max(0, Math.min(DIGITS, Math.floor(-Math.log10(apart / size)) || 0));
}

/** Whether a number agrees with one that was sent, which is none where it was infinite. @param {number} made @param {number} kept @param {number} within */
const same = (made, kept, within) => made === kept || (Number.isNaN(kept) ? !Number.isFinite(made) : Math.abs(made - kept) <= within);

/** The length of a vector. @param {ArrayLike<number>} vector */
export function lengthOf(vector) {
  let sum = 0;
  for (let d = 0; d < vector.length; d++) sum += vector[d] ** 2;
  return Math.sqrt(sum);
}

/** The product of two vectors, number by number, added up. @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function product(a, b) {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * b[d];
  return sum;
}

/** Places by the size of their numbers, the largest first. @param {ArrayLike<number>} values @param {(value: number) => number} [by] */
export const largest = (values, by = Math.abs) => {
  const weight = (/** @type {number} */ i) => (Number.isFinite(values[i]) ? by(values[i]) : -Infinity);
  return Array.from(values, (_, i) => i).sort((a, b) => weight(b) - weight(a) || a - b);
};

/** Why a number that is done again is another. @param {Packet} run */
const why = run => (run.about.edits ? 'this run was changed on the way' : 'this model does more on the way than this stop shows');

/** How well all lines agree, as a sentence. @param {Packet} run @param {Line[]} lines @param {string} [where] */
function checked(run, lines, where = 'Recorded in this run; computed again here, it agrees') {
  const told = lines.filter(line => line.digits !== null);
  if (!told.length) return { check: '', agrees: true };
  const wrong = told.filter(line => !line.agrees);
  if (wrong.length) return { check: `Computed again here, ${wrong.length} of ${told.length} do not agree: ${why(run)}.`, agrees: false };
  const digits = /** @type {number} */ (told[0].digits);
  return { check: `${where} to ${digits} ${digits === 1 ? 'digit' : 'digits'}.`, agrees: true };
}

/**
 * The table of a row of a stop; null while the vectors that it needs are not there.
 * @param {Stop} stop
 * @param {Packet} run
 * @param {Packet | null} vectors of this layer
 * @param {Chosen} chosen
 * @param {Place} place `row` counts the rows that the run keeps
 * @returns {Table | null}
 */
export function tableOf(stop, run, vectors, chosen, place) {
  const told = rowTold(stop, run, vectors, chosen, place), position = run.about.rows[place.row], own = stop.own ? [chosen.head] : [];
  const columns = told?.columns.map(({ step, ...column }) => (step ? { ...column, step: `layers.${chosen.layer}.${step}` } : column));
  return told && columns ? { ...told, columns, index: at => [...own, position, at] } : null;
}

/** @param {Stop} stop @param {Packet} run @param {Packet | null} vectors @param {Chosen} chosen @param {Place} place @returns {Omit<Table, 'index'> | null} */
function rowTold(stop, run, vectors, chosen, place) {
  const i = place.row, position = run.about.rows[i], names = namesOf(run.about.tokens);
  const asked = { run, vectors: /** @type {Packet} */ (vectors), chosen, i, own: calledToken(run, position), position, names };
  if (stop.key === 'softmax') return run.arrays.scores || vectors ? softmaxTable(asked) : null;
  if (stop.key === 'mask') return run.arrays.scores || vectors ? maskTable(asked) : null;
  if (!vectors) return null;
  if (stop.key === 'scores') return scoresTable(asked);
  if (stop.key === 'scaled') return scaledTable(asked);
  if (stop.key === 'mixed') return mixedTable(asked, place.column);
  if (stop.key === 'concat') return concatTable(asked);
  return vectorTable(stop, asked);
}

/** @typedef {{run: Packet, vectors: Packet, chosen: Chosen, i: number, own: string, position: number, names: string[]}} Asked */

/** A row behind the mask; numbers that are none where it cannot be known. @param {Asked} asked */
const behind = ({ run, vectors, chosen, i, names }) =>
  maskedOf(run, vectors, chosen, i) ?? { values: new Float32Array(names.length).fill(NaN), shut: new Uint8Array(names.length) };

/** @param {Asked} asked @returns {Omit<Table, 'index'>} */
function softmaxTable(asked) {
  const { run, chosen, i, own, names } = asked, { temperature = 1 } = chosen;
  const { values, shut } = behind(asked), { most, sum, powers, shares } = softmax(values, temperature);
  const kept = run.arrays.weights, within = half(kept) + ROUNDING + (run.arrays.scores ? 0 : 1e-3);
  const lines = largest(shares).map(j => {
    const recorded = at(kept, chosen.layer, chosen.head, i, j);
    return {
      name: names[j], position: j, numbers: [values[j], powers[j], shares[j]],
      ...(temperature === 1 ? { digits: digitsOf(shares[j], recorded), agrees: same(shares[j], recorded, within) } : { digits: null, agrees: null }),
    };
  });
  const { check, agrees } = temperature === 1
    ? checked(run, lines)
    : { check: `At temperature ${temperature.toFixed(1)}, made here; 1.0 is the model's own.`, agrees: true };
  const alone = shut.every(Boolean), none = Number.isNaN(sum);
  const said = alone ? (none ? 'No token may be looked at from here: there is nothing to divide, and no shares.' : 'Every token is masked alike here: all get the same share.') : '';
  const turned = temperature === 1 ? '' : ` / ${temperature.toFixed(1)}`;
  return {
    about: `${own} looks at`,
    columns: [{ name: 'number x', form: 'number', step: 'attention.masked' }, { name: turned ? `e^((x − max)${turned})` : `e^(x ${written(most)})`, form: 'power' }, { name: 'share', form: 'percent', ...(turned ? {} : { step: 'attention.weights' }) }],
    lines,
    sum: { name: `sum of all ${names.length}`, numbers: [null, sum, none ? NaN : 1] },
    agrees, check: [said, none && alone && agrees ? '' : check].filter(Boolean).join(' '),
  };
}

/** A number that is taken off: one below zero is added. @param {number} value */
const written = value => (Number.isFinite(value) ? `${value < 0 ? '+' : '−'} ${Number(Math.abs(value).toPrecision(3))}` : '− max');

/** @param {Asked} asked @returns {Omit<Table, 'index'>} */
function maskTable(asked) {
  const { run, vectors, chosen, i, own, names } = asked, { values, shut } = behind(asked);
  const scores = scoresOf(run, vectors, chosen, i) ?? values;
  const lines = largest(scores, value => value).map(j => {
    const changed = !shut[j] && !same(values[j], scores[j], 0);
    return { name: names[j], position: j, numbers: [scores[j], changed ? 'changed' : SHUT[shut[j]].cell, values[j]], digits: null, agrees: null };
  });
  // What was recorded is the share: of a token that is not looked at it is 0.
  const alone = shut.every(Boolean), covered = shut.some(Boolean);
  const shared = shut.reduce((count, why, j) => count + Number(Boolean(why) && at(run.arrays.weights, chosen.layer, chosen.head, i, j) > 0), 0);
  const counts = SHUT.map(({ count }, why) => [shut.filter(one => one === why).length, count]).filter(([count], why) => why && count).map(part => part.join(' '));
  const all = `Of ${names.length} tokens: ${counts.join(', ')}.`, wrong = !alone && shared > 0;
  /** @type {[boolean, string][]} */
  const cases = [
    [alone, `${all} From here none may be looked at.`],
    [wrong, `${all} Not looked at, but ${shared} with a share all the same: ${why(run)}.`],
    [covered, `${all} Not looked at, recorded with a share of 0.`],
    [true, 'Every token may be looked at from here.'],
  ];
  return {
    about: `${own} and`,
    columns: [{ name: 'scaled score', form: 'number', step: 'attention.scaled' }, { name: 'may it be seen?', form: 'text' }, { name: 'goes on', form: 'number', step: 'attention.masked' }],
    lines, sum: null, agrees: !wrong || Boolean(run.about.edits),
    check: /** @type {[boolean, string]} */ (cases.find(([is]) => is))[1],
  };
}

/** @param {Asked} asked @returns {Omit<Table, 'index'>} */
function scoresTable({ run, vectors, chosen, own, position, names }) {
  const { products } = vectors.arrays, { q, k } = meeting(vectors), query = row(q, chosen.head, position);
  const sizes = query.reduce((sum, value) => sum + Math.abs(value), 0);
  const kept = productsOf(run, vectors, chosen.head, position), long = half(k) * Math.sqrt(query.length);
  const lines = largest(kept, value => value).map(j => {
    const key = row(k, chosen.head, j), made = product(query, key);
    // Queries and keys come in steps of 16 bits: their products can be so far from the run's own, no farther.
    const within = half(k) * sizes + half(q) * key.reduce((sum, value) => sum + Math.abs(value), 0) + query.length * half(q) * half(k) + ROUNDING * (1 + sizes);
    const told = products ? { digits: digitsOf(made, kept[j]), agrees: same(made, kept[j], within) } : { digits: null, agrees: null };
    return { name: names[j], position: j, numbers: [lengthOf(key), made / (lengthOf(query) * lengthOf(key)), kept[j]], ...told };
  });
  return {
    about: `q of ${own} and k of`,
    columns: [{ name: 'length of k', form: 'number', within: long }, { name: 'cosine', form: 'number' }, { name: 'q · k', form: 'number', within: products ? 0 : long * lengthOf(query), step: 'attention.scores' }],
    lines, sum: null, ...checked(run, lines, 'Recorded in this run; computed again here from 16-bit q and k, it agrees'),
  };
}

/** @param {Asked} asked @returns {Omit<Table, 'index'>} */
function scaledTable({ run, vectors, chosen, i, own, position, names }) {
  const products = productsOf(run, vectors, chosen.head, position), root = divisorOf(run, vectors), size = run.about.model.d_head;
  const scores = run.arrays.scores, apart = /** @type {{distance?: boolean}} */ (vectors.about).distance;
  if (apart && scores) { // what is added for the distance is what the score has more than the quotient
    const lines = largest(row(scores, chosen.layer, chosen.head, i), value => value).map(j => {
      const score = at(scores, chosen.layer, chosen.head, i, j), quotient = products[j] / root;
      return { name: names[j], position: j, numbers: [quotient, score - quotient, score], digits: null, agrees: null };
    });
    return {
      about: `${own} and`,
      columns: [{ name: 'score / √d', form: 'number' }, { name: 'for the distance', form: 'number' }, { name: 'both', form: 'number', step: 'attention.scaled' }],
      lines, sum: null, agrees: true, check: 'Recorded in this run. What is added for the distance stays in the model: it is what both have more than the quotient.',
    };
  }
  const lines = largest(products, value => value).map(j => {
    const made = products[j] / root, kept = scores ? at(scores, chosen.layer, chosen.head, i, j) : NaN;
    const told = scores ? { digits: digitsOf(made, kept), agrees: same(made, kept, 8 * ROUNDING * (1 + Math.abs(kept))) } : { digits: null, agrees: null };
    return { name: names[j], position: j, numbers: [products[j], root, made], ...told };
  });
  return {
    about: `${own} and`,
    columns: [{ name: 'score', form: 'number', step: 'attention.scores' }, { name: rootOf(root, size), form: 'number' }, { name: 'quotient', form: 'number', step: 'attention.scaled' }],
    lines, sum: null, ...checked(run, lines),
  };
}

/** The name of what scores are divided by: the root of a head's size, of more where several scores were added. @param {number} root @param {number} size */
export const rootOf = (root, size) => (Math.abs(root ** 2 - size) < 1e-6 ? '√d_head' : `√(${Math.round(root ** 2 / size)} d_head)`);

/** @param {Asked} asked @param {number} column @returns {Omit<Table, 'index'>} */
function mixedTable(asked, column) {
  const { run, vectors, chosen, i, own, position, names } = asked, { shut } = behind(asked);
  const { v, mixed } = vectors.arrays, shares = row(run.arrays.weights, chosen.layer, chosen.head, i);
  const size = run.about.model.d_head, made = new Float64Array(size), sizes = new Float64Array(size), parts = new Float64Array(size);
  const whole = shares.reduce((sum, share) => sum + Math.abs(share), 0); // 1, unless an edit made them other than shares
  const lengths = Array.from(names, (_, j) => {
    const value = row(v, chosen.head, j);
    value.forEach((one, d) => { made[d] += shares[j] * one; sizes[d] += Math.abs(one); parts[d] += Math.abs(shares[j] * one); });
    return lengthOf(value);
  });
  const kept = row(mixed, chosen.head, position);
  const within = (/** @type {number} */ d) => half(run.arrays.weights) * sizes[d] + half(v) * whole + half(mixed) + ROUNDING * (1 + parts[d]);
  const wrong = kept.reduce((count, value, d) => count + Number(!same(made[d], value, within(d))), 0);
  const lines = largest(Array.from(shares, (share, j) => share * lengths[j])).map(j => ({
    name: names[j], position: j, numbers: [shares[j] || (shut[j] ? 0 : LEAST), lengths[j], shares[j] * lengths[j], shares[j] * at(v, chosen.head, j, column)], digits: null, agrees: null,
  }));
  const digits = digitsOf(lengthOf(made), lengthOf(kept));
  return {
    about: `${own} takes of`,
    columns: [{ name: 'share', form: 'percent', step: 'attention.weights' }, { name: 'length of v', form: 'number', within: half(v) * Math.sqrt(size) }, { name: 'adds a length of', form: 'number' }, { name: `to number ${column}`, form: 'number', within: within(column) || half(v) }],
    lines, agrees: !wrong,
    sum: { name: 'all of them', numbers: [shares.reduce((sum, share) => sum + share, 0), null, lengthOf(made), made[column] ?? NaN] },
    check: wrong
      ? `Computed again here, ${wrong} of the ${size} numbers of this mixture do not agree: ${why(run)}.`
      : `Recorded in this run; all ${size} numbers of the mixture were computed again here, and its length agrees to ${digits} ${digits === 1 ? 'digit' : 'digits'}.`,
  };
}

/** @param {Asked} asked @returns {Omit<Table, 'index'>} */
function concatTable({ run, vectors, own: whose, position }) {
  const { heads, d_head: size } = run.about.model, { concat, mixed } = vectors.arrays, whole = row(concat, position);
  const lines = Array.from({ length: heads }, (_, head) => {
    const part = whole.slice(head * size, (head + 1) * size), own = row(mixed, head, position);
    return {
      name: `head ${head}`, position: head * size, numbers: [`${head * size} to ${(head + 1) * size - 1}`, lengthOf(own), lengthOf(part)],
      digits: digitsOf(lengthOf(part), lengthOf(own)), agrees: own.every((value, d) => same(part[d], value, half(concat) + half(mixed) + ROUNDING)),
    };
  });
  return {
    about: `Z of ${whose}`,
    columns: [{ name: 'its numbers', form: 'text' }, { name: 'length of Z', form: 'number', within: half(mixed) * Math.sqrt(size) }, { name: 'length here', form: 'number', within: half(concat) * Math.sqrt(size) }],
    lines, sum: { name: `all ${heads} heads`, numbers: [`0 to ${heads * size - 1}`, null, lengthOf(whole)] }, ...checked(run, lines, 'Recorded in this run; each part is the mixture of its head,'),
  };
}

/** The largest numbers of a vector, and its length. @param {Stop} stop @param {Asked} asked @returns {Omit<Table, 'index'>} */
function vectorTable(stop, { vectors, chosen, own, position }) {
  const from = vectors.arrays[stop.array], vector = stop.own ? row(from, chosen.head, position) : row(from, position);
  const length = lengthOf(vector), { reads } = /** @type {{reads?: string}} */ (vectors.about);
  return {
    about: `${stop.called} ${own}`,
    columns: [{ name: 'its value', form: 'number', within: half(from), step: stop.step }, { name: 'of its length²', form: 'percent' }],
    lines: largest(vector).map(d => ({ name: `number ${d}`, position: d, numbers: [vector[d], vector[d] ** 2 / length ** 2], digits: null, agrees: null })),
    sum: { name: `length of all ${vector.length}`, numbers: [length, 1] }, agrees: true,
    check: stop.key === 'x'
      ? `Recorded in this run: ${{ norm: 'what the norm before attention made of its input', layer: `what layer ${chosen.layer - 1} gave` }[reads ?? ''] ?? 'what the embedding gave'}.`
      : 'Recorded in this run. The matrix stays in the model: it is not sent, so this is not computed again here.',
  };
}

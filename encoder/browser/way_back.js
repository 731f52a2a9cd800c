// @ts-check
// The way of a number back to the table of embeddings, in steps that a person would name. Only numbers and words, no page.
import { at, row } from './packet.js';
import { largest, lengthOf, rootOf } from './row.js';
import { begins, calledToken } from './run.js';
import { STOPS } from './stops.js';
import { divisorOf, half, maskedOf, meeting, namesOf, scoresOf, SHUT, softmax } from './strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** Where a number stands: `row` is the position of its token. @typedef {{stop: number, layer: number, head: number, row: number, column: number}} Spot */
/**
 * A number that is said. With `step` and `index` it is the run's own at that place, or, with `of`, the length of the vector there; as it
 * was sent it may be off by `within`.
 * @typedef {{value: number, form?: 'percent', step?: string, index?: number[], of?: 'length', within?: number}} Said
 */
/** @typedef {(string | Said)[]} Sentence */
/**
 * One step: what is said of the number, a table of what it is made of, and where one can go on. At the `end` nothing comes before.
 * @typedef {{crumb: string, title: string, says: Sentence[], table: {heads: string[], lines: Sentence[]} | null, next: {label: string, spot: Spot}[], end: boolean}} Step
 */

const SHOWN = 6; // lines of a table
const place = (/** @type {string} */ key) => STOPS.findIndex(stop => stop.key === key);

/**
 * The step of the way that explains a number.
 * @param {Spot} spot
 * @param {Packet} run
 * @param {Packet} vectors of the spot's layer
 * @returns {Step}
 */
export function stepBack(spot, run, vectors) {
  const { layer, head, row: position, column } = spot, { arrays } = vectors;
  const stop = STOPS[spot.stop], names = namesOf(run.about.tokens), { d_head: size, d_model: width } = run.about.model;
  const own = calledToken(run, position), other = stop.shape === 'grid' ? calledToken(run, column) : '', i = run.about.rows.indexOf(position);
  /** @param {string} key @param {number[]} index @param {number} value @returns {Said} */
  const number = (key, index, value) => ({ value, step: `layers.${layer}.${STOPS[place(key)].step}`, index, ...within(key) });
  /** @param {string} key */
  const within = key => (STOPS[place(key)].shape === 'strip' ? { within: half(arrays[STOPS[place(key)].array]) } : {});
  /** @param {string} key @param {number[]} index @param {ArrayLike<number>} vector @returns {Said} */
  const length = (key, index, vector) => ({ value: lengthOf(vector), step: `layers.${layer}.${STOPS[place(key)].step}`, index, of: 'length' });
  /** @param {string} key @param {number} to @param {number} at_ @returns {Spot} */
  const spotOf = (key, to, at_) => ({ stop: place(key), layer, head, row: to, column: at_ });
  const nothing = { table: null, next: [], end: false };
  const grid = stop.shape === 'grid' && i >= 0, score = ((grid && scoresOf(run, vectors, spot, i)) || [])[column];
  const left = (grid && maskedOf(run, vectors, spot, i)) || { values: new Float32Array(names.length).fill(NaN), shut: new Uint8Array(names.length) };
  const masked = left.values[column], { reads, embedded = [], bias = true, distance = false } = /** @type {{reads?: string, embedded?: string[], bias?: boolean, distance?: boolean}} */ (vectors.about);

  if (stop.key === 'output') {
    const vector = row(arrays.output, position), joined = row(arrays.concat, position), best = largest(joined)[0];
    return {
      ...nothing, crumb: 'W_O', title: `Number ${column} of what attention gives to ${own}`,
      says: [
        [number('output', [position, column], vector[column]), ' is made of all that the heads hand over for ', own, ': concat, ', String(width), ' numbers of length ', length('concat', [position], joined), `, times a column of W_O${bias ? ', plus b_O' : ''}.`],
        ['W_O was learned and stays in the model. The largest number of concat is ', number('concat', [position, best], joined[best]), ', number ', String(best), '.'],
      ],
      next: [{ label: `Number ${best} of concat`, spot: spotOf('concat', position, best) }],
    };
  }
  if (stop.key === 'concat') {
    const from = Math.floor(column / size), d = column % size;
    return {
      ...nothing, crumb: 'concat', title: `Number ${column} of what all heads give to ${own}`,
      says: [[number('concat', [position, column], at(arrays.concat, position, column)), ` is number ${d} of what head ${from} mixed: each head has ${size} numbers here, side by side.`]],
      next: [{ label: `The mixture of head ${from}`, spot: { ...spotOf('mixed', position, d), head: from } }],
    };
  }
  if (stop.key === 'mixed') {
    const mixed = at(arrays.mixed, head, position, column);
    const shares = i < 0 ? null : row(run.arrays.weights, layer, head, i), added = names.map((_, j) => (shares ? shares[j] : NaN) * at(arrays.v, head, j, column));
    const order = largest(added), most = order[0];
    return {
      crumb: '× V', title: `Number ${column} of what ${own} takes`, end: false,
      says: [[number('mixed', [head, position, column], mixed), ` is number ${column} of the values of all ${names.length} tokens, each times its share, added up.`]],
      table: !shares ? null : {
        heads: ['of', 'share', `value, number ${column}`, 'adds'],
        lines: order.slice(0, SHOWN).map(j => [names[j], { ...number('softmax', [head, position, j], shares[j]), form: 'percent' }, number('v', [head, j, column], at(arrays.v, head, j, column)), { value: added[j] }]),
      },
      next: [{ label: `The share of ${names[most]}`, spot: spotOf('softmax', position, most) }, { label: `The value of ${names[most]}`, spot: spotOf('v', most, column) }],
    };
  }
  if (stop.key === 'softmax') {
    const { values, shut } = left, { most, sum, powers } = softmax(values), top = largest(values, value => value)[0];
    /** @type {Said} */
    const share = { ...number('softmax', [head, position, column], at(run.arrays.weights, layer, head, i, column)), form: 'percent' };
    return {
      ...nothing, crumb: 'share', title: `The share that ${own} gives to ${other}`,
      says: shut[column] ? [[`${begins(own)} does not look at ${other}: ${SHUT[shut[column]].because}. Its share is `, share, '.']] : [
        [share, ' = e^(', number('mask', [head, position, column], values[column]), most < 0 ? ' − (' : ' − ', number('mask', [head, position, top], most), most < 0 ? ')) / ' : ') / ', { value: sum }, ' = ', { value: powers[column] }, ' / ', { value: sum }],
        ['The score of ', own, ' and ', other, ' is ', number('mask', [head, position, column], values[column]), '; the largest of the row is ', number('mask', [head, position, top], most), ', with ', calledToken(run, top), '. All ', String(names.length), ' powers add up to ', { value: sum }, '.'],
      ],
      next: [masked === score ? { label: 'The score', spot: spotOf('scaled', position, column) } : { label: 'The mask', spot: spotOf('mask', position, column) }],
    };
  }
  if (stop.key === 'mask') {
    const because = SHUT[left.shut[column]].because, kept = masked === score ? ' is the score of ' : ' is what a change put in the place of the score of ';
    return {
      ...nothing, crumb: 'mask', title: `What the mask leaves of ${own} and ${other}`,
      says: [because
        ? [number('mask', [head, position, column], masked), ` stands in the place of the score: ${own} does not look at ${other}, because ${because}.`]
        : [number('mask', [head, position, column], masked), kept, own, ' and ', other, masked === score ? ': the mask leaves it as it is.' : '.']],
      next: [{ label: 'The score', spot: spotOf('scaled', position, column) }],
    };
  }
  if (stop.key === 'scaled') {
    const divisor = divisorOf(run, vectors);
    const { q, k } = meeting(vectors), whole = arrays.products ? at(arrays.products, head, position, column) : sumOf(row(q, head, position), row(k, head, column));
    const root = rootOf(divisor, size);
    return {
      ...nothing, crumb: 'score', title: `The score of ${own} and ${other}`,
      says: [
        [number('scaled', [head, position, column], score), ' = ', number('scores', [head, position, column], whole), ' / ', { value: divisor }, ...(distance ? [' and what this model adds for the distance'] : []), '.'],
        ...(left.shut[column] ? [[`This score goes no further: ${own} does not look at ${other}, because ${SHUT[left.shut[column]].because}.`]] : []),
        [root === '√d_head' ? `${brieflyRoot(divisor)} is the root of how many numbers a query has: ${size}.` : `${brieflyRoot(divisor)} is ${root}: ${Math.round(divisor ** 2 / size)} scores of ${size} numbers were added.`],
      ],
      next: [{ label: 'Query times key', spot: spotOf('scores', position, column) }],
    };
  }
  if (stop.key === 'scores') {
    const { q, k } = meeting(vectors), query = row(q, head, position), key = row(k, head, column);
    const parts = query.map((value, d) => value * key[d]), order = largest(parts), shown = order.slice(0, SHOWN);
    const whole = arrays.products ? at(arrays.products, head, position, column) : sumOf(query, key), turned = q !== arrays.q;
    const rest = whole - shown.reduce((sum, d) => sum + parts[d], 0);
    return {
      crumb: 'q · k', title: `The query of ${own} times the key of ${other}`, end: false,
      says: [[number('scores', [head, position, column], whole), ` is the sum of ${size} products, number by number. The ${shown.length} largest:`]],
      table: {
        heads: ['number', `q of ${own}`, `k of ${other}`, 'product'],
        lines: [
          ...shown.map(d => [String(d), turned ? { value: query[d], within: half(q) } : number('q', [head, position, d], query[d]), turned ? { value: key[d], within: half(k) } : number('k', [head, column, d], key[d]), { value: parts[d], within: half(q) * Math.abs(key[d]) + half(k) * Math.abs(query[d]) }]),
          ['all others', '', '', { value: rest }],
        ],
      },
      next: [{ label: `The query of ${own}`, spot: spotOf('q', position, order[0]) }, { label: `The key of ${other}`, spot: spotOf('k', column, order[0]) }],
    };
  }
  if (['q', 'k', 'v'].includes(stop.key)) {
    const vector = row(arrays[stop.array], head, position), x = row(arrays.x, position), best = largest(x)[0];
    const what = { q: 'query', k: 'key', v: 'value' }[stop.key] ?? '';
    return {
      ...nothing, crumb: `${what} of ${own}`, title: `Number ${column} of the ${what} of ${own}`,
      says: [
        [number(stop.key, [head, position, column], vector[column]), ` is made of the ${width} numbers of x of `, own, ', whose length is ', length('x', [position], x), `: each times a number of column ${head * size + column} of W_${stop.label}, added up${bias ? `, plus b_${stop.label}` : ''}.`],
        [`W_${stop.label} was learned and stays in the model. The whole ${what} has a length of `, length(stop.key, [head, position], vector), '.'],
      ],
      next: [{ label: `x of ${own}`, spot: spotOf('x', position, best) }],
    };
  }
  const x = row(arrays.x, position), best = largest(x).slice(0, SHOWN);
  const table = { heads: ['number', 'x'], lines: best.map(d => /** @type {Sentence} */ ([String(d), number('x', [position, d], x[d])])) };
  const normed = reads === 'norm', made = [...embedded, ...(normed ? ['normed again for attention'] : [])];
  if (!layer) {
    return {
      crumb: 'embedding', title: `The embedding of ${own}`, table, next: [], end: true,
      says: [
        [number('x', [position, column], x[column]), ` is number ${column} of what attention reads in layer 0: the row of ${run.about.tokens[position]} in the table of embeddings${made.map(one => `, ${one}`).join('')}. Its length is `, length('x', [position], x), '.'],
        ['The table was learned. Nothing comes before it: this is where the number comes from.'],
      ],
    };
  }
  return {
    crumb: `x of layer ${layer}`, title: normed ? `What the norm before attention made of ${own}` : `What layer ${layer - 1} gave for ${own}`, table, end: false,
    says: [[number('x', [position, column], x[column]), ` is number ${column} of x, which has a length of `, length('x', [position], x), `. ${normed ? `A norm brought what layer ${layer - 1} gave to this size. ` : ''}Each layer from 0 to ${layer - 1} added to what came in: attention, then feed-forward. At the very bottom stands the embedding of ${own}.`]],
    next: [
      { label: `The embedding of ${own}`, spot: { ...spotOf('x', position, column), layer: 0 } },
      ...(layer > 1 ? [{ label: `x of layer ${layer - 1}`, spot: { ...spotOf('x', position, column), layer: layer - 1 } }] : []),
    ],
  };
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
const sumOf = (a, b) => Array.from(a).reduce((sum, value, d) => sum + value * b[d], 0);

/** @param {number} value */
const brieflyRoot = value => (Number.isInteger(value) ? String(value) : value.toFixed(2));

// @ts-check
// The numbers of a stop, as rows in one picture: [tokens, tokens] for a grid, [tokens, dimensions] for strips. No page.

import { row } from './packet.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./steps_of_attention.js').Stop} Stop */

/**
 * Which head of which layer is drawn; `temperature` divides the scores before softmax, 1 is the model's own.
 * @typedef {{layer: number, head: number, temperature?: number}} Chosen
 */

/**
 * The numbers of a picture: `values` row by row, `rows` the positions of the tokens that have one. `names` are those of the columns
 * where columns are tokens. `within` is how far a number may be from the run's own, because it was sent in steps. `shut` tells of each cell why it is not looked at, as a place in SHUT; null where a stop knows no mask.
 * `parts` tells what a number is: an edit can make shares negative.
 * @typedef {{rows: number[], columns: number, values: Float32Array, names: string[] | null, shut: Uint8Array | null, within?: number, parts: 'share' | 'signed'}} Numbers
 */

/**
 * Why a token is not looked at: in a cell, in a count of several, and as a clause. The first is none of them.
 * @type {readonly {cell: string, count: string, because: string}[]}
 */
export const SHUT = [
  { cell: 'seen', count: '', because: '' },
  { cell: 'hidden', count: 'hidden', because: 'it is hidden' },
  { cell: 'padding', count: 'padding', because: 'it is padding' },
  { cell: 'too far', count: 'too far away', because: 'it is farther away than this layer looks' },
  { cell: 'masked', count: 'masked by a change', because: 'a change masks it' },
];
const CHANGED = SHUT.length - 1;

/** The names of tokens; one that stands there twice says its position. @param {string[]} tokens */
export function namesOf(tokens) {
  /** @type {Map<string, number>} */
  const count = new Map();
  for (const token of tokens) count.set(token, (count.get(token) ?? 0) + 1);
  return tokens.map((token, i) => ((count.get(token) ?? 0) > 1 ? `${token} (${i})` : token));
}

/** What stands in the place of a score that is masked. @param {Packet} run */
export const maskOf = run => Math.fround(run.about.mask_value ?? -Infinity);

/** Why the model itself lets nobody look from a position at each token, as places in SHUT. @param {Packet} run @param {number} layer @param {number} position */
function barred(run, layer, position) {
  const { tokens, kinds, windows } = run.about, hidden = new Set(run.about.hidden), window = windows?.[layer] ?? Infinity;
  return Uint8Array.from(tokens, (_, j) => (hidden.has(j) ? 1 : kinds[j] === 'padding' ? 2 : Math.abs(j - position) > window ? 3 : 0));
}

/**
 * A row of scores behind the mask, and why each token is not looked at; null while it cannot be known.
 * @param {Packet} run @param {Packet | null} vectors @param {Chosen} chosen @param {number} i the place of the row among those kept
 * @returns {{values: Float32Array, shut: Uint8Array} | null}
 */
export function maskedOf(run, vectors, chosen, i) {
  const { layer, head } = chosen, mask = maskOf(run), why = barred(run, layer, run.about.rows[i]);
  const values = run.arrays.masked
    ? row(run.arrays.masked, layer, head, i)
    : scoresOf(run, vectors, chosen, i)?.map((score, j) => (why[j] ? mask : score));
  return values ? { values, shut: Uint8Array.from(values, (value, j) => (value === -Infinity || value === mask ? why[j] || CHANGED : 0)) } : null;
}

/**
 * The shares of a row of scores behind the mask: e to the power of each over the sum of all. Where all are minus infinity there are none.
 * @param {ArrayLike<number>} scores
 * @param {number} [temperature]
 */
export function softmax(scores, temperature = 1) {
  const powers = new Float64Array(scores.length);
  let most = -Infinity, sum = 0;
  for (let j = 0; j < scores.length; j++) if (scores[j] > most) most = scores[j];
  for (let j = 0; j < scores.length; j++) sum += powers[j] = Math.exp((scores[j] - most) / temperature);
  return { most, sum, powers, shares: powers.map(power => power / sum) };
}

/**
 * The scores of a row before the mask: those of the run, or of its queries and keys where it is too long for them.
 * @param {Packet} run @param {Packet | null} vectors @param {Chosen} chosen @param {number} i the place of the row among those kept
 * @returns {Float32Array | null}
 */
export function scoresOf(run, vectors, { layer, head }, i) {
  if (run.arrays.scores) return row(run.arrays.scores, layer, head, i);
  if (!vectors) return null;
  return productsOf(run, vectors, head, run.about.rows[i]).map(value => value / divisorOf(run, vectors));
}

/** What scores are divided by: √d_head, unless a model adds up several. @param {Packet} run @param {Packet | null} vectors */
export const divisorOf = (run, vectors) => /** @type {{divisor?: number} | undefined} */ (vectors?.about)?.divisor ?? Math.sqrt(run.about.model.d_head);

/** Queries and keys as they meet: turned by their places where the model does that. @param {Packet} vectors */
export const meeting = ({ arrays }) => ({ q: arrays.q_rotated ?? arrays.q, k: arrays.k_rotated ?? arrays.k });

/** @type {WeakMap<import('./packet.js').Numbers, Map<number, Float32Array>>} */
const decoded = new WeakMap();

/** The vectors of all tokens in one head, one after the other. @param {import('./packet.js').Numbers} array @param {number} head */
function vectorsOf(array, head) {
  const heads = decoded.get(array) ?? new Map();
  decoded.set(array, heads);
  const found = heads.get(head) ?? row(array, head);
  heads.set(head, found);
  return found;
}

/** Each query times each key: those of the run, or done again. @param {Packet} run @param {Packet} vectors @param {number} head @param {number} position */
export function productsOf(run, vectors, head, position) {
  if (vectors.arrays.products) return row(vectors.arrays.products, head, position);
  const { q, k } = meeting(vectors), queries = vectorsOf(q, head), keys = vectorsOf(k, head), size = run.about.model.d_head;
  const made = new Float32Array(run.about.tokens.length);
  for (let j = 0; j < made.length; j++) {
    let sum = 0;
    for (let d = 0; d < size; d++) sum += queries[position * size + d] * keys[j * size + d];
    made[j] = sum;
  }
  return made;
}

/** Half of the step in which an array was sent: no number is farther than this from the run's own. @param {import('./packet.js').Numbers | undefined} array */
export const half = array => (array && array.type !== 'f32' ? array.scale / 2 : 0);

/** How far a product of a query and a key may be from the run's own where it is done again from what was sent. @param {Packet} vectors @param {number} head @param {number} size */
function apartOf(vectors, head, size) {
  const { q, k } = meeting(vectors), most = (/** @type {import('./packet.js').Numbers} */ array) => {
    const all = vectorsOf(array, head);
    let largest = 0;
    for (let i = 0; i < all.length; i += size) {
      let sum = 0;
      for (let d = i; d < i + size; d++) sum += Math.abs(all[d]);
      largest = Math.max(largest, sum);
    }
    return largest;
  };
  return half(q) * most(k) + half(k) * most(q) + size * half(q) * half(k);
}

/** What is hidden in a layer, from anybody: "padding", "window" for what is too far away, "" for tokens that somebody hid, a change, or several of these; null for nothing. @param {Packet} run @param {number} layer */
export function maskedBy(run, layer) {
  const { hidden, kinds, tokens, windows } = run.about;
  const all = [...(run.arrays.masked || hidden.length ? [''] : []), ...(kinds.includes('padding') ? ['padding'] : []), ...((windows?.[layer] ?? Infinity) < tokens.length - 1 ? ['window'] : [])];
  return all.length ? all.length > 1 ? '' : all[0] : null;
}

/** Whether a stop needs the vectors of its layer. @param {Stop} stop @param {Packet} run @param {number} [temperature] */
const needsVectors = (stop, run, temperature = 1) =>
  stop.level === 2 || (!run.arrays[stop.array]) || (stop.key === 'softmax' && temperature !== 1 && !run.arrays.scores);

/**
 * The numbers of a stop; null while the vectors of its layer are not there.
 * @param {Stop} stop
 * @param {Packet} run
 * @param {Packet | null} vectors
 * @param {Chosen} chosen
 * @returns {Numbers | null}
 */
export function numbersOf(stop, run, vectors, chosen) {
  const { layer, head, temperature = 1 } = chosen;
  const { tokens, rows, model } = run.about;
  if (needsVectors(stop, run, temperature) && !vectors) return null;
  const grid = stop.shape === 'grid', share = stop.parts === 'share';
  const columns = grid ? tokens.length : stop.own ? model.d_head : model.d_model;
  const values = new Float32Array(rows.length * columns);
  const shut = stop.key === 'mask' || share ? new Uint8Array(values.length) : null;
  rows.forEach((position, i) => {
    values.set(one(position, i), i * columns);
    if (shut) shut.set(closed(position, i), i * columns);
  });
  const parts = share && values.some(value => value < 0) ? 'signed' : stop.parts;
  return { rows, columns, values, names: grid ? namesOf(tokens) : null, shut, within: off(), parts };

  /** How far a number of this stop may be from the run's own. */
  function off() {
    if (!grid) return half(/** @type {Packet} */ (vectors).arrays[stop.array]);
    if (share) return half(run.arrays.weights);
    const made = vectors && (stop.key === 'scores' ? !vectors.arrays.products : !run.arrays.scores);
    return made ? apartOf(vectors, head, model.d_head) / (stop.key === 'scores' ? 1 : divisorOf(run, vectors)) : 0;
  }

  /** Why tokens are not looked at; one that has a share all the same is. @param {number} position @param {number} i */
  function closed(position, i) {
    const why = (run.arrays.scores && maskedOf(run, null, chosen, i)?.shut) || barred(run, layer, position);
    const seen = (/** @type {number} */ j) => Math.abs(values[i * columns + j]) > 0;
    return share ? why.map((reason, j) => (seen(j) ? 0 : reason)) : why;
  }

  /** The shares of a row as they were sent; of what was rounded to nothing, or to all, what its scores say. @param {number} position @param {number} i */
  function told(position, i) {
    const { weights } = run.arrays, sent = row(weights, layer, head, i), round = (/** @type {number} */ share) => share === 0 || share === 1;
    if (weights.type === 'f32' || run.about.edits || !sent.some(round)) return sent;
    const alone = barred(run, layer, position).filter(why => !why).length === 1, behind = maskedOf(run, vectors, chosen, i);
    if (alone) return sent;
    const made = behind && softmax(behind.values).shares;
    return sent.map((share, j) => (!round(share) ? share : made ? made[j] : share && share - half(weights)));
  }

  /** @param {number} position @param {number} i @returns {ArrayLike<number>} */
  function one(position, i) {
    if (stop.key === 'scores') return productsOf(run, /** @type {Packet} */ (vectors), head, position);
    if (!grid) {
      const from = /** @type {Packet} */ (vectors).arrays[stop.array];
      return stop.own ? row(from, head, position) : row(from, position);
    }
    if (stop.key === 'softmax' && temperature === 1) return told(position, i);
    const none = new Float32Array(columns).fill(NaN);
    if (stop.key === 'scaled') return scoresOf(run, vectors, chosen, i) ?? none;
    const masked = maskedOf(run, vectors, chosen, i)?.values ?? none;
    return stop.key === 'softmax' ? softmax(masked, temperature).shares : masked;
  }
}

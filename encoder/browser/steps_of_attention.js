// @ts-check
// The stops of one head of attention (paper, sections 3.2.1 and 3.2.2), as data. No page, no canvas.

/**
 * One stop on the way through a head. `step` is its name within a layer of a trace, `level` the packet that holds it and
 * `array` its name there. A `grid` has the shape [tokens, tokens], a `strip` [tokens, dimensions]; `own` tells whether
 * each head has one of its own. `group` is what it is for, with those beside it. `parts` tells what a number is: a share from 0 to 1, or of either sign.
 * @typedef {object} Stop
 * @property {string} key
 * @property {string} group
 * @property {string} word what it does, for the rail
 * @property {string} label its symbol in the formula
 * @property {string} step
 * @property {1 | 2} level
 * @property {string} array
 * @property {'grid' | 'strip'} shape
 * @property {boolean} own
 * @property {'share' | 'signed'} parts
 * @property {string} called what its numbers are, before the name of a token
 * @property {string} title at most ten words
 * @property {string} what one sentence of at most 25 words
 * @property {string} formula
 * @property {string} [bias] what is added where the model has it
 */

/** @type {readonly Stop[]} */
export const STOPS = [
  {
    key: 'x', group: 'ask and offer', word: 'input', label: 'x', step: 'attention.input', level: 2, array: 'x', shape: 'strip', own: false, parts: 'signed', called: 'the input x of',
    title: 'What comes in: one vector for each token',
    what: 'Each token comes in as a row of numbers: its embedding, as the steps before this one have changed it.',
    formula: 'x: one row of d numbers for each token',
  },
  {
    key: 'q', group: 'ask and offer', word: 'query', label: 'Q', step: 'attention.q', level: 2, array: 'q', shape: 'strip', own: true, parts: 'signed', called: 'the query of',
    title: 'What each token asks for',
    what: 'A learned matrix turns each row of x into a query: what this token asks of the others.',
    formula: 'Q = x W_Q', bias: 'b_Q',
  },
  {
    key: 'k', group: 'ask and offer', word: 'key', label: 'K', step: 'attention.k', level: 2, array: 'k', shape: 'strip', own: true, parts: 'signed', called: 'the key of',
    title: 'What each token can be found by',
    what: 'A second matrix turns each row of x into a key: what others\' queries are compared with.',
    formula: 'K = x W_K', bias: 'b_K',
  },
  {
    key: 'v', group: 'ask and offer', word: 'value', label: 'V', step: 'attention.v', level: 2, array: 'v', shape: 'strip', own: true, parts: 'signed', called: 'the value of',
    title: 'What each token hands over',
    what: 'A third matrix turns each row of x into a value: what a token hands over when it is looked at.',
    formula: 'V = x W_V', bias: 'b_V',
  },
  {
    key: 'scores', group: 'compare', word: 'score', label: 'QKᵀ', step: 'attention.scores', level: 2, array: 'products', shape: 'grid', own: true, parts: 'signed', called: 'the score of',
    title: 'Each query times each key',
    what: 'Every query meets every key: number times number, all added up. A large score means that the two fit.',
    formula: 'score = q₀ k₀ + q₁ k₁ + … ',
  },
  {
    key: 'scaled', group: 'compare', word: 'scale', label: '÷ √d', step: 'attention.scaled', level: 1, array: 'scores', shape: 'grid', own: true, parts: 'signed', called: 'the score of',
    title: 'Each score divided by the root of the head\'s size',
    what: 'Vectors with more numbers give larger scores; dividing by the root of their size keeps softmax from being too sure.',
    formula: 'score / √d_head',
  },
  {
    key: 'mask', group: 'share out', word: 'hide', label: 'mask', step: 'attention.masked', level: 1, array: 'scores', shape: 'grid', own: true, parts: 'signed', called: 'the score of',
    title: 'What is masked is not looked at',
    what: 'What may not be looked at gets minus infinity, or close to it, so that its share becomes 0. All other scores stay.',
    formula: 'masked: −∞, otherwise: the score',
  },
  {
    key: 'softmax', group: 'share out', word: 'share', label: 'softmax', step: 'attention.weights', level: 1, array: 'weights', shape: 'grid', own: true, parts: 'share', called: 'the share of',
    title: 'Softmax: turn scores into shares',
    what: 'Each row becomes shares that add up to 100 %: how a token divides its attention.',
    formula: 'e^x / sum of e^x in the row',
  },
  {
    key: 'mixed', group: 'collect', word: 'mix', label: '× V', step: 'attention.heads', level: 2, array: 'mixed', shape: 'strip', own: true, parts: 'signed', called: 'what this head takes for',
    title: 'The values, mixed by their shares',
    what: 'Each token takes the values of all tokens, each times its share, and adds them up.',
    formula: 'Z = share₀ v₀ + share₁ v₁ + …',
  },
  {
    key: 'concat', group: 'collect', word: 'join', label: 'concat', step: 'attention.concat', level: 2, array: 'concat', shape: 'strip', own: false, parts: 'signed', called: 'what all heads take for',
    title: 'The mixtures of all heads, side by side',
    what: 'The mixtures of all heads of this layer stand side by side, one row for each token.',
    formula: 'concat = Z of head 0, Z of head 1, …',
  },
  {
    key: 'output', group: 'collect', word: 'write', label: 'W_O', step: 'attention.output', level: 2, array: 'output', shape: 'strip', own: false, parts: 'signed', called: 'what attention adds to',
    title: 'What attention adds to each token',
    what: 'One more matrix blends the heads. The result is added to what came into the layer: this is all that attention does.',
    formula: 'output = concat W_O', bias: 'b_O',
  },
];

export const FIRST = 'attention.weights'; // what the page opens with

/** The place on the rail of a step's name; of softmax where it is no stop. @param {string} step */
export function stopOf(step) {
  const found = STOPS.findIndex(stop => stop.step === step || stop.key === step);
  return found < 0 ? STOPS.findIndex(stop => stop.step === FIRST) : found;
}

/**
 * The name of a stop on the rail, with what this model's scores are divided by, whether the distance adds to them, and what all that is masked is, "" for several things.
 * @param {Stop} stop @param {number} divisor @param {boolean} [distance] @param {string} [masked]
 */
export function labelOf(stop, divisor, distance = false, masked = '') {
  if (stop.key === 'mask') return `${masked} mask`.trim();
  return stop.key === 'scaled' ? `${Number.isInteger(divisor) ? `÷ ${divisor}` : stop.label}${distance ? ' + distance' : ''}` : stop.label;
}

/**
 * A place in a stop: which row, and which column of it.
 * @typedef {{row: number, column: number}} Place
 */

/**
 * A cell as an address spells it: "layers.5.attention.weights:6,6,2".
 * @param {Stop} stop @param {number} layer @param {number} head @param {Place} place
 */
export const cellOf = (stop, layer, head, { row, column }) =>
  `layers.${layer}.${stop.step}:${(stop.own ? [head, row, column] : [row, column]).join(',')}`;

/**
 * What a cell of an address means here: its stop, layer, head and place; null where it is no number of a stop.
 * @param {string} cell
 * @returns {{stop: number, layer: number, head: number | null, place: Place} | null}
 */
export function readCell(cell) {
  const [, layer, step, index] = /^layers\.(\d+)\.([a-z_.]+):(\d+(?:,\d+)*)$/.exec(cell) ?? [];
  const stop = STOPS.findIndex(one => one.step === step);
  const numbers = (index ?? '').split(',').map(Number);
  if (stop < 0 || numbers.length !== (STOPS[stop].own ? 3 : 2)) return null;
  const [row, column] = numbers.slice(-2);
  return { stop, layer: Number(layer), head: STOPS[stop].own ? numbers[0] : null, place: { row, column } };
}

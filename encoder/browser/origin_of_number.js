// @ts-check
// What a number was made of, from the packets that a file holds: what the app asks the server for (level 9), where there is none.
// Matrices stay in the model: of a product with one, the operands are the largest numbers that went in.
import { ACTIVATIONS, aboutBlock, ADDS, momentsOf, normOf, operandsOf, readBy, vectorOf, withinOf } from './block.js';
import { short, sure, typeset } from './number.js';
import { at, row } from './packet.js';
import { digitsOf, largest } from './row.js';
import { aboutOf } from './embedding_math.js';
import { divisorOf, half, maskedOf, meeting, productsOf, scoresOf, softmax } from './number_strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Place} Place */
/** @typedef {import('./drawer.js').NumberAbout} NumberAbout */
/** Numbers of a step along its last axis but one that is fixed; each may be off by `within`. @typedef {{values: ArrayLike<number>, within: number}} Vector */
/** What is found of a number: the arithmetic of the same again, its operands, and of a sum its terms. @typedef {{words: string, formula: string, again?: number, within?: number, operands?: Place[], terms?: {values: number[], lines: [string, (number | null)[], ArrayLike<number>][], names: string[]}}} Found */

const MOST = 500, LARGEST = 6; // terms; numbers that went into a product with a matrix
const ROUNDING = 1e-5; // of a number that is done again from many
const NONE = 'This file does not hold where this number comes from: the app does.';
/** What the numbers of a step are called, as the app calls them. @type {Record<string, string>} */
const TITLES = {
  'embedding.tokens': 'Token embedding', 'embedding.scaled': 'Scaled embedding', 'embedding.positions': 'Positional encoding', 'embedding.output': 'Input of the first layer',
  'attention.input': 'Input of attention', 'attention.q': 'Queries', 'attention.k': 'Keys', 'attention.v': 'Values', 'attention.scores': 'Scores', 'attention.scaled': 'Scaled scores',
  'attention.masked': 'Masked scores', 'attention.weights': 'Attention weights', 'attention.heads': 'Weighted values', 'attention.concat': 'Concatenated heads', 'attention.output': 'Output of attention',
  'feed_forward.hidden': 'Hidden units before activation', 'feed_forward.activation': 'Activation', 'feed_forward.gated': 'Gated units', 'feed_forward.output': 'Output of feed-forward', output: 'Output of the layer',
  ...Object.fromEntries([1, 2].flatMap(n => [['residual', 'Residual'], ['sum', 'Add'], ['output', 'Scaled and shifted']].map(([name, title]) => [`add_norm_${n}.${name}`, `${n === 1 ? 'Attention' : 'Feed-forward'}: ${title}`]))),
};
const GRIDS = ['attention.scores', 'attention.scaled', 'attention.masked', 'attention.weights'], OF_HEAD = [...GRIDS, 'attention.q', 'attention.k', 'attention.v', 'attention.heads'];

/** A number behind a sign of its own. @param {number} value */
const signed = value => (value < 0 ? `(${short(value)})` : short(value));

/** What stands in one place of a name: its layer, -1 for none, and its name there. @param {string} step @returns {[number, string]} */
function named(step) {
  const [, layer = -1, name = step] = /^layers\.(\d+)\.(.+)$/.exec(step) ?? [];
  return [Number(layer), name];
}

/**
 * The packet of level 9 of a number, made here.
 * @param {Packet} run
 * @param {import('./mount.js').Context['part']} part gives the packets that the file holds
 * @param {Place} place
 * @returns {Promise<Packet>} rejects where the file does not hold what the number was made of
 */
export async function originOf(run, part, { step, index }) {
  const [layer, name] = named(step), { tokens, rows, model } = run.about, width = model.d_model;
  if (!TITLES[name] || index.length !== (OF_HEAD.includes(name) ? 3 : 2)) throw new Error(NONE);
  const row_ = OF_HEAD.includes(name) ? index[1] : index[0], column = index[index.length - 1], head = index[0], kept = rows.indexOf(row_);
  const chosen = { layer, head }, inLayer = (/** @type {string} */ other, of = layer) => `layers.${of}.${other}`;
  const token = (/** @type {number} */ position) => `“${tokens[position]}” (${position})`;
  const vectors = (/** @type {number} */ of) => part(2, of), block = (/** @type {number} */ of) => part(3, of);

  /** Where a place is, in words. @param {Place} of */
  function said({ step: other, index: at_ }) {
    const [of, local] = named(other), grid = GRIDS.includes(local);
    return [TITLES[local] ?? other, ...(of < 0 ? [] : [`${OF_HEAD.includes(local) ? `head ${at_[0]} of ` : ''}layer ${of}`]),
      ...(grid ? [] : [`${/^feed_forward\.(hidden|activation|gated)/.test(local) ? 'unit' : 'dimension'} ${at_[at_.length - 1]}`]), grid ? `${token(at_[1])} → ${token(at_[2])}` : token(at_[at_.length - 2])].join(', ');
  }

  /** A token's numbers in a step. @param {string} other @param {number[]} before what stands before its last axis @returns {Promise<Vector>} */
  async function vector(other, before) {
    const [of, local] = named(other), position = before[before.length - 1], i = rows.indexOf(position);
    if (of < 0) {
      const packet = await part(4, null), { arrays } = packet, from = arrays[local.slice('embedding.'.length)] ?? (local === 'embedding.scaled' ? arrays.tokens : undefined), at_ = aboutOf(packet).rows.indexOf(position);
      if (!from || at_ < 0) throw new Error(NONE);
      return { values: row(from, at_), within: half(from) };
    }
    if (local.startsWith('attention.')) {
      const key = local.slice('attention.'.length), chosen_ = { layer: of, head: before[0] };
      if (key === 'weights' && i >= 0) return { values: row(run.arrays.weights, of, before[0], i), within: half(run.arrays.weights) };
      const there = await vectors(of), { arrays } = there;
      if (['scaled', 'masked'].includes(key)) {
        const values = i < 0 ? null : key === 'scaled' ? scoresOf(run, there, chosen_, i) : maskedOf(run, there, chosen_, i)?.values;
        if (values) return { values, within: run.arrays.scores ? 0 : 1e-3 };
      } else if (key === 'scores') return { values: productsOf(run, there, before[0], position), within: arrays.products ? 0 : 1e-3 };
      else {
        const from = arrays[{ input: 'x', heads: 'mixed' }[key] ?? key];
        if (from) return { values: row(from, ...before), within: half(from) };
      }
    } else {
      const there = await block(of), at_ = aboutBlock(there).rows.indexOf(position), [, number, key = ''] = /^add_norm_([12])\.(\w+)$/.exec(local) ?? [];
      const [sum, array] = number ? [Number(number) - 1, { output: 'normed' }[key] ?? key] : local === 'output' ? [1, aboutBlock(there).pre_norm ? 'sum' : 'normed'] : [-1, local.slice('feed_forward.'.length)];
      if (at_ >= 0 && (sum >= 0 || array === 'output')) return { values: vectorOf(there, sum < 0 ? 'added' : array, Math.abs(sum), at_), within: withinOf(there, sum < 0 ? 'added' : array, Math.abs(sum), at_) };
      if (at_ >= 0 && there.arrays[array]) return { values: row(there.arrays[array], at_).map(value => value * at(there.arrays[`${array}_peak`], at_)), within: there.arrays[array].scale / 2 * at(there.arrays[`${array}_peak`], at_) };
    }
    throw new Error(NONE);
  }
  const number = async (/** @type {Place} */ of) => { const { values, within } = await vector(of.step, of.index.slice(0, -1)); return { value: values[of.index[of.index.length - 1]], within }; };

  /** It is the same number, somewhere else. @param {Place} of @param {string} words @returns {Promise<Found>} */
  const same = async (of, words) => ({ words, formula: short((await number(of)).value), again: (await number(of)).value, within: (await number(of)).within, operands: [of] });
  /** A product with a matrix, which is not here. @param {string} from @param {number[]} before @param {string} matrix @returns {Promise<Found>} */
  const product = async (from, before, matrix) => ({
    words: `The token\'s vector times one column of ${matrix}, number by number, added up. ${matrix} was learned and stays in the model: this file does not hold it. Here are the largest numbers that went in.`,
    formula: matrix, operands: largest((await vector(from, before)).values).slice(0, LARGEST).map(d => ({ step: from, index: [...before, d] })),
  });
  /** What leaves a layer, or the embedding. @param {number} of @returns {Place} */
  const leaves = of => ({ step: of < 0 ? 'embedding.output' : inLayer('output', of), index: [row_, column] });
  /** Two numbers added. @param {Place} one @param {Place} other @returns {Promise<Found>} */
  const added = async (one, other) => {
    const [a, b] = await Promise.all([one, other].map(number));
    return { words: 'The numbers at the same place are added.', formula: `${short(a.value)} + ${signed(b.value)}`, again: a.value + b.value, within: a.within + b.within, operands: [one, other] };
  };

  /** @returns {Promise<Found>} */
  async function found() {
    const here = { step, index }, part_ = name.split('.')[0];
    const other = (/** @type {string} */ local, /** @type {number[]} */ at_ = index) => ({ step: inLayer(local), index: at_ });
    if (layer < 0) {
      const packet = await part(4, null), { arrays } = packet, { factor, ids } = aboutOf(packet), i = aboutOf(packet).rows.indexOf(row_);
      const [tokens_, scaled, places] = ['tokens', 'scaled', 'positions'].map(one => ({ step: `embedding.${one}`, index }));
      if (name === 'embedding.tokens') return { words: `Row ${ids[i]} of the table of embeddings, which was learned. Nothing comes before it: this is where the number comes from.`, formula: short((await number(here)).value) };
      if (name === 'embedding.positions') return { words: 'A number of the token\'s position alone, the same in every sentence.', formula: short((await number(here)).value) };
      if (name === 'embedding.scaled') { const one = await number(tokens_); return { words: 'The number is multiplied by the square root of d_model.', formula: `${short(one.value)} · ${short(factor ?? 1)}`, again: one.value * (factor ?? 1), within: one.within * (factor ?? 1), operands: [tokens_] }; }
      if (arrays.sum || arrays.gamma) throw new Error(NONE);
      return added(factor === null ? tokens_ : scaled, places);
    }
    if (part_ === 'attention') {
      const there = await vectors(layer), { reads } = /** @type {{reads?: string}} */ (there.about);
      if (name === 'attention.input') return same(reads === 'norm' ? other('add_norm_1.output') : leaves(layer - 1), 'The number is passed on unchanged.');
      const matrix = { 'attention.q': 'W_Q', 'attention.k': 'W_K', 'attention.v': 'W_V' }[name];
      if (matrix) return product(inLayer('attention.input'), [row_], matrix);
      if (name === 'attention.scores') {
        const { q, k } = meeting(there), [query, key] = [row(q, head, row_), row(k, head, column)];
        const size = query.reduce((sum, one, d) => sum + half(q) * Math.abs(key[d]) + half(k) * Math.abs(one), 0);
        const turned = q !== there.arrays.q, lines = /** @type {[string, (number | null)[], ArrayLike<number>][]} */ (turned ? [] : [[inLayer('attention.q'), [head, row_, null], query], [inLayer('attention.k'), [head, column, null], key]]);
        return { words: 'The query of the row times the key of the column, number by number, added up.', formula: 'q · k', within: size, terms: { values: Array.from(query, (one, d) => one * key[d]), lines, names: Array.from(query, (_, d) => String(d)) } };
      }
      if (name === 'attention.scaled') {
        const divisor = divisorOf(run, there), before = await number(other('attention.scores')), apart = /** @type {{distance?: boolean}} */ (there.about).distance;
        return { words: apart ? 'The score is divided by the square root of d_head, and a number for the distance of the two tokens is added.' : 'The score is divided by the square root of d_head.', formula: `${short(before.value)} / ${short(divisor)}`, ...(apart ? {} : { again: before.value / divisor, within: before.within }), operands: [other('attention.scores')] };
      }
      if (name === 'attention.masked') {
        const masked = maskedOf(run, there, chosen, kept);
        if (!masked?.shut[column]) return same(other('attention.scaled'), 'This key is not masked: the score is kept.');
        return { words: 'This key is masked: the score is replaced, so that its share becomes 0.', formula: short(masked.values[column]), operands: [other('attention.scaled')] };
      }
      if (name === 'attention.weights') {
        const { values, within } = await vector(inLayer('attention.masked'), [head, row_]), { powers, sum, shares, most } = softmax(values);
        return {
          words: 'e to the power of the number, divided by the sum of the same over the whole row. The row\'s largest number is subtracted from all of them first, which changes nothing and keeps the powers small. The terms are those of the sum.',
          formula: `e^(${short(values[column])} − ${signed(most)}) / ${short(sum)}`, again: shares[column], within: half(run.arrays.weights) + 2 * within, operands: [other('attention.masked')],
          terms: { values: [...powers], lines: [[inLayer('attention.masked'), [head, row_, null], values]], names: tokens.map((one, j) => `${j} ${one}`) },
        };
      }
      if (name === 'attention.heads') {
        const [{ values: shares, within }, own] = [await vector(inLayer('attention.weights'), [head, row_]), there.arrays.v], values = tokens.map((_, j) => at(own, head, j, column));
        return {
          words: 'Every token\'s value times the weight it gets from this token, added up.', formula: 'share · v', within: half(own) + values.reduce((sum, one) => sum + within * Math.abs(one), 0),
          terms: { values: values.map((one, j) => shares[j] * one), lines: [[inLayer('attention.weights'), [head, row_, null], shares], [inLayer('attention.v'), [head, null, column], values]], names: tokens.map((one, j) => `${j} ${one}`) },
        };
      }
      const size = model.d_head, of = Math.floor(column / size);
      if (name === 'attention.concat') return same(other('attention.heads', [of, row_, column % size]), `Column ${column} is column ${column % size} of head ${of}, put in its place.`);
      return product(inLayer('attention.concat'), [row_], 'W_O');
    }
    const there = await block(layer), { pre_norm: before, units } = aboutBlock(there);
    if (name === 'output') return same(other(before ? 'add_norm_2.sum' : 'add_norm_2.output'), 'The number is passed on unchanged.');
    if (part_ === 'feed_forward') {
      if (name === 'feed_forward.hidden') return product(inLayer(before ? 'add_norm_2.output' : 'add_norm_1.output'), [row_], 'W_1');
      if (name === 'feed_forward.output') return product(inLayer(units.gated ? 'feed_forward.gated' : 'feed_forward.activation'), [row_], 'W_2');
      const hidden = other('feed_forward.hidden'), x = await number(hidden);
      if (name === 'feed_forward.activation') return { words: units.cuts ? 'Above zero the number is kept, below zero it becomes zero.' : `${units.title} of the number.`, formula: `${units.title}(${short(x.value)})`, again: ACTIVATIONS[units.activation](x.value), within: 1.2 * x.within, operands: [hidden] };
      throw new Error(NONE);
    }
    const sum = Number(part_.slice(-1)) - 1, sublayer = other(`${ADDS[sum].replace('-', '_')}.output`);
    if (name.endsWith('.residual')) return same(sum ? other(before ? 'add_norm_1.sum' : 'add_norm_1.output') : leaves(layer - 1), 'The number is passed on unchanged.');
    if (name.endsWith('.sum')) return added(other(`${part_}.residual`), sublayer);
    const from = other(`${part_}.${readBy(there)}`), x = await number(from), { kind, eps, mean, variance, gamma, beta } = operandsOf(there, sum, row_, column);
    if (normOf(there, sum).kind === 'none') return same(from, 'This model has no norm here: the number is passed on unchanged.');
    const spread = kind === 'std_norm' ? Math.sqrt(variance) + eps : Math.sqrt(variance + eps), shift = Number.isNaN(beta) ? 0 : beta, { length } = momentsOf(there, readBy(there), sum, row_);
    return {
      words: `${kind === 'rms_norm' ? 'The number is divided by the root of the mean square of the token\'s numbers' : 'The mean of the token\'s numbers is subtracted, and the rest is divided by their spread'}; then it is multiplied by the gamma of its dimension${shift === 0 && Number.isNaN(beta) ? '' : ', plus the dimension\'s beta'}. The vector\'s length before it is ${short(length)}.`,
      formula: `(${short(x.value)} − ${signed(mean)}) / ${short(spread)} · ${signed(gamma)} + ${signed(shift)}`, again: (x.value - mean) / spread * gamma + shift, within: x.within / spread * Math.abs(gamma), operands: [from],
    };
  }

  const [own, told] = [await number({ step, index }), await found()], { terms } = told, sum = terms && name !== 'attention.weights' ? terms.values.reduce((all, one) => all + one, 0) : told.again;
  const order = terms ? largest(terms.values).slice(0, MOST) : [], within = own.within + (told.within ?? 0) + ROUNDING * (1 + Math.abs(own.value));
  const digits = sum === undefined ? 0 : digitsOf(sum, own.value), agrees = sum === undefined || Math.abs(sum - own.value) <= within || sum === own.value;
  const why = run.about.edits ? 'this run was changed on the way' : 'this model does more on the way than this shows';
  const operands = await Promise.all((told.operands ?? []).map(async one => ({ ...one, place: said(one), value: await number(one).then(({ value, within: off }) => sure(value, off, 4), () => 'not in this file') })));
  let running = 0;
  /** @param {ArrayLike<number>} values @returns {import('./packet.js').Numbers} */
  const array = values => ({ type: 'f32', scale: 1, shape: [values.length], values: Float32Array.from(values) });
  return /** @type {Packet} */ (/** @type {unknown} */ ({
    level: 9,
    about: {
      step, index, place: said({ step, index }), words: told.words, formula: `<math xmlns="http://www.w3.org/1998/Math/MathML"><mtext>${typeset(told.formula).replace(/[<&]/g, '')}</mtext></math>`, recorded: sure(own.value, own.within, 4), edited: '', operands,
      check: sum === undefined ? {} : { again: sure(sum, within, 7), recorded: sure(own.value, own.within, 7), agrees: agrees ? (digits ? `They agree to ${digits} ${digits === 1 ? 'digit' : 'digits'}.` : 'They agree as far as they were kept.') : `They do not agree: ${why}.` },
      ...(terms ? { terms: terms.values.length, names: order.map(k => terms.names[k]), lines: terms.lines.map(([line, at_]) => [line, at_]) } : {}),
    },
    arrays: terms ? {
      places: array(order), values: array(order.map(k => terms.values[k])), running: array(order.map(k => (running += terms.values[k]))),
      ...Object.fromEntries(terms.lines.map(([, , values], i) => [`line_${i}`, array(order.map(k => values[k]))])),
    } : {},
  }));
}

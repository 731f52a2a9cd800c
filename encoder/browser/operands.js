// @ts-check
// What a number of Attention was made of: the rows that went in, the row that came out, and the sum that leads from the one to the other. No page.
import { brief, percent, sure, tight, typeset } from './number.js';
import { at, row } from './packet.js';
import { largest, product } from './row.js';
import { calledToken } from './run.js';
import { divisorOf, maskedOf, meeting, namesOf, productsOf, scoresOf, SHUT, softmax } from './number_strips.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./steps_of_attention.js').Stop} Stop */
/** @typedef {import('./steps_of_attention.js').Place} Place */
/** @typedef {import('./number_strips.js').Chosen} Chosen */
/** @typedef {import('./number_strips.js').Numbers} Numbers */
/** A row of numbers: `share` is the part of it that is taken, `shut` tells what is not looked at. @typedef {{name: string, values: ArrayLike<number>, parts: 'share' | 'signed', share?: number, shut?: Uint8Array | null}} Strip */
/** A line of a sum: `how` its value was made, and `text`, as it is written. @typedef {{name: string, value: number, how: string, text: string}} Line */
/**
 * How it is drawn: a row `comes`; a product with a `matrix`, or of two rows (`dot`), whose terms go into one number; a row that is `scaled`, `masked`, or divided into `shares`;
 * rows that are `mixed` by their shares; rows that are `joined`.
 * @typedef {'comes' | 'matrix' | 'dot' | 'scaled' | 'masked' | 'shares' | 'mixed' | 'joined'} Kind
 */
/**
 * `strips` from the top down, the last of them the result, whose number is at `chosen`. `terms` stand where the numbers of the strip above do, NaN where they were not sent; null where they are not known.
 * `own` is the strip of the head itself, `names` are those of the columns where they are tokens. `lines` add up to `total`, which has so many `places` behind the point. `near`: as they are written they miss it by a last digit. `proof` says that this was done again, where it is not the table of the row that does.
 * @typedef {{kind: Kind, strips: Strip[], chosen: number, own: number, names: string[] | null, terms: ArrayLike<number> | null, lines: Line[], total: Line, places: number, near: boolean, note: string, proof?: string}} Operands
 */
/** @typedef {Pick<Operands, 'kind' | 'strips' | 'lines' | 'total'> & Partial<Operands>} Made */
/** @typedef {{stop: Stop, run: Packet, vectors: Packet, chosen: Chosen, numbers: Numbers, i: number, column: number, position: number, names: string[], mine: Float32Array, value: number, origin: Packet | null}} Asked */

const MOST = 4; // terms, and values, that are told one by one
/** What goes in, the matrix, and what comes out. @type {Record<string, [from: string, matrix: string, out: string]>} */
const MATRICES = { q: ['x', 'W_Q', 'Q'], k: ['x', 'W_K', 'K'], v: ['x', 'W_V', 'V'], output: ['concat', 'W_O', 'output'] };
const READS = /** @type {Record<string, string>} */ ({ norm: 'what the norm before attention made of its input', embedding: 'what the embedding gave' });

/** @param {number} value */
const figure = value => (value && Math.abs(value) < 1e-3 ? placed(value, 5) : typeset(sure(value, 0)));
/** @param {string} name @param {number} value @param {string} [how] @param {string} [text] @returns {Line} */
const line = (name, value, how = '', text = '') => ({ name, value, how, text });
/** @param {number} value */
const share = value => tight(percent(value, value ? 1 : undefined));
/** @param {string} name @param {ArrayLike<number>} values @param {Partial<Strip>} [more] @returns {Strip} */
const strip = (name, values, more = {}) => ({ name, values, parts: 'signed', ...more });

/** A number with so many places behind the point. @param {number} value @param {number} places */
export const placed = (value, places) => (Number.isFinite(value) ? typeset(value.toFixed(places)).replace(/^−(0\.?0*)$/, '$1') : typeset(brief(value)));

/**
 * What stands beside the picture of a stop; null while the vectors of its layer are not there.
 * @param {Stop} stop @param {Packet} run @param {Packet | null} vectors of its layer @param {Chosen} chosen @param {Numbers} numbers of the stop
 * @param {Place} place `row` counts the rows that the run keeps @param {Packet | null} [origin] of a product with a matrix: what the number was made of, level 9
 * @returns {Operands | null}
 */
export function operandsOf(stop, run, vectors, chosen, numbers, { row: i, column }, origin = null) {
  if (!vectors) return null;
  const mine = numbers.values.subarray(i * numbers.columns, (i + 1) * numbers.columns);
  const found = OF[stop.key]({ stop, run, vectors, chosen, numbers, i, column, position: run.about.rows[i], names: namesOf(run.about.tokens), mine, value: mine[column], origin });
  // All have as many places as the largest of them needs, so that they add up as they stand.
  const size = [...found.lines, found.total].reduce((most, one) => (!one.text && Number.isFinite(one.value) ? Math.max(most, Math.abs(one.value)) : most), 0), places = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(size || 1))));
  const written = (/** @type {Line} */ one) => ({ ...one, text: one.text || placed(one.value, places) });
  const near = found.lines.length > 0 && ![...found.lines, found.total].some(one => one.text) && found.lines.reduce((sum, one) => sum + Number(one.value.toFixed(places)), 0).toFixed(places) !== found.total.value.toFixed(places);
  return { chosen: column, own: -1, names: null, terms: null, note: '', ...found, places, near, lines: found.lines.map(written), total: written(found.total) };
}

/** @type {Record<string, (asked: Asked) => Made>} */
const OF = { x: comes, q: byMatrix, k: byMatrix, v: byMatrix, scores: dot, scaled, mask: masked, softmax: shares, mixed, concat: joined, output: byMatrix };

/** The lines of the largest terms, and one for all that is left of the sum. @param {Line[]} lines @param {number} count @param {number} whole @param {string} [also] */
const summed = (lines, count, whole, also = '') => {
  const more = [count > lines.length ? `${count - lines.length} more` : '', also].filter(Boolean).join(' and ');
  return more ? [...lines, line(more, whole - lines.reduce((sum, one) => sum + one.value, 0))] : lines;
};

/** @param {Asked} asked @returns {Made} */
function comes({ vectors, position, names, mine, column, value, chosen }) {
  const { reads = '' } = /** @type {{reads?: string}} */ (vectors.about);
  return { kind: 'comes', strips: [strip(`x of ${names[position]}`, mine)], lines: [], total: line(`number ${column} of x`, value), note: `It is ${READS[reads] ?? `what layer ${chosen.layer - 1} gave`}.` };
}

/** @param {Asked} asked @returns {Made} */
function byMatrix({ stop, run, vectors, mine, value, origin, position, names, column }) {
  const [read, matrix, out] = MATRICES[stop.key], from = row(vectors.arrays[read], position), size = run.about.model.d_head, sent = origin?.arrays.values;
  const about = /** @type {import('./drawer.js').NumberAbout | null} */ (/** @type {unknown} */ (origin?.about ?? null)), terms = sent ? new Float32Array(from.length).fill(NaN) : null;
  const told = (sent ? Array.from(sent.values, (_, k) => k) : []).map(k => {
    const { places, values, line_0: numbers, line_1: weights } = /** @type {Packet} */ (origin).arrays, place = at(places, k);
    if (terms) terms[place] = at(values, k);
    return k < MOST ? [line(`number ${place}${read === 'concat' ? `, head ${Math.floor(place / size)}` : ` of ${read}`}`, at(values, k), `${figure(at(numbers, k))} × ${figure(at(weights, k))}`)] : [];
  }).flat();
  return {
    kind: 'matrix', terms, lines: terms ? summed(told, about?.terms ?? 0, value, about?.operands.length ? 'the bias' : '') : [], total: line(`number ${column} of ${out}`, value),
    strips: [[read, from], [out, mine]].map(([name, values]) => strip(stop.own ? `${name} of ${names[position]}` : String(name), /** @type {Float32Array} */ (values))), proof: terms ? about?.check.agrees ?? '' : '',
    note: origin && !terms ? `A sum over all numbers of ${read}, each times one of ${matrix}, which stays in the model.` : '',
  };
}

/** @param {Asked} asked @returns {Made} */
function dot({ run, vectors, chosen, column, position, value, names }) {
  const { q, k } = meeting(vectors), turned = q === vectors.arrays.q ? '' : ', turned', query = row(q, chosen.head, position), key = row(k, chosen.head, column), terms = query.map((one, d) => one * key[d]);
  const lines = largest(terms).slice(0, MOST).map(d => line(`number ${d}`, terms[d], `${figure(query[d])} × ${figure(key[d])}`));
  const apart = divisorOf(run, vectors) ** 2 > query.length + 1e-6, whole = product(query, key); // scores of the distance are added
  return {
    kind: 'dot', terms, ...(apart ? { proof: '' } : {}), total: line(`${names[position]} → ${names[column]}`, value),
    lines: [...summed(lines, terms.length, apart ? whole : value), ...(apart ? [line('for the distance', value - whole)] : [])],
    strips: [strip(`q of ${names[position]}${turned}`, query), strip(`k of ${names[column]}${turned}`, key), strip('q × k', terms)],
  };
}

/** @param {Asked} asked @returns {Made} */
function scaled({ run, vectors, chosen, column, position, mine, value, names }) {
  const before = productsOf(run, vectors, chosen.head, position), divisor = divisorOf(run, vectors), by = `÷ ${brief(divisor)}`, quotients = before.map(one => one / divisor);
  const apart = /** @type {{distance?: boolean}} */ (vectors.about).distance;
  return {
    kind: 'scaled', names, lines: [line('score', before[column], '', figure(before[column])), ...(apart ? [line(by, quotients[column]), line('for the distance', value - quotients[column])] : [])], total: line(apart ? 'both' : by, value),
    strips: [strip('scores', before), ...(apart ? [strip(by, quotients)] : []), strip(apart ? '+ distance' : by, mine)],
  };
}

/** @param {Asked} asked @returns {Made} */
function masked({ run, vectors, chosen, i, column, mine, value, numbers, names }) {
  const before = scoresOf(run, vectors, chosen, i) ?? mine, shut = numbers.shut?.subarray(i * numbers.columns, (i + 1) * numbers.columns) ?? null;
  return { kind: 'masked', names, lines: [line('score', before[column], '', figure(before[column]))], total: line(shut?.[column] ? SHUT[shut[column]].cell : 'goes on', value), strips: [strip('scores', before), strip('go on', mine, { shut })] };
}

/** @param {Asked} asked @returns {Made} */
function shares({ run, vectors, chosen, i, column, position, mine, value, names }) {
  const { temperature = 1 } = chosen, { values, shut } = maskedOf(run, vectors, chosen, i) ?? { values: mine.map(() => NaN), shut: null }, { most, sum, powers } = softmax(values, temperature);
  const x = `${figure(values[column])} − ${figure(most).replace(/^−.*/, '($&)')}`;
  return {
    kind: 'shares', names, total: line(`${names[position]} → ${names[column]}`, value, '', share(value)),
    lines: [line(temperature === 1 ? `e^(${x})` : `e^((${x}) / ${temperature.toFixed(1)})`, powers[column], '', placed(powers[column], 3)), line('÷ sum of the row', sum, '', placed(sum, 3))],
    strips: [strip('scores', values, { shut }), strip('e^(x − max)', powers, { parts: 'share' }), strip('shares', mine, { parts: 'share' })],
  };
}

/** @param {Asked} asked @returns {Made} */
function mixed({ run, vectors, chosen, i, column, position, mine, value, names }) {
  const weights = row(run.arrays.weights, chosen.layer, chosen.head, i), order = largest(weights), shown = order.slice(0, MOST), others = order.slice(MOST);
  const values = names.map((_, j) => row(vectors.arrays.v, chosen.head, j)), left = others.reduce((sum, j) => sum + weights[j], 0);
  return {
    kind: 'mixed', total: line(`number ${column} of Z`, value), lines: summed(shown.map(j => line(names[j], weights[j] * values[j][column], `${share(weights[j])} × ${figure(values[j][column])}`)), weights.length, value),
    strips: [
      ...shown.map(j => strip(`${share(weights[j])} ${names[j]}`, values[j], { share: weights[j] })),
      // What is left, as one: the mean of their values by their shares.
      ...(others.length ? [strip(`${share(left)} ${others.length} more`, mine.map((_, d) => others.reduce((sum, j) => sum + weights[j] * values[j][d], 0) / (left || 1)), { share: left })] : []),
      strip(`Z of ${names[position]}`, mine),
    ],
  };
}

/** @param {Asked} asked @returns {Made} */
function joined({ run, vectors, chosen, position, column, mine, value }) {
  const { heads, d_head: size } = run.about.model, of = Math.floor(column / size), { mixed: all } = vectors.arrays;
  return {
    kind: 'joined', own: chosen.head, lines: [line(`number ${column % size} of head ${of}`, at(all, of, position, column % size))], total: line(`number ${column} of concat`, value),
    strips: [...Array.from({ length: heads }, (_, head) => strip(`head ${head}`, row(all, head, position))), strip('concat', mine)],
  };
}

// @ts-check
// Two runs, A and B: which words stand beside each other, and how much more each looks at another in B. No page.
import { row } from './packet.js';
import { effects, moves, NOISE, rowsOf, words } from './run.js';
import { GAP } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */
/** A word of A beside one of B; null where the other sentence has none. `same`: both are one word. @typedef {{a: Word | null, b: Word | null, same: boolean}} Pair */
/** Both words are there. @typedef {{a: Word, b: Word, same: boolean}} Both */
/** A head and the cell where it differs most, `row` and `column` counted among the pairs that are drawn. @typedef {{layer: number, head: number, row: number, column: number, change: number}} Change */
/**
 * What one head does in both runs: shares row by row, and in `rest` what goes to all that is no column. `change` is B minus A.
 * @typedef {{a: Float32Array, b: Float32Array, change: Float32Array, rest: {a: Float32Array, b: Float32Array}}} Shares
 */
/**
 * Two runs that can be subtracted: `columns` are the pairs, `rows` those whose rows both runs hold, `counts` tells which rows say how much a
 * head differs: those of words that both share, as another word looks elsewhere anyhow. `heads` is by layer and head, `first` those that a
 * page begins with, those that differ most first.
 * @typedef {{columns: Both[], rows: number[], counts: boolean[], heads: Change[], first: {heads: Change[], why: string}}} Differences
 */

const KEY = 'The key to the cabinet [MASK] on the table.';
const WIDE = 'The animal didn\'t cross the street because it was too wide.', TIRED = 'The animal didn\'t cross the street because it was too tired.';
/** What a bundled sentence is compared with where nobody chose; the same as in encoder/pictures/view.py. @type {Record<string, string>} */
const TWINS = { [GAP]: KEY, [KEY]: GAP, [WIDE]: TIRED, [TIRED]: WIDE };

/** Sentence B: what was chosen, or else a twin; A itself, to be changed, where there is none. @param {{sentence: string, other: string}} state */
export const sentenceB = ({ sentence, other }) => (other.trim() ? other : TWINS[sentence] ?? sentence);

/** @param {Word} word */
const spelled = word => (word.gap ? '\0' : word.name.toLowerCase());

/**
 * Lines up the words of two sentences: those that stand in both in the same order, as many as can be, whatever their case. Between them as
 * many words that were replaced by as many others are paired in order; every other word stands alone.
 * @param {Word[]} a
 * @param {Word[]} b
 * @returns {Pair[]}
 */
export function align(a, b) {
  const ours = a.map(spelled), theirs = b.map(spelled), wide = b.length + 1;
  const common = new Uint16Array((a.length + 1) * wide); // words in common from i and j on
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * wide + j] = ours[i] === theirs[j] ? common[(i + 1) * wide + j + 1] + 1 : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
    }
  }
  /** @type {Pair[]} */
  const pairs = [];
  let i = 0, j = 0, fromA = 0, fromB = 0;
  const replaced = () => {
    const gone = a.slice(fromA, i), come = b.slice(fromB, j);
    if (gone.length === come.length) gone.forEach((word, k) => pairs.push({ a: word, b: come[k], same: false }));
    else pairs.push(...gone.map(word => ({ a: word, b: null, same: false })), ...come.map(word => ({ a: null, b: word, same: false })));
  };
  while (i < a.length && j < b.length) {
    if (ours[i] === theirs[j]) {
      replaced();
      pairs.push({ a: a[i++], b: b[j++], same: true });
      [fromA, fromB] = [i, j];
    } else if (common[(i + 1) * wide + j] >= common[i * wide + j + 1]) i++;
    else j++;
  }
  [i, j] = [a.length, b.length];
  replaced();
  return pairs;
}

/** The words of both runs side by side. @param {Packet} a @param {Packet} b */
export const pairsOf = (a, b) => align(words(a), words(b));

/** How a pair is called; of different words, both. @param {{a: Word | null, b: Word | null, same: boolean}} pair */
export function nameOf({ a, b, same }) {
  if (!a || !b) return (a ?? b)?.name ?? '';
  return same ? a.name : `${a.name}/${b.name}`;
}

/** The names of pairs; one that stands there twice says its place in A. @param {Both[]} pairs */
export function namesOfPairs(pairs) {
  /** @type {Map<string, number>} */
  const count = new Map();
  for (const pair of pairs) count.set(nameOf(pair), (count.get(nameOf(pair)) ?? 0) + 1);
  return pairs.map(pair => nameOf(pair) + ((count.get(nameOf(pair)) ?? 0) > 1 ? ` (${pair.a.position})` : ''));
}

/** Where a head looks in one run: from words in rows to words in columns, and to the rest. @param {Packet} run @param {number} layer @param {number} head @param {Word[]} from @param {Word[]} to */
function sharesOf(run, layer, head, from, to) {
  const all = row(run.arrays.weights, layer, head), { tokens } = run.about, place = new Int16Array(tokens.length).fill(-1);
  to.forEach((word, column) => place.fill(column, word.position, word.position + word.count));
  const shares = new Float32Array(from.length * to.length), rest = new Float32Array(from.length);
  from.forEach((word, i) => {
    const mine = rowsOf(run, word);
    for (const at of mine) {
      for (let key = 0; key < tokens.length; key++) {
        const share = all[at * tokens.length + key] / mine.length;
        if (place[key] < 0) rest[i] += share;
        else shares[i * to.length + place[key]] += share;
      }
    }
  });
  return { shares, rest };
}

/** One head in both runs. @param {Packet} a @param {Packet} b @param {Differences} of @param {number} layer @param {number} head @returns {Shares} */
export function sharesOfBoth(a, b, { columns, rows }, layer, head) {
  const from = rows.map(i => columns[i]);
  const ours = sharesOf(a, layer, head, from.map(pair => pair.a), columns.map(pair => pair.a));
  const theirs = sharesOf(b, layer, head, from.map(pair => pair.b), columns.map(pair => pair.b));
  return { a: ours.shares, b: theirs.shares, change: theirs.shares.map((share, i) => share - ours.shares[i]), rest: { a: ours.rest, b: theirs.rest } };
}

/** Whether the heads of one run have their like in the other. @param {Packet} a @param {Packet} b */
export const alikeInShape = (a, b) => a.about.model.layers === b.about.model.layers && a.about.model.heads === b.about.model.heads;

/** @type {WeakMap<Packet, WeakMap<Packet, Differences | null>>} */
const known = new WeakMap();

/** How two runs differ; null where their shapes do, or no word of one stands beside one of the other. @param {Packet} a @param {Packet} b */
export function differences(a, b) {
  const of = known.get(a) ?? new WeakMap();
  known.set(a, of);
  if (!of.has(b)) of.set(b, found(a, b));
  return of.get(b) ?? null;
}

/** @param {Packet} a @param {Packet} b @returns {Differences | null} */
function found(a, b) {
  const columns = /** @type {Both[]} */ (pairsOf(a, b).filter(pair => pair.a && pair.b));
  const rows = columns.map((_, i) => i).filter(i => rowsOf(a, columns[i].a).length === columns[i].a.count && rowsOf(b, columns[i].b).length === columns[i].b.count);
  if (!alikeInShape(a, b) || !rows.length) return null;
  const shared = rows.map(i => columns[i].same), counts = shared.some(Boolean) ? shared : shared.map(() => true);
  /** @type {Differences} */
  const all = { columns, rows, counts, heads: [], first: { heads: [], why: '' } };
  for (let layer = 0; layer < a.about.model.layers; layer++) {
    for (let head = 0; head < a.about.model.heads; head++) all.heads.push({ layer, head, ...strongest(sharesOfBoth(a, b, all, layer, head).change, columns.length, counts) });
  }
  all.first = ofAccount(a, b, rows.map(i => columns[i]), all.heads);
  return all;
}

/** The cell that differs most, in the rows that count. @param {Float32Array} change @param {number} columns @param {boolean[]} counts */
export function strongest(change, columns, counts) {
  let row = Math.max(0, counts.indexOf(true)), column = 0, most = 0;
  change.forEach((value, place) => {
    const at = Math.floor(place / columns);
    if (counts[at] && Math.abs(value) > Math.abs(most)) [row, column, most] = [at, place % columns, value];
  });
  return { row, column, change: most };
}

/**
 * The heads that a page begins with: those that a guess needs in one of both runs, else for each word that is drawn the one that moves its
 * vector most; all where that was not tried. `why` is how a sentence speaks of them.
 * @param {Packet} a @param {Packet} b @param {Both[]} pairs @param {Change[]} all @returns {{heads: Change[], why: string}}
 */
function ofAccount(a, b, pairs, all) {
  const runs = [a, b], needed = runs.flatMap(run => effects(run).filter(one => -one.change >= NOISE * (run.about.guesses[String(run.about.gap)]?.[0]?.[1] ?? NaN)));
  const moving = runs.flatMap((run, i) => pairs.flatMap(pair => moves(run, i ? pair.b : pair.a).slice(0, 1)));
  const wanted = needed.length ? needed : moving, heads = all.filter(one => wanted.some(each => each.layer === one.layer && each.head === one.head));
  return heads.length ? { heads: inOrder(heads), why: needed.length ? 'compare_needed' : 'compare_moving' } : { heads: inOrder(all), why: 'compare_any' };
}

/** Heads, those that differ most first. @param {Change[]} heads */
export const inOrder = heads => [...heads].sort((x, y) => Math.abs(y.change) - Math.abs(x.change));

// @ts-check
// What a run's numbers mean for words: places, shares from word to word, the clearest head. Nothing here draws or asks.
import { at, row } from './packet.js';

/** @typedef {import('./packet.js').Packet} Packet */
/**
 * What stands in the picture: a word (with its tokens) or a gap; `position` is its first token.
 * @typedef {{position: number, count: number, name: string, gap: boolean, plain: boolean}} Word
 */
/** Where a word looks: shares of each word, and what goes to tokens that are none. @typedef {{shares: number[], rest: number}} Look */

const LETTERS = /[\p{L}\p{N}]/u;
const RIGHT = /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u; // begins from the right
const MOST = 1e6; // weights that are read to find what is clearest
/** @type {WeakMap<Packet, Word[]>} */
const known = new WeakMap();
/** @type {WeakMap<Packet, Word>} */
const first = new WeakMap();
/** @type {WeakMap<Packet, number[]>} */
const outside = new WeakMap();

/** @type {WeakMap<Packet, {from: Word, all: Look[][]}>} */
const seen = new WeakMap();

const MASK = '[MASK]'; // of a model that tells of no other, and in the sentences that come with the app
/** A gap as a person types it; whether one stands alone is for the model to tell. */
export const TYPED = /\[mask\]|<mask>|__+/i;

/** What the model of a run calls its mask; null where it has none. @param {Packet | null} run */
export const maskToken = run => (run?.about.mask === undefined ? MASK : run.about.mask);

/** A sentence that comes with the app, with the mask of a model in it. @param {string} sentence @param {string | null} mask */
export const inMask = (sentence, mask) => (mask ? sentence.replaceAll(MASK, mask) : sentence);

/** How a gap is written for a model. @param {string | null} mask */
export const maskHint = mask => (mask ? `Write ${mask} or ___ for a word that the model is to guess.` : 'This model has no mask: it guesses no hidden word.');

/** The words and gaps of a run, in order. @param {Packet} run @returns {Word[]} */
export function words(run) {
  const found = known.get(run);
  if (found) return found;
  const { kinds, tokens, names } = run.about;
  const begun = new Map(run.about.words.map(([first, count], i) => [first, { count, name: names[i] }]));
  /** @type {Word[]} */
  const all = [];
  for (let position = 0; position < tokens.length; position++) {
    const gap = kinds[position] === 'mask', word = begun.get(position);
    if (!gap && !word) continue;
    const name = gap ? tokens[position] : word?.name ?? '';
    all.push({ position, count: word?.count ?? 1, name, gap, plain: !gap && LETTERS.test(name) });
    position += (word?.count ?? 1) - 1;
  }
  known.set(run, all);
  return all;
}

/** Whether a text is read from the right, as its first letter says. @param {string} text */
export const fromRight = text => RIGHT.test(text);

/** A text that stands in one of the other direction: without this, what follows it would turn too. @param {string} text */
export const apart = text => (fromRight(text) ? `\u2068${text}\u2069` : text);

/** How the words of a run follow one another; gaps have no say. @param {Packet} run @returns {'rtl' | 'ltr'} */
export const direction = run => (fromRight(words(run).filter(word => !word.gap).map(word => word.name).join(' ')) ? 'rtl' : 'ltr');

/** A word in full: a packet cuts long names, and the sentence has their ends. @param {Packet} run @param {string} name */
export function inFull(run, name) {
  const { sentence, second } = run.about, begin = name.slice(0, -1);
  if (!name.endsWith('…') || !begin) return name;
  const texts = [sentence, second], place = texts.map(text => text.indexOf(begin)), from = place.findIndex(one => one >= 0);
  return from < 0 ? name : begin + (/^[\p{L}\p{N}\p{M}]*/u.exec(texts[from].slice(place[from] + begin.length))?.[0] ?? '');
}

const ORDER = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh', 'twelfth'];

/** The place in a row, counted from 0, as a word: "second", "21st". @param {number} i */
function ordinal(i) {
  const number = i + 1, end = number % 100 > 10 && number % 100 < 14 ? 'th' : { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th';
  return ORDER[i] ?? `${number}${end}`;
}

/** What stands in a sentence for a text: it, in quotation marks. @param {string} text */
export const quoted = text => `“${apart(text)}”`;

/** Which of several that are called so, as a reader counts them: a "The" before it is the first "the". @template T @param {string} name @param {T} own @param {T[]} alike in either case @param {(one: T) => string} textOf @param {boolean} gap */
const which = (name, own, alike, textOf, gap) => (alike.filter(one => gap || textOf(one) === textOf(own)).length > 1 ? `the ${ordinal(alike.indexOf(own))} ${name}` : gap ? `the ${name}` : name);
/** @param {string} a @param {string} b */
const isAlike = (a, b) => a.toLowerCase() === b.toLowerCase();

/** How a sentence speaks of a token: a word in quotes, a gap as one, and where several look alike which of them it is. @param {Packet} run @param {number} position */
export function calledToken(run, position) {
  const { tokens, kinds } = run.about, kind = kinds[position], token = tokens[position], gap = kind === 'mask';
  const alike = tokens.map((_, i) => i).filter(i => kinds[i] === kind && (gap || isAlike(tokens[i], token)));
  return which(gap ? 'gap' : kind === 'word' ? quoted(token) : token, position, alike, i => tokens[i], gap);
}

/** How a sentence speaks of a whole word of a run, likewise. Where a gap is filled with the same word, it says on which side of it this one stands. @param {Packet} run @param {Word} word @returns {string} */
export function called(run, word) {
  const all = words(run), filled = word.gap ? undefined : all.find(one => fillAt(run, one)?.[0] === word.name), after = filled && word.position > filled.position;
  const alike = all.filter(other => (word.gap ? other.gap : !other.gap && isAlike(other.name, word.name) && (!filled || other.position > filled.position === after)));
  return which(word.gap ? 'gap' : quoted(word.name), word, alike, one => one.name, word.gap) + (filled ? ` ${after ? 'after' : 'before'} ${called(run, filled)}` : '');
}

/** A text as a sentence begins with it: one that stands in quotes is left as it is. @param {string} text */
export const begins = text => text.replace(/^[a-z]/, letter => letter.toUpperCase());

/** The word that a token belongs to; -1 for none. @param {Packet} run @param {number} position */
export const wordAt = (run, position) => words(run).findIndex(word => position >= word.position && position < word.position + word.count);

/** Tokens that are no words and no gap. @param {Packet} run */
export function others(run) {
  const found = outside.get(run);
  if (found) return found;
  const inside = new Set(words(run).flatMap(word => Array.from({ length: word.count }, (_, i) => word.position + i)));
  const all = run.about.tokens.map((_, i) => i).filter(i => !inside.has(i) && run.about.kinds[i] !== 'padding');
  outside.set(run, all);
  return all;
}

/** The rows of the arrays that hold a word, counted from 0. @param {Packet} run @param {Word} word */
export const rowsOf = (run, word) => Array.from({ length: word.count }, (_, i) => rowOf(run, word.position + i)).filter(place => place >= 0);

/** The row of the arrays that holds a token; -1 where it is not sent. @param {Packet} run @param {number} position */
const rowOf = (run, position) => run.about.rows.indexOf(position);

/** Whether the run holds where a word looks. @param {Packet} run @param {Word} word */
export const held = (run, word) => rowOf(run, word.position) >= 0;

/**
 * Where a head looks from a word. To a word of several tokens goes the sum of their shares; from one, the mean.
 * @param {Packet} run
 * @param {number} layer
 * @param {number} head
 * @param {Word} from
 * @returns {Look}
 */
export function look(run, layer, head, from) {
  const mean = meanRow(run, layer, head, from);
  const shares = words(run).map(to => {
    let sum = 0;
    for (let i = 0; i < to.count; i++) sum += mean[to.position + i];
    return sum;
  });
  return { shares, rest: others(run).reduce((sum, key) => sum + mean[key], 0) };
}

/** What a word gives to each token: the mean of its own tokens. @param {Packet} run @param {number} layer @param {number} head @param {Word} from */
function meanRow(run, layer, head, from) {
  const rows = rowsOf(run, from), mean = new Float64Array(run.about.tokens.length).fill(rows.length ? 0 : NaN);
  for (const place of rows) {
    const seen = row(run.arrays.weights, layer, head, place);
    for (let key = 0; key < mean.length; key++) mean[key] += (seen[key] || 0) / rows.length;
  }
  return mean;
}

/** What a word gives to each token that is no word, the most first. @param {Packet} run @param {{layer: number, head: number}} place @param {Word} from */
export function toOthers(run, { layer, head }, from) {
  const mean = meanRow(run, layer, head, from);
  return others(run).map(position => ({ position, name: run.about.tokens[position], share: mean[position] })).sort((a, b) => b.share - a.share);
}

/** Where every head looks from a word, by layer and head; kept until it is asked of another word. @param {Packet} run @param {Word} from @returns {Look[][]} */
export function looks(run, from) {
  const there = seen.get(run);
  if (there?.from === from) return there.all;
  const { layers, heads } = run.about.model;
  const all = Array.from({ length: layers }, (_, layer) => Array.from({ length: heads }, (_, head) => look(run, layer, head, from)));
  seen.set(run, { from, all });
  return all;
}

/**
 * The head that looks most at one other word. Words right beside it count only where there are no others: a head that looks
 * there mostly follows the place, whatever stands there.
 * @param {Packet} run
 * @param {Word} from
 * @param {number | null} [only] a layer
 */
export function clearest(run, from, only = null) {
  const { layers, heads } = run.about.model;
  const all = words(run), own = all.indexOf(from);
  const far = (/** @type {number} */ i) => Math.abs(i - own) > 1;
  const plain = all.some((to, i) => to.plain && far(i)), apart = all.some((_, i) => far(i));
  let best = { layer: only ?? 0, head: 0, share: -1 };
  const place = rowOf(run, from.position);
  if (place < 0) return best;
  for (let layer = only ?? 0; layer < (only === null ? layers : only + 1); layer++) {
    for (let head = 0; head < heads; head++) {
      const seen = row(run.arrays.weights, layer, head, place);
      for (let to = 0; to < all.length; to++) {
        if (to === own || (apart && !far(to)) || (plain && !all[to].plain)) continue;
        let share = 0;
        for (let i = 0; i < all[to].count; i++) share += seen[all[to].position + i] || 0;
        if (share > best.share) best = { layer, head, share };
      }
    }
  }
  return best;
}

/** The word that a picture begins with: the first gap, else the one where a head that looks farther away moves most and looks most, else the one whose clearest head is clearest. @param {Packet} run @returns {Word} */
export function asked(run) {
  const found = first.get(run) ?? firstAsked(run);
  first.set(run, found);
  return found;
}

/** @param {Packet} run */
function firstAsked(run) {
  const all = words(run), { model, tokens } = run.about;
  const labels = labelsOf(run), gap = all.find(word => (labels ? labels.of === 'token' && isTried(run, word) : word.gap) && held(run, word));
  if (gap) return gap;
  const can = all.filter(word => held(run, word));
  const most = Math.max(1, Math.floor(MOST / (model.layers * model.heads * tokens.length)));
  // Words that stand twice, such as "the", would leave open which is meant.
  const once = can.filter(word => word.plain && all.filter(one => one.name.toLowerCase() === word.name.toLowerCase()).length === 1);
  const plain = can.filter(word => word.plain);
  const tried = (once.length ? once : plain.length ? plain : can).slice(0, most);
  const [needs] = labels ? effects(run) : [], far = (/** @type {Word} */ word) => Math.max(...looks(run, word)[needs.layer][needs.head].shares.filter((_, i) => all[i] !== word && all[i].plain), 0);
  if (needs && tried.length) return tried.map(word => ({ word, share: far(word) })).reduce((a, b) => (b.share > a.share ? b : a)).word;
  const best = tried.flatMap(word => { const one = telling(run, word); return one ? [{ word, of: one.change * Math.max(...looks(run, word)[one.layer][one.head].shares) }] : []; }).sort((a, b) => b.of - a.of)[0];
  return best?.word ?? tried.map(word => ({ word, share: clearest(run, word).share })).reduce((a, b) => (b.share > a.share ? b : a), { word: can[0] ?? all[0], share: -1 }).word;
}

/** What a model with labels says of them; null for one that guesses words, and one that says nothing. @param {Packet} run */
export const labelsOf = run => run.about.answer ?? null;

/** Whether one answer of a run can lead another. @param {Packet} run */
export const isLed = run => !whyNotLed(run);

/** The sentence that says why no answer of a run can lead another; "" where one can. @param {Packet} run @returns {'' | 'carried_wordless' | 'carried_number' | 'carried_several' | 'carried_one_label'} */
export function whyNotLed(run) {
  const labels = labelsOf(run);
  if (!labels) return run.about.model.wordless ? 'carried_wordless' : '';
  return labels.problem === 'regression' ? 'carried_number' : labels.problem === 'multi_label' ? 'carried_several' : labels.labels.length < 2 ? 'carried_one_label' : '';
}

/** The first number of a regression, and its name; null for any other model. @param {Packet} run */
export function numberOf(run) {
  const labels = labelsOf(run), value = labels?.values?.[String(run.about.gap)]?.[0];
  return labels && value !== undefined ? { word: labels.labels[0], value } : null;
}

/** What its answer is called. @param {Packet} run */
export const answerName = run => (labelsOf(run) ? 'label' : 'guess');

/** Where the answer to a word stands among all: a label of the sentence stands at none. @param {Packet} run @param {number} position */
export const answerAt = (run, position) => (labelsOf(run)?.of === 'sentence' ? run.about.gap : position);

/** The step of the model's answers, and the place there of the one at a word. @param {Packet} run @param {'logits' | 'probabilities'} last @param {number} position @returns {import('./store.js').Place} */
export const answerStep = (run, last, position) => (labelsOf(run) ? { step: `classifier.${last}`, index: labelsOf(run)?.of === 'sentence' ? [] : [position] } : { step: `mlm.${last}`, index: [position] });

/** Whether what each part costs was tried for the answer to a word. @param {Packet} run @param {Word} word */
export const isTried = (run, word) => answerAt(run, word.position) === run.about.gap;

/** The likeliest guess at a gap, or label of a word or its sentence; null where there is none. @param {Packet} run @param {Word} word */
export const guessAt = (run, word) => ((word.gap || labelsOf(run)) && run.about.guesses[String(answerAt(run, word.position))]?.[0]) || null;

/** The word that is guessed at a gap; null at a word, and for a model with labels. @param {Packet} run @param {Word} word */
export const fillAt = (run, word) => (word.gap && !labelsOf(run) ? guessAt(run, word) : null);

/** What a head does to what is asked where it alone is off: how the first guess's share changes, or how far a last vector moves. @typedef {{layer: number, head: number, change: number}} Effect */
export const LITTLE = 0.02; // of a share: what changes by a smaller part of it hardly changes
const OFFERED = 3; // words to hide
export const NOISE = 0.1; // of a share: a head that costs a smaller part of it is no reason for a guess

/** Each head with a number. @param {Packet} run @param {(layer: number, head: number) => number} of @returns {Effect[]} */
const eachHead = ({ about: { model } }, of) => Array.from({ length: model.layers * model.heads }, (_, i) => {
  const layer = Math.floor(i / model.heads), head = i % model.heads;
  return { layer, head, change: of(layer, head) };
});

/** All heads by how much the first guess loses without each, the largest loss first; [] where that was not tried. @param {Packet} run @returns {Effect[]} */
export function effects(run) {
  const { off } = run.arrays, { gap, guesses } = run.about;
  const first = guesses[String(gap)]?.[0];
  const word = first ? run.about.off?.words.indexOf(first[0]) ?? -1 : -1;
  if (!off || word < 0) return [];
  return eachHead(run, (layer, head) => at(off, layer, head, word) - first[1]).sort((a, b) => a.change - b.change);
}

/** All heads by how far a word's last vector moves without each, as a part of its length, the farthest first; [] where that was not tried. @param {Packet} run @param {Word} word @returns {Effect[]} */
export function moves(run, word) {
  const { moved } = run.arrays;
  if (!moved) return [];
  const mean = (/** @type {number} */ layer, /** @type {number} */ head) => Array.from({ length: word.count }, (_, i) => at(moved, layer, head, word.position + i)).reduce((a, b) => a + b, 0) / word.count;
  return eachHead(run, mean).filter(one => Number.isFinite(one.change)).sort((a, b) => b.change - a.change);
}

/** All heads by what each adds to the score of the first guess, the most first; [] where it was tried what each costs instead. @param {Packet} run @returns {Effect[]} */
export function additions(run) {
  const { adds } = run.arrays;
  return adds ? eachHead(run, (layer, head) => at(adds, layer, head)).sort((a, b) => b.change - a.change) : [];
}

/** Whether the loss of no head costs the first guess more than noise; false where that was not tried. @param {Packet} run */
export function undecided(run) {
  const [most] = effects(run), share = run.about.guesses[String(run.about.gap)]?.[0]?.[1] ?? NaN;
  return Boolean(most) && !(-most.change >= NOISE * share);
}

/** The head that the guess at the first gap needs most; null where none costs more than noise, and where the model was never trained. @param {Packet} run */
export const needed = run => (run.about.model.untrained || undecided(run) ? null : effects(run)[0] ?? null);

/** The word that a head looks at most, as a place among all; -1 where more goes to tokens that are none. @param {Packet} run @param {{layer: number, head: number}} place @param {Word} word */
function aimOf(run, { layer, head }, word) {
  const { shares, rest } = looks(run, word)[layer][head], top = shares.reduce((best, share, i) => (share > shares[best] ? i : best), 0);
  return shares[top] >= rest ? top : -1;
}

/** Whether a head looks most at a word that is neither the one asked nor beside it. @param {Packet} run @param {{layer: number, head: number}} place @param {Word} word */
function looksFar(run, place, word) {
  const top = aimOf(run, place, word);
  return top >= 0 && Math.abs(top - words(run).indexOf(word)) > 1;
}

/** The head for a word that is pressed: the one that is chosen where it looks at another word, no sign, else the one that moves it most by more than noise and does, else the clearest one. At the first gap the run chooses. @param {Packet} run @param {Word} word @param {{layer: number, head: number}} chosen @returns {{layer: number | null, head: number | null}} */
export function headFor(run, word, chosen) {
  const all = words(run), sees = (/** @type {{layer: number, head: number}} */ one) => { const to = all[aimOf(run, one, word)]; return Boolean(to && to !== word && (to.plain || to.gap)); };
  if (isTried(run, word) && guessAt(run, word)) return { layer: null, head: null };
  const { layer, head } = sees(chosen) ? chosen : moves(run, word).find(one => one.change >= NOISE && sees(one)) ?? clearest(run, word);
  return { layer, head };
}

/** Of the heads that move a word's last vector by more than noise, the first that looks at a word farther away; any of them where no word is. @param {Packet} run @param {Word} word */
function telling(run, word) {
  const own = words(run).indexOf(word), far = words(run).some((_, i) => Math.abs(i - own) > 1);
  return moves(run, word).find(one => !far || (one.change >= NOISE && looksFar(run, one, word)));
}

/** The head that a picture begins with: the one that the word asked needs most, else adds most to its guess, else one that moves it and looks at a word farther away, else the one that looks most at one word. @param {Packet} run @param {Word} word */
const opening = (run, word) => (isTried(run, word) && (effects(run)[0] ?? additions(run)[0])) || telling(run, word) || moves(run, word)[0] || clearest(run, word);

/** Whether a picture begins with no head: none decides the guess, or none that moves the word asked looks beyond the words beside it. @param {Packet} run */
export function nobodys(run) {
  const word = words(run).length ? asked(run) : null;
  return undecided(run) || Boolean(word && moves(run, word).length && !telling(run, word));
}

/** Three words to hide where nothing is hidden, in their order: those that stand once before others, then the longest. @param {Packet} run */
export function toHide(run) {
  const plain = words(run).filter(word => word.plain && !word.name.endsWith('…'));
  /** @type {Map<string, Word[]>} */
  const alike = new Map();
  for (const word of plain) alike.set(word.name.toLowerCase(), [...(alike.get(word.name.toLowerCase()) ?? []), word]);
  const chosen = [...alike.values()].sort((a, b) => Number(a.length > 1) - Number(b.length > 1) || b[0].name.length - a[0].name.length).slice(0, OFFERED).map(([one]) => one);
  return plain.filter(word => chosen.includes(word));
}

/** What a run itself chooses where nobody did: the head does not follow the word that somebody chooses. @param {Packet} run @param {import('./store.js').State} state */
export function choice(run, state) {
  const { layers, heads } = run.about.model, all = words(run), first = asked(run);
  const chosen = state.word === null ? -1 : wordAt(run, state.word);
  const word = chosen >= 0 && held(run, all[chosen]) ? all[chosen] : first;
  if (!word) return { word: 0, layer: 0, head: 0 };
  const found = opening(run, first);
  return {
    word: word.position,
    layer: Math.min(state.layer ?? found.layer, layers - 1),
    head: Math.min(state.head ?? found.head, heads - 1),
  };
}

// @ts-check
// What is asked, and what is said of where heads look from a word: patterns of sentences, and what stands in them. No page.
import { without } from './guesses.js';
import { brief as rounded, percent, tight, typeset } from './number.js';
import { at } from './packet.js';
import { additions, begins, called, effects, fillAt, guessAt, held, isTried, labelsOf, look, looks, moves, needed, numberOf, others, quoted, toOthers, undecided, words } from './run.js';
import { behind, opening, parts, said, say } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */
/** @typedef {import('./run.js').Look} Look */
/** @typedef {import('./say.js').Part} Part */
/** @typedef {{layer: number, head: number}} Head */

const SEEN = 0.05; // of a word's attention, from which on a word is named after the special tokens

/** How a word is shown: a gap as what the model guesses there, if it guesses. @param {Packet} run @param {Word} word @param {Head | null} [off] */
export function shownAs(run, word, off = null) {
  const found = fillAt(run, word);
  if (!word.gap || !found) return word.gap ? '____' : word.name;
  return off && word.position === run.about.gap ? guessWithout(run, off) ?? found[0] : found[0];
}

/** The likeliest word at the first gap without a head; null where that was not tried. @param {Packet} run @param {Head} off */
function guessWithout(run, { layer, head }) {
  const { off } = run.arrays, all = run.about.off?.words ?? [];
  return off && all.length ? all[most(all.map((_, i) => at(off, layer, head, i)))] : null;
}

/** The word before the gap that would have another verb, where a head looks past it; null else. @param {Packet} run @param {Word[]} all @param {number} from @param {number} top */
const passed = (run, all, from, top) => (run.about.tempts && all[from].position === run.about.gap && top < from - 1 ? all[from - 1] : null);

/** @param {number[]} shares */
export const most = shares => shares.reduce((best, share, i) => (share > shares[best] ? i : best), 0);

/** Where a head looks from a word. @param {Packet} run @param {Head} place @param {Word} word */
export function claim(run, { layer, head }, word) {
  const all = words(run), from = all.indexOf(word), { shares, rest } = look(run, layer, head, word), top = most(shares);
  const share = shares[top], opens = (/** @type {Part[]} */ all_) => opening(all_, 'share', placeOfShare({ layer, head }, word, all[top]));
  const special = { layer, head, word: outside(run), share: rest };
  if (rest > share) return share < SEEN ? parts('looks_special', special) : parts('looks_special_then', { ...special, to: called(run, all[top]), then: share });
  if (top === from) return opens(parts('looks_itself', { layer, head, word: called(run, word), share }));
  const between = passed(run, all, from, top);
  if (between) return opens(parts('looks_past', { layer, head, between: called(run, between), word: called(run, all[top]), share }));
  return opens(parts('looks', { layer, head, word: called(run, all[top]), share }));
}

/** Where the share that one word gives to another stands in the run; null where it is a sum over pieces of words. @param {Head} place @param {Word} from @param {Word} to */
const placeOfShare = ({ layer, head }, from, to) => (from.count === 1 && to.count === 1 ? { step: `layers.${layer}.attention.weights`, index: [head, from.position, to.position] } : null);

/** @param {Part[][]} sentences */
const joined = sentences => sentences.filter(one => one.length).flatMap((one, i) => [...(i ? [{ text: ' ', name: '', format: '' }] : []), ...one]);

/** What is known to be carried by a head to a gap with this guess; undefined for nothing. @param {Packet} run @param {Head} place @param {Word} word */
export const carried = (run, { layer, head }, word) => (word.position === run.about.gap ? run.about.carries?.find(one => one.heads.some(([of, at]) => of === layer && at === head)) : undefined);

/** A head in short: head 1 of layer 4 is 4.1. @param {Head} place */
export const brief = ({ layer, head }) => `${layer}.${head}`;
/** A head, or its place as packets spell it. @typedef {Head | readonly number[]} Place */
/** @param {Place} one */
const spelt = one => ('layer' in one ? `${one.layer}.${one.head}` : `${one[0]}.${one[1]}`);
/** Whether two are one head. @param {Place} a @param {Place} b */
export const same = (a, b) => spelt(a) === spelt(b);

export const COUNTS = ['no', 'one', 'two', 'three', 'four'];

/** What heads pass on, and how much of it. @param {import('./packet.js').Carriers} of */
const carrying = ({ heads, tells, natural, share, count }) => parts(heads.length > 1 ? 'carries_together' : 'carries', {
  heads: listed(heads.map(([layer, head]) => brief({ layer, head }))), share, tells, count, sentences: natural ? 'sentences' : 'constructed sentences',
  ...(heads.length > 1 ? { number: begins(COUNTS[heads.length] ?? String(heads.length)) } : {}),
});

/** What a head carries to the gap, where that is known; else where it looks from a word, and what its loss does there in this run. @param {Packet} run @param {Head} place @param {Word} word */
export function answer(run, place, word) {
  const of = carried(run, place, word);
  return of ? joined([carrying(of), effects(run).length ? [] : parts('cost_unknown', {})]) : joined([claim(run, place, word), habit(run, place, word), cost(run, place, word)]);
}

const SAID = 0.005; // a share of what is not drawn from which on it is said

/** What the arcs are of, where the claim does not say it, and what no arc shows. @param {Packet} run @param {Head} place @param {Word} word */
export function caption(run, place, word) {
  const rest = toOthers(run, place, word).filter(({ share }) => share >= SAID).map(({ name, share }) => `${name}\u00a0${tight(percent(share, 1))}`);
  return [carried(run, place, word) ? said('arcs_of', { name: brief(place), layer: place.layer, head: place.head }) : labelsOf(run)?.of === 'sentence' ? said('arcs_from', { word: called(run, word) }) : '', rest.length ? said('no_arc', { rest: rest.join(', ') }) : ''].filter(Boolean).join(' ');
}

/** That a head looks one word back or on from most words, which says little of this one; [] where it does not. @param {Packet} run @param {Head} place @param {Word} word @returns {Part[]} */
function habit(run, { layer, head }, word) {
  const all = words(run).filter(one => held(run, one)), apart = (/** @type {Word} */ from) => {
    const { shares, rest } = look(run, layer, head, from), top = most(shares);
    return rest > shares[top] ? NaN : top - words(run).indexOf(from);
  };
  const own = apart(word), count = Math.abs(own) === 1 ? all.filter(from => apart(from) === own).length : 0;
  return count > 1 && count * 2 > all.length ? parts(own > 0 ? 'habit_on' : 'habit_back', { count, all: all.length }) : [];
}

/** What the loss of a head does to what is asked of a word. @param {Packet} run @param {Head} place @param {Word} word @returns {Part[]} */
function cost(run, place, word) {
  const guess = guessAt(run, word), all = effects(run), { gap, model } = run.about;
  if (guess && !isTried(run, word)) return labelsOf(run) ? parts('cost_first_label', {}) : parts('cost_first_gap', {});
  if (guess) {
    if (model.untrained) return parts('cost_untrained', { word: guess[0] });
    return all.length ? without(run, place, say('without_it')) : added(run, place, guess[0]);
  }
  if (word.position !== gap && gap >= 0 && run.about.off) return [];
  const far = moves(run, word), own = far.findIndex(one => one.layer === place.layer && one.head === place.head);
  if (own < 0) return [];
  const more = far.filter(one => one.change > far[own].change).length;
  const { layer, head } = far[0], rank = more > 1 ? parts('moves_rank', { count: more, all: far.length, layer, head }) : more ? parts('moves_second', { layer, head }) : parts('moves_most', {});
  return [...parts('moves', { word: called(run, word), share: far[own].change }), ...rank];
}

/** What a head adds to the score of the first guess, where it was not tried what its loss costs. @param {Packet} run @param {Head} place @param {string} word @returns {Part[]} */
function added(run, place, word) {
  const all = additions(run), own = all.find(one => one.layer === place.layer && one.head === place.head);
  if (!own) return parts('cost_unknown', {});
  const more = all.filter(one => one.change > own.change).length, { layer, head } = all[0];
  return joined([parts('head_adds', { word, value: own.change }), more ? parts('head_adds_rank', { count: more, all: all.length, layer, head }) : parts('head_adds_most', {}), parts('cost_unknown', {})]);
}

/** What is said where no head is chosen, since none decides the guess or tells anything. @param {Packet} run @param {Word} asked @returns {Part[]} */
export function nobody(run, asked) {
  if (!undecided(run)) return joined([parts('far_none', { word: called(run, asked) }), parts('choose_head', {})]);
  const [word, share] = run.about.guesses[String(run.about.gap)][0], [most] = effects(run);
  return joined([run.about.model.untrained ? parts('cost_untrained', { word }) : parts('cost_none', { word, share: percent(Math.min(1, Math.max(0, 1 + most.change / share))) }), parts('choose_head', {})]);
}

/** The game in one line: what is hidden, who guesses, what to press. @param {Packet} run @param {{can: boolean, hides: boolean}} has whether a head can be off, and words can be hidden */
export function game(run, { can, hides }) {
  const { gap, guesses, model } = run.about, labels = labelsOf(run), random = model.untrained ? `${say('game_untrained')} ` : '', gaps = words(run).filter(word => word.gap).length, press = say(can ? 'press_switch' : 'press_head');
  if (labels) return random + (labels.problem === 'regression' ? say('game_look') : say(labels.of === 'sentence' ? 'game_labels' : 'game_tags', { press }));
  if (!gaps) return random + say(hides ? 'game_none' : 'game_look');
  if (!guesses[String(gap)]?.length) return random + say('game_mute');
  return gaps > 1 ? say('game_many', { count: gaps, press }) : say('game_one', { press });
}

/** What is asked. @param {Packet} run @param {Word} word @param {Head | null} [off] the head that is off */
export function question(run, word, off = null) {
  const guess = guessAt(run, word), first = isTried(run, word), now = off && first ? guessWithout(run, off) : null;
  if (guess && now) return parts(now === guess[0] ? 'question_still' : 'question_now', { word: now });
  if (guess && first && undecided(run) && !run.about.model.untrained) return parts('question_none', { word: guess[0] });
  const number = numberOf(run);
  if (!guess || !first || !needed(run)) return behind(number ? parts('number_is', { word: number.word, value: typeset(rounded(number.value)) }) : [], parts('question_own', { word: called(run, word) }));
  if (run.about.tempts) return parts('question_past', { between: quoted(run.about.tempts), word: guess[0] });
  return labelsOf(run)?.of === 'token' || (!labelsOf(run) && words(run).filter(one => one.gap).length > 1) ? parts('question_gap_of', { word: guess[0], asked: called(run, word) }) : parts('question_gap', { word: guess[0] });
}

/** @param {string[]} names */
export const listed = names => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

/** Heads in their order, as one says them: "head 1 of layer 4 and heads 2 and 6 of layer 5". @param {(readonly number[])[]} heads */
export function inFull(heads) {
  const layers = [...new Set(heads.map(([layer]) => layer))].sort((a, b) => a - b);
  return listed(layers.map(layer => {
    const own = heads.filter(one => one[0] === layer).map(([, head]) => head).sort((a, b) => a - b);
    return `head${own.length > 1 ? 's' : ''} ${listed(own.map(String))} of layer\u00a0${layer}`;
  }));
}

/** The tokens that are no words, each once. @param {Packet} run */
export const outside = run => listed([...new Set(others(run).map(i => run.about.tokens[i]))]);

/** What most goes to, and how much. @param {Packet} run @param {Word} word @param {Look} seen */
export function goal(run, word, { shares, rest }) {
  const all = words(run), top = most(shares);
  if (rest > shares[top]) return { word: outside(run), share: rest };
  return { word: all[top] === word ? 'itself' : called(run, all[top]), share: shares[top] };
}

/** Where a head looks most from a word, in a few words. @param {Packet} run @param {Head} place @param {Word} word */
export const aim = (run, { layer, head }, word) => parts('aim', { layer, head, asked: called(run, word), ...goal(run, word, looks(run, word)[layer][head]) });

/** Where all heads of a layer together look from a word: the mean of their shares. @param {Packet} run @param {number} layer @param {Word} word @returns {Look} */
export function together(run, layer, word) {
  const all = looks(run, word)[layer];
  /** @param {(seen: Look) => number} part */
  const mean = part => all.reduce((sum, seen) => sum + part(seen), 0) / all.length;
  return { shares: words(run).map((_, i) => mean(seen => seen.shares[i])), rest: mean(seen => seen.rest) };
}

/** The same in a few words. @param {Packet} run @param {number} layer @param {Word} word */
export const aimTogether = (run, layer, word) => parts('aim_layer', { layer, asked: called(run, word), ...goal(run, word, together(run, layer, word)) });

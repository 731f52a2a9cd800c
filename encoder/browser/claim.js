// @ts-check
// What is asked, and what is said of where heads look from a word: patterns of sentences, and what stands in them. No page.
import { at } from './packet.js';
import { examined, look, looks, others, words } from './run.js';
import { parts } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */
/** @typedef {import('./run.js').Look} Look */
/** @typedef {{layer: number, head: number}} Head */

/** How a word is shown: a gap as what the model guesses there, if it guesses. @param {Packet} run @param {Word} word @param {Head | null} [off] */
export function shownAs(run, word, off = null) {
  const found = run.about.guesses[String(word.position)];
  if (!word.gap || !found?.length) return word.gap ? '____' : word.name;
  if (!off || word.position !== run.about.gap || !run.arrays.off) return found[0][0];
  const all = run.about.off?.words ?? [];
  return all[most(all.map((_, i) => at(run.arrays.off, off.layer, off.head, i)))] ?? found[0][0];
}

/** The word beside the asked one that a head looks past to another; null where it looks past none. @param {Word[]} all @param {number} from @param {number[]} shares */
export function passed(all, from, shares) {
  const top = most(shares), beside = from + Math.sign(top - from);
  return all[from].gap && top !== from && top !== beside && all[beside]?.plain ? all[beside] : null;
}

/** @param {number[]} shares */
export const most = shares => shares.reduce((best, share, i) => (share > shares[best] ? i : best), 0);

/** What a head is said to do from a word. @param {Packet} run @param {Head} place @param {Word} word */
export function claim(run, { layer, head }, word) {
  const all = words(run), from = all.indexOf(word), { shares, rest } = look(run, layer, head, word), top = most(shares);
  const share = shares[top];
  if (rest > share) return parts('looks_special', { layer, head, word: outside(run), share: rest });
  if (top === from) return parts('looks_itself', { layer, head, word: origin(word), share });
  const between = examined(run, word) && passed(all, from, shares);
  if (between) return parts('looks_past', { layer, head, between: between.name, word: shownAs(run, all[top]), share });
  return parts('looks', { layer, head, word: shownAs(run, all[top]), share });
}

/** What is asked. @param {Packet} run @param {Word} word */
export function question(run, word) {
  const guess = run.about.guesses[String(word.position)]?.[0]?.[0];
  if (!word.gap || !guess) return parts('question_own', { word: origin(word) });
  const all = words(run), found = examined(run, word);
  const between = found && passed(all, all.indexOf(word), look(run, found.layer, found.head, word).shares);
  return between ? parts('question_past', { between: between.name, word: guess }) : parts('question_gap', { word: guess });
}

/** @param {string[]} names */
export const listed = names => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

/** The tokens that are no words, each once. @param {Packet} run */
export const outside = run => listed([...new Set(others(run).map(i => run.about.tokens[i]))]);

/** From where is looked. @param {Word} word */
const origin = word => (word.gap ? 'the gap' : word.name);

/** What most goes to, and how much. @param {Packet} run @param {Word} word @param {Look} seen */
function goal(run, word, { shares, rest }) {
  const all = words(run), top = most(shares);
  if (rest > shares[top]) return { word: outside(run), share: rest };
  return { word: all[top] === word ? 'itself' : shownAs(run, all[top]), share: shares[top] };
}

/** Where a head looks most from a word, in a few words. @param {Packet} run @param {Head} place @param {Word} word */
export const aim = (run, { layer, head }, word) => parts('aim', { layer, head, asked: origin(word), ...goal(run, word, looks(run, word)[layer][head]) });

/** Where all heads of a layer together look from a word: the mean of their shares. @param {Packet} run @param {number} layer @param {Word} word @returns {Look} */
export function together(run, layer, word) {
  const all = looks(run, word)[layer];
  /** @param {(seen: Look) => number} part */
  const mean = part => all.reduce((sum, seen) => sum + part(seen), 0) / all.length;
  return { shares: words(run).map((_, i) => mean(seen => seen.shares[i])), rest: mean(seen => seen.rest) };
}

/** The same in a few words. @param {Packet} run @param {number} layer @param {Word} word */
export const aimTogether = (run, layer, word) => parts('aim_layer', { layer, asked: origin(word), ...goal(run, word, together(run, layer, word)) });

/** What an examination found of a head: what is said at once, and what is said of how it was tried. @param {Packet} run @param {Head} place */
export function licence(run, place) {
  const all = (run.about.evidence ?? []).filter(one => one.layer === place.layer && one.head === place.head);
  const here = all.filter(one => one.here), mine = here.length ? here : all;
  const main = mine.filter((one, i) => i === 0 || one.key.startsWith('exam_not'));
  return { main, under: mine.filter(one => !main.includes(one)) };
}

// @ts-check
// Which parts of a model are off, as an address spells it, and what a run becomes without them. No page.
import { both } from './number.js';
import { at } from './packet.js';
import { LITTLE, maskToken, TYPED, words } from './run.js';
import { parts, say } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./packet.js').Model} Model */
/** A switch: its layer, and its column: the heads come first, then what `BLOCKS` are, then the whole layer. @typedef {{layer: number, column: number}} Place */
/** What is off, each as "layer,column", and the changes that no switch stands for, as they are spelled. @typedef {{off: Set<string>, others: string[]}} Changed */
/** A word of the vocabulary with its share as it is and as it becomes. @typedef {{word: string, before: number, after: number}} Share */

/** What a packet of level 7 says: of each part alone, or of what edits changed. @typedef {{words: string[], shares?: number[], after?: number[], change?: number | null, numbers?: [number[], number[]], changes?: string[], first?: {step: string, layer: number | null, title: string} | null}} Tried */

const BLOCKS = ['attention.output', 'feed_forward.output'];
const HEADS = 'attention.heads';
const EDIT = /^layers\.(\d{1,4})\.(attention\.heads|attention\.output|feed_forward\.output):zero(?::h=([\d,-]+))?$/;
const GAINED = 0.1; // of what the first guess loses: another word that gains less is not told of
const MOST_TEXT = 1_500; // characters that an address holds of one parameter

/** What the header of a packet of level 7 says. @param {Packet} packet */
export const factsOf = packet => /** @type {Tried} */ (/** @type {unknown} */ (packet.about));

/** @param {number} layer @param {number} column */
export const key = (layer, column) => `${layer},${column}`;

/** How many switches a layer has: its heads, its blocks and the layer itself. @param {Model} model */
export const columnsOf = model => model.heads + BLOCKS.length + 1;

/** Numbers as `in_runs` of encoder/edits/describe.py writes them, and back. @param {string} text */
const fromRuns = text => text.split(',').flatMap(run => {
  const [first, last = first] = run.split('-').map(Number);
  return last - first < 1e4 ? Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i) : [];
});

/** @param {number[]} numbers in order */
function toRuns(numbers) {
  /** @type {number[][]} */
  const runs = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last && number === last[last.length - 1] + 1) last.push(number);
    else runs.push([number]);
  }
  return runs.map(run => (run.length > 2 ? `${run[0]}-${run[run.length - 1]}` : run.join(','))).join(',');
}

/** What edits switch off. @param {string} edits as an address spells them @param {Model} model @returns {Changed} */
export function parse(edits, model) {
  /** @type {Changed} */
  const found = { off: new Set(), others: [] };
  for (const text of edits.split(';').filter(Boolean)) {
    const [, at = '', step = '', runs] = EDIT.exec(text) ?? [], layer = Number(at), block = BLOCKS.indexOf(step);
    const heads = step !== HEADS ? [] : runs ? fromRuns(runs) : Array.from({ length: model.heads }, (_, i) => i);
    if (!step || layer >= model.layers || (block >= 0 && runs) || heads.some(head => head >= model.heads)) found.others.push(text);
    else if (block >= 0) found.off.add(key(layer, model.heads + block));
    else heads.forEach(head => found.off.add(key(layer, head)));
  }
  return found;
}

/** The same as an address spells it. @param {Changed} changed @param {Model} model */
export function spell({ off, others }, model) {
  const all = [];
  for (let layer = 0; layer < model.layers; layer++) {
    const heads = Array.from({ length: model.heads }, (_, i) => i).filter(head => off.has(key(layer, head)));
    if (heads.length) all.push(`layers.${layer}.${HEADS}:zero:h=${toRuns(heads)}`);
    BLOCKS.forEach((step, i) => { if (off.has(key(layer, model.heads + i))) all.push(`layers.${layer}.${step}:zero`); });
  }
  return [...all, ...others].join(';');
}

/** Whether an address can hold edits. @param {string} edits */
export const fits = edits => edits.length <= MOST_TEXT;

/** Whether a switch is off; that of a layer is where both of its blocks are. @param {Set<string>} off @param {Place} place @param {Model} model */
export const isOff = (off, { layer, column }, model) => (column < model.heads + BLOCKS.length ? off.has(key(layer, column)) : BLOCKS.every((_, i) => off.has(key(layer, model.heads + i))));

/** Whether a part is off with another that says so: a head with its attention, a block with its layer. @param {Set<string>} off @param {Place} place @param {Model} model */
export function falls(off, { layer, column }, model) {
  const { heads } = model, above = column < heads ? heads : heads + BLOCKS.length;
  return column < heads + BLOCKS.length && !(column < heads && off.has(key(layer, column))) && isOff(off, { layer, column: above }, model);
}

/** What is off after a switch was pressed. @param {Set<string>} off @param {Place} place @param {Model} model */
export function pressed(off, place, model) {
  const now = new Set(off), { layer, column } = place;
  const keys = column < model.heads + BLOCKS.length ? [key(layer, column)] : BLOCKS.map((_, i) => key(layer, model.heads + i));
  for (const one of keys) {
    if (isOff(off, place, model)) now.delete(one);
    else now.add(one);
  }
  return now;
}

/** The switches that say what is off: a whole layer in place of its two blocks. @param {Set<string>} off @param {Model} model @returns {Place[]} */
export function places(off, model) {
  const found = [];
  for (let layer = 0; layer < model.layers; layer++) {
    const columns = Array.from({ length: columnsOf(model) }, (_, column) => ({ layer, column })).filter(place => isOff(off, place, model));
    const whole = columns.some(place => place.column === model.heads + BLOCKS.length);
    found.push(...columns.filter(place => !whole || place.column < model.heads || place.column === model.heads + BLOCKS.length));
  }
  return found;
}

/** What a switch is called within a sentence. @param {Place} place @param {Model} model */
export function nameOf({ layer, column }, model) {
  if (column < model.heads) return say('part_head', { head: column, layer });
  return say(['part_attention', 'part_feed_forward', 'part_layer'][column - model.heads], { layer });
}

/** How a finding begins: what is off. @param {Changed} changed @param {Model} model */
export function beginning({ off, others }, model) {
  const all = places(off, model), count = all.length + others.length;
  if (others.length) return count > 1 ? say('with_changes', { count }) : say('with_change');
  if (count > 2) return say('without_parts', { count });
  return count === 2 ? say('without_two', { part: nameOf(all[0], model), other: nameOf(all[1], model) }) : say('without_part', { part: nameOf(all[0], model) });
}

/** The words at the gap, with their shares as they are and without one part alone; [] where that was not tried. @param {Packet} run @param {Packet | null} tried of level 7 @param {Place} place @returns {Share[]} */
export function alone(run, tried, { layer, column }) {
  const { off, model } = run.about, head = column < model.heads;
  const of = head ? off : tried && factsOf(tried), numbers = head ? run.arrays.off : tried?.arrays.parts;
  if (!of || !numbers) return [];
  return of.words.map((word, i) => ({ word, before: of.shares?.[i] ?? NaN, after: head ? at(numbers, layer, column, i) : at(numbers, layer, column - model.heads, i) }));
}

/** How much of the first guess's share is lost without a part alone, or how far the output changes where nothing is guessed; NaN where that was not tried. @param {Packet} run @param {Packet | null} tried @param {Place} place */
export function effect(run, tried, place) {
  if (tried?.arrays.change) return at(tried.arrays.change, place.layer, place.column);
  const [first] = alone(run, tried, place);
  return first ? first.before - first.after : NaN;
}

/** The words to draw, the likeliest first: the likeliest before and after, and what gains most. @param {Share[]} all @param {number} most @returns {Share[]} */
export function drawn(all, most = 5) {
  const known = all.some(one => Number.isFinite(one.after));
  const gain = (/** @type {Share} */ one) => one.after - one.before;
  /** @param {(one: Share) => number} by */
  const best = by => [...all].sort((a, b) => by(b) - by(a));
  const wanted = [...new Set([...all.slice(0, 2), ...(known ? [best(one => one.after)[0], best(gain)[0], best(one => one.after)[1]] : []), ...all])].slice(0, most);
  return wanted.filter(Boolean).sort((a, b) => (known ? b.after - a.after : 0) || all.indexOf(a) - all.indexOf(b));
}

/** @template T @param {T[]} found @param {T[]} else_ */
export const or = (found, else_) => (found.length ? found : else_);

/** Whether a share grows by more than a little of what it was. @param {Share} one */
export const grows = ({ before, after }) => after - before >= LITTLE * before;

/** The word besides the first guess that gains most. @param {Share[]} all */
export const riser = all => all.slice(1).reduce((best, one) => (one.after - one.before > best.after - best.before ? one : best), all[1] ?? all[0]);

/** What a guess becomes, as a sentence. @param {string} start how it begins @param {Share[]} all the first guess first */
export function becomes(start, all) {
  const [first] = all;
  if (!first || !Number.isFinite(first.after)) return parts('switch_no_numbers', { start });
  const now = all.reduce((best, one) => (one.after > best.after ? one : best), first), most = riser(all);
  const [before, after] = both(first.before, first.after), given = { start, first: first.word, before, after };
  if (now !== first) return parts('switch_turns', { ...given, word: now.word, share: now.after });
  if (Math.abs(first.after - first.before) < LITTLE * first.before) return parts(before === after ? 'switch_stays' : 'switch_little', given);
  if (first.after > first.before) return parts('switch_rises', given);
  return most.after - most.before >= GAINED * (first.before - first.after) ? parts('switch_falls_rises', { ...given, word: most.word, share: most.after }) : parts('switch_falls', given);
}

/** The largest of some effects on either side, and where colours end: nothing goes beyond. @param {number[]} all @param {number} [whole] of what the effects are parts */
export function ends(all, whole = 1) {
  const some = all.filter(Number.isFinite), lost = Math.max(0, ...some), gained = Math.max(0, ...some.map(value => -value));
  return { lost, gained, most: Math.max(lost, gained, LITTLE * whole) };
}

/**
 * A sentence with a word in it hidden, so that the model guesses it; null where the word cannot be found in the text.
 * @param {Packet} run @param {import('./run.js').Word} word @param {{sentence: string, second: string, hidden: number[]}} of
 */
export function masked(run, word, { sentence, second, hidden }) {
  const texts = [sentence, second], from = [0, 0], mask = maskToken(run);
  if (mask === null) return null;
  for (const each of words(run)) {
    const gap = (/** @type {string} */ text, /** @type {number} */ at) => TYPED.exec(text.slice(at))?.[0] ?? each.name;
    const names = texts.map((text, i) => (each.gap ? gap(text, from[i]) : each.name.endsWith('…') ? each.name.slice(0, -1) : each.name));
    const found = texts.map((text, i) => text.toLowerCase().indexOf(names[i].toLowerCase(), from[i])), i = found[0] >= 0 && !from[1] ? 0 : 1;
    const name = names[i];
    if (!name || found[i] < 0) return null;
    const end = found[i] + name.length;
    if (each === word) {
      const rest = each.name === name ? '' : /^[\p{L}\p{N}\p{M}]*/u.exec(texts[i].slice(end))?.[0] ?? '';
      texts[i] = `${texts[i].slice(0, found[i])}${mask}${texts[i].slice(end + rest.length)}`;
      const last = word.position + word.count - 1;
      return { sentence: texts[0], second: texts[1], hidden: [...new Set(hidden.map(place => (place > last ? place - word.count + 1 : Math.min(place, word.position))))] };
    }
    from[i] = end;
  }
  return null;
}

// @ts-check
// Sentences from patterns and their arguments, as encoder/packet says them in Python: one table of patterns, one of cases.
import patterns from '../packet/patterns.json' with { type: 'json' };
import { percent, points, short, tight, typeset } from './number.js';

/** `to` is where a number of it stands in the run. @typedef {{text: string, name: string, format: string, to?: import('./store.js').Place}} Part */
/** @typedef {Record<string, string | number>} Given */
const SLOT = /\{(\w+)(?::(\w+))?\}/;
/** @type {Record<string, (value: number) => string>} */
const FORMATS = { percent: value => percent(value), share: value => percent(value, 1), points: value => points(value), short, int: String };

/**
 * The parts of a sentence in order: words of the pattern, which have no name, and arguments as they are written.
 * @param {string} key
 * @param {Given} given
 * @returns {Part[]}
 */
export function parts(key, given) {
  const pattern = /** @type {Record<string, {text: string, args: Record<string, string>}>} */ (patterns)[key];
  if (!pattern) throw new Error(`no sentence is called ${key}`);
  return pattern.text.split(/(\{[^}]*\})/).filter(Boolean).map(text => {
    const [, name, format] = SLOT.exec(text) ?? [];
    if (!name) return { text, name: '', format: '' };
    const kind = format ?? pattern.args[name], value = given[name];
    if (value === undefined) throw new Error(`the sentence ${key} lacks its ${name}`);
    return { text: typeof value === 'number' && kind in FORMATS ? FORMATS[kind](value) : String(value), name, format: kind };
  });
}

/** Two sentences, one behind the other. @param {Part[]} one @param {Part[]} other @returns {Part[]} */
export const behind = (one, other) => (one.length && other.length ? [...one, { text: ' ', name: '', format: '' }, ...other] : [...one, ...other]);

/** Parts of which the numbers of a name open. @param {Part[]} all @param {string} name @param {import('./store.js').Place | null} to @returns {Part[]} */
export const opening = (all, name, to) => (to ? all.map(part => (part.name === name ? { ...part, to } : part)) : all);

/** A sentence. @param {string} key @param {Given} [given] */
export const say = (key, given = {}) => parts(key, given).map(part => part.text).join('');

/** A part as it is set in a picture: a number with its minus, a share as in the cells beside it; words as they are. @param {Part} part */
export const set = ({ text, format }) => (format === 'share' ? tight(text) : format in FORMATS ? typeset(text) : text);

/** A sentence as it is set in a picture. @param {string} key @param {Given} [given] */
export const said = (key, given = {}) => parts(key, given).map(set).join('');

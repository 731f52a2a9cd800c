// @ts-check
// How numbers are written in the browser: the texts of encoder/support/formatting.py, to the letter. No page, no canvas.

const WHOLE = 1 - 1e-6; // a share from here on is 1 but for the rounding of sums in float32
const NO_NUMBER = 'no number';

/** How infinities are written, and what is no number. @param {number} value */
const notFinite = value => (Number.isNaN(value) ? NO_NUMBER : value < 0 ? '-\u221e' : '\u221e');

/** A size with so many digits times a power of ten: "1.235e+04". @param {number} size @param {number} digits */
function power(size, digits) {
  const [mantissa, exponent] = size.toExponential(digits - 1).split('e');
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

/**
 * A number with four significant digits; a power of ten where it is large or small.
 * @param {number} value
 */
export function short(value) {
  if (!Number.isFinite(value)) return notFinite(value);
  const near = Number(Math.abs(value).toPrecision(4));
  return (value < 0 ? '-' : '') + (near && (near < 1e-4 || near >= 1e4) ? power(Math.abs(value), 4).replace(/\.?0+e/, 'e') : String(near));
}

/**
 * A number with three significant digits, or so many; rounding errors and what is from 1e9 on as powers of ten.
 * @param {number} value
 * @param {number} [digits]
 */
export function brief(value, digits = 3) {
  if (!Number.isFinite(value)) return notFinite(value);
  const sign = value < 0 ? '-' : '', size = Math.abs(value);
  if (size > 0 && size < 1e-3) return sign + power(size, 2);
  const near = Number(size.toPrecision(digits));
  if (near < 1000) return sign + String(near);
  return sign + (near < 1e9 ? Number(size.toFixed(0)).toLocaleString('en-US') : near.toExponential().replace('e+', 'e'));
}

/**
 * A share from 0 to 1, or a difference of two, as a percentage with two or three digits: "71 %". With `least` = 1 in whole percents,
 * where there is little room. Nothing but 1 is "100 %".
 * @param {number} share
 * @param {number} [least]
 */
export function percent(share, least = 0.01) {
  if (!Number.isFinite(share)) return NO_NUMBER;
  const value = Math.abs(100 * share), sign = share < 0 ? '-' : '';
  const [below, above] = sign ? ['over ', 'under '] : ['under ', 'over '];
  if (value === 0 && least < 1) return '0 %';
  if (Math.abs(share) >= WHOLE && Math.abs(share) < 1) return `${sign}100 %`;
  if (value >= 1000) return `${sign}${brief(value)} %`;
  const near = Number(least === 1 || value >= 100 ? value.toFixed(0) : value > 99 ? value.toFixed(1) : value.toPrecision(2));
  if (near === 0 || (least < 1 && value < least)) return `${below}${sign}${least} %`;
  if (value < 100 && near >= 100) return `${above}${sign}${least === 1 ? '99' : '99.9'} %`;
  return `${sign}${near} %`;
}

const MOST_DIGITS = 7; // that a float32 has

/** Two shares with as many digits as it takes to tell them apart. @param {number} before @param {number} after @returns {[string, string]} */
export function both(before, after) {
  /** @type {[string, string]} */
  let texts = [percent(before), percent(after)];
  for (let digits = 3; texts[0] === texts[1] && before !== after && digits <= MOST_DIGITS; digits++) {
    const text = (/** @type {number} */ share) => `${Number((100 * share).toPrecision(digits))} %`;
    texts = [text(before), text(after)];
  }
  return texts;
}

/** From one share to another, where there is little room. @param {number} before @param {number} after */
export const fromTo = (before, after) => both(before, after).map(tight).join(' → ');

/** How many points a share falls, as both shares are told: "7" from "85 %" to "78 %", "0.5" from "9 %" to "8.5 %"; all that is lost of one share with as many places. @param {number} before @param {number} after */
export function pointsLost(before, after) {
  const [from, to] = both(before, after).map(text => Number(/[\d.]+/.exec(text))), places = from >= 10 ? 0 : from >= 1 ? 1 : 2;
  return typeset((Math.round((from - to) * 10 ** places) / 10 ** places || 0).toFixed(places));
}

/**
 * The difference of two shares in percentage points: from 0.5 to 0.71 it is "21 points".
 * @param {number} difference
 * @param {number} [least]
 */
export function points(difference, least = 0.01) {
  const said = percent(difference, least);
  if (said === NO_NUMBER) return said;
  const size = said.slice(0, -2);
  return `${size} ${/(^|[ -])1$/.test(size) ? 'point' : 'points'}`;
}

/**
 * A number that was sent in steps, and so may be off by `within`: with no digit that is not sure but for one unit.
 * @param {number} value
 * @param {number} within
 * @param {number} [digits] significant ones at most
 */
export function sure(value, within, digits = 3) {
  if (!Number.isFinite(value) || !(within > 0) || value === 0) return brief(value, digits);
  const places = Math.floor(-Math.log10(2 * within));
  const most = Math.min(digits, Math.floor(Math.log10(Math.abs(value))) + 1 + places);
  if (most < 1) return value.toFixed(Math.max(0, places)).replace(/^-(0\.?0*)$/, '$1');
  const near = Number(value.toPrecision(most));
  return Math.abs(near) < 1e-3 && most === 1 ? (near < 0 ? '-' : '') + power(Math.abs(near), 1) : brief(near, most);
}

/** How many digits after the point numbers of a sum have. @param {number[]} all */
function placesToAdd(all) {
  const most = Math.max(...all.map(Math.abs));
  return most >= 1000 ? 0 : most >= 100 ? 1 : most >= 1 ? 2 : 3;
}

/** The texts of numbers that add up to a total, so that they still do where they are rounded. @param {number[]} values @param {number} total @param {number} [places] digits after the point */
export function addingUp(values, total, places = placesToAdd([...values, total])) {
  const one = 10 ** places;
  const units = values.map(value => Math.round(value * one)), off = Math.round(total * one) - units.reduce((sum, unit) => sum + unit, 0), order = values.map((_, i) => i);
  order.sort((a, b) => Math.sign(off) * (values[b] * one - units[b] - values[a] * one + units[a])).slice(0, Math.abs(off)).forEach(i => { units[i] += Math.sign(off); });
  const text = (/** @type {number} */ unit) => (unit / one || 0).toFixed(places);
  return { values: units.map(text), total: text(Math.round(total * one)) };
}

/** The text of a number as it is set in a picture: a minus, and no break before the sign. Never of words, which have hyphens of their own. @param {string} text */
export const typeset = text => text.replaceAll('-', '\u2212').replaceAll(' %', '\u00a0%');

/** The same where there is little room: "<1 %". @param {string} text */
export const tight = text => typeset(text).replace('under ', '<\u00a0').replace('over ', '>\u00a0');

/** A share, or a difference of two, as it stands in a cell: in whole percents without their sign. @param {number} share */
export const inCell = share => (Number.isNaN(share) ? '–' : !share ? '' : Math.abs(share) < 0.005 ? '·' : tight(percent(share, 1)).replace(/\u00a0%?/g, ''));

/** A number with its sign. @param {number} value @param {number} [places] */
export const signed = (value, places = 2) => typeset(`${value > 0 ? '+' : ''}${value.toFixed(places)}`).replace(/^[+\u2212](0\.0+)$/, '$1');

/** How many places numbers up to this one need, so that the largest has three digits. @param {number} most */
export const placesOf = most => Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(most) || 1))));

/** The texts of numbers that stand in a row or a sum: all with as many places, so that the largest has three digits, or so many. @param {ArrayLike<number>} values @param {number} [digits] */
export function inRow(values, digits = 3) {
  const all = Array.from(values), most = Math.max(0, ...all.map(Math.abs).filter(Number.isFinite));
  let places = Math.max(0, placesOf(most) + digits - 3);
  while (places > 0 && all.every(value => Number(value.toFixed(places - 1)) === Number(value.toFixed(places)))) places--; // zeros that all would end in
  return all.map(value => (most > 0 && most < 1e-3 ? typeset(brief(value)) : !Number.isFinite(value) ? notFinite(value) : value === 0 ? '0' : typeset(value.toFixed(places)).replace(/^\u2212(0\.?0*)$/, '$1')));
}

/** A sum as it is written, all its numbers with as many places; "≈" where what is printed does not add up in its last digit. @param {number[]} values @param {number} total */
export function written(values, total) {
  const texts = inRow([...values, total], 4), units = texts.map(text => Math.round(Number(text.replace('\u2212', '-')) * 1e6));
  return `${texts.slice(0, -1).map((text, i) => (i && values[i] < 0 ? `(${text})` : text)).join(' + ')} ${units.slice(0, -1).reduce((sum, one) => sum + one, 0) === units.at(-1) ? '=' : '≈'} ${texts.at(-1)}`;
}

/** How many times as likely: the power of e of a lead. @param {number} lead */
export function times(lead) {
  const ratio = Math.exp(Math.abs(lead));
  return ratio < 10 ? ratio.toFixed(1) : ratio < 1e4 ? many(Math.round(ratio)) : ratio < 1e12 ? many(Number(ratio.toPrecision(2))) : ratio.toExponential(1);
}

/** A number of things. @param {number} count */
export const many = count => count.toLocaleString('en-US');

// @ts-check
// Where a number stands in a run, as an address spells it; and formulas as MathML.

/** @typedef {{step: string, index: number[]}} Place */

export const OPEN = 'encoder:number'; // the event by which a picture has a number opened, wherever it is drawn

/** A place as an address spells it: "layers.0.attention.weights:1,8,3". @param {Place} place */
export const spelled = ({ step, index }) => `${step}:${index.join(',')}`;

/** The place that a text spells; null where it is none. @param {string} text @returns {Place | null} */
export function placeOf(text) {
  const found = /^([\w.]{1,200}):(\d{1,9}(?:,\d{1,9}){0,7})$/.exec(text);
  return found && { step: found[1], index: found[2].split(',').map(Number) };
}

/** A formula as an element. @param {string} text MathML, which a server of ours wrote */
export function mathml(text) {
  const read = new DOMParser().parseFromString(text.replace(/&(?!#)\w+;/g, ''), 'application/xml').documentElement;
  return document.importNode(read, true);
}

/** Has the drawer open a number. @param {Place} place */
export const open = place => document.dispatchEvent(new CustomEvent(OPEN, { detail: spelled(place) }));

/** What was touched last, and where it stood then. @type {{element: Element | null, top: number, y: number}} */
export const touched = { element: null, top: 0, y: 0 };
globalThis.document?.addEventListener('pointerdown', event => {
  const [element] = event.composedPath();
  if (element instanceof Element) Object.assign(touched, { element, top: element.getBoundingClientRect().top, y: event.clientY });
}, true);

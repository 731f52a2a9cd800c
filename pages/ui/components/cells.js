// @ts-check
// The cells of a map: how they are unpacked, which one lies under the pointer, and where the arrow keys lead.

/** @typedef {[number, number]} Cell row and column */
/** @typedef {{ left: number, top: number, width: number, height: number }} Box */

/** @type {Record<string, Cell>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * The bytes of a text in base64. The browser's own way takes a hundredth of the time, where it has one.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer>}
 */
export const bytes = text => /** @type {any} */ (Uint8Array).fromBase64?.(text) || Uint8Array.from(atob(text), c => c.charCodeAt(0));

/** The whole number from 0 to count - 1 that is nearest to a number. @param {number} value @param {number} count */
export const within = (value, count) => Math.max(0, Math.min(count - 1, Math.floor(value)));

/**
 * The cell under a point of the screen, in a map of so many rows and columns that fills a box.
 * @param {number} x
 * @param {number} y
 * @param {Box} box
 * @param {number} rows
 * @param {number} columns
 * @returns {Cell}
 */
export function cellUnder(x, y, box, rows, columns) {
  return [within(((y - box.top) / box.height) * rows, rows), within(((x - box.left) / box.width) * columns, columns)];
}

/**
 * Where a key leads from a cell: its neighbour, or itself at the edge; null for a key that does not move.
 * @param {Cell} at
 * @param {string} key
 * @param {number} rows
 * @param {number} columns
 * @returns {Cell | null}
 */
export function moved(at, key, rows, columns) {
  const step = STEPS[key];
  return step ? [within(at[0] + step[0], rows), within(at[1] + step[1], columns)] : null;
}

/**
 * The colours of a map as the pixels of an image, four bytes each: indices into a palette of 3 bytes each; others are clear.
 * @param {number[]} levels
 * @param {Uint8Array} palette
 */
export function pixels(levels, palette) {
  const found = new Uint8ClampedArray(4 * levels.length);
  levels.forEach((level, p) => {
    if (!(3 * level in palette)) return;
    found[4 * p] = palette[3 * level];
    found[4 * p + 1] = palette[3 * level + 1];
    found[4 * p + 2] = palette[3 * level + 2];
    found[4 * p + 3] = 255;
  });
  return found;
}

// @ts-check
// Of the film of a training: shares as they were packed, labels apart, where a step stands. Numbers alone; no page.

/** The bytes of a text in base64. @param {string} text */
export const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/** Shares that were sent as numbers of 16 bits, the low ones first. @param {string} packed */
export const unpacked = packed => {
  const bytes = bytesOf(packed);
  return Float64Array.from({ length: bytes.length / 2 }, (_, i) => (bytes[2 * i] + 256 * bytes[2 * i + 1]) / 65535);
};

/** Heights of labels that may lie too close, moved apart in their order and kept above the foot. @param {number[]} heights @param {number} apart @param {number} foot */
export function spread(heights, apart, foot) {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a] - heights[b]), placed = [...heights];
  order.forEach((at, k) => { if (k) placed[at] = Math.max(placed[at], placed[order[k - 1]] + apart); });
  order.reverse().forEach((at, k) => { placed[at] = Math.min(placed[at], k ? placed[order[k - 1]] - apart : foot); });
  return placed;
}

/** Where a step stands among others, in order: between two of them by its logarithm. @param {number[]} steps @param {number} step */
export function placeOf(steps, step) {
  const after = steps.findIndex(one => one >= step), log = (/** @type {number} */ one) => Math.log(one + 1);
  if (after < 0) return steps.length - 1;
  return after && steps[after] > step ? after - 1 + (log(step) - log(steps[after - 1])) / (log(steps[after]) - log(steps[after - 1])) : after;
}

// @ts-check
// Arcs from one word to others: where they run and how thick they are. Numbers in, numbers and paths out; no page.

/** A word's place, in pixels: its left, top, width and height. @typedef {{x: number, y: number, w: number, h: number}} Box */
/** An arc to word `to`: its path, its width, and whether it is the one that says most. @typedef {{to: number, path: string, width: number, most: boolean}} Arc */
/** `across` for words on one line, `down` for words in a column, `lines` for words on several lines. @typedef {'across' | 'down' | 'lines'} Way */

const THINNEST = 1.2, LEAST = 0.0005; // pixels, share: below it nothing is drawn
const STEEP = 1; // as far beside as below: from here on a curve from line to line would lie flat, and goes over the upper line
const MOST = 12; // arcs among words on several lines: more cannot be told apart

/** How thick an arc of a share is. @param {number} share @param {number} thickest */
const widthOf = (share, thickest) => Math.max(THINNEST, share * thickest);

/** @param {number} value */
const px = value => String(Math.round(value * 10) / 10);

/**
 * The arcs from a word, the thinnest first so that thick ones lie above.
 * @param {{boxes: Box[], from: number, shares: number[], way: Way, room: number, thickest: number}} given `room` is what arcs may
 *   take above the words, or beside them where they stand in a column
 * @returns {Arc[]}
 */
export function arcs({ boxes, from, shares, way, room, thickest }) {
  const a = boxes[from];
  if (!a) return [];
  const top = shares.reduce((best, share, i) => (share > shares[best] ? i : best), 0);
  const drawn = shares.map((share, to) => ({ share, to })).filter(({ share, to }) => to !== from && boxes[to] && share >= LEAST);
  drawn.sort((p, q) => p.share - q.share);
  const kept = way === 'lines' ? drawn.filter(({ share }) => share >= 0.01).slice(-MOST) : drawn;
  const far = Math.max(1, ...boxes.map(b => (way === 'down' ? Math.abs(b.y - a.y) : Math.abs(middle(b) - middle(a)))));
  return kept.map(({ share, to }) => {
    const b = boxes[to], width = widthOf(share, thickest);
    const path = way === 'down' ? beside(a, b, reach(Math.abs(b.y - a.y) / far, room - width))
      : way === 'lines' && isSteep(a, b) ? between(a, b) : above(a, b, reach(Math.abs(middle(b) - middle(a)) / far, room - width));
    return { to, path, width, most: to === top };
  });
}

/** @param {Box} box */
const middle = box => box.x + box.w / 2;

/** How far an arc goes out: near words less, the farthest all of the room. @param {number} share @param {number} room */
const reach = (share, room) => Math.max(4, room * (0.3 + 0.7 * Math.min(1, share)));

/** Over the words of a line, and down to the word of a lower one; a cubic reaches three quarters of where its handles are. @param {Box} a @param {Box} b @param {number} out */
function above(a, b, out) {
  const y = Math.min(a.y, b.y), up = px(y - out / 0.75);
  return `M${px(middle(a))} ${px(a.y)}C${px(middle(a))} ${up} ${px(middle(b))} ${up} ${px(middle(b))} ${px(b.y)}`;
}

/** Beside a column of words, whose ends are at the right. @param {Box} a @param {Box} b @param {number} out */
function beside(a, b, out) {
  const x = px(a.x + a.w + out / 0.75), right = px(a.x + a.w), y1 = px(a.y + a.h / 2), y2 = px(b.y + b.h / 2);
  return `M${right} ${y1}C${x} ${y1} ${x} ${y2} ${px(b.x + b.w)} ${y2}`;
}

/** Whether a word lies rather below or above another than beside it. @param {Box} a @param {Box} b */
const isSteep = (a, b) => Math.abs(a.y - b.y) > a.h / 2 && Math.abs(middle(b) - middle(a)) < STEEP * Math.abs(a.y - b.y);

/** From one line to another that is close by: out of one word's edge and into the other's. @param {Box} a @param {Box} b */
function between(a, b) {
  const down = b.y > a.y, y1 = down ? a.y + a.h : a.y, y2 = down ? b.y : b.y + b.h, half = (y2 - y1) / 2;
  return `M${px(middle(a))} ${px(y1)}C${px(middle(a))} ${px(y1 + half)} ${px(middle(b))} ${px(y2 - half)} ${px(middle(b))} ${px(y2)}`;
}

// @ts-check
// Where the arrows of a circuit run: words along one line, layers across it, and all that reaches the gap falls into one box. Numbers in, numbers and paths out; no page.

/** What a head takes from a word to another: `from` and `to` are places in the words, `share` of the change that comes with it alone; `wide` is how long its name is, where it has a length of its own. @typedef {{layer: number, head: number, from: number, to: number, share: number, wide?: number}} Arrow */
/** A word's middle, along the line, and where it ends across it. @typedef {{at: number, high: number}} Span */
/** `u` runs along the words, `v` across the layers. @typedef {{u: number, v: number}} Spot */
/**
 * An arrow as it is drawn: its path, how wide it is, where its name stands, and its tip where it ends at another word than the gap.
 * @typedef {{path: string, width: number, dot: Spot, name: Spot, tip: string}} Drawn
 */
/** `bands` are the layers that have arrows, `ways` the words' own vectors on their way down to them. @typedef {{bands: {layer: number, low: number, high: number}[], arrows: Drawn[], ways: {u: number, low: number, high: number}[], box: Spot, end: number}} Layout */

export const WHOLE = 54; // pixels of an arrow that carries all, where there is room
const THINNEST = 2;
const APART = 3; // between arrows that fall side by side
const BAND = 8; // between bands
const TIP = 15;
const FALL = 14; // from the last band to the box
const STILL = 10; // between a name and what it stands beside
const PLACES = [0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92]; // of an arrow, where its name may stand

/** @param {number} share @param {number} [whole] pixels of an arrow that carries all */
export const widthOf = (share, whole = WHOLE) => Math.max(THINNEST, Math.abs(share) * whole);

/** @param {number} value */
const px = value => String(Math.round(value * 10) / 10);

/**
 * @param {{arrows: Arrow[], words: Span[], gap: number, room: number, start: number, row: number, beside: number, whole?: number, name: Spot, box: Spot, head: number, down: boolean}} given
 *   `room` is how long the line is, `start` where the first band begins, `row` how much room an arrow has at least, `beside` what it has beside itself, `whole` how wide one is that carries all, `name` and `box` are the sizes of an arrow's name and of the box, `head` is what a band's own name takes at the beginning of the line; `down` says that the words stand in a column
 * @returns {Layout}
 */
export function layout({ arrows, words, gap, room, start, row, beside, whole, name, box, head, down }) {
  const widthAt = (/** @type {number} */ i) => widthOf(arrows[i].share, whole);
  const spot = (/** @type {Spot} */ { u, v }) => (down ? `${px(v)} ${px(u)}` : `${px(u)} ${px(v)}`), middle = words[gap].at;
  const layers = [...new Set(arrows.map(one => one.layer))].sort((a, b) => a - b), order = arrows.map((_, i) => i).sort((a, b) => arrows[a].layer - arrows[b].layer || arrows[b].share - arrows[a].share);
  /** @type {number[]} */
  const rows = [], bands = [];
  let v = start;
  for (const layer of layers) {
    const low = v;
    for (const i of order.filter(one => arrows[one].layer === layer)) {
      const high = Math.max(row, widthAt(i) + beside);
      rows[i] = v + high / 2;
      v += high;
    }
    bands.push({ layer, low, high: v });
    v += BAND;
  }
  const end = v + FALL, falling = order.filter(i => arrows[i].to === gap), before = falling.filter(i => words[arrows[i].from].at <= middle).reverse(), after = falling.filter(i => words[arrows[i].from].at > middle);
  const side = [...before, ...after], wide = side.reduce((sum, i) => sum + widthAt(i) + APART, -APART);
  /** @type {Map<number, number>} Where each that falls turns. */
  const turns = new Map();
  side.reduce((u, i) => { turns.set(i, u + widthAt(i) / 2); return u + widthAt(i) + APART; }, middle - wide / 2);

  /** What a name may not cover. @type {{low: Spot, high: Spot}[]} */
  const taken = [...bands.map(band => ({ low: { u: 0, v: band.low }, high: { u: head, v: band.low + Math.min(row, band.high - band.low) } })), ...[...turns].map(([i, u]) => ({ low: { u: u - widthAt(i) / 2 - 4, v: rows[i] + 16 }, high: { u: u + widthAt(i) / 2 + 4, v: end } })), ...order.filter(i => arrows[i].to !== gap).map(i => { const { at } = words[arrows[i].to]; return { low: { u: at - TIP, v: rows[i] - 1 }, high: { u: at + TIP, v: rows[i] + 1 } }; })];
  const area = (/** @type {Spot} */ at, /** @type {number} */ half) => ({ low: { u: at.u - half - 2, v: at.v - name.v / 2 - 1 }, high: { u: at.u + half + 2, v: at.v + name.v / 2 + 1 } });
  const meet = (/** @type {{low: Spot, high: Spot}} */ a, /** @type {{low: Spot, high: Spot}} */ b) => a.low.u < b.high.u && b.low.u < a.high.u && a.low.v < b.high.v && b.low.v < a.high.v;
  /** Where the name of an arrow stands: on it where it is long enough, else behind its beginning, beside its end. @param {number} from @param {number} to @param {number} at @param {number} width @param {number} [half] of its name */
  function named(from, to, at, width, half = name.u / 2) {
    const way = Math.sign(to - from) || (from > room / 2 ? -1 : 1), long = Math.abs(to - from) > half * 2.5;
    const beyond = half + STILL + width / 2, spots = (long ? PLACES.map(part => from + (to - from) * part) : [from - way * beyond, to + way * beyond, from + way * beyond]).map(u => ({ u, v: down ? Math.max(at, start + name.v / 2) : at }));
    const far = (/** @type {Spot} */ one) => Math.abs(one.u - (from + to) / 2);
    spots.push(...Array.from({ length: Math.floor(room / STILL) }, (_, i) => ({ u: i * STILL, v: spots[0].v })).sort((a, b) => far(a) - far(b)));
    const within = spots.filter(one => one.u - half >= 0 && one.u + half <= room), free = within.find(one => !taken.some(other => meet(area(one, half), other)));
    const found = free ?? within[0] ?? { u: Math.min(room - half, Math.max(half, spots[0].u)), v: spots[0].v };
    taken.push(area(found, half));
    return found;
  }
  /** @type {Drawn[]} */
  const drawn = [];
  for (const i of order) {
    const { from, to } = arrows[i], width = widthAt(i), at = rows[i], u = words[from].at, turn = turns.get(i), own = (arrows[i].wide ?? name.u) / 2;
    if (turn === undefined) {
      const goal = words[to].at, way = Math.sign(goal - u) || -1, stop = goal - way * TIP, half = Math.max(8, width / 2 + 5);
      const tip = u === goal ? '' : `M${spot({ u: goal, v: at })}L${spot({ u: stop, v: at - half })}L${spot({ u: stop, v: at + half })}Z`;
      drawn[i] = { path: `M${spot({ u, v: at })}L${spot({ u: u === goal ? u : stop, v: at })}`, width, dot: { u, v: at }, name: named(u, goal, at, width, own), tip };
    } else {
      const way = Math.sign(turn - u) || 1, far = Math.abs(turn - u), bend = Math.min(14 + width / 2, far);
      drawn[i] = { path: far < width / 2 ? `M${spot({ u: turn, v: at })}L${spot({ u: turn, v: end })}` : `M${spot({ u, v: at })}L${spot({ u: turn - way * bend, v: at })}Q${spot({ u: turn, v: at })} ${spot({ u: turn, v: at + Math.max(bend, 1) })}L${spot({ u: turn, v: end })}`, width, dot: { u, v: at }, name: named(u, turn, at, width, own), tip: '' };
    }
  }
  const goes = (/** @type {number} */ i) => arrows.flatMap(({ from, to }, j) => (from === i || (to === i && i !== gap) ? [rows[j]] : []));
  const ways = words.flatMap(({ at: u, high: low }, i) => {
    const reached = goes(i);
    return reached.length ? [{ u, low, high: Math.max(...reached) }] : i === gap ? [{ u, low, high: falling.length ? Math.min(...falling.map(one => rows[one])) : end }] : [];
  });
  return { bands, arrows: drawn, ways, box: { u: Math.min(room - box.u / 2, Math.max(box.u / 2, middle)), v: end + box.v / 2 }, end: end + box.v };
}

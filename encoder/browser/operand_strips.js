// @ts-check
// The operands of a number of Attention as strips, its sum below them, and the motion that leads from the one to the other.
import { coloursOf, inPage, sized, watched } from './canvas.js';
import { AS_IS, densityOf, el, put, themeOf, write } from './dom.js';
import { colourOf, css, cut, gradientOn, inkOn } from './grid.js';
import { html, nothing, render as into } from './lit.js';
import { brief, percent, tight, typeset } from './number.js';
import { placed } from './operands.js';
import { TYPED } from './run.js';

/** @typedef {import('./operands.js').Operands} Operands */
/** @typedef {import('./operands.js').Strip} Strip */
/** @typedef {import('./operands.js').Kind} Kind */
/** @typedef {{x: number, y: number, wide: number, high: number}} Box */
/** `key` names what is drawn, `moving` a motion, 0 for none; it waits until all operands are `ready`. `ends` are those of the result's colours in the picture, `form` writes the number of a cell, `proof` says how the sum agrees with the run. @typedef {{key: string, operands: Operands, moving: number, ready: boolean, ends: {low: number, high: number}, form: (value: number) => string, label: string, proof: string, agrees: boolean}} View */
/** What a drawing needs. @typedef {{pen: CanvasRenderingContext2D, view: View, boxes: Box[], t: number, theme: import('./grid.js').Theme, colours: import('./canvas.js').Colours, font: string, left: number, room: number}} Scene */

const MOTION = 1400; // ms from the operands to the result
const STILL = matchMedia('(prefers-reduced-motion: reduce)');
const HIGH = 24, GAP = 6, FALL = 44, NAMES = 18, RULER = 20, READ = 22, NAMED = 34, LETTERS = 13; // px of a strip, between two, from one to what it goes into, of names, of a scale, of a cell that is read, of one with a name, of its letters at most

/** A part of a motion, from 0 to 1. @param {number} t @param {number} from @param {number} to */
const part = (t, from, to) => Math.min(1, Math.max(0, (t - from) / (to - from)));
/** @param {number} t */
const eased = t => t * t * (3 - 2 * t);

/** How high the strips of a kind stand, and what stands between them. @param {Operands} operands @param {number} i @returns {[high: number, after: number]} */
function heights({ kind, strips }, i) {
  const last = i === strips.length - 1;
  if (kind === 'joined') return last ? [HIGH, 0] : [Math.max(3, Math.min(12, Math.floor(130 / strips.length))), i === strips.length - 2 ? 14 : 1];
  if (kind === 'matrix') return [HIGH, last ? 4 : FALL];
  if (kind === 'dot') return [HIGH, last ? FALL + HIGH : GAP];
  if (kind === 'scaled' || (i === 0 && (kind === 'shares' || kind === 'masked'))) return [HIGH, RULER + (last ? 0 : GAP)];
  if (kind === 'shares' && last) return [HIGH, NAMES];
  if (kind === 'mixed') return [HIGH, i === strips.length - 2 ? 14 : last ? 4 : 3];
  return [HIGH, last ? 4 : GAP];
}

/** @param {Operands} operands @param {number} left @param {number} room */
function layout(operands, left, room) {
  let y = operands.names ? NAMES : 3;
  const boxes = operands.strips.map((_, i) => {
    const [high, after] = heights(operands, i), box = { x: left, y, wide: room - left - 2, high };
    y += high + after;
    return box;
  });
  return { boxes, high: y + 2 };
}

/** The largest of some numbers, by size. @param {ArrayLike<number>} values */
const most = values => Array.from(values).reduce((so, value) => (Number.isFinite(value) ? Math.max(so, Math.abs(value)) : so), 0) || 1;

/** A row of numbers as cells of colour, of which those up to a share of its width are there. @param {Scene} scene @param {Strip} strip @param {Box} box @param {{low: number, high: number}} ends @param {{to?: number, alpha?: number, texts?: ((i: number) => string) | null}} [how] */
function cells({ pen, theme, colours, font }, { values, parts, shut }, { x, y, wide, high }, ends, { to = 1, alpha = 1, texts = null } = {}) {
  const count = values.length, step = wide / count, gap = step >= 10 ? 1 : 0, named = texts && step >= READ;
  pen.font = `${LETTERS}px ${font}`;
  const longest = named ? Array.from(values, (_, i) => pen.measureText(texts(i)).width).reduce((a, b) => Math.max(a, b), 1) : 1;
  pen.globalAlpha = alpha;
  for (let i = 0; i < count * to; i++) {
    const colour = colourOf(shut?.[i] ? NaN : values[i], ends, parts, theme);
    pen.fillStyle = css(colour);
    pen.fillRect(x + i * step, y, Math.max(0.5, step - gap), high);
    if (!named) continue;
    pen.fillStyle = inkOn(colour);
    pen.font = `${LETTERS * Math.min(1, (step - 3) / longest)}px ${font}`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillText(texts(i), x + (i + 0.5) * step, y + high / 2 + 0.5);
  }
  pen.globalAlpha = 1;
  pen.lineWidth = 1;
  pen.strokeStyle = colours.line;
  pen.strokeRect(x - 0.5, y - 0.5, wide + 1, high + 1);
}

/** The frame of what is chosen in a row. @param {Scene} scene @param {Box} box @param {number} at @param {number} count */
function framed({ pen, colours }, { x, y, wide, high }, at, count) {
  const step = wide / count, thick = Math.max(step, 5);
  pen.lineWidth = 2;
  pen.strokeStyle = colours.second;
  pen.strokeRect(x + (at + 0.5) * step - thick / 2, y - 1, thick, high + 2);
}

/** A text on the left of a row. @param {Scene} scene @param {string} text @param {Box} box @param {boolean} [strong] */
function called({ pen, colours, font, left }, text, { y, high }, strong = false) {
  pen.font = `${strong ? 600 : 400} ${Math.min(13, high + 1)}px ${font}`;
  pen.fillStyle = strong ? colours.ink : colours.muted;
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  pen.fillText(cut(pen, text, left - 10), left - 8, y + high / 2 + 0.5);
}

/** The names of tokens above their cells, where they have room; that of the chosen one always. @param {Scene} scene @param {Box} box */
function tokens({ pen, colours, font, view: { operands: { names, chosen } } }, { x, y, wide }) {
  if (!names) return;
  const step = wide / names.length, all = step >= NAMED;
  pen.textBaseline = 'alphabetic';
  names.forEach((name, i) => {
    if (!all && i !== chosen) return;
    pen.font = `${i === chosen ? 600 : 400} 12px ${font}`;
    pen.fillStyle = i === chosen ? colours.accent : colours.muted;
    pen.textAlign = all ? 'center' : i < names.length / 2 ? 'left' : 'right';
    const fits = !all || pen.measureText(name).width <= step - 2;
    pen.fillText(fits ? name : cut(pen, name.replace(TYPED, 'gap'), step - 2), all ? x + (i + 0.5) * step : i < names.length / 2 ? x + i * step : x + (i + 1) * step, y - 5);
  });
}

/** Where a term is on its way when t of the motion is over: they go one after the other. @param {number} t @param {number} i @param {number} count */
const fallen = (t, i, count) => eased(part(t, 0.55 * i / count, 0.55 * i / count + 0.35));

/** Terms that fall from a row into one number. @param {Scene} scene @param {ArrayLike<number>} terms @param {Box} from @param {{x: number, y: number}} to */
function falling({ pen, colours, t }, terms, from, to) {
  const count = terms.length, step = from.wide / count, largest = most(terms), y = from.y + from.high;
  pen.lineWidth = Math.max(0.7, Math.min(2.5, step / 3));
  for (let i = 0; i < count; i++) {
    const way = fallen(t, i, count), size = Math.abs(terms[i]) / largest, x = from.x + (i + 0.5) * step;
    if (!way || !(size > 0.004)) continue;
    pen.globalAlpha = 0.06 + 0.84 * size;
    pen.strokeStyle = terms[i] < 0 ? colours.second : colours.accent;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + way * (to.x - x), y + way * (to.y - y));
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** The sum of what has fallen, and at the end the number itself; NaN while nothing of it is there. @param {Operands} operands @param {number} t */
function sumSoFar({ kind, terms, total, strips, chosen }, t) {
  if (t >= 1) return total.value;
  if (terms) return Array.from(terms).reduce((sum, term, i) => sum + (fallen(t, i, terms.length) >= 1 && Number.isFinite(term) ? term : 0), 0);
  return kind === 'scaled' ? strips[0].values[chosen] + eased(part(t, 0.2, 0.9)) * (total.value - strips[0].values[chosen]) : NaN;
}

/** The scale of a row's colours below it, from the largest number below zero to the largest above. @param {Scene} scene @param {Box} box @param {number} high @param {number} wide as long as what it reaches */
function ruler({ pen, theme, colours, font }, box, high, wide) {
  const top = box.y + box.high + 7, ramp = pen.createLinearGradient(box.x, 0, box.x + wide, 0), beside = wide < box.wide / 2;
  for (const [at, colour] of gradientOn('signed', theme)) ramp.addColorStop(at, colour);
  pen.fillStyle = ramp;
  pen.fillRect(box.x, top, wide, 5);
  pen.font = `12px ${font}`;
  pen.fillStyle = colours.muted;
  pen.textBaseline = 'middle';
  pen.textAlign = beside ? 'left' : 'right';
  pen.fillText(`${typeset(`-${brief(high)}`)} to ${brief(high)}`, beside ? box.x + wide + 8 : box.x - 8, top + 3);
}

/** Names below a row, each with a line to what it names: the first ones, as long as there is room; beside its line's middle where that is taken. @param {Scene} scene @param {{text: string, at: number}[]} all @param {Box} box */
function under({ pen, colours, font }, all, { x, y, wide, high }) {
  /** @type {[from: number, to: number][]} */
  const taken = [];
  pen.font = `12px ${font}`;
  pen.textAlign = 'left';
  pen.textBaseline = 'alphabetic';
  for (const { text, at } of all) {
    const long = pen.measureText(text).width, middle = Math.max(x, Math.min(x + wide - long, at - long / 2));
    const [from] = [middle, ...taken.flatMap(([start, end]) => [end + 10, start - 10 - long])]
      .filter(one => one >= x && one + long <= x + wide && one <= at && at <= one + long && taken.every(([start, end]) => one >= end + 9 || one + long <= start - 9))
      .sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    if (from === undefined) break;
    taken.push([from, from + long]);
    pen.fillStyle = pen.strokeStyle = colours.muted;
    pen.beginPath();
    pen.moveTo(at, y + high);
    pen.lineTo(at, y + high + 4);
    pen.stroke();
    pen.fillText(text, from, y + high + 15);
  }
}

/** The largest of what is looked at in a row. @param {Strip} strip */
const mostOpen = ({ values, shut }) => most(Array.from(values, (value, j) => (shut?.[j] ? 0 : value)));

/** @type {Record<Kind, (scene: Scene) => void>} */
const DRAWN = {
  comes(scene) {
    const { view: { operands: { strips, chosen }, ends }, boxes, t } = scene;
    cells(scene, strips[0], boxes[0], ends, { to: eased(t) });
    called(scene, strips[0].name, boxes[0], true);
    framed(scene, boxes[0], chosen, strips[0].values.length);
  },
  matrix(scene) {
    const { view: { operands: { strips: [from, out], chosen, terms }, ends }, boxes: [above, below], t } = scene, high = most(from.values), step = below.wide / out.values.length;
    const own = { ...below, x: below.x + chosen * step, wide: step }, last = t >= 1 || !terms ? 1 : 0;
    cells(scene, from, above, { low: -high, high });
    if (terms) falling(scene, terms, above, { x: own.x + step / 2, y: below.y - 1 });
    // The others come out in the same way.
    cells(scene, out, below, ends, { alpha: last || part(t, 0.9, 1) });
    if (t > 0.5) cells(scene, { ...out, values: [out.values[chosen]] }, own, ends);
    framed(scene, below, chosen, out.values.length);
    called(scene, from.name, above);
    called(scene, out.name, below, true);
  },
  dot(scene) {
    const { pen, view: { operands: { strips, terms }, ends, form, operands }, boxes, t, theme, colours, font } = scene, count = strips[0].values.length, now = Math.floor(count * part(t, 0, 0.55)), below = boxes[2];
    strips.forEach((strip, i) => {
      const high = most(i === 2 ? strip.values : Array.from(strips[0].values).concat(Array.from(strips[1].values)));
      cells(scene, strip, boxes[i], { low: -high, high }, { to: i === 2 ? part(t, 0, 0.55) : 1 });
      called(scene, strip.name, boxes[i], i === 2);
    });
    if (t < 0.55) framed(scene, { ...boxes[0], high: boxes[2].y + boxes[2].high - boxes[0].y }, Math.min(now, count - 1), count);
    const box = { x: below.x + below.wide / 2 - 28, y: below.y + below.high + FALL - 4, wide: 56, high: HIGH }, sum = sumSoFar(operands, t), colour = colourOf(sum, ends, 'signed', theme);
    if (terms) falling(scene, terms, below, { x: box.x + box.wide / 2, y: box.y - 1 });
    pen.fillStyle = css(colour);
    pen.fillRect(box.x, box.y, box.wide, box.high);
    pen.fillStyle = inkOn(colour);
    pen.font = `600 14px ${font}`;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    pen.fillText(form(sum), box.x + box.wide / 2, box.y + box.high / 2 + 0.5);
    framed({ ...scene, colours }, box, 0, 1);
    called(scene, 'sum', box, true);
  },
  scaled(scene) {
    const { pen, view: { operands: { strips, chosen }, form }, boxes, t } = scene, way = eased(part(t, 0.2, 0.9)), first = most(strips[0].values);
    tokens(scene, boxes[0]);
    strips.forEach((strip, i) => {
      const end = most(strip.values), before = strips[Math.max(0, i - 1)].values, box = boxes[i], now = i ? Float32Array.from(strip.values, (value, j) => before[j] + way * (value - before[j])) : strip.values;
      const high = i ? most(before) + way * (end - most(before)) : end, wide = box.wide * high / first;
      if (i && !way) pen.globalAlpha = 0.35;
      cells(scene, { ...strip, values: now }, box, { low: -high, high }, { texts: j => form(now[j]) });
      framed(scene, box, chosen, strip.values.length);
      called(scene, strip.name, box, i === strips.length - 1);
      ruler(scene, box, high, wide);
    });
  },
  masked(scene) {
    const { pen, view: { operands: { strips, chosen }, form }, boxes, t, colours } = scene, high = mostOpen(strips[1]);
    tokens(scene, boxes[0]);
    strips.forEach((strip, i) => {
      const count = strip.values.length, step = boxes[i].wide / count, shut = strip.shut ?? [];
      cells(scene, strip, boxes[i], { low: -high, high }, { to: i ? eased(part(t, 0.15, 0.85)) : 1, texts: j => form(strip.values[j]) });
      for (let j = 0; j < count * part(t, 0.15, 0.85); j++) {
        if (!shut[j] || step < 4) continue;
        pen.strokeStyle = colours.muted;
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(boxes[i].x + j * step + 1, boxes[i].y + boxes[i].high - 1);
        pen.lineTo(boxes[i].x + (j + 1) * step - 2, boxes[i].y + 1);
        pen.stroke();
      }
      framed(scene, boxes[i], chosen, count);
      called(scene, strip.name, boxes[i], i > 0);
    });
    ruler(scene, boxes[0], high, boxes[0].wide);
  },
  shares(scene) {
    const { pen, view: { operands: { strips: [scores, powers, all], chosen }, ends, form }, boxes, t, theme, font } = scene, count = all.values.length;
    const high = mostOpen(scores);
    tokens(scene, boxes[0]);
    cells(scene, scores, boxes[0], { low: -high, high }, { texts: j => form(scores.values[j]) });
    cells(scene, powers, boxes[1], { low: 0, high: 1 }, { to: part(t, 0, 0.3), texts: j => (powers.values[j] < 5e-3 ? '0' : powers.values[j].toFixed(2)) });
    [scores, powers].forEach((strip, i) => { framed(scene, boxes[i], chosen, count); called(scene, strip.name, boxes[i]); });
    ruler(scene, boxes[0], high, boxes[0].wide);
    const box = boxes[2], whole = Array.from(all.values).reduce((sum, value) => sum + (Math.abs(value) || 0), 0), full = eased(part(t, 0.25, 1));
    const { names } = scene.view.operands, named = (/** @type {number} */ j) => `${names?.[j]}\u00a0${tight(percent(all.values[j], 1))}`;
    /** Slices without room for their names. @type {{j: number, at: number}[]} */
    const small = [];
    let x = 0;
    pen.save();
    pen.beginPath();
    pen.rect(box.x - 2, box.y - 2, box.wide * full + 4, box.high + 4);
    pen.clip();
    for (let j = 0; j < count && whole; j++) {
      const wide = box.wide * (Math.abs(all.values[j]) || 0) / whole, colour = colourOf(all.values[j], ends, 'share', theme);
      pen.fillStyle = css(colour);
      pen.fillRect(box.x + x, box.y, Math.max(0, wide - (wide > 3 ? 1 : 0)), box.high);
      pen.font = `${j === chosen ? 600 : 400} 12px ${font}`;
      pen.fillStyle = inkOn(colour);
      pen.textAlign = 'center';
      pen.textBaseline = 'middle';
      if (pen.measureText(named(j)).width < wide - 8) pen.fillText(named(j), box.x + x + wide / 2, box.y + box.high / 2 + 0.5);
      else small.push({ j, at: box.x + x + wide / 2 });
      if (j === chosen) framed(scene, { ...box, x: box.x + x, wide: Math.max(2, wide) }, 0, 1);
      x += wide;
    }
    pen.restore();
    pen.strokeStyle = scene.colours.line;
    pen.lineWidth = 1;
    pen.strokeRect(box.x - 0.5, box.y - 0.5, box.wide + 1, box.high + 1);
    if (full >= 1) under(scene, small.sort((a, b) => all.values[b.j] - all.values[a.j]).map(({ j, at }) => ({ text: named(j), at })), box);
    called(scene, whole ? `${Math.round(100 * full * Math.min(1, Math.max(whole, 0)) || 0)}\u00a0%` : 'none', box, true);
  },
  mixed(scene) {
    const { view: { operands: { strips, chosen }, ends }, boxes, t } = scene, shrunk = eased(part(t, 0.1, 0.5)), fell = eased(part(t, 0.5, 0.9)), out = strips.length - 1, target = boxes[out];
    let stacked = 0;
    strips.slice(0, out).forEach((strip, j) => {
      const size = Math.min(1, Math.abs(strip.share ?? 0)), box = boxes[j], high = box.high * (1 + shrunk * (size - 1)), thin = { ...box, y: box.y + (box.high - high) / 2, high: Math.max(0.6, high) };
      cells(scene, strip, thin, ends);
      called(scene, strip.name, box);
      if (fell > 0 && t < 1) cells(scene, strip, { ...thin, y: thin.y + fell * (target.y + stacked - thin.y) }, ends);
      stacked += target.high * size;
    });
    if (t >= 1) cells(scene, strips[out], target, ends);
    framed(scene, target, chosen, strips[out].values.length);
    called(scene, strips[out].name, target, true);
  },
  joined(scene) {
    const { pen, view: { operands: { strips, chosen, own }, ends }, boxes, t, colours } = scene, out = strips.length - 1, below = boxes[out], wide = below.wide / out, slid = eased(part(t, 0.05, 0.6)), fell = eased(part(t, 0.6, 1));
    pen.fillStyle = colours.soft;
    const lit = { x: below.x + own * wide, y: boxes[own].y, wide, high: below.y + below.high - boxes[own].y };
    if (t >= 1) pen.fillRect(lit.x, lit.y, lit.wide, lit.high);
    strips.slice(0, out).forEach((strip, head) => {
      const box = { ...boxes[head], x: below.x + slid * head * wide, wide: wide - 1 }, alpha = head === own ? 1 : 0.45;
      cells(scene, strip, box, ends, { alpha });
      if (fell > 0) cells(scene, strip, { ...box, wide, y: box.y + fell * (below.y - box.y), high: box.high + fell * (below.high - box.high) }, ends, { alpha });
      if (boxes[head].high >= 9 || head === own) called(scene, strip.name, { ...boxes[head], y: boxes[head].y - Math.max(0, 9 - boxes[head].high) / 2, high: Math.max(9, boxes[head].high) }, head === own);
    });
    pen.lineWidth = 1.5;
    pen.strokeStyle = colours.accent;
    pen.strokeRect(below.x + own * wide, below.y - 2, wide, below.high + 4);
    framed(scene, below, chosen, strips[out].values.length);
    called(scene, strips[out].name, below, true);
  },
};

/** The operands of one number, and their sum. */
export function operandStrips() {
  const canvas = el('canvas', { class: 'op-canvas', role: 'img' }), probe = el('i', { class: 'enc-probe', hidden: true }), paper = el('div', { class: 'op-paper' }, canvas), below = el('div');
  const element = el('div', { class: 'op' }, paper, below, probe), total = el('td', { class: 'op-total' }), pen = canvas.getContext('2d');
  /** @type {View | null} */
  let view = null;
  let drawn = '', frame = 0, moved = 0, began = -Infinity, room = 0;
  const unwatch = watched(paper, () => room, () => { drawn = ''; if (view) draw(view); });

  /** @param {View} given */
  function draw(given) {
    if (given.moving !== moved || !view?.ready) [moved, began] = [given.moving, given.moving ? performance.now() : -Infinity]; // what was waited for begins when it is here
    view = given;
    const { operands: { lines, total: sum, note, near }, proof, agrees, label, ready } = given, rows = ready ? lines : Array.from({ length: 5 }, () => ({ name: '\u00a0', how: '', text: '' })), name = (/** @type {string} */ text) => html`<th scope="row" translate=${AS_IS.translate} lang=${AS_IS.lang}>${text}</th>`;
    put(canvas, { 'aria-label': label });
    into(html`<table class="op-sum"><tbody>${rows.map(one => html`<tr>${name(one.name)}<td>${one.how}</td><td>${one.text}</td></tr>`)}</tbody>
      <tfoot><tr>${name(sum.name)}<td>${proof && agrees ? html`<span class="op-proof" role="img" aria-label=${proof} title=${proof}>✓</span>` : nothing}${near ? html`<span title="Each line is rounded, and so is the sum of them all"> ≈</span>` : nothing}</td>${total}</tr></tfoot></table>${[note, agrees ? '' : proof].filter(Boolean).map(text => html`<p class="op-note">${text}</p>`)}`, below);
    if (inPage(element, tick)) tick();
  }

  function tick() {
    cancelAnimationFrame(frame);
    if (!view || !pen) return;
    const waits = Boolean(view.moving && !view.ready && !STILL.matches), t = waits ? 0 : STILL.matches ? 1 : Math.min(1, (performance.now() - began) / MOTION);
    const colours = coloursOf(probe), theme = themeOf(colours.page), ratio = densityOf(paper), { operands } = view;
    room = paper.clientWidth || 500;
    const key = [view.key, room, ratio, theme, t, waits].join(' ');
    if (key !== drawn) {
      drawn = key;
      const font = getComputedStyle(element).fontFamily;
      pen.font = `600 13px ${font}`;
      const left = Math.round(Math.min(0.26 * room, 16 + Math.max(...operands.strips.map(strip => pen.measureText(strip.name).width)))), { boxes, high } = layout(operands, Math.max(left, ['scaled', 'shares', 'masked'].includes(operands.kind) ? 88 : 52), room);
      sized(canvas, room, high);
      put(canvas, { style: `width: ${room}px; height: ${high}px` });
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, room, high);
      DRAWN[operands.kind]({ pen, view, boxes, t, theme, colours, font, left: boxes[0].x, room });
    }
    const sum = sumSoFar(operands, t);
    below.classList.toggle('is-counting', t < 1); // nothing is ticked before it is there
    write(total, t >= 1 ? operands.total.text : Number.isNaN(sum) ? '' : placed(sum, operands.places));
    if (t < 1 && !waits) frame = requestAnimationFrame(tick);
  }

  return {
    element, draw,
    end() {
      cancelAnimationFrame(frame);
      unwatch();
    },
  };
}

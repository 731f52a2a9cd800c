// @ts-check
// The table of a row of Attention, the way back of a number, and the head that looks there most.
import { AS_IS, children, el, put, walkByKeys, write } from './dom.js';
import { percent, sure, tight, typeset } from './number.js';
import { at } from './packet.js';
import { said, say } from './say.js';

/** @typedef {import('./row.js').Table} Table */
/** @typedef {import('./row.js').Form} Form */
/** @typedef {import('./way_back.js').Sentence} Sentence */
/** @typedef {import('./way_back.js').Said} Said */

const FEW = 8; // lines before all are asked for

/** How many digits after the point the numbers of a column have, by the largest of them and by how far they may be off; -1 for powers of ten. @param {(number | string | null)[]} column @param {number} [within] */
function placesOf(column, within = 0) {
  const most = Math.max(0, ...column.map(value => (typeof value === 'number' && Number.isFinite(value) ? Math.abs(value) : 0)));
  if (most >= 1e6 || (most && most < 0.01)) return -1;
  const places = most >= 1000 || column.every(value => typeof value !== 'number' || Number.isInteger(value)) ? 0 : most >= 100 ? 1 : most >= 1 ? 2 : 3;
  return within > 0 ? Math.max(0, Math.min(places, Math.floor(-Math.log10(2 * within)))) : places;
}

/** A number as it stands in a column. @param {number | string | null | undefined} value @param {Form} form @param {number} [places] @param {number} [within] */
export function written(value, form, places = -1, within = 0) {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (form === 'percent') return tight(percent(value, value ? 1 : undefined));
  if (form === 'power') return value > 0 && value < 5e-4 ? '<\u00a00.001' : value.toFixed(3);
  return places < 0 || !Number.isFinite(value) ? typeset(sure(value, within)) : typeset(value.toFixed(places)).replace(/^−(0\.?0*)$/, '$1');
}

/** @param {{choose: (column: number) => void, point: (column: number | null) => void}} calls */
export function rowTable({ choose, point }) {
  const head = el('tr'), body = el('tbody'), foot = el('tfoot');
  const table = el('table', { class: 'row-table' }, el('thead', {}, head), body, foot);
  const more = el('button', { type: 'button', class: 'row-more', onclick: () => { all = !all; draw(...last); } });
  const check = el('p', { class: 'row-check' });
  const element = el('div', { class: 'row' }, table, more, check);
  let all = false;
  /** @type {[Table, number]} */
  let last;

  /** @param {Table} told @param {number} chosen column of the picture */
  function draw(told, chosen) {
    last = [told, chosen];
    const heads = [told.about, ...told.columns.map(column => column.name)], checks = told.lines.some(line => line.digits !== null);
    const places = told.columns.map(({ within }, c) => placesOf([...told.lines.map(line => line.numbers[c]), told.sum?.numbers[c] ?? null], within));
    if (checks) heads.push('agrees');
    children(head, heads.length, () => el('th', { scope: 'col' })).forEach((one, i) => write(one, heads[i]));
    // The chosen line is always there, in its place by size or as the last one.
    const first = told.lines.slice(0, all ? told.lines.length : FEW), mine = told.lines.find(line => line.position === chosen);
    if (mine && !first.includes(mine)) first[first.length - 1] = mine;
    children(body, first.length, () => el('tr', {}, el('th', { ...AS_IS, dir: 'auto', scope: 'row' }))).forEach((tr, i) => {
      const line = first[i], texts = [...line.numbers.map((value, c) => written(value, told.columns[c].form, places[c], told.columns[c].within)), ...(checks ? [line.digits === null ? '' : line.agrees && line.digits < 3 ? 'as sent' : `${line.digits} digits`] : [])];
      put(tr, { class: line.position === chosen ? 'is-chosen' : null, 'data-line': line.position, onclick: () => choose(line.position), onpointerenter: () => point(line.position), onpointerleave: () => point(null) });
      children(tr, texts.length + 1, () => el('td'));
      write(tr.children[0], line.name);
      texts.forEach((text, c) => {
        const cell = tr.children[c + 1];
        put(cell, { class: checks && c === texts.length - 1 ? (line.agrees ? 'is-check' : 'is-wrong') : null });
        write(cell, text);
      });
    });
    foot.hidden = !told.sum;
    if (!told.sum) foot.replaceChildren();
    if (told.sum) {
      const { name, numbers } = told.sum, texts = [name, ...told.columns.map((column, c) => written(numbers[c], column.form, places[c], column.within)), ...(checks ? [''] : [])];
      const tr = foot.firstElementChild ?? foot.appendChild(el('tr', {}, el('th', { scope: 'row' })));
      children(tr, texts.length, () => el('td')).forEach((cell, i) => write(cell, texts[i]));
    }
    more.hidden = told.lines.length <= FEW;
    write(more, all ? `Only the ${FEW} largest` : `Show all ${told.lines.length}`);
    write(check, told.check + (told.check && told.agrees && /agrees|of its head, to|share of 0/.test(told.check) ? ' ✓' : ''));
    put(check, { 'data-agrees': String(told.agrees) });
  }
  return { element, draw };
}

/** @param {Sentence} sentence */
const nodes = sentence => sentence.map(part => (typeof part === 'string' ? part : numberOf(part)));

/** A number of the run, with its place in the trace. @param {Said} said */
const numberOf = ({ value, form, step, index, of, within }) => el('b', { 'data-step': step, 'data-index': index?.join(','), 'data-of': of, 'data-value': step ? value : null }, typeset(form === 'percent' ? percent(value) : sure(value, within ?? 0, 4)));

/** @param {{go: (spot: import('./way_back.js').Spot) => void, back: (to: number) => void, close: () => void}} calls */
export function wayPanel({ go, back, close }) {
  const crumbs = el('div', { class: 'way-crumbs', role: 'toolbar', 'aria-label': 'The way so far' });
  const title = el('h2', { tabindex: '-1' }), text = el('div'), on = el('div', { class: 'way-on' });
  const element = el('div', { class: 'way', role: 'group', 'aria-label': 'Where this number comes from' }, crumbs, title, text, on);
  walkByKeys(crumbs, () => [...crumbs.querySelectorAll('button')]);
  element.addEventListener('keydown', event => { if (event.key === 'Escape') close(); });
  return {
    element, title,
    /** @param {string[]} names of the steps so far, the last one is shown @param {import('./way_back.js').Step | null} step null while its numbers are not there */
    draw(names, step) {
      crumbs.replaceChildren(...names.map((name, i) => (i === names.length - 1
        ? el('span', { 'aria-current': 'step' }, name)
        : el('button', { type: 'button', tabindex: i === names.length - 2 ? '0' : '-1', onclick: () => back(i) }, name))));
      write(title, step?.title ?? 'One moment …');
      text.replaceChildren(...(step?.says ?? []).map(sentence => el('p', {}, ...nodes(sentence))));
      if (step?.table) {
        text.append(el('table', { class: 'row-table' },
          el('thead', {}, el('tr', {}, ...step.table.heads.map(name => el('th', { scope: 'col' }, name)))),
          el('tbody', {}, ...step.table.lines.map(line => el('tr', {}, ...line.map((part, i) => el(i ? 'td' : 'th', i ? {} : { scope: 'row' }, ...nodes([part]))))))));
      }
      on.replaceChildren(
        ...(step?.next ?? []).map(({ label, spot }, i) => el('button', { type: 'button', class: i ? 'pill' : 'pill is-first', onclick: () => go(spot) }, `${label} →`)),
        ...(names.length > 1 ? [el('button', { type: 'button', class: step?.end ? 'pill is-first' : 'pill', onclick: () => back(0) }, 'Start again')] : []),
        el('button', { type: 'button', class: 'pill', onclick: close }, 'Close'),
      );
    },
  };
}

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./claim.js').Head} Head */

/** The head that looks most from a token at another, the first of several; null where none does. @param {Packet} run @param {number} row among those that the run keeps @param {number} column @returns {(Head & {share: number}) | null} */
function mostThere({ about: { model }, arrays: { weights } }, row, column) {
  let best = { layer: -1, head: -1, share: 0 };
  for (let layer = 0; layer < model.layers; layer++) {
    for (let head = 0; head < model.heads; head++) {
      const share = at(weights, layer, head, row, column);
      if (share > best.share) best = { layer, head, share };
    }
  }
  return best.layer < 0 ? null : best;
}

/** @param {(head: Head) => void} go */
export function lookedAtMost(go) {
  const here = el('span'), link = el('button', { type: 'button', class: 'enc-link' }), element = el('p', { class: 'at-most' }, here, link);
  return {
    element,
    /** @param {Packet | null} run null where nothing is to be said @param {Head & {row: number, column: number}} place what is chosen */
    draw(run, { layer, head, row, column }) {
      const found = run && mostThere(run, row, column), count = run ? run.about.model.layers * run.about.model.heads : 0;
      element.hidden = !found || count < 2;
      if (!run || !found) return;
      const own = at(run.arrays.weights, layer, head, row, column) >= found.share;
      here.hidden = !own;
      link.hidden = own;
      write(here, own ? say('most_here', { count }) : '');
      write(link, own ? '' : `${said('most_elsewhere', { count, ...found })} →`);
      put(link, { onclick: () => go({ layer: found.layer, head: found.head }) });
    },
  };
}

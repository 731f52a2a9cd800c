// @ts-check
// Embedding & position: the chosen word's nearest words, its number by number way to the first layer, and the waves of its place.
import { atRest, headline, rail } from './controls.js';
import style from './embedding.css';
import { curves, endsOf } from './curves.js';
import { AS_IS, children, dress, el, focused, put, rove, themeOf, walkByKeys, write } from './dom.js';
import { colourOf } from './grid.js';
import { layerPackets } from './layer_packets.js';
import { made } from './load.js';
import { brief, sure, typeset } from './number.js';
import { at, row } from './packet.js';
import { begins, calledToken, choice, direction, inFull, wordAt, words } from './run.js';
import { parts } from './say.js';
import { toQuery } from './store.js';
import { half, namesOf } from './strips.js';
import { vectorStrips } from './vectors.js';
import { aboutOf, again, cellOf, countOf, figure, finding, lengthOf, pairsBeside, readCell, stopFor, stopsOf, stripsOf, turnAt, waveAt } from './way_in.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {ReturnType<typeof curves>} Curves */

const LEVEL = 4, FINE = 8, MOST = 400; // points of a curve from one place to the next, and of all of it
const SLOW = 150; // ms without the numbers, until that is said

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function embedding(root, context) {
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce);
  const packets = layerPackets(context, LEVEL, () => render());
  /** @type {WeakMap<Packet, string[]>} */
  const lists = new WeakMap();
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  let played = -1, slow = 0, drawn = -1;
  /** @type {Packet | null} */
  let listed = null;

  const head = headline(context, { layer: false, head: false });
  const list = el('div', { class: 'em-words', role: 'toolbar', 'aria-label': 'Tokens of the sentence: choose one' });
  const stops = rail({ choose: stop => choose({ stop }), play: stop => { played = stop; render(); }, rest: () => { const stop = played; played = -1; if (stop >= 0) choose({ stop }); } });
  const what = el('p', { class: 'em-what' });
  const near = el('ol', { class: 'em-near' }), nearEnds = el('div', { class: 'em-near-ends', 'aria-hidden': 'true' }, el('span', {}, '0'), el('span'));
  const lengths = el('ol', { class: 'em-near' }), lengthsPart = el('div', {}, el('p', { class: 'em-small' }, 'How long each vector is'), lengths);
  const strips = vectorStrips({ choose: number => choose({ number }) });
  const across = curves({ choose: number => choose({ number }), high: 132 });
  const alike = curves({ choose: index => choose({ place: index }), high: 120 });
  /** @type {Curves[]} */
  const waves = [];
  const waveList = el('div', { class: 'em-waves' });
  const table = el('canvas', { class: 'em-table', role: 'img' }), frame = el('i', { 'aria-hidden': 'true' }), tableBox = el('div', { class: 'em-table-box' }, table, frame);
  const nothing = el('p', { class: 'em-nothing' });
  const left = el('div', { class: 'em-left' }, near, nearEnds, lengthsPart, across.element, waveList, tableBox, nothing);
  const title = el('h2'), slider = el('input', { type: 'range', min: '0', step: '1', oninput: () => choose({ number: Number(slider.value) }) });
  const sliderName = el('span'), output = el('output'), dial = el('label', { class: 'em-dial' }, sliderName, slider, output);
  const sum = el('p', { class: 'em-sum', dir: 'ltr' }), check = el('p', { class: 'em-check' }), more = el('p', { class: 'em-more' });
  const beside = el('div', { class: 'em-beside' }, title, dial, sum, check, more, alike.element);
  const below = el('div', { class: 'em-below' }, strips.element);
  const body = el('div', { class: 'em-body' }, left, beside, below);
  const waiting = el('p', { class: 'em-waiting', role: 'status', hidden: true }, 'Loading the vectors …');
  const tryAgain = el('button', { type: 'button', class: 'em-pill', onclick: () => packets.again() }, 'Try again');
  const why = el('span'), trouble = el('p', { class: 'em-trouble', role: 'alert', hidden: true }, why, ' ', tryAgain);
  const page = el('section', { class: 'em', 'aria-label': 'Embedding and position' }, head.element, list, stops.element, what, waiting, trouble, body);
  root.append(page);
  body.addEventListener('pointermove', () => stops.pause());
  page.addEventListener('keydown', event => { if (!(event.target instanceof Element && event.target.closest('.rail-play'))) stops.pause(); });

  /** @param {EventTarget | null} target */
  const buttonOf = target => /** @type {HTMLElement | null} */ (target instanceof Element ? target.closest('[data-word]') : null);
  list.onclick = event => {
    const button = buttonOf(event.target);
    if (!button || button.hasAttribute('aria-disabled')) return;
    rove([...list.children], [...list.children].indexOf(button));
    choose({ position: Number(button.dataset.word) });
  };
  walkByKeys(list);

  /** The token that the page opens with: in place of a gap the longest word in one piece, which seldom stands for nothing alone. @param {Packet} of @param {number[]} rows */
  function usual(of, rows) {
    const able = words(of).filter(word => !word.gap && rows.includes(word.position)), whole = able.filter(word => word.count === 1);
    const some = whole.length ? whole : able;
    return some.reduce((best, word) => (word.name.length > best.name.length ? word : best), some[0] ?? { position: rows[0] ?? 0, name: '' }).position;
  }

  /** What is chosen. @param {Packet} part */
  function placed(part) {
    const of = /** @type {Packet} */ (run), { rows } = aboutOf(part), cell = readCell(state.cell);
    const all = stopsOf(part), index = played >= 0 ? Math.min(played, all.length - 1) : stopFor(all, state.step || cell?.step || '');
    const stop = all[index], first = words(of)[wordAt(of, state.word)]?.position ?? state.word;
    const own = cell && rows.includes(cell.position) ? cell.position : -1;
    const position = own >= 0 ? own : rows.includes(first) ? first : usual(of, rows);
    const i = rows.indexOf(position), count = countOf(part, stop);
    return { all, index, stop, position, i, count, number: Math.min(count - 1, cell ? cell.number : count < aboutOf(part).width ? 0 : telling(part, i)), chosen: Boolean(cell) };
  }

  /** The number of a token that its place changes much: there is something to see in the sum. @param {Packet} part @param {number} i */
  function telling({ arrays }, i) {
    const values = row(arrays.tokens, i);
    return values.reduce((best, value, number) => (Math.abs(value) > Math.abs(values[best]) ? number : best), 0);
  }

  /** @param {{stop?: number, position?: number, place?: number, number?: number}} to `place` counts the tokens that are here */
  function choose({ stop, position, place, number }) {
    const part = run && packets.get(run, null);
    if (!run || !part) return;
    const now = placed(part), { rows } = aboutOf(part);
    const token = position ?? (place === undefined ? now.position : rows[Math.min(rows.length - 1, Math.max(0, place))]);
    const at = now.all[stop ?? now.index], word = wordAt(run, token), first = word < 0 ? -1 : words(run)[word].position;
    const kept = number !== undefined || now.chosen;
    // A word alone says which token is meant where it is its first piece: others need the number's own address.
    const plain = !kept && first === token;
    store.set({ ...(stop === undefined ? {} : { step: at.step }), ...(first < 0 || (position ?? place) === undefined ? {} : { word: first }), cell: plain ? '' : cellOf(at, token, number ?? now.number) });
  }

  /** The names of the tokens, worked out once. @param {Packet} of */
  function named(of) {
    const found = lists.get(of) ?? namesOf(of.about.tokens);
    lists.set(of, found);
    return found;
  }

  function render() {
    if (!run) return;
    const part = packets.get(run, null), unable = packets.why(run, null);
    if (!slow && !part && !unable) slow = window.setTimeout(() => { waiting.hidden = false; }, SLOW);
    trouble.hidden = !unable;
    write(why, unable);
    if (part || unable) {
      clearTimeout(slow);
      slow = 0;
      waiting.hidden = true;
    }
    body.hidden = stops.element.hidden = list.hidden = what.hidden = !part;
    if (!part) {
      head.draw(run, state, parts('embedding_question', {}));
      return;
    }
    const names = named(run), now = placed(part), { stop, index, i, position, number, count } = now;
    const { key, given } = finding(part, stop, i, calledToken(run, position));
    head.draw(run, state, parts(key, given));
    drawWords(part, position);
    stops.draw(now.all.map(({ label, title: of }) => ({ text: label, title: `${label}: ${of}` })), index);
    write(what, stop.what);
    drawNear(part, now);
    drawLengths(part, now);
    drawPlace(part, now, names);
    drawNumber(part, now, names);
    const shown = stripsOf(part, stop, i, position);
    below.hidden = !shown.length;
    if (shown.length) strips.draw({ strips: shown, number, own: stop.key !== 'sum', whose: calledToken(run, position) });
    put(slider, { max: count - 1 });
    if (slider.value !== String(number)) slider.value = String(number);
    rest.say(`${begins(calledToken(run, position))}, ${stop.label}: ${head.finding.textContent}`);
  }

  /** @typedef {ReturnType<typeof placed>} Now */

  /** @param {Packet} part @param {number} position */
  function drawWords(part, position) {
    const of = /** @type {Packet} */ (run), { tokens, kinds } = of.about, rows = new Set(aboutOf(part).rows), anew = listed !== of;
    listed = of;
    if (anew) {
      put(list, { dir: direction(of) });
      list.replaceChildren(...tokens.flatMap((token, i) => (kinds[i] === 'padding' ? [] : [el('button', {
        ...AS_IS, type: 'button', dir: 'auto', 'data-word': i, 'aria-pressed': 'false', 'aria-disabled': rows.has(i) ? null : 'true', tabindex: '-1',
        class: kinds[i] === 'word' ? null : 'is-other', title: token.length > 12 ? inFull(of, token) : null,
      }, token)])));
    }
    const mine = /** @type {HTMLElement | null} */ (list.querySelector(`[data-word="${position}"]`)), keyed = list.contains(focused(list));
    for (const old of list.querySelectorAll(keyed ? '[aria-pressed="true"]' : '[aria-pressed="true"], [tabindex="0"]')) {
      if (old !== mine) put(old, { 'aria-pressed': 'false', ...(keyed ? {} : { tabindex: '-1' }) });
    }
    if (mine) put(mine, { 'aria-pressed': 'true', ...(keyed ? {} : { tabindex: '0' }) });
    if (mine && (anew || drawn !== position)) {
      const box = list.getBoundingClientRect(), own = mine.getBoundingClientRect();
      if (own.left < box.left || own.right > box.right) list.scrollLeft += own.left - box.left - box.width / 2;
      if (own.top < box.top || own.bottom > box.bottom) list.scrollTop += own.top - box.top - box.height / 2;
    }
    drawn = position;
  }

  /** Bars of cosines, or of lengths. @param {HTMLElement} bars @param {{name: string, value: number, text: string, own?: boolean}[]} all @param {number} most */
  function drawBars(bars, all, most) {
    children(bars, all.length, () => el('li', {}, el('bdi', { class: 'em-near-name' }), el('span', { class: 'em-near-room' }, el('i')), el('span', { class: 'em-near-value' }))).forEach((line, k) => {
      const { name, value, text, own } = all[k];
      put(line, { class: own ? 'is-own' : null });
      write(line.children[0], name);
      put(line.children[0], { title: name.length > 14 ? name : null });
      /** @type {HTMLElement} */ (line.children[1].firstElementChild).style.width = `${Math.max(0, Math.min(100, (100 * value) / most)).toFixed(2)}%`;
      write(line.children[2], text);
    });
  }

  /** @param {Packet} part @param {Now} now */
  function drawNear(part, { stop, i }) {
    near.hidden = nearEnds.hidden = stop.key !== 'word';
    if (stop.key !== 'word') return;
    const { near: all, near_of: whose } = aboutOf(part), found = all[whose[i]], most = Math.max(...found.map(([, cosine]) => cosine), 0) || 1;
    drawBars(near, found.map(([name, cosine], k) => ({ name, value: cosine, text: typeset(cosine.toFixed(2).replace('-0.00', '0.00')), own: k === 0 })), most);
    write(nearEnds.children[1], `cosine ${most.toFixed(2)}`);
  }

  /** How long the vectors are, where that is what changes. @param {Packet} part @param {Now} now */
  function drawLengths(part, { stop, i, position }) {
    const { arrays } = part, shown = ['scaled', 'norm', 'sum', 'widened'].includes(stop.key);
    lengthsPart.hidden = !shown;
    if (!shown) return;
    const all = stripsOf(part, stop, i, position);
    if (stop.key === 'scaled' && arrays.alike) all.push({ name: `place ${position}, added next`, values: row(arrays.positions, i), within: 0 });
    const told = all.map(({ name, values }, k) => ({ name, value: lengthOf(values), own: k === (stop.key === 'scaled' ? 1 : all.length - 1) }));
    drawBars(lengths, told.map(one => ({ ...one, text: brief(one.value) })), Math.max(...told.map(one => one.value), 0) || 1);
  }

  /** @param {Packet} part @param {Now} now @param {string[]} names */
  function drawPlace(part, { stop, i, position, number }, names) {
    const { arrays } = part, { positions, rows, width } = aboutOf(part), at = stop.key === 'place', turned = at && Boolean(arrays.cos), there = at && Boolean(arrays.alike);
    const waving = there && positions === 'sinusoidal';
    across.element.hidden = !(there || turned);
    waveList.hidden = !(waving || turned);
    tableBox.hidden = !(there && positions === 'learned');
    nothing.hidden = !at || there || turned;
    alike.element.hidden = !there || rows.length < 2;
    if (!nothing.hidden) write(nothing, 'There are no numbers to draw for the place.');
    if (there || turned) {
      const values = row(there ? arrays.positions : arrays.cos, i), ends = endsOf(values), points = /** @type {[number, number][]} */ (Array.from(values, (value, k) => [k, value]));
      across.draw({
        title: there ? `The ${values.length} numbers of place ${position}` : `How far place ${position} turns each of ${values.length} pairs: the cosine`,
        label: `${values.length} numbers of place ${position}, from ${typeset(brief(ends.low))} to ${typeset(brief(ends.high))}; number ${number} is ${typeset(sure(values[number], half(there ? arrays.positions : arrays.cos)))}.`,
        series: waving ? [0, 1].map(odd => ({ name: odd ? 'second' : 'first', points: points.filter(([k]) => k % 2 === odd) })) : [{ name: 'first', points }],
        x: { low: 0, high: values.length - 1, name: waving ? 'number: sines blue, cosines red and dashed' : there ? 'number' : 'pair' }, y: ends, mark: number,
      });
    }
    if (waving || turned) {
      const pairs = turned ? arrays.cos.shape[1] : Math.floor(width / 2), chosen = turned ? number : Math.floor(number / 2), all = pairsBeside(pairs, chosen);
      while (waves.length < all.length) {
        waves.push(curves({ high: 74 }));
        waveList.append(waves[waves.length - 1].element);
      }
      waves.forEach((wave, k) => {
        wave.element.hidden = k >= all.length;
        if (k < all.length) drawWave(part, wave, all[k], pairs, position, turned, all[k] === chosen);
      });
    }
    if (!tableBox.hidden) drawTable(part, i);
    if (!alike.element.hidden) {
      const values = row(arrays.alike, i), ends = endsOf(values);
      alike.draw({
        title: `Cosine of place ${position} with each place`,
        label: `Cosines of place ${position} with places ${rows[0]} to ${rows[rows.length - 1]}, from ${typeset(brief(ends.low, 2))} to ${typeset(brief(ends.high, 2))}; its own is 1.`,
        series: [{ name: 'first', points: rows.map((place, k) => [place, values[k]]) }, { name: 'first', dots: true, points: rows.map((place, k) => [place, values[k]]) }],
        x: { low: rows[0], high: rows[rows.length - 1], name: 'place' }, y: ends, mark: position,
      });
    }
    put(alike.element, { 'data-from': names[position] });
  }

  /** A sine and a cosine over the places: as curves by their formula, as dots by what was recorded. @param {Packet} part @param {Curves} wave @param {number} pair @param {number} pairs @param {number} position @param {boolean} turned @param {boolean} own */
  function drawWave(part, wave, pair, pairs, position, turned, own) {
    const { arrays } = part, about = aboutOf(part), { rows, width } = about, first = rows[0], last = rows[rows.length - 1];
    const fineness = Math.max(1, Math.min(FINE, Math.round(MOST / rows.length)));
    const fine = Array.from({ length: (last - first) * fineness + 1 }, (_, k) => first + k / fineness);
    /** @param {0 | 1} odd @returns {[number, number][]} */
    const line = odd => fine.map(place => [place, turned ? Math[odd ? 'cos' : 'sin'](turnAt(about, place, pair, pairs)) : waveAt(place, 2 * pair + odd, width)]);
    /** @param {0 | 1} odd @returns {[number, number][]} */
    const dots = odd => {
      return rows.map((place, k) => [place, turned ? at(odd ? arrays.cos : arrays.sin, k, pair) : at(arrays.positions, k, 2 * pair + odd)]);
    };
    put(wave.element, { 'data-own': own });
    wave.draw({
      title: turned ? `pair ${pair}` : `numbers ${2 * pair} and ${2 * pair + 1}`,
      label: `Sine and cosine of ${turned ? `pair ${pair}` : `numbers ${2 * pair} and ${2 * pair + 1}`} over places ${first} to ${last}.`,
      series: [{ name: 'first', points: line(0) }, { name: 'second', points: line(1) }, { name: 'first', dots: true, points: dots(0) }, { name: 'second', dots: true, points: dots(1) }],
      x: { low: first, high: last, name: 'place' }, y: { low: -1, high: 1 }, mark: position,
    });
  }

  /** The learned vectors of all places, one row each. @param {Packet} part @param {number} i */
  function drawTable(part, i) {
    const { arrays } = part, [count, width] = arrays.positions.shape, values = row(arrays.positions), theme = themeOf(getComputedStyle(tableBox).backgroundColor);
    const most = values.reduce((top, value) => Math.max(top, Math.abs(value) || 0), 0) || 1;
    const ends = { low: -most, high: most };
    if (table.width !== width) table.width = width;
    if (table.height !== count) table.height = count;
    const pen = table.getContext('2d');
    if (pen) {
      const image = pen.createImageData(width, count);
      values.forEach((value, k) => image.data.set([...colourOf(value, ends, 'signed', theme), 255], 4 * k));
      pen.putImageData(image, 0, 0);
    }
    put(table, { 'aria-label': `The learned vectors of ${count} places, ${width} numbers each, from ${typeset(brief(-most))} to ${brief(most)}.`, style: `height: ${Math.max(48, Math.min(220, 14 * count))}px` });
    frame.style.insetBlockStart = `${(100 * i) / count}%`;
    frame.style.height = `${100 / count}%`;
  }

  /** @param {Packet} part @param {Now} now @param {string[]} names */
  function drawNumber(part, { stop, i, position, number, count }, names) {
    const { positions } = aboutOf(part), pairwise = stop.key === 'place' && Boolean(part.arrays.cos), found = again(part, stop, i, number);
    const none = stop.key === 'place' && !part.arrays.alike && !pairwise;
    beside.hidden = none;
    if (none) return;
    const kind = pairwise ? 'Pair' : 'Number', whose = stop.key === 'place' ? `place ${position}` : calledToken(/** @type {Packet} */ (run), position);
    const of = `${kind} ${number} of `;
    if (title.textContent !== of + whose) title.replaceChildren(of, el('bdi', {}, whose));
    write(sliderName, kind);
    write(output, `${number} of ${count}`);
    put(slider, { 'aria-label': kind, 'aria-valuetext': `${kind} ${number} of ${count}` });
    const shown = stripsOf(part, stop, i, position), last = shown[shown.length - 1];
    const alone = stop.key === 'place' ? row(part.arrays.positions, i)[number] : last?.values[number], off = stop.key === 'place' ? half(part.arrays.positions) : last?.within;
    write(sum, typeset(found ? found.text : figure(alone ?? NaN, off)));
    const agrees = found !== null && Math.abs(found.value - found.recorded) <= found.within;
    const changed = /** @type {Packet} */ (run).about.edits ? ' A change of this run lies between.' : '';
    write(check, !found ? '' : agrees ? `The run recorded ${typeset(figure(found.recorded, found.within))}: it agrees ✓` : `The run recorded ${typeset(figure(found.recorded, found.within))}: it does not agree.${changed}`);
    put(check, { 'data-agrees': found ? String(agrees) : null });
    const length = last ? brief(lengthOf(last.values)) : '';
    write(more, stop.key === 'word' ? `One of the ${count} numbers in row ${aboutOf(part).ids[i].toLocaleString('en-US')} of the table; the row's length is ${length}.`
      : stop.key === 'widened' ? `Each number mixes all ${aboutOf(part).width} of before.` : stop.key === 'place' && positions === 'learned' ? 'A number of a table that training made, with no formula.' : '');
  }

  return {
    choice(of, now) {
      // Where nobody chose a word, one that means something alone: a gap has but the vector that all gaps have.
      return { ...choice(of, now), word: now.word !== null && now.word < of.about.tokens.length ? now.word : usual(of, of.about.rows) };
    },
    draw(given, chosen) {
      if (run !== given) rest.anew();
      run = given;
      state = chosen;
      render();
    },
    kept() {
      const part = run && packets.get(run, null);
      if (!run || !part) return null;
      const { stop, position } = placed(part), query = toQuery({ ...made(state), step: stop.step, layer: state.layer, head: state.head }), name = named(run)[position];
      if (stop.key === 'word') return { picture: 'near_words', name: `The words nearest to ${name}`, query: { ...query, near_word: String(position) } };
      if (stop.key === 'place' && part.arrays.alike) return { picture: 'alike_places', name: 'How alike the places are', query };
      return { picture: 'picture', name: `${stop.title}: the numbers of all tokens`, query };
    },
    end() {
      rest.end();
      clearTimeout(slow);
      packets.end();
      stops.end();
      strips.end();
      page.remove();
    },
  };
}

// @ts-check
// Embedding & position: the chosen word's nearest words, its number by number way to the first layer, and the waves of its place.
import { bars } from './bars.js';
import { atRest, headline, opener, rail } from './controls.js';
import style from './embedding.css';
import { curve, endsOf } from './curves.js';
import { dress, el, put, themeOf } from './dom.js';
import { colourOf } from './grid.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { brief, sure, typeset } from './number.js';
import { at, row } from './packet.js';
import { begins, calledToken, choice, direction, inFull, wordAt, words } from './run.js';
import { parts } from './say.js';
import { open, toQuery } from './store.js';
import { half, namesOf } from './strips.js';
import { wordRow } from './tokens.js';
import { vectorSlider } from './vectors.js';
import { aboutOf, again, cellOf, countOf, figure, finding, lengthOf, pairsBeside, readCell, stopFor, stopsOf, stripsOf, turnAt, waveAt } from './way_in.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */

const LEVEL = 4, FINE = 8, MOST = 400; // points of a curve from one place to the next, and of all of it
/** Of strips from below: what comes out stands out. @type {('accent' | 'second' | 'muted')[]} */
const COLOURS = ['accent', 'second', 'muted'];
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
  let played = -1, slow = 0, late = false;

  const head = headline(context, { layer: false, head: false });
  const list = wordRow(position => choose({ position }));
  const stops = rail({
    choose: stop => choose({ stop }), rest: () => { const stop = played; played = -1; if (stop >= 0) choose({ stop }); },
    play: stop => { played = stop; if (state.number) store.set({ number: '' }); render(); },
  });
  let pointed = -1;
  const strips = vectorSlider({ point: d => { pointed = d ?? -1; render(); }, keep: number => choose({ number }) });
  const table = el('canvas', { class: 'em-table', role: 'img' });
  const page = el('section', { class: 'em', 'aria-label': 'Embedding and position' });
  root.append(page);
  page.addEventListener('pointermove', event => { if (event.target instanceof Element && event.target.closest('.em-body')) stops.pause(); });
  page.addEventListener('keydown', event => { if (!(event.target instanceof Element && event.target.closest('.rail-play'))) stops.pause(); });

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
    const plain = !kept && first === token && !state.number;
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
    if (!slow && !part && !unable) slow = window.setTimeout(() => { late = true; render(); }, SLOW);
    if (part || unable) {
      clearTimeout(slow);
      slow = 0;
      late = false;
    }
    const wait = unable ? html`<p class="em-trouble" role="alert">${unable} <button type="button" class="enc-pill" @click=${() => packets.again()}>Try again</button></p>`
      : late ? html`<p class="em-waiting" role="status">Loading the vectors …</p>` : nothing;
    if (!part) head.draw(run, state, parts('embedding_question', {}));
    into(html`${head.element}${part ? picture(run, part) : wait}`, page);
  }

  /** @typedef {ReturnType<typeof placed>} Now */

  /** @param {Packet} of @param {Packet} part */
  function picture(of, part) {
    const names = named(of), now = placed(part), { stop, index, i, position, number } = now, whose = calledToken(of, position), { tokens, kinds } = of.about;
    const { key, given } = finding(part, stop, i, whose), held = new Set(aboutOf(part).rows);
    head.draw(of, state, parts(key, given));
    list.draw(tokens.flatMap((token, at) => (kinds[at] === 'padding' ? [] : [{ name: token, position: at, off: !held.has(at), kind: kinds[at] === 'word' ? '' : 'is-other', title: token.length > 12 ? inFull(of, token) : null }])), position, direction(of));
    stops.draw(now.all.map(({ label, title }) => ({ text: label, title: `${label}: ${title}` })), index);
    const shown = stripsOf(part, stop, i, position);
    if (shown.length) {
      const drawn = shown.map((one, k) => ({ ...one, colour: COLOURS[shown.length - 1 - k] ?? 'muted' })), d = Math.max(0, Math.min(pointed >= 0 ? pointed : number, shown[0].values.length - 1));
      strips.draw({
        key: [of.about.model.digest, of.about.sentence, of.about.second, of.about.edits, of.about.hidden.join(), stop.key, position].join(' '), strips: drawn, chosen: d, kept: number, label: `The ${shown[0].values.length} numbers of ${whose}`,
        says: `number ${number}: ${shown.map(one => `${one.name} ${typeset(sure(one.values[number], one.within))}`).join(', ')}`,
      });
    }
    rest.say(`${begins(whose)}, ${stop.label}: ${head.finding.textContent}`);
    return html`${list.element}${stops.element}<p class="em-what">${stop.what}</p>
      <div class="em-body"><div class="em-left">${nearest(part, now)}${lengths(part, now)}${placePicture(part, now)}</div>${beside(part, now, names)}${shown.length ? html`<div class="em-below">${strips.element}</div>` : nothing}</div>`;
  }

  /** @param {Packet} part @param {Now} now */
  function nearest(part, { stop, i }) {
    if (stop.key !== 'word') return nothing;
    const { near, near_of: whose } = aboutOf(part), found = near[whose[i]], most = Math.max(...found.map(([, cosine]) => cosine), 0) || 1;
    return html`${bars(found.map(([name, cosine], k) => ({ name, title: name.length > 14 ? name : undefined, kind: k ? '' : 'is-own', fills: [{ share: cosine / most, text: typeset(cosine.toFixed(2).replace('-0.00', '0.00')) }] })))}
      <div class="em-near-ends" aria-hidden="true"><span>0</span><span>cosine ${most.toFixed(2)}</span></div>`;
  }

  /** How long the vectors are, where that is what changes. @param {Packet} part @param {Now} now */
  function lengths(part, { stop, i, position }) {
    if (!['scaled', 'norm', 'sum', 'widened'].includes(stop.key)) return nothing;
    const { arrays } = part, all = stripsOf(part, stop, i, position);
    if (stop.key === 'scaled' && arrays.alike) all.push({ name: `place ${position}, added next`, values: row(arrays.positions, i), within: 0 });
    const told = all.map(({ name, values }, k) => ({ name, value: lengthOf(values), own: k === (stop.key === 'scaled' ? 1 : all.length - 1) })), most = Math.max(...told.map(one => one.value), 0) || 1;
    return html`<p class="em-small">How long each vector is</p>${bars(told.map(({ name, value, own }) => ({ name, kind: own ? 'is-own' : '', fills: [{ share: value / most, text: brief(value) }] })))}`;
  }

  /** The numbers of a place: as a curve, as waves, as the table that was learned. @param {Packet} part @param {Now} now */
  function placePicture(part, { stop, i, position, number }) {
    if (stop.key !== 'place') return nothing;
    const { arrays } = part, { positions, width } = aboutOf(part), turned = Boolean(arrays.cos), there = Boolean(arrays.alike);
    if (!there && !turned) return html`<p class="em-nothing">There are no numbers to draw for the place.</p>`;
    const waving = there && positions === 'sinusoidal', from = there ? arrays.positions : arrays.cos, values = row(from, i), ends = endsOf(values);
    const points = /** @type {[number, number][]} */ (Array.from(values, (value, k) => [k, value])), pairs = turned ? arrays.cos.shape[1] : Math.floor(width / 2), chosen = turned ? number : Math.floor(number / 2);
    return html`${curve({
      title: there ? `The ${values.length} numbers of place ${position}` : `How far place ${position} turns each of ${values.length} pairs: the cosine`,
      label: `${values.length} numbers of place ${position}, from ${typeset(brief(ends.low))} to ${typeset(brief(ends.high))}; number ${number} is ${typeset(sure(values[number], half(from)))}.`,
      series: waving ? [0, 1].map(odd => ({ name: odd ? 'second' : 'first', points: points.filter(([k]) => k % 2 === odd) })) : [{ name: 'first', points }],
      x: { low: 0, high: values.length - 1, name: waving ? 'number: sines blue, cosines red and dashed' : there ? 'number' : 'pair' }, y: ends, mark: number,
    }, { choose: to => choose({ number: to }), high: 132 })}
    ${waving || turned ? html`<div class="em-waves">${pairsBeside(pairs, chosen).map(pair => wave(part, pair, pairs, position, turned, pair === chosen))}</div>` : nothing}
    ${there && positions === 'learned' ? learned(part, i) : nothing}`;
  }

  /** A sine and a cosine over the places: as curves by their formula, as dots by what was recorded. @param {Packet} part @param {number} pair @param {number} pairs @param {number} position @param {boolean} turned @param {boolean} own */
  function wave(part, pair, pairs, position, turned, own) {
    const { arrays } = part, about = aboutOf(part), { rows, width } = about, first = rows[0], last = rows[rows.length - 1];
    const fineness = Math.max(1, Math.min(FINE, Math.round(MOST / rows.length)));
    const fine = Array.from({ length: (last - first) * fineness + 1 }, (_, k) => first + k / fineness);
    /** @param {0 | 1} odd @returns {[number, number][]} */
    const line = odd => fine.map(place => [place, turned ? Math[odd ? 'cos' : 'sin'](turnAt(about, place, pair, pairs)) : waveAt(place, 2 * pair + odd, width)]);
    /** @param {0 | 1} odd @returns {[number, number][]} */
    const dots = odd => {
      return rows.map((place, k) => [place, turned ? at(odd ? arrays.cos : arrays.sin, k, pair) : at(arrays.positions, k, 2 * pair + odd)]);
    };
    return curve({
      title: turned ? `pair ${pair}` : `numbers ${2 * pair} and ${2 * pair + 1}`,
      label: `Sine and cosine of ${turned ? `pair ${pair}` : `numbers ${2 * pair} and ${2 * pair + 1}`} over places ${first} to ${last}.`,
      series: [{ name: 'first', points: line(0) }, { name: 'second', points: line(1) }, { name: 'first', dots: true, points: dots(0) }, { name: 'second', dots: true, points: dots(1) }],
      x: { low: first, high: last, name: 'place' }, y: { low: -1, high: 1 }, mark: position,
    }, { high: 74, own });
  }

  /** The learned vectors of all places, one row each. @param {Packet} part @param {number} i */
  function learned(part, i) {
    const { arrays } = part, [count, width] = arrays.positions.shape, values = row(arrays.positions), theme = themeOf(getComputedStyle(page).getPropertyValue('background-color') || 'rgb(255, 255, 255)');
    const most = values.reduce((top, value) => Math.max(top, Math.abs(value) || 0), 0) || 1, ends = { low: -most, high: most };
    if (table.width !== width) table.width = width;
    if (table.height !== count) table.height = count;
    const pen = table.getContext('2d');
    if (pen) {
      const image = pen.createImageData(width, count);
      values.forEach((value, k) => image.data.set([...colourOf(value, ends, 'signed', theme), 255], 4 * k));
      pen.putImageData(image, 0, 0);
    }
    put(table, { 'aria-label': `The learned vectors of ${count} places, ${width} numbers each, from ${typeset(brief(-most))} to ${brief(most)}.`, style: `height: ${Math.max(48, Math.min(220, 14 * count))}px` });
    return html`<div class="em-table-box">${table}<i aria-hidden="true" style="inset-block-start: ${100 * i / count}%; height: ${100 / count}%"></i></div>`;
  }

  /** The chosen number, worked out again. @param {Packet} part @param {Now} now @param {string[]} names */
  function beside(part, { stop, i, position, number, count }, names) {
    const { positions, rows, width, ids } = aboutOf(part), pairwise = stop.key === 'place' && Boolean(part.arrays.cos), found = again(part, stop, i, number);
    if (stop.key === 'place' && !part.arrays.alike && !pairwise) return nothing;
    const kind = pairwise ? 'Pair' : 'Number', whose = stop.key === 'place' ? `place ${position}` : calledToken(/** @type {Packet} */ (run), position);
    const shown = stripsOf(part, stop, i, position), last = shown[shown.length - 1];
    const alone = stop.key === 'place' ? row(part.arrays.positions, i)[number] : last?.values[number], off = stop.key === 'place' ? half(part.arrays.positions) : last?.within;
    const agrees = found !== null && Math.abs(found.value - found.recorded) <= found.within, changed = /** @type {Packet} */ (run).about.edits ? ' A change of this run lies between.' : '';
    const length = last ? brief(lengthOf(last.values)) : '', like = stop.key === 'place' && part.arrays.alike && rows.length > 1 ? row(part.arrays.alike, i) : null, ends = like && endsOf(like);
    const more = stop.key === 'word' ? `One of the ${count} numbers in row ${ids[i].toLocaleString('en-US')} of the table; the row's length is ${length}.`
      : stop.key === 'widened' ? `Each number mixes all ${width} of before.` : stop.key === 'place' && positions === 'learned' ? 'A number of a table that training made, with no formula.' : '';
    return html`<div class="em-beside"><h2>${kind} ${number} of <bdi translate="no" lang="">${whose}</bdi></h2>
      <label class="em-dial"><span>${kind}</span><input type="range" min="0" step="1" max=${count - 1} .value=${String(number)} aria-label=${kind} aria-valuetext="${kind} ${number} of ${count}" @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => choose({ number: Number(target.value) })}><output>${number} of ${count}</output></label>
      <p class="em-sum" dir="ltr">${typeset(found ? found.text : figure(alone ?? NaN, off))}</p>
      ${found ? html`<p class="em-check" data-agrees=${agrees}>${agrees ? `The run recorded ${typeset(figure(found.recorded, found.within))}: it agrees ✓` : `The run recorded ${typeset(figure(found.recorded, found.within))}: it does not agree.${changed}`}</p>` : nothing}
      ${more ? html`<p class="em-more">${more}</p>` : nothing}
      ${pairwise ? nothing : html`<div class="em-tools">${opener(() => open({ step: stop.step, index: [position, number] }))}</div>`}
      ${like && ends ? html`<div data-from=${names[position]}>${curve({
    title: `Cosine of place ${position} with each place`,
    label: `Cosines of place ${position} with places ${rows[0]} to ${rows[rows.length - 1]}, from ${typeset(brief(ends.low, 2))} to ${typeset(brief(ends.high, 2))}; its own is 1.`,
    series: [{ name: 'first', points: rows.map((place, k) => [place, like[k]]) }, { name: 'first', dots: true, points: rows.map((place, k) => [place, like[k]]) }],
    x: { low: rows[0], high: rows[rows.length - 1], name: 'place' }, y: ends, mark: position,
  }, { choose: to => choose({ place: to - rows[0] }), high: 120 })}</div>` : nothing}</div>`;
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

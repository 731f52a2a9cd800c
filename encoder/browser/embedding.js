// @ts-check
// Embedding & position: the chosen word's strip and that of its place, added number by number, and beside them its nearest words or the waves of its place.
import { bars } from './bars.js';
import { atRest, headline, opener, radios } from './controls.js';
import style from './embedding.css';
import { curve, endsOf } from './curves.js';
import { dress, el, put, themeOf } from './dom.js';
import { aboutOf, cellOf, figure, isContent, knownOf, leadSaid, lengthOf, LIT, litFor, litOf, normAgain, pairsBeside, placeAgain, placeSaid, PLACES, readCell, scaledSaid, stripsOf, sumAgain, sumSaid, tableSaid, tellingOf, textsOf, turnAt, waveAt, windowAround } from './embedding_math.js';
import { colourOf } from './grid.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { brief, many, sure, typeset } from './number.js';
import { at, row } from './packet.js';
import { asked, begins, calledToken, choice, direction, maskToken, wordAt, words } from './run.js';
import { parts } from './say.js';
import { open, toQuery } from './store.js';
import { namesOf } from './number_strips.js';
import { asIs, explained, explainedParts } from './terms.js';
import { tokenChoices, wordRow } from './tokens.js';
import { vectorSlider, worked } from './vectors.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */

const LEVEL = 4, FINE = 8, MOST = 400; // points of a curve from one place to the next, and of all of it
const SEEN = 9, SEEN_SMALL = 5; // numbers that are shown side by side, and on a phone
const SLOW = 150; // ms without the numbers, until that is said

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function embedding(root, context) {
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce);
  const packets = layerPackets(context, LEVEL, () => { if (free) store.set({}); else render(); }); // where nobody chose a word, it follows from what is here now
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  let pointed = -1, slow = 0, late = false, free = false; // whether nobody chose a word
  /** The pairs whose waves are drawn. @type {number[]} */
  let waves = [];

  const head = headline(context, { layer: false, head: false });
  const list = wordRow(position => choose({ position }));
  const beside = radios('Beside', lit => choose({ lit }), { hidden: true, most: Infinity });
  const strips = vectorSlider({ point: d => { pointed = d ?? -1; render(); }, keep: (number, strip) => choose({ number, lit: LIT.indexOf(drawn[strip]) }) });
  /** What each strip that is drawn is of, from above. @type {import('./embedding_math.js').Strip['lit'][]} */
  let drawn = [];
  const table = el('canvas', { class: 'em-table', role: 'img' });
  const page = el('section', { class: 'em', 'aria-label': 'Embedding and position' });
  root.append(page);
  const part = () => run && packets.get(run, null);

  /** The token that the page opens with: of the words in one piece that mean something alone, the one that the table knows best; the longest until that is here. @param {Packet} of @param {Packet | null} part */
  function usual(of, part) {
    if (of.about.gap < 0) return asked(of).position; // as on every page
    const rows = part ? aboutOf(part).rows : of.about.rows, able = words(of).filter(word => !word.gap && rows.includes(word.position));
    const own = [able.filter(word => word.count === 1 && word.plain && isContent(word.name)), able.filter(word => word.count === 1 && word.plain), able].find(all => all.length) ?? [];
    const known = (/** @type {import('./run.js').Word} */ word) => (part ? knownOf(part, rows.indexOf(word.position), of.about.tokens[word.position]) : word.name.length);
    return own.reduce((best, word) => (known(word) > known(best) ? word : best), own[0] ?? { position: rows[0] ?? 0 }).position;
  }

  /** What is chosen. @param {Packet} part */
  function placed(part) {
    const of = /** @type {Packet} */ (run), { rows, width } = aboutOf(part), cell = readCell(state.cell), lit = litFor(state.step || cell?.step || '');
    const first = words(of)[wordAt(of, state.word)]?.position ?? state.word, own = cell && rows.includes(cell.position) ? cell.position : -1;
    const position = own >= 0 ? own : rows.includes(first) && !free ? first : usual(of, part), i = rows.indexOf(position);
    return { ...litOf(part)[lit], lit, position, i, number: cell ? Math.min(width - 1, cell.number) : tellingOf(part, i), chosen: Boolean(cell) };
  }

  /** @param {{lit?: number, position?: number, place?: number, number?: number}} to `place` counts the tokens that are here */
  function choose({ lit = -1, position, place, number }) {
    const all = part();
    if (!run || !all) return;
    const now = placed(all), { rows } = aboutOf(all), token = position ?? (place === undefined ? now.position : rows[Math.min(rows.length - 1, Math.max(0, place))]);
    const at = litOf(all)[lit < 0 ? now.lit : lit], word = wordAt(run, token), first = word < 0 ? -1 : words(run)[word].position, kept = number !== undefined || now.chosen;
    pointed = -1;
    // A word alone says which token is meant where it is its first piece: others need the number's own address.
    const plain = !kept && first === token && !state.number;
    store.set({ ...(lit < 0 ? {} : { step: at.step }), ...(first < 0 || (position ?? place) === undefined ? {} : { word: first }), cell: plain ? '' : cellOf(at, token, number ?? now.number) });
  }

  function render() {
    if (!run) return;
    const here = part(), unable = packets.why(run, null);
    if (!slow && !here && !unable) slow = window.setTimeout(() => { late = true; render(); }, SLOW);
    if (here || unable) {
      clearTimeout(slow);
      slow = 0;
      late = false;
    }
    const wait = unable ? html`<p class="em-trouble" role="alert">${unable} <button type="button" class="enc-pill" @click=${() => packets.again()}>Try again</button></p>`
      : late ? html`<p class="em-waiting" role="status">Loading the vectors …</p>` : nothing;
    if (!here) head.draw(run, state, parts('embedding_question', {}));
    into(html`<div class="enc-further">${head.element}</div>${here ? picture(run, here) : wait}`, page);
    if (here) list.draw(tokenChoices(run, aboutOf(here).rows), placed(here).position, direction(run)); // once it has its room
  }

  /** @typedef {ReturnType<typeof placed>} Now */

  /** @param {Packet} of @param {Packet} part */
  function picture(of, part) {
    const now = placed(part), { key, i, position, number } = now, whose = calledToken(of, position), { width } = aboutOf(part), all = stripsOf(part, i, Boolean(of.about.edits)), d = pointed >= 0 ? pointed : number;
    head.draw(of, state, key === 'word' ? tableSaid(part, i, whose, of.about.tokens[position], of.about.kinds[position] === 'mask' ? maskToken(of) ?? '' : '') : key === 'position' ? placeSaid(part, i, whose) : sumSaid(part, i, whose));
    beside.draw(litOf(part).map(one => ({ text: one.key, title: `${one.key}: ${one.title}` })), now.lit);
    drawn = all.map(one => one.lit);
    strips.draw({
      key: [of.about.model.digest, of.about.sentence, of.about.second, of.about.edits, of.about.hidden.join(), key, position].join(' '), strips: all, chosen: d, kept: number, heat: true,
      label: `The ${width} numbers of ${whose}`, says: `number ${number}: ${textsOf(all, number).map((text, r) => `${all[r].name} ${typeset(text)}`).join(', ')}`,
    });
    put(strips.slider, { 'data-cell': `${position},${number}` });
    rest.say(`${begins(whose)}, ${key}: ${head.finding.textContent}`);
    const stands = key !== 'position' || part.arrays.alike, opens = key === 'word' && part.arrays.alike ? litOf(part)[LIT.indexOf('sum')].step : now.step; // a row of the table was made of nothing
    return html`<p class="em-lead enc-further">${explainedParts(leadSaid(part, Boolean(of.about.model.untrained)))}</p>${list.element}<div class="em-body">
      <div class="em-beside enc-further"><div class="enc-place">${beside.element}</div>${key === 'word' ? nearest(part, now, whose) : key === 'position' ? placePicture(part, now) : lengths(part, all)}</div>
      <div class="em-left">${strips.element}<div class="enc-further">${lens(part, all, d)}<div class="em-under"><div>${strips.foot}${arithmetic(part, i, d, key)}</div>${stands ? html`<div class="em-tools">${opener(() => open({ step: opens, index: [position, number] }))}</div>` : nothing}</div><p class="em-what">${explained(scaledSaid(part, i))}</p></div></div></div>`;
  }

  /** The numbers around the chosen one as they stand under each other. @param {Packet} part @param {import('./embedding_math.js').Strip[]} all @param {number} d */
  function lens(part, all, d) {
    const { width } = aboutOf(part), [from, to] = windowAround(d, width, SEEN), [first, end] = windowAround(d, width, SEEN_SMALL), whole = all.filter(one => one.values.length === width), percent = (/** @type {number} */ at) => `${(100 * at / width).toFixed(2)}%`;
    /** Behind a norm numbers are of another size. @param {boolean} norm */
    const mostOf = norm => whole.filter(({ behind }) => behind === norm).reduce((so, { values }) => values.slice(from, to).reduce((top, value) => Math.max(top, Math.abs(value) || 0), so), 0) || 1;
    const most = [false, true].map(mostOf), shown = Array.from({ length: to - from }, (_, k) => from + k);
    const texts = shown.map(k => textsOf(all, k));
    const is = (/** @type {number} */ k) => [k === d ? 'is-chosen' : '', k < first || k >= end ? 'is-far' : ''].join(' ');
    return html`<div class="em-lens" style="--from: ${percent(from)}; --to: ${percent(to)}; --first: ${percent(first)}; --end: ${percent(end)}"></div>
      <table class="em-numbers"><thead><tr><th scope="col">number</th>${shown.map(k => html`<th scope="col" class=${is(k)}>${k}</th>`)}</tr></thead>
      <tbody>${whole.map(({ name, values, lit, behind }, r) => html`<tr><th scope="row">${name}</th>${shown.map(k => html`<td class="${is(k)} ${values[k] < 0 ? 'is-below' : ''}" style="--share: ${(Math.abs(values[k]) / most[Number(behind)] || 0).toFixed(3)}" @click=${() => choose({ number: k, lit: LIT.indexOf(lit) })}>${typeset(texts[k - from][r])}</td>`)}</tr>`)}</tbody></table>`;
  }

  /** The chosen number, worked out again. @param {Packet} part @param {number} i @param {number} d @param {string} key what is lit */
  function arithmetic(part, i, d, key) {
    const { edits } = /** @type {Packet} */ (run).about, sum = sumAgain(part, i, d), norm = normAgain(part, i, d), place = key === 'position' ? placeAgain(part, i, d) : null;
    const line = (/** @type {string} */ name, /** @type {import('./embedding_math.js').Again | null} */ made) => {
      if (!made) return nothing;
      const agrees = Math.abs(made.value - made.recorded) <= made.within, recorded = typeset(made.says);
      return worked(`${name}: ${typeset(made.text)}`, agrees, agrees ? `The run recorded ${recorded}: it agrees` : `The run recorded ${recorded}: it does not agree.${edits ? ' A change made to this run lies between.' : ''}`);
    };
    return html`${line(`number ${d}`, sum)}${line('after the norm', norm)}${line(`position ${aboutOf(part).rows[i]}`, place)}`;
  }

  /** @param {Packet} part @param {Now} now @param {string} whose */
  function nearest(part, { i }, whose) {
    const { near, any, near_of: own, ids } = aboutOf(part), piece = begins(whose).startsWith('“##') ? ', where ## marks a piece that goes on a word,' : '', random = any[own[i]], both = random < 0, all = [...near[own[i]], /** @type {[string, number]} */ (['a random word', random])];
    return html`<p class="em-what">${asIs(begins(whose))}${explained(`${piece} is row ${many(ids[i])}, the same in every sentence. The words whose rows are most like it, by cosine (the line: a random word):`)}</p>
      ${bars(all.map(([name, cosine], k) => ({ name, title: name.length > 14 ? name : undefined, kind: k === all.length - 1 ? 'is-any' : k ? '' : 'is-own', fills: [{ share: cosine, both, mark: k < all.length - 1 ? random : NaN, text: typeset(cosine.toFixed(2).replace('-0.00', '0.00')) }] })), { kind: both ? 'is-both' : '' })}`;
  }

  /** How long the vectors are. @param {Packet} part @param {import('./embedding_math.js').Strip[]} all */
  function lengths(part, all) {
    const first = aboutOf(part).factor === null ? [] : [{ name: 'the word', values: row(part.arrays.tokens, placed(part).i) }];
    const long = [...first, ...all].map(({ name, values }) => ({ name: name.replace(/^[+=] /, ''), value: lengthOf(values) })), most = Math.max(...long.map(one => one.value), 0) || 1;
    return html`<p class="em-what">How long each vector is:</p>
      ${bars(long.map(({ name, value }, k) => ({ name, kind: k === long.length - 1 ? 'is-own' : '', fills: [{ share: value / most, text: brief(value) }] })))}`;
  }

  /** The numbers of a place: as waves, as the table that was learned, as what has them alike. @param {Packet} part @param {Now} now */
  function placePicture(part, { i, position, number }) {
    const { arrays } = part, { positions, width, rows } = aboutOf(part), turned = Boolean(arrays.cos), there = Boolean(arrays.alike), waving = turned || (there && positions === 'sinusoidal');
    const pairs = turned ? arrays.cos.shape[1] : Math.floor(width / 2), chosen = turned ? Math.floor(pairs / 2) : Math.floor(number / 2), like = there && rows.length > 1 ? row(arrays.alike, i) : null, ends = like && { low: Math.min(0, endsOf(like).low), high: 1 };
    waves = waving ? pairsBeside(pairs, chosen) : [];
    return html`${like && ends ? html`<div class="em-alike">${curve({
    title: `Cosine of position ${position} with each position`,
    label: `Cosines of position ${position} with positions ${rows[0]} to ${rows[rows.length - 1]}, from ${typeset(brief(ends.low, 2))} to ${typeset(brief(ends.high, 2))}; its own is 1.`,
    series: [{ name: 'first', points: rows.map((place, k) => [place, like[k]]) }, { name: 'first', dots: true, points: rows.map((place, k) => [place, like[k]]) }],
    x: { low: rows[0], high: rows[rows.length - 1], name: 'position' }, y: ends, mark: position,
  }, { choose: to => choose({ place: to - rows[0] }), high: 84 })}</div>` : nothing}
    <p class="em-what">${there || positions !== 'sinusoidal' ? PLACES[positions] : ''}</p>
    ${waving ? html`<div class="em-waves">${waves.map(pair => wave(part, pair, pairs, position, turned, !turned && pair === chosen))}</div>` : nothing}
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
      label: `Sine and cosine of ${turned ? `pair ${pair}` : `numbers ${2 * pair} and ${2 * pair + 1}`} over positions ${first} to ${last}.`,
      series: [{ name: 'first', points: line(0) }, { name: 'second', points: line(1) }, { name: 'first', dots: true, points: dots(0) }, { name: 'second', dots: true, points: dots(1) }],
      x: { low: first, high: last, name: 'position' }, y: { low: -1, high: 1 }, mark: position,
    }, { high: 60, own });
  }

  /** The learned vectors of all places, one row each. @param {Packet} part @param {number} i */
  function learned(part, i) {
    const { arrays } = part, [count, width] = arrays.positions.shape, values = row(arrays.positions), theme = themeOf(getComputedStyle(root.closest('.enc') ?? root).backgroundColor);
    const most = values.reduce((top, value) => Math.max(top, Math.abs(value) || 0), 0) || 1, ends = { low: -most, high: most };
    if (table.width !== width) table.width = width;
    if (table.height !== count) table.height = count;
    const pen = table.getContext('2d');
    if (pen) {
      const image = pen.createImageData(width, count);
      values.forEach((value, k) => image.data.set([...colourOf(value, ends, 'signed', theme), 255], 4 * k));
      pen.putImageData(image, 0, 0);
    }
    put(table, { 'aria-label': `The learned vectors of ${count} positions, ${width} numbers each, from ${typeset(brief(-most))} to ${brief(most)}.`, style: `height: ${Math.max(48, Math.min(220, 14 * count))}px` });
    return html`<div class="em-table-box">${table}<i aria-hidden="true" style="inset-block-start: ${100 * i / count}%; height: ${100 / count}%"></i></div>`;
  }

  return {
    choice(of, now) {
      // Where nobody chose a word, one that means something alone: a gap has but the vector that all gaps have.
      free = now.word === null || now.word >= of.about.tokens.length;
      return { ...choice(of, now), word: free ? usual(of, packets.get(of, null)) : Number(now.word) };
    },
    draw(given, chosen) {
      if (run !== given) rest.anew();
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      const all = part();
      if (!run || !all) return [];
      const { key, step, position, title } = placed(all), query = toQuery({ ...made(state), step, layer: state.layer, head: state.head }), main = context.main(step, query, position), strips = { ...context.main('*', query, position), name: 'Word, position and sum, number by number' };
      return [
        ...(key === 'word' ? [{ ...main, name: `The words nearest to ${namesOf(run.about.tokens)[position]}` }] : []),
        ...(key === 'position' && all.arrays.alike ? [{ ...main, name: `How alike position ${position} is to each` }, { picture: 'alike_places', name: 'How alike the positions are', query }] : []),
        ...(key === 'position' && waves.length ? [{ picture: 'place_waves', name: `The waves of position ${position}`, query: { ...query, near_word: String(position), waves: waves.join() } }] : []),
        strips, { picture: 'picture', name: `${title}: the numbers of all tokens`, query },
      ];
    },
    end() {
      rest.end();
      clearTimeout(slow);
      packets.end();
      strips.end();
      page.remove();
    },
  };
}

// @ts-check
// The Attention page: one head of one layer, in its stops over one picture, with the operands of the chosen number beside it.
import { atRest, coder, headline, opener, rail } from './controls.js';
import style from './attention.css';
import { dress, el, put } from './dom.js';
import { endsOf } from './grid.js';
import { layerPackets, steady, waitingFor } from './layer_packets.js';
import { composed, html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { lookedAtMost, PROVED, rowTable } from './row_table.js';
import { brief, inCell, percent, sure, tight, typeset } from './number.js';
import { operandsOf } from './operands.js';
import { operandStrips } from './operand_strips.js';
import { picture } from './picture.js';
import { largest, tableOf } from './row.js';
import { begins, called, calledToken, held, look, wordAt, words } from './run.js';
import { opening, parts } from './say.js';
import { withoutPart } from './spine.js';
import { cellOf, labelOf, readCell, STOPS, stopOf } from './steps_of_attention.js';
import { open, placeOf, REST, spelled, toQuery } from './store.js';
import { divisorOf, maskedBy, maskOf, namesOf, numbersOf, SHUT } from './number_strips.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {{row: number, column: number}} At */

const KEPT = 24; // pictures
const FEW = 16; // tokens up to which a map needs no more room than what is told beside it
const COLDEST = 0.1, HOTTEST = 4; // temperatures

/** Whether a step gives nothing but zeros: it is off. @param {import('./number_strips.js').Numbers} numbers */
const noneOf = ({ values, parts }) => parts !== 'share' && values.every(value => value === 0);

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function attention(root, context) {
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce);
  const again = () => { if (root.contains(page)) render(); };
  const packets = layerPackets(context, 2, again), origins = layerPackets(context, 9, again);
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  /** @type {At | null} */
  let pointed = null;
  /** What takes a guess where a lesson asks. @type {((position: number) => void) | null} */
  let taken = null;
  /** @type {WeakMap<Packet, Map<string, import('./number_strips.js').Numbers>>} */
  const cache = new WeakMap();
  let wished = '', rested = '', resting = 0; // the number whose origin is asked for
  let temperature = 1, played = -1, all = false, unfolded = false, moving = 0, moves = 0; // `moving` is 0 for a stop that shows its end at once

  const head = headline(context);
  const stops = rail({
    choose: (i, led) => { moving = led ? ++moves : 0; choose(here()[i]); }, rest: () => { const stop = played; played = -1; if (stop >= 0) choose(stop); },
    play: i => { [played, pointed, moving] = [here()[i], null, ++moves]; if (state.number) store.set({ number: '' }); render(); }, // what plays is not what is open
  });
  const shown = picture({ point, keep: at => (taken ? guessed(at) : keepAt(at)), open: () => { if (!taken) openNumber(); } });
  const strips = operandStrips(), body = el('div', { class: 'at-body' }), page = el('section', { class: 'at at-steps', 'aria-label': 'Attention' });
  root.append(page);
  stops.goesOnBy(body);

  /** @param {At | null} at */
  function point(at) {
    if (stops.playing || taken) return;
    if (pointed?.row === at?.row && pointed?.column === at?.column) return;
    pointed = at;
    render();
  }

  /** The stops of this layer, as places in STOPS: a mask is one where it hides something. */
  const here = () => STOPS.map((_, i) => i).filter(i => STOPS[i].key !== 'mask' || maskedBy(/** @type {Packet} */ (run), state.layer) !== null);

  /** What is chosen: the stop, and the row and column of its picture, `row` counted among those that the run keeps. */
  function placed() {
    const of = /** @type {Packet} */ (run), cell = readCell(state.cell), { rows, gap, tokens } = of.about;
    const wished = played >= 0 ? played : state.step ? stopOf(state.step) : cell ? cell.stop : stopOf(''), index = here().includes(wished) ? wished : stopOf('');
    const stop = STOPS[index], layer = state.layer, head = state.head;
    const numbers = numbersAt(index);
    const row = [cell?.place.row ?? -1, state.word, gap, rows[0]].map(position => rows.indexOf(position)).find(i => i >= 0) ?? 0;
    const fits = cell && STOPS[cell.stop].shape === stop.shape && (stop.shape === 'grid' || cell.stop === index) ? cell.place.column : -1;
    const columns = stop.shape === 'grid' ? tokens.length : stop.own ? of.about.model.d_head : of.about.model.d_model;
    const column = fits >= 0 && fits < columns ? fits : best(index, row, numbers);
    return { index, stop, layer, head, numbers, columns, at: { row, column } };
  }

  /** The column of a row that stands out. @param {number} index @param {number} row @param {import('./number_strips.js').Numbers | null} numbers */
  function best(index, row, numbers) {
    const from = STOPS[index].shape === 'grid' ? numbersAt(stopOf(''), 1) ?? numbers : numbers;
    if (!from) return 0;
    const { d_head: size } = /** @type {Packet} */ (run).about.model, first = STOPS[index].key === 'concat' ? state.head * size : 0;
    const end = STOPS[index].key === 'concat' ? first + size : from.columns;
    return first + largest(from.values.subarray(row * from.columns + first, row * from.columns + end))[0];
  }

  /** The numbers of a stop, kept while they are the same. @param {number} index @param {number} [heated] temperature */
  function numbersAt(index, heated = STOPS[index].key === 'softmax' && played < 0 ? temperature : 1) {
    const of = /** @type {Packet} */ (run), stop = STOPS[index];
    const there = packets.get(of, state.layer);
    const key = [index, state.layer, stop.own ? state.head : '', heated, Boolean(there)].join(' ');
    const list = cache.get(of) ?? new Map();
    cache.set(of, list);
    if (!list.has(key)) {
      const found = numbersOf(stop, of, there, { layer: state.layer, head: state.head, temperature: heated });
      if (!found) return null;
      if (list.size > KEPT) list.delete([...list.keys()][0]);
      list.set(key, found);
    }
    return /** @type {import('./number_strips.js').Numbers} */ (list.get(key));
  }

  /** Chooses a stop; a cell that is kept goes with it. @param {number} index */
  function choose(index) {
    if (!run) return;
    pointed = null;
    const now = placed(), stop = STOPS[index], same = stop.shape === now.stop.shape && (stop.shape === 'grid' || index === now.index);
    const cell = cellOf(stop, now.layer, now.head, { row: run.about.rows[now.at.row], column: same ? now.at.column : best(index, now.at.row, numbersAt(index)) });
    store.set({ step: stop.step, ...(state.cell ? { cell } : {}) });
  }

  /** @param {At} at `row` counts the rows that the run keeps */
  function keepAt(at) {
    if (!run) return;
    const { stop, layer, head } = placed();
    pointed = null;
    store.set({ step: stop.step, cell: cellOf(stop, layer, head, { row: run.about.rows[at.row], column: at.column }) });
  }

  /** @param {At} at */
  function guessed(at) {
    if (run && run.about.rows[at.row] === context.asks()?.word) taken?.(at.column);
  }

  function openNumber() {
    const { stop, layer, head, at } = placed(), place = placeOf(cellOf(stop, layer, head, { row: /** @type {Packet} */ (run).about.rows[at.row], column: at.column }));
    if (place) open(place);
  }

  /** @param {import('./claim.js').Head} to */
  function lead({ layer, head }) {
    const { stop, at } = placed();
    store.set({ layer, head, step: stop.step, cell: cellOf(stop, layer, head, { row: /** @type {Packet} */ (run).about.rows[at.row], column: at.column }) });
  }

  function render() {
    if (!run) return;
    const asked = context.asks();
    if (asked) return ask(run, asked);
    taken = null;
    body.classList.remove('is-asked');
    const { about } = run, names = namesOf(about.tokens), there = packets.get(run, state.layer);
    const now = placed(), { stop, index, layer, head: own, numbers, at } = now;
    const looked = pointed && pointed.row < about.rows.length && pointed.column < now.columns ? pointed : at;
    const divisor = divisorOf(run, there), { distance = false } = /** @type {{distance?: boolean}} */ (there?.about ?? {});

    head.draw(run, state, finding(now));
    const list = here();
    const masked = maskedBy(run, layer) ?? '', called = list.map(i => labelOf(STOPS[i], divisor, distance, masked));
    stops.draw(list.map((i, at) => ({ text: STOPS[i].word, symbol: called[at], title: `${STOPS[i].word}, ${called[at]}: ${STOPS[i].title}`, group: STOPS[i].group })), list.indexOf(index));
    const zeros = numbers !== null && noneOf(numbers);
    shown.hide(!numbers || zeros);
    if (numbers) {
      const { parts } = numbers, ends = endsOf(numbers, parts), sentence = cellSaid(now, at, numbers);
      shown.draw({
        key: [about.model.digest, about.sentence, about.second, index, layer, stop.own ? own : '', temperature].join(' '),
        numbers, ends, parts, chosen: looked, kept: at, tokens: about.tokens.length, last: about.tokens[about.tokens.length - 1], unfold: played >= 0,
        rows: numbers.rows.map(position => names[position]), columns: numbers.names ? about.tokens : [], band: stop.key === 'concat' ? [own * about.model.d_head, (own + 1) * about.model.d_head] : null,
        form: value => written(value, parts === 'share'),
        label: `${stop.title}. ${stop.own ? `Head ${own} of layer` : 'Layer'} ${layer}: ${numbers.rows.length} tokens by ${numbers.columns} ${numbers.names ? 'tokens' : 'numbers'}.`,
        says: sentence, shown: cellSaid(now, looked, numbers),
        low: parts === 'share' ? percent(ends.low) : brief(ends.low), high: parts === 'share' ? percent(ends.high, 1) : brief(ends.high),
        above: [ends.above ? `${ends.above} beyond the ends` : '', numbers.rows.length < about.tokens.length ? `rows ${numbers.rows[0]} to ${numbers.rows[numbers.rows.length - 1]} of ${about.tokens.length} tokens` : ''].filter(Boolean).join('; '),
      });
      rest.say(sentence);
    }
    steady(page, Boolean(numbers));
    put(body, { title: stops.playing ? 'A press goes on to the next stop, Escape pauses' : null });
    body.classList.toggle('is-few', about.tokens.length <= FEW);
    into(html`<div class="at-left">${shown.element}${zeros ? html`<p class="at-none">Nothing to draw: every number is 0.</p>` : numbers ? nothing : waitingFor(packets, run, layer, 'vectors')}</div>
      <div class="at-beside">${arithmetic(now, looked, there)}</div>`, body);
    into(html`${head.element}${stops.element}${body}`, page);
  }

  /** The map without the row that a lesson asks about; a press in that row is a guess. @param {Packet} of @param {{word: number, guess: (position: number) => void}} asked */
  function ask(of, { word, guess }) {
    const { about } = of, { tokens } = about, names = namesOf(tokens), numbers = numbersAt(stopOf(''), 1), row = about.rows.indexOf(word), query = calledToken(of, word);
    head.draw(of, state, parts('attention', { query, word: '', share: '' }).map(part => (['word', 'share'].includes(part.name) ? { ...part, name: 'hidden' } : part)));
    if (!numbers || row < 0) return into(html`${head.element}`, page);
    taken = guess;
    body.classList.add('is-asked');
    const values = Float32Array.from(numbers.values, (value, i) => (Math.floor(i / numbers.columns) === row ? NaN : value)), seen = { ...numbers, values }, ends = endsOf(seen, 'share');
    shown.draw({
      key: ['asked', about.model.digest, about.sentence, about.second, state.layer, state.head, word].join(' '), numbers: seen, ends, parts: 'share', chosen: { row, column: NaN }, kept: { row, column: 0 }, hidden: row,
      tokens: tokens.length, last: tokens[tokens.length - 1], unfold: false, rows: numbers.rows.map(position => names[position]), columns: tokens, band: null, form: value => written(value, true),
      label: `Head ${state.head} of layer ${state.layer}: ${numbers.rows.length} tokens by ${numbers.columns} tokens; the row of ${query} is hidden.`, says: 'Your guess first.', shown: '', low: percent(ends.low), high: percent(ends.high, 1), above: '',
    });
    into(html`<div class="at-left">${shown.element}</div><div class="at-beside"><p class="at-what">A row is a word that looks, a column a word it looks at. This row opens with your guess.</p></div>`, body);
    into(html`${head.element}${body}`, page);
  }

  /** What a number was made of; it is asked for once the number has been chosen for a while, so that who walks on asks for nothing. @param {import('./store.js').Place} place */
  function originOf(place) {
    const name = spelled(place);
    if (name !== wished) {
      wished = name;
      clearTimeout(resting);
      resting = window.setTimeout(() => { rested = name; again(); }, REST);
    }
    return rested === name ? origins.get(/** @type {Packet} */ (run), place) : null;
  }

  /** The operands of the number that is looked at; of a product with a matrix those of the number that is kept, which have to be asked for. @param {ReturnType<typeof placed>} now @param {At} looked @param {Packet | null} there @param {import('./row.js').Table | null} told */
  function operands({ stop, index, layer, head, numbers, at }, looked, there, told) {
    const of = /** @type {Packet} */ (run), matrix = ['q', 'k', 'v', 'output'].includes(stop.key), place = matrix ? at : looked, hot = stop.key === 'softmax' ? temperature : 1;
    const from = matrix && there ? placeOf(cellOf(stop, layer, head, { row: of.about.rows[place.row], column: place.column })) : null, origin = from && originOf(from), why = from ? origins.why(of, from) : '';
    const made = numbers && operandsOf(stop, of, there, { layer, head, temperature: hot }, numbers, place, origin);
    if (!made || !numbers) return nothing;
    const { total } = made, share = stop.parts === 'share';
    strips.draw({
      key: [of.about.model.digest, of.about.sentence, of.about.second, of.about.hidden, of.about.edits, index, layer, head, place.row, place.column, hot, Boolean(made.terms)].join(' '), operands: why ? { ...made, note: why } : made,
      moving, ready: Boolean(!from || origin || why), ends: endsOf(numbers, numbers.parts), form: value => written(value, share && value === total.value),
      label: `${stop.title}: ${[...made.lines, made.total].map(({ name, how, text }) => `${name} ${how} ${text}`).join(', ')}.`, proof: made.proof ?? (hot === 1 && told && (!told.agrees || PROVED.test(told.check)) ? told.check : ''), agrees: made.proof !== undefined || (told?.agrees ?? true),
    });
    return strips.element;
  }

  /** The operands of what is looked at, and what can be done with its number. @param {ReturnType<typeof placed>} now @param {At} looked @param {Packet | null} there the vectors of its layer */
  function arithmetic(now, looked, there) {
    const of = /** @type {Packet} */ (run), { stop, layer, head, numbers, at } = now, hot = stop.key === 'softmax';
    const told = numbers && tableOf(stop, of, there, { layer, head, temperature: hot ? temperature : 1 }, looked);
    const chosen = stop.key === 'concat' ? head * of.about.model.d_head : looked.column;
    return html`<div class="at-titles"><h2>${stop.title}</h2><p class="at-formula">${formulaOf(stop, there)}</p></div><p class="at-what">${explained(stop.what)}</p>${operands(now, looked, there, told)}
      ${numbers && stop.parts === 'share' && temperature === 1 ? lookedAtMost(of, { layer, head, ...looked }, lead) : nothing}${numbers && stop.parts === 'share' && temperature === 1 ? inPieces(of.about.rows[looked.row], looked.column) : nothing}
      ${hot && temperature !== 1 && numbers ? html`<p class="at-warm">${warmed(looked, numbers)}</p>` : nothing}
      <div class="at-tools">${opener(openNumber)}${hot ? html`<label class="enc-pill at-heat">Temperature<input type="range" min=${COLDEST} max=${HOTTEST} step="0.1" .value=${String(temperature)} aria-valuetext="${temperature.toFixed(1)}${temperature === 1 ? ', the model\'s own' : ''}"
        @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => { temperature = Number(target.value); render(); }} @change=${() => store.choose({ temperature: temperature === 1 ? '' : String(temperature) })}><output>${temperature.toFixed(1)}</output></label>` : nothing}
        ${context.options().keep ? coder(() => context.code()) : nothing}</div>
      ${told ? html`<details class="at-numbers" ?open=${unfolded}><summary @click=${(/** @type {Event} */ event) => { event.preventDefault(); unfolded = !unfolded; render(); }}>The numbers</summary>
        ${unfolded ? rowTable(told, chosen, { choose: column => keepAt({ row: at.row, column }), point: column => point(column === null ? null : { row: at.row, column }), all, turn: () => { all = !all; render(); } }) : nothing}</details>` : nothing}`;
  }

  /** What a word in several pieces gives or gets as a whole, as on pages that speak of words; nothing where both are whole. @param {number} position @param {number} column */
  function inPieces(position, column) {
    const of = /** @type {Packet} */ (run), all = words(of), [from, to] = [position, column].map(token => all[wordAt(of, token)]), numbers = numbersAt(stopOf(''), 1);
    if (!from || !to || (from.count === 1 && to.count === 1) || !numbers || !held(of, from)) return nothing;
    const share = look(of, state.layer, state.head, from).shares[all.indexOf(to)], many = [from, to].filter((one, i, both) => one.count > 1 && both.indexOf(one) === i).map(one => `${called(of, one)} is ${one.count} tokens`);
    return html`<p class="at-most">${composed(parts('in_pieces', { which: begins(many.join(', ')), from: called(of, from), to: from === to ? 'itself' : called(of, to), share }))}</p>`;
  }

  /** The formula of a stop, with this model's numbers. @param {import('./steps_of_attention.js').Stop} stop @param {Packet | null} there */
  function formulaOf({ key, formula, bias }, there) {
    const of = /** @type {Packet} */ (run), divisor = divisorOf(of, there), { distance = false, bias: biased = true } = /** @type {{distance?: boolean, bias?: boolean}} */ (there?.about ?? {});
    if (key === 'mask') return formula.replace('−∞', typeset(brief(maskOf(of))));
    if (key === 'scaled') return `score / √${Math.round(divisor ** 2)} = score / ${brief(divisor)}${distance ? ', and what is added for the distance' : ''}`;
    return bias && biased ? `${formula} + ${bias}` : formula;
  }

  /** A number as it stands in a cell. @param {number} value @param {boolean} share */
  function written(value, share) {
    if (share || Number.isNaN(value)) return inCell(value);
    return Number.isFinite(value) ? typeset(value.toFixed(Math.abs(value) >= 100 ? 0 : 1)).replace(/^−0\.0$/, '0.0') : '−∞';
  }

  /** What a cell of the picture says. @param {ReturnType<typeof placed>} now @param {At} at @param {import('./number_strips.js').Numbers} numbers */
  function cellSaid({ stop, index }, at, numbers) {
    const name = (/** @type {number} */ position) => calledToken(/** @type {Packet} */ (run), position), value = numbers.values[at.row * numbers.columns + at.column], from = name(numbers.rows[at.row]);
    const why = numbers.shut?.[at.row * numbers.columns + at.column], figure = typeset(sure(value, numbers.within ?? 0));
    if (why) return begins(`${from} does not look at ${name(at.column)}: ${SHUT[why].because}`);
    if (numbers.parts === 'share') return begins(`${from} looks at ${name(at.column)}: ${tight(percent(value || Number.MIN_VALUE, 1))}`);
    if (stop.shape === 'grid') return begins(`${from} and ${name(at.column)}: ${figure}`);
    return begins(`${STOPS[index].called} ${from}, number ${at.column}: ${figure}`);
  }

  /** What the temperature changed, in a sentence. @param {At} at @param {import('./number_strips.js').Numbers} numbers */
  function warmed(at, numbers) {
    const of = /** @type {Packet} */ (run), before = numbersAt(stopOf(''), 1);
    const place = at.row * numbers.columns + at.column, now = numbers.values[place], was = before ? before.values[place] : NaN;
    if (numbers.shut?.[place]) return begins(`${calledToken(of, at.column)} gets nothing at any temperature: ${SHUT[numbers.shut[place]].because}.`);
    return `${begins(calledToken(of, at.column))} gets ${tight(percent(now, 1))} instead of ${tight(percent(was, 1))}: ${temperature > 1 ? 'a higher temperature spreads attention more evenly' : 'a lower temperature puts more on the strongest'}. Only this stop is drawn with it.`;
  }

  /** What a stop whose rows are vectors gives, and what that is for; null of the others, and while it is waited for. @param {import('./steps_of_attention.js').Stop} stop @param {number} position @param {import('./number_strips.js').Numbers | null} numbers @param {At} at @param {number} top the token that gets most, and its share @param {number} share */
  function toldOf(stop, position, numbers, at, top, share) {
    const of = /** @type {Packet} */ (run), value = numbers?.values[at.row * numbers.columns + at.column] ?? NaN;
    if (stop.shape !== 'strip' || !numbers || Number.isNaN(value) || Number.isNaN(share)) return null;
    const query = calledToken(of, position), { heads, d_head } = of.about.model;
    return parts(`stop_${stop.key}`, { query: ['mixed', 'concat', 'output'].includes(stop.key) ? query : begins(query), count: numbers.columns, heads, each: d_head, share, word: top === position ? 'itself' : calledToken(of, top) });
  }

  /** The finding of what is chosen, with this run's number. @param {ReturnType<typeof placed>} now */
  function finding({ stop, index, numbers, at }) {
    const of = /** @type {Packet} */ (run), { rows } = of.about, position = rows[at.row], heated = stop.key === 'softmax' && played < 0 && temperature !== 1;
    const shares = numbersAt(stopOf(''), heated ? temperature : 1), own = (/** @type {number} */ column) => shares?.values[at.row * shares.columns + column] ?? NaN;
    const column = stop.shape === 'grid' ? at.column : shares ? largest(shares.values.subarray(at.row * shares.columns, (at.row + 1) * shares.columns))[0] : 0;
    const scores = ['scores', 'scaled', 'mask'].includes(stop.key) ? numbersAt(index) : null, seen = stop.key === 'mask' ? scores : shares;
    const alone = seen?.shut?.subarray(at.row * seen.columns, (at.row + 1) * seen.columns).every(Boolean);
    const told = toldOf(stop, position, numbers, at, column, own(column));
    const query = calledToken(of, position);
    if (numbers && noneOf(numbers)) return parts('stop_zeros', { query });
    if (told) return told;
    const heat_ = heated ? { temperature: temperature.toFixed(1) } : {};
    let key = heated ? 'attention_heated' : 'attention', given = /** @type {Record<string, string | number>} */ ({ query, word: calledToken(of, column), share: own(column), ...heat_ });
    if (scores) {
      const highest = largest(scores.values.subarray(at.row * scores.columns, (at.row + 1) * scores.columns), value => value)[0];
      key = 'score';
      given = { query, word: calledToken(of, highest), value: scores.values[at.row * scores.columns + highest] };
    } else if (column === position) key = heated ? 'attention_itself_heated' : 'attention_itself';
    if (alone && !['scores', 'scaled'].includes(stop.key)) key = 'attention_none';
    else if (scores ? Number.isNaN(given.value) : shares && Number.isNaN(given.share)) key = 'no_numbers';
    if (!key.startsWith('attention') || key === 'attention_none') given.query = begins(query);
    if (scores && key === 'score') given.value = typeset(sure(Number(given.value), scores.within ?? 0));
    if (scores || !['attention', 'attention_itself'].includes(key)) return parts(key, given);
    const at_ = placeOf(cellOf(STOPS[stopOf('')], state.layer, state.head, { row: position, column })), most = shares ? largest(shares.values.subarray(at.row * shares.columns, (at.row + 1) * shares.columns))[0] : column;
    if (most !== column && own(most) > own(column)) return opening(parts('attention_less', { query, word: column === position ? 'itself' : String(given.word), share: own(column), best: most === position ? 'itself' : calledToken(of, most), most: own(most) }), 'share', at_);
    const costs = of.about.model.untrained ? [] : withoutPart(of, { layer: state.layer, head: state.head }, position);
    const also = costs.map(part => ({ ...part, ...(part.name === 'part' ? { text: 'this head', name: '' } : { text: part.text.replace(/^W/, 'w') }) }));
    return [...opening(parts(key, given), 'share', at_), { text: costs.length ? '; ' : '.', name: '', format: '' }, ...also, ...(costs.length ? [{ text: '.', name: '', format: '' }] : [])];
  }

  return {
    draw(given, chosen) {
      if (run !== given) pointed = null;
      temperature = Math.min(Math.max(Number(store.choices().temperature) || 1, COLDEST), HOTTEST);
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      if (!run) return [];
      const { stop, layer, head } = placed(), own = stop.own ? `head ${head} of ` : '', warm = stop.key === 'softmax' && temperature !== 1;
      return [{
        name: `${labelOf(stop, divisorOf(run, null))} of ${own}layer ${layer}${warm ? ', at temperature 1.0' : ''}`,
        ...context.main(stop.step, toQuery({ ...made(state), layer, head, step: stop.step })),
      }];
    },
    end() {
      rest.end();
      packets.end();
      clearTimeout(resting);
      origins.end();
      stops.end();
      shown.end();
      strips.end();
      page.remove();
    },
  };
}

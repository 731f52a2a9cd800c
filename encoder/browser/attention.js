// @ts-check
// The Attention page: one head of one layer, in its stops over one picture, with the arithmetic of the chosen row beside it.
import { atRest, radios, rail } from './controls.js';
import style from './attention.css';
import { AS_IS, dress, el, put, write } from './dom.js';
import { endsOf } from './grid.js';
import { made } from './load.js';
import { lookedAtMost, rowTable, wayPanel } from './row_table.js';
import { brief, percent, sure, tight, typeset } from './number.js';
import { picture } from './picture.js';
import { largest, tableOf } from './row.js';
import { begins, calledToken } from './run.js';
import { parts, set } from './say.js';
import { cellOf, labelOf, readCell, STOPS, stopOf } from './stops.js';
import { toQuery } from './store.js';
import { divisorOf, masks, maskOf, namesOf, numbersOf, SHUT } from './strips.js';
import { stepBack } from './way_back.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {import('./way_back.js').Spot} Spot */
/** @typedef {{row: number, column: number}} At */

const KEPT = 24; // pictures

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function attention(root, context) {
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce);
  /** @type {WeakMap<Packet, Map<number, Packet>>} */
  const vectors = new WeakMap();
  /** @type {{run: Packet, layer: number, control: AbortController} | null} */
  let coming = null;
  /** The layers that are on their way beforehand. @type {WeakMap<Packet, Set<number>>} */
  const ahead = new WeakMap();
  /** @type {{run: Packet, layer: number, why: string} | null} */
  let failed = null;
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  /** @type {At | null} */
  let pointed = null;
  /** @type {Spot[] | null} */
  let way = null;
  /** @type {WeakMap<Packet, Map<string, import('./strips.js').Numbers>>} */
  const cache = new WeakMap();
  let temperature = 1, played = -1, said = '';

  const finding = el('h1', { class: 'at-finding', tabindex: '-1' });
  const layers = radios('layer', layer => choose({ layer })), heads = radios('head', head => choose({ head }));
  const stops = rail({ choose: i => choose({ stop: here()[i] }), play: i => { played = here()[i]; way = null; render(); }, rest: () => { const stop = played; played = -1; if (stop >= 0) choose({ stop }); } });
  const shown = picture({ point, keep: at => keepAt(at), open: openNumber });
  const what = el('p', { class: 'at-what' }), title = el('h2', { ...AS_IS }), formula = el('p', { class: 'at-formula' });
  const table = rowTable({ choose: column => keepAt({ row: placed().at.row, column }), point: column => point(column === null ? null : { row: placed().at.row, column }) });
  const opener = el('button', { type: 'button', class: 'pill is-first', onclick: openNumber }, 'Open this number');
  const slider = el('input', { type: 'range', min: '0.1', max: '4', step: '0.1', value: '1', oninput: () => { temperature = Number(slider.value); render(); }, onchange: () => store.choose({ temperature: temperature === 1 ? '' : slider.value }) });
  const heat = el('output'), hot = el('label', { class: 'pill at-heat' }, 'Temperature', slider, heat);
  const warm = el('p', { class: 'at-warm' });
  const code = el('button', { type: 'button', class: 'pill', 'aria-haspopup': 'dialog', onclick: () => context.code() }, 'Code');
  const most = lookedAtMost(({ layer, head }) => { const { stop, at } = placed(); store.set({ layer, head, step: stop.step, cell: cellOf(stop, layer, head, { row: /** @type {Packet} */ (run).about.rows[at.row], column: at.column }) }); });
  const arithmetic = el('div', { class: 'at-arithmetic' }, title, formula, table.element, most.element, warm, el('div', { class: 'at-tools' }, opener, hot, code));
  const panel = wayPanel({ go: spot => walk([...(way ?? []), spot]), back: to => walk((way ?? []).slice(0, to + 1)), close });
  const waiting = el('div', { class: 'at-waiting', role: 'status' }, el('span'), el('i'), el('i'), el('i'), el('i'), el('i'), el('i'));
  const again = el('button', { type: 'button', class: 'pill', onclick: () => { failed = null; render(); } }, 'Try again');
  const trouble = el('div', { class: 'at-trouble', role: 'alert' });
  const left = el('div', { class: 'at-left' }, shown.element, waiting, trouble), beside = el('div', { class: 'at-beside' }, arithmetic, panel.element);
  const page = el('section', { class: 'at', 'aria-label': 'Attention' },
    el('div', { class: 'at-head' }, finding, el('div', { class: 'enc-place' }, layers.element, heads.element)),
    stops.element, what, el('div', { class: 'at-body' }, left, beside));
  root.append(page);

  // Pointing at the picture, or a key, pauses what plays.
  left.addEventListener('pointermove', () => stops.pause());
  page.addEventListener('keydown', event => { if (!(event.target instanceof Element && event.target.closest('.rail-play'))) stops.pause(); });

  /** @param {At | null} at */
  function point(at) {
    if (pointed?.row === at?.row && pointed?.column === at?.column) return;
    pointed = at;
    render();
  }

  /** The stops of this layer, as places in STOPS: a mask is one where it hides something. */
  const here = () => STOPS.map((_, i) => i).filter(i => STOPS[i].key !== 'mask' || masks(/** @type {Packet} */ (run), state.layer));

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

  /** The column of a row that stands out. @param {number} index @param {number} row @param {import('./strips.js').Numbers | null} numbers */
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
    const there = vectors.get(of)?.get(state.layer) ?? null;
    const key = [index, state.layer, stop.own ? state.head : '', heated, Boolean(there)].join(' ');
    const list = cache.get(of) ?? new Map();
    cache.set(of, list);
    if (!list.has(key)) {
      const found = numbersOf(stop, of, there, { layer: state.layer, head: state.head, temperature: heated });
      if (!found) return null;
      if (list.size > KEPT) list.delete([...list.keys()][0]);
      list.set(key, found);
    }
    return /** @type {import('./strips.js').Numbers} */ (list.get(key));
  }

  /** Chooses; a cell that is kept goes with it. @param {{layer?: number, head?: number, stop?: number}} to */
  function choose(to) {
    if (!run) return;
    way = null;
    pointed = null;
    const now = placed(), index = to.stop ?? now.index, layer = to.layer ?? now.layer, head = to.head ?? now.head;
    /** @type {import('./store.js').Changes} */
    const changes = {};
    if (to.layer !== undefined) changes.layer = to.layer;
    if (to.head !== undefined) changes.head = to.head;
    if (to.stop !== undefined) changes.step = STOPS[index].step;
    if (state.cell) {
      const stop = STOPS[index], same = stop.shape === now.stop.shape && (stop.shape === 'grid' || index === now.index);
      const position = run.about.rows[now.at.row];
      changes.cell = cellOf(stop, layer, head, { row: position, column: same ? now.at.column : best(index, now.at.row, numbersAt(index)) });
    }
    store.set(changes);
  }

  /** @param {At} at `row` counts the rows that the run keeps */
  function keepAt(at) {
    if (!run) return;
    const { stop, layer, head, index } = placed();
    way = null;
    pointed = null;
    store.set({ step: STOPS[index].step, cell: cellOf(stop, layer, head, { row: run.about.rows[at.row], column: at.column }) });
  }

  function openNumber() {
    if (!run) return;
    const { index, layer, head, at } = placed();
    walk([{ stop: index, layer, head, row: run.about.rows[at.row], column: at.column }]);
  }

  /** Shows the last of these steps, and its stop in the picture. @param {Spot[]} steps */
  function walk(steps) {
    const spot = steps[steps.length - 1], stop = STOPS[spot.stop];
    way = steps;
    pointed = null;
    store.set({ layer: spot.layer, head: spot.head, step: stop.step, cell: cellOf(stop, spot.layer, spot.head, spot) });
    if (temperature !== 1) store.choose({ temperature: '' });
    panel.title.focus({ preventScroll: true });
  }

  /** Leads back to the number that was opened first. */
  function close() {
    const first = way?.[0];
    if (first) walk([first]);
    way = null;
    render();
    opener.focus();
  }

  /** Asks for the vectors of the layer, and of its neighbours once they are there. The last one asked for wins. */
  function want() {
    const of = /** @type {Packet} */ (run), layer = state.layer, known = vectors.get(of) ?? new Map();
    vectors.set(of, known);
    const going = ahead.get(of) ?? new Set();
    ahead.set(of, going);
    if (known.has(layer) || going.has(layer) || (coming && coming.run === of && coming.layer === layer) || (failed && failed.run === of && failed.layer === layer)) return;
    coming?.control.abort();
    const mine = coming = { run: of, layer, control: new AbortController() };
    failed = null;
    context.layer(layer, mine.control.signal).then(
      found => {
        known.set(layer, found);
        if (coming === mine) coming = null;
        if (run !== of) return;
        render();
        for (const near of [layer - 1, layer + 1]) {
          if (near < 0 || near >= of.about.model.layers || known.has(near) || going.has(near)) continue;
          going.add(near);
          context.layer(near).then(other => { known.set(near, other); }, () => null).finally(() => {
            going.delete(near);
            if (run === of && state.layer === near && root.contains(page)) render();
          });
        }
      },
      error => {
        if (coming !== mine) return;
        coming = null;
        failed = { run: of, layer, why: error instanceof Error ? error.message : 'This did not work: try again.' };
        if (run === of) render();
      },
    );
  }

  function render() {
    if (!run) return;
    want();
    const { about } = run, names = namesOf(about.tokens), there = vectors.get(run)?.get(state.layer) ?? null;
    const now = placed(), { stop, index, layer, head, numbers, at } = now;
    const looked = pointed && pointed.row < about.rows.length && pointed.column < now.columns ? pointed : at;
    const divisor = divisorOf(run, there), { distance = false, bias = true } = /** @type {{distance?: boolean, bias?: boolean}} */ (there?.about ?? {});

    layers.draw(Array.from({ length: about.model.layers }, (_, i) => ({ text: String(i), title: `layer ${i}` })), layer);
    heads.draw(Array.from({ length: about.model.heads }, (_, i) => ({ text: String(i), title: `head ${i}` })), head);
    const all = here();
    stops.draw(all.map(i => ({ text: labelOf(STOPS[i], divisor, distance), title: `${STOPS[i].label}: ${STOPS[i].title}` })), all.indexOf(index));
    headline(now);
    write(what, stop.what);

    shown.hide(!numbers);
    most.draw(numbers && stop.parts === 'share' && temperature === 1 ? run : null, { layer, head, ...looked });
    const unable = failed && failed.run === run && failed.layer === layer && !numbers ? failed.why : '';
    waiting.hidden = Boolean(numbers || unable);
    write(/** @type {Element} */ (waiting.firstElementChild), `Loading the vectors of layer ${layer} …`);
    trouble.hidden = !unable;
    if (unable) trouble.replaceChildren(el('p', {}, unable), again);

    const told = numbers && tableOf(stop, run, there, { layer, head, temperature: stop.key === 'softmax' ? temperature : 1 }, looked);
    if (numbers) {
      const { parts } = numbers, ends = endsOf(numbers, parts), sentence = cellSaid(now, at, numbers);
      shown.draw({
        key: [run.about.model.digest, run.about.sentence, run.about.second, index, layer, stop.own ? head : '', temperature].join(' '),
        numbers, ends, parts, chosen: looked, kept: at, tokens: about.tokens.length, last: about.tokens[about.tokens.length - 1], unfold: played >= 0,
        rows: numbers.rows.map(position => names[position]), columns: numbers.names ? about.tokens : [], band: stop.key === 'concat' ? [head * about.model.d_head, (head + 1) * about.model.d_head] : null,
        form: value => written(value, parts === 'share'),
        label: `${stop.title}. Layer ${layer}${stop.own ? `, head ${head}` : ''}: ${numbers.rows.length} tokens by ${numbers.columns} ${numbers.names ? 'tokens' : 'numbers'}.`,
        says: sentence, shown: cellSaid(now, looked, numbers),
        low: parts === 'share' ? percent(ends.low) : brief(ends.low), high: parts === 'share' ? percent(ends.high, 1) : brief(ends.high),
        above: [ends.above ? `${ends.above} beyond the ends` : '', numbers.rows.length < about.tokens.length ? `rows ${numbers.rows[0]} to ${numbers.rows[numbers.rows.length - 1]} of ${about.tokens.length} tokens` : ''].filter(Boolean).join('; '),
      });
      rest.say(sentence);
    }

    arithmetic.hidden = way !== null;
    panel.element.hidden = way === null;
    write(title, stop.title);
    if (stop.key === 'mask') write(formula, stop.formula.replace('−∞', typeset(brief(maskOf(run)))));
    else if (stop.key === 'scaled') write(formula, `score / √${Math.round(divisor ** 2)} = score / ${brief(divisor)}${distance ? ', and what is added for the distance' : ''}`);
    else write(formula, stop.bias && bias ? `${stop.formula} + ${stop.bias}` : stop.formula);
    table.element.hidden = !told;
    if (told) table.draw(told, stop.key === 'concat' ? head * about.model.d_head : looked.column);
    hot.hidden = stop.key !== 'softmax';
    slider.value = String(temperature);
    write(heat, temperature.toFixed(1));
    put(slider, { 'aria-valuetext': `${temperature.toFixed(1)}${temperature === 1 ? ', the model\'s own' : ''}` });
    warm.hidden = stop.key !== 'softmax' || temperature === 1;
    if (!warm.hidden && numbers) write(warm, warmed(looked, numbers));
    code.hidden = !context.options().keep;
    if (way) {
      const steps = way, last = steps[steps.length - 1];
      panel.draw(steps.map(spot => crumb(spot)), there && last.layer === layer ? stepBack(last, run, there) : null);
    }
  }

  /** @param {Spot} spot */
  const crumb = ({ stop, layer }) => (STOPS[stop].key === 'x' ? (layer ? `x of layer ${layer}` : 'embedding') : { softmax: 'share', scaled: 'score', scores: 'q · k', q: 'Q', k: 'K', v: 'V' }[STOPS[stop].key] ?? STOPS[stop].label);

  /** A number as it stands in a cell. @param {number} value @param {boolean} share */
  function written(value, share) {
    if (Number.isNaN(value)) return '–';
    if (share) return Math.abs(value) < 0.005 ? '·' : typeset(String(Math.round(100 * value)));
    return Number.isFinite(value) ? typeset(value.toFixed(Math.abs(value) >= 100 ? 0 : 1)).replace(/^−0\.0$/, '0.0') : '−∞';
  }

  /** What a cell of the picture says. @param {ReturnType<typeof placed>} now @param {At} at @param {import('./strips.js').Numbers} numbers */
  function cellSaid({ stop, index }, at, numbers) {
    const name = (/** @type {number} */ position) => calledToken(/** @type {Packet} */ (run), position), value = numbers.values[at.row * numbers.columns + at.column], from = name(numbers.rows[at.row]);
    const why = numbers.shut?.[at.row * numbers.columns + at.column], figure = typeset(sure(value, numbers.within ?? 0, 4));
    if (why) return begins(`${from} does not look at ${name(at.column)}: ${SHUT[why].because}`);
    if (numbers.parts === 'share') return begins(`${from} looks at ${name(at.column)}: ${typeset(percent(value || Number.MIN_VALUE))}`);
    if (stop.shape === 'grid') return begins(`${from} and ${name(at.column)}: ${figure}`);
    return begins(`${STOPS[index].called} ${from}, number ${at.column}: ${figure}`);
  }

  /** What the temperature changed, in a sentence. @param {At} at @param {import('./strips.js').Numbers} numbers */
  function warmed(at, numbers) {
    const of = /** @type {Packet} */ (run), before = numbersAt(stopOf(''), 1);
    const place = at.row * numbers.columns + at.column, now = numbers.values[place], was = before ? before.values[place] : NaN;
    if (numbers.shut?.[place]) return begins(`${calledToken(of, at.column)} gets nothing at any temperature: ${SHUT[numbers.shut[place]].because}.`);
    return `${begins(calledToken(of, at.column))} gets ${tight(percent(now, 1))} instead of ${tight(percent(was, 1))}: ${temperature > 1 ? 'warmer is more even' : 'colder is more sure'}. Only this stop is drawn with it.`;
  }

  /** The finding of what is chosen, with this run's number. @param {ReturnType<typeof placed>} now */
  function headline({ stop, index, at }) {
    const of = /** @type {Packet} */ (run), { rows } = of.about, position = rows[at.row], heated = stop.key === 'softmax' && played < 0 && temperature !== 1;
    const shares = numbersAt(stopOf(''), heated ? temperature : 1), own = (/** @type {number} */ column) => shares?.values[at.row * shares.columns + column] ?? NaN;
    const column = stop.shape === 'grid' ? at.column : shares ? largest(shares.values.subarray(at.row * shares.columns, (at.row + 1) * shares.columns))[0] : 0;
    const scores = ['scores', 'scaled', 'mask'].includes(stop.key) ? numbersAt(index) : null, seen = stop.key === 'mask' ? scores : shares;
    const alone = seen?.shut?.subarray(at.row * seen.columns, (at.row + 1) * seen.columns).every(Boolean);
    const query = calledToken(of, position), heat_ = heated ? { temperature: temperature.toFixed(1) } : {};
    let key = heated ? 'attention_heated' : 'attention', given = /** @type {Record<string, string | number>} */ ({ query, word: calledToken(of, column), share: own(column), ...heat_ });
    if (scores) {
      const highest = largest(scores.values.subarray(at.row * scores.columns, (at.row + 1) * scores.columns), value => value)[0];
      key = 'score';
      given = { query, word: calledToken(of, highest), value: scores.values[at.row * scores.columns + highest] };
    } else if (column === position) key = heated ? 'attention_itself_heated' : 'attention_itself';
    if (alone && !['scores', 'scaled'].includes(stop.key)) key = 'attention_none';
    else if (scores ? Number.isNaN(given.value) : shares && Number.isNaN(given.share)) key = 'no_numbers';
    if (!key.endsWith('heated')) given.query = begins(query);
    const found = parts(key, given), text = found.map(part => part.text).join('');
    if (said === text) return;
    said = text;
    finding.replaceChildren(...found.map(part => (!part.name ? part.text : part.name === 'query' ? el('bdi', {}, part.text) : el('em', { ...AS_IS, 'data-arg': part.name }, set(part)))));
  }

  return {
    draw(given, chosen) {
      if (run !== given) { pointed = null; way = null; }
      temperature = Math.min(Math.max(Number(store.choices().temperature) || 1, Number(slider.min)), Number(slider.max));
      if (way && chosen.cell !== cellOf(STOPS[way[way.length - 1].stop], way[way.length - 1].layer, way[way.length - 1].head, way[way.length - 1])) way = null;
      run = given;
      state = chosen;
      render();
    },
    kept() {
      if (!run) return null;
      const { stop, layer, head } = placed(), own = stop.own ? `, head ${head}` : '', warm = stop.key === 'softmax' && temperature !== 1;
      return {
        picture: 'picture', name: `${labelOf(stop, divisorOf(run, null))} of layer ${layer}${own}${warm ? ', at temperature 1.0' : ''}`,
        query: toQuery({ ...made(state), layer, head, step: stop.step }),
      };
    },
    end() {
      rest.end();
      coming?.control.abort();
      stops.end();
      shown.end();
      page.remove();
    },
  };
}

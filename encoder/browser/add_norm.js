// @ts-check
// Add & norm: how long each token's vector is on the way through one sum and its norm, and the arithmetic of one token.
import own from './block.css';
import style from './attention.css';
import { aboutBlock, ADDS, cosineOf, digitsSaid, lengthOf, momentsOf, normAgain, normOf, operandsOf, readBy, sumAgain, SUMS, vectorOf, withinOf, wrongOf } from './block.js';
import { AS_IS, children, dress, el, put, write } from './dom.js';
import { headline, radios, rail } from './controls.js';
import { layerPackets, layerWaits, rowAmong } from './layer_packets.js';
import { made } from './load.js';
import { brief, sure, typeset } from './number.js';
import { largest } from './row.js';
import { begins, calledToken, direction, wordAt, words } from './run.js';
import { parts } from './say.js';
import { namesOf } from './strips.js';
import { toQuery } from './store.js';
import { tokenList } from './tokens.js';
import { vectorSlider } from './vectors.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {'in' | 'sum' | 'norm'} Key */
/** @typedef {{key: Key, label: string, step: string}} Stop */

const LITTLE = 0.1; // of what a token had: what adds less adds little
const FAR = 5; // times the middle one: longer bars are cut
const ALIKE = 1.01; // lengths that differ by less are one
/** @type {Record<Key, Stop>} */
const STOPS = {
  in: { key: 'in', label: 'what comes in', step: 'residual' }, sum: { key: 'sum', label: 'the sum', step: 'sum' }, norm: { key: 'norm', label: 'the norm', step: 'output' },
};
/** Steps of a norm that stand with its numbers. @type {Record<string, Key>} */
const OF_STEP = { residual: 'in', sum: 'sum', output: 'norm', mean: 'norm', variance: 'norm', mean_square: 'norm', normalized: 'norm' };
/** How a vector is drawn at every stop. @type {Record<string, {name: (sum: number) => string, colour: 'muted' | 'accent' | 'second' | 'ink'}>} */
const DRAWN = {
  residual: { name: () => 'what comes in', colour: 'muted' }, added: { name: sum => `what ${ADDS[sum]} adds`, colour: 'second' }, sum: { name: () => 'the sum', colour: 'accent' },
  normalized: { name: () => 'normalized', colour: 'muted' }, normed: { name: () => 'after the norm', colour: 'ink' },
};

/** Where bars end: at the longest, unless some are far longer than most. @param {number[]} lengths */
export function endOf(lengths) {
  const sorted = [...lengths].sort((a, b) => a - b), middle = sorted[Math.floor((sorted.length - 1) / 2)], usual = sorted.filter(length => length <= FAR * middle);
  return usual[usual.length - 1] ?? 0;
}

/** The stops of a layer in the order they are computed. @param {Packet} block */
export const stopsOf = block => (aboutBlock(block).pre_norm ? [STOPS.in, STOPS.norm, STOPS.sum] : [STOPS.in, STOPS.sum, STOPS.norm]);

/** The sum and the stop that a step means; the norm after attention where it means none. What leaves the layer is the second sum, or its norm. @param {string} step @param {boolean} [before] whether norms stand before what is added @returns {{sum: number, key: Key}} */
export function meant(step, before = false) {
  const [, number, name] = /^add_norm_([12])\.(\w+)$/.exec(step) ?? [], leaves = step === 'output';
  return { sum: leaves || number === '2' ? 1 : 0, key: leaves && before ? 'sum' : OF_STEP[name] ?? 'norm' };
}

/** The parts of the headline. @param {Packet} block @param {number} sum @param {number} position @param {string} word */
export function finding(block, sum, position, word) {
  const [had, added, whole] = ['residual', 'added', 'sum'].map(name => lengthOf(block, name, sum, position)), sublayer = ADDS[sum];
  if (![had, added, whole].every(Number.isFinite)) return parts('no_numbers', { query: begins(word) });
  const share = added / had, near = (/** @type {number} */ length) => Number(length.toPrecision(3));
  const first = (had === 0 ? parts('adds_all', { word, sublayer }) : parts(share < LITTLE ? 'adds_little' : 'adds', { word, sublayer, share })).map(part => (part.name === 'sublayer' ? { ...part, name: '' } : part));
  const { pre_norm: before, final_norm: last } = aboutBlock(block);
  if (before) return [...first, ...parts(last && sum === 1 ? 'norm_final' : 'norm_before', { length: near(whole) })];
  const lengths = Array.from(block.arrays[`normed_length_${sum + 1}`].values).filter(Number.isFinite), least = Math.min(...lengths), most = Math.max(...lengths);
  return [...first, ...(most <= ALIKE * least ? parts('norm_alike', { length: near(most) }) : parts('norm_between', { least: near(least), most: near(most) }))];
}

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function addNorm(root, context) {
  dress(root, style);
  dress(root, own);
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  let pointed = -1, played = -1;
  const packets = layerPackets(context, 3, () => { if (root.contains(page)) render(); });
  const head = headline(context, { head: false });
  const sums = radios('Which sum', sum => choose({ sum }), { hidden: true, most: Infinity });
  head.element.querySelector('.enc-place')?.append(sums.element);
  const stops = rail({ choose: stop => choose({ stop }), play: stop => { played = stop; render(); }, rest: () => { const stop = played; played = -1; if (stop >= 0) choose({ stop }); } });
  const what = el('p', { class: 'at-what' });
  const bars = tokenList({ label: 'Tokens', choose: i => choose({ row: i }) }), legend = el('p', { class: 'an-legend' }), window_ = el('p', { class: 'an-window' });
  const title = el('h2'), strips = vectorSlider({ point: d => { pointed = d ?? -1; render(); }, keep: d => choose({ dimension: d }) });
  const formula = el('p', { class: 'an-formula', dir: 'ltr' }), line = el('p', { class: 'an-line', dir: 'ltr' }), check = el('p', { class: 'row-check' });
  const numbers = el('table', { class: 'row-table an-table' }, el('thead', {}, el('tr')), el('tbody'));
  const code = el('button', { type: 'button', class: 'pill', 'aria-haspopup': 'dialog', onclick: () => context.code() }, 'Code');
  const waits = layerWaits(packets, 'sums');
  const left = el('div', { class: 'at-left' }, legend, bars.element, window_, ...waits.elements);
  const beside = el('div', { class: 'at-beside' }, title, strips.element, formula, line, check, el('div', { class: 'row' }, numbers), el('div', { class: 'at-tools' }, code));
  const page = el('section', { class: 'at an', 'aria-label': 'Add & norm' }, head.element, stops.element, what, el('div', { class: 'at-body' }, left, beside));
  root.append(page);
  beside.addEventListener('pointermove', () => stops.pause());
  page.addEventListener('keydown', event => { if (!(event.target instanceof Element && event.target.closest('.rail-play'))) stops.pause(); });

  /** The vectors that a stop shows of a token. @param {Packet} block @param {Key} key @param {number} sum */
  function shown(block, key, sum) {
    if (key === 'in') return ['residual'];
    if (key === 'sum') return ['residual', 'added', 'sum'];
    return normOf(block, sum).kind === 'none' ? [readBy(block), 'normed'] : [readBy(block), 'normalized', 'normed'];
  }

  /** What is chosen: sum, stop, the token's place among the rows that are kept, and the dimension. @param {Packet} block */
  function placed(block) {
    const of = /** @type {Packet} */ (run), { rows, pre_norm: before } = aboutBlock(block), list = stopsOf(block), { sum, key } = meant(state.step, before);
    const stop = played >= 0 ? played : list.findIndex(one => one.key === key);
    const [, at, d] = /^layers\.\d+\.add_norm_[12]\.\w+:(\d+),(\d+)$/.exec(state.cell) ?? [];
    const row = rowAmong(rows, [at, state.word, of.about.gap]);
    const chosen = d !== undefined && Number(d) < of.about.model.d_model ? Number(d) : largest(vectorOf(block, 'added', sum, row))[0];
    return { sum, stop, key: list[stop].key, row, dimension: chosen };
  }

  /** @param {{sum?: number, stop?: number, row?: number, dimension?: number}} to */
  function choose(to) {
    const block = run && packets.get(run, state.layer);
    if (!run || !block) return;
    pointed = -1;
    const now = placed(block), sum = to.sum ?? now.sum, stop = stopsOf(block)[to.stop ?? now.stop], position = aboutBlock(block).rows[to.row ?? now.row];
    const step = `${SUMS[sum]}.${stop.step}`, word = words(run)[wordAt(run, position)];
    /** @type {import('./store.js').Changes} */
    const changes = { step };
    if (to.row !== undefined || to.dimension !== undefined || state.cell) changes.cell = `layers.${state.layer}.${step}:${position},${to.dimension ?? now.dimension}`;
    if (to.row !== undefined && word) changes.word = word.position;
    store.set(changes);
  }

  function render() {
    if (!run) return;
    const of = run, block = waits.get(of, state.layer, [stops.element, what, legend, bars.element, window_, beside]);
    sums.draw(ADDS.map(text => ({ text: `after ${text}` })), meant(state.step).sum);
    const names = namesOf(of.about.tokens), name = (/** @type {number} */ position) => calledToken(of, position);
    if (!block) {
      head.draw(of, state, [{ text: 'What do residual and norm do?', name: '', format: '' }]);
      return;
    }
    const now = placed(block), { sum, key, row } = now, { rows } = aboutBlock(block), position = rows[row], vectors = shown(block, key, sum);
    head.draw(of, state, finding(block, sum, position, name(position)));
    stops.draw(stopsOf(block).map(stop => ({ text: stop.label })), now.stop);
    write(what, reading(block, key, sum));

    const lengths = vectors.map(one => ({ ...DRAWN[one], name: one === 'residual' && key === 'norm' ? 'before the norm' : DRAWN[one].name(sum), values: rows.map(at => lengthOf(block, one, sum, at)) }));
    const longest = rows.map(at => Math.max(...['residual', 'added', 'sum', 'normed'].map(one => lengthOf(block, one, sum, at) || 0))), most = endOf(longest);
    const beyond = rows.filter((_, i) => longest[i] > most).map(at => names[at]);
    children(legend, lengths.length + 1, i => el('span', {}, ...(i ? [el('i')] : []), el('span'))).forEach((part, i) => {
      if (i) put(part, { 'data-colour': lengths[i - 1].colour });
      write(/** @type {Element} */ (part.lastElementChild), i ? lengths[i - 1].name : 'Length of each token\'s vector:');
    });
    bars.draw({
      names: rows.map(at => names[at]), positions: rows, chosen: row, most, direction: direction(of),
      bars: lengths.map(({ colour, values }) => ({ colour, values })),
      says: i => `${begins(name(rows[i]))}: ${lengths.map(one => `${one.name} ${brief(one.values[i])}`).join(', ')}`,
    });
    const long = rows.length < of.about.tokens.length ? `Tokens ${rows[0]} to ${rows[rows.length - 1]} of ${of.about.tokens.length}: the rest of this long run is not sent.` : '';
    write(window_, [beyond.length && beyond.length < 6 ? `Some bars are cut: ${beyond.join(', ')} ${beyond.length > 1 ? 'are' : 'is'} far longer than the others.` : beyond.length ? 'Bars that are far longer than the others are cut.' : '', long].filter(Boolean).join(' '));

    const d = pointed >= 0 ? pointed : now.dimension;
    const own = vectors.map((one, i) => ({ name: lengths[i].name, colour: lengths[i].colour, values: vectorOf(block, one, sum, row), within: withinOf(block, one, sum, row) }));
    write(title, `${begins(name(position))}: ${{ in: 'the numbers that come in', sum: 'number by number, added up', norm: 'its numbers before the norm and after' }[key]}`);
    const said = (/** @type {number} */ at) => `number ${at}: ${own.map(one => `${one.name} ${typeset(sure(one.values[at], one.within))}`).join(', ')}`;
    strips.draw({
      key: [of.about.model.digest, of.about.sentence, of.about.second, of.about.edits, of.about.hidden.join(), state.layer, sum, key, row].join(' '), strips: own, chosen: d, kept: now.dimension,
      label: `The ${of.about.model.d_model} numbers of ${name(position)}`, says: said(now.dimension),
    });
    put(strips.slider, { 'data-cell': `${position},${now.dimension}` });
    arithmetic(block, key, sum, row, d);
    table(block, key, sum, row, d, vectors, own);
    code.hidden = !context.options().keep;
  }

  /** One line on how to read it. @param {Packet} block @param {Key} key @param {number} sum */
  function reading(block, key, sum) {
    const { pre_norm: before } = aboutBlock(block), { kind } = normOf(block, sum);
    if (key === 'in') return `Each token comes in with a vector, and keeps it on a path around ${ADDS[sum]}: the residual. A bar is its length.`;
    if (key === 'sum') return `What ${ADDS[sum]} found is added to what each token had, number by number. Vectors that point apart add up to less than their lengths.`;
    if (kind === 'none') return 'This model has no norm here: the numbers go on as they are.';
    const first = kind === 'rms_norm' ? 'A token\'s numbers are divided by the root of their mean square' : 'The mean of a token\'s numbers is taken off and the rest divided by its spread';
    const learned = block.arrays[`beta_${sum + 1}`] ? 'scaled by its gamma and moved by its beta' : 'scaled by its gamma';
    return `${first}; then each number is ${learned}, the same for all tokens.${before ? ` This is what ${ADDS[sum]} reads.` : ''}`;
  }

  /** The chosen number, done again. @param {Packet} block @param {Key} key @param {number} sum @param {number} row @param {number} d */
  function arithmetic(block, key, sum, row, d) {
    const of = /** @type {Packet} */ (run), within = (/** @type {string} */ name) => withinOf(block, name, sum, row);
    const four = (/** @type {number} */ value, off = 0) => plain(value, 4, off), signed = (/** @type {number} */ value, off = 0) => (value < 0 ? `(${four(value, off)})` : four(value, off));
    formula.hidden = line.hidden = key === 'in';
    if (key === 'in') {
      const from = sum ? (aboutBlock(block).pre_norm ? 'the sum after attention' : 'what the norm after attention gave') : state.layer ? `what layer ${state.layer - 1} gave` : 'what the embedding gave';
      write(check, `Recorded in this run: ${from}.`);
      put(check, { 'data-agrees': 'true' });
      return;
    }
    const redo = key === 'sum' ? sumAgain : normAgain, { terms, made: result, recorded, digits, agrees } = redo(block, sum, row, d);
    if (key === 'sum') {
      write(formula, `number ${d}: what came in + what ${ADDS[sum]} adds = sum`);
      write(line, `${four(terms.residual, within('residual'))} + ${signed(terms.added, within('added'))} = ${four(result, within('residual') + within('added'))}`);
    } else if (normOf(block, sum).kind === 'none') {
      write(formula, `number ${d}: x = y`);
      write(line, four(result, within(readBy(block))));
    } else {
      const { kind, eps } = normOf(block, sum), small = typeset(String(eps)), plus = Number.isNaN(terms.beta) ? '' : ` + ${signed(terms.beta)}`;
      const [over, under] = kind === 'rms_norm' ? ['x', '√(mean square + ε)'] : ['(x − mean)', kind === 'std_norm' ? '(√variance + ε)' : '√(variance + ε)'];
      write(formula, `number ${d}: ${over} / ${under} · γ${plus && ' + β'} = y`);
      const x = four(terms.x, within(readBy(block))), top = kind === 'rms_norm' ? x : `(${x} − ${signed(terms.mean)})`, root = four(terms.variance);
      write(line, `${top} / ${kind === 'std_norm' ? `(√${root} + ${small})` : `√(${root} + ${small})`} · ${signed(terms.gamma)}${plus} = ${four(result, within('normed'))}`);
    }
    const wrong = wrongOf(redo, block, sum, row), all = of.about.model.d_model, why = of.about.edits ? 'this run was changed on the way' : 'this model does more on the way';
    write(check, wrong
      ? `Done again here, ${wrong} of ${all} numbers do not agree${agrees ? '' : `, this one among them: recorded is ${four(recorded, within(key === 'sum' ? 'sum' : 'normed'))}`}: ${why}.`
      : `Recorded in this run; done again here from 16-bit numbers, all ${all} agree, this one ${digitsSaid(digits)}\u00a0✓`);
    put(check, { 'data-agrees': String(!wrong) });
  }

  /** What all numbers of the token have in common, and the chosen one. @param {Packet} block @param {Key} key @param {number} sum @param {number} row @param {number} d @param {string[]} named of which vectors @param {{name: string, values: Float32Array, within: number}[]} vectors */
  function table(block, key, sum, row, d, named, vectors) {
    const position = aboutBlock(block).rows[row], norm = operandsOf(block, sum, position, d), moments = named.map(one => momentsOf(block, one, sum, position));
    const reads = vectors.findIndex((_, i) => (key === 'norm' && i === 0));
    /** @type {[string, (number | string)[]][]} */
    const lines = norm.kind === 'rms_norm' && key === 'norm'
      ? [['mean square', moments.map((one, i) => (i === reads ? norm.variance : one.square))]]
      : [['mean', moments.map((one, i) => (i === reads && norm.kind !== 'none' ? norm.mean : one.mean))], ['variance', moments.map((one, i) => (i === reads && norm.kind !== 'none' ? norm.variance : one.variance))]];
    lines.push(['length', moments.map(one => one.length)], [`number ${d}`, vectors.map(one => plain(one.values[d], 3, one.within))]);
    if (key === 'sum') lines.push(['cosine with what came in', vectors.map((one, i) => (i ? plain(cosineOf(vectors[0].values, one.values), 3, off(i)) : 1))]);
    if (key === 'norm' && norm.kind !== 'none') {
      const last = (/** @type {number} */ value) => vectors.map((_, i) => (i === vectors.length - 1 ? value : ''));
      lines.push([`gamma of number ${d}`, last(norm.gamma)]);
      if (!Number.isNaN(norm.beta)) lines.push([`beta of number ${d}`, last(norm.beta)]);
    }
    const [top, body] = [numbers.tHead?.rows[0], numbers.tBodies[0]];
    if (!top) return;
    /** How far the cosine with the first vector may be off: both were sent in steps. @param {number} i */
    function off(i) {
      const apart = (/** @type {number} */ k) => vectors[k].within * Math.sqrt(vectors[k].values.length) / (moments[k].length || 1);
      return apart(0) + apart(i);
    }
    const heads = [calledToken(/** @type {Packet} */ (run), position), ...vectors.map(one => one.name)];
    children(top, heads.length, i => el('th', { ...(i ? {} : AS_IS), scope: 'col' })).forEach((cell, i) => write(cell, heads[i]));
    const figure = (/** @type {number | string} */ value) => (typeof value === 'string' ? value : plain(value));
    children(body, lines.length, () => el('tr', {}, el('th', { scope: 'row' }))).forEach((tr, i) => {
      const [name, values] = lines[i], cells = children(tr, values.length + 1, () => el('td'));
      cells.forEach((cell, c) => write(cell, c ? figure(values[c - 1]) : name));
    });
  }

  return {
    draw(given, chosen) {
      if (run !== given) pointed = -1;
      run = given;
      state = chosen;
      render();
    },
    kept() {
      const block = run && packets.get(run, state.layer);
      if (!run || !block) return null;
      const { sum, key } = placed(block), step = `${SUMS[sum]}.${key === 'norm' ? 'output' : key === 'sum' ? 'sum' : 'residual'}`;
      return {
        picture: key === 'norm' ? 'norm_sides' : 'lengths', query: toQuery({ ...made(state), layer: state.layer, head: state.head, step }),
        name: key === 'norm' ? `All numbers before and after the norm after ${ADDS[sum]}, layer ${state.layer}` : `Lengths of what comes in and what ${ADDS[sum]} adds, layer ${state.layer}`,
      };
    },
    end() {
      packets.end();
      stops.end();
      strips.end();
      page.remove();
    },
  };
}

/** A number without powers of ten, with no digit that is not sure: what the rounding to 16 bits leaves of nothing is 0. @param {number} value @param {number} [digits] @param {number} [within] */
function plain(value, digits = 3, within = 0) {
  if (!(Math.abs(value) < 1e-3)) return typeset(sure(value, within, digits));
  const places = within > 0 ? Math.min(digits + 2, Math.max(0, Math.floor(-Math.log10(2 * within)))) : digits + 2;
  return typeset(value.toFixed(places)).replace(/\.?0+$/, '').replace(/^−0$/, '0');
}

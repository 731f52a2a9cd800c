// @ts-check
// Add & norm: how long each token's vector is on the way through one sum and its norm, and the arithmetic of one token.
import { bars } from './bars.js';
import own from './block.css';
import style from './attention.css';
import { aboutBlock, ADDS, cosineOf, digitsSaid, lengthOf, momentsOf, normAgain, normOf, operandsOf, readBy, sumAgain, SUMS, vectorOf, withinOf, wrongOf } from './block.js';
import { dress, el, put } from './dom.js';
import { coder, headline, opener, radios, rail } from './controls.js';
import { layerPackets, rowAmong, steady, waitingFor } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { brief, sure, typeset } from './number.js';
import { numberTable } from './number_table.js';
import { largest } from './row.js';
import { begins, calledToken, direction, wordAt, words } from './run.js';
import { parts } from './say.js';
import { namesOf } from './strips.js';
import { open, toQuery } from './store.js';
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
  const stops = rail({
    choose: stop => choose({ stop }), rest: () => { const stop = played; played = -1; if (stop >= 0) choose({ stop }); },
    play: stop => { played = stop; if (state.number) store.set({ number: '' }); render(); },
  });
  const strips = vectorSlider({ point: d => { pointed = d ?? -1; render(); }, keep: d => choose({ dimension: d }) });
  const page = el('section', { class: 'at an', 'aria-label': 'Add & norm' });
  root.append(page);
  strips.element.addEventListener('pointermove', () => stops.pause());
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
    const block = packets.get(run, state.layer);
    sums.draw(ADDS.map(text => ({ text: `after ${text}` })), meant(state.step).sum);
    steady(page, Boolean(block));
    if (!block) head.draw(run, state, [{ text: 'What do residual and norm do?', name: '', format: '' }]);
    into(html`${head.element}${block ? picture(run, block) : waitingFor(packets, run, state.layer, 'sums')}`, page);
  }

  /** @param {Packet} of @param {Packet} block */
  function picture(of, block) {
    const names = namesOf(of.about.tokens), name = (/** @type {number} */ position) => calledToken(of, position), now = placed(block);
    const { sum, key, row } = now, { rows } = aboutBlock(block), position = rows[row], vectors = shown(block, key, sum);
    head.draw(of, state, finding(block, sum, position, name(position)));
    stops.draw(stopsOf(block).map(stop => ({ text: stop.label })), now.stop);

    const lengths = vectors.map(one => ({ ...DRAWN[one], name: one === 'residual' && key === 'norm' ? 'before the norm' : DRAWN[one].name(sum), values: rows.map(at => lengthOf(block, one, sum, at)) }));
    const longest = rows.map(at => Math.max(...['residual', 'added', 'sum', 'normed'].map(one => lengthOf(block, one, sum, at) || 0))), most = endOf(longest);
    const beyond = rows.filter((_, i) => longest[i] > most).map(at => names[at]);
    const lines = rows.map((at, i) => ({
      name: names[at], word: at, key: i, chosen: i === row, says: `${begins(name(at))}: ${lengths.map(one => `${one.name} ${brief(one.values[i])}`).join(', ')}`,
      fills: lengths.map(({ colour, values }) => ({ share: values[i] / most, text: Number.isFinite(values[i]) ? typeset(brief(values[i])) : '–', colour, cut: values[i] > most })),
    }));
    const long = rows.length < of.about.tokens.length ? `Tokens ${rows[0]} to ${rows[rows.length - 1]} of ${of.about.tokens.length}: the rest of this long run is not sent.` : '';
    const cut = beyond.length && beyond.length < 6 ? `Some bars are cut: ${beyond.join(', ')} ${beyond.length > 1 ? 'are' : 'is'} far longer than the others.` : beyond.length ? 'Bars that are far longer than the others are cut.' : '';

    const d = pointed >= 0 ? pointed : now.dimension;
    const own = vectors.map((one, i) => ({ name: lengths[i].name, colour: lengths[i].colour, values: vectorOf(block, one, sum, row), within: withinOf(block, one, sum, row) }));
    const said = (/** @type {number} */ at) => `number ${at}: ${own.map(one => `${one.name} ${typeset(sure(one.values[at], one.within))}`).join(', ')}`;
    strips.draw({
      key: [of.about.model.digest, of.about.sentence, of.about.second, of.about.edits, of.about.hidden.join(), state.layer, sum, key, row].join(' '), strips: own, chosen: d, kept: now.dimension,
      label: `The ${of.about.model.d_model} numbers of ${name(position)}`, says: said(now.dimension),
    });
    put(strips.slider, { 'data-cell': `${position},${now.dimension}` });
    const number = { step: `layers.${state.layer}.${SUMS[sum]}.${stopsOf(block)[now.stop].step}`, index: [position, now.dimension] };
    return html`${stops.element}<p class="at-what">${reading(block, key, sum)}</p>
      <div class="at-body"><div class="at-left">
          <p class="an-legend"><span>Length of each token's vector:</span>${lengths.map(one => html`<span data-colour=${one.colour}><i></i><span>${one.name}</span></span>`)}</p>${bars(lines, { label: 'Tokens', kind: 'is-thin', direction: direction(of), choose: i => choose({ row: i }) })}
          <p class="an-window">${[cut, long].filter(Boolean).join(' ')}</p></div>
        <div class="at-beside"><h2>${begins(name(position))}: ${{ in: 'the numbers that come in', sum: 'number by number, added up', norm: 'its numbers before the norm and after' }[key]}</h2>${strips.element}
          ${arithmetic(block, key, sum, row, d)}<div class="row an-table">${table(block, key, sum, row, d, vectors, own)}</div>
          <div class="at-tools">${opener(() => open(number))}${context.options().keep ? coder(() => context.code()) : nothing}</div></div></div>`;
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
    if (key === 'in') {
      const from = sum ? (aboutBlock(block).pre_norm ? 'the sum after attention' : 'what the norm after attention gave') : state.layer ? `what layer ${state.layer - 1} gave` : 'what the embedding gave';
      return html`<p class="row-check" data-agrees="true">Recorded in this run: ${from}.</p>`;
    }
    const redo = key === 'sum' ? sumAgain : normAgain, { terms, made: result, recorded, digits, agrees } = redo(block, sum, row, d), { kind, eps } = normOf(block, sum);
    let formula = 'x = y', line = '';
    if (key === 'sum') {
      formula = `what came in + what ${ADDS[sum]} adds = sum`;
      line = `${four(terms.residual, within('residual'))} + ${signed(terms.added, within('added'))} = ${four(result, within('residual') + within('added'))}`;
    } else if (kind === 'none') line = four(result, within(readBy(block)));
    else {
      const small = typeset(String(eps)), plus = Number.isNaN(terms.beta) ? '' : ` + ${signed(terms.beta)}`;
      const [over, under] = kind === 'rms_norm' ? ['x', '√(mean square + ε)'] : ['(x − mean)', kind === 'std_norm' ? '(√variance + ε)' : '√(variance + ε)'];
      const x = four(terms.x, within(readBy(block))), top = kind === 'rms_norm' ? x : `(${x} − ${signed(terms.mean)})`, root = four(terms.variance);
      formula = `${over} / ${under} · γ${plus && ' + β'} = y`;
      line = `${top} / ${kind === 'std_norm' ? `(√${root} + ${small})` : `√(${root} + ${small})`} · ${signed(terms.gamma)}${plus} = ${four(result, within('normed'))}`;
    }
    const wrong = wrongOf(redo, block, sum, row), all = of.about.model.d_model, why = of.about.edits ? 'this run was changed on the way' : 'this model does more on the way';
    return html`<p class="an-formula" dir="ltr">number ${d}: ${formula}</p><p class="an-line" dir="ltr">${line}</p>
      <p class="row-check" data-agrees=${!wrong}>${wrong
    ? `Done again here, ${wrong} of ${all} numbers do not agree${agrees ? '' : `, this one among them: recorded is ${four(recorded, within(key === 'sum' ? 'sum' : 'normed'))}`}: ${why}.`
    : `Recorded in this run; done again here from 16-bit numbers, all ${all} agree, this one ${digitsSaid(digits)}\u00a0✓`}</p>`;
  }

  /** What all numbers of the token have in common, and the chosen one. @param {Packet} block @param {Key} key @param {number} sum @param {number} row @param {number} d @param {string[]} named of which vectors @param {{name: string, values: Float32Array, within: number}[]} vectors */
  function table(block, key, sum, row, d, named, vectors) {
    const position = aboutBlock(block).rows[row], norm = operandsOf(block, sum, position, d), moments = named.map(one => momentsOf(block, one, sum, position));
    const stands = key === 'norm' && norm.kind !== 'none', reads = (/** @type {number} */ i) => stands && i === 0; // the vector that the norm reads
    /** How far the cosine with the first vector may be off: both were sent in steps. @param {number} i */
    function off(i) {
      const apart = (/** @type {number} */ k) => vectors[k].within * Math.sqrt(vectors[k].values.length) / (moments[k].length || 1);
      return apart(0) + apart(i);
    }
    const at = (/** @type {string} */ name, /** @type {number[]} */ index) => ({ step: `layers.${state.layer}.${SUMS[sum]}.${name}`, index });
    const last = (/** @type {number} */ value) => vectors.map((_, i) => ({ text: i === vectors.length - 1 ? plain(value) : '' }));
    /** A line of numbers, of which that of what the norm reads is a step of its own. @param {string} name @param {number[]} values @param {number} [own] @param {string} [step] */
    const line = (name, values, own = NaN, step = '') => ({ name, cells: values.map((value, i) => (reads(i) && step ? { text: plain(own), to: at(step, [position]) } : { text: plain(value) })) });
    const lines = norm.kind === 'rms_norm' && key === 'norm'
      ? [line('mean square', moments.map(one => one.square), norm.variance, 'mean_square')]
      : [line('mean', moments.map(one => one.mean), norm.mean, 'mean'), line('variance', moments.map(one => one.variance), norm.variance, 'variance')];
    lines.push(line('length', moments.map(one => one.length)), { name: `number ${d}`, cells: vectors.map((one, i) => ({ text: plain(one.values[d], 3, one.within), to: placeOfVector(named[i], sum, position, d) })) });
    if (key === 'sum') lines.push({ name: 'cosine with what came in', cells: vectors.map((one, i) => ({ text: i ? plain(cosineOf(vectors[0].values, one.values), 3, off(i)) : '1' })) });
    if (stands) {
      lines.push({ name: `gamma of number ${d}`, cells: last(norm.gamma) });
      if (!Number.isNaN(norm.beta)) lines.push({ name: `beta of number ${d}`, cells: last(norm.beta) });
    }
    return numberTable({ heads: [calledToken(/** @type {Packet} */ (run), position), ...vectors.map(one => one.name)], lines });
  }

  /** Where a number of a vector stands in the run. @param {string} name @param {number} sum @param {number} position @param {number} d @returns {import('./store.js').Place} */
  const placeOfVector = (name, sum, position, d) => ({ step: `layers.${state.layer}.${name === 'added' ? `${ADDS[sum].replace('-', '_')}.output` : `${SUMS[sum]}.${name === 'normed' ? 'output' : name}`}`, index: [position, d] });

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

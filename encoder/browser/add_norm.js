// @ts-check
// Add & norm: what came in and what was added, one after the other in the bar of their sum, and what the norm makes of it; folded below it the arithmetic of one number.
import own from './block.css';
import style from './attention.css';
import { aboutBlock, ADDS, digitsSaid, lengthOf, momentsOf, normAgain, normed, normOf, operandsOf, partsAlong, readBy, spreadOf, sumAgain, sumOf, SUMS, vectorOf, withinOf, wrongOf } from './block.js';
import { dress, el, put } from './dom.js';
import { coder, headline, opener, radios } from './controls.js';
import { layerPackets, rowAmong, steady, waitingFor } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { addingUp, inRow, sure, typeset, written } from './number.js';
import { numberTable } from './number_table.js';
import { largest } from './row.js';
import { begins, calledToken, direction, wordAt, words } from './run.js';
import { behind, parts, say } from './say.js';
import { hardlyMatters, lossOf, withoutPart } from './spine.js';
import { open, toQuery } from './store.js';
import { asIs, explained } from './terms.js';
import { tokenChoices, wordRow } from './tokens.js';
import { vectorSlider, worked } from './vectors.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {import('./say.js').Part} Said */

const SAME = 0.01; // of a length: how far another one may be from it
const OUT = 4; // times the middle one of all words: what is longer has no say in the scale
const FAR = 10; // times another bar: then each has its own scale
const SEEN = 0.002; // of a length: what a change makes of it from there on is shown
/** Whether a run was changed within what these are parts of. @param {import('./block.js').Along} along */
const isChanged = ({ kept, added, rest, whole }) => whole === 0 || Math.abs(rest) > SEEN * (Math.abs(kept) + Math.abs(added) + whole);
/** How a vector is called. @type {Record<string, {name: (sum: number) => string, short: string}>} */
const DRAWN = {
  residual: { name: () => 'what came in', short: 'came in' }, added: { name: sum => `what ${ADDS[sum]} added`, short: 'added' },
  sum: { name: () => 'the sum', short: 'sum' }, normed: { name: () => 'after the norm', short: 'after the norm' },
};

/** The headline: what comes of the guess with what is added, or else its share of the sum. @param {Packet} block @param {number} sum @param {number} row @param {string} word @param {Said[]} [cost] @param {boolean} [little] whether that is little, so that it comes second @returns {Said[]} */
export function finding(block, sum, row, word, cost = [], little = false) {
  const position = aboutBlock(block).rows[row], [had, added] = ['residual', 'added'].map(name => lengthOf(block, name, sum, position)), along = partsAlong(block, 'sum', sum, row), share = along.added / along.whole, given = { who: begins(ADDS[sum]), word };
  const stopped = cost.length ? [...cost, { text: '.', name: '', format: '' }] : [];
  if (![had, added, along.whole].every(Number.isFinite)) return parts('no_numbers', { query: begins(word) });
  const said = added === 0 ? parts('added_none', given) : along.whole === 0 ? parts('added_gone', { word })
    : cost.length && !little ? stopped : had === 0 ? parts('added_all', given) : behind(parts(share < 0 ? 'added_less' : 'added', { ...given, share: Math.abs(share) }), stopped);
  return said.map(part => (part.name === 'who' ? { ...part, name: '' } : part));
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
  let pointed = -1, unfolded = false; // whether somebody asked for one number
  /** The meanings that can be asked for, each once on the page. @type {Set<string>} */
  const told = new Set();
  const packets = layerPackets(context, 3, () => { if (root.contains(page)) render(); });
  const head = headline(context, { head: false });
  const sums = radios('Which sum', sum => choose({ sum }), { hidden: true, most: Infinity });
  head.element.querySelector('.enc-place')?.append(sums.element);
  const list = wordRow(position => choose({ position }));
  const strips = vectorSlider({ point: d => { pointed = d ?? -1; render(); }, keep: d => choose({ dimension: d }) });
  const page = el('section', { class: 'at an', 'aria-label': 'Add & norm' });
  root.append(page);

  /** The vectors that are shown, in the order they are computed. @param {Packet} block @param {number} sum */
  function shown(block, sum) {
    const { kind } = normOf(block, sum);
    if (aboutBlock(block).pre_norm) return ['residual', ...(kind === 'none' ? [] : ['normed']), 'added', 'sum'];
    return ['residual', 'added', 'sum', ...(kind === 'none' ? [] : ['normed'])];
  }

  /** What is chosen: the sum, the token's place among the rows that are kept, and the dimension. @param {Packet} block */
  function placed(block) {
    const of = /** @type {Packet} */ (run), { rows } = aboutBlock(block), sum = sumOf(state.step), [, at, d] = /^layers\.\d+\.add_norm_[12]\.\w+:(\d+),(\d+)$/.exec(state.cell) ?? [];
    const row = rowAmong(rows, [at, state.word, of.about.gap]);
    return { sum, row, position: rows[row], dimension: d !== undefined && Number(d) < of.about.model.d_model ? Number(d) : largest(vectorOf(block, 'added', sum, row))[0] };
  }

  /** @param {{sum?: number, position?: number, dimension?: number}} to */
  function choose(to) {
    const block = run && packets.get(run, state.layer);
    if (!run || !block) return;
    pointed = -1;
    const now = { ...placed(block), ...to }, step = `${SUMS[now.sum]}.${last(block, now.sum)}`, word = words(run)[wordAt(run, now.position)];
    store.set({
      step, ...(to.dimension !== undefined || state.cell || (to.position !== undefined && to.position !== word?.position) ? { cell: `layers.${state.layer}.${step}:${now.position},${now.dimension}` } : {}),
      ...(to.position !== undefined && word ? { word: word.position } : {}),
    });
  }

  /** The step that the picture ends with. @param {Packet} block @param {number} sum */
  const last = (block, sum) => (shown(block, sum)[3] === 'normed' ? 'output' : 'sum');

  function render() {
    if (!run) return;
    const block = packets.get(run, state.layer);
    sums.draw(ADDS.map(text => ({ text: `after ${text}` })), sumOf(state.step));
    steady(page, Boolean(block));
    if (!block) head.draw(run, state, [{ text: 'What do residual and norm do?', name: '', format: '' }]);
    into(html`${head.element}${block ? picture(run, block) : waitingFor(packets, run, state.layer, 'sums')}`, page);
    if (block) list.draw(tokenChoices(run, aboutBlock(block).rows), placed(block).position, direction(run)); // once it has its room
  }

  /** @param {Packet} of @param {Packet} block */
  function picture(of, block) {
    told.clear();
    const now = placed(block), { sum, row, position } = now, { rows } = aboutBlock(block), name = calledToken(of, position), vectors = shown(block, sum), size = of.about.model.d_model;
    const part = { layer: state.layer, block: sum }, loss = lossOf(of, part, position);
    head.draw(of, state, finding(block, sum, row, name, withoutPart(of, part, position, 'adding'), Boolean(loss?.word && hardlyMatters(loss))));

    const d = pointed >= 0 ? pointed : now.dimension;
    const drawn = vectors.map(one => ({ name: DRAWN[one].name(sum), values: vectorOf(block, one, sum, row), within: withinOf(block, one, sum, row), behind: one === 'normed' }));
    strips.draw({
      key: [of.about.model.digest, of.about.sentence, of.about.second, of.about.edits, of.about.hidden.join(), state.layer, sum, row].join(' '), strips: drawn, chosen: d, kept: now.dimension, heat: true,
      label: `The ${size} numbers of ${name}`, says: `number ${now.dimension}: ${drawn.map(one => `${one.name} ${typeset(sure(one.values[now.dimension], one.within, 4))}`).join(', ')}`,
    });
    put(strips.slider, { 'data-cell': `${position},${now.dimension}` });
    const number = { step: `layers.${state.layer}.${SUMS[sum]}.${last(block, sum)}`, index: [position, now.dimension] };
    const long = rows.length < of.about.tokens.length ? html`<p class="an-window">Tokens ${rows[0]} to ${rows[rows.length - 1]} of ${of.about.tokens.length}: the rest of this long run is not sent.</p>` : nothing;
    return html`<p class="at-what">${explained(reading(block, sum), told)} <span class="an-press">Press a word to see its sum.</span></p>${list.element}${long}
      ${stacks(block, sum, row, name)}
      <details class="at-numbers" ?open=${unfolded}><summary>Number by number</summary><div class="at-body"><div class="at-left">${strips.element}<div class="row an-table">${table(block, sum, row, d, vectors, drawn)}</div></div>
        <div class="at-beside">${arithmetic(block, sum, row, d)}
          <div class="at-tools">${opener(() => open(number))}${context.options().keep ? coder(() => context.code()) : nothing}</div></div></div></details>`;
  }

  /** One line on what happens. @param {Packet} block @param {number} sum */
  function reading(block, sum) {
    const { kind } = normOf(block, sum), who = ADDS[sum];
    if (!aboutBlock(block).pre_norm) return `What ${who} writes is added to the word's vector; the longer counts more. ${kind === 'none' ? 'No norm follows.' : 'Then a norm gives every sum about the same length.'}`;
    if (kind === 'none') return `This model has no norm here: ${who} reads the vector as it is, and what it writes is added to that.`;
    return `A norm sets the length of the vector that ${who} reads, however long it has grown. What ${who} writes is added to the vector itself.`;
  }

  /** @typedef {{name: string, value: number}} Shown of a bar */

  /** The two bars, in the order they are computed, each with what it is made of, on one scale for all words. @param {Packet} block @param {number} sum @param {number} row @param {string} whose */
  function stacks(block, sum, row, whose) {
    const of = /** @type {Packet} */ (run), { pre_norm: before, rows, final_norm: final } = aboutBlock(block), { kind } = normOf(block, sum), whole = partsAlong(block, 'sum', sum, row), change = of.about.edits ? 'the change' : 'the rest', other = !before && isChanged(whole);
    /** Where a change made another sum, its norm has no such parts. @type {Record<string, (of: import('./block.js').Along) => Shown[]>} */
    const parted = {
      sum: ({ kept, added, rest }) => [{ name: 'came in', value: kept }, ...(added ? [{ name: 'added', value: added }] : []), ...(isChanged(whole) ? [{ name: change, value: rest }] : [])],
      normed: along => [
        ...(before ? [{ name: 'came in', value: along.kept }] : other ? [{ name: 'of the changed sum', value: along.whole - along.beta }] : parted.sum({ ...along, rest: 0 })),
        ...(along.beta ? [{ name: 'beta', value: along.beta }] : []), ...(!other && isChanged(along) ? [{ name: change, value: along.rest }] : []),
      ],
    };
    const all = shown(block, sum).filter(name => name === 'sum' || name === 'normed').map(name => { const along = name === 'sum' ? whole : partsAlong(block, 'normed', sum, row); return { name, whole: along.whole, used: parted[name](along), changed: isChanged(along) }; });
    const size = of.about.model.d_model, root = Math.sqrt(size), [had, plus] = ['residual', 'added'].map(name => lengthOf(block, name, sum, rows[row]));
    const ends = all.map(({ name, used }) => Math.max(used.reduce((so, { value }) => so + Math.max(0, value), 0), usual(rows.map(position => lengthOf(block, name, sum, position))))), most = Math.max(...ends), own = most > FAR * Math.min(...ends);
    const plain = lengthOf(block, 'normalized', sum, rows[row]), learned = block.arrays[`beta_${sum + 1}`] ? 'gamma and beta' : 'gamma';
    const divided = { length: three(plain), spread: kind === 'rms_norm' ? 'the root of its mean square' : 'its spread', value: three(spreadOf(operandsOf(block, sum, rows[row], 0))), root: `√${size}` };
    const loud = say(Math.abs(plain - root) < SAME * root ? 'norm_root' : 'norm_own', divided), apart = had > 0 && plus > 0 && whole.kept >= 0 && !isChanged(whole) && whole.whole < (1 - SAME) * (had + plus) ? say('sum_shorter', { had: three(had), plus: three(plus) }) : '';
    /** Whether gamma and beta make another length of it. @param {typeof all[number]} of */
    const isLearned = ({ name, whole: length }) => name === 'normed' && length > 0 && Math.abs(length - plain) >= SEEN * plain;
    return html`${all.map((one, i) => {
      const { name, whole: length, used, changed } = one, end = (own ? ends[i] : most) || 1, said = name === 'sum' && length && before ? say(final ? 'norm_final' : 'norm_before') : '';
      return html`<div class="an-stack"><div class="an-title"><h2>${name === 'sum' ? html`The sum at ${asIs(whose)}` : before ? `What ${ADDS[sum]} reads, after the norm` : 'After the norm'}</h2><span dir="ltr">${formula(name === 'sum', sum, before, kind)}</span></div>
        ${stack(used, length, end, name === 'sum' ? apart : isLearned(one) ? say('norm_learned', { divided: loud, learned: `${learned}${changed ? ' and the change' : ''}`, ...(learned === 'gamma' && !changed ? { make: 'makes', change: 'changes' } : { make: 'make', change: 'change' }), now: three(length) }) : loud)}${said ? html`<p class="an-how">${explained(said, told)}</p>` : nothing}</div>`;
    })}${own ? html`<p class="an-how">Each bar has a scale of its own here, as one is far longer than the other.</p>` : nothing}`;
  }

  /** What a bar is, as the paper writes it. @param {boolean} added @param {number} sum @param {boolean} before whether the norm comes first @param {string} kind */
  function formula(added, sum, before, kind) {
    const norm = kind === 'rms_norm' ? 'RMSNorm' : 'LayerNorm', makes = ['Attention', 'FeedForward'][sum], reads = before && kind !== 'none' ? `${norm}(x)` : 'x';
    return added ? `x + ${makes}(${reads})` : before ? reads : `${norm}(x + ${makes}(x))`;
  }

  /** A bar of parts one after the other; what is against the rest comes last, over what it takes off. @param {Shown[]} used @param {number} whole @param {number} most @param {string} makes what made it so long */
  function stack(used, whole, most, makes) {
    if (!Number.isFinite(whole) || whole === 0) return html`<p>${whole === 0 ? 'Nothing is left.' : 'It has no numbers.'}</p>`;
    const texts = addingUp(used.map(one => 100 * one.value / whole), 100, 0).values, percent = (/** @type {number} */ value) => `${(100 * value / most).toFixed(2)}%`;
    let from = 0;
    const drawn = [...used.filter(one => one.value > 0), ...used.filter(one => one.value < 0)].map(one => { from += one.value; return { ...one, low: Math.min(from, from - one.value) }; });
    return html`<div class="an-bar" aria-hidden="true">${drawn.map(one => html`<i data-part=${one.name} ?data-less=${one.value < 0} style="left: ${percent(one.low)}; width: ${percent(Math.abs(one.value))}"><span>${one.name}</span></i>`)}</div>
      <p class="an-parts" dir="ltr"><strong>length ${three(whole)}</strong><span>${used.map((one, i) => html`${i ? (one.value < 0 ? ' − ' : ' + ') : ''}<b data-part=${one.name} ?data-less=${one.value < 0}><i></i>${explained(one.name)} ${typeset(`${i ? texts[i].replace('-', '') : texts[i]} %`)}</b>`)}</span>${makes ? html`<span class="an-makes">${explained(makes, told)}</span>` : nothing}</p>`;
  }

  /** The chosen number, done again. @param {Packet} block @param {number} sum @param {number} row @param {number} d */
  function arithmetic(block, sum, row, d) {
    const of = /** @type {Packet} */ (run), within = (/** @type {string} */ name) => withinOf(block, name, sum, row), { kind, eps } = normOf(block, sum);
    const four = (/** @type {number} */ value, off = 0) => plain(value, 4, off), signed = (/** @type {number} */ value, off = 0) => (value < 0 ? `(${four(value, off)})` : four(value, off));
    /** @param {string} formula @param {typeof sumAgain} redo @param {(terms: Record<string, number>, value: number) => string} line what the terms make, with its sign: what is printed is rounded, and where a calculator would give another last digit, "≈" says so @param {string} name */
    function again(formula, redo, line, name) {
      const { terms, made: result, recorded, digits, agrees } = redo(block, sum, row, d), wrong = wrongOf(redo, block, sum, row), all = of.about.model.d_model;
      const words = wrong ? `Computed again here, ${wrong} of ${all} numbers do not agree${agrees ? '' : `, this one among them: recorded is ${four(recorded, within(name))}`}: ${of.about.edits ? 'this run was changed on the way' : 'this model does more on the way'}.`
        : `Recorded in this run; computed again here from 16-bit numbers, all ${all} agree, this one ${digitsSaid(digits)}`;
      return html`${formula && html`<p class="an-formula" dir="ltr">number ${d}: ${explained(formula, told)}</p>`}${worked(line(terms, agrees ? recorded : result), !wrong, words)}`;
    }
    const sums = again('', sumAgain, ({ residual, added }, value) => `came in + added: ${written([residual, added], value)}`, 'sum');
    if (kind === 'none') return sums;
    const plus = block.arrays[`beta_${sum + 1}`] ? ' + β' : '', under = kind === 'rms_norm' ? '√(mean square + ε)' : kind === 'std_norm' ? '(√variance + ε)' : '√(variance + ε)';
    const norm = again(`${kind === 'rms_norm' ? 'x' : '(x − mean)'} / ${under} · γ${plus} = y`, normAgain, (terms, value) => {
      const off = within(readBy(block)), x = four(terms.x, off), top = kind === 'rms_norm' ? x : `(${x} − ${signed(terms.mean)})`, root = four(terms.variance), small = typeset(String(eps)), y = four(value, within('normed'));
      const [x_, mean, variance, gamma, beta] = ['x', 'mean', 'variance', 'gamma', 'beta'].map(name => Number(sure(terms[name], name === 'x' ? off : 0, 4).replaceAll(',', '')));
      return `${top} / ${kind === 'std_norm' ? `(√${root} + ${small})` : `√(${root} + ${small})`} · ${signed(terms.gamma)}${plus && ` + ${signed(terms.beta)}`} ${four(normed({ ...normOf(block, sum), mean, variance, gamma, beta }, x_), within('normed')) === y ? '=' : '≈'} ${y}`;
    }, 'normed');
    return aboutBlock(block).pre_norm ? html`${norm}${sums}` : html`${sums}${norm}`;
  }

  /** What all numbers of the vectors have in common, and the chosen one. @param {Packet} block @param {number} sum @param {number} row @param {number} d @param {string[]} named of which vectors @param {{name: string, values: Float32Array, within: number}[]} vectors */
  function table(block, sum, row, d, named, vectors) {
    const position = aboutBlock(block).rows[row], norm = operandsOf(block, sum, position, d), moments = named.map(one => momentsOf(block, one, sum, position)), reads = named.indexOf(readBy(block));
    /** A line of numbers, of which that of what the norm reads is a step of its own. @param {string} name @param {number[]} values @param {string} step */
    const line = (name, values, step) => ({ name, cells: inRow(values, 4).map((text, i) => (i === reads && step && norm.kind !== 'none' ? { text, to: { step: `layers.${state.layer}.${SUMS[sum]}.${step}`, index: [position] } } : { text })) });
    const lines = norm.kind === 'rms_norm'
      ? [line('mean square', moments.map(one => one.square), 'mean_square')]
      : [line('mean', moments.map(one => one.mean), 'mean'), line('variance', moments.map(one => one.variance), 'variance')];
    lines.push({ name: `number ${d}`, cells: inRow(vectors.map(one => one.values[d]), 4).map((text, i) => ({ text, to: placeOfVector(named[i], sum, position, d) })) });
    return numberTable({ heads: ['its numbers', ...named.map(one => DRAWN[one].short)], lines });
  }

  /** Where a number of a vector stands in the run. @param {string} name @param {number} sum @param {number} position @param {number} d @returns {import('./store.js').Place} */
  const placeOfVector = (name, sum, position, d) => ({ step: `layers.${state.layer}.${name === 'added' ? `${ADDS[sum].replace('-', '_')}.output` : `${SUMS[sum]}.${name === 'normed' ? 'output' : name}`}`, index: [position, d] });

  return {
    draw(given, chosen) {
      if (run !== given) pointed = -1;
      unfolded ||= !run && chosen.cell !== '';
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      const block = run && packets.get(run, state.layer);
      if (!run || !block) return [];
      const { sum, position } = placed(block), query = { ...made(state), layer: state.layer, head: state.head, step: `${SUMS[sum]}.sum` };
      const main = context.main('', toQuery(query), position), name = (/** @type {string} */ title) => `${title}: ${calledToken(/** @type {Packet} */ (run), position)}, layer ${state.layer}`;
      return [{ ...main, name: name('What came in and what was added') }, { ...main, picture: 'norm_strips', name: name('Number by number') }];
    },
    end() {
      packets.end();
      strips.end();
      page.remove();
    },
  };
}

/** The longest of these lengths, but for those far above the others. @param {number[]} lengths */
function usual(lengths) {
  const all = lengths.filter(Number.isFinite).sort((a, b) => a - b), middle = all[Math.floor(all.length / 2)] ?? 0;
  return Math.max(0, ...all.filter(one => one <= OUT * middle));
}

/** A length to three digits. @param {number} value */
const three = value => typeset(sure(value, 0));

/** A number without powers of ten, with no digit that is not sure: what the rounding to 16 bits leaves of nothing is 0. @param {number} value @param {number} [digits] @param {number} [within] */
function plain(value, digits = 3, within = 0) {
  if (!(Math.abs(value) < 1e-3)) return typeset(sure(value, within, digits));
  const places = within > 0 ? Math.min(digits + 2, Math.max(0, Math.floor(-Math.log10(2 * within)))) : digits + 2;
  return typeset(String(Number(value.toFixed(places)) || 0));
}

// @ts-check
// The Compare page: two sentences, or one in two models. What carries the difference to the guess, and where heads look: B minus A.
import { atRest, headline, radios } from './controls.js';
import { among } from './rows.js';
import picture_style from './attention.css';
import { bars } from './bars.js';
import { board } from './board.js';
import { sentenceField } from './bar.js';
import { carried } from './carried.js';
import { listed, outside } from './claim.js';
import style from './compare.css';
import { alikeInShape, differences, inOrder, nameOf, namesOfPairs, pairsOf, sentenceB, sharesOfBoth, strongest } from './compare_runs.js';
import { dress, el, focused, reveal, rove, themeOf, walkByKeys } from './dom.js';
import { colourOf, css, gradient } from './grid.js';
import { windowed } from './heads.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { inCell, percent, points, tight, typeset } from './number.js';
import { picture } from './picture.js';
import { called, choice as usualChoice, direction, isLed, labelsOf, quoted } from './run.js';
import { parts, say } from './say.js';
import { toQuery } from './store.js';
import { explained } from './terms.js';
import { twoModels } from './two_models.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./compare_runs.js').Both} Both */
/** @typedef {import('./compare_runs.js').Pair} Pair */
/** @typedef {import('./compare_runs.js').Change} Change */
/** @typedef {import('./compare_runs.js').Differences} Differences */
/** @typedef {import('./compare_runs.js').Shares} Shares */
/** @typedef {{row: number, column: number}} At */

const WEAK = 0.05; // of a share: heads that differ by less hardly differ
const NONE = 0.0005;
/** What heads that differ more are not, where the headline speaks of others. @type {Record<string, string>} */
const LESS = { compare_needed: 'no guess needs them', compare_moving: 'they move the words less' };
const FEW = 12; // words with bars
const STEP = 'attention.weights';

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function compare(root, context) {
  dress(root, picture_style);
  dress(root, style);
  const { store } = context, rest = atRest(context.announce);
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  /** Run B: what makes it, and why it is not there. @type {{key: string, why: string}} */
  let coming = { key: '', why: '' };
  /** @type {Head | null} */
  let pointed = null;
  /** @type {At | null} */
  let over = null;
  /** The chosen column, while its head and row are. @type {{of: string, column: number} | null} */
  let kept = null;
  /** @type {{of: Differences, place: string, shares: Shares} | null} */
  let made_last = null;
  /** The keys and the pointer among all heads, once these are there. @type {ReturnType<typeof among> | null} */
  let keys = null;
  /** What was drawn last of two runs. @type {unknown} */
  let body = nothing;
  let told = false, revealed = '';

  const head = headline(context, { layer: false, head: false });
  const ways = radios('show', i => store.set({ view: i ? 'look' : '' }, { push: true }));
  const field = sentenceField(text => choose(text), 'Sentence B', true);
  field.input.onchange = () => field.ask();
  field.input.onblur = () => { if (!field.input.value.trim()) field.input.value = sentenceB(store.get()); };
  const shown = picture({ point: at => { if (over?.row !== at?.row || over?.column !== at?.column) { over = at; render(); } }, keep: keepAt, open: () => {} });
  const page = el('section', { class: 'cp', 'aria-label': 'Compare' });
  root.append(page);
  const dark = matchMedia('(prefers-color-scheme: dark)'), anew = () => render();
  dark.addEventListener('change', anew);
  const flow = carried({ context, root: page, changed: anew, choose });
  const models_beside = twoModels({ context, changed: anew });
  /** Whether it is shown where heads look, and not what they carry: of a file that is all there is. */
  const looking = () => state.view === 'look' || Boolean(context.options().closed);
  /** Whether no answer is asked for, so that it is shown too where heads look. @param {Packet} a */
  const unasked = a => !isLed(a) || (!labelsOf(a) && a.about.gap < 0);
  walkByKeys(page, () => [...page.querySelectorAll('[data-word]')], () => run !== null && direction(run) === 'rtl');

  /** @param {string} sentence B @param {import('./store.js').Changes} [also] another A, with what is asked of it */
  function choose(sentence, also = {}) {
    const now = { ...store.get(), ...also };
    if (also.sentence || sentence !== sentenceB(now)) store.set({ other: sentence === sentenceB({ ...now, other: '' }) && sentence !== now.sentence ? '' : sentence, guess: '', over: '', cut: '', ...also }, { push: true });
  }

  /** Where A has no twin, B is a small change of it; null while that is looked for. @param {Packet} a */
  function filled(a) {
    const now = store.get();
    if (sentenceB(now) !== now.sentence || now.other || (now.other_model && looking())) return true;
    const all = context.peek({}) === a ? flow.offered(a) : null; // never what another A was compared with
    if (!all) return null;
    if (all.length) queueMicrotask(() => { if (store.get().sentence === now.sentence && !store.get().other) store.set({ other: all[0].b }, { push: false }); });
    return !all.length;
  }

  /** What makes run B: it is run without what was hidden or changed in A. @param {import('./store.js').State} of */
  const ofB = of => ({ sentence: sentenceB(of), second: '', hidden: /** @type {number[]} */ ([]), edits: '', model: of.other_model || of.model });

  /** Whether B is A. @param {import('./store.js').State} of */
  const equal = of => JSON.stringify(made({ ...of, ...ofB(of) })) === JSON.stringify(made(of));

  /** Run B, where it is here; else it is asked for. */
  function other() {
    const changes = ofB(state), key = JSON.stringify(changes), there = context.peek(changes);
    if (there) { coming = { key: '', why: '' }; return there; }
    if (coming.key === key) return null;
    const mine = coming = { key, why: '' };
    // Everything is drawn anew then: what is chosen where nobody did follows from both runs.
    context.fetch(changes).then(
      () => { if (coming === mine) store.set({}); },
      error => { if (coming === mine) { mine.why = error instanceof Error ? error.message : 'That did not work: try again.'; render(); } },
    );
    return null;
  }

  /** How A and a B that is here differ. @param {Packet} a @param {import('./store.js').State} of */
  function both(a, of) {
    const b = equal(of) ? null : context.peek(ofB(of));
    return b && differences(a, b);
  }

  /** The head and row that are chosen. @param {Differences} of @param {Pick<import('./store.js').State, 'layer' | 'head' | 'word'>} chosen */
  function placed(of, { layer, head, word } = state) {
    const at = of.heads.find(one => one.layer === layer && one.head === head) ?? of.heads[0], row = rowOf(of, word);
    return { at, row: row < 0 ? at.row : row };
  }

  /** The row of the word that stands at a position of A; -1 for none. @param {Differences} of @param {number | null} position */
  const rowOf = (of, position) => of.rows.findIndex(i => position !== null && position >= of.columns[i].a.position && position < of.columns[i].a.position + of.columns[i].a.count);

  /** One head in both runs; the last one is kept. @param {Packet} b @param {Differences} of @param {Head} at */
  function sharesAt(b, of, { layer, head }) {
    const place = `${layer},${head}`;
    if (made_last?.of !== of || made_last.place !== place) made_last = { of, place, shares: sharesOfBoth(/** @type {Packet} */ (run), b, of, layer, head) };
    return made_last.shares;
  }

  /** @param {At} at */
  function keepAt(at) {
    const of = run && both(run, state);
    if (!of) return;
    over = null;
    kept = { of: [state.layer, state.head, at.row].join(), column: at.column };
    store.set({ word: of.columns[of.rows[at.row]].a.position });
  }

  function render() {
    if (!run) return;
    const a = run, look = looking(), bare = !look && unasked(a), fill = filled(a), runs = look || bare ? lookedAtBoth(a, fill) : null, shapes = runs?.b && !alikeInShape(a, runs.b), flows = !look || shapes;
    if (flows && fill !== null) flow.take(a, state, sentenceB(store.get()));
    const known = fill !== null && (look ? runs?.known : flow.known());
    if (focused(page) !== field.input) field.input.value = sentenceB(store.get());
    field.form.hidden = Boolean(context.options().closed);
    ways.draw([{ text: 'what is carried' }, { text: 'where they look' }], Number(look));
    head.element.classList.toggle('cp-old', !known);
    if (known || !told) head.draw(a, state, known ? (look && runs ? finding(a, runs.b, runs.of) : flow.headline()) : parts(look ? 'compare_coming' : labelsOf(a) ? 'carried_coming_label' : 'carried_coming', {}));
    if (known) rest.say(head.finding.textContent ?? '');
    told ||= Boolean(known);
    page.classList.toggle('is-carried', !look);
    into(html`<div class="cp-top">${head.element}<div class="enc-place cp-ways" ?hidden=${Boolean(context.options().closed)}>${ways.element}</div></div><div class="cp-asks"><span class="cp-letter" aria-hidden="true" ?hidden=${field.form.hidden}><span class="cp-a">A</span> is the sentence at the top, <span class="cp-b">B</span></span>${field.form}${models()}</div>${!flows || look ? nothing : carriedBelow(fill)}${runs ? looks(a, runs) : nothing}${flows && look ? carriedBelow(fill) : nothing}${state.other_model && !context.options().closed ? models_beside.view(a, [state.model, state.other_model]) : nothing}`, page);
    if (flows && fill !== null) flow.after();
    if (!runs) return;
    const { now, row, places } = runs;
    if (now) show(a, now);
    const line = /** @type {Element} */ (page.querySelector('.cp-words')), buttons = [...line.children], had = buttons.findIndex(one => one === focused(page)), place = places.indexOf(row);
    rove(buttons, Math.max(0, had < 0 ? place : had));
    if (revealed !== `${a.about.sentence} ${row}`) reveal(line, buttons[place]);
    revealed = `${a.about.sentence} ${row}`;
  }

  /** What is carried, or that a B is looked for. @param {boolean | null} fill */
  const carriedBelow = fill => (fill === null ? html`<p class="cc-waits" role="status">Finding a sentence B …</p>` : flow.view());

  /** Both runs as the page looks at them; what is known of them yet. @param {Packet} a @param {boolean | null} fill whether B is the one that stays */
  function lookedAtBoth(a, fill) {
    const same = equal(state), b = same || fill === null ? null : other(), of = b && differences(a, b), now = b && of && lookedAt(b, of), pairs = pairsOf(a, b ?? a);
    return { b, of, now, pairs, known: (same && fill !== null) || b !== null, row: now ? now.here.row : -1, places: pairs.map(pair => (of && pair.a && pair.b ? rowOf(of, pair.a.position) : -1)) };
  }

  /** Where heads look in both. @param {Packet} a @param {ReturnType<typeof lookedAtBoth>} runs */
  function looks(a, { b, of, now, pairs, known, row, places }) {
    if (now) body = compared(a, now);
    return html`${looking() ? nothing : html`<h2 class="cp-title cp-meanwhile">Without a guess: where heads look in A and in B</h2>`}<div class="cp-words" role="toolbar" aria-label="The words of A and B side by side" dir=${direction(a)}>${pairs.map((pair, i) => word(pair, b !== null, places[i], row))}</div>
      <p class="cp-alone">${partnerless(b, of, pairs)}</p>
      <div class="cp-waiting" role="status" ?hidden=${known || coming.why}><span>Running B …</span><i></i><i></i><i></i><i></i><i></i></div>
      <div class="cp-trouble" role="alert" ?hidden=${!coming.why}><p>${coming.why}</p><button type="button" class="enc-pill" @click=${() => { coming = { key: '', why: '' }; render(); }}>Try again</button></div>
      <div class="cp-body" ?hidden=${!now}>${body}</div>`;
  }

  /** The models that sentence B can be run in. */
  function models() {
    const now = store.get(), names = [{ name: '', title: 'the same model' }, ...context.options().models.filter(one => one.name !== now.model)];
    if (now.other_model && !names.some(one => one.name === now.other_model)) names.push({ name: now.other_model, title: now.other_model });
    return html`<select class="enc-pill" aria-label="Model B" ?hidden=${names.length < 2} @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => store.set({ other_model: target.value }, { push: true })}>
      ${names.map(one => html`<option value=${one.name} .selected=${one.name === now.other_model}>${one.title}</option>`)}</select>`;
  }

  /** A word of both, marked where they differ; one of A chooses a row. @param {Pair} pair @param {boolean} both whether B is here @param {number} place its row, -1 for none @param {number} row the chosen one */
  function word({ a: ours, b: theirs, same }, both, place, row) {
    const differ = !same && both, can = place >= 0;
    return html`<button type="button" class="cp-word${differ ? ' cp-differs' : ''}" tabindex="-1" data-word=${ours ? ours.position : 'B'} aria-pressed=${can ? place === row : nothing} aria-disabled=${can ? nothing : true}
      aria-label=${differ ? `${ours ? `A: ${ours.name}` : 'not in A'}, ${theirs ? `B: ${theirs.name}` : 'not in B'}` : nothing} @click=${() => { if (can && ours) { kept = null; store.set({ word: ours.position }); } }}
      >${differ ? html`<bdi class="cp-a" dir="auto" translate="no" lang="">${ours?.name ?? '–'}</bdi><bdi class="cp-b" dir="auto" translate="no" lang="">${theirs?.name ?? '–'}</bdi>` : html`<bdi dir="auto" translate="no" lang="">${ours?.gap ? '____' : ours?.name ?? ''}</bdi>`}</button>`;
  }

  /** Which words have no partner, and what else is to be known of B. @param {Packet | null} b @param {Differences | null} of @param {Pair[]} pairs */
  function partnerless(b, of, pairs) {
    const gone = pairs.flatMap(pair => (pair.a && !pair.b ? [quoted(pair.a.name)] : [])), come = pairs.flatMap(pair => (pair.b && !pair.a ? [quoted(pair.b.name)] : []));
    const some = (/** @type {string[]} */ names) => listed(names.length > FEW + 1 ? [...names.slice(0, FEW), `${names.length - FEW} more`] : names);
    const left = of && gone.length + come.length ? [gone.length ? `Only in A: ${some(gone)}.` : '', come.length ? `Only in B: ${some(come)}.` : '', 'They have no partner and are left out of the picture.'] : [];
    const apart = b && (state.hidden.length || state.edits) ? 'A is run with its changes, B without any.' : '';
    return [...left, apart, ...(b?.about.notes ?? []).map(note => `B: ${note}`)].filter(Boolean).join(' ');
  }

  /** What these two runs show, for what is chosen. @param {Packet} a @param {Packet | null} b @param {Differences | null} of */
  function finding(a, b, of) {
    if (!b) return parts('compare_equal', {});
    const guess = guessed(a, b), [ours, theirs] = [a, b].map(one => one.about.model);
    if (!alikeInShape(a, b)) return parts('compare_shapes', { layers: ours.layers, heads: ours.heads, other_layers: theirs.layers, other_heads: theirs.heads });
    if (!of) return [...parts('compare_no_pairs', {}), ...guess];
    if (Math.abs(inOrder(of.heads)[0].change) < NONE) return [...parts('compare_none', {}), ...guess];
    const [first] = of.first.heads, { at, row } = placed(of), top = at === first && row === first.row, most = mostIn(of, sharesAt(b, of, at), row), size = Math.abs(most.change);
    const kind = size < NONE ? 'head_none' : size < WEAK ? (top ? 'weak' : 'head_weak') : `${top ? 'most' : 'head'}_${most.change > 0 ? 'more' : 'less'}`;
    const query = calledPair(of.columns[of.rows[row]]), word = most.column === of.rows[row] ? 'itself' : calledPair(of.columns[most.column]);
    return [...parts(`compare_${kind}`, { layer: at.layer, head: at.head, query, word, change: size, which: say(labelsOf(a) && of.first.why === 'compare_needed' ? 'compare_label_needed' : of.first.why) }), ...guess];
  }

  /** What differs most in a row. @param {Differences} of @param {Shares} shares @param {number} row */
  const mostIn = (of, { change }, row) => strongest(change, of.columns.length, of.rows.map((_, i) => i === row));

  /** A pair in a sentence. @param {Both} pair */
  const calledPair = pair => (pair.same && run ? called(run, pair.a) : quoted(nameOf(pair)));

  /** What becomes of the guess. @param {Packet} a @param {Packet} b */
  function guessed(a, b) {
    const [ours, theirs] = [a, b].map(({ about: { gap, guesses } }) => guesses[String(gap)]?.[0]);
    if (!ours || !theirs || (a.about.gap >= 0 && !pairsOf(a, b).some(pair => pair.a?.position === a.about.gap && pair.b?.position === b.about.gap))) return [];
    if (labelsOf(a)?.of !== labelsOf(b)?.of) return [];
    const kind = labelsOf(a)?.of === 'sentence' ? 'compare_label' : labelsOf(a) ? 'compare_tag' : 'compare_guess';
    const said = parts(ours[0] === theirs[0] ? `${kind}_same` : kind, { guess: ours[0], before: ours[1], other: theirs[0], after: theirs[1] });
    return [{ text: ' ', name: '', format: '' }, ...said];
  }

  /** What is looked at: a head, and two cells of its picture, that which is chosen and that under the pointer. @param {Packet} b @param {Differences} of */
  function lookedAt(b, of) {
    const { at, row } = placed(of), head = pointed ?? at, shares = sharesAt(b, of, head), width = of.columns.length, own = [at.layer, at.head, row].join();
    const here = { row, column: !pointed && kept?.of === own && kept.column < width ? kept.column : mostIn(of, shares, row).column };
    return { b, of, at, head, shares, names: namesOfPairs(of.columns), here, looked: over && over.row < of.rows.length && over.column < width ? over : here };
  }

  /** @param {Packet} a @param {ReturnType<typeof lookedAt>} now */
  function compared(a, now) {
    const { of, at, head, looked: { row } } = now;
    return html`<div class="cp-left"><h2 class="cp-title">B minus A: head ${head.head} of layer ${head.layer}</h2>${shown.element}
        <p class="cp-how">${explained(['Rows look, columns are looked at. Blue: more in B, warm: less.', of.counts.every(Boolean) ? '' : 'How much a head differs is read from the words that both sentences share.', windowed(a)].filter(Boolean).join(' '))}</p></div>
      <div class="cp-right"><section aria-label="All heads"><h2 class="cp-title">How much each head differs</h2><div class="cp-map">${map(a, of, at)}</div></section>
        <section aria-label="The chosen word in A and in B"><h2 class="cp-title">Where ${calledPair(of.columns[of.rows[row]])} looks</h2>
          <p class="cp-key" aria-hidden="true"><i class="cp-a"></i>A<i class="cp-b"></i>B</p>${barsOf(a, now)}
          <p class="cp-how">${of.counts[row] ? '' : 'In B this is another word, so this row says nothing about the heads.'}</p></section></div>`;
  }

  /** What draws itself where it stands now. @param {Packet} a @param {ReturnType<typeof lookedAt>} now */
  function show(a, { b, of, at, head, shares, names, here, looked }) {
    const width = of.columns.length, numbers = { rows: of.rows.map(i => of.columns[i].a.position), columns: width, values: shares.change, names, shut: null, parts: /** @type {const} */ ('signed') };
    const most = Math.max(WEAK, ...shares.change.map(Math.abs).filter(Number.isFinite)), ends = { low: -most, high: most }; // no number lies beyond, and what is little looks little
    const signed = (/** @type {number} */ value) => `${value > 0 ? '+' : ''}${points(value, 1)}`;
    const share = (/** @type {Float32Array} */ all, /** @type {At} */ { row, column }) => typeset(percent(all[row * width + column]));
    const said = (/** @type {At} */ cell) => `“${names[of.rows[cell.row]]}” looks at “${names[cell.column]}”: ${share(shares.a, cell)} in A, ${share(shares.b, cell)} in B`;
    shown.draw({
      key: ['compare', a.about.model.digest, b.about.model.digest, JSON.stringify(made(state)), JSON.stringify(ofB(state)), head.layer, head.head].join(' '),
      numbers, ends, parts: 'signed', chosen: looked, kept: here, tokens: width, last: names[width - 1], unfold: false, band: null,
      rows: of.rows.map(i => names[i]), columns: names, form: inCell,
      label: `B minus A: attention of head ${head.head} of layer ${head.layer}, ${of.rows.length} words by ${width} words.`, says: said(here), shown: said(looked),
      low: signed(ends.low), high: signed(ends.high), above: '',
    });
    keys ??= among(/** @type {HTMLElement} */ (page.querySelector('.cp-heads')), 'data-head-row', {
      point: to => { if (to?.layer !== pointed?.layer || to?.head !== pointed?.head) { pointed = to; over = null; render(); } },
      keep: to => { pointed = null; store.set({ layer: to.layer, head: to.head }); },
    }, true);
    keys.show(at, pointed);
  }

  /** All heads by how much they differ. @param {Packet} a @param {Differences} of @param {Change} at */
  function map(a, of, at) {
    const { layers, heads } = a.about.model, theme = themeOf(getComputedStyle(page).getPropertyValue('background-color')), all = inOrder(of.heads), most = Math.abs(all[0].change), ends = { low: 0, high: most || 1 };
    const own = all.filter(one => Math.abs(one.change) > Math.abs(at.change)).length, { layer, head, change } = all[0];
    const part = (/** @type {number} */ row, /** @type {number} */ column) => {
      const one = of.heads[row * heads + column];
      return { value: one.change, colour: css(colourOf(Math.abs(one.change), ends, 'share', theme)), says: typeset(`Head ${one.head} of layer ${one.layer}: ${points(Math.abs(one.change))}`) };
    };
    return html`<div class="cp-heads">${board({ label: 'How much each head differs', layers, heads, names: Array.from({ length: heads }, (_, i) => String(i)), attribute: 'data-head-row', kind: 'is-small', part })}</div>
      <div class="cp-legend"><div class="cp-scale"><span>0</span><i style="background: ${gradient('share', theme)}"></i><span>${tight(points(most))}</span></div>
        <p class="cp-rank">${typeset(`The largest difference of one share in the map of a head. A row is a layer, a column a head. ${own > 0 ? say(own === 1 ? 'compare_second' : 'compare_rank', { count: own, layer, head, change: Math.abs(change), though: at === of.first.heads[0] ? `, though ${labelsOf(a) ? LESS[of.first.why].replace('guess', 'label') : LESS[of.first.why]}` : '' }) : ''}`).trim()}</p></div>`;
  }

  /** The shares of a row in A and in B. @param {Packet} a @param {ReturnType<typeof lookedAt>} now */
  function barsOf(a, { b, of, shares, names, looked: { row } }) {
    const width = of.columns.length, from = row * width, change = (/** @type {number} */ i) => Math.abs(shares.change[from + i]);
    const few = width - FEW === 1 ? width : FEW; // no line for one other word
    const first = of.columns.map((_, i) => i).sort((x, y) => change(y) - change(x)).slice(0, few).sort((x, y) => x - y), left = of.columns.map((_, i) => i).filter(i => !first.includes(i));
    const lines = first.map(i => ({ name: names[i], a: shares.a[from + i], b: shares.b[from + i], own: i === of.rows[row] }));
    const sum = (/** @type {Float32Array} */ all) => left.reduce((total, i) => total + all[from + i], 0);
    if (left.length) lines.push({ name: `${left.length} other words`, a: sum(shares.a), b: sum(shares.b), own: false });
    if (Math.max(shares.rest.a[row], shares.rest.b[row]) > NONE) lines.push({ name: pairsOf(a, b).length > width ? 'all else' : outside(a), a: shares.rest.a[row], b: shares.rest.b[row], own: false });
    const most = Math.max(...lines.flatMap(one => [one.a, one.b]).filter(Number.isFinite), 1e-9), [ours, theirs] = /** @type {const} */ (['accent', 'second']);
    const fill = (/** @type {number} */ share, /** @type {'accent' | 'second'} */ colour) => ({ share: share / most, text: tight(percent(share, 1)), colour, title: colour === ours ? 'in A' : 'in B' });
    return bars(lines.map(({ name, a: one, b: other, own }) => ({ name, kind: own ? 'is-own' : '', fills: [fill(one, ours), fill(other, theirs)], data: { share: one, after: other } })), { kind: 'is-thin cp-bars' });
  }

  return {
    choice(a, of) {
      const look = of.view === 'look' || context.options().closed || unasked(a), found = look ? both(a, of) : null;
      if (!look) return usualChoice(a, of);
      if (!found) return equal(of) || context.peek(ofB(of)) ? usualChoice(a, of) : null;
      const [first] = found.first.heads, { layers, heads } = a.about.model, layer = Math.min(of.layer ?? first.layer, layers - 1), head = Math.min(of.head ?? first.head, heads - 1);
      return { layer, head, word: found.columns[found.rows[placed(found, { ...of, layer, head }).row]].a.position };
    },
    draw(given, chosen) {
      if (run !== given) { kept = null; over = null; pointed = null; }
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      if (!run) return [];
      if (!looking()) return flow.pictures();
      if (!both(run, state)) return [];
      const { layer, head } = state;
      return [{
        name: `B minus A: head ${head} of layer ${layer}`,
        ...context.main('look', { ...toQuery({ ...made(state), other: state.other, other_model: state.other_model, layer, head }), beside_step: `layers.${layer}.${STEP}` }),
      }];
    },
    end() {
      rest.end();
      flow.end();
      models_beside.end();
      shown.end();
      dark.removeEventListener('change', anew);
      page.remove();
    },
  };
}

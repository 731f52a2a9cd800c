// @ts-check
// The Compare page: two sentences, or one in two models. What each head does in B minus what it does in A.
import { atRest, headline } from './controls.js';
import { among } from './rows.js';
import picture_style from './attention.css';
import { sentenceField } from './bar.js';
import { listed, outside } from './claim.js';
import style from './compare.css';
import { alikeInShape, differences, inOrder, nameOf, namesOfPairs, pairsOf, sentenceB, sharesOfBoth, strongest, suggestions } from './compare_runs.js';
import { AS_IS, children, dress, el, focused, put, reveal, themeOf, walkByKeys, write } from './dom.js';
import { colourOf, css, endsOf, gradient } from './grid.js';
import { windowed } from './heads.js';
import { made } from './load.js';
import { percent, points, tight, typeset } from './number.js';
import { picture } from './picture.js';
import { called, choice as usualChoice, direction, quoted } from './run.js';
import { parts, say } from './say.js';
import { toQuery } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./compare_runs.js').Both} Both */
/** @typedef {import('./compare_runs.js').Differences} Differences */
/** @typedef {{row: number, column: number}} At */

const WEAK = 0.05; // of a share: heads that differ by less hardly differ
const NONE = 0.0005;
const FEW = 12; // words with bars
const STEP = 'attention.weights';

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function compare(root, context) {
  dress(root, picture_style);
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce);
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
  /** @type {{of: Differences, place: string, shares: import('./compare_runs.js').Shares} | null} */
  let made_last = null;
  /** What the picture of all heads was drawn from. @type {{of: Differences | null, theme: string}} */
  let mapped = { of: null, theme: '' };
  let told = false, revealed = '';

  const head = headline(context, { layer: false, head: false });
  const field = sentenceField(text => choose(text), 'Sentence B');
  field.input.onchange = () => field.ask();
  field.input.onblur = () => { if (!field.input.value.trim()) field.input.value = sentenceB(store.get()); };
  const model = el('select', { class: 'enc-pill', 'aria-label': 'Model B', onchange: () => store.set({ other_model: model.value }, { push: true }) });
  const asks = el('div', { class: 'cp-asks' }, el('span', { class: 'cp-letter cp-b', 'aria-hidden': 'true' }, 'B'), field.form, model);
  const line = el('div', { class: 'cp-words', role: 'toolbar', 'aria-label': 'The words of A and B side by side' });
  const alone = el('p', { class: 'cp-alone' });
  const offered = el('div', { class: 'cp-offered', role: 'group', 'aria-label': 'Sentences to compare with', hidden: true });
  const waiting = el('div', { class: 'cp-waiting', role: 'status', hidden: true }, el('span', {}, 'Running B …'), el('i'), el('i'), el('i'), el('i'), el('i'));
  const why = el('p'), again = el('button', { type: 'button', class: 'enc-pill', onclick: () => { coming = { key: '', why: '' }; render(); } }, 'Try again');
  const trouble = el('div', { class: 'cp-trouble', role: 'alert', hidden: true }, why, again);
  const shown = picture({ point, keep: keepAt, open: () => {} });
  const how = el('p', { class: 'cp-how' });
  const left = el('div', { class: 'cp-left' }, el('h2', { class: 'cp-title' }), shown.element, how);
  const grid = el('div', { class: 'cp-heads', role: 'grid', 'aria-label': 'How much each head differs' });
  const low = el('span'), bar = el('i'), high = el('span'), rank = el('p', { class: 'cp-rank' });
  const keys = among(grid, 'data-head-row', {
    point: at => { if (at?.layer !== pointed?.layer || at?.head !== pointed?.head) { pointed = at; over = null; render(); } },
    keep: at => { pointed = null; store.set({ layer: at.layer, head: at.head }); },
  }, true);
  const list = el('ul', { class: 'cp-bars' }), beside = el('h2', { class: 'cp-title' }), part = el('p', { class: 'cp-how' });
  const right = el('div', { class: 'cp-right' },
    el('section', { 'aria-label': 'All heads' }, el('h2', { class: 'cp-title' }, 'How much each head differs'), el('div', { class: 'cp-map' }, grid, el('div', { class: 'cp-legend' }, el('div', { class: 'cp-scale' }, low, bar, high), rank))),
    el('section', { 'aria-label': 'The chosen word in A and in B' }, beside, el('p', { class: 'cp-key', 'aria-hidden': 'true' }, el('i', { class: 'cp-a' }), 'A', el('i', { class: 'cp-b' }), 'B'), list, part));
  const body = el('div', { class: 'cp-body' }, left, right);
  const page = el('section', { class: 'cp', 'aria-label': 'Compare' }, head.element, asks, line, alone, offered, waiting, trouble, body);
  root.append(page);

  const dark = matchMedia('(prefers-color-scheme: dark)'), anew = () => render();
  dark.addEventListener('change', anew);

  walkByKeys(line, () => [...line.querySelectorAll('[data-word]')]);

  /** @param {string} sentence */
  function choose(sentence) {
    const now = store.get();
    if (sentence === sentenceB(now)) return;
    store.set({ other: sentence === sentenceB({ ...now, other: '' }) ? '' : sentence }, { push: true });
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
      error => { if (coming === mine) { mine.why = error instanceof Error ? error.message : 'This did not work: try again.'; render(); } },
    );
    return null;
  }

  /** What can be drawn of A and a B that is here. @param {Packet} a @param {import('./store.js').State} of */
  function both(a, of) {
    const b = equal(of) ? null : context.peek(ofB(of));
    return b && { b, of: differences(a, b) };
  }

  /** The row and head on the screen. @param {Differences} of */
  function placed(of) {
    const at = of.heads.find(one => one.layer === state.layer && one.head === state.head) ?? of.heads[0], row = rowOf(of, state.word);
    return { at, row: row < 0 ? at.row : row };
  }

  /** The row of the word that stands at a position of A; -1 for none. @param {Differences} of @param {number | null} position */
  const rowOf = (of, position) => of.rows.findIndex(i => position !== null && position >= of.columns[i].a.position && position < of.columns[i].a.position + of.columns[i].a.count);

  /** One head in both runs; the last two are kept. @param {Packet} b @param {Differences} of @param {Head} at */
  function sharesAt(b, of, { layer, head }) {
    const place = `${layer},${head}`;
    if (made_last?.of !== of || made_last.place !== place) made_last = { of, place, shares: sharesOfBoth(/** @type {Packet} */ (run), b, of, layer, head) };
    return made_last.shares;
  }

  /** @param {At | null} at */
  function point(at) {
    if (over?.row === at?.row && over?.column === at?.column) return;
    over = at;
    render();
  }

  /** @param {At} at */
  function keepAt(at) {
    const now = run && both(run, state);
    if (!now?.of) return;
    over = null;
    const pair = now.of.columns[now.of.rows[at.row]];
    kept = { of: [state.layer, state.head, at.row].join(), column: at.column };
    store.set({ word: pair.a.position });
  }

  function render() {
    if (!run) return;
    const same = equal(state), b = same ? null : other(), of = b && differences(run, b);
    controls();
    words(b);
    offered.hidden = !same;
    if (same) offer(run);
    waiting.hidden = same || Boolean(b) || coming.why !== '';
    trouble.hidden = !coming.why;
    write(why, coming.why);
    body.hidden = !of;
    if (!same && !b) {
      if (!told) head.draw(run, state, parts('compare_coming', {}));
      head.element.classList.add('cp-old');
      return;
    }
    told = true;
    head.element.classList.remove('cp-old');
    head.draw(run, state, finding(run, b, of));
    rest.say(head.finding.textContent ?? '');
    if (b && of) draw(run, b, of);
  }

  /** Sentence B, and the models that it can be run in. */
  function controls() {
    const { models } = context.options(), now = store.get();
    if (focused(page) !== field.input) field.input.value = sentenceB(now);
    const names = [{ name: '', title: 'the same model' }, ...models.filter(one => one.name !== now.model)];
    if (now.other_model && !names.some(one => one.name === now.other_model)) names.push({ name: now.other_model, title: now.other_model });
    if (model.options.length !== names.length || names.some((one, i) => model.options[i].value !== one.name || model.options[i].text !== one.title)) {
      model.replaceChildren(...names.map(one => el('option', { value: one.name }, one.title)));
    }
    model.value = now.other_model;
    model.hidden = names.length < 2;
    field.form.hidden = Boolean(context.options().closed);
  }

  /** The words of both, those that differ marked; those of A choose a row. @param {Packet | null} b */
  function words(b) {
    const a = /** @type {Packet} */ (run), pairs = pairsOf(a, b ?? a), of = b && differences(a, b), row = of ? placed(of).row : -1;
    put(line, { dir: direction(a) });
    const places = pairs.map(pair => (of && pair.a && pair.b ? rowOf(of, pair.a.position) : -1));
    const had = focused(line), stop = had instanceof HTMLElement && line.contains(had) ? [...line.children].indexOf(had) : places.indexOf(row);
    children(line, pairs.length, () => el('button', { type: 'button', class: 'cp-word' })).forEach((button, i) => {
      const { a: ours, b: theirs, same } = pairs[i], differ = !same && b !== null;
      const place = places[i], can = place >= 0;
      put(button, {
        'data-word': ours ? ours.position : 'B', class: `cp-word${differ ? ' cp-differs' : ''}`, 'aria-pressed': can ? String(place === row) : null,
        'aria-disabled': can ? null : 'true', tabindex: i === Math.max(0, stop) ? '0' : '-1',
        'aria-label': differ ? `${ours ? `A: ${ours.name}` : 'not in A'}, ${theirs ? `B: ${theirs.name}` : 'not in B'}` : null,
        onclick: () => { if (can && ours) { kept = null; store.set({ word: ours.position }); } },
      });
      const texts = differ ? [ours?.name ?? '–', theirs?.name ?? '–'] : [ours?.gap ? '____' : ours?.name ?? ''];
      children(button, texts.length, () => el('bdi')).forEach((span, k) => {
        put(span, { class: differ ? (k ? 'cp-b' : 'cp-a') : null, dir: 'auto' });
        write(span, texts[k]);
      });
    });
    const chosen = `${a.about.sentence} ${row}`;
    if (chosen !== revealed) reveal(line, line.children[places.indexOf(row)]);
    revealed = chosen;
    const gone = pairs.flatMap(pair => (pair.a && !pair.b ? [quoted(pair.a.name)] : [])), come = pairs.flatMap(pair => (pair.b && !pair.a ? [quoted(pair.b.name)] : []));
    const some = (/** @type {string[]} */ names) => listed(names.length > FEW ? [...names.slice(0, FEW), `${names.length - FEW} more`] : names);
    const left = of && gone.length + come.length ? [gone.length ? `Only in A: ${some(gone)}.` : '', come.length ? `Only in B: ${some(come)}.` : '', 'They have no partner and are left out of the picture.'] : [];
    if (b && (state.hidden.length || state.edits)) left.push('A is run with its changes, B without any.');
    write(alone, [...left, ...(b?.about.notes ?? []).map(note => `B: ${note}`)].filter(Boolean).join(' '));
  }

  /** Sentences to begin with. @param {Packet} a */
  function offer(a) {
    const sentences = suggestions(a, Object.keys(context.options().shipped));
    children(offered, sentences.length, () => el('button', { ...AS_IS, type: 'button', class: 'cp-offer', dir: 'auto' })).forEach((button, i) => {
      write(button, sentences[i]);
      put(button, { onclick: () => { choose(sentences[i]); head.finding.focus(); } });
    });
  }

  /** What these two runs show, for what is chosen. @param {Packet} a @param {Packet | null} b @param {Differences | null} of */
  function finding(a, b, of) {
    if (!b) return parts('compare_equal', {});
    const guess = guessed(a, b);
    if (!alikeInShape(a, b)) return parts('compare_shapes', { layers: a.about.model.layers, heads: a.about.model.heads, other_layers: b.about.model.layers, other_heads: b.about.model.heads });
    if (!of) return [...parts('compare_no_pairs', {}), ...guess];
    const [first] = of.first.heads, { at, row } = placed(of), shares = sharesAt(b, of, at), width = of.columns.length;
    const counts = of.counts.map((_, i) => i === row), most = strongest(shares.change, width, counts), size = Math.abs(most.change);
    if (Math.abs(inOrder(of.heads)[0].change) < NONE) return [...parts('compare_none', {}), ...guess];
    const column = of.columns[most.column], from = of.columns[of.rows[row]], top = at === first && row === first.row;
    const given = { layer: at.layer, head: at.head, query: calledPair(from), word: most.column === of.rows[row] ? 'itself' : calledPair(column), change: size, which: say(of.first.why) };
    if (size < NONE) return [...parts('compare_head_none', given), ...guess];
    if (top && size < WEAK) return [...parts('compare_weak', given), ...guess];
    if (!top && size < WEAK) return [...parts('compare_head_weak', given), ...guess];
    return [...parts(`compare_${top ? 'most' : 'head'}_${most.change > 0 ? 'more' : 'less'}`, given), ...guess];
  }

  /** A pair in a sentence. @param {Both} pair */
  const calledPair = pair => (pair.same && run ? called(run, pair.a) : quoted(nameOf(pair)));

  /** What becomes of the guess. @param {Packet} a @param {Packet} b */
  function guessed(a, b) {
    const [ours, theirs] = [a, b].map(({ about: { gap, guesses } }) => guesses[String(gap)]?.[0]);
    if (!ours || !theirs || !pairsOf(a, b).some(pair => pair.a?.position === a.about.gap && pair.b?.position === b.about.gap)) return [];
    const said = ours[0] === theirs[0]
      ? parts('compare_guess_same', { guess: ours[0], before: ours[1], after: theirs[1] })
      : parts('compare_guess', { guess: ours[0], before: ours[1], other: theirs[0], after: theirs[1] });
    return [{ text: ' ', name: '', format: '' }, ...said];
  }

  /** @param {Packet} a @param {Packet} b @param {Differences} of */
  function draw(a, b, of) {
    const { at, row } = placed(of), head = pointed ?? at, shares = sharesAt(b, of, head), width = of.columns.length, names = namesOfPairs(of.columns);
    const own = [at.layer, at.head, row].join(), most = strongest(shares.change, width, of.counts.map((_, i) => i === row));
    const here = { row, column: !pointed && kept?.of === own && kept.column < width ? kept.column : most.column };
    const looked = over && over.row < of.rows.length && over.column < width ? over : here;
    const numbers = { rows: of.rows.map(i => of.columns[i].a.position), columns: width, values: shares.change, names, shut: null, parts: /** @type {const} */ ('signed') };
    const ends = endsOf(numbers, 'signed', WEAK); // what is little looks little
    write(/** @type {Element} */ (left.firstElementChild), `B minus A: head ${head.head} of layer ${head.layer}`);
    shown.draw({
      key: ['compare', a.about.model.digest, b.about.model.digest, JSON.stringify(made(state)), JSON.stringify(ofB(state)), head.layer, head.head].join(' '),
      numbers, ends, parts: 'signed', chosen: looked, kept: here, tokens: width, last: names[width - 1], unfold: false, band: null,
      rows: of.rows.map(i => names[i]), columns: names, form: written,
      label: `B minus A: attention of head ${head.head} of layer ${head.layer}, ${of.rows.length} words by ${width} words.`,
      says: cellSaid(of, shares, here), shown: cellSaid(of, shares, looked),
      low: signed(ends.low), high: signed(ends.high), above: ends.above ? `${ends.above} beyond the ends` : '',
    });
    write(how, ['A row is where from, a column where to. Blue: more in B, warm: less.', of.counts.every(Boolean) ? '' : 'How much a head differs is read from the words that both sentences share.', windowed(a)].filter(Boolean).join(' '));
    map(a, of, at);
    keys.show(at, pointed);
    bars(a, b, of, shares, looked.row);
  }

  /** All heads by how much they differ. @param {Packet} a @param {Differences} of @param {import('./compare_runs.js').Change} at */
  function map(a, of, at) {
    const { layers, heads } = a.about.model, theme = themeOf(getComputedStyle(page).getPropertyValue('background-color')), all = inOrder(of.heads), most = Math.abs(all[0].change);
    const own = all.filter(one => Math.abs(one.change) > Math.abs(at.change)).length, { layer, head, change } = all[0];
    write(rank, typeset(`The largest difference of one share in the map of a head. A row is a layer, a column a head. ${own > 0 ? say(own === 1 ? 'compare_second' : 'compare_rank', { ...(own > 1 ? { count: own } : {}), layer, head, change: Math.abs(change) }) : ''}`).trim());
    if (mapped.of === of && mapped.theme === theme) return;
    mapped = { of, theme };
    const ends = { low: 0, high: most || 1 };
    put(grid, { 'aria-rowcount': layers + 1, 'aria-colcount': heads + 1, style: `--heads: ${heads}` });
    children(grid, layers + 1, i => el('div', { role: 'row', class: i ? 'cp-head-row' : 'cp-head-top' })).forEach((tr, i) => {
      if (!i) children(tr, heads + 1, j => el('div', { role: 'columnheader' }, ...(j ? [] : [el('span', { class: 'enc-spoken' }, 'layer')]))).forEach((cell, j) => { if (j) write(cell, String(j - 1)); });
      else children(tr, heads + 1, j => el('div', j ? { role: 'gridcell', tabindex: '-1', 'aria-selected': 'false' } : { role: 'rowheader' })).forEach((cell, j) => {
        if (!j) write(cell, String(i - 1));
        else {
          const { layer, head, change } = of.heads[(i - 1) * heads + j - 1];
          put(cell, { 'data-head-row': `${layer},${head}`, 'data-change': change, 'aria-label': typeset(`Head ${head} of layer ${layer}: ${points(Math.abs(change))}`), style: `background: ${css(colourOf(Math.abs(change), ends, 'share', theme))}` });
        }
      });
    });
    write(low, '0');
    write(high, tight(points(most)));
    bar.style.background = gradient('share', theme);
  }

  /** The shares of a row in A and in B. @param {Packet} a @param {Packet} b @param {Differences} of @param {import('./compare_runs.js').Shares} shares @param {number} row */
  function bars(a, b, of, shares, row) {
    const width = of.columns.length, from = row * width, names = namesOfPairs(of.columns);
    const change = (/** @type {number} */ i) => Math.abs(shares.change[from + i]);
    const first = of.columns.map((_, i) => i).sort((x, y) => change(y) - change(x)).slice(0, FEW).sort((x, y) => x - y);
    const lines = first.map(i => ({ name: names[i], a: shares.a[from + i], b: shares.b[from + i], own: i === of.rows[row] }));
    const left = of.columns.map((_, i) => i).filter(i => !first.includes(i));
    /** @param {Float32Array} of */
    const sum = of => left.reduce((total, i) => total + of[from + i], 0);
    if (left.length) lines.push({ name: `${left.length} other words`, a: sum(shares.a), b: sum(shares.b), own: false });
    if (Math.max(shares.rest.a[row], shares.rest.b[row]) > NONE) lines.push({ name: pairsOf(a, b).length > width ? 'all else' : outside(a), a: shares.rest.a[row], b: shares.rest.b[row], own: false });
    const most = Math.max(...lines.flatMap(one => [one.a, one.b]).filter(Number.isFinite), 1e-9);
    write(beside, `Where ${calledPair(of.columns[of.rows[row]])} looks`);
    children(list, lines.length, () => el('li', {}, el('bdi', { class: 'cp-name' }), el('span', { class: 'cp-pair', 'aria-hidden': 'true' }, el('i', { class: 'cp-a' }), el('i', { class: 'cp-b' })), el('span', { class: 'cp-shares' }))).forEach((item, i) => {
      const { name, a: ours, b: theirs, own } = lines[i], [label, pair, said] = item.children;
      put(item, { 'data-a': ours, 'data-b': theirs, class: own ? 'cp-own' : null });
      write(label, name);
      [ours, theirs].forEach((share, k) => { /** @type {HTMLElement} */ (pair.children[k]).style.width = `max(1px, ${(100 * Math.max(0, share)) / most}%)`; });
      children(said, 4, k => el('span', { class: k % 2 ? (k > 1 ? 'cp-b' : 'cp-a') : 'enc-spoken' })).forEach((span, k) => write(span, k % 2 ? tight(percent(k > 1 ? theirs : ours, 1)) : k ? ' in B ' : ' in A '));
    });
    write(part, of.counts[row] ? '' : 'This word itself is another in B, so this row says nothing of the heads.');
  }

  /** A difference as it stands in a cell. @param {number} value */
  const written = value => (Number.isNaN(value) ? '–' : Math.abs(value) < 0.005 ? (value ? '·' : '') : typeset(String(Math.round(100 * value))));

  /** A difference with its sign. @param {number} value */
  const signed = value => `${value > 0 ? '+' : ''}${points(value, 1)}`;

  /** What a cell says. @param {Differences} of @param {import('./compare_runs.js').Shares} shares @param {At} at */
  function cellSaid(of, shares, { row, column }) {
    const place = row * of.columns.length + column, names = namesOfPairs(of.columns);
    return `“${names[of.rows[row]]}” looks at “${names[column]}”: ${typeset(percent(shares.a[place]))} in A, ${typeset(percent(shares.b[place]))} in B`;
  }

  return {
    choice(a, of) {
      const usual = usualChoice(a, of), now = both(a, of);
      if (!now) return equal(of) ? usual : null;
      if (!now.of) return usual;
      const [first] = now.of.first.heads, { layers, heads } = a.about.model;
      const layer = Math.min(of.layer ?? first.layer, layers - 1), head = Math.min(of.head ?? first.head, heads - 1);
      const at = now.of.heads.find(one => one.layer === layer && one.head === head) ?? first, row = rowOf(now.of, of.word);
      return { layer, head, word: now.of.columns[now.of.rows[row < 0 ? at.row : row]].a.position };
    },
    draw(given, chosen) {
      if (run !== given) { kept = null; over = null; pointed = null; }
      run = given;
      state = chosen;
      render();
    },
    kept() {
      const now = run && !equal(state) && both(run, state);
      if (!now || !now.of) return null;
      const { layer, head } = state;
      return {
        picture: 'beside_change', name: `B minus A: head ${head} of layer ${layer}`,
        query: { ...toQuery({ ...made(state), other: state.other, other_model: state.other_model, layer, head }), beside_step: `layers.${layer}.${STEP}` },
      };
    },
    end() {
      rest.end();
      shown.end();
      dark.removeEventListener('change', anew);
      page.remove();
    },
  };
}

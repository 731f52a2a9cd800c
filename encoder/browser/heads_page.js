// @ts-check
// The page Heads: the map of every head with the job that it does, or what heads carry; and beside it what is known of one head.
import { goal, inFull, same } from './claim.js';
import { among } from './rows.js';
import { dress, el, focused, highIn, put, themeOf } from './dom.js';
import { examples, figures, rules, sentenceHere } from './example.js';
import { gradient } from './grid.js';
import { brushOf, ends, windowed } from './heads.js';
import style from './heads_page.css';
import { headline, leads, plainly, radios } from './controls.js';
import { besides, carriedBy, carriedFinding, carrierHere, commonEnds, findingOf, isSeen, jobsAt, jobsHere, jobsOf, layout, leader, nearOf, neededSaid, noneHere, opensOn, pairsOf, titleOf, verdictOf, wasExamined } from './jobs.js';
import { largeMap } from './large_map.js';
import { composed, html, nothing, render as into } from './lit.js';
import { inWords, made } from './load.js';
import { percent, tight, typeset } from './number.js';
import { read, row } from './packet.js';
import { called, choice, look, wordAt, words } from './run.js';
import { parts, said as set } from './say.js';
import { MEASURED, toQuery } from './store.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./jobs.js').Known} Known */

const ABOVE = 121, HEADS = 18, BELOW = 8; // pixels of the bar and the spine, of the numbers of heads, and below the maps
const CARRIED = 'carried', LOOK = 'look';
const BESIDE = matchMedia('(min-width: 1001px)'); // the chosen head stands beside the maps
const SETTLED = 400; // ms of rest before the finding is said to who cannot see it

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function heads(root, context) {
  dress(root, style);
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen | null} */
  let state = null;
  /** What is known of the heads of each model that was shown. @type {Map<string, Known>} */
  const all = new Map();
  /** Whether the run chose the head, and nobody. */
  let free = false;
  /** Whether what heads carry is shown. */
  let tabled = false;
  let coming = '', failed = '', why = '', painted = '', turn = 0, shown = '';
  /** Whether it may have been examined since that was asked. */
  let renewed = false;
  /** @type {Packet | null} */
  let drawn = null;
  /** The heads that a lesson counted. @type {Head[]} */
  let counted = [];
  let span = { low: 0, high: 1 };
  /** @type {Known | null} */
  let labelled = null;
  /** @type {Head | null} */
  let pointed = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saying;
  const control = new AbortController(), small = document.createElement('canvas');

  const top = headline(context, { layer: false, head: false });
  const views = radios('show', index => { const what = free && index ? known() : null; store.set({ view: index ? CARRIED : LOOK, ...(what && run ? carrierHere(run) ?? leader(what) : {}) }, { push: true }); });
  const grid = el('div', { class: 'hd-grid', role: 'grid', 'aria-label': 'The maps of all heads, a row for each layer' }), list = el('div'), here = sentenceHere(word => store.set({ word })), large = largeMap(word => store.set({ word }));
  const shownExamples = examples(() => { turn++; redraw(); });
  const page = el('section', { class: 'hd', 'aria-label': 'Heads' });
  root.append(page);
  const keys = among(grid, 'data-head-map', {
    point: head => { pointed = head; if (state) keys.show(state, pointed); },
    keep: head => { pointed = null; store.set(head); },
  }, true);

  const watch = new ResizeObserver(() => redraw());
  watch.observe(root);
  const scheme = matchMedia('(prefers-color-scheme: dark)'), done = new AbortController();
  scheme.addEventListener('change', () => redraw(), { signal: done.signal });
  addEventListener('resize', () => redraw(), { signal: done.signal }); // maps are as large as the height of the window lets them
  document.addEventListener(MEASURED, () => { renewed = true; redraw(); }, { signal: done.signal });

  /** A link to another page with the chosen head, where there is one. @param {string} key @param {string} text @param {Head} place @param {import('./store.js').Changes} [also] what is chosen on the way */
  function link(key, text, place, also = {}) {
    const page = context.options().pages.find(one => one.key === key), { layer, head } = place;
    return page ? leads(text, '→', `${page.address}?${new URLSearchParams({ ...store.along(), ...toQuery({ layer, head, ...also }) })}`, () => { store.set({ layer, head, ...also }); context.go(key); }, key) : nothing;
  }
  /** A link to a section below the picture. @param {string} text @param {string} section */
  const below = (text, section) => leads(text, '↓', `?${new URLSearchParams({ ...store.query(), more: section })}`, () => context.more(section, {}));

  /** What is known of the heads of the model, which is asked for once. */
  function known() {
    const of = /** @type {Packet} */ (run), { digest } = of.about.model, there = all.get(digest) ?? null;
    if ((there && !renewed) || coming === digest || failed === digest) return there;
    coming = digest;
    renewed = false;
    context.load({ level: 6, ...made(store.get()) }, control.signal).then(read).then(
      ({ about }) => { if (about.heads) all.set(digest, about.heads); },
      error => { if (!control.signal.aborted) { failed = digest; why = inWords(error).message; } },
    ).finally(() => {
      if (coming === digest) coming = '';
      if (!control.signal.aborted) redraw();
    });
    return there;
  }

  /** What stands at a head: its job where it passed, or the fixed place where it looks. @param {Packet} of @param {Known | null} what @param {Head} place */
  function labelOf(of, what, place) {
    const job = jobsOf(of, what).find(one => one.passed && same(one, place));
    if (!job) return { text: nearOf(what, of.about.model.heads, place), share: NaN, more: '' };
    const [{ share, rule }] = job.figures;
    return { text: titleOf(job.job), share, more: `, right in ${typeset(percent(share, 1))}, the best rule in ${typeset(percent(rule, 1))}` };
  }
  const shareOf = (/** @type {number} */ share) => (Number.isNaN(share) ? '' : tight(percent(share, 1)));

  /** A head as it is named. @typedef {Head & ReturnType<typeof labelOf> & {seen: boolean}} Named */

  /** Makes the cells, and says what each head is. @param {Packet} of @param {Named[]} all */
  function label(of, all) {
    const { layers, heads } = of.about.model;
    const cell = (/** @type {Named} */ { text, more, seen, ...place }) => {
      const mine = counted.some(one => same(one, place)), said = `head ${place.head} of layer ${place.layer}${mine ? ', counted' : ''}${text ? `, on test sentences: ${text}${more}${seen ? '; seen here too' : ''}` : ''}`;
      return html`<div role="gridcell" tabindex="-1" aria-selected="false" data-head-map="${place.layer},${place.head}" aria-label=${said} title=${said} class="hd-cell ${text ? 'is-named' : ''} ${seen ? 'is-seen' : ''} ${mine ? 'is-counted' : ''}"><span class="hd-label" aria-hidden="true">${text}</span><canvas aria-hidden="true"></canvas></div>`;
    };
    into(html`<div class="hd-row hd-top" aria-hidden="true"><span>${heads > 1 ? 'head' : nothing}</span>${Array.from({ length: heads }, (_, head) => html`<span>${head}</span>`)}</div>${Array.from({ length: layers }, (_, layer) => html`<div class="hd-row" role="row"><div role="rowheader"><span>layer </span>${layer}</div>${Array.from({ length: heads }, (_, head) => cell(all[layer * heads + head]))}</div>`)}`, grid);
  }

  /** All heads with a name, where their maps have no room for it. @param {Named[]} all @param {Head} chosen */
  function listed(all, chosen) {
    return html`<ul class="hd-named" aria-label="Heads with a job">${all.filter(one => one.text).map(({ layer, head, text, share, seen }) => html`<li><button type="button" class=${seen ? 'is-seen' : nothing} aria-pressed=${same(chosen, { layer, head })} @click=${() => store.set({ layer, head })}><b>${layer}.${head}</b> ${text} <strong>${shareOf(share)}</strong></button></li>`)}</ul>`;
  }

  /** What leads to a pair on Compare: there what it carries is taken apart. @param {import('./jobs.js').Phenomenon} of @param {unknown} text */
  function toPair({ a, b, words: [guess, over] }, text) {
    const page = context.options().pages.find(one => one.key === 'compare'), also = { sentence: a, second: '', hidden: [], edits: '', other: b, other_model: '', guess, over, view: CARRIED };
    if (!page || context.options().closed) return text;
    return html`<a class="hd-pair" data-go="compare" href="${page.address}?${new URLSearchParams(toQuery({ model: store.get().model, ...also }))}" @click=${plainly(() => { store.set(also); context.go('compare'); })}>${text}</a>`;
  }

  /** What each phenomenon is, and which heads carry it. @param {import('./jobs.js').Phenomenon[]} all @param {Head} chosen */
  function phenomena(all, chosen) {
    const pair = (/** @type {import('./jobs.js').Phenomenon} */ of) => { const { before, a, b, after } = commonEnds(of.a, of.b); return html`${before} <mark>${a} / ${b}</mark> ${after.replace(/\s+(?=[.,;:!?])/g, '')}`; };
    return html`<p class="hd-how hd-means">${explained('Carries: the share of the change, from one sentence to the other, that comes with what this head alone writes at the gap. 5.6: head 6 of layer 5. Press a head to see where it looks here, or a pair to see it carried.')}</p>
      <table class="hd-phenomena"><thead><tr><th scope="col">what changes</th><th scope="col">a pair of sentences, and its two answers</th><th scope="col">each head alone</th><th scope="col">together</th><th scope="col">random heads</th></tr></thead>
      <tbody>${all.map(of => html`<tr data-phenomenon=${of.what}><th scope="row" title=${of.tells}>${of.what}<small>${of.count} ${pairsOf(of)}</small></th>
        <td>${toPair(of, html`<bdi>${pair(of)}</bdi> <i>${of.words.join(' / ')}</i>`)}</td>
        <td><span class="hd-carriers">${of.heads.map(([layer, head, own]) => html`<button type="button" class=${own > 0.5 ? 'is-most' : nothing} aria-pressed=${same(chosen, { layer, head })} aria-label="head ${head} of layer ${layer}, ${tight(percent(own, 1))}" @click=${() => store.set({ layer, head })}><b>${layer}.${head}</b> ${tight(percent(own, 1))}</button>`)}</span>
          ${of.small ? of.heads.length > 1 && !(Math.max(...of.heads.map(([, , own]) => own)) > 0.5) ? html`<small>none alone more than half</small>` : nothing : html`<small>no small set carries it; these four carry most</small>`}</td>
        <td class="hd-together"><span class="hd-bar"><i style="width: ${100 * Math.min(1, Math.max(0, of.share))}%"></i></span><b>${tight(percent(of.share, 1))}</b></td>
        <td class="hd-random">${of.random < 0.005 ? '<\u00a01\u00a0%' : `≤\u00a0${tight(percent(of.random, 1))}`}</td></tr>`)}</tbody></table>
      <p class="hd-how">The two sentences of a pair differ in one word, and so does the guess at the gap; a pair opens on Compare. Random heads: sets of as many others, the most of 20. This says what carries a change, not that there is no other way.</p>`;
  }

  /** The jobs of the chosen head: whether it passed in the first, and how all were examined. @param {import('./jobs.js').Job[]} jobs @param {string} passed how many of all passed */
  const working = (jobs, passed) => (jobs.length ? html`<h3>${jobs[0].passed ? 'Its job, on' : 'A candidate on'} test sentences: ${titleOf(jobs[0].job)}</h3><p class="hd-verdict">${explained(set(...verdictOf(jobs[0])))}</p>
    <details><summary>How it was examined${jobs.length > 1 ? `, and ${jobs.length - 1} more` : ''}</summary>${jobs.map((job, i) => html`${i ? html`<h4>${titleOf(job.job)}</h4>` : nothing}${figures(job)}${rules(job)}`)}<p class="hd-notes">${passed}</p></details>` : nothing);

  /** What the chosen head carries, alone and with others. @param {import('./jobs.js').Carried[]} carries @param {Head} place */
  const carrying = (carries, place) => (carries.length ? html`<h3>On test sentences it carries</h3><ul class="hd-carries">${carries.map(one => html`<li>${toPair(one.of, one.of.tells)} <b>${tight(percent(one.own, 1))}</b> <small>alone${one.of.heads.length > 1 ? `, ${tight(percent(one.of.share, 1))} with ${inFull(one.of.heads.filter(head => !same(place, head)))}` : ''}: ${one.of.count} ${pairsOf(one.of)}</small></li>`)}</ul>` : nothing);

  /** Paints every map. @param {Packet} of @param {import('./grid.js').Theme} theme */
  function paint(of, theme) {
    const { model, rows, tokens } = of.about, room = grid.clientWidth, zoom = highIn(grid) / innerHeight, labels = Boolean(grid.querySelector('.hd-label:not(:empty)')), above = ABOVE + (grid.getBoundingClientRect().top - page.getBoundingClientRect().top) * zoom, laid = layout(of, room, highIn(grid) - HEADS - BELOW - above, labels); // wherever the page is scrolled to
    const now = [room, devicePixelRatio, theme, laid.side, laid.high].join(' ');
    if (drawn === of && painted === now) return;
    [drawn, painted] = [of, now];
    put(grid, { 'data-named': laid.named, 'data-labelled': labels, style: `--names: ${laid.names}px; --heads: ${model.heads}; --side: ${laid.side}px; --high: ${laid.high}px; --gap: ${laid.gap}px` });
    const brush = brushOf(small, tokens.length, theme, span), ratio = Math.min(devicePixelRatio || 1, 2);
    const wide = Math.round(laid.side * ratio), tall = Math.round(laid.high * ratio);
    grid.querySelectorAll('canvas').forEach((canvas, i) => {
      const pen = canvas.getContext('2d');
      if (!pen) return;
      [canvas.width, canvas.height] = [wide, tall];
      brush(row(of.arrays.weights, Math.floor(i / model.heads), i % model.heads), rows.length);
      pen.imageSmoothingEnabled = small.width > wide || small.height > tall;
      pen.drawImage(small, 0, 0, wide, tall);
    });
  }

  function redraw() {
    if (!run || !state) return;
    const of = run, what = known(), shown_ = what?.carries ?? [], chosen = { layer: state.layer, head: state.head };
    const carried = what !== null && shown_.length > 0 && state.view === CARRIED;
    tabled = carried;
    const place = carried && free ? carrierHere(of) ?? leader(what) : chosen, name = `${of.about.model.digest} ${place.layer},${place.head}`;
    const theme = themeOf(getComputedStyle(root.closest('.enc') ?? root).backgroundColor);
    if (shown !== name) turn = 0;
    shown = name;
    if (drawn !== of) span = ends(of);
    const all = jobsOf(of, what), jobs = jobsAt(of, what, place), found = jobsHere(of, what), carries = carriedBy(what, place), { closed, more } = context.options();
    const word = words(of)[wordAt(of, state.word)];
    const finding = carried ? carriedFinding(what, place) : findingOf(of, what, place), most = neededSaid(of), its = (finding.some(({ name }) => name === 'guess') ? most?.push : most?.said) ?? []; // what the headline says is not said again
    top.draw(of, state, finding);
    const said = besides(of, what, place).map(([key, args]) => composed(parts(key, args)));
    const now = context.counted().map(([layer, head]) => ({ layer, head })), fresh = JSON.stringify(now) !== JSON.stringify(counted);
    counted = now;
    const named = Array.from({ length: of.about.model.layers * of.about.model.heads }, (_, i) => ({ layer: Math.floor(i / of.about.model.heads), head: i % of.about.model.heads })).map(one => ({ ...one, ...labelOf(of, what, one), seen: isSeen(of, what, found, one) }));
    const names = named.some(one => one.text) ? explained(`Names come from test sentences${named.some(one => one.seen && one.text) ? '; in blue: at work here too' : ', not from this one'}.`) : what && !wasExamined(of, what) ? set('heads_unexamined') : '';
    const mine = `layers.${place.layer}.attention.heads:zero:h=${place.head}`, edits = [...new Set([...state.edits.split(';').filter(Boolean), mine])].join(';');
    views.draw([{ text: 'where they look' }, { text: 'what they carry' }], Number(carried));
    views.element.hidden = !shown_.length;
    const { layers, heads: count } = of.about.model;
    into(html`<div class="enc-headline">${top.finding}<div class="enc-place">${views.element}</div></div>      <div class="hd-body"><div class="hd-left"><div class="hd-maps" ?hidden=${carried}><div class="hd-legend"><p class="hd-how">${layers * count === 1 ? 'The map is the one head' : 'Each map is a head'}: how much a word (row) looks at a word (column).${layers * count === 1 ? '' : ' Press one.'}</p><span>0 %</span><i style="background: ${gradient('share', theme)}"></i><span>${tight(percent(span.high, 1))}</span></div><p class="hd-how hd-frames" ?hidden=${!names && !counted.length}><span>${names}</span>${counted.length ? html`<span><i class="is-counted"></i>one of the ${counted.length} that were counted</span>` : nothing}</p>${grid}
        ${list}<p class="hd-how" data-window>${windowed(of)}</p></div>${carried ? phenomena(shown_, place) : nothing}</div>
      <section class="hd-one enc-further" aria-label="The chosen head"><h2>Head ${place.head} of layer ${place.layer}</h2><p class="hd-how" data-none ?hidden=${!free || !noneHere(of, found) || !wasExamined(of, what)}>${set('heads_none_here')}</p>${word ? html`${here.element}<p class="hd-aim">${composed(parts('heads_aim', { asked: called(of, word), ...goal(of, word, look(of, place.layer, place.head, word)) }))}</p>` : nothing}
        ${most && its.length ? html`<p class="hd-aim">${same(most.place, place) ? composed(its) : html`<button type="button" class="enc-link hd-needed" @click=${() => store.set({ layer: most.place.layer, head: most.place.head })}>${composed(most.said)}</button>`}</p>` : nothing}${large.element}
        <nav class="hd-links" aria-label="Go on with this head">${link('attention', 'Step by step', place)}${link('what_if', 'Switch it off', place, { edits })}${more && !closed ? html`${below('Examine', 'jobs')}${below('In many sentences', 'contexts')}` : nothing}</nav>
        <p class="hd-notes" role="alert" ?hidden=${failed !== of.about.model.digest}>${why}</p></section><div class="hd-beyond enc-further">${carried || !jobs[0]?.passed ? [carrying(carries, place), working(jobs, what?.passed ?? '')] : [working(jobs, what?.passed ?? ''), carrying(carries, place)]}<div class="hd-notes">${said.map(one => html`<p>${one}</p>`)}</div>${shownExamples.element}</div></div>`, page);
    if (word) here.draw(of, place, word);
    const apart = large.element.getBoundingClientRect().top - page.getBoundingClientRect().top, zoom = highIn(page) / innerHeight;
    large.draw(of, place, word, theme, span, BESIDE.matches ? highIn(page) - ABOVE - apart * zoom - BELOW : Infinity);
    if (!carried) {
      if (fresh || drawn !== of || labelled !== what || !grid.children.length) label(of, named);
      labelled = what;
      paint(of, theme);
      into(grid.dataset.named === undefined ? listed(named, place) : nothing, list);
    } else {
      [grid, list].forEach(one => into(nothing, one)); // nothing of what is not shown
      drawn = labelled = null;
    }
    keys.show(place, pointed);
    shownExamples.draw(what?.examples.find(one => same(one, place)) ?? null, turn);
    clearTimeout(saying);
    if (focused(grid)) saying = setTimeout(() => context.announce(top.finding.textContent ?? ''), SETTLED);
  }

  return {
    choice(of, now) {
      const usual = choice(of, now), found = jobsHere(of, all.get(of.about.model.digest) ?? null);
      free = now.layer === null && now.head === null;
      if (!free) {
        const own = found.find(({ job }) => job.layer === now.layer && job.head === now.head);
        return { ...usual, ...(own && now.word === null ? { word: own.word.position } : {}) };
      }
      const first = opensOn(of, found);
      if (!first) return usual;
      const { layer, head } = 'job' in first ? first.job : first;
      return { ...usual, layer, head, ...('job' in first && now.word === null ? { word: first.word.position } : {}) };
    },
    draw(given, chosen) {
      if (run !== given) { pointed = null; failed = ''; }
      [run, state] = [given, chosen];
      redraw();
    },
    pictures() {
      if (!run || !state) return [];
      const { layer, head } = state, query = toQuery({ ...made(state), layer, head });
      return [tabled ? { ...context.main(CARRIED, query), name: 'What heads carry' } : { ...context.main('', query), name: 'The maps of all heads' }];
    },
    end() {
      clearTimeout(saying);
      control.abort();
      watch.disconnect();
      done.abort();
      page.remove();
    },
  };
}

// @ts-check
// The page Heads: the map of every head with the job that it was found to do, and beside it what is known of one head.
import { aim } from './claim.js';
import { among } from './rows.js';
import { dress, el, focused, highIn, put, themeOf } from './dom.js';
import { examples, figures } from './example.js';
import { gradient } from './grid.js';
import { brushOf, ends, windowed } from './heads.js';
import style from './heads_page.css';
import { headline, leads } from './controls.js';
import { besides, carrierOf, findingOf, jobsHere, jobsOf, layout, nearOf, same, titleOf, wasExamined } from './jobs.js';
import { composed, html, nothing, render as into } from './lit.js';
import { inWords, made } from './load.js';
import { percent, tight, typeset } from './number.js';
import { read, row } from './packet.js';
import { choice, direction } from './run.js';
import { said as set } from './say.js';
import { MEASURED, toQuery } from './store.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./jobs.js').Known} Known */

const ABOVE = 230; // pixels above the maps
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
  let coming = '', failed = '', why = '', painted = '', turn = 0, shown = '';
  /** Whether it may have been examined since that was asked. */
  let renewed = false;
  /** @type {Packet | null} */
  let drawn = null;
  let span = { low: 0, high: 1 };
  /** @type {Known | null} */
  let labelled = null;
  /** @type {Head | null} */
  let pointed = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saying;
  const control = new AbortController(), small = document.createElement('canvas');

  const top = headline(context, { layer: false, head: false });
  const grid = el('div', { class: 'hd-grid', role: 'grid', 'aria-label': 'The maps of all heads, a row for each layer' });
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
  document.addEventListener(MEASURED, () => { renewed = true; redraw(); }, { signal: done.signal });

  /** A link to another page with the chosen head, where there is one. @param {string} key @param {string} text @param {import('./store.js').Changes} [also] what is chosen on the way */
  function link(key, text, also = {}) {
    const page = context.options().pages.find(one => one.key === key), { layer = 0, head = 0 } = state ?? {};
    return page ? leads(text, '→', `${page.address}?${new URLSearchParams({ ...store.along(), ...toQuery(also) })}`, () => { store.set({ layer, head, ...also }); context.go(key); }, key) : nothing;
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

  /** Makes the cells, and says what each head is. @param {Packet} of @param {Known | null} what */
  function label(of, what) {
    const { layers, heads } = of.about.model, jobs = jobsOf(of, what);
    const cell = (/** @type {Head} */ place) => {
      const job = jobs.find(one => same(one, place)), carried = job ? undefined : carrierOf(what, place), near = job || carried ? '' : nearOf(what, heads, place), [{ share = 0, rule = 0 } = {}] = job?.figures ?? [];
      const said = `head ${place.head} of layer ${place.layer}${job ? `: ${titleOf(job.job)}, right in ${typeset(percent(share, 1))}, the best rule in ${typeset(percent(rule, 1))}` : carried ? `: carries ${carried.what}, ${typeset(percent(carried.share, 1))}` : near ? `: ${near}` : ''}`;
      return html`<div role="gridcell" tabindex="-1" aria-selected="false" data-head-map="${place.layer},${place.head}" aria-label=${said} title=${said} class="hd-cell ${job ? `is-${job.passed ? 'passed' : 'ahead'}` : carried ? 'is-carrier' : near ? 'is-near' : ''}"><canvas aria-hidden="true"></canvas>
        <div class="hd-label" aria-hidden="true"><b>${job ? titleOf(job.job) : carried ? `carries ${carried.what}` : near}</b><strong>${job ? tight(percent(share, 1)) : carried ? tight(percent(carried.share, 1)) : ''}</strong><small>${job ? `rule ${tight(percent(rule, 1)).replace('\u00a0%', '')}` : ''}</small></div></div>`;
    };
    into(Array.from({ length: layers }, (_, layer) => html`<div class="hd-row" role="row"><div role="rowheader"><span>layer </span>${layer}</div>${Array.from({ length: heads }, (_, head) => cell({ layer, head }))}</div>`), grid);
  }

  /** Paints every map. @param {Packet} of @param {import('./grid.js').Theme} theme */
  function paint(of, theme) {
    const { model, rows, tokens } = of.about, room = grid.clientWidth, laid = layout(of, room, highIn(grid) - ABOVE);
    const now = [room, devicePixelRatio, theme, laid.side].join(' ');
    if (drawn === of && painted === now) return;
    [drawn, painted] = [of, now];
    put(grid, { 'data-says': laid.says, style: `--names: ${laid.names}px; --heads: ${model.heads}; --side: ${laid.side}px; --high: ${laid.high}px; --gap: ${laid.gap}px` });
    const brush = brushOf(small, tokens.length, theme, span), ratio = Math.min(devicePixelRatio || 1, 2), back = direction(of) === 'rtl';
    const wide = Math.round(laid.side * ratio), tall = Math.round(laid.high * ratio);
    grid.querySelectorAll('canvas').forEach((canvas, i) => {
      const pen = canvas.getContext('2d');
      if (!pen) return;
      [canvas.width, canvas.height] = [wide, tall];
      brush(row(of.arrays.weights, Math.floor(i / model.heads), i % model.heads), rows.length);
      if (back) pen.setTransform(-1, 0, 0, 1, wide, 0);
      pen.imageSmoothingEnabled = small.width > wide || small.height > tall;
      pen.drawImage(small, 0, 0, wide, tall);
    });
  }

  function redraw() {
    if (!run || !state) return;
    const of = run, what = known(), place = { layer: state.layer, head: state.head }, name = `${of.about.model.digest} ${place.layer},${place.head}`;
    const theme = themeOf(getComputedStyle(root.closest('.enc') ?? root).backgroundColor);
    if (shown !== name) turn = 0;
    shown = name;
    if (drawn !== of) span = ends(of);
    top.draw(of, state, findingOf(of, what, place));
    const all = jobsOf(of, what), jobs = all.filter(one => same(one, place));
    /** @type {unknown[]} */
    const said = besides(of, what, place).map(([key, args]) => set(key, args));
    const framed = all.length ? 'A frame: passed the examination; a dotted one: better only than any fixed distance. Below it the share of right answers, and that of the best simple rule.' : '', carry = what?.carries?.length ? '“Carries” says what changes the guess when only what this head hands on comes from another sentence.' : '';
    const mine = `layers.${place.layer}.attention.heads:zero:h=${place.head}`, edits = [...new Set([...state.edits.split(';').filter(Boolean), mine])].join(';');
    if (what && !wasExamined(of, what)) said.unshift(set('heads_unexamined'));
    const here = jobsHere(of, what), own = here.find(one => same(one.job, place));
    if (own) said.unshift(composed(aim(of, place, own.word)));
    into(html`${top.element}<p class="hd-how" data-none ?hidden=${!free || here.length || !wasExamined(of, what)}>${set('heads_none_here')}</p><div class="hd-body"><div class="hd-left">${grid}
        <p class="hd-how">${explained(`Each map is one head in this sentence: a row is where from, a column where to. ${what?.passed ?? ''} ${framed} ${carry}`.trim().replace(/  +/g, ' '))}</p>
        <div class="hd-legend"><span>0 %</span><i style="background: ${gradient('share', theme)}"></i><span>${tight(percent(span.high, 1))}</span></div><p class="hd-how" data-window>${windowed(of)}</p></div>
      <section class="hd-one" aria-label="The chosen head"><h2>Head ${place.head} of layer ${place.layer}</h2>${figures(jobs.slice(0, 1))}
        <details ?hidden=${jobs.length < 2}><summary>${jobs.length - 1} more</summary>${figures(jobs.slice(1))}</details>
        <div class="hd-notes">${said.map(one => html`<p>${one}</p>`)}</div>${shownExamples.element}<p class="hd-notes" role="alert" ?hidden=${failed !== of.about.model.digest}>${why}</p>
        <nav class="hd-links" aria-label="Go on with this head">${link('attention', 'See it in this sentence')}${link('what_if', 'Switch it off', { edits })}${context.options().more ? html`${below('Examine', 'jobs')}${below('Its contexts', 'contexts')}` : nothing}</nav></section></div>`, page);
    if (drawn !== of || labelled !== what || !grid.children.length) label(of, what);
    labelled = what;
    paint(of, theme);
    keys.show(place, pointed);
    shownExamples.draw(what?.examples.find(one => same(one, place)) ?? null, turn);
    clearTimeout(saying);
    if (focused(grid)) saying = setTimeout(() => context.announce(top.finding.textContent ?? ''), SETTLED);
  }

  return {
    choice(of, now) {
      const usual = choice(of, now), [here] = jobsHere(of, all.get(of.about.model.digest) ?? null);
      free = now.layer === null && now.head === null;
      return free && here ? { layer: here.job.layer, head: here.job.head, word: now.word === null ? here.word.position : usual.word } : usual;
    },
    draw(given, chosen) {
      if (run !== given) { pointed = null; failed = ''; }
      [run, state] = [given, chosen];
      redraw();
    },
    kept() {
      if (!run || !state) return null;
      const { layer, head } = state;
      return { picture: 'all_heads', name: 'The maps of all heads', query: toQuery({ ...made(state), layer, head }) };
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

// @ts-check
// The page Heads: the map of every head with the job that it was found to do, and beside it what is known of one head.
import { among } from './rows.js';
import { children, dress, el, focused, put, themeOf, write } from './dom.js';
import { examples, figures } from './example.js';
import { gradient } from './grid.js';
import { brushOf, ends, windowed } from './heads.js';
import style from './heads_page.css';
import { headline } from './controls.js';
import { besides, findingOf, jobsOf, layout, nearOf, same, titleOf, wasExamined } from './jobs.js';
import { inWords, made } from './load.js';
import { percent, tight, typeset } from './number.js';
import { read, row } from './packet.js';
import { direction } from './run.js';
import { said as set } from './say.js';
import { MEASURED, toQuery } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./claim.js').Head} Head */
/** @typedef {import('./jobs.js').Known} Known */

const ABOVE = 230; // pixels above the maps
const SETTLED = 400; // ms of rest before the finding is said to who cannot see it
const NONE = 'no job found';

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
  let coming = '', failed = '', painted = '', turn = 0, shown = '';
  /** Whether it may have been examined since that was asked. */
  let renewed = false;
  /** @type {Packet | null} */
  let drawn = null;
  /** @type {Known | null} */
  let labelled = null;
  /** @type {Head | null} */
  let pointed = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saying;
  const control = new AbortController(), small = document.createElement('canvas');

  const top = headline(context, { layer: false, head: false });
  const grid = el('div', { class: 'hd-grid', role: 'grid', 'aria-label': 'The maps of all heads, a row for each layer' });
  const how = el('p', { class: 'hd-how' }), low = el('span'), bar = el('i'), high = el('span');
  const legend = el('div', { class: 'hd-legend' }, low, bar, high), part = el('p', { class: 'hd-how', 'data-window': '' });
  const title = el('h2'), [table, rest] = [0, 1].map(() => el('table', { class: 'hd-figures' })), further = el('summary'), others = el('details', {}, further, rest);
  const notes = el('div', { class: 'hd-notes' }), trouble = el('p', { class: 'hd-notes', role: 'alert' });
  const shownExamples = examples(() => { turn++; redraw(); });
  const downwards = [below('Examine', 'jobs'), below('Its contexts', 'contexts')];
  const links = [link('attention', 'See it in this sentence'), link('what_if', 'Switch it off', off)];
  const aside = el('section', { class: 'hd-one', 'aria-label': 'The chosen head' }, title, table, others, notes, shownExamples.element, trouble, el('nav', { class: 'hd-links', 'aria-label': 'Go on with this head' }, ...links, ...downwards.map(one => one.element)));
  const page = el('section', { class: 'hd', 'aria-label': 'Heads' }, top.element, el('div', { class: 'hd-body' }, el('div', { class: 'hd-left' }, grid, how, legend, part), aside));
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

  /** A link to another page with the chosen head. @param {string} key @param {string} text @param {() => import('./store.js').Changes} [also] what is chosen on the way */
  function link(key, text, also = () => ({})) {
    const found = el('a', { class: 'enc-link', 'data-go': key, onclick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      store.set({ layer: state?.layer ?? 0, head: state?.head ?? 0, ...also() });
      context.go(key);
    } }, el('span', {}, text), el('span', { 'aria-hidden': 'true' }, ' →'));
    return found;
  }
  /** The change that switches the chosen head off, beside those that are there. @returns {import('./store.js').Changes} */
  function off() {
    if (!state) return {};
    const mine = `layers.${state.layer}.attention.heads:zero:h=${state.head}`, there = state.edits.split(';').filter(Boolean);
    return { edits: (there.includes(mine) ? there : [...there, mine]).join(';') };
  }
  /** A link to a section below the picture. @param {string} text @param {string} section */
  function below(text, section) {
    return { section, element: el('a', { class: 'enc-link', onclick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      context.more(section, {});
    } }, el('span', {}, text), el('span', { 'aria-hidden': 'true' }, ' ↓')) };
  }

  /** What is known of the heads of the model, which is asked for once. */
  function known() {
    const of = /** @type {Packet} */ (run), { digest } = of.about.model, there = all.get(digest) ?? null;
    if ((there && !renewed) || coming === digest || failed === digest) return there;
    coming = digest;
    renewed = false;
    context.load({ level: 6, ...made(store.get()) }, control.signal).then(read).then(
      ({ about }) => { if (about.heads) all.set(digest, about.heads); },
      error => { if (!control.signal.aborted) { failed = digest; write(trouble, inWords(error).message); } },
    ).finally(() => {
      if (coming === digest) coming = '';
      if (!control.signal.aborted) redraw();
    });
    return there;
  }

  /** Makes the cells, and says what each head is. @param {Packet} of @param {Known | null} what */
  function label(of, what) {
    const { layers, heads } = of.about.model, jobs = jobsOf(of, what), examined = wasExamined(of, what);
    children(grid, layers, layer => el('div', { class: 'hd-row', role: 'row' }, el('div', { role: 'rowheader' }, el('span', {}, 'layer '), String(layer)))).forEach((line, layer) => {
      while (line.children.length > heads + 1) line.lastElementChild?.remove();
      while (line.children.length < heads + 1) line.append(el('div', { role: 'gridcell', tabindex: '-1', 'aria-selected': 'false' }, el('canvas', { 'aria-hidden': 'true' }), el('div', { class: 'hd-label', 'aria-hidden': 'true' }, el('b'), el('strong'), el('small'))));
      [...line.children].slice(1).forEach((cell, head) => {
        const job = jobs.find(one => same(one, { layer, head })), near = job ? '' : nearOf(what, heads, { layer, head });
        const [{ share = 0, rule = 0 } = {}] = job?.figures ?? [], [name, right, other] = cell.children[1].children;
        const none = examined && (what || failed) ? NONE : '';
        write(name, job ? titleOf(job.job) : near || none);
        write(right, job ? tight(percent(share, 1)) : '');
        write(other, job ? `rule ${tight(percent(rule, 1)).replace('\u00a0%', '')}` : '');
        const said = `head ${head} of layer ${layer}${job ? `: ${titleOf(job.job)}, right in ${typeset(percent(share, 1))}, the best rule in ${typeset(percent(rule, 1))}` : near || none ? `: ${near || none}` : ''}`;
        put(cell, { 'data-head-map': `${layer},${head}`, 'aria-label': said, title: said, class: job ? `hd-cell ${job.passed ? 'is-passed' : 'is-ahead'}` : near ? 'hd-cell is-near' : 'hd-cell' });
      });
    });
    const framed = jobs.length ? 'A frame: passed the examination; a dotted one: better only than any fixed distance. Below it the share of right answers, and that of the best simple rule.' : '';
    write(how, `Each map is one head in this sentence: a row is where from, a column where to. ${what?.passed ?? ''} ${framed}`.trim());
  }

  /** Paints every map. @param {Packet} of */
  function paint(of) {
    const { model, rows, tokens } = of.about, room = grid.clientWidth, laid = layout(of, room, innerHeight - ABOVE), theme = themeOf(getComputedStyle(root.closest('.enc') ?? root).backgroundColor);
    const now = [room, devicePixelRatio, theme, laid.side].join(' ');
    if (drawn === of && painted === now) return;
    [drawn, painted] = [of, now];
    put(grid, { 'data-says': laid.says, style: `--names: ${laid.names}px; --heads: ${model.heads}; --side: ${laid.side}px; --high: ${laid.high}px; --gap: ${laid.gap}px` });
    const span = ends(of), brush = brushOf(small, tokens.length, theme, span), ratio = Math.min(devicePixelRatio || 1, 2), back = direction(of) === 'rtl';
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
    write(low, '0 %');
    write(high, tight(percent(span.high, 1)));
    bar.style.background = gradient('share', theme);
    write(part, windowed(of));
  }

  function redraw() {
    if (!run || !state) return;
    const what = known(), place = { layer: state.layer, head: state.head }, name = `${run.about.model.digest} ${place.layer},${place.head}`;
    if (drawn !== run || labelled !== what || !grid.children.length) {
      label(run, what);
      labelled = what;
    }
    paint(run);
    keys.show(place, pointed);
    if (shown !== name) turn = 0;
    shown = name;
    top.draw(run, state, findingOf(run, what, place));
    const jobs = jobsOf(run, what).filter(one => same(one, place));
    write(title, `Head ${place.head} of layer ${place.layer}`);
    figures(table, jobs.slice(0, 1), titleOf, share => typeset(percent(share)));
    figures(rest, jobs.slice(1), titleOf, share => typeset(percent(share)));
    others.hidden = jobs.length < 2;
    write(further, `${jobs.length - 1} more`);
    const said = besides(run, what, place).map(([key, args]) => set(key, args));
    if (what && !wasExamined(run, what)) said.unshift(set('heads_unexamined'));
    children(notes, said.length, () => el('p')).forEach((line, i) => write(line, said[i]));
    shownExamples.draw(what?.examples.find(one => same(one, place)) ?? null, turn);
    trouble.hidden = failed !== run.about.model.digest;
    for (const to of links) lead(to);
    for (const { element, section } of downwards) {
      element.hidden = !context.options().more;
      put(element, { href: `?${new URLSearchParams({ ...store.query(), more: section })}` });
    }
    clearTimeout(saying);
    if (focused(grid)) saying = setTimeout(() => context.announce(top.finding.textContent ?? ''), SETTLED);
  }
  /** @param {HTMLAnchorElement} to */
  function lead(to) {
    const page = context.options().pages.find(one => one.key === to.dataset.go);
    to.hidden = !page;
    const also = to.dataset.go === 'what_if' ? off() : {};
    if (page) put(to, { href: `${page.address}?${new URLSearchParams({ ...store.along(), ...toQuery(also) })}` });
  }

  return {
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

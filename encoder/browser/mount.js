// @ts-check
// The front in a page: bar, menu, what is loading or went wrong, and the page that is drawn. See README.md.
import { bar, BEFORE_CLASS, byKeys } from './bar.js';
import { plainly } from './controls.js';
import { dress, el, focused, put, unstopped } from './dom.js';
import { foot } from './guesses.js';
import { html, nothing, render as into } from './lit.js';
import { loader, made } from './load.js';
import { look } from './look.js';
import { OPEN, placeOf, toQuery } from './store.js';
import { reading } from './input_options.js';
import { choice, maskToken, nobodys } from './run.js';
import { say } from './say.js';
import { spine } from './spine.js';
import { start } from './start.js';
import { meanings } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {{level: number, layer?: number, step?: string, index?: number[], words?: string[], other?: string, sentence: string, second: string, model: string, hidden: number[], edits: string, off?: boolean}} Request */
/** Gives the bytes of a packet; rejects with an Error whose message is one plain sentence. @typedef {(request: Request, signal?: AbortSignal) => Promise<ArrayBuffer>} Load */
/** A head by its layer and its number. @typedef {[layer: number, head: number]} Head */
/** What a lesson has above the picture, whether it hides the picture, and the word that it asks about, with what takes the guess; the heads that it counted; whether it has one try what helps, which the page then does not say. @typedef {{element: HTMLElement | null, veils: boolean, asks?: {word: number, guess: (position: number) => void} | null, heads?: Head[], tries?: boolean}} Above */
/** @typedef {{key: string, title: string, address: string, front?: boolean, group?: string, parts?: string[], step?: string, shows?: string[] | null, more?: [string, string][], under?: [string, string[]][], pictures?: Record<string, [string, string]>}} Listed */
/**
 * What a front needs. `shipped` leads from a bundled sentence to the address of its packet; an empty address is asked of `load`.
 * `closed`: no other sentences can be had, as in a file, nor the numbers of every step, but where `numbers` says so. `origin` says what a number was made of where no server does.
 * `examples` are sentences to choose from, `menu` whether the menu is offered, `reads` whether the page reads the bar's sentence. `keep` gives files of a picture; without it there are none. `more` gives the sections below it. `drawn` hears of every drawing. `above` is what a lesson has above the picture. `goTo` leads to another page, or gives a sentence that says why it cannot.
 * @typedef {{
 *   load: Load, store: Store, pages: Listed[], page: string, shipped: Record<string, string>,
 *   models: {name: string, title: string}[], goTo: (key: string, query: Record<string, string>) => string | void, closed?: boolean, numbers?: boolean,
 *   examples?: string[], menu?: boolean, reads?: boolean, drawn?: () => void, above?: () => Above | null, origin?: typeof import('./origin_of_number.js').originOf, keep?: import('./save_menu.js').Keep, more?: import('./more.js').Ask
 * }} Options
 */
/**
 * What a page has. `run` gives the run that is drawn; `part` a packet of another level, of a layer or of the whole run, `peek` a run that is loaded already, `fetch`
 * loads one beforehand; `announce` says a sentence to who cannot see. `asks` is what a lesson asks: a page that is in HIDES hides it; `counted` the heads that it counted, `tries` whether it has one try what helps. `pictures` are all that can be saved, `main` is the page's main one by encoder/browser/page_table.py at a step or view, or for what the model answers, with its word; `code` shows its lines, `more` leads to a section below the page, `below` tells what those speak of where nobody chose there.
 * @typedef {{
 *   store: Store, load: Load, say: typeof say, mask: () => string | null, go: (key: string, also?: import('./store.js').Changes) => void, options: () => Options, run: () => Packet | null,
 *   part: (level: number, of: import('./layer_packets.js').Of, signal?: AbortSignal) => Promise<Packet>, peek: (changes: import('./store.js').Changes) => Packet | null,
 *   fetch: (changes: import('./store.js').Changes) => Promise<Packet>, announce: (text: string) => void,
 *   asks: () => Above['asks'], counted: () => Head[], tries: () => boolean, pictures: () => import('./save_menu.js').Kept[], main: (named: string, query: Record<string, string>, position?: number) => {picture: string, query: Record<string, string>}, code: () => void, more: (section: string, choices: Record<string, string>) => void,
 *   below: (choices: Record<string, string>) => void
 * }} Context
 */
/** `pictures` are what can be saved, the main one first; `choice` what the page has chosen where nobody did, null where it cannot tell yet. @typedef {{choice?: (run: Packet, state: import('./store.js').State) => {word: number, layer: number, head: number} | null, draw: (run: Packet, state: Chosen) => void, pictures: () => import('./save_menu.js').Kept[], end: () => void}} Page */
/** @typedef {{update: (options: Options) => void, end: () => void}} Mounted */

/** The pages that are here. @type {Record<string, (root: HTMLElement, context: Context) => Page>} */
const pages = { start };
/** The others come in a file of their own, once the first one is drawn or one of them is wanted. */
const later = () => import('./pages.js').then(found => { Object.assign(pages, found.PAGES); rest = found; return found; });
/** That file, once it is here: what it draws is then never a moment behind. @type {typeof import('./pages.js') | null} */
let rest = null;
/** What stands below a page comes in a file of its own, which no file that is kept has. */
const sectionsOf = () => import('./more.js');
/** A class comes in a file of its own, where a tab is in one. */
export const classOf = () => import('./in_class.js');
/** So does a lesson. */
export const lessonOf = () => import('./lesson.js');
const RENEWED = 'The app was renewed meanwhile, or cannot be reached: load the page again.';
const HERE = import.meta.url.replace(/[^/]*$/, ''); // where these scripts are
const QUIET = 1500; // ms after which what nobody waits for is loaded
const NUMBERS = 'All numbers of every step, ready to open';
const HIDES = ['attention']; // pages that can be drawn while a lesson asks about them
const TELL = ['what_if']; // pages that tell themselves what is changed in the run
const SKELETON = 150; // ms without a run before its outline is drawn
/** @type {WeakMap<HTMLElement, Mounted>} */
const mounted = new WeakMap();

/**
 * Draws the front into an element. Called again with the same element it takes the new options and keeps the state.
 * @param {HTMLElement} root
 * @param {Options} options
 * @returns {() => void} takes everything down again
 */
export function mount(root, options) {
  const there = mounted.get(root);
  if (there) there.update(options);
  else mounted.set(root, begin(root, options));
  return () => {
    mounted.get(root)?.end();
    mounted.delete(root);
  };
}

/** @param {HTMLElement} root @param {Options} options @returns {Mounted} */
function begin(root, options) {
  dress(root, look);
  unstopped(root);
  root.classList.add('enc');
  // Within a component of a page there is a main part already.
  const main = el(root.getRootNode() instanceof ShadowRoot ? 'div' : 'main', { class: 'enc-main' }), place = el('div', { class: 'enc-page' }), below = el('div'), sections = el('div');
  let busy = false, wrong = '', spoken = '';

  /** @type {Packet | null} */
  let run = null;
  /** @type {Page | null} */
  let page = null;
  let drawn = '', wanted = '';
  /** @type {AbortController | null} */
  let going = null;
  const runs = loader(() => options);
  /** What comes with the other pages: all numbers of a step, below the page, and the drawer of one. @type {({of: string} & Page) | null} */
  let unfoldedNumbers = null;
  /** The sections below the page. @type {({of: string} & ReturnType<typeof import('./more.js').more>) | null} */
  let opened = null;
  /** @type {ReturnType<import('./drawer.js').drawer> | null} */
  let drawer = null;
  /** What was chosen where a number was opened: closing it leads there. @type {import('./store.js').Changes | null} */
  let came = null;
  /** What the page shows, of which the sections below it tell where nobody chose there. @type {Record<string, string>} */
  let chosenAbove = {};
  let told = ''; // the number that was opened last, or led to in the drawer

  /** @type {Context} */
  const context = {
    get store() { return options.store; },
    load: (request, signal) => options.load(request, signal),
    say,
    go: (key, also = {}) => {
      options.store.flush();
      const before = options.page, why = options.goTo(key, { ...options.store.along(), ...toQuery(also) });
      if (why) show(why);
      else if (options.page !== before) options.store.leave(also); // drawn by this store, and there already
    },
    options: () => options,
    run: () => run,
    mask: () => maskToken(run),
    part: (level, of, signal) => (level === 9 && options.origin && run ? options.origin(run, context.part, /** @type {import('./store.js').Place} */ (of)) : runs.part(options.store.get(), level, of, signal)),
    peek: changes => runs.peek({ ...options.store.get(), ...changes }),
    fetch: changes => runs.run({ ...options.store.get(), ...changes }),
    announce: text => { spoken = text; frame(); },
    asks: () => (options.above?.()?.veils ? options.above?.()?.asks : null),
    counted: () => options.above?.()?.heads ?? [],
    tries: () => options.above?.()?.tries ?? false,
    pictures: () => (options.above?.()?.veils ? [] : [...inFront(), ...(page?.pictures() ?? []), ...parts.pictures()]),
    main: (named, query, position) => {
      const { pictures = {} } = listed() ?? {}, [picture, word] = pictures[named] ?? pictures['*'] ?? pictures[''] ?? ['', ''];
      return { picture, query: word ? { ...query, [word]: String(position) } : query };
    },
    code: () => { top.code(); },
    more: (name, choices) => {
      options.store.choose(choices);
      const open = options.store.get().more.split(',').filter(one => one && one !== name);
      options.store.set({ more: [...open, name].join(',') });
      opened?.lead(name);
    },
    below: choices => {
      if (JSON.stringify(choices) === JSON.stringify(chosenAbove)) return;
      chosenAbove = choices;
      drawMore();
    },
  };
  const read = reading(context);
  const guess = foot(context), gone = new AbortController(), parts = spine(context);
  /** What can be done on every page, with the key for it. @type {Record<string, [text: string, act: () => void]>} */
  const acts = {
    g: ['Show the guess at the bottom', () => guess.turn()],
    p: [BEFORE_CLASS, () => { root.classList.toggle('enc-present'); draw(); }],
  };
  const top = bar(root, context, options.closed ? [] : [['Mask tokens …', () => read.open('mask')], ['A second sentence …', () => read.open('second')]], byKeys(root, acts, gone.signal));
  root.append(top.element, parts.element, main, guess.element);
  meanings(root, gone.signal);

  /** Does what may take something away, and gives the keys to the headline where what had them is gone. @param {() => void} act */
  const keeping = act => {
    const before = focused(root), within = root.contains(before);
    act();
    const now = focused(root), has = (/** @type {Element | null} */ one) => Boolean(one && root.contains(one) && one.checkVisibility());
    if (before && within && !has(before) && (now === before || !has(now))) place.querySelector('h1')?.focus();
  };
  const draw = () => keeping(() => {
    if (!run) return;
    top.draw(); // the sentence has the mask of this run's model
    frame();
    read.draw(run, TELL.includes(options.page));
    guess.draw(run);
    const veiled = options.above?.()?.veils;
    if (veiled) veil(Boolean(context.asks()) && HIDES.includes(options.page));
    if (veiled && !(context.asks() && HIDES.includes(options.page))) return options.drawn?.();
    if (drawn !== options.page) {
      const make = pages[options.page];
      if (!make) { // it is drawn once it has come
        const wished = options.page;
        later().then(() => { if (options.page === wished && root.isConnected) draw(); }, () => show(RENEWED));
        return;
      }
      page?.end();
      place.replaceChildren();
      chosenAbove = {};
      page = make(place, context);
      const moved = drawn !== '';
      drawn = options.page;
      page.draw(run, settled(run));
      if (moved) place.querySelector('h1')?.focus();
    } else page?.draw(run, settled(run));
    if (veiled) return options.drawn?.();
    parts.draw(run, settled(run));
    drawNumbers();
    drawMore();
    top.renew();
    options.drawn?.();
  });
  /** Takes away what would say what is asked. @param {boolean} stays whether the page hides that itself */
  function veil(stays) {
    opened?.end();
    unfoldedNumbers?.end();
    drawer?.end();
    [opened, unfoldedNumbers, drawer] = [null, null, null];
    for (const one of [below, sections]) one.replaceChildren();
    spoken = '';
    if (stays) return;
    page?.end();
    [page, drawn] = [null, ''];
    place.replaceChildren();
  }
  /** The page that is open, as the menu lists it. */
  const listed = () => options.pages.find(one => one.key === options.page);
  /** What stands below the page. */
  function drawMore() {
    const titles = listed()?.more ?? [], key = options.page, ask = options.more;
    if (opened?.of !== key) { opened?.end(); opened = null; }
    if (!titles.length || !ask) return;
    sectionsOf().then(found => {
      if (!run || key !== options.page) return;
      if (!opened) {
        opened = { of: key, ...found.more(root, context, key, titles, listed()?.under ?? [], ask) };
        sections.append(opened.element);
      }
      opened.draw(settled(run), chosenAbove);
    }, () => show(RENEWED));
  }
  /** All numbers of a step, where they are unfolded, and the one that is open. */
  function drawNumbers() {
    const key = options.page, of = listed(), { numbers, number } = options.store.get(), wanted = of?.parts?.length && numbers ? key : '';
    if (unfoldedNumbers?.of !== wanted) { unfoldedNumbers?.end(); unfoldedNumbers = null; }
    if (!wanted && !number && !drawer) return;
    if (!rest) {
      later().then(drawNumbers, () => show(RENEWED));
      return;
    }
    if (!run) return;
    const state = settled(run);
    if (wanted && of) (unfoldedNumbers ??= { of: key, ...rest.numbers(below, context, { parts: of.parts ?? [], step: of.step ?? '' }) }).draw(run, state);
    drawer ??= rest.drawer(root, { part: context.part, tell: to => { told = to; if (to) options.store.set({ number: to, ...seenAt(to) }); else closeNumber(); } });
    drawer.draw(run, state.number, entered);
    entered = false;
  }
  /** What is open over the page or below it: the terms of a number, the numbers of a step. */
  function inFront() {
    const sum = drawer?.sum(), state = options.store.get();
    return [...(sum ? [{ picture: 'terms', name: sum.name, query: toQuery({ ...made(state), cell: sum.cell }) }] : []), ...(unfoldedNumbers?.pictures() ?? [])];
  }
  /** Whether a number was opened here, and not by the address. */
  let entered = false;
  document.addEventListener(OPEN, event => {
    const number = String(/** @type {CustomEvent} */ (event).detail), { layer, head, word, step, cell } = options.store.get();
    entered = true;
    came = { layer, head, word, step, cell };
    told = number;
    options.store.set({ number, ...seenAt(number) });
  }, { signal: gone.signal });
  /** Where the picture of the page shows a number, as a change of the state. @param {string} number @returns {import('./store.js').Changes} */
  function seenAt(number) {
    const { step = '', index = [] } = placeOf(number) ?? {}, [, layer, name] = /^layers\.(\d+)\.(.+)$/.exec(step) ?? [null, null, step], { parts = [], shows = null } = listed() ?? {};
    if (shows ? !shows.includes(name) : !parts.includes(name.split('.')[0])) return {};
    return { step: name, cell: number, ...(layer === null ? {} : { layer: Number(layer), ...(name.startsWith('attention.') && index.length === 3 ? { head: index[0] } : {}) }) };
  }
  function closeNumber() {
    options.store.set({ number: '', ...(listed()?.parts?.length ? {} : { cell: '' }), ...came });
    came = null;
  }
  /** The state with what the run chooses where nobody did. @param {Packet} of */
  const settled = of => {
    options.store.suggest({});
    const state = options.store.get(), own = page?.choice?.(of, state), found = own ?? choice(of, state);
    options.store.suggest(found && state.head === null && nobodys(of) ? { word: found.word } : found ?? {}); // what nobody chose is not chosen on the way to another page
    return { ...state, ...found };
  };

  /** Asks for the run of the state unless it is here or on its way. @param {boolean} [anew] */
  function ask(anew = false) {
    const state = options.store.get(), key = runs.key(state), ready = runs.peek(state);
    if (ready) {
      going?.abort();
      [going, wanted, run] = [null, key, ready];
      show('');
      draw();
      return;
    }
    if (key === wanted && !anew) return;
    going?.abort();
    const mine = going = new AbortController();
    wanted = key;
    show('');
    const slow = setTimeout(() => { busy = true; frame(); }, SKELETON);
    runs.run(state, mine.signal).then(
      found => { if (going === mine) { run = found; going = null; show(''); draw(); } },
      error => { if (going === mine) { going = null; show(error instanceof Error && error.message ? error.message : 'That did not work: try again.'); } },
    ).finally(() => clearTimeout(slow));
  }

  /** Ends what was waited for, and says what went wrong. @param {string} sentence */
  function show(sentence) {
    [busy, wrong] = [false, sentence];
    frame();
  }

  /** Says of a fault of these scripts that something is not drawn, rather than leave it as it was. @param {unknown} fault */
  const failed = fault => { if (fault instanceof Error && fault.name !== 'AbortError' && fault.stack?.includes(HERE)) show(`Something on this page could not be drawn (${fault.message}). Try again, or load the page again.`); };
  addEventListener('error', ({ error }) => failed(error), { signal: gone.signal });
  addEventListener('unhandledrejection', ({ reason }) => failed(reason), { signal: gone.signal });

  let leave = options.store.subscribe(changed);
  /** A link to another page. @param {import('./mount.js').Listed} to @param {string} text @param {Record<string, string>} asks what its address says @param {() => void} act */
  const way = (to, text, asks, act) => html`<a class="enc-link" href=${`${to.address}?${new URLSearchParams(asks)}`.replace(/\?$/, '')} @click=${plainly(act)}>${text}</a>`;
  /** Draws what stands around the page: what is to be said, and the pages before and after it, of those that are drawn here. */
  function frame() {
    const { pages, page, store, closed } = options, at = pages.findIndex(each => each.key === page), { numbers } = store.get();
    const along = store.along(), above = options.above?.() ?? null, veiled = above?.veils ?? false;
    const beside = page === 'start' ? [] : [pages[at - 1], pages[at + 1]].filter(each => each?.front);
    put(main, { 'aria-busy': busy ? 'true' : null });
    parts.element.hidden = veiled || !parts.element.childElementCount;
    guess.veil(veiled);
    place.classList.toggle('enc-old', busy || wrong !== '');
    into(html`<p class="enc-trouble" role=${wrong ? 'alert' : nothing} ?hidden=${!wrong}><span>${wrong}</span> <button type="button" @click=${() => ask(true)}>Try again</button></p>
      <div class="enc-skeleton" ?hidden=${!busy || run}><i></i><i></i><i></i></div><p class="enc-note">${run?.about.notes?.join(' ')}</p>${veiled ? nothing : read.element}${above?.element ?? nothing}${place}
      <button type="button" class="enc-unfold" aria-expanded=${Boolean(numbers)} ?hidden=${veiled || !run || !pages[at]?.parts?.length || (closed && !options.numbers)} @click=${() => store.set({ numbers: numbers ? '' : '1' })}>${NUMBERS}</button>${below}${sections}
      <nav class="enc-walk" aria-label="Before and after this page">${beside.map(to => way(to, to === pages[at - 1] ? `← ${to.title}` : `${to.title} →`, along, () => context.go(to.key)))}</nav>
      <p class="enc-spoken" role="status" aria-live="polite">${spoken}</p>`, main);
  }
  function changed() {
    if (options.store.get().number !== told) came = null; // the page went on, and the drawer with it
    frame();
    top.draw();
    ask();
  }
  changed();
  const soon = setTimeout(() => { if (options.pages.some(one => one.front && !pages[one.key])) later().catch(() => null); }, QUIET);
  return {
    update(given) {
      if (given.store !== options.store) {
        leave();
        leave = given.store.subscribe(changed);
      }
      options = given;
      changed();
    },
    end() {
      leave();
      gone.abort();
      clearTimeout(soon);
      root.classList.remove('enc-present');
      going?.abort();
      for (const one of [page, unfoldedNumbers, opened, drawer, top, parts]) one?.end();
      root.replaceChildren();
      root.classList.remove('enc');
    },
  };
}

export { wanted as inAClass } from './class_seat.js';
export { drawBar, drawPlace, takePictures } from './around.js';
export { beyond, DEFAULTS, fromQuery, makeStore, REST, windowStore } from './store.js';
export { read, at, row } from './packet.js';
export { say };

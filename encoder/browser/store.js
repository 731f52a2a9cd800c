// @ts-check
// What is chosen in this tab: in memory at once, in the address when it rests, and where a number stands as an address spells it. The names are those of encoder/pictures/link.py.

/**
 * `layer`, `head` and `word` are null until somebody, or the run, chooses. `word` is the position of a token, counted from 0. `off`
 * tells whether the head is switched off, `maps` whether the picture of all heads is open, `more` names the sections that are
 * open below the picture. `other` and `other_model` are what the run is compared with; "" is the usual one. `after` is the
 * layer after which the guess is looked at, "input" for before the first. `guess` is the word that is spoken of, "" for the first guess, and
 * `over` the one that it is held against, "" for the usual one. `view` is "look" where a page shows where heads look, "carried" where what they carry, "" what it begins with,
 * `cut` the arrows that are cut there. `lesson` is the lesson that stands beside the page, `at` the number of its step. `number` is the
 * number that is open in the drawer, `numbers` the step whose numbers are unfolded, "1" for the page's own; "" none.
 * @typedef {{
 *   sentence: string, second: string, model: string, layer: number | null, head: number | null, word: number | null,
 *   step: string, cell: string, hidden: number[], edits: string, other: string, other_model: string, off: boolean, maps: boolean, more: string,
 *   after: string, guess: string, over: string, view: string, cut: string, number: string, numbers: string, lesson: string, at: string
 * }} State
 */
/** @typedef {Partial<State>} Changes */
/** The state once a run is here: all is chosen. @typedef {State & {layer: number, head: number, word: number}} Chosen */
/** The part of a window that is used, so that a test can stand in for it. @typedef {Pick<Window, 'location' | 'history' | 'addEventListener' | 'removeEventListener'>} Where */
/**
 * @typedef {{
 *   get(): State, set(changes: Changes, how?: {push?: boolean}): void, subscribe(hear: (state: State, chose: boolean) => void): () => void,
 *   choices(): Record<string, string>, choose(changes: Record<string, string>, rest?: boolean): void, suggest(found: Changes): void, pin(): void, query(): Record<string, string>, along(): Record<string, string>, leave(also: Changes): void, flush(): void, link(): string, end(): void
 * }} Store
 */

export const GAP = 'The keys to the cabinet [MASK] on the table.';
export const REST = 150; // ms; Chromium drops replaceState beyond about 200 in ten seconds
export const TOGETHER = 1000; // ms within which choices are one, which Back undoes
const VERSION = '1';
const UNITS = /^(layers\.\d+\.)?feed_forward\.(hidden|up|activation|gated)$/;
const NAMES = /** @type {const} */ (['sentence', 'second', 'model', 'layer', 'head', 'word', 'step', 'cell', 'hidden', 'edits', 'other', 'other_model', 'off', 'maps', 'more', 'after', 'guess', 'over', 'view', 'cut', 'number', 'numbers', 'lesson', 'at']);
const AROUND = ['v', 'code', 'embed', 'embed_options']; // what an address says of what stands around a page
const OF_B = ['other', 'other_model']; // what a page compares with
const HEAD = ['layer', 'head']; // of one head
const SHOWN = /** @type {const} */ (['layer', 'head', 'word']); // what a run chooses where nobody did
export const OF_PAGE = /** @type {const} */ (['number', 'numbers', 'cell', 'cut']); // what is open on one page and none of the others
/** @type {State} */
export const DEFAULTS = { sentence: GAP, second: '', model: 'base', layer: null, head: null, word: null, step: '', cell: '', hidden: [], edits: '', other: '', other_model: '', off: false, maps: false, more: '', after: '', guess: '', over: '', view: '', cut: '', number: '', numbers: '', lesson: '', at: '' };

/** A whole number as an address spells it; null for anything else. @param {string | null} text */
const whole = text => (text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null);

/** What an address asks for; what it does not say, or says wrongly, is left out. @param {string} search @returns {Changes} */
export function fromQuery(search) {
  const query = new URLSearchParams(search);
  /** @type {Changes} */
  const found = {};
  for (const name of /** @type {const} */ (['sentence', 'second', 'model', 'step', 'cell', 'edits', 'other', 'other_model', 'more', 'after', 'guess', 'over', 'view', 'cut', 'number', 'numbers', 'lesson', 'at'])) {
    const text = query.get(name);
    if (text !== null && text.trim()) found[name] = text;
  }
  for (const name of /** @type {const} */ (['layer', 'head', 'word'])) {
    const number = whole(query.get(name) ?? (name === 'word' ? query.get('lens_token') ?? query.get('near_word') : null));
    if (number !== null) found[name] = number;
  }
  for (const name of /** @type {const} */ (['off', 'maps'])) if (query.get(name) === '1') found[name] = true;
  const hidden = query.get('hidden')?.split(',').filter(Boolean).map(whole);
  if (hidden?.length && hidden.every(one => one !== null)) found.hidden = [...new Set(hidden)].sort((a, b) => a - b);
  return found;
}

/** What is chosen as an address spells it. @param {Changes} changes @returns {Record<string, string>} */
export function toQuery(changes) {
  /** @type {Record<string, string>} */
  const query = {};
  for (const name of NAMES) {
    const value = changes[name];
    if (value === true) query[name] = '1';
    else if (value !== undefined && value !== null && value !== false && String(value) !== '') query[name] = String(value);
  }
  return query;
}

/** What is chosen below a picture, of all that an address says. @param {Record<string, string>} query */
const choicesIn = query => Object.fromEntries(Object.entries(query).filter(([name]) => !AROUND.includes(name) && !NAMES.some(one => one === name)));

/** What an address asks for that the picture of a page does not show: the numbers of another step, and one number. @param {{parts?: string[], step?: string, shows?: string[] | null}} page @param {Pick<State, 'step' | 'cell'>} state @returns {Changes} */
export function beyond({ parts = [], step: first = '', shows }, { step, cell }) {
  if (!parts.length) return cell ? { number: cell } : {};
  if (!shows || shows.includes(step) || !parts.includes(step.split('.')[0])) return {};
  const of = first.startsWith('layers.*.') ? `layers.*.${step}` : step;
  return { step: '', cell: '', numbers: of, ...(cell.split(':')[0].endsWith(step) ? { number: cell } : {}) };
}

/** @param {Where} where */
function address(where) {
  /** The address with this state, and all that others wrote into it. @param {Record<string, string>} query */
  const spelled = query => {
    const all = new URLSearchParams(where.location.search);
    for (const name of [...NAMES, 'v']) all.delete(name);
    for (const [name, text] of Object.entries(query)) all.set(name, text);
    if (Object.keys(query).length) all.set('v', VERSION);
    const search = all.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
    return where.location.pathname + (search && `?${search}`) + where.location.hash;
  };
  const now = () => where.location.pathname + where.location.search + where.location.hash;
  /** @param {string} to @param {boolean} anew */
  const enter = (to, anew) => { if (to !== now()) where.history[anew ? 'pushState' : 'replaceState'](where.history.state, '', to); };
  return {
    /** @param {Record<string, string>} query @param {boolean} anew whether Back is to lead to what stands there now */
    write: (query, anew) => enter(spelled(query), anew),
    choices: () => choicesIn(Object.fromEntries(new URLSearchParams(where.location.search))),
    /** @param {Record<string, string>} changes empty texts take a name out @param {boolean} anew */
    choose(changes, anew) {
      const all = new URLSearchParams(where.location.search);
      for (const [name, text] of Object.entries(changes)) text ? all.set(name, text) : all.delete(name);
      enter(`${where.location.pathname}?${all}${where.location.hash}`, anew);
    },
  };
}

/**
 * A store. With a window its state is the query of the address, and Back leads to the state before; without one (a file, a
 * sandboxed frame) it is memory. `defaults` are left out of the address; `first` is what is chosen where no address says it.
 * @param {{defaults?: Changes, first?: Changes, where?: Where | null}} [options]
 * @returns {Store}
 */
export function makeStore({ defaults = {}, first = {}, where = null } = {}) {
  const usual = { ...DEFAULTS, ...defaults };
  /** @type {Changes} */
  let chosen = { ...first, ...(where ? fromQuery(where.location.search) : {}) };
  /** What the run itself has as its choice: part of the state, never of the address. @type {Changes} */
  let suggested = {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  /** @type {Set<(state: State, chose: boolean) => void>} */
  const heard = new Set();
  const bar = where && address(where);

  const get = () => ({ ...usual, ...suggested, ...chosen });
  const unusual = (of = chosen) => Object.fromEntries(Object.entries(of).filter(([name, value]) => String(value) !== String(usual[/** @type {keyof State} */ (name)] ?? '')));
  const tell = (chose = true) => { const state = get(); [...heard].forEach(hear => hear(state, chose)); };
  let written = -Infinity; // when something was chosen last
  /** Whether a choice stands for itself; those within a second of the one before are one with it. @param {boolean | undefined} push */
  const anew = push => {
    const before = written;
    written = Date.now();
    return push ?? written - before > TOGETHER;
  };
  let fresh = false; // whether what rests is a choice of its own
  const write = () => { clearTimeout(resting); resting = undefined; bar?.write(toQuery(unusual()), fresh); fresh = false; };
  const flush = () => { if (resting !== undefined) write(); };
  let below = JSON.stringify(bar?.choices());
  /** What is chosen below the picture, where no address says it. @type {Record<string, string>} */
  const apart = {};
  const back = () => {
    const there = fromQuery(where?.location.search ?? ''), before = below;
    below = JSON.stringify(bar?.choices());
    if (below === before && JSON.stringify(toQuery(unusual(there))) === JSON.stringify(toQuery(unusual()))) return; // it is here already
    clearTimeout(resting);
    resting = undefined;
    chosen = there;
    suggested = {};
    tell();
  };
  const events = /** @type {const} */ ([['popstate', back], ['pagehide', flush], ['beforeunload', flush]]);
  for (const [name, hear] of events) where?.addEventListener(name, hear);

  const closed = Object.fromEntries(OF_PAGE.map(name => [name, '']));
  /** @type {Store} */
  const store = {
    get,
    set(changes, { push } = {}) {
      const before = get();
      const other = ['sentence', 'second', 'model'].some(name => {
        const value = changes[/** @type {keyof State} */ (name)];
        return value !== undefined && value !== before[/** @type {keyof State} */ (name)];
      });
      // Who chooses anything keeps what was shown: another word must not lead to another head. The word may follow a head;
      // what B is shows another run.
      const changing = Object.keys(changes), keeps = changing.every(name => OF_B.includes(name)) ? [] : changing.every(name => HEAD.includes(name)) ? HEAD : SHOWN;
      const shown = other ? {} : Object.fromEntries(SHOWN.filter(name => keeps.includes(name) && before[name] !== null).map(name => [name, before[name]]));
      const settled = other ? { word: null, cell: '', number: '', hidden: [], edits: '', off: false, guess: '', over: '', cut: '', ...changes } : { ...shown, ...changes };
      // What is open, and the cell that is chosen, are of what is chosen now.
      if (!other) {
        if (before.cell && !('cell' in settled)) settled.cell = moved(before.cell, before, settled);
        if (before.number && !('number' in settled)) settled.number = settled.cell && settled.cell !== before.cell ? settled.cell : moved(before.number, before, settled);
      }
      // A layer and its head are written together: one alone would mean another head to who opens the address.
      if (('layer' in changes) !== ('head' in changes)) Object.assign(settled, 'layer' in changes ? { head: before.head } : { layer: before.layer });
      const said = Object.entries(settled).filter(([name, value]) => String(value) !== String(before[/** @type {keyof State} */ (name)]) || name in changes || name in shown);
      const names = new Set(said.map(([name]) => name));
      if (['layer', 'head'].some(name => names.has(name))) names.add('layer').add('head');
      if (push) flush();
      chosen = { ...chosen };
      for (const name of /** @type {Set<keyof State>} */ (names)) {
        const value = settled[name] ?? null;
        if (value === null) delete chosen[name];
        else Object.assign(chosen, { [name]: value });
      }
      if (other) suggested = {};
      fresh = anew(push) || fresh;
      clearTimeout(resting);
      if (push) write();
      else resting = bar ? setTimeout(write, REST) : undefined;
      tell(push !== false && names.size > 0);
    },
    subscribe(hear) {
      heard.add(hear);
      return () => { heard.delete(hear); };
    },
    /** What is chosen below the picture, by the names in the address. */
    choices: () => bar?.choices() ?? { ...apart },
    /** Chooses something of what stands below the picture, by its name in the address; all of it, as an address says it, and nothing `rest`. @param {Record<string, string>} changes @param {boolean} [rest] */
    choose(changes, rest = true) {
      const given = rest ? changes : { ...Object.fromEntries(Object.keys(store.choices()).map(name => [name, ''])), ...choicesIn(changes) };
      flush();
      if (bar) bar.choose(given, anew(rest ? undefined : false));
      else for (const [name, text] of Object.entries(given)) text ? Object.assign(apart, { [name]: text }) : delete apart[name];
      below = JSON.stringify(bar?.choices());
      tell();
    },
    suggest(found) { suggested = found; },
    /** Takes the layer and head that the run suggests as chosen, where nobody chose. */
    pin() {
      const { layer, head } = get();
      if (chosen.layer === undefined || chosen.head === undefined) store.set({ layer, head });
    },
    query: () => toQuery({ ...get(), ...chosen }),
    /** What goes along to another page. */
    along: () => toQuery({ ...get(), ...chosen, ...closed }),
    /** Closes what is open on the page that is left, but for what goes along. @param {Changes} also */
    leave(also) { if (OF_PAGE.some(name => chosen[name])) store.set({ ...closed, ...also }, { push: false }); },
    flush,
    link() { flush(); return where?.location.href ?? ''; },
    end() {
      flush();
      heard.clear();
      for (const [name, hear] of events) where?.removeEventListener(name, hear);
    },
  };
  return store;
}

/** The store of a window: its address is the state. @param {{defaults?: Changes, first?: Changes}} [options] */
export const windowStore = (options = {}) => makeStore({ ...options, where: window });

/** @typedef {{step: string, index: number[]}} Place */

export const OPEN = 'encoder:number'; // the event by which a picture has a number opened, wherever it is drawn

export const CLASS = 'encoder:class'; // the event that says that the state of a class was drawn

export const MEASURED = 'encoder:measured'; // the event that says that what takes long was measured below a picture

/** A place as an address spells it: "layers.0.attention.weights:1,8,3". @param {Place} place */
export const spelled = ({ step, index }) => `${step}:${index.join(',')}`;

/** The place that a text spells; null where it is none. @param {string} text @returns {Place | null} */
export function placeOf(text) {
  const found = /^([\w.]{1,200}):(\d{1,9}(?:,\d{1,9}){0,7})$/.exec(text);
  return found && { step: found[1], index: found[2].split(',').map(Number) };
}

/** A place that follows to another layer and head: it was of those that were chosen. @param {string} number @param {Pick<State, 'layer' | 'head'>} from @param {Changes} to */
function moved(number, from, to) {
  const place = placeOf(number);
  if (!place) return number;
  const { layer = from.layer, head = from.head } = to;
  if (layer !== from.layer && UNITS.test(place.step)) return ''; // in another layer the number is another unit's
  const own = place.step.startsWith(`layers.${from.layer}.attention.`) && place.index.length === 3 && place.index[0] === from.head;
  return spelled({ step: place.step.replace(`layers.${from.layer}.`, `layers.${layer}.`), index: own ? [head ?? 0, ...place.index.slice(1)] : place.index });
}

/** Has the drawer open a number. @param {Place} place */
export const open = place => document.dispatchEvent(new CustomEvent(OPEN, { detail: spelled(place) }));

/** What was touched last, and where it stood then. @type {{element: Element | null, top: number, y: number}} */
export const touched = { element: null, top: 0, y: 0 };
globalThis.document?.addEventListener('pointerdown', event => {
  const [element] = event.composedPath();
  if (element instanceof Element) Object.assign(touched, { element, top: element.getBoundingClientRect().top, y: event.clientY });
}, true);

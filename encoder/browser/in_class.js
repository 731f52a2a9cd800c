// @ts-check
// A class: one screen leads, others show what it shows, and guesses come in. One for a tab, whatever page it shows.
import { classLine, classPage, inWords, isRight } from './class_line.js';
import { linked, ofSeat } from './class_seat.js';
import { keepSheet, sheetOf } from './class_sheet.js';
import { dress, isTyped, put } from './dom.js';
import css from './in_class.css';
import { saved } from './save_menu.js';
import { look } from './look.js';
import { still } from './still.js';
import { CLASS, REST } from './store.js';

const QUIET = 12_000; // ms without a sign of life after which a line counts as cut
const AGAIN = 500, LATEST = 4_000; // ms until a cut line is tried again, at first and at last
const GRACE = 700, LONGEST = 8_000; // ms in which what a server draws is what the class was shown
const SETTLES = 2_500, NARROW = 720; // ms in which a picture finds its place, and px of a screen on which it is brought into sight
const PICTURE = '.enc-lesson-asked, .enc-stage, .picture, .enc-page :is(canvas, svg, [role=grid])', ANSWERS = '.is-yours, .is-best, .enc-most', LEAST = 60; // what was asked about, the answers in it, and px of what counts as a picture
const OF = ['sentence', 'second', 'model'], ON = [...OF, 'layer', 'head', 'word', 'hidden', 'edits']; // what a page begins with, and what it takes over from the one before
const ENDED = 'The class has ended. Your screen stays as it is.'; // while it was heard
const OVER = 'The class is over, or its server has restarted. Your screen stays as it is.';

/** @typedef {Record<string, string>} Query */
/** `value` is how far the bar of what the model gives goes. @typedef {{answer: number, text: string, votes: number[], right: boolean | null, value: number | null, gives: string}} Line */
/** Numbers that were answered in each vote, the model's own, and between which one is right. @typedef {{low: number, high: number, unit: string, truth: number | null, near: [number, number] | null, votes: number[][]}} Scale */
/** @typedef {{number: number, said: string, had: string, of: number[], lines: Line[], scale: Scale | null, ask?: string}} Results */
/** @typedef {{number: number, round: number, phase: 'open' | 'closed' | 'answers' | 'shown', kind: 'choice' | 'number', ask: string, sentence: string, options: string[], in_sentence: boolean, low: number, high: number, unit: string}} Question */
/** While it is `covered`, a pupil is not told what is shown. @typedef {{led: boolean, covered: boolean, shown: {number: number, page: string, query: Query}, asked: Question | null, results: Results | null}} Now */
/** `uncounted` came from screens that were never here; `shut` tells that nobody new can join. @typedef {{here: number, follow: number, answered: number | null, uncounted: number, shut: boolean}} Counts */
/** @typedef {{name: string, sentence: string}} Sent */
/** @typedef {{answer: number | null, table?: string, sentence: string}} Own */
/**
 * What of a class is known here: `besides` whether a lesson beside the page has the question, `reached` whether the class can be asked now, `trouble` what went wrong last, `own` what this pupil answered and sent.
 * @typedef {{seat: string, reached: boolean, trouble: string, now: Now | null, counts: Counts | null, wall: Sent[], results: Results[], own: Own, sheet: import('./class_sheet.js').Sheet, besides: boolean, page: string, drawn: boolean, query: () => Query}} State
 */
/**
 * The page that a tab shows. `query` is what its address says in full, `show` leads to a page with a view; `address` is that of the page of the class. `drawn` tells that the browser draws it and says itself what is chosen in it, `code` is that of the class which its address asked for.
 * @typedef {{page: string, drawn: boolean, code: string, query: () => Query, show: (page: string, query: Query) => void, address: string}} Screen
 */
/** Asks the server. @typedef {<T>(act: string, said: object, take?: (answer: Response) => Promise<T>) => Promise<T>} Ask */
/** What can be done. @typedef {ReturnType<typeof begin>['acts']} Acts */

/** Does one after the other, and of what comes meanwhile the newest alone: two requests at once may be heard the wrong way round. @template T @param {(what: T) => Promise<unknown>} act @returns {(what: T) => Promise<void>} */
function newest(act) {
  let going = false, next = /** @type {T[]} */ ([]);
  return async what => {
    next = [what];
    if (going) return;
    going = true;
    try {
      while (next.length) await Promise.race([act(/** @type {T} */ (next.pop())), new Promise(done => { setTimeout(done, QUIET); })]);
    } finally {
      going = false;
    }
  };
}

const all = /** @type {{encoderClass?: ReturnType<typeof begin>, encoderLesson?: {element: HTMLElement}}} */ (globalThis);

/**
 * The class of this tab, drawn into an element of the page that it shows now.
 * @param {HTMLElement} host @param {Screen} screen @param {{ask: Ask, events: string}} server
 */
export function inClass(host, screen, server) {
  const mine = all.encoderClass ??= begin();
  mine.shows(host, screen, server);
  return mine;
}

function begin() {
  /** @type {State} */
  const state = { seat: '', reached: true, trouble: '', now: null, counts: null, wall: [], results: [], own: { answer: null, sentence: '' }, sheet: sheetOf(''), besides: false, page: '', drawn: false, query: () => screen.query() };
  let screen = /** @type {Screen} */ (/** @type {unknown} */ ({ page: '', query: () => ({}) })), server = /** @type {{ask: Ask, events: string}} */ (/** @type {unknown} */ (null));
  let begun = false, taken = 0, taking = false, told = '', standing = '', expects = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  /** @type {AbortController | null} */
  let going = null;
  const leads = () => state.seat.includes('-leads-'), follows = () => state.seat.includes('-follows-');

  /** Does what the server is asked for; what goes wrong is said. @param {string} act @param {object} [said] @returns {Promise<any>} */
  async function ask(act, said = {}) {
    try {
      const done = await server.ask(act, { ...(state.seat ? { seat: state.seat } : {}), ...said });
      state.trouble = '';
      draw();
      return done;
    } catch (error) {
      state.trouble = error instanceof Error ? error.message : String(error);
      draw();
      return null;
    }
  }

  const give = newest(async (/** @type {{number: number, round: number, answer: number}} */ said) => {
    const done = await ask('answer', said), asked = state.now?.asked;
    if (!done?.taken || asked?.number !== said.number || asked.round !== said.round) return;
    state.own = { ...state.own, answer: said.answer, table: `${said.number}.${said.round}` };
    record();
    draw();
  });
  const acts = {
    async open() { sit((await ask('open'))?.seat); },
    /** @param {string} code */
    async join(code) {
      const same = [ofSeat.kept(), ofSeat.led()].find(seat => seat.startsWith(`${code.toUpperCase().replace(/[^A-Z]/g, '')}-`));
      sit(same || (await ask('join', { code }))?.seat);
    },
    led: () => ofSeat.led(),
    /** @param {string} seat */
    sit: seat => sit(seat),
    leave() { leave(''); },
    back() {
      taken = 0;
      sit(state.seat.replace('-alone-', '-follows-'));
    },
    goOn() { screen.show(state.now?.shown.page || 'lessons', state.now?.shown.query ?? screen.query()); },
    toClass() { screen.show('class', screen.query()); }, // what is shown goes along: this screen is still drawn for a moment, and the class would be told another view
    /** @param {string} page */
    begin(page) {
      const { page: before = '', query = {} } = state.now?.shown ?? {};
      screen.show(page, Object.fromEntries(Object.entries(before ? query : screen.query()).filter(([name]) => (before ? ON : OF).includes(name))));
    },
    /** @param {string} act */
    async act(act) {
      await ask('act', { act });
      if (act === 'end') leave('');
    },
    /** @param {number} answer */
    answer(answer) {
      const asked = state.now?.asked;
      if (asked) give({ number: asked.number, round: asked.round, answer });
    },
    /** @param {string} sentence */
    async send(sentence) {
      const done = await ask('send', { sentence });
      if (done) {
        state.own = { ...state.own, sentence: done.sentence };
        keepSheet(Object.assign(state.sheet, { sentences: [...state.sheet.sentences, done.sentence] }));
      }
      draw();
      return Boolean(done);
    },
    /** @param {string} name */
    drop: name => ask('drop', { name }),
    /** @param {string} name */
    out: name => ask('out', { name }),
    /** @param {string} sentence */
    run(sentence) {
      const { page, query } = state.now?.shown ?? { page: '', query: {} };
      screen.show(page || 'start', { ...Object.fromEntries(Object.entries(query).filter(([name]) => !['second', 'hidden', 'cell', 'word', 'edits', 'number', 'lesson', 'at'].includes(name))), sentence });
    },
    offer: () => ask('offer', { query: screen.query() }),
    /** @param {Record<string, string | number>} said */
    put({ layer, head, ...said }) {
      return ask('ask', { page: screen.page, query: { ...screen.query(), ...(layer === undefined ? {} : { layer: String(layer), head: String(head) }) }, ...said });
    },
    link: () => ask('link', { at: new URL(screen.address, location.origin).href }),
    async keep() {
      const data = await server.ask('keep', { seat: state.seat }, answer => answer.blob()).catch(() => null);
      if (data) saved({ name: `class_${state.seat.slice(0, 6)}.csv`, data });
    },
    /** The link by which the class is led from another screen, on the host of the others' link; what follows # is not sent to any server. @param {string} [theirs] */
    ownLink(theirs) {
      const own = new URL(screen.address, location.origin);
      if (theirs) own.host = new URL(theirs, location.origin).host;
      return `${own.href}#class=${state.seat}`;
    },
  };
  const line = classLine(state, acts), page = classPage(state, acts);

  /** Takes a seat, if there is one. @param {string | undefined} seat */
  function sit(seat) {
    if (!seat) return;
    if (seat.slice(0, 6) !== state.seat.slice(0, 6)) Object.assign(state, { now: null, counts: null, wall: [], results: [], own: { answer: null, sentence: '' }, trouble: '' });
    state.seat = seat;
    state.sheet = sheetOf(seat.slice(0, 6));
    [taken, told] = [0, ''];
    ofSeat.keep(seat);
    listen();
    draw();
    lead();
  }

  /** @param {string} why */
  function leave(why) {
    going?.abort();
    ofSeat.forget(state.seat);
    Object.assign(state, { seat: '', now: null, counts: null, wall: [], results: [], trouble: why, reached: true });
    draw();
  }

  /** Writes onto the pupil's sheet what was asked, answered and shown. */
  function record() {
    const about = state.now?.asked, { answer } = state.own, sheet = state.sheet, before = about && sheet.answers[about.number];
    if (!about || leads() || (answer === null && !before)) return;
    const results = about.phase === 'shown' ? state.now?.results : null, own = [...before?.own ?? []];
    if (answer !== null) own[about.round - 1] = inWords(about, answer);
    sheet.answers[about.number] = { ask: about.ask, sentence: about.sentence, own, said: results?.said ?? before?.said ?? '', right: results && answer !== null ? isRight(results, answer) : before?.right ?? null };
    keepSheet(sheet);
  }

  /** Takes what the server tells. @param {any} part */
  function take(part) {
    if (part.over) return leave(part.why ?? (state.reached && state.now ? ENDED : OVER));
    if (part.class || 'away' in part) state.reached = !part.away;
    const reveals = leads() && screen.page !== 'class' && part.class?.asked?.phase === 'shown' && state.now?.asked?.phase !== 'shown' && Boolean(state.now);
    if (part.class) {
      const before = state.now?.asked;
      if (before?.phase === 'shown' && follows()) keepPicture(before.number); // the next one is not drawn yet
      state.now = part.class;
      if (state.now?.asked?.phase === 'shown' && before?.phase !== 'shown') bringAnswer();
      const asked = state.now?.asked;
      if (asked && (asked.number !== before?.number || asked.round !== before?.round) && state.own.table !== `${asked.number}.${asked.round}`) state.own = { ...state.own, answer: null };
    }
    if (part.own) state.own = part.own;
    for (const name of /** @type {const} */ (['counts', 'wall', 'results'])) if (name in part) Object.assign(state, { [name]: part[name] });
    record();
    follow(reveals);
    draw();
    lead();
  }

  /** Hears one line to its end; whether anything came. @param {AbortSignal} signal @returns {Promise<boolean>} */
  const heard = signal => new Promise(done => {
    const at = new URL(server.events, location.origin);
    at.protocol = at.protocol.replace('http', 'ws');
    const line = new WebSocket(at);
    let any = false;
    /** @type {ReturnType<typeof setTimeout>} */
    let quiet;
    const end = () => {
      clearTimeout(quiet);
      line.onmessage = line.onclose = null;
      line.close();
      done(any);
    };
    const alive = () => {
      clearTimeout(quiet);
      quiet = setTimeout(end, QUIET);
    };
    alive();
    signal.addEventListener('abort', end);
    line.onopen = () => line.send(JSON.stringify({ seat: state.seat }));
    line.onclose = end;
    line.onmessage = ({ data }) => {
      const part = JSON.parse(data);
      any ||= 'class' in part;
      alive();
      take(part);
    };
  });

  /** Hears what goes on in the class, and tries again where the line is cut: a tab that nobody sees has none, but who leads goes on. */
  async function listen() {
    going?.abort();
    if (!state.seat || (document.hidden && !leads())) return;
    const mine = going = new AbortController();
    for (let rest = AGAIN; !mine.signal.aborted; rest = Math.min(2 * rest, LATEST)) {
      if (await heard(mine.signal)) rest = AGAIN;
      if (mine.signal.aborted) return;
      state.reached = false;
      draw();
      await new Promise(done => { setTimeout(done, rest * (0.5 + Math.random())); addEventListener('online', done, { once: true }); });
      if (document.hidden && !leads()) return;
    }
  }

  /** Shows what the teacher shows; with the answer a teacher's own screen does, too. */
  function follow(reveals = false) {
    const shown = state.now?.shown;
    if (!(follows() || reveals) || !shown?.page || shown.number === taken || !screen.page) return;
    taken = shown.number;
    const { lesson, at } = screen.query();
    if (innerWidth <= NARROW && (screen.page !== shown.page || lesson !== shown.query.lesson || at !== shown.query.at)) line.element.scrollIntoView({ block: 'nearest' });
    taking = true;
    expects = performance.now() + LONGEST;
    screen.show(shown.page, shown.query);
    taking = false;
  }

  const front = () => /** @type {HTMLElement | null | undefined} */ (line.element.closest('.enc-class')?.parentElement?.querySelector('.front'));
  /** Keeps the picture of what is shown, for the sheet: that of who has answered and did not look elsewhere, and the teacher's. @param {number} number */
  function keepPicture(number) {
    const place = front(), asked = state.now?.asked, { page, query } = state.now?.shown ?? { page: '', query: /** @type {Query} */ ({}) };
    if (asked?.number !== number || asked.phase !== 'shown' || !(leads() || (follows() && state.sheet.answers[number])) || screen.page !== page || screen.query().sentence !== query.sentence) return;
    const found = place && still(place);
    if (!found) return;
    keepSheet(Object.assign(state.sheet, { pictures: { ...state.sheet.pictures, [number]: found.picture }, styles: [...new Set([...state.sheet.styles, ...found.styles])] }));
  }
  /** Brings what was asked, and the answers to it, into sight on a pupil's phone, until somebody touches it; the picture is kept when it has come. */
  function bringAnswer() {
    const number = state.now?.asked?.number ?? 0;
    setTimeout(() => keepPicture(number), SETTLES);
    if (leads() || innerWidth > NARROW) return;
    const touched = new AbortController(), ends = performance.now() + SETTLES;
    for (const kind of ['pointerdown', 'wheel', 'keydown']) addEventListener(kind, () => touched.abort(), { signal: touched.signal });
    const bring = () => {
      if (touched.signal.aborted || performance.now() > ends) return touched.abort();
      const seen = (/** @type {string} */ of) => [...front()?.querySelectorAll(of) ?? []].filter(one => one.checkVisibility());
      seen(PICTURE).find(one => one.getBoundingClientRect().height > LEAST)?.scrollIntoView();
      for (const one of seen(ANSWERS)) one.scrollIntoView({ block: 'nearest' });
      setTimeout(bring, AGAIN / 2);
    };
    bring();
  }

  const tell = newest(async () => {
    const shown = { page: screen.page, query: screen.query() }, said = JSON.stringify(shown);
    if (shown.page === 'class' || said === told) return;
    told = said;
    await server.ask('show', { seat: state.seat, ...shown }).catch(() => { told = ''; setTimeout(lead, AGAIN); });
  });
  /** A teacher's screen says what it shows as soon as that rests. */
  function lead() {
    clearTimeout(resting);
    if (leads()) resting = setTimeout(tell, screen.drawn ? REST : 0);
  }

  /** Somebody chose something on this screen: a pupil is on their own from then on. */
  function chose() {
    if (taking || !follows()) return;
    state.seat = state.seat.replace('-follows-', '-alone-');
    ofSeat.keep(state.seat);
    listen(); // which tells the class
    draw();
  }

  /** A server has drawn its page: another view than before was chosen by somebody, unless the class was shown it just now. */
  function arrived() {
    const at = JSON.stringify([screen.page, screen.query()]), now = performance.now();
    if (at === standing) return;
    if (standing && now > expects) chose();
    else if (screen.page === state.now?.shown.page) expects = Math.min(expects, now + GRACE);
    standing = at;
  }

  /** Whether the picture would say the answer. */
  const covers = () => (!state.seat || !state.now?.covered || screen.page === 'class' ? '' : leads() && !state.now.asked ? 'picture' : 'all');

  function draw() {
    [state.page, state.drawn] = [screen.page, screen.drawn];
    state.besides = Boolean(screen.query().lesson) && screen.page !== 'class';
    const cover = covers(), strip = Boolean(state.seat && state.now?.asked) && !state.besides && screen.page !== 'class';
    for (const place of [document.documentElement, line.element.parentElement]) { // the page, and a part of it that has a style of its own
      place?.toggleAttribute('data-class-strip', strip);
      if (place) put(place, { 'data-class-veiled': cover || null });
    }
    line.draw(cover);
    page.draw();
    document.dispatchEvent(new Event(CLASS)); // a lesson beside the page hears of it
  }

  // What a page plays by itself stands in no address.
  for (const kind of ['click', 'input']) document.addEventListener(kind, event => {
    const at = event.composedPath()[0];
    if (at instanceof Element && at.closest('.rail, input[type=range]') && !at.closest('.enc-class, .enc-lesson')) chose();
  });
  addEventListener('keydown', event => {
    if (!leads() || isTyped(event)) return;
    const within = [line.element, all.encoderLesson?.element].flatMap(root => [.../** @type {NodeListOf<HTMLElement>} */ (root?.querySelectorAll(`[aria-keyshortcuts=${CSS.escape(event.key.toUpperCase())}]`) ?? [])]);
    const found = within.filter(one => one.checkVisibility()).at(-1); // what is open under a button comes after it
    found?.click();
    if (found) event.preventDefault();
  });
  document.addEventListener('visibilitychange', () => {
    if (leads()) return;
    if (document.hidden) going?.abort();
    else listen();
  });

  return {
    acts,
    chose,
    /** Where this tab is in its class, and how far the question is; nothing where it is in none. */
    standing: () => ({ leads: leads(), follows: follows(), phase: state.now?.asked?.phase ?? '', ask: state.now?.asked?.ask ?? '', own: state.own.answer }),
    /** The question and how far it is, for a lesson, which may say the answer and more of it in its own words. @param {unknown} [head] @param {unknown} [more] */
    asked: (head, more) => (state.now?.asked ? line.asked(state.now.asked, head, more) : null),
    /** What a teacher's screen shows has changed. */
    changed: lead,
    /** @param {HTMLElement} host @param {Screen} next @param {typeof server} asked */
    shows(host, next, asked) {
      [screen, server] = [next, asked];
      dress(host, look);
      dress(host, css);
      host.classList.add('enc', 'enc-class');
      if (!host.contains(line.element)) host.replaceChildren(line.element, page.element);
      if (!begun) {
        begun = true;
        const { seat, code } = linked(screen.code);
        if (seat || (!code && ofSeat.kept())) sit(seat || ofSeat.kept());
        else if (code) acts.join(code);
      }
      if (screen.drawn) standing = '';
      else arrived();
      follow();
      draw();
      lead();
    },
  };
}

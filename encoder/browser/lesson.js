// @ts-check
// A lesson beside the real page: a strip with what is said and asked, and the sentence to answer in. One for a tab, whatever page it shows.
import { bars } from './bars.js';
import { below, dress, el, keepBelow, put, write } from './dom.js';
import { keptIn } from './browser_storage.js';
import css from './lesson.css';
import { html, nothing, render as into, repeat } from './lit.js';
import { look } from './look.js';
import { brief, percent, tight } from './number.js';
import { fromRight } from './run.js';
import { say } from './say.js';
import { stage } from './sentence_arcs.js';
import { CLASS, open } from './store.js';

/** @typedef {Record<string, string>} Query */
/** What a text is made of: what it says, and whose that is: the model's, yours, a word's, or nobody's. @typedef {[text: string, whose: string][]} Parts */
/** @typedef {{name: string, position: number, asked: boolean, can: boolean}} Word */
/** @typedef {{kind: 'word' | 'choice' | 'number' | 'holds', ask: Parts, words: Word[], choices: string[], low: number, high: number, unit: string}} Question */
/** @typedef {{low: number, high: number, value: number, guess: number | null}} Scale */
/** How a guess did. @typedef {{right: boolean | null, head: Parts, lines: Parts[], values?: number[], form?: string, measured?: Parts, best?: number[], yours?: number | null, scale?: Scale, open?: {step: string, index: number[], text: string} | null, heads?: import('./mount.js').Head[]}} Answered */
/** @typedef {{page: string, query: Query, title: string, asks: boolean}} Step */
/** What the server says of a step; `away` why the screen is not at it. @typedef {{title: string, learned: string, at: number, name: string, steps: Step[], away?: {why: string, said?: string}, text?: Parts, texts?: string[], own?: boolean, hides?: boolean, calm?: boolean, hint?: string, question: Question | null, told?: Answered, measures?: boolean, swap?: {word: string, by: string, sentence: string} | null, goal?: {word: string, alone: boolean, done: boolean, count: number}}} Shown */
/** The page that a tab shows. `query` is what its address says in full, `show` leads to a page with a view, `put` chooses a word on this one, `draw` draws it again. `ask` asks the server. `drawn` tells that the browser draws the page, `answered` tells a server that the step was answered. @typedef {{page: string, drawn: boolean, query: () => Query, show: (page: string, query: Query) => void, put: (changes: {word: number}) => void, draw: () => void, ask: (said: object) => Promise<Shown>, answered?: (lesson: string, at: number) => void}} Screen */
/** What was guessed at a step, and of what: a page, a sentence and a model. @typedef {{guess: number | null, of: string}} Guess */

const KEPT = 'encoder-lessons';
const OF_RUN = ['sentence', 'second', 'model'], PLACED = ['edits', 'hidden', 'layer', 'head', 'other', 'other_model', 'lab']; // what a guess is of, and what else of a view a step is bound to
const HOW = /** @type {Record<string, string>} */ ({ word: 'Press a word in the sentence.', choice: 'Choose one.', number: 'Move the mark, then press Guess.', holds: 'Is this true?' });
const WAITS = 60_000; // ms until a hint is given
const TYPED = 'input:not([type=radio]), textarea, select, [contenteditable], dialog, [role=dialog], .enc-number, [role=radiogroup], [role=toolbar], [role=grid]';
const COUNT = /^\d$/;
const SHORT = 24; // letters of answers that stand in a row
const SHUT = 'The picture opens with the answer.';

const all = /** @type {{encoderLesson?: ReturnType<typeof begin>, encoderClass?: {standing: () => {leads: boolean, follows: boolean, phase: string, ask: string, own: number | null}, asked: (head?: unknown, more?: unknown) => unknown, acts: {put: (said: {kind: string}) => Promise<unknown>, act: (name: string) => Promise<unknown>}}}} */ (globalThis);
/** Where this tab is in a class. */
const inClass = () => all.encoderClass?.standing() ?? { leads: false, follows: false, phase: '', ask: '', own: null };
const storage = keptIn(() => localStorage);

/** How all lessons went in this browser: by name, the step that was seen last, and what was guessed at each. @returns {Record<string, {at: number, guesses: Record<string, Guess>}>} */
export function progress() {
  try {
    const found = JSON.parse(storage.getItem(KEPT) ?? '{}');
    return found && typeof found === 'object' ? found : {};
  } catch {
    return {};
  }
}

/** The lesson of this tab, drawn into an element of the page that it shows now. @param {HTMLElement} host @param {Screen} screen */
export function inLesson(host, screen) {
  const mine = all.encoderLesson ??= begin();
  mine.shows(host, screen);
  return mine;
}

/** What a text says, whoever's its parts are. @param {Parts} parts */
const plain = parts => parts.map(([text]) => text).join('');

/** @param {Parts} parts */
const said = parts => parts.map(([text, whose]) => (whose ? html`<b class=${`is-${whose}`} translate="no" lang="">${text}</b>` : text));

function begin() {
  const strip = el('aside', { class: 'enc-lesson' }), asked = el('div', { class: 'enc-lesson-asked' }), shut = el('p', { class: 'enc-lesson-shut' }), line = stage(position => answer(position), { label: 'Words to choose from' });
  const status = el('p', { class: 'enc-spoken', role: 'status', 'aria-live': 'polite' });
  let screen = /** @type {Screen} */ (/** @type {unknown} */ ({ page: '', query: () => ({}) }));
  /** @type {Shown | null} */
  let shown = null;
  /** What was guessed last, of whatever sentence. @type {Guess | null} */
  let last = null;
  let wanted = '', wrong = '', owed = '', folded = false, loading = false, whole = false, number = NaN, hinted = false, going = 0, came = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hint;

  const name = () => screen.query().lesson ?? '', at = () => Math.min(Number(screen.query().at) || 1, shown?.steps.length ?? Infinity);
  /** What a guess is of. */
  const here = () => JSON.stringify([screen.page, ...OF_RUN.map(one => screen.query()[one] ?? '')]);
  /** What the server was asked of: besides that, what the view of the step names. */
  const asking = () => JSON.stringify([name(), at(), here(), ...PLACED.filter((one, i) => i < 2 || one in (shown?.steps[at() - 1]?.query ?? {})).map(one => screen.query()[one] ?? '')]);
  /** What was guessed here before: a guess is of a sentence and a model. */
  const before = () => progress()[name()]?.guesses?.[at()];
  /** Keeps what was guessed at the step; of another sentence than the lesson's it is not kept. @param {Guess} guess */
  function remember(guess) {
    const every = progress(), mine = every[name()] ?? { at: 1, guesses: {} };
    if (!shown?.own) mine.guesses[at()] = guess;
    storage.setItem(KEPT, JSON.stringify({ ...every, [name()]: { ...mine, at: at() } }));
  }

  /** Asks what this screen shows of the step, with a guess where one was made. @param {{guess: number | null} | null} [guessed] */
  async function ask(guessed = null) {
    const lesson = name(), step = at(), place = here(), of = `${lesson} ${step} ${place}`, mine = ++going;
    if (guessed) [last, owed] = [{ guess: guessed.guess, of }, of];
    else if (owed === of && last) guessed = { guess: last.guess }; // the page has chosen something before the answer came
    const kept = before(), guess = guessed ?? (kept && kept.of === place ? kept : last?.of === of ? last : null);
    wanted = asking();
    try {
      const found = await screen.ask({ lesson, at: step, page: screen.page, query: screen.query(), ...(guess ? { show: true, guess: guess.guess } : {}) });
      if (mine !== going) return;
      const fresh = loading;
      [shown, wrong, loading] = [found, '', false];
      wanted = asking();
      const ended = found.goal ? found.goal.done : !found.question || found.told;
      if (!found.away && ended) remember(found.goal ? { guess: found.goal.count, of: place } : guessed ? { guess: guessed.guess, of: place } : kept ?? { guess: null, of: place });
      if (found.told && found.question) screen.answered?.(lesson, step);
      draw();
      const about = found.told && (found.question?.kind === 'word' || !('word' in found.steps[step - 1].query)) && words().find(one => one.asked);
      if (about && !inClass().follows) screen.put({ word: about.position });
      if (guessed && found.told) {
        owed = '';
        tell();
      }
      if (!guessed && fresh) /** @type {HTMLElement | null} */ (strip.querySelector('h2'))?.focus({ preventScroll: true });
      if (!guessed && found.measures) measure(mine);
    } catch (error) {
      if (mine !== going) return;
      [wrong, loading] = [error instanceof Error ? error.message : String(error), false];
      draw();
    }
  }
  /** What a step without a question measures comes by itself, after what it says. @param {number} mine */
  async function measure(mine) {
    const found = await screen.ask({ lesson: name(), at: at(), page: screen.page, query: screen.query(), show: true }).catch(() => null);
    if (mine !== going || !found || !shown) return;
    shown = { ...shown, told: found.told, measures: false };
    draw();
  }
  /** Says how a guess did, and leads on. */
  function tell() {
    write(status, [shown?.told?.head ?? [], ...(shown?.told?.lines ?? [])].map(plain).join(' '));
    /** @type {HTMLElement | null} */ (strip.querySelector('.enc-lesson-next'))?.focus();
  }

  /** @param {number | null} guess */
  const answer = guess => { if (waits() && !inClass().follows && !inClass().phase) ask({ guess }); };
  /** Whether the class is asked what this step asks. */
  const asksThis = () => Boolean(inClass().ask) && plain(shown?.question?.ask ?? []).startsWith(inClass().ask);
  const waits = () => Boolean(!loading && shown?.question && !shown.told && !shown.away);
  /** @param {number} to counted from 1 */
  function go(to) {
    const step = shown?.steps[to - 1];
    if (inClass().leads && inClass().phase) all.encoderClass?.acts.act('put_away');
    if (step) screen.show(step.page, step.query);
    else if (shown) screen.show('lessons', Object.fromEntries(OF_RUN.filter(one => screen.query()[one]).map(one => [one, screen.query()[one]])));
  }
  const close = () => screen.show(screen.page, { ...Object.fromEntries(Object.entries(screen.query()).filter(([key]) => !['lesson', 'at'].includes(key))) });

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (!name() || strip.hidden || inClass().follows || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.composedPath()[0], within = target instanceof Element && target.closest(TYPED);
    if (within) return;
    const question = shown?.question;
    if (event.key.toLowerCase() === 's' && waits()) answer(null);
    else if (question && keyed(question).includes(event.key)) answer(keyed(question).indexOf(event.key));
    else if (event.key === 'ArrowRight' && shown && !waits()) go(at() + 1);
    else if (event.key === 'ArrowLeft' && at() > 1) go(at() - 1);
    else return;
    event.preventDefault();
  }
  keepBelow(() => strip);
  addEventListener('keydown', key);
  document.addEventListener(CLASS, () => {
    const { phase, own } = inClass(), question = shown?.question;
    if (phase === 'shown' && waits() && asksThis()) ask({ guess: own !== null && question?.kind === 'word' ? question.words[own]?.position ?? null : own });
    else if (name()) draw();
  });
  new ResizeObserver(() => sentence()).observe(asked);

  /** Whether a step is to play with: a lab, and an end that asks nothing. @param {Shown} of */
  const plays = of => Boolean(of.goal) || (!of.question && at() === of.steps.length);
  /** The dots, one a step: done, seen without a guess, where one is, to come. @param {Shown} of */
  function dots({ steps }) {
    const mine = progress()[name()]?.guesses ?? {};
    return html`<div class="enc-lesson-dots">${steps.map((step, i) => {
      const guess = mine[i + 1], kind = i + 1 === at() ? 'is-here' : !guess ? '' : step.asks && guess.guess === null ? 'is-seen' : 'is-done';
      return html`<button type="button" class=${kind} aria-current=${i + 1 === at() ? 'step' : nothing} aria-label=${`Step ${i + 1}: ${step.title}`} title=${step.title} @click=${() => go(i + 1)}></button>`;
    })}</div>`;
  }
  /** @param {Question} question */
  function choices({ kind, choices: names, low, high, unit }) {
    const middle = (low + high) / 2, value = Number.isNaN(number) ? middle : number;
    if (kind === 'number') return html`<form class="enc-lesson-number" @submit=${(/** @type {Event} */ event) => { event.preventDefault(); answer(value); }}>
      <output>${Number.isNaN(number) ? '?' : rounded(value, high - low)} ${unit}</output><input type="range" min=${low} max=${high} step=${high - low >= 10 ? 1 : (high - low) / 100} .value=${String(value)} aria-label="Your guess" aria-valuetext=${rounded(value, high - low)} @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => { number = Number(target.value); draw(); }}>
      <span class="enc-lesson-ends"><span>${rounded(low, high - low)}</span><span>${rounded(high, high - low)}</span></span><button class="enc-pill" ?disabled=${Number.isNaN(number)}>Guess</button></form>`;
    return kind === 'word' ? nothing : html`<div class="enc-lesson-choices" role="group" aria-label="Answers" ?data-short=${names.join('').length < SHORT}>${names.map((text, i) => html`<button type="button" class="enc-pill" @click=${() => answer(i)}>${text}${COUNT.test(text) ? nothing : html` <kbd aria-hidden="true">${i + 1}</kbd>`}</button>`)}</div>`;
  }
  /** @param {Scale} scale */
  const scaled = ({ low, high, value, guess }) => {
    const place = (/** @type {number} */ one) => `${Math.max(0, Math.min(100, 100 * (one - low) / (high - low)))}%`;
    return html`<div class="enc-lesson-scale" aria-hidden="true"><i style="left: ${place(value)}" class="is-model"></i>${guess === null ? nothing : html`<i style="left: ${place(guess)}" class="is-yours"></i>`}<span>${rounded(low, high - low)}</span><span>${rounded(high, high - low)}</span></div>`;
  };
  /** What a trial found, in full: folded where the lesson says it in a few words. @param {Answered} told */
  const measured = ({ measured: found, lines }) => (found ? html`<details class="enc-lesson-found" ?open=${!lines.length}><summary>How it was measured</summary><p>${said(found)}</p></details>` : nothing);
  /** What is said once it is known. @param {Answered} told */
  const findings = told => html`${told.lines.map(parts => html`<p>${said(parts)}</p>`)}${told.scale ? scaled(told.scale) : nothing}${measured(told)}`;
  /** @param {Answered} told @param {Shown} of */
  const result = (told, of) => html`<h2 tabindex="-1">${said(told.head)}</h2>${findings(told)}
    ${told.open && screen.drawn ? html`<button type="button" class="enc-link" @click=${() => { if (told.open) open(told.open); }}>See ${told.open.text} computed →</button>` : nothing}${swapper(of)}`;
  /** @param {Shown} of */
  const swapper = ({ swap }) => (swap ? html`<button type="button" class="enc-pill" @click=${() => screen.show(screen.page, { ...screen.query(), sentence: swap.sentence })}>Swap <i>${swap.word}</i> for <i>${swap.by}</i></button>` : nothing);
  /** @param {NonNullable<Shown['goal']>} goal */
  const goal = ({ word, alone, done, count }) => html`<p role="status" class=${done ? 'is-done' : nothing}>${say(alone ? `goal_${done ? 'done' : 'now'}${count ? '_off' : ''}` : 'goal_more', { word, count })}</p>`;

  /** @param {Shown} of */
  function body(of) {
    const { away, question, told, name: title, text = [], texts = [], steps } = of, ofClass = inClass().phase;
    if (ofClass) return told && question && asksThis() ? all.encoderClass?.asked(said(told.head), findings({ ...told, scale: undefined })) : all.encoderClass?.asked(); // the class has its own scale
    if (away) {
      const why = away.said ?? say('looking_around', {});
      return html`<p>${why}</p><button type="button" class="enc-pill is-first" ?hidden=${inClass().follows} @click=${() => go(at())}>${away.why === 'sentence' ? 'Back to the lesson’s sentence' : away.why === 'model' ? 'Open the lesson’s model' : say('back_to_step', { step: at() })}</button>`;
    }
    return html`${title ? html`<p class="enc-lesson-name">${title}</p>` : nothing}${told && question ? result(told, of) : html`<p>${said(text)}</p>${texts.length ? html`<ul>${texts.map(one => html`<li><bdi translate="no" lang="">${one}</bdi></li>`)}</ul>` : nothing}`}
      ${question && !told ? html`<h2 tabindex="-1">${said(question.ask)}</h2>${inClass().follows ? html`<p class="enc-lesson-how">Wait for the question.</p>` : html`<p class="enc-lesson-how">${HOW[question.kind]}</p>${choices(question)}${inClass().leads ? html`<button type="button" class="enc-pill is-first" aria-keyshortcuts="A" @click=${() => all.encoderClass?.acts.put({ kind: 'lesson' })}>Ask the class <kbd aria-hidden="true">A</kbd></button>` : nothing}<button type="button" class="enc-link enc-lesson-show" @click=${() => answer(null)}>Show me <kbd aria-hidden="true">S</kbd></button>`}` : nothing}
      ${!question && told ? findings(told) : nothing}${of.measures ? html`<p class="enc-lesson-found">One moment …</p>` : nothing}${!question ? swapper(of) : nothing}
      ${of.goal ? goal(of.goal) : nothing}${hinted && of.hint && !of.goal?.done ? html`<p class="enc-lesson-how">${of.hint}</p>` : nothing}${steps.length === at() && !waits() && (!of.goal || of.goal.done) ? html`<p class="is-done">${of.learned}</p>` : nothing}`;
  }

  function draw() {
    const on = Boolean(name()) && screen.page !== 'class', of = shown;
    strip.hidden = !on;
    document.documentElement.toggleAttribute('data-lesson', on);
    if (!on) { shown = null; wanted = ''; return screen.draw(); }
    const quiet = Boolean(of && !of.away && !plays(of) && !whole);
    put(strip, { 'aria-label': of ? `Lesson: ${of.title}` : 'Lesson', 'data-folded': folded || Boolean(of?.away), 'data-quiet': quiet, 'data-calm': quiet && Boolean(of?.calm), 'data-more': Boolean(of?.steps[at() - 1]?.query.more), 'data-chooses': Boolean(waits() && of?.question && of.question.kind !== 'word') });
    const last = of?.steps.length ?? 1;
    into(html`<header><b>${of?.title ?? ''}</b><span>${of ? say('step_of', { step: at(), count: last }) : ''}</span><button type="button" class="enc-lesson-fold" aria-expanded=${!folded} aria-label=${folded ? 'Unfold the lesson' : 'Fold the lesson'} @click=${() => { folded = !folded; draw(); }}></button><button type="button" aria-label="Close the lesson" ?hidden=${inClass().follows} @click=${close}>×</button></header>
      ${of ? dots(of) : nothing}<div class="enc-lesson-body">${wrong ? html`<p role="alert">${wrong}</p><button type="button" class="enc-pill" @click=${() => ask()}>Try again</button>` : of && (!loading || inClass().phase) ? repeat([of], one => `${one.at}`, body) : nothing}</div>
      <footer ?hidden=${inClass().follows}>${of && screen.drawn && !of.away && !plays(of) && !waits() ? html`<button type="button" class="enc-link enc-lesson-whole" aria-pressed=${whole} @click=${() => { whole = !whole; draw(); }}>${whole ? 'Fewer controls' : 'All controls'}</button>` : nothing}<button type="button" class="enc-pill" ?disabled=${at() === 1} @click=${() => go(at() - 1)}>Back</button><button type="button" class="enc-pill enc-lesson-next ${waits() || of?.goal?.done === false ? '' : 'is-on'}" ?disabled=${(waits() && !inClass().leads) || !of} @click=${() => go(at() + 1)}>${at() === last ? 'Finish' : 'Next'}</button></footer>${status}`, strip);
    write(shut, loading ? '' : SHUT);
    shut.hidden = (!loading && !waits()) || (screen.page === 'attention' && asks() !== null);
    into(html`${line.element}${shown?.told && shown.question?.kind === 'choice' && !loading ? answered(shown.question, shown.told) : nothing}${shut}`, asked);
    // The page has the sentence itself: it is drawn above it to answer in, and where the page is hidden.
    line.element.hidden = !words().length || (Boolean(shown?.told) && !shown?.hides && (screen.page === 'start' || shown?.question?.kind !== 'word'));
    screen.draw();
    below(strip);
    sentence(); // which measures: it has its place by now
  }
  /** The words to choose from. */
  const words = () => (!loading && shown?.question && !shown.away ? shown.question.words : []);
  /** The choices as bars, with what the model gives each. @param {Question} question @param {Answered} told */
  const answered = ({ choices: names }, { values = [], best = [], yours = null }) => (values.length ? bars(names.map((text, i) => ({ name: text, kind: best.includes(i) ? 'is-best' : i === yours ? 'is-yours' : '', fills: [{ share: values[i], text: tight(percent(values[i], 1)), colour: i === yours && !best.includes(i) ? 'second' : undefined }] })), { label: 'What the model gives each', kind: 'enc-lesson-bars' }) : nothing);
  /** The sentence to answer in, with shares and arcs once it was answered. */
  function sentence() {
    const told = shown?.told, every = words();
    if (line.element.hidden) return;
    const from = every.findIndex(word => word.asked), form = told?.form ?? 'share', values = shown?.question?.kind === 'word' && told?.values?.length ? told.values : null;
    line.draw({ of: every, dir: fromRight(every.map(word => word.name).join(' ')) ? 'rtl' : 'ltr', words: every.map(({ name: text, position, can }, i) => ({ position, name: text, gap: false, can: can && !told && shown?.question?.kind === 'word' && !inClass().follows, kind: values && i === told?.yours && !told?.best?.includes(i) ? 'is-yours' : '', ...(values && form !== 'share' ? { text: i === from ? '' : brief(values[i]) } : {}) })) }, from, values && form !== 'share' ? values.map((value, i) => (i === from ? 0 : Math.max(0, value))) : values, '', null);
  }
  /** The word that is asked about, for a page that can hide what is asked of it alone. */
  function asks() {
    const word = waits() && !shown?.hides && shown?.question?.kind === 'word' ? shown.question.words.find(one => one.asked) : null;
    return word ? { word: word.position, guess: answer } : null;
  }

  return {
    element: strip,
    /** @param {HTMLElement} host @param {Screen} next */
    shows(host, next) {
      screen = next;
      dress(host, look);
      dress(host, css);
      host.classList.add('enc', 'enc-lesson-host');
      if (!host.contains(strip)) host.replaceChildren(strip);
      if (!name() || screen.page === 'class') { if (!strip.hidden) draw(); return; }
      if (asking() === wanted) return;
      const step = `${name()} ${at()}`;
      if (came !== step) {
        [number, hinted, loading, whole, came] = [NaN, false, true, false, step];
        write(status, '');
        clearTimeout(hint);
        hint = setTimeout(() => { hinted = true; draw(); }, WAITS);
      }
      ask();
      draw();
    },
    /** What stands above the picture, and whether the picture is shown. */
    above: () => (name() && screen.page !== 'class' && (loading || (shown && !shown.away)) ? { element: loading || shown?.question ? asked : null, veils: loading || waits() || Boolean(shown?.hides), asks: asks(), heads: shown?.told?.heads ?? [], tries: Boolean(shown?.goal && !shown.goal.done && !before()) } : null),
  };
}

/** The keys of the choices: numbers are their own. @param {Question} question */
const keyed = ({ kind, choices }) => (['choice', 'holds'].includes(kind) ? choices.map((text, i) => (COUNT.test(text) ? text : String(i + 1))) : []);

/** @param {number} value @param {number} range */
const rounded = (value, range) => (range >= 100 ? Math.round(value).toLocaleString('en') : brief(value));

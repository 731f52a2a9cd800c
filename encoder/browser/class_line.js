// @ts-check
// The line of a class on every page, with its question, and the page A class.
import { bars } from './bars.js';
import { copied } from './controls.js';
import { isEmpty, judged, saveAnswers, saveSheet, sheetView } from './class_sheet.js';
import { below, el, keepBelow } from './dom.js';
import { html, nothing, render as into, repeat, svg as drawing } from './lit.js';
import { percent, tight } from './number.js';
import { say } from './say.js';

const UNREACHED = 'The class cannot be reached right now. Your screen stays as it is, and keeps trying.';
const NOBODY = 'Your teacher is away; the class goes on when they are back.';
const HIDDEN = 'The picture is hidden until the answer is revealed.';
const HIDE = 'Ask first, then open: nobody sees the picture, or is sent it, until you reveal the answer.';
const CLOSED = 'Voting is closed. Your teacher will show the answer.';
/** @type {Record<string, string[]>} */
const PHASES = { open: ['compare', 'reveal', 'close'], closed: ['compare', 'reveal', 'again'], answers: ['reveal', 'again'], shown: ['again'] };
/** @type {Record<string, string>} */
const ACTS = { compare: 'Show the votes', reveal: 'Reveal the answer', again: 'Vote again', close: 'Stop voting', put_away: 'Done' };
/** What can be asked, and what is chosen for it. @type {Record<string, [title: string, ...fields: string[]]>} */
const KINDS = { look: ['Where will this head look?', 'layer', 'head', 'word'], much: ['How much?', 'layer', 'head', 'word', 'to'], word: ['What fits in the gap?', 'gap'], claim: ['True or false?', 'claim'] };
/** @type {Record<string, string>} */
const FIELDS = { layer: 'Layer', head: 'Head', word: 'Which word?', gap: 'Which word is hidden?', to: 'Which word does it look at?', claim: 'Which claim?' };
const NARROW = 720; // px of a screen on which answers are folded
const STEPS = 100; // places of the slider
const WIDE = 300, EDGE = 6, DOT = 8; // px of a line of answers, beside its ends, and of one of them
const MOST_HERE = 5; // claims of a page that stand first
const OF_HEAD = ['start', 'attention', 'heads', 'compare'], SAID = 'The page already shows the answer. Hide the picture first, then ask.'; // pages that show where a head looks
/** Whether a page shows the answer to a kind of question: the guess stands on all that are drawn here. @type {Record<string, (state: State) => boolean>} */
const SHOWS = { look: ({ page }) => OF_HEAD.includes(page), much: ({ page }) => OF_HEAD.includes(page), word: ({ drawn }) => drawn, claim: () => false };
/** Pages to begin with. @type {[key: string, title: string][]} */
const BEGIN = [['start', 'Start'], ['attention', 'Attention'], ['heads', 'Heads'], ['what_if', 'What if'], ['lessons', 'Lessons']];

/** @typedef {import('./in_class.js').State} State */
/** @typedef {import('./in_class.js').Acts} Acts */
/** @typedef {import('./in_class.js').Question} Question */
/** @typedef {import('./in_class.js').Results} Results */

/** The key for a button, on it. @param {string} [key] */
const pressed = key => (key ? html` <kbd aria-hidden="true">${key}</kbd>` : nothing);

/** @param {string} name @param {string} text @param {() => void} act @param {{hidden?: boolean, first?: boolean, label?: string, title?: string, key?: string}} [more] */
const button = (name, text, act, { hidden = false, first = false, label, title, key } = {}) => html`<button type="button" class=${first ? 'enc-pill enc-class-first' : 'enc-pill'} data-class=${name || nothing}
  aria-label=${label ?? nothing} title=${title ?? nothing} aria-keyshortcuts=${key ?? nothing} ?hidden=${hidden} @click=${() => act()}>${text}${pressed(key)}</button>`;

/** Takes the text of a form's field, which is empty then if that is true. @param {(text: string) => unknown} take */
const typed = take => async (/** @type {SubmitEvent} */ event) => {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (/** @type {HTMLElement} */ (event.currentTarget).querySelector('input'));
  if (await take(field.value)) field.value = '';
};

/** Escape leaves what is under a button. @param {KeyboardEvent} event */
function leave({ key, currentTarget }) {
  if (key !== 'Escape') return;
  const box = /** @type {HTMLDetailsElement} */ (currentTarget);
  box.open = false;
  box.querySelector('summary')?.focus();
}

/** What is under a button. @param {string} name @param {string} title @param {boolean} hidden @param {unknown} inside @param {(event: {currentTarget: HTMLDetailsElement}) => void} [turned] @param {string} [key] */
const under = (name, title, hidden, inside, turned, key) => html`<details class="enc-class-under" data-class=${name} ?hidden=${hidden} @toggle=${turned ?? nothing} @keydown=${leave}>
  <summary class="enc-pill" aria-keyshortcuts=${key ?? nothing}>${title}${pressed(key)}</summary><div class="enc-class-box">${inside}</div></details>`;

/** Numbers that were answered, a dot each on one line, with the model's own once that is shown; those of a first vote hang below it, where there was a second. @param {import('./in_class.js').Scale} scale @param {number | null} own */
function answerDots({ low, high, unit, truth, votes }, own) {
  const at = (/** @type {number} */ value) => EDGE + (WIDE - 2 * EDGE) * Math.min(1, Math.max(0, (value - low) / (high - low)));
  /** How many stand at a place before one. @param {number[]} values */
  const piled = values => { /** @type {Map<number, number>} */ const there = new Map(); return values.map(value => { const place = Math.round(at(value) / DOT), count = there.get(place) ?? 0; there.set(place, count + 1); return { value, x: at(value), count }; }); };
  const [first, second] = votes.map(piled), above = second ?? first, below = second ? first : [], most = (/** @type {{count: number}[]} */ of) => Math.max(0, ...of.map(({ count }) => count + 1)), line = DOT * Math.max(3, most(above)), foot = line + DOT * most(below), yours = above.find(({ value }) => value === own);
  return html`<svg class="enc-class-dots" role="img" viewBox="0 0 ${WIDE} ${foot + 18}" aria-label=${`${above.length === 1 ? '1 answer' : `${above.length} answers`}${truth === null ? '' : `; the model: ${rounded(truth, unit)}`}`}>
    <path d="M0 ${line}H${WIDE}"></path>${above.map(one => drawing`<circle class=${one === yours ? 'is-yours' : nothing} cx=${one.x} cy=${line - DOT * (one.count + 0.5)} r=${DOT / 2 - 0.5}></circle>`)}${below.map(one => drawing`<circle class="is-before" cx=${one.x} cy=${line + DOT * (one.count + 0.5)} r=${DOT / 2 - 1}></circle>`)}
    ${truth === null ? nothing : drawing`<path class="is-model" d="M${at(truth)} 0V${foot + 3}"></path>`}<text y=${foot + 15}>${rounded(low, unit)}</text><text x=${WIDE} y=${foot + 15} text-anchor="end">${rounded(high, unit)}</text>${second ? drawing`<text x=${WIDE / 2} y=${foot + 15} text-anchor="middle">○ first vote, ● now</text>` : nothing}</svg>`;
}

/** The answers that were given or are right, as bars: the class's and, once that is shown, the model's below; numbers as dots. The mark is where the vote before ended. @param {Results} results @param {number | null} [given] this screen's own @param {boolean} [open] */
function answers({ lines, of, scale }, given = null, open = innerWidth > NARROW) {
  if (scale) return answerDots(scale, given);
  const own = lines.findIndex(line => line.answer === given), last = of.length - 1, some = lines.some(({ gives }) => gives), known = lines.filter(({ votes, right }) => right || votes.some(Boolean)), left = lines.length - known.length;
  /** @param {number} count */
  const votes = count => (count === 1 ? '1 vote' : `${count} votes`);
  return html`<details class="enc-class-all" ?open=${open}><summary>All answers</summary>${bars(known.map(line => ({ name: `${line.right ? '✓ ' : ''}${line.text}${line === lines[own] ? ' (you)' : ''}`, kind: line.right ? 'is-own' : line === lines[own] ? 'is-yours' : '', fills: [
    { colour: 'second', text: last ? `${line.votes[0]}, then ${votes(line.votes[last])}` : votes(line.votes[0]), share: line.votes[last] / Math.max(1, of[last]), mark: last ? line.votes[0] / Math.max(1, of[0]) : NaN },
    ...(some ? [{ text: tight(`the model gives ${line.gives}`), share: line.value ?? 0, colour: 'accent' }] : []),
  ] })), { kind: 'enc-class-bars', label: 'Votes' })}${left ? html`<p class="enc-small">${left === 1 ? '1 other: no votes' : `${left} others: no votes`}</p>` : nothing}</details>`;
}

/** A number that is answered. @param {number} value @param {string} unit */
const rounded = (value, unit) => (unit === '%' ? percent(value / 100) : `${Number(value.toPrecision(4))} ${unit}`.trim());

/** An answer in words. @param {Question} about @param {number} answer */
export const inWords = ({ kind, options, unit }, answer) => (kind === 'choice' ? options[answer] ?? '' : rounded(answer, unit));

/** Whether an answer is right, as far as that is to be seen. @param {Results} results @param {number} answer @returns {boolean | null} */
export function isRight({ lines, scale }, answer) {
  if (scale) return scale.near && scale.near[0] <= answer && answer <= scale.near[1];
  return lines.find(line => line.answer === answer)?.right ?? null;
}

/** @param {State} state @param {Acts} acts */
export function classLine(state, acts) {
  const element = el('div', { class: 'enc-class-part', hidden: true }), leads = () => state.seat.includes('-leads-');
  const form = askForm(state, acts, () => draw(), () => close('ask'));
  let cover = '', asks = '', shows = /** @type {number | undefined} */ (0);
  const question = () => /** @type {HTMLElement | null} */ (element.querySelector('.enc-class-question'));
  keepBelow(question);

  /** @param {string} name */
  const close = name => { /** @type {HTMLDetailsElement} */ (element.querySelector(`[data-class=${name}]`)).open = false; };

  /** Where this screen is, or how many are there. */
  function place() {
    if (leads()) return !state.counts ? '' : [say('class_here', { here: state.counts.here, follow: state.counts.follow }), state.counts.uncounted ? say('class_uncounted', { count: state.counts.uncounted }) : '', state.wall.length ? say(state.wall.length > 1 ? 'class_sentences' : 'class_sentence', { count: state.wall.length }) : ''].filter(Boolean).join(', ');
    return `${state.seat.includes('-follows-') ? 'You follow your teacher.' : 'You are on your own.'}${state.now && !state.now.led ? ` ${NOBODY}` : ''}`;
  }

  /** What is chosen stays until the server has taken it. @param {Question} about @param {(about: Question) => unknown} view */
  const kept = (about, view) => repeat([about], () => `${state.seat.slice(0, 6)} ${about.number} ${about.round}`, view);

  /** The widget for an answer. @param {Question} about */
  function widget({ kind, ask, options, low, high, unit }) {
    const given = state.own.answer;
    return kind === 'choice' ? html`<fieldset><legend class="enc-spoken">${ask}</legend>${options.map((text, i) => html`<label><input type="radio" name="enc-class-answer" value=${i} .checked=${i === given} @change=${() => acts.answer(i)}><span class="enc-pill">${text}</span></label>`)}</fieldset>`
      : html`<label class="enc-class-range"><output .value=${given === null ? '?' : rounded(given, unit)}></output><input type="range" min=${low} max=${high} step=${(high - low) / STEPS} .value=${String(given ?? (low + high) / 2)} aria-label=${ask} @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => acts.answer(Number(target.value))}
        @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => { /** @type {HTMLOutputElement} */ (target.previousElementSibling).value = rounded(Number(target.value), unit); }}><span class="enc-class-ends"><span>${rounded(low, unit)}</span><span>${rounded(high, unit)}</span></span></label>`;
  }

  /** The words of the sentence, to press, with the votes for each below once they are shown. @param {Question} about */
  function words(about) {
    const { options, phase, ask } = about, results = state.now?.results, can = phase === 'open' && !leads(), given = state.own.answer;
    return html`<fieldset class="enc-class-words" role="radiogroup" aria-label=${ask} ?disabled=${!can}>${options.map((text, i) => {
      const votes = results?.lines[i]?.votes ?? [], last = votes[votes.length - 1];
      return html`<label class=${i === given ? 'is-yours' : ''}><input type="radio" name="enc-class-answer" value=${i} .checked=${i === given} aria-label=${text} @change=${() => acts.answer(i)}><bdi translate="no" lang="">${text.replace(/ \(\d+\)$/, '')}</bdi><b class="enc-class-votes" ?hidden=${!last}>${last}<span class="enc-spoken"> of ${results?.of[votes.length - 1]}</span></b></label>`;
    })}</fieldset>`;
  }

  /** The question, how far it is, and what its teacher can do; `head` stands in place of it, once that is said, with `more` below. @param {Question} about @param {unknown} [head] @param {unknown} [more] */
  function asked(about, head = null, more = nothing) {
    const { round, phase, kind, in_sentence: inSentence } = about, given = state.own.answer, answering = phase === 'open' && !leads(), shows = ['answers', 'shown'].includes(phase), results = shows ? state.now?.results ?? null : null, known = phase === 'shown';
    const right = results && given !== null ? isRight(results, given) : null, names = [...PHASES[phase].filter(name => name !== 'again' || round === 1), 'put_away'];
    const status = !answering ? CLOSED : given === null ? `${inSentence ? 'Press a word.' : kind === 'choice' ? 'Choose one.' : 'Move the mark.'}` : `${say('class_own', { answer: inWords(about, given) })} You can change it until voting closes.`;
    return html`${leads() && !known && state.counts && state.counts.answered !== null ? html`<p class="enc-class-count"><b>${state.counts.answered}</b> <span>of ${Math.max(state.counts.here, state.counts.answered)} answered</span></p>` : nothing}
      <h2 tabindex="-1">${head ?? html`${about.ask}${round > 1 ? ' (second vote)' : ''}`}</h2>
      <div class="enc-class-options" ?hidden=${!answering || inSentence}>${answering && !inSentence ? kept(about, widget) : nothing}</div>
      <p class="enc-small" role="status" ?hidden=${leads() || shows}>${status}</p>
      ${leads() && kind === 'choice' && !inSentence && !shows ? html`<p class="enc-class-offered">${about.options.map(text => html`<bdi translate="no" lang="">${text}</bdi> `)}</p>` : nothing}
      <p role="status" ?hidden=${!results}>${results ? (head && results.had) || results.said : ''}</p>
      ${results && given !== null && !head ? html`<p class="enc-class-own" data-right=${right ?? nothing}>You answered <b>${inWords(about, given)}</b>${judged(right)}</p>` : nothing}${known ? more : nothing}
      <div class="enc-class-acts" ?hidden=${!leads()}>${Object.entries(ACTS).map(([name, text]) => button(name, text, () => acts.act(name), { hidden: !names.includes(name), first: name === names[0] && !known, key: name === 'reveal' ? 'R' : undefined }))}</div>
      ${results && known ? answers(results, given) : nothing}${button('see', 'See the picture', acts.back, { hidden: phase !== 'shown' || !state.seat.includes('-alone-') })}`;
  }

  /** What stands in the place of the picture. @param {Question | null} about */
  function stage(about) {
    const results = about?.phase === 'answers' ? state.now?.results : null;
    return html`${about?.in_sentence ? kept(about, words) : about?.sentence ? html`<p class="enc-class-sentence" dir="auto" translate="no" lang="">${about.sentence}</p>` : nothing}
      ${results ? answers(results, state.own.answer, true) : nothing}<p>${about || leads() ? HIDDEN : 'Your teacher has hidden the picture. A question is coming.'}</p>`;
  }

  function draw() {
    const { seat, own } = state, about = state.now?.asked ?? null, away = state.page === 'class', wrong = seat && !state.reached ? UNREACHED : state.trouble, now = about ? `${about.number} ${about.round}` : '';
    element.hidden = !wrong && (!seat || (leads() && away && !about));
    into(html`<div class="enc-class-line" ?hidden=${!seat || (leads() && away)}><p><b>${seat && say('class_called', { code: seat.slice(0, 6) })}</b> <span role="status">${seat && place()}</span></p>
        ${button('back', 'Back to the class', acts.back, { hidden: !seat.includes('-alone-') })}${button('page', 'The class', acts.toClass, { hidden: !leads() || away })}${hider(state, acts, !leads() || away || about !== null || state.besides, { first: OF_HEAD.includes(state.page) })}
        ${under('ask', state.besides ? 'Ask something else' : 'Ask the class', !leads() || away || about !== null, form.view(), ({ currentTarget }) => { if (currentTarget.open) form.fill(); }, state.besides ? undefined : 'A')}
        ${under('send', 'Send a sentence', leads(), html`<form class="enc-form" @submit=${typed(text => text.trim() && acts.send(text))}>
          <input type="text" class="enc-sentence" maxlength="200" aria-label="A sentence for the class to try" placeholder="A sentence for the class to try"><button class="enc-pill">Send</button></form>
          <p class="enc-small">${own.sentence ? say('class_sent', { sentence: own.sentence }) : 'Your teacher sees it without your name.'} A new one replaces it.</p>`)}
        ${under('sheet', 'My sheet', leads(), leads() ? nothing : sheetView(state.sheet))}
        ${button('leave', 'Leave', acts.leave, { hidden: leads() })}</div>
      <p class="enc-trouble" role="alert" ?hidden=${!wrong}>${wrong} ${!seat && !isEmpty(state.sheet) ? button('sheet_save', 'Save my sheet', () => saveSheet(state.sheet)) : nothing}</p>
      ${about && seat && !state.besides ? html`<section class="enc-class-question" aria-label="What the class is asked">${asked(about)}</section>` : nothing}
      ${cover || (about && away && about.phase !== 'shown') ? html`<div class="enc-class-veil">${stage(about)}</div>` : nothing}`, element);
    if (asks !== now) for (const name of ['send', 'sheet']) close(name); // the class has gone on
    if (shows !== state.now?.shown.number && !/** @type {HTMLInputElement} */ (element.querySelector('[data-class=send] input')).value) close('send');
    [asks, shows] = [now, state.now?.shown.number];
    below(question());
  }

  return {
    element,
    /** @param {string} covers what of the page is not to be seen */
    draw(covers) {
      cover = covers;
      draw();
    },
    asked,
  };
}

/** Hides the picture from all, before a question about it. @param {State} state @param {Acts} acts @param {boolean} hidden @param {{name?: string, first?: boolean}} [more] */
const hider = (state, acts, hidden, { name = 'hide', first = false } = {}) => button(name, state.now?.covered ? 'Show the picture' : 'Hide the picture', () => acts.act(state.now?.covered ? 'unhide' : 'hide'), { hidden, title: HIDE, first: first && !state.now?.covered });

/** What there is to ask about. @typedef {{tokens: string[], layers: number, heads: number, place: number[], pair: number[], guess: number, no_guess: string, claims: {text: string, pages: string[]}[]}} Offered */

/** What a teacher can ask about the run on the screen. @param {State} state @param {Acts} acts @param {() => void} draw @param {() => void} close */
function askForm(state, acts, draw, close) {
  /** @type {Offered | null} */
  let offered = null;
  let kind = 'look', busy = false;

  /** What is asked about: as usual, until another is chosen. @param {string} name @param {Offered} of */
  function field(name, { tokens, claims, pair, guess, layers, heads, place }) {
    const usual = name === 'layer' ? place[0] : name === 'head' ? place[1] : name === 'to' ? pair[1] : name === 'gap' ? guess : name === 'word' ? pair[0] : NaN;
    /** @param {string} text @param {number} i */
    const option = (text, i) => html`<option value=${i} ?selected=${i === usual}>${text}</option>`;
    const here = claims.filter(({ pages }) => pages.includes(state.page)).slice(0, MOST_HERE), one = (/** @type {Offered['claims'][number]} */ claim) => option(claim.text, claims.indexOf(claim));
    return html`<label>${FIELDS[name]} <select class="enc-pill" name=${name === 'gap' ? 'word' : name}>${name !== 'claim' ? (name === 'layer' || name === 'head' ? [...Array(name === 'layer' ? layers : heads).keys()].map(String) : tokens).map(option)
      : html`${here.length ? html`<optgroup label="On this page">${here.map(one)}</optgroup>` : nothing}<optgroup label=${here.length ? 'Other claims' : 'All claims'}>${claims.filter(claim => !here.includes(claim)).map(one)}</optgroup>`}</select></label>`;
  }
  /** @param {SubmitEvent} event */
  async function put(event) {
    event.preventDefault();
    const given = [...new FormData(/** @type {HTMLFormElement} */ (event.currentTarget))].map(([name, value]) => [name, Number(value)]);
    busy = true;
    draw();
    if (await acts.put({ kind, ...Object.fromEntries(given) })) close();
    busy = false;
    draw();
  }
  return {
    view() {
      const blocked = kind === 'word' ? offered?.no_guess : '', of = blocked ? null : offered;
      return html`<form @submit=${put}><select class="enc-pill" aria-label="Ask" @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => { kind = target.value; draw(); }}>${Object.keys(KINDS).map(key => html`<option value=${key} .selected=${key === kind}>${KINDS[key][0]}</option>`)}</select>
        <div class="enc-class-fields">${of ? repeat(KINDS[kind].slice(1), name => `${kind} ${name}`, name => field(name, of)) : nothing}</div>
        <p class="enc-small">${blocked || (!offered ? 'One moment …' : SHOWS[kind](state) && !state.now?.covered ? SAID : '')}</p><button class="enc-pill enc-class-first" data-class="ask_now" aria-keyshortcuts="A" ?disabled=${busy || !of}>Ask${pressed('A')}</button></form>`;
    },
    async fill() {
      offered = null;
      draw();
      offered = await acts.offer();
      if (offered) draw();
      else close();
    },
  };
}

const JOIN = 'Type the 6 letters your teacher shows. No name, no account.';
const OPEN = 'Your screen leads: everyone who joins with your code sees the page, sentence, layer, head and number that you see. Ask the class, watch the votes come in, and reveal the answer in the picture. A class ends after four hours, or half an hour after its last screen closes; nothing is kept.';
const SHOW = 'Open a page, here or in the menu: the class sees what you see, and “Ask the class” is at the top. Hide the picture first where it would show the answer; a lesson does that by itself. Only you see this page.';
const UNLOCKED = 'Anyone with the code can join.', LOCKED = 'The class is locked: nobody new can join, and everyone here stays.';
const SHUT_OUT = 'Deletes this pupil’s answers and sentences and takes them out of the class.', SHUT_OUT_OPEN = `${SHUT_OUT} Lock the class first, or they can join again.`;
const LOCAL = 'This address works on this computer alone. For other devices, put its name in the network in place of “localhost”.';
const COPY = 'Copy the link';
const NEAR = 'Phones and computers on the same network can open this address.';

/** @param {string} title @param {unknown} inside */
const card = (title, inside) => html`<section class="enc-class-card"><h2>${title}</h2>${inside}</section>`;

/** @param {State} state @param {Acts} acts */
export function classPage(state, acts) {
  const element = el('div', { class: 'enc-class-page', hidden: true });
  /** Where others join. @type {{link: string, local: boolean, near: boolean, size: number, path: string} | null} */
  let found = null;
  let linked = '', copy = COPY, copyOwn = COPY;

  async function findLink() {
    if (linked === state.seat) return;
    linked = state.seat;
    found = await acts.link();
    if (found) draw();
    else linked = '';
  }

  /** The headline: who is here, or what is to be done. */
  function headline() {
    const { seat, counts } = state;
    if (!seat) return 'Teach live: your screen leads, your class guesses and answers';
    if (!seat.includes('-leads-')) return say('class_in', { code: seat.slice(0, 6) });
    if (!counts?.here) return 'Nobody has joined yet: show the class this code';
    return say('class_with', { here: counts.here, follow: counts.follow });
  }

  function teacher() {
    const { counts, wall, results, seat } = state, goes = Boolean(state.now?.shown.page), shut = Boolean(counts?.shut), { link = '', size = 0, path = '', local = false, near = false } = found ?? {};
    return html`<div class="enc-class-way"><div><p class="enc-class-code">${seat.slice(0, 6)}</p>
        <p class="enc-class-link">${link}</p><p class="enc-small">${local ? LOCAL : near ? NEAR : ''}</p>
        <div class="enc-class-acts">${button('', copy, async () => { copy = await copied(link) ? 'Copied' : 'Select the address to copy it'; draw(); })}${button('door', shut ? 'Unlock the class' : 'Lock the class', () => acts.act(shut ? 'open_door' : 'shut_door'))}</div><p class="enc-small">${shut ? LOCKED : UNLOCKED}</p></div>
      <svg class="enc-class-square" role="img" aria-label="The address as a QR code" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"></path><path d=${path}></path></svg></div>
    <div class="enc-class-cards">
      ${card(state.now?.asked ? 'Answers so far' : goes ? 'Go on with a page' : 'Begin with a page', html`<p class="enc-small" ?hidden=${state.now?.asked}>${SHOW}</p>
        ${button('go_on', 'Back to the page on their screens', acts.goOn, { first: true, hidden: !goes })}
        <div class="enc-class-acts" ?hidden=${state.now?.asked}>${hider(state, acts, false, { name: 'begin_hidden', first: !goes })}${BEGIN.map(([key, title], i) => button(`begin_${key}`, title, () => acts.begin(key), { first: !i && !goes && state.now?.covered }))}</div>
        ${results.map(one => html`<section><h3>${one.number}. ${one.ask}</h3><p>${one.said}</p>${answers(one)}</section>`)}
        <div class="enc-class-acts" ?hidden=${!results.length}>${button('csv', 'Save answers as CSV', acts.keep)}${button('html', 'Save answers as a page', () => saveAnswers(state.sheet, results))}</div>`)}
      ${card('Sentences from the class', html`<p class="enc-small" ?hidden=${wall.length}>None yet. Pupils can send you one from their screen.</p>
        <ul class="enc-class-wall">${[...wall].reverse().map(({ name, sentence }) => html`<li><bdi translate="no" lang="">${sentence}</bdi>${button('run', 'Try it', () => acts.run(sentence), { label: `Try it: ${sentence}` })}${button('', 'Delete', () => acts.drop(name), { label: `Delete: ${sentence}` })}
          ${button('out', 'Remove pupil', () => acts.out(name), { label: `Remove the pupil who sent: ${sentence}`, title: shut ? SHUT_OUT : SHUT_OUT_OPEN })}</li>`)}</ul>
        ${button('empty_wall', `Delete all ${wall.length}`, () => acts.act('empty_wall'), { hidden: wall.length < 2 })}`)}</div>
    <details><summary>Lead from a second screen</summary><p class="enc-small">Keep this link to yourself: whoever opens it leads the class.</p>${button('own_link', copyOwn, async () => { const own = acts.ownLink(found?.link); copyOwn = await copied(own) ? 'Copied' : own; draw(); })}</details>
    <details><summary>End the class</summary><p class="enc-small">Everyone leaves the class, and nothing is kept. Save the answers first.</p>${button('end', 'End it now', () => acts.act('end'))}</details>`;
  }

  function draw() {
    element.hidden = state.page !== 'class';
    if (element.hidden) return;
    const { seat } = state, leads = seat.includes('-leads-'), led = acts.led();
    if (leads) findLink();
    into(html`<div class="enc-headline"><h1 class="enc-finding">${headline()}</h1></div>
      ${leads ? teacher() : seat ? html`<p>Your teacher’s screen will appear here by itself.</p>` : html`<div class="enc-class-cards">
        ${led ? card(say('class_goes_on', { code: led.slice(0, 6) }), html`<p>You led it in this browser, in a tab that is closed now.</p>${button('lead_again', 'Lead it again', () => acts.sit(led))}`) : nothing}
        ${card('Join a class', html`<p>${JOIN}</p><form class="enc-form" @submit=${typed(acts.join)}><input type="text" class="enc-sentence" maxlength="20" placeholder="ABCDEF" aria-label="Code" autocomplete="off" autocapitalize="characters" spellcheck="false" data-class="code">
          <button class="enc-pill enc-class-first" data-class="join">Join</button></form>`)}
        ${card('Open a class', html`<p>${OPEN}</p>${button('open', 'Open a class', acts.open, { first: true })}`)}</div>`}`, element);
  }

  return { element, draw };
}

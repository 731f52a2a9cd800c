// @ts-check
// What stands on every page of a class: where a screen is, the question, and what can be done with it.
import { percent } from './number.js';
import { children, el, put, write } from './dom.js';
import { say } from './say.js';
import { shareBars } from './share_bars.js';

const UNREACHED = 'The class cannot be reached just now; what is on your screen stays, and it is tried again by itself.';
const NOBODY = 'Nobody leads it at the moment; it goes on by itself when the teacher is back.';
const VEIL = 'The picture comes when the answers are shown.';
const CLOSED = 'No more answers are taken. Wait for the teacher to show them.';
/** @type {Record<string, string[]>} */
const PHASES = { open: ['close', 'compare', 'reveal'], closed: ['compare', 'reveal', 'again'], answers: ['again', 'reveal'], shown: ['again'] };
/** @type {Record<string, string>} */
const ACTS = { close: 'Close', compare: 'Show the answers', reveal: 'Show what is right', again: 'Ask again', put_away: 'Put away' };
/** What can be asked, and what is chosen for it. @type {Record<string, [title: string, ...fields: string[]]>} */
const KINDS = { lesson: ['The question of this lesson'], look: ['Where will this head look?', 'word'], much: ['How much?', 'word', 'to'], word: ['Which word?', 'word'], claim: ['Does it hold?', 'claim'] };
/** @type {Record<string, string>} */
const FIELDS = { word: 'Which word?', to: 'At which word does it look?', claim: 'Which claim?' };
const STEPS = 100; // places of the slider

/** @typedef {import('./in_class.js').State} State */
/** @typedef {import('./in_class.js').Acts} Acts */
/** @typedef {import('./in_class.js').Question} Question */
/** @typedef {import('./in_class.js').Results} Results */

/** @param {string} text @param {() => void} act @param {import('./dom.js').Props} [more] */
export const button = (text, act, more = {}) => el('button', { type: 'button', class: 'enc-pill', onclick: act, ...more }, text);

/** What is under a button. @param {string} title @param {import('./dom.js').Props} props @param {...Node} inside */
function under(title, props, ...inside) {
  const box = el('details', { class: 'enc-class-under', ...props }, el('summary', { class: 'enc-pill' }, title), el('div', { class: 'enc-class-box' }, ...inside));
  box.onkeydown = event => {
    if (event.key !== 'Escape') return;
    box.open = false;
    box.querySelector('summary')?.focus();
  };
  return box;
}

/** Draws the answers as bars; the mark is where the vote before ended. @param {Element} list @param {Results} results */
export function answerBars(list, results) {
  const { lines, of } = results, last = of.length - 1;
  shareBars(list, lines.map(({ text, votes, right, value }) => ({
    name: `${right ? '✓ ' : ''}${text}`,
    text: [of.length > 1 ? `${votes[0]}, then ${votes[last]}` : String(votes[0]), value === null ? '' : `model ${percent(value)}`].filter(Boolean).join(' · '),
    filled: votes[last] / Math.max(1, of[last]),
    marked: of.length > 1 ? votes[0] / Math.max(1, of[0]) : NaN,
    props: { 'data-answer': text, class: right ? 'enc-first' : '' },
  })));
}

/** @param {State} state @param {Acts} acts */
export function classLine(state, acts) {
  const leads = () => state.seat.includes('-leads-');
  const code = el('b'), where = el('span', { role: 'status' });
  const back = button('Back to the class', () => acts.back(), { 'data-class': 'back' }), leave = button('Leave', () => acts.leave(), { 'data-class': 'leave' });
  const toClass = button('The class', () => acts.toClass(), { 'data-class': 'page' });
  const sentence = el('input', { type: 'text', class: 'enc-sentence', maxlength: 200, 'aria-label': 'A sentence for the class to try', placeholder: 'A sentence for the class to try' });
  const sent = el('p', { class: 'enc-small' });
  const send = under('Send a sentence', { 'data-class': 'send' }, el('form', {
    class: 'enc-form',
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (sentence.value.trim() && await acts.send(sentence.value)) sentence.value = '';
    },
  }, sentence, el('button', { class: 'enc-pill' }, 'Send')), sent);
  const form = askForm(acts, () => { ask.open = false; });
  const ask = under('Ask the class', { 'data-class': 'ask', ontoggle: () => { if (ask.open) form.fill(); } }, form.element);
  const trouble = el('p', { class: 'enc-trouble', role: 'alert', hidden: true });
  const question = el('section', { class: 'enc-class-question', 'aria-label': 'What the class is asked', hidden: true });
  const asked = el('h2'), options = el('div', { class: 'enc-class-options' }), own = el('p', { class: 'enc-small', role: 'status' });
  const done = el('div', { class: 'enc-class-acts' }), bars = el('ul', { class: 'enc-bars' }), verdict = el('p', { role: 'status' }), veil = el('p', { class: 'enc-class-veil' }, VEIL);
  question.append(asked, options, own, done, verdict, bars);
  const row = el('div', { class: 'enc-class-line' }, el('p', {}, code, ' ', where), back, toClass, ask, send, leave);
  const element = el('div', { class: 'enc-class-part', hidden: true }, row, trouble, question, veil);
  let drawn = '', shown = 0;
  /** The answer that the widget was last told: what is chosen in it stays until the server has taken it. @type {number | null} */
  let marked = null;

  /** Where this screen is, or how many are there. */
  function place() {
    if (leads()) return !state.counts ? '' : [say('class_here', { here: state.counts.here, follow: state.counts.follow }), state.counts.answered === null ? '' : say('class_answered', { count: state.counts.answered })].filter(Boolean).join(', ');
    return `${state.seat.includes('-follows-') ? 'You see what the class sees.' : 'You are on your own.'}${state.now && !state.now.led ? ` ${NOBODY}` : ''}`;
  }

  /** The widget for an answer, made once for a round. @param {Question} about */
  function drawOptions(about) {
    const key = JSON.stringify([state.seat.slice(0, 6), about.number, about.round]);
    if (drawn !== key) {
      drawn = key;
      marked = null;
      if (about.kind === 'choice') {
        options.replaceChildren(el('fieldset', {}, el('legend', { class: 'enc-spoken' }, about.ask), ...about.options.map((text, i) =>
          el('label', {}, el('input', { type: 'radio', name: 'enc-class-answer', value: i, onchange: () => acts.answer(i) }), el('span', { class: 'enc-pill' }, text)))));
      } else {
        const shown = el('output'), range = el('input', { type: 'range', min: about.low, max: about.high, step: (about.high - about.low) / STEPS, value: (about.low + about.high) / 2, 'aria-label': about.ask });
        range.oninput = () => write(shown, String(Number(Number(range.value).toPrecision(4))));
        range.onchange = () => acts.answer(Number(range.value));
        options.replaceChildren(el('label', { class: 'enc-class-range' }, range, shown));
      }
    }
    const given = state.own.answer, range = options.querySelector('input[type=range]');
    if (given !== marked && given !== null && range instanceof HTMLInputElement) {
      range.value = String(given);
      write(/** @type {Element} */ (range.nextElementSibling), String(Number(given.toPrecision(4))));
    }
    if (given !== marked) options.querySelectorAll('input[type=radio]').forEach((input, i) => { /** @type {HTMLInputElement} */ (input).checked = i === given; });
    marked = given;
    const said = given === null ? 'Not answered yet.' : say('class_own', { answer: about.kind === 'choice' ? about.options[given] ?? '' : String(Number(given.toPrecision(4))) });
    write(own, `${said} You may change it until the teacher closes.`);
  }

  /** @param {Question} about */
  function drawQuestion(about) {
    const answering = about.phase === 'open' && !leads(), shows = ['answers', 'shown'].includes(about.phase);
    write(asked, about.ask + (about.round > 1 ? ' (second vote)' : ''));
    options.hidden = !answering;
    own.hidden = leads() || shows;
    if (answering) drawOptions(about);
    else write(own, CLOSED);
    done.hidden = !leads();
    const names = leads() ? [...PHASES[about.phase].filter(name => name !== 'again' || about.round === 1), 'put_away'] : [];
    children(done, names.length, () => button('', () => {})).forEach((one, i) => {
      write(one, ACTS[names[i]]);
      put(one, { 'data-class': names[i], class: i ? 'enc-pill' : 'enc-pill enc-class-first', onclick: () => acts.act(names[i]) });
    });
    const results = shows ? state.now?.results : null;
    verdict.hidden = bars.hidden = !results;
    if (!results) return;
    write(verdict, results.said);
    answerBars(bars, results);
  }

  return {
    element,
    /** @param {boolean} veiled */
    draw(veiled) {
      const about = state.now?.asked ?? null, lesson = Boolean(state.query().lesson);
      element.hidden = !state.seat && !state.trouble;
      row.hidden = !state.seat;
      write(code, state.seat && say('class_called', { code: state.seat.slice(0, 6) }));
      if (state.seat) write(where, place());
      back.hidden = !state.seat.includes('-alone-');
      leave.hidden = send.hidden = leads();
      toClass.hidden = !leads() || state.page === 'class';
      ask.hidden = !leads() || state.page === 'class' || about !== null;
      form.lesson(lesson);
      write(sent, `${state.own.sentence ? say('class_sent', { sentence: state.own.sentence }) : 'The teacher sees it without a name.'} Another one takes its place.`);
      if (shown !== state.now?.shown.number && !sentence.value) send.open = false; // the class has gone on
      shown = state.now?.shown.number ?? 0;
      const wrong = state.seat && !state.reached ? UNREACHED : state.trouble;
      trouble.hidden = !wrong;
      write(trouble, wrong);
      question.hidden = !state.seat || !about;
      veil.hidden = !veiled;
      if (about && state.seat) drawQuestion(about);
    },
  };
}

/** What a teacher can ask about the run on the screen. @param {Acts} acts @param {() => void} close */
function askForm(acts, close) {
  const kinds = el('select', { class: 'enc-pill', 'aria-label': 'Ask', onchange: draw }), fields = el('div', { class: 'enc-class-fields' }), why = el('p', { class: 'enc-small' });
  const now = el('button', { class: 'enc-pill enc-class-first', 'data-class': 'ask_now' }, 'Ask');
  const element = el('form', {
    onsubmit: async (/** @type {Event} */ event) => {
      event.preventDefault();
      now.disabled = true;
      const given = Object.fromEntries([...fields.querySelectorAll('select')].map(one => [one.name, Number(one.value)]));
      if (await acts.put({ kind: kinds.value, ...given })) close();
      now.disabled = false;
    },
  }, kinds, fields, why, now);
  /** @type {{tokens: string[], pair: number[], guess: number, no_guess: string, claims: string[], lesson: string} | null} */
  let offered = null;
  let inLesson = false;

  function draw() {
    const kind = kinds.value, wants = KINDS[kind]?.slice(1) ?? [], blocked = kind === 'word' ? offered?.no_guess : kind === 'lesson' && !offered?.lesson ? 'This step of a lesson asks nothing; go to one that does.' : '';
    fields.replaceChildren(...(!offered || blocked ? [] : wants.map(name => {
      const list = name === 'claim' ? offered?.claims ?? [] : offered?.tokens ?? [], usual = name === 'to' ? offered?.pair[1] : kind === 'word' ? offered?.guess : name === 'word' ? offered?.pair[0] : 0;
      const select = el('select', { class: 'enc-pill', name }, ...list.map((text, i) => el('option', { value: i, selected: i === usual }, text)));
      return el('label', {}, FIELDS[name], ' ', select);
    })));
    write(why, blocked || (offered ? (kind === 'lesson' && offered.lesson) || '' : 'One moment …'));
    now.disabled = !offered || Boolean(blocked);
  }
  return {
    element,
    /** @param {boolean} there */
    lesson(there) { inLesson = there; },
    async fill() {
      const before = kinds.value, offers = Object.entries(KINDS).filter(([key]) => key !== 'lesson' || inLesson);
      kinds.replaceChildren(...offers.map(([key, [title]]) => el('option', { value: key, selected: key === before }, title)));
      offered = null;
      draw();
      offered = await acts.offer();
      if (offered) draw();
      else close();
    },
  };
}

// @ts-check
// The line of a class on every page, with its question, and the page A class.
import { copied } from './controls.js';
import { children, el, put, svg, write } from './dom.js';
import { shareBars } from './guesses.js';
import { percent } from './number.js';
import { say } from './say.js';

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
    if (leads()) return !state.counts ? '' : [say('class_here', { here: state.counts.here, follow: state.counts.follow }), state.counts.answered === null ? '' : say('class_answered', { count: state.counts.answered }), state.counts.uncounted ? say('class_uncounted', { count: state.counts.uncounted }) : ''].filter(Boolean).join(', ');
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
    const all = Object.keys(ACTS), names = leads() ? [...PHASES[about.phase].filter(name => name !== 'again' || about.round === 1), 'put_away'] : [];
    children(done, all.length, i => button(ACTS[all[i]], () => acts.act(all[i]), { 'data-class': all[i] })).forEach((one, i) => {
      put(one, { hidden: !names.includes(all[i]), class: all[i] === names[0] ? 'enc-pill enc-class-first' : 'enc-pill' });
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
      if (shown !== (state.now?.shown.number ?? 0) && !sentence.value) send.open = false; // the class has gone on
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

const JOIN = 'Type the 6 letters that your teacher shows. Nothing else is asked, and no name.';
const OPEN = 'Your screen leads: who joins by your code sees the page, sentence, layer, head and number that you see. Ask the class, and show its answers on the picture. A class ends after four hours, or half an hour after its last screen was closed; nothing of it stays.';
const SHOW = 'Show this code or the square. Then go to any page: the class sees what you see there, and on every page Ask the class stands on top. This page stays yours alone.';
const OPEN_DOOR = 'Whoever has the code can join.', CLOSED_DOOR = 'The door is closed: nobody joins anew, and who is here stays.';
const SHUT_OUT = 'Their answers and sentences go, and their screen leaves the class.', SHUT_OUT_OPEN = `${SHUT_OUT} Close the door first, so that nobody joins anew.`;
const LOCAL = 'This is the computer\'s own address: for other devices put its name in the network in its place.';
const NEAR = 'This is the address of this computer in its network: a phone in the same network opens it.';

/** @param {string} title @param {...(Node | string)} inside */
const card = (title, ...inside) => el('section', { class: 'enc-class-card' }, el('h2', {}, title), ...inside);

/** @param {State} state @param {Acts} acts */
export function classPage(state, acts) {
  const typed = el('input', { type: 'text', class: 'enc-sentence', maxlength: 20, placeholder: 'ABCDEF', 'aria-label': 'Code', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', 'data-class': 'code' });
  const ledName = el('h2'), again = button('Lead it again', () => acts.sit(acts.led()), { 'data-class': 'lead_again' });
  const led = el('section', { class: 'enc-class-card' }, ledName, el('p', {}, 'You have led it in this browser, in a page that is closed.'), again);
  const outside = el('div', { class: 'enc-class-cards' }, led,
    card('Join a class', el('p', {}, JOIN), el('form', { class: 'enc-form', onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); acts.join(typed.value); } }, typed, el('button', { class: 'enc-pill enc-class-first', 'data-class': 'join' }, 'Join'))),
    card('Open a class', el('p', {}, OPEN), button('Open a class', () => acts.open(), { 'data-class': 'open' })));
  const pupil = el('p', {}, 'What the teacher shows comes to this screen by itself.');
  const code = el('p', { class: 'enc-class-code' }), wall = el('ul', { class: 'enc-class-wall' }), none = el('p', { class: 'enc-small' }, 'None yet. Pupils send one from their own screen.');
  const answers = el('div'), nothing = el('p', { class: 'enc-small' }, 'What the class answers stands here once it was shown.');
  const files = el('div', { class: 'enc-class-acts' }, button('Answers as CSV', () => acts.keep('csv'), { 'data-class': 'csv' }), button('A page to keep', () => acts.keep('html'), { 'data-class': 'html' }));
  const door = button('Close the door', () => acts.act(state.counts?.shut ? 'open_door' : 'shut_door'), { 'data-class': 'door' }), doorSaid = el('p', { class: 'enc-small' });
  const empty = button('Take all down', () => acts.act('empty_wall'), { 'data-class': 'empty_wall' });
  const link = el('p', { class: 'enc-class-link' }), copy = button('Copy', async () => write(copy, await copied(link.textContent ?? '') ? 'Copied' : 'Mark the address to copy it'));
  const square = svg('svg', { class: 'enc-class-square', role: 'img', 'aria-label': 'The address as a code for a camera' }), hint = el('p', { class: 'enc-small' });
  const own = el('p', { class: 'enc-class-link' });
  const teacher = el('div', { class: 'enc-class-teacher' },
    el('div', {}, code, el('p', {}, SHOW), el('div', { class: 'enc-class-acts' }, door), doorSaid, el('h2', {}, 'Sentences of the class'), none, wall, empty, el('h2', {}, 'Answers'), nothing, answers, files),
    el('div', {}, square, link, copy, hint,
      el('details', {}, el('summary', {}, 'Lead from another screen too'), el('p', { class: 'enc-small' }, 'This link is yours alone: whoever has it leads the class.'), own),
      el('details', {}, el('summary', {}, 'End the class'), el('p', { class: 'enc-small' }, 'All screens leave the class, and nothing of it stays. Keep the answers before.'), button('End it now', () => acts.act('end'), { 'data-class': 'end' }))));
  const element = el('div', { class: 'enc-class-page', hidden: true }, outside, pupil, teacher);
  let linked = '';

  async function drawLink() {
    if (linked === state.seat) return;
    linked = state.seat;
    const found = await acts.link();
    if (!found) {
      linked = '';
      return;
    }
    write(link, found.link);
    write(hint, found.local ? LOCAL : found.near ? NEAR : '');
    put(square, { viewBox: `0 0 ${found.size} ${found.size}` });
    square.replaceChildren(svg('path', { fill: '#fff', d: `M0 0h${found.size}v${found.size}H0z` }), svg('path', { d: found.path }));
  }

  return {
    element,
    draw() {
      element.hidden = state.page !== 'class';
      if (element.hidden) return;
      const leads = state.seat.includes('-leads-');
      outside.hidden = Boolean(state.seat);
      led.hidden = !acts.led();
      if (!led.hidden) write(ledName, say('class_goes_on', { code: acts.led().slice(0, 6) }));
      pupil.hidden = !state.seat || leads;
      teacher.hidden = !leads;
      if (!leads) return;
      drawLink();
      write(code, state.seat.slice(0, 6));
      write(own, acts.ownLink());
      const shut = Boolean(state.counts?.shut);
      write(door, shut ? 'Open the door' : 'Close the door');
      write(doorSaid, shut ? CLOSED_DOOR : OPEN_DOOR);
      none.hidden = state.wall.length > 0;
      empty.hidden = state.wall.length < 2;
      write(empty, `Take all ${state.wall.length} down`);
      const sent = [...state.wall].reverse();
      children(wall, sent.length, () => el('li', {}, el('bdi'), button('Run', () => {}), button('Remove', () => {}), button('Shut out', () => {}))).forEach((item, i) => {
        const { name, sentence } = sent[i], [text, run, remove, out] = item.children;
        write(text, sentence);
        put(run, { onclick: () => acts.run(sentence), 'aria-label': `Run: ${sentence}`, 'data-class': 'run' });
        put(remove, { onclick: () => acts.drop(name), 'aria-label': `Remove: ${sentence}` });
        put(out, { onclick: () => acts.out(name), title: shut ? SHUT_OUT : SHUT_OUT_OPEN, 'aria-label': `Shut out who sent: ${sentence}`, 'data-class': 'out' });
      });
      nothing.hidden = state.results.length > 0;
      files.hidden = !state.results.length;
      children(answers, state.results.length, () => el('section', {}, el('h3'), el('p'), el('ul', { class: 'enc-bars' }))).forEach((item, i) => {
        const results = state.results[i], [ask, said, bars] = item.children;
        write(ask, `${results.number}. ${results.ask}`);
        write(said, results.said);
        answerBars(bars, results);
      });
    },
  };
}

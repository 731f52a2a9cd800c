// @ts-check
// The page of a class: to open or join one, and for its teacher the code, the wall, and what was answered.
import { answerBars, button } from './class_line.js';
import { copied } from './dialog.js';
import { children, el, put, svg, write } from './dom.js';
import { say } from './say.js';

const JOIN = 'Type the 6 letters that your teacher shows. Nothing else is asked, and no name.';
const OPEN = 'Your screen leads: who joins by your code sees the page, sentence, layer, head and number that you see. Ask the class, and show its answers on the picture. A class ends after four hours, or half an hour after its last screen was closed; nothing of it stays.';
const SHOW = 'Show this code or the square. Then go to any page: the class sees what you see there, and on every page Ask the class stands on top. This page stays yours alone.';
const LOCAL = 'This is the computer\'s own address: for other devices put its name in the network in its place.';
const NEAR = 'This is the address of this computer in its network: a phone in the same network opens it.';

/** @typedef {import('./in_class.js').State} State */
/** @typedef {import('./in_class.js').Acts} Acts */

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
  const link = el('p', { class: 'enc-class-link' }), copy = button('Copy', async () => write(copy, await copied(link.textContent ?? '') ? 'Copied' : 'Mark the address to copy it'));
  const square = svg('svg', { class: 'enc-class-square', role: 'img', 'aria-label': 'The address as a code for a camera' }), hint = el('p', { class: 'enc-small' });
  const own = el('p', { class: 'enc-class-link' });
  const teacher = el('div', { class: 'enc-class-teacher' },
    el('div', {}, code, el('p', {}, SHOW), el('h2', {}, 'Sentences of the class'), none, wall, el('h2', {}, 'Answers'), nothing, answers, files),
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
      none.hidden = state.wall.length > 0;
      const sent = [...state.wall].reverse();
      children(wall, sent.length, () => el('li', {}, el('bdi'), button('Run', () => {}), button('Remove', () => {}))).forEach((item, i) => {
        const { name, sentence } = sent[i], [text, run, remove] = item.children;
        write(text, sentence);
        put(run, { onclick: () => acts.run(sentence), 'aria-label': `Run: ${sentence}`, 'data-class': 'run' });
        put(remove, { onclick: () => acts.drop(name), 'aria-label': `Remove: ${sentence}` });
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

// @ts-check
// The lessons on their shelves: what was done of each in this browser, the one to go on with, claims to judge, labs, and a search over all of them.
import { watched } from './canvas.js';
import { drawn, dress } from './dom.js';
import { html, nothing, render as into, repeat } from './lit.js';
import { look } from './look.js';
import { parts, say } from './say.js';
import { fits, nextOf, stateOf } from './shelf_state.js';
import style from './shelves.css';

/** @typedef {{href: string, title: string}} Place */
/** @typedef {{key: string, text: string, place: Place}} Claim */
/** @typedef {{title: string, meaning: string, names: string, says: string, place: Place | null}} Term */
/** @typedef {{text: string, where: string, place: Place | null, missing: string}} Statement */
/** `claim` is the address that gives verdicts of `model`, `refused` what is wrong with a server's own lessons. @typedef {{model: string, claim: string, refused: string[], shelves: {title: string, cards: Card[]}[], claims: Claim[], terms: Term[], statements: Statement[]}} Shown */
/** What the server says to a claim. @typedef {{is: string, condition: string, measured: string, number: string}} Verdict */
/** @typedef {{guess: string, verdict?: Verdict, wrong?: string}} Judged */
/** Asks the server. @typedef {(address: string, said: object) => Promise<any>} Ask */
/** @typedef {import('./shelf_state.js').Card} Card */

const ANSWERS = ['true', 'false', 'it depends']; // what may be said to a claim; a verdict that is none of them could not be measured
const CLAIMS = 'True or false?', BEFORE = 'Training'; // their shelf, and the one that it stands before
const LEAST = 2, MOST = 30; // letters that are searched for; results of a kind
/** What was judged in this tab, by model and claim. @type {Map<string, Judged>} */
const judged = new Map();

/** Draws the list, or what is new in it. @param {HTMLElement} root @param {Shown} shown @param {unknown} tell @param {Ask} ask */
export const shelves = (root, shown, tell, ask) => drawn(root, begin, shown, ask);

/** @param {HTMLElement} root */
function begin(root) {
  for (const css of [look, style]) dress(root, css);
  root.classList.add('enc', 'sh');
  let data = /** @type {Shown} */ ({}), ask = /** @type {Ask} */ (() => Promise.reject()), search = '', wide = 0;
  /** @type {import('./shelf_state.js').Progress | null} */
  let progress = null;
  /** The shelves that are open. @type {Set<string>} */
  const open = new Set();
  /** Thumbnails by their text. @type {Map<string, Node>} */
  const pictures = new Map();
  import('./lesson.js').then(lesson => { progress = lesson.progress(); redraw(); });
  const unwatch = watched(root, () => wide, redraw);

  /** @param {string} text @param {string} of */
  function picture(text, of) {
    if (text && !pictures.has(of)) pictures.set(of, document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true));
    return pictures.get(of) ?? nothing;
  }
  /** @param {Claim} claim @param {string} guess */
  async function judge({ key }, guess) {
    const of = `${data.model} ${key}`, before = judged.get(of);
    if (before && !before.wrong) return;
    judged.set(of, { guess });
    redraw();
    const told = await ask(data.claim, { claim: key, model: data.model }).then(verdict => ({ guess, verdict }), error => ({ guess, wrong: error.message }));
    judged.set(of, told);
    redraw();
  }

  /** @param {Card} card @param {boolean} [framed] */
  function lesson(card, framed = false) {
    const { title, minutes, steps, name, learned } = card, { dots, next, begun } = stateOf(card, progress ?? {});
    const told = name ? say(begun ? 'steps_done' : 'steps_of', { done: dots.filter(Boolean).length, count: steps.length }) : 'Lab';
    return html`<li><a class="sh-card ${framed ? 'is-next' : ''}" href=${steps[Math.max(0, next)]} aria-current=${framed ? 'true' : nothing}>
      <span class="sh-picture" aria-hidden="true">${picture(card.picture, name || title)}</span><span class="sh-words"><b>${title}</b>${begun && next < 0 && learned ? html`<span class="sh-learned">${learned}</span>` : nothing}</span>
      <span class="sh-foot"><span class="sh-dots" aria-hidden="true">${name ? dots.map(dot => html`<i class=${dot || nothing}></i>`) : 'lab'}</span><span class="enc-spoken">, ${told}${minutes ? ', ' : ''}</span>${minutes ? html`<span>${say('minutes', { count: minutes })}</span>` : nothing}</span></a></li>`;
  }
  /** @param {Claim} one */
  function claim(one) {
    const mine = judged.get(`${data.model} ${one.key}`), verdict = mine?.verdict, right = verdict && verdict.is === mine.guess, tried = ANSWERS.includes(verdict?.is ?? '');
    const kind = !verdict ? 'is-waiting' : right ? 'is-right' : tried ? 'is-wrong' : 'is-waiting';
    const told = !verdict ? 'measuring …' : !tried ? verdict.measured : (right ? 'right' : verdict.condition ? verdict.is : `it is ${verdict.is}`) + (verdict.condition && `: ${verdict.condition}`), said = mine ? mine.wrong ?? told : '';
    return html`<li class="sh-claim"><p>${one.text}</p><div role="group" aria-label="Your judgement">${ANSWERS.map(guess => html`<button type="button" class="enc-pill ${mine?.guess === guess ? kind : ''}" aria-pressed=${String(mine?.guess === guess)} aria-disabled=${verdict ? 'true' : nothing} @click=${() => judge(one, guess)}>${guess[0].toUpperCase()}${guess.slice(1)}</button>`)}
      <span class="sh-said ${verdict ? kind : ''}" role="status">${said}</span></div>
      ${verdict ? html`<div class="sh-after">${tried ? html`<details><summary>Why?</summary><p>${verdict.measured}</p></details>` : nothing}<a class="enc-link" href=${one.place.href} aria-label="See it: ${one.place.title}">See it</a></div>` : nothing}</li>`;
  }

  /** @param {string} title @param {string} count @param {unknown[]} cards @param {boolean} [whole] whether it opens by itself */
  function shelf(title, count, cards, whole = false) {
    const row = wide >= 1000 ? 5 : wide >= 720 ? 6 : 4, more = cards.length - row, opened = open.has(title) || whole;
    const press = () => {
      if (opened) open.delete(title);
      else open.add(title);
      redraw();
      if (!opened) /** @type {HTMLElement | null} */ (root.querySelectorAll(`[data-shelf="${CSS.escape(title)}"] :is(a, .sh-claim button:first-child)`)[row])?.focus();
    };
    return html`<section data-shelf=${title}><header><h2>${title}</h2><p>${count}</p></header><ul>${opened || more <= 0 ? cards : cards.slice(0, row)}</ul>
      ${more > 0 && !whole ? html`<button type="button" class="enc-link sh-more" aria-expanded=${String(opened)} @click=${press}>${opened ? 'Fewer' : say('more_of', { count: more })}<span class="enc-spoken"> of ${title}</span></button>` : nothing}</section>`;
  }
  /** @param {{title: string, cards: Card[]}} of @param {Card | undefined} next */
  function stood({ title, cards }, next) {
    const labs = cards.filter(card => !card.name).length, count = cards.length - labs;
    const told = [count && say(count === 1 ? 'lesson_count' : 'lessons_count', { count }), labs && say(labs === 1 ? 'lab_count' : 'labs_count', { count: labs })].filter(Boolean).join(', ');
    return shelf(title, told, cards.map(card => lesson(card, card === next)), cards.indexOf(/** @type {Card} */ (next)) >= (wide >= 1000 ? 5 : wide >= 720 ? 6 : 4));
  }

  /** What the search finds, kind by kind. @param {Card[]} cards */
  function results(cards) {
    const section = (/** @type {string} */ title, /** @type {unknown[]} */ all, kind = '') => (all.length ? html`<section data-shelf=${title}><header><h2>${title}</h2>${all.length > MOST ? html`<p>${say('add_a_word', { count: all.length - MOST })}</p>` : nothing}</header><ul class=${kind}>${all.slice(0, MOST)}</ul></section>` : nothing);
    const lessons = cards.filter(card => fits(search, card.title, card.says)), of = [
      section('Lessons', lessons.filter(card => card.name).map(card => lesson(card))), section('Labs', lessons.filter(card => !card.name).map(card => lesson(card))),
      section(CLAIMS, data.claims.filter(one => fits(search, one.text)).map(claim)),
      section('Terms', data.terms.filter(one => fits(search, one.title, one.meaning, one.names, one.says)).map(({ title, meaning, names, place }) => html`<li><b>${title}</b><p>${meaning}</p><p class="sh-where">${names}</p>${place ? html`<a class="enc-link" href=${place.href}>See it live: ${place.title}</a>` : nothing}</li>`), 'sh-texts'),
      section('What tutorials say', data.statements.filter(one => fits(search, one.text, one.where)).map(({ text, where, place, missing }) => html`<li><p>${text}</p><p class="sh-where">${where}${missing ? html`<br>Not shown here, because ${missing}.` : nothing}</p>${place ? html`<a class="enc-link" href=${place.href}>See it: ${place.title}</a>` : nothing}</li>`), 'sh-texts'),
    ];
    return of.some(one => one !== nothing) ? of : html`<p class="sh-nothing" role="status">Nothing here has “${search}” in it. Try a single word, or another name.</p>`;
  }

  function redraw() {
    if (!data.shelves || !progress || !root.clientWidth) return;
    wide = root.clientWidth;
    const known = progress, cards = data.shelves.flatMap(one => one.cards), lessons = cards.filter(card => card.name);
    const next = nextOf(lessons, known), done = lessons.filter(card => stateOf(card, known).next < 0).length, begun = lessons.some(card => stateOf(card, known).begun);
    const state = next && stateOf(next, known), given = { done, count: lessons.length, title: next?.title ?? '' };
    const first = next ? parts(next.minutes ? 'lessons_begin' : 'lessons_first', { title: next.title.replace(/^The /, 'the '), steps: next.steps.length, minutes: next.minutes }) : [];
    const headline = !next ? parts('lessons_done', given) : !begun ? first : parts(done ? 'lessons_next' : 'lessons_go_on', given);
    into(html`<div class="sh-top"><h1 class="enc-finding">${headline.map(part => (part.name ? html`<span class=${`sh-is-${part.name}`}>${part.text}</span>` : part.text))}</h1>
        <input type="search" class="enc-sentence" placeholder="Search lessons, claims, terms" aria-label="Search lessons, labs, claims, terms and tutorials" maxlength="60" .value=${search} @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => { search = target.value.trim(); redraw(); }}>
        ${next && state ? html`<a class="sh-go" href=${next.steps[state.next]}>${state.begun ? say('go_on_with', { step: state.next + 1 }) : 'Begin'}</a>` : nothing}</div>
      ${data.refused.length ? html`<div class="enc-trouble" role="alert">${data.refused.map(text => html`<p>${text}</p>`)}<p>All other lessons are here. Correct this in the folder that ENCODER_LESSONS names, and start the app again.</p></div>` : nothing}
      ${search.length >= LEAST ? html`<div class="sh-found">${results(cards)}</div>` : repeat(data.shelves, one => one.title, one => html`${one.title === BEFORE ? shelf(CLAIMS, say('claims_count', { count: data.claims.length }), data.claims.map(claim)) : nothing}${stood(one, next)}`)}`, root);
  }

  return {
    /** @param {Shown} shown @param {Ask} asks */
    draw(shown, asks) {
      [data, ask] = [shown, asks];
      redraw();
    },
    end() {
      unwatch();
      root.replaceChildren();
    },
  };
}

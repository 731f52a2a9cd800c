// @ts-check
// The first page: one question, where one head looks from the word asked, and what that head does to the guess.
import { sentenceField } from './bar.js';
import { answer, brief, caption, carried, game, most, nobody, question, shownAs } from './claim.js';
import { leads } from './controls.js';
import { el } from './dom.js';
import { guessBars, without } from './guesses.js';
import { heads } from './heads.js';
import { composed, html, live, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { percent, tight } from './number.js';
import { rows } from './rows.js';
import { answerAt, called, choice, headFor, inMask, isTried, labelsOf, look, maskHint, maskToken, nobodys, toHide, toOthers, wordAt, words } from './run.js';
import { parts, say } from './say.js';
import { lineOf, stage } from './sentence_arcs.js';
import { cellOf, STOPS, stopOf } from './steps_of_attention.js';
import { DEFAULTS, GAP, toQuery } from './store.js';
import { masked } from './switches.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./claim.js').Head} Head */
const SETTLED = 400; // ms of rest before what is shown is said to who cannot see it
const REACH = 3; // words that one sentence of a pair may differ in
const ASKED = 0.1; // a share from which on somebody asks why
const SEEN = 'encoder-front-seen'; // where a browser keeps that somebody saw a switch

/** The shipped sentence that differs from a sentence by one word, and where. @param {string} sentence @param {string[]} all */
export function twinOf(sentence, all) {
  const here = sentence.split(' ');
  for (const other of all) {
    const there = other.split(' ');
    const differ = here.map((_, i) => i).filter(i => here[i] !== there[i]);
    if (there.length === here.length && differ.length === 1) return { other, at: differ[0] };
  }
  return null;
}

/** Whether nobody saw this before in this browser; where it keeps nothing, somebody did. @param {string} name */
function unseen(name) {
  try {
    const first = localStorage.getItem(`${SEEN}-${name}`) === null;
    localStorage.setItem(`${SEEN}-${name}`, '1');
    return first;
  } catch {
    return false;
  }
}

/** The word of a sentence without the signs around it. @param {string} text */
const unsigned = text => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || text;

/** A switch between two: a group of radios. @param {string} name @param {string} text @param {string[]} names @param {number} chosen @param {(index: number) => void} choose @param {boolean} nudge whether it shows that it is one */
const between = (name, text, names, chosen, choose, nudge) => html`<div class="enc-choice ${nudge ? 'enc-nudge' : ''}" data-switch=${name}><span class=${name === 'pair' ? 'enc-spoken' : 'enc-switch-name'} id="enc-${name}">${text}</span>
  <span class="enc-switch" role="radiogroup" aria-labelledby="enc-${name}">${names.map((one, i) => html`<label><input type="radio" name="enc-${name}" .checked=${live(i === chosen)} @change=${() => choose(i)}><span>${one}</span></label>`)}</span></div>`;

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function start(root, context) {
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen | null} */
  let state = null;
  /** @type {Head | null} */
  let pointed = null;
  let editing = false, asked = '';
  /** Which switches show that they are some, of those that were there. @type {Record<string, boolean>} */
  const nudges = {};
  /** Whether the run chose the head, and nobody. */
  let free = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saying;

  /** @type {import('./rows.js').Heard} */
  const heard = {
    point: head => { if (head?.layer !== pointed?.layer || head?.head !== pointed?.head) { pointed = head; redraw(); } },
    keep: head => { pointed = null; store.set(head); },
  };
  /** The head that a pressed word was given. @type {{layer: number | null, head: number | null} | null} */
  let given = null;
  const picture = stage(position => press(position)), small = rows(heard);
  const maps = heads(heard, () => [link('attention', 'Open this head'), link('heads', 'What each head does')]);
  const field = sentenceField(text => {
    const sentence = text === inMask(store.get().sentence, maskToken(run)) ? store.get().sentence : text;
    asked = sentence;
    if (sentence === store.get().sentence && !store.get().second) edit(false);
    else store.set({ sentence, second: '', layer: null, head: null, word: null, off: store.get().off && twinOf(sentence, [store.get().sentence]) !== null }, { push: true });
  }, 'Your own sentence', true);
  field.form.append(el('button', { type: 'button', class: 'enc-go', onclick: () => field.ask() }, 'Run'), el('button', { type: 'button', class: 'enc-pill', onclick: () => edit(false) }, 'Cancel'));
  const own = el('div', { class: 'enc-own-box', hidden: true, onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === 'Escape') edit(false); } });
  const last = root.appendChild(document.createComment(''));

  const frame = root.closest('.enc'), done = new AbortController();
  for (const event of ['pointerdown', 'keydown']) document.addEventListener(event, () => { const some = Object.keys(nudges).filter(name => nudges[name]); for (const name of some) nudges[name] = false; if (some.length) redraw(); }, { signal: done.signal });
  frame?.addEventListener('enc-own', () => edit(true), { signal: done.signal });
  const watch = new ResizeObserver(() => redraw());
  watch.observe(root);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', () => redraw(), { signal: done.signal });

  /** Asks from another word; a head that nobody chose gives way to one that has something to show of it. @param {number} position */
  function press(position) {
    if (!run || !state) return;
    const word = words(run)[wordAt(run, position)], own = free || (given?.layer === state.layer && given?.head === state.head);
    if (word && own) given = headFor(run, word, state);
    store.set({ word: position, ...(word && own ? given : {}) });
  }
  /** @param {boolean} shown */
  function fold(shown) {
    store.set({ maps: shown });
    if (shown) maps.element.scrollIntoView({ block: 'nearest', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  }
  /** A link to another page, where there is one. @param {string} key @param {string} text @param {import('./store.js').Changes} [also] what is chosen on the way */
  function link(key, text, also = {}) {
    const page = context.options().pages.find(one => one.key === key);
    return page ? leads(text, '→', `${page.address}?${new URLSearchParams({ ...store.query(), ...toQuery(also) })}`, () => { store.set(also); context.go(key, also); }, key) : nothing;
  }
  /** @param {boolean} shown */
  function edit(shown) {
    editing = shown;
    own.hidden = !shown;
    if (shown) {
      const { sentence } = store.get(), mask = maskToken(run);
      asked = '';
      field.input.value = inMask(sentence, mask);
      /** @type {string[]} */
      const listed = [];
      for (const one of Object.keys(context.options().shipped)) if (one !== sentence && !twinOf(one, [sentence, ...listed])) listed.push(one);
      into(html`${field.form}<p class="enc-small">${maskHint(mask)}</p><div class="enc-examples" role="group" aria-label="Examples">${listed.map(one => html`<button type="button" class="enc-example" dir="auto" translate="no" lang="" @click=${() => {
        asked = one;
        store.set({ sentence: one, second: '', layer: null, head: null, word: null }, { push: true });
      }}>${inMask(one, mask)}</button>`)}</div>`, own);
      into(html`<h1 class="enc-question" tabindex="-1">Your own sentence</h1>${own}`, root, { renderBefore: last }); // nothing of the other sentence
      field.input.focus();
      field.input.select();
    } else {
      /** @type {HTMLElement | null | undefined} */ (frame?.querySelector('.enc-own'))?.focus();
      redraw();
    }
  }
  /** The other sentence of a pair. @param {number} index */
  function turn(index) {
    const found = couple();
    if (!found || !state || !run) return;
    const tapped = wordAt(run, state.word) >= 0 && state.word !== run.about.gap && run.about.gap >= 0;
    const kept = bare() ? {} : { layer: state.layer, head: state.head }; // two sentences are held against each other in one head
    if (free) given = { layer: state.layer, head: state.head };
    store.set({ sentence: found.sentences[index], off: state.off, ...kept, ...(tapped ? { word: state.word } : {}) }, { push: true });
  }
  /** Both sentences of the pair that this one belongs to, the one of the first visit first. */
  function couple() {
    const { sentence, second } = store.get(), all = Object.keys(context.options().shipped);
    const found = second || !all.includes(sentence) ? null : twinOf(sentence, all);
    if (!found) return null;
    const here = all.indexOf(sentence), there = all.indexOf(found.other);
    const first = sentence === GAP || (found.other !== GAP && here < there);
    const sentences = first ? [sentence, found.other] : [found.other, sentence];
    return { sentences, at: found.at, chosen: first ? 0 : 1, names: sentences.map(one => unsigned(one.split(' ')[found.at])) };
  }

  /** Whether no head is chosen, since none decides the guess or tells anything. */
  const bare = () => free && run !== null && nobodys(run);
  /** What hides a word, so that the model guesses it; null where it cannot. @param {Packet} of @param {import('./run.js').Word} word */
  function hiding(of, word) {
    const { sentence, second, hidden } = store.get(), found = word.gap || of.about.model.wordless || context.options().closed ? null : masked(of, word, { sentence, second, hidden });
    return found && (() => store.set({ ...found, layer: null, head: null, word: null }, { push: true }));
  }

  function redraw() {
    if (!run || !state || editing) return;
    const of = run, all = words(of), word = all[wordAt(of, state.word)], kept = bare() ? null : { layer: state.layer, head: state.head }, shown = pointed ?? kept;
    const can = kept !== null && Boolean(word && isTried(of, word) && of.arrays.off), off = state.off && can ? kept : null;
    const offered = of.about.gap < 0 ? toHide(of).flatMap(one => { const hide = hiding(of, one); return hide ? [{ one, hide }] : []; }) : [];
    into(html`<p class="enc-game" ?hidden=${!word}><span>${word ? explained(game(of, { can, hides: offered.length > 0 })) : nothing}</span>${offered.map(({ one, hide }) => html` <button type="button" class="enc-example" data-hide=${one.position} @click=${hide}>${one.name}</button>`)}</p>
      <h1 class="enc-question" tabindex="-1">${word ? composed(question(of, word, off)) : 'There is no word here to look from.'}</h1>${own}${picture.element}
      <p class="enc-claim ${off ? 'enc-without' : ''}" data-claim>${!word ? nothing : composed(!shown ? nobody(of, word) : off ? without(of, shown) : answer(of, shown, word))}</p>${word ? below(of, state, word, kept, can) : nothing}`, root, { renderBefore: last });
    if (!word) return;
    const hide = offered.some(({ one }) => one === word) ? null : hiding(of, word);
    picture.draw(lineOf(of, all.map(one => shownAs(of, one, off))), all.indexOf(word), shown ? look(of, shown.layer, shown.head, word).shares : null, shown ? caption(of, shown, word) : '', hide && { text: say('hide_word', { word: called(of, word) }), act: hide });
    picture.element.classList.toggle('enc-silent', off !== null && shown === kept);
    small.draw(of, word, kept, pointed);
    maps.element.hidden = !state.maps;
    if (state.maps) maps.draw(of, word, kept, pointed);
    clearTimeout(saying);
    saying = setTimeout(() => context.announce(root.querySelector('[data-claim]')?.textContent ?? ''), SETTLED);
  }
  /** What is below the claim: what can be switched, where to go on, all heads, and what is not drawn. @param {Packet} of @param {Chosen} state @param {import('./run.js').Word} word @param {Head | null} kept @param {boolean} can whether its head can be off */
  function below(of, { layer, head, off, maps: unfolded }, word, kept, can) {
    const { layers, heads: each } = of.about.model, total = layers * each, found = couple();
    const pieces = words(of).some(one => one.count > 1) ? ' Arcs are of whole words: the shares of their pieces are added.' : '';
    const guessed = guessBars(of, { layer, head }, off && can, answerAt(of, word.position)), { shares } = look(of, layer, head, word), top = most(shares), known = kept && carried(of, kept, word);
    const [{ position, share }] = shares[top] > 0 ? [{ position: words(of)[top].position, share: shares[top] }] : toOthers(of, { layer, head }, word);
    const claimed = { layer, head, word: word.position, step: '', cell: cellOf(STOPS[stopOf('')], layer, head, { row: word.position, column: position }) }, first = found ? 'pair' : can ? 'head' : '';
    if (first) nudges[first] ??= unseen(first);
    return html`<div class="enc-controls" ?hidden=${!found && !guessed}><div class="enc-switches">${found ? between('pair', found.sentences[0].split(' ').slice(Math.max(0, found.at - REACH + 2), found.at).join(' '), found.names, found.chosen, turn, nudges.pair) : nothing}
        ${can ? between('head', known ? `Head ${brief({ layer, head })}` : 'This head', ['on', 'off'], Number(off), i => store.set({ off: i === 1 }), nudges.head) : nothing}</div><div class="enc-guess" ?hidden=${!guessed}>${guessed ?? nothing}${off && can ? html`<p class="enc-mark-key">with this head on</p>` : nothing}</div></div>
      <nav class="enc-links" aria-label="Go on">${link('start', 'Step by step', { lesson: 'the-story', at: '1' })}${kept && share >= ASKED ? link('attention', `Why ${tight(percent(share, 1))}?`, claimed) : nothing}${labelsOf(of) ? link('output', 'Which words speak for it?', { word: word.position }) : nothing}${guessed && !labelsOf(of) && !of.about.model.untrained ? link('compare', 'What carries it?', { word: word.position, other: found ? found.sentences[1 - found.chosen] : '', view: 'carried' }) : nothing}
        <button type="button" class="enc-link" aria-controls="enc-heads" aria-expanded=${unfolded} @click=${() => fold(!unfolded)}><span>${total > 1 ? `All ${total} heads` : 'The whole head'}</span><span class="enc-arrow" aria-hidden="true">↓</span></button></nav>
      <section class="enc-strip"><h2 class="enc-spoken">${composed(parts(total > 1 ? 'strip' : 'strip_one', { ...(total > 1 ? { count: total } : {}), asked: called(of, word) }))}</h2>${small.element}<p class="enc-aside">${total > 1 ? say('strip_key') : ''}${pieces}</p></section>${maps.element}`;
  }

  return {
    choice(of, now) {
      free = now.head === null;
      return choice(of, now);
    },
    draw(given, now) {
      if (run && given !== run) pointed = null;
      [run, state] = [given, now];
      if (editing && asked === now.sentence) {
        edit(false);
        root.querySelector('h1')?.focus();
      }
      redraw();
      const found = now.model === DEFAULTS.model && couple();
      if (found) context.fetch({ sentence: found.sentences[1 - found.chosen], hidden: [], edits: '' }).catch(() => null);
    },
    pictures() {
      const word = run && state && words(run)[wordAt(run, state.word)];
      if (!word || !state || editing || bare()) return [];
      const { layer, head } = state;
      return [{
        name: `Head ${head} of layer ${layer}, from ${word.gap ? 'the gap' : `“${word.name}”`}`,
        ...context.main('', toQuery({ ...made(state), layer, head, word: word.position }), word.position),
      }];
    },
    end() {
      clearTimeout(saying);
      watch.disconnect();
      done.abort();
    },
  };
}

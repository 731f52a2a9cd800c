// @ts-check
// The first page: one question, where one head looks from the word asked, and what that head does to the guess.
import { sentenceField } from './bar.js';
import { answer, most, outside, question, shownAs } from './claim.js';
import { AS_IS, children, compose, el, put, write } from './dom.js';
import { guessBars, without } from './guesses.js';
import { heads } from './heads.js';
import { made } from './load.js';
import { percent, typeset } from './number.js';
import { rows } from './rows.js';
import { called, inMask, look, maskHint, maskToken, wordAt, words } from './run.js';
import { parts, said } from './say.js';
import { stage } from './stage.js';
import { cellOf, STOPS, stopOf } from './stops.js';
import { DEFAULTS, GAP, toQuery } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./claim.js').Head} Head */
const SAID = 0.005; // a share of what is not drawn from which on it is said
const SETTLED = 400; // ms of rest before what is shown is said to who cannot see it
const REACH = 3; // words that one sentence of a pair may differ in
const SEEN = 'encoder-front-seen'; // where a browser keeps that somebody was here

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

/** Whether nobody was here before in this browser; where it keeps nothing, somebody was. */
function firstVisit() {
  try {
    const first = localStorage.getItem(SEEN) === null;
    localStorage.setItem(SEEN, '1');
    return first;
  } catch {
    return false;
  }
}

/** The word of a sentence without the signs around it. @param {string} text */
const bare = text => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || text;

/**
 * A switch between two: a group of radios.
 * @param {string} name
 * @param {(index: number) => void} choose
 */
function between(name, choose) {
  const label = el('span', { class: 'enc-switch-name', id: `enc-${name}` });
  const inputs = [0, 1].map(i => el('input', { type: 'radio', name: `enc-${name}`, onchange: () => choose(i) }));
  const texts = [0, 1].map(() => el('span'));
  const box = el('span', { class: 'enc-switch', role: 'radiogroup', 'aria-labelledby': `enc-${name}` }, ...inputs.map((input, i) => el('label', {}, input, texts[i])));
  const element = el('div', { class: 'enc-choice', 'data-switch': name }, label, box);
  return {
    element,
    /** @param {string} text @param {[string, string]} names @param {number} chosen */
    draw(text, names, chosen) {
      write(label, text);
      names.forEach((one, i) => write(texts[i], one));
      inputs.forEach((input, i) => { input.checked = i === chosen; });
    },
  };
}

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function start(root, context) {
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen | null} */
  let state = null;
  /** @type {Head | null} */
  let pointed = null;
  let editing = false, asked = '', nudged = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saying;

  const title = el('h1', { class: 'enc-question', tabindex: '-1' });
  const place = el('div', { class: 'enc-stage' }), own = el('div', { class: 'enc-own-box', hidden: true });
  const claimed = el('p', { class: 'enc-claim', 'data-claim': '' }), rest = el('span', { 'data-rest': '' });
  const aside = el('div', { class: 'enc-aside' }, rest);
  const pair = between('pair', i => turn(i)), head = between('head', i => store.set({ off: i === 1 }));
  const guess = el('div', { class: 'enc-guess' });
  const controls = el('div', { class: 'enc-controls' }, el('div', { class: 'enc-switches' }, pair.element, head.element), guess);
  const computed = link('attention', 'How this was computed', atClaim), follow = link('story', 'Follow this sentence, step by step', asks), open = link('attention', 'Open this head'), compare = link('heads', 'What each head does');
  const count = el('span'), unfold = el('button', { type: 'button', class: 'enc-link', 'aria-controls': 'enc-heads', onclick: () => fold(!store.get().maps) }, count, el('span', { class: 'enc-arrow', 'aria-hidden': 'true' }, '↓'));
  const strip = el('section', { class: 'enc-strip' }), stripTitle = el('h2', { class: 'enc-strip-title' });
  strip.append(stripTitle);
  const picture = stage(place, position => { store.set({ word: position }); });
  const three = guessBars(guess);
  /** @type {import('./rows.js').Heard} */
  const heard = {
    point: head => { if (head?.layer !== pointed?.layer || head?.head !== pointed?.head) { pointed = head; redraw(); } },
    keep: head => { pointed = null; store.set(head); },
  };
  const small = rows(strip, heard);
  const whole = el('section', { class: 'enc-heads', id: 'enc-heads', 'aria-labelledby': 'enc-heads-title', hidden: true }), wholeTitle = el('h2', { id: 'enc-heads-title' });
  whole.append(wholeTitle);
  const maps = heads(whole, heard, [open, compare]);
  const links = el('nav', { class: 'enc-links', 'aria-label': 'Go on' }, follow, computed, unfold);
  const field = sentenceField(text => {
    const sentence = text === inMask(store.get().sentence, maskToken(run)) ? store.get().sentence : text;
    asked = sentence;
    if (sentence === store.get().sentence && !store.get().second) edit(false);
    else store.set({ sentence, second: '', layer: null, head: null, word: null, off: store.get().off && twinOf(sentence, [store.get().sentence]) !== null }, { push: true });
  }, 'Your own sentence');
  const examples = el('div', { class: 'enc-examples', role: 'group', 'aria-label': 'Examples' });
  field.form.append(el('button', { type: 'button', class: 'enc-go', onclick: () => field.ask() }, 'Run'), el('button', { type: 'button', class: 'enc-pill', onclick: () => edit(false) }, 'Cancel'));
  const hint = el('p', { class: 'enc-small' });
  own.append(field.form, hint, examples);
  own.onkeydown = event => { if (event.key === 'Escape') edit(false); };
  root.append(title, own, place, claimed, aside, controls, links, strip, whole);

  const frame = root.closest('.enc'), done = new AbortController();
  for (const event of ['pointerdown', 'keydown']) document.addEventListener(event, () => { nudged = true; pair.element.classList.remove('enc-nudge'); }, { signal: done.signal });
  frame?.addEventListener('enc-own', () => edit(true), { signal: done.signal });
  const watch = new ResizeObserver(() => redraw());
  watch.observe(root);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', () => redraw(), { signal: done.signal });

  /** @param {boolean} shown */
  function fold(shown) {
    store.set({ maps: shown });
    if (shown) whole.scrollIntoView({ block: 'nearest', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  }
  /** @param {string} key @param {string} text @param {() => import('./store.js').Changes} [also] what is chosen on the way */
  function link(key, text, also = () => ({})) {
    return el('a', { class: 'enc-link', 'data-go': key, onclick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      store.set(also());
      context.go(key, also());
    } }, el('span', {}, text), el('span', { 'aria-hidden': 'true' }, ' →'));
  }
  /** The number that the claim says, as a cell of the page Attention. @returns {import('./store.js').Changes} */
  function atClaim() {
    const word = run && state && words(run)[wordAt(run, state.word)];
    if (!word || !run || !state) return {};
    const { layer, head } = state, row = word.position, column = words(run)[most(look(run, layer, head, word).shares)].position;
    return { layer, head, word: row, step: '', cell: cellOf(STOPS[stopOf('')], layer, head, { row, column }) };
  }
  /** The word that is asked, also where nobody chose it. */
  function asks() {
    const word = run && state && words(run)[wordAt(run, state.word)];
    return word ? { word: word.position } : {};
  }
  /** @param {boolean} shown */
  function edit(shown) {
    editing = shown;
    if (shown) {
      const { sentence } = store.get(), { shipped } = context.options(), mask = maskToken(run);
      asked = '';
      field.input.value = inMask(sentence, mask);
      write(hint, maskHint(mask));
      /** @type {string[]} */
      const listed = [];
      for (const one of Object.keys(shipped)) if (one !== sentence && !twinOf(one, [sentence, ...listed])) listed.push(one);
      examples.replaceChildren(...listed.map(one => el('button', { ...AS_IS, type: 'button', class: 'enc-example', dir: 'auto', onclick: () => {
        asked = one;
        store.set({ sentence: one, second: '', layer: null, head: null, word: null }, { push: true });
      } }, inMask(one, mask))));
    }
    own.hidden = !shown;
    place.hidden = shown;
    if (shown) {
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
    const { layer, head } = state; // a head that is off stays so, and no other is
    store.set({ sentence: found.sentences[index], off: state.off, ...(state.off ? { layer, head } : {}), ...(tapped ? { word: state.word } : {}) }, { push: true });
  }
  /** Both sentences of the pair that this one belongs to, the one of the first visit first. */
  function couple() {
    const { sentence, second } = store.get(), all = Object.keys(context.options().shipped);
    const found = second || !all.includes(sentence) ? null : twinOf(sentence, all);
    if (!found) return null;
    const here = all.indexOf(sentence), there = all.indexOf(found.other);
    const first = sentence === GAP || (found.other !== GAP && here < there);
    const sentences = first ? [sentence, found.other] : [found.other, sentence];
    return { sentences, at: found.at, chosen: first ? 0 : 1, names: /** @type {[string, string]} */ (sentences.map(one => bare(one.split(' ')[found.at]))) };
  }

  function redraw() {
    if (!run || !state || editing) return;
    const all = words(run), { layers, heads: each } = run.about.model, total = layers * each, word = all[wordAt(run, state.word)];
    if (!word) {
      write(title, 'There is no word here to look from.');
      return;
    }
    const kept = { layer: state.layer, head: state.head }, shown = pointed ?? kept, can = word.position === run.about.gap && Boolean(run.arrays.off);
    const without_it = state.off && can, seen = look(run, shown.layer, shown.head, word);
    compose(title, question(run, word, without_it ? kept : null));
    picture.draw(run, all.map(one => shownAs(/** @type {Packet} */ (run), one, without_it ? kept : null)), all.indexOf(word), seen.shares);
    place.classList.toggle('enc-silent', without_it && shown === kept);
    compose(claimed, without_it ? without(run, shown) : answer(run, shown, word));
    claimed.classList.toggle('enc-without', without_it);
    const pieces = all.filter(one => one.count > 1).length;
    const left = seen.rest >= SAID && seen.rest <= Math.max(...seen.shares) ? said('left_out', { share: seen.rest, words: outside(run) }) : '';
    write(rest, [left, pieces ? 'Arcs are of whole words: the shares of their pieces are added.' : ''].filter(Boolean).join(' '));

    const found = couple();
    pair.element.hidden = !found;
    if (found) pair.draw(found.sentences[0].split(' ').slice(Math.max(0, found.at - REACH + 2), found.at).join(' '), found.names, found.chosen);
    if (found && !nudged) {
      nudged = true;
      pair.element.classList.toggle('enc-nudge', firstVisit());
    }
    head.element.hidden = !can;
    head.draw(`Head ${kept.head} of layer ${kept.layer}`, ['on', 'off'], state.off ? 1 : 0);
    three.draw(run, kept, without_it);
    guess.hidden ||= word.position !== run.about.gap;
    controls.hidden = !found && guess.hidden;
    lead(follow, asks());
    lead(computed, atClaim());
    write(computed.children[0], `How ${typeset(percent(Math.max(...look(run, kept.layer, kept.head, word).shares)))} was computed`);
    lead(open);
    lead(compare);
    write(count, total > 1 ? `See all ${total} heads` : 'See the whole head');
    put(unfold, { 'aria-expanded': String(state.maps) });
    compose(stripTitle, parts(total > 1 ? 'strip' : 'strip_one', { ...(total > 1 ? { count: total } : {}), asked: called(run, word) }));
    small.draw(run, word, kept, pointed);
    whole.hidden = !state.maps;
    write(wholeTitle, total > 1 ? `All ${total} heads, layer by layer` : 'The whole head');
    if (state.maps) maps.draw(run, word, kept, pointed);
    clearTimeout(saying);
    saying = setTimeout(() => context.announce(claimed.textContent ?? ''), SETTLED);
  }
  /** @param {HTMLAnchorElement} to @param {import('./store.js').Changes} [also] */
  function lead(to, also = {}) {
    const page = context.options().pages.find(one => one.key === to.dataset.go);
    to.hidden = !page;
    if (page) put(to, { href: `${page.address}?${new URLSearchParams({ ...store.query(), ...toQuery(also) })}` });
  }

  return {
    draw(given, now) {
      if (run && given !== run) pointed = null;
      [run, state] = [given, now];
      if (editing && asked === now.sentence) {
        edit(false);
        title.focus();
      }
      redraw();
      const found = now.model === DEFAULTS.model && couple();
      if (found) context.fetch({ sentence: found.sentences[1 - found.chosen], hidden: [], edits: '' }).catch(() => null);
    },
    kept() {
      const word = run && state && words(run)[wordAt(run, state.word)];
      if (!word || !state || editing) return null;
      const { layer, head } = state;
      return {
        picture: 'arcs', name: `Head ${head} of layer ${layer}, from ${word.gap ? 'the gap' : `“${word.name}”`}`,
        query: toQuery({ ...made(state), layer, head, word: word.position }),
      };
    },
    end() {
      clearTimeout(saying);
      watch.disconnect();
      done.abort();
    },
  };
}

// @ts-check
// The first page: one question, where one head looks from the word asked, and what that head does to the guess.
import { sentenceField } from './bar.js';
import { children, el, put, write } from './dom.js';
import { bars, without } from './guess.js';
import { made } from './load.js';
import { percent, tight, typeset } from './number.js';
import { at } from './packet.js';
import { rows } from './rows.js';
import { examined, look, others, wordAt, words } from './run.js';
import { parts, say } from './say.js';
import { stage } from './stage.js';
import { DEFAULTS, GAP, toQuery } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./run.js').Word} Word */
/** @typedef {{layer: number, head: number}} Head */
const SAID = 0.005; // a share of what is not drawn from which on it is said
const SETTLED = 400; // ms of rest before what is shown is said to who cannot see it
const REACH = 3; // words that one sentence of a pair may differ in

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

/** The word of a sentence without the signs around it. @param {string} text */
const bare = text => text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '') || text;

/** How a word is shown: a gap as what the model guesses there, if it guesses. @param {Packet} run @param {Word} word @param {Head | null} [off] */
export function shownAs(run, word, off = null) {
  const found = run.about.guesses[String(word.position)];
  if (!word.gap || !found?.length) return word.gap ? '____' : word.name;
  if (!off || word.position !== run.about.gap || !run.arrays.off) return found[0][0];
  const all = run.about.off?.words ?? [];
  return all[most(all.map((_, i) => at(run.arrays.off, off.layer, off.head, i)))] ?? found[0][0];
}

/** The word beside the asked one that a head looks past to another; null where it looks past none. @param {Word[]} all @param {number} from @param {number[]} shares */
export function passed(all, from, shares) {
  const top = most(shares), beside = from + Math.sign(top - from);
  return all[from].gap && top !== from && top !== beside && all[beside]?.plain ? all[beside] : null;
}

/** @param {number[]} shares */
export const most = shares => shares.reduce((best, share, i) => (share > shares[best] ? i : best), 0);

/** What a head is said to do from a word. @param {Packet} run @param {Head} place @param {Word} word */
export function claim(run, { layer, head }, word) {
  const all = words(run), from = all.indexOf(word), { shares, rest } = look(run, layer, head, word), top = most(shares);
  const names = others(run).map(i => run.about.tokens[i]), share = shares[top];
  if (rest > share) return parts('looks_special', { layer, head, word: listed([...new Set(names)]), share: rest });
  if (top === from) return parts('looks_itself', { layer, head, word: word.gap ? 'the gap' : word.name, share });
  const between = examined(run, word) && passed(all, from, shares);
  if (between) return parts('looks_past', { layer, head, between: between.name, word: shownAs(run, all[top]), share });
  return parts('looks', { layer, head, word: shownAs(run, all[top]), share });
}

/** What is asked. @param {Packet} run @param {Word} word */
export function question(run, word) {
  const guess = run.about.guesses[String(word.position)]?.[0]?.[0];
  if (!word.gap || !guess) return parts('question_own', { word: word.gap ? 'the gap' : word.name });
  const all = words(run), found = examined(run, word);
  const between = found && passed(all, all.indexOf(word), look(run, found.layer, found.head, word).shares);
  return between ? parts('question_past', { between: between.name, word: guess }) : parts('question_gap', { word: guess });
}

/** @param {string[]} names */
const listed = names => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`);

/** Writes the parts of a sentence; each argument is an element with its name. @param {HTMLElement} element @param {import('./say.js').Part[]} all */
function compose(element, all) {
  const text = all.map(part => part.text).join(' ');
  if (element.dataset.said === text) return;
  element.dataset.said = text;
  element.replaceChildren(...all.map(part => (part.name ? el('bdi', { class: `enc-said-${part.name}` }, typeset(part.text)) : part.text)));
}

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
  let off = false, editing = false, asked = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let saying;

  const title = el('h1', { class: 'enc-question', tabindex: '-1' });
  const place = el('div', { class: 'enc-stage' }), own = el('div', { class: 'enc-own-box', hidden: true });
  const claimed = el('p', { class: 'enc-claim', 'data-claim': '' }), rest = el('span', { 'data-rest': '' });
  const known = el('span', { class: 'enc-known' }), more = el('details', { class: 'enc-more' }, el('summary', {}, 'How this was tried'), el('ul'));
  const evidence = el('div', { class: 'enc-evidence' }, known, ' ', more, ' ', rest);
  const pair = between('pair', i => turn(i)), head = between('head', i => { off = i === 1; redraw(); });
  const guess = el('div', { class: 'enc-guess' });
  const controls = el('div', { class: 'enc-controls' }, el('div', { class: 'enc-switches' }, pair.element, head.element), guess);
  const follow = link('story', 'Follow this sentence, step by step', '→'), heads = link('heads', 'See all heads', '→');
  const strip = el('section', { class: 'enc-strip' }), stripTitle = el('h2', { class: 'enc-strip-title' });
  strip.append(stripTitle);
  const picture = stage(place, position => { store.set({ word: position }); });
  const three = bars(guess);
  const small = rows(strip, {
    point: found => { if (found?.layer !== pointed?.layer || found?.head !== pointed?.head) { pointed = found; redraw(); } },
    keep: found => { pointed = null; store.set(found); },
  });
  const links = el('nav', { class: 'enc-links', 'aria-label': 'Go on' }, follow, heads);
  const field = sentenceField(sentence => {
    asked = sentence;
    if (sentence === store.get().sentence && !store.get().second) edit(false);
    else store.set({ sentence, second: '', layer: null, head: null, word: null }, { push: true });
  }, 'Your own sentence');
  const examples = el('div', { class: 'enc-examples', role: 'group', 'aria-label': 'Examples' });
  field.form.append(el('button', { type: 'button', class: 'enc-go', onclick: () => field.ask() }, 'Run'), el('button', { type: 'button', class: 'enc-pill', onclick: () => edit(false) }, 'Cancel'));
  own.append(field.form, el('p', { class: 'enc-small' }, 'Write [MASK] for a word that the model is to guess.'), examples);
  own.onkeydown = event => { if (event.key === 'Escape') edit(false); };
  root.append(title, own, place, claimed, evidence, controls, links, strip);

  const frame = root.closest('.enc');
  const begin = () => edit(true);
  frame?.addEventListener('enc-own', begin);
  const watch = new ResizeObserver(() => redraw());
  watch.observe(root);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => redraw();
  scheme.addEventListener('change', recolour);

  /** @param {string} key @param {string} text @param {string} sign */
  function link(key, text, sign) {
    return el('a', { class: 'enc-link', 'data-go': key, onclick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      context.go(key);
    } }, el('span', {}, text), el('span', { 'aria-hidden': 'true' }, ` ${sign}`));
  }
  /** @param {boolean} shown */
  function edit(shown) {
    editing = shown;
    if (shown) {
      const { sentence } = store.get(), { shipped } = context.options();
      asked = '';
      field.input.value = sentence;
      /** @type {string[]} */
      const listed = [];
      for (const one of Object.keys(shipped)) if (one !== sentence && !twinOf(one, [sentence, ...listed])) listed.push(one);
      examples.replaceChildren(...listed.map(one => el('button', { type: 'button', class: 'enc-example', onclick: () => {
        asked = one;
        store.set({ sentence: one, second: '', layer: null, head: null, word: null }, { push: true });
      } }, one)));
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
    store.set({ sentence: found.sentences[index], ...(tapped ? { word: state.word } : {}) }, { push: true });
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
    const all = words(run), { layers, heads: perLayer } = run.about.model, word = all[wordAt(run, state.word)];
    if (!word) {
      write(title, 'There is no word here to look from.');
      return;
    }
    const kept = { layer: state.layer, head: state.head }, shown = pointed ?? kept, can = word.position === run.about.gap && Boolean(run.arrays.off);
    const without_it = off && can, seen = look(run, shown.layer, shown.head, word);
    compose(title, question(run, word));
    picture.draw(run, all.map(one => shownAs(/** @type {Packet} */ (run), one, without_it ? kept : null)), all.indexOf(word), seen.shares);
    compose(claimed, without_it ? without(run, shown.layer, shown.head) : claim(run, shown, word));
    claimed.classList.toggle('enc-without', without_it);
    const left = others(run), pieces = all.filter(one => one.count > 1).length;
    const outside = seen.rest >= SAID && seen.rest <= Math.max(...seen.shares) ? say('left_out', { share: seen.rest, words: listed([...new Set(left.map(i => /** @type {Packet} */ (run).about.tokens[i]))]) }) : '';
    write(rest, typeset([outside, pieces ? 'Arcs are of whole words: the shares of their pieces are added.' : ''].filter(Boolean).join(' ')));
    told(kept);
    evidence.classList.toggle('enc-unseen', pointed !== null);

    const found = couple();
    pair.element.hidden = !found;
    if (found) pair.draw(found.sentences[0].split(' ').slice(Math.max(0, found.at - REACH + 2), found.at).join(' '), found.names, found.chosen);
    head.element.hidden = !can;
    head.draw(`Head ${kept.head} of layer ${kept.layer}`, ['on', 'off'], off ? 1 : 0);
    three.draw(run, kept, without_it);
    guess.hidden ||= word.position !== run.about.gap;
    controls.hidden = !found && guess.hidden;
    lead(follow);
    lead(heads, `See all ${layers * perLayer} heads`);
    links.hidden = follow.hidden && heads.hidden;
    const from = word.gap ? 'the gap' : `“${word.name}”`;
    write(stripTitle, layers * perLayer > 1 ? `Where each of the ${layers * perLayer} heads looks from ${from}, word by word. Choose one to see its arcs.` : `Where the head looks from ${from}`);
    small.draw(run, word, kept, pointed);
    clearTimeout(saying);
    saying = setTimeout(() => context.announce(claimed.textContent ?? ''), SETTLED);
  }
  /** What is known of a head. @param {Head} kept */
  function told(kept) {
    const all = (run?.about.evidence ?? []).filter(one => one.layer === kept.layer && one.head === kept.head);
    const here = all.filter(one => one.here), mine = here.length ? here : all;
    const main = mine.filter((one, i) => i === 0 || one.key === 'exam_not_confirmed'), under = mine.filter(one => !main.includes(one));
    const none = !mine.length && run?.about.evidence?.length ? say('exam_none', kept) : '';
    write(known, typeset(main.map(one => say(one.key, one.args)).join(' ') || none));
    more.hidden = !under.length;
    children(more.children[1], under.length, () => el('li')).forEach((line, i) => write(line, typeset(say(under[i].key, under[i].args))));
  }
  /** @param {HTMLAnchorElement} to @param {string} [text] */
  function lead(to, text) {
    const page = context.options().pages.find(one => one.key === to.dataset.go);
    to.hidden = !page;
    if (page) put(to, { href: `${page.address}?${new URLSearchParams(store.query())}` });
    if (text) write(to.children[0], text);
  }

  return {
    draw(given, now) {
      if (run && given !== run) {
        pointed = null;
        if (given.about.sentence !== state?.sentence && !twinOf(given.about.sentence, [run.about.sentence])) off = false;
      }
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
      frame?.removeEventListener('enc-own', begin);
      scheme.removeEventListener('change', recolour);
    },
  };
}

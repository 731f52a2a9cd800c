// @ts-check
// The one bar: menu, page, sentence, model, keep.
import { el, focused, isTyped, put, write } from './dom.js';
import { fold, plainly } from './controls.js';
import { keep } from './save_menu.js';
import { html, live, nothing, render as into } from './lit.js';
import { inMask } from './run.js';

const EMPTY = 'Type a sentence first. Put ___ where the model should guess a word.';

/** A line to write a sentence into, which says so where there is none. A sandboxed frame lets no form be sent, so it is none. @param {(sentence: string) => void} run @param {string} label @param {boolean} [grows] with what is typed */
export function sentenceField(run, label, grows = false) {
  const input = el(/** @type {'input'} */ (grows ? 'textarea' : 'input'), { ...(grows ? { rows: 1 } : { type: 'text' }), class: 'enc-sentence', 'aria-label': label, autocomplete: 'off', spellcheck: 'false', maxlength: '20000', dir: 'auto', enterkeyhint: 'go' });
  const empty = el('p', { class: 'enc-empty', role: 'alert' });
  const ask = () => {
    const sentence = input.value.trim().replace(/\s*\n\s*/g, ' ');
    write(empty, sentence ? '' : EMPTY);
    if (sentence) run(sentence);
  };
  for (const event of ['input', 'blur']) input.addEventListener(event, () => write(empty, ''));
  input.onkeydown = event => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    ask();
  };
  return { form: el('div', { class: 'enc-form' }, input, empty), input, ask };
}

export const BEFORE_CLASS = 'In front of a class';
const LEAVE = 'Leave the large view (P)';

/** What can be done on every page, as it stands in the menu, and its key. @typedef {[text: string, act: () => void, key: string]} Act */

/** Does what each key stands for wherever nobody types, and Escape ends what P began; gives them as entries of the menu. @param {HTMLElement} root @param {Record<string, [text: string, act: () => void]>} acts @param {AbortSignal} signal @returns {Act[]} */
export function byKeys(root, acts, signal) {
  document.addEventListener('keydown', event => {
    const act = acts[event.key.toLowerCase()];
    if (isTyped(event)) return;
    if (act) act[1]();
    else if (event.key === 'Escape' && root.classList.contains('enc-present')) acts.p[1]();
  }, { signal });
  return Object.entries(acts).map(([key, [text, act]]) => [`${text} (${key.toUpperCase()})`, act, key]);
}

/**
 * @param {HTMLElement} root
 * @param {import('./mount.js').Context} context
 * @param {[text: string, act: () => void][]} [ways] what else can be done with the sentence, below the other ones
 * @param {Act[]} [acts] what can be done on every page, at the end of the menu
 */
export function bar(root, context, ways = [], acts = []) {
  const { options, store } = context, element = el('header', { class: 'enc-bar' }), kept = keep(root, context);
  /** The sentence as the model's mask is written. */
  const typed = () => inMask(store.get().sentence, context.mask());
  const field = sentenceField(text => {
    store.set({ sentence: text === typed() ? store.get().sentence : text, second: '' }, { push: true });
    field.input.blur();
    /** @type {HTMLElement | null} */ (root.querySelector('.enc-page h1'))?.focus({ preventScroll: true });
  }, 'Sentence', true);
  put(field.form, { role: 'search' });
  field.input.onblur = () => {
    if (!field.input.value.trim()) field.input.value = typed(); // an empty line is none
    field.input.scrollLeft = 0; // its beginning is seen again
  };

  const open = el('button', { type: 'button', class: 'enc-menu-button', 'aria-label': 'Menu', 'aria-expanded': 'false' }, '☰'), menu = el('nav', { class: 'enc-menu', hidden: true, 'aria-label': 'Pages' });
  const list = fold(open, menu, () => {
    const { page: here, pages } = options(), query = new URLSearchParams(store.along()).toString(), groups = [...new Set(pages.map(page => page.group ?? ''))];
    return html`${groups.map(group => html`<section>${group ? html`<h2>${group}</h2>` : nothing}${pages.filter(page => (page.group ?? '') === group).map(({ key, title, address }) => html`
      <a href=${address + (query && `?${query}`)} aria-current=${key === here ? 'page' : nothing} @click=${plainly(list.does(() => context.go(key)))}>${title}</a>`)}</section>`)}
      ${acts.length ? html`<section class="enc-acts">${acts.map(([text, act]) => html`<button type="button" @click=${list.does(act)}>${text}</button>`)}</section>` : nothing}`;
  });
  const others = el('button', { type: 'button', class: 'enc-pill enc-others', 'aria-expanded': 'false' }, 'Other sentences', el('span', { 'aria-hidden': 'true' }, ' ▾'));
  const choices = el('div', { class: 'enc-menu enc-other-list', hidden: true, role: 'group', 'aria-label': 'Other sentences' });
  const offered = fold(others, choices, () => html`${(options().examples ?? []).filter(text => text !== store.get().sentence).map(text => html`
    <button type="button" dir="auto" translate="no" lang="" @click=${offered.does(() => store.set({ sentence: text, second: '' }, { push: true }))}>${text.replace('[MASK]', '____')}</button>`)}
    ${ways.map(([text, act], i) => html`<button type="button" class=${i ? nothing : 'enc-first-way'} @click=${offered.does(act)}>${text}</button>`)}`);

  const leave = el('button', { type: 'button', class: 'enc-pill enc-leave', 'aria-label': LEAVE, title: LEAVE, onclick: () => acts.find(([, , key]) => key === 'p')?.[1]() }, '×');
  return {
    element,
    code: kept.code,
    renew: kept.renew,
    draw() {
      kept.draw();
      const { page, pages, models, closed, examples, menu: has, reads = true } = options(), { model } = store.get(), onStart = page === 'start';
      const listed = models.some(one => one.name === model) ? models : [...models, { name: model, title: model }];
      open.hidden = pages.length < 2 || has === false;
      field.form.hidden = onStart || Boolean(closed) || !reads;
      others.hidden = field.form.hidden || !(ways.length || examples?.length);
      if (focused(element) !== field.input) field.input.value = typed();
      into(html`${open}<span class="enc-title">${onStart ? 'See how an encoder thinks' : pages.find(one => one.key === page)?.title}</span><span class="enc-room"></span>${field.form}${others}
        <select class="enc-pill" aria-label="Model" ?hidden=${models.length < 2 || !reads} @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => store.set({ model: target.value }, { push: true })}>
          ${listed.map(({ name, title }) => html`<option value=${name} .selected=${live(name === model)}>${title}</option>`)}</select>
        <button type="button" class="enc-pill enc-own" ?hidden=${!onStart || closed} @click=${() => root.dispatchEvent(new CustomEvent('enc-own'))}><span class="enc-wide">Type your </span>own sentence</button>${kept.element}${leave}${menu}${choices}`, element);
    },
    end: () => [list, offered, kept].forEach(one => one.end()),
  };
}

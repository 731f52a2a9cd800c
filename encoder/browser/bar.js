// @ts-check
// The one bar: menu, page, sentence, model, keep.
import { AS_IS, el, focused, write, put } from './dom.js';
import { fold } from './controls.js';
import { keep } from './keep.js';
import { inMask } from './run.js';

/** A line to write a sentence into. A sandboxed frame lets no form be sent, so it is none. @param {(sentence: string) => void} run @param {string} label */
export function sentenceField(run, label) {
  const input = el('input', { type: 'text', class: 'enc-sentence', 'aria-label': label, autocomplete: 'off', spellcheck: 'false', maxlength: '20000', dir: 'auto', enterkeyhint: 'go' });
  const ask = () => {
    const sentence = input.value.trim();
    if (sentence) run(sentence);
  };
  const form = el('div', { class: 'enc-form' }, input);
  input.onkeydown = event => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    ask();
  };
  return { form, input, ask };
}

/**
 * @param {HTMLElement} root
 * @param {import('./mount.js').Context} context
 * @param {[text: string, act: () => void][]} [ways] what else can be done with the sentence, below the other ones
 * @param {[text: string, act: () => void][]} [acts] what can be done on every page, at the end of the menu
 */
export function bar(root, context, ways = [], acts = []) {
  const { options, store } = context;
  const menu = el('nav', { class: 'enc-menu', hidden: true, 'aria-label': 'Pages' });
  const open = el('button', { type: 'button', class: 'enc-menu-button', 'aria-label': 'Menu', 'aria-expanded': 'false' }, '☰');
  const title = el('span', { class: 'enc-title' });
  /** The sentence as the model's mask is written. */
  const typed = () => inMask(store.get().sentence, context.mask());
  const field = sentenceField(text => {
    store.set({ sentence: text === typed() ? store.get().sentence : text, second: '' }, { push: true });
    field.input.blur();
  }, 'Sentence');
  put(field.form, { role: 'search' });
  field.input.onblur = () => { if (!field.input.value.trim()) field.input.value = typed(); }; // an empty line is none
  const others = el('button', { type: 'button', class: 'enc-menu-button enc-others', 'aria-label': 'Other sentences', 'aria-expanded': 'false' }, '▾');
  const choices = el('div', { class: 'enc-menu enc-other-list', hidden: true, role: 'group', 'aria-label': 'Other sentences' });
  const own = el('button', { type: 'button', class: 'enc-pill enc-own', onclick: () => root.dispatchEvent(new CustomEvent('enc-own')) }, el('span', { class: 'enc-wide' }, 'Type your '), 'own sentence');
  const model = el('select', { class: 'enc-pill', 'aria-label': 'Model', onchange: () => store.set({ model: model.value }, { push: true }) });
  const kept = keep(root, context);
  const element = el('header', { class: 'enc-bar' }, open, title, el('span', { class: 'enc-room' }), field.form, others, model, own, kept.element, menu, choices);
  const links = () => /** @type {HTMLElement[]} */ ([...menu.querySelectorAll('a, button')]);
  const list = fold(open, menu, { items: links, fill, first: () => links().find(one => one.hasAttribute('aria-current')) ?? links()[0] });

  const offered = fold(others, choices, {
    items: () => /** @type {HTMLElement[]} */ ([...choices.children]),
    fill: () => choices.replaceChildren(...(options().examples ?? []).filter(text => text !== store.get().sentence).map(text => el('button', {
      ...AS_IS, type: 'button', dir: 'auto', onclick: () => {
        offered.unfold(false);
        others.focus();
        store.set({ sentence: text, second: '' }, { push: true });
      },
    }, text.replace('[MASK]', '____'))), ...ways.map(([text, act], i) => el('button', {
      type: 'button', class: i ? null : 'enc-first-way', onclick: () => {
        offered.unfold(false);
        act();
      },
    }, text))),
  });

  function fill() {
    const query = new URLSearchParams(store.along()).toString();
    const { pages } = options(), groups = [...new Set(pages.map(page => page.group ?? ''))];
    menu.replaceChildren(...groups.map(group => el('section', {}, ...(group ? [el('h2', {}, group)] : []), ...pages.filter(page => (page.group ?? '') === group).map(page => el('a', {
      href: page.address + (query && `?${query}`),
      'aria-current': page.key === options().page ? 'page' : null,
      onclick: (/** @type {MouseEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
        event.preventDefault();
        list.unfold(false);
        context.go(page.key);
      },
    }, page.title)))));
    if (acts.length) menu.append(el('section', { class: 'enc-acts' }, ...acts.map(([text, act]) => el('button', { type: 'button', onclick: () => {
      list.unfold(false);
      open.focus();
      act();
    } }, text))));
  }

  return {
    element,
    code: kept.code,
    draw() {
      kept.draw();
      const { page, pages, models } = options(), state = store.get(), onStart = page === 'start';
      title.hidden = Boolean(options().headed);
      write(title, onStart ? 'See how an encoder thinks' : pages.find(one => one.key === page)?.title ?? '');
      open.hidden = pages.length < 2 || options().menu === false;
      field.form.hidden = onStart || Boolean(options().closed);
      others.hidden = field.form.hidden || !(ways.length || options().examples?.length);
      if (focused(element) !== field.input) field.input.value = typed();
      own.hidden = !onStart || Boolean(options().closed);
      const listed = models.some(one => one.name === state.model) ? models : [...models, { name: state.model, title: state.model }];
      if (model.options.length !== listed.length || listed.some((one, i) => model.options[i].value !== one.name || model.options[i].text !== one.title)) {
        model.replaceChildren(...listed.map(one => el('option', { value: one.name }, one.title)));
      }
      model.value = state.model;
      model.hidden = models.length < 2;
    },
    end() {
      list.end();
      offered.end();
      kept.end();
    },
  };
}

// @ts-check
// Which word is spoken of, and which one it is held against: chosen from what is guessed, or typed.
import { html, live, nothing, render as into } from './lit.js';
import { el } from './dom.js';

/** What is offered: words that are guessed; the chosen ones, "" for the usual; what the usual ones are called; `closed` where none can be typed, `alone` where none is held against another. @typedef {{words: string[], guess: string, over: string, first: string, usual: string, wrong?: string, closed?: boolean, alone?: boolean}} Pair */
const OTHER = '\u0000'; // stands for a word that is typed

/** @param {(changes: {guess?: string, over?: string}) => void} choose */
export function wordPair(choose) {
  const element = el('div', { class: 'enc-pair', role: 'group', 'aria-label': 'Words that compete' });
  /** Which of both is being typed. @type {'guess' | 'over' | ''} */
  let typing = '';
  /** @type {Pair} */
  let shown;

  /** @param {'guess' | 'over'} name @param {string} value */
  function take(name, value) {
    typing = value === OTHER ? name : '';
    if (typing) {
      render();
      element.querySelector('input')?.focus();
    } else choose({ [name]: value, ...(value && name === 'guess' && value === shown.over ? { over: '' } : {}) });
  }
  /** @param {'guess' | 'over'} name @param {string} label @param {string} usual what "" stands for */
  function field(name, label, usual) {
    const value = shown[name], listed = [...new Set([...shown.words, ...(value ? [value] : [])])].filter(word => word !== usual && (name === 'guess' || word !== (shown.guess || shown.first)));
    if (typing === name) {
      return html`<form @submit=${(/** @type {SubmitEvent} */ event) => { event.preventDefault(); take(name, /** @type {HTMLInputElement} */ (element.querySelector('input')).value.trim()); }}>
        <input type="text" size="12" maxlength="100" autocomplete="off" aria-label="${label}: a word of the vocabulary" @keydown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === 'Escape') { event.stopPropagation(); typing = ''; render(); } }}></form>`;
    }
    return html`<select aria-label=${label} data-pair=${name} @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => take(name, target.value)}>
      ${['', ...listed, ...(shown.closed ? [] : [OTHER])].map(word => html`<option value=${word} .selected=${live(word === value)}>${word === OTHER ? 'another word …' : word || usual}</option>`)}</select>`;
  }
  function render() {
    const what = shown.closed ? 'label' : 'word';
    into(html`${field('guess', `The ${what}`, shown.first)}${shown.alone ? nothing : html`<span>${shown.closed ? 'against' : 'over'}</span>${field('over', `The ${what} that it is held against`, shown.usual)}`}${shown.wrong ? html`<span class="enc-pair-wrong" role="alert">${shown.wrong}</span>` : nothing}`, element);
  }
  return {
    element,
    /** @param {Pair} pair */
    draw(pair) {
      shown = pair;
      render();
    },
  };
}

// @ts-check
// Terms explained where they stand: one sentence on hover, focus or tap. The glossary has them, encoder/model/steps/glossary.json.
import glossary from '../model/steps/glossary.json' with { type: 'json' };
import { AS_IS, el } from './dom.js';
import { html } from './lit.js';
import { set } from './say.js';

/** @type {Map<string, string>} */
const MEANINGS = new Map(/** @type {{words?: string[], meaning: string}[]} */ (glossary).flatMap(({ words = [], meaning }) => words.map(word => [word.toLowerCase(), meaning])));
const WORDS = new RegExp(`(?<![\\p{L}_])(${[...MEANINGS.keys()].sort((a, b) => b.length - a.length).map(word => word.replace(/[[\]]/g, '\\$&')).join('|')})(?![\\p{L}_])`, 'giu');
const BESIDE = 6; // px between a term and what is said of it
const REST = 250; // ms that a pointer rests on a term: what moves under it is not meant

/** A text in which each term can be asked for what it means, where it first stands. @param {string} text @param {Set<string>} [told] meanings that texts before it have */
export function explained(text, told = new Set()) {
  return text.split(WORDS).map((part, i) => {
    const meaning = i % 2 ? MEANINGS.get(part.toLowerCase()) ?? '' : '';
    if (!meaning || told.has(meaning)) return part;
    told.add(meaning);
    return html`<span class="enc-term" role="button" tabindex="0" aria-describedby="enc-tip" data-means=${meaning}>${part}</span>`;
  });
}

/** The same of a sentence in parts, whose words and numbers a translator leaves as they are. @param {import('./say.js').Part[]} all @param {Set<string>} [told] */
export const explainedParts = (all, told = new Set()) => all.map(part => (part.name ? asIs(set(part)) : explained(part.text, told)));

/** What a translator leaves as it is. @param {string} text */
export const asIs = text => html`<bdi translate=${AS_IS.translate} lang=${AS_IS.lang}>${text}</bdi>`;

/** Shows what the terms within an element mean. @param {HTMLElement} root @param {AbortSignal} signal */
export function meanings(root, signal) {
  const tip = el('div', { class: 'enc-tip', id: 'enc-tip', role: 'tooltip', hidden: true });
  root.append(tip);
  /** @type {HTMLElement | null} */
  let term = null;
  function place() {
    tip.hidden = !term?.isConnected;
    if (!term || tip.hidden) return;
    tip.textContent = term.dataset.means ?? '';
    const { left, top, bottom } = term.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: high } = tip;
    tip.style.left = `${Math.max(8, Math.min(left, innerWidth - wide - 8))}px`;
    tip.style.top = `${bottom + BESIDE + high > innerHeight ? top - BESIDE - high : bottom + BESIDE}px`;
  }
  let resting = 0;
  const show = (/** @type {HTMLElement | null} */ one, after = 0) => {
    clearTimeout(resting);
    if (after && one) resting = window.setTimeout(() => show(one), after);
    else { term = one; place(); }
  };
  for (const name of ['pointerover', 'focusin', 'click']) {
    root.addEventListener(name, event => { const [at] = event.composedPath(); show(at instanceof HTMLElement ? at.closest('.enc-term') : null, name === 'pointerover' ? REST : 0); });
  }
  root.addEventListener('focusout', () => show(null));
  root.addEventListener('keydown', ({ key }) => { if (key === 'Escape') show(null); });
  document.addEventListener('scroll', place, { capture: true, passive: true, signal });
}

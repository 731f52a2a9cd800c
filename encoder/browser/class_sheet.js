// @ts-check
// The sheet of a pupil: what they answered, sent and saw in a class. This browser alone keeps it, until the tab is closed.
import { html, nothing, repeat } from './lit.js';
import { saved } from './keep.js';
import { keptIn } from './kept.js';

const KEPT = 'class-sheet', SEEN = 3; // observations
const STYLE = 'body { font: 17px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 0.3rem; } p { margin: 0.2rem 0; } .line { border-bottom: 1px solid #999; min-height: 1.6rem; }';
const ofTab = keptIn(() => sessionStorage);

/** `own` is what was answered in each vote. @typedef {{ask: string, sentence: string, own: string[], said: string, right: boolean | null}} Answered */
/** @typedef {{code: string, answers: Record<string, Answered>, sentences: string[], seen: string[]}} Sheet */

/** The sheet of a class in this tab. @param {string} code @returns {Sheet} */
export function sheetOf(code) {
  try {
    const found = JSON.parse(ofTab.getItem(KEPT) ?? '');
    if (found.code === code || !code) return found;
  } catch { /* there is none */ }
  return { code, answers: {}, sentences: [], seen: Array(SEEN).fill('') };
}

/** @param {Sheet} sheet */
export const keepSheet = sheet => ofTab.setItem(KEPT, JSON.stringify(sheet));

/** @param {Sheet} sheet */
export const isEmpty = sheet => !Object.keys(sheet.answers).length && !sheet.sentences.length && !sheet.seen.some(Boolean);

/** @param {boolean | null} right */
const judged = right => (right === null ? '' : right ? ' Right.' : ' Not this time.');
/** What was answered, and how that went. @param {Answered} one */
const told = ({ own, right, said }) => [`You answered ${own.filter(Boolean).map(text => `“${text}”`).join(', then ')}.${judged(right)}`, said];

/** @param {Sheet} sheet */
export const sheetView = sheet => html`${Object.entries(sheet.answers).map(([number, one]) => html`<section><h3>${number}. ${one.ask}</h3>${told(one).map(text => (text ? html`<p class="enc-small">${text}</p>` : nothing))}</section>`)}
  <p>Three things I saw</p>${repeat(sheet.seen.map((_, i) => i), i => `${sheet.code} ${i}`, i => html`<input type="text" class="enc-sentence" maxlength="300" aria-label="Observation ${i + 1}" placeholder="${i + 1}." .value=${sheet.seen[i]} @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => { sheet.seen[i] = target.value; keepSheet(sheet); }}>`)}
  <button type="button" class="enc-pill enc-class-first" data-class="sheet_save" @click=${() => saveSheet(sheet)}>Save my sheet</button><p class="enc-small">A page to print and hand in. Nobody else has it.</p>`;

/** Saves the sheet as one page. @param {Sheet} sheet */
export function saveSheet({ code, answers, sentences, seen }) {
  const page = document.implementation.createHTMLDocument(`My sheet, class ${code}`);
  /** @param {string} tag @param {string} text @param {string} [kind] */
  const put = (tag, text, kind = '') => { const element = page.createElement(tag); element.textContent = text; element.className = kind; page.body.append(element); };
  page.documentElement.lang = 'en';
  page.head.append(Object.assign(page.createElement('style'), { textContent: STYLE }));
  put('h1', `Class ${code}, ${new Date().toLocaleDateString()}`);
  put('p', 'Name:', 'line');
  for (const [number, one] of Object.entries(answers)) {
    put('h2', `${number}. ${one.ask}`);
    for (const text of [one.sentence, ...told(one)].filter(Boolean)) put('p', text);
  }
  if (sentences.length) put('h2', 'My sentences');
  for (const sentence of sentences) put('p', sentence);
  put('h2', 'Three things I saw');
  for (const text of seen) put('p', text, 'line');
  saved({ name: `my_sheet_${code}.html`, data: new Blob([`<!doctype html><meta charset="utf-8">${page.documentElement.outerHTML}`], { type: 'text/html' }) });
}

// @ts-check
// The sheet of a pupil: what they answered, sent and saw in a class; and that of the teacher. This browser alone keeps it, until the tab is closed.
import { el } from './dom.js';
import { html, nothing, render as into, repeat } from './lit.js';
import { saved } from './save_menu.js';
import { keptIn } from './browser_storage.js';
import { letters } from './still.js';

const KEPT = 'class-sheet', SEEN = 3; // observations
const VOTES = ['First vote', 'Second vote'];
const STYLE = `body { font: 17px/1.5 "Source Sans", system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; } body > h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 1.6rem 0 0.3rem; } p { margin: 0.2rem 0; } .line { border-bottom: 1px solid #999; min-height: 1.6rem; }
  td, th { text-align: start; padding: 3px 14px 3px 0; } .right { font-weight: 700; } section { break-inside: avoid; } figure { margin: 8px 0; overflow: hidden; border: 1px solid #ccc; }
  figure > .enc { min-height: 0; zoom: min(1, calc(700 / var(--wide))); print-color-adjust: exact; -webkit-print-color-adjust: exact; } @media print { figure > .enc[data-theme=dark] { filter: invert(1) hue-rotate(180deg); } }`;
const ofTab = keptIn(() => sessionStorage);

/** `own` is what was answered in each vote. @typedef {{ask: string, sentence: string, own: string[], said: string, right: boolean | null}} Answered */
/** `pictures` are as they stood on this screen, by the number of the question, in `styles`. @typedef {{code: string, answers: Record<string, Answered>, sentences: string[], seen: string[], pictures: Record<string, string>, styles: string[]}} Sheet */

/** The sheet of a class in this tab. @param {string} code @returns {Sheet} */
export function sheetOf(code) {
  try {
    const found = JSON.parse(ofTab.getItem(KEPT) ?? '');
    if (found.code === code || !code) return found;
  } catch { /* there is none */ }
  return { code, answers: {}, sentences: [], seen: Array(SEEN).fill(''), pictures: {}, styles: [] };
}

/** Keeps it; where a browser has no room for the pictures, without them until the tab is loaded anew. @param {Sheet} sheet */
export function keepSheet(sheet) {
  try {
    ofTab.setItem(KEPT, JSON.stringify(sheet));
  } catch {
    ofTab.setItem(KEPT, JSON.stringify({ ...sheet, pictures: {}, styles: [] }));
  }
}

/** @param {Sheet} sheet */
export const isEmpty = sheet => !Object.keys(sheet.answers).length && !sheet.sentences.length && !sheet.seen.some(Boolean);

/** How an answer went, behind it. @param {boolean | null} right */
export const judged = right => (right === null ? '.' : right ? ': right.' : ': not this time.');
/** What was answered, and how that went. @param {Answered} one */
const told = ({ own, right, said }) => [`You answered ${own.filter(Boolean).map(text => `“${text}”`).join(', then ')}${judged(right)}`, said];

/** @param {Sheet} sheet */
export const sheetView = sheet => html`${Object.entries(sheet.answers).map(([number, one]) => html`<section><h3>${number}. ${one.ask}</h3>${told(one).map(text => (text ? html`<p class="enc-small">${text}</p>` : nothing))}</section>`)}
  <p>Three things I saw</p>${repeat(sheet.seen.map((_, i) => i), i => `${sheet.code} ${i}`, i => html`<input type="text" class="enc-sentence" maxlength="300" aria-label="Observation ${i + 1}" placeholder="${i + 1}." .value=${sheet.seen[i]} @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => { sheet.seen[i] = target.value; keepSheet(sheet); }}>`)}
  <button type="button" class="enc-pill enc-class-first" data-class="sheet_save" @click=${() => saveSheet(sheet)}>Save my sheet</button><p class="enc-small">One page with the pictures, to print and hand in. Nobody else has it.</p>`;

/** The place of a picture, which is set in when the page is written: nothing else of it is read as HTML. @param {string} number */
const placed = number => html`<figure data-of=${number}></figure>`;
const PLACE = /<figure data-of="(\d+)"><\/figure>/g;

/** Saves a page. @param {string} name @param {string} title @param {Sheet} sheet with the pictures @param {unknown} inside */
async function savePage(name, title, { pictures, styles }, inside) {
  const body = el('body'), wears = [await letters(), ...styles, STYLE].join('\n');
  into(html`<h1>${title}, ${new Date().toLocaleDateString()}</h1>${inside}`, body);
  const text = body.outerHTML.replace(/<!--.*?-->/g, '').replace(PLACE, (_, number) => (pictures[number] ? `<figure>${pictures[number]}</figure>` : ''));
  saved({ name, data: new Blob([`<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${wears}</style>${text}</html>`], { type: 'text/html' }) });
}

/** Saves what a pupil hands in. @param {Sheet} sheet */
export const saveSheet = sheet => savePage(`my_sheet_${sheet.code}.html`, `Class ${sheet.code}`, sheet, html`<p class="line">Name:</p>
  ${Object.entries(sheet.answers).map(([number, one]) => html`<section><h2>${number}. ${one.ask}</h2>${[one.sentence, ...told(one)].map(text => (text ? html`<p>${text}</p>` : nothing))}${placed(number)}</section>`)}
  ${sheet.sentences.length ? html`<h2>My sentences</h2>${sheet.sentences.map(text => html`<p>${text}</p>`)}` : nothing}<h2>Three things I saw</h2>${sheet.seen.map(text => html`<p class="line">${text}</p>`)}`);

/** Saves what a class answered, for its teacher. @param {Sheet} sheet @param {import('./in_class.js').Results[]} results */
export const saveAnswers = (sheet, results) => savePage(`class_${sheet.code}.html`, `Class ${sheet.code}`, sheet, results.length ? results.map(one => html`<section><h2>${one.number}. ${one.ask}</h2><p>${one.said}</p>
  ${one.scale ? one.scale.votes.map((votes, i) => html`<p>${VOTES[i]}: ${votes.join(', ')} ${one.scale?.unit}</p>`) : html`<table><tr><th></th>${one.of.map((_, i) => html`<th>${VOTES[i]}</th>`)}</tr>${one.lines.filter(({ votes, right }) => right || votes.some(Boolean)).map(({ text, votes, right }) => html`<tr class=${right ? 'right' : ''}><td>${text}</td>${votes.map((count, i) => html`<td>${count} <meter max=${one.of[i] || 1} value=${count}></meter></td>`)}</tr>`)}</table>`}${placed(String(one.number))}</section>`) : html`<p>Nothing was asked.</p>`);

// @ts-check
// Texts to read and copy, over the page.
import { el, focused, put, write } from './dom.js';

/** Copies a text; whether that was allowed. @param {string} text */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // without https the clipboard is closed
    return false;
  }
}

/** @param {HTMLElement} root */
export function told(root) {
  const title = el('h2', { id: 'enc-dialog-title' }), body = el('div', { class: 'enc-dialog-body' });
  const close = el('button', { type: 'button', class: 'enc-pill', onclick: () => dialog.close() }, 'Close');
  const dialog = el('dialog', { class: 'enc-dialog', 'aria-labelledby': 'enc-dialog-title' }, title, body, close);
  /** @type {HTMLElement | null} */
  let before = null;
  dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
  dialog.onclose = () => {
    dialog.remove();
    before?.focus();
  };
  /** @param {string} text @param {HTMLElement} field @param {HTMLElement} button */
  async function copy(text, field, button) {
    put(button, { 'aria-label': null }); // what it says now is its name
    if (await copied(text)) return write(button, 'Copied');
    getSelection()?.selectAllChildren(field); // what is chosen may be copied all the same
    write(button, document.execCommand('copy') ? 'Copied' : 'Press Ctrl and C to copy what is marked');
  }
  return {
    /** @param {string} name @param {[label: string, text: string, lines?: boolean][]} texts */
    show(name, texts) {
      write(title, name);
      body.replaceChildren(...texts.map(([label, text, lines]) => {
        const field = el(lines ? 'pre' : 'p', { tabindex: '0', class: 'enc-dialog-text' }, text);
        const button = el('button', { type: 'button', class: 'enc-pill', 'aria-label': label && !lines ? `Copy ${label.toLowerCase()}` : null, onclick: () => copy(text, field, button) }, 'Copy');
        return el('section', {}, ...(label ? [el('p', { class: 'enc-small' }, label)] : []), field, button);
      }));
      before = /** @type {HTMLElement | null} */ (focused(root));
      root.append(dialog);
      dialog.showModal();
    },
  };
}

// @ts-check
// Hands what the server shows to a part of the browser's own kit, and what is chosen there to the server.

import { leaveFor } from '../../front/class_screen.js';
import { post } from '../../front/post.js';

/** @typedef {(address: string, said: object) => Promise<any>} Ask */
/** @typedef {Record<string, (root: HTMLElement, shown: object, tell: (kind: string, said: unknown) => void, ask: Ask) => () => void>} Kit */

/** What ends each of them. @type {WeakMap<HTMLElement, () => void>} */
const ends = new WeakMap();

/** A link leads there within the app, unless it is to open beside it. @param {MouseEvent} event */
function follow(event) {
  const link = /** @type {Element} */ (event.target).closest('a[href]');
  if (!(link instanceof HTMLAnchorElement) || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  leaveFor(link.pathname, Object.fromEntries(new URLSearchParams(link.search)));
}

/** @param {ComponentArguments<{script: string, part: string}>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.kit'));
  root.addEventListener('click', follow);
  import(new URL(data.script, location.origin).href).then((/** @type {Kit} */ kit) => {
    if (root.isConnected) ends.set(root, kit[data.part](root, data, setTriggerValue, (address, said) => post(address, said, answer => answer.json())));
  });
  // A run that was overtaken by the next one ends late: what that one draws stays.
  return () => {
    if (root.isConnected) return;
    ends.get(root)?.();
    ends.delete(root);
  };
}

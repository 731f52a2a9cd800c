// @ts-check
// Hands what the server shows to the browser's code, and what is chosen there to the server.

import { post } from './post.js';

/** @typedef {(kind: 'go' | 'set', said: object) => void} Act */
/** @typedef {{drawBar: (root: HTMLElement, shown: object, act: Act) => () => void, drawPlace: (root: HTMLElement, shown: object, act: Act) => () => void}} Front */
/** @typedef {{script: string, part: string, run?: string, query?: [string, string][]}} Told */

/** What ends each of them. A run may hand over a new copy of this script. @type {WeakMap<HTMLElement, () => void>} */
const ends = /** @type {any} */ (globalThis).aroundEnds ??= new WeakMap();

/** @param {ComponentArguments<Told>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.around'));
  import(new URL(data.script, location.origin).href).then((/** @type {Front} */ front) => {
    if (!root.isConnected) return;
    const draw = data.part === 'place' ? front.drawPlace : front.drawBar;
    ends.set(root, draw(root, {
      ...data, query: Object.fromEntries(data.query ?? []), load: (/** @type {object} */ asked, /** @type {AbortSignal | undefined} */ signal) => post(data.run ?? '', asked, answer => answer.arrayBuffer(), signal),
    }, setTriggerValue));
  });
  // A run that was overtaken by the next one ends late: what that one draws stays.
  return () => {
    if (root.isConnected) return;
    ends.get(root)?.();
    ends.delete(root);
  };
}

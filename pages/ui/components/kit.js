// @ts-check
// Hands what the server shows to a part of the browser's own kit, and what is chosen there to the server.

/** @typedef {Record<string, (root: HTMLElement, shown: object, tell: (kind: string, said: unknown) => void) => () => void>} Kit */

/** What ends each of them. @type {WeakMap<HTMLElement, () => void>} */
const ends = new WeakMap();

/** @param {ComponentArguments<{script: string, part: string}>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.kit'));
  import(new URL(data.script, location.origin).href).then((/** @type {Kit} */ kit) => {
    if (root.isConnected) ends.set(root, kit[data.part](root, data, setTriggerValue));
  });
  // A run that was overtaken by the next one ends late: what that one draws stays.
  return () => {
    if (root.isConnected) return;
    ends.get(root)?.();
    ends.delete(root);
  };
}

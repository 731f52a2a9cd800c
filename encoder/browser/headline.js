// @ts-check
// The headline of a page, which is its finding for what is chosen, and beside it the layer and head where they mean something.
import { compose, el } from './dom.js';
import { radios } from './radios.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */

/** @param {import('./mount.js').Context} context @param {{layer?: boolean, head?: boolean}} [has] what is chosen beside it */
export function headline({ store }, { layer = true, head = true } = {}) {
  const finding = el('h1', { class: 'enc-finding', tabindex: '-1' });
  const layers = radios('layer', chosen => store.set({ layer: chosen })), heads = radios('head', chosen => store.set({ head: chosen }));
  const place = el('div', { class: 'enc-place' }, ...(layer ? [layers.element] : []), ...(head ? [heads.element] : []));
  /** @param {string} what @param {number} count */
  const counted = (what, count) => Array.from({ length: count }, (_, i) => ({ text: String(i), title: `${what} ${i}` }));
  return {
    element: el('div', { class: 'enc-headline' }, finding, ...(layer || head ? [place] : [])),
    finding,
    /** @param {Packet} run @param {Chosen} state @param {import('./say.js').Part[]} said */
    draw({ about: { model } }, state, said) {
      compose(finding, said);
      if (layer) layers.draw(counted('layer', model.layers), state.layer);
      if (head) heads.draw(counted('head', model.heads), state.head);
    },
  };
}

// @ts-check
// Heads as elements of a list or a grid: pointed at, chosen, and among them the arrow keys, with one stop of the tab key.
import { focused } from './dom.js';

/** @typedef {import('./claim.js').Head} Head */
/** @typedef {{point: (head: Head | null) => void, keep: (head: Head) => void}} Heard */

/** @param {HTMLElement} list @param {string} name the attribute that says which head an element is: "layer,head" @param {Heard} heard @param {boolean} [lines] whether a layer is a line, not a column */
export function among(list, name, { point, keep }, lines = false) {
  let at = '0,0';
  /** @param {EventTarget | null} target @returns {Head | null} */
  const headOf = target => {
    const element = target instanceof Element ? target.closest(`[${name}]`) : null;
    const [layer, head] = element?.getAttribute(name)?.split(',').map(Number) ?? [];
    return element ? { layer, head } : null;
  };
  /** @param {string} place */
  const elementAt = place => /** @type {HTMLElement | null} */ (list.querySelector(`[${name}="${place}"]`));
  /** Makes one element the stop of the tab key. @param {string} place */
  function rove(place) {
    elementAt(at)?.setAttribute('tabindex', '-1');
    at = place;
    elementAt(at)?.setAttribute('tabindex', '0');
  }
  list.onpointermove = event => { if (event.pointerType === 'mouse') point(headOf(event.target)); };
  list.onpointerleave = () => point(null);
  list.onclick = event => {
    const head = headOf(event.target);
    if (!head) return;
    rove(`${head.layer},${head.head}`);
    keep(head);
  };
  list.addEventListener('focusin', event => {
    const head = headOf(event.target);
    if (head && /** @type {Element} */ (event.target).matches(':focus-visible')) point(head);
  });
  list.addEventListener('focusout', () => point(null));
  list.onkeydown = event => {
    const here = headOf(event.target), all = list.querySelectorAll(`[${name}]`);
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      keep(here);
      return;
    }
    const { layer, head } = here, first = all[0].getAttribute(name), last = all[all.length - 1].getAttribute(name);
    const beside = [`${layer - 1},${head}`, `${layer + 1},${head}`], within = [`${layer},${head - 1}`, `${layer},${head + 1}`];
    const [left, right, up, down] = lines ? [...within, ...beside] : [...beside, ...within];
    const to = { ArrowLeft: left, ArrowRight: right, ArrowUp: up, ArrowDown: down, Home: first, End: last }[event.key];
    if (!to || !elementAt(to)) return;
    event.preventDefault();
    rove(to);
    elementAt(at)?.focus();
  };
  return {
    /** @param {Head} chosen @param {Head | null} pointed */
    show(chosen, pointed) {
      const place = `${chosen.layer},${chosen.head}`, before = list.querySelector('[aria-selected=true]');
      if (before?.getAttribute(name) !== place) {
        before?.setAttribute('aria-selected', 'false');
        elementAt(place)?.setAttribute('aria-selected', 'true');
        if (!list.contains(focused(list))) rove(place);
      }
      if (!elementAt(at) || !list.querySelector('[tabindex="0"]')) rove(place);
      list.querySelector('.enc-pointed')?.classList.remove('enc-pointed');
      if (pointed) elementAt(`${pointed.layer},${pointed.head}`)?.classList.add('enc-pointed');
    },
  };
}

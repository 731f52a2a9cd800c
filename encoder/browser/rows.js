// @ts-check
// Where each head looks from one word: a small row of cells for every head, layer by layer.
import { children, el, focused, put } from './dom.js';
import { percent, tight } from './number.js';
import { look, words } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {{layer: number, head: number}} Head */
const CELLS = 40; // words of a row up to which a thin line parts them
const FAINT = 0.02; // a share that leaves no cell in a long row

/**
 * The strip of all heads.
 * @param {HTMLElement} root
 * @param {{point: (head: Head | null) => void, keep: (head: Head) => void}} heard
 */
export function rows(root, { point, keep }) {
  const list = root.appendChild(el('div', { class: 'enc-rows', role: 'listbox', 'aria-label': 'All heads: where each looks' }));
  /** @type {Packet | null} */
  let drawn = null;
  let from = -1, at = '0,0', colour = '', size = '';

  /** @param {EventTarget | null} target @returns {Head | null} */
  const headOf = target => {
    const row = target instanceof Element ? target.closest('[data-head-row]') : null;
    const [layer, head] = row?.getAttribute('data-head-row')?.split(',').map(Number) ?? [];
    return row ? { layer, head } : null;
  };
  /** @param {string} place */
  const rowAt = place => /** @type {HTMLElement | null} */ (list.querySelector(`[data-head-row="${place}"]`));
  list.onpointermove = event => { if (event.pointerType === 'mouse') point(headOf(event.target)); };
  list.onpointerleave = () => point(null);
  list.onclick = event => {
    const head = headOf(event.target);
    if (head) keep(head);
  };
  list.addEventListener('focusin', event => {
    const head = headOf(event.target);
    if (head && /** @type {Element} */ (event.target).matches(':focus-visible')) point(head);
  });
  list.addEventListener('focusout', () => point(null));
  list.onkeydown = event => {
    const here = headOf(event.target), model = drawn?.about.model;
    if (!here || !model) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      keep(here);
      return;
    }
    const [layer, head] = { ArrowLeft: [here.layer - 1, here.head], ArrowRight: [here.layer + 1, here.head], ArrowUp: [here.layer, here.head - 1], ArrowDown: [here.layer, here.head + 1], Home: [0, 0], End: [model.layers - 1, model.heads - 1] }[event.key] ?? [-1, -1];
    if (layer < 0 || head < 0 || layer >= model.layers || head >= model.heads) return;
    event.preventDefault();
    rove(`${layer},${head}`);
    rowAt(at)?.focus();
  };
  /** Makes one row the stop of the tab key. @param {string} place */
  function rove(place) {
    rowAt(at)?.setAttribute('tabindex', '-1');
    at = place;
    rowAt(at)?.setAttribute('tabindex', '0');
  }

  /** @param {Packet} run @param {import('./run.js').Word} word */
  function fill(run, word) {
    const { layers, heads } = run.about.model, all = words(run);
    children(list, layers, layer => el('div', { role: 'group', class: 'enc-layer' }, el('span', { class: 'enc-layer-name', 'aria-hidden': 'true' }, `layer ${layer}`), el('canvas', { 'aria-hidden': 'true' }), el('div', { class: 'enc-layer-rows' })))
      .forEach((group, layer) => {
        put(group, { 'aria-label': `layer ${layer}` });
        const looks = Array.from({ length: heads }, (_, head) => look(run, layer, head, word).shares);
        children(group.children[2], heads, () => el('div', { role: 'option', tabindex: '-1', 'aria-selected': 'false' })).forEach((row, head) => {
          const most = looks[head].reduce((best, share, i, shares) => (share > shares[best] ? i : best), 0);
          const said = `head ${head} of layer ${layer}: ${all[most].name}, ${tight(percent(looks[head][most], 1))}`;
          put(row, { 'data-head-row': `${layer},${head}`, 'data-head': layer ? null : head, 'aria-label': said, title: said });
        });
        paint(/** @type {HTMLCanvasElement} */ (group.children[1]), looks, all.length);
      });
  }
  /** @param {HTMLCanvasElement} canvas @param {number[][]} looks @param {number} n */
  function paint(canvas, looks, n) {
    const pen = canvas.getContext('2d');
    if (!pen) return;
    const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    pen.scale(scale, scale);
    pen.fillStyle = colour;
    const w = width / n, h = height / looks.length, gap = n <= CELLS ? 1 : 0, line = h > 6 ? 2 : 1;
    looks.forEach((shares, row) => shares.forEach((share, i) => {
      if (!gap && share < FAINT) return;
      pen.globalAlpha = Math.min(1, 0.06 + 0.94 * Math.max(0, share || 0) ** 0.7);
      pen.fillRect(i * w, row * h, Math.max(0.5, w - gap), h - line);
    }));
  }

  return {
    /** @param {Packet} run @param {import('./run.js').Word} word @param {Head} chosen @param {Head | null} pointed */
    draw(run, word, chosen, pointed) {
      const seen = getComputedStyle(list).color, wide = `${list.clientWidth} ${devicePixelRatio}`;
      if (run !== drawn || word.position !== from || seen !== colour || wide !== size) {
        [drawn, from, colour, size] = [run, word.position, seen, wide];
        list.style.setProperty('--heads', String(run.about.model.heads));
        fill(run, word);
      }
      const place = `${chosen.layer},${chosen.head}`;
      const before = list.querySelector('[aria-selected=true]');
      if (before?.getAttribute('data-head-row') !== place) {
        before?.setAttribute('aria-selected', 'false');
        rowAt(place)?.setAttribute('aria-selected', 'true');
        if (!list.contains(focused(list))) rove(place);
      }
      if (!rowAt(at) || !list.querySelector('[tabindex="0"]')) rove(place);
      list.querySelector('.enc-pointed')?.classList.remove('enc-pointed');
      if (pointed) rowAt(`${pointed.layer},${pointed.head}`)?.classList.add('enc-pointed');
    },
    /** @param {string} text */
    name: text => put(list, { 'aria-label': text }),
  };
}

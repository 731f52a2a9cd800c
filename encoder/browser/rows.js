// @ts-check
// Where each head looks from one word: a small row of cells for every head, layer by layer.
import { among } from './among.js';
import { children, el, put } from './dom.js';
import { percent, tight } from './number.js';
import { apart, direction, looks, words } from './run.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./claim.js').Head} Head */
const CELLS = 40; // words of a row up to which a thin line parts them
const FAINT = 0.02; // of the largest share: what leaves no cell in a long row

/**
 * The strip of all heads.
 * @param {HTMLElement} root
 * @param {import('./among.js').Heard} heard
 */
export function rows(root, heard) {
  const list = root.appendChild(el('div', { class: 'enc-rows', role: 'listbox', 'aria-label': 'All heads: where each looks' }));
  /** @type {Packet | null} */
  let drawn = null;
  let from = -1, colour = '', size = '';
  const keys = among(list, 'data-head-row', heard);

  /** @param {Packet} run @param {import('./run.js').Word} word */
  function fill(run, word) {
    const { layers, heads } = run.about.model, all = words(run);
    const seen = looks(run, word).map(all => all.map(one => one.shares));
    const peak = seen.flat(2).reduce((most, share) => (share > most ? share : most), 0) || 1;
    children(list, layers, layer => el('div', { role: 'group', class: 'enc-layer' }, el('span', { class: 'enc-layer-name', 'aria-hidden': 'true' }, `layer ${layer}`), el('canvas', { 'aria-hidden': 'true' }), el('div', { class: 'enc-layer-rows' })))
      .forEach((group, layer) => {
        put(group, { 'aria-label': `layer ${layer}` });
        children(group.children[2], heads, () => el('div', { role: 'option', tabindex: '-1', 'aria-selected': 'false' })).forEach((row, head) => {
          const most = seen[layer][head].reduce((best, share, i, shares) => (share > shares[best] ? i : best), 0);
          const said = `head ${head} of layer ${layer}: ${apart(all[most].name)}, ${tight(percent(seen[layer][head][most], 1))}`;
          put(row, { 'data-head-row': `${layer},${head}`, 'data-head': layer ? null : head, 'aria-label': said, title: said });
        });
        paint(/** @type {HTMLCanvasElement} */ (group.children[1]), seen[layer], peak, direction(run) === 'rtl');
      });
  }
  /** @param {HTMLCanvasElement} canvas @param {number[][]} looks @param {number} peak the largest share @param {boolean} back whether the first word is at the right */
  function paint(canvas, looks, peak, back) {
    const pen = canvas.getContext('2d');
    if (!pen) return;
    const scale = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    pen.scale(scale, scale);
    pen.fillStyle = colour;
    const n = looks[0].length, w = width / n, h = height / looks.length, gap = n <= CELLS ? 1 : 0, line = h > 6 ? 2 : 1;
    looks.forEach((shares, row) => shares.forEach((share, i) => {
      if (!gap && share < FAINT * peak) return;
      pen.globalAlpha = Math.min(1, 0.06 + 0.94 * (Math.max(0, share || 0) / peak) ** 0.7);
      pen.fillRect((back ? n - 1 - i : i) * w, row * h, Math.max(0.5, w - gap), h - line);
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
      keys.show(chosen, pointed);
    },
  };
}

// @ts-check
// The rows of all heads, and how keys and a pointer walk among heads.
import { most } from './claim.js';
import { densityOf, el, focused } from './dom.js';
import { html, nothing, render as into } from './lit.js';
import { percent, tight } from './number.js';
import { apart, direction, looks, words } from './run.js';

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
    /** @param {Head | null} chosen @param {Head | null} pointed */
    show(chosen, pointed) {
      const place = chosen ? `${chosen.layer},${chosen.head}` : '0,0', before = list.querySelector('[aria-selected=true]');
      if (!chosen || before?.getAttribute(name) !== place) {
        before?.setAttribute('aria-selected', 'false');
        if (chosen) elementAt(place)?.setAttribute('aria-selected', 'true');
        if (!list.contains(focused(list))) rove(place);
      }
      if (!elementAt(at) || !list.querySelector('[tabindex="0"]')) rove(place);
      list.querySelector('.enc-pointed')?.classList.remove('enc-pointed');
      if (pointed) elementAt(`${pointed.layer},${pointed.head}`)?.classList.add('enc-pointed');
    },
  };
}

/** @typedef {import('./packet.js').Packet} Packet */
const CELLS = 40; // words of a row up to which a thin line parts them
const FAINT = 0.02; // of the largest share: what leaves no cell in a long row

/** The strip of all heads. @param {Heard} heard */
export function rows(heard) {
  const list = el('div', { class: 'enc-rows', role: 'listbox', 'aria-label': 'All heads: where each looks' });
  /** @type {Packet | null} */
  let drawn = null;
  let from = -1, colour = '', size = '';
  const keys = among(list, 'data-head-row', heard);

  /** @param {Packet} run @param {import('./run.js').Word} word */
  function fill(run, word) {
    const all = words(run), seen = looks(run, word).map(layer => layer.map(one => one.shares));
    const peak = seen.flat(2).reduce((most, share) => (share > most ? share : most), 0) || 1;
    into(seen.map((heads, layer) => html`<div role="group" class="enc-layer" aria-label="layer ${layer}"><span class="enc-layer-name" aria-hidden="true">${layer ? layer : `layer ${layer}`}</span><canvas aria-hidden="true"></canvas><div class="enc-layer-rows">${heads.map((shares, head) => {
      const said = `head ${head} of layer ${layer}: ${apart(all[most(shares)].name)}, ${tight(percent(shares[most(shares)], 1))}`;
      return html`<div role="option" tabindex="-1" aria-selected="false" data-head-row="${layer},${head}" data-head=${layer ? nothing : head} aria-label=${said} title=${said}></div>`;
    })}</div></div>`), list);
    list.querySelectorAll('canvas').forEach((canvas, layer) => paint(canvas, seen[layer], peak, direction(run) === 'rtl'));
  }
  /** @param {HTMLCanvasElement} canvas @param {number[][]} looks @param {number} peak the largest share @param {boolean} back whether the first word is at the right */
  function paint(canvas, looks, peak, back) {
    const pen = canvas.getContext('2d');
    if (!pen) return;
    const scale = densityOf(canvas), width = canvas.clientWidth, height = canvas.clientHeight;
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
    element: list,
    /** @param {Packet} run @param {import('./run.js').Word} word @param {Head | null} chosen @param {Head | null} pointed */
    draw(run, word, chosen, pointed) {
      const seen = getComputedStyle(list).color, wide = `${list.clientWidth} ${densityOf(list)}`;
      if (run !== drawn || word.position !== from || seen !== colour || wide !== size) {
        [drawn, from, colour, size] = [run, word.position, seen, wide];
        list.style.setProperty('--heads', String(run.about.model.heads));
        fill(run, word);
      }
      keys.show(chosen, pointed);
    },
  };
}

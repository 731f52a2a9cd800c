// @ts-check
// The spine: what each part of the model costs the guess, in the order of the data; a click goes to its page.
import { el, focused, reveal, rove, walkByKeys } from './dom.js';
import { html, nothing, render as into } from './lit.js';
import { both, percent, tight } from './number.js';
import { at } from './packet.js';
import { called, effects, LITTLE, moves, NOISE, wordAt, words } from './run.js';
import { parts as partsOf, say, set } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./say.js').Part} Said */
/** A part: `layer` is -1 for positions, `block` 0 for attention and 1 for feed-forward. @typedef {{layer: number, block: number}} Part */
/** What a part does: `cost` of the guess's share, or how far a vector moves, and a sentence. @typedef {Part & {cost: number, says: string}} Cost */

const LOW = 0.4; // of the largest, up to which what goes down has room below the line
const BLOCKS = ['attention', 'feed_forward'];

/** @param {Part | {layer: number, head: number}} part */
const nameOf = part => ('head' in part ? say('part_head', part) : part.layer < 0 ? 'positions' : say(`part_${BLOCKS[part.block]}`, { layer: part.layer }));

/** What a guess of this share does without a part that costs so much of it. @param {string} part @param {string} word @param {number} share @param {number} cost */
function without(part, word, share, cost) {
  if (Math.abs(cost) < LITTLE * share) return partsOf('part_stays', { part, word, after: percent(share - cost) });
  const [before, after] = both(share, share - cost);
  return partsOf(cost < 0 ? 'part_rises' : 'part_falls', { part, word, before, after });
}

/** The first guess of a run and its share, NaN for none. @param {Packet} run @returns {[word: string, share: number]} */
const guessOf = ({ about: { gap, guesses } }) => guesses[String(gap)]?.[0] ?? ['', NaN];

/** @param {Said[]} said */
const sentence = said => `${said.map(set).join('')}.`;

/**
 * What each part costs the run's first guess, or how far a word's last vector moves without it; [] where that was not tried.
 * @param {Packet} run @param {number} position of the word that is asked about where there is no guess
 * @returns {{of: string, unit: 'share' | 'moved', all: Cost[]}}
 */
export function costs(run, position) {
  const { parts, places, moved_parts: far, moved_places: farPlaces } = run.arrays, { off, model } = run.about, [first, share] = guessOf(run), word = off?.words.indexOf(first) ?? -1;
  const every = Array.from({ length: model.layers * 2 }, (_, i) => ({ layer: Math.floor(i / 2), block: i % 2 })), positions = { layer: -1, block: 0 };
  if (parts && first && word >= 0) {
    const own = (/** @type {Part} */ part, /** @type {number} */ after) => ({ ...part, cost: share - after, says: sentence(without(nameOf(part), first, share, share - after)) });
    return { of: first, unit: 'share', all: [...(places ? [own(positions, at(places, word))] : []), ...every.map(part => own(part, at(parts, part.layer, part.block, word)))] };
  }
  const asked = words(run)[wordAt(run, position)];
  if (!far || !asked) return { of: '', unit: 'moved', all: [] };
  const of = called(run, asked), mean = (/** @type {(token: number) => number} */ of) => Array.from({ length: asked.count }, (_, i) => of(asked.position + i)).reduce((a, b) => a + b, 0) / asked.count;
  const own = (/** @type {Part} */ part, /** @type {number} */ cost) => ({ ...part, cost, says: sentence(partsOf('part_moves', { part: nameOf(part), word: of, share: cost })) });
  return { of, unit: 'moved', all: [...(farPlaces ? [own(positions, mean(token => at(farPlaces, token)))] : []), ...every.map(part => own(part, mean(token => at(far, part.layer, part.block, token))))] };
}

/**
 * What the guess at a position does without a part or a head, in a real run; where the run has no guess, how far the last vector
 * of the word there moves. Without its full stop; [] where that was not tried, at what is not the first gap of a run that has
 * one, and where the model was never trained, so that its guess means nothing.
 * @param {Packet} run @param {Part | {layer: number, head: number}} part @param {number} position @returns {Said[]}
 */
export function withoutPart(run, part, position) {
  const [word, share] = guessOf(run), asked = words(run)[wordAt(run, position)], { gap, model } = run.about;
  if (!asked || (word && (position !== gap || model.untrained))) return [];
  const heads = 'head' in part && (word ? effects(run) : moves(run, asked)).find(one => one.layer === part.layer && one.head === part.head);
  const own = 'head' in part ? heads && (word ? -heads.change : heads.change) : costs(run, position).all.find(one => one.layer === part.layer && one.block === part.block)?.cost;
  if (typeof own !== 'number' || !Number.isFinite(own)) return [];
  return word ? without(nameOf(part), word, share, own) : partsOf('part_moves', { part: nameOf(part), word: called(run, asked), share: own });
}

/** What the chosen head alone does to the guess, of all that the attention of its layer does; "" where that was not tried. @param {Packet} run @param {Chosen} state */
function headAlone(run, { layer, head }) {
  const own = effects(run).find(one => one.layer === layer && one.head === head), share = guessOf(run)[1];
  return own ? ` Without head ${head} alone: ${both(share, share + own.change)[1]}.` : '';
}

/** Which part a page is about. @param {string} page @param {Chosen} state @returns {Part | null} */
function here(page, { layer, step }) {
  if (page === 'embedding') return { layer: -1, block: 0 };
  const block = { attention: 0, add_norm: step.startsWith('add_norm_2') || step === 'output' ? 1 : 0, feed_forward: 1 }[page];
  return block === undefined ? null : { layer, block };
}

/** @param {import('./mount.js').Context} context */
export function spine(context) {
  const element = el('section', { class: 'enc-spine', 'aria-label': 'What each part costs the guess', hidden: true }), list = el('div', { class: 'enc-spine-parts', role: 'toolbar', 'aria-label': 'Parts of the model, in the order of the data' });
  let pointed = -1;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  walkByKeys(list);
  const point = (/** @type {number} */ i) => { if (pointed !== i) { pointed = i; render(); } };
  list.addEventListener('pointerleave', () => point(-1));
  list.addEventListener('focusout', () => point(-1));

  /** @param {Part} part */
  function go({ layer, block }) {
    const { store } = context, key = layer < 0 ? 'embedding' : BLOCKS[block];
    const changes = layer < 0 ? {} : { layer, head: state.head };
    store.set({ ...changes, step: '', cell: '', number: '' });
    context.go(key, changes);
  }

  function render() {
    const found = run ? costs(run, state.word) : null, pages = context.options().pages;
    element.hidden = !found?.all.length;
    if (!found || element.hidden) return;
    // What positions cost is far more than what any layer does: their column is cut where the others end.
    const { of, unit, all } = found, most = Math.max(...all.filter(one => one.layer >= 0).map(one => Math.abs(one.cost)).filter(Number.isFinite), 1e-9), own = here(context.options().page, state);
    const mine = all.findIndex(one => one.layer === own?.layer && one.block === own?.block), told = all[pointed];
    const share = run ? guessOf(run)[1] : NaN, noisy = unit === 'share' && all.every(one => !(one.cost > NOISE * share)), down = all.some(one => -one.cost > LOW * most);
    list.classList.toggle('is-even', down);
    into(all.map((one, i) => {
      const listed = pages.some(page => page.key === (one.layer < 0 ? 'embedding' : BLOCKS[one.block]));
      return html`<button type="button" class="${i === mine ? 'is-here' : ''} ${one.block ? 'is-second' : ''}" aria-current=${i === mine ? 'step' : nothing} aria-disabled=${listed ? nothing : 'true'} data-part="${one.layer},${one.block}" data-cost=${one.cost} aria-label=${one.says} title=${one.says}
        @click=${() => { if (listed) go(one); }} @pointerenter=${() => point(i)} @focus=${() => point(i)}><i class=${one.cost < 0 ? 'is-below' : nothing} ?data-cut=${Math.abs(one.cost) > most} style="--share: ${Math.min(1, Math.abs(one.cost) / most).toFixed(4)}"></i></button>`;
    }), list);
    const buttons = /** @type {HTMLElement[]} */ ([...list.children]);
    if (!list.contains(focused(list)) || !buttons.some(one => one.tabIndex === 0)) rove(buttons, Math.max(0, mine));
    const says = told ? told.says : mine >= 0 ? `${all[mine].says}${context.options().page === 'attention' ? headAlone(/** @type {Packet} */ (run), state) : ''}` : unit === 'moved' ? `How far ${of} moves without each part` : noisy ? `No part alone costs “${of}” more than noise` : `What each part costs “${of}”, ${tight(percent(share, 1))}`;
    into(html`<p class="enc-spine-says">${says}</p>${list}`, element);
    if (mine >= 0) reveal(list, buttons[mine]);
  }
  return {
    element,
    /** @param {Packet} given @param {Chosen} chosen */
    draw(given, chosen) {
      [run, state] = [given, chosen];
      render();
    },
  };
}

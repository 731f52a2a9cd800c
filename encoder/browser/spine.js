// @ts-check
// The spine: what each part of the model costs the guess, in the order of the data; a click goes to its page.
import { el, focused, reveal, rove, walkByKeys } from './dom.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { both, percent, pointsLost, tight, times, typeset } from './number.js';
import { layerPackets } from './layer_packets.js';
import { wordPair } from './word_pair.js';
import { at } from './packet.js';
import { answerAt, answerStep, called, effects, isTried, labelsOf, LITTLE, maskToken, moves, NOISE, wordAt, words } from './run.js';
import { parts as partsOf, say, set } from './say.js';
import { toQuery } from './store.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./say.js').Part} Said */
/** A part: `layer` is -1 for positions, `block` 0 for attention and 1 for feed-forward. @typedef {{layer: number, block: number}} Part */
/** What a part does: `cost` of the guess's share, or how far a vector moves, and a sentence. @typedef {Part & {cost: number, says: string}} Cost */

const HARDLY = 0.05; // of a share: what costs a smaller part of it hardly matters
const LOW = 0.35; // of the largest, up to which what goes down has room below the line
const BLOCKS = ['attention', 'feed_forward'];

/** @param {Part | {layer: number, head: number}} part */
const nameOf = part => ('head' in part ? say('part_head', part) : part.layer < 0 ? 'positions' : say(`part_${BLOCKS[part.block]}`, { layer: part.layer }));

/** What a guess of this share does without a part that costs so much of it; `as` is how that is told. @param {string} part @param {string} word @param {number} share @param {number} cost @param {'part' | 'adding'} [as] */
function without(part, word, share, cost, as = 'part') {
  const [before, after] = both(share, share - cost);
  return partsOf(`${as}_${Math.abs(cost) < (as === 'adding' ? HARDLY : LITTLE) * share ? 'stays' : cost < 0 ? 'rises' : 'falls'}`, { part, word, before, after });
}

/** Whether a guess of this share hardly depends on what costs so much of it. @param {{share: number, cost: number}} loss */
export const hardlyMatters = ({ share, cost }) => Math.abs(cost) < HARDLY * share;

/** The first guess of a run and its share, NaN for none. @param {Packet} run @returns {[word: string, share: number]} */
const guessOf = ({ about: { gap, guesses } }) => guesses[String(gap)]?.[0] ?? ['', NaN];

/** @param {Said[]} said */
const sentence = said => `${said.map(set).join('')}.`.replaceAll(' %', '\u00a0%');

/** The shares of a word, and of the one that it is held against, as a run has them and without each part. @typedef {{word: string, other: string, now: number[], after: (part: Part) => number[], places: boolean}} Shares */

/** @param {string[]} names @param {number[]} shares @param {Packet['arrays']} arrays @param {number[]} which @returns {Shares} */
function sharesOf(names, shares, { parts, places }, which) {
  const [word, other = ''] = which.map(i => names[i]);
  return { word, other, now: which.map(i => shares[i]), places: Boolean(places), after: ({ layer, block }) => which.map(i => (layer < 0 ? at(places, i) : at(parts, layer, block, i))) };
}

/** Those of the first gap, of words that the run itself tells of; null where it does not. @param {Packet} run @param {string} [guess] "" for the first one @param {string} [over] "" for none */
function ownShares(run, guess = '', over = '') {
  const { about: { off }, arrays } = run, names = off?.words ?? [], which = [guess || guessOf(run)[0], ...(over ? [over] : [])].map(one => names.indexOf(one));
  return off?.shares && arrays.parts && which.every(i => i >= 0) && new Set(which).size === which.length ? sharesOf(names, off.shares, arrays, which) : null;
}

/** What a part costs of a share, or of a lead in nats, and a sentence. @param {Shares} shares @param {Part} part @returns {Cost} */
function costOf({ word, other, now, after }, part) {
  const then = after(part), lead = (/** @type {number[]} */ [one, against]) => Math.log(one) - Math.log(against), [before, left] = [now, then].map(other ? lead : ([share]) => share), name = nameOf(part);
  const says = !other ? without(name, word, before, before - left)
    : before * left < 0 ? partsOf('part_turns', { part: name, ...(before > 0 ? { word, other } : { word: other, other: word }), before: times(before), after: times(left) })
    : partsOf('part_lead', { part: name, ...(left < 0 ? { word: other, other: word } : { word, other }), before: times(before), after: times(left) });
  return { ...part, cost: before - left, says: sentence(says) };
}

/**
 * What each part costs a guess, or how far a word's last vector moves without it; [] where that was not tried.
 * @param {Packet} run @param {number} position of the word that is asked about where there is no guess @param {Shares | null} [shares] of what is spoken of: without them the first guess
 * @returns {{of: string, unit: 'share' | 'lead' | 'moved', all: Cost[]}}
 */
export function costs(run, position, shares = ownShares(run)) {
  const { moved_parts: far, moved_places: farPlaces } = run.arrays, { model } = run.about, every = Array.from({ length: model.layers * 2 }, (_, i) => ({ layer: Math.floor(i / 2), block: i % 2 })), positions = { layer: -1, block: 0 };
  if (shares) return { of: shares.word, unit: shares.other ? 'lead' : 'share', all: [...(shares.places ? [positions] : []), ...every].map(part => costOf(shares, part)) };
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
 * @param {Packet} run @param {Part | {layer: number, head: number}} part @param {number} position @param {'part' | 'adding'} [as] how it is told: of what is lost without it, or comes with it @returns {Said[]}
 */
export function withoutPart(run, part, position, as = 'part') {
  const known = lossOf(run, part, position);
  return !known ? [] : known.word ? without(nameOf(part), known.word, known.share, known.cost, as) : partsOf(`${as}_moves`, { part: nameOf(part), word: called(run, known.asked), share: known.cost });
}

/** What a part costs the guess at a position, of how large a share; or with no `word`, how far it moves the last vector. @param {Packet} run @param {Part | {layer: number, head: number}} part @param {number} position */
export function lossOf(run, part, position) {
  const [word, share] = guessOf(run), asked = words(run)[wordAt(run, position)], { gap, model } = run.about;
  if (!asked || (word && (!(labelsOf(run) ? isTried(run, asked) : position === gap) || model.untrained))) return null;
  const heads = 'head' in part && (word ? effects(run) : moves(run, asked)).find(one => one.layer === part.layer && one.head === part.head);
  const own = 'head' in part ? heads && (word ? -heads.change : heads.change) : costs(run, position).all.find(one => one.layer === part.layer && one.block === part.block)?.cost;
  return typeof own !== 'number' || !Number.isFinite(own) ? null : { word, share, cost: own, asked };
}

/** That other heads of its layer push against a head, where it alone costs the guess at a position more than all of them together; [] where it does not. @param {Packet} run @param {{layer: number, head: number}} head @param {number} position @returns {Said[]} */
export function othersPush(run, { layer, head }, position) {
  const [own, all] = [{ layer, head }, { layer, block: 0 }].map(part => lossOf(run, part, position));
  return own?.word && all && own.cost > Math.max(0, all.cost) + NOISE * own.share ? partsOf('heads_push', { layer, after: both(own.share, own.share - all.cost)[1] }) : [];
}

/** What the chosen head alone does to the guess, of all that the attention of its layer costs; "" where that was not tried. @param {Packet} run @param {Chosen} state */
function headAlone(run, { layer, head }) {
  const own = effects(run).find(one => one.layer === layer && one.head === head), share = guessOf(run)[1];
  return own ? ` Without head ${head} alone: ${both(share, share + own.change)[1]}.${othersPush(run, { layer, head }, run.about.gap).length ? ' The others push the other way.' : ''}` : '';
}

/** Which part a page is about. @param {string} page @param {Chosen} state @returns {Part | null} */
function here(page, { layer, step }) {
  if (page === 'embedding') return { layer: -1, block: 0 };
  const block = { attention: 0, add_norm: step.startsWith('add_norm_2') || step === 'output' ? 1 : 0, feed_forward: 1 }[page];
  return block === undefined ? null : { layer, block };
}

/** Leads to the page of a part of the model; what is open and chosen in a picture stays behind. @param {import('./mount.js').Context} context @param {string} page @param {import('./store.js').Changes} changes */
export function goTo({ store, go }, page, changes) {
  store.set({ ...changes, step: '', cell: '', number: '' });
  go(page, changes);
}

/** @param {import('./mount.js').Context} context */
export function spine(context) {
  const element = el('section', { class: 'enc-spine', 'aria-label': 'What each part costs', hidden: true }), list = el('div', { class: 'enc-spine-parts', role: 'toolbar', 'aria-label': 'Parts of the model, in the order of the data' });
  let pointed = -1;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  walkByKeys(list);
  const others = layerPackets(context, 12, () => render()), pair = wordPair(changes => context.store.set(changes));
  const box = el('div', { class: 'enc-spine-box' }), other = /** @type {HTMLDetailsElement} */ (el('details', {
    class: 'enc-spine-other', ontoggle: () => render(),
    onkeydown: (/** @type {KeyboardEvent} */ { key }) => { if (key === 'Escape') { other.open = false; /** @type {HTMLElement} */ (other.firstElementChild).focus(); } },
  }, el('summary', { 'aria-label': 'Another word', title: 'Another word, or two that compete' }, '▾'), box));
  const away = (/** @type {Event} */ event) => { if (other.open && !event.composedPath().includes(other)) other.open = false; };
  for (const event of ['pointerdown', 'focusin']) document.addEventListener(event, away);
  const point = (/** @type {number} */ i) => { if (pointed !== i) { pointed = i; render(); } };
  /** What is written below a column: the layer below its two. @param {Part} part */
  const short = ({ layer, block }) => (layer < 0 ? 'position' : block ? '' : layer ? String(layer) : `layer ${layer}`);
  list.addEventListener('pointerleave', () => point(-1));
  list.addEventListener('focusout', () => point(-1));

  /** @param {Part} part */
  const go = ({ layer, block }) => (layer < 0 ? goTo(context, 'embedding', {}) : goTo(context, BLOCKS[block], { layer, head: context.store.get().head }));

  /** The shares of what the address speaks of, at the gap that is chosen or else the first one; what is told where they are not here. @param {Packet} of @returns {{shares: Shares | null, wait: string, position: number}} */
  function spokenOf(of) {
    const { gap, guesses } = of.about, { guess, over, word } = state, position = guesses[String(answerAt(of, word))] ? answerAt(of, word) : gap, own = position === gap ? ownShares(of, guess, over) : null;
    if (own || !of.arrays.parts || (position === gap && !guess && !over)) return { shares: own, wait: '', position };
    const asks = { ...answerStep(of, 'probabilities', position), words: [guess, over], edits: '' }, there = others.get(of, asks);
    if (!there) return { shares: null, wait: others.why(of, asks) || 'Trying each part …', position };
    const { words: names, shares } = /** @type {{words: string[], shares: number[]}} */ (/** @type {unknown} */ (there.about));
    return { shares: sharesOf(names, shares, there.arrays, names.map((_, i) => i)), wait: '', position };
  }

  function render() {
    const { shares = null, wait = '', position = -1 } = run ? spokenOf(run) : {}, found = run ? costs(run, state.word, shares ?? undefined) : null, pages = context.options().pages;
    const hides = run && found?.unit === 'moved' && context.options().page === 'what_if' && !labelsOf(run) && !run.about.model.wordless && maskToken(run); // that page speaks of a run with a word hidden
    element.hidden = !found?.all.length || Boolean(hides);
    if (!run || !found || element.hidden) {
      into(nothing, element);
      return;
    }
    const { of, unit, all } = found, most = Math.max(...all.map(one => Math.abs(one.cost)).filter(Number.isFinite), 1e-9), own = here(context.options().page, state);
    const mine = all.findIndex(one => one.layer === own?.layer && one.block === own?.block), told = all[pointed], guesses = run.about.guesses[String(position)] ?? [];
    const share = shares?.now[0] ?? NaN, noisy = unit === 'share' && all.every(one => !(one.cost > NOISE * share)), down = all.some(one => -one.cost > LOW * most), usual = !state.guess && !state.over && position === run.about.gap;
    const written = (/** @type {number} */ cost) => (unit === 'share' ? pointsLost(share, share - cost) : typeset(unit === 'lead' ? cost.toFixed(1) : String(Math.round(100 * cost) || 0)));
    list.classList.toggle('is-even', down);
    list.classList.toggle('enc-old', Boolean(wait));
    into(all.map((one, i) => {
      const listed = pages.some(page => page.key === (one.layer < 0 ? 'embedding' : BLOCKS[one.block]));
      return html`<button type="button" class="${i === mine ? 'is-here' : ''} ${one.block ? 'is-second' : ''}" aria-current=${i === mine ? 'step' : nothing} aria-disabled=${listed ? nothing : 'true'} data-part="${one.layer},${one.block}" data-cost=${one.cost} aria-label=${one.says} title=${one.says}
        @click=${() => { if (listed) go(one); }} @pointerenter=${() => point(i)} @focus=${() => point(i)}><i class=${one.cost < 0 ? 'is-below' : nothing}  style="--share: ${(Math.abs(one.cost) / most).toFixed(4)}"></i><em aria-hidden="true">${written(one.cost)}</em><small aria-hidden="true">${short(one)}</small></button>`;
    }), list);
    const buttons = /** @type {HTMLElement[]} */ ([...list.children]);
    if (!list.contains(focused(list)) || !buttons.some(one => one.tabIndex === 0)) rove(buttons, Math.max(0, mine));
    const says = wait || (told ? told.says : mine >= 0 ? `${all[mine].says}${context.options().page === 'attention' && usual && !state.edits ? headAlone(run, state) : ''}` : unit === 'moved' ? `How much the last vector of ${of} changes without each part, in %` : noisy ? `No part alone costs “${of}” more than noise` : unit === 'lead' ? `Score that each part costs “${of}” over “${shares?.other}”` : `What each part costs “${of}” (${tight(percent(share, 1))})`);
    const spoken = state.edits ? `Unchanged run: ${says[0].toLowerCase()}${says.slice(1)}` : says;
    into(other.open ? pair.element : nothing, box);
    pair.draw({ words: guesses.map(([word]) => word), guess: state.guess, over: state.over, first: guesses[0]?.[0] ?? '', usual: labelsOf(run) ? 'no other label' : 'no other word', closed: Boolean(labelsOf(run)) });
    other.classList.toggle('is-away', context.options().page === 'output'); // which has its own: what is beside it stays where it is
    into(html`<p class="enc-spine-says" data-unit=${!wait && !told && mine < 0 && !noisy && unit === 'share' ? 'in percentage points' : nothing}>${unit === 'moved' ? explained(spoken) : spoken}</p>${guesses.length ? other : nothing}<p class="enc-spine-names" aria-hidden="true">position, then each<br>layer: attention, feed-forward</p>${list}
      ${unit === 'moved' ? nothing : html`<p class="enc-spine-key" aria-hidden="true"><b></b>${unit === 'lead' ? 'score' : 'percentage points'} lost<br><b></b>or gained without it</p>`}`, element);
    if (mine >= 0) reveal(list, buttons[mine]);
  }
  return {
    element,
    /** What can be saved. @returns {import('./save_menu.js').Kept[]} */
    pictures() {
      if (!run || element.hidden) return [];
      const { shares, wait, position } = spokenOf(run), { layer, head, word } = state;
      /** @type {Record<string, string>} */
      const asked = shares ? { why_token: String(Math.max(0, position)), why_word: shares.word, why_other: shares.other } : { why_token: String(words(run)[wordAt(run, word)]?.position ?? 0) };
      return wait ? [] : [{ picture: 'part_costs', name: 'What each part costs', query: { ...toQuery({ ...made({ ...state, edits: '' }), layer, head }), ...asked } }];
    },
    end() { for (const event of ['pointerdown', 'focusin']) document.removeEventListener(event, away); },
    /** What is changed costs nothing here: parts are tried in the run without it. @param {Packet} given @param {Chosen} chosen */
    draw(given, chosen) {
      [run, state] = [chosen.edits ? context.peek({ edits: '' }) : given, chosen];
      render();
      if (!run) context.fetch({ edits: '' }).then(found => { if (!run && state.edits) { run = found; render(); } }, () => null);
    },
  };
}

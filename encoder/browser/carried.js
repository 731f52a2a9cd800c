// @ts-check
// What is carried, on Compare: which heads take the change from one sentence to another to the gap, from which words; arrows that can be cut.
import { leads, told } from './controls.js';
import { bars } from './bars.js';
import { board } from './board.js';
import style from './carried.css';
import { brief, COUNTS, inFull, listed, same } from './claim.js';
import { layout, WHOLE } from './circuit_layout.js';
import { pairsOf } from './compare_runs.js';
import { dotStrip, median } from './dot_strip.js';
import { dress, focused, highIn, rove, themeOf, zoomOf } from './dom.js';
import { colourOf, css, gradient, inkOn } from './grid.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into, svg } from './lit.js';
import { made } from './load.js';
import { addingUp, percent, tight, typeset } from './number.js';
import { at } from './packet.js';
import { among } from './rows.js';
import { begins, called, calledToken, direction, isLed, labelsOf, LITTLE, quoted, whyNotLed, words } from './run.js';
import { behind, parts, say } from './say.js';
import { toQuery } from './store.js';
import { masked } from './switches.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} State */
/** @typedef {import('./say.js').Part} Part */
/** The shares of the two words, and the first guess with its share. @typedef {{shares: [number, number], first: [string, number]}} Guess */
/** What a packet of level 13 says of the heads of a pair; `why` and nothing of heads where nothing is to be carried, `why` and `kind` alone where the sentences are no pair. @typedef {{place: number, reads: number[], labels: string[], changed: number[], was: string, new: string, words: [string, string], leads: [number, number], flip: number, a: Guess, b: Guess, total: number, why?: string, kind?: string, heads: [number, number][], share: number, small: boolean, patched: Guess, lead: number, random: number[], all: number, everything: number, none: number}} Heads */
/** What one head takes from the pieces of a word to a position. @typedef {{head: [number, number], sources: number[], target: number, share: number, looks: [number, number]}} Edge */
/** @typedef {{edges: Edge[], together: number, where: {head: [number, number], share: number}[]}} Edges */
/** @typedef {{guess: Guess, lead: number, share: number}} Cut */
/** @typedef {{b: string, was: string, new: string, words: [string, string] | null, flip: number | null}} Change */
/** @typedef {{sentences: [string, string, string, string][], heads: [number, number][], control: [number, number][], share: number, random: number, over_half: number}} Sentences */
/** An arrow, a head of the board, or a word that is pointed at. @typedef {{edge?: string, head?: [number, number], word?: number} | null} Pointed */
/** A word as it is drawn, by the positions of its pieces; of `left` words that are left out. @typedef {{name: string, positions: number[], gap: boolean, left: number}} Shown */

const LEVEL = 13;
const TOUCH = 22; // pixels of an arrow that may be pressed
const LARGE = 37, SMALL = 23, LAYER = 44; // pixels of the words, and at each end of the room for the names of layers
const NAMED = 0.05; // of the change, from which on a head has its number on the board
const OVER = 1.005, LEAST = 0.005; // of the change: more than all of it, and less than what rounds to a percent
const FEW = 3; // guesses where there is no pair
const SECOND = 1000, SLOW = 3; // ms; seconds from which on it is said how many
const UNSHOWN = 'A sentence with a vulgar, sexual or insulting word, not shown'; // of the pairs that are shipped: it counts, and its text stays out
const NAME = 37, SCISSORS = 33, ASKS = 6, LONG = 10; // px of a name on an arrow around its texts, of the scissors in it, and before what asks for a cut; letters of its word
const SEVERAL = 'from several words', ASK = 'Cut it';
const ROW = 44, ROW_LEAST = 34, STEP = 8; // px of a row at most and at least, and between two
const AROUND = 196; // px of the bars above the page and the box below the rows
const BESIDE = 102, MENDS = 190; // px from the middle of the box to what mends a cut, and to its end
const ROOM_PHONE = 100, PHONE = 720;
const CLEAR_OF_BOX = 40, NAME_WIDE = 26, NAME_LOW = 28; // px on a phone: from the middle of the box to what stands beside it; how wide the name of an arrow is, and how far down at least
const NEIGHBOURS = [Infinity, 2, 1, 0]; // words kept beside those that arrows touch, where there is less and less room
const OTHER_WAY = 'the other way'; // why nothing is carried, in short
const TRAINING = 'training', BOARD = 'Each head alone, from every word';

/** A head in short: "4.1" is head 1 of layer 4. @param {readonly number[]} head */
const short = ([layer, head]) => brief({ layer, head });
/** Heads in their order, in short, where there is little room. @param {[number, number][]} heads */
const inOrder = heads => listed([...heads].sort((one, two) => one[0] - two[0] || one[1] - two[1]).map(short));
/** @param {Packet | null} packet @returns {any} */
const of = packet => packet?.about ?? null;
/** Whether two lists have the same heads. @param {readonly (readonly number[])[]} a @param {readonly (readonly number[])[]} b */
const alike = (a, b) => a.length === b.length && a.every(one => b.some(other => same(one, other)));
/** Whether two models give the same labels, or none. @param {string[]} a @param {string[]} b */
const sameNames = (a, b) => a.length === b.length && a.every((name, i) => name === b[i]);
/** How an address spells an edge. @param {Edge} edge */
const spelled = ({ head, sources, target }) => `${short(head)}:${sources[0]}-${target}`;
/** A word as it stands on an arrow. @param {string} word */
const cropped = word => (word.length > LONG ? `${word.slice(0, LONG - 1)}…` : word);
const scissors = html`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><g fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"><circle cx="5.2" cy="5.4" r="2.4"></circle><circle cx="5.2" cy="14.6" r="2.4"></circle><path class="cc-blade" d="M7.2 6.8L17 14.4"></path><path class="cc-blade" d="M7.2 13.2L17 5.6"></path></g></svg>`;

/** How much of a change some heads carry, in a headline. @param {number} share */
const ofChange = share => (share > OVER ? 'more than all' : typeset(percent(share)));

/** @param {{context: import('./mount.js').Context, root: HTMLElement, changed: () => void, choose: (b: string, also?: import('./store.js').Changes) => void}} given */
export function carried({ context, root, changed, choose }) {
  dress(root, style);
  const { store } = context, sheet = told(root);
  const [heads, edges, cuts, changes, sentences, other] = Array.from({ length: 6 }, () => layerPackets(context, LEVEL, changed));
  /** @type {Packet | null} */
  let run = null;
  /** @type {State} */
  let state;
  let b = '';
  /** What is drawn of the heads until the next is here. @type {{of: Packet, heads: Heads, each: import('./packet.js').Numbers} | null} */
  let last = null;
  /** @type {Pointed} */
  let pointed = null;
  let dot = -1, since = 0, ticking = 0; // when it began to be waited for
  /** @type {ReturnType<typeof among> | null} */
  let keys = null;
  /** The board that `keys` walk. @type {HTMLElement | null} */
  let watched = null;
  /** Whether an arrow was ever cut here: until then the thickest says that it can be. */
  let practised = false;
  /** The shares of many sentences, and of their control. @type {{of: Packet, groups: number[][]} | null} */
  let seen = null;
  const dark = matchMedia('(prefers-color-scheme: dark)'), phone = matchMedia(`(max-width: ${PHONE}px)`), sized = new ResizeObserver(() => after());

  /** Where the answer stands: at a gap, or a word with a label, the chosen one where it is one; that of a sentence behind its tokens. -1 for nowhere. @param {Packet | null} [a] */
  function place(a = run) {
    const labels = a && labelsOf(a);
    if (!a || !isLed(a)) return -1;
    if (labels?.of === 'sentence') return a.about.tokens.length;
    return words(a).find(word => (labels || word.gap) && word.position === store.get().word)?.position ?? a.about.gap;
  }
  /** The place of the answer in a sentence. */
  function placeSaid() {
    const labels = run && labelsOf(run);
    return labels?.of === 'sentence' ? 'the label' : labels ? quoted(wordAt(place())) : 'the gap';
  }
  /** Where heads look from to a place. @param {number} target @param {Heads} found */
  function fromWhere(target, found) {
    const { reads } = found, [only] = reads;
    if (target !== place() || !run) return `from ${quoted(wordAt(target))}`;
    return labelsOf(run)?.of !== 'sentence' ? `from ${placeSaid()}` : reads.length > 1 ? 'from the words' : `from ${calledToken(run, only)}`;
  }
  /** The words that compete, where both are chosen. */
  const competing = () => (state.guess && state.over ? [state.guess, state.over] : []);
  /** @param {string} step @param {number[]} index @param {{model?: string}} [also] */
  const asks = (step, index, also = {}) => ({ step, index, words: competing(), other: b, ...also });
  const asIndex = () => (place() < 0 ? [] : [place()]);
  const ofOther = () => asks('heads', asIndex(), { model: state.other_model });

  /** What B could be, the most telling first; null while that is on its way. @param {Packet} a @returns {Change[] | null} */
  function offered(a) {
    if (context.options().closed) return [];
    const hole = place(a), asked = { step: 'changes', index: hole < 0 ? [] : [hole] }, found = of(changes.get(a, asked));
    return found?.changes ?? (changes.why(a, asked) ? [] : null);
  }

  /** What is known of the pair, and what is not yet. */
  function known() {
    const a = /** @type {Packet} */ (run), asked = asks('heads', asIndex()), packet = place() >= 0 ? heads.get(a, asked) : null, sent = /** @type {Heads | null} */ (of(packet)), found = sent?.words ? sent : null, why = heads.why(a, asked) || (found ? '' : sent?.why ?? '');
    if (packet && found && !found.why) last = { of: a, heads: found, each: packet.arrays.each };
    else if (found || why || place() < 0) last = null;
    const shown = found ?? (last && last.of.about.model.digest === a.about.model.digest ? last.heads : null);
    const edged = found && !found.why ? asks('edges', [...asIndex(), ...found.heads.flat()]) : null, ways = /** @type {Edges | null} */ (edged && of(edges.get(a, edged)));
    const all = ways?.edges ?? [], open = state.cut.split(',').filter(Boolean), gone = all.filter(edge => open.includes(spelled(edge)));
    const cutting = gone.length ? asks('cut', [...asIndex(), ...gone.flatMap(({ head, sources, target }) => [...head, sources[0], target])]) : null;
    const after = /** @type {Cut | null} */ (cutting && of(cuts.get(a, cutting)));
    // What heads bring from so many words that none has an arrow.
    const spread = found && ways && packet ? found.heads.filter(head => !all.some(edge => same(edge.head, head))).map(head => ({ head, share: at(packet.arrays.each, ...head) })) : [];
    return { found, shown, why, all, ways, spread, gone, after, edgesWhy: edged ? edges.why(a, edged) : '', cutWhy: cutting ? cuts.why(a, cutting) : '' };
  }
  /** @typedef {ReturnType<typeof known>} Known */
  /** @type {Known} */
  let now;

  /** @returns {Part[]} */
  function headline() {
    const { found, gone, after, why } = now, a = /** @type {Packet} */ (run);
    if (!isLed(a)) return parts(whyNotLed(a), {});
    if (place() < 0) return parts('carried_no_gap', {});
    if (!found) return parts(!why ? coming(a) : b !== state.sentence ? 'carried_no_pair' : offered(a)?.length ? 'compare_equal' : 'carried_none', {});
    const { words: [first, second] } = found;
    if (found.why) return a.about.model.untrained ? parts('carried_untrained', { was: found.was, new: found.new }) : found.kind === OTHER_WAY ? parts('carried_other_way', { first, second }) : parts('carried_hardly', { first: found.a.first[0], before: found.a.first[1], second: found.b.first[0], after: found.b.first[1] });
    if (gone.length && after) {
      const given = { first, before: found.a.shares[0], now: after.guess.shares[0], second, rises: after.guess.shares[1] };
      const said = gone.length > 1 ? parts('carried_cuts', { count: gone.length, ...given }) : parts('carried_cut', { head: inFull([gone[0].head]), word: wordAt(gone[0].sources[0]), ...given });
      return after.share > LEAST && given.now > given.before ? behind(said, parts('carried_both_rise', { first, second })) : said;
    }
    const given = { heads: begins(inFull(found.heads)), share: ofChange(found.share), first, second };
    const count = found.heads.length, still = stays(found);
    if (still.length && !twoModels()) return behind(still, count === 1 ? parts('carried_still_one', { heads: given.heads, share: given.share, second }) : parts('carried_still_many', { second, count, share: given.share }));
    if (!found.small) return parts('carried_many', { first, second, count, share: given.share });
    const turns = found.a.first[0] === first && found.patched.first[0] === second;
    const inB = twoModels();
    if (inB) return [...parts('carried_in_model', { model: titleOf(state.model), heads: inFull(found.heads), share: given.share }), ...parts('carried_in_other', { model: titleOf(state.other_model), heads: inFull(inB.heads), share: ofChange(inB.share) })];
    return parts(count === 1 ? 'carried_one' : 'carried_few', { ...given, to: turns ? 'to' : 'towards' });
  }
  /** That B says what A says, where it does, and how sure it is of it. @param {Heads} found */
  function stays({ a: { first: [guess, before] }, b: { first: [other, after] } }) {
    return guess !== other ? [] : parts(Math.abs(after - before) < LITTLE * before ? 'carried_still_same' : after < before ? 'carried_still_less' : 'carried_still_more', { guess, before, after });
  }
  /** @param {Packet} a */
  const coming = a => (labelsOf(a) ? 'carried_coming_label' : 'carried_coming');
  /** @param {string} name */
  const titleOf = name => name || 'base';

  /** The heads of the same pair in the other model; null without one, or while they are on their way. @returns {Heads | null} */
  function twoModels() {
    if (!run || !state.other_model || place() < 0) return null;
    const found = /** @type {Heads | null} */ (of(other.get(run, ofOther())));
    return found?.words && !found.why && sameNames(found.labels, labelsOf(run)?.labels ?? []) ? found : null;
  }

  /** The word of A that a position belongs to. @param {number} position */
  function wordAt(position) {
    const a = /** @type {Packet} */ (run), found = words(a).find(word => position >= word.position && position < word.position + word.count);
    return found ? (found.gap ? 'the gap' : found.name) : a.about.tokens[position] ?? 'the label';
  }

  /** The words that are drawn: those that arrows touch and so many beside each, what differs and the gap. @param {Edge[]} all @param {number} beside @returns {Shown[]} */
  function drawnWords(all, beside) {
    const a = /** @type {Packet} */ (run), touched = new Set([place(), ...(now.shown?.changed ?? []), ...all.flatMap(({ sources, target }) => [...sources, target])]), spoken = words(a);
    const inWord = new Set(spoken.flatMap(word => Array.from({ length: word.count }, (_, i) => word.position + i)));
    /** @type {Shown[]} */
    const every = [...spoken.map(word => ({ name: word.gap && !labelsOf(a) ? '____' : word.name, positions: Array.from({ length: word.count }, (_, i) => word.position + i), gap: word.position === place(), left: 0 })), ...[...touched].filter(one => one >= 0 && !inWord.has(one)).map(one => ({ name: a.about.tokens[one] ?? 'label', positions: [one], gap: one === place(), left: 0 }))].sort((one, two) => one.positions[0] - two.positions[0]);
    const kept = every.map((_, i) => every.some(({ positions }, j) => Math.abs(i - j) <= beside && positions.some(one => touched.has(one))));
    return every.reduce((shown, word, i) => {
      const before = shown.at(-1);
      if (kept[i]) shown.push(word);
      else if (before?.left) before.left += 1;
      else shown.push({ name: '', positions: [], gap: false, left: 1 });
      return shown;
    }, /** @type {Shown[]} */ ([]));
  }

  const cutTo = (/** @type {string[]} */ names) => store.set({ cut: names.join(',') });
  /** @param {Edge} edge */
  const turn = edge => { practised = true; const name = spelled(edge), had = now.gone.map(spelled); cutTo(had.includes(name) ? had.filter(one => one !== name) : [...had, name]); };

  // The picture

  /** @param {Known} given */
  function picture({ all, ways, found }) {
    if (!found || found.why) return nothing;
    return html`<div class="cc-stage ${phone.matches ? 'is-down' : ''} ${ways ? '' : 'is-waiting'}"><div class="cc-words" dir=${direction(/** @type {Packet} */ (run))}></div><svg class="cc-arrows" aria-hidden="true"></svg><div class="cc-names" role="group" aria-label="What heads take from word to word: cut one"></div></div>${legend(found.heads[0])}
      ${ways ? whole(found, ways) : nothing}${itself(found)}<p class="cc-line" role="status">${all.length || ways ? lineSaid() : 'Finding where they take it from …'}</p>`;
  }

  /** A share of the change in a sentence. @param {number} share */
  const shareSaid = share => (Math.abs(share) < LEAST ? 'almost nothing' : percent(share, 1));

  /** What makes up the change, as numbers that add up: the first two to what the heads carry, all to all of it. @param {Heads} found @param {Edges} ways */
  function partsOf({ heads, share }, { together }) {
    const { values: [drawn, undrawn], total } = addingUp([100 * together, 100 * (share - together)], 100 * share, 0), further = together > share && now.all.some(edge => edge.target !== place());
    return [{ kind: 'is-drawn', text: further ? 'all arrows together, pale ones too' : 'all arrows together', share: together, said: Number(drawn) }, { kind: 'is-undrawn', text: further ? 'to other heads, or from other words' : `${inOrder(heads)} from other words`, share: share - together, said: Number(undrawn) }, { kind: '', text: 'all else', share: 1 - share, said: 100 - Number(total) }].filter(one => one.said).map(one => (one.said < 0 ? { ...one, kind: 'is-less' } : one));
  }
  /** The bar of these parts: those that take back lie over the end of the others. @param {Heads} found @param {Edges} ways */
  function whole(found, ways) {
    const all = partsOf(found, ways), [first, second] = found.words, long = all.reduce((sum, one) => sum + Math.max(0, one.share), 0);
    let taken = 0;
    const placed = [...all].sort((one, two) => Number(one.said < 0) - Number(two.said < 0)).map(({ kind, share }) => { const wide = 100 * Math.abs(share) / long, from = taken; taken += share < 0 ? wide : 0; return html`<i class=${kind} style="width: ${wide.toFixed(2)}%${share < 0 ? `; inset-inline-end: ${from.toFixed(2)}%` : ''}"></i>`; });
    return html`<section class="cc-whole" aria-label="What makes up the change"><p class="cc-small">The whole change in score, from ${asWord(first)} towards ${asWord(second)}</p><div class="cc-parts" aria-hidden="true">${placed}</div>
      <ul>${all.map(one => html`<li class=${one.kind} data-share=${one.share}><i></i>${one.text} <b>${typeset(`${one.said} %`)}</b></li>`)}</ul></section>`;
  }
  /** @param {string} word */
  const asWord = word => html`<em translate="no" lang="">${word}</em>`;

  /** What is what in the picture. @param {[number, number]} head one of those in it */
  const legend = head => html`<p class="cc-legend">${explained(`An arrow is what one head (${short(head)}: head ${head[1]} of layer ${head[0]}) takes from one word; the thicker, the more.`)} Cut it <span class="cc-sign">(${scissors}),</span> and the head brings what it brings in <b class="cp-b">B</b>.${now.all.some(edge => edge.target !== place()) ? ' Pale: to a word that a later head reads.' : ''}${now.spread.length ? ' Dashed: from several words, a little each.' : ''}</p>`;

  /** What is said below the picture: of what is pointed at, else how shares are to be read. */
  function lineSaid() {
    const { all, found, ways } = now, edge = all.find(one => spelled(one) === pointed?.edge), packet = last?.each;
    if (edge && found) {
      const from = wordAt(edge.sources[0]), differs = edge.sources.some(one => found.changed.includes(one));
      return typeset(`${begins(inFull([edge.head]))} looks ${fromWhere(edge.target, found)} at ${quoted(from)} with ${percent(edge.looks[0], 1)}${differs ? `, in B at ${quoted(found.new)}` : ', in B'} with ${percent(edge.looks[1], 1)}; from there alone it carries ${shareSaid(edge.share)}${packet ? `, from all words ${shareSaid(at(packet, ...edge.head))}` : ''}.`);
    }
    if (pointed?.head && packet) {
      const share = at(packet, ...pointed.head);
      return typeset(`All that head ${pointed.head[1]} of layer ${pointed.head[0]} brings to ${placeSaid()}, from every word: ${shareSaid(share)} of the change.`);
    }
    if (!found || !ways) return '';
    const each = [...all, ...now.spread], bar = partsOf(found, ways).reduce((sum, { kind, said }) => sum + (kind === 'is-drawn' || (kind && now.spread.length) ? said : 0), 0);
    const differs = each.length > 1 && each.reduce((sum, { share }) => sum + Math.round(100 * share), 0) !== bar, over = found.share > OVER;
    return [differs && 'The number at each is what it carries alone: these need not add up, the bar does.', over && 'More than all: other heads pull the other way.'].filter(Boolean).join(' ');
  }

  /** How high a row of an arrow is, so that the picture ends above the fold where it can. @param {HTMLElement} stage @param {number} start of the first row @param {number} count */
  function rowHigh(stage, start, count) {
    const above = (stage.getBoundingClientRect().top - root.getBoundingClientRect().top) / zoomOf(stage) + start;
    return Math.max(ROW_LEAST, Math.min(ROW, (highIn(stage) - AROUND - above) / Math.max(1, count) - STEP));
  }

  /** Draws the words, and the arrows where these stand. */
  function after() {
    const stage = /** @type {HTMLElement | null} */ (root.querySelector('.cc-stage'));
    if (!stage || !run || !now.shown) return;
    const { all, gone, found, after: cut } = now, down = phone.matches, line = /** @type {HTMLElement} */ (stage.querySelector('.cc-words')), room = stage.clientWidth, pen = document.createElement('canvas').getContext('2d');
    if (!room || !pen || !found) return;
    const family = getComputedStyle(stage).fontFamily;
    pen.font = `${LARGE}px ${family}`;
    const wide = (/** @type {Shown[]} */ some) => some.reduce((sum, word) => sum + pen.measureText(word.left ? `… ${word.left} words …` : word.name).width + (word.gap ? 30 : 0) + 18, 40);
    const most = down ? 15 : Infinity, free = room - 2 * LAYER, beside = NEIGHBOURS.find(one => { const some = drawnWords(all, one); return some.length <= most && (down || wide(some) * SMALL / LARGE <= free); }) ?? 0;
    const shown = drawnWords(all, beside), size = down ? 18 : Math.max(15, Math.min(LARGE, Math.floor(LARGE * free / wide(shown))));
    stage.style.setProperty('--size', `${size}px`);
    const faint = pointed?.word !== undefined;
    into(shown.map((word, i) => (word.left ? html`<span class="cc-skipped">… ${word.left} word${word.left > 1 ? 's' : ''} …</span>` : html`<span class="cc-word ${word.gap ? 'is-gap' : ''} ${word.positions.some(one => found.changed.includes(one)) ? 'is-changed' : ''}" @pointerenter=${() => point({ word: i })} @pointerleave=${() => point(null)}
      >${word.positions.some(one => found.changed.includes(one)) ? html`<small class="cc-b">B: <bdi translate="no" lang="">${found.new}</bdi></small>` : nothing}<bdi translate="no" lang="">${word.name}</bdi></span>`)), line);
    const boxes = /** @type {HTMLElement[]} */ ([...line.children]).map(one => (down ? { at: one.offsetTop + one.offsetHeight / 2, high: one.offsetLeft + one.offsetWidth + 4 } : { at: one.offsetLeft + one.offsetWidth / 2, high: one.offsetTop + one.offsetHeight + 2 }));
    const index = (/** @type {number} */ position) => shown.findIndex(word => word.positions.includes(position)), middle = index(place());
    const arrows = all.filter(one => index(one.sources[0]) >= 0 && index(one.target) >= 0), drawn = [...arrows, ...now.spread.map(({ head, share }) => ({ head, sources: [place()], target: place(), share }))], open = arrows.map(spelled);
    const thickest = arrows.reduce((/** @type {Edge | undefined} */ most, one) => (most && most.share >= one.share ? most : one), undefined);
    const measured = (/** @type {string} */ text, /** @type {string} */ kind = '15px') => { pen.font = `${kind} ${family}`; return pen.measureText(text).width; };
    const nameWide = (/** @type {typeof drawn[number]} */ { head, share }, /** @type {Edge | undefined} */ one) => NAME + measured(short(head), '700 15px') + measured(percent(share, 1)) + measured(one ? `from ${cropped(wordAt(one.sources[0]))}` : SEVERAL, '13px') + (one ? SCISSORS : 0) + (one && one === thickest ? ASKS + measured(ASK, '650 15px') : 0);
    const edge = down ? Math.max(...boxes.map(one => one.high)) + 8 : Math.max(...boxes.map(one => one.high)) + 14;
    const reached = down ? room - edge - ROOM_PHONE : 0, sum = drawn.reduce((total, one) => total + Math.abs(one.share), 0);
    const plan = layout({
      arrows: drawn.map((one, i) => ({ layer: one.head[0], head: one.head[1], from: index(one.sources[0]), to: index(one.target), share: one.share, ...(down ? {} : { wide: nameWide(one, arrows[i]) }) })), words: boxes, gap: middle, down,
      room: down ? line.offsetHeight : room, start: edge, row: down ? Math.min(ROW, reached / Math.max(1, drawn.length) - STEP) : rowHigh(stage, edge, drawn.length), beside: down ? 4 : 16, ...(down ? { whole: Math.min(WHOLE, (reached - 18 * drawn.length) / Math.max(sum, 0.1)) } : {}),
      name: { u: 0, v: down ? 0 : 32 }, box: down ? { u: 58, v: 66 } : { u: 180, v: 48 }, head: down ? 18 : 66,
    });
    const long = down ? line.offsetHeight : room, guess = cut?.guess ?? (gone.length ? null : found.a), first = (guess ?? found.a).first, answer = found.words.indexOf(first[0]);
    stage.style.height = down ? '' : `${plan.end + 4}px`;
    const paint = /** @type {SVGElement} */ (stage.querySelector('.cc-arrows')),
      order = drawn.map((_, i) => i).sort((one, two) => (down ? plan.arrows[one].dot.v - plan.arrows[two].dot.v : 0)); // on a phone they stand in a list, in the order of their columns
    const pale = (/** @type {Edge} */ one) => (one.target === place() ? '' : 'is-before');
    const lit = (/** @type {Edge} */ one) => (faint ? shown[/** @type {number} */ (pointed?.word)]?.positions.includes(one.sources[0]) : true);
    paint.setAttribute('width', String(down ? Math.max(room, plan.end) : room));
    paint.setAttribute('height', String(down ? line.offsetHeight : plan.end + 4));
    into(svg`${down ? svg`<text class="cc-layer" x=${edge - 8} y="14" text-anchor="end">layer</text>` : nothing}${plan.bands.map(({ layer, low, high }) => (down ? svg`<rect class="cc-band" x=${low} y="0" width=${high - low} height=${long} rx="7"></rect><text class="cc-layer" x=${(low + high) / 2} y="14" text-anchor="middle">${layer}</text>` : svg`<rect class="cc-band" x="0" y=${low} width=${long} height=${high - low} rx="7"></rect><text class="cc-layer" x="12" y=${low + 27}>layer ${layer}</text>`))}
      ${plan.ways.map(({ u, low, high }) => (down ? svg`<line class="cc-way" x1=${low} x2=${high} y1=${u} y2=${u}></line>` : svg`<line class="cc-way" x1=${u} x2=${u} y1=${low} y2=${high}></line>`))}
      ${plan.arrows.map(({ path, width, dot: { u, v }, tip }, i) => { if (!arrows[i]) return svg`<path class="cc-spread" d=${path} style="stroke-width: ${width.toFixed(1)}px"></path>`; const off = gone.some(one => spelled(one) === open[i]), [x, y] = down ? [v, u] : [u, v]; return svg`<g class="cc-arrow ${pale(arrows[i])} ${off ? 'is-cut' : ''} ${lit(arrows[i]) ? '' : 'is-faint'}" data-edge=${open[i]} @pointerenter=${() => point({ edge: open[i] })} @pointerleave=${() => point(null)} @click=${() => turn(arrows[i])}><path class="cc-touch" d=${path} style="stroke-width: ${Math.max(TOUCH, width).toFixed(1)}px"></path><path class="cc-full" d=${path} style="stroke-width: ${off ? 0 : width.toFixed(1)}px"></path><path class="cc-dotted" d=${path}></path><circle cx=${x} cy=${y} r=${off ? 5 : Math.max(5, width / 2)}></circle><path class="cc-tip" d=${tip}></path></g>`; })}
      ${down ? namesAt(arrows, plan, index) : nothing}`, paint);
    const spot = (/** @type {import('./circuit_layout.js').Spot} */ { u, v }) => (down ? `left: ${v}px; top: ${u}px` : `left: ${u}px; top: ${v}px`), names = /** @type {HTMLElement} */ (stage.querySelector('.cc-names'));
    into(html`${order.map(i => { const { name } = plan.arrows[i], one = arrows[i]; if (!one) return html`<span class="cc-several" data-share=${drawn[i].share} style=${down ? '' : spot(name)}><b>${short(drawn[i].head)}</b> <small>${SEVERAL}</small> <span>${typeset(percent(drawn[i].share, 1))}</span></span>`; const off = gone.some(each => spelled(each) === open[i]); return html`<button type="button" class="cc-name ${pale(one)} ${off ? 'is-cut' : ''}" tabindex="-1" data-edge=${open[i]} data-share=${one.share} style=${down ? '' : spot(name)} aria-pressed=${off} @click=${() => turn(one)} @pointerenter=${() => point({ edge: open[i] })} @pointerleave=${() => point(null)}
      @focus=${() => point({ edge: open[i] })} @blur=${() => point(null)} aria-label=${`What head ${one.head[1]} of layer ${one.head[0]} takes from ${quoted(wordAt(one.sources[0]))} to ${one.target === place() ? placeSaid() : quoted(wordAt(one.target))}: ${percent(one.share, 1)}. Cut it`}><b>${short(one.head)}</b> <small>from <bdi translate="no" lang="">${cropped(wordAt(one.sources[0]))}</bdi>${down && one.target !== place() ? html` to <bdi translate="no" lang="">${cropped(wordAt(one.target))}</bdi>` : nothing}</small> <span>${off ? 'cut' : typeset(percent(one.share, 1))}</span><i>${one === thickest && !practised && !gone.length ? html`<em>${ASK}</em>` : nothing}${scissors}</i></button>`; })}
      <output class="cc-box ${gone.length && !cut ? 'cp-old' : ''}" data-colour=${['accent', 'second'][answer] ?? 'muted'} style=${spot(plan.box)}><bdi translate="no" lang="">${first[0]}</bdi> <span>${tight(percent(first[1], 1))}</span></output>
      ${gone.length ? html`<button type="button" class="cc-mend enc-link" style=${down ? '' : `${plan.box.u + MENDS > room ? `right: ${room - plan.box.u + BESIDE}px` : `left: ${plan.box.u + BESIDE}px`}; top: ${plan.box.v - 12}px`} @click=${mend}>Mend ${gone.length > 1 ? 'all' : 'it'}</button>` : nothing}`, names);
    const buttons = /** @type {HTMLElement[]} */ ([...names.querySelectorAll('.cc-name')]), had = buttons.indexOf(/** @type {HTMLElement} */ (focused(names)));
    if (buttons.length) rove(buttons, Math.max(0, had));
  }
  /** The names of arrows on a phone: where each begins, and where these stand too close behind all of its word. @param {Edge[]} arrows @param {import('./circuit_layout.js').Layout} plan @param {(position: number) => number} index of a word */
  function namesAt(arrows, { arrows: drawn, bands, box }, index) {
    const right = Math.max(...bands.map(({ high }) => high)) + 5, columns = drawn.map(one => one.dot.v).sort((a, b) => a - b), narrow = columns.some((v, i) => i && v - columns[i - 1] < NAME_WIDE);
    const name = (/** @type {number} */ k) => short(arrows[k].head), spot = (/** @type {number} */ k) => drawn[k].dot;
    if (!narrow) return arrows.map(({ sources, target }, k) => { const back = index(target) < index(sources[0]), half = Math.max(5, drawn[k].width / 2); return svg`<text class="cc-of-word" x=${spot(k).v} y=${back ? spot(k).u + half + 13 : Math.max(NAME_LOW, spot(k).u - half - 3)} text-anchor="middle">${name(k)}</text>`; });
    const from = arrows.map(({ sources }) => index(sources[0]));
    return [...new Set(from)].map(i => {
      const own = [...from.keys()].filter(k => from[k] === i), { u } = spot(own[0]), apart = u - box.u, at = Math.abs(apart) < CLEAR_OF_BOX ? box.u + (Math.sign(apart) || 1) * CLEAR_OF_BOX : u;
      return svg`<text class="cc-of-word" x=${right} y=${at + 4}>${own.sort((a, b) => spot(a).v - spot(b).v).map(name).join(', ')}</text>`;
    });
  }
  function mend() {
    cutTo([]);
    /** @type {HTMLElement | null} */ (root.querySelector('.cc-name[tabindex="0"]'))?.focus();
  }
  /** @param {Pointed} to */
  function point(to) {
    if (JSON.stringify(to) === JSON.stringify(pointed)) return;
    pointed = to;
    draw();
  }
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const names = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('.cc-name')]), here = names.indexOf(/** @type {HTMLElement} */ (focused(root)));
    if (event.key === 'Escape' && now.gone.length && here >= 0) { event.preventDefault(); event.stopPropagation(); mend(); return; }
    if (here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: names.length - 1 }[event.key];
    if (event.key.toLowerCase() === 'x') names[here].click();
    else if (to === undefined) return;
    else { const next = Math.max(0, Math.min(names.length - 1, to)); rove(names, next); names[next].focus(); }
    event.preventDefault();
  }

  // Beside the picture

  /** Both words as bars. @param {string} title @param {Guess} guess @param {Heads} found @param {Guess | null} [before] */
  function guessBars(title, guess, found, before = null) {
    const [first] = guess.first;
    return html`<h3 class="cc-of">${title}${before ? html`<span class="cc-mark"><b></b> in A</span>` : nothing}</h3>${bars([...found.words.map((word, i) => ({ name: word, kind: word === first ? 'is-first' : '', fills: [{ share: guess.shares[i], text: tight(percent(guess.shares[i], 1)), colour: i ? 'second' : 'accent', ...(before ? { mark: before.shares[i] } : {}) }], data: { guess: word, share: guess.shares[i] } })),
      ...(found.words.includes(first) ? [] : [{ name: first, kind: 'is-first is-other', fills: [{ share: guess.first[1], text: tight(percent(guess.first[1], 1)), colour: 'muted' }] }])], { kind: 'cc-bars' })}`;
  }

  /** What the bars are of. */
  function answerTitle() {
    const labels = run && labelsOf(run);
    const at = run && words(run).find(word => word.position === place());
    return !labels ? `The guess at ${run && at ? called(run, at) : 'the gap'}` : labels.of === 'sentence' ? 'The label' : `The label of ${placeSaid()}`;
  }

  /** @param {Heads} found */
  function guesses(found) {
    const { gone, after: cut } = now, patched = gone.length ? cut?.guess ?? null : !found.why ? found.patched : null;
    const title = gone.length ? `A, ${gone.length === 1 ? 'one arrow' : `${gone.length} arrows`} cut` : `A, but ${inOrder(found.heads ?? [])} as in B`;
    return html`<section class="cc-guess" aria-label=${answerTitle()}><h2 class="cp-title">${answerTitle()}</h2>${guessBars('A, as it is', found.a, found)}${patched ? html`${guessBars(title, patched, found, found.a)}${found.words.includes(patched.first[0]) ? nothing : html`<p class="cc-small">${say('carried_third', { word: patched.first[0], first: found.words[0], second: found.words[1] })}</p>`}` : nothing}${guessBars('B, as it is', found.b, found)}</section>`;
  }

  /** Each head alone. @param {Heads} found @param {import('./packet.js').Numbers} each @param {string} title @param {boolean} [walked] */
  function boardOf(found, each, title, walked = true) {
    const [layers, columns] = each.shape, theme = themeOf(getComputedStyle(root).getPropertyValue('background-color')), most = Math.max(...each.values, 0.01), least = Math.min(...each.values), against = least <= -NAMED, kind = against ? 'signed' : 'share', end = Math.max(most, against ? -least : 0), ends = { low: against ? -end : 0, high: end };
    const part = (/** @type {number} */ layer, /** @type {number} */ head) => {
      const value = at(each, layer, head), rgb = colourOf(against ? value : Math.max(0, value), ends, kind, theme);
      return { value, colour: css(rgb), ink: inkOn(rgb), text: Math.abs(value) >= NAMED && columns <= 12 ? typeset(String(Math.round(100 * value))) : '', says: typeset(`Head ${head} of layer ${layer} alone: ${shareSaid(value)}`), kind: found.heads.some(one => same(one, [layer, head])) ? 'is-set' : '' };
    };
    return html`<section class="cc-each"><h2 class="cp-title">${title}</h2><div class="cc-board ${walked ? 'is-walked' : ''}">${board({ label: title, layers, heads: columns, names: Array.from({ length: columns }, (_, i) => String(i)), attribute: walked ? 'data-head-row' : 'data-cell', kind: 'is-small', part })}
      <p class="cc-scale cp-scale"><span>${against ? tight(percent(-end, 1)) : 0}</span><i style="background: ${gradient(kind, theme)}"></i><span>${tight(percent(end, 1))}</span>${found.heads.length > 1 ? html`<b class="cc-outlined"></b><span>the ${found.heads.length} that are taken together</span>` : nothing}</p></div></section>`;
  }

  /** The sentences that people wrote, with what the same heads carry in each. @param {Heads} found */
  function many(found) {
    const a = /** @type {Packet} */ (run), asked = { step: 'sentences', index: [] }, packet = sentences.get(a, asked), about = /** @type {Sentences | null} */ (of(packet));
    if (!packet || !about?.sentences.length || !alike(about.heads, found.heads)) return nothing;
    const { values } = packet.arrays.shares;
    const group = (/** @type {number} */ column) => Array.from(values).filter((_, i) => i % 2 === column);
    if (seen?.of !== packet) seen = { of: packet, groups: [group(0), group(1)] };
    const [own, control] = /** @type {{groups: number[][]}} */ (seen).groups, here = dot < 0 || dot >= own.length ? own.reduce((best, value, i) => (Math.abs(value - median(own)) < Math.abs(own[best] - median(own)) ? i : best), 0) : dot;
    const sentence = (/** @type {number} */ i) => { const [text, , first] = about.sentences[i]; return typeset(`${(text || UNSHOWN).replace('[MASK]', `[${first}]`)} ${percent(own[i], 1)}`); };
    const [text, changedText, first] = about.sentences[here], [before, behind] = text.split('[MASK]'), theirs = changedText.split(' '), changedWord = theirs.find((one, i) => one !== text.split(' ')[i]) ?? '';
    const count = COUNTS[about.heads.length] ?? String(about.heads.length), open = (/** @type {number} */ i) => { const [one, two, ours, over] = about.sentences[i]; if (one) choose(two, { sentence: one, guess: ours, over }); };
    return html`<section class="cc-many" aria-label="The same heads in many sentences"><h2 class="cp-title">The same ${count} heads in ${own.length} sentences that people wrote</h2><p class="cc-small">${typeset(`All sentences together: ${percent(about.share, 1)}, ${count} random heads at most ${percent(about.random, 1)}. More than half in ${Math.round(about.over_half * own.length)} of ${own.length}.`)}</p>
      ${dotStrip({ groups: [{ name: listed(about.heads.map(short)), values: own, kind: 'is-own' }, { name: `${listed(about.control.map(short))}, next in line`, values: control, kind: 'is-control' }], label: `What ${listed(about.heads.map(short))} carry, sentence by sentence`, wide: Math.max(300, Math.min(840, root.clientWidth * (phone.matches ? 1 : 0.66))), chosen: here, says: sentence, point: one => { if (one !== null && one !== dot) { dot = one; draw(); } }, keep: open, ends: ['0 %, nothing', '100 %, all of it'] })}
      <p class="cc-sentence"><b class="cc-ring"></b> ${text ? html`<bdi translate="no" lang="">“${before}<b>[${first}]</b>${behind}”</bdi> <span>with <em>${changedWord}</em>: ${tight(percent(own[here], 1))}.</span> <button type="button" class="enc-link" @click=${() => open(here)}>Open this pair</button>` : html`<span>${UNSHOWN}: ${tight(percent(own[here], 1))}.</span>`}</p></section>`;
  }

  /** What is computed while it is waited for, and for how long it has been. @param {Packet} a */
  function waiting({ about: { model, tokens } }) {
    if (!ticking) [since, ticking] = [performance.now(), window.setInterval(changed, SECOND)];
    const seconds = Math.floor((performance.now() - since) / SECOND);
    return `A is run again ${model.layers * model.heads} times, ${tokens.length} tokens each: every time one head writes ${place() < tokens.length ? `at ${placeSaid()}` : 'where the label is read'} what it writes in B.${seconds < SLOW ? '' : ` ${seconds} seconds so far.`}`;
  }

  /** How the share was computed, with the lines that give it. @param {Heads} found */
  function explain(found) {
    const line = `from encoder import TextEncoder\nfrom encoder.experiments.circuit import MinimalPair, run_pair, study\n\nencoder = TextEncoder.from_pretrained(${JSON.stringify(state.model)})\npair = MinimalPair(${JSON.stringify(state.sentence)},\n                   ${JSON.stringify(b)}${competing().length ? `,\n                   (${competing().map(word => JSON.stringify(word)).join(', ')})` : ''}${run && labelsOf(run)?.of === 'token' ? `, place=${place()}` : ''})\nfor result in study(encoder, run_pair(encoder, pair)):\n    print(result)`;
    const [first, second] = found.words, at = place() < (run?.about.tokens.length ?? 0) ? ` at ${placeSaid()}` : '', own = found.everything - found.all;
    sheet.show(typeset(`How ${percent(found.share, 1)} was computed`), [
      ['', typeset(`The lead is how far ln p(${first}) stands above ln p(${second})${at}: ${found.leads[0].toFixed(2)} in A, ${found.leads[1].toFixed(2)} in B. The change is their difference, ${found.flip.toFixed(2)}. A is run again with what ${inFull(found.heads)} ${found.heads.length > 1 ? 'write' : 'writes'}${at || ' where the label is read'} taken from B, and nothing else: the lead is ${found.lead.toFixed(2)} then, so ${found.heads.length > 1 ? 'they carry' : 'it carries'} (${found.leads[0].toFixed(2)} − ${found.lead.toFixed(2)}) / ${found.flip.toFixed(2)} = ${percent(found.share)}.`.replaceAll('- -', '+ '))],
      ['To check it', typeset(`All ${found.total} heads${at} from B: ${(100 * found.all).toFixed(1)} %${Math.abs(own) < LEAST ? '' : `, with the vector of ${quoted(found.new)} too ${(100 * found.everything).toFixed(1)} %`}. None: ${Math.abs(100 * found.none).toFixed(1)} %. ${found.random.length} random sets of as many other heads: ${(100 * Math.min(...found.random)).toFixed(1)} to ${(100 * Math.max(...found.random)).toFixed(1)} %. Patching shows that this way is used, not that it is the only one; and shares of parts need not add up.`)],
      ...(now.ways?.where.length ? [/** @type {[string, string]} */ (['Where they look', typeset(`With B's shares of attention alone, and A's words: ${listed(now.ways.where.map(one => `${inFull([one.head])} ${percent(one.share, 1)}`))} of the change. The rest of what they carry is in what they take.`)])] : []),
      ['The same in Python', line, true],
    ]);
  }

  /** Run B, where it is here; else it is asked for: it tells where B has no gap. */
  function ofB() {
    const makes = { sentence: b, second: '', hidden: /** @type {number[]} */ ([]), edits: '' }, there = context.peek(makes);
    if (!there) context.fetch(makes).then(changed, () => null);
    return there;
  }

  /** What is guessed in A and in B, where these are no pair. @param {Packet} a @param {Packet | null} runB */
  function bothGuesses(a, runB) {
    const guessesOf = (/** @type {string} */ name, /** @type {Packet | null} */ packet, /** @type {'accent' | 'second'} */ colour) => {
      const all = packet?.about.guesses[String(packet === a && !labelsOf(a) ? place() : packet.about.gap)]?.slice(0, FEW) ?? [];
      return all.length ? html`<div><h3 class="cc-of">${name}</h3>${bars(all.map(([word, share]) => ({ name: word, fills: [{ share, text: tight(percent(share, 1)), colour }], data: { guess: word, share } })), { kind: 'cc-bars' })}</div>` : nothing;
    };
    return html`<div class="cc-both">${guessesOf(labelsOf(a) ? 'A says' : 'A guesses', a, 'accent')}${guessesOf(labelsOf(a) ? 'B says' : 'B guesses', runB, 'second')}</div>`;
  }

  /** Where nothing can be drawn: why, and what to do. */
  function instead() {
    const { found, why } = now, a = /** @type {Packet} */ (run), all = words(a), runB = why ? ofB() : null, pairs = runB ? pairsOf(a, runB) : [], beside = pairs.find(pair => pair.a?.position === place());
    if (!isLed(a)) return labelsOf(a) ? nothing : html`<p class="cc-why">This model has no head for words, so it guesses none: nothing can be carried to a guess. Choose another model, or see where its heads look.</p>`;
    if (place() < 0) return html`<div class="cc-tap" role="group" aria-label="Hide a word">${all.map(word => { const hidden = masked(a, word, store.get()); return hidden && word.plain ? html`<button type="button" class="enc-example" @click=${() => choose('', { ...hidden, word: null, layer: null, head: null })}>${word.name}</button>` : html`<span>${word.name}</span>`; })}</div>`;
    if (found?.why && a.about.model.untrained) return html`<p>${leads('See how a model comes to react', '→', '#', () => context.go(TRAINING), TRAINING)}</p>`;
    if (!why || b === state.sentence) return nothing;
    const put = !labelsOf(a) && beside?.b && runB && !beside.b.gap ? masked(runB, beside.b, { sentence: b, second: '', hidden: [] }) : null;
    return html`<p class="cc-why" role="alert">${typeset(why)}</p>${bothGuesses(a, runB)}${put ? html`<button type="button" class="enc-pill" @click=${() => choose(put.sentence)}>Put the gap there in B</button>` : nothing}`;
  }

  /** What the word that differs brings past all heads, where the answer is read from it too. @param {Heads} found */
  function itself({ all, everything, total }) {
    if (everything - all < LEAST) return nothing;
    const { values: [heads, own], total: both } = addingUp([100 * all, 100 * (everything - all)], 100 * everything, 0);
    return html`<p class="cc-small cc-itself">${typeset(say('carried_itself', { total, heads, other: both === '100' ? 'the other ' : '', own }))}</p>`;
  }

  /** Which word is asked for its label, of a model that labels each. */
  function tagged() {
    const a = /** @type {Packet} */ (run);
    return labelsOf(a)?.of !== 'token' || place() < 0 ? nothing : html`<div class="cc-tap" role="group" aria-label="Whose label">${words(a).map(word => html`<button type="button" class="enc-example" aria-pressed=${word.position === place()} @click=${() => store.set({ word: word.position, cut: '', guess: '', over: '' }, { push: true })}>${word.name}</button>`)}</div>`;
  }

  /** Sentences that B could be. */
  function tries() {
    const all = (offered(/** @type {Packet} */ (run)) ?? []).filter(one => one.b !== b);
    return all.length ? html`<div class="cp-offered" role="group" aria-label="Sentences to compare with"><span>Try in B:</span>${all.map(one => html`<button type="button" class="cp-offer" title=${one.b} @click=${() => choose(one.b)}><bdi translate="no" lang="">${one.new}</bdi> for <bdi translate="no" lang="">${one.was}</bdi></button>`)}</div>` : nothing;
  }

  /** The same pair in the other model. */
  function inOther() {
    if (!state.other_model || place() < 0 || !run) return nothing;
    const asked = ofOther(), packet = other.get(run, asked), found = /** @type {Heads | null} */ (of(packet)), mine = labelsOf(run)?.labels ?? [], alien = found && !sameNames(found.labels, mine);
    const why = other.why(run, asked) || (alien ? say('carried_other_labels', { model: titleOf(state.model), other: titleOf(state.other_model) }) : found?.why);
    if (!packet || alien || !found?.words) return html`<section class="cc-other"><h2 class="cp-title">The same pair in ${titleOf(state.other_model)}</h2><p role="status">${why || 'Running it …'}</p></section>`;
    return html`<section class="cc-other"><h2 class="cp-title">The same pair in ${titleOf(state.other_model)}</h2><div class="cc-beside"><div>${guessBars('A, as it is', found.a, found)}${found.why ? nothing : guessBars(`A, but ${inOrder(found.heads)} as in B`, found.patched, found, found.a)}${guessBars('B, as it is', found.b, found)}</div>
      ${found.why ? html`<p class="cc-why">${typeset(found.why)}</p>` : boardOf(found, packet.arrays.each, typeset(`${inOrder(found.heads)} ${found.heads.length > 1 ? 'carry' : 'carries'} ${percent(found.share, 1)}`), false)}</div></section>`;
  }

  function draw() { changed(); }
  root.addEventListener('keydown', walk);
  for (const media of [dark, phone]) media.addEventListener('change', changed);
  sized.observe(root);

  return {
    offered,
    /** Takes what is compared, and asks for what is not here. @param {Packet} a @param {State} chosen @param {string} sentence B */
    take(a, chosen, sentence) {
      if (run !== a || b !== sentence) pointed = null;
      [run, state, b] = [a, chosen, sentence];
      now = known();
    },
    headline,
    /** What can be saved. @returns {import('./save_menu.js').Kept[]} */
    pictures() {
      const { found, all } = now, [guess, over] = competing();
      if (!run || !found || found.why) return [];
      const at = /** @type {Record<string, string>} */ (place() < run.about.tokens.length ? { gap: String(place()) } : {}); // that of a sentence's label is behind its tokens
      const query = { ...toQuery({ ...made({ ...state, hidden: [], edits: '' }), other: b, layer: state.layer, head: state.head }), ...at, ...(guess ? { guess, over } : {}) };
      return [...(all.length ? [{ name: 'What is carried, and from which words', ...context.main('', query) }] : []), { picture: 'carried_board', name: BOARD, query }];
    },
    /** Whether the headline is of what is compared now. */
    known: () => place() < 0 || now.found !== null || now.why !== '',
    view() {
      const { found, shown } = now, a = /** @type {Packet} */ (run), each = last?.each, changedA = state.hidden.length || state.edits ? html`<p class="cc-small">Both sentences are run without the changes that are made elsewhere.</p>` : nothing;
      const waits = place() >= 0 && !found && !now.why ? html`<p class="cc-waits" role="status">${waiting(a)}</p>` : nothing;
      if (!waits) { clearInterval(ticking); ticking = 0; }
      const drawn = found && !found.why;
      return html`<div class="cc">${changedA}${tagged()}${waits}${drawn ? nothing : instead()}${drawn || place() < 0 ? nothing : tries()}
        <div class="cc-upper ${found ? '' : 'cp-old'}"><div class="cc-left">${picture(now)}${drawn ? html`<nav class="enc-links" aria-label="Go on"><button type="button" class="enc-link" aria-haspopup="dialog" @click=${() => explain(found)}>${typeset(`How ${percent(found.share, 1)} was computed`)} <span aria-hidden="true">→</span></button></nav>` : nothing}${now.edgesWhy || now.cutWhy ? html`<p class="cc-why" role="alert">${now.edgesWhy || now.cutWhy}</p>` : nothing}</div>${shown ? guesses(shown) : nothing}</div>
        ${drawn ? html`<div class="cc-lower">${many(found)}${each ? boardOf(found, each, BOARD) : nothing}</div>` : nothing}${inOther()}</div>`;
    },
    /** Draws what stands where the words stand, once these are there. */
    after() {
      after();
      const list = /** @type {HTMLElement | null} */ (root.querySelector('.cc-board.is-walked'));
      if (!list) { keys = null; return; }
      if (!keys || watched !== list) {
        watched = list;
        keys = among(list, 'data-head-row', { point: to => point(to && { head: [to.layer, to.head] }), keep: to => point({ head: [to.layer, to.head] }) }, true);
      }
      keys.show(null, pointed?.head ? { layer: pointed.head[0], head: pointed.head[1] } : null);
    },
    end() {
      clearInterval(ticking);
      for (const one of [heads, edges, cuts, changes, sentences, other]) one.end();
      for (const media of [dark, phone]) media.removeEventListener('change', changed);
      sized.disconnect();
      root.removeEventListener('keydown', walk);
    },
  };
}

// @ts-check
// The What if page: a board of switches for the parts of the model, and what the guess becomes when some of them are off.
import { dress, el, focused, put, rove, themeOf, walkByKeys } from './dom.js';
import { bars } from './bars.js';
import { board } from './board.js';
import { colourOf, css, inkOn } from './grid.js';
import { atRest, headline, plainly } from './controls.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { listed } from './claim.js';
import { made } from './load.js';
import { both, brief, fromTo, percent, pointsLost, tight, typeset } from './number.js';
import { read, row } from './packet.js';
import { answerStep, begins, called, effects, held, labelsOf, LITTLE, maskToken, numberOf, quoted, wordAt, words } from './run.js';
import { behind, parts, said, say } from './say.js';
import { toQuery } from './store.js';
import { alone, becomes, beginning, columnsOf, drawn, effect, ends, factsOf, falls, fits, grows, isOff, key, masked, nameOf, or, parse, pressed, spell } from './switches.js';
import style from './what_if.css';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
/** @typedef {import('./switches.js').Place} Place */
/** @typedef {import('./switches.js').Changed} Changed */
/** @typedef {import('./switches.js').Share} Share */
/** What is asked about: a sentence with a gap, or one whose words may only end up elsewhere. @typedef {{sentence: string, second: string, hidden: number[]}} Subject */

const KEPT = 32; // packets of what differs
const AROUND = 12; // words of a long sentence that are shown on each side of the gap
const MOST_UNDONE = 50;
const MOST_CHANGES = 3; // that are described
/** The page that shows a step, by how its name begins. */
const PAGE_OF = /** @type {const} */ ([['attention.', 'attention'], ['feed_forward.', 'feed_forward'], ['add_norm', 'add_norm'], ['output', 'add_norm'], ['embedding.', 'embedding'], ['', 'output']]);
const ODD = 0.03; // of a guess: so far from both its blocks together a layer costs before that is said
const BLOCK_NAMES = ['attention', 'feed-forward'];
const FAR = 'How far words end up from where they were';

/** Of a model with labels: the run of all words, what made it, and the positions of the words that were hidden. @typedef {{from: Packet, makes: Subject, places: Set<number>}} Whole */

/** What a run guesses at its first gap. @param {Packet} of */
const guessesOf = of => of.about.guesses[String(of.about.gap)] ?? [];
/** The word that is guessed now. @param {Share[]} shares */
const likeliest = shares => shares.reduce((best, one) => (one.after > best.after ? one : best), shares[0]);

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function whatIf(root, context) {
  dress(root, style);
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  /** What was there, to be taken back. @typedef {{of: string, makes: Subject, edits: string, off: boolean, whole: Whole | null}} Before */
  /** @type {Before | null} */
  let before = null;
  /** @type {Before[]} */
  let undone = [];
  /** @type {Map<string, Packet>} */
  const known = new Map();
  /** What is on its way, by its name, and what could not be had. @type {Map<string, AbortController>} */
  const coming = new Map();
  let wrong = { of: '', why: '' };
  /** Sentences with a word hidden that the model cannot read. @type {Set<string>} */
  const unable = new Set();
  /** @type {Whole | null} */
  let whole = null;
  /** @type {Place | null} */
  let pointed = null;
  let at = '', full = false;
  const rest = atRest(context.announce), shareOf = layerPackets({ part: (level, of, signal) => context.load(/** @type {import('./mount.js').Request} */ (/** @type {unknown} */ ({ level, .../** @type {object} */ (of) })), signal).then(read) }, 12, () => render());

  const top = headline(context, { layer: false, head: false }), probe = el('i', { class: 'wi-probe enc-probe', hidden: true });
  const page = el('section', { class: 'wi wi-empty', 'aria-label': 'What if' }, probe);
  root.append(page);
  /** What was drawn last, which stays while the model is asked. @type {unknown} */
  let drawing = nothing;

  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', render);
  // A press is drawn before its run is here.
  const leave = store.subscribe(now => {
    if (!run || now.edits === state.edits || JSON.stringify(made({ ...now, edits: '' })) !== JSON.stringify(made({ ...state, edits: '' }))) return;
    state = { ...state, edits: now.edits };
    render();
  });

  /** @param {Event} event @returns {Place | null} */
  function placeOf({ target }) {
    const cell = target instanceof Element ? target.closest('[data-cell]')?.getAttribute('data-cell') : null;
    const [layer, column] = cell?.split(',').map(Number) ?? [];
    return cell ? { layer, column } : null;
  }
  /** @param {string} name */
  const find = name => /** @type {HTMLElement | null} */ (page.querySelector(name));
  /** @param {Place | null} place what is pointed at @param {string} [stop] where the tab key leads */
  function point(place, stop = at) {
    if (stop === at && place?.layer === pointed?.layer && place?.column === pointed?.column) return;
    pointed = place;
    at = stop;
    if (run && baseOf(asked().subject)) render();
  }
  /** @param {FocusEvent} event */
  function enter(event) {
    const place = placeOf(event);
    if (place) point(/** @type {Element} */ (event.target).matches(':focus-visible') ? place : pointed, key(place.layer, place.column));
  }
  /** @param {KeyboardEvent} event */
  function walk(event) {
    const here = placeOf(event);
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const { layer, column } = here, last = run ? columnsOf(run.about.model) - 1 : 0;
    const to = { ArrowLeft: [layer, column - 1], ArrowRight: [layer, column + 1], ArrowUp: [layer - 1, column], ArrowDown: [layer + 1, column], Home: [layer, 0], End: [layer, last] }[event.key];
    const next = to && find(`[data-cell="${to}"]`);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  /** What is asked about: the sentence itself where it has a gap, else with the chosen word hidden. @returns {{subject: Subject, hides: import('./run.js').Word | null}} */
  function asked() {
    const { sentence, second, hidden } = state, of = /** @type {Packet} */ (run), plain = { sentence, second, hidden };
    const word = of.about.gap < 0 && !labelsOf(of) ? words(of)[wordAt(of, state.word)] : null, found = word && masked(of, word, plain), base = found && baseOf(found);
    return !found || (base && !guessesOf(base).length) || unable.has(named(found)) ? { subject: plain, hides: null } : { subject: found, hides: word };
  }
  /** @param {Subject} subject */
  const baseOf = subject => context.peek({ ...subject, edits: '' });
  /** @param {Subject} subject */
  const named = (subject, edits = '') => JSON.stringify(made({ ...state, ...subject, edits }));

  /** A packet of level 7; null while it is on its way, and where there is none. @param {Subject} subject @param {string} edits @returns {Packet | null} */
  function tried(subject, edits) {
    const name = named(subject, edits), there = known.get(name);
    if (there) return there;
    if (coming.has(name) || wrong.of === name) return null;
    if (edits) for (const [other, control] of coming) if (JSON.parse(other).edits) { control.abort(); coming.delete(other); }
    const control = new AbortController();
    coming.set(name, control);
    context.load({ level: 7, ...made({ ...state, ...subject, edits }) }, control.signal).then(read).then(
      found => {
        known.set(name, found);
        for (const old of known.keys()) if (known.size > KEPT) known.delete(old);
      },
      error => { if (!control.signal.aborted) wrong = { of: name, why: error instanceof Error && error.message ? error.message : 'That did not work: try again.' }; },
    ).finally(() => { if (coming.get(name) === control && coming.delete(name)) render(); });
    return null;
  }

  /** The head that the guess needs most, or without which the output moves most. @param {Packet} base @param {Packet | null} each @returns {Place | null} */
  function dearest(base, each) {
    const { layers, heads } = base.about.model, [best] = effects(base);
    if (guessesOf(base).length) return best ? { layer: best.layer, column: best.head } : null;
    if (!each?.arrays.change) return null;
    const all = Array.from({ length: layers * heads }, (_, i) => ({ layer: Math.floor(i / heads), column: i % heads }));
    return all.reduce((most, place) => (effect(base, each, place) > effect(base, each, most) ? place : most));
  }

  /** What a part costs alone; a lesson that has one try it out does not say. @param {Packet} base @param {Packet | null} each @param {Place} place */
  const costOf = (base, each, place) => (context.tries() ? NaN : effect(base, each, place));

  /** What is switched: the chosen head alone where another page had it off. @param {Packet} base @returns {Changed & {edits: string}} */
  function current({ about: { model } }) {
    if (state.edits) return { ...parse(state.edits, model), edits: state.edits };
    const changed = { off: new Set(state.off ? [key(state.layer, state.head)] : []), others: [] };
    return { ...changed, edits: spell(changed, model) };
  }
  /** All that is needed to draw; null while it is not here. */
  function now({ subject, hides } = asked()) {
    const base = baseOf(subject);
    if (!base) return null;
    const each = tried(subject, ''), changed = current(base), guess = guessesOf(base).length > 0;
    const diff = changed.edits ? tried(subject, changed.edits) : null, facts = diff && factsOf(diff);
    const [layer, column] = changed.others.length || changed.off.size !== 1 ? [] : [...changed.off][0].split(',').map(Number);
    const shares = guess && facts ? facts.words.map((word, i) => ({ word, before: facts.shares?.[i] ?? NaN, after: facts.after?.[i] ?? NaN }))
      : or(guess && column !== undefined ? alone(base, each, { layer, column }) : [], guessesOf(base).map(([word, share]) => ({ word, before: share, after: changed.edits ? NaN : share })));
    const hidden = changed.edits ? null : hiddenHere();
    if (hidden) {
      const was = guessesOf(hidden.from), is = new Map(guessesOf(base));
      return { subject, hides, base, each, changed, guess, diff, facts, shares: was.map(([word, share]) => ({ word, before: share, after: is.get(word) ?? NaN })), hidden, waits: false };
    }
    return { subject, hides, base, each, changed, guess, diff, facts, shares, hidden, waits: Boolean(changed.edits) && !diff && !shares.some(one => Number.isFinite(one.after)) };
  }
  /** @typedef {NonNullable<ReturnType<typeof now>>} Now */

  /** Switches one part. @param {Place | null} place */
  function press(place) {
    const found = now();
    if (!found || !place) return;
    const { base: { about: { model } }, changed } = found, edits = spell({ off: pressed(changed.off, place, model), others: changed.others }, model);
    full = !fits(edits);
    if (full) render();
    else set(edits, place.column < model.heads ? { layer: place.layer, head: place.column } : {});
  }
  /** @param {string} edits @param {import('./store.js').Changes} [also] */
  function set(edits, also = {}) {
    const { hides } = asked();
    full = false;
    store.set({ edits, off: false, ...(hides ? { word: state.word } : {}), ...also });
  }
  function takeBack() {
    const last = undone.pop();
    if (!last) return;
    before = null;
    whole = last.whole;
    store.set({ ...last.makes, edits: last.edits, off: last.off });
  }
  const ownSubject = () => ({ sentence: state.sentence, second: state.second, hidden: state.hidden });
  /** The words of what is hidden. @param {Whole} of */
  const hiddenWords = ({ from, places }) => words(from).filter(word => places.has(word.position));
  /** What is asked without them: the last one goes first, so that those before it are found. @param {Whole} of @returns {Subject} */
  const withoutWords = of => hiddenWords(of).reverse().reduce((makes, word) => masked(of.from, word, makes) ?? makes, of.makes);
  /** What is hidden here, where that is what is shown. */
  const hiddenHere = () => (whole?.places.size && JSON.stringify(withoutWords(whole)) === JSON.stringify(ownSubject()) ? whole : null);

  /** Hides a word, or brings it back. @param {Whole} of @param {number} position */
  function hide(of, position) {
    const { layer, head } = state, places = new Set(of.places);
    if (!places.delete(position)) places.add(position);
    whole = { ...of, places };
    store.set({ ...withoutWords(whole), edits: '', off: false, layer, head }, { push: true });
  }

  /** Keeps what was there before, to take back. @param {Subject} subject */
  function remember(subject) {
    const here = hiddenHere(), mine = { of: named(here?.makes ?? subject), makes: ownSubject(), edits: state.edits, off: state.off, whole: here };
    if (before && before.of !== mine.of) undone = [];
    else if (before && (before.edits !== mine.edits || before.off !== mine.off || before.whole?.places !== here?.places)) undone = [...undone.slice(1 - MOST_UNDONE), before];
    before = mine;
  }

  function render() {
    if (!run || !page.isConnected) return;
    const of = asked(), { subject, hides } = of, found = now(of);
    put(page, { 'aria-busy': found ? null : 'true' });
    if (!found) {
      paint(hides ? `Asking the model with ${called(run, hides)} hidden …` : 'Asking the model with everything on …');
      context.fetch({ ...subject, edits: '' }).then(render, error => {
        if (!hides) return paint(baseOf(asked().subject) ? undefined : error instanceof Error ? error.message : '');
        unable.add(named(subject));
        render();
      });
      return;
    }
    page.classList.remove('wi-empty');
    remember(subject);
    top.draw(found.base, state, finding(found));
    drawing = picture(found);
    const had = focused(page)?.matches('.wi-word'), shown = find('.wi-sentence')?.dataset.shown;
    paint();
    const sentence = /** @type {HTMLElement} */ (find('.wi-sentence')), others = () => [...sentence.querySelectorAll('button')];
    if (sentence.dataset.shown !== shown) {
      walkByKeys(sentence, others);
      rove(others(), 0);
      if (had) (others()[0] ?? top.finding).focus();
    }
    rest.say(top.finding.textContent ?? '');
  }
  /** @param {string} [waits] what is said while the model is asked */
  function paint(waits) {
    into(html`<p class="wi-waiting" role="status" ?hidden=${waits === undefined}>${waits}</p>${drawing}`, page);
  }

  /** Whether a word can be hidden to see what becomes of a label. @param {Packet} base */
  const hidable = base => Boolean(labelsOf(base) && guessesOf(base).length && maskToken(base));
  /** That a word is hidden, and that another can be. @param {Packet} of @param {import('./run.js').Word} word */
  const hiding = (of, word) => say('hidden_word', { word: called(of, word) }) + (words(of).some(one => one !== word && one.plain && held(of, one)) ? ` ${say('hidden_other')}` : '');
  /** @param {Now} found */
  function picture(found) {
    const { subject, hides, base, changed: { edits, off, others }, guess, shares, facts } = found, without = spell({ off, others: [] }, base.about.model);
    const why = [full && 'No more fits in a link: switch something on first.', wrong.of === named(subject, edits) && wrong.why].filter(Boolean);
    const described = edits.split(';').flatMap((text, i) => (others.includes(text) ? [facts?.changes?.[i] ?? text] : [])), more = described.length - MOST_CHANGES;
    return html`${top.element}<div class="wi-line"><p class="wi-hides ${hides ? '' : 'is-behind'}" ?hidden=${!hides && !hidable(base)}>${hides ? hiding(/** @type {Packet} */ (run), hides) : hidable(base) ? say('hide_for_label') : ''}</p>
      ${labelsOf(base) ? sentenceOf(null, '', '') : sentenceOf(hides, likeliest(shares)?.word ?? '', shares[0]?.word ?? '')}</div>${why.length ? html`<p class="enc-trouble" role="alert">${why.join(' ')}</p>` : nothing}
      <div class="wi-body"><div class="wi-guess">${guessOrMoves(found)}
          <div class="wi-tools"><button type="button" class="enc-pill" aria-disabled=${edits || hiddenHere() ? nothing : 'true'} @click=${() => { if (edits || hiddenHere()) set('', hiddenHere()?.makes); }}>All on again</button>
            <button type="button" class="enc-pill" aria-disabled=${undone.length ? nothing : 'true'} @click=${takeBack}>Undo</button></div><p class="wi-first" ?hidden=${!found.changed.edits}>${first(found)}</p>
          ${others.length ? html`<p class="wi-others">Also changed, though not by a switch on this board: ${described.slice(0, MOST_CHANGES).join('; ')}${more > 0 ? `; and ${more} more` : ''}.
            <button type="button" class="wi-remove" @click=${() => { set(without); find('.wi-tools button')?.focus(); }}>Remove</button></p>` : nothing}</div>
        <div class="wi-switches">${switches(found)}</div></div>`;
  }

  /** @param {Now} found */
  function finding({ base, each, changed, guess, diff, facts, shares, hidden, waits }) {
    if (hidden) return becomes(say('without_part', { part: listed(hiddenWords(hidden).map(word => quoted(word.name))) }), shares);
    if (!changed.edits) return resting(base, each, shares);
    const plain = beginning(changed, base.about.model), gaps = words(base).filter(word => word.gap);
    const start = labelsOf(base)?.of === 'token' ? say('at_gap', { start: plain, asked: answered(base) }) : guess && gaps.length > 1 ? say('at_gap', { start: plain, asked: called(base, gaps[0]) }) : plain;
    if (waits || (!guess && !diff)) return parts('switch_waiting', { start });
    if (guess) return becomes(start, shares);
    const change = facts?.change, [farthest] = movedOf(base, diff);
    if (typeof change !== 'number') return parts('switch_output_no_numbers', { start });
    const number = numberOf(base), [was, is] = facts?.numbers ?? [];
    if (number && was && is) return parts('number_goes', { start, word: number.word, before: typeset(brief(was[0])), after: typeset(brief(is[0])) });
    return change && farthest ? parts('switch_output', { start, share: change, word: farthest.called }) : parts('switch_output_none', { start });
  }
  /** What is said while everything is on. @param {Packet} base @param {Packet | null} each @param {Share[]} shares */
  function resting(base, each, shares) {
    const [first] = shares, place = context.tries() ? null : dearest(base, each), part = place ? nameOf(place, base.about.model) : '', value = place ? effect(base, each, place) : NaN;
    const number = numberOf(base);
    if (!first) return behind(number ? parts('number_is', { word: number.word, value: typeset(brief(number.value)) }) : [], Number.isFinite(value) ? parts('all_on_output', { part, share: value }) : parts('all_on_alone', {}));
    const [before, after] = both(first.before, first.before - value), asked = answered(base);
    if (labelsOf(base)) {
      const what = asked ? `the label of ${asked}` : 'the label';
      return value >= LITTLE * first.before ? parts('labelled_head', { what, first: first.word, before, part, after }) : parts('labelled', { what, first: first.word, before: first.before });
    }
    return value >= LITTLE * first.before ? parts('all_on_head', { asked, first: first.word, before, part, after }) : parts('all_on', { asked, first: first.word, before: first.before });
  }

  /** What the answer stands at: a gap, or a word that gets a label; "" where it is of the sentence. @param {Packet} base */
  function answered(base) {
    const at = words(base)[wordAt(base, base.about.gap)];
    return at ? called(base, at) : '';
  }

  /** @param {import('./run.js').Word | null} hidden the word that is hidden @param {string} guess what stands in the gap @param {string} usual what does with everything on */
  function sentenceOf(hidden, guess, usual) {
    const here_ = hiddenHere(), of = here_?.from ?? /** @type {Packet} */ (run), all = words(of), from = hidden ? wordAt(of, state.word) : all.findIndex(word => word.gap);
    const wide = all.length > 2 * AROUND + 1, begin = wide ? Math.max(0, Math.min(from - AROUND, all.length - 2 * AROUND)) : 0, end = wide ? begin + 2 * AROUND + 1 : all.length;
    const texts = all.slice(begin, end).map((word, i) => {
      const here = begin + i === from, name = here ? guess || word.name : word.name, space = i && !/^[.,;:!?)\]]/.test(name) ? ' ' : '';
      if (here) return html`${space}<b translate="no" lang="" dir="auto" class="wi-gap${guess && guess !== usual ? ' wi-other' : ''}">${name}</b>`;
      if (labelsOf(of) && word.plain && masked(of, word, here_?.makes ?? state)) {
        const off = Boolean(here_?.places.has(word.position));
        return html`${space}<button translate="no" lang="" dir="auto" type="button" class="wi-word" data-word=${word.position} aria-pressed=${off} aria-label=${off ? `Bring back ${name}` : `Hide ${name}`} @click=${() => hide(here_ ?? { from: of, makes: ownSubject(), places: new Set() }, word.position)}>${off ? maskToken(of) : name}</button>`;
      }
      if (!hidden || !word.plain || !held(of, word)) return html`${space}<bdi translate="no" lang="">${name}</bdi>`;
      return html`${space}<button translate="no" lang="" dir="auto" type="button" class="wi-word" data-word=${word.position} aria-label="Hide ${name}" @click=${() => store.set({ word: word.position })}>${name}</button>`;
    });
    const shown = [hidden?.position, begin, guess, from, of.about.sentence, of.about.second, [...here_?.places ?? []].join()].join('\n');
    return html`<p class="wi-sentence" dir="auto" data-shown=${shown}>${begin > 0 ? '… ' : ''}${texts}${end < all.length ? ' …' : ''}</p>`;
  }

  /** How far words end up from where they were, the farthest first. @param {Packet} base @param {Packet | null} diff */
  function movedOf(base, diff) {
    if (!diff) return [];
    const far = row(diff.arrays.moved);
    return words(base).map(word => ({ word: word.name, called: called(base, word), share: Math.max(...Array.from(far.slice(word.position, word.position + word.count))) })).filter(one => Number.isFinite(one.share)).sort((a, b) => b.share - a.share);
  }
  /** The word that is hidden, where the bars do not have it: its share as it is and as it becomes. Of what is no word of the vocabulary nothing is told. @param {Now} found @param {Share[]} drawn @returns {Share | null} */
  function hiddenShare({ base, subject, hides, changed: { edits } }, drawn) {
    if (!hides || hides.count > 1 || drawn.some(one => one.word === hides.name)) return null;
    const ask = (/** @type {string} */ changes) => ({ ...answerStep(base, 'probabilities', base.about.gap), words: [hides.name, ''], ...made({ ...state, ...subject, edits: changes }) });
    const usual = shareOf.get(base, ask('')), then = usual && edits ? shareOf.get(base, ask(edits)) : usual, [before, after] = [usual, then].map(one => (one && factsOf(one).shares?.[0]) ?? NaN);
    const word = usual && factsOf(usual).words[0];
    return word && !drawn.some(one => one.word === word) ? { word, before, after } : null;
  }
  /** The guess as it is now, or how far words end up where there is none. @param {Now} found */
  function guessOrMoves(found) {
    const { base, changed: { edits: switched }, guess, diff, shares, hidden } = found, edits = switched || hidden;
    const all = drawn(shares), own = guess ? hiddenShare(found, all) : null, most = likeliest(all), far = guess ? [] : movedOf(base, diff).slice(0, 5), labels = labelsOf(base), title = !guess ? FAR : labels ? (answered(base) ? `The label of ${answered(base)}` : 'The label') : `The guess at ${answered(base)}`;
    const line = (/** @type {Share} */ one) => {
      const here = Number.isFinite(one.after), after = here ? one.after : one.before, usual = tight(percent(one.before, 1));
      return {
        name: one.word, fills: [{ share: after, mark: edits ? one.before : NaN, text: edits ? `${here ? fromTo(one.before, one.after) : `${usual} → …`}` : usual }], data: { guess: one.word, before: one.before, ...(here ? { after: one.after } : {}) },
        kind: [one === shares[0] && 'is-first', edits && one !== shares[0] && grows({ ...one, after }) && 'is-risen', here && one === most && 'wi-most'].filter(Boolean).join(' '),
      };
    };
    const lines = guess ? all.map(line) : far.map(({ word, share }, i) => ({ name: word, kind: i ? '' : 'is-first', fills: [{ share: share / (far[0].share || 1), text: tight(percent(share)) }], data: { moved: word, share } }));
    return html`<h2>${title}${guess ? html`<span class="wi-mark" ?hidden=${!edits}><i></i>${hidden ? 'with all words' : 'with everything on'}</span>` : nothing}</h2>${bars(lines, { label: !guess ? FAR : `${labels ? 'The labels' : 'What the model guesses'}, with everything on and as it is now`, kind: 'wi-bars' })}${own ? html`<p class="wi-own">${say('hidden_share')}</p>${bars([line(own)], { kind: 'wi-bars' })}` : nothing}`;
  }

  /** The board and its legend. @param {Now} found */
  function switches({ base, each, changed: { off, edits }, guess }) {
    const { model } = base.about, columns = columnsOf(model), theme = themeOf(getComputedStyle(probe).color), kind = guess ? 'signed' : 'share', [[word, share] = ['', NaN]] = guessesOf(base);
    const all = Array.from({ length: model.layers }, (_, layer) => Array.from({ length: columns }, (_, column) => costOf(base, each, { layer, column })));
    const { lost, gained, most } = ends(all.flat(), guess ? share : 1), scale = { low: guess ? -most : 0, high: most };
    const names = [...Array.from({ length: model.heads }, (_, head) => (head ? String(head) : 'head 0')), 'atten\u00adtion', 'feed-forward', 'whole layer'];
    const [line, column] = at.split(',').map(Number), known = all.flat().some(Number.isFinite);
    if (all[line]?.[column] === undefined) at = [...off][0] ?? key(state.layer, state.head);
    /** @param {number} layer @param {number} column */
    const part = (layer, column) => {
      const value = all[layer][column], place = { layer, column }, out = isOff(off, place, model), under = falls(off, place, model), colour = colourOf(value, scale, kind, theme);
      return {
        value, pressed: out, tab: key(layer, column) === at, colour: css(colour), ink: inkOn(colour), says: `${nameOf(place, model)}, ${out || under ? 'off' : 'on'}; ${spoken(base, each, place)}`,
        kind: under ? 'is-under' : '', text: under ? '' : out ? '✕' : Number.isFinite(value) ? inCell(value, share) : '',
      };
    };
    /** A number as it stands on the board, and what it means. @param {number} value @param {unknown} means */
    const chip = (value, means) => { const colour = colourOf(value, scale, kind, theme); return html`<span><b style="background: ${css(colour)}; color: ${inkOn(colour)}">${inCell(value, share)}</b>${means}</span>`; };
    const name = html`“<bdi translate="no" lang="">${word}</bdi>”`;
    const odd = guess ? oddest(all, model.heads, guessesOf(base)) : null;
    const tells = pointed && known && !context.tries() ? `${spoken(base, each, pointed)}.` : '';
    return html`${known && !context.tries() ? nothing : html`<p>Press a part to switch it off, or on again.</p>`}<div class="wi-above ${tells ? 'is-told' : ''}"><p class="wi-reading">${tells}</p>
      <p class="wi-key">${context.tries() ? 'What each part costs alone is shown once you have done it.' : !known ? 'This model is too large to try each part alone: switches have no colours.' : !guess ? chip(most, `percent of its length: how far the output moves without that part alone${edits ? ', in the unchanged run' : ''}`)
    : html`<span>Without one part alone${edits ? ', in the unchanged run' : ''}:</span>${[lost, -gained].filter(Boolean).map(value => chip(value, html`${name} ${losing(value, share)}`))}`}</p></div>
      <div class="wi-scroll" @pointermove=${(/** @type {PointerEvent} */ event) => { if (event.pointerType === 'mouse') point(placeOf(event)); }} @pointerleave=${() => point(null)} @click=${(/** @type {Event} */ event) => press(placeOf(event))} @focusin=${enter} @focusout=${() => point(null)} @keydown=${walk}>
        ${board({ label: 'Switches: press a part to switch it off, or on again', layers: model.layers, heads: model.heads, names, part })}</div>
      ${odd ? html`<p class="wi-whole">${say('whole_odd', odd)}</p>` : nothing}`;
  }
  /** The layer that costs as a whole what is farthest from what both its blocks cost alone; null where all nearly add up. @param {number[][]} all @param {number} heads @param {[string, number][]} guesses */
  function oddest(all, heads, [[word, share]]) {
    const off = all.map(row => Math.abs(row[heads + 2] - row[heads] - row[heads + 1]) || 0), layer = off.indexOf(Math.max(...off)), [attention, feed, whole] = all[layer].slice(heads).map(value => losing(value, share));
    return off[layer] >= ODD ? { layer, word, whole, attention, feed } : null;
  }
  /** What a part costs in points, or how far something moves without it in percent, where there is little room. @param {number} value @param {number} share of the guess; NaN where something moves */
  const inCell = (value, share) => {
    const text = Number.isFinite(share) ? pointsLost(share, share - value) : typeset(String(Math.round(100 * value)));
    return /[1-9]/.test(text) ? text : '·';
  };
  /** What a guess does without a part, in points. @param {number} value of its share that is lost @param {number} share */
  const losing = (value, share) => {
    const text = inCell(value, share), by = text.replace('\u2212', '');
    return text === '·' ? 'stays as it is' : `${by === text ? 'loses' : 'gains'} ${by} ${by === '1' ? 'point' : 'points'}`;
  };
  /** What a part does alone. @param {Packet} base @param {Packet | null} each @param {Place} place */
  function spoken(base, each, place) {
    const value = costOf(base, each, place), part = nameOf(place, base.about.model), [first] = alone(base, each, place);
    if (context.tries()) return part;
    if (!Number.isFinite(value)) return said('alone_unknown', { part });
    if (!first) return said('alone_change', { part, share: value });
    const [before, after] = both(first.before, first.after);
    return said(Math.abs(value) < LITTLE * first.before ? 'part_stays' : value < 0 ? 'part_rises' : 'part_falls', { part, word: first.word, before, after });
  }

  /** The first step that differs, and the way to the page that shows it. @param {Now} found */
  function first({ subject, base, changed, facts }) {
    const found = facts?.first;
    if (!found) return facts ? say('first_step_none') : 'Finding the first step that differs …';
    const { step, layer, title } = found, to = PAGE_OF.find(([begin]) => step.startsWith(begin))?.[1] ?? 'output', listed = context.options().pages.find(one => one.key === to);
    const text = layer === null ? say('first_step_whole', { title }) : say('first_step', { title: title.toLowerCase(), layer });
    if (!listed) return `${text}.`;
    const head = [...changed.off].map(one => one.split(',').map(Number)).find(([of, column]) => of === layer && column < base.about.model.heads)?.[1] ?? state.head;
    const changes = { ...subject, edits: changed.edits, step, cell: '', off: false, ...(layer === null ? {} : { layer, head }) };
    return html`<a class="enc-link" href="${listed.address}?${new URLSearchParams({ ...store.query(), ...toQuery(changes) })}" @click=${plainly(() => {
      store.set(changes, { push: true });
      context.go(to);
    })}>${text}<span aria-hidden="true"> →</span></a>`;
  }

  return {
    draw(given, chosen) {
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      const found = run && now();
      if (!found || (!found.guess && !found.changed.edits)) return [];
      const { subject, base, changed, hidden } = found, { guess } = found, labels = labelsOf(base), { layer, head } = state, start = changed.edits ? beginning(changed, base.about.model).toLowerCase() : 'with everything on';
      if (hidden) {
        const { sentence, second } = hidden.from.about;
        return [{ picture: 'label_hidden', name: `The label without ${listed(hiddenWords(hidden).map(word => quoted(word.name)))}`, query: toQuery({ ...made({ ...state, sentence, second, edits: '' }), other: subject.sentence, layer, head }) }];
      }
      const [answers, name] = guess ? ['', `${labels ? 'The label' : 'The guess at the gap'}, ${start}`] : ['vectors', `How far words end up, ${start}`];
      const gap = String(base.about.gap), at = /** @type {Record<string, string>} */ (labels?.of === 'sentence' ? {} : { why_token: gap }), board = guess ? [{ picture: 'part_board', name: `The ${labels ? 'label' : 'guess'} without each part alone`, query: { ...toQuery({ ...made({ ...state, ...subject, edits: '' }), layer, head }), ...at, why_word: base.about.guesses[gap][0][0] } }] : [];
      const own = guess ? hiddenShare(found, drawn(found.shares)) : null;
      return [{ ...context.main(answers, { ...toQuery({ ...made({ ...state, ...subject, edits: changed.edits }), layer, head }), ...(own ? { hidden_word: own.word } : {}) }), name }, ...board];
    },
    end() {
      rest.end();
      leave();
      for (const control of coming.values()) control.abort();
      coming.clear();
      shareOf.end();
      dark.removeEventListener('change', render);
      page.remove();
    },
  };
}

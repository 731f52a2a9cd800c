// @ts-check
// The What if page: a board of switches for the parts of the model, and what the guess becomes when some of them are off.
import { AS_IS, children, dress, el, focused, put, themeOf, walkByKeys, write } from './dom.js';
import { colourOf, css, gradient, inkOn } from './grid.js';
import { atRest, headline } from './controls.js';
import { made } from './load.js';
import { both, percent, points, tight, typeset } from './number.js';
import { read, row } from './packet.js';
import { called, effects, held, LITTLE, wordAt, words } from './run.js';
import { parts, said, say } from './say.js';
import { shareBars } from './guesses.js';
import { toQuery } from './store.js';
import { alone, becomes, beginning, columnsOf, drawn, effect, ends, factsOf, fits, grows, isOff, key, masked, nameOf, or, parse, pressed, spell } from './switches.js';
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

/** The words of what differs. @param {Packet} diff @returns {Share[]} */
function sharesOf(diff) {
  const { words, shares = [], after = [] } = factsOf(diff);
  return words.map((word, i) => ({ word, before: shares[i] ?? NaN, after: after[i] ?? NaN }));
}

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function whatIf(root, context) {
  dress(root, style);
  const { store } = context;
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  /** Of what everything was switched on again, so that no head is off by itself. */
  let calm = '';
  /** @type {{of: string, edits: string, calm: string} | null} */
  let before = null;
  /** @type {{edits: string, calm: string}[]} */
  let undone = [];
  /** @type {Map<string, Packet>} */
  const known = new Map();
  /** What is on its way, by its name, and what could not be had. @type {Map<string, AbortController>} */
  const coming = new Map();
  let wrong = { of: '', why: '' };
  /** Sentences with a word hidden that the model cannot read. @type {Set<string>} */
  const unable = new Set();
  /** @type {Place | null} */
  let pointed = null;
  let at = '', full = false;
  const rest = atRest(context.announce);

  const top = headline(context, { layer: false, head: false });
  const hides = el('p', { class: 'wi-hides' }), sentence = el('p', { class: 'wi-sentence', dir: 'auto' });
  const title = el('h2'), bars = el('ul', { class: 'enc-bars wi-bars' }), mark = el('p', { class: 'wi-mark' }, el('i'), 'with everything on');
  const first = el('p', { class: 'wi-first' }), firstSaid = el('span'), firstLink = el('a', { class: 'enc-link', onclick: follow }, firstSaid, el('span', { 'aria-hidden': 'true' }, ' →')), firstNone = el('span');
  first.append(firstLink, firstNone);
  const reset = el('button', { type: 'button', class: 'enc-pill', onclick: () => set('', true) }, 'All on again');
  const undo = el('button', { type: 'button', class: 'enc-pill', onclick: takeBack }, 'Undo');
  const others = el('p', { class: 'wi-others' }), othersSaid = el('span'), remove = el('button', { type: 'button', class: 'wi-remove', onclick: removeOthers }, 'Remove');
  others.append(othersSaid, ' ', remove);
  const trouble = el('p', { class: 'enc-trouble', role: 'alert', hidden: true });
  const corner = el('th', { scope: 'col' }, 'layer'), heads = el('tr', {}, corner), body = el('tbody');
  const board = el('table', { class: 'wi-board', role: 'grid', 'aria-label': 'Switches: press a part to switch it off, or on again' }, el('thead', {}, heads), body);
  const reading = el('p', { class: 'wi-reading' }), scroll = el('div', { class: 'wi-scroll' }, board);
  const low = el('span'), bar = el('i'), high = el('span'), legendOf = el('p', { class: 'wi-legend-of' }), beyond = el('span');
  const legend = el('div', { class: 'wi-legend' }, low, bar, high, beyond), probe = el('i', { class: 'wi-probe enc-probe', hidden: true });
  const page = el('section', { class: 'wi', 'aria-label': 'What if' }, top.element, hides, sentence, trouble,
    el('div', { class: 'wi-body' },
      el('div', { class: 'wi-guess' }, title, bars, mark, first, el('div', { class: 'wi-tools' }, reset, undo), others),
      el('div', { class: 'wi-switches' }, reading, scroll, legendOf, legend)), probe);
  const waiting = el('p', { class: 'wi-waiting', role: 'status', hidden: true });
  page.prepend(waiting);
  page.classList.add('wi-empty');
  root.append(page);

  board.onpointermove = event => { if (event.pointerType === 'mouse') point(placeOf(event.target)); };
  board.onpointerleave = () => point(null);
  board.onclick = event => {
    const place = placeOf(event.target);
    if (place) press(place);
  };
  board.addEventListener('focusin', event => {
    const place = placeOf(event.target);
    if (!place) return;
    rove(key(place.layer, place.column));
    if (/** @type {Element} */ (event.target).matches(':focus-visible')) point(place);
  });
  board.addEventListener('focusout', () => point(null));
  board.onkeydown = event => {
    const here = placeOf(event.target);
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const { layer, column } = here, last = run ? columnsOf(run.about.model) - 1 : 0;
    const to = { ArrowLeft: [layer, column - 1], ArrowRight: [layer, column + 1], ArrowUp: [layer - 1, column], ArrowDown: [layer + 1, column], Home: [layer, 0], End: [layer, last] }[event.key];
    const next = to && buttonAt(key(to[0], to[1]));
    if (!to || !next) return;
    event.preventDefault();
    rove(key(to[0], to[1]));
    next.focus();
  };
  walkByKeys(sentence, () => [...sentence.querySelectorAll('button')]);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', render);
  // A press is drawn before its run is here.
  const leave = store.subscribe(now => {
    if (!run || now.edits === state.edits || JSON.stringify(made({ ...now, edits: '' })) !== JSON.stringify(made({ ...state, edits: '' }))) return;
    state = { ...state, edits: now.edits };
    render();
  });

  /** @param {EventTarget | null} target @returns {Place | null} */
  function placeOf(target) {
    const cell = target instanceof Element ? target.closest('[data-cell]')?.getAttribute('data-cell') : null;
    const [layer, column] = cell?.split(',').map(Number) ?? [];
    return cell ? { layer, column } : null;
  }
  /** @param {string} cell */
  const buttonAt = cell => /** @type {HTMLElement | null} */ (board.querySelector(`[data-cell="${cell}"]`));
  /** @param {string} cell */
  function rove(cell) {
    buttonAt(at)?.setAttribute('tabindex', '-1');
    at = cell;
    buttonAt(at)?.setAttribute('tabindex', '0');
  }
  /** @param {Place | null} place */
  function point(place) {
    if (place?.layer === pointed?.layer && place?.column === pointed?.column) return;
    pointed = place;
    explain();
  }

  /** What is asked about: the sentence itself where it has a gap, else with the chosen word hidden. @returns {{subject: Subject, hides: import('./run.js').Word | null}} */
  function asked() {
    const { sentence, second, hidden } = state, of = /** @type {Packet} */ (run), plain = { sentence, second, hidden };
    if (of.about.gap >= 0) return { subject: plain, hides: null };
    const word = words(of)[wordAt(of, state.word)], found = word && masked(of, word, plain);
    if (!word || !found) return { subject: plain, hides: null };
    const base = baseOf(found);
    return (base && !guessesOf(base)) || unable.has(nameOfSubject(found)) ? { subject: plain, hides: null } : { subject: found, hides: word };
  }
  /** @param {Subject} subject */
  const baseOf = subject => context.peek({ ...subject, edits: '' });
  /** Whether a run guesses a word at its first gap. @param {Packet} of */
  const guessesOf = of => Boolean(of.about.guesses[String(of.about.gap)]?.length);
  /** @param {Subject} subject */
  const nameOfSubject = subject => JSON.stringify(made({ ...state, ...subject, edits: '' }));

  /** A packet of level 7; null while it is on its way, and where there is none. @param {Subject} subject @param {string} edits @returns {Packet | null} */
  function tried(subject, edits) {
    const asked = made({ ...state, ...subject, edits }), name = JSON.stringify(asked), there = known.get(name);
    if (there) return there;
    if (coming.has(name) || wrong.of === name) return null;
    if (edits) for (const [other, control] of coming) if (JSON.parse(other).edits) { control.abort(); coming.delete(other); }
    const control = new AbortController();
    coming.set(name, control);
    context.load({ level: 7, ...asked }, control.signal).then(read).then(
      found => {
        known.set(name, found);
        for (const old of known.keys()) if (known.size > KEPT) known.delete(old);
      },
      error => { if (!control.signal.aborted) wrong = { of: name, why: error instanceof Error && error.message ? error.message : 'This did not work: try again.' }; },
    ).finally(() => {
      if (coming.get(name) !== control) return;
      coming.delete(name);
      if (page.isConnected) render();
    });
    return null;
  }

  /** The head that is off where nobody switched any: the one that the guess needs most. @param {Packet} base @param {Packet | null} each @returns {Place | null} */
  function usual(base, each) {
    const { model } = base.about;
    if (state.off) return { layer: state.layer, column: state.head };
    if (!guessesOf(base)) {
      const change = each?.arrays.change;
      if (!change) return each ? { layer: state.layer, column: state.head } : null;
      const heads = Array.from({ length: model.layers * model.heads }, (_, i) => ({ layer: Math.floor(i / model.heads), column: i % model.heads }));
      return heads.reduce((best, place) => (effect(base, each, place) > effect(base, each, best) ? place : best), heads[0]);
    }
    const best = effects(base)[0] ?? state;
    return { layer: best.layer, column: best.head };
  }

  /** What is switched. @param {Subject} subject @param {Packet} base @param {Packet | null} each @returns {Changed & {edits: string}} */
  function current(subject, base, each) {
    const { model } = base.about;
    if (state.edits) return { ...parse(state.edits, model), edits: state.edits };
    const place = calm === nameOfSubject(subject) ? null : usual(base, each);
    const changed = { off: new Set(place ? [key(place.layer, place.column)] : []), others: [] };
    return { ...changed, edits: spell(changed, model) };
  }
  /** All that is needed to draw, as far as it is here. */
  function now() {
    const { subject, hides } = asked(), base = baseOf(subject);
    if (!base) return { subject, hides, base: null };
    const each = tried(subject, ''), changed = current(subject, base, each), guess = guessesOf(base);
    const diff = changed.edits ? tried(subject, changed.edits) : null;
    const only = changed.others.length || changed.off.size !== 1 ? null : [...changed.off][0].split(',').map(Number);
    const guesses = base.about.guesses[String(base.about.gap)] ?? [];
    /** @type {Share[]} */
    let shares = guesses.map(([word, share]) => ({ word, before: share, after: changed.edits ? NaN : share }));
    if (guess && diff) shares = sharesOf(diff);
    else if (guess && only) shares = or(alone(base, each, { layer: only[0], column: only[1] }), shares);
    return { subject, hides, base, each, changed, guess, diff, shares, waits: Boolean(changed.edits) && !diff && !shares.some(one => Number.isFinite(one.after)) };
  }

  /** Switches one part. @param {Place} place */
  function press(place) {
    const { base, changed } = now();
    if (!base || !changed) return;
    const { model } = base.about, edits = spell({ off: pressed(changed.off, place, model), others: changed.others }, model);
    full = !fits(edits);
    if (full) render();
    else set(edits, !edits, place.column < model.heads ? { layer: place.layer, head: place.column } : {});
  }
  /** @param {string} edits @param {boolean} rest whether no head is to be off by itself @param {import('./store.js').Changes} [also] */
  function set(edits, rest, also = {}) {
    if (!run) return;
    const { subject, hides } = asked();
    calm = rest ? nameOfSubject(subject) : '';
    full = false;
    store.set({ edits, off: false, ...(hides ? { word: state.word } : {}), ...also });
  }
  function takeBack() {
    const last = undone.pop();
    if (!last) return;
    calm = last.calm;
    before = null;
    store.set({ edits: last.edits, off: false });
    if (undo.disabled) reset.focus();
  }
  function removeOthers() {
    const { base, changed } = now();
    if (!base || !changed) return;
    const edits = spell({ off: changed.off, others: [] }, base.about.model);
    set(edits, !edits);
    reset.focus();
  }

  /** Keeps what was there before, to take back. @param {Subject} subject */
  function remember(subject) {
    const mine = { of: nameOfSubject(subject), edits: state.edits, calm };
    if (before && before.of !== mine.of) undone = [];
    else if (before && (before.edits !== mine.edits || before.calm !== mine.calm)) undone = [...undone.slice(1 - MOST_UNDONE), before];
    before = mine;
  }

  function render() {
    if (!run || !page.isConnected) return;
    const found = now(), { subject, hides: word, base } = found;
    put(page, { 'aria-busy': base ? null : 'true' });
    waiting.hidden = Boolean(base);
    if (!base) {
      write(waiting, word ? `Asking the model with ${called(/** @type {Packet} */ (run), word)} hidden …` : 'Asking the model with everything on …');
      context.fetch({ ...subject, edits: '' }).then(render, error => {
        if (word) {
          unable.add(nameOfSubject(subject));
          render();
        } else write(waiting, error instanceof Error ? error.message : '');
      });
      return;
    }
    page.classList.remove('wi-empty');
    remember(subject);
    const { changed, guess, shares, diff, each } = found;
    const why = [...(full ? ['No more fits in a link: switch something on first.'] : []), ...(wrong.why && wrong.of === JSON.stringify(made({ ...state, ...subject, edits: changed.edits })) ? [wrong.why] : [])];
    trouble.hidden = !why.length;
    write(trouble, why.join(' '));
    top.draw(base, state, finding(found));
    drawSentence(word, guess && shares.length ? shares.reduce((best, one) => (one.after > best.after ? one : best), shares[0]).word : '', shares[0]?.word ?? '');
    if (guess) drawGuess(base, shares, changed.edits !== '');
    else drawMoved(base, diff);
    drawBoard(base, each, changed.off, guess);
    drawFirst(diff, changed);
    reset.disabled = !changed.edits;
    undo.disabled = !undone.length;
    others.hidden = !changed.others.length;
    const described = changed.edits.split(';').map((text, i) => [text, (diff && factsOf(diff).changes?.[i]) ?? text]).filter(([text]) => changed.others.includes(text)).map(([, text]) => text);
    const more = described.length - MOST_CHANGES;
    write(othersSaid, `Also changed, and no switch of this board: ${described.slice(0, MOST_CHANGES).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`);
    rest.say(top.finding.textContent ?? '');
  }

  /** @param {ReturnType<typeof now>} found */
  function finding({ base, each, changed, guess, diff, shares, waits }) {
    if (!base || !changed || !shares) return [];
    const { model } = base.about;
    if (!changed.edits) return resting(base, each ?? null, shares);
    const start = atGap(base, beginning(changed, model));
    if (waits || (!guess && !diff)) return parts('switch_waiting', { start });
    if (guess) return becomes(start, shares);
    const change = diff && factsOf(diff).change, moved = movedOf(base, diff ?? null);
    if (typeof change !== 'number') return parts('switch_output_no_numbers', { start });
    return change && moved.length ? parts('switch_output', { start, share: change, word: moved[0].called }) : parts('switch_output_none', { start });
  }
  /** How a sentence begins, with the gap that it is about where there are several. @param {Packet} base @param {string} start */
  function atGap(base, start) {
    const all = words(base).filter(word => word.gap);
    return guessesOf(base) && all.length > 1 ? say('at_gap', { start, asked: called(base, all[0]) }) : start;
  }
  /** What is said while everything is on. @param {Packet} base @param {Packet | null} each @param {Share[]} shares */
  function resting(base, each, shares) {
    const [first] = shares, place = usual(base, each), part = place ? nameOf(place, base.about.model) : '', value = place ? effect(base, each, place) : NaN;
    if (!first) return Number.isFinite(value) ? parts('all_on_output', { part, share: value }) : parts('all_on_alone', {});
    const asked = called(base, words(base)[wordAt(base, base.about.gap)]), [before, after] = both(first.before, first.before - value);
    return value >= LITTLE * first.before ? parts('all_on_head', { asked, first: first.word, before, part, after }) : parts('all_on', { asked, first: first.word, before: first.before });
  }

  /** @param {import('./run.js').Word | null} hidden the word that is hidden @param {string} guess what stands in the gap @param {string} usual what does with everything on */
  function drawSentence(hidden, guess, usual) {
    const of = /** @type {Packet} */ (run), all = words(of), from = hidden ? wordAt(of, state.word) : all.findIndex(word => word.gap);
    hides.hidden = !hidden;
    write(hides, hidden ? say('hidden_word', { word: called(of, hidden) }) : '');
    const wide = all.length > 2 * AROUND + 1, begin = wide ? Math.max(0, Math.min(from - AROUND, all.length - 2 * AROUND)) : 0, end = wide ? begin + 2 * AROUND + 1 : all.length;
    const had = focused(sentence)?.getAttribute('data-word');
    const texts = all.slice(begin, end).map((word, i) => {
      const here = begin + i === from;
      if (here) return el('b', { ...AS_IS, dir: 'auto', class: `wi-gap${guess && guess !== usual ? ' wi-other' : ''}` }, guess || word.name);
      if (hidden && word.plain && held(of, word)) return el('button', { ...AS_IS, dir: 'auto', type: 'button', class: 'wi-word', 'data-word': word.position, 'aria-label': `Hide ${word.name}`, onclick: () => store.set({ word: word.position }) }, word.name);
      return el('bdi', {}, word.name);
    });
    const spelled = [begin > 0 ? '… ' : '', ...texts.flatMap((text, i) => (i && !/^[.,;:!?)\]]/.test(text.textContent ?? '') ? [' ', text] : [text])), end < all.length ? ' …' : ''];
    const shown = [hidden?.position, begin, guess, from, of.about.sentence, of.about.second].join('\n');
    if (sentence.dataset.shown === shown) return;
    sentence.dataset.shown = shown;
    sentence.replaceChildren(...spelled);
    const buttons = /** @type {NodeListOf<HTMLElement>} */ (sentence.querySelectorAll('button'));
    buttons.forEach((button, i) => { button.tabIndex = i ? -1 : 0; });
    if (had) (buttons[0] ?? top.finding).focus();
  }

  /** @param {Packet} base @param {Share[]} shares @param {boolean} changed */
  function drawGuess(base, shares, changed) {
    write(title, `The guess at ${called(base, words(base)[wordAt(base, base.about.gap)])}`);
    put(bars, { 'aria-label': 'What the model guesses, with everything on and as it is now' });
    const all = drawn(shares), most = all.reduce((best, one) => (one.after > best.after ? one : best), all[0]);
    shareBars(bars, all.map(one => {
      const here = Number.isFinite(one.after), after = here ? one.after : one.before;
      const names = [one === shares[0] && 'enc-first', changed && one !== shares[0] && grows({ ...one, after }) && 'enc-risen', here && one === most && 'wi-most'];
      return {
        name: one.word, filled: after, marked: changed ? one.before : NaN,
        text: changed ? `${tight(percent(one.before, 1))} → ${here ? tight(percent(one.after, 1)) : '…'}` : tight(percent(one.before, 1)),
        props: { 'data-guess': one.word, 'data-before': one.before, 'data-after': here ? one.after : null, 'data-moved': null, 'data-share': null, class: names.filter(Boolean).join(' ') || null },
      };
    }));
    mark.hidden = !changed;
  }

  /** How far words end up from where they were, the farthest first. @param {Packet} base @param {Packet | null} diff */
  function movedOf(base, diff) {
    if (!diff) return [];
    const far = row(diff.arrays.moved);
    return words(base).map(word => ({ word: word.name, called: called(base, word), share: Math.max(...Array.from(far.slice(word.position, word.position + word.count))) })).filter(one => Number.isFinite(one.share)).sort((a, b) => b.share - a.share);
  }
  /** @param {Packet} base @param {Packet | null} diff */
  function drawMoved(base, diff) {
    const all = movedOf(base, diff).slice(0, 5), most = all[0]?.share || 1;
    write(title, 'How far words end up from where they were');
    put(bars, { 'aria-label': 'How far words end up from where they were' });
    shareBars(bars, all.map(({ word, share }, i) => ({
      name: word, text: tight(percent(share)), filled: share / most, marked: NaN,
      props: { 'data-moved': word, 'data-share': share, 'data-guess': null, 'data-before': null, 'data-after': null, class: i ? null : 'enc-first' },
    })));
    mark.hidden = true;
  }

  /** @param {Packet} base @param {Packet | null} each @param {Set<string>} off @param {boolean} guess */
  function drawBoard(base, each, off, guess) {
    const { model } = base.about, columns = columnsOf(model), theme = themeOf(getComputedStyle(probe).color), kind = guess ? 'signed' : 'share', guessed = base.about.guesses[String(base.about.gap)]?.[0];
    const all = Array.from({ length: model.layers }, (_, layer) => Array.from({ length: columns }, (_, column) => effect(base, each, { layer, column })));
    const { most, beyond: far } = ends(all.flatMap(values => values.slice(0, model.heads)), all.flat(), guess ? guessed?.[1] : 1), scale = { low: guess ? -most : 0, high: most };
    const names = [...Array.from({ length: model.heads }, (_, head) => (head ? String(head) : 'head 0')), 'atten\u00adtion', 'feed-forward', 'whole layer'];
    board.style.setProperty('--heads', String(model.heads));
    put(board, { 'data-many': model.layers > 16 ? 'most' : model.layers > 8 ? 'many' : null });
    children(heads, columns + 1, () => el('th', { scope: 'col' })).slice(1).forEach((head, column) => {
      write(head, names[column]);
      put(head, { 'aria-label': column < model.heads ? `head ${column}` : names[column].replace('\u00ad', ''), class: column < model.heads ? null : 'wi-block' });
    });
    children(body, model.layers, () => el('tr', {}, el('th', { scope: 'row' }))).forEach((line, layer) => {
      const cells = children(line, columns + 1, () => el('td', {}, el('button', { type: 'button', tabindex: '-1' })));
      write(cells[0], String(layer));
      put(cells[0], { 'aria-label': `layer ${layer}` });
      cells.slice(1).forEach((cell, column) => {
        const button = /** @type {HTMLElement} */ (cell.firstElementChild), value = all[layer][column], place = { layer, column }, out = isOff(off, place, model);
        const colour = colourOf(guess ? -value : value, scale, kind, theme), near = Math.round(100 * value);
        put(cell, { class: column < model.heads ? null : 'wi-block' });
        put(button, {
          'data-cell': key(layer, column), 'data-effect': Number.isFinite(value) ? value : null, 'aria-pressed': String(out),
          class: column < model.heads && isOff(off, { layer, column: model.heads }, model) ? 'wi-under' : null,
          'aria-label': `${nameOf(place, model)}, ${out ? 'off' : 'on'}; ${spoken(base, each, place)}`,
        });
        button.style.setProperty('--colour', css(colour));
        button.style.setProperty('--on', inkOn(colour));
        write(button, out ? '✕' : !Number.isFinite(value) ? '' : near ? typeset(String(near)) : '·');
      });
    });
    if (!buttonAt(at) || !board.querySelector('[tabindex="0"]')) rove(buttonAt(at) ? at : [...off][0] ?? key(state.layer, state.head));
    const known = all.flat().some(Number.isFinite), word = guessed?.[0] ?? '';
    legend.hidden = !known;
    bar.style.background = gradient(kind, theme);
    write(legendOf, !known ? 'This model is too large to try each part alone: switches have no colours.' : guess ? `The colour and number of a switch: how many points of the share of “${word}” are lost without that part alone.` : 'The colour and number of a switch: by how many percent of its length the output changes without that part alone.');
    write(low, guess ? `${points(most)} lost` : '0 %');
    write(high, guess ? `${points(most)} gained` : percent(most));
    write(beyond, far ? `${far} go${far === 1 ? 'es' : ''} beyond these ends` : '');
    explain();
  }
  /** What a part does alone. @param {Packet} base @param {Packet | null} each @param {Place} place */
  function spoken(base, each, place) {
    const value = effect(base, each, place), part = nameOf(place, base.about.model), [first] = alone(base, each, place);
    if (!Number.isFinite(value)) return said('alone_unknown', { part });
    if (!first) return said('alone_change', { part, share: value });
    const [before, after] = both(first.before, first.after);
    return said('alone_share', { part, word: first.word, before, after });
  }
  function explain() {
    const found = run && pointed ? now() : null;
    if (found?.base && pointed) write(reading, `${spoken(found.base, found.each ?? null, pointed)}.`);
    else write(reading, 'Press a part to switch it off, or on again.');
  }

  /** The step to look at, and the page that shows it. @param {Packet | null} diff @param {Changed} changed */
  function stepOf(diff, changed) {
    const found = diff && factsOf(diff).first;
    if (!found) return null;
    const heads = [...changed.off].map(one => one.split(',').map(Number)).filter(([layer]) => layer === found.layer), { model } = /** @type {Packet} */ (run).about;
    const head = heads.find(([, column]) => column < model.heads)?.[1];
    return { ...found, head, page: PAGE_OF.find(([begin]) => found.step.startsWith(begin))?.[1] ?? 'output' };
  }
  /** @param {Packet | null} diff @param {Changed & {edits: string}} changed */
  function drawFirst(diff, changed) {
    const found = stepOf(diff, changed), listedAs = found && context.options().pages.find(one => one.key === found.page);
    const text = !found ? '' : found.layer === null ? say('first_step_whole', { title: found.title }) : say('first_step', { title: found.title.toLowerCase(), layer: found.layer });
    firstLink.hidden = !found || !listedAs;
    write(firstSaid, text);
    write(firstNone, found && !listedAs ? `${text}.` : !found && diff ? say('first_step_none') : '');
    if (found && listedAs) put(firstLink, { href: `${listedAs.address}?${new URLSearchParams({ ...store.query(), ...toQuery(wayTo(found, changed.edits)) })}` });
  }
  /** @param {NonNullable<ReturnType<typeof stepOf>>} found @param {string} edits @returns {import('./store.js').Changes} */
  function wayTo({ step, layer, head }, edits) {
    const { subject } = asked();
    return { ...subject, edits, step, cell: '', off: false, ...(layer === null ? {} : { layer, head: head ?? state.head }) };
  }
  /** @param {MouseEvent} event */
  function follow(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const { diff, changed } = now(), found = changed && stepOf(diff ?? null, changed);
    if (!found || !changed) return;
    store.set(wayTo(found, changed.edits), { push: true });
    context.go(found.page);
  }

  return {
    draw(given, chosen) {
      run = given;
      state = chosen;
      render();
    },
    kept() {
      const { subject, base, changed, guess } = run ? now() : { subject: null, base: null, changed: null, guess: false };
      if (!run || !subject || !base || !changed || (!guess && !changed.edits)) return null;
      const { layer, head } = state, start = changed.edits ? beginning(changed, base.about.model).toLowerCase() : 'with everything on';
      const [picture, name] = guess ? ['guess_changed', `The guess at the gap, ${start}`] : ['words_moved', `How far words end up, ${start}`];
      return { picture, name, query: toQuery({ ...made({ ...state, ...subject, edits: changed.edits }), layer, head }) };
    },
    end() {
      rest.end();
      leave();
      for (const control of coming.values()) control.abort();
      coming.clear();
      dark.removeEventListener('change', render);
      page.remove();
    },
  };
}

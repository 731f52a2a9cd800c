// @ts-check
// The Output page: what comes out at a word, and after which layer that was settled; for a model that names no words, how its vectors move.
import { atRest, headline, leads, opener, told as sheetOf } from './controls.js';
import { dress, el, themeOf } from './dom.js';
import { headKind, howAdded, howTitle, labelBars, labelSaid, seenIn, seenKey, taughtDots, withoutHeads } from './labels.js';
import { layered } from './layer_grid.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import style from './output.css';
import { many } from './number.js';
import { answerAt, answerStep, begins, called, direction, inFull, labelsOf, wordAt, words } from './run.js';
import { among } from './rows.js';
import { opening, parts as partsOf, set } from './say.js';
import { goTo } from './spine.js';
import { explained } from './terms.js';
import { wordRow } from './tokens.js';
import { wordPair } from './word_pair.js';
import { aboutSum, MOST_TOKENS, pairOf, partSum, sumOf, wordSum } from './word_sum.js';
import { guessed, masked, said, turned, wordsTable } from './logit_lens.js';
import { open, toQuery } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
const LEVEL = 5; // of packets: what would be said after each layer
const SUMS = 10; // the level that tells what words are the sum of
const READING = 'Each column reads the vector after that layer as if it were the last (logit lens). The model learned to read the last layer only: an earlier column is a reading, not a belief.';
const MOVING = 'Each row is a token’s vector: its cosine, after each layer, with what it is in the end. 1 is the same direction.';

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function output(root, context) {
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce), sheet = sheetOf(root);
  const packets = layerPackets(context, LEVEL, () => render()), sums = layerPackets(context, SUMS, () => render()), asks = layerPackets(context, SUMS, () => render());
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  /** The word that is no gap, whose sum was asked for. @type {WeakMap<Packet, number>} */
  const opened = new WeakMap();
  /** Whether it is shown beside the sum what hiding each word costs. */
  let hides = false;
  /** Whether all words of a long sentence are drawn in the sum. */
  let unfolded = false;

  const head = headline(context, { layer: false, head: false });
  const line = wordRow(askOf), pair = wordPair(changes => { store.set(changes); });
  const grid = layered({
    keep: (at, word, row) => {
      store.set({ ...keep(at), ...(word === null ? {} : follow(word)), ...(row !== null && run && row !== state.word && wordAt(run, row) >= 0 ? { word: row } : {}) });
    },
  });
  const parts = el('div', { class: 'ou-board' }), losses = el('div', { class: 'ou-board' }), page = el('section', { class: 'ou', 'aria-label': 'Output' }), beside = el('div', { class: 'enc-place' }, pair.element);
  root.append(page);
  among(parts, 'data-head-row', { point: () => {}, keep: ({ layer, head: own }) => { // behind the heads stands feed-forward
    const heads = own < /** @type {Packet} */ (run).about.model.heads;
    goTo(context, heads ? 'attention' : 'feed_forward', { layer, head: heads ? own : state.head });
  } }, true);

  among(losses, 'data-head-row', { point: () => {}, keep: place => goTo(context, 'what_if', { ...place, off: true }) }, true);

  const unfold = () => { unfolded = true; render(); };

  /** Asks about another word: what was spoken of at the one before is left. @param {number} position */
  function askOf(position) {
    store.set({ word: position, guess: '', over: '' });
    /** @type {HTMLElement | null} */ (page.querySelector(`[data-word="${position}"]`))?.focus();
  }

  /** The column that is kept, as an address says it: none is the last one. @param {number} column @returns {import('./store.js').Changes} */
  const keep = column => ({ after: !run || column === run.about.model.layers ? '' : column ? String(column - 1) : 'input' });
  /** The word that is followed: none is the one that wins. @param {number} word @returns {import('./store.js').Changes} */
  function follow(word) {
    const found = run && packets.get(run, null), asked = run && words(run)[wordAt(run, state.word)];
    const guess = (word && found && asked && guessed(found, asked.position, '')?.spelled[word]) || '';
    return { guess, ...(guess && guess === state.over ? { over: '' } : {}) };
  }
  /** The column of the state. @param {number} last */
  const kept = last => (state.after === 'input' ? 0 : /^\d{1,6}$/.test(state.after) ? Math.min(Number(state.after) + 1, last) : last);

  /** Puts the mask in place of the word. */
  function maskIt() {
    const found = run && packets.get(run, null);
    if (!run || !found) return;
    const changes = masked(run, found, state.word);
    if (!changes) return;
    store.set({ ...changes, layer: state.layer, head: state.head, word: state.word }, { push: true });
    head.finding.focus({ preventScroll: true });
  }

  /** What the guess at a word is the sum of, for the pair that is spoken of; what stands in its place where it is not here. @param {Packet} of @param {import('./run.js').Word} word */
  function sumAt(of, word) {
    const { guess, over } = state, count = of.about.tokens.length, labels = labelsOf(of), guesses = of.about.guesses[String(answerAt(of, word.position))] ?? labels?.values?.[String(answerAt(of, word.position))];
    const none = { packet: null, pair: null, usual: '', why: '', instead: /** @type {unknown} */ (nothing) };
    if (!(guesses?.length || (!word.gap && packets.get(of, null)?.about.vocabulary))) return none;
    if (count > MOST_TOKENS) return { ...none, instead: html`<p class="ou-sum ou-about">Which words speak for the ${labels ? 'label' : 'guess'} is shown for up to ${MOST_TOKENS} tokens; this sentence has ${count}.</p>` };
    if (!word.gap && !labels && opened.get(of) !== word.position) return context.options().closed ? none : { ...none, instead: html`<p class="ou-sum"><button type="button" class="enc-pill" @click=${() => { opened.set(of, word.position); render(); }}>Which words speak for this?</button></p>` };
    const at = answerStep(of, 'logits', word.position), packet = sums.get(of, at), known = packet && pairOf(packet, guess, over), typed = { ...at, words: [guess, over] };
    const other = packet && !known ? asks.get(of, typed) : null, why = sums.why(of, at) || (packet && !known ? asks.why(of, typed) : '');
    if (!packet) return { ...none, instead: why ? context.options().closed ? nothing : html`<p class="ou-sum" role="alert">${why}</p>` : html`<p class="ou-sum" role="status">Adding up the words …</p>` };
    const from = other ?? packet, usual = pairOf(packet, guess, '') ?? aboutSum(packet).pair, now = other ? aboutSum(other).pair : known ?? usual;
    return { packet: from, pair: now, usual: aboutSum(from).words[(other && !over ? now : usual)[1]], why, instead: nothing };
  }

  /** The page of a label: what speaks for it, all labels, and what becomes of it without each head. @param {Packet} of @param {import('./run.js').Word} word */
  function renderLabel(of, word) {
    const all = words(of), labels = labelsOf(of), added = sumAt(of, word), last = of.about.model.layers, theme = themeOf(getComputedStyle(page).backgroundColor);
    const sum = added.packet && added.pair ? sumOf(added.packet, added.pair, last, all.map(({ position }) => position)) : null, listed = of.about.guesses[String(answerAt(of, word.position))] ?? [], packet = added.packet;
    head.draw(of, state, labelSaid(of, word, sum));
    const models = context.options().pages.find(({ key }) => key === 'models');
    const named = sum?.word ?? listed[0]?.[0] ?? '', only = labels?.labels.length === 1 && labels.problem === 'single_label';
    if (sum) pair.draw({ words: listed.length ? listed.map(([name]) => name) : labels?.labels ?? [], guess: state.guess, over: state.over, first: listed[0]?.[0] ?? labels?.labels[0] ?? '', usual: added.usual, wrong: added.why, closed: true, alone: sum.pair[1] < 0 });
    if (labels?.of === 'token') line.draw(all.map(one => ({ name: one.name, position: one.position, title: null, label: of.about.guesses[String(one.position)]?.[0]?.[0] ?? '' })), word.position, direction(of));
    into(html`<div class="lb-head">${head.element}${sum && (labels?.labels.length ?? 0) > 1 ? beside : nothing}</div>${labels?.of === 'token' ? html`<div class="ou-top">${line.element}</div>` : nothing}
      ${sum && packet && !only ? wordSum(packet, sum, beside, { gap: true, asked: labels?.of === 'token' ? word.position : -1, hides, hide: on => { hides = on; render(); }, unfolded, unfold, label: name => seenIn(packet, name), labelKey: seenKey(packet), numbers: labels?.problem === 'regression', how: html`<button type="button" class="enc-link" aria-haspopup="dialog" @click=${() => sheet.show(...howAdded(of, packet, sum, state.model))}>${howTitle(sum)} <span aria-hidden="true">→</span></button>` }) : only ? nothing : added.instead}
      <div class="lb-below"><section aria-label="The label"><h2 class="ou-title">${labels?.problem === 'regression' ? 'The numbers' : labels?.problem === 'multi_label' ? 'The labels' : 'The label'}</h2>${labelBars(of, word, named)}<p class="ou-about">${headKind(of, packet, sum)}</p>${models ? html`<p class="lb-own">${leads('Bring your own classifier', '→', `${models.address}?${new URLSearchParams(store.query())}`, () => context.go('models'), 'models')}</p>` : nothing}</section>
        ${sum && packet && !only ? html`<section aria-label="Without one head"><h2 class="ou-title">Without one head</h2>${withoutHeads(of, packet, sum, losses, theme)}</section>${taughtDots(of, packet, sum.word)}` : nothing}</div>
      ${sum && packet && !only ? partSum(packet, sum, parts, theme) : nothing}`, page);
    rest.say(head.finding.textContent ?? '');
  }

  function render() {
    if (!run) return;
    const all = words(run), word = all[wordAt(run, state.word)], found = labelsOf(run) ? null : packets.get(run, null);
    if (!word) {
      head.draw(run, state, [{ text: 'There is no word here to look from.', name: '', format: '' }]);
      return;
    }
    if (labelsOf(run)) {
      renderLabel(run, word);
      return;
    }
    const names = Boolean(found ? found.about.vocabulary : Object.keys(run.about.guesses).length || !found);
    const moves = found && !names ? turned(run, found, word.position) : null, count = run.about.tokens.length;
    const added = sumAt(run, word), here = found && names ? guessed(found, word.position, state.guess, added.packet) : null;
    const last = run.about.model.layers, column = kept(last);
    const sum = here && added.packet && added.pair ? sumOf(added.packet, added.pair, column, all.map(({ position }) => position)) : null;

    /** Where the word that is followed stands after a layer. @param {number} at */
    const standing = at => {
      const { place: stands, share } = /** @type {NonNullable<typeof here>} */ (here).at(at, here?.followed ?? 0);
      return partsOf(at ? 'stands_after' : 'stands_input', { ...(at ? { layer: at - 1 } : {}), word: here?.name(here.followed) ?? '', place: many(stands), count: many(found?.about.vocab_size ?? 0), share });
    };
    // Another column than the last one is what the page then speaks of, and so is another word than the one that is read.
    const other = here?.finite && (column < last || (!word.gap && here.followed > 0));
    head.draw(run, state, other ? standing(column) : opening(said(run, word, here, moves), 'share', here && here.place(here.followed)));
    if (sum) pair.draw({ words: (run.about.guesses[String(word.position)] ?? here?.leading(last).map(i => [here.name(i)]) ?? []).map(([name]) => name), guess: state.guess, over: state.over, first: here?.name(0) ?? '', usual: added.usual, wrong: added.why });
    const of = run, rows = found?.about.positions ?? run.about.rows, can = new Set(found?.about.vocabulary ? rows : run.about.rows);
    line.draw(all.map(({ name, position, gap }) => ({ name, position, off: !can.has(position), title: name.endsWith('…') ? inFull(of, name) : null, kind: gap ? 'is-gap' : '' })), word.position, direction(run));
    const why = packets.why(run, null);
    const unasked = moves ? moves.end - moves.first < moves.count ? `The sentence is long: the rows are tokens ${moves.first} to ${moves.end - 1} of ${moves.count}.` : ''
      : rows.length < count ? `The sentence is long: tokens ${rows[0]} to ${rows[rows.length - 1]} of ${count} can be asked.` : '';
    const key = JSON.stringify([run.about.model.digest, made(state), word.position]);
    let told = '';
    grid.element.hidden = !here && !moves;
    if (found && here) {
      grid.draw({ ...wordsTable(here), key }, column);
    } else if (moves) {
      told = found?.about.why ?? '';
      grid.draw({ ...moves.table(), key }, column);
    }
    into(html`${head.element}
      <div class="ou-top">${line.element}${found && !word.gap && found.about.mask && names ? html`<button type="button" class="enc-pill ou-mask" @click=${maskIt}>Hide it</button>` : nothing}</div>
      ${unasked ? html`<p class="ou-part">${unasked}</p>` : nothing}
      <div class="ou-headline"><h2 class="ou-title">${moves ? `${begins(called(run, word))}, layer by layer` : 'Stopped after a layer, the model would say'}</h2>
        <p class="ou-about">${told}${here && column === last ? opener(() => open(here.place(here.followed))) : nothing}</p></div>
      ${grid.element}<p class="ou-swipe">← Swipe or scroll for the other layers</p>${why ? html`<div class="ou-trouble" role="alert"><p>${why}</p><button type="button" class="enc-pill" @click=${() => packets.again()}>Try again</button></div>`
    : found ? nothing : html`<div class="ou-waiting" role="status"><span>Reading what would be said after each layer …</span><i></i><i></i><i></i><i></i><i></i></div>`}
      <p class="ou-how">${explained(moves ? MOVING : READING)}</p>
      <div class="enc-further">${sum && added.packet ? wordSum(added.packet, sum, beside, { gap: word.gap, asked: word.position, hides, hide: on => { hides = on; render(); }, unfolded, unfold }) : added.instead}</div>
      ${sum && added.packet && sum.ends ? html`<div class="enc-further">${partSum(added.packet, sum, parts, themeOf(getComputedStyle(page).backgroundColor))}</div>` : nothing}`, page);
    rest.say(moves ? '' : head.finding.textContent ?? '');
  }

  return {
    draw(given, chosen) {
      run = given;
      state = chosen;
      render();
    },
    pictures() {
      const word = run && words(run)[wordAt(run, state.word)];
      if (!run || !word) return [];
      const query = toQuery({ ...made(state), layer: state.layer, head: state.head, word: word.position });
      const hiding = /** @type {Record<string, string>} */ (page.querySelector('.has-lost') ? { hides: 'yes' } : {});
      if (labelsOf(run)) {
        const main = context.main('labels', { ...query, ...(state.guess ? { why_word: state.guess, why_other: state.over } : {}) }, word.position);
        return [{ picture: main.picture, query: { ...main.query, ...hiding }, name: 'What each word adds to the label' }, ...(losses.isConnected ? [{ picture: 'head_board', query: main.query, name: 'What each head costs the label' }] : []), ...(parts.isConnected ? [{ picture: 'why_parts', query: main.query, name: 'What each part adds to the label' }] : [])];
      }
      const found = packets.get(run, null);
      if (!found) return [];
      if (!found.about.vocabulary) return [{ ...context.main('vectors', { ...query, move: 'Cosine to the end' }), name: 'How each vector comes to its end' }];
      const { packet, pair: spoken } = sumAt(run, word), [guess, over] = packet && spoken ? [spoken[0], spoken[1]].map(one => aboutSum(packet).words[one]) : [];
      const asked = { ...query, why_token: String(word.position), why_word: guess, why_other: over };
      return [{ ...context.main('', state.guess ? { ...query, followed: state.guess } : query, word.position), name: `What would be said after each layer, at ${called(run, word)}` },
        ...(guess ? [{ picture: 'why_sum', name: `What each word adds for ${guess} over ${over}`, query: { ...asked, ...hiding } }, { picture: 'why_parts', name: `What each part adds for ${guess} over ${over}`, query: asked }] : [])];
    },
    end() {
      rest.end();
      packets.end();
      sums.end();
      asks.end();
      grid.end();
      page.remove();
    },
  };
}

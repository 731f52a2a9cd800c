// @ts-check
// The Output page: what comes out at a word, and after which layer that was settled; for a model that names no words, how its vectors move.
import { atRest, headline, opener } from './controls.js';
import { bars } from './bars.js';
import { dress, el } from './dom.js';
import { layered } from './layered.js';
import { layerPackets } from './layer_packets.js';
import { html, nothing, render as into } from './lit.js';
import { made } from './load.js';
import { percent, tight } from './number.js';
import style from './output.css';
import { called, direction, inFull, wordAt, words } from './run.js';
import { opening, said as set } from './say.js';
import { wordRow } from './tokens.js';
import { MOST_TOKENS, wordSum } from './word_sum.js';
import { guessed, masked, said, turned, wordsTable } from './settling.js';
import { open, toQuery } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */
const LEVEL = 5; // of packets: what would be said after each layer
const FIRST = 7; // words of the guess that are drawn before it is here
const READING = 'Each column is what the model’s own head for words would say of the vector after that layer (logit lens). It learned to read the last layer only: an earlier column is a reading, not a belief.';
const MOVING = 'Each row is the vector of a token: its cosine after each layer with what it is in the end. 1 is the same direction.';

/** @param {HTMLElement} root @param {import('./mount.js').Context} context @returns {import('./mount.js').Page} */
export function output(root, context) {
  dress(root, style);
  const { store } = context;
  const rest = atRest(context.announce);
  const packets = layerPackets(context, LEVEL, () => render()), sums = layerPackets(context, 10, () => render());
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  /** The word that is no gap, whose sum was asked for. @type {WeakMap<Packet, number>} */
  const opened = new WeakMap();
  /** The column that is pointed at. @type {number | null} */
  let pointed = null;

  const head = headline(context, { layer: false, head: false });
  const line = wordRow(position => store.set({ word: position }));
  const grid = layered({
    point: at => { if (at !== pointed) { pointed = at; render(); } },
    keep: (at, word, row) => {
      pointed = null;
      store.set({ ...keep(at), ...(word === null ? {} : follow(word)), ...(row !== null && run && row !== state.word && wordAt(run, row) >= 0 ? { word: row } : {}) });
    },
  });
  const page = el('section', { class: 'ou', 'aria-label': 'Output' });
  root.append(page);

  /** The column that is kept, as an address says it: none is the last one. @param {number} column @returns {import('./store.js').Changes} */
  const keep = column => ({ after: !run || column === run.about.model.layers ? '' : column ? String(column - 1) : 'input' });
  /** The word that is followed: none is the one that wins. @param {number} word @returns {import('./store.js').Changes} */
  function follow(word) {
    const found = run && packets.get(run, null), asked = run && words(run)[wordAt(run, state.word)];
    return { lens_word: (word && found && asked && guessed(found, asked.position, '')?.spelled[word]) || '' };
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

  function render() {
    if (!run) return;
    const all = words(run), word = all[wordAt(run, state.word)], found = packets.get(run, null);
    if (!word) {
      head.draw(run, state, [{ text: 'There is no word here to look from.', name: '', format: '' }]);
      return;
    }
    const names = Boolean(found ? found.about.vocabulary : Object.keys(run.about.guesses).length || !found);
    const here = found && names ? guessed(found, word.position, state.lens_word) : null;
    const moves = found && !names ? turned(run, found, word.position) : null;
    const last = run.about.model.layers, column = kept(last), shown = Math.min(pointed ?? column, last);

    head.draw(run, state, opening(said(run, word, here, moves), 'share', here && here.place(0)));
    const of = run, rows = found?.about.positions ?? run.about.rows, can = new Set(found?.about.vocabulary ? rows : run.about.rows);
    line.draw(all.map(({ name, position, gap }) => ({ name, position, off: !can.has(position), title: name.endsWith('…') ? inFull(of, name) : null, kind: gap ? 'is-gap' : '' })), word.position, direction(run));
    const count = run.about.tokens.length, why = packets.why(run, null);
    const unasked = moves ? moves.end - moves.first < moves.count ? `The sentence is long: the rows are tokens ${moves.first} to ${moves.end - 1} of ${moves.count}.` : ''
      : rows.length < count ? `The sentence is long: tokens ${rows[0]} to ${rows[rows.length - 1]} of ${count} can be asked.` : '';
    const key = JSON.stringify([run.about.model.digest, made(state), word.position]);
    /** @type {import('./settling.js').Line[]} */
    let lines = (run.about.guesses[String(word.position)] ?? []).slice(0, FIRST).map(([name, share], i) => ({ name, text: tight(percent(share, 1)), deep: share, word: i, place: i + 1 }));
    let told = '', followed = 0, leading = Infinity;
    grid.element.hidden = !here && !moves;
    if (found && here) {
      const { place, share } = here.at(shown, here.followed);
      if (here.finite) told = set(shown ? 'stands_after' : 'stands_input', { ...(shown ? { layer: shown - 1 } : {}), word: here.name(here.followed), place: place.toLocaleString('en-US'), count: (found.about.vocab_size ?? 0).toLocaleString('en-US'), share });
      [lines, followed, leading] = [here.column(shown), here.followed, here.leading(shown).length];
      grid.draw({ ...wordsTable(here, found), key }, shown, column);
    } else if (moves) {
      [lines, followed, told] = [moves.lines(), shown, found?.about.why ?? ''];
      grid.draw({ ...moves.table(), key }, shown, column);
    }
    // The word that is followed, or the second one, is what the first one leads.
    const wanted = here?.finite && !context.options().closed ? { step: 'mlm.logits', index: [word.position] } : null, asked = of.about.tokens.length <= MOST_TOKENS && (word.gap || opened.get(of) === word.position);
    const sum = wanted && asked ? sums.get(of, wanted) : null, why10 = wanted && asked ? sums.why(of, wanted) : '';
    const added = !wanted || !here ? nothing : of.about.tokens.length > MOST_TOKENS ? html`<p class="ou-sum ou-about">Which words say it is added up in sentences of ${MOST_TOKENS} tokens at most; this one has ${of.about.tokens.length}.</p>` : why10 ? html`<p class="ou-sum" role="alert">${why10}</p>`
      : sum ? wordSum(sum, { layer: shown, word: 0, other: here.followed || 1, names: [here.name(0), here.name(here.followed || 1)], gap: word.gap })
      : asked ? html`<p class="ou-sum" role="status">Adding up the words …</p>` : html`<p class="ou-sum"><button type="button" class="enc-pill" @click=${() => { opened.set(of, word.position); render(); }}>Which words say this?</button></p>`;
    const title = moves ? `The way of ${called(run, word)}` : shown === last ? 'The guess' : shown ? `After layer ${shown - 1}` : 'At the input';
    into(html`${head.element}<div class="ou-top">${line.element}${found && !word.gap && found.about.mask && names ? html`<button type="button" class="enc-pill ou-mask" @click=${maskIt}>Mask it</button>` : nothing}</div>
      ${unasked ? html`<p class="ou-part">${unasked}</p>` : nothing}
      <div class="ou-body">${lines.length ? html`<div class="ou-left"><h2>${title}</h2>
          ${bars(lines.map(({ name, text, deep, word: one, place }, i) => ({ name, key: one, place: place === undefined ? undefined : place.toLocaleString('en-US'), chosen: one === followed, says: `${place === undefined ? '' : `${place}: `}${name}, ${text}`, kind: i >= leading ? 'is-far' : '', data: { guess: name, share: String(deep) }, fills: [{ share: deep, text }] })),
    { label: title, kind: here || !moves ? 'is-placed' : '', choose: one => store.set(run && packets.get(run, null)?.about.vocabulary ? follow(one) : keep(one)) })}
          <p class="ou-about">${told}</p>${here && column === last ? opener(() => open(here.place(here.followed))) : nothing}</div>` : nothing}
        <div class="ou-right">${grid.element}${why ? html`<div class="ou-trouble" role="alert"><p>${why}</p><button type="button" class="enc-pill" @click=${() => packets.again()}>Try again</button></div>`
    : found ? nothing : html`<div class="ou-waiting" role="status"><span>Reading what would be said after each layer …</span><i></i><i></i><i></i><i></i><i></i></div>`}</div></div>
      <p class="ou-how">${moves ? MOVING : READING}</p>${added}`, page);
    rest.say(moves ? '' : told);
  }

  return {
    draw(given, chosen) {
      if (run !== given) pointed = null;
      run = given;
      state = chosen;
      render();
    },
    kept() {
      const word = run && words(run)[wordAt(run, state.word)], found = run && packets.get(run, null);
      if (!run || !word || !found) return null;
      const query = toQuery({ ...made(state), layer: state.layer, head: state.head, word: word.position });
      if (!found.about.vocabulary) return { picture: 'moves', name: 'How each vector comes to its end', query: { ...query, move: 'Cosine to the end' } };
      return { picture: 'lens', name: `What would be said after each layer, at ${called(run, word)}`, query: { ...query, lens_token: String(word.position) } };
    },
    end() {
      rest.end();
      packets.end();
      sums.end();
      grid.end();
      page.remove();
    },
  };
}

// @ts-check
// The Output page: what comes out at a word, and after which layer that was settled; for a model that names no words, how its vectors move.
import { atRest, headline } from './controls.js';
import { children, dress, el, put, write } from './dom.js';
import { layered } from './layered.js';
import { layerPackets } from './layer_packets.js';
import { made } from './load.js';
import { percent, tight } from './number.js';
import style from './output.css';
import { called, wordAt, words } from './run.js';
import { said as set } from './say.js';
import { sentence } from './tokens.js';
import { guessed, masked, said, turned, wordsTable } from './settling.js';
import { toQuery } from './store.js';

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
  const packets = layerPackets(context, LEVEL, () => render());
  /** @type {Packet | null} */
  let run = null;
  /** @type {Chosen} */
  let state;
  /** The column that is pointed at. @type {number | null} */
  let pointed = null;

  const head = headline(context, { layer: false, head: false });
  const line = sentence(position => store.set({ word: position }));
  const mask = el('button', { type: 'button', class: 'enc-pill ou-mask', onclick: maskIt }, 'Mask it');
  const part = el('p', { class: 'ou-part' });
  const title = el('h2'), left = el('div', { class: 'ou-left' }, title), about = el('p', { class: 'ou-about' });
  const list = answerBars(left, word => store.set(run && packets.get(run, null)?.about.vocabulary ? follow(word) : keep(word)));
  left.append(about);
  const grid = layered({
    point: at => { if (at !== pointed) { pointed = at; render(); } },
    keep: (at, word, row) => {
      pointed = null;
      store.set({ ...keep(at), ...(word === null ? {} : follow(word)), ...(row !== null && run && row !== state.word && wordAt(run, row) >= 0 ? { word: row } : {}) });
    },
  });
  const waiting = el('div', { class: 'ou-waiting', role: 'status' }, el('span', {}, 'Reading what would be said after each layer …'), el('i'), el('i'), el('i'), el('i'), el('i'));
  const again = el('button', { type: 'button', class: 'enc-pill', onclick: () => packets.again() }, 'Try again'), trouble = el('div', { class: 'ou-trouble', role: 'alert' });
  const how = el('p', { class: 'ou-how' });
  const page = el('section', { class: 'ou', 'aria-label': 'Output' },
    head.element, el('div', { class: 'ou-top' }, line.element, mask), part,
    el('div', { class: 'ou-body' }, left, el('div', { class: 'ou-right' }, grid.element, waiting, trouble)), how);
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

    head.draw(run, state, said(run, word, here, moves));
    line.draw(run, word, found);
    mask.hidden = !found || word.gap || !found.about.mask || !names;
    const rows = found?.about.positions ?? run.about.rows, count = run.about.tokens.length;
    const unasked = moves ? moves.end - moves.first < moves.count ? `The sentence is long: the rows are tokens ${moves.first} to ${moves.end - 1} of ${moves.count}.` : ''
      : rows.length < count ? `The sentence is long: tokens ${rows[0]} to ${rows[rows.length - 1]} of ${count} can be asked.` : '';
    part.hidden = !unasked;
    write(part, unasked);

    const unable = packets.why(run, null);
    waiting.hidden = Boolean(found || unable);
    trouble.hidden = !unable;
    if (unable) trouble.replaceChildren(el('p', {}, unable), again);
    grid.element.hidden = !here && !moves;
    write(title, moves ? `The way of ${called(run, word)}` : shown === last ? 'The guess' : shown ? `After layer ${shown - 1}` : 'At the input');
    const key = JSON.stringify([run.about.model.digest, made(state), word.position]);
    let told = '';
    if (found && here) {
      const { place, share } = here.at(shown, here.followed), lines = here.column(shown);
      if (here.finite) told = set(shown ? 'stands_after' : 'stands_input', { ...(shown ? { layer: shown - 1 } : {}), word: here.name(here.followed), place: place.toLocaleString('en-US'), count: (found.about.vocab_size ?? 0).toLocaleString('en-US'), share });
      list.draw(lines, here.followed, here.leading(shown).length);
      grid.draw({ ...wordsTable(here, found), key }, shown, column);
    } else if (moves) {
      list.draw(moves.lines(), shown);
      grid.draw({ ...moves.table(), key }, shown, column);
      told = found?.about.why ?? '';
    } else list.draw((run.about.guesses[String(word.position)] ?? []).slice(0, FIRST).map(([name, share], i) => ({ name, text: tight(percent(share, 1)), deep: share, word: i, place: i + 1 })), 0);
    left.hidden = !list.element.children.length;
    write(about, told);
    write(how, moves ? MOVING : READING);
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
      grid.end();
      page.remove();
    },
  };
}

/** Words with their shares as bars; each can be chosen. @param {HTMLElement} root @param {(word: number) => void} choose */
function answerBars(root, choose) {
  const list = root.appendChild(el('ul', { class: 'ou-bars' }));
  list.onclick = event => {
    const line = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest('[data-line]')) : null;
    if (line) choose(Number(line.dataset.line));
  };
  return {
    element: list,
    /** @param {import('./settling.js').Line[]} all @param {number} chosen @param {number} [most] lines from which on one stands apart */
    draw(all, chosen, most = all.length) {
      const make = () => el('li', {}, el('span', { class: 'ou-place' }), el('bdi', { class: 'ou-name' }), el('span', { class: 'ou-room' }, el('i')), el('span', { class: 'ou-share' }));
      children(list, all.length, make).forEach((line, i) => {
        const { name, text, deep, word, place } = all[i], [number, said, room, share] = line.children;
        write(number, place === undefined ? '' : place.toLocaleString('en-US'));
        write(said, name);
        write(share, text);
        put(line, { 'data-line': word, 'data-guess': name, 'data-share': String(deep), class: [i >= most ? 'is-far' : '', word === chosen ? 'is-followed' : ''].join(' ').trim() || null });
        /** @type {HTMLElement} */ (room.firstElementChild).style.width = `max(2px, ${100 * Math.max(0, Math.min(1, deep || 0))}%)`;
      });
    },
  };
}

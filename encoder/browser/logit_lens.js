// @ts-check
// What a run would say at one word after each layer, and how vectors come to their end: the numbers of a packet of level 5. Nothing here draws.
import { both, brief, percent, tight, times, typeset } from './number.js';
import { at } from './packet.js';
import { called, quoted } from './run.js';
import { parts, say } from './say.js';
import { aboutSum, isClose, spelledOf } from './word_sum.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./run.js').Word} Word */
/** A cell of a grid of layers. `word` is what a choice of it follows, null where it is the column alone. @typedef {{text: string, small?: string, deep: number, word: number | null, title: string, is?: boolean}} Cell */
/** A row; `token` is the token that it is about. @typedef {{name: string, title?: string, cells: Cell[], plain?: boolean, token?: number}} Row */
/** `path` says for each column in which row stands what is followed; -1 for none. @typedef {{key: string, label: string, columns: {text: string, title: string}[], rows: Row[], path: number[]}} Table */
/** @typedef {{place: number, share: number}} Stand */
/** @typedef {NonNullable<ReturnType<typeof guessed>>} Guessed */
/** @typedef {ReturnType<typeof turned>} Turned */
const WEAK = 0.2; // a share below which the first word does not win but lead
const NEXT = 0.5; // nats: where the first leads by less, the second is told too
const LITTLE = 0.1; // of a cosine: less than that in every layer is little
const MOST_ROWS = 40; // tokens of a grid
const WORDS = 5; // of a column
/** A share where there is little room. @param {number} share */
const small = share => tight(percent(share, share > 0.99 ? undefined : 1)).replace('<\u00a0', '<').replace('>\u00a0', '>');
const PIECE = /^##(?=.)/; // how a piece begins that goes on a word
/** A word of the vocabulary as it is read. @param {string} name */
const asPiece = name => name.replace(PIECE, '…');
const PLACES = new Intl.NumberFormat('en-US');

/** What the columns are called: the input, and after each layer. @param {number} layers */
const columns = layers => Array.from({ length: layers + 1 }, (_, i) => (i ? { text: `layer ${i - 1}`, title: `after layer ${i - 1}${i === layers ? ', the guess' : ''}` } : { text: 'input', title: 'at the input' }));

/** A cosine where there is little room. @param {number} value */
const short = value => (Number.isFinite(value) ? typeset(value.toFixed(2)).replace(/^−0\.00$/, '0.00') : '–');

/**
 * What would be said at a token after each layer; null where the packet does not hold it. A word is its number among those that
 * are told of there; 0 is the first guess. `spelled` is what an address calls each.
 * @param {Packet} found @param {number} position @param {string} chosen the word that is followed, as an address calls it @param {Packet | null} [sum] of level 10, which may tell of it where this one does not
 */
export function guessed(found, position, chosen, sum = null) {
  const { positions, vocabulary, own, unknown, vocab_size: count = 0 } = found.about, { words, first, share, rank } = found.arrays;
  const row = positions?.indexOf(position) ?? -1;
  if (row < 0 || !vocabulary) return null;
  const last = share.shape[0] - 1, most = first.shape[2];
  /** @param {number} word */
  const name = word => vocabulary[at(words, row, word)] ?? '';
  const names = Array.from({ length: words.shape[1] }, (_, i) => name(i)), spelled = spelledOf(names);
  const added = sum && aboutSum(sum), typed = chosen && !spelled.includes(chosen) && added ? added.pair[0] : -1, beyond = names.length; // of a word that somebody typed
  const followed = typed >= 0 ? beyond : Math.max(0, chosen ? spelled.indexOf(chosen) : 0);
  /** @param {number} layer @param {number} word @returns {Stand} */
  const stand = (layer, word) => (word === beyond && sum ? { place: at(sum.arrays.rank, layer, typed), share: at(sum.arrays.share, layer, typed) } : { place: at(rank, layer, row, word), share: at(share, layer, row, word) });
  /** @param {number} layer */
  const leading = layer => Array.from({ length: most }, (_, i) => at(first, layer, row, i));
  let settled = last;
  while (settled > 0 && stand(settled - 1, 0).place === 1) settled--;
  /** Which row of the vocabulary a word is. @param {number} word */
  const id = word => (word === beyond ? added?.ids[typed] : found.about.ids?.[at(words, row, word)]) ?? 0;
  return {
    position, last, followed, settled, spelled, count, at: stand, leading,
    /** @param {number} word */
    name: word => (word === beyond ? added?.words[typed] ?? '' : name(word)),
    /** Where the share of a word stands in the run. @param {number} word @returns {import('./store.js').Place} */
    place: word => ({ step: 'mlm.probabilities', index: [position, id(word)] }),
    own: own?.[row] ?? 0, unknown: Boolean(unknown?.includes(position)),
    finite: Number.isFinite(stand(last, 0).share),
  };
}

/** The grid of words after each layer, with the way of the one that is followed. @param {Guessed} here @returns {Table} */
export function wordsTable(here) {
  const { last, followed, leading, name } = here, layers = Array.from({ length: last + 1 }, (_, i) => i), all = layers.map(leading);
  /** @param {number} layer */
  const said = layer => columns(last)[layer].title;
  /** @type {Row[]} */
  const rows = all[0].slice(0, WORDS).map((_, i) => ({
    name: String(i + 1),
    cells: layers.map(layer => {
      const word = all[layer][i], { share } = here.at(layer, word);
      return { text: asPiece(name(word)), small: small(share), deep: share, word, title: `${name(word)}${PIECE.test(name(word)) ? ' (goes on a word)' : ''}, ${percent(share)}, rank ${i + 1} ${said(layer)}`, is: word === followed };
    }),
  }));
  const path = layers.map(layer => { const row = all[layer].indexOf(followed); return row < 0 || row >= rows.length ? rows.length : row; });
  rows.push({
    name: `rank of ${asPiece(name(followed))}`, title: `rank and share of ${name(followed)}`, plain: true,
    cells: layers.map(layer => {
      const { place, share } = here.at(layer, followed);
      return { text: Number.isFinite(place) ? PLACES.format(place) : '–', small: small(share), deep: 0, word: followed, title: `${name(followed)}, rank ${PLACES.format(place)}, ${percent(share)} ${said(layer)}`, is: path[layer] === rows.length };
    }),
  });
  return { key: '', label: `The likeliest words after each layer: ${rows.length - 1} by ${last + 1} columns`, columns: columns(last), rows, path };
}

/** How the vectors of a run come to their end. @param {Packet} run @param {Packet} found @param {number} position */
export function turned(run, found, position) {
  const { cosine, length } = found.arrays, last = cosine.shape[0] - 1, count = cosine.shape[1];
  const way = Array.from({ length: last + 1 }, (_, layer) => at(cosine, layer, position));
  let most = 0;
  for (let layer = 1; layer < last; layer++) if (Math.abs(way[layer + 1] - way[layer]) > Math.abs(way[most + 1] - way[most])) most = layer;
  const first = Math.max(0, Math.min(position - MOST_ROWS / 2, count - MOST_ROWS)), end = Math.min(count, first + MOST_ROWS);
  return {
    last, most, first, end, count, before: way[most], after: way[most + 1],
    /** @returns {Table} */
    table() {
      const rows = run.about.tokens.slice(first, end).map((token, i) => ({
        name: token, token: first + i,
        cells: way.map((_, layer) => {
          const value = at(cosine, layer, first + i);
          return { text: short(value), deep: value, word: null, title: `${token} (${first + i}): ${short(value)}, length ${brief(at(length, layer, first + i))}, ${columns(last)[layer].title}`, is: first + i === position };
        }),
      }));
      return { key: '', label: `The cosine of each token’s vector with its last: ${rows.length} tokens by ${last + 1} columns`, columns: columns(last), rows, path: way.map(() => position - first) };
    },
  };
}

/** The finding at a word, with this run's numbers. @param {Packet} run @param {Word} word @param {Guessed | null} here @param {Turned | null} moves */
export function said(run, word, here, moves) {
  const guess = run.about.guesses[String(word.position)]?.[0], asked = called(run, word);
  if (here && !here.finite) return parts('no_shares', { asked });
  if (here) return guessSaid(run, word, here);
  if (moves) {
    if (!Number.isFinite(moves.after)) return parts('no_shares', { asked });
    const given = { word: asked, layer: moves.most, before: rounded(moves.before), after: rounded(moves.after) };
    return parts(Math.abs(moves.after - moves.before) < LITTLE ? 'turns_little' : 'turns', given);
  }
  return guess ? parts('guess', { word: guess[0], share: guess[1] }) : parts('says_what', { asked });
}

/** What the model says at a word or gap, and from where on. @param {Packet} run @param {Word} word @param {Guessed} here */
function guessSaid(run, word, here) {
  const { share } = here.at(here.last, 0), said = here.name(0), asked = called(run, word), layer = here.settled - 1;
  const again = Array.from({ length: here.settled }, (_, i) => here.at(i, 0).place).includes(1) ? ' again' : '';
  if (run.about.model.untrained) return parts('says_untrained', { asked, word: said, share });
  if (word.gap) {
    const { followed } = here, own = here.at(here.last, followed), stop = { text: '.', name: '', format: '' };
    if (followed) return [...parts('stands_gap', { word: here.name(followed), place: PLACES.format(own.place), asked, share: own.share }), stop];
    const [, second] = here.leading(here.last), next = here.at(here.last, second).share, lead = Math.log(share / next), close = lead < NEXT, given = { word: said, asked, share }, whole = [small(share), small(next)], texts = whole[0] === whole[1] ? both(share, next).map(typeset) : whole;
    const begin = close ? parts(isClose(lead) ? 'just_leads_gap' : 'near_leads_gap', { ...given, share: texts[0], times: times(lead), other: here.name(second), next: texts[1] }) : parts(share < WEAK ? 'leads_gap' : 'wins_gap', given);
    const before = layer < 0 || close ? 0 : here.leading(layer)[0], led = before ? parts('led_before', { where: layer ? `layer ${layer - 1}` : 'the input', word: here.name(before), led: here.at(layer, before).share }) : [];
    return [...begin, ...(here.settled === here.last ? parts('first_last', { again }) : layer < 0 ? parts('first_input', {}) : parts('first_from', { again, layer })), ...led, stop];
  }
  const token = run.about.tokens[word.position], piece = word.count > 1 ? say('piece_of', { piece: token, count: word.count, asked }) : asked, own = here.at(here.last, here.own);
  const begin = here.unknown ? parts('reads_unknown', { asked, token, word: said, share })
    : here.own === 0 ? parts('reads_same', { asked: piece, share })
    : parts('reads_other', { asked: piece, itself: quoted(word.count > 1 ? token : word.name), word: said, share, place: PLACES.format(own.place), count: PLACES.format(here.count), own: own.share });
  const settled = here.settled === here.last ? parts('word_last', { word: said, again }) : layer < 0 ? parts('word_input', { word: said }) : parts('word_from', { word: said, again, layer });
  return [...begin, { text: ' ', name: '', format: '' }, ...settled];
}

/** @param {number} value */
const rounded = value => Number(value.toFixed(2));

/** The text with the mask in place of the word at a position, as a change of the state; null where nothing was typed for it. @param {Packet} run @param {Packet} found @param {number} position @returns {{sentence: string} | {second: string} | null} */
export function masked(run, found, position) {
  const { mask, spans } = found.about, span = spans?.[run.about.words.findIndex(([first]) => first === position)];
  if (!mask || !span || span[1] === span[2]) return null;
  const [side, start, end] = span, letters = [...(side ? run.about.second : run.about.sentence)]; // as Python counts them
  const text = `${letters.slice(0, start).join('')}${mask}${letters.slice(end).join('')}`;
  return side ? { second: text } : { sentence: text };
}

// @ts-check
// A guess as an exact sum: of the words of its sentence, after any layer, with what the loss of each really costs; and of the model's parts.
import { board } from './board.js';
import { colourOf, css, inkOn } from './grid.js';
import { composed, html, live, nothing, render as into } from './lit.js';
import { addingUp, brief, percent, signed, sure, tight, times, typeset } from './number.js';
import { at } from './packet.js';
import { apart } from './run.js';
import { parts, say } from './say.js';
import { explained } from './terms.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** What a packet of level 10 says; `pair` are places in `words`. @typedef {{step: string, index: number[], places: [number, number][], names: string[], words: string[], ids: number[], pair: [number, number]}} SumAbout */
/** A sum for one word over another: of each word of the sentence, of biases, and what is left over; `beside` are the words that can be masked. @typedef {{layer: number, ends: boolean, word: string, other: string, pair: [number, number], names: string[], beside: number[], adds: number[], lost: number[] | null, biases: number, left: number, total: number, agree: number}} Sum */

export const MOST_TOKENS = 64; // of a text whose words are added up
const MOST_WORDS = 14;
const LARGEST = 12; // words of a picture; of a longer sentence those that add most
const NEAR = Math.log(1.15); // nats: a lead below it is hardly one
const LEFT = 1e-3; // of what is left over, from which on it is drawn
const LIFT = 3, LINE = 20; // px between a mark and a number above it, and of a line of text
const ROOM = 200; // px of the bars, up and down together
const NAMED = 3; // parts that are named, those that add most
const SAYS = 0.05; // nats, from which on a part has its number
const COUNTS = 0.1; // of what the strongest word adds: one that adds less does not stand out

/** How two orders of the same things agree, from -1 to 1 (Spearman); NaN where one is all equal. @param {number[]} one @param {number[]} other */
export function alike(one, other) {
  const ranks = (/** @type {number[]} */ values) => values.map(value => values.filter(each => each < value).length + (values.filter(each => each === value).length - 1) / 2);
  const [a, b] = [ranks(one), ranks(other)].map(all => all.map(rank => rank - (all.length - 1) / 2)), sum = (/** @type {number[]} */ x, /** @type {number[]} */ y) => x.reduce((total, value, i) => total + value * y[i], 0);
  return sum(a, b) / Math.sqrt(sum(a, a) * sum(b, b));
}

/** @param {Packet} packet of level 10 */
export const aboutSum = packet => /** @type {SumAbout} */ (/** @type {unknown} */ (packet.about));

/** What an address calls each of some words: of several with one name the later ones are counted. @param {string[]} names */
export const spelledOf = names => names.map((one, i) => { const same = names.slice(0, i).filter(each => each === one).length; return one && same ? `${one},${same + 1}` : one; });

/** Which of the words that a packet tells of are meant, "" the usual ones; null where it does not tell of one. @param {Packet} packet @param {string} guess @param {string} over @returns {[number, number] | null} */
export function pairOf(packet, guess, over) {
  if (aboutSum(packet).pair[1] < 0) return aloneOf(packet, guess);
  const { words: names, pair: [usual, other] } = aboutSum(packet), words = spelledOf(names), first = guess ? words.indexOf(guess) : usual, second = over ? words.indexOf(over) : first === usual ? other : usual;
  return first < 0 || second < 0 || first === second ? null : [first, second];
}

/** The same where nothing competes: a label that may hold beside others, or a number. @param {Packet} packet @param {string} guess @returns {[number, number] | null} */
function aloneOf(packet, guess) {
  const { words, pair: [usual] } = aboutSum(packet), first = guess ? spelledOf(words).indexOf(guess) : usual;
  return first < 0 ? null : [first, -1];
}

/** The sum for a pair of words, at the end or as the model's own head would read a layer: its row, 0 is the input. @param {Packet} packet of level 10 @param {[number, number]} pair @param {number} layer @param {number[]} masked first tokens of the words that can be masked @returns {Sum} */
export function sumOf(packet, [first, second], layer, masked) {
  const { arrays } = packet, { index, step, places, names, words } = aboutSum(packet), position = step.startsWith('mlm.') ? index[0] : -1, count = names.length, ends = layer === arrays.read.shape[0] - 1;
  const lead = (/** @type {(which: number) => number} */ of) => of(first) - (second < 0 ? 0 : of(second));
  const beside = names.map((_, i) => i).filter(i => masked.includes(places[i][0]) && (position < places[i][0] || position >= places[i][0] + places[i][1]));
  const all = Array.from({ length: count + 2 }, (_, i) => lead(which => (ends ? at(arrays.adds, which, i) : at(arrays.read, layer, which, i))));
  const lost = ends && arrays.lost ? names.map((_, i) => (beside.includes(i) ? lead(which => at(arrays.lost, which, i)) : NaN)) : null;
  return {
    layer, ends, word: words[first], other: words[second] ?? '', pair: [first, second], names, beside, adds: all.slice(0, count), lost, biases: all[count], left: all[count + 1], total: all.reduce((sum, one) => sum + one, 0),
    agree: lost ? alike(beside.map(i => all[i]), beside.map(i => lost[i])) : NaN,
  };
}

/** What each word adds, biases, and what is left over, as numbers of two places that add up to the whole. @param {Pick<Sum, 'adds' | 'biases' | 'left' | 'total'>} sum */
export function written({ adds, biases, left, total }) {
  const all = addingUp([...adds, biases, left], total, 2).values.map(Number);
  return { adds: all.slice(0, adds.length), biases: all[adds.length], left: all[adds.length + 1] };
}

/** Whether a lead is hardly one. @param {number} lead in nats */
export const isClose = lead => Math.abs(lead) < NEAR;

/** What the sum says of the pair. @param {Sum} sum */
export function leadSaid({ word, other, names, adds, biases, left, total }) {
  const all = total - biases - left, built = all * total < 0 && other ? parts('built_decides', all > 0 ? { other: word, word: other } : { other, word }) : parts('built_most', {});
  const most = adds.indexOf(total < 0 ? Math.min(...adds) : Math.max(...adds)), given = { word, other, times: times(total) };
  const said = biases * total > 0 && Math.abs(biases) > Math.abs(adds[most]) ? built : parts(total > 0 ? 'speaks_for' : 'speaks_against', { speaks: apart(names[most]) });
  const lead = isClose(total) ? (total < 0 ? 'lead_just_behind' : 'lead_just') : total < 0 ? 'lead_behind' : 'lead_over';
  return [...parts(lead, given), ...said];
}

/** Of what biases "built in" consists: those that go straight to the score, and those that pass through heads and feed-forwards. @param {Packet} packet @param {[number, number]} pair @param {number} biases as it is written */
function builtIn({ arrays: { beside } }, [first, second], biases) {
  const straight = Number((at(beside, first, 1) - (second < 0 ? 0 : at(beside, second, 1))).toFixed(2));
  return say('built_in', { straight: signed(straight), through: signed(biases - straight) });
}

/** The sum as bars at the words, for and against. @param {Packet} packet @param {Sum} sum @param {HTMLElement} beside what stands beside the headline @param {{gap: boolean, asked: number, hides: boolean, hide: (on: boolean) => void, unfolded: boolean, unfold: () => void, how?: unknown, label?: (name: string) => string, labelKey?: string, numbers?: boolean}} how `hides`: what the lead loses without each word stands there too; `label` where it is that of a label: what stands below a word, `labelKey` what that means, `how` the way to how it was computed, `numbers` where it is the number of a regression */
export function wordSum(packet, sum, beside, { gap, asked, hides, hide, unfolded, unfold, how = nothing, label, labelKey = '', numbers = false }) {
  const said = leadSaid(sum);
  const { names, adds, total, biases, left, ends, word, other, agree } = sum, lost = hides ? sum.lost : null, { places } = aboutSum(packet), { share } = packet.arrays, every = names.map((_, i) => i);
  const largest = [...every].sort((a, b) => Math.abs(adds[b]) - Math.abs(adds[a])), kept = unfolded || names.length <= MOST_WORDS ? every : largest.slice(0, LARGEST).sort((a, b) => a - b), others = every.filter(i => !kept.includes(i));
  const rest = others.reduce((so, i) => so + adds[i], 0), strongest = [adds.indexOf(Math.max(...adds)), adds.indexOf(Math.min(...adds))].filter(i => Math.abs(adds[i]) > COUNTS * Math.abs(adds[largest[0]]));
  const texts = written(sum), sumOfTexts = (/** @type {number[]} */ which) => which.reduce((so, i) => so + texts.adds[i], 0);
  const apiece = label && names.some(one => label(one)), shares = sum.pair.filter(i => i >= 0).map(i => at(share, sum.layer, i)), ratio = numbers ? '' : `${shares.map(one => tight(percent(one))).join(' : ')},`;
  /** @type {{name: string, value: number, text?: number, kind: string, mark?: number, position?: number, place?: number, note?: string}[]} */
  const items = [
    ...kept.map(i => ({ name: names[i], value: adds[i], text: texts.adds[i], mark: lost?.[i], kind: strongest.includes(i) ? 'is-first' : '', position: places[i][0], place: i })),
    ...(others.length ? [{ name: `${others.length} other words`, value: rest, text: sumOfTexts(others), kind: 'is-beside is-folded' }] : []),
    { name: 'built in', value: biases, text: texts.biases, kind: 'is-beside', note: 'no word: biases' },
    ...(Math.abs(left) > LEFT ? [{ name: 'changes', value: left, text: texts.left, kind: 'is-beside' }] : []),
    { name: word, value: total, kind: 'is-sum' },
  ];
  const all = items.flatMap(({ value, mark = NaN }) => [value, ...(Number.isFinite(mark) ? [mark] : [])]), up = Math.max(...all, 0), down = -Math.min(...all, 0), px = ROOM / (up + down || 1), wide = up + down || 1;
  const apartBy = (/** @type {number} */ i) => (lost && adds[i] * lost[i] < 0 ? Math.min(Math.abs(adds[i]), Math.abs(lost[i])) : 0), contrary = every.filter(i => /\p{L}/u.test(names[i]) && apartBy(i) >= SAYS).sort((a, b) => apartBy(b) - apartBy(a))[0] ?? -1;
  const odds = total < 0 ? `1 to ${times(total)}` : `${times(total)} to 1`;
  const name = (/** @type {string} */ text) => html`<bdi translate="no" lang="">${text}</bdi>`;
  /** @param {typeof items[0]} one */
  function item(one) {
    const { name: text, value, text: number = value, kind, mark = NaN, position = -1, place = -1, note = '' } = one;
    const over = px * (Math.abs(mark) - Math.abs(value)), lift = mark * value > 0 && over > -LIFT && over < LINE ? over + LIFT : 0; // a number stands clear of a mark
    return html`<div class="${kind} ${value < 0 ? 'is-against' : ''} ${position >= 0 && position === asked ? 'is-asked' : ''}" data-share=${value} style="--share: ${Math.abs(value) / wide}; --mark: ${mark / wide}; --up: ${px * Math.max(value, 0)}px; --down: ${px * Math.max(-value, 0)}px; --at: ${px * mark}px; --lift: ${lift}px">
      <span class="ws-name ${!kind.startsWith('is-sum') && (position < 0 || (position !== asked && !sum.beside.includes(place))) ? 'is-quiet' : ''}">${kind.includes('is-folded') ? html`<button type="button" class="enc-link" @click=${unfold}>${text}</button>` : name(text)}</span>
      <i></i>${Number.isFinite(mark) ? html`<b class=${mark < 0 ? 'is-under' : nothing}></b>` : nothing}<span class="ws-said">${signed(number)}</span>${Number.isFinite(mark) ? html`<span class="ws-lost">${mark < 0 ? 'gains' : 'costs'} ${Math.abs(mark).toFixed(2)}</span>` : nothing}
      ${kind.startsWith('is-sum') ? (ratio ? html`<small>${ratio}<br> ${sum.pair[1] < 0 ? 'on its own' : odds}</small>` : nothing) : note ? html`<small>${note}</small>` : nothing}${apiece && place >= 0 && label(names[place]) ? html`<em>${label(names[place])}</em>` : nothing}</div>`;
  }
  const [what, ways] = label ? ['label', other ? `${word} against ${other}` : word] : ['guess', `${word} over ${other}`], adds_to = !label || other ? 'the lead, in score' : ratio ? 'its score' : 'the number';
  return html`<section class="ws ${apiece ? 'is-seen' : ''} ${lost ? 'has-lost' : ''}" aria-label="The ${what} as a sum of its words" style="--zero: ${down / wide}; --high: ${px * up}px; --low: ${px * down}px">
    ${label ? nothing : html`<div class="ou-headline"><h2 class="ou-lead">${composed([...said, { text: '.', name: '', format: '' }])}</h2>${beside}</div>`}
    <p class="ws-told"><span class="ws-ways" aria-hidden="true"><span>${ratio ? 'for' : 'more'} ${name(word)}</span><span>${other ? 'for' : ratio ? 'against' : 'less'} ${name(other || word)}</span></span>
      ${ends ? `Each bar is what one word adds to ${adds_to}: all words ${signed(sumOfTexts(every))}, built in ${signed(texts.biases)}, together ${signed(total)}. ${builtIn(packet, sum.pair, texts.biases)}` : `${sum.layer ? `After layer ${sum.layer - 1}` : 'At the input'}, read as if it were the last layer: a reading, not a belief.`}${gap ? nothing : ' The word itself is there to be read, so its own part is large: mask it to see what the others say.'}${apiece ? ` ${labelKey}` : ''}</p>
    <div class="ws-words ${names.length > MOST_WORDS ? 'is-list' : ''}" style="--columns: ${items.length}; --letters: ${Math.max(...items.map(({ name: text }) => text.length))}" role="group" aria-label="Words, and what each adds for ${ways}, in score">${items.map(item)}</div>
    <details class="ws-held"><summary>How a ${what} is a sum${sum.lost ? ', and what hiding each word costs' : ''}</summary><p>${explained('Held as they are in this run: where each head looks, how each norm scales, how far each unit is open. Then every vector is a sum, with one part for each word (its place with it) and one for what is built in (all biases). The numbers are scores (logits): 0.7 more is twice as likely. It says how this run was added up, not what would happen without a word.')}${Number.isFinite(agree) ? ` Bars and lines put the words in orders that agree to ${typeset(agree.toFixed(2))}: 1 is the same order, 0 none.` : ''}${ends ? ` The parts miss the run’s own number, ${typeset(sure(total, 0, 5))}, by ${typeset(brief(Math.abs(left), 1))}.` : ''}</p>
      ${sum.lost ? html`<p><label class="ws-hide"><input type="checkbox" .checked=${live(hides)} @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => hide(target.checked)}> <b class="ws-mark"></b>Show what hiding each word costs or gains, in a run of its own</label> <span class="ws-contrary">${say('hiding_differs', { where: contrary >= 0 ? `, as at “${names[contrary]}”` : '' })}</span></p>` : nothing}</details>${how}</section>`;
}

/** The same lead as a sum of the model's parts: what each head and block writes at the place itself. @param {Packet} packet @param {Sum} sum @param {HTMLElement} list where the board stands @param {'light' | 'dark'} theme */
export function partSum({ about, arrays: { blocks, beside } }, { pair: [first, second], word, other, total }, list, theme) {
  const { step, index } = /** @type {SumAbout} */ (/** @type {unknown} */ (about)), what = step.startsWith('mlm.') ? 'guess' : 'label', pools = !index.length;
  const [, layers, columns] = blocks.shape, heads = columns - 1, lead = (/** @type {number} */ layer, /** @type {number} */ column) => at(blocks, first, layer, column) - (second < 0 ? 0 : at(blocks, second, layer, column));
  const [embedding, biases, left] = [0, 1, 2].map(i => at(beside, first, i) - (second < 0 ? 0 : at(beside, second, i))), most = Math.max(...Array.from({ length: layers * columns }, (_, i) => Math.abs(lead(Math.floor(i / columns), i % columns)))) || 1;
  const called = (/** @type {number} */ layer, /** @type {number} */ column) => (column < heads ? say('part_head', { layer, head: column }) : say('part_feed_forward', { layer }));
  const largest = Array.from({ length: layers * columns }, (_, i) => [Math.floor(i / columns), i % columns]).sort((a, b) => Math.abs(lead(b[0], b[1])) - Math.abs(lead(a[0], a[1]))).slice(0, NAMED);
  const foremost = largest.map(([layer, column]) => `${called(layer, column)} ${signed(lead(layer, column))}`).join(', ');
  into(board({
    label: `What each head and feed-forward adds for ${word}${other ? ` over ${other}` : ''}, in score`, layers, heads, names: [...Array.from({ length: heads }, (_, i) => String(i)), 'feed-forward'], attribute: 'data-head-row',
    part: (layer, column) => { const value = lead(layer, column), colour = colourOf(value, { low: -most, high: most }, 'signed', theme); return { value, says: `${called(layer, column)} adds ${signed(value)}`, text: Math.abs(value) < SAYS ? '' : signed(value, 1), tab: !layer && !column, colour: css(colour), ink: inkOn(colour) }; },
  }), list);
  return html`<details class="ou-blocks"><summary>What each part adds: ${foremost}</summary>
    <div class="ou-blocks-body" role="region" aria-label="The ${what} as a sum of the model's parts">${list}
      <p class="ou-about"><span>The same sum, ${signed(total)}, over the model: ${explained(`what each head and each feed-forward writes ${pools ? 'at the words that the label is read from' : 'at this place itself'}, held as it is in this run.`)} The embedding adds ${signed(embedding)}, the biases outside heads and feed-forwards ${signed(biases)}${Math.abs(left) > LEFT ? `, changes ${signed(left)}` : ''}. ${pools ? 'What a head writes is also read by later layers: what its loss really costs is told beside.' : `A head that writes at other words adds nothing here, and the ${what} may need it all the same: what each part costs is told above.`}</span></p></div></details>`;
}

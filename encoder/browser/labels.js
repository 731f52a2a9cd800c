// @ts-check
// Why this label: what is said of it, the labels as bars, what becomes of them without each head, and what a head was taught.
import { bars } from './bars.js';
import { board } from './board.js';
import { ends } from './switches.js';
import { colourOf, css, inkOn } from './grid.js';
import { html, nothing, render as into } from './lit.js';
import { brief, fromTo, percent, signed, tight, typeset } from './number.js';
import { at } from './packet.js';
import { answerAt, apart, labelsOf, quoted } from './run.js';
import { parts, said, say } from './say.js';
import { aboutSum, written } from './word_sum.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./word_sum.js').Sum} Sum */
/** @typedef {import('./run.js').Word} Word */
/** A taught sentence: its text, its label, and the share of the first label by a head that has not seen it. @typedef {[text: string, label: number, share: number]} TaughtSentence */
/** What a head was taught: sentences, and of each word of this run in how many of each label it stands. @typedef {{judged: TaughtSentence[], seen: Record<string, number[]>}} Taught */

const EVEN = 0.2; // of a score: 45 to 55 %
const FEW = 8; // labels that are drawn; the others together
const FRAMED = 2; // heads that are named
const SAYS = 0.05; // of a score, from which on a head has its number
const LITTLE = 0.05; // of a score: a word that adds less says nothing

/** The headline: what it says, which word speaks for it most, and which against it. @param {Packet} run @param {Word} word @param {Sum | null} sum @returns {import('./say.js').Part[]} */
export function labelSaid(run, word, sum) {
  const labels = labelsOf(run), all = run.about.guesses[String(answerAt(run, word.position))] ?? [], own = labels?.of === 'token' ? apart(word.name) : '', stop = { text: '.', name: '', format: '' };
  const numbers = labels?.values?.[String(answerAt(run, word.position))];
  if (!all.length && !numbers?.every(Number.isFinite)) return parts('label_no_numbers', {});
  const named = sum ? sum.word : numbers ? labels?.labels[0] ?? '' : all[0][0], share = all.find(([name]) => name === named)?.[1] ?? NaN;
  const is = numbers ? parts('label_value', { word: named, value: typeset(brief(numbers[labels?.labels.indexOf(named) ?? 0])) }) : own ? parts('label_of_word', { asked: own, word: named, share }) : parts('label_is', { word: named, share });
  if (run.about.model.untrained) return parts('label_untrained', { word: named });
  if (labels?.labels.length === 1 && labels.problem === 'single_label') return parts('label_only', { word: named });
  if (!sum) return [...is, stop];
  const { names, adds, biases, left, total } = sum, said = total - biases - left, most = adds.indexOf(Math.max(...adds)), least = adds.indexOf(Math.min(...adds)), even = !numbers && Math.abs(total) < EVEN;
  if (!numbers && !even && biases * total > 0 && Math.abs(biases) >= Math.abs(total) / 2) return [...is, ...parts(said * total < 0 ? 'label_words_against' : 'label_built_in', { words: signed(said, 1), built: signed(biases, 1) })];
  const up = adds[most] >= LITTLE ? parts(numbers ? 'number_most' : 'label_most', { speaks: apart(names[most]), adds: signed(adds[most], 1) }) : [], down = adds[least] <= -LITTLE ? parts(numbers ? 'number_least' : 'label_least', { against: apart(names[least]), adds: signed(adds[least], 1) }) : [];
  const why = [...up, ...(up.length && down.length ? parts('label_but', {}) : []), ...down];
  return [...(even ? parts('label_unsure', {}) : []), ...is, ...(why.length ? [...parts('label_since', {}), ...why] : []), stop];
}

/** All labels as bars, the likeliest first. @param {Packet} run @param {Word} word @param {string} named what is spoken of */
export function labelBars(run, word, named) {
  const labels = labelsOf(run), at_ = String(answerAt(run, word.position)), numbers = labels?.values?.[at_], all = run.about.guesses[at_] ?? [];
  if (numbers) {
    const most = Math.max(...numbers.map(Math.abs)) || 1;
    return bars(numbers.slice(0, FEW).map((value, i) => ({ name: labels?.labels[i] ?? '', kind: i ? '' : 'is-first', fills: [{ share: value / most, both: true, text: typeset(brief(value)) }], data: { guess: labels?.labels[i], share: value } })), { label: 'The numbers', kind: 'lb-bars' });
  }
  const drawn = all.slice(0, all.length - FEW === 1 ? all.length : FEW), left = labels?.problem === 'single_label' ? 1 - drawn.reduce((sum, [, share]) => sum + share, 0) : 0, others = (labels?.labels.length ?? 0) - drawn.length;
  return bars([
    ...drawn.map(([name, share], i) => ({ name, kind: name === named ? 'is-first' : '', fills: [{ share, text: tight(percent(share, 1)), ...(i && all.length === 2 ? { colour: /** @type {'second'} */ ('second') } : {}) }], data: { guess: name, share } })),
    ...(others > 0 && left > 0 ? [{ name: `${others} others`, fills: [{ share: left, text: tight(percent(left, 1)), colour: 'muted' }] }] : []),
  ], { label: 'The labels', kind: 'lb-bars' });
}

/** What each head costs the sum, as level 10 tells it, else from the shares of level 1; null where that was not tried. @param {Packet} run @param {Packet} packet of level 10 @param {Sum} sum */
function losses(run, packet, { pair, total }) {
  const { without, without_share } = packet.arrays, { off } = run.arrays, several = labelsOf(run)?.problem === 'multi_label';
  const [first, second] = without ? pair : pair.map(i => (i < 0 ? -1 : run.about.off?.words.indexOf(aboutSum(packet).words[i]) ?? -1)), shares = without ? without_share : off;
  if (!shares || first < 0) return null;
  const score = (/** @type {number[]} */ ...place) => { const share = at(shares, ...place); return without ? at(without, ...place) : several ? Math.log(share / (1 - share)) : Math.log(share); };
  const [layers, heads] = shares.shape;
  return Array.from({ length: layers * heads }, (_, i) => {
    const layer = Math.floor(i / heads), head = i % heads, lead = score(layer, head, first) - (second < 0 ? 0 : score(layer, head, second));
    return { layer, head, lead, cost: total - lead, share: at(shares, layer, head, first) };
  });
}

/** The board of heads: how much of the sum is lost when one of them writes nothing. @param {Packet} run @param {Packet} packet @param {Sum} sum @param {HTMLElement} list where the board stands @param {'light' | 'dark'} theme */
export function withoutHeads(run, packet, sum, list, theme) {
  const all = losses(run, packet, sum), labels = labelsOf(run);
  if (!all) return html`<p class="ou-about">This text is too long to try what each head costs.</p>`;
  const { layers, heads } = run.about.model, { most } = ends(all.map(one => one.cost), 1), largest = [...all].sort((a, b) => Math.abs(b.cost) - Math.abs(a.cost)).slice(0, FRAMED), now = at(packet.arrays.share, sum.layer, sum.pair[0]);
  const name = (/** @type {{layer: number, head: number}} */ { layer, head }) => say('part_head', { layer, head });
  into(board({
    label: `What each head costs the sum for ${sum.word}`, layers, heads, names: Array.from({ length: heads }, (_, i) => (i ? String(i) : 'head 0')), attribute: 'data-head-row',
    part: (layer, column) => {
      const one = all[layer * heads + column], colour = colourOf(one.cost, { low: -most, high: most }, 'signed', theme);
      return { value: one.cost, says: `Without ${name(one)} the sum ${one.cost < 0 ? 'gains' : 'loses'} ${Math.abs(one.cost).toFixed(2)}`, text: Math.abs(one.cost) < SAYS ? '·' : typeset(one.cost.toFixed(1)), tab: !layer && !column, colour: css(colour), ink: inkOn(colour), kind: largest.includes(one) ? 'lb-framed' : '' };
    },
  }), list);
  const turn = labels?.problem === 'regression' ? [] : all.filter(one => one.lead * sum.total < 0), from = (/** @type {{lead: number, share: number}} */ one) => (labels?.problem === 'regression' ? `${typeset(brief(sum.total))} → ${typeset(brief(one.lead))}` : fromTo(now, one.share));
  return html`${list}<p class="lb-said">${largest.map(one => html`<span class=${one.cost < 0 ? 'is-against' : nothing}>without ${one.layer}.${one.head}: <b>${from(one)}</b></span> `)}</p>
    <p class="ou-about lb-key">${said('label_board', { total: signed(sum.total, 1).replace('+', '') })} ${labels?.problem === 'regression' ? '' : turn.length ? said('label_turns', { heads: turn.slice(0, 3).map(({ layer, head }) => `${layer}.${head}`).join(', ') + (turn.length > 3 ? ` and ${turn.length - 3} more` : '') }) : said('label_turns_none')}</p>`;
}

/** What leads to the way in which the largest number of a sum was computed. @param {Pick<Sum, 'names' | 'adds'>} sum */
export function howTitle({ names, adds }) {
  const most = adds.indexOf(Math.max(...adds));
  return typeset(`How the ${signed(adds[most], 1)} of ${quoted(names[most])} was computed`);
}

/** How the number of the word that speaks for a label most was computed: a title, and what a sheet says below it. @param {Packet} run @param {Packet} packet of level 10 @param {Sum} sum @param {string} model @returns {[string, [string, string, boolean?][]]} */
export function howAdded(run, packet, sum, model) {
  const { pair: [first, second], names, adds, total, word, other } = sum, most = adds.indexOf(Math.max(...adds)), own = (/** @type {number} */ of) => signed(at(packet.arrays.adds, of, most)), { index } = aboutSum(packet), place = index.length ? String(index[0]) : 'SENTENCE';
  const to = second < 0 ? `${quoted(names[most])} adds ${own(first)} to ${word}.` : `${quoted(names[most])} adds ${own(first)} to ${word} and ${own(second)} to ${other}: together ${signed(written(sum).adds[most])} for ${word} over ${other}.`;
  const code = `from encoder import TextEncoder\nfrom encoder.experiments.attributions.target import Target, whole_words\nfrom encoder.experiments.attributions.word_sums import added_by_word\nfrom encoder.metrics.answer import SENTENCE, label_names\n\nencoder = TextEncoder.from_pretrained(${JSON.stringify(model)})\ntrace = encoder.trace(${JSON.stringify(run.about.sentence)})\nnames = label_names(encoder)\nlabels = [names.index(name) for name in ${JSON.stringify([word, ...(other ? [other] : [])])}]\nadds = added_by_word(encoder, trace, Target(${place}, *labels)).tolist()\nfor word, number in zip(whole_words(trace), adds):\n    print(trace.tokenization.spelled(word), number)`;
  return [howTitle({ names, adds }), [
    ['', typeset(`${said('label_held')} ${to}`)],
    ['To check it', typeset(said('label_adds_up', { total: signed(total), lead: second < 0 ? 'score' : 'lead' }))],
    ['The same in Python', code, true],
  ]];
}

/** What the head was taught, where that is known. @param {Packet} packet of level 10 @returns {Taught | null} */
export const taughtOf = packet => /** @type {{taught?: Taught}} */ (/** @type {unknown} */ (packet.about)).taught ?? null;

/** That a word stands in no taught sentence, as it is written below it; "" where it stands in some, or that is not known. @param {Packet} packet @param {string} name */
export function seenIn(packet, name) {
  const seen = taughtOf(packet)?.seen[name];
  return seen?.every(count => !count) ? 'not taught' : '';
}

/** What that means. @param {Packet} packet */
export const seenKey = packet => `Not taught: in none of its ${taughtOf(packet)?.judged.length} sentences.`;

/** What kind of head it is, in sentences. @param {Packet} run @param {Packet | null} packet @param {Sum | null} sum */
export function headKind(run, packet, sum) {
  const labels = labelsOf(run), taught = packet && taughtOf(packet);
  if (taught && sum && packet) {
    const right = taught.judged.filter(([, label, share]) => (share > 0.5) === (label === 0)).length, count = taught.judged.length, speaks = sum.names[sum.adds.indexOf(Math.max(...sum.adds))];
    return `${said('label_taught', { count, share: right / count })}${seenIn(packet, speaks) ? ` ${said('label_unseen', { word: apart(speaks), count })}` : ''}`;
  }
  if (run.about.model.untrained) return said('label_random');
  return { single_label: said('label_single'), multi_label: said('label_several'), regression: said('label_number') }[labels?.problem ?? 'single_label'];
}

/** The taught sentences as dots, each where a head that has not seen it puts it, in the colour of its label, and this sentence as a line. @param {Packet} run @param {Packet} packet @param {string} speaksFor the label that is blue in the sum */
export function taughtDots(run, packet, speaksFor) {
  const taught = taughtOf(packet), labels = labelsOf(run), [first] = labels?.labels ?? [];
  const here = run.about.guesses[String(run.about.gap)]?.find(([name]) => name === first)?.[1];
  if (!taught || !labels || here === undefined) return nothing;
  const rows = labels.labels.slice(0, 2).map((name, label) => ({ name, all: taught.judged.filter(one => one[1] === label) }));
  const kind = (/** @type {string} */ name) => (name === speaksFor ? 'is-for' : 'is-against');
  const right = (/** @type {TaughtSentence[]} */ all, /** @type {number} */ label) => all.filter(([, , share]) => (share > 0.5) === (label === 0)).length;
  return html`<section class="lb-taught" aria-label="The ${taught.judged.length} sentences"><h2 class="ou-title">The ${taught.judged.length} sentences, each judged unseen</h2>
    <p class="lb-counts">${rows.map(({ name, all }, label) => html`<span class=${kind(name)}>${name} sentences: ${right(all, label)} of ${all.length} right</span>`)}</p>
    <div class="lb-dots" aria-hidden="true"><i class="lb-half ${kind(first)}"></i><i class="lb-here" style="left: ${(100 * here).toFixed(1)}%"></i>${rows.map(({ name, all }, label) => stacked(all).map(({ one: [text, , share], up }) => html`<b class=${kind(name)} style="left: ${(100 * share).toFixed(1)}%; top: ${(label ? 72 : 26) + up * 3.2}%" title="${text} ${percent(share, 1)} ${first}"></b>`))}</div>
    <p class="lb-axis" aria-hidden="true"><span>0 %</span><span>50 %</span><span>100 % ${first}</span></p><p class="ou-about">The line is this sentence, at ${tight(percent(here, 1))} ${first}.</p></section>`;
}

/** Dots of one row, apart where they would lie on each other: how far above or below its middle each stands. @param {TaughtSentence[]} all */
function stacked(all) {
  /** @type {Map<number, number>} */
  const column = new Map();
  return all.map(one => {
    const bin = Math.round(one[2] * 50), count = column.get(bin) ?? 0;
    column.set(bin, count + 1);
    return { one, up: count % 2 ? -(count + 1) / 2 : count / 2 };
  });
}

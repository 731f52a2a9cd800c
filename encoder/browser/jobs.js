// @ts-check
// What is known of heads: their jobs by an examination, where they look over many sentences, and where in this one. No page.
import { goal, outside, same } from './claim.js';
import { both } from './number.js';
import { asked, called, effects, guessAt, held, isTried, look, needed, quoted, words } from './run.js';
import { behind, parts } from './say.js';
import { othersPush } from './spine.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./claim.js').Head} Head */
/** How often a head is right in one kind of text, how often the best rule is and the best fixed distance; `how` and `apart` are these in words. @typedef {{text: string, share: number, count: number, rule: number, how: string, fixed: number, apart: string}} Figure */
/** What a head does that `passed`, or is better than any fixed distance; `made`: in constructed sentences alone; `why` it did not pass. @typedef {Head & {job: string, made: boolean, passed: boolean, why: string, figures: Figure[]}} Job */
/** What a head does best of all heads, and why it did not pass. @typedef {Head & {job: string, why: string, figure: Figure}} Tried */
/** A sentence, and the places in it of a word, of what a head answers there and of what is marked. @typedef {{words: string[], from: number, answer: number, gold: number}} Example */
/** `count` questions were asked, and without the head the first guess at a `gap` loses `cost` of its share, or the last vector of the word asked moves by it. @typedef {Head & {title: string, text: string, count: number, cost: number, gap: boolean, some: Example[]}} Examples */
/**
 * A phenomenon: `heads` carry so much of the change in the guess, each alone, `share` all of them together; a `small` set carries enough. `random` is the largest share of random sets,
 * there are `count` pairs; people wrote the `natural` ones. `a` and `b` are one of them, `words` what it turns.
 * `tells` says in plain words what is carried.
 * @typedef {{what: string, tells: string, natural: boolean, heads: [layer: number, head: number, share: number][], share: number, small: boolean, random: number, count: number, a: string, b: string, words: string[]}} Phenomenon
 */
/** What a head carries: its own share of a phenomenon's. @typedef {{of: Phenomenon, own: number}} Carried */
/** Where heads look over many sentences, layer by layer: what can be said, the nearest that cannot, its share. @typedef {{over: string, heads: [string, string, number][]}} Survey */
/** What a packet of level 6 says; `exam` is what was read, "" where the model was not examined, `passed` how many heads passed. @typedef {{exam: string, passed: string, jobs: Job[], tried: Tried[], examples: Examples[], survey: Survey | null, carries: Phenomenon[]}} Known */
/** A job that is found in a run, and the word that its head does it from, which may be the gap, `masked`; `share` of it goes to one word, which is `clear` from a half on. @typedef {{job: Job, masked: boolean, share: number, word: import('./run.js').Word, clear: boolean}} Here */
/** Where most rows of a head look in a run: so many of all. @typedef {{where: string, count: number, all: number}} Habit */

const OWN = 0.5; // of a change or of a row: from here on it is a head's own, and its job is seen where it looks so clearly
const MARGIN = 0.1; // of all cases: how far above the best rule a head must be to pass, as in encoder/exam/passing.py
const PART = 0.25; // of a change: a head that carries so much of it in a small set is named by it
const CONSTRUCTED = 'constructed sentences';
const NEAR = { self: 'itself', previous: 'previous word', next: 'next word' };
const WHERE = { self: 'the token itself', previous: 'the previous token', next: 'the next token', punctuation: 'punctuation marks' };
const HABITS = { self: 'the word itself', previous: 'the previous word', next: 'the next word' };
const STEPS = new Map([[0, HABITS.self], [-1, HABITS.previous], [1, HABITS.next]]);

/** Words that can hardly be anything else than what a job looks from. @type {Record<string, string[]>} */
const STANDS = { article: ['the', 'a', 'an'], preposition: ['of', 'at', 'from', 'with', 'into', 'between', 'among', 'during'], possessive: ['my', 'your', 'our', 'their', 'its'], 'joining word such as “and”': ['and', 'or'] };

const NAMES = 46, NARROW = 20; // pixels at the left for the names of layers, and where there is little room
const GAP = 4, TIGHT = 2, SMALL = 36; // between two cells, between small ones, and what is a small one
const LEAST = 12, MOST = 132, USUAL = 26, LOW = 20; // pixels of a map's side, of one that shrinks for the height of a window, and of one that has few rows
const ROOMY = 72, EDGE = 6, LABEL = 23, BROAD = 1.8; // pixels of a cell from which on it says what its head does, what its frame takes and what stands above the map, and how much broader than high a map may be

/**
 * The jobs of heads, the surest of each head first; of a run that brings its evidence nothing else is needed.
 * @param {Packet} run @param {Known | null} known @returns {Job[]}
 */
export function jobsOf(run, known) {
  if (known) return known.jobs;
  const all = run.about.evidence ?? [];
  return all.filter(one => one.key === 'exam_job' || one.key === 'exam_made').map(({ layer, head, key, args }) => ({
    layer, head, made: key === 'exam_made', job: key === 'exam_made' ? 'looks from a masked verb to its subject' : String(args.job),
    passed: !all.some(one => one.key === 'exam_not_passed' && same(one, { layer, head })), why: '',
    figures: [{ text: String(args.text ?? CONSTRUCTED), share: Number(args.share), count: Number(args.count), rule: Number(args.rule), how: '', fixed: NaN, apart: '' }],
  }));
}

/** The jobs that are found in a run for certain, those that passed first, then the clear ones, then that of a masked verb. @param {Packet} run @param {Known | null} known @returns {Here[]} */
export function jobsHere(run, known) {
  const verb = run.about.evidence?.some(one => one.here), all = words(run).filter(word => held(run, word));
  const found = jobsOf(run, known).flatMap(job => {
    const [, from = ''] = /^looks from an? (.+) to /.exec(job.job) ?? [], masked = from.startsWith('masked verb');
    const most = (/** @type {import('./run.js').Word} */ word) => Math.max(...look(run, job.layer, job.head, word).shares.filter((_, i) => words(run)[i] !== word && words(run)[i].plain), 0);
    const some = masked ? all.filter(word => verb && word.position === run.about.gap) : all.filter(word => STANDS[from]?.includes(word.name.toLowerCase()));
    const word = some.length ? some.reduce((a, b) => (most(b) > most(a) ? b : a)) : null;
    return word ? [{ job, masked, word, share: most(word), clear: most(word) > OWN }] : [];
  });
  return found.sort((a, b) => Number(b.job.passed) - Number(a.job.passed) || Number(b.clear) - Number(a.clear) || Number(b.masked) - Number(a.masked) || (a.clear ? 0 : b.share - a.share));
}

/** The job that a head does most clearly in a run; undefined where none is found. @param {Packet} run @param {Known | null} known @param {Head} place */
const hereAt = (run, known, place) => jobsHere(run, known).find(({ job }) => same(job, place));

/** The jobs of a head, the one that is found in the run first. @param {Packet} run @param {Known | null} known @param {Head} place @returns {Job[]} */
export function jobsAt(run, known, place) {
  const first = hereAt(run, known, place)?.job;
  return jobsOf(run, known).filter(one => same(one, place)).sort((a, b) => Number(b === first) - Number(a === first));
}

/** Whether the model was examined. @param {Packet} run @param {Known | null} known */
export const wasExamined = (run, known) => (known ? known.exam !== '' : Boolean(run.about.evidence?.length));

/** A job in a few letters, the only name of it that is short: "object → verb", "gap → subject". @param {string} job */
export function titleOf(job) {
  const row = /^looks from an? (.+) to (.+)$/.exec(job), column = /^looks at an? (.+) from (.+)$/.exec(job), [, from, to] = row ?? column ?? ['', job, ''];
  return to ? `${from.replace('masked verb', 'gap')} → ${to.replace(/^its /, '')}` : from;
}

/** A job as what is found: "finds the verb of an object". @param {string} job */
export function findsOf(job) {
  const [, from, to] = /^looks from (.+) to its (.+)$/.exec(job) ?? [];
  return to ? `finds the ${to} of ${from}` : job;
}

/** What a head carries to the guess, alone or in a small set, most first. @param {Known | null} known @param {Head} place @returns {Carried[]} */
export const carriedBy = (known, place) => (known?.carries ?? []).filter(one => one.small).flatMap(of => of.heads.filter(one => same(one, place)).map(([, , own]) => ({ of, own }))).sort((a, b) => b.own - a.own);

/** What a head carries so much of that it is named by it; undefined for nothing. @param {Known | null} known @param {Head} place */
export const carrierOf = (known, place) => carriedBy(known, place).find(one => one.own > PART);

/** What changes a guess like that at the gap of this run, and one head carries more than half of it, most first. @param {Packet} run */
const changesHere = run => (run.about.carries ?? []).flatMap(({ heads, tells }) => heads.map(([layer, head, own]) => ({ layer, head, own, tells }))).filter(({ own }) => own > OWN).sort((a, b) => b.own - a.own);

/** The change of those that a head carries most of; undefined for none. @param {Packet} run @param {Head} place */
const changeHere = (run, place) => changesHere(run).find(one => same(one, place));

/** The head that alone carries most to the gap of this run; undefined where none carries more than half. @param {Packet} run @returns {Head | undefined} */
export const carrierHere = run => changesHere(run).map(({ layer, head }) => ({ layer, head }))[0];

/** How much words look at the one that stands so far from them, on average; NaN where none does. @param {Packet} run @param {Head} place @param {number} apart */
function shareAt(run, { layer, head }, apart) {
  const all = words(run), some = all.flatMap((from, i) => (held(run, from) && all[i + apart] ? [look(run, layer, head, from).shares[i + apart]] : []));
  return some.reduce((sum, share) => sum + share, 0) / some.length;
}

/** At which side of a word most words of this run look, with most of their attention; undefined where they do not. @param {Packet} run @param {Head} place */
function besideHere(run, place) {
  const found = habit(run, place), [apart] = [...STEPS].find(([apart, where]) => apart && where === found.where) ?? [0], share = apart && !isWeak(found) ? shareAt(run, place, apart) : 0;
  return share > OWN ? { where: found.where, share } : undefined;
}

/** The head that looks most at the words beside each word of this run. @param {Packet} run @returns {Head | undefined} */
function placeHere(run) {
  const { layers, heads } = run.about.model, all = Array.from({ length: layers * heads }, (_, i) => ({ layer: Math.floor(i / heads), head: i % heads }));
  const [first] = all.map(place => ({ place, share: besideHere(run, place)?.share ?? 0 })).sort((a, b) => b.share - a.share);
  return first.share ? first.place : undefined;
}

/** The head that shows in this run what it does: a job that is clear, or what carries most to the gap. @param {Packet} run @param {Here[]} found @returns {Here | Head | undefined} */
const doneHere = (run, found) => found.find(({ job, masked, clear }) => clear && (masked || job.passed)) ?? carrierHere(run);

/** The head that is shown where nobody chose: what does its job here, else what the guess needs most, else what looks beside each word. @param {Packet} run @param {Here[]} found @returns {Here | Head | undefined} */
export const opensOn = (run, found) => doneHere(run, found) ?? needed(run) ?? placeHere(run);

/** Whether no job is seen in this run. @param {Packet} run @param {Here[]} found */
export const noneHere = (run, found) => !doneHere(run, found) && !placeHere(run);

/** The head that alone carries most of any change that a small set carries. @param {Known} known @returns {Head} */
export const leader = ({ carries }) => (carries.some(({ small }) => small) ? carries.filter(({ small }) => small) : carries).flatMap(({ heads }) => heads).sort((a, b) => b[2] - a[2]).map(([layer, head]) => ({ layer, head }))[0];

/** @param {Phenomenon} of */
export const pairsOf = ({ natural }) => (natural ? 'pairs that people wrote' : 'constructed pairs');

/** What differs in two sentences, and the words before and after it that both have. @param {string} a @param {string} b */
export function commonEnds(a, b) {
  const [ours, theirs] = [a, b].map(text => text.split(' ')), back = [ours, theirs].map(all => [...all].reverse());
  const [first, last] = [[ours, theirs], back].map(([one, other]) => { const at = one.findIndex((word, i) => word !== other[i]); return at < 0 ? one.length : at; });
  const end = Math.min(last, Math.min(ours.length, theirs.length) - first), [mine, other] = [ours, theirs].map(all => all.slice(first, all.length - end).join(' '));
  return { before: ours.slice(0, first).join(' '), a: mine, b: other, after: ours.slice(ours.length - end).join(' ') };
}

/** A fixed place that a head looks at over many sentences, in a word or two; "" for none. @param {Known | null} known @param {number} heads of a layer @param {Head} place */
export function nearOf(known, heads, { layer, head }) {
  const [label = ''] = known?.survey?.heads[layer * heads + head] ?? [];
  return NEAR[/** @type {keyof typeof NEAR} */ (label)] ?? '';
}

/** @param {string} role */
const whereOf = role => WHERE[/** @type {keyof typeof WHERE} */ (role)] ?? 'special tokens';

/** Where most rows of a head look in this run: at no word, at a fixed distance or at one word. @param {Packet} run @param {Head} place @returns {Habit} */
export function habit(run, { layer, head }) {
  const all = words(run), special = outside(run);
  /** @type {Map<string, number>} */
  const counts = new Map();
  let seen = 0;
  all.forEach((from, i) => {
    if (!held(run, from)) return;
    const { shares, rest } = look(run, layer, head, from);
    if (!(shares.reduce((sum, share) => sum + share, rest) > 0)) return; // it has no numbers
    seen++;
    const top = shares.reduce((best, share, j) => (share > shares[best] ? j : best), 0), apart = top - i;
    const goals = rest > shares[top] ? [special] : [STEPS.get(apart) ?? `the word ${Math.abs(apart)} ${apart < 0 ? 'back' : 'on'}`, called(run, all[top])];
    for (const goal of goals) counts.set(goal, (counts.get(goal) ?? 0) + 1);
  });
  const [where, count] = [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0]);
  return { where, count, all: seen };
}

/** Whether most rows have no common goal. @param {Habit} found */
export const isWeak = ({ count, all }) => count * 2 <= all;

/** Which of the sentences about rows it takes. @param {Habit} found */
const sortOf = found => (found.all === 1 ? '_one' : isWeak(found) ? '_weak' : '');

/** What the guess at the gap is, and what the head that it needs most leaves of it. @param {Packet} run @param {import('./run.js').Word} gap */
function costAt(run, gap) {
  const [guess, before] = guessAt(run, gap) ?? ['', NaN];
  const [from, to] = both(before, Math.max(0, before + effects(run)[0].change));
  return { guess: quoted(guess), before: from, after: to };
}

/** What the guess at the gap loses without the head that it needs most, and that others push back, alone too; null where it needs none. @param {Packet} run */
export function neededSaid(run) {
  const gap = words(run).find(word => isTried(run, word)), most = needed(run);
  if (!gap || !most) return null;
  const push = othersPush(run, most, gap.position);
  return { place: most, said: behind(parts('heads_needed', { layer: most.layer, head: most.head, ...costAt(run, gap) }), push), push };
}

/** How often a job is right, and a rule: "but a" where the rule is right as often. @param {Figure} figure */
const measured = ({ share, count, text, rule }) => ({ share, count, text, rule, but: rule >= share ? 'but a' : 'a' });

/** Whether the guess needs this head most. @param {Packet} run @param {Head} place */
const isNeeded = (run, place) => { const most = needed(run); return Boolean(most && same(most, place)); };

/** Where a head clearly looks from the gap, or the word asked about, while most words look at none; undefined where it does not. @param {Packet} run @param {Head} place */
function ownLook(run, place) {
  const word = words(run).find(one => isTried(run, one)), from = word?.gap ? word : word && asked(run), special = outside(run), seen = from && goal(run, from, look(run, place.layer, place.head, from));
  return from && seen && seen.share > OWN && seen.word !== special && habit(run, place).where === special ? { from: called(run, from), ...seen } : undefined;
}

/** The finding of a head, as parts of a sentence: what it does here, else what it does in other sentences, else where it looks here. @param {Packet} run @param {Known | null} known @param {Head} place */
export function findingOf(run, known, place) {
  const { layer, head } = place, [job] = jobsAt(run, known, place), here = hereAt(run, known, place), change = changeHere(run, place), gap = words(run).find(word => isTried(run, word)), guessed = gap?.gap ? gap : gap && asked(run);
  const given = { layer, head }, beside = besideHere(run, place), carried = carrierOf(known, place), role = known?.survey?.heads[layer * run.about.model.heads + head];
  // What did not pass is not found for certain: it is only said where it looks.
  if (here && (here.clear || job.passed)) return parts(`heads_${job.passed ? 'job' : 'candidate'}_here`, { ...given, ...(job.passed ? { finds: findsOf(job.job) } : {}), from: called(run, here.word), ...goal(run, here.word, look(run, layer, head, here.word)) });
  if (change && gap) return parts('heads_carrier_here', { ...given, tells: change.tells, ...goal(run, gap, look(run, layer, head, gap)) });
  if (isNeeded(run, place) && guessed) return parts('heads_needed_here', { ...given, from: called(run, guessed), ...goal(run, guessed, look(run, layer, head, guessed)), ...costAt(run, guessed) });
  if (beside) return parts('heads_place_here', { ...given, ...beside });
  if (job) return parts(`heads_${job.passed ? 'job' : 'candidate'}`, { ...given, finds: findsOf(job.job), ...measured(job.figures[0]) });
  if (carried) return parts('heads_carrier', { ...given, tells: carried.of.tells, share: carried.own, count: carried.of.count, pairs: pairsOf(carried.of) });
  if (role && nearOf(known, run.about.model.heads, place)) return parts('heads_place', { ...given, where: whereOf(role[0]), share: role[2] });
  const found = habit(run, place), own = ownLook(run, place);
  if (own) return parts('heads_candidate_here', { ...given, ...own });
  return found.all ? parts(`heads_here${sortOf(found)}`, { ...given, ...found }) : parts('heads_empty', given);
}

/** What the chosen head carries most of, as parts of a sentence. @param {Known} known @param {Head} place */
export function carriedFinding(known, { layer, head }) {
  const [most] = carriedBy(known, { layer, head });
  if (!most) return parts('heads_carries_none', { layer, head });
  const { of, own: share } = most, [word, other] = of.words;
  return parts('heads_carried', { count: of.count, pairs: pairsOf(of), layer, head, share, word: quoted(word), other: quoted(other) });
}

/** How often a head is right in its job and the best simple rule, whether it passed, and why not where these numbers do not say it. @param {Job} job @returns {[string, Record<string, string | number>]} */
export const verdictOf = ({ made, passed, why, figures: [{ text, share, count, rule }] }) => [passed ? made ? 'heads_passed_made' : 'heads_passed' : !why || share <= rule ? 'heads_not_passed' : share - rule < MARGIN ? 'heads_not_passed_near' : 'heads_not_passed_why', { share, count, text, rule, why }];

/** What is to be said of a head beside its finding and its figures: what its loss does, where it looks here and over many sentences, what is weak. @param {Packet} run @param {Known | null} known @param {Head} place */
export function besides(run, known, place) {
  const found = habit(run, place), { heads } = run.about.model, index = place.layer * heads + place.head;
  const jobs = jobsAt(run, known, place), near = nearOf(known, heads, place);
  /** @type {[string, Record<string, string | number>][]} */
  const all = [];
  const asked = known?.examples.find(one => same(one, place));
  if (jobs.length && asked) all.push([asked.gap ? 'heads_cost' : 'heads_moves', { cost: asked.cost, count: asked.count, text: asked.text }]);
  if (found.all && (jobs.length || near || carrierOf(known, place) || ownLook(run, place)) && !besideHere(run, place)) all.push([`heads_rows${sortOf(found)}`, { ...found }]);
  const survey = known?.survey, role = survey?.heads[index];
  if (survey && role && role[0] === role[1]) all.push(['heads_survey', { over: survey.over, where: whereOf(role[1]), share: role[2] }]);
  const tried = jobs.length ? null : known?.tried.find(one => same(one, place));
  if (tried) all.push(['heads_tried', { job: tried.job, share: tried.figure.share, count: tried.figure.count, text: tried.figure.text, rule: tried.figure.rule, why: tried.why }]);
  return all;
}

/** Whether what a head is named by is seen in this run: its job is clear here or passed, or most words look where it looks on test sentences. @param {Packet} run @param {Known | null} known @param {Here[]} found the jobs that are found here @param {Head} place */
export function isSeen(run, known, found, place) {
  const here = found.find(({ job }) => same(job, place)), rows = habit(run, place), [role = ''] = known?.survey?.heads[place.layer * run.about.model.heads + place.head] ?? [];
  return Boolean(here && (here.clear || here.job.passed)) || (!isWeak(rows) && rows.where === HABITS[/** @type {keyof typeof HABITS} */ (role)]);
}

/** How the maps are laid out: their width, their height, and whether what each head does is written there. @param {Packet} run @param {number} room @param {number} tall @param {boolean} [labelled] whether anything is known of a head */
export function layout({ about: { model, rows, tokens } }, room, tall, labelled = true) {
  const names = room < 560 ? NARROW : NAMES, whole = (room - names) / model.heads, gap = whole < SMALL ? TIGHT : GAP, cell = Math.floor(whole - gap), named = cell >= ROOMY;
  const [across, down] = named ? [EDGE, labelled ? LABEL : EDGE] : [TIGHT, TIGHT], broad = names === NAMES ? BROAD : 1;
  const most = Math.min(MOST, Math.max(USUAL, Math.floor(tall / model.layers) - gap - down)), side = Math.max(LEAST, Math.min(cell - across, Math.round(most * broad))), high = Math.min(side, most);
  return { names, side, gap, high: Math.max(Math.min(LOW, high), Math.round((high * rows.length) / tokens.length)), named };
}

// @ts-check
// What is known of heads: their jobs by an examination, where they look over many sentences, and where in this one. No page.
import { listed, outside } from './claim.js';
import { called, held, look, words } from './run.js';
import { parts, say } from './say.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./claim.js').Head} Head */
/** How often a head is right in one kind of text, how often the best rule is and the best fixed distance; `how` and `apart` are these in words. @typedef {{text: string, share: number, count: number, rule: number, how: string, fixed: number, apart: string}} Figure */
/** What a head does that `passed`, or is better than any fixed distance; `made`: in constructed sentences alone; `why` it did not pass. @typedef {Head & {job: string, made: boolean, passed: boolean, why: string, figures: Figure[]}} Job */
/** What a head does best of all heads, and why it did not pass. @typedef {Head & {job: string, why: string, figure: Figure}} Tried */
/** A sentence, and the places in it of a word, of what a head answers there and of what is marked. @typedef {{words: string[], from: number, answer: number, gold: number}} Example */
/** `count` questions were asked, and without the head the first guess at a `gap` loses `cost` of its share, or the last vector of the word asked moves by it. @typedef {Head & {title: string, text: string, count: number, cost: number, gap: boolean, some: Example[]}} Examples */
/** What a head carries to the guess when it is taken from another sentence: its share alone and `together` with `others` of so many pairs, and the largest of random sets; `natural`: people wrote them. @typedef {Head & {what: string, share: number, together: number, count: number, others: [number, number][], random: number, natural: boolean}} Carried */
/** Where heads look over many sentences, layer by layer: what can be said, the nearest that cannot, its share. @typedef {{over: string, heads: [string, string, number][]}} Survey */
/** What a packet of level 6 says; `exam` is what was read, "" where the model was not examined, `passed` how many heads passed. @typedef {{exam: string, passed: string, jobs: Job[], tried: Tried[], examples: Examples[], survey: Survey | null, carries?: Carried[]}} Known */
/** A job that is found in a run, and the word that its head does it from. @typedef {{job: Job, word: import('./run.js').Word}} Here */
/** Where most rows of a head look in a run: so many of all. @typedef {{where: string, count: number, all: number}} Habit */

const CONSTRUCTED = 'constructed sentences';
const NEAR = { self: 'itself', previous: 'previous word', next: 'next word' };
const WHERE = { self: 'the token itself', previous: 'the token before', next: 'the token after', punctuation: 'punctuation marks' };
const STEPS = new Map([[0, 'the word itself'], [-1, 'the word before'], [1, 'the word after']]);

/** Words that can hardly be anything else than what a job looks from. @type {Record<string, string[]>} */
const STANDS = { article: ['the', 'a', 'an'], preposition: ['of', 'at', 'from', 'with', 'into', 'between', 'among', 'during'], possessive: ['my', 'your', 'our', 'their', 'its'], 'joining word such as “and”': ['and', 'or'] };

const NAMES = 58, NARROW = 20; // pixels at the left for the names of layers, and where there is little room
const GAP = 6, TIGHT = 2, INSIDE = 12; // between two cells, between small ones, and what a cell takes beside its map
const LEAST = 12, MOST = 132, USUAL = 60, LOW = 20; // pixels of a map's side, and of one that has few rows
const LABEL = 54; // pixels of what stands below a map
const ROOMY = 86, SHORT = 56, SMALL = 32; // pixels of a cell from which on all is written below a map, its figures, one of them

/** @param {Head} a @param {Head} b */
export const same = (a, b) => a.layer === b.layer && a.head === b.head;

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

/** The jobs that are found in a run for certain, those that passed first, then that of a masked verb. @param {Packet} run @param {Known | null} known @returns {Here[]} */
export function jobsHere(run, known) {
  const verb = run.about.evidence?.some(one => one.here), all = words(run).filter(word => held(run, word));
  const found = jobsOf(run, known).flatMap(job => {
    const [, from = ''] = /^looks from an? (.+) to /.exec(job.job) ?? [], masked = from.startsWith('masked verb');
    const most = (/** @type {import('./run.js').Word} */ word) => Math.max(...look(run, job.layer, job.head, word).shares.filter((_, i) => words(run)[i] !== word && words(run)[i].plain), 0);
    const some = masked ? all.filter(word => verb && word.position === run.about.gap) : all.filter(word => STANDS[from]?.includes(word.name.toLowerCase()));
    return some.length ? [{ job, masked, word: some.reduce((a, b) => (most(b) > most(a) ? b : a)) }] : [];
  });
  return found.sort((a, b) => Number(b.job.passed) - Number(a.job.passed) || Number(b.masked) - Number(a.masked));
}

/** Whether the model was examined. @param {Packet} run @param {Known | null} known */
export const wasExamined = (run, known) => (known ? known.exam !== '' : Boolean(run.about.evidence?.length));

/** A job as from what to what: "object → its verb". @param {string} job */
export function titleOf(job) {
  const row = /^looks from an? (.+) to (.+)$/.exec(job), column = /^looks at an? (.+) from (.+)$/.exec(job), [, from, to] = row ?? column ?? ['', job, ''];
  return to ? `${from} → ${to}` : from;
}

/** A job as what is found: "finds the verb of an object". @param {string} job */
export function findsOf(job) {
  const [, from, to] = /^looks from (.+) to its (.+)$/.exec(job) ?? [];
  return to ? `finds the ${to} of ${from}` : job;
}

const OWN = 0.5; // of a change, from which on a head is named by what it carries

/** What a head carries to the guess, most first. @param {Known | null} known @param {Head} place */
const carriedBy = (known, place) => (known?.carries ?? []).filter(one => same(one, place)).sort((a, b) => Number(b.natural) - Number(a.natural) || b.share - a.share);

/** What a head carries more than half of by itself, which names it; undefined for nothing. @param {Known | null} known @param {Head} place */
export const carrierOf = (known, place) => carriedBy(known, place).filter(one => !one.natural && one.share > OWN).sort((a, b) => b.share - a.share)[0];

/** @param {Carried} of */
const pairsOf = ({ natural }) => (natural ? 'pairs that people wrote' : 'constructed pairs');

/** A sentence about what a head carries, as its pattern and what stands in it. @param {Carried} of @returns {[string, Record<string, string | number>]} */
const carriedSaid = of => [of.others.length ? 'heads_carries_with' : 'heads_carries', {
  what: of.what, share: of.share, count: of.count, pairs: pairsOf(of), random: of.random,
  ...(of.others.length ? { together: of.together, others: listed(of.others.map(([layer, head]) => say('part_head', { layer, head }))) } : {}),
}];

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

/** The finding of a head, as parts of a sentence. @param {Packet} run @param {Known | null} known @param {Head} place */
export function findingOf(run, known, place) {
  const { layer, head } = place, job = jobsOf(run, known).find(one => same(one, place));
  if (job) {
    const [{ share, count, rule }] = job.figures;
    return parts(job.figures[0].text === CONSTRUCTED ? 'heads_made' : 'heads_job', { layer, head, finds: findsOf(job.job), share, count, rule });
  }
  const role = known?.survey?.heads[layer * run.about.model.heads + head], carried = carrierOf(known, place);
  if (carried) return parts('heads_carrier', { layer, head, what: carried.what, share: carried.share, count: carried.count, pairs: pairsOf(carried), random: carried.random });
  if (role && nearOf(known, run.about.model.heads, place)) return parts('heads_place', { layer, head, where: whereOf(role[0]), share: role[2] });
  const found = habit(run, place);
  if (!found.all) return parts('heads_empty', { layer, head });
  return parts(`heads_${known && wasExamined(run, known) ? 'none' : 'here'}${sortOf(found)}`, { layer, head, ...found });
}

/** What is to be said of a head beside its finding and its figures: where it looks here, over many sentences, what is weak. @param {Packet} run @param {Known | null} known @param {Head} place */
export function besides(run, known, place) {
  const found = habit(run, place), { heads } = run.about.model, index = place.layer * heads + place.head;
  const jobs = jobsOf(run, known).filter(one => same(one, place)), near = nearOf(known, heads, place);
  /** @type {[string, Record<string, string | number>][]} */
  const all = [];
  if (jobs.length && known) {
    const [{ made, passed, why, figures: [{ fixed }] }] = jobs;
    const asked = known.examples.find(one => same(one, place));
    if (asked) all.push([asked.gap ? 'heads_cost' : 'heads_moves', { cost: asked.cost, count: asked.count, text: asked.text }]);
    all.push(passed ? [made ? 'heads_passed_made' : 'heads_passed', {}] : ['heads_not_passed', { why, fixed }]);
  }
  const named = jobs.length ? undefined : carrierOf(known, place);
  all.push(...carriedBy(known, place).filter(one => one !== named).map(carriedSaid));
  if (found.all && (jobs.length || near || named)) all.push([`heads_rows${sortOf(found)}`, { ...found }]);
  const survey = known?.survey, role = survey?.heads[index];
  if (survey && role && role[0] !== 'too few tokens to say') all.push([role[0] === role[1] ? 'heads_survey' : 'heads_survey_weak', { over: survey.over, where: whereOf(role[1]), share: role[2] }]);
  const tried = jobs.length ? null : known?.tried.find(one => same(one, place));
  if (tried) all.push(['heads_tried', { job: tried.job, share: tried.figure.share, count: tried.figure.count, text: tried.figure.text, rule: tried.figure.rule, why: tried.why }]);
  return all;
}

/** How the maps are laid out: their side, their height, and how much is written below each. @param {Packet} run @param {number} room @param {number} tall */
export function layout({ about: { model, rows, tokens } }, room, tall) {
  const names = room < 560 ? NARROW : NAMES, whole = (room - names) / model.heads, gap = whole < SMALL + GAP ? TIGHT : GAP, cell = Math.floor(whole - gap);
  const inside = gap === GAP ? INSIDE : TIGHT, side = Math.max(LEAST, Math.min(MOST, cell - inside, Math.max(USUAL, Math.floor(tall / model.layers) - LABEL)));
  const says = cell >= ROOMY ? 'all' : cell >= SHORT ? 'figures' : cell >= SMALL ? 'share' : 'nothing';
  return { names, side, gap, high: Math.max(Math.min(LOW, side), Math.round((side * rows.length) / tokens.length)), says };
}

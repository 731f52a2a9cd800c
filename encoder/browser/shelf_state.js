// @ts-check
// How lessons went in a browser, which is the one to go on with, and what a search finds. No page.

/** A lesson, or a lab, which has no name and one step; `asks` are the steps that ask, `says` what it says, `learned` what stays of it, `picture` its thumbnail as SVG. @typedef {{name: string, title: string, minutes: number, learned: string, picture: string, steps: string[], asks: boolean[], says: string}} Card */
/** @typedef {ReturnType<typeof import('./lesson.js').progress>} Progress */

/** How a lesson went: of each step whether it was done, seen without a guess, or not yet, and the step to go on with, counted from 0; -1 where none is left. @param {Card} card @param {Progress} progress */
export function stateOf({ name, steps, asks }, progress) {
  const mine = progress[name], all = steps.map((_, i) => mine?.guesses?.[i + 1]);
  const dots = all.map((guess, i) => (!guess ? '' : asks[i] && guess.guess === null ? 'is-seen' : 'is-done'));
  const after = dots.findIndex((dot, i) => !dot && i >= (mine?.at ?? 0));
  return { dots, begun: dots.some(Boolean), next: after < 0 ? dots.indexOf('') : after };
}

/** Whether every word that is searched for stands in the texts. @param {string} search @param {string[]} texts */
export function fits(search, ...texts) {
  const all = texts.join(' ').toLowerCase();
  return search.toLowerCase().split(/\s+/).every(word => all.includes(word));
}

/** The lesson to go on with: one that was begun, or the first that was not. @param {Card[]} lessons @param {Progress} progress */
export function nextOf(lessons, progress) {
  const left = lessons.filter(card => stateOf(card, progress).next >= 0);
  return left.find(card => stateOf(card, progress).begun) ?? left[0];
}

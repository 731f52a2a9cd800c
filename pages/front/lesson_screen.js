// @ts-check
// The lesson of a tab on the page that it shows now: the browser's code for it comes where the address names one.

import { post } from './post.js';

/** @typedef {import('../../encoder/browser/lesson.js').Screen} Screen */
/** What of the browser's code is used. @typedef {{lessonOf: () => Promise<{inLesson: typeof import('../../encoder/browser/lesson.js').inLesson}>}} Lessons */
const there = () => /** @type {{encoderLesson?: ReturnType<typeof import('../../encoder/browser/lesson.js').inLesson>}} */ (globalThis).encoderLesson;

/** Draws it, where there is one. @param {HTMLElement | null} host @param {Omit<Screen, 'ask'>} screen @param {string} address that of its route @param {Lessons} front */
export function showLesson(host, screen, address, front) {
  if (!there() && !screen.query().lesson) return;
  front.lessonOf().then(found => {
    if (host?.isConnected) found.inLesson(host, { ...screen, ask: said => post(address, said, answer => answer.json()) });
  }, () => null);
}

/** What stands above the picture: until the lesson is here, the picture waits. @param {boolean} named whether the address names a lesson */
export const above = named => (there() ? there()?.above() ?? null : named ? { element: null, veils: true } : null);

// @ts-check
// Keeps the lesson that is being made in this browser, and hands it back to a session that has none.

import { keptIn } from '../../../encoder/browser/kept.js';

const browser = keptIn(() => localStorage);
const KEPT = 'lesson draft';

/** @param {ComponentArguments<{ draft: string }>} given */
export default function ({ data, setTriggerValue }) {
  const here = /** @type {Window & { draftAsked?: boolean }} */ (window);
  const kept = browser.getItem(KEPT);
  if (data.draft) browser.setItem(KEPT, data.draft);
  else if (kept && !here.draftAsked) setTriggerValue('kept', kept);
  else browser.removeItem(KEPT);
  here.draftAsked = true;
}

// @ts-check
// Keeps the lesson that is being made in this browser, and hands it back to a session that has none.

const KEPT = 'lesson draft';

/** @param {ComponentArguments<{ draft: string }>} given */
export default function ({ data, setTriggerValue }) {
  const here = /** @type {Window & { draftAsked?: boolean }} */ (window);
  const kept = localStorage.getItem(KEPT);
  if (data.draft) localStorage.setItem(KEPT, data.draft);
  else if (kept && !here.draftAsked) setTriggerValue('kept', kept);
  else localStorage.removeItem(KEPT);
  here.draftAsked = true;
}

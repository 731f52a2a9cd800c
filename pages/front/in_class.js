// @ts-check
// A class on a page that the browser draws: a teacher's picture says what it shows as soon as that rests, a pupil's shows the same
// until something is chosen in it. The tab keeps its seat.

import { keepSeat } from '../ui/frame/class_seat.js';

/** What the server tells: the seat of this screen, and what a pupil's is to show. @typedef {{seat: string, left: boolean, follow: {number: number, query: Record<string, string>} | null}} Told */
/** What of the browser's code is used. @typedef {{fromQuery: (search: string) => object, DEFAULTS: object, REST: number}} Browser */
/**
 * What is kept of it: `followed` is the number of what was taken over last, `taking` whether that is being done, `alone` whether a pupil
 * has gone their own way; `resting` waits until a teacher's choice rests, `said` is the last one that the server was told.
 * @typedef {{
 *   data: Told & {page: string, tells: boolean}, page: string, store?: {set(changes: object): void, query(): Record<string, string>}, tell: () => void,
 *   trigger: ComponentArguments<Told>['setTriggerValue'], keep: ComponentArguments<Told>['setStateValue'], unseat?: () => void,
 *   followed: number, taking: boolean, alone: boolean, resting?: ReturnType<typeof setTimeout>, said: string
 * }} Part
 */

/** Whether a pupil's screen shows what the class sees, as far as the server knows. @param {Part} here */
const follows = here => here.data.seat.includes('-follows-');

/** A pupil chose something: the server hears of it once. @param {Part} here */
export function goAlone(here) {
  if (!follows(here) || here.taking || here.alone) return;
  here.alone = true;
  here.trigger('alone', true);
}

/** Takes over what the teacher shows, unless something was chosen here since. @param {Part} here @param {Browser} front */
export function follow(here, front) {
  const { follow: shown } = here.data;
  if (!follows(here)) [here.alone, here.followed] = [false, 0];
  else if (here.alone) here.trigger('alone', true); // this run did not know of it yet
  else if (shown && shown.number !== here.followed) {
    here.followed = shown.number;
    here.taking = true;
    here.store?.set({ ...front.DEFAULTS, ...front.fromQuery(new URLSearchParams(shown.query).toString()) });
    if (here.data.tells || shown.query.more) here.tell(); // which the store hears too
    here.taking = false;
  }
}

/** A teacher's screen says what it shows as soon as that rests. @param {Part} here @param {number} rest */
export function lead(here, rest) {
  clearTimeout(here.resting);
  if (!here.data.seat.includes('-leads-')) return;
  here.resting = setTimeout(() => {
    const chosen = { key: here.page, query: here.store?.query() }, said = JSON.stringify(chosen);
    if (here.page !== here.data.page || said === here.said) return; // the server hears of another page first
    here.said = said;
    here.keep('chosen', chosen);
  }, rest);
}

/** Keeps the seat that the server knows; where it knows none, it hears of the one that the tab has. @param {Part} here */
export function sit(here) {
  const { seat, left } = here.data;
  here.unseat?.();
  here.unseat = keepSeat({ seat, left, led: '', forgotten: '' }, (kind, kept) => { if (kind === 'seat') here.trigger(kind, kept); });
}

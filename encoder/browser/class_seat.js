// @ts-check
// The seat of a tab in a class: the tab keeps it by itself, and the browser keeps that of who leads, for a tab that is opened anew.
import { keptIn } from './browser_storage.js';

const KEPT = 'class-seat', LED = 'class-led';
const LINK = /^#class=([\w-]{1,80})$/, SEAT = /^[A-Z]{6}-(leads|follows|alone)-[0-9a-f]{32}$/;
const ofTab = keptIn(() => sessionStorage), ofAll = keptIn(() => localStorage);

/** A seat, if that is what a text is. @param {string | null | undefined} text */
const seatIn = text => (text && SEAT.test(text) ? text : '');
/** @param {string} search */
const address = search => location.pathname + (search && `?${search}`) + location.hash;

export const ofSeat = {
  kept: () => seatIn(ofTab.getItem(KEPT)),
  led: () => seatIn(ofAll.getItem(LED)),
  /** @param {string} seat */
  keep(seat) {
    ofTab.setItem(KEPT, seat);
    if (seat.includes('-leads-')) ofAll.setItem(LED, seat);
  },
  /** @param {string} seat */
  forget(seat) {
    ofTab.removeItem(KEPT);
    if (ofAll.getItem(LED) === seat) ofAll.removeItem(LED);
  },
};

/** The seat of the teacher's own link and the code of a pupil's, which are taken out of the address: they stand on no screen. @param {string} asked the code that the address had when the page came */
export function linked(asked) {
  const query = new URLSearchParams(location.search), code = query.get('code') || asked, own = LINK.exec(location.hash)?.[1];
  if (own) history.replaceState(history.state, '', location.pathname + location.search);
  if (query.has('code')) {
    query.delete('code');
    history.replaceState(history.state, '', address(query.toString()));
  }
  return { seat: seatIn(own), code };
}

/** Whether this tab is in a class, or its address asks for one. */
export const wanted = () => Boolean(ofSeat.kept()) || LINK.test(location.hash) || new URLSearchParams(location.search).has('code');

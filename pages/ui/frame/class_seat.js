// @ts-check
// A tab keeps its seat in a class by itself: a page that is loaded anew, or that another server answers, has it back.
// The browser keeps the teacher's too: who closes the tab and opens another can lead the class again.

import { keptIn } from '../../../encoder/browser/kept.js';

const KEPT = 'class-seat', LED = 'class-led';
const ofTab = keptIn(() => sessionStorage), ofAll = keptIn(() => localStorage);
const LINK = /^#class=([\w-]{1,80})$/;
let asked = ''; // the seat of a link that the server was not told yet
let answered = ''; // what the server had said when it was last told a seat
let offered = false; // whether the server was told which class was led here

/** The seat of the teacher's own link, which is taken out of the address: it stands on no screen and in no log. */
function linked() {
  const found = LINK.exec(location.hash)?.[1];
  if (found) history.replaceState(history.state, '', location.pathname + location.search);
  return found;
}

/** Do something as soon as no script runs: what its first run was about to show would be lost. @param {() => void} act */
function whenIdle(act) {
  const app = /** @type {HTMLElement} */ (document.querySelector('[data-testid=stApp]'));
  const look = () => {
    if (app.dataset.testScriptState !== 'notRunning') return;
    observer.disconnect();
    act();
  };
  const observer = new MutationObserver(look);
  observer.observe(app, { attributes: true, attributeFilter: ['data-test-script-state'] });
  look();
  return () => observer.disconnect();
}

/** Offer a class no more that is over. @param {string | null} seat */
function letGo(seat) {
  if (seat && ofAll.getItem(LED) === seat) ofAll.removeItem(LED);
}

/**
 * Keep the seat that the server knows. Where it knows none, or the address has one, tell it, once for what it said.
 * @param {{ seat: string, left: boolean, led: string, forgotten: string }} known
 * @param {(kind: 'seat' | 'led', seat: string) => void} tell
 */
export function keepSeat({ seat, left, led, forgotten }, tell) {
  asked = linked() || asked;
  if (seat && !asked) ofTab.setItem(KEPT, seat);
  else if (left && !asked) {
    letGo(ofTab.getItem(KEPT));
    ofTab.removeItem(KEPT);
  }
  if (seat.includes('-leads-')) ofAll.setItem(LED, seat);
  letGo(forgotten);
  if (seat) answered = '';
  const said = `${seat} ${left}`, kept = asked || (!seat && answered !== said && ofTab.getItem(KEPT));
  const before = !seat && !led && !left && !offered && ofAll.getItem(LED);
  if (kept) return whenIdle(() => {
    [answered, asked] = [said, ''];
    tell('seat', kept);
  });
  if (before) return whenIdle(() => {
    offered = true;
    tell('led', before);
  });
  return undefined;
}

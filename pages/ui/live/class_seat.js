// @ts-check
// A tab keeps its seat in a class by itself: a page that is loaded anew, or that another server answers, has it back.

const KEPT = 'class-seat';
const LINK = /^#class=([\w-]{1,80})$/;

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

/** @param {ComponentArguments<{ seat: string, left: boolean }>} given */
export default function ({ data, setTriggerValue }) {
  const asked = linked();
  if (data.seat && !asked) sessionStorage.setItem(KEPT, data.seat);
  else if (data.left && !asked) sessionStorage.removeItem(KEPT);
  const kept = asked || (!data.seat && sessionStorage.getItem(KEPT));
  return kept ? whenIdle(() => setTriggerValue('seat', kept)) : undefined;
}

// @ts-check
// Asks for a run when the connection is back. Another server may answer then, or one that was started again: it
// makes the session anew from the page's address, and without this run it would do so only at the next click, and lose it.

/** @param {ComponentArguments<unknown>} given */
export default function ({ setTriggerValue }) {
  const app = /** @type {HTMLElement} */ (document.querySelector('[data-testid=stApp]'));
  let away = false;
  const observer = new MutationObserver(() => {
    const here = app.dataset.testConnectionState === 'CONNECTED';
    if (here && away) setTriggerValue('back', true);
    away = !here;
  });
  observer.observe(app, { attributes: true, attributeFilter: ['data-test-connection-state'] });
  return () => observer.disconnect();
}

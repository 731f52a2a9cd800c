// @ts-check
// Asks for a run when the connection is back: the server that answers now may know this page by its address only.

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

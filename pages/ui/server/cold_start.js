// @ts-check
// Closes Streamlit's mistaken dialog; cold_start.py says why.
export default function () {
  const close = () => {
    const dialog = document.querySelector('[role=dialog]');
    if (dialog?.textContent?.includes('page that you have requested does not seem to exist')) {
      /** @type {HTMLElement | null} */ (dialog.querySelector('button[aria-label=Close]'))?.click();
    }
  };
  close();
  const observer = new MutationObserver(close);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

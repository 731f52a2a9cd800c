// Closes Streamlit's mistaken dialog; first_visit.py says why.
export default function () {
  const close = () => {
    const dialog = document.querySelector('[role=dialog]');
    if (dialog && dialog.textContent.includes('page that you have requested does not seem to exist')) {
      dialog.querySelector('button[aria-label=Close]').click();
    }
  };
  close();
  const observer = new MutationObserver(close);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

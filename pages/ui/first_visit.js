// Closes Streamlit's mistaken dialog; first_visit.py says why.
// Fetches Streamlit's script for charts, 4.7 MB, while the server still loads its libraries.
export default function ({ data }) {
  const own = document.querySelector('script[type=module][src*="/static/js/"]');
  if (own && data.script) import(new URL(data.script, own.src).href).catch(() => {});
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

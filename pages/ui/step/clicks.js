// Tells the server which cell of the main picture was clicked; Streamlit itself reports no clicks on heatmaps.
export default function ({ data, setTriggerValue }) {
  const attach = () => {
    const plot = document.querySelector(`.st-key-${data.chart} .js-plotly-plot`);
    if (!plot || !plot.on) return;
    if (plot.openCell === undefined) {
      plot.on('plotly_click', event => plot.openCell(event.points[0]));
    }
    plot.openCell = point => setTriggerValue('cell', [Math.round(point.y), Math.round(point.x)]);
  };
  attach();
  const observer = new MutationObserver(attach);
  observer.observe(document.querySelector('[data-testid=stMain]') || document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

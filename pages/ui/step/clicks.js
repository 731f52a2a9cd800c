// @ts-check
// Tells the server which cell of the main picture was clicked; Streamlit itself reports no clicks on heatmaps.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ on?: (name: string, then: (event: { points: Point[] }) => void) => void }} Plotly */
/** @typedef {Element & Plotly & { openCell?: (point: Point) => void }} Plot */

/** @param {ComponentArguments<{ chart: string }>} given */
export default function ({ data, setTriggerValue }) {
  const attach = () => {
    const plot = /** @type {Plot | null} */ (document.querySelector(`.st-key-${data.chart} .js-plotly-plot`));
    if (!plot?.on) return;
    if (plot.openCell === undefined) plot.on('plotly_click', event => plot.openCell?.(event.points[0]));
    plot.openCell = point => setTriggerValue('cell', [Math.round(point.y), Math.round(point.x)]);
  };
  attach();
  const observer = new MutationObserver(attach);
  observer.observe(document.querySelector('[data-testid=stMain]') || document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}

// @ts-check
// Tells the server which cell of a picture was clicked, which Streamlit does not for heatmaps, and outlines the opened one.
// The outline lies over the picture: opening a number builds nothing anew and changes no colour.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ _offset: number, _length: number, d2p: (value: number) => number }} Axis */
/** @typedef {{ on?: (name: string, then: (event: { points: Point[] }) => void) => void, data?: { type: string }[], _fullLayout?: { xaxis: Axis, yaxis: Axis } }} Plotly */
/** @typedef {HTMLElement & { chart: string, mark: Cell | null, open: (point: Point) => void, leave: () => void, watch?: MutationObserver }} Host */
/** @typedef {HTMLElement & Plotly & { answers?: Host }} Plot */
/** @typedef {[number, number]} Cell row and column */

const PARTS = ['row', 'column', 'cell'];

/**
 * The stretch of an axis that a cell takes, within what is seen of it: from and length in pixels of the picture.
 * @param {Axis} axis
 * @param {number} at
 */
export function stretch(axis, at) {
  const ends = [axis.d2p(at - 0.5), axis.d2p(at + 0.5)].map(p => Math.max(0, Math.min(axis._length, p)));
  return [axis._offset + Math.min(...ends), Math.abs(ends[1] - ends[0])];
}

/** Outline a cell of a plot, and draw lines along its row and column; none for null. @param {Plot} plot @param {Cell | null} mark */
function outline(plot, mark) {
  const { xaxis, yaxis } = plot._fullLayout || {};
  const ground = plot.querySelector('.svg-container');
  if (!ground || !xaxis || !yaxis) return;
  for (const old of ground.querySelectorAll('.opened')) old.remove();
  if (!mark) return;
  const bars = plot.data?.[0]?.type === 'bar'; // whose row is the whole height
  const [x, w] = stretch(xaxis, mark[1]);
  const [y, h] = bars ? [yaxis._offset, yaxis._length] : stretch(yaxis, mark[0]);
  if (!w || !h) return; // zoomed away
  const boxes = [[xaxis._offset, y, xaxis._length, h], [x, yaxis._offset, w, yaxis._length], [x, y, w, h]];
  PARTS.forEach((part, i) => {
    if (bars && part === 'row') return;
    const box = document.createElement('i');
    box.className = `opened ${part}`;
    const [left, top, width, height] = boxes[i];
    box.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
    ground.append(box);
  });
}

/** Have a plot answer to what the host says now. @param {Host} host */
function attach(host) {
  const plot = /** @type {Plot | null} */ (document.querySelector(`.st-key-${host.chart} .js-plotly-plot`));
  if (!plot?.on || plot.answers === host) return;
  if (!plot.answers) {
    plot.on('plotly_click', event => plot.answers?.open(event.points[0]));
    plot.on('plotly_afterplot', () => plot.answers && outline(plot, plot.answers.mark));
  }
  plot.answers = host;
  outline(plot, host.mark);
}

/** @param {ComponentArguments<{ chart: string, mark: Cell | null }>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const host = /** @type {Host} */ (parentElement.querySelector('span'));
  const plot = /** @type {Plot | null} */ (document.querySelector(`.st-key-${data.chart} .js-plotly-plot`));
  Object.assign(host, { chart: data.chart, mark: data.mark });
  host.open = point => setTriggerValue('cell', [Math.round(point.y), Math.round(point.x)]);
  attach(host);
  if (plot?.answers === host) outline(plot, host.mark);
  if (host.watch) return host.leave;
  host.watch = new MutationObserver(() => attach(host)); // a picture that comes later
  host.watch.observe(document.querySelector('[data-testid=stMain]') || document.body, { childList: true, subtree: true });
  host.leave = () => host.watch?.disconnect();
  return host.leave;
}

// @ts-check
// A chart of Plotly's in a page, also within a shadow root: drawn from a figure that Python made, in the colours of the page.
import { el, put } from './dom.js';

/** A figure as plotly.py writes it. @typedef {{data: object[], layout: Record<string, any>}} Figure */

const CONFIG = {
  displaylogo: false, displayModeBar: true, doubleClick: 'reset', responsive: false, showSendToCloud: false, plotlyServerURL: '', // nothing leaves the page
  modeBarButtonsToRemove: ['autoScale2d', 'zoomIn2d', 'zoomOut2d'], toImageButtonOptions: { format: 'png', scale: 2 },
};
const GLOBAL = 'style[id^="plotly.js-style"]'; // what Plotly styles in the head of the document
/** Plotly's cartesian part, which comes with the first chart. @type {Promise<any> | null} */
let plotly = null;
const load = () => (plotly ??= import(/** @type {string} */ ('./plotly.js')).then(found => found.default, error => { plotly = null; throw error; }));
/** @type {WeakSet<Document | ShadowRoot>} */
const styled = new WeakSet();

/** Gives the root that an element is in the rules that Plotly has for documents. @param {Element} element */
function style(element) {
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  if (!(root instanceof ShadowRoot) || styled.has(root)) return;
  const rules = [...document.head.querySelectorAll(GLOBAL)].flatMap(one => [.../** @type {HTMLStyleElement} */ (one).sheet?.cssRules ?? []]);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules.map(rule => rule.cssText).join('\n'));
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  styled.add(root);
}

/** The looks of the page as Plotly's template; what a figure says itself goes before it. @param {Element} element */
function template(element) {
  const probe = el('i');
  element.append(probe);
  const colour = (/** @type {string} */ name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  const [ink, muted, line, page] = ['ink', 'muted', 'line', 'page'].map(colour);
  const family = getComputedStyle(element).fontFamily;
  probe.remove();
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, tickcolor: line, automargin: true, title: { font: { color: muted }, standoff: 14 } };
  return { layout: {
    font: { family, color: ink, size: 13 }, paper_bgcolor: 'transparent', plot_bgcolor: 'transparent', xaxis: axis, yaxis: axis, hoverlabel: { font: { family } },
    modebar: { bgcolor: 'transparent', color: muted, activecolor: ink }, legend: { bgcolor: 'transparent' }, newselection: { line: { color: page } },
  } };
}

/** A chart, which has no size of its own: it takes the width of where it stands. */
export function chart() {
  const plot = el('div', { class: 'chart-plot' }), element = el('div', { class: 'chart', role: 'group' }, plot);
  /** @type {Figure | null} */
  let wanted = null;
  let ended = false, width = 0, frame = 0;
  const watch = new ResizeObserver(() => {
    if (!wanted || plot.clientWidth === width || !plot.clientWidth) return;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(paint);
  });
  watch.observe(element);

  async function paint() {
    const Plotly = await load();
    if (ended || !wanted || !plot.clientWidth) return;
    width = plot.clientWidth;
    const { data, layout } = wanted;
    await Plotly.react(plot, data, { ...layout, template: template(element), width, autosize: false }, CONFIG);
    style(plot);
  }
  return {
    element,
    /** Draws a figure; `alt` says what it shows. Rejects where Plotly cannot be had. @param {Figure} figure @param {string} alt */
    draw(figure, alt) {
      put(element, { 'aria-label': alt });
      wanted = figure;
      plot.style.minHeight = `${figure.layout.height ?? 320}px`;
      return paint();
    },
    async end() {
      ended = true;
      watch.disconnect();
      cancelAnimationFrame(frame);
      if (plotly) (await plotly).purge(plot);
    },
  };
}

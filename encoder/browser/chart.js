// @ts-check
// A Plotly chart of a figure that Python made, also in a shadow root: to zoom, point at and select. Plotly comes with the first one.
import { watched } from './canvas.js';
import style from './chart.css';
import { dress, el, put } from './dom.js';

/** What plotly.py writes. @typedef {{data: {type?: string, mode?: string}[], layout: {height?: number, [name: string]: any}}} Figure */

const RULES = 'plotly.js-style-global'; // what Plotly calls its styles, which it adds to the document alone
const COARSE = matchMedia('(pointer: coarse)'); // there a drag scrolls the page
const RENEWED = 'Charts cannot be drawn now: the app was renewed meanwhile, or cannot be reached. Load the page again.';
const HEIGHT = 320; // pixels, of a figure that says nothing

/** @type {Promise<any> | null} */
let coming = null;
/** Plotly's cartesian part, fetched once. */
const fetched = () => (coming ??= import(/** @type {string} */ ('./plotly.js')).then(found => found.default, () => { coming = null; throw new Error(RENEWED); }));

/** Gives the shadow root of an element the styles that Plotly gave the document. @param {Element} element */
function dressed(element) {
  const { sheet } = /** @type {HTMLStyleElement} */ (document.getElementById(RULES));
  dress(element, [...sheet?.cssRules ?? []].map(rule => rule.cssText).join('\n'));
}

/** A figure in the colours and letters of its place, as wide as that. @param {HTMLElement} place @param {Figure} figure */
function fitted(place, { layout: { height, ...layout } }) {
  const { backgroundColor: page, color: ink, fontFamily: family } = getComputedStyle(place);
  put(place, { style: `height: ${height ?? HEIGHT}px` }); // Plotly takes both sides from its place
  return {
    ...layout, autosize: true, paper_bgcolor: page, font: { ...layout.font, family }, hoverlabel: { ...layout.hoverlabel, font: { size: 13, family } },
    dragmode: COARSE.matches ? false : 'zoom', modebar: { bgcolor: 'rgba(0, 0, 0, 0)', color: ink, activecolor: ink },
  };
}

/** What can be done with a figure; nothing of it leaves the page. @param {any} Plotly @param {Figure} figure @param {string} filename of what is saved */
function config(Plotly, { data }, filename) {
  const save = { name: 'Save as PNG', icon: Plotly.Icons.camera, click: (/** @type {HTMLElement} */ place) => Plotly.downloadImage(place, { filename, format: 'png', scale: 2 }) };
  const select = data.some(({ mode }) => mode?.includes('markers')) ? ['select2d'] : [];
  return {
    displaylogo: false, displayModeBar: true, doubleClick: 'reset', showTips: false, showSendToCloud: false, plotlyServerURL: '',
    modeBarButtons: [[save, 'zoom2d', 'pan2d', ...select, 'zoomIn2d', 'zoomOut2d', 'resetScale2d']],
  };
}

/** A chart, as wide as its place. */
export function chart() {
  const place = el('div', { class: 'chart-drawn', role: 'group' }), element = el('div', { class: 'chart' }, place);
  /** @type {{figure: Figure, alt: string, name: string} | null} */
  let wanted = null;
  let drawn = false, room = 0;
  const unwatch = watched(element, () => room, () => {
    if (!drawn || !wanted || !element.clientWidth) return;
    room = element.clientWidth;
    fetched().then(Plotly => { if (drawn) Plotly.Plots.resize(place); });
  });
  return {
    element,
    /** Draws a figure in place of the one that is there; `alt` says what it shows, `name` is that of a file of it. `wide` has it scroll rather than be too narrow. @param {Figure} figure @param {string} alt @param {string} name @param {boolean} wide */
    async draw(figure, alt, name, wide) {
      const mine = wanted = { figure, alt, name };
      dress(element, style);
      put(place, { style: `height: ${figure.layout.height ?? HEIGHT}px` });
      place.classList.toggle('chart-wide', wide);
      const Plotly = await fetched();
      if (wanted !== mine) return;
      dressed(element);
      drawn = true;
      room = element.clientWidth;
      put(place, { 'aria-label': alt });
      await Plotly.react(place, figure.data, fitted(place, figure), config(Plotly, figure, name));
      put(/** @type {Element} */ (place.querySelector('.modebar')), { 'aria-label': 'Tools of the chart' });
    },
    end() {
      unwatch();
      wanted = null;
      if (drawn) fetched().then(Plotly => Plotly.purge(place));
      drawn = false;
    },
  };
}

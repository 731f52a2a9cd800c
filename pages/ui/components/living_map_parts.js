// @ts-check
// The map's elements: controls, tokens, names and buttons, and where they stand.
import { part, rowName } from './living_map_data.js';
import { listenTo, rove } from './living_map_input.js';
import { LABELS, clamp, columnSpans } from './living_map_layout.js';
import { changeOf, thumbPlaces, toX, toY } from './living_map_paint.js';
import { sayColumn, sayLayer, startWalk } from './living_map_say.js';

/** @type {Record<string, string>} */
export const COLOURS = { // what the picture is painted in, as the page names it
  page: 'var(--st-background-color)', ink: 'var(--st-text-color)', muted: 'var(--muted)', accent: 'var(--accent)', second: 'var(--second)',
  border: 'var(--st-border-color)', surface: 'var(--st-secondary-background-color)',
};

/** @param {string} tag @param {Record<string, any>} [more] @param {...(Node | string)} inside @returns {any} */
export const make = (tag, more = {}, ...inside) => {
  const element = Object.assign(document.createElement(tag), more);
  element.append(...inside);
  return element;
};

/** @param {any} map */
export function buildMap(map) {
  const { root } = map;
  const option = (/** @type {string} */ value, /** @type {string} */ text) => make('option', { value, textContent: text });
  map.bandsBox = make('select', {}, option('strongest', 'the strongest head'), option('mean', 'all heads, mean'), option('head', 'the chosen head'), option('flow', 'what really flows'));
  map.changeBox = make('input', { type: 'checkbox' });
  map.changeLabel = make('label', { hidden: true }, map.changeBox, 'difference to the run without changes');
  map.playButton = make('button', { type: 'button', textContent: 'Play', className: 'play' });
  map.wayBox = make('select', {}, option('from', 'where it looks'), option('to', 'who looks at it'));
  map.leastBox = make('input', { type: 'range', min: 1, max: 60, value: map.least });
  map.leastText = make('output', { textContent: '' });
  map.wordsBox = make('input', { type: 'checkbox', checked: true });
  map.controls = make('div', { className: 'controls', role: 'group', ariaLabel: 'What the bands show' },
    make('label', {}, 'Bands', map.bandsBox), make('label', {}, 'of a word', map.wayBox),
    make('label', {}, 'from', map.leastBox, map.leastText), make('label', {}, map.wordsBox, 'words only'), map.changeLabel,
    make('span', { className: 'end' }, map.playButton));
  map.bandsBox.onchange = () => { map.bands = map.bandsBox.value; map.again(); };
  map.changeBox.onchange = () => map.send({ difference: map.changeBox.checked });
  map.playButton.onclick = () => startWalk(map);
  map.wayBox.onchange = () => { map.way = map.wayBox.value; map.again(); };
  map.leastBox.oninput = () => { map.least = Number(map.leastBox.value); map.again(); };
  map.wordsBox.onchange = () => { map.words = map.wordsBox.checked; map.again(); };
  map.canvas = make('canvas', { ariaHidden: 'true' });
  map.context = map.canvas.getContext('2d');
  map.tokens = make('ul', { className: 'tokens', ariaLabel: 'Tokens' });
  map.heading = make('div', { className: 'heading', role: 'group', ariaLabel: 'Layers and heads' });
  map.stage = make('div', { className: 'stage' }, map.canvas, map.tokens, map.heading);
  map.said = make('output', { className: 'said', ariaLive: 'polite' });
  map.go = make('button', { type: 'button', hidden: true });
  map.probe = make('div', {}, ...Object.values(COLOURS).map(colour => {
    const one = make('i');
    one.style.color = colour;
    return one;
  }));
  map.probe.style.cssText = 'position:absolute;visibility:hidden';
  map.ramp = make('canvas', { width: 72, height: 1 });
  map.legend = make('p', { className: 'legend' },
    make('span', {}, make('i'), make('i', { className: 'two' }), 'what attention, and feed-forward, adds to the row'),
    map.shareNote = make('span', {}, '0\u00a0%', map.ramp, '100\u00a0% of a row\u2019s attention (small shares are drawn stronger)'),
    make('span', {}, 'Strips: values of a vector, blue below zero, red above'));
  map.changeNote = make('span', { hidden: true });
  map.legend.append(map.changeNote);
  map.pooledNote = make('span', { hidden: true });
  map.legend.append(map.pooledNote);
  root.append(map.controls, map.stage, make('div', { className: 'below' }, map.said, map.go), map.legend, map.probe);
  listenTo(map);
}

/** @param {any} map */
export function writeTokens(map) {
  const { about } = map.run;
  map.tokens.replaceChildren(...Array.from({ length: about.rows }, (_, i) => {
    const at = i * about.every;
    const b = make('button', { type: 'button', textContent: about.every === 1 ? about.tokens[at] : rowName(about, i) });
    b.className = [about.special[at] && !about.masked.includes(at) ? 'special' : '', about.segments[at] ? 'b' : '', about.hidden.includes(at) ? 'hidden-token' : ''].join(' ');
    b.tabIndex = i ? -1 : 0;
    const guess = about.guesses[at]?.[0];
    const sentence = about.segments.length ? `, sentence ${'AB'[about.segments[at]]}` : '';
    b.ariaLabel = `${rowName(about, i)}, token ${at}${sentence}${about.hidden.includes(at) ? ', hidden' : ''}${guess ? `; guess ${guess[0]}` : ''}`;
    b.onclick = () => map.pin(i);
    b.onmouseenter = () => map.point(i);
    b.onfocus = () => { map.point(i); rove(map, map.tokens, b); };
    b.onblur = () => map.point(-1);
    return make('li', {}, b);
  }));
}

/** @param {any} map */
export function writeHeading(map) {
  const { about } = map.run;
  map.names = ['Word', 'Place'].map((text, i) => {
    const b = make('button', { type: 'button', className: 'column', ariaLabel: about.titles[i] }, make('span', { textContent: text }));
    b.onclick = () => map.tell(`${about.titles[i]}: a strip shows the ${about.widths[i]} values of largest size of a row, one from each stretch. Click one to open it.`);
    return b;
  });
  map.guessName = make('span', { className: 'name', textContent: 'Guess' });
  map.layerButtons = [];
  map.thumbButtons = [];
  for (let l = 0; l < about.layers; l++) {
    const b = make('button', { type: 'button', className: 'layer' });
    b.onclick = () => map.unfold(map.open === l ? -1 : l);
    b.onmouseenter = () => map.tell(sayLayer(map, l));
    map.layerButtons.push(b);
    map.thumbButtons.push(Array.from({ length: about.heads }, (_, h) => {
      const t = make('button', { type: 'button', className: 'thumb', tabIndex: -1 });
      const link = about.links[l][h];
      const change = changeOf(about, `layers.${l}.attention.`, h);
      t.ariaLabel = `Layer ${l}, head ${h}${change ? `, ${change === 'off' ? 'switched off' : 'changed'}` : ''}` +
        (link ? `: \u201c${about.tokens[link[0]]}\u201d gives \u201c${about.tokens[link[1]]}\u201d ${link[2]}` : '');
      t.onclick = () => map.choose(l, h);
      t.onmouseenter = t.onfocus = () => map.tell(t.ariaLabel + (link ? ', its strongest look from word to word.' : '.'));
      return t;
    }));
  }
  map.columnButtons = [];
  fillHeading(map);
}

/** @param {any} map */
export function writeColumns(map) {
  if (map.columnButtons.length !== map.columns.length) {
    map.columnButtons = map.columns.map((/** @type {any} */ c, /** @type {number} */ i) => {
      const b = make('button', { type: 'button', className: 'column', tabIndex: -1 }, make('span'));
      b.onclick = () => map.focusOn(i);
      b.onmouseenter = () => map.tell(sayColumn(map, i));
      b.onfocus = () => map.tell(sayColumn(map, i));
      return b;
    });
    fillHeading(map);
  }
  map.columnButtons.forEach((/** @type {any} */ b, /** @type {number} */ i) => {
    const c = map.columns[i];
    b.firstChild.textContent = c.label;
    b.ariaLabel = `${c.title}${c.heads ? `, head ${map.head}` : ''}. Arrow down to read its cells.`;
  });
}

/** @param {any} map */
export function fillHeading(map) {
  const first = document.activeElement;
  map.heading.replaceChildren(...map.names, ...map.layerButtons.flatMap((/** @type {any} */ b, /** @type {number} */ l) => [b, ...map.thumbButtons[l]]), ...map.columnButtons, map.guessName);
  if (first instanceof HTMLElement && first.isConnected) first.focus({ preventScroll: true });
}

/** Names and buttons where the picture has them. @param {any} map */
export function placeAll(map) {
  const scene = map.scene;
  const { about } = map.run;
  const put = (/** @type {any} */ e, /** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ w, /** @type {number} */ h) => {
    e.style.cssText = `left:${x - map.left}px;top:${y}px;width:${w}px;height:${h}px`;
    e.hidden = x + w < map.left || x > map.width;
  };
  map.heading.style.cssText = `left:${map.left}px;right:0;height:${map.top}px`;
  map.tokens.style.cssText = `top:${map.top}px;width:${map.left}px;height:${map.tall}px`;
  const tall = map.rowHeight;
  const font = clamp(map.rowHeight * 0.55, 9, 14);
  [...map.tokens.children].forEach((li, i) => {
    const y = toY(scene, i) - map.top;
    const b = li.firstChild;
    b.style.cssText = `top:${y}px;height:${tall}px;font-size:${font}px;--inset:${Math.max(0, (tall - Math.min(tall, 27)) / 2 + (tall > 20 ? 1 : 0))}px`;
  });
  map.names.forEach((/** @type {any} */ b, /** @type {number} */ i) => {
    const s = map.now.strips[i];
    put(b, toX(scene, s.x) - 2, map.top - 60, Math.max(24, s.w + 4), 60);
  });
  put(map.guessName, toX(scene, map.now.guess.x), map.top - 22, map.now.guess.w, 18);
  map.guessName.hidden ||= !about.guesses.length;
  map.layerButtons.forEach((/** @type {any} */ b, /** @type {number} */ l) => {
    const card = map.now.cards[l];
    const w = card.w;
    const slim = w < 56;
    put(b, toX(scene, card.x), 2, w, slim ? Math.max(25, map.top - 8) : 25);
    const off = [['attention', 'attention off'], ['feed_forward', 'feed-forward off']]
      .filter(([part]) => changeOf(about, `layers.${l}.${part}.`) === 'off').map(([, said]) => said).join(', ');
    const change = off || (changeOf(about, `layers.${l}.`) && 'changed');
    const text = slim ? `L${l}` : `Layer ${l}`;
    if (b.shown !== text + change) {
      b.replaceChildren(text, ...(change && !slim ? [make('small', { textContent: change })] : []));
      b.shown = text + change;
      b.ariaLabel = `Layer ${l}${change ? `, ${change}` : ''}`;
    }
    b.ariaExpanded = String(map.open === l);
    const places = slim ? null : thumbPlaces(scene, l);
    map.thumbButtons[l].forEach((/** @type {any} */ t, /** @type {number} */ h) => {
      if (!places) { t.hidden = true; return; }
      put(t, toX(scene, card.x) + places[h].x, places[h].y, places[h].size, places[h].size);
      t.ariaPressed = String(l === map.layer && h === map.head);
    });
  });
  const shown = map.open >= 0;
  const spans = shown ? columnSpans(map.detail.natural, map.now.cards[map.open].w) : [];
  map.columnButtons.forEach((/** @type {any} */ b, /** @type {number} */ i) => {
    if (!shown) { b.hidden = true; return; }
    put(b, toX(scene, map.now.cards[map.open].x + spans[i].x) - 3, map.top - LABELS, spans[i].w + 6, LABELS);
    b.ariaPressed = String(i === map.focus);
    b.classList.toggle('changed', about.changed.some((/** @type {any} */ e) => e.step === `layers.${map.open}.${map.columns[i].local}`));
  });
  map.canvas.classList.toggle('far', map.now.width > map.width - map.left + 1);
}

/** @param {any} map */
export function lightTokens(map) {
  [...map.tokens.children].forEach((li, i) => {
    li.firstChild.ariaPressed = String(i === map.pinned);
    li.firstChild.classList.toggle('lit', i === map.row);
  });
}

// @ts-check
// What stands below the picture of a page: sections that unfold, each asked of the server by itself and drawn from data, charts by Plotly.
import { board } from './board.js';
import { chart } from './chart.js';
import { radios } from './controls.js';
import { dress, el, focused, themeOf } from './dom.js';
import { colourOf, css as colour, inkOn } from './grid.js';
import { keep, saved } from './save_menu.js';
import { html, nothing, render as into, repeat } from './lit.js';
import css from './more.css';
import { brief, percent, tight, typeset } from './number.js';
import { among } from './rows.js';
import { MEASURED, toQuery } from './store.js';

/** A piece of a section, as encoder/pictures/part_items.py writes it. @typedef {{kind: string, [name: string]: any}} Item */
/** `given` are texts of somebody's own that no address holds; `table` and `kind` ask for a table as a file. @typedef {{page: string, section: string, query: Record<string, string>, theme: 'light' | 'dark', agreed: boolean, given?: Record<string, string>, table?: string, kind?: string}} Asked */
/** Gives the items of a section, or a file; rejects with an Error whose message is one plain sentence. `hear` is told the share that is done of long work. @typedef {(asked: Asked, signal: AbortSignal, hear: (share: number) => void) => Promise<any>} Ask */
/** A piece that keeps something of its own. @typedef {{element: HTMLElement, draw: (item: Item) => void, end?: () => void}} Drawn */
/** What pieces can have done. @typedef {{root: HTMLElement, context: import('./mount.js').Context, choose: (changes: Record<string, string>) => void, agree: () => void, give: (name: string, text: string) => void, save: (table: string, kind: string) => Promise<void>}} Acts */

const SOON = 60; // ms without another choice, after which a section is asked for
const LONG = 700; // ms after which somebody who waits is told so, and may end it
const TYPED = 500; // ms after the last key
const MADE = ['sentence', 'second', 'model', 'hidden', 'edits', 'other', 'other_model']; // what makes a run
const dark = matchMedia('(prefers-color-scheme: dark)');

/** A cell of a table: numbers as every page writes them. @param {unknown} value */
const written = value => (typeof value === 'number' ? typeset(brief(value)) : value === null ? 'no number' : String(value));
const numeric = (/** @type {unknown} */ value) => (typeof value === 'number' ? 'is-number' : nothing);

/** A field whose text is taken when the keys rest. @param {Item} of @param {(text: string) => void} take */
function typed({ label, widget, most }, take) {
  let resting = 0;
  const field = el(widget === 'text' ? 'input' : 'textarea', {
    'aria-label': label, class: 'more-text', rows: widget === 'text' ? null : 5, maxlength: most, spellcheck: widget === 'given' ? 'false' : null,
    oninput: () => { clearTimeout(resting); resting = window.setTimeout(() => take(field.value), TYPED); },
  });
  return { field, end: () => clearTimeout(resting) };
}

/** One of some values, or a text. @param {Acts} acts @param {Item} first @returns {Drawn} */
function choice({ choose }, first) {
  const { name, label, widget } = first;
  if (widget === 'text' || widget === 'lines') {
    const { field, end } = typed(first, text => choose({ [name]: text }));
    return { end, element: el('label', { class: 'more-ask' }, el('span', { class: 'radios-label' }, label), field), draw: item => { if (focused(field) !== field) field.value = item.chosen; } };
  }
  let now = first;
  const list = radios(label, index => choose({ [name]: now.values[index] }));
  return { element: list.element, draw(item) { now = item; list.draw(item.texts.map((/** @type {string} */ text) => ({ text })), item.values.indexOf(item.chosen)); } };
}

/** A text of somebody's own, typed or from a file. @param {Acts} acts @param {Item} first @returns {Drawn} */
function given({ give }, first) {
  const { name, label, most } = first, { field, end } = typed(first, text => give(name, text)), element = el('div', { class: 'more-given' });
  const open = (/** @type {{target: HTMLInputElement}} */ { target: { files } }) => {
    const one = files?.[0];
    if (one && one.size > most) show(`This file is larger than ${most.toLocaleString('en')} bytes.`);
    else one?.text().then(text => { show(one.name); field.value = text; give(name, text); }, () => show('This file cannot be read.'));
  };
  const show = (said = '') => into(html`<label><span class="radios-label">${label}</span>${field}</label>
    <span><input type="file" aria-label="${label}: open a file" accept=".txt,.conllu,.conll,.csv,.jsonl,text/plain" @change=${open}> <span class="more-note" role="status">${said}</span></span>`, element);
  show();
  return { element, end, draw: () => {} };
}

/** What a table can be saved as. @param {Acts} acts @param {Item} first @returns {Drawn} */
function files({ save }, first) {
  const element = el('div', { class: 'more-ask' });
  let now = first, said = '';
  const act = (/** @type {string} */ kind) => { show('Making it …'); save(now.name, kind).then(() => show(''), error => show(error.message)); };
  const show = (text = said) => {
    said = text;
    into(html`<div class="more-marks" role="group" aria-label="Save this table">${now.kinds.map((/** @type {string} */ kind) => html`<button type="button" class="more-mark" @click=${() => act(kind)}>Save as ${kind.toUpperCase()}</button>`)}</div>
      <span class="more-note" role="status">${said}</span>`, element);
  };
  return { element, draw(item) { now = item; show(); } };
}

/** A picture as a chart, with its finding and the ways to keep it. @param {Acts} acts @param {Item} first @returns {Drawn} */
function picture({ root, context }, first) {
  let now = first;
  const element = el('figure', { class: 'more-picture' }), drawn = chart();
  const kept = keep(root, { ...context, run: () => null, pictures: () => [{ picture: now.picture, query: now.query, name: now.title }] });
  const show = (/** @type {string} */ finding) => into(html`<div class="more-head"><h4>${now.title}</h4>${kept.element}</div>${drawn.element}<p class="more-finding">${finding}</p><p class="more-said">${now.more}</p>`, element);
  return {
    element,
    draw(item) {
      now = item;
      show(item.sentence);
      drawn.draw(item.figure, item.alt, item.picture, item.wide).catch(error => show(error.message));
      kept.draw();
    },
    end() {
      drawn.end();
      kept.end();
    },
  };
}

/** The share of each head, one to be chosen. @param {Acts} acts @returns {Drawn} */
function heads({ root, context: { store } }) {
  const element = el('div', { class: 'more-board' }), keys = among(element, 'data-head-row', { point: () => {}, keep: head => store.set(head) }, true);
  return {
    element,
    draw({ label, shares }) {
      const high = Math.max(...shares.flat().map(Math.abs)) || 1, theme = themeOf(getComputedStyle(root.closest('.enc') ?? root).backgroundColor), { layer, head } = store.get();
      into(board({
        label, layers: shares.length, heads: shares[0].length, names: shares[0].map((/** @type {number} */ _, /** @type {number} */ head) => String(head)), attribute: 'data-head-row', part(layer, head) {
          const value = shares[layer][head], tint = colourOf(value, { low: -high, high }, 'signed', theme), text = tight(percent(value, 1));
          return { colour: colour(tint), ink: inkOn(tint), value, text: Math.abs(value) < 0.005 ? '' : text.replace('\u00a0%', ''), says: `head ${head} of layer ${layer}: ${text}` };
        },
      }), element);
      keys.show(layer === null || head === null ? null : { layer, head }, null);
    },
  };
}

/** What makes those that keep something of their own. @type {Record<string, (acts: Acts, item: Item) => Drawn>} */
const KEEPING = { ask: (acts, item) => (item.widget === 'given' ? given : choice)(acts, item), board: heads, files, picture };

/** Buttons to press and to press again. @param {string} label @param {{text: string, pressed: boolean, act: () => void}[]} all */
const marks = (label, all) => html`<div class="more-ask" ?hidden=${!all.length}><span class="radios-label" aria-hidden="true">${label}</span><div class="more-marks" role="group" aria-label=${label}
  >${all.map(({ text, pressed, act }) => html`<button type="button" class="more-mark" aria-pressed=${pressed} @click=${act}>${text}</button>`)}</div></div>`;
const words = (/** @type {string} */ name) => (/** @type {Item} */ item) => html`<p class=${name}>${item.words}</p>`;
const code = (/** @type {string} */ name) => (/** @type {Item} */ item) => html`<pre class=${name} tabindex="0">${item.words}</pre>`;

/** How each other kind of piece is drawn; `column` draws the pieces of one of its columns. @type {Record<string, (item: Item, acts: Acts, column: (items: Item[], i: number) => unknown) => unknown>} */
const PLAIN = {
  paragraph: words('more-said'),
  line: code('more-line'),
  code: code('more-code'),
  heading: item => html`<h3>${item.words}</h3>`,
  finding: words('more-finding'),
  offer: words('more-said'),
  error: words('more-error'),
  ask: ({ name, label, values, texts, chosen }, { choose }) => marks(label, values.map((/** @type {string} */ value, /** @type {number} */ i) => {
    const pressed = chosen.includes(value);
    return { text: texts[i], pressed, act: () => choose({ [name]: values.filter((/** @type {string} */ one) => (one === value ? !pressed : chosen.includes(one))).join(',') }) };
  })),
  press: ({ label, switches }, { context }) => marks(label, switches.map((/** @type {Item} */ { text, pressed, makes }) => ({ text, pressed, act: () => context.store.set(makes) }))),
  table: ({ head, rows }) => html`<div class="more-table" tabindex="0" role="region" aria-label="Table: ${head.filter(Boolean).join(', ')}"><table><thead><tr>${head.map((/** @type {string} */ name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${rows.map((/** @type {unknown[]} */ [name, ...cells]) => html`<tr><th scope="row" dir="auto" class=${numeric(name)}>${written(name)}</th>${cells.map(cell => html`<td class=${numeric(cell)}>${written(cell)}</td>`)}</tr>`)}</tbody></table></div>`,
  lines: ({ lines }, { context }) => html`<ol class="more-lines">${lines.map((/** @type {Item} */ { pieces: parts, note, opens }) => html`<li><span dir="auto">${parts.map((/** @type {[string, string]} */ [text, mark]) => (mark ? html`<mark class="more-${mark}">${text}</mark>` : text))}</span>
    <span class="more-note">${note}</span>${opens ? html` <button type="button" class="enc-link" @click=${() => context.store.set(opens.makes)}>${opens.text}</button>` : nothing}</li>`)}</ol>`,
  beside: ({ columns }, _, column) => html`<div class="more-beside">${columns.map((/** @type {Item[]} */ items, /** @type {number} */ i) => html`<div>${column(items, i)}</div>`)}</div>`,
  wait: (item, { agree }) => html`<button type="button" class="enc-pill" @click=${agree}>${item.words}</button>`,
};

/** Pieces below each other; those of the same kind and name stay where they are, and get their new numbers. @param {HTMLElement} place @param {Acts} acts */
function pieces(place, acts) {
  /** What keeps something of its own. @type {Map<string, Drawn>} */
  let there = new Map();
  return {
    /** @param {Item[]} items */
    draw(items) {
      /** @type {Map<string, {one: Drawn, item: Item}>} */
      const now = new Map();
      /** @param {Item[]} some @param {string} [within] @returns {unknown} */
      const view = (some, within = '') => repeat(some.map((item, i) => {
        const { kind, name, picture: key, widget, many } = item;
        return { item, title: JSON.stringify([within, kind, name ?? key ?? some.slice(0, i).filter(one => one.kind === kind).length, widget, many]) };
      }), ({ title }) => title, ({ item, title }) => {
        if (item.many || !KEEPING[item.kind]) return PLAIN[item.kind](item, acts, (column, i) => view(column, `${title} ${i}`));
        const one = there.get(title) ?? KEEPING[item.kind](acts, item);
        now.set(title, { one, item });
        return one.element;
      });
      into(view(items), place);
      for (const [title, one] of there) if (!now.has(title)) one.end?.();
      there = new Map([...now].map(([title, { one }]) => [title, one]));
      for (const { one, item } of now.values()) one.draw(item);
    },
    end() {
      for (const one of there.values()) one.end?.();
      there = new Map();
      into(nothing, place);
    },
  };
}

/** One section. @param {Omit<Acts, 'agree' | 'give' | 'save'>} acts @param {string} name @param {string} title @param {(asked: Pick<Asked, 'agreed' | 'given' | 'table' | 'kind'>, signal: AbortSignal, hear: (share: number) => void) => Promise<any>} fetched @param {() => void} turn @param {() => string} run what is run */
function section(acts, name, title, fetched, turn, run) {
  const element = el('section', { class: 'more-section' }), place = el('div', { class: 'more-pieces' });
  let open = false, asked = '', agreedOn = '', soon = 0, late = 0, said = { text: '', act: '', then: () => {}, share: 0 };
  /** @type {AbortController | null} */
  let going = null;
  /** What somebody gave to it. @type {Record<string, string>} */
  const own = {};
  const made = () => JSON.stringify([run(), own]), asks = () => (Object.keys(own).length ? { given: own } : {});
  const gone = new AbortController();
  const drawn = pieces(place, {
    ...acts, agree: () => begin(true),
    give(key, text) { own[key] = text; begin(false); },
    save: (table, kind) => fetched({ agreed: true, ...asks(), table, kind }, gone.signal, () => {}).then(saved),
  });

  const show = () => into(html`<h2><button type="button" class="more-title" aria-expanded=${open} aria-controls="more-${name}" @click=${turn}>${title}</button></h2>
    <div class="more-body" id="more-${name}" ?hidden=${!open} aria-busy=${going ? 'true' : nothing}>
      <p class="more-wait" role="status" ?hidden=${!said.text}><span>${said.text}</span> <progress aria-hidden="true" ?hidden=${!said.share} .value=${said.share}></progress> <button type="button" class="enc-pill" ?hidden=${!said.act} @click=${said.then}>${said.act}</button></p>${place}</div>`, element);
  /** @param {string} text @param {string} [act] @param {() => void} [then] @param {number} [share] that is done */
  function say(text, act = '', then = () => {}, share = 0) {
    said = { text, act, then, share };
    show();
  }
  function end() {
    clearTimeout(soon);
    clearTimeout(late);
    going?.abort();
    going = null;
  }
  /** Asks for the section; who agreed once to long work in it agrees to it of this run. @param {boolean} wished */
  function begin(wished) {
    end();
    if (wished) agreedOn = made();
    const agreed = agreedOn === made(), mine = going = new AbortController();
    const stop = () => { end(); say('Stopped.', 'Go on', () => begin(agreed)); };
    late = window.setTimeout(() => say('Working …', 'Stop', stop), LONG);
    show();
    fetched({ agreed, ...asks() }, mine.signal, share => { if (going === mine && share && said.then === stop) say(`Working … ${percent(share, 1)}`, 'Stop', stop, share); }).then(
      items => {
        if (going !== mine) return;
        end();
        say('');
        drawn.draw(items);
        if (agreed) document.dispatchEvent(new CustomEvent(MEASURED));
      },
      error => { if (going === mine) { end(); drawn.end(); say(error.message, 'Try again', () => begin(agreed)); } },
    );
  }
  return {
    element,
    /** @param {boolean} wished @param {string} of what it is drawn of */
    draw(wished, of) {
      open = wished;
      if (!open || of !== asked) end();
      if (open && of !== asked) soon = window.setTimeout(() => begin(false), asked ? SOON : 0);
      asked = open ? of : '';
      show();
    },
    end() {
      end();
      gone.abort();
      drawn.end();
    },
  };
}

/** The sections of a page. @param {HTMLElement} root @param {import('./mount.js').Context} context @param {string} page @param {readonly (readonly [string, string])[]} titles @param {readonly (readonly [string, readonly string[]])[]} under headings that unfold to some of them @param {Ask} ask */
export function more(root, context, page, titles, under, ask) {
  dress(root, css);
  const { store } = context;
  let query = /** @type {Record<string, string>} */ ({});
  /** The sections that are open, by the address. */
  const opened = () => {
    const names = store.get().more.split(',');
    return titles.map(([name]) => name).filter(name => names.includes(name));
  };
  /** @param {string} name */
  function turn(name) {
    const open = opened();
    store.set({ more: (open.includes(name) ? open.filter(one => one !== name) : [...open, name]).join(',') });
  }
  const acts = { root, context, choose: store.choose };
  const sections = titles.map(([name, title]) => section(acts, name, title, (asked, signal, hear) => ask({ page, section: name, query, theme: dark.matches ? 'dark' : 'light', ...asked }, signal, hear), () => turn(name), () => JSON.stringify(MADE.map(one => query[one]))));
  const elementOf = (/** @type {string} */ name) => sections[titles.findIndex(([one]) => one === name)]?.element;
  const groups = under.map(([title, names]) => ({ names, element: el('details', { class: 'more-group' }, el('summary', { class: 'more-title' }, title), ...names.map(elementOf)) }));
  const element = el('div', { class: 'more', role: 'group', 'aria-label': 'More of this page' }, ...titles.filter(([name]) => !groups.some(({ names }) => names.includes(name))).map(([name]) => elementOf(name)), ...groups.map(one => one.element));
  /** @type {Parameters<typeof draw> | null} */
  let last = null;
  const again = () => { if (last) draw(...last); };
  dark.addEventListener('change', again); // charts are made in the colours of the page
  /** @param {import('./store.js').Chosen} state @param {Record<string, string>} above what the page above speaks of where nobody chose here */
  function draw(state, above) {
    last = [state, above];
    const word = String(state.word), { more: _, number: __, numbers: ___, ...chosen } = toQuery(state);
    query = { lens_token: word, near_word: word, curve_token: word, ...above, ...store.choices(), ...chosen };
    const of = JSON.stringify([query, dark.matches]), open = opened();
    for (const group of groups) group.element.open ||= group.names.some(name => open.includes(name));
    sections.forEach((one, i) => one.draw(open.includes(titles[i][0]), of));
  }
  return {
    element, draw,
    /** Has a section in sight. @param {string} name */
    lead(name) {
      for (const group of groups) group.element.open ||= group.names.includes(name);
      elementOf(name)?.scrollIntoView({ block: 'start' });
    },
    end() {
      dark.removeEventListener('change', again);
      sections.forEach(one => one.end());
      element.remove();
    },
  };
}

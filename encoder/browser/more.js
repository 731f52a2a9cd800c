// @ts-check
// What stands below the picture of a page: sections that unfold, each asked of the server by itself and drawn from data, charts by Plotly.
import { chart } from './chart.js';
import { radios } from './controls.js';
import { children, dress, el, put, write } from './dom.js';
import { keep, saved } from './keep.js';
import css from './more.css';
import { brief, percent, typeset } from './number.js';
import { MEASURED, toQuery } from './store.js';

/** A piece of a section, as encoder/pictures/part_items.py writes it. @typedef {{kind: string, [name: string]: any}} Item */
/** `given` are texts of somebody's own that no address holds; `table` and `kind` ask for a table as a file. @typedef {{page: string, section: string, query: Record<string, string>, theme: 'light' | 'dark', agreed: boolean, given?: Record<string, string>, table?: string, kind?: string}} Asked */
/** Gives the items of a section, or a file; rejects with an Error whose message is one plain sentence. `hear` is told the share that is done of long work. @typedef {(asked: Asked, signal: AbortSignal, hear: (share: number) => void) => Promise<any>} Ask */
/** One piece on the screen. @typedef {{element: HTMLElement, draw: (item: Item) => void, end?: () => void}} Drawn */
/** What pieces can have done. @typedef {{root: HTMLElement, context: import('./mount.js').Context, choose: (changes: Record<string, string>) => void, agree: () => void, give: (name: string, text: string) => void, save: (table: string, kind: string) => Promise<void>}} Acts */

const SOON = 60; // ms without another choice, after which a section is asked for
const LONG = 700; // ms after which somebody who waits is told so, and may end it
const TYPED = 500; // ms after the last key
const MADE = ['sentence', 'second', 'model', 'hidden', 'edits', 'other', 'other_model']; // what makes a run
const dark = matchMedia('(prefers-color-scheme: dark)');

/** A cell of a table: numbers as every page writes them. @param {unknown} value */
const written = value => (typeof value === 'number' ? typeset(brief(value)) : value === null ? 'no number' : String(value));

/** An element with words in it. @param {'p' | 'h3' | 'pre'} tag @param {string} name @returns {Drawn} */
function words(tag, name) {
  const element = el(tag, { class: name, ...(tag === 'pre' ? { tabindex: '0' } : {}) });
  return { element, draw: item => write(element, item.words) };
}

/** A choice. @param {Acts} acts @param {Item} first @returns {Drawn} */
function choice(acts, first) {
  let now = first;
  const choose = (/** @type {string} */ value) => acts.choose({ [now.name]: value });
  if (first.many) {
    const group = el('div', { class: 'more-marks', role: 'group', 'aria-label': first.label });
    return {
      element: el('div', { class: 'more-ask' }, el('span', { class: 'radios-label', 'aria-hidden': 'true' }, first.label), group),
      draw(item) {
        now = item;
        children(group, item.values.length, i => el('button', {
          type: 'button', class: 'more-mark', onclick: () => {
            const value = now.values[i], chosen = now.chosen.includes(value) ? now.chosen.filter((/** @type {string} */ one) => one !== value) : [...now.chosen, value];
            choose(now.values.filter((/** @type {string} */ one) => chosen.includes(one)).join(','));
          },
        })).forEach((button, i) => {
          put(button, { 'aria-pressed': String(item.chosen.includes(item.values[i])) });
          write(button, item.texts[i]);
        });
      },
    };
  }
  if (first.widget === 'text' || first.widget === 'lines') {
    let resting = 0;
    const field = el(first.widget === 'lines' ? 'textarea' : 'input', {
      'aria-label': first.label, class: 'more-text', rows: first.widget === 'lines' ? 5 : null, maxlength: first.most ?? 200,
      oninput: () => { clearTimeout(resting); resting = window.setTimeout(() => choose(field.value), TYPED); },
    });
    return {
      element: el('label', { class: 'more-ask' }, el('span', { class: 'radios-label' }, first.label), field),
      draw(item) { now = item; if (field.getRootNode() instanceof ShadowRoot && /** @type {ShadowRoot} */ (field.getRootNode()).activeElement === field) return; field.value = item.chosen; },
      end: () => clearTimeout(resting),
    };
  }
  const list = radios(first.label, index => choose(now.values[index]));
  return {
    element: list.element,
    draw(item) {
      now = item;
      list.draw(item.texts.map((/** @type {string} */ text) => ({ text })), item.values.indexOf(item.chosen));
    },
  };
}

/** A text of somebody's own, typed or from a file. @param {Acts} acts @param {Item} first @returns {Drawn} */
function given(acts, first) {
  let resting = 0;
  const said = el('span', { class: 'more-note', role: 'status' });
  const field = el('textarea', {
    'aria-label': first.label, class: 'more-text', rows: 5, maxlength: first.most, spellcheck: 'false',
    oninput: () => { clearTimeout(resting); resting = window.setTimeout(() => acts.give(first.name, field.value), TYPED); },
  });
  const file = el('input', { type: 'file', 'aria-label': `${first.label}: open a file`, accept: '.txt,.conllu,.conll,text/plain', onchange: () => {
    const [one] = file.files ?? [];
    if (!one) return;
    if (one.size > first.most) { write(said, `This file is larger than ${first.most.toLocaleString('en')} bytes.`); return; }
    one.text().then(text => { write(said, one.name); field.value = text; acts.give(first.name, text); }, () => write(said, 'This file cannot be read.'));
  } });
  return {
    element: el('div', { class: 'more-given' }, el('label', {}, el('span', { class: 'radios-label' }, first.label), field), el('span', {}, file, ' ', said)),
    draw: () => {},
    end: () => clearTimeout(resting),
  };
}

/** What a table can be saved as. @param {Acts} acts @returns {Drawn} */
function files(acts) {
  const said = el('span', { class: 'more-note', role: 'status' }), group = el('div', { class: 'more-marks', role: 'group', 'aria-label': 'Save this table' });
  return {
    element: el('div', { class: 'more-ask' }, group, said),
    draw(item) {
      children(group, item.kinds.length, i => el('button', { type: 'button', class: 'more-mark', onclick: () => {
        write(said, 'Making it …');
        acts.save(item.name, item.kinds[i]).then(() => write(said, ''), error => write(said, error.message));
      } })).forEach((button, i) => write(button, `Save as ${item.kinds[i].toUpperCase()}`));
    },
  };
}

/** A picture as a chart, with its finding and the ways to keep it. @param {Acts} acts @returns {Drawn} */
function picture({ root, context }) {
  /** @type {Item} */
  let now;
  const title = el('h4'), drawn = chart(), finding = el('p', { class: 'more-finding' }), said = el('p', { class: 'more-said' });
  const kept = keep(root, { ...context, run: () => null, kept: () => ({ picture: now.picture, query: now.query, name: now.title }) });
  const element = el('figure', { class: 'more-picture' }, el('div', { class: 'more-head' }, title, kept.element), drawn.element, finding, said);
  return {
    element,
    draw(item) {
      now = item;
      write(title, item.title);
      write(finding, item.sentence);
      write(said, item.more);
      drawn.draw(item.figure, item.alt, item.picture, item.wide).catch(error => write(finding, error.message));
      kept.draw();
    },
    end() {
      drawn.end();
      kept.end();
    },
  };
}

/** @returns {Drawn} */
function table() {
  const head = el('tr'), body = el('tbody');
  const element = el('div', { class: 'more-table', tabindex: '0', role: 'region' }, el('table', {}, el('thead', {}, head), body));
  return {
    element,
    draw(item) {
      put(element, { 'aria-label': `Table: ${item.head.filter(Boolean).join(', ')}` });
      children(head, item.head.length, () => el('th', { scope: 'col' })).forEach((one, i) => write(one, item.head[i]));
      children(body, item.rows.length, () => el('tr')).forEach((row, i) => {
        children(row, item.rows[i].length, c => el(c ? 'td' : 'th', c ? {} : { scope: 'row', dir: 'auto' })).forEach((cell, c) => {
          put(cell, { class: typeof item.rows[i][c] === 'number' ? 'is-number' : null });
          write(cell, written(item.rows[i][c]));
        });
      });
    },
  };
}

/** Sentences with marked words, one below the other. @param {Acts} acts @returns {Drawn} */
function lines(acts) {
  const element = el('ol', { class: 'more-lines' });
  return {
    element,
    draw: item => element.replaceChildren(...item.lines.map((/** @type {Item} */ { pieces: parts, note, opens }) => el(
      'li', {}, el('span', { dir: 'auto' }, ...parts.map((/** @type {[string, string]} */ [text, mark]) => (mark ? el('mark', { class: `more-${mark}` }, text) : text))),
      ' ', el('span', { class: 'more-note' }, note), ...(opens ? [' ', el('button', { type: 'button', class: 'enc-link', onclick: () => acts.context.store.set(opens.makes) }, opens.text)] : []),
    ))),
  };
}

/** Columns beside each other. @param {Acts} acts @returns {Drawn} */
function beside(acts) {
  const element = el('div', { class: 'more-beside' });
  /** @type {ReturnType<typeof pieces>[]} */
  let columns = [];
  return {
    element,
    draw(item) {
      if (columns.length !== item.columns.length) {
        columns.forEach(column => column.end());
        element.replaceChildren();
        columns = item.columns.map(() => { const place = el('div'); element.append(place); return pieces(place, acts); });
      }
      columns.forEach((column, i) => column.draw(item.columns[i]));
    },
    end: () => columns.forEach(column => column.end()),
  };
}

/** Switches that change what is run. @param {Acts} acts @param {Item} first @returns {Drawn} */
function press(acts, first) {
  const group = el('div', { class: 'more-marks', role: 'group', 'aria-label': first.label });
  const element = el('div', { class: 'more-ask' }, el('span', { class: 'radios-label', 'aria-hidden': 'true' }, first.label), group);
  let now = first;
  return {
    element,
    draw(item) {
      now = item;
      element.hidden = !item.switches.length;
      children(group, item.switches.length, i => el('button', { type: 'button', class: 'more-mark', onclick: () => acts.context.store.set(now.switches[i].makes) })).forEach((button, i) => {
        put(button, { 'aria-pressed': String(item.switches[i].pressed) });
        write(button, item.switches[i].text);
      });
    },
  };
}

/** The offer to measure what takes long. @param {Acts} acts @returns {Drawn} */
function wait(acts) {
  const element = el('button', { type: 'button', class: 'enc-pill', onclick: acts.agree });
  return { element, draw: item => write(element, item.words) };
}

/** How each kind of piece is made. @type {Record<string, (acts: Acts, item: Item) => Drawn>} */
const KINDS = {
  paragraph: () => words('p', 'more-said'),
  line: () => words('pre', 'more-line'),
  code: () => words('pre', 'more-code'),
  heading: () => words('h3', ''),
  finding: () => words('p', 'more-finding'),
  offer: () => words('p', 'more-said'),
  ask: (acts, item) => (item.widget === 'given' ? given : choice)(acts, item),
  files,
  press,
  error: () => words('p', 'more-error'),
  picture,
  table,
  lines,
  beside,
  wait,
};

/** Pieces below each other; those of the same kind and name stay where they are, and get their new numbers. @param {HTMLElement} place @param {Acts} acts */
function pieces(place, acts) {
  /** @type {Map<string, Drawn>} */
  let there = new Map();
  return {
    /** @param {Item[]} items */
    draw(items) {
      /** @type {Map<string, Drawn>} */
      const now = new Map();
      for (const [i, item] of items.entries()) {
        const { kind, name, picture: key, widget, many } = item, title = JSON.stringify([kind, name ?? key ?? items.slice(0, i).filter(one => one.kind === kind).length, widget, many]);
        now.set(title, there.get(title) ?? KINDS[kind](acts, item));
      }
      for (const [title, one] of there) {
        if (now.get(title) === one) continue;
        one.end?.();
        one.element.remove();
      }
      there = now;
      [...now.values()].forEach((one, i) => {
        if (place.children[i] !== one.element) place.insertBefore(one.element, place.children[i] ?? null); // nobody's focus is lost
        one.draw(items[i]);
      });
    },
    end() {
      for (const one of there.values()) one.end?.();
      there = new Map();
      place.replaceChildren();
    },
  };
}

/** One section. @param {Omit<Acts, 'agree' | 'give' | 'save'>} acts @param {string} name @param {string} title @param {(asked: Pick<Asked, 'agreed' | 'given' | 'table' | 'kind'>, signal: AbortSignal, hear: (share: number) => void) => Promise<any>} fetched @param {() => void} turn @param {() => string} run what is run */
function section(acts, name, title, fetched, turn, run) {
  const body = el('div', { class: 'more-body', id: `more-${name}`, hidden: true }), place = el('div', { class: 'more-pieces' });
  const button = el('button', { type: 'button', class: 'more-title', 'aria-expanded': 'false', 'aria-controls': `more-${name}`, onclick: turn }, title);
  const words = el('span'), stop = el('button', { type: 'button', class: 'enc-pill' }), said = el('p', { class: 'more-wait', role: 'status', hidden: true }, words, ' ', stop);
  body.append(said, place);
  let asked = '', agreedOn = '', soon = 0, late = 0;
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

  /** @param {string} text @param {string} [act] @param {() => void} [then] */
  function say(text, act = '', then = () => {}) {
    said.hidden = !text;
    stop.hidden = !act;
    write(words, text);
    write(stop, act);
    stop.onclick = then;
  }
  function end() {
    clearTimeout(soon);
    clearTimeout(late);
    going?.abort();
    going = null;
    put(body, { 'aria-busy': null });
  }
  /** Asks for the section; who agreed once to long work in it agrees to it of this run. @param {boolean} wished */
  function begin(wished) {
    end();
    if (wished) agreedOn = made();
    const agreed = agreedOn === made();
    const mine = going = new AbortController();
    put(body, { 'aria-busy': 'true' });
    late = window.setTimeout(() => say('Working …', 'Stop', () => { end(); say('Stopped.', 'Go on', () => begin(agreed)); }), LONG);
    fetched({ agreed, ...asks() }, mine.signal, share => { if (going === mine && share) write(words, `Working … ${percent(share)}`); }).then(
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
    element: el('section', { class: 'more-section' }, el('h2', {}, button), body),
    /** @param {boolean} open @param {string} of what it is drawn of */
    draw(open, of) {
      put(button, { 'aria-expanded': String(open) });
      body.hidden = !open;
      if (!open) {
        end();
        asked = '';
        return;
      }
      if (of === asked) return;
      end();
      soon = window.setTimeout(() => begin(false), asked ? SOON : 0);
      asked = of;
    },
    end() {
      end();
      gone.abort();
      drawn.end();
    },
  };
}

/** The sections of a page. @param {HTMLElement} root @param {import('./mount.js').Context} context @param {string} page @param {readonly (readonly [string, string])[]} titles @param {Ask} ask */
export function more(root, context, page, titles, ask) {
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
  const element = el('div', { class: 'more', role: 'group', 'aria-label': 'More of this page' }, ...sections.map(one => one.element));
  /** @type {import('./store.js').Chosen | null} */
  let last = null;
  const again = () => { if (last) draw(last); };
  dark.addEventListener('change', again); // charts are made in the colours of the page
  /** @param {import('./store.js').Chosen} state */
  function draw(state) {
    last = state;
    const word = String(state.word), { more: _, number: __, numbers: ___, ...chosen } = toQuery(state);
    query = { lens_token: word, near_word: word, curve_token: word, ...store.choices(), ...chosen };
    const of = JSON.stringify([query, dark.matches]), open = opened();
    sections.forEach((one, i) => one.draw(open.includes(titles[i][0]), of));
  }
  return {
    element, draw,
    /** Has a section in sight. @param {string} name */
    lead: name => sections[titles.findIndex(([one]) => one === name)]?.element.scrollIntoView({ block: 'start' }),
    end() {
      dark.removeEventListener('change', again);
      sections.forEach(one => one.end());
      element.remove();
    },
  };
}

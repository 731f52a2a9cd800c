// @ts-check
// What is pressed on every page: rows of radios, the rail of stops, lists that unfold, dialogs, and the headline with the layer and head beside it.
import { children, el, focused, put, write } from './dom.js';
import { composed, html, nothing, render as into } from './lit.js';

const MOST = 12, MOST_SMALL = 8; // buttons side by side
const isSmall = () => matchMedia('(max-width: 560px)').matches;

/** What can be chosen, and how it is called where its text is short. @typedef {{text: string, title?: string}} Choice */

/**
 * @param {string} label
 * @param {(index: number) => void} choose
 * @param {{most?: number, small?: number, hidden?: boolean, class?: string}} [options] so many side by side, so many on a small screen; `hidden` leaves the label to those who hear it
 */
export function radios(label, choose, { most = MOST, small = most === MOST ? MOST_SMALL : most, hidden = false, class: name = '' } = {}) {
  const group = el('div', { class: 'radios', role: 'radiogroup', 'aria-label': label });
  const list = el('select', { class: 'radios-list', 'aria-label': label, onchange: () => choose(list.selectedIndex) });
  const element = el('div', { class: `radios-part ${name}` }, ...(hidden ? [] : [el('span', { class: 'radios-label', 'aria-hidden': 'true' }, label)]), group, list);
  let chosen = -1, count = 0;

  group.onkeydown = event => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? count - 1 : by === undefined ? -1 : (chosen + by + count) % count;
    if (to < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(to);
    /** @type {HTMLElement | undefined} */ (group.children[to])?.focus();
  };
  return {
    element, group,
    /** @param {Choice[]} choices @param {number} index */
    draw(choices, index) {
      const many = choices.length > (isSmall() ? small : most);
      group.hidden = many;
      list.hidden = !many;
      chosen = index;
      count = choices.length;
      if (many) {
        if (list.options.length !== count) list.replaceChildren(...choices.map(({ text }) => el('option', {}, text)));
        list.selectedIndex = index;
        group.replaceChildren();
        return;
      }
      children(group, count, i => el('button', { type: 'button', role: 'radio', onclick: () => choose(i) })).forEach((button, i) => {
        put(button, { 'aria-checked': String(i === index), tabindex: i === index ? '0' : '-1', 'aria-label': choices[i].title });
        write(button, choices[i].text);
      });
    },
  };
}

export const PAUSE = 1200; // ms at each stop

/**
 * @param {{choose: (stop: number) => void, play: (stop: number) => void, rest: () => void}} calls `play` shows a stop while it plays, `rest` is after it
 */
export function rail({ choose, play, rest }) {
  const stops = radios('Stop', index => { pause(); choose(index); }, { most: Infinity, hidden: true, class: 'rail-stops' });
  const line = el('div', { class: 'rail-line', 'aria-hidden': 'true' }), done = el('i'), knob = el('b');
  line.append(done, knob);
  const button = el('button', { type: 'button', class: 'rail-play', onclick: () => (playing ? pause() : begin()) });
  const way = el('div', { class: 'rail-way' }, line, stops.element);
  const element = el('div', { class: 'rail' }, button, way);
  let count = 0, now = 0, playing = false, paused = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;

  const begin = () => {
    playing = true;
    step(paused && now < count - 1 ? now + 1 : 0);
  };
  /** @param {number} stop */
  function step(stop) {
    play(stop);
    name();
    clearTimeout(next);
    next = setTimeout(() => (stop < count - 1 ? step(stop + 1) : pause(true)), PAUSE);
  }
  /** @param {boolean} [ended] */
  function pause(ended = false) {
    if (!playing) return;
    clearTimeout(next);
    playing = false;
    paused = !ended;
    name();
    rest();
  }
  function name() {
    const text = playing ? 'Pause' : paused && now < count - 1 ? 'Go on' : 'Play';
    write(button, text);
    put(button, { 'data-playing': playing });
  }
  /** Where a stop stands on the line. @param {number} stop */
  const middle = stop => {
    const button_ = /** @type {HTMLElement | undefined} */ (stops.group.children[stop]);
    return button_ ? button_.offsetLeft + button_.offsetWidth / 2 : 0;
  };
  const set = () => {
    done.style.width = knob.style.left = `${middle(now)}px`;
  };
  const watch = new ResizeObserver(set);
  watch.observe(stops.group);
  /** @param {PointerEvent} event */
  line.onpointerdown = event => {
    const follow = (/** @type {PointerEvent} */ { clientX }) => {
      const x = clientX - line.getBoundingClientRect().left;
      const nearest = Array.from({ length: count }, (_, i) => i).sort((a, b) => Math.abs(middle(a) - x) - Math.abs(middle(b) - x))[0];
      if (nearest !== now) choose(nearest);
    };
    pause();
    line.setPointerCapture(event.pointerId);
    follow(event);
    line.onpointermove = follow;
    line.onpointerup = line.onpointercancel = () => { line.onpointermove = null; };
  };

  return {
    element, pause,
    get playing() { return playing; },
    /** @param {Choice[]} choices @param {number} stop */
    draw(choices, stop) {
      if (!playing && stop !== now) paused = false;
      count = choices.length;
      now = stop;
      stops.draw(choices, stop);
      name();
      set();
    },
    end() {
      clearTimeout(next);
      watch.disconnect();
    },
  };
}

/**
 * @param {HTMLElement} button
 * @param {HTMLElement} box
 * @param {{items: () => HTMLElement[], fill: () => void, first?: () => HTMLElement | undefined}} list `first` has the focus when it unfolds
 */
export function fold(button, box, { items, fill, first = () => items()[0] }) {
  /** @param {boolean} shown */
  function unfold(shown) {
    if (shown) fill();
    box.hidden = !shown;
    put(button, { 'aria-expanded': String(shown) });
    if (shown) first()?.focus();
  }
  button.onclick = () => unfold(box.hidden);
  box.onkeydown = event => {
    const all = items(), at = all.indexOf(/** @type {HTMLElement} */ (focused(box)));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape') {
      unfold(false);
      button.focus();
    } else if (event.key === 'Tab') unfold(false);
    else if (to !== undefined) {
      event.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    }
  };
  /** @param {Event} event */
  const away = event => { if (!box.hidden && !event.composedPath().includes(box) && !event.composedPath().includes(button)) unfold(false); };
  document.addEventListener('pointerdown', away);
  return { unfold, end: () => document.removeEventListener('pointerdown', away) };
}

/** What opens the number that is chosen in a picture. @param {() => void} act */
export const opener = act => html`<button type="button" class="enc-pill is-first" data-open @click=${act}>Open this number</button>`;

/** A link that acts where it is clicked plainly: any other click is the browser's. @param {string} text @param {string} arrow @param {string} href @param {() => void} act @param {string} [key] of the page it leads to */
export const leads = (text, arrow, href, act, key) => html`<a class="enc-link" data-go=${key ?? nothing} href=${href} @click=${(/** @type {MouseEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  act();
}}><span>${text}</span><span aria-hidden="true"> ${arrow}</span></a>`;

/** Copies a text; whether that was allowed. @param {string} text */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // without https the clipboard is closed
    return false;
  }
}

/** @param {HTMLElement} root */
export function told(root) {
  const title = el('h2', { id: 'enc-dialog-title' }), body = el('div', { class: 'enc-dialog-body' });
  const close = el('button', { type: 'button', class: 'enc-pill', onclick: () => dialog.close() }, 'Close');
  const dialog = el('dialog', { class: 'enc-dialog', 'aria-labelledby': 'enc-dialog-title' }, title, body, close);
  /** @type {HTMLElement | null} */
  let before = null;
  dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
  dialog.onclose = () => {
    dialog.remove();
    before?.focus();
  };
  /** @param {string} text @param {HTMLElement} field @param {HTMLElement} button */
  async function copy(text, field, button) {
    put(button, { 'aria-label': null }); // what it says now is its name
    if (await copied(text)) return write(button, 'Copied');
    getSelection()?.selectAllChildren(field); // what is chosen may be copied all the same
    write(button, document.execCommand('copy') ? 'Copied' : 'Press Ctrl and C to copy what is marked');
  }
  return {
    /** @param {string} name @param {[label: string, text: string, lines?: boolean][]} texts */
    show(name, texts) {
      write(title, name);
      body.replaceChildren(...texts.map(([label, text, lines]) => {
        const field = el(lines ? 'pre' : 'p', { tabindex: '0', class: 'enc-dialog-text' }, text);
        const button = el('button', { type: 'button', class: 'enc-pill', 'aria-label': label && !lines ? `Copy ${label.toLowerCase()}` : null, onclick: () => copy(text, field, button) }, 'Copy');
        return el('section', {}, ...(label ? [el('p', { class: 'enc-small' }, label)] : []), field, button);
      }));
      before = /** @type {HTMLElement | null} */ (focused(root));
      root.append(dialog);
      dialog.showModal();
    },
  };
}

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */

/** @param {import('./mount.js').Context} context @param {{layer?: boolean, head?: boolean}} [has] what is chosen beside it */
export function headline({ store }, { layer = true, head = true } = {}) {
  const finding = el('h1', { class: 'enc-finding', tabindex: '-1' });
  const layers = radios('layer', chosen => store.set({ layer: chosen })), heads = radios('head', chosen => store.set({ head: chosen }));
  const place = el('div', { class: 'enc-place' }, ...(layer ? [layers.element] : []), ...(head ? [heads.element] : []));
  /** @param {string} what @param {number} count */
  const counted = (what, count) => Array.from({ length: count }, (_, i) => ({ text: String(i), title: `${what} ${i}` }));
  return {
    element: el('div', { class: 'enc-headline' }, finding, ...(layer || head ? [place] : [])),
    finding,
    /** @param {Packet} run @param {Chosen} state @param {import('./say.js').Part[]} said */
    draw({ about: { model } }, state, said) {
      into(composed(said), finding);
      if (layer) layers.draw(counted('layer', model.layers), state.layer);
      if (head) heads.draw(counted('head', model.heads), state.head);
    },
  };
}

const REST = 400; // ms until it is said

/** @param {(sentence: string) => void} announce */
export function atRest(announce) {
  let spoken = '', resting = 0;
  return {
    /** @param {string} sentence */
    say(sentence) {
      if (spoken === sentence) return;
      clearTimeout(resting);
      if (spoken && sentence) resting = window.setTimeout(() => announce(sentence), REST);
      spoken = sentence;
    },
    /** What is said next is what another run opens on. */
    anew() { spoken = ''; },
    end: () => clearTimeout(resting),
  };
}

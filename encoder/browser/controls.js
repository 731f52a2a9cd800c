// @ts-check
// What is pressed on every page: rows of radios, the rail of stops, lists that unfold, dialogs, and the headline with the layer and head beside it.
import { el, focused, placeIn, put, write } from './dom.js';
import { composed, html, live, nothing, render as into } from './lit.js';

const MOST = 12, MOST_SMALL = 8; // buttons side by side
const isSmall = () => matchMedia('(max-width: 560px)').matches;

/** What can be chosen, how it is called where its text is short, and its symbol in a formula. @typedef {{text: string, title?: string, symbol?: string}} Choice */

/**
 * @param {string} label
 * @param {(index: number) => void} choose
 * @param {{most?: number, small?: number, hidden?: boolean, class?: string}} [options] so many side by side, so many on a small screen; `hidden` leaves the label to those who hear it
 */
export function radios(label, choose, { most = MOST, small = most === MOST ? MOST_SMALL : most, hidden = false, class: name = '' } = {}) {
  const element = el('div', { class: `radios-part ${name}` });
  let chosen = -1, count = 0;

  /** @param {KeyboardEvent} event */
  function walk(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? count - 1 : by === undefined ? -1 : (chosen + by + count) % count;
    if (to < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(to);
    buttons()[to]?.focus();
  }
  const buttons = () => /** @type {HTMLElement[]} */ ([...element.querySelectorAll('[role=radio]')]);
  return {
    element, buttons,
    /** @param {Choice[]} choices @param {number} index */
    draw(choices, index) {
      const many = choices.length > (isSmall() ? small : most);
      [chosen, count] = [index, choices.length];
      into(html`${hidden ? nothing : html`<span class="radios-label" aria-hidden="true">${label}</span>`}
        <div class="radios" role="radiogroup" aria-label=${label} ?hidden=${many} @keydown=${walk}>${many ? nothing : choices.map(({ text, title, symbol }, i) => html`<button type="button" role="radio" aria-checked=${i === index} tabindex=${i === index ? 0 : -1} aria-label=${title ?? nothing} @click=${() => choose(i)}>${text}${symbol ? html` <small>${symbol}</small>` : nothing}</button>`)}</div>
        <select class="radios-list" aria-label=${label} ?hidden=${!many} @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) => choose(target.selectedIndex)}>${many ? choices.map(({ text }, i) => html`<option .selected=${live(i === index)}>${text}</option>`) : nothing}</select>`, element);
    },
  };
}

const PAUSE = 4500; // ms at each stop, unless somebody goes on
const CLICKER = /** @type {Record<string, number>} */ ({ PageDown: 1, PageUp: -1 }), STEPS = /** @type {Record<string, number>} */ ({ ' ': 1, ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 });
const APART = 'dialog, [role=dialog], .enc-number'; // what has all keys of its own
const TYPED = 'textarea, [contenteditable], input:not([type=range], [type=radio], [type=checkbox])';
const KEYED = `${APART}, input, select, textarea, [contenteditable], [role=radiogroup], [tabindex="0"]`; // what needs the arrow keys
const PRESSED = 'button, a, summary, input, select, label';
const WAITS = `Each stop waits ${PAUSE / 1000} seconds, or for a press in the picture, Page Down, space or an arrow key. Page Up goes back; Escape pauses, and once more leaves the keys to the page.`;

/**
 * The stops of a page, and what plays them. Once it has played, keys step it wherever the focus is, until Escape is pressed where nothing plays.
 * @param {{choose: (stop: number, moves?: boolean) => void, play: (stop: number) => void, rest: () => void, second?: (stop: number) => void}} calls `play` shows a stop while it plays, `rest` is after it; a stop that a key chose moves as if it played; `second` hears of a second handle
 * @param {{name?: string, pause?: number}} [options] what its stops are, and the milliseconds at each
 */
export function rail({ choose, play, rest, second }, { name = 'Stop', pause: stays = PAUSE } = {}) {
  const stops = radios(name, index => { pause(); choose(index); }, { most: Infinity, hidden: true, class: 'rail-stops' }), element = el('div', { class: 'rail' });
  let count = 0, now = 0, other = -1, playing = false, paused = false, led = false;
  /** Groups of stops that stand side by side. @type {{name: string, first: number, last: number}[]} */
  let groups = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;

  const begin = () => {
    playing = led = true;
    step(paused && now < count - 1 ? now + 1 : 0);
  };
  /** @param {number} stop */
  function step(stop) {
    play(stop);
    render();
    clearTimeout(next);
    next = setTimeout(() => go(1), stays);
  }
  /** @param {boolean} [ended] */
  function pause(ended = false) {
    if (!playing) return;
    clearTimeout(next);
    playing = false;
    paused = !ended;
    render();
    rest();
  }
  /** On, or back: what plays goes on playing, unless it is led back or has ended. @param {number} by */
  function go(by) {
    const to = now + by;
    if (playing && by > 0 && to < count) return step(to);
    pause(to >= count);
    if (to < 0 || to >= count) return;
    now = to;
    choose(to, by > 0);
  }
  /** @param {KeyboardEvent} event */
  function key(event) {
    const at = event.composedPath()[0], within = (/** @type {string} */ what) => at instanceof Element && at.closest(what);
    if (!led || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || within(APART)) return;
    const clicked = event.eventPhase === Event.CAPTURING_PHASE, by = (clicked ? CLICKER : STEPS)[event.key];
    if (clicked && event.key === 'Escape') {
      led = playing;
      if (!playing) return;
      pause();
    } else if (!by || within(clicked ? TYPED : KEYED) || (event.key === ' ' && within(PRESSED))) return;
    else go(by);
    event.preventDefault();
    event.stopPropagation();
  }
  /** Before any part of the page hears a clicker; after it, of the keys that a part may need itself. */
  const hear = /** @type {const} */ (['addEventListener', 'removeEventListener']).map(act => () => { for (const first of [true, false]) window[act]('keydown', /** @type {EventListener} */ (key), first); });
  hear[0]();
  /** Where a stop stands on the line. @param {number} stop */
  function middle(stop) {
    const button = stops.buttons()[stop];
    return button ? button.offsetLeft + button.offsetWidth / 2 : 0;
  }
  /** Where a group ends and the next begins. @param {number} stop its last one */
  function border(stop) {
    const [one, other] = stops.buttons().slice(stop, stop + 2);
    return one && other ? (one.offsetLeft + one.offsetWidth + other.offsetLeft) / 2 : 0;
  }
  function render() {
    put(element, { 'data-led': led });
    const to = middle(now), ends = groups.slice(0, -1).map(({ last }) => border(last));
    into(html`<button type="button" class="rail-play" title=${stays === PAUSE ? WAITS : nothing} ?data-playing=${playing} @click=${() => (playing ? pause() : begin())}>${playing ? 'Pause' : paused && now < count - 1 ? 'Go on' : stays === PAUSE ? `Play all ${count}` : 'Play'}</button>
      <div class="rail-way">${groups.length ? html`<div class="rail-groups" aria-hidden="true">${groups.map(({ name, first, last }, i) => html`<span class=${first <= now && now <= last ? 'is-here' : nothing} style="left: ${i ? ends[i - 1] : 0}px; right: ${i < ends.length ? `calc(100% - ${ends[i]}px)` : 0}">${name}</span>`)}</div>` : nothing}
        <div class="rail-line" aria-hidden="true" @pointerdown=${drag}><i style="width: ${to}px"></i>${ends.map(x => html`<s style="left: ${x}px"></s>`)}<b style="left: ${to}px"></b></div>${other < 0 ? nothing : html`<b class="rail-second" role="slider" tabindex="0" aria-label=${`Second ${name.toLowerCase()}`} aria-valuemin="0" aria-valuemax=${count - 1} aria-valuenow=${other} aria-valuetext=${stops.buttons()[other]?.getAttribute('aria-label') ?? ''} style="left: ${middle(other)}px" @keydown=${walk} @pointerdown=${drag}></b>`}${stops.element}</div>`, element);
  }
  const watch = new ResizeObserver(render);
  watch.observe(stops.element);
  /** @param {KeyboardEvent} event of the second handle */
  function walk(event) {
    const to = { ArrowRight: other + 1, ArrowUp: other + 1, ArrowLeft: other - 1, ArrowDown: other - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    second?.(Math.max(0, Math.min(count - 1, to)));
  }
  /** @param {PointerEvent} event */
  function drag(event) {
    const line = /** @type {HTMLElement} */ (event.currentTarget), way = /** @type {HTMLElement} */ (line.parentElement), begun = placeIn(event, way).x;
    const ofSecond = other >= 0 && (line.matches('.rail-second') || Math.abs(middle(other) - begun) < Math.abs(middle(now) - begun));
    const follow = (/** @type {PointerEvent} */ moved) => {
      const { x } = placeIn(moved, way);
      const nearest = Array.from({ length: count }, (_, i) => i).sort((a, b) => Math.abs(middle(a) - x) - Math.abs(middle(b) - x))[0];
      if (ofSecond && nearest !== other) second?.(nearest);
      else if (!ofSecond && nearest !== now) choose(nearest);
    };
    pause();
    line.setPointerCapture(event.pointerId);
    follow(event);
    line.onpointermove = follow;
    line.onpointerup = line.onpointercancel = () => { line.onpointermove = null; };
  }

  return {
    element, pause,
    get playing() { return playing; },
    /** A press anywhere in an element goes on while it plays; one on what has an act of its own pauses. @param {HTMLElement} area */
    goesOnBy(area) {
      area.addEventListener('click', event => {
        if (!playing) return;
        if (event.target instanceof Element && event.target.closest(PRESSED)) return pause();
        event.preventDefault();
        event.stopPropagation();
        go(1);
      }, true);
    },
    /** @param {(Choice & {group?: string})[]} choices @param {number} stop @param {number} [beside] where the second handle is, if there is one */
    draw(choices, stop, beside = -1) {
      if (!playing && stop !== now) paused = false;
      [count, now, other] = [choices.length, stop, beside];
      groups = choices.reduce((all, { group }, i) => {
        const before = all.at(-1);
        if (!group) return all;
        return before?.name === group ? [...all.slice(0, -1), { ...before, last: i }] : [...all, { name: group, first: i, last: i }];
      }, /** @type {typeof groups} */ ([]));
      element.classList.toggle('has-groups', groups.length > 0);
      stops.draw(choices.map(({ group, text, title = text, symbol }) => ({ text, symbol, title: group ? `${title} (${group})` : title })), stop);
      render();
    },
    end() {
      clearTimeout(next);
      hear[1]();
      watch.disconnect();
    },
  };
}

/** A box that a button unfolds; its links and buttons are walked by keys. @param {HTMLElement} button @param {HTMLElement} box @param {() => unknown} inside what is in it, drawn each time */
export function fold(button, box, inside) {
  const items = () => /** @type {HTMLElement[]} */ ([...box.querySelectorAll('a, button')]);
  /** @param {boolean} shown */
  function unfold(shown) {
    if (shown) into(inside(), box);
    box.hidden = !shown;
    put(button, { 'aria-expanded': String(shown) });
    if (shown) (items().find(one => one.hasAttribute('aria-current')) ?? items()[0])?.focus();
  }
  button.onclick = () => unfold(box.hidden);
  box.onkeydown = event => {
    const all = items(), at = all.indexOf(/** @type {HTMLElement} */ (focused(box)));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape') { unfold(false); button.focus(); }
    else if (event.key === 'Tab') unfold(false);
    else if (to !== undefined) {
      event.preventDefault();
      all[(to + all.length) % all.length]?.focus();
    }
  };
  /** @param {Event} event */
  const away = event => { if (!box.hidden && !event.composedPath().includes(box) && !event.composedPath().includes(button)) unfold(false); };
  document.addEventListener('pointerdown', away);
  return {
    unfold,
    /** What is done in the box shuts it. @param {() => void} act */
    does: act => () => { unfold(false); button.focus(); act(); },
    end: () => document.removeEventListener('pointerdown', away),
  };
}

/** What opens the number that is chosen in a picture. @param {() => void} act */
export const opener = act => html`<button type="button" class="enc-pill is-first" data-open @click=${act}>Open this number</button>`;

/** What shows the code of the step. @param {() => void} act */
export const coder = act => html`<button type="button" class="enc-pill" aria-haspopup="dialog" @click=${act}>Code</button>`;

/** What a link does where it is clicked plainly: any other click is the browser's. @param {() => void} act */
export const plainly = act => (/** @type {MouseEvent} */ event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  act();
};

/** A link that acts. @param {string} text @param {string} arrow @param {string} href @param {() => void} act @param {string} [key] of the page it leads to */
export const leads = (text, arrow, href, act, key) => html`<a class="enc-link" data-go=${key ?? nothing} href=${href} @click=${plainly(act)}><span>${text}</span><span aria-hidden="true"> ${arrow}</span></a>`;

/** Copies a text; whether that was allowed. @param {string} text */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // without https the clipboard is closed
    return false;
  }
}

/** @param {string} text @param {HTMLElement} button beside what has it */
async function copy(text, button) {
  button.removeAttribute('aria-label'); // what it says now is its name
  if (await copied(text)) return write(button, 'Copied');
  getSelection()?.selectAllChildren(/** @type {Element} */ (button.previousElementSibling)); // what is chosen may be copied all the same
  write(button, document.execCommand('copy') ? 'Copied' : 'Press Ctrl+C to copy what is selected');
}

/** @param {HTMLElement} root */
export const told = root => ({
  /** @param {string} name @param {[label: string, text: string, lines?: boolean][]} texts */
  show(name, texts) {
    const before = /** @type {HTMLElement | null} */ (focused(root)), dialog = el('dialog', { class: 'enc-dialog', 'aria-labelledby': 'enc-dialog-title' });
    dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
    dialog.onclose = () => { dialog.remove(); before?.focus(); };
    into(html`<h2 id="enc-dialog-title">${name}</h2><div class="enc-dialog-body">${texts.map(([label, text, lines]) => html`<section>${label ? html`<p class="enc-small">${label}</p>` : nothing}
      ${lines ? html`<pre tabindex="0" class="enc-dialog-text">${text}</pre>` : html`<p tabindex="0" class="enc-dialog-text">${text}</p>`}
      <button type="button" class="enc-pill" aria-label=${label && !lines ? `Copy ${label.toLowerCase()}` : nothing} @click=${(/** @type {{target: HTMLElement}} */ { target }) => copy(text, target)}>Copy</button></section>`)}</div>
      <button type="button" class="enc-pill" @click=${() => dialog.close()}>Close</button>`, dialog);
    root.append(dialog);
    dialog.showModal();
  },
});

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').Chosen} Chosen */

/** @param {import('./mount.js').Context} context @param {{layer?: boolean, head?: boolean}} [has] what is chosen beside it */
export function headline({ store }, { layer = true, head = true } = {}) {
  const finding = el('h1', { class: 'enc-finding', tabindex: '-1' });
  const layers = radios('layer', chosen => store.set({ layer: chosen })), heads = radios('head', chosen => store.set({ head: chosen }));
  /** @param {string} what @param {number} count */
  const counted = (what, count) => Array.from({ length: count }, (_, i) => ({ text: String(i), title: `${what} ${i}` }));
  return {
    element: el('div', { class: 'enc-headline' }, finding, ...(layer || head ? [el('div', { class: 'enc-place' }, ...(layer ? [layers.element] : []), ...(head ? [heads.element] : []))] : [])),
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

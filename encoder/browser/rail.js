// @ts-check
// The rail of stops: a row of radios on a line, and Play, which goes from stop to stop and pauses when somebody points or types.
import { el, put, write } from './dom.js';
import { radios } from './radios.js';

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
    /** @param {import('./radios.js').Choice[]} choices @param {number} stop */
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

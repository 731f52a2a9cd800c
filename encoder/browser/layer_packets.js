// @ts-check
// The packets of a level: of the whole run, of a place in it, or layer by layer, that of the chosen one and then those beside it.
// The last one asked for wins.
import { el, write } from './dom.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** A layer, a step with an index, or null for the whole run. @typedef {number | import('./store.js').Place | null} Of */

const LIGHT = 1e6; // bytes up to which those beside it are fetched beforehand

/** The row of a packet that is asked about, of those that it has: the first of these positions that is there. @param {number[]} rows @param {(string | number | undefined)[]} positions */
export const rowAmong = (rows, positions) => Math.max(0, positions.map(one => rows.indexOf(Number(one ?? -1))).find(i => i >= 0) ?? 0);

/** What stands in the place of a layer's picture while its packet is on its way, or where it cannot be had. @param {ReturnType<typeof layerPackets>} packets @param {string} what the packet has, in words */
export function layerWaits(packets, what) {
  const waiting = el('div', { class: 'at-waiting', role: 'status' }, el('span'), el('i'), el('i'), el('i'), el('i')), trouble = el('div', { class: 'at-trouble', role: 'alert' });
  const again = el('button', { type: 'button', class: 'pill', onclick: () => packets.again() }, 'Try again');
  return {
    elements: [waiting, trouble],
    /** The packet of a layer; without it `needs` are hidden. @param {Packet} run @param {number} layer @param {HTMLElement[]} needs */
    get(run, layer, needs) {
      const found = packets.get(run, layer), why = packets.why(run, layer), page = waiting.closest('section');
      // What stands below stays where it is while this one is on its way: somebody may be about to press it.
      if (page && !found && needs.some(one => !one.hidden)) page.style.minHeight = `${page.offsetHeight}px`;
      if (page && found) page.style.minHeight = '';
      waiting.hidden = Boolean(found || why);
      write(/** @type {Element} */ (waiting.firstElementChild), `Loading the ${what} of layer ${layer} …`);
      trouble.hidden = !why;
      if (why) trouble.replaceChildren(el('p', {}, why), again);
      for (const one of needs) one.hidden = !found;
      return found;
    },
  };
}

/**
 * @param {Pick<import('./mount.js').Context, 'part'>} context
 * @param {number} level
 * @param {() => void} changed something came, or did not
 */
export function layerPackets({ part }, level, changed) {
  /** @type {WeakMap<Packet, Map<string, Packet>>} */
  const all = new WeakMap();
  /** @type {{run: Packet, of: string, control: AbortController} | null} */
  let coming = null;
  /** @type {{run: Packet, of: string, why: string} | null} */
  let failed = null;

  /** @param {Packet} run */
  const known = run => {
    const there = all.get(run) ?? new Map();
    all.set(run, there);
    return there;
  };
  /** @param {Packet} run @param {Packet} found */
  const near = (run, found) => {
    const layer = /** @type {number} */ (found.about.layer);
    if (Object.values(found.arrays).reduce((sum, one) => sum + one.values.byteLength, 0) > LIGHT) return;
    for (const beside of [layer - 1, layer + 1]) {
      if (beside < 0 || beside >= run.about.model.layers || known(run).has(String(beside))) continue;
      part(level, beside).then(other => known(run).set(String(beside), other), () => null);
    }
  };
  return {
    /** The packet, which is asked for; null while it is not here. @param {Packet} run @param {Of} of */
    get(run, of) {
      const name = JSON.stringify(of), is = (/** @type {{run: Packet, of: string} | null} */ one) => one?.run === run && one.of === name;
      const found = known(run).get(name) ?? null;
      if (found || is(coming) || is(failed)) return found;
      coming?.control.abort();
      const mine = coming = { run, of: name, control: new AbortController() };
      failed = null;
      part(level, of, mine.control.signal).then(packet => {
        known(run).set(name, packet);
        if (coming !== mine) return;
        coming = null;
        if (typeof of === 'number') near(run, packet);
        changed();
      }, error => {
        if (coming !== mine) return;
        coming = null;
        failed = { run, of: name, why: error instanceof Error ? error.message : 'This did not work: try again.' };
        changed();
      });
      return null;
    },
    /** Why it is not here; "" where nothing went wrong. @param {Packet} run @param {Of} of */
    why: (run, of) => (failed?.run === run && failed.of === JSON.stringify(of) ? failed.why : ''),
    again() { failed = null; changed(); },
    end() { coming?.control.abort(); },
  };
}

// @ts-check
// The packets of a level: of the whole run, of a place in it, or layer by layer, that of the chosen one and then those beside it.
// The last one asked for wins.
import { html, nothing } from './lit.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** A layer, a step with an index, with words there, of another sentence or model, the other of two models, another model alone, or null for the whole run. @typedef {number | {other: string} | {model: string} | import('./store.js').Place & {words?: string[], other?: string, model?: string, edits?: string} | null} Of */

const LIGHT = 1e6; // bytes up to which those beside it are fetched beforehand

/** The row of a packet that is asked about, of those that it has: the first of these positions that is there. @param {number[]} rows @param {(string | number | undefined)[]} positions */
export const rowAmong = (rows, positions) => Math.max(0, positions.map(one => rows.indexOf(Number(one ?? -1))).find(i => i >= 0) ?? 0);

/**
 * What stands in the place of a layer's picture while its packet is on its way, or where it cannot be had; nothing once it is here.
 * @param {ReturnType<typeof layerPackets>} packets @param {Packet} run @param {number} layer @param {string} what the packet has, in words
 */
export function waitingFor(packets, run, layer, what) {
  const why = packets.why(run, layer);
  if (why) return html`<div class="at-trouble" role="alert"><p>${why}</p><button type="button" class="enc-pill" @click=${() => packets.again()}>Try again</button></div>`;
  return packets.get(run, layer) ? nothing : html`<div class="at-waiting" role="status"><span>Loading the ${what} of layer ${layer} …</span><i></i><i></i><i></i><i></i></div>`;
}

/** What stands below a page stays where it is while a picture of it is on its way: somebody may be about to press it. @param {HTMLElement} page @param {boolean} here */
export function steady(page, here) {
  page.style.minHeight = here || !page.offsetHeight ? '' : page.style.minHeight || `${page.offsetHeight}px`;
}

/**
 * @param {Pick<import('./mount.js').Context, 'part'>} context
 * @param {number} level
 * @param {() => void} changed something came, or did not
 */
export function layerPackets({ part }, level, changed) {
  /** @type {WeakMap<Packet, Map<string, Packet>>} */
  const all = new WeakMap();
  /** Those that are on their way beforehand. @type {WeakMap<Packet, Map<string, Promise<Packet | null>>>} */
  const ahead = new WeakMap();
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
    const layer = /** @type {number} */ (found.about.layer), going = ahead.get(run) ?? new Map();
    ahead.set(run, going);
    if (Object.values(found.arrays).reduce((sum, one) => sum + one.values.byteLength, 0) > LIGHT) return;
    for (const beside of [layer - 1, layer + 1].map(String)) {
      if (Number(beside) < 0 || Number(beside) >= run.about.model.layers || known(run).has(beside) || going.has(beside)) continue;
      going.set(beside, part(level, Number(beside)).then(other => { known(run).set(beside, other); return other; }, () => null).finally(() => going.delete(beside)));
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
      const ask = () => part(level, of, mine.control.signal);
      (ahead.get(run)?.get(name)?.then(packet => packet ?? ask()) ?? ask()).then(packet => {
        known(run).set(name, packet);
        if (typeof of === 'number') near(run, packet);
        if (coming !== mine) return;
        coming = null;
        changed();
      }, error => {
        if (coming !== mine) return;
        coming = null;
        failed = { run, of: name, why: error instanceof Error ? error.message : 'That did not work: try again.' };
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

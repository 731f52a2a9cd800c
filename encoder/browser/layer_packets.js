// @ts-check
// The packets of a level: of the whole run, of a place in it, or layer by layer, that of the chosen one and then those beside it.
// The last one asked for wins.

/** @typedef {import('./packet.js').Packet} Packet */
/** A layer, a step with an index, or null for the whole run. @typedef {number | import('./places.js').Place | null} Of */

const LIGHT = 1e6; // bytes up to which those beside it are fetched beforehand

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

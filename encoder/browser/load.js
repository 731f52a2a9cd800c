// @ts-check
// Runs by what was asked for: each is loaded once, the latest are kept, and one sentence says what went wrong.
import { PacketError, read } from './packet.js';
import { DEFAULTS } from './store.js';

/** @typedef {import('./packet.js').Packet} Packet */
/** @typedef {import('./store.js').State} State */
const KEPT = 8; // runs
const KEPT_PARTS = 16;
const BYTES = 64e6; // of runs that are kept

/** Keeps the latest, up to a number of them and of bytes. @template T @param {number} most @param {(value: T) => number} size */
function latest(most, size) {
  /** @type {Map<string, T>} */
  const kept = new Map();
  return {
    /** @param {string} key */
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) { kept.delete(key); kept.set(key, value); }
      return value;
    },
    /** @param {string} key @param {T} value */
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      let bytes = [...kept.values()].reduce((sum, one) => sum + size(one), 0);
      for (const [old, one] of kept) {
        if (kept.size <= 1 || (kept.size <= most && bytes <= BYTES)) break;
        kept.delete(old);
        bytes -= size(one);
      }
    },
  };
}

/** @param {Packet} run */
const bytes = run => Object.values(run.arrays).reduce((sum, one) => sum + one.values.byteLength, 0);

/** What makes a run. @param {State} state */
export const made = ({ sentence, second, model, hidden, edits }) => ({ sentence, second, model, hidden, edits });

/** What went wrong, for a person. @param {unknown} error */
export function inWords(error) {
  if (error instanceof PacketError) return error;
  if (error instanceof TypeError) return new Error('The server cannot be reached: check your connection and try again.');
  return error instanceof Error && error.message ? error : new Error('That did not work: try again.');
}

/** @param {() => import('./mount.js').Options} options */
export function loader(options) {
  const runs = latest(KEPT, bytes), parts = latest(KEPT_PARTS, bytes);
  /** @type {Map<string, Promise<Packet>>} */
  const beforehand = new Map();
  /** @param {State} state */
  const whole = state => JSON.stringify(made(state));
  /** Whether the guess without each head is wanted. It takes as long as eight runs, and of a changed run Start alone shows it. @param {State} state */
  const off = state => !state.edits || options().page === 'start';
  /** @param {State} state */
  const key = state => (off(state) ? whole(state) : `as it is ${whole(state)}`);
  /** @param {State} state */
  const peek = state => runs.get(whole(state)) ?? runs.get(key(state)) ?? null;

  /** @param {State} state @param {AbortSignal} [signal] */
  async function bytesOf(state, signal) {
    const { load, shipped } = options(), { sentence, second, hidden, edits, model } = state;
    const address = !second && !hidden.length && !edits && model === DEFAULTS.model ? shipped[sentence] : '';
    if (address) {
      const answer = await fetch(address, { signal }).catch(error => { if (signal?.aborted) throw error; return null; });
      if (answer?.ok) return answer.arrayBuffer();
    }
    return load({ level: 1, ...made(state), off: off(state) }, signal);
  }
  return {
    key,
    /** A run that is here already. @param {State} state */
    peek,
    /** @param {State} state @param {AbortSignal} [signal] @returns {Promise<Packet>} */
    async run(state, signal) {
      const name = key(state), there = peek(state);
      if (there) return there;
      const shared = beforehand.get(name);
      const coming = shared ?? bytesOf(state, signal).then(read).then(run => { runs.set(name, run); return run; }).catch(error => { throw inWords(error); });
      if (!signal && !shared) {
        beforehand.set(name, coming);
        coming.catch(() => null).finally(() => beforehand.delete(name));
      }
      return coming;
    },
    /** More of a run: one layer's vectors (level 2), or what another level holds. @param {State} state @param {number} level @param {import('./layer_packets.js').Of} of @param {AbortSignal} [signal] @returns {Promise<Packet>} */
    async part(state, level, of, signal) {
      const name = `${level} ${JSON.stringify(of)} ${whole(state)}`, there = parts.get(name);
      if (there) return there;
      try {
        const found = read(await options().load({ level, ...made(state), ...(typeof of === 'number' ? { layer: of } : of) }, signal));
        parts.set(name, found);
        return found;
      } catch (error) {
        throw inWords(error);
      }
    },
  };
}

// @ts-check
// Asks the server for runs and files; what goes wrong is one sentence for a person.

const WAITS = 3; // times that a server which has no room is asked again
export const NO_LINE = 'The server cannot be reached: check your connection and try again.';
const CUT = 'The answer was cut off on its way: try again.';
export const RENEWED = 'The app was renewed meanwhile, or cannot be reached: load the page again.';
/** @type {Record<number, string>} */
const SAID = { 404: RENEWED, 413: 'This is too long for one run here: shorten it.', 429: 'The server is busy: try again in a moment.' };

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
export const rest = (ms, signal) => new Promise((done, gone) => {
  const waiting = setTimeout(done, ms);
  signal?.addEventListener('abort', () => { clearTimeout(waiting); gone(signal.reason); }, { once: true });
});

/** What the server says it does not do, once it has begun to answer. */
class Refused extends Error {}

/** What the server says went wrong, or what its status means. @param {Response} answer @returns {Promise<Error>} */
async function wrong(answer) {
  const said = await answer.json().then(one => one.message, () => null);
  const usual = SAID[answer.status] ?? (answer.status >= 500 ? 'The server could not answer just now: try again.' : RENEWED);
  return new Error(typeof said === 'string' && said ? said : usual);
}

/** The server's answer, read by `take`, or an Error that says in one sentence why there is none; null asks for what lies at the address. @template T @param {string} address @param {object | null} asked @param {(answer: Response) => Promise<T>} take @param {AbortSignal} [signal] @returns {Promise<T>} */
export async function post(address, asked, take, signal) {
  for (let tried = 0; ; tried++) {
    /** @type {Response} */
    let answer;
    try {
      answer = await fetch(new URL(address, location.origin), { ...(asked && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(asked) }), signal, credentials: 'same-origin' });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Error(NO_LINE);
    }
    const after = Number(answer.headers.get('Retry-After'));
    if ((answer.status === 429 || answer.status === 503) && after > 0 && tried < WAITS) {
      await rest(1000 * Math.min(after, 5) * (0.5 + Math.random()), signal);
      continue;
    }
    if (!answer.ok) throw await wrong(answer);
    try {
      return await take(answer);
    } catch (error) {
      if (signal?.aborted || error instanceof Refused) throw error;
      throw new Error(CUT);
    }
  }
}

/** A file as the server names it. @param {Response} answer */
export async function file(answer) {
  const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1];
  if (!name) throw new Error(RENEWED); // Streamlit's own page, from a server that knows no such address
  return { name, data: await answer.blob() };
}

/** The items of a section; of long work they come after lines that say how far it is. @param {Response} answer @param {(share: number) => void} hear */
export async function items(answer, hear) {
  if (!answer.headers.get('Content-Type')?.startsWith('application/x-ndjson')) return answer.json();
  const reader = /** @type {ReadableStream<any>} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ;) {
    const { done, value } = await reader.read(), parts = (text + (value ?? '')).split('\n');
    text = parts.pop() ?? '';
    for (const { share, items: found, message } of parts.map(line => JSON.parse(line))) {
      if (found) return found;
      if (message) throw new Refused(message);
      hear(share);
    }
    if (done) throw new Error(CUT);
  }
}

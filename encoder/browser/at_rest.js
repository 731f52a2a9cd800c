// @ts-check
// What is chosen, said to who cannot see once it rests: not what a page opens on, and not each of many in a row.

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

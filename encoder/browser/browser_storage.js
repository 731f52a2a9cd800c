// @ts-check
// What a browser keeps for the app. In a frame of another site it may keep nothing: then the open page remembers.

/** @returns {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} */
function remembered() {
  /** @type {Map<string, string>} */
  const here = new Map();
  return {
    getItem: name => here.get(name) ?? null,
    setItem: (name, text) => void here.set(name, text),
    removeItem: name => void here.delete(name),
  };
}

/** A storage of the browser, or what stands in for it. @param {() => Storage} storage */
export function keptIn(storage) {
  try {
    return storage();
  } catch {
    return remembered();
  }
}

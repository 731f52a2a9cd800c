// @ts-check
// What is asked: a component of its own, so that another question sends the question alone, not all weights again.
export default function (/** @type {any} */ { data }) {
  /** @type {any} */
  const shared = globalThis;
  shared.askAWord ||= new EventTarget();
  shared.askAWord.latest = data;
  shared.askAWord.dispatchEvent(new Event('question'));
}

// @ts-check
// One layer of the living map, unfolded: a component of its own, so that choosing a layer sends that layer alone.
export default function (/** @type {any} */ { data }) {
  /** @type {any} */
  const shared = globalThis;
  shared.livingMap ||= new EventTarget();
  shared.livingMap.latest = data;
  shared.livingMap.dispatchEvent(new Event('layer'));
}

// @ts-check
// Hands what the server shows to the browser's code, and what is chosen there to the server.

import { leaveFor, showClass, tellClass } from './class_screen.js';
import { showLesson } from './lesson_screen.js';
import { file, post } from './post.js';

/** @typedef {(kind: 'go' | 'set', said: object) => void} Act */
/** @typedef {{drawBar: (root: HTMLElement, shown: object, act: Act) => () => void, drawPlace: (root: HTMLElement, shown: object, act: Act) => () => void, takePictures: (pictures: object[], query: Record<string, string>) => void} & import('./class_screen.js').Classes & import('./lesson_screen.js').Lessons} Front */
/** @typedef {{script: string, part: string, run?: string, query?: [string, string][], page?: string, pages?: {key: string, address: string}[], classes?: string, lesson?: string, code?: string, pictures?: object[]}} Told */

/** What ends each of them. @type {WeakMap<HTMLElement, () => void>} */
const ends = new WeakMap();

/** What each of them shows: browsers end two waits for one script in any order. @type {WeakMap<HTMLElement, Told>} */
const shown = new WeakMap();

/** @param {ComponentArguments<Told>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.around'));
  shown.set(root, data);
  import(new URL(data.script, location.origin).href).then((/** @type {Front} */ front) => {
    if (!root.isConnected || shown.get(root) !== data) return;
    const query = Object.fromEntries(data.query ?? []);
    if (data.part === 'class') {
      const at = (/** @type {string} */ key) => data.pages?.find(one => one.key === key)?.address;
      return showClass(root, {
        page: data.page ?? '', drawn: false, code: data.code ?? '', address: at('class') ?? '', query: () => query,
        show(key, query) {
          const to = at(key);
          if (to !== undefined) leaveFor(to, query);
        },
      }, data.classes ?? '', front);
    }
    if (data.part === 'lesson') {
      return showLesson(root, {
        page: data.page ?? '', drawn: false, query: () => query, put() {}, draw() {},
        show(key, query) {
          const to = data.pages?.find(one => one.key === key)?.address;
          if (to !== undefined) leaveFor(to, query);
        },
        answered: (lesson, at) => setTriggerValue('set', { lesson, at }),
      }, data.lesson ?? '', front);
    }
    if (data.part === 'save') return front.takePictures(data.pictures ?? [], query);
    const draw = data.part === 'place' ? front.drawPlace : front.drawBar;
    ends.set(root, draw(root, {
      ...data, query, load: (/** @type {object} */ asked, /** @type {AbortSignal | undefined} */ signal) => post(data.run ?? '', asked, answer => answer.arrayBuffer(), signal),
      file: (/** @type {string} */ address, /** @type {AbortSignal | undefined} */ signal) => post(address, null, file, signal),
    }, (kind, said) => {
      tellClass('chose');
      setTriggerValue(kind, said);
    }));
  });
  // A run that was overtaken by the next one ends late: what that one draws stays.
  return () => {
    if (root.isConnected) return;
    ends.get(root)?.();
    ends.delete(root);
  };
}

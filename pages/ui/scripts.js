// @ts-check
// The scripts of all components as one, which a browser gets once. A component whose script has not arrived waits in a line;
// from then on each begins at once, by its name.
import around from '../front/around.js';
import kit from './components/kit.js';
import arrival from './frame/arrival.js';
import model_parts from '../models/model_parts.js';
import model_rows from '../models/model_rows.js';
import reconnect from './reconnect.js';

/** @type {any} */
const shared = globalThis;
shared.componentScripts = new Map(Object.entries({
  around, arrival, kit, model_parts, model_rows,
}));
/** @type {(() => void) | null} */
let end = null;

/** @param {ComponentArguments<unknown>} given */
export default function (given) {
  (shared.componentsWaiting ||= []).splice(0).forEach((/** @type {() => void} */ begin) => begin());
  end ||= reconnect(given); // draws nothing, and watches over every page
  return () => {
    end?.();
    end = null;
  };
}

// @ts-check
// The class of a tab on the page that it shows now: the browser's code for it comes where a tab is in one.

import { post } from './post.js';

/** @typedef {import('../../encoder/browser/in_class.js').Screen} Screen */
/** What of the browser's code is used. @typedef {{inAClass: () => boolean, classOf: () => Promise<{inClass: typeof import('../../encoder/browser/in_class.js').inClass}>}} Classes */

/** Draws it, where there is one. @param {HTMLElement | null} host @param {Screen} screen @param {string} address that of its routes @param {Classes} front */
export function showClass(host, screen, address, front) {
  const there = /** @type {{encoderClass?: object}} */ (globalThis).encoderClass;
  if (!there && screen.page !== 'class' && !screen.code && !front.inAClass()) return;
  front.classOf().then(found => {
    if (!host?.isConnected) return;
    found.inClass(host, screen, {
      ask: (act, said, take = answer => answer.json()) => post(`${address}/${act}`, said, take),
      events: `${address}/events`,
    });
  }, () => null);
}

/** Somebody chose something here, or what is shown has changed: a class hears of it, where there is one. @param {'chose' | 'changed'} what */
export function tellClass(what) {
  const there = /** @type {{encoderClass?: Record<string, () => void>}} */ (globalThis).encoderClass;
  there?.[what]();
}

/** Leads to a page by its address, as Back does: the server draws what that asks for. @param {string} address @param {Record<string, string>} query */
export function goTo(address, query) {
  const search = new URLSearchParams(query).toString();
  history.pushState(history.state, '', address + (search && `?${search}`));
  window.dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
}

const LONGEST = 3000; // ms for a run to end

/** Leads from a page of the server to another one as soon as the run that draws it has ended: the address that it still writes would be taken for that of the other page. @param {string} address @param {Record<string, string>} query */
export function leaveFor(address, query) {
  const app = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid=stApp]')), begun = performance.now();
  const leave = () => {
    if (app?.dataset.testScriptState === 'running' && performance.now() - begun < LONGEST) setTimeout(leave, 50);
    else goTo(address, query);
  };
  leave();
}

// @ts-check
// The picture of a page as it stands on the screen, to be kept: no script is in it, and nothing of it is asked of a server.

import { themeOf } from './dom.js';

/** What stands beside a picture, to choose and to go on by. */
const BESIDE = '.enc-trouble, .enc-skeleton, .enc-note, .enc-reading, .enc-place, .rail, .at-tools, .enc-links, .enc-unfold, .enc-walk, .more, .enc-pill, .enc-link, details, input, select, textarea';

/** @typedef {{picture: string, styles: string[]}} Still a picture, and the styles that it wears */

/** Rules that hold on this screen, whatever the size of the one where they are read. @param {CSSRuleList} rules @returns {string} */
const holding = rules => [...rules].map(rule => (!(rule instanceof CSSMediaRule) ? rule.cssText : matchMedia(rule.conditionText).matches ? holding(rule.cssRules) : '')).join('\n');

/** @param {HTMLElement} front a page that the browser draws @returns {Still | null} */
export function still(front) {
  const main = /** @type {HTMLElement | null} */ (front.querySelector('.enc-main')), within = front.getRootNode();
  if (!main?.checkVisibility() || !(within instanceof ShadowRoot || within instanceof Document)) return null;
  const copy = /** @type {HTMLElement} */ (main.cloneNode(true)), copies = [...copy.querySelectorAll('*')];
  [...main.querySelectorAll('*')].forEach((one, i) => {
    if (one instanceof HTMLCanvasElement) copies[i].replaceWith(drawn(one));
    else if (one.matches(BESIDE) || (!(one instanceof SVGElement) && !one.checkVisibility())) copies[i].remove();
  });
  const frame = document.createElement('div');
  frame.append(copy);
  frame.className = 'enc';
  frame.inert = true;
  frame.dataset.theme = themeOf(getComputedStyle(front).backgroundColor);
  frame.style.width = `${main.offsetWidth}px`;
  frame.style.setProperty('--wide', String(main.offsetWidth));
  copy.style.padding = '8px';
  return { picture: frame.outerHTML.replace(/<!--.*?-->/g, ''), styles: within.adoptedStyleSheets.map(({ cssRules }) => holding(cssRules)) };
}

/** @param {HTMLCanvasElement} canvas */
function drawn(canvas) {
  const image = document.createElement('img'), { position, inset, width, height, margin } = getComputedStyle(canvas);
  Object.assign(image.style, { position, inset, width, height, margin });
  image.src = canvas.toDataURL();
  return image;
}

const LETTERS = /"Source Sans".*font-style: normal.*url\("([^"]+)"\)/;

/** The letters of the pages, as a style that holds them: without them lines are longer than they were. Empty where they cannot be had. @returns {Promise<string>} */
export async function letters() {
  for (const sheet of document.styleSheets) for (const rule of sheet.href && !sheet.href.startsWith(location.origin) ? [] : sheet.cssRules) {
    const address = rule instanceof CSSFontFaceRule && LETTERS.exec(rule.cssText)?.[1];
    if (!address) continue;
    const file = await fetch(new URL(address, sheet.href ?? location.href)).then(answer => answer.blob()).catch(() => null), reader = new FileReader();
    if (!file) break;
    return new Promise(done => { reader.onload = () => done(rule.cssText.replace(address, String(reader.result))); reader.readAsDataURL(file); });
  }
  return '';
}

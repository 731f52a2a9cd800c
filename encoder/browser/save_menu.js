// @ts-check
// What can be taken along of the picture that is shown: its link, files, lines of code and words.
import { copied, fold, told } from './controls.js';
import { el, focused, write } from './dom.js';
import { html, nothing, render as into } from './lit.js';

/** A picture that is shown: its key, the parameters of a link to it, and how it is called. @typedef {{picture: string, query: Record<string, string>, name: string}} Kept */
/** What the server says of it; `note` names letters that it draws as boxes.  @typedef {{title: string, caption: string, alt: string, code: string, formats: string[], note: string}} About */
/** Gives a file of a picture; rejects with an Error whose message is one plain sentence. @typedef {(asked: {picture: string, format: string, query: Record<string, string>, size?: string}, signal?: AbortSignal) => Promise<{name: string, data: Blob}>} Keep */
/** @typedef {'link' | 'svg' | 'png' | 'pdf' | 'csv' | 'json' | 'code' | 'words' | 'npz' | 'zip' | 'page'} Key */

/** @type {readonly (readonly [Key, string])[]} */
const ENTRIES = [
  ['link', 'Copy link'], ['svg', 'Picture as SVG'], ['png', 'Picture as PNG'], ['pdf', 'Picture as PDF'], ['csv', 'Numbers as CSV'],
  ['json', 'Numbers as JSON'], ['code', 'Code in Python'], ['words', 'Caption and alt text'],
  ['npz', 'The whole run, for numpy'], ['zip', 'This layer, as tables'], ['page', 'A page of its own'],
];
const SIZES = [['shown', 'As shown', '190 mm'], ['one', 'One column', '85 mm'], ['two', 'Two columns', '180 mm']]; // of what is drawn
const DRAWN = ['svg', 'png', 'pdf'];
const RUN = 'run'; // in the place of a picture's key: the whole run
const PAGE = 'page'; // a file that draws itself, with what is chosen
const OF_RUN = ['npz', 'zip', PAGE];
const MAKES_RUN = ['sentence', 'second', 'model', 'layer', 'hidden', 'edits']; // of what is chosen
const LONGEST = 4000; // characters of a link that a file can hold
const FETCHED = 60_000; // ms after which a file that was saved need not be kept

/** Has the browser save a file. @param {{name: string, data: Blob}} file */
export function saved({ name, data }) {
  const href = URL.createObjectURL(data);
  el('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), FETCHED);
}

/** @param {HTMLElement} root @param {import('./mount.js').Context} context */
export function keep(root, context) {
  const button = el('button', { type: 'button', class: 'enc-pill enc-keep', 'aria-haspopup': 'menu', 'aria-expanded': 'false' }, 'Save');
  const box = el('div', { class: 'enc-keep-box', hidden: true }), said = el('p', { class: 'enc-kept', role: 'status' });
  const dialog = told(root), gone = new AbortController();
  let known = /** @type {{of: string, about: Promise<About>}} */ ({ of: '' });
  const list = fold(button, box, () => { chosen = 0; look(); return entries(); });
  button.onkeydown = event => {
    if (event.key !== 'ArrowDown' || !box.hidden) return;
    event.preventDefault();
    list.unfold(true);
  };
  /** What is offered, and what is said of it. @type {Kept | null} */
  let kept = null;
  /** @type {About | null} */
  let found = null;
  let waits = '', size = SIZES[0][0], chosen = 0; // the place of a picture, where there are several

  /** What can be taken along of the page: one picture, or several. */
  const offered = () => context.pictures();
  const mine = () => offered()[chosen] ?? offered()[0] ?? null;

  /** What is said of a picture, asked once. @param {Kept} kept */
  function about(kept) {
    const of = JSON.stringify([kept.picture, kept.query]);
    if (known.of !== of) known = { of, about: fetched(kept, 'about').then(({ data }) => data.text()).then(text => JSON.parse(text)) };
    known.about.catch(() => { known = /** @type {typeof known} */ ({ of: '' }); });
    return known.about;
  }
  /** @param {Kept} kept @param {string} format */
  function fetched({ picture, query }, format) {
    const { keep: ask } = context.options();
    return ask ? ask({ picture, query, format, ...(DRAWN.includes(format) ? { size } : {}) }, gone.signal) : Promise.reject(new Error('There is no server here to ask.'));
  }

  /** Looks what there is. */
  function look() {
    const { keep: ask } = context.options(), now = mine();
    [kept, found, waits] = [now, null, now && ask ? 'Finding what can be saved …' : ''];
    write(said, '');
    const tell = (/** @type {About | null} */ about, says = '') => {
      if (box.hidden || kept !== now) return;
      [found, waits] = [about, says];
      if (!renew()) into(entries(), box);
    };
    if (now && ask) about(now).then(tell, error => tell(null, error.message));
  }
  /** Looks again where another picture is shown meanwhile, and says whether; the menu stays open, and what has the keys in it. */
  function renew() {
    if (box.hidden || JSON.stringify(mine()) === JSON.stringify(kept)) return false;
    const within = box.contains(focused(box));
    look();
    into(entries(), box);
    if (within && !box.contains(focused(box))) box.querySelector('button')?.focus();
    return true;
  }
  /** Whether there is an entry. @param {Key} key */
  function has(key) {
    if (OF_RUN.includes(key)) return context.options().keep && context.run() && (found || !kept);
    return key === 'link' || (key === 'code' ? found?.code : key === 'words' ? found : found?.formats.includes(key));
  }
  /** The pictures, where there are several. */
  const names = () => (offered().length < 2 ? nothing : html`<div role="group" aria-label="Picture">${offered().map(({ name }, i) => html`
    <button type="button" role="menuitemradio" tabindex="-1" aria-checked=${i === chosen} @click=${() => { chosen = i; look(); into(entries(), box); }}>${name}</button>`)}</div>`);
  const entries = () => html`<p class="enc-keep-name" id="enc-keep-name">${offered().length < 2 ? kept?.name : 'Which picture?'}</p>
    <div role="menu" aria-labelledby="enc-keep-name">${names()}${ENTRIES.map(([key, text]) => (has(key) ? html`<button type="button" role="menuitem" tabindex="-1" data-keep=${key} @click=${list.does(() => act(key))}>${text}</button>${key === 'pdf' ? widths() : nothing}` : nothing))}</div>
    <p class="enc-keep-waiting" role="status">${waits || (found && has('svg') ? found.note : '')}</p>`;
  /** How wide a picture is saved. */
  const widths = () => html`<div role="group" class="enc-keep-size" aria-label="Width of a picture">${SIZES.map(([key, text, wide]) => html`<button type="button" role="menuitemradio" tabindex="-1" aria-checked=${key === size} data-size=${key} title=${wide} @click=${() => { size = key; into(entries(), box); }}>${text}</button>`)}</div>`;
  /** @param {Key} key */
  async function act(key) {
    try {
      if (key === 'link') await link();
      else if (key === PAGE) await page();
      else if (OF_RUN.includes(key)) await save({ picture: RUN, query: Object.fromEntries(Object.entries(context.store.query()).filter(([name]) => MAKES_RUN.includes(name))), name: '' }, key);
      else if (!kept || !found) return;
      else if (key === 'code') code(found);
      else if (key === 'words') dialog.show(found.title, [['Caption', found.caption], ['Alt text', found.alt]]);
      else await save(kept, key);
    } catch (error) {
      if (!gone.signal.aborted) write(said, error instanceof Error ? error.message : 'That did not work: try again.');
    }
  }
  async function link() {
    const text = context.store.link();
    if (await copied(text)) write(said, 'The link is copied.');
    else dialog.show('Link', [['', text]]);
  }
  /** What is on the screen as a file that draws itself, and the line that sets it into another page. */
  async function page() {
    const query = context.store.query(), link = context.store.link();
    const name = await save({ picture: RUN, query: { ...query, page: context.options().page, ...(link.length > LONGEST ? {} : { link }) }, name: '' }, PAGE);
    dialog.show('A page of its own', [[
      `${name} opens from a disk and asks no server. To set it into a page of a course, put it beside that page and copy this line into it.`,
      `<iframe src="${name}" title="What an encoder does with a sentence" sandbox="allow-scripts" style="width: 100%; height: 900px; border: 0"></iframe>`, true,
    ]]);
  }
  /** @param {About} found */
  const code = found => dialog.show('Code in Python', [['It runs by itself and prints the numbers of this picture.', found.code, true]]);
  /** @param {Kept} kept @param {string} format */
  async function save(kept, format) {
    write(said, OF_RUN.includes(format) ? 'Making the file …' : `Making the ${format.toUpperCase()} …`);
    const file = await fetched(kept, format);
    saved(file);
    write(said, `Saved as ${file.name}.`);
    return file.name;
  }
  const away = () => { if (!said.textContent?.endsWith('…')) write(said, ''); };
  document.addEventListener('pointerdown', away);

  return {
    element: el('div', { class: 'enc-keep-part' }, button, box, said),
    /** Shows the lines that make the numbers of the picture. */
    async code() {
      const kept = offered()[0];
      if (!kept) return;
      write(said, 'Fetching the lines …');
      await about(kept).then(found => { write(said, ''); code(found); }, error => write(said, error.message));
    },
    renew,
    draw() { button.hidden = Boolean(context.options().closed) || !context.options().keep; },
    end() {
      gone.abort();
      list.end();
      document.removeEventListener('pointerdown', away);
    },
  };
}

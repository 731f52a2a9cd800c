// @ts-check
// The tokens as buttons: a tap presses one, another lets it go, and the page is told which are pressed.
import { moved } from './cells.js';

/** @param {ComponentArguments<{ label: string, tokens: string[], pressed: number[] }>} given */
export default function ({ data, parentElement, setTriggerValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector('.buttons'));
  if (root.dataset.tokens !== JSON.stringify(data.tokens)) {
    root.dataset.tokens = JSON.stringify(data.tokens);
    const label = Object.assign(document.createElement('p'), { id: 'label', textContent: data.label });
    root.setAttribute('aria-labelledby', label.id);
    root.replaceChildren(label, ...data.tokens.map((token, i) => {
      const button = Object.assign(document.createElement('button'), { type: 'button', tabIndex: i ? -1 : 0 });
      button.append(`${i} `, Object.assign(document.createElement('bdi'), { textContent: token }));
      return button;
    }));
  }
  const buttons = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll('button')]);
  buttons.forEach((button, i) => {
    button.ariaPressed = String(data.pressed.includes(i));
    button.onclick = () => {
      button.ariaPressed = String(button.ariaPressed !== 'true');
      setTriggerValue('picked', buttons.flatMap((one, at) => (one.ariaPressed === 'true' ? [at] : [])));
    };
  });
  root.onkeydown = event => {
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.composedPath()[0]));
    const to = moved([0, at], event.key, 1, buttons.length);
    if (at < 0 || !to || event.key === 'ArrowUp' || event.key === 'ArrowDown') return;
    buttons[at].tabIndex = -1; // one of them takes part in tabbing
    buttons[to[1]].tabIndex = 0;
    buttons[to[1]].focus();
    event.preventDefault();
    event.stopPropagation();
  };
}

"""How much there is to click on a page and how long it is, as scripts, and the windows that it is looked at in.

A group of radios counts once, and a field with the two buttons that step it; words and cells of pictures do not. The
first picture is on Lessons the first of them, on A class the field for its code.
"""

from playwright.sync_api import ViewportSize

SIZES: tuple[ViewportSize, ...] = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})
CONTROLS = """() => {
  const seen = new Set()
  const below = one => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]
  const all = root => [...root.querySelectorAll('*')].flatMap(below)
  for (const one of all(document)) {
    if (!one.matches('a[href], button, input, select, textarea, summary, [role=tab], [role=button], [role=radio], ' +
      '[role=slider], [role=combobox], [role=menuitem], [role=switch], [tabindex="0"][role]')) continue
    if (one.matches('[data-word], [data-cell], [data-number], [data-head-row], [data-head-map], .word')) continue
    if (one.matches('canvas, .heads button, [data-part], [data-box]')) continue
    if (one.closest('.sh section, .hd-phenomena')) continue
    const box = one.getBoundingClientRect()
    const inside = box.bottom > 0 && box.top < innerHeight && box.left < innerWidth && box.right > 0
    if (!inside || !box.width || !box.height || one.disabled) continue
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
    seen.add(one.closest('[role=radiogroup], [data-testid=stNumberInput]') || one.closest('label') || one)
  }
  return seen.size
}"""
SCREENS = "() => document.querySelector('[data-testid=stMain]').scrollHeight / innerHeight"
PICTURE = """() => Math.min(9999, ...[...document.querySelectorAll(
    '[data-testid=stMain] :is(.main-svg, canvas, .tokens, [data-testid=stDataFrame], .st-key-ask, .st-key-learning), ' +
    '[data-testid=stMain] :is(.st-key-board, .st-key-grammar, .st-key-atlas_contexts, .true-size)'),
  ...[...document.querySelectorAll('[data-testid=stMain] *')]
    .flatMap(one => [...(one.shadowRoot?.querySelectorAll(
      '.picture-canvas, .enc-words, .hd-here, .hd-grid, .bars, .cv-canvas, .wi-bars, .board, ' +
      '.sh-card, .cc-stage, .vs-canvas, .an-stack, .ou-scroll, .ws-words, .tr, .enc-class-card, .areas') ?? [])])]
  .filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().top))"""
SIDEWAYS = """() => {
  const main = document.querySelector('[data-testid=stMain]'), { scrollWidth, clientWidth } = document.documentElement
  return Math.max(scrollWidth - clientWidth, main.scrollWidth - main.clientWidth)
}"""
STEADY = """() => {
  const now = `${document.querySelectorAll('*').length} ${document.querySelector('[data-testid=stMain]').scrollHeight}`
  globalThis.same = now === globalThis.last ? (globalThis.same ?? 0) + 1 : 0
  globalThis.last = now
  return globalThis.same > 4
}"""

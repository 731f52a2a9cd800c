"""Sections below a picture that the browser draws: open one, wait for it, and read the numbers of its charts."""

import base64
from typing import Any

import numpy as np
from playwright.sync_api import Locator, Page, expect

FIGURE = """plot => {
  const listed = values => [...values].map(one => one?.length ? [...one] : one)
  const packed = ({ dtype, bdata, shape }) => ({ dtype, bdata, shape })
  const unpacked = values => values.bdata ? packed(values) : listed(values)
  return plot.data.map(({ type, x, y, z }) => ({ type, ...z ? { z: unpacked(z) } : { y: unpacked(y) } }))
}"""


def section(page: Page, title: str) -> Locator:
    return page.locator(".more-section").filter(
        has=page.get_by_role("button", name=title, exact=True, include_hidden=True)
    )


def reach(page: Page, title: str) -> Locator:
    """The button of a section, once the heading is open under which it stands."""
    closed = page.locator(".more-group:not([open])").filter(has_text=title)
    for one in closed.all():
        one.locator("summary").click()
    return page.get_by_role("button", name=title, exact=True)


def unfold(page: Page, title: str) -> Locator:
    """A section, once it has come."""
    one = section(page, title)
    reach(page, title)
    one.get_by_role("button", name=title, exact=True).click()
    settle(one)
    return one


def settle(one: Locator) -> None:
    expect(one.locator(".more-pieces > *").first).to_be_attached()
    expect(one.locator(".more-body[aria-busy]")).to_have_count(0)


def numbers(one: Locator, axis: str = "z", at: int = 0) -> np.ndarray:
    """What a chart in a section draws."""
    plot = one.locator(".js-plotly-plot").nth(at)
    expect(plot.locator(".main-svg").first).to_be_visible()
    values: Any = plot.evaluate(FIGURE)[0][axis]
    if isinstance(values, list):
        return np.array(values, dtype=float)
    flat = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    return flat.reshape([int(size) for size in values.get("shape", str(flat.size)).split(",")])

"""A picture is of the sentence that is asked for: after another sentence, model or layer it is as if opened anew."""

from typing import Any

import pytest
from made_once import packet
from mounted import FRANCE, KEYS, Mounted
from playwright.sync_api import Page, expect
from shared_models import pretrained
from tiers import mostly_nightly

# What is painted and written on a page, once two frames and what was asked for are past.
TEXTS = ".op-sum, .an-line, .vs-worked, .row-table, h1"
SEEN = f"""() => [...document.querySelectorAll('.enc-page canvas')].map(one => one.toDataURL()).concat(
  [...document.querySelectorAll('.enc-page :is({TEXTS})')].map(one => one.textContent))"""
PAGES = ("embedding", "attention", "add_norm", "feed_forward", "output", "heads")


def of_model(asked: dict[str, Any]) -> bytes:
    return packet(pretrained(asked["model"]), asked)


def seen(page: Page) -> list[str]:
    """What is on the page once it stays as it is."""
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    before: list[str] = []
    for _ in range(40):
        page.wait_for_timeout(150)
        now: list[str] = page.evaluate(SEEN)
        if now == before and not page.locator("[aria-busy=true], .at-waiting, .ou-waiting").count():
            return now
        before = now
    raise AssertionError("the page does not come to rest")


@pytest.mark.parametrize("key", mostly_nightly(PAGES, ["output"]))
def test_after_another_sentence_and_model_a_page_is_as_if_opened_with_them(mounted: Mounted, key: str) -> None:
    at = {"layer": 2, "head": 1}
    page = mounted(key, of_model, first={"sentence": KEYS, **at})
    first = seen(page)
    for changes in ({"sentence": FRANCE, **at}, {"model": "small", **at}):
        page.evaluate("changes => window.store.set(changes)", changes)
        now, state = seen(page), page.evaluate("window.store.query()")
        assert now != first
        fresh = {name: state[name] for name in ("sentence", "model") if name in state}
        chosen = {name: int(state[name]) for name in ("layer", "head", "word") if name in state}
        other = mounted(key, of_model, first={**fresh, **chosen}, models=["base", "small"], apart=True)
        assert now == seen(other), changes

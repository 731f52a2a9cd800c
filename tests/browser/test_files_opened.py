"""Files that were taken along, opened in a browser: nothing in them runs, asks anything or fetches a thing."""

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import pytest
from browser_tools import open_page, save
from nasty import CANARY, SCRIPTS, SHORT, as_sent
from playwright.sync_api import Browser, Dialog, Page, Request
from tiny import TINY, tiny_model
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Split

from encoder import TextEncoder
from encoder.browser.cell import cell
from encoder.trace.trace import Source

BETWEEN = "\uf8ff"
WORDS = [text for text in map(as_sent, SHORT) if text.strip() and BETWEEN not in text]
LOUD = """() => [window.canary ?? null, document.querySelectorAll('iframe, object, embed, base, form').length,
  [...document.querySelectorAll('*')].flatMap(one => [...one.attributes])
    .filter(one => one.name.startsWith('on') || /^\\s*javascript:/i.test(one.value)).map(one => one.name)]"""


def opened(browser: Browser, path: Path) -> tuple[list[str], list[str], list[object]]:
    """What a file asks for once it is open, what it asks the person, and what in it could run."""
    requests: list[Request] = []
    asked: list[str] = []

    def refused(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    with browser.new_context() as context:
        context.on("request", lambda request: requests.append(request))
        page = context.new_page()
        page.on("dialog", refused)
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.goto(path.as_uri(), wait_until="networkidle")
        for box in page.locator("summary, a").all()[:5]:
            box.click(timeout=2000, force=True) if box.is_visible() else None
        loud = page.evaluate(LOUD)
        assert len(context.pages) == 1
    fetched = [one.url for one in requests if one.url.partition("#")[0] != path.as_uri()]
    return [url for url in fetched if not url.startswith("data:")], asked, loud


@pytest.fixture(scope="module")
def strange() -> TextEncoder:
    """A model whose words are everything that breaks things."""
    named = ["[PAD]", "[UNK]", "[MASK]", *dict.fromkeys(WORDS)]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(named)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Split(BETWEEN, "removed")
    config = replace(TINY, vocab_size=len(named), n_layers=1, max_positions=200, mlm_head=True)
    name = f"</title><script>{CANARY}</script>"
    return TextEncoder(tiny_model(config), tokenizer, Source(name, "0" * 12, origin=name))


@pytest.mark.nightly
def test_a_living_file_of_words_that_break_things_runs_and_fetches_nothing(
    browser: Browser, strange: TextEncoder, tmp_path: Path
) -> None:
    path = tmp_path / "run.html"
    trace = strange.trace(BETWEEN.join([*SCRIPTS, *WORDS[:60]]))
    cell([(strange, trace)], numbers=[0]).save(path)
    assert opened(browser, path) == ([], [], [None, 0, []])


@pytest.mark.nightly
def test_a_picture_of_words_that_break_things_runs_and_fetches_nothing(
    page: Page, app_url: str, browser: Browser, tmp_path: Path
) -> None:
    asked = {"lab": "Rollout", "sentence": " ".join(SCRIPTS[:6])}
    open_page(page, f"{app_url}/lessons?{urlencode(asked)}")
    path = tmp_path / "picture.svg"
    path.write_bytes(save(page, "Picture as SVG", "Rollout up to layer 5")[1])
    assert "&lt;script&gt;" in path.read_text(encoding="utf-8")
    assert opened(browser, path) == ([], [], [None, 0, []])


def test_the_check_sees_what_runs_and_what_is_fetched(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "loud.html"
    path.write_text(f"<img src=http://127.0.0.1:9/x.png onload=x()><script>{CANARY};alert(1)</script><iframe></iframe>")
    assert opened(browser, path) == (["http://127.0.0.1:9/x.png"], ["1"], [1, 1, ["onload"]])

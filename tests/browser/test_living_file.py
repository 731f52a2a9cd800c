"""A living file from disk and in a sandboxed frame: what it says, draws and switches is the trace of its runs."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browser_tools import barriers, problems, watch
from made_once import level_1
from mounted import random_model
from playwright.sync_api import Browser, FrameLocator, Page, Request, expect
from shared_models import pretrained

from encoder import Edit, TextEncoder, Trace
from encoder.browser.__main__ import main
from encoder.browser.cell import cell as living_cell
from encoder.browser.held import MOST, held
from encoder.browser.living import living_file
from encoder.browser.page_table import PAGES
from encoder.packet.run import level_2

KEYS, KEY = "The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table."
WIDE, TIRED = (f"The animal didn't cross the street because it was too {how}." for how in ("wide", "tired"))
FRAME = """text => {
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts'
  frame.srcdoc = text
  frame.style = 'width: 1200px; height: 860px; border: 0'
  document.body.append(frame)
}"""
LAYERS_OF = {KEYS: range(6), KEY: (5,)}  # those that the file with vectors holds
HALF_STEP = 0.5 / 65534
Place = Page | FrameLocator
Opens = Callable[[Path], Page]


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    return pretrained("base")


@pytest.fixture(scope="module")
def run(encoder: TextEncoder) -> Any:
    """A run by its sentence and the head that is off, recomputed here."""

    @cache
    def traced(sentence: str, off: tuple[int, int] | None = None) -> Trace:
        edits = [Edit(f"layers.{off[0]}.attention.heads", "zero", heads=(off[1],))] if off else []
        return encoder.trace(sentence, edits=edits)

    return traced


@pytest.fixture(scope="module")
def file(encoder: TextEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("living") / "run.html"
    packets = [[level_1(encoder, encoder.trace(one))] for one in (KEYS, KEY, WIDE, TIRED)]
    path.write_text(living_file(packets, "Runs </script><b>& more"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def disk(browser: Browser) -> Iterator[Page]:
    """A tab for files."""
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        page = context.new_page()
        watch(page)
        yield page


@pytest.fixture
def opens(disk: Page) -> Iterator[Opens]:
    """Opens a file from disk; the test fails where an error, or a request besides the file itself, happened."""
    asked: list[str] = []
    files: list[str] = []

    def hear(request: Request) -> None:
        asked.append(request.url)

    def open_file(path: Path) -> Page:
        files.append(path.as_uri())
        disk.goto(path.as_uri())
        disk.locator("h1:not(:empty)").wait_for()
        return disk

    disk.on("request", hear)
    yield open_file
    disk.remove_listener("request", hear)
    assert problems(disk) == []
    assert set(asked) == set(files)
    disk.set_viewport_size({"width": 1440, "height": 900})
    disk.emulate_media(color_scheme="light")


@pytest.fixture
def opened(opens: Opens, file: Path) -> Page:
    return opens(file)


def text(place: Place, selector: str) -> str:
    return " ".join((place.locator(selector).text_content() or "").split()).replace("\u2212", "-")


def shares(place: Place) -> dict[int, float]:
    """By position the share that each word stands for."""
    found = place.locator("[data-word]").evaluate_all("all => all.map(one => [+one.dataset.word, +one.dataset.share])")
    return {position: share for position, share in found}


def agree(place: Place, trace: Trace, layer: int, head: int, word: int) -> None:
    """The shares of the words are those of the trace, and arcs go to them."""
    row = trace[f"layers.{layer}.attention.weights"][head, word]
    found = shares(place)
    assert len(found) == len(trace.tokens) - 2  # all but [CLS] and [SEP]; each of these words is one token
    assert found == pytest.approx({position: row[position].item() for position in found}, abs=HALF_STEP + 1e-7)
    drawn = place.locator(".enc-arcs path").evaluate_all("all => all.map(one => +one.dataset.to)")
    assert drawn and {*drawn} <= {*found} - {word}


def bars_agree(place: Place, encoder: TextEncoder, trace: Trace, without: Trace | None = None) -> None:
    """Bars are the shares of the guess at the gap, marks those with every head on."""
    gap = trace.tokens.index("[MASK]")
    now = (without or trace)["mlm.probabilities"][gap]
    bars = place.locator("[data-guess]").evaluate_all(
        "all => all.map(one => [one.dataset.guess, +one.dataset.share, one.querySelector('b')?.style.insetInlineStart])"
    )
    assert len(bars) == 3
    for word, share, mark in bars:
        token = encoder.tokenizer.token_to_id(word)
        assert share == pytest.approx(now[token].item(), abs=1e-5)
        before = 100 * trace["mlm.probabilities"][gap][token].item()
        assert without is None or float(mark.rstrip("%")) == pytest.approx(before, abs=1e-3)


def test_the_file_from_disk_says_what_the_run_shows(opened: Page, encoder: TextEncoder, run: Any) -> None:
    assert opened.title() == "Runs </script><b>& more"
    assert text(opened, "h1") == "After “cabinet”, why does the model say “are”?"
    agree(opened, run(KEYS), 5, 6, 6)
    assert text(opened, "[data-claim]").startswith("Two small parts of the model, heads 4.1 and 5.6, pass on")
    bars_agree(opened, encoder, run(KEYS))
    weights = run(KEYS)["layers.5.attention.weights"][6, 6]
    shares = [f"{100 * weights[i].item():.0f} %" for i in (0, -1)]
    assert text(opened, "[data-rest]").endswith(f"Not drawn: [CLS] {shares[0]}, [SEP] {shares[1]}.")
    # A row that is pointed at shows its arcs, the other sentence of the pair its guess by the same head.
    opened.locator("[data-head-row='4,1']").hover()
    agree(opened, run(KEYS), 4, 1, 6)
    opened.mouse.move(5, 5)
    agree(opened, run(KEYS), 5, 6, 6)
    opened.get_by_role("radio", name="key", exact=True).check()
    expect(opened.locator("h1")).to_contain_text("“is”?")
    agree(opened, run(KEY), 5, 6, 6)
    bars_agree(opened, encoder, run(KEY))
    expect(opened.get_by_role("radio", name="key", exact=True)).to_be_checked()
    opened.get_by_role("radio", name="keys", exact=True).check()
    expect(opened.locator("h1")).to_contain_text("“are”?")
    opened.get_by_role("radio", name="off", exact=True).check()
    bars_agree(opened, encoder, run(KEYS), run(KEYS, (5, 6)))


def test_all_is_reached_by_keys_in_at_most_fifteen_stops(opened: Page, run: Any) -> None:
    stops = []
    for _ in range(16):
        opened.keyboard.press("Tab")
        stops.append(opened.evaluate("document.activeElement.outerHTML.slice(0, 200)"))
        if "data-word" in stops[-1] and len([one for one in stops if "data-word" in one]) == 1:
            opened.keyboard.press("ArrowLeft")
            opened.keyboard.press("Enter")
            assert text(opened, "h1") == "What does “cabinet” look at?"
            opened.keyboard.press("ArrowRight")
            opened.keyboard.press("Enter")
        if "data-head-row" in stops[-1]:
            break
    assert "data-head-row" in stops[-1]
    assert len(stops) <= 15
    opened.keyboard.press("ArrowUp")
    agree(opened, run(KEYS), 5, 5, 6)  # shown while it is pointed at
    opened.keyboard.press("ArrowLeft")
    opened.keyboard.press("Enter")
    opened.keyboard.press("Shift+Tab")
    agree(opened, run(KEYS), 4, 5, 6)


HOSTILE = "</script><img src=x onerror='window.broken = 1'> [MASK] a\x00 \ufffe \u202e\u05e9 \ud83d\ude00"


def test_it_can_hold_the_numbers_of_every_step_and_hostile_text_stays_text(opens: Opens, tmp_path: Path) -> None:
    """Of the layers that are named; of others it says that it does not hold them."""
    encoder = random_model(2, 3)
    trace, last = encoder.trace(HOSTILE), 1
    path = living_cell([(encoder, trace)], numbers=[last]).save(tmp_path / "run.html")
    assert b"\0" not in path.read_bytes()
    page = opens(path)
    page.locator("[data-word]").first.wait_for()
    assert page.locator("img[src=x], b[onclick]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    follow(page, "Attention")
    for name in (f"layer {last}", "head 2"):
        page.get_by_role("radio", name=name, exact=True).click()
    page.get_by_role("button", name="All numbers of every step").click()
    cell = page.get_by_label("a row for each of").get_by_role("gridcell")
    which = page.get_by_role("combobox", name="Step")
    for step in (f"layers.{last}.attention.weights", f"layers.{last}.attention.q"):
        which.select_option(step)
        expect(page.get_by_text(f"{step} ·")).to_be_visible()
        said = (cell.get_attribute("aria-label") or "").rpartition(" ")[2].replace("\u2212", "-")
        assert float(said) == pytest.approx(trace[step][2, 0, 0].item(), rel=1e-3), said
    assert barriers(page) == []
    page.get_by_role("radio", name="layer 0", exact=True).click()
    alert = page.get_by_role("alert").filter(has_text="This file does not hold the numbers of this step")
    expect(alert.first).to_be_visible()
    for detail, said in (
        (f"layers.{last}.attention.weights:2,0,0", f"Attention weights, head 2 of layer {last}"),
        ("mlm.logits:0,0", "This file does not hold where this number comes from: the app does."),
    ):
        page.evaluate("detail => document.dispatchEvent(new CustomEvent('encoder:number', { detail }))", detail)
        expect(page.locator(".enc-number")).to_contain_text(said)
    assert page.evaluate("window.broken") is None


@pytest.fixture(scope="module")
def deep(encoder: TextEncoder, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the attention of all layers of one run, and of layer 5 alone of another."""
    path: Path = tmp_path_factory.mktemp("living") / "deep.html"
    packets = [[level_1(encoder, run(one)), *(level_2(run(one), i) for i in of)] for one, of in LAYERS_OF.items()]
    path.write_text(living_file(packets, "Deep"), encoding="utf-8")
    return path


def follow(place: Place, title: str) -> None:
    """Choose a page in the menu of the file, and see that its headline has the keys."""
    place.get_by_role("button", name="Menu").click()
    place.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True).click()
    expect(place.locator("h1")).to_be_focused()


def to_stop(place: Place, name: str) -> None:
    place.get_by_role("radiogroup", name="Stop").get_by_role("radio", name=f"{name}:").click()


def walked(place: Place, run: Any) -> None:
    """From Start to Attention, through its layers, to a sentence of which the file holds one layer, and back."""
    follow(place, "Attention")
    said = "This head looks from the gap at “keys” (89 %); without this head “are” falls from 85 % to 70 %."
    expect(place.locator("h1")).to_have_text(said)
    to_stop(place, "Q")
    for layer in (0, 3):
        place.get_by_role("radio", name=f"layer {layer}", exact=True).click()
        said = place.get_by_role("gridcell").get_attribute("aria-label") or ""
        position, number = map(int, (place.get_by_role("gridcell").get_attribute("data-cell") or "").split(","))
        true = run(KEYS)[f"layers.{layer}.attention.q"][6, position, number].item()
        assert float(said.rpartition(" ")[2].replace("\u2212", "-")) == pytest.approx(true, rel=2e-3), said
    place.get_by_role("radio", name="layer 5", exact=True).click()
    follow(place, "Start")
    place.get_by_role("radio", name="key", exact=True).check()
    expect(place.locator("h1")).to_contain_text("“is”?")
    follow(place, "Attention")
    expect(place.get_by_role("gridcell")).to_be_visible()
    trouble = place.locator(".at-trouble")
    place.get_by_role("radio", name="layer 2", exact=True).click()
    expect(trouble).to_contain_text("This file does not hold the vectors of layer 2 for this sentence.")
    to_stop(place, "softmax")  # is in the run itself
    expect(trouble).to_be_hidden()
    expect(place.get_by_role("gridcell")).to_be_visible()
    follow(place, "Start")
    agree(place, run(KEY), 2, 6, 6)


def test_attention_is_there_in_a_sandboxed_frame(disk: Page, deep: Path, encoder: TextEncoder, run: Any) -> None:
    disk.goto("about:blank")
    disk.evaluate(FRAME, deep.read_text(encoding="utf-8"))
    frame = disk.frame_locator("iframe")
    walked(frame, run)
    bars_agree(frame, encoder, run(KEY))
    assert problems(disk) == []


def test_the_command_holds_what_there_is_room_for(
    encoder: TextEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TextEncoder, "from_pretrained", lambda _: encoder)  # not read three times more
    file = tmp_path / "run.html"
    levels, layers = (
        {"1", "4", "5", "6", "7", "10 mlm.logits 6"},
        {f"{level} {layer}" for level in (2, 3) for layer in range(6)},
    )
    for asked in ("", "--whole", "--no-whole"):
        main([KEYS, KEY, "--out", str(file), *asked.split()])
        assert (file.stat().st_size <= MOST) is (asked != "--whole")
        found = re.search(r'<script id="packets" type="application/json">(.*?)</script>', file.read_text("utf-8"))
        assert found
        held = [set(one["packets"]) for one in json.loads(found[1])]
        if asked == "--whole":
            units = [{name for name in names if name.startswith("11 layers.")} for names in held]
            assert [names - own for names, own in zip(held, units, strict=True)] == [levels | layers] * 2
            assert [len(own) for own in units] == [6, 6]  # of each layer the weights of the unit that it opens on
        elif asked:
            assert held == [{"1"}] * 2
        else:
            assert held[0] >= levels and all("1" in names for names in held)


@pytest.fixture(scope="module")
def whole(encoder: TextEncoder, run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all packets of two runs, which opens with layer 2 of Feed-forward."""
    path: Path = tmp_path_factory.mktemp("living") / "whole.html"
    packets = held([(encoder, run(one)) for one in (KEYS, KEY)], most=None)
    about = {"page": "feed_forward", "chosen": {"layer": "2", "head": "3", "word": "4"}}
    path.write_text(living_file(packets, "Whole", kept="it was so", link="https://x.test/?a=<b>", **about))
    return path


def test_the_weights_of_the_strongest_unit_of_a_gap_are_there_and_of_another_it_is_said(
    opens: Opens, whole: Path, encoder: TextEncoder, run: Any
) -> None:
    page = opens(whole)
    page.locator(".tr [data-word='6']").click()
    to_stop(page, "read, W₁")
    unit = int(run(KEYS)["layers.2.feed_forward.activation"][6].argmax())
    hidden = float(run(KEYS)["layers.2.feed_forward.hidden"][6, unit])
    expect(page.locator(".an-line")).to_contain_text(f"= {hidden:.4g}")
    expect(page.locator(".ff-contexts li")).to_have_count(3)
    page.get_by_role("listbox", name="The strongest units").get_by_role("option").nth(3).click()
    expect(page.locator(".at-trouble")).to_contain_text("This file does not hold the weights of this unit")
    to_stop(page, "add, +")
    expect(page.locator(".at-trouble")).to_have_count(0)


def test_all_pages_that_draw_from_packets_are_there(opens: Opens, whole: Path) -> None:
    page = opens(whole)
    expect(page.get_by_role("radio", name="layer 2", exact=True)).to_be_checked()
    expect(page.get_by_role("radio", checked=True).first).to_be_visible()
    for about in PAGES.values():
        follow(page, about.title)
        expect(page.locator("[role=alert]:visible")).to_have_count(0)
    follow(page, "Output")
    page.get_by_role("button", name="[MASK]").click()
    expect(page.locator(".ws-words > div", has_text="keys")).to_contain_text("+6.66")  # the sum over words is in it
    expect(page.locator("[data-head-row='5,6']")).to_have_text("+3.0")  # and that over parts
    page.get_by_role("combobox", name="The word that it is held against").select_option("were")
    expect(page.locator(".ou-lead")).to_contain_text("6.7 times as likely as “were”")
    expect(page.locator(".enc-spine-says")).to_have_text("Score that each part costs “are” over “were”")
    assert barriers(page) == []
    link = page.get_by_role("link", name="Open it in the app")
    expect(link).to_have_attribute("href", "https://x.test/?a=<b>")
    expect(page.get_by_role("contentinfo")).to_contain_text("When it was kept: it was so Model: base, weights ")
    expect(page).to_have_url(whole.as_uri())

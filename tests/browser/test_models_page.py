"""Models in a real browser: areas and table point at each other and lead on; a model is opened, refused, built."""

import re
import shutil

import pytest
from browser_tools import open_page, rerun, widget
from in_browser import SERVER_LOG
from playwright.sync_api import Locator, Page, expect
from tiny import TINY, tiny_model, tiny_tokenizer

from encoder import TextEncoder, checkpoint

SCREEN = {"width": 1366, "height": 768}
MARKED = "all => all.filter(one => one.classList.contains('marked')).map(one => one.dataset.box)"


def row(page: Page, title: str) -> Locator:
    return (
        widget(page, "model_parts").locator("tbody tr").filter(has=page.get_by_role("button", name=title, exact=True))
    )


def model(page: Page, title: str) -> Locator:
    return widget(page, "model_rows").get_by_role("radio", name=re.compile(f"^{title} (\\d|from)"))


def test_areas_and_table_mark_each_other_and_lead_to_the_page_of_a_part(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    page.set_viewport_size(SCREEN)  # type: ignore[arg-type]
    open_page(page, f"{app_url}/models?sentence=The+keys+to+the+cabinet+%5BMASK%5D+on+the+table.")
    parts = widget(page, "model_parts")
    boxes, marked = parts.locator(".box"), re.compile("marked")
    heads = [i for i in range(boxes.count()) if (boxes.nth(i).bounding_box() or {"width": 99})["width"] < 30]
    assert len(heads) >= 6 * 8
    below = [parts.locator(".names span").nth(i) for i in range(6)]
    assert [name.inner_text() for name in below] == [f"layer {i}" for i in range(6)]
    boxes.nth(heads[9]).hover()
    expect(row(page, "Attention")).to_have_class(marked)
    expect(row(page, "Feed-forward")).not_to_have_class(marked)
    own = sum(weight.numel() for weight in base.model.layers[1].attention.parameters()) // 8
    expect(parts.get_by_role("status")).to_contain_text(f"head 1 of layer 1: {own:,} parameters")
    row(page, "Feed-forward").hover()
    assert len(boxes.evaluate_all(MARKED)) == 6
    for i in boxes.evaluate_all(MARKED):
        box, around = boxes.nth(int(i)).bounding_box(), parts.locator(".areas").bounding_box()
        assert box and around
        share = box["width"] * box["height"] / (around["width"] * around["height"])
        assert share == pytest.approx(2_099_712 / 27_582_976, rel=0.02)
    with rerun(page):
        boxes.nth(heads[9]).click()
    assert re.search(r"/attention\?.*model=base&layer=1&head=1", page.url) and "MASK" in page.url
    expect(page.get_by_role("heading", level=1)).to_contain_text("looks from")
    with rerun(page):
        page.go_back()
    button = row(page, "Add & norm").get_by_role("button")
    button.focus()
    expect(row(page, "Add & norm")).to_have_class(marked)
    row(page, "Guess").get_by_role("button").press("Tab")
    expect(parts.locator(".marked")).to_have_count(0)  # the last row was left
    with rerun(page):
        button.press("Enter")
    expect(page).to_have_url(re.compile(re.escape("/add_norm?")))
    expect(page.get_by_role("heading", level=1)).to_contain_text("layer")
    with rerun(page):
        page.go_back()
    boxes.first.focus()
    expect(parts.get_by_role("status")).to_contain_text("embedding, tokens: ")
    for _ in range(heads[0] + 10):
        page.keyboard.press("ArrowRight")
    expect(parts.get_by_role("status")).to_contain_text(re.compile("head . of layer 1: "))
    with rerun(page):
        page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape("layer=1")))


def test_a_row_opens_its_model_and_a_refused_one_says_why_below(
    page: Page, app_url: str, pytestconfig: pytest.Config
) -> None:
    folder = pytestconfig.stash[SERVER_LOG].parent / "encoder-models"
    for name in ("mine", "broken"):
        checkpoint.save(tiny_model(TINY, 0), tiny_tokenizer(), folder / name)
    (folder / "broken" / "tokenizer.json").unlink()
    try:
        open_page(page, f"{app_url}/models?sentence=w1+w2")
        with rerun(page):
            model(page, "broken").check()
        expect(page.get_by_text("broken was not opened: broken has no tokenizer")).to_be_visible()
        expect(page.get_by_text("Correct its files, or open another.")).to_be_visible()
        expect(model(page, "base")).to_be_checked()
        expect(page.get_by_role("heading", level=1)).to_have_text(
            re.compile(
                "^Guessing words takes 1.% of this model's parameters but 31.% of its operations: it scores all 16,"
            )
        )
        with rerun(page):
            model(page, "mine").check()
        expect(page.get_by_text("This model has 2 layers of 3 heads")).to_be_visible()
        expect(row(page, "Attention")).to_contain_text("6 heads")
        expect(page.get_by_text("was not opened")).to_have_count(0)
        expect(widget(page, "model_rows").get_by_role("radio")).to_have_count(5)
        widget(page, "model_rows").get_by_role("button", name=re.compile(r"^\d+ more$")).click()
        expect(widget(page, "model_rows").get_by_role("radio")).to_have_count(11)
        with rerun(page):
            model(page, "small").focus()
            page.keyboard.press("Space")
        expect(page.get_by_text("This model has 4 layers of 4 heads")).to_be_visible()
        expect(model(page, "small")).to_be_focused()
        expect(widget(page, "model_rows").get_by_role("radio")).to_have_count(11)
    finally:
        shutil.rmtree(folder)


def test_a_shape_counts_at_each_step_says_what_is_wrong_below_its_field_and_is_built(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/models")
    # On a phone areas, table, models and form stand below one another, and nothing scrolls sideways.
    page.set_viewport_size({"width": 390, "height": 844})
    areas, table = widget(page, "model_parts").locator(".areas"), widget(page, "model_parts").locator("table")
    around = widget(page, "model_parts").bounding_box()
    tops = []
    for part in (areas, table, widget(page, "model_rows"), widget(page, "build_n_layers")):
        box = part.bounding_box()
        assert box and around and box["x"] + box["width"] <= around["x"] + around["width"] + 1
        tops.append(box["y"])
    assert tops == sorted(tops) and tops[0] < 300
    page.set_viewport_size(SCREEN)  # type: ignore[arg-type]
    start = page.get_by_role("button", name="Build it").bounding_box()
    layers, width, heads = (widget(page, f"build_{name}") for name in ("n_layers", "d_model", "n_heads"))
    expect(page.get_by_text("27.3 M parameters, random")).to_be_visible()
    with rerun(page):
        layers.get_by_role("button", name="Increment").click()
    expect(page.get_by_text("30.5 M parameters, random")).to_be_visible()
    with rerun(page):
        width.get_by_role("spinbutton").fill("500")
        width.get_by_role("spinbutton").press("Enter")
    wrong = page.get_by_text("8 heads cannot share a width of 500 evenly; 10 can.")
    expect(wrong).to_be_visible()
    field, below, press = heads.bounding_box(), wrong.bounding_box(), page.get_by_role("button", name="Build it")
    assert field and below and below["y"] >= field["y"] + field["height"] and abs(below["x"] - field["x"]) < 4
    expect(press).to_be_disabled()
    now = press.bounding_box()
    assert start and now and abs(now["x"] - start["x"]) < 1, "it stays where it is"
    with rerun(page):
        width.get_by_role("spinbutton").fill("99999")
        width.get_by_role("spinbutton").press("Enter")
    expect(page.get_by_text("Width must be 8 to 2,048.")).to_be_visible()
    expect(page.get_by_text("M parameters, random")).to_have_count(0)
    expect(press).to_be_disabled()
    with rerun(page):
        width.get_by_role("spinbutton").fill("500")
        width.get_by_role("spinbutton").press("Enter")
    with rerun(page):
        heads.get_by_role("spinbutton").fill("10")
        heads.get_by_role("spinbutton").press("Enter")
    with rerun(page):
        press.click()
    expect(page.get_by_text("This model has 7 layers of 10 heads")).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape("built%3Ad_model%3D500%2Cn_heads%3D10%2Cn_layers%3D7")))

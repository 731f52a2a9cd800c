"""A student's walk: open, type an own sentence, follow it through twelve stops, guess, go deeper and come back."""

import re
from urllib.parse import parse_qs, urlencode, urlsplit

from browser_tools import open_page, opened_number, own_sentence, problems, rerun, save, sentence_line, widget
from playwright.sync_api import Page, expect
from shared_models import pretrained

from encoder.support.formatting import percent
from encoder.teach.story import story

OWN = "My dog chased the cat because it was hungry."


def test_an_own_sentence_is_followed_through_twelve_stops(page: Page, app_url: str) -> None:
    encoder = pretrained("base")
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, app_url)
    own_sentence(page, OWN)
    expect(page.get_by_role("heading", level=1)).to_contain_text("look at?")
    expect(page.locator("[data-word]", has_text="hungry")).to_be_visible()
    way = page.get_by_role("link", name="Step by step")
    asked = int(parse_qs(urlsplit(str(way.get_attribute("href"))).query)["word"][0])
    stops = story(encoder, encoder.trace(OWN), asked)
    with rerun(page):
        way.click()
    assert sentence_line(page).input_value() == OWN
    chapters, rail, question = (widget(page, key) for key in ("story_chapter", "story_stop", "card_question"))
    for place, stop in enumerate(stops, 1):
        expect(page).to_have_url(re.compile(rf"/story\?.*stop={place}\b" if place > 1 else r"/story\?(?!.*stop=)"))
        expect(rail.get_by_role("radio", checked=True)).to_have_text(f"{place} {stop.name}")
        expect(chapters.get_by_role("radio", checked=True)).to_have_text(stop.chapter)
        expect(rail.get_by_role("radio")).to_have_count(sum(one.chapter == stop.chapter for one in stops))
        expect(page.locator("h1")).to_have_text(stop.question)
        if place in (1, 4):  # guessed: once right, once not
            chosen = stop.answer if place == 1 else (stop.answer + 1) % len(stop.options)
            with rerun(page):
                question.get_by_role("button", name=stop.options[chosen], exact=True).click()
            expect(question).to_contain_text(f"{'Right' if place == 1 else 'Not quite'}. {stop.sentence}")
        else:
            with rerun(page):
                page.keyboard.press("s")
            expect(question).to_contain_text(stop.sentence)
        expect(rail.get_by_text(f"✓ {stop.name}")).to_be_visible()
        picture = question.locator(".main-svg, canvas, .tokens, .arcs").first
        expect(picture).to_be_visible()
        box = picture.bounding_box()
        assert box is not None and box["y"] + min(box["height"], 300) <= 900, f"stop {place} is below the first screen"
        if place < len(stops):
            with rerun(page):
                page.keyboard.press("ArrowRight")
    expect(page.get_by_text("You got 1 of 2 that you guessed.")).to_be_visible()
    with rerun(page):  # all of it is guessed, so a chapter leads to its first stop
        chapters.get_by_role("radio", name=stops[3].chapter).click()
    expect(rail.get_by_role("radio", checked=True)).to_have_text(f"✓ {stops[3].name}")
    with rerun(page):
        page.get_by_role("button", name="Go deeper here").click()
    expect(page).to_have_url(re.compile(f"{app_url}/[?]"))
    with rerun(page):
        page.get_by_role("link", name="← Back to the story").click()
    expect(page.locator("h1")).to_have_text(stops[3].question)
    expect(question).to_contain_text(stops[3].sentence)
    expect(sentence_line(page)).to_have_value(OWN)
    assert problems(page) == []


def test_the_arcs_of_a_stop_are_those_of_the_run_and_are_kept_and_opened(page: Page, app_url: str) -> None:
    encoder = pretrained("base")
    trace = encoder.trace(OWN)
    stop = story(encoder, trace)[3]
    assert stop.layer is not None and stop.word is not None and stop.seen is not None
    row = trace[f"layers.{stop.layer}.attention.weights"][stop.head, stop.word]
    open_page(page, f"{app_url}/story?stop=4&{urlencode({'sentence': OWN})}")
    with rerun(page):
        page.keyboard.press("s")
    drawing = page.locator(".arcs svg.across")
    expect(drawing.locator("text.asked")).to_have_text(trace.tokens[stop.word])
    expect(drawing.locator("text.most").first).to_have_text(trace.tokens[int(row[1:-1].argmax()) + 1])
    expect(drawing.locator("path.most")).to_have_count(1)
    expect(drawing.get_by_text(percent(float(row.max()), 1), exact=True)).to_be_visible()
    with rerun(page):
        page.get_by_role("button", name="How it was computed").click()
    opened_number(page, "", float(row[stop.seen]))
    page.keyboard.press("Escape")
    assert f">{trace.tokens[stop.word]}</text>" in save(page, "Picture as SVG")[1].decode()
    assert problems(page) == []

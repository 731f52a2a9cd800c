"""The front in a real browser: drawn by a component in the frame; the server serves routes and the other pages."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlencode

import pytest
from browser_tools import follow_menu, open_page, problems, rerun, sentence_line, type_sentence
from playwright.sync_api import Browser, Page, Request, Route, WebSocket, expect
from servers import BASE, SERVER_MB, free_port, started

from encoder import TextEncoder
from encoder.packet.shipped import path_of
from encoder.support.formatting import percent

APP = Path(__file__).resolve().parents[2] / "app.py"
GAP = "The keys to the cabinet [MASK] on the table."
CHOSEN = "[data-head-row][aria-selected=true]"


def drawn(page: Page, url: str) -> None:
    """Open an address of the front and wait until its page is drawn."""
    open_page(page, url)
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()


def follow(page: Page, title: str) -> None:
    """Choose a page in the front's own menu, and wait for the server to know of it."""
    page.get_by_role("button", name="Menu").click()
    with rerun(page):
        page.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True).click()


def sentence(page: Page) -> str:
    """The sentence on the page of attention."""
    return page.get_by_role("textbox", name="Sentence", exact=True).input_value()


def read(page: Page, text: str) -> None:
    """Have another sentence run there."""
    field = page.get_by_role("textbox", name="Sentence", exact=True)
    field.fill(text)
    with page.expect_response("**/api/run"):
        field.press("Enter")


def test_start_opens_with_the_claim_of_this_run_and_asks_the_server_for_nothing(
    page: Page, app_url: str, base: TextEncoder
) -> None:
    # What it refuses is an error on the console; test_everyone opens every page and finds none.
    policy = page.request.get(app_url).headers["content-security-policy"]
    assert "'unsafe-eval'" not in policy and "script-src 'self' blob: 'sha256-" in policy
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.on("websocket", lambda line: heard(line, sent))
    drawn(page, app_url)
    for part in ("stSidebar", "stHeader"):
        expect(page.get_by_test_id(part)).to_be_hidden()
    box = page.get_by_role("heading", level=1).bounding_box()
    assert box and box["y"] < 300
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    trace = base.trace(GAP)
    layer, head = map(int, (page.locator(CHOSEN).get_attribute("data-head-row") or "").split(","))
    gap = trace.tokens.index("[MASK]")
    share = float(trace[f"layers.{layer}.attention.weights"][head, gap, trace.tokens.index("keys")])
    guess = float(trace["mlm.probabilities"][gap].max())
    text = page.locator(".enc-main").inner_text().replace("\xa0", " ")
    assert f"head {head} of layer {layer}" in text and percent(share) in text and percent(guess) in text

    page.wait_for_load_state("networkidle")
    assert [url for url in sent if url.endswith("/api/run")] == []  # before any model is asked
    sent.clear()
    texts = set()
    for layer, head in ((0, 1), (3, 5), (5, 2)):
        page.locator(f'[data-head-row="{layer},{head}"]').click()
        page.wait_for_function("view => location.search.includes(view)", arg=f"layer={layer}&head={head}")
        texts.add(page.locator(".enc-main").inner_text())
    assert len(texts) == 3
    # The file of the other pages comes once, a moment after the first picture, whatever is chosen.
    assert [message for message in sent if not message.endswith("/pages.js")] == []


def heard(line: WebSocket, messages: list[str]) -> None:
    """Note what is sent to the server and what comes from it."""
    line.on("framesent", lambda frame: messages.append(str(frame)))
    line.on("framereceived", lambda frame: messages.append(str(frame)))


def test_a_page_of_the_server_opens_with_what_was_chosen_and_leads_back_with_it(page: Page, app_url: str) -> None:
    """It reads the address, and not what it last showed, even where it had that address before."""
    drawn(page, f"{app_url}/attention?sentence=Dogs+bark.&layer=2&head=3&v=1")
    follow(page, "Models")
    assert sentence_line(page).input_value() == "Dogs bark."
    assert "layer=2" in page.url and "head=3" in page.url
    type_sentence(page, "Fish swim.")
    with rerun(page):
        follow_menu(page, "Attention")
    assert sentence(page) == "Fish swim."
    for part in ("sentence=Fish+swim.", "layer=2", "head=3"):
        assert part in page.url
    page.get_by_role("radiogroup", name="head").get_by_role("radio", name="5").click()
    follow(page, "Models")
    assert "layer=2" in page.url and "head=5" in page.url
    with rerun(page):
        follow_menu(page, "Attention")
    read(page, "Cats purr.")
    follow(page, "Models")
    assert sentence_line(page).input_value() == "Cats purr."


def test_start_and_attention_change_without_being_mounted_anew(page: Page, app_url: str) -> None:
    drawn(page, app_url)
    page.locator(".front").evaluate("front => { front.kept = 'the same' }")
    follow(page, "Attention")
    assert re.search("/attention([?]|$)", page.url) and sentence(page) == GAP
    with rerun(page):
        page.go_back()
    expect(page.get_by_role("textbox", name="Sentence", exact=True)).to_be_hidden()
    assert page.url.startswith(f"{app_url}/") and "/attention" not in page.url
    assert page.locator(".front").evaluate("front => front.kept") == "the same"


def test_back_undoes_one_sentence_at_a_time_and_a_reload_shows_the_same(page: Page, app_url: str) -> None:
    drawn(page, f"{app_url}/attention")
    for text in ("Dogs bark.", "Cats purr."):
        read(page, text)
    expect(page.get_by_role("heading", level=1)).to_contain_text("“pur”")
    heading = page.get_by_role("heading", level=1).inner_text()
    with rerun(page):
        page.reload()
    assert sentence(page) == "Cats purr."
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    for text in ("Dogs bark.", GAP):
        with rerun(page):
            page.go_back()
        expect(page.get_by_role("textbox", name="Sentence", exact=True)).to_have_value(text)
    expect(page).to_have_url(f"{app_url}/attention")


def test_a_line_that_is_cut_or_a_server_without_room_is_said_in_a_sentence_and_asked_again(
    page: Page, app_url: str
) -> None:
    drawn(page, f"{app_url}/attention")
    field, alert = page.get_by_role("textbox", name="Sentence", exact=True), page.get_by_role("alert")
    later = bytearray(path_of("The cat chased the mouse.").read_bytes())
    later[4] += 1
    faults: list[tuple[Callable[[Route], None], str]] = [
        (lambda route: route.abort("internetdisconnected"), "try again"),
        (lambda route: route.fulfill(body=b"ENCP" + bytes(40)), ""),
        (lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"), ""),
        (lambda route: route.fulfill(body=bytes(later)), "reload the page"),  # of a server that writes in a newer way
        (lambda route: route.fulfill(status=502, body="bad gateway"), "try again"),
        (lambda route: route.fulfill(status=429, json={"message": "Your share is used up."}), "Your share is used up."),
    ]
    for number, (fault, words) in enumerate(faults):
        page.route("**/api/run", fault)
        field.fill(f"Dogs bark {number}.")
        field.press("Enter")
        expect(alert).to_contain_text(words)
        assert 10 < len(alert.inner_text()) < 150 and "undefined" not in alert.inner_text()
        page.unroute("**/api/run")
        with page.expect_response("**/api/run"):
            page.get_by_role("button", name="Try again").click()
        expect(alert).to_be_hidden()

    tried: list[Request] = []

    def refuse_once(route: Route) -> None:
        asked = route.request.post_data_json
        is_run = asked["level"] == 1 and asked["sentence"] == "Dogs bark once more."  # its layers are fetched after it
        tried.extend([route.request] * is_run)
        if is_run and len(tried) == 1:
            route.fulfill(status=503, json={"message": "Full."}, headers={"Retry-After": "1"})
        else:
            route.continue_()

    page.route("**/api/run", refuse_once)
    field.fill("Dogs bark once more.")
    with page.expect_response(lambda answer: answer.ok and answer.request in tried):
        field.press("Enter")
    expect(alert).to_be_hidden()
    page.unroute("**/api/run")
    assert len(tried) == 2
    assert all("Failed to load resource" in problem for problem in problems(page))  # those that were made here


def test_without_a_run_there_is_the_reason_and_no_control(browser: Browser, app_url: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app_url}/?model=folder:none")
        expect(page.get_by_role("alert")).to_contain_text("is not available here")
        for control in (".enc-second", ".enc-masks", ".enc-changes", ".enc-unfold"):
            for one in page.locator(f".enc-main {control}").all():
                expect(one).to_be_hidden()


def test_a_tab_of_a_version_that_is_gone_says_to_load_again(page: Page, app_url: str) -> None:
    page.route("**/front.js", lambda route: route.fulfill(status=404, json={"message": "There is nothing here."}))
    open_page(page, app_url)
    expect(page.get_by_role("alert")).to_contain_text("load the page again")
    page.unroute("**/front.js")
    assert all("404" in one for one in problems(page))


@pytest.mark.nightly
def test_under_a_base_path_all_is_there(page: Page, tmp_path: Path) -> None:
    more = {BASE: "/lab/enc", "ENCODER_MEMORY_MB": SERVER_MB}
    with started(APP, tmp_path / "streamlit.log", tmp_path, free_port(), 60, more) as server:
        url = server.url
        drawn(page, url)
        follow(page, "Attention")
        assert page.url.startswith(f"{url}/attention")
        read(page, "Dogs bark.")
        follow(page, "Embedding & position")
        assert page.url.startswith(f"{url}/embedding?") and "sentence=Dogs+bark." in page.url
        assert page.request.get(f"{url}/api/none").status == 404
        with rerun(page):
            page.goto(f"{url}/looks?sentence=Dogs+bark.")
        assert page.url.startswith(f"{url}/?")
        assert all("404" in one or "does not seem to exist" in one for one in problems(page))  # Streamlit's own words
        page.goto("about:blank")


# How many words stand on the screen beside the bar, the scale of the spine and the sentence.
WORDS = """() => {
  const beside = '.enc-bar, .enc-spine-parts, .enc-spine-key, .enc-spine-names, .enc-stage, .enc-spoken'
  const all = [], seek = node => node.querySelector('.enc') ?? [...node.querySelectorAll('*')]
    .map(one => one.shadowRoot && seek(one.shadowRoot)).find(Boolean)
  const go = node => node.childNodes.forEach(one => {
    if (one.nodeType === 1 && !one.matches(beside)) go(one)
    if (one.nodeType !== 3) return
    const range = document.createRange()
    range.selectNodeContents(one)
    const box = range.getBoundingClientRect()
    if (box.width && box.top < innerHeight && one.parentElement.checkVisibility()) all.push(one.textContent)
  })
  go(seek(document))
  return all.join(' ').split(/\\s+/).filter(word => /\\p{L}/u.test(word)).length
}"""


@pytest.mark.parametrize("sentence", [GAP, "My dog sleeps on the sofa."])
def test_above_the_fold_stand_sixty_words_at_most_beside_the_bar_and_the_sentence(
    page: Page, app_url: str, sentence: str
) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    drawn(page, f"{app_url}/?{urlencode({'sentence': sentence})}")
    expect(page.locator("[data-claim]")).not_to_be_empty()
    assert 20 < page.evaluate(WORDS) <= 60


def test_a_word_that_is_hidden_comes_back_by_back(page: Page, app_url: str) -> None:
    drawn(page, f"{app_url}/?sentence=My+dog+sleeps+on+the+sofa.")
    title = page.get_by_role("heading", level=1)
    before = title.inner_text()
    page.locator("[data-word='2']").click()
    expect(title).to_have_text("What does “dog” look at?")
    page.locator("[data-word='4']").click()
    page.get_by_role("button", name="Hide “on”").click()
    expect(title).to_have_text(re.compile("^(Why does the model say|The model says)"))
    assert "My+dog+sleeps+[MASK]+the+sofa" in unquote(page.url)
    page.go_back()
    expect(title).to_have_text("What does “on” look at?")
    drawn(page, f"{app_url}/?sentence=My+dog+sleeps+on+the+sofa.")
    assert title.inner_text() == before
    page.locator("[data-hide]").first.click()
    expect(title).to_have_text(re.compile("^(Why does the model say|The model says)"))


def test_a_link_down_opens_what_it_names_below_the_picture_and_has_it_in_sight(page: Page, app_url: str) -> None:
    drawn(page, f"{app_url}/heads?model=small&layer=2&head=3")
    page.get_by_role("link", name="In many sentences").click()
    expect(page.locator("#more-contexts")).to_be_in_viewport()
    expect(page.locator("#more-contexts")).to_contain_text("Head 3 of layer 2 gives the token before")
    expect(page).to_have_url(re.compile("more=contexts"))
    # And of a unit, about the one that the page shows.
    drawn(page, f"{app_url}/feed_forward?model=small&layer=2")
    below, units = page.locator("#more-corpus"), page.locator(".ff .bars [role=option]")
    first, third = (int(units.nth(i).get_attribute("data-cell") or -1) for i in (0, 2))
    page.locator(".ff-corpus").click()
    expect(below).to_be_in_viewport()
    expect(below).to_contain_text(f"Layer 2, unit {first} fires")
    units.nth(2).click()
    expect(below).to_contain_text(f"Layer 2, unit {third} fires")
    below.get_by_role("combobox", name="Unit").select_option("7")
    expect(below).to_contain_text("Layer 2, unit 7 fires")
    units.nth(0).click()  # a press above is what is meant from then on
    expect(below).to_contain_text(f"Layer 2, unit {first} fires")


def test_on_a_phone_the_sentence_stands_whole(phone: Page, app_url: str) -> None:
    open_page(phone, f"{app_url}/attention?sentence={'+'.join(['The+quick+brown+fox+[MASK]'] * 8)}.")
    line = phone.get_by_role("textbox", name="Sentence", exact=True)
    expect(line).to_be_visible()
    whole = "one => one.scrollHeight <= one.clientHeight && one.scrollWidth <= one.clientWidth"
    assert line.evaluate(whole) and (line.bounding_box() or {})["height"] > 100
    line.tap()
    line.fill("My cat [MASK] on the roof.")
    line.press("Enter")
    expect(phone.get_by_role("button", name="Save", exact=True)).to_be_visible()
    box = line.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] < 60
    assert line.evaluate(whole) and problems(phone) == []

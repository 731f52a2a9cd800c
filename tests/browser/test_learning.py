"""Training in a real browser: grammar on film, and a task that is learned.

They are played, dragged and stepped in the browser alone; no run of the server is asked for.
"""

import re
from urllib.parse import unquote

import pytest
from browser_tools import barriers, open_page, rerun, runs, sentence_line, type_sentence, widget
from page_sizes import CONTROLS
from playwright.sync_api import Locator, Page, expect

from encoder.checkpoint import snapshots
from encoder.exam.moments import bundled_moments
from encoder.exam.relation_curve import relation_curve
from encoder.support.formatting import percent
from encoder.tasks.kept_moments import at
from encoder.trace.unpadded import attention_weights

STEPS = snapshots("small")
LOADED = (STEPS[0], STEPS[-4], STEPS[-1])  # moments whose networks are loaded here as well
STEP = "radio => Number(radio.getAttribute('aria-label').split(' ')[1])"
PIXELS = "canvas => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).join()"
MAN = "The old man carried a very heavy bag."
WIDTHS = "arcs => [...arcs.querySelectorAll('path')].map(path => path.getAttribute('stroke-width'))"
PARTS_WITHIN = """width => [...document.querySelectorAll('.st-key-parts_training [role=radio]')].map(
  one => one.getBoundingClientRect()).every(
  box => box.left >= 0 && box.right <= width)"""
PLACES = """film => {
  const middle = one => one.getBoundingClientRect().left + one.getBoundingClientRect().width / 2
  return ['.rail-line b', '.curve-mark', '.fm-ring'].map(one => middle(film.querySelector(one)))
}"""


def moment(film: Locator, step: int) -> Locator:
    """What chooses a moment of the film."""
    return film.get_by_role("radio", name=re.compile(rf"^step {step:,}:"))


def spaced(text: str) -> re.Pattern[str]:
    """A text whose spaces may be of any kind."""
    return re.compile(re.escape(text).replace(r"\ ", r"\s"))


def test_the_film_opens_on_the_finding_and_its_numbers_are_those_of_the_examination(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    open_page(page, f"{app_url}/training")
    moments = bundled_moments("small")
    assert moments is not None
    shares = moments.shares("obj", 2, 0)
    learnt = f"learns to find the verb: {percent(shares[300], 1)} → {percent(shares[3000], 1)} right."
    head = f"From step 300 to 3,000 a head of the small model {learnt}"
    expect(page.get_by_role("heading", name=head)).to_be_visible()
    expect(sentence_line(page)).to_have_value(MAN)
    film = widget(page, "grammar")
    box = film.locator(".curve svg").bounding_box()
    assert box and box["y"] + box["height"] < 900
    assert page.evaluate(CONTROLS) <= 20
    asked = runs(page)
    moment(film, 3000).press("Home")
    for i, step in enumerate(STEPS):
        chosen = film.get_by_role("radiogroup", name="Moment of training").get_by_role("radio", checked=True)
        expect(chosen).to_have_attribute("aria-label", spaced(f"step {step:,}: {percent(shares[step], 1)}"))
        expect(film.locator(".fm-over b")).to_have_text(spaced(percent(shares[step], 1)))
        ends = film.locator(".fm").evaluate(PLACES)
        assert max(ends) - min(ends) < 1.5, "the handle's line goes through the curves"
        if step in LOADED:
            compared(film, step, STEPS[max(0, i - 1)])
        chosen.press("ArrowRight")
    assert runs(page) == asked, "the browser moves alone"
    rules = [right.fixed, right.rule] if (right := relation_curve(moments, "obj")) else []
    for share, line in zip(rules, film.locator(".fm-key li").all(), strict=False):
        expect(line).to_contain_text(spaced(percent(share, 1)))
    plot, key = film.locator(".fm-lines").bounding_box(), film.locator(".fm-key").bounding_box()
    assert plot and key and key["y"] >= plot["y"] + plot["height"], "no name stands over the curves"
    # Two moments stand side by side.
    moment(film, 3000).click()
    above = film.locator("svg.enc-arcs > path")
    lines = above.count()
    film.get_by_role("button", name="Set two moments side by side").click()
    expect(film.locator("svg.enc-arcs g path")).to_have_count(lines)
    handle = film.get_by_role("slider", name="Second moment of training")
    expect(handle).to_have_attribute("aria-valuetext", re.compile("^step 1,000:"))
    handle.press("End")
    expect(film.locator(".fm-before")).to_have_text("at step 20,000")
    expect(film.locator(".enc-caption")).to_contain_text("Above: step 3,000; below: step 20,000.")
    box, line = handle.bounding_box(), film.locator(".rail-line").bounding_box()
    assert box and line
    page.mouse.move(box["x"] + 8, box["y"] + 8)
    page.mouse.down()
    page.mouse.move(line["x"] + 20, line["y"] + 12, steps=4)
    page.mouse.up()
    expect(handle).to_have_attribute("aria-valuetext", re.compile("^step 0:"))
    expect(film.locator(".rail-stops [aria-checked=true]")).to_have_text("3,000")
    below = [path.get_attribute("d") for path in film.locator("svg.enc-arcs g path").all()]
    assert below and runs(page) == asked
    film.get_by_role("button", name="Back to one moment").click()
    expect(film.locator("svg.enc-arcs g")).to_have_count(0)
    # Nothing jumps where there is no moment before, nor where it guesses pieces of words.
    page.set_viewport_size({"width": 1366, "height": 768})
    chart = film.locator(".curve svg")
    moment(film, 0).click()
    expect(moment(film, 0)).to_be_checked()
    before = chart.bounding_box()
    with rerun(page):
        film.get_by_role("radio", name="article → its noun").click()
    moment(film, 10).click()
    expect(film.locator(".fm-guesses .bars")).to_contain_text("##")
    expect(film.locator(".fm-piece")).to_be_visible()
    assert chart.bounding_box() == before


def compared(film: Locator, step: int, before: int) -> None:
    """Compare the words' shares, and the guesses with their marks, with runs of the networks of these moments."""
    trace = at("small", step).trace(MAN)
    weights, words = attention_weights(trace, 2)[0], trace.tokenization
    bag = words.find("bag")[0]
    for button in film.locator(".enc-word").all():
        word = button.locator("bdi").inner_text()
        share = float(button.get_attribute("data-share") or "nan")
        assert abs(share - float(weights[bag, list(words.find(word))].sum())) < 1e-4, word
    first, second = (at("small", moment) for moment in (step, before))
    hidden = first.trace(MAN.replace("carried", "[MASK]"))
    gap = hidden.tokens.index("[MASK]")
    right = (first.predict(hidden, 4, [gap]) or [])[0]
    marks = second.trace(MAN.replace("carried", "[MASK]"))["mlm.probabilities"][gap]
    for bar, (word, share) in zip(film.locator(".fm-guesses li").all(), right, strict=True):
        assert bar.get_attribute("data-guess") == word
        assert abs(float(bar.get_attribute("data-share") or "nan") - share) < 1e-4
        if step != before:
            style = bar.locator(".bar-room b").get_attribute("style") or ""
            place = float(style.split(":")[1].strip(" %;"))
            assert abs(place - 100 * float(marks[first.tokenizer.token_to_id(word)])) < 0.1


def test_it_is_played_dragged_and_asked_from_other_words(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, f"{app_url}/training")
    film = widget(page, "grammar")
    arcs, chosen = film.locator("svg.enc-arcs"), film.locator(".rail-stops [aria-checked=true]")
    expect(chosen).to_have_text("3,000")
    before = arcs.evaluate(WIDTHS)
    chosen.press("Home")
    film.get_by_role("button", name="Play").click()
    expect(chosen).to_have_text("100")
    film.locator(".curve svg").hover(position={"x": 5, "y": 5})
    page.mouse.down()
    page.mouse.up()
    expect(film.get_by_role("button", name=re.compile("Play|Go on"))).to_be_visible()
    expect(chosen).to_have_text("step 0")
    assert arcs.evaluate(WIDTHS) != before
    box = film.locator(".rail-line").bounding_box()
    assert box
    page.mouse.move(box["x"] + 20, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 10, box["y"] + 12, steps=4)
    expect(chosen).to_have_text("20,000")
    page.mouse.up()
    heavy = film.locator(".enc-word", has_text="heavy")
    with rerun(page):
        heavy.click()
    expect(heavy).to_have_attribute("aria-pressed", "true")
    expect(film.locator(".fm-goal")).to_have_count(0)
    expect(chosen).to_have_text("20,000")
    expect(page).to_have_url(re.compile(re.escape("born_word=6")))
    heavy.press("ArrowRight")
    expect(film.locator(".enc-word", has_text="bag")).to_be_focused()

    with rerun(page):
        type_sentence(page, "Dogs chase cats")
    expect(film.locator(".enc-asked")).to_contain_text("cats")
    with rerun(page):
        film.get_by_role("radio", name="article → its noun").click()
    expect(sentence_line(page)).to_have_value("Dogs chase cats")
    expect(chosen).to_have_text("10,000")


def test_the_network_of_a_moment_is_walked(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training")
    film = widget(page, "grammar")
    moment(film, 3000).press("ArrowRight")
    with rerun(page):
        film.get_by_role("button", name="Step into this network").click()
    expect(page.locator(".at h1")).not_to_be_empty()
    assert "small,10000" in unquote(page.url) and "layer=2" in page.url and "head=0" in page.url
    expect(page.locator("h1")).to_contain_text("bag")  # from which the arcs went
    expect(page).to_have_url(re.compile(re.escape("word=8")))
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(MAN)


@pytest.mark.nightly
def test_a_curve_is_chosen_by_its_name_or_by_keys_and_opens_where_its_head_does_it(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, f"{app_url}/training")
    film = widget(page, "grammar")
    with rerun(page):
        moment(film, 100).click()
        film.get_by_role("radio", name="article → its noun").click()
    expect(film.locator(".enc-caption")).to_contain_text("Head 2 of layer 3")
    with rerun(page):
        film.get_by_role("radio", name="article → its noun").press("ArrowDown")
    expect(film.get_by_role("radio", name="preposition → its noun")).to_be_focused()
    expect(sentence_line(page)).to_have_value("The keys to the old cabinet are on the table.")
    expect(film.locator(".rail-stops [aria-checked=true]")).to_have_text("3,000")
    margin = page.locator(".st-key-parts_training").bounding_box()
    for name, head, unit in (
        ("agreement: is or are", "the small model learns to prefer the right form", "100 % right"),
        ("carried to the verb", "three heads of the small model carry the number of the subject", "100 % carried"),
    ):
        with rerun(page):
            film.get_by_role("radio", name=name).click()
        expect(page.get_by_role("heading", name=head)).to_be_visible()
        expect(film.locator(".enc-asked")).to_contain_text("[MASK]")
        expect(film.locator(".fm-scale span").last).to_have_text(spaced(unit))
        every = film.locator(".enc-word").all()
        most = max(every, key=lambda one: float(one.get_attribute("data-share") or "nan"))
        expect(most).to_contain_text("keys")
        pill = film.get_by_role("radio", name=name).bounding_box()
        assert pill and margin and pill["x"] + pill["width"] <= margin["x"] + margin["width"]


def test_the_control_is_flat_and_has_one_curve_less(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training?born_more=1")
    film = widget(page, "grammar")
    expect(film.locator(".curve-line:is(.is-own, .is-other)")).to_have_count(6)
    with rerun(page):
        page.get_by_role("radio", name="control: trees of other sentences").click()
    expect(page.get_by_role("heading", name="A head of the small model does no better than a rule")).to_be_visible()
    expect(film.locator(".curve-line:is(.is-own, .is-other)")).to_have_count(5)


def test_a_small_network_has_no_sentence_in_the_bar_and_its_table_is_whole(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training?training_part=Small+networks&training_task=brackets")
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 844})
        part = widget(page, "parts_training").get_by_role("radio", checked=True)
        expect(part).to_have_text("Small networks")
        expect(part).to_be_in_viewport(ratio=1)
        page.wait_for_function(PARTS_WITHIN, arg=width)
        expect(page.get_by_text("its heads look only partly where the known way does")).to_be_visible()
        expect(sentence_line(page)).to_be_hidden()
        expect(page.get_by_label("Model", exact=True)).to_be_hidden()
        assert widget(page, "learning").locator(".tn-scroll").evaluate("one => one.scrollWidth <= one.clientWidth")
    expect(page.get_by_role("combobox", name="Learning rate")).to_be_hidden()
    page.get_by_text("Change the network").click()
    expect(page.get_by_role("combobox", name="Learning rate")).to_be_visible()


def test_a_run_is_played_paused_and_stepped_and_its_model_is_walked(page: Page, app_url: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    open_page(page, f"{app_url}/training?training_part=Small+networks&training_task=reverse")
    player = widget(page, "learning")
    moments = player.get_by_role("radiogroup", name="Moment of training")
    chosen = moments.get_by_role("radio", checked=True)
    expect(chosen).to_have_attribute("aria-label", spaced("step 800 of 800: 100 % right"))
    asked = runs(page)
    seen, head = set(), player.locator("figure:not(.is-wanted) canvas")
    expect(player.locator("td.is-wrong")).to_have_count(0)
    for key, count in (("Home", 0), ("End", 800)):
        chosen.press(key)
        expect(chosen).to_have_attribute("aria-label", re.compile(f"^step {count} of 800"))
        seen.add(head.evaluate(PIXELS))
    chosen.press("Home")
    player.get_by_role("button", name="Play").click()
    expect(chosen).not_to_have_attribute("aria-label", re.compile("^step 0 "))
    player.get_by_role("button", name="Pause").click()
    paused = chosen.evaluate(STEP)
    chosen.press("ArrowRight")
    assert 0 < paused < chosen.evaluate(STEP)
    chosen.press("Home")
    for _ in range(7):
        chosen.press("ArrowRight")
    seen.add(head.evaluate(PIXELS))
    assert len(seen) == 3 and runs(page) == asked, "the browser plays alone"
    handle, mark = (player.locator(one).bounding_box() for one in (".rail-line b", ".curve-mark"))
    assert handle and mark and abs(handle["x"] + 8 - mark["x"] - mark["width"] / 2) < 2, "one axis for both"
    with rerun(page):
        page.get_by_role("button", name="Step into this network").click()
    expect(page.locator(".at h1")).not_to_be_empty()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("g c e e e f f c e g")
    expect(page).to_have_url(re.compile(re.escape("model=learned")))


def test_a_task_is_trained_in_the_page(page: Page, app_url: str) -> None:
    quick = "training_task=majority&training_width=16&training_steps=50&training_seed=3"
    open_page(page, f"{app_url}/training?training_part=Small+networks&{quick}")
    page.get_by_role("button", name="Train it now").click()
    expect(page.get_by_role("heading", name="Majority: after 50 steps it answers")).to_be_visible(timeout=60_000)
    chosen = widget(page, "learning").get_by_role("radio", checked=True)
    expect(chosen).to_have_attribute("aria-label", re.compile("^step 50 of 50"))
    expect(page.get_by_role("button", name="Step into this network")).to_be_visible()


def test_a_hidden_task_is_guessed_in_the_picture_of_the_others(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    open_page(page, f"{app_url}/training?training_part=Small+networks&mystery=4")
    with rerun(page):
        page.locator(".st-key-training_hidden label").click()
    player = widget(page, "learning")
    expect(page.get_by_role("heading", name="Network 4: what does it compute")).to_be_visible()
    expect(player.locator(".is-hidden")).to_have_count(1)
    for box, option in (("What does it compute?", "Each half backwards"), ("Which head does it?", "head 1 of layer 0")):
        page.get_by_role("combobox", name=box).click()
        with rerun(page):
            page.get_by_role("option", name=option).click()
    expect(player.locator(".is-wanted p")).to_have_text("Each half backwards")
    with rerun(page):
        page.get_by_role("button", name="Check by measuring").click()
    expect(page.get_by_role("heading", name="Network 4 computes “Each half backwards”")).to_be_visible()
    expect(player.locator(".is-nearest")).to_contain_text(spaced("without it 100 % of the answers change"))
    assert barriers(page, "[data-testid=stMain]") == []

"""Training in a real browser: the film "Grammar is born", and a task that is learned.

They are played, dragged and stepped in the browser alone; no run of the server is asked for.
"""

import re

from browser_tools import barriers, dark, light, open_page, rerun, runs, widget
from page_sizes import CONTROLS
from playwright.sync_api import Page, expect

from encoder.checkpoint import snapshots
from encoder.exam.moments import bundled_moments
from encoder.exam.rise import rise
from encoder.support.formatting import percent
from encoder.tasks.kept_moments import at
from encoder.trace.unpadded import attention_weights

STEPS = snapshots("small")
LOADED = (STEPS[0], STEPS[-4], STEPS[-1])  # moments whose networks are loaded here as well
STEP = "output => Number(output.textContent.split(' ')[1])"
PIXELS = "canvas => Array.from(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).join()"
WIDTHS = "line => [...line.querySelectorAll('path.arc')].map(one => parseFloat(one.style.strokeWidth))"


def test_the_film_opens_on_the_finding_and_its_numbers_are_those_of_the_examination(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, f"{app_url}/training?born_heads=1")
    moments = bundled_moments("small")
    assert moments is not None
    shares = moments.shares("obj", 2, 0)
    expect(page.locator("h2").first).to_contain_text(f"{percent(shares[300])} → {percent(shares[1000])}")
    chart = widget(page, "grammar").get_by_role("slider", name="Moment of training")
    box, arcs = chart.bounding_box(), widget(page, "grammar_arcs").bounding_box()
    assert box and arcs and box["y"] + box["height"] < 900 and arcs["y"] < 900, "curves, and where the arcs begin"
    assert page.evaluate(CONTROLS) <= 20
    asked = runs(page)
    for step, key in zip((STEPS[0], *STEPS[1:]), ("Home", *["ArrowRight"] * 8), strict=True):
        chart.press(key)
        expect(widget(page, "grammar").locator("output.step")).to_have_text(f"step {step:,}: {percent(shares[step])}")
        if step not in LOADED:
            continue
        said = widget(page, "grammar_arcs").locator(".said")
        expect(said).to_contain_text(f"At step {step:,} head 0 of layer 2 looks from “bag” at ")
        trace = at("small", step).trace("The old man carried a very heavy bag.")
        weights = attention_weights(trace, 2)[0]
        words = trace.tokenization
        bag, most = words.find("bag")[0], re.search(r"at “(\S+)” (.+?),", said.inner_text())
        assert most and percent(float(weights[bag, words.find(most[1])[0]])).replace(" ", "") == "".join(
            most[2].split()
        )
        guess = at("small", step)
        asked_gap = guess.trace("The keys to the cabinet [MASK] on the table.")
        first = (guess.predict(asked_gap, 1, [asked_gap.tokens.index("[MASK]")]) or [])[0][0][0]
        expect(widget(page, "grammar_guess").locator("tr.here td").first).to_contain_text(first)
    assert runs(page) == asked, "the browser moves alone"
    expect(page.locator(".enc-title")).to_have_text("Training")

    rules = widget(page, "grammar").locator("path.rule")
    assert rules.count() == 6 and widget(page, "grammar_heads").locator("figure").count() == 16
    right = rise(moments, "obj")
    for share in (right.rule, right.fixed):
        number = re.compile(percent(share).replace(" ", r"\s"))
        expect(widget(page, "grammar").locator("text.note").filter(has_text=number)).to_have_count(1)


def test_it_is_played_dragged_and_asked_from_other_words(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, f"{app_url}/training")
    film, line = widget(page, "grammar"), widget(page, "grammar_arcs")
    chart, step = film.get_by_role("slider"), film.locator("output.step")
    expect(step).to_contain_text("step 1,000")
    before = line.locator("svg.arcs").evaluate(WIDTHS)
    chart.press("Home")
    film.get_by_role("button", name="Play").click()
    expect(step).to_contain_text("step 100:")
    film.get_by_role("button", name="Pause").click()
    assert line.locator("svg.arcs").evaluate(WIDTHS) != before
    box = chart.bounding_box()
    assert box
    page.mouse.move(box["x"] + 60, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 190, box["y"] + 100, steps=4)
    expect(step).to_contain_text("step 20,000")
    page.mouse.up()
    with rerun(page):
        line.get_by_role("button", name="heavy", exact=True).click()
    expect(line.locator(".said")).to_contain_text("looks from “heavy”")
    expect(line.locator("path.gold")).to_have_count(0)
    expect(step).to_contain_text("step 20,000")
    assert "born_word=6" in page.url
    line.get_by_role("button", name="heavy", exact=True).press("ArrowRight")
    expect(line.get_by_role("button", name="bag", exact=True)).to_be_focused()
    expect(page.locator(".enc-title")).to_have_text("Training")

    with rerun(page):
        page.get_by_role("radio", name="article → its noun").click()
    expect(page.locator("h2").first).to_contain_text("head 2 of layer 3")
    with rerun(page):
        page.get_by_label("A sentence of yours").fill("Dogs chase cats")
        page.get_by_label("A sentence of yours").press("Enter")
    expect(line.locator(".said")).to_contain_text("“cats”")
    expect(page.get_by_text("Nobody marked the grammar of this sentence")).to_be_visible()


def test_the_network_of_a_moment_is_walked(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training")
    film = widget(page, "grammar")
    film.get_by_role("slider").press("ArrowRight")
    with rerun(page):
        film.get_by_role("button", name="Walk the network of step 3,000").click()
    expect(page.locator(".at h1")).not_to_be_empty()
    assert "model=moment" in page.url and "layer=2" in page.url and "head=0" in page.url
    expect(page.locator("h1")).to_contain_text("bag")  # from which the arcs went
    assert "word=8" in page.url


def test_a_curve_is_chosen_by_its_name_and_the_moment_stays(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    open_page(page, f"{app_url}/training")
    film = widget(page, "grammar")
    before = film.locator("output.step").inner_text().split(":")[0]
    with rerun(page):
        film.locator("text.name", has_text="article → its noun").click()
    expect(page.locator("h2").first).to_contain_text("head 2 of layer 3")
    expect(film.locator("output.step")).to_contain_text(f"{before}:")


def test_ones_own_sentence_is_asked_from_its_gap_under_the_masked_verb(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training?born=gap:between&born_text=The+dogs+near+the+house+[MASK]+loud.")
    expect(widget(page, "grammar_arcs").locator(".said")).to_contain_text("looks from “[MASK]”")


def test_the_control_is_flat_and_the_film_begins_anew(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training")
    expect(widget(page, "grammar").locator("path.line")).to_have_count(5)
    expect(widget(page, "grammar").locator("path.interval")).to_have_count(len(STEPS))
    with rerun(page):
        page.get_by_role("radio", name="control: trees of other sentences").click()
    expect(page.locator("h2").first).to_contain_text("does not rise above the best fixed distance")
    expect(widget(page, "grammar").locator("path.line")).to_have_count(4)


def test_it_is_for_everybody_on_a_dark_phone(page: Page, app_url: str) -> None:
    """Where it is light, and wide, it is looked at with all pages."""
    page.set_viewport_size({"width": 390, "height": 844})
    open_page(page, f"{app_url}/training")
    expect(widget(page, "grammar").locator("path.line")).to_have_count(5)
    dark(page)
    assert barriers(page, "[data-testid=stMain]") == []
    light(page)


def test_a_run_is_played_paused_and_stepped_and_its_model_is_walked(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/training?training_part=Small+networks&training_task=reverse")
    player = widget(page, "learning")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    asked = runs(page)
    step, slider = player.locator("output.step"), player.get_by_role("slider")
    head = player.locator("figure.head canvas")
    player.get_by_role("button", name="Pause").click()
    seen = set()
    for key, count in (("Home", "step 0 of 800"), ("End", "step 800 of 800")):
        slider.focus()
        page.keyboard.press(key)
        expect(step).to_have_text(count)
        seen.add(head.evaluate(PIXELS))
    expect(player.locator("td.wrong")).to_have_count(0)
    expect(player.locator("p.said")).to_contain_text("100 % of the held-out inputs")
    page.keyboard.press("Home")
    player.get_by_role("button", name="Play").click()
    expect(step).not_to_have_text("step 0 of 800")
    player.get_by_role("button", name="Pause").click()
    paused = step.evaluate(STEP)
    player.get_by_role("button", name="One moment on").click()
    assert 0 < paused < step.evaluate(STEP)
    seen.add(head.evaluate(PIXELS))
    assert len(seen) == 3 and runs(page) == asked, "the browser plays alone"
    with rerun(page):
        page.get_by_role("button", name="Open this model").click()
    expect(page.locator(".at h1")).not_to_be_empty()
    expect(page.get_by_label("Sentence", exact=True)).to_have_value("g c e e e f f c e g")
    assert "model=learned" in page.url

"""A class in real browsers: a teacher, a phone and a third screen."""

import re

import pytest
from browser_tools import arrived, barriers, late, open_page, problems, rerun, watch
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

PATIENCE = 60_000
REST = 150  # milliseconds after a choice until the class is told of it
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def serious(page: Page) -> list[str]:
    """What axe-core finds in what a page shows of a class."""
    return barriers(page, "[data-testid=stMain]")


def tab(browser: Browser, **looks: object) -> Page:
    """A screen of its own: no cookie and no storage is shared."""
    shape = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | looks
    return another(browser.new_context(**shape))  # type: ignore[arg-type]


def another(context: BrowserContext) -> Page:
    """One more tab of a browser."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    watch(page)
    return page


def part(page: Page, name: str) -> Locator:
    """A button, a field or a fold of the class."""
    return page.locator(f"[data-class={name}]")


def line(page: Page) -> Locator:
    """What stands on every page of a class."""
    return page.locator(".enc-class-line")


def question(page: Page) -> Locator:
    return page.locator(".enc-class-question")


def words(page: Page) -> Locator:
    """The words of the sentence that a class is asked about."""
    return page.locator(".enc-class-words label")


def opened(browser: Browser, url: str) -> tuple[Page, str]:
    """A teacher's screen, and the code of the class that it leads."""
    teacher = tab(browser)
    open_page(teacher, f"{url}/class")
    part(teacher, "open").click()
    code = teacher.locator(".enc-class-code")
    expect(code).to_have_text(re.compile(r"^[A-Z]{6}$"))
    return teacher, code.inner_text()


def follows(page: Page) -> None:
    expect(line(page)).to_contain_text("You follow your teacher")


def is_at(page: Page, path: str, **query: str) -> None:
    """The address of the page says that it shows this."""
    said = "".join(rf"(?=.*[?&]{name}={value}(&|$))" for name, value in query.items())
    expect(page).to_have_url(re.compile(rf"^http://[^/]+/{path}(?=[?]){said}"), timeout=PATIENCE)


def go(page: Page, title: str) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True).click()


def head(page: Page, name: int) -> Locator:
    """The button of a head on the page of attention."""
    return page.get_by_role("radiogroup", name="head").get_by_role("radio", name=f"{name}")


def ask_where(teacher: Page) -> None:
    part(teacher, "ask").locator("summary").click()
    part(teacher, "ask_now").click()
    expect(part(teacher, "close")).to_be_visible(timeout=PATIENCE)


@pytest.mark.nightly
def test_a_phone_follows_a_teacher_over_the_pages_that_browsers_draw(browser: Browser, app_url: str) -> None:
    """Head, page and stop, without a run of a script; alone and back; asked, veiled, answered and shown; reloaded."""
    teacher, code = opened(browser, app_url)
    phone, asked = tab(browser, **PHONE), list[str]()
    open_page(phone, f"{app_url}/?code={code}")
    part(teacher, "begin_start").click()
    teacher.locator('[data-head-row="2,3"]').click()
    claim = phone.locator("[data-claim]")
    expect(claim).to_contain_text("Head 3 of layer 2")
    expect(claim).to_have_text(teacher.locator("[data-claim]").inner_text())
    follows(phone)
    is_at(phone, "", layer="2", head="3")
    assert "code" not in phone.url and phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    entries = phone.evaluate("history.length")
    phone.on("request", lambda request: asked.append(request.url))
    for chosen in ("5,6", "4,1"):
        teacher.locator(f'[data-head-row="{chosen}"]').click()
        is_at(phone, "", layer=chosen[0], head=chosen[2])
    assert phone.evaluate("history.length") == entries
    assert [url for url in asked if "/api/front/" not in url] == []  # these are scripts, which come when nobody waits

    go(teacher, "Attention")
    is_at(phone, "attention", layer="4", head="1")
    teacher.locator(".rail-stops [role=radio]").nth(5).click()
    is_at(phone, "attention", step="attention.scaled")
    expect(phone.get_by_role("heading", level=1)).to_have_text(teacher.get_by_role("heading", level=1).inner_text())

    phone.locator(".rail-play").first.tap()
    expect(line(phone)).to_contain_text("You are on your own")
    part(phone, "back").tap()
    follows(phone)
    head(phone, 5).tap()
    expect(line(phone)).to_contain_text("You are on your own")
    head(teacher, 2).click()
    expect(line(teacher)).to_contain_text("1 here, 0 following", timeout=PATIENCE)
    is_at(phone, "attention", head="5")
    part(phone, "back").tap()
    follows(phone)
    is_at(phone, "attention", layer="4", head="2")

    ask_where(teacher)
    expect(question(phone)).to_contain_text("look at most in head 2 of layer 4")
    for page in (teacher, phone):
        expect(page.locator(".enc-class-veil")).to_be_visible()
        expect(page.locator(".front")).to_be_hidden()
    option = words(phone).nth(2)
    answer = f"Your answer: {option.inner_text()}"
    option.tap()
    expect(question(phone)).to_contain_text(answer)
    expect(teacher.locator(".enc-class-count")).to_contain_text("of 1 answered")
    phone.reload()
    expect(question(phone)).to_contain_text(answer, timeout=PATIENCE)
    part(teacher, "reveal").click()
    for page in (teacher, phone):
        expect(question(page)).to_contain_text("of 1 got it.")
        expect(page.locator(".enc-class-veil")).to_be_hidden()
        expect(head(page, 2)).to_have_attribute("aria-checked", "true")
    for seen in (phone.locator(".picture").first, question(phone)):
        expect(seen).to_be_in_viewport(ratio=0.95)
    part(teacher, "put_away").click()
    expect(question(phone)).to_be_hidden()

    teacher.reload()
    expect(line(teacher)).to_contain_text("1 here, 1 following", timeout=PATIENCE)
    head(teacher, 6).click()
    is_at(phone, "attention", layer="4", head="6")
    go(teacher, "Training")
    is_at(phone, "training", head="6")
    teacher.get_by_role("radio", name="article → its noun").click()
    is_at(phone, "training", born="det", head="6")
    follows(phone)
    for page in (teacher, phone):
        assert problems(page) == []
        page.context.close()


def test_a_class_on_a_phone_and_by_keyboard(browser: Browser, app_url: str) -> None:
    """A code that is typed, the wall, and a guess; a tab whose line was cut has all of it again; axe looks on."""
    teacher, code = opened(browser, app_url)
    phone = tab(browser, **PHONE)
    open_page(phone, f"{app_url}/class")
    assert serious(phone) == []
    part(phone, "code").fill(f"{code[:3]} {code[3:]}".lower())
    part(phone, "code").press("Enter")
    expect(phone.locator("[data-testid=stMain]")).to_contain_text("will appear here by itself")
    send = part(phone, "send")
    for _ in range(5):  # a key that comes while the new page takes the line over is lost
        if not send.evaluate("box => box.open"):
            send.locator("summary").press("Enter")
    send.locator("input").fill("The <b>river</b> bank was $steep$.")
    send.locator("input").press("Enter")
    expect(teacher.locator(".enc-class-wall li")).to_contain_text("The <b>river</b> bank was $steep$.")
    assert serious(teacher) == []
    part(teacher, "run").press("Enter")
    for name in ("river", "bank", "steep"):  # drawn by the pupil's own browser
        expect(phone.locator(".enc-words")).to_contain_text(name, timeout=PATIENCE)
    follows(phone)

    ask_where(teacher)
    expect(question(phone)).to_contain_text("look at most in head")
    words(phone).nth(2).locator("input").press("Space")
    expect(question(phone)).to_contain_text("Your answer: b (3)")
    words(phone).nth(2).locator("input").press("ArrowRight")
    expect(question(phone)).to_contain_text("Your answer: [UNK] (4)")
    for page in (teacher, phone):
        assert serious(page) == []
    phone.context.set_offline(True)
    part(teacher, "close").click()
    part(teacher, "reveal").click()
    phone.context.set_offline(False)
    expect(question(phone)).to_contain_text("of 1 got it.", timeout=PATIENCE)
    follows(phone)
    part(teacher, "put_away").click()
    expect(line(teacher)).to_contain_text("1 sentence")
    with rerun(teacher):
        part(teacher, "page").click()
    part(teacher, "begin_attention").click()
    sentence = phone.get_by_role("textbox", name="Sentence", exact=True)
    expect(sentence).to_have_value("The <b>river</b> bank was $steep$.", timeout=PATIENCE)
    is_at(phone, "attention")
    assert serious(teacher) == [] and phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for page in (teacher, phone):
        page.context.close()


@pytest.mark.nightly
def test_a_teacher_leads_by_the_own_link_elsewhere_and_again_after_closing_the_tab(
    browser: Browser, app_url: str
) -> None:
    """The secret of the link leaves the address."""
    teacher, code = opened(browser, app_url)
    teacher.get_by_text("Lead from a second screen").click()
    teacher.context.grant_permissions(["clipboard-read", "clipboard-write"])
    part(teacher, "own_link").click()
    expect(part(teacher, "own_link")).to_have_text("Copied")
    expect(teacher.get_by_text("#class=")).to_have_count(0)
    link = teacher.evaluate("navigator.clipboard.readText()")
    second = tab(browser)
    open_page(second, link)
    for _ in range(2):
        expect(line(second)).to_contain_text(f"Class {code}", timeout=PATIENCE)
        expect(second.locator(".enc-class-code")).to_have_text(code)
        assert "#" not in second.url and code not in second.url
        second.reload()
    for page in (teacher, second):
        assert problems(page) == []
    second.context.close()

    context = teacher.context
    teacher.close()
    for door in ("lead_again", "code"):
        back = another(context)
        open_page(back, f"{app_url}/class")
        expect(back.get_by_role("heading", name=f"Class {code} is still open")).to_be_visible()
        if door == "code":
            part(back, "code").fill(code.lower())
            part(back, "code").press("Enter")
        else:
            part(back, "lead_again").click()
        expect(back.locator(".enc-class-code")).to_have_text(code)
        back.close()
    back = another(context)
    open_page(back, f"{app_url}/class")
    part(back, "lead_again").click()
    back.get_by_text("End the class").click()
    part(back, "end").click()
    expect(part(back, "open")).to_be_visible()
    expect(part(back, "lead_again")).to_be_hidden()
    back.reload()
    expect(part(back, "open")).to_be_visible()
    expect(part(back, "lead_again")).to_be_hidden()
    context.close()


def test_a_step_of_a_lesson_is_asked_in_its_strip_and_a_pupil_takes_a_sheet_along(
    browser: Browser, app_url: str
) -> None:
    """Asked, talked about, asked again and revealed in one place; who is right sees so; a page to hand in."""
    teacher, code = opened(browser, app_url)
    phone, pupil = tab(browser, **PHONE), tab(browser)
    for page in (phone, pupil):
        open_page(page, f"{app_url}/class?code={code}")
        follows(page)
    open_page(teacher, f"{app_url}/lessons")
    teacher.get_by_role("link", name=re.compile("What is attention")).first.click()
    strips = [page.get_by_role("complementary", name="Lesson: What is attention?") for page in (teacher, phone, pupil)]
    for strip in strips[1:]:
        expect(strip).to_contain_text("Wait for the question.", timeout=PATIENCE)
    part(phone, "send").locator("summary").tap()
    field = teacher.get_by_role("textbox", name="Sentence", exact=True)
    sentence = field.input_value()
    field.press("a")
    field.fill(sentence)
    expect(strips[0].get_by_role("button", name="Ask the class")).to_be_visible()
    strips[0].get_by_role("heading", level=2).click()
    teacher.keyboard.press("a")
    expect(phone.get_by_label("A sentence for the class to try")).to_be_hidden()
    for strip in strips:
        expect(strip).to_contain_text("Which word does this head look at most", timeout=PATIENCE)
        expect(strip.page.locator(".front")).to_be_hidden()
        expect(question(strip.page)).to_have_count(0)  # there is no other place for it
    words(phone).filter(has_text="street").tap()
    words(pupil).filter(has_text="animal").click()
    expect(teacher.locator(".enc-class-count")).to_contain_text("2 of 2 answered")
    expect(teacher.locator(".enc-class-votes").first).to_be_hidden()
    part(teacher, "compare").click()
    for page in (teacher, phone, pupil):
        expect(page.locator(".enc-class-votes:visible")).to_have_count(2)
        expect(page.locator(".enc-lesson, .enc-class-veil").first).not_to_contain_text("the model gives")
    part(teacher, "again").click()
    expect(words(phone).filter(has_text="animal").locator("input")).to_be_enabled()
    words(phone).filter(has_text="animal").tap()
    words(pupil).filter(has_text="street").click()
    expect(teacher.locator(".enc-class-count")).to_contain_text("2 of 2 answered")
    teacher.keyboard.press("s")
    expect(strips[0]).to_contain_text("Which word does this head look at most")  # and not the answer
    part(teacher, "reveal").focus()
    teacher.keyboard.press("r")
    expect(strips[1]).to_contain_text("You got it: animal")
    for word in phone.locator(".enc-lesson-asked .enc-word").filter(has_text=re.compile("animal|street")).all():
        expect(word).to_be_in_viewport(ratio=1)
    expect(strips[2]).to_contain_text("You said street")
    for strip in strips:
        expect(strip).to_contain_text("1 of 2, then 1 of 2 got it.")
        expect(strip.page.locator(".front")).to_be_visible()
    is_at(pupil, "attention", layer="4", head="1", word="8")
    expect(pupil.locator(".enc-class-all")).to_contain_text("the model gives")

    part(pupil, "sheet").locator("summary").click()
    expect(part(pupil, "sheet")).to_contain_text("You answered “animal”, then “street”: not this time.")
    pupil.get_by_label("Observation 1").fill("It looks back. <b>")
    for page in (teacher, pupil):  # the pictures are there
        page.wait_for_function("() => JSON.parse(sessionStorage.getItem('class-sheet'))?.pictures[1]")
    open_page(teacher, f"{app_url}/class")
    with teacher.expect_download() as saving:
        part(teacher, "html").click()
    text = saving.value.path().read_text()
    assert "1 of 2, then 1 of 2 got it." in text and text.count("<figure>") == 1
    teacher.get_by_text("End the class").click()
    part(teacher, "end").click()
    expect(pupil.get_by_role("alert").first).to_contain_text("The class has ended. Your")
    with pupil.expect_download() as saving:
        pupil.locator("[role=alert] [data-class=sheet_save]").click()
    text = saving.value.path().read_text()
    assert saving.value.suggested_filename == f"my_sheet_{code}.html"
    assert "“animal”, then “street”" in text and "It looks back. &lt;b&gt;" in text
    assert text.count("<figure>") == 1 and 'src="data:image/png' in text and "<script" not in text
    sheet = another(pupil.context)  # from a disk, without a server, with nothing else than itself
    sheet.set_content(text)
    expect(sheet.locator("figure .enc-word.is-yours")).to_contain_text("street")
    for seen in ("figure .enc-arcs", "figure h1", "figure img"):
        expect(sheet.locator(seen).first).to_be_visible()
    assert sheet.locator("figure :is(input, select, .rail, .more)").count() == 0
    for page in (teacher, phone, pupil):
        assert problems(page) == []
        page.context.close()


def test_who_answers_a_number_still_follows_and_sees_it_among_the_others(browser: Browser, app_url: str) -> None:
    """Also where the page chooses something by itself: here the second sentence and the word in it; and below it."""
    teacher, code = opened(browser, app_url)
    phone = tab(browser, **PHONE)
    open_page(phone, f"{app_url}/class?code={code}")
    open_page(teacher, f"{app_url}/lessons")
    teacher.get_by_role("link", name=re.compile("What is attention")).first.click()
    teacher.get_by_role("button", name=re.compile("^Step 6")).click()
    is_at(phone, "compare")
    for page in (teacher, phone):
        expect(page.locator(".enc-lesson h2")).to_contain_text("What is it after the last layer?")
    expect(phone.locator(".enc-lesson-shut")).to_have_text("The picture opens with the answer.")
    part(teacher, "page").click()
    part(teacher, "go_on").click()
    is_at(teacher, "compare", lesson="what-is-attention", at="6")
    expect(teacher.locator(".enc-lesson h2")).to_contain_text("What is it after the last layer?")
    expect(teacher.get_by_role("button", name="Ask the class")).to_be_visible()
    teacher.keyboard.press("a")
    slider = phone.get_by_role("slider", name=re.compile("What is it after the last layer"))
    slider.fill("0.9")
    expect(phone.locator(".enc-lesson")).to_contain_text("Your answer: 0.9")
    part(teacher, "compare").click()
    expect(phone.locator(".enc-class-veil .is-yours")).to_be_visible()
    teacher.keyboard.press("r")
    dots = phone.get_by_role("img", name=re.compile(r"^1 answer; the model: 0\.467"))
    expect(dots.locator(".is-yours")).to_be_visible(timeout=PATIENCE)
    expect(phone.locator(".enc-class-veil")).to_be_hidden()
    follows(phone)
    # A class sees what its teacher opens and chooses below a picture.
    open_page(teacher, f"{app_url}/output")
    teacher.get_by_role("button", name="How the vectors change from layer to layer").click()
    teacher.locator("#more-ways").get_by_role("radio", name="Length", exact=True).click()
    ways = phone.locator("#more-ways")
    expect(ways).to_contain_text("times as long as the shortest", timeout=PATIENCE)
    expect(ways.get_by_role("radio", name="Length", exact=True)).to_be_checked()
    teacher.locator("#more-ways").get_by_role("radio", name="Cosine to the end", exact=True).click()
    expect(ways).to_contain_text("The cosine to the end is", timeout=PATIENCE)
    follows(phone)
    for page in (teacher, phone):
        assert problems(page) == []
        page.context.close()


def test_what_is_chosen_last_counts_though_what_was_chosen_before_comes_late(browser: Browser, app_url: str) -> None:
    """As beside a busy server: a teacher's step, or a pupil's answer, is still on its way when the next is taken."""
    teacher, code = opened(browser, app_url)
    pupil = tab(browser)
    open_page(pupil, f"{app_url}/class?code={code}")
    part(teacher, "begin_attention").click()
    is_at(pupil, "attention")

    with late(teacher, "class/show") as held:
        head(teacher, 2).click()
        arrived(teacher, held, 1)
        head(teacher, 3).click()
        teacher.wait_for_timeout(5 * REST)
    is_at(pupil, "attention", head="3")
    pupil.wait_for_timeout(5 * REST)
    is_at(pupil, "attention", head="3")

    ask_where(teacher)
    with late(pupil, "class/answer") as held:
        words(pupil).nth(1).click()
        arrived(pupil, held, 1)
        words(pupil).nth(2).click()
        pupil.wait_for_timeout(5 * REST)
    expect(words(pupil).nth(2)).to_have_class("is-yours")
    pupil.wait_for_timeout(5 * REST)
    pupil.reload()
    expect(words(pupil).nth(2)).to_have_class("is-yours", timeout=PATIENCE)
    for page in (teacher, pupil):
        assert problems(page) == []
        page.context.close()


def test_the_picture_is_hidden_before_a_question_and_comes_back_where_it_was_asked(
    browser: Browser, app_url: str
) -> None:
    """Also for who is alone; each sees the own answer beside the model's number; no name of a step meets the next one.

    Whoever asks is warned first of every kind of answer that the page shows.
    """
    teacher, code = opened(browser, app_url)
    pupil = tab(browser)
    open_page(pupil, f"{app_url}/class?code={code}")
    part(teacher, "begin_attention").click()
    follows(pupil)
    head(pupil, 3).click()
    expect(line(pupil)).to_contain_text("You are on your own")
    warning = teacher.get_by_text("The page already shows the answer.")
    part(teacher, "ask").locator("summary").click()
    for kind, shows in (("look", True), ("much", True), ("word", True), ("claim", False)):
        teacher.get_by_label("Ask", exact=True).select_option(kind)
        expect(warning).to_have_count(int(shows))
    claims = teacher.locator(".enc-class-fields option").all_inner_texts()
    assert claims and len(claims) == len(set(claims))
    part(teacher, "ask").locator("summary").click()
    part(teacher, "hide").click()
    for page in (teacher, pupil):
        expect(page.locator(".front .enc-finding")).to_be_hidden()
    expect(pupil.locator(".enc-class-veil")).to_contain_text("A question is coming.")
    veil, bar = teacher.locator(".enc-class-veil").bounding_box(), teacher.locator(".front .enc-bar").bounding_box()
    assert veil and bar and veil["y"] >= bar["y"] + bar["height"], "said where the picture was"
    expect(teacher.locator(".enc-class-veil")).to_have_text("The picture is hidden until the answer is revealed.")
    expect(teacher.get_by_role("textbox", name="Sentence", exact=True)).to_be_visible()
    part(teacher, "ask").locator("summary").click()
    teacher.get_by_label("Ask", exact=True).select_option("much")
    expect(warning).to_have_count(0)
    for name, value in (("layer", "4"), ("head", "1"), ("word", "8"), ("to", "3")):
        teacher.locator(f".enc-class-fields select[name={name}]").select_option(value)
    part(teacher, "ask_now").click()
    expect(question(pupil)).to_contain_text("100 %", timeout=PATIENCE)
    question(pupil).get_by_role("slider").fill("90")
    expect(question(pupil)).to_contain_text("Your answer: 90 %.")
    part(teacher, "reveal").click()
    expect(question(pupil)).to_contain_text(re.compile(r"The answer is [\d.]+ %: 0 of 1 came near\."))
    expect(question(pupil)).to_contain_text("You answered 90 %: not this time.")
    is_at(teacher, "attention", layer="4", head="1", word="8")
    expect(teacher.locator(".front .enc-finding")).to_be_in_viewport()
    teacher.set_viewport_size({"width": 1366, "height": 768})
    teacher.locator(".front .enc-finding").click()
    teacher.keyboard.press("p")
    expect(teacher.locator(".enc-present")).to_be_visible()
    assert teacher.locator(".rail-stops button").evaluate_all(
        "all => all.every(one => one.scrollWidth <= one.clientWidth)"
    )
    part(pupil, "see").click()
    is_at(pupil, "attention", layer="4", head="1", word="8")
    for page in (teacher, pupil):
        assert problems(page) == []
        page.context.close()


def answer(page: Page, place: int) -> None:
    """Choose one of what is asked, whatever it is."""
    asked = page.locator(".enc-class-options, .enc-class-words").locator("input").first
    asked.wait_for(state="attached", timeout=PATIENCE)
    if asked.get_attribute("type") == "range":
        asked.fill(asked.get_attribute("max") or "")
    else:
        page.locator(".enc-class-options label, .enc-class-words label").nth(place).click()
    expect(page.get_by_text("Your answer:")).to_be_visible()

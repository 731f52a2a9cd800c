"""A class in real browsers: on a phone and by keyboard, and over two replicas that share a store."""

import re
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis_server
from browser_tools import NEXT_FRAMES, READY, barriers, free_port, open_page, places, problems, rerun, watch, widget
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect
from school import School, two_replicas

PATIENCE = 60_000


def serious(page: Page) -> list[str]:
    """What axe-core finds that counts, and that stays: what a page has of its run before is pale for a moment.

    On a phone Streamlit's own menu has lists that axe-core finds wanting, on every page.
    """
    deadline, lines = time.monotonic() + 60, ["not looked at yet"]
    while lines and time.monotonic() < deadline:
        page.wait_for_function(READY)
        page.evaluate(NEXT_FRAMES)
        lines = barriers(page, "[data-testid=stMain]")
    return lines


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


def opened(browser: Browser, url: str) -> tuple[Page, str]:
    """A teacher's screen, and the code of the class that it leads."""
    teacher = tab(browser)
    open_page(teacher, f"{url}/class")
    widget(teacher, "class_open_new").get_by_role("button").click()
    code = teacher.locator(".class-code")
    expect(code).to_have_text(re.compile(r"^[A-Z]{6}$"))
    return teacher, code.inner_text()


def follows(page: Page) -> None:
    expect(widget(page, "class_line")).to_contain_text("You see what the class sees")


def shows(page: Page, **query: str) -> None:
    """The address of the page says that it shows this."""
    for name, value in query.items():
        expect(page).to_have_url(re.compile(rf"[?&]{name}={value}(&|$)"))


def press(page: Page, key: str) -> None:
    widget(page, key).get_by_role("button").first.click()


def ask_where(teacher: Page) -> None:
    press(teacher, "class_ask")
    press(teacher, "class_ask_now")
    expect(widget(teacher, "class_acts")).to_be_visible()


def test_a_class_on_a_phone_and_by_keyboard(browser: Browser, app_url: str) -> None:
    """The wall, a guess and what is right; nothing of what others say comes before its time, axe looks on."""
    teacher, code = opened(browser, app_url)
    phone = tab(browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    frames: list[bytes] = []
    phone.on("websocket", lambda one: listen(one, frames))
    open_page(phone, f"{app_url}/class")
    assert serious(phone) == []
    box = widget(phone, "class_code").locator("input")
    box.fill(f"{code[:3]} {code[3:]}".lower())
    box.press("Enter")
    expect(phone.locator("[data-testid=stMain]")).to_contain_text("comes to this screen by itself")
    send = widget(phone, "class_send").get_by_role("button").first
    send.press("Enter")
    sentence = widget(phone, "class_sentence").locator("input")
    sentence.fill("The <b>river</b> bank was $steep$.")
    sentence.press("Enter")
    run = teacher.locator("[class*=st-key-class_run_] button")
    expect(run).to_have_count(1)
    expect(teacher.locator("[class*=st-key-class_wall_]")).to_contain_text("The <b>river</b> bank was $steep$.")
    assert serious(teacher) == []
    phone.keyboard.press("Escape")  # a touch: done before the class goes on
    expect(sentence).to_have_count(0)
    run.press("Enter")
    for name in ("river", "bank", "steep"):  # on Start, drawn by the pupil's own browser
        expect(phone.locator(".enc-words")).to_contain_text(name)
    follows(phone)

    ask_where(teacher)
    other = tab(browser)
    open_page(other, f"{app_url}/class?code={code}")
    for page in (phone, other):
        expect(widget(page, "class_question")).to_contain_text("look most in layer")
    before = len(frames)
    answer = widget(other, "class_question").locator("[data-testid=stButtonGroup] button").nth(1)
    answer.click()
    expect(widget(other, "class_question")).to_contain_text("Your answer: 1")
    expect(widget(teacher, "class_line")).to_contain_text("1 answered")
    mine = widget(phone, "class_question").locator("[data-testid=stButtonGroup] button").nth(2)
    mine.press("Enter")
    expect(widget(phone, "class_question")).to_contain_text("Your answer: 2")
    other.mouse.move(0, 0)  # a chosen answer under the pointer is darker
    assert serious(other) == []
    press(teacher, "class_close")
    expect(widget(phone, "class_question")).to_contain_text("No more answers")
    hidden = b"".join(frames[before:])
    assert b"class_answers" not in hidden and b"Most often" not in hidden and "It is “".encode() not in hidden
    press(teacher, "class_reveal")
    for page in (phone, other, teacher):
        expect(widget(page, "class_answers").locator(".js-plotly-plot .main-svg").first).to_be_visible()
        expect(widget(page, "class_question")).to_contain_text("of 2 (")
    assert serious(other) == serious(teacher) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for page in (teacher, phone, other):
        assert problems(page) == []
        page.context.close()


def listen(socket: WebSocket, frames: list[bytes]) -> None:
    """Keep all that a page receives."""
    socket.on("framereceived", lambda frame: frames.append(frame if isinstance(frame, bytes) else frame.encode()))


def test_a_teacher_leads_by_the_own_link_elsewhere_and_again_after_closing_the_tab(
    browser: Browser, app_url: str
) -> None:
    """The secret of the link leaves the address."""
    teacher, code = opened(browser, app_url)
    widget(teacher, "class_own").locator("label").click()
    link = teacher.locator(".st-key-class_own ~ * code, [data-testid=stCode] code").first.inner_text().strip()
    second = tab(browser)
    open_page(second, link)
    expect(widget(second, "class_line")).to_contain_text(f"Class {code}")
    expect(second.locator(".class-code")).to_have_text(code)
    assert "#" not in second.url and code not in second.url
    with rerun(second):
        second.reload()
    expect(second.locator(".class-code")).to_have_text(code)
    for page in (teacher, second):
        assert problems(page) == []
    second.context.close()

    context = teacher.context
    teacher.close()
    for door in ("class_lead_again", "class_code"):
        back = another(context)
        open_page(back, f"{app_url}/class")
        button = widget(back, "class_lead_again").locator("button")
        expect(button).to_have_text(f"Lead class {code} again")
        if door == "class_code":
            back.get_by_label("Code", exact=True).fill(code.lower())
            button = widget(back, "class_join_in").locator("button")
        with rerun(back):
            button.click()
        expect(back.locator(".class-code")).to_have_text(code)
        back.close()
    back = another(context)
    open_page(back, f"{app_url}/class")
    press(back, "class_lead_again")
    widget(back, "class_end").locator("label").click()
    press(back, "class_end_now")
    expect(widget(back, "class_code")).to_be_visible()
    with rerun(back):
        back.reload()
    expect(widget(back, "class_open_new")).to_be_visible()
    expect(widget(back, "class_lead_again")).to_have_count(0)
    context.close()


@pytest.fixture
def school(tmp_path: Path) -> Iterator[tuple[School, int]]:
    port = free_port()
    with two_replicas(tmp_path, {"ENCODER_CLASS_STORE": f"redis://127.0.0.1:{port}/0"}) as found:
        yield found, port


def of_replica(browser: Browser, here: School, replica: str) -> Page:
    """A screen that the proxy leads to that replica."""
    for number in range(100):
        asked = urllib.request.Request(f"{here.url}/?try={number}", headers={"Cookie": f"replica=screen{number}"})
        urllib.request.urlopen(asked).close()
        while f"GET /?try={number} " not in here.log.read_text():
            time.sleep(0.01)
        if here.last_server(f"GET /?try={number} ") == replica:
            page = tab(browser)
            page.context.add_cookies([{"name": "replica", "value": f"screen{number}", "url": here.url}])
            return page
    raise AssertionError(f"no cookie leads to {replica}")


@pytest.mark.nightly
def test_a_class_lives_on_two_replicas_and_outlives_one(
    school: tuple[School, int], browser: Browser, tmp_path: Path
) -> None:
    """Three pupils see each step; those whose replica dies come back to the class; a new store is a class gone."""
    here, port = school
    with redis_server.running(tmp_path / "redis", port):
        teacher, code = opened(browser, here.url)
        leads = here.last_server("GET /_stcore/host-config")
        dying = next(one for one in here.replicas if one != leads)
        pupils = [of_replica(browser, here, one) for one in (leads, dying, dying)]
        for page in pupils:
            open_page(page, f"{here.url}/class?code={code}")
        open_page(teacher, f"{here.url}/atlas?layer=2&head=3")
        for page in pupils:
            follows(page)
            shows(page, layer="2", head="3")
        for head in ("5", "6", "7"):
            places(teacher, "head").get_by_role("radio", name=f"head {head}", exact=True).click()
            for page in pupils:
                shows(page, layer="2", head=head)

        alone = pupils[-1]
        here.replicas[dying].process.kill()
        places(teacher, "head").get_by_role("radio", name="head 0", exact=True).click()
        for page in pupils:
            follows(page)
            expect(page).not_to_have_url(re.compile("[?&]head=7"))
            expect(places(page, "head").get_by_role("radio", checked=True)).to_have_text("0")
        with rerun(alone, 60):
            places(alone, "layer").get_by_role("radio", name="layer 1", exact=True).click()
        expect(widget(alone, "class_line")).to_contain_text("You are on your own")
        press(alone, "class_back")
        follows(alone)
    for page in (teacher, *pupils):
        expect(widget(page, "class_strip")).to_contain_text("cannot be reached just now")
    with redis_server.running(tmp_path / "redis", port):
        for page in (teacher, *pupils):
            expect(page.locator("[data-testid=stMain]")).to_contain_text("The class is over")
            expect(widget(page, "class_strip")).to_have_count(0)
            expect(page.locator("h1")).to_have_text("Atlas")
            page.context.close()

"""What the routes of classes answer: to a teacher, to pupils, and to who is neither."""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from front_requests import ODD
from starlette.applications import Starlette
from starlette.testclient import TestClient, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from pages.front import class_routes, class_streams, routes
from pages.ui.classroom import classroom as rules
from pages.ui.lessons import library

SCREEN = (Path(__file__).parents[1] / "encoder/browser/built/in_class.js").read_text(encoding="utf-8")

GAP = {"sentence": "The keys to the cabinet [MASK] on the table.", "model": "small", "layer": "1", "head": "2"}
HOSTILE = "<img src=x onerror=alert(1)> \u202e $x$ \x00"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A browser on a server with classes of this test alone, which looks often at what is new."""
    monkeypatch.setattr(class_streams, "LOOK", 0.02)
    monkeypatch.setattr(class_streams, "COUNT", 0.02)
    rules.classroom.cache_clear()
    class_routes.classes.cache_clear()
    with TestClient(Starlette(routes=routes.routes())) as found:
        yield found
    rules.classroom.cache_clear()
    class_routes.classes.cache_clear()


def post(client: TestClient, route: str, status: int = 200, headers: dict[str, str] | None = None, **said: Any) -> Any:
    """What is answered."""
    answer = client.post(f"/api/class/{route}", json=said, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def opened(client: TestClient) -> tuple[str, str]:
    """A teacher's seat and a pupil's."""
    teacher = post(client, "open")["seat"]
    return teacher, post(client, "join", code=teacher[:6].lower())["seat"]


class Heard:
    """What a screen is told, as far as it was read."""

    def __init__(self, line: WebSocketTestSession, seat: str) -> None:
        self.line, self.all, self.parts = line, list[str](), dict[str, Any]()
        line.send_json({"seat": seat})

    def until(self, true: Any) -> dict[str, Any]:
        while not true(self.parts):
            self.all.append(self.line.receive_text())
            self.parts |= json.loads(self.all[-1])
        return self.parts


def listen(client: TestClient) -> WebSocketTestSession:
    return client.websocket_connect("/api/class/events")


def asked(parts: dict[str, Any]) -> Any:
    return parts.get("class", {}).get("asked")


def phase(parts: dict[str, Any]) -> str:
    return (asked(parts) or {}).get("phase", "")


def test_pupils_are_told_what_the_teacher_shows_and_nothing_of_answers_before_their_time(client: TestClient) -> None:
    teacher, pupil = opened(client)
    other = post(client, "join", code=teacher[:6])["seat"]
    with listen(client) as led, listen(client) as line, listen(client) as third:
        leads, hears = Heard(led, teacher), Heard(line, pupil)
        Heard(third, other).until(lambda parts: "own" in parts)
        post(client, "show", seat=teacher, page="attention", query=GAP | {"code": "ABCDEF"})
        shown = hears.until(lambda parts: parts.get("class", {}).get("shown", {}).get("page"))["class"]["shown"]
        assert (shown["page"], shown["query"]) == ("attention", GAP)
        assert hears.parts["class"]["led"] and hears.parts["own"]["answer"] is None
        post(client, "ask", seat=teacher, query=GAP, kind="look", word=2)
        about = asked(hears.until(asked))
        assert about["ask"] == "Which word does “keys” look at most in head 2 of layer 1?"
        assert len(about["options"]) == 10 and about["options"][1:4] == ["keys", "to", "the (4)"]
        assert about["sentence"] == "The keys to the cabinet ____ on the table."
        assert post(client, "answer", seat=pupil, number=1, round=1, answer=3) == {"taken": True}
        assert post(client, "answer", seat=other, number=1, round=1, answer=1) == {"taken": True}
        assert post(client, "answer", seat=pupil, number=1, round=2, answer=3) == {"taken": False}
        leads.until(lambda parts: parts.get("counts", {}).get("answered") == 2)
        post(client, "act", seat=teacher, act="close")
        hears.until(lambda parts: phase(parts) == "closed")
        said = "".join(hears.all)
        assert (
            all(name not in said for name in ("values", "truth", "finding"))
            and "Most often" not in said
            and other[-32:] not in said
        )
        assert teacher[-32:] not in said and '"answered"' not in said
        post(client, "act", seat=teacher, act="compare")
        results = hears.until(lambda parts: phase(parts) == "answers")["class"]["results"]
        assert [line["votes"] for line in results["lines"]][1:4] == [[1], [0], [1]]
        assert {(line["right"], line["value"]) for line in results["lines"]} == {(None, None)}
        assert client.post("/api/class/keep", json={"seat": teacher}).text.count("\n") == 1, "no more than its head"
        post(client, "act", seat=teacher, act="again")
        assert hears.until(lambda parts: phase(parts) == "open")["class"].get("results") is None
        for seat, round, taken in ((other, 1, False), (other, 2, True), (pupil, 2, True)):
            assert post(client, "answer", seat=seat, number=1, round=round, answer=3) == {"taken": taken}
        post(client, "act", seat=teacher, act="reveal")
        results = hears.until(lambda parts: phase(parts) == "shown")["class"]["results"]
        assert [line["votes"] for line in results["lines"]][1:4] == [[1, 0], [0, 0], [1, 2]]
        assert "asked 2 times" in post(client, "act", 409, seat=teacher, act="again")["message"]
        assert "question is over" in post(client, "act", 409, seat=teacher, act="close")["message"]
        best = max(results["lines"], key=lambda line: line["value"])
        assert best["right"] and [line["right"] for line in results["lines"]].count(True) == 1
        assert results["said"].startswith(f"The answer is “{best['text']}”")
        csv = client.post("/api/class/keep", json={"seat": teacher}).text
        assert csv.splitlines()[0].startswith("\ufeffquestion,asked,vote") and "the (4),1,2" in csv
        assert len(leads.until(lambda parts: parts.get("results"))["results"]) == 1
    with listen(client) as again:  # a tab that is loaded anew
        own = Heard(again, pupil).until(lambda parts: "own" in parts)["own"]
        assert own == {"answer": 3, "table": "1.2", "sentence": ""}


def test_what_is_hidden_is_sent_to_no_pupil_before_the_answer(client: TestClient) -> None:
    """Ask first, then open: the answer comes with the asked word, layer and head."""
    teacher, pupil = opened(client)
    with listen(client) as led, listen(client) as line:
        leads, hears = Heard(led, teacher), Heard(line, pupil)
        for heard in (leads, hears):
            heard.until(lambda parts: "class" in parts)
        post(client, "act", seat=teacher, act="hide")
        hears.until(lambda parts: parts["class"]["covered"])
        post(client, "show", seat=teacher, page="heads", query=GAP | {"layer": "3"})
        leads.until(lambda parts: parts["class"]["shown"]["page"] == "heads")
        post(client, "ask", seat=teacher, query=GAP, page="attention", kind="look", word=5)
        hears.until(lambda parts: phase(parts) == "open")
        with listen(client) as late:
            shown = Heard(late, pupil).until(lambda parts: "class" in parts)["class"]["shown"]
        assert (shown["page"], shown["query"]) == ("", {})
        post(client, "act", seat=teacher, act="compare")
        hears.until(lambda parts: phase(parts) == "answers")
        assert "heads" not in "".join(hears.all) and '"page": "attention"' not in "".join(hears.all)
        post(client, "act", seat=teacher, act="reveal")
        shown = hears.until(lambda parts: phase(parts) == "shown")["class"]["shown"]
        assert shown["page"] == "attention" and not hears.parts["class"]["covered"]
        assert shown["query"] == GAP | {"layer": "1", "head": "2", "word": "5", "step": "attention.weights"}
        post(client, "act", seat=teacher, act="put_away")
        post(client, "act", seat=teacher, act="hide")
        hears.until(lambda parts: parts["class"]["covered"])
        post(client, "act", seat=teacher, act="unhide")
        assert hears.until(lambda parts: not parts["class"]["covered"])["class"]["shown"]["page"] == "attention"


@pytest.mark.parametrize(
    ("kind", "given", "begins"),
    [
        ("much", {"word": 2, "to": 5}, "What percentage of its weight does “keys” give “cabinet”"),
        ("word", {"word": 6}, "What does the model put in the gap?"),
        ("word", {"word": 2}, "What does the model put in the gap?"),
        ("claim", {"claim": 1}, ""),
        ("lesson", {}, ""),
    ],
)
def test_five_kinds_of_questions_are_made_of_the_run_on_the_screen(
    client: TestClient, kind: str, given: dict[str, int], begins: str
) -> None:
    teacher, pupil = opened(client)
    queries = [GAP]
    if kind == "lesson":
        queries = [{"lesson": "what-is-attention", "at": str(at), "model": "small"} for at in range(1, 7)]
        refusal = post(client, "ask", 409, seat=teacher, query=GAP, kind=kind)
        assert "asks nothing" in refusal["message"]
        steps = library.bundled()["what-is-attention"].steps
        queries = [query for query in queries if steps[int(query["at"]) - 1].question]
    query, offered = queries[0], post(client, "offer", seat=teacher, query=queries[0])
    assert len({*offered["tokens"]}) == len(offered["tokens"]) and offered["claims"] and offered["no_guess"] == ""
    post(client, "ask", seat=teacher, query=query, kind=kind, **given)
    with listen(client) as line:
        about = asked(Heard(line, pupil).until(asked))
    if kind == "lesson":
        question = library.bundled()[query["lesson"]].steps[int(query["at"]) - 1].question
        assert question is not None
        begins = question.ask.replace("*", "").partition("{")[0]
        assert begins
    assert about["ask"].startswith(begins)
    if "word" in given:
        assert ("The ____ to the cabinet" in about["sentence"]) == (kind == "word" and given["word"] == 2)
    answer = about["low"] if about["kind"] == "number" else 0
    assert post(client, "answer", seat=pupil, number=1, round=1, answer=answer)["taken"]
    post(client, "act", seat=teacher, act="reveal")
    if kind == "claim":
        with listen(client) as line:
            results = Heard(line, pupil).until(lambda parts: phase(parts) == "shown")["class"]["results"]
        assert results["said"].partition("got it. ")[2]  # what was measured


def test_a_step_of_a_lesson_is_asked_and_judged_as_it_says_itself(client: TestClient) -> None:
    """The word asked about is no answer to what is most like it; words are not marked by stars."""
    teacher, pupil = opened(client)
    post(client, "ask", seat=teacher, query=library.query_of("the-story", 3), kind="lesson")
    with listen(client) as line:
        about = asked(Heard(line, pupil).until(asked))
    assert about["ask"] == "Which vector is most like that of keys?"
    assert post(client, "answer", seat=pupil, number=1, round=1, answer=about["options"].index("keys"))["taken"]
    post(client, "act", seat=teacher, act="reveal")
    with listen(client) as line:
        results = Heard(line, pupil).until(lambda parts: phase(parts) == "shown")["class"]["results"]
    assert [line["text"] for line in results["lines"] if line["right"]] == ["cabinet"]
    post(client, "ask", seat=teacher, query=library.query_of("many-heads", 3), kind="lesson")
    with listen(client) as line:
        about = asked(Heard(line, pupil).until(lambda parts: asked(parts) and asked(parts)["number"] == 2))
    assert about["ask"] == "Some head links keys and table."


def test_who_is_no_teacher_leads_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_routes, "SLOWED", 0.0)
    teacher, pupil = opened(client)
    forged = [
        f"{teacher[:6]}-leads-{pupil[-32:]}",
        f"{teacher[:6]}-leads-{32 * '0'}",
        f"{teacher[:6]}-leads-{post(client, 'open')['seat'][-32:]}",
        f"{teacher[:6]}-leads-{rules.classroom().classes[teacher[:6]].secret}",
        f"ABABAB{teacher[6:]}",
        f"{teacher[:6]}-follows-{32 * '0'}",
        "",
        None,
        3,
        "x" * 90,
    ]
    acts: list[tuple[str, dict[str, Any]]] = [
        ("show", {"page": "attention", "query": {}}),
        *(("act", {"act": act}) for act in ("close", "compare", "reveal", "again", "put_away", "hide", "empty_wall")),
        *(("act", {"act": act}) for act in ("shut_door", "open_door", "end")),
        ("drop", {"name": "x"}),
        ("out", {"name": "x"}),
        ("ask", {"query": GAP, "kind": "look", "word": 1}),
        ("offer", {"query": GAP}),
        ("keep", {}),
        ("link", {"at": "http://localhost/class"}),
    ]
    before = rules.classroom().now(teacher[:6])
    assert teacher[-32:] not in str(rules.classroom().classes), "the key is not kept"
    for act, said in acts:
        for seat in forged:
            message = post(client, act, 410, seat=seat, **said)["message"]
            assert message == "The class is over, or its server has restarted." and message in SCREEN
        assert "only the teacher" in post(client, act, 409, seat=pupil, **said)["message"].lower()
    for seat in forged:
        assert post(client, "answer", 410, seat=seat, number=1, round=1, answer=0)
        with listen(client) as line:
            line.send_json({"seat": seat})
            assert line.receive_json() == {"over": True}
    assert rules.classroom().now(teacher[:6]) == before


def test_a_screen_that_lands_on_another_server_or_one_started_anew_is_told_so(client: TestClient) -> None:
    teacher, pupil = opened(client)
    rules.classroom.cache_clear()
    class_routes.classes.cache_clear()
    message = post(client, "join", 409, code=teacher[:6])["message"]
    assert message == f"There is no class {teacher[:6]} here; check the code, and use your teacher's network."
    message = post(client, "join", 409, code="12")["message"]
    assert message == "A code has 6 letters, and this has 2; look at your teacher's screen."
    for seat in (teacher, pupil):
        with listen(client) as line:
            line.send_json({"seat": seat})
            assert line.receive_json() == {"over": True}


def test_a_page_of_another_origin_is_refused(client: TestClient) -> None:
    for headers in ({"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert post(client, "open", 403, headers)
        with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/class/events", headers=headers):
            pass


def test_three_hundred_made_up_addresses_are_one_and_a_right_code_gives_a_seat(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = list[float]()
    sleep = asyncio.sleep

    async def wait(seconds: float) -> None:
        waited.append(seconds)
        await sleep(0)

    monkeypatch.setattr(class_routes.asyncio, "sleep", wait)
    teacher = post(client, "open")["seat"]
    for number in range(300):
        made_up = {"X-Forwarded-For": f"10.0.{number % 250}.{number}"}
        assert "no class" in post(client, "join", 409, made_up, code=f"NO{number:04}")["message"]
    assert waited == [rules.SLOWED] * (300 - rules.MOST_WRONG)
    assert post(client, "join", code=teacher[:6])["seat"].startswith(teacher[:6])
    classes = [client.post("/api/class/open", json={}, headers={"X-Forwarded-For": f"10.1.0.{i}"}) for i in range(30)]
    assert [answer.status_code for answer in classes].count(200) == rules.MOST_OPENED - 1


def test_one_address_takes_no_more_lines_than_its_share(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_streams, "MOST_OF_ONE", 5)
    teacher, _ = opened(client)
    seats = [post(client, "join", code=teacher[:6])["seat"] for _ in range(6)]
    with ExitStack() as lines:
        for seat in seats:
            line = lines.enter_context(listen(client))
            line.send_json({"seat": seat})
            assert ("away" in line.receive_json()) == (seat == seats[-1])
    with listen(client) as line:  # the server has heard of all the others that they left
        Heard(line, seats[-1]).until(lambda parts: "class" in parts)


def test_hostile_sentences_are_text_and_odd_requests_are_refused(client: TestClient) -> None:
    teacher, pupil = opened(client)
    sent = post(client, "send", seat=pupil, sentence=HOSTILE)["sentence"]
    assert sent == " ".join(HOSTILE.split())
    assert "no sentence" in post(client, "send", 409, seat=pupil, sentence="   ")["message"]
    with listen(client) as line, listen(client) as own:
        Heard(own, pupil).until(lambda parts: "own" in parts)
        leads = Heard(line, teacher)
        wall = leads.until(lambda parts: parts.get("wall"))["wall"]
        assert wall[0]["sentence"] == sent and pupil[-32:] not in str(wall)
        post(client, "drop", seat=teacher, name=wall[0]["name"])
        leads.until(lambda parts: not parts["wall"])
    draw = random.Random(3)
    names = ["code", "page", "query", "kind", "word", "to", "claim", "act", "number", "round", "answer", "sentence",
             "name", "at", "format", "seat", "more"]  # fmt: skip
    for act in [*class_routes.ACTS, "x", ".."]:
        for _ in range(40):
            seat = draw.choice([teacher, pupil])
            said = {"seat": seat} | {draw.choice(names): draw.choice(ODD) for _ in range(draw.randrange(4))}
            if act != "act":
                answer = client.post(
                    f"/api/class/{act}", content=json.dumps(said), headers={"Content-Type": "application/json"}
                )
                assert answer.status_code in (200, 400, 403, 404, 405, 409, 410, 413), (act, said, answer.text)
    for text in ("", "{", "[]", "null", "x" * 100_000, json.dumps({"seat": ["x"]}), "\ud800"):
        with listen(client) as line:
            try:
                line.send_text(text)
            except UnicodeEncodeError:
                continue
            assert line.receive_json() in ({"away": True}, {"over": True})


def test_a_teacher_closes_the_door_shuts_one_out_and_empties_the_wall(client: TestClient) -> None:
    teacher, rude = opened(client)
    kind, absent = (post(client, "join", code=teacher[:6])["seat"] for _ in range(2))
    with listen(client) as led, listen(client) as one, listen(client) as two:
        leads, is_rude, is_kind = Heard(led, teacher), Heard(one, rude), Heard(two, kind)
        for heard in (is_rude, is_kind):
            heard.until(lambda parts: "own" in parts)
        for seat, text in ((rude, "Rude."), (kind, "Kind."), (absent, "Nobody has this page open.")):
            post(client, "send", seat=seat, sentence=text)
        wall = leads.until(lambda parts: len(parts.get("wall", ())) == 2)["wall"]
        assert {one["sentence"] for one in wall} == {"Rude.", "Kind."} and leads.parts["counts"]["uncounted"] == 1
        name = next(one["name"] for one in wall if one["sentence"] == "Rude.")
        assert post(client, "out", 409, seat=kind, name=name)
        post(client, "out", seat=teacher, name=name)
        leads.until(lambda parts: [one["sentence"] for one in parts["wall"]] == ["Kind."])
        assert "shut this screen out" in is_rude.until(lambda parts: parts.get("over"))["why"]
        for act, said in (("answer", {"number": 1, "round": 1, "answer": 0}), ("send", {"sentence": "Again."})):
            refusal = post(client, act, 409, seat=rude, **said)["message"]
            assert "shut this screen out" in refusal
        post(client, "act", seat=teacher, act="shut_door")
        leads.until(lambda parts: parts["counts"]["shut"])
        for _ in range(rules.MOST_WRONG + 1):
            assert "locked this class" in post(client, "join", 409, code=teacher[:6])["message"]
        assert not rules.classroom().is_slowed("testclient"), "a right code is no wrong try"
        post(client, "act", seat=teacher, act="empty_wall")
        leads.until(lambda parts: parts["wall"] == [])
        post(client, "act", seat=teacher, act="open_door")
        assert post(client, "join", code=teacher[:6])["seat"]
        assert "class" in is_kind.parts and not is_kind.parts.get("over")


def test_pupils_are_told_when_nobody_leads(client: TestClient) -> None:
    teacher, pupil = opened(client)
    room = rules.classroom()
    with listen(client) as line:
        hears = Heard(line, pupil)
        assert hears.until(lambda parts: "class" in parts)["class"]["led"]
        clock = room.clock
        room.clock = lambda: clock() + 60
        hears.until(lambda parts: not parts["class"]["led"])
        with listen(client) as led:
            Heard(led, teacher).until(lambda parts: "class" in parts)
            hears.until(lambda parts: parts["class"]["led"])
        post(client, "act", seat=teacher, act="end")
        hears.until(lambda parts: parts.get("over"))


def test_a_link_can_be_opened_by_a_phone_in_the_same_network(client: TestClient) -> None:
    teacher, _ = opened(client)
    code = teacher[:6]
    far = post(client, "link", seat=teacher, at="https://school.example/app/class")
    assert far["link"] == f"https://school.example/app/class?code={code}" and far["path"] and not far["local"]
    near = post(client, "link", seat=teacher, at="http://localhost:8501/class")
    assert near["link"].endswith(f":8501/class?code={code}") and near["local"] == ("localhost" in near["link"])
    for at in ("javascript:alert(1)", "", "http://", "http://[x/", "//x"):
        post(client, "link", 409, seat=teacher, at=at)

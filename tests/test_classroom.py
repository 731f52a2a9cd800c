"""The rules of a class: what its teacher and its pupils may do, what bounds both, and when all of it is gone."""

import secrets
from dataclasses import replace
from ipaddress import ip_network

import pytest
from starlette.requests import HTTPConnection

from pages.front import visitors
from pages.front.visitors import LONGEST, address
from pages.ui.classroom import classroom as rules
from pages.ui.classroom import open_class
from pages.ui.classroom import results as answers
from pages.ui.classroom.classroom import ClassError, Classroom, GoneError
from pages.ui.classroom.open_class import MOST_FROM_ONE, MOST_PUPILS, Question, Results
from pages.ui.state import seat as seats
from pages.ui.state.seat import Seat

LOOK = Question(0, "choice", "Where?", 2.0, ("the", "cat", "sat"), (0.1, 0.2, 0.7))
MUCH = Question(0, "number", "How much?", 40.0, low=0.0, high=100.0)
PROXY, OTHER = "10.0.0.1", "10.0.0.2"


class Clock:
    """Seconds that pass when a test says so."""

    time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def room(clock: Clock) -> Classroom:
    return Classroom(clock)


def come(room: Classroom, code: str, who: str = "") -> Seat:
    """A pupil who joins, and whose screen is there."""
    seat = room.join(code, who)
    room.here(seat)
    return seat


def test_a_number_is_right_where_it_is_near(room: Classroom) -> None:
    teacher = room.open()
    pupils = [come(room, teacher.code) for _ in range(5)]
    room.ask(teacher, MUCH)
    answers = [35.0, 45.0, 34.9, 100.0, 0.0]
    assert all(room.answer(pupil, 1, 1, value) for pupil, value in zip(pupils, answers, strict=True))
    for wrong in (-1.0, 100.1, float("nan"), float("inf"), "40", None, [40], True, 10**400, -(10**400)):
        assert not room.answer(pupils[0], 1, 1, wrong)
    room.reveal(teacher)
    results = room.results(teacher.code)
    assert results.rounds == (answers,) and results.question.hits(answers) == 2


def test_a_number_is_said_with_its_unit_and_what_the_model_gives_as_what_it_is(room: Classroom) -> None:
    teacher = room.open()
    pupil = come(room, teacher.code)
    room.ask(teacher, replace(MUCH, unit="%"))
    assert room.answer(pupil, 1, 1, 12)
    room.compare(teacher)
    hidden = answers.spelled(room.results(teacher.code))
    assert hidden["scale"]["near"] is hidden["scale"]["truth"] is None
    assert hidden["had"] == "" and "12 %" in hidden["said"]
    room.reveal(teacher)
    spelled = answers.spelled(room.results(teacher.code))
    assert spelled["said"] == "The answer is 40 %: 0 of 1 came near."
    exact = replace(MUCH, number=1, unit="%", truth=66.12)  # as the page has it
    assert answers.summary(Results(exact, ([12.0],))).startswith("The answer is 66 %: ")
    scale = {"low": 0.0, "high": 100.0, "unit": "%", "truth": 40.0, "near": (35, 45), "votes": [[12]]}
    assert spelled["scale"] == scale and spelled["lines"] == []
    alike = replace(LOOK, number=1, values=(-0.5, 0.25, 1.0), form="cosine")
    lines = answers.spelled(Results(alike, ([2.0],)))["lines"]
    assert [(line["gives"], line["value"]) for line in lines] == [("-0.5", 0.0), ("0.25", 0.25), ("1", 1.0)]


def test_who_tries_codes_is_to_wait_and_a_right_one_always_gives_a_seat(room: Classroom, clock: Clock) -> None:
    """Through both doors: a code that is typed, and a seat that a browser says it has kept."""
    teacher = room.open("school")
    pupil = room.join(teacher.code, "school")
    made_up = [
        replace(pupil, key=pupil.key[:-1] + ("0" if pupil.key[-1] != "0" else "1")),
        replace(pupil, key=secrets.token_hex(16)),
        replace(pupil, key=teacher.key),
        replace(pupil, leads=True),
        replace(teacher, key="0" * 32),
        replace(teacher, code="ABABAB" if teacher.code != "ABABAB" else "BABABA"),
    ]
    codes = ("AAAAAA" if teacher.code != "AAAAAA" else "BBBBBB", "*", "A\r\nFLUSHALL", "A" * 10_000, "\ud800", "\0", "")
    for number in range(100):
        assert room.is_slowed("attacker") == (number >= rules.MOST_WRONG)
        with pytest.raises(ClassError, match=r"no class|over|6 letters"):
            if number % 2:
                room.join(codes[number % len(codes)], "attacker")
            else:
                room.sit_again(made_up[number // 2 % len(made_up)], "attacker")
    assert room.join(teacher.code, "attacker").code == teacher.code
    assert room.sit_again(teacher, "school") == teacher
    assert room.sit_again(replace(pupil, follows=False), "elsewhere") == replace(pupil, follows=False)
    assert not any(map(room.is_slowed, ("school", "elsewhere", "another school")))
    clock.time += rules.WINDOW
    assert not room.is_slowed("attacker")


def test_one_address_cannot_take_all_classes_or_all_seats_and_there_are_no_more_than_may_be(
    room: Classroom, clock: Clock
) -> None:
    for number in range(rules.MOST_OF_ONE):
        clock.time += rules.WINDOW * (number % rules.MOST_OPENED == 0)
        room.open("attacker")
    with pytest.raises(ClassError, match="many classes were just opened"):
        room.open("attacker")
    clock.time += rules.WINDOW
    with pytest.raises(ClassError, match="40 classes are open from here"):
        room.open("attacker")
    teacher = room.open("school")
    room.ask(teacher, LOOK)
    for who, count in (("attacker", MOST_FROM_ONE + 20), ("school", 30), ("others", 30)):
        pupils = [room.join(teacher.code, who) for _ in range(count)]
        for pupil in pupils:
            room.here(pupil)
        taken = [(room.answer(pupil, 1, 1, 0), room.send(pupil, f"We are {who}.")) for pupil in pupils]
        room_for = {"attacker": MOST_FROM_ONE, "school": 30, "others": MOST_PUPILS - MOST_FROM_ONE - 30}[who]
        assert taken == [(True, True)] * room_for + [(False, False)] * (count - room_for)
    assert room.counts(teacher)["here"] == room.counts(teacher)["answered"] == len(room.wall(teacher)) == MOST_PUPILS
    for number in range(rules.MOST_CLASSES - len(room.classes)):
        room.open(f"address {number}")
    with pytest.raises(ClassError, match="200 classes"):
        room.open("one more")
    room.end(teacher)
    with pytest.raises(ClassError, match="too long"):
        room.show(room.open("one more"), "attention", {"sentence": "x" * rules.LONGEST_SHOWN})


def test_who_is_there_is_counted_whoever_joins_and_answers_a_hundred_times(room: Classroom, clock: Clock) -> None:
    """One pupil behind the school's address took 100 seats, and nobody else of the class was counted."""
    teacher = room.open("school")
    honest = [room.join(teacher.code, "school") for _ in range(29)]
    room.ask(teacher, LOOK)
    stuffed = [room.join(teacher.code, "school") for _ in range(MOST_FROM_ONE)]
    assert all(room.answer(seat, 1, 1, 0) and room.send(seat, "silly") for seat in stuffed)
    for seat in honest:
        room.here(seat)  # their pages are open
    assert all(room.answer(seat, 1, 1, 1) for seat in honest)
    assert all(room.send(seat, f"Sentence {number}.") for number, seat in enumerate(honest))
    assert [room.own(seat)["answer"] for seat in honest] == [1] * 29
    assert room.counts(teacher)["answered"] == len(room.wall(teacher)) == 29, "and nobody else"
    assert room.counts(teacher)["uncounted"] == 2 * (MOST_FROM_ONE - 29) > 0, "which the teacher is told"
    assert not room.answer(room.join(teacher.code, "school"), 1, 1, 1), "who is not there takes nobody's place"
    clock.time += 60
    for seat in honest:
        assert room.answer(seat, 1, 1, 0), "an answer is changed, whoever is heard of"


def test_an_answer_counts_from_when_its_screen_is_there_and_for_good(room: Classroom, clock: Clock) -> None:
    teacher = room.open()
    early, gone = room.join(teacher.code), come(room, teacher.code)
    room.ask(teacher, LOOK)
    assert room.answer(early, 1, 1, 2) and room.send(early, "Mine.") and room.answer(gone, 1, 1, 1)
    assert (room.counts(teacher)["answered"], room.counts(teacher)["uncounted"], room.wall(teacher)) == (1, 2, {})
    assert room.own(early)["answer"] == 2, "who sent it sees it"
    room.here(early)
    clock.time += 10 * rules.PRESENT
    room.here(teacher)
    assert present(room, teacher) == (0, 0)
    assert (room.counts(teacher)["answered"], room.counts(teacher)["uncounted"]) == (2, 0)
    assert [*room.wall(teacher).values()] == ["Mine."]
    room.reveal(teacher)
    assert sorted(room.results(teacher.code).rounds[0]) == [1, 2]


def test_several_answers_can_be_right() -> None:
    tied = replace(LOOK, right=(0, 2))
    assert [tied.is_right(at) for at in range(3)] == [True, False, True]
    assert [LOOK.is_right(at) for at in range(3)] == [False, False, True]


def test_who_was_ever_there_is_kept_for_few(room: Classroom, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    monkeypatch.setattr(open_class, "MOST_MET", 20)
    teacher = room.open()
    kept = come(room, teacher.code)
    assert room.send(kept, "Mine.")
    for number in range(200):
        clock.time += rules.PRESENT
        room.here(teacher)
        come(room, teacher.code, f"address {number}")
    assert len(room.classes[teacher.code].met) <= 20 and [*room.wall(teacher).values()] == ["Mine."]


def test_the_memory_of_all_classes_is_bounded(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MOST_ENTRIES", 3)
    teachers = [room.open(), room.open()]
    pupils = [room.join(teacher.code) for teacher in teachers for _ in range(2)]
    assert [room.send(pupil, "Mine.") for pupil in pupils] == [True, True, True, False]
    assert room.send(pupils[0], "Better.")


def present(room: Classroom, teacher: Seat) -> tuple[int, int]:
    """How many are there, and follow."""
    counts = room.counts(teacher)
    return counts["here"], counts["follow"]


def test_a_class_ends_in_time_or_when_nobody_is_there_and_knows_who_is(room: Classroom, clock: Clock) -> None:
    teacher = room.open()
    one, two = room.join(teacher.code), replace(room.join(teacher.code), follows=False)
    room.here(one)
    room.here(two)
    assert present(room, teacher) == (2, 1) and room.now(teacher.code).counts.led
    clock.time += rules.PRESENT
    room.here(two)
    assert present(room, teacher) == (1, 0) and not room.now(teacher.code).counts.led
    room.here(teacher)
    assert room.now(teacher.code).counts.led
    clock.time += rules.IDLE - 1
    room.here(two)
    clock.time += rules.IDLE - 1
    assert room.now(teacher.code)
    clock.time += 1
    with pytest.raises(GoneError):
        room.send(two, "Late.")
    teacher = room.open()
    for _ in range(8):
        room.here(teacher)
        clock.time += rules.SECONDS / 8
    with pytest.raises(GoneError):  # never beyond the time of a class
        room.now(teacher.code)
    assert room.classes == {}


def test_a_seat_is_what_a_browser_kept_or_none() -> None:
    seat = Seat("ABCDEF", "0" * 32)
    for kept in (seat, replace(seat, follows=False), replace(seat, leads=True)):
        assert seats.read(str(kept)) == kept
    zeros = "0" * 32
    for text in ("", None, 7, "ABCDEF", f"ABCDEF-rules-{zeros}", f"abcdef-leads-{zeros}", f"{seat}\n", f"{seat}x"):
        assert seats.read(text) is None


def test_a_question_has_bounds() -> None:
    for wrong in (
        {"ask": ""},
        {"ask": "x" * 201},
        {"options": ("one",)},
        {"options": ("x",) * 65},
        {"truth": float("nan")},
        {"values": (float("inf"),)},
        {"low": 1.0, "high": 1.0},
    ):
        with pytest.raises(ValueError):
            replace(LOOK, **wrong)  # type: ignore[arg-type]


def test_an_address_is_believed_as_far_as_trusted_proxies_name_it() -> None:
    """Codes that are tried are counted by address; nobody may make one up."""
    for peer, named, trusted, expected in (
        ("203.0.113.5", [], [], "203.0.113.5"),
        ("203.0.113.5", ["198.51.100.7"], [], "203.0.113.5"),  # nobody is believed who was not named
        ("203.0.113.5", ["198.51.100.7"], [PROXY], "203.0.113.5"),
        (PROXY, ["made up", "198.51.100.7"], [PROXY], "198.51.100.7"),
        (PROXY, ["made up", "198.51.100.7", OTHER], ["10.0.0.0/30"], "198.51.100.7"),  # two proxies in a row
        (PROXY, ["198.51.100.7", OTHER], [PROXY], OTHER),
        (PROXY, [], [PROXY], PROXY),
        # The web server takes over what is named on its own machine; that is undone where no proxy is trusted there.
        ("198.51.100.7", ["198.51.100.7"], [], "127.0.0.1"),
        ("198.51.100.7", ["made up", "198.51.100.7"], ["127.0.0.1"], "198.51.100.7"),
        ("203.0.113.5", ["203.0.113.5", "made up"], ["127.0.0.1"], "203.0.113.5"),
        ("2001:db8::7", ["::1"], ["127.0.0.1"], "2001:db8::/64"),
        ("2001:db8::8", [], [], "2001:db8::/64"),  # one household
        # What the web server takes over is the last that is not its own machine.
        ("198.51.100.7", ["198.51.100.7", "127.0.0.1"], [], "127.0.0.1"),
        ("127.0.0.1", ["127.0.0.1", "127.0.0.1"], [], "127.0.0.1"),
        # A server that is bound to IPv6 spells IPv4 in it.
        (f"::ffff:{PROXY}", ["198.51.100.7"], [PROXY], "198.51.100.7"),
        (PROXY, ["::ffff:198.51.100.7"], [PROXY], "198.51.100.7"),
        (PROXY, ["198.51.100.7:4711"], [PROXY], "198.51.100.7"),
        (PROXY, ["[2001:db8::9]:4711"], [PROXY], "2001:db8::/64"),
        (PROXY, ["x" * 5000], [PROXY], "x" * LONGEST),
    ):
        assert address(peer, named, [ip_network(each) for each in trusted]) == expected, (peer, named, trusted)


def test_several_lines_of_what_proxies_name_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some proxies add a line of their own after the one that a visitor made up."""
    monkeypatch.setattr(visitors, "proxies", lambda: [ip_network(PROXY)])
    headers = [(b"x-forwarded-for", b"made up"), (b"x-forwarded-for", b"198.51.100.7")]
    asks = HTTPConnection({"type": "http", "headers": headers, "client": (PROXY, 1)})
    assert visitors.visitor(asks) == "198.51.100.7"


def test_equal_votes_are_a_tie_and_what_was_measured_comes_with_the_answer() -> None:
    hidden = replace(LOOK, truth=None, values=())
    says = [answers.summary(Results(hidden, (list(given),))) for given in ([0.0, 1.0], [0.0, 0.0, 1.0])]
    assert says == ["2 answered. A tie: “the” and “cat” (1 each).", "3 answered. Most often: “the” (2)."]
    measured = Results(replace(LOOK, finding="It was measured."), ([2.0],))
    assert answers.summary(measured) == "The answer is “sat”: 1 of 1 got it. It was measured."

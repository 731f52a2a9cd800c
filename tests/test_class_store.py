"""One contract for both stores of classes, and the rules of a class over each of them."""

import random
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import redis_server

from pages.ui.classroom import memory_store, store
from pages.ui.classroom import rules as rules
from pages.ui.classroom.memory_store import MemoryStore
from pages.ui.classroom.question import Question
from pages.ui.classroom.redis_store import RedisStore
from pages.ui.classroom.rules import ClassError, Classroom, GoneError
from pages.ui.classroom.store import Room, Store, StoreError
from pages.ui.state import seat as seats
from pages.ui.state.seat import Seat

LOOK = Question(0, "choice", "Where?", 2.0, ("the", "cat", "sat"), (0.1, 0.2, 0.7))
MUCH = Question(0, "number", "How much?", 40.0, low=0.0, high=100.0)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server.running(tmp_path_factory.mktemp("redis")) as found:
        yield found


@pytest.fixture(params=["memory", "redis"])
def kept(request: pytest.FixtureRequest) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    found = RedisStore(request.getfixturevalue("address"))
    found.client.flushall()
    yield found
    found.client.close()


@pytest.fixture
def room(kept: Store) -> Classroom:
    return Classroom(kept)


# The contract


def test_a_class_has_fields_and_numbers_that_only_grow(kept: Store) -> None:
    assert kept.create("A", {"secret": "s"}, 60) and not kept.create("A", {"secret": "other"}, 60)
    assert kept.fields("A") == {"secret": "s"} and kept.numbers("A", "shown", "asked") == (0, 0)
    kept.write("A", {"x": "1"}, "shown")
    kept.write("A", {}, "shown")
    assert kept.fields("A") == {"secret": "s", "x": "1"} and kept.numbers("A", "shown", "asked") == (2, 0)
    kept.write("B", {"x": "1"}, "shown")
    assert kept.fields("B") is None and kept.numbers("B", "shown") is None


def test_a_table_takes_one_entry_of_each_key_and_no_more_than_it_may(kept: Store) -> None:
    kept.create("A", {"secret": "s", "accepts": "t"}, 60)
    assert not kept.put("B", "t", "one", "1", Room(2)) and kept.entries("B", "t") == {}
    assert kept.put("A", "t", "one", "1", Room(2)) and kept.put("A", "t", "two", "2", Room(2))
    assert not kept.put("A", "t", "three", "3", Room(2))
    assert kept.put("A", "t", "one", "again", Room(2))
    assert list(kept.entries("A", "t").items()) == [("one", "again"), ("two", "2")] and kept.count("A", "t") == 2
    kept.drop("A", "t", "one")
    assert kept.put("A", "t", "aaa", "3", Room(2)) and list(kept.entries("A", "t")) == ["two", "aaa"]
    assert kept.put("A", "t", "two", "3", Room(2), ("accepts", "t"))
    assert not kept.put("A", "t", "two", "4", Room(2), ("accepts", "u")) and kept.entries("A", "t")["two"] == "3"


def test_what_was_removed_leaves_nothing(kept: Store) -> None:
    kept.create("A", {"secret": "s"}, 60)
    kept.put("A", "t", "one", "1", Room(2))
    kept.seen("A", "one", Room(5), True)
    kept.remove("A")
    assert kept.fields("A") is None and kept.entries("A", "t") == {} and kept.present("A") == (0, 0)
    assert kept.create("A", {"secret": "s"}, 60) and kept.entries("A", "t") == {}
    if isinstance(kept, RedisStore):
        assert sorted(kept.client.keys("*")) == ["encoder:class:A", "encoder:classes"]


def test_a_class_ends_by_itself_with_all_it_has(kept: Store) -> None:
    with ThreadPoolExecutor(1) as later:
        kept.create("A", {"secret": "s"}, 0.4)
        kept.put("A", "t", "one", "1", Room(2))
        kept.seen("A", "one", Room(5), True)
        gone = later.submit(lambda: [kept.fields("A") for _ in iter(lambda: kept.numbers("A", "x"), None)])
        gone.result(20)
    assert kept.fields("A") is None and kept.count("A", "t") == 0 and kept.present("A") == (0, 0)
    assert not kept.put("A", "t", "one", "1", Room(2))
    if isinstance(kept, RedisStore):
        assert kept.client.keys("encoder:class:*") == []


@pytest.mark.nightly
@pytest.mark.parametrize("kept", ["redis"], indirect=True)
def test_no_part_outlives_its_class_by_a_millisecond(kept: RedisStore) -> None:
    kept.create("A", {"secret": "s"}, 4)
    for number in range(400):
        kept.put("A", f"t{number}", "one", "1", Room(2))
        kept.seen("A", "one", Room(5), True)
    # A script sees all keys at one time: what is still there where the class is not?
    parts = sorted(kept.client.keys("encoder:class:A:*"))
    left = kept.client.register_script("return {redis.call('EXISTS', KEYS[1]), redis.call('EXISTS', unpack(KEYS, 2))}")
    looks = [(1, len(parts))]
    while looks[-1][0]:
        looks.append(tuple(left(keys=["encoder:class:A", *parts])))
    assert len(parts) == 803 and looks[0] == looks[1]
    assert looks[-1] == (0, 0)


def test_who_was_not_heard_of_is_not_there(kept: Store) -> None:
    clock = [1000.0]
    kept.create("A", {"secret": "s"}, 4000)
    kept.now = lambda: clock[0]  # type: ignore[attr-defined]
    if isinstance(kept, MemoryStore):
        kept.classes["A"].until = 5000.0
    for name, follows in (("one", True), ("two", False), ("three", True)):
        kept.seen("A", name, Room(2), follows)
    assert kept.present("A") == (2, 1)
    clock[0] += store.PRESENT - 1
    kept.seen("A", "two", Room(2), True)
    assert kept.present("A") == (2, 2)
    clock[0] += 2
    assert kept.present("A") == (1, 1)
    kept.seen("A", "three", Room(2), False)
    assert kept.present("A") == (2, 1)


def test_tries_are_counted_for_a_while(kept: Store) -> None:
    assert kept.tries("me") == 0
    for _ in range(3):
        kept.tried("me", 60)
    assert (kept.tries("me"), kept.tries("you")) == (3, 0)


def test_no_more_classes_than_may_be(kept: Store) -> None:
    for number in range(store.MOST_CLASSES):
        assert kept.create(f"C{number}", {"secret": "s"}, 60)
    with pytest.raises(StoreError, match="200 classes"):
        kept.create("one more", {"secret": "s"}, 60)
    kept.remove("C7")
    assert kept.create("one more", {"secret": "s"}, 60)


def test_a_store_that_is_not_there_says_so_at_once(tmp_path: Path) -> None:
    with redis_server.running(tmp_path / "own") as address:
        gone = RedisStore(address)
        assert Classroom(gone).open().leads
    for call in (
        lambda: gone.numbers("A", "x"),
        lambda: gone.put("A", "t", "k", "v", Room(1)),
        lambda: gone.fields("A"),
    ):
        with pytest.raises(StoreError, match="cannot be reached"):
            call()


# The rules


def answers(room: Classroom, code: str, table: str) -> list[str]:
    return sorted(room.store.entries(code, table).values())


def test_a_class_from_its_first_question_to_its_end(room: Classroom) -> None:
    teacher = room.open()
    one, two = room.join(teacher.code), room.join(teacher.code.lower())
    room.show(teacher, "attention", {"layer": "2", "page": "x"})
    now = room.now(teacher.code)
    assert now.shown == {"page": "attention", "q:layer": "2", "q:page": "x"} and now.asked is None
    room.ask(teacher, LOOK)
    assert room.answer(one, 1, 1, 0) and room.answer(one, 1, 1, 2) and room.answer(two, 1, 1, 1)
    asked = room.now(teacher.code).asked
    assert asked is not None and asked.question.truth is None and asked.question.values == ()
    assert room.own_answer(one, asked) == 2 and room.answered(teacher.code, asked) == 2
    room.close(teacher)
    assert not room.answer(two, 1, 1, 2)
    room.compare(teacher)
    found = room.results(teacher.code)
    assert found.rounds == ([2, 1],) and found.question.truth is None and found.question.hits(found.rounds[0]) == 0
    room.again(teacher)
    assert not room.answer(two, 1, 1, 2) and room.answer(two, 1, 2, 2) and room.answer(one, 1, 2, 2)
    with pytest.raises(ClassError, match="when the teacher shows"):
        room.results(teacher.code)
    assert room.all_results(teacher) == []
    room.reveal(teacher)
    found = room.results(teacher.code)
    assert found.question == replace(LOOK, number=1) and [LOOK.hits(one) for one in found.rounds] == [1, 2]
    with pytest.raises(ClassError, match="2 times at most"):
        room.again(teacher)
    room.put_away(teacher)
    assert room.now(teacher.code).asked is None and room.all_results(teacher) == [found]
    room.end(teacher)
    with pytest.raises(GoneError):
        room.now(teacher.code)
    if isinstance(room.store, RedisStore):
        assert not [key for key in room.store.client.keys("*") if "open" not in key]


def test_a_number_is_right_where_it_is_near(room: Classroom) -> None:
    teacher = room.open()
    pupils = [room.join(teacher.code) for _ in range(5)]
    room.ask(teacher, MUCH)
    said = [35.0, 45.0, 34.9, 100.0, 0.0]
    assert all(room.answer(pupil, 1, 1, value) for pupil, value in zip(pupils, said, strict=True))
    for wrong in (-1.0, 100.1, float("nan"), float("inf"), "40", None, [40], True):
        assert not room.answer(pupils[0], 1, 1, wrong)
    room.reveal(teacher)
    found = room.results(teacher.code)
    assert found.rounds == (said,) and found.question.hits(said) == 2


def test_a_pupil_cannot_lead(room: Classroom) -> None:
    teacher = room.open()
    pupil, other = room.join(teacher.code), room.open()
    room.ask(teacher, LOOK)
    before = room.now(teacher.code)
    forged = [
        pupil,
        replace(pupil, leads=True),
        replace(other, code=teacher.code),
        replace(teacher, leads=False),
        Seat(teacher.code, rules.hashed(teacher.key), True),
        Seat(teacher.code, "", True),
    ]
    acts = [
        room.close,
        room.compare,
        room.reveal,
        room.again,
        room.put_away,
        room.end,
        room.wall,
        room.all_results,
        lambda seat: room.show(seat, "attention", {}),
        lambda seat: room.ask(seat, LOOK),
        lambda seat: room.take_down(seat, "x"),
    ]
    for seat in forged:
        for act in acts:
            with pytest.raises(ClassError, match="only the teacher"):
                act(seat)
    assert room.now(teacher.code) == before
    assert not room.answer(replace(pupil, leads=True), 1, 1, 0)


def test_the_secret_is_not_kept(room: Classroom) -> None:
    teacher = room.open()
    fields = room.store.fields(teacher.code)
    assert fields is not None and teacher.key not in str(fields)


def test_who_tries_codes_is_to_wait_and_a_right_one_always_gives_a_seat(room: Classroom) -> None:
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
    for number in range(100):
        assert room.is_slowed("attacker") == (number >= rules.MOST_WRONG)
        with pytest.raises(ClassError, match=r"no class|over"):
            if number % 2:
                room.join("AAAAAA" if teacher.code != "AAAAAA" else "BBBBBB", "attacker")
            else:
                room.sit_again(made_up[number % len(made_up)], "attacker")
    assert room.join(teacher.code, "attacker").code == teacher.code
    for number in range(300):
        with pytest.raises(ClassError, match="no class"):
            room.join("nonsense", f"made up {number}")
    assert room.sit_again(teacher, "school") == teacher
    assert room.sit_again(replace(pupil, follows=False), "elsewhere") == replace(pupil, follows=False)
    assert room.join(teacher.code, "at home").code == teacher.code and room.open("another school").leads
    assert not any(map(room.is_slowed, ("school", "elsewhere", "at home", "another school")))


def test_one_address_cannot_take_all_classes_or_all_seats(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MOST_OPENED", 1000)
    for _ in range(store.MOST_OF_ONE):
        room.open("attacker")
    with pytest.raises(StoreError, match="40 classes are open from here"):
        room.open("attacker")
    teacher = room.open("school")
    room.ask(teacher, LOOK)
    taken = [room.join(teacher.code, "attacker") for _ in range(rules.MOST_FROM_ONE + 20)]
    for seat in taken:
        room.here(seat)
    answered = [room.answer(seat, 1, 1, 0) and room.send(seat, "Mine.") for seat in taken]
    assert sum(answered) == rules.MOST_FROM_ONE == room.present(teacher.code)[0]
    pupils = [room.join(teacher.code, "school") for _ in range(30)]
    for seat in pupils:
        room.here(seat)
    assert all(room.answer(seat, 1, 1, 1) and room.send(seat, "Ours.") for seat in pupils)
    assert room.present(teacher.code)[0] == rules.MOST_FROM_ONE + 30


def test_a_class_that_nobody_is_in_ends_and_its_place_is_free(kept: Store) -> None:
    kept.create("A", {"secret": "s"}, 60, 0.3)
    kept.create("B", {"secret": "s"}, 60, 0.3)
    kept.put("B", "t", "one", "1", Room(2))
    kept.seen("B", "one", Room(5), True)
    kept.touch("B", 60, leads=False)
    with ThreadPoolExecutor(1) as later:
        later.submit(lambda: [None for _ in iter(lambda: kept.numbers("A", "x"), None)]).result(20)
    assert kept.fields("A") is None and kept.fields("B") == {"secret": "s"}
    assert kept.entries("B", "t") == {"one": "1"} and kept.present("B") == (1, 1)
    kept.create("C", {"secret": "s"}, 0.3, 60)
    kept.touch("C", 60, leads=True)  # never beyond the time of a class
    with ThreadPoolExecutor(1) as later:
        later.submit(lambda: [None for _ in iter(lambda: kept.numbers("C", "x"), None)]).result(20)


def test_a_class_knows_whether_somebody_leads_it(room: Classroom) -> None:
    teacher = room.open()
    pupil = room.join(teacher.code)
    assert room.now(teacher.code).counts.led
    clock = room.store.now
    room.store.now = lambda: clock() + store.PRESENT + 1
    room.here(pupil)
    assert not room.now(teacher.code).counts.led
    room.here(teacher)
    assert room.now(teacher.code).counts.led


def test_ten_thousand_forged_messages_to_two_hundred_classes_do_no_harm(kept: Store) -> None:
    room, draw = Classroom(kept), random.Random(7)
    teachers = [room.open(f"address {i}") for i in range(store.MOST_CLASSES)]
    with pytest.raises(StoreError, match="200 classes"):
        room.open("one more")
    room.ask(teachers[0], LOOK)
    before = [room.now(teacher.code) for teacher in teachers]
    count = 10_000 if isinstance(kept, MemoryStore) else 1_000
    for _ in range(count):
        code = draw.choice(teachers).code if draw.random() < 0.9 else "ZZZZZZ"
        seat = Seat(code, secrets.token_hex(16), draw.random() < 0.5)
        act = draw.randrange(5)
        try:
            if act == 0:
                room.answer(seat, draw.randrange(-1, 3), draw.randrange(3), draw.choice([0, 5, -1, 1e300, "x" * 1000]))
            elif act == 1:
                room.send(seat, "<script>" * 1000)
            elif act == 2:
                room.here(seat)
            else:
                draw.choice([room.close, room.reveal, room.again, room.end, room.wall])(seat)
        except ClassError:
            pass
    assert [room.now(teacher.code) for teacher in teachers] == before
    for teacher in teachers:
        assert (
            room.store.count(teacher.code, "wall") <= rules.MOST_PUPILS
            and room.present(teacher.code)[0] <= rules.MOST_PUPILS
        )
        assert all(len(text) <= rules.LONGEST_SENTENCE for text in room.wall(teacher).values())


def test_answers_and_sentences_of_a_class_are_bounded(room: Classroom) -> None:
    teacher = room.open()
    room.ask(teacher, LOOK)
    for number in range(rules.MOST_PUPILS + 20):
        pupil = room.join(teacher.code, f"address {number % 2}")
        assert room.answer(pupil, 1, 1, 1) == room.send(pupil, f"Sentence {number}.") == (number < rules.MOST_PUPILS)
    assert room.store.count(teacher.code, "wall") == rules.MOST_PUPILS
    with pytest.raises(ClassError, match="too long"):
        room.show(teacher, "attention", {"sentence": "x" * rules.LONGEST_SHOWN})


def test_the_memory_of_a_server_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_store, "MOST_ENTRIES", 3)
    kept = MemoryStore()
    kept.create("A", {}, 60)
    kept.create("B", {}, 60)
    done = [kept.put(code, "t", key, "v", Room(10)) for code in "AB" for key in "xy"]
    assert done == [True, True, True, False] and kept.put("A", "t", "x", "new", Room(10))


def test_the_wall_tells_nothing_of_who_sent_what(room: Classroom) -> None:
    teacher = room.open()
    one, two = room.join(teacher.code), room.join(teacher.code)
    assert room.send(one, "  <b>One</b>\n$x$ ") and room.send(two, "Two") and room.send(one, "Better.")
    assert not room.send(two, "   ")
    wall = room.wall(teacher)
    assert list(wall.values()) == ["Better.", "Two"] and one.key not in str(wall)
    room.take_down(teacher, next(iter(wall)))
    assert list(room.wall(teacher).values()) == ["Two"]


def test_answers_of_the_same_instant_all_count(room: Classroom) -> None:
    teacher = room.open()
    room.ask(teacher, LOOK)
    pupils = [room.join(teacher.code) for _ in range(30)]
    with ThreadPoolExecutor(10) as threads:
        done = list(threads.map(lambda pupil: room.answer(pupil, 1, 1, 2), pupils))
    asked = room.now(teacher.code).asked
    assert all(done) and asked is not None and room.answered(teacher.code, asked) == 30


def test_a_seat_is_what_a_browser_kept_or_none() -> None:
    seat = Seat("ABCDEF", "0" * 32)
    for one in (seat, replace(seat, follows=False), replace(seat, leads=True)):
        assert seats.read(str(one)) == one
    for text in (
        "",
        None,
        7,
        "ABCDEF",
        f"ABCDEF-rules-{'0' * 32}",
        f"abcdef-leads-{'0' * 32}",
        f"{seat}\n",
        f"{seat}x",
    ):
        assert seats.read(text) is None


@pytest.mark.parametrize(
    "given",
    [
        {"ask": ""},
        {"ask": "x" * 201},
        {"options": ("one",)},
        {"options": ("x",) * 65},
        {"truth": float("nan")},
        {"values": (float("inf"),)},
        {"low": 1.0, "high": 1.0},
    ],
)
def test_a_question_has_bounds(given: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        replace(LOOK, **given)  # type: ignore[arg-type]

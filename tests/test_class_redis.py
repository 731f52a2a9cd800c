"""A Redis that somebody else writes to, that hangs or that dies: a class says so in a sentence, and nothing ends."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

import pytest
import redis
import redis_server

from encoder import EncoderError
from pages.ui.classroom.question import Question
from pages.ui.classroom.redis_store import WAIT, RedisStore
from pages.ui.classroom.rules import Classroom
from pages.ui.classroom.store import StoreError
from pages.ui.state.seat import Seat

pytestmark = pytest.mark.slow

LOOK = Question(0, "choice", "Where?", 2.0, ("the", "cat", "sat"), (0.1, 0.2, 0.7))
PARTS = ("", ":t:wall", ":o:wall", ":t:1.1", ":o:1.1", ":tables", ":here", ":following")
TYPES: dict[str, Callable[[redis.Redis, str], object]] = {
    "text": lambda client, key: client.set(key, "x"),
    "no text": lambda client, key: client.set(key, b"\xff\xfe"),
    "list": lambda client, key: client.rpush(key, "x"),
    "set": lambda client, key: client.sadd(key, "x", b"\xff"),
    "hash": lambda client, key: client.hset(key, mapping={b"\xff": b"\xff", b"n:shown": b"x", b"secret": b""}),
    "scores": lambda client, key: client.zadd(key, {"x": 1.0, b"\xff": 2.0}),
}
FIELDS = {  # of a class that is there, one at a time
    "n:shown": ("x", "", "1e99", b"\xff"),
    "n:led": ("x", "9" * 5000),
    "n:ends": ("x", "-1"),
    "n:last": ("x", b"\xff"),
    "shown": ("{", "[]", "3", '{"page": 3}', "[" * 100_000, '{"page": "\\ud800"}', b"\xff"),
    "question": ("{", "[]", "3", "{}", '{"number": "x"}', "[" * 100_000, b"\xff"),
    "round": ("x", "", "9" * 5000),
    "phase": ("", "x", b"\xff"),
    "questions": ("x", "9" * 5000),
    "asked:1": ("{", "[]", "null"),
    "answer:1": ("{", "[]", "null"),
    "stamp": ("", b"\xff"),
    "secret": ("", b"\xff", "\u00e9"),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server.running(tmp_path_factory.mktemp("redis")) as found:
        yield found


@pytest.fixture
def room(address: str) -> Iterator[Classroom]:
    store = RedisStore(address)
    store.client.flushall()
    yield Classroom(store)
    store.client.close()


@pytest.fixture
def raw(address: str) -> Iterator[redis.Redis]:
    client: redis.Redis = redis.Redis.from_url(address)
    yield client
    client.close()


def begun(room: Classroom) -> tuple[Seat, Seat]:
    """A class with a question, an answer and a sentence."""
    teacher = room.open("school")
    pupil = room.join(teacher.code, "school")
    room.here(pupil)
    room.show(teacher, "attention", {"layer": "2"})
    room.ask(teacher, LOOK)
    assert room.answer(pupil, 1, 1, 2) and room.send(pupil, "A cat.")
    return teacher, pupil


def everything(room: Classroom, teacher: Seat, pupil: Seat) -> None:
    """Do all that a class can; only refusals in sentences may come of it."""
    code = teacher.code
    steps: list[Callable[[], object]] = [
        lambda: room.join(code, "school"),
        lambda: room.sit_again(pupil, "school"),
        lambda: room.sit_again(teacher),
        lambda: room.counts(code),
        lambda: room.now(code),
        lambda: room.here(pupil),
        lambda: room.here(teacher),
        lambda: room.present(code),
        lambda: room.show(teacher, "attention", {}),
        lambda: room.answer(pupil, 1, 1, 1),
        lambda: room.send(pupil, "A dog."),
        lambda: room.own_sentence(pupil),
        lambda: room.wall(teacher),
        lambda: room.take_down(teacher, "x"),
        lambda: room.results_of(code, 1),
        lambda: room.results(code),
        lambda: room.all_results(teacher),
        lambda: room.close(teacher),
        lambda: room.compare(teacher),
        lambda: room.reveal(teacher),
        lambda: room.again(teacher),
        lambda: room.put_away(teacher),
        lambda: room.ask(teacher, LOOK),
        lambda: room.open("school"),
        lambda: room.end(teacher),
    ]
    for step in steps:
        with contextlib.suppress(EncoderError):
            step()


@pytest.mark.parametrize("kind", TYPES)
def test_keys_of_another_type_are_refused_in_a_sentence(room: Classroom, raw: redis.Redis, kind: str) -> None:
    for part in PARTS:
        teacher, pupil = begun(room)
        key = f"encoder:class:{teacher.code}{part}"
        raw.delete(key)
        TYPES[kind](raw, key)
        everything(room, teacher, pupil)
        raw.flushall()
    for key in ("encoder:classes", "encoder:tries:wrong:school", "encoder:tries:open:school"):
        teacher, pupil = begun(room)
        raw.delete(key)
        TYPES[kind](raw, key)
        everything(room, teacher, pupil)
        raw.flushall()
        assert room.open().leads, "the store is whole again, and so is the class"


@pytest.mark.parametrize("name", FIELDS)
def test_fields_that_nobody_here_wrote_are_refused_in_a_sentence(room: Classroom, raw: redis.Redis, name: str) -> None:
    for value in FIELDS[name]:
        teacher, pupil = begun(room)
        raw.hset(f"encoder:class:{teacher.code}", name, value)
        everything(room, teacher, pupil)
    teacher, pupil = begun(room)
    raw.hdel(f"encoder:class:{teacher.code}", name)
    everything(room, teacher, pupil)


@pytest.mark.parametrize(
    "code", ["*", "?????*", "[A-Z]*", "A\r\nFLUSHALL\r\n", "A:tables", "A" * 10_000, "\ud800", "\0"]
)
def test_a_code_with_characters_of_a_pattern_is_no_class(room: Classroom, code: str) -> None:
    teacher, _ = begun(room)
    with pytest.raises(EncoderError, match="there is no class"):
        room.join(code, "school")
    assert room.counts(teacher.code) is not None


def test_odd_keys_of_others_are_left_alone(room: Classroom, raw: redis.Redis) -> None:
    others = {f"encoder:class:{name}": b"x" for name in ("*", "ABCDEF:t:wall:x", "\u00e9", "")}
    raw.mset({**others, "somebody": b"x" * 50_000_000, b"\xff\x00\n": b"x"})
    teacher, _ = begun(room)
    room.end(teacher)
    assert raw.dbsize() == len(others) + 3  # and the count of classes that were opened just now


@pytest.mark.nightly
def test_a_server_that_hangs_is_given_up_and_comes_back(tmp_path: Path) -> None:
    with redis_server.running(tmp_path / "own") as address:
        room = Classroom(RedisStore(address))
        teacher, pupil = begun(room)
        process = int(RedisStore(address).client.info("server")["process_id"])
        os.kill(process, signal.SIGSTOP)
        try:
            for call in (lambda: room.now(teacher.code), lambda: room.here(pupil), lambda: room.open()):
                start = monotonic()
                with pytest.raises(StoreError, match="cannot be reached"):
                    call()
                assert monotonic() - start < 5 * WAIT
        finally:
            os.kill(process, signal.SIGCONT)
        assert room.now(teacher.code).shown["page"] == "attention" and room.send(pupil, "A dog.")

"""The rules of a class: who may do what, and when. All that a browser asks for comes through here.

A question goes through phases: "open" (answers come in and may be changed), "closed", "answers" (what was answered is
on every screen, and not what is right), "shown" (that too). Only who has the teacher's secret leads; the store has no
more than its hash.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from random import SystemRandom

from encoder.support.errors import EncoderError
from pages.ui.classroom import question as questions
from pages.ui.classroom.memory_store import MemoryStore
from pages.ui.classroom.question import Question
from pages.ui.classroom.store import PRESENT, TAG, Room, Store, StoreError
from pages.ui.state.seat import Counts, Seat

LETTERS = "ABCDEFGHJKMNPRSTWXYZ"  # none that is taken for another, or for a digit
LENGTH = 6
SECONDS = 4 * 3600.0  # that a class lasts
IDLE = 1800.0  # seconds after which a class ends that nobody is heard of
MOST_PUPILS = 150
MOST_FROM_ONE = 100  # pupils from one address: a school often has no more than one, and must not fill every class alone
PUPILS = Room(MOST_PUPILS, MOST_FROM_ONE)
MOST_QUESTIONS = 30
ROUNDS = 2
LONGEST_SENTENCE = 200  # characters that a pupil may send
LONGEST_SHOWN = 8000  # characters of what is on the teacher's screen
MOST_WRONG, WINDOW = 20, 60.0  # wrong codes from one address in so many seconds, after which each more takes SLOWED
SLOWED = 2.0
STAMP = 8  # characters at the end of a pupil's key that only this class can have given
MOST_OPENED = 20  # classes that one address may open in that time


class ClassError(EncoderError):
    """What was asked for cannot be; the sentence says why."""


class GoneError(ClassError):
    """There is no such class any more."""


@dataclass(frozen=True)
class Asked:
    """What the class is asked: the question without its answer, its round from 1, and its phase."""

    question: Question
    round: int
    phase: str

    @property
    def table(self) -> str:
        """Where the answers of this round are."""
        return f"{self.question.number}.{self.round}"


@dataclass(frozen=True)
class Now:
    """What every screen of a class may know: what the teacher shows, what is asked, and how far both are."""

    shown: dict[str, str]
    asked: Asked | None
    counts: Counts


@dataclass(frozen=True)
class Results:
    """A question with its answer, and the answers of each round, without who gave them."""

    question: Question
    rounds: tuple[list[float], ...]


@contextmanager
def readable() -> Iterator[None]:
    """Say in a sentence that a shared store holds of a class what no class has written."""
    try:
        yield
    except EncoderError:
        raise
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
        raise StoreError("what is kept of the class cannot be read") from error


class Classroom:
    """All classes of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def open(self, who: str = "") -> Seat:
        """Open a class; returns the teacher's seat. ClassError where `who` opens too many, or too many are open."""
        if self.store.tries(f"open:{who}") >= MOST_OPENED:
            raise ClassError("many classes were just opened from here; wait a minute")
        self.store.tried(f"open:{who}", WINDOW)
        secret = secrets.token_hex(16)
        while True:
            code = "".join(SystemRandom().choices(LETTERS, k=LENGTH))
            fields = {"secret": hashed(secret), "accepts": "", "stamp": secrets.token_hex(16)}
            if self.store.create(code, fields, SECONDS, IDLE, hashed(who)[:16] if who else ""):
                return Seat(code, secret, leads=True)

    def join(self, code: str, who: str = "") -> Seat:
        """A pupil's seat in the class of a code; ClassError where there is none.

        A right code gives a seat, however many wrong ones were tried, but who tries many is to wait: `is_slowed`.
        """
        code = tidy(code)
        fields = self.fields(code) if len(code) == LENGTH and not set(code) - set(LETTERS) else None
        if fields is None:
            self.store.tried(f"wrong:{who}", WINDOW)
            raise ClassError(f"there is no class {code[:LENGTH]} now; look at the code again")
        key = hashed(fields["stamp"] + who)[:TAG] + secrets.token_hex(8)
        return Seat(code, key + stamp(fields, key))

    def sit_again(self, seat: Seat, who: str = "") -> Seat:
        """The seat that a browser kept, where its class has given it; GoneError else, and that is a wrong try."""
        fields = self.fields(seat.code)
        if fields is not None:
            given = hashed(seat.key) if seat.leads else stamp(fields, seat.key[:-STAMP])
            if same(given, fields["secret"] if seat.leads else seat.key[-STAMP:]):
                return seat
        self.store.tried(f"wrong:{who}", WINDOW)
        raise GoneError("the class is over")

    def is_slowed(self, who: str) -> bool:
        """Whether an address has just tried so many wrong codes that it is to wait SLOWED seconds for each more."""
        return self.store.tries(f"wrong:{who}") >= MOST_WRONG

    def fields(self, code: str) -> dict[str, str] | None:
        """All that is kept of a class; None where there is none that can be led and joined."""
        found = self.store.fields(code)
        return found if found is not None and {"secret", "stamp"} <= found.keys() else None

    def leading(self, seat: Seat) -> None:
        """Refuse who has not the teacher's secret of a class."""
        fields = self.fields(seat.code)
        if fields is None:
            raise GoneError("the class is over")
        if not seat.leads or not same(fields["secret"], hashed(seat.key)):
            raise ClassError("only the teacher of this class can do that")

    def counts(self, code: str) -> Counts | None:
        """How far a class is; None where it is over."""
        found = self.store.numbers(code, "shown", "asked", "led")
        if found is None:
            return None
        shown, asked, led = found
        return Counts(shown, asked, self.store.now() - led / 1000 < PRESENT)

    def now(self, code: str) -> Now:
        """What every screen may know now; GoneError where the class is over."""
        counts, fields = self.counts(code), self.fields(code)
        if counts is None or fields is None:
            raise GoneError("the class is over")
        asked = None
        with readable():
            if fields.get("question"):
                asked = Asked(questions.read(fields["question"]), int(fields["round"]), fields["phase"])
            shown: dict[str, str] = json.loads(fields.get("shown", "{}"))
            "".join(shown.values()).encode()  # all of it is text
        return Now(shown, asked, counts)

    def show(self, seat: Seat, page: str, query: Mapping[str, str]) -> None:
        """Have all who follow see a page with a view, as a link spells it."""
        self.leading(seat)
        text = json.dumps({"page": page} | {f"q:{name}": value for name, value in query.items()})
        if len(text) > LONGEST_SHOWN:
            raise ClassError("this view is too long to be shown to the class")
        self.store.write(seat.code, {"shown": text}, "shown")

    def ask(self, seat: Seat, question: Question) -> None:
        """Ask the class; the question gets its number here."""
        self.leading(seat)
        fields = self.fields(seat.code) or {}
        with readable():
            before = int(fields.get("questions", "0"))
        if before >= MOST_QUESTIONS:
            raise ClassError(f"a class is asked {MOST_QUESTIONS} questions at most; open another class for more")
        asked, answer = questions.write(replace(question, number=before + 1))
        kept = {f"asked:{before + 1}": asked, f"answer:{before + 1}": answer, "question": asked}
        state = {"questions": str(before + 1), "round": "1", "phase": "open", "accepts": f"{before + 1}.1"}
        self.store.write(seat.code, kept | state, "asked")

    def close(self, seat: Seat) -> None:
        """Take no more answers."""
        self.turn(seat, "closed", ("open",))

    def compare(self, seat: Seat) -> None:
        """Show on all screens what was answered, and not what is right: to talk about, and to be asked again."""
        self.turn(seat, "answers", ("open", "closed"))

    def reveal(self, seat: Seat) -> None:
        """Show the answers and what is right on all screens."""
        self.turn(seat, "shown", ("open", "closed", "answers"))

    def again(self, seat: Seat) -> None:
        """Ask the same once more, beside what was answered before; what was answered is not shown meanwhile."""
        self.turn(seat, "open", ("closed", "answers", "shown"), rounds=1)

    def put_away(self, seat: Seat) -> None:
        """Take the question off all screens; its answers stay among the results."""
        self.leading(seat)
        self.store.write(seat.code, {"question": "", "accepts": ""}, "asked")

    def turn(self, seat: Seat, phase: str, before: tuple[str, ...], rounds: int = 0) -> None:
        """Go on to a phase from one of those before it."""
        self.leading(seat)
        asked = self.now(seat.code).asked
        if asked is None or asked.phase not in before:
            raise ClassError("the class is not asked that now")
        if asked.round + rounds > ROUNDS:
            raise ClassError(f"a question is asked {ROUNDS} times at most")
        found = replace(asked, phase=phase, round=asked.round + rounds)
        fields = {"phase": phase, "round": str(found.round), "accepts": found.table if phase == "open" else ""}
        self.store.write(seat.code, fields, "asked")

    def answer(self, seat: Seat, number: int, round_: int, said: object) -> bool:
        """Set a pupil's answer, in place of the one before; False where the question does not take it any more."""
        asked = self.now(seat.code).asked
        if seat.leads or asked is None or (asked.question.number, asked.round) != (number, round_):
            return False
        if not asked.question.is_answer(said):
            return False
        return self.store.put(seat.code, asked.table, seat.key, f"{said}", PUPILS, ("accepts", asked.table))

    def own_answer(self, seat: Seat, asked: Asked) -> float | None:
        """What this pupil has answered in this round."""
        found = asked.question.answers({"": self.store.entries(seat.code, asked.table).get(seat.key, "")})
        return found[0] if found else None

    def answered(self, code: str, asked: Asked) -> int:
        """How many have answered in this round."""
        return self.store.count(code, asked.table)

    def results(self, code: str) -> Results:
        """The answers to the question on the screens, and what is right, as far as the teacher shows them by now."""
        asked = self.now(code).asked
        if asked is None or asked.phase not in ("answers", "shown"):
            raise ClassError("the answers are shown when the teacher shows them")
        found = self.results_of(code, asked.question.number)
        return found if asked.phase == "shown" else replace(found, question=asked.question)

    def all_results(self, seat: Seat) -> list[Results]:
        """The answers to all questions that were shown or put away, for the teacher."""
        self.leading(seat)
        fields = self.fields(seat.code) or {}
        with readable():
            hidden = int(json.loads(fields["question"])["number"]) if fields.get("question") else 0
            hidden = hidden if fields.get("phase") != "shown" else 0
            asked = range(1, min(int(fields.get("questions", "0")), MOST_QUESTIONS) + 1)
        return [self.results_of(seat.code, number) for number in asked if number != hidden]

    def results_of(self, code: str, number: int) -> Results:
        """The answers to one question."""
        fields = self.fields(code) or {}
        if f"asked:{number}" not in fields:
            raise GoneError("the class is over")
        with readable():
            question = questions.read(fields[f"asked:{number}"], fields[f"answer:{number}"])
        rounds = [question.answers(self.store.entries(code, f"{number}.{i}")) for i in range(1, ROUNDS + 1)]
        while len(rounds) > 1 and not rounds[-1]:
            rounds.pop()
        return Results(question, tuple(rounds))

    def send(self, seat: Seat, sentence: str) -> bool:
        """A pupil's sentence for the wall, in place of the one before; False where it is empty or there is no room."""
        sentence = " ".join(sentence.split())[:LONGEST_SENTENCE]
        return bool(sentence) and self.store.put(seat.code, "wall", seat.key, sentence, PUPILS)

    def own_sentence(self, seat: Seat) -> str:
        """What this pupil has sent; empty where it is nothing, or was taken down."""
        return self.store.entries(seat.code, "wall").get(seat.key, "")

    def wall(self, seat: Seat) -> dict[str, str]:
        """The sentences that pupils sent, by a name that tells nothing of who sent them, for the teacher."""
        self.leading(seat)
        return {hashed(key)[:12]: sentence for key, sentence in self.store.entries(seat.code, "wall").items()}

    def take_down(self, seat: Seat, name: str) -> None:
        """Take a sentence off the wall."""
        self.leading(seat)
        for key in self.store.entries(seat.code, "wall"):
            if hashed(key)[:12] == name:
                self.store.drop(seat.code, "wall", key)

    def here(self, seat: Seat) -> None:
        """Note that somebody is there now; the class goes on for as long as somebody is."""
        self.store.touch(seat.code, IDLE, seat.leads)
        if not seat.leads:
            self.store.seen(seat.code, seat.key, PUPILS, seat.follows)

    def present(self, code: str) -> tuple[int, int]:
        """How many pupils are there, and how many of them follow."""
        return self.store.present(code)

    def end(self, seat: Seat) -> None:
        """End the class; nothing of it stays."""
        self.leading(seat)
        self.store.remove(seat.code)


def tidy(code: str) -> str:
    """A code as it was typed, without what stands between its letters."""
    return "".join(letter for letter in code[:40].upper() if letter.isalnum())


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(one.encode(), other.encode())


def hashed(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def stamp(fields: Mapping[str, str], key: str) -> str:
    """The end of a pupil's key, which only the class can give that the fields are of."""
    return hmac.new(fields["stamp"].encode(), key.encode(), "sha256").hexdigest()[:STAMP]


@cache
def classroom() -> Classroom:
    """The classes of this server, or of all that share a store."""
    address = os.environ.get("ENCODER_CLASS_STORE", "").strip()
    if not address:
        return Classroom(MemoryStore())
    if not address.startswith(("redis://", "rediss://", "unix://")):
        raise StoreError(f"ENCODER_CLASS_STORE is {address[:20]!r}; it must be an address such as redis://host:6379/0")
    from pages.ui.classroom.redis_store import RedisStore  # the client takes a moment to load, and few need it

    return Classroom(RedisStore(address))

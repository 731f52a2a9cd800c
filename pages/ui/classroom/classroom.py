"""The classes of this server, in its memory: who may do what, and when. All that a browser asks for comes through here.

A question goes through phases: "open" (answers come in and may be changed), "closed", "answers" (what was answered is
on every screen, and not what is right), "shown" (that too). Only who has the teacher's secret leads; no more than its
hash is kept. All is called on the one thread of the web server, so nothing waits for a lock.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from random import SystemRandom
from time import monotonic
from typing import Any, TypeVar

from encoder.support.errors import EncoderError
from pages.ui.classroom.open_class import TAG, Now, OpenClass, Question, Results, is_full
from pages.ui.state.seat import Counts, Seat

Entry = TypeVar("Entry")
LETTERS = "ABCDEFGHJKMNPRSTWXYZ"  # none that is taken for another, or for a digit
LENGTH = 6
SECONDS = 4 * 3600.0  # that a class lasts
IDLE = 1800.0  # seconds after which a class ends that nobody is heard of
PRESENT = 15.0  # seconds after which who was not heard of is not there any more
MOST_CLASSES = 200  # that are open at once
MOST_OF_ONE = 40  # of them, that one address may have open
MOST_ENTRIES = 200_000  # answers and sentences of all classes together
MOST_QUESTIONS = 30
ROUNDS = 2
LONGEST_SENTENCE = 200  # characters that a pupil may send
LONGEST_SHOWN = 8000  # characters of what is on the teacher's screen
MOST_WRONG, WINDOW = 20, 60.0  # wrong codes from one address in so many seconds, after which each more takes SLOWED
SLOWED = 2.0
MOST_OPENED = 20  # classes that one address may open in that time
MOST_NAMES = 10_000  # whose tries are counted
STAMP = 8  # characters at the end of a pupil's key that only this class can have given
OVER = "the class is over"
OUT = "the teacher has shut this screen out of the class"


class ClassError(EncoderError):
    """What was asked for cannot be; the sentence says why."""


class GoneError(ClassError):
    """There is no such class any more."""


class OutError(ClassError):
    """The teacher has shut this pupil out."""


class Classroom:
    """All classes of a server, whose `clock` counts seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.classes: dict[str, OpenClass] = {}
        self.tries: dict[str, tuple[float, int]] = {}  # until when they count, and how many there were

    def open(self, who: str = "") -> Seat:
        """Open a class; returns the teacher's seat. ClassError where `who` opens too many, or too many are open."""
        if self.tried(f"open:{who}") >= MOST_OPENED:
            raise ClassError("many classes were just opened from here; wait a minute")
        self.count_try(f"open:{who}")
        self.forget_ended()
        for most, there, where in (
            (MOST_CLASSES, len(self.classes), ""),
            (MOST_OF_ONE, sum(bool(who) and each.opener == who for each in self.classes.values()), " from here"),
        ):
            if there >= most:
                raise ClassError(
                    f"{most} classes are open{where} already, and there is no room for more; try again later"
                )
        secret, code, begins = secrets.token_hex(16), new_code(), self.clock()
        while code in self.classes:
            code = new_code()
        stamp, ends = secrets.token_hex(16), begins + min(IDLE, SECONDS)
        self.classes[code] = OpenClass(hashed(secret), stamp, who, ends, begins + SECONDS, begins)
        return Seat(code, secret, leads=True)

    def join(self, code: str, who: str = "") -> Seat:
        """Return a pupil's seat in the class of a code; ClassError where there is none.

        A right code gives a seat, however many wrong ones were tried, but who tries many is to wait: `is_slowed`.
        """
        code = tidy(code)
        open_class = self.find(code)
        if open_class is None:
            self.count_try(f"wrong:{who}")
            if len(code) != LENGTH:
                raise ClassError(
                    f"a code has {LENGTH} letters, and this has {len(code)}; look at your teacher's screen"
                )
            raise ClassError(f"there is no class {code} here; check the code, and use your teacher's network")
        if open_class.is_shut:
            raise ClassError("the teacher has locked this class; ask them to unlock it")
        key = hashed(open_class.stamp + who)[:TAG] + secrets.token_hex(8)
        return Seat(code, key + stamped(open_class, key))

    def sit_again(self, seat: Seat, who: str = "") -> Seat:
        """The seat that a browser kept, where its class has given it; GoneError else, and that is a wrong try.

        Raises:
            OutError: its teacher has shut it out.
        """
        open_class = self.find(seat.code)
        if open_class is not None:
            if seat.leads and same(hashed(seat.key), open_class.secret):
                return seat
            if not seat.leads and same(stamped(open_class, seat.key[:-STAMP]), seat.key[-STAMP:]):
                if seat.key in open_class.shut_out:
                    raise OutError(OUT)
                return seat
        self.count_try(f"wrong:{who}")
        raise GoneError(OVER)

    def is_slowed(self, who: str) -> bool:
        """Whether an address has just tried so many wrong codes that it is to wait SLOWED seconds for each more."""
        return self.tried(f"wrong:{who}") >= MOST_WRONG

    def find(self, code: str) -> OpenClass | None:
        """Return the class of a code, if its time is not over."""
        self.forget_ended()
        return self.classes.get(code)

    def going(self, code: str) -> OpenClass:
        """Return the class of a code; GoneError where it is over."""
        if (open_class := self.find(code)) is None:
            raise GoneError(OVER)
        return open_class

    def leading(self, seat: Seat) -> OpenClass:
        """Return the class of a seat; refuses who has not its teacher's secret."""
        open_class = self.going(seat.code)
        if not seat.leads or not same(open_class.secret, hashed(seat.key)):
            raise ClassError("only the teacher of this class can do that")
        return open_class

    def forget_ended(self) -> None:
        """Forget the classes whose time is over."""
        now = self.clock()
        for code in [code for code, each in self.classes.items() if each.ends <= now]:
            del self.classes[code]

    def now(self, code: str) -> Now:
        """Return what every screen may know now; GoneError where the class is over."""
        open_class = self.going(code)
        led = self.clock() - open_class.led < PRESENT
        counts = Counts(open_class.times_shown, open_class.times_asked, led)
        return Now(open_class.shown, open_class.asked, counts, open_class.covered)

    def show(self, seat: Seat, page: str, query: Mapping[str, str]) -> None:
        """Have all who follow see a page with a view, as a link spells it."""
        open_class = self.leading(seat)
        shown = {"page": page} | {f"q:{name}": value for name, value in query.items()}
        if len(json.dumps(shown)) > LONGEST_SHOWN:
            raise ClassError("this view is too long to be shown to the class")
        open_class.shown = shown
        open_class.times_shown += 1

    def ask(self, seat: Seat, question: Question) -> None:
        """Ask the class; the question gets its number here."""
        open_class = self.leading(seat)
        before = len(open_class.questions)
        if before >= MOST_QUESTIONS:
            raise ClassError(f"a class can be asked {MOST_QUESTIONS} questions; open another class for more")
        open_class.questions.append(replace(question, number=before + 1))
        open_class.votes.append([{}])
        open_class.phase, open_class.hides = "open", False
        open_class.times_asked += 1

    def cover(self, seat: Seat, hides: bool) -> None:
        """Take the picture off all screens until a question is answered, or show it again."""
        open_class = self.leading(seat)
        open_class.hides = hides
        open_class.times_asked += 1

    def close(self, seat: Seat) -> None:
        """Take no more answers."""
        self.turn(seat, "closed", ("open",))

    def compare(self, seat: Seat) -> None:
        """Show on all screens what was answered, and not what is right: to talk about, and to be asked again."""
        self.turn(seat, "answers", ("open", "closed"))

    def reveal(self, seat: Seat) -> None:
        """Show the answers and what is right on all screens, and the picture where it was asked."""
        self.turn(seat, "shown", ("open", "closed", "answers"))
        question = self.leading(seat).questions[-1]
        if question.page:
            self.show(seat, question.page, question.view)

    def again(self, seat: Seat) -> None:
        """Ask the same once more, beside what was answered before; what was answered is not shown meanwhile."""
        open_class = self.leading(seat)
        if open_class.phase in ("closed", "answers", "shown") and len(open_class.votes[-1]) >= ROUNDS:
            raise ClassError(f"a question can be asked {ROUNDS} times")
        self.turn(seat, "open", ("closed", "answers", "shown"))
        open_class.votes[-1].append({})

    def put_away(self, seat: Seat) -> None:
        """Take the question off all screens; its answers stay among the results."""
        open_class = self.leading(seat)
        open_class.phase = ""
        open_class.times_asked += 1

    def turn(self, seat: Seat, phase: str, before: tuple[str, ...]) -> None:
        """Go on to a phase from one of those before it."""
        open_class = self.leading(seat)
        if open_class.phase not in before:
            raise ClassError("that question is over")
        open_class.phase = phase
        open_class.times_asked += 1

    def answer(self, seat: Seat, number: int, round_: int, value: object) -> bool:
        """Set a pupil's answer, in place of the one before; False where the question does not take it any more."""
        open_class = self.going(seat.code)
        now = open_class.asked
        if seat.leads or now is None or now.phase != "open":
            return False
        if (now.question.number, now.round) != (number, round_) or not now.question.is_answer(value):
            return False
        return self.put(open_class, open_class.votes[-1][-1], seat.key, value)

    def own(self, seat: Seat) -> dict[str, Any]:
        """Return what this pupil has answered to what is asked now, in this round, and sent."""
        open_class = self.going(seat.code)
        asked, sentence = open_class.asked, open_class.wall.get(seat.key, "")
        if asked is None:
            return {"answer": None, "table": "", "sentence": sentence}
        table = f"{asked.question.number}.{asked.round}"
        return {"answer": open_class.votes[-1][-1].get(seat.key), "table": table, "sentence": sentence}

    def counts(self, seat: Seat) -> dict[str, Any]:
        """Return how many are there, follow, and have answered in this round, and whether nobody new can join.

        What came from screens that were never here is not counted, but said.
        """
        open_class = self.leading(seat)
        self.forget_who_left(open_class)
        return {
            "here": len(open_class.heard),
            "follow": sum(follows for _, follows in open_class.heard.values()),
            "answered": len(open_class.of_met(open_class.votes[-1][-1])) if open_class.phase else None,
            "uncounted": open_class.uncounted,
            "shut": open_class.is_shut,
        }

    def lock(self, seat: Seat, is_shut: bool) -> None:
        """Let nobody join any more, or whoever has the code; who has a seat keeps it."""
        self.leading(seat).is_shut = is_shut

    def results(self, code: str) -> Results:
        """The answers to the question on the screens, and what is right, as far as the teacher shows them by now."""
        open_class = self.going(code)
        now = open_class.asked
        if now is None or now.phase not in ("answers", "shown"):
            raise ClassError("your teacher has not shown the answers yet")
        results = open_class.results(now.question.number)
        return results if now.phase == "shown" else replace(results, question=now.question)

    def all_results(self, seat: Seat) -> list[Results]:
        """Return the answers to all questions that were shown or put away, for the teacher."""
        open_class = self.leading(seat)
        hidden = open_class.phase not in ("", "shown")
        return [open_class.results(number) for number in range(1, len(open_class.questions) - hidden + 1)]

    def send(self, seat: Seat, sentence: str) -> bool:
        """A pupil's sentence for the wall, in place of the one before; False where it is empty or there is no room."""
        sentence = " ".join(sentence.split())[:LONGEST_SENTENCE]
        open_class = self.going(seat.code)
        return bool(sentence) and self.put(open_class, open_class.wall, seat.key, sentence)

    def put(self, open_class: OpenClass, entries: dict[str, Entry], key: str, value: Entry) -> bool:
        """Set the entry of a pupil's key, where it has one already or there is room for another.

        Who is there, with a page that is open, takes the place of who is not: whoever joins a hundred times behind the
        address of a school, and answers, keeps nobody out.
        """
        if key in entries:
            entries[key] = value
            return True
        self.forget_who_left(open_class)
        if is_full(entries, key) and key in open_class.heard:
            absent = [other for other in entries if other not in open_class.heard and other[:TAG] == key[:TAG]]
            absent = absent or [other for other in entries if other not in open_class.heard]
            if absent:
                del entries[absent[-1]]
        if is_full(entries, key) or sum(each.entries for each in self.classes.values()) >= MOST_ENTRIES:
            return False
        entries[key] = value
        return True

    def wall(self, seat: Seat) -> dict[str, str]:
        """Return the sentences that pupils sent, by a name that tells nothing of who sent them, for the teacher."""
        open_class = self.leading(seat)
        return {hashed(key)[:12]: sentence for key, sentence in open_class.of_met(open_class.wall).items()}

    def take_down(self, seat: Seat, name: str) -> None:
        """Take a sentence off the wall."""
        wall = self.leading(seat).wall
        for key in [key for key in wall if hashed(key)[:12] == name]:
            del wall[key]

    def empty_wall(self, seat: Seat) -> None:
        """Take all sentences off the wall."""
        self.leading(seat).wall.clear()

    def shut_out(self, seat: Seat, name: str) -> None:
        """Shut out who has sent a sentence of the wall; they can join anew for as long as the door is open."""
        open_class = self.leading(seat)
        for key in [key for key in open_class.wall if hashed(key)[:12] == name]:
            open_class.take_out(key)

    def is_out(self, seat: Seat) -> bool:
        """Return whether a pupil was shut out."""
        open_class = self.find(seat.code)
        return open_class is not None and seat.key in open_class.shut_out

    def here(self, seat: Seat) -> None:
        """Note that somebody is there now; the class goes on for as long as somebody is."""
        if (open_class := self.find(seat.code)) is None:
            return
        now = self.clock()
        open_class.ends = min(open_class.latest, now + IDLE)
        if seat.leads:
            open_class.led = now
            return
        self.forget_who_left(open_class)
        if seat.key in open_class.heard or not is_full(open_class.heard, seat.key):
            open_class.heard[seat.key] = (now, seat.follows)
            open_class.count_in(seat.key)

    def forget_who_left(self, open_class: OpenClass) -> None:
        """Keep of the pupils only who was heard of lately."""
        since = self.clock() - PRESENT
        open_class.heard = {key: sign for key, sign in open_class.heard.items() if sign[0] > since}

    def end(self, seat: Seat) -> None:
        """End the class; nothing of it stays."""
        self.leading(seat)
        del self.classes[seat.code]

    def tried(self, name: str) -> int:
        """Return how often something was tried within the WINDOW that its first try began."""
        until, count = self.tries.get(name, (0.0, 0))
        return count if until > self.clock() else 0

    def count_try(self, name: str) -> None:
        """Count that it was tried."""
        now = self.clock()
        if len(self.tries) >= MOST_NAMES:
            self.tries = {other: tries for other, tries in self.tries.items() if tries[0] > now}
        until, count = self.tries.get(name, (0.0, 0))
        if until <= now:
            until, count = now + WINDOW, 0
        if name in self.tries or len(self.tries) < MOST_NAMES:
            self.tries[name] = (until, count + 1)


def new_code() -> str:
    """Return a code that nobody guesses."""
    return "".join(SystemRandom().choices(LETTERS, k=LENGTH))


def tidy(code: str) -> str:
    """Return a code as it was typed, without what stands between its letters."""
    return "".join(letter for letter in code[:40].upper() if letter.isalnum())


def same(secret: str, other: str) -> bool:
    """Return whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(secret.encode(), other.encode())


def hashed(secret: str) -> str:
    """Return what is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def stamped(open_class: OpenClass, key: str) -> str:
    """Return the end of a pupil's key, which only that class can give."""
    return hmac.new(open_class.stamp.encode(), key.encode(), "sha256").hexdigest()[:STAMP]


@cache
def classroom() -> Classroom:
    """Return the classes of this server."""
    return Classroom()

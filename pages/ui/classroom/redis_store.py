"""Classes in Redis or Valkey, for several replicas: a hash for each class, and one for each of its tables.

What must happen at once is a transaction that watches the class, and is tried again where somebody wrote to it
meanwhile. A class keeps the moment at which it ends (n:ends, by the server's clock), and all its tables end at that
moment, not at one counted again from what is left: they would outlive it by a millisecond.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from time import time
from typing import Any, TypeVar

import redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from pages.ui.classroom.store import MOST_CLASSES, MOST_OF_ONE, PRESENT, Room, StoreError

T = TypeVar("T")
WAIT = 2.0  # seconds for an answer
COUNTED = "n:"  # how the names of numbers, and of the moment of the end, begin among the fields
CLASSES = "encoder:classes"  # the codes of all classes, by when they end


def ready(answer: Awaitable[Any] | Any) -> Any:
    """What a call answers; the client's types also allow for one that waits."""
    return answer


@contextmanager
def reached() -> Iterator[None]:
    """Say in a sentence that the store is not to be reached, or that it holds what no store has written."""
    try:
        yield
    except redis.RedisError as error:
        raise StoreError("where the classes are kept cannot be reached just now") from error
    except (TypeError, ValueError) as error:  # a number that is none, or bytes that are no text
        raise StoreError("what is kept of the classes cannot be read") from error


def clock(pipe: Pipeline) -> int:
    """The server's time, in milliseconds."""
    seconds, microseconds = ready(pipe.time())
    return int(1000 * seconds + microseconds // 1000)


class RedisStore:
    """A store that several servers share, at an address such as redis://host:6379/0. `now` is a clock in seconds."""

    def __init__(self, address: str, now: Callable[[], float] = time) -> None:
        self.now = now
        self.client = redis.Redis.from_url(
            address,
            decode_responses=True,
            socket_timeout=WAIT,
            socket_connect_timeout=WAIT,
            retry=Retry(NoBackoff(), 1),
        )

    def key(self, code: str, *parts: str) -> str:
        """The name of a class, or of a part of it."""
        return ":".join(("encoder:class", code, *parts))

    def at_once(self, work: Callable[[Pipeline], T], *keys: str) -> T:
        """Do `work`, which reads, calls `multi` and writes; again where one of the keys was written to meanwhile."""
        with reached():
            done: T = ready(self.client.transaction(work, *keys, value_from_callable=True))  # type: ignore[arg-type]
            return done

    def create(
        self, code: str, fields: Mapping[str, str], seconds: float, idle: float | None = None, by: str = ""
    ) -> bool:
        """Make a class."""
        last, lasts = int(1000 * seconds), int(1000 * (seconds if idle is None else min(idle, seconds)))

        def work(pipe: Pipeline) -> str:
            begins, moment = clock(pipe), int(1000 * self.now())
            there, codes = pipe.exists(self.key(code)), ready(pipe.zrangebyscore(CLASSES, f"({moment}", "+inf"))
            if there:
                return "there"
            if len(codes) >= MOST_CLASSES:
                return f"{MOST_CLASSES} classes are open"
            if by and self.opened(codes, by) >= MOST_OF_ONE:
                return f"{MOST_OF_ONE} classes are open from here"
            numbers = {"ends": begins + lasts, "last": begins + last, "by": by, "led": moment}
            kept: Any = {COUNTED + name: value for name, value in numbers.items()} | {**fields}
            pipe.multi()
            pipe.zremrangebyscore(CLASSES, "-inf", moment)
            pipe.hset(self.key(code), mapping=kept)
            pipe.pexpireat(self.key(code), begins + lasts)
            pipe.zadd(CLASSES, {code: moment + lasts})
            return ""

        why = self.at_once(work, self.key(code), CLASSES)
        if why not in ("", "there"):
            raise StoreError(f"{why} already, and no more than that may be")
        return not why

    def opened(self, codes: list[str], by: str) -> int:
        """How many of some classes one address has opened."""
        pipe = self.client.pipeline(transaction=False)
        for code in codes:
            pipe.hget(self.key(code), f"{COUNTED}by")
        return sum(one == by for one in pipe.execute(raise_on_error=False))

    def touch(self, code: str, idle: float, leads: bool) -> None:
        """Note that somebody was heard of."""
        parts = [self.key(code), *(self.key(code, part) for part in ("tables", "here", "following"))]

        def work(pipe: Pipeline) -> None:
            last, until = ready(pipe.hmget(self.key(code), [f"{COUNTED}last", f"{COUNTED}ends"]))
            begins, lasts = clock(pipe), int(1000 * idle)
            tables: set[str] = ready(pipe.smembers(self.key(code, "tables")))
            pipe.multi()
            if last is None:
                return
            moment = int(1000 * self.now())
            if leads:
                pipe.hset(self.key(code), f"{COUNTED}led", moment)
            if int(until) - begins > 0.9 * lasts or int(until) >= int(last):
                return
            ends = min(begins + lasts, int(last))
            pipe.hset(self.key(code), f"{COUNTED}ends", ends)
            for part in (*tables, *parts):
                pipe.pexpireat(part, ends)
            pipe.zadd(CLASSES, {code: moment + ends - begins})

        self.at_once(work, self.key(code))

    def fields(self, code: str) -> dict[str, str] | None:
        """All fields."""
        with reached():
            found: dict[str, str] = ready(self.client.hgetall(self.key(code)))
        return {name: text for name, text in found.items() if not name.startswith(COUNTED)} or None

    def numbers(self, code: str, *names: str) -> tuple[int, ...] | None:
        """Some numbers."""
        with reached():
            there, *found = ready(self.client.hmget(self.key(code), ["secret", *(COUNTED + name for name in names)]))
            return None if there is None else tuple(int(one or 0) for one in found)

    def write(self, code: str, fields: Mapping[str, str], counter: str) -> None:
        """Set fields and count up."""

        def work(pipe: Pipeline) -> None:
            there = pipe.exists(self.key(code))
            pipe.multi()
            if there:
                if fields:
                    pipe.hset(self.key(code), items=[text for pair in fields.items() for text in pair])
                pipe.hincrby(self.key(code), COUNTED + counter, 1)

        self.at_once(work, self.key(code))

    def put(self, code: str, table: str, key: str, value: str, room: Room, only: tuple[str, str] = ("", "")) -> bool:
        """Set an entry."""
        entries, order, tables = (self.key(code, *part) for part in (("t", table), ("o", table), ("tables",)))

        def work(pipe: Pipeline) -> bool:
            ends, allowed = pipe.hmget(self.key(code), [f"{COUNTED}ends", only[0] or f"{COUNTED}ends"])
            there: list[str] = ready(pipe.zrange(order, 0, -1))
            pipe.multi()
            if ends is None or (only[0] and allowed != only[1]):
                return False
            if key not in there and room.is_full(there, key):
                return False
            pipe.zadd(order, {key: time()}, nx=True)
            pipe.hset(entries, key, value)
            pipe.sadd(tables, entries, order)
            for part in (entries, order, tables):
                pipe.pexpireat(part, int(ends))
            return True

        if not self.at_once(work, self.key(code)):
            return False
        with reached():  # others may have come in the same instant: who came last gives way
            there: list[str] = ready(self.client.zrange(order, 0, -1))
        if key in there and room.is_full(there[: there.index(key)], key):
            self.drop(code, table, key)
            return False
        return True

    def drop(self, code: str, table: str, key: str) -> None:
        """Take an entry out."""
        with reached():
            self.client.hdel(self.key(code, "t", table), key)
            self.client.zrem(self.key(code, "o", table), key)

    def entries(self, code: str, table: str) -> dict[str, str]:
        """All entries."""
        with reached():
            found: dict[str, str] = ready(self.client.hgetall(self.key(code, "t", table)))
            order: list[str] = ready(self.client.zrange(self.key(code, "o", table), 0, -1))
        return {key: found[key] for key in order if key in found}

    def count(self, code: str, table: str) -> int:
        """How many entries."""
        with reached():
            return int(ready(self.client.hlen(self.key(code, "t", table))))

    def seen(self, code: str, key: str, room: Room, follows: bool) -> None:
        """Note that somebody is there."""
        here, following = self.key(code, "here"), self.key(code, "following")

        def work(pipe: Pipeline) -> None:
            ends, now = pipe.hget(self.key(code), f"{COUNTED}ends"), self.now()
            there: list[str] = ready(pipe.zrangebyscore(here, f"({now - PRESENT}", "+inf"))
            pipe.multi()
            if ends is None or (key not in there and room.is_full(there, key)):
                return
            for part in (here, following):
                pipe.zremrangebyscore(part, "-inf", now - PRESENT)
            pipe.zadd(here, {key: now})
            if follows:
                pipe.zadd(following, {key: now})
            else:
                pipe.zrem(following, key)
            for part in (here, following):
                pipe.pexpireat(part, int(ready(ends)))

        self.at_once(work, self.key(code))

    def present(self, code: str) -> tuple[int, int]:
        """How many are there, and follow."""
        since = f"({self.now() - PRESENT}"
        with reached():
            here, follow = (
                int(ready(self.client.zcount(self.key(code, part), since, "+inf"))) for part in ("here", "following")
            )
        return here, follow

    def remove(self, code: str) -> None:
        """Forget a class."""
        with reached():
            tables: set[str] = ready(self.client.smembers(self.key(code, "tables")))
            own = [self.key(code), *(self.key(code, part) for part in ("here", "following", "tables"))]
            self.client.delete(*own, *tables)
            self.client.zrem(CLASSES, code)

    def tries(self, name: str) -> int:
        """How often it was tried."""
        with reached():
            return int(ready(self.client.get(f"encoder:tries:{name}")) or 0)

    def tried(self, name: str, seconds: float) -> None:
        """Count a try."""
        pipe = self.client.pipeline()
        pipe.set(f"encoder:tries:{name}", 0, px=int(1000 * seconds), nx=True)
        pipe.incr(f"encoder:tries:{name}")
        with reached():
            pipe.execute()

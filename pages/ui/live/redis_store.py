"""Classes in Redis or Valkey, for several replicas: a hash for each class, and one for each of its tables.

What must happen at once is a script that the server runs; what goes on from there asks for the numbers again. A class
keeps the moment at which it ends (n:ends, by the server's clock), and all its tables end at that moment, not at one
counted again from what is left: they would outlive it by a millisecond.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from time import time
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from pages.ui.live.store import MOST_CLASSES, MOST_OF_ONE, PRESENT, TAG, StoreError

WAIT = 2.0  # seconds for an answer
CREATE = """
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return -1 end
if ARGV[6] ~= '' then
  local open = 0
  for _, code in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if redis.call('HGET', ARGV[8] .. code, 'n:by') == ARGV[6] then open = open + 1 end
  end
  if open >= tonumber(ARGV[7]) then return -2 end
end
local now = redis.call('TIME')
local begins = now[1] * 1000 + math.floor(now[2] / 1000)
local ends = string.format('%.0f', begins + ARGV[5])
redis.call('HSET', KEYS[1], 'n:ends', ends, 'n:last', string.format('%.0f', begins + ARGV[2]), 'n:by', ARGV[6],
           'n:led', ARGV[1], unpack(ARGV, 9))
redis.call('PEXPIREAT', KEYS[1], ends)
redis.call('ZADD', KEYS[2], ARGV[1] + ARGV[5], ARGV[4])
return 1
"""
TOUCH = """
local last = redis.call('HGET', KEYS[1], 'n:last')
if not last then return 0 end
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'n:led', ARGV[1]) end
local now = redis.call('TIME')
local begins = now[1] * 1000 + math.floor(now[2] / 1000)
local left = redis.call('HGET', KEYS[1], 'n:ends') - begins
if left > 0.9 * ARGV[2] or begins + left >= tonumber(last) then return 1 end
left = math.min(tonumber(ARGV[2]), last - begins)
local ends = string.format('%.0f', begins + left)
redis.call('HSET', KEYS[1], 'n:ends', ends)
for _, table in ipairs(redis.call('SMEMBERS', KEYS[3])) do redis.call('PEXPIREAT', table, ends) end
for _, part in ipairs({KEYS[1], KEYS[3], KEYS[4], KEYS[5]}) do redis.call('PEXPIREAT', part, ends) end
redis.call('ZADD', KEYS[2], ARGV[1] + left, ARGV[3])
return 1
"""
ROOM = f"""
local function room(keys, key, most, share)
  if #keys >= tonumber(most) then return false end
  if share == '' then return true end
  local alike = 0
  for _, one in ipairs(keys) do
    if string.sub(one, 1, {TAG}) == string.sub(key, 1, {TAG}) then alike = alike + 1 end
  end
  return alike < tonumber(share)
end
"""
WRITE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if #ARGV > 1 then redis.call('HSET', KEYS[1], unpack(ARGV, 2)) end
return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
"""
PUT = (
    ROOM
    + """
local ends = redis.call('HGET', KEYS[1], 'n:ends')
if not ends then return 0 end
if ARGV[4] ~= '' and redis.call('HGET', KEYS[1], ARGV[4]) ~= ARGV[5] then return 0 end
if redis.call('ZSCORE', KEYS[3], ARGV[1]) == false then
  if not room(redis.call('HKEYS', KEYS[2]), ARGV[1], ARGV[3], ARGV[6]) then return 0 end
  local now = redis.call('TIME')
  redis.call('ZADD', KEYS[3], now[1] * 1000000 + now[2], ARGV[1])
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[4], KEYS[2], KEYS[3])
for i = 2, 4 do redis.call('PEXPIREAT', KEYS[i], ends) end
return 1
"""
)
SEEN = (
    ROOM
    + """
local ends = redis.call('HGET', KEYS[1], 'n:ends')
if not ends then return 0 end
for i = 2, 3 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', ARGV[2] - ARGV[4]) end
local new = redis.call('ZSCORE', KEYS[2], ARGV[1]) == false
if new and not room(redis.call('ZRANGE', KEYS[2], 0, -1), ARGV[1], ARGV[3], ARGV[6]) then return 0 end
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
if ARGV[5] == '1' then redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1]) else redis.call('ZREM', KEYS[3], ARGV[1]) end
for i = 2, 3 do redis.call('PEXPIREAT', KEYS[i], ends) end
return 1
"""
)
TRIED = """
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 1
"""
COUNTED = "n:"  # how the names of numbers, and of the moment of the end, begin among the fields


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
    except ValueError as error:  # a number that is none, or bytes that are no text
        raise StoreError("what is kept of the classes cannot be read") from error


class RedisStore:
    """A store that several servers share, at an address such as redis://host:6379/0. `now` is a clock in seconds."""

    def __init__(self, address: str, now: Callable[[], float] = time) -> None:
        self.now = now
        self.client = redis.Redis.from_url(
            address, decode_responses=True, socket_timeout=WAIT, socket_connect_timeout=WAIT,
            retry=Retry(NoBackoff(), 1),
        )  # fmt: skip
        scripts = {"create": CREATE, "write": WRITE, "put": PUT, "seen": SEEN, "touch": TOUCH, "tried": TRIED}
        self.scripts = {name: self.client.register_script(text) for name, text in scripts.items()}

    def key(self, code: str, *parts: str) -> str:
        """The name of a class, or of a part of it."""
        return ":".join(("encoder:class", code, *parts))

    def run(self, script: str, keys: list[str], *given: str | float) -> int:
        """Run one of the scripts."""
        with reached():
            return int(ready(self.scripts[script](keys=keys, args=list(given))))

    def create(
        self, code: str, fields: Mapping[str, str], seconds: float, idle: float | None = None, by: str = ""
    ) -> bool:
        """Make a class."""
        flat = [text for pair in fields.items() for text in pair]
        lasts = [int(1000 * time) for time in (seconds, seconds if idle is None else min(idle, seconds))]
        done = self.run("create", [self.key(code), "encoder:classes"], int(1000 * self.now()), lasts[0], MOST_CLASSES,
                        code, lasts[1], by, MOST_OF_ONE, self.key(""), *flat)  # fmt: skip
        if done < 0:
            many = f"{MOST_CLASSES} classes are open" if done == -1 else f"{MOST_OF_ONE} classes are open from here"
            raise StoreError(f"{many} already, and no more than that may be")
        return done == 1

    def touch(self, code: str, idle: float, leads: bool) -> None:
        """Note that somebody was heard of."""
        keys = [self.key(code), "encoder:classes", *(self.key(code, part) for part in ("tables", "here", "following"))]
        self.run("touch", keys, int(1000 * self.now()), int(1000 * idle), code, str(int(leads)))

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
        self.run("write", [self.key(code)], COUNTED + counter, *(text for pair in fields.items() for text in pair))

    def put(
        self, code: str, table: str, key: str, value: str, most: int, only: tuple[str, str] = ("", ""),
        share: int | None = None,
    ) -> bool:  # fmt: skip
        """Set an entry."""
        parts = (("t", table), ("o", table), ("tables",))
        keys = [self.key(code), *(self.key(code, *part) for part in parts)]
        return self.run("put", keys, key, value, most, *only, "" if share is None else share) == 1

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

    def seen(self, code: str, key: str, most: int, follows: bool, share: int | None = None) -> None:
        """Note that somebody is there."""
        keys = [self.key(code), self.key(code, "here"), self.key(code, "following")]
        self.run("seen", keys, key, self.now(), most, PRESENT, str(int(follows)), "" if share is None else share)

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
            self.client.zrem("encoder:classes", code)

    def tries(self, name: str) -> int:
        """How often it was tried."""
        with reached():
            return int(ready(self.client.get(f"encoder:tries:{name}")) or 0)

    def tried(self, name: str, seconds: float) -> None:
        """Count a try."""
        self.run("tried", [f"encoder:tries:{name}"], int(1000 * seconds))

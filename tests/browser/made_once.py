"""The dearest levels of packets, each made once in a process for the same model, run and question."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any

import cachetools

from encoder import TextEncoder, Trace
from encoder.packet import circuit_level, run, sum_level, what_if_level

MOST_BYTES = 60_000_000


def content(value: Any) -> Hashable:
    """What makes two arguments ask for the same: of a run its text, changes and padding, not which object it is.

    A model is told by a mark on it, so that it is not kept for its packets.
    """
    if isinstance(value, TextEncoder):
        return vars(value).setdefault("made_once", object())
    if not isinstance(value, Trace):
        return tuple(value) if isinstance(value, list) else value
    if any(isinstance(edit.value, Trace) for edit in value.edits):
        return id(value), object()  # never found again: what it was changed by may be gone
    return content(value.source), value.inputs, tuple(value.ids), value.edits, value.hidden, value.padding


def once(make: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return what makes packets and keeps those made last."""
    kept = cachetools.LRUCache[Hashable, bytes](MOST_BYTES, len)

    @wraps(make)
    def kept_or_made(*values: Any, **more: Any) -> bytes:
        key = tuple(map(content, values)), tuple((name, content(value)) for name, value in sorted(more.items()))
        if key not in kept:
            kept[key] = make(*values, **more)
        return kept[key]

    return kept_or_made


level_1 = once(run.level_1)
level_7 = once(what_if_level.level_7)
level_10 = once(sum_level.level_10)
level_13 = once(circuit_level.level_13)

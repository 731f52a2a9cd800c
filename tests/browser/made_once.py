"""Packets for pages without a server: the dearest are made once in a process for the same model, run and question."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any

import cachetools

from encoder import TextEncoder, Trace
from encoder.edits.edit_text import text_to_edits
from encoder.packet import circuit_level, run, sum_level, what_if_level
from encoder.packet.levels import MORE, OF_STEP, OF_WORDS

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


def packet(encoder: TextEncoder, asked: dict[str, Any], off: bool = True) -> bytes:
    """Any level of a run, as the server makes it; the first with the runs that leave a part out, or without."""
    if asked["level"] == 13:
        pair = asked["sentence"], asked.get("other", "")
        return level_13(encoder, *pair, asked.get("step", ""), asked.get("index") or (), asked.get("words") or ())
    edits = text_to_edits(asked.get("edits") or "")
    trace = encoder.trace(asked["sentence"], hidden=asked.get("hidden") or (), edits=edits)
    return packet_of(encoder, trace, asked, off)


def packet_of(encoder: TextEncoder, trace: Trace, asked: dict[str, Any], off: bool = True) -> bytes:
    """Any level of this run, whatever sentence was asked for."""
    level, step, layer = asked["level"], asked.get("step", ""), asked.get("layer")
    index, words = asked.get("index") or (), asked.get("words") or ()
    if level == 1:
        return level_1(encoder, trace, off=off)
    if level in OF_WORDS:
        return OF_WORDS[level](encoder, trace, step, index, words)
    if level in OF_STEP and step:
        return OF_STEP[level](encoder, trace, step, index)
    return MORE[level](encoder, trace, -1 if layer is None else layer)

"""What the browser says by a pattern, said again: patterns.json is the table, pattern_cases.json holds both."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import encoder.packet
from encoder.support.formatting import percent, points, short

SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
FORMATS: dict[str, Callable[[Any], str]] = {
    "percent": percent,
    "share": partial(percent, least=1),
    "points": points,
    "short": short,
    "int": str,
    "word": str,
}
PATTERNS: dict[str, dict[str, Any]] = json.loads(
    Path(encoder.packet.__file__).with_name("patterns.json").read_text(encoding="utf-8")
)


def say(key: str, **args: object) -> str:
    """The sentence of a pattern with these arguments."""
    pattern = PATTERNS[key]
    assert args.keys() == pattern["args"].keys()
    return SLOT.sub(lambda slot: FORMATS[slot[2] or pattern["args"][slot[1]]](args[slot[1]]), str(pattern["text"]))

"""Sentences from patterns and their arguments: patterns.json is the table, encoder/browser/say.js says the same."""

import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from encoder.support.errors import EncoderError
from encoder.support.formatting import percent, points, short

SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
FORMATS: dict[str, Callable[[Any], str]] = {
    "percent": percent,
    "share": partial(percent, least=1),  # in whole percents, as in the cells of a picture beside it
    "points": points,
    "short": short,
    "int": str,
    "word": str,
}


@cache
def patterns() -> dict[str, dict[str, Any]]:
    """Return every pattern by its key: `text` with places for arguments, and `args`, the format of each."""
    table: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("patterns.json").read_text(encoding="utf-8"))
    return table


def say(key: str, **args: object) -> str:
    """Return the sentence of a pattern with these arguments.

    Raises:
        EncoderError: no pattern is called so, or it has other arguments.
    """
    pattern = patterns().get(key)
    if pattern is None:
        raise EncoderError(f"no sentence is called {key!r:.60}")
    kinds = pattern["args"]
    if args.keys() != kinds.keys():
        raise EncoderError(
            f"the sentence {key!r} takes {', '.join(kinds) or 'nothing'}; got {', '.join(args) or 'none'}"
        )
    return SLOT.sub(lambda slot: FORMATS[slot[2] or kinds[slot[1]]](args[slot[1]]), str(pattern["text"]))

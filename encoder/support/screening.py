"""Which sentences may be shown unasked: none with a word of a short list of vulgar, sexual and insulting ones."""

import re
import tomllib
from functools import cache
from pathlib import Path

UNSHOWN = "not shown: it has a vulgar, sexual or insulting word"
TABLE = Path(__file__).with_name("unfit_words.toml")
WORD = re.compile(r"[^\W\d_]+")


@cache
def unfit_words() -> frozenset[str]:
    """All words of the list, in small letters."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return frozenset(word.rstrip("*") for words in table.values() for word in words.split())


def is_fit(*texts: str) -> bool:
    """Whether none of the texts has such a word."""
    return unfit_words().isdisjoint(word for text in texts for word in WORD.findall(text.lower()))

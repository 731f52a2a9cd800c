"""Made-up requests for a run or a file, most of them of a shape that no page sends, the same for the same seed."""

import json
import random
from typing import Any

from nasty import EVERY

from encoder.packet.shipped import SENTENCES
from pages.front.request_fields import FORMATS

MODELS = (
    "small",
    "small",
    "small",
    "none",
    "",
    "folder:../../etc",
    "built:n_layers=1,d_model=16,n_heads=2,d_ff=32",
    "built:x",
    "learned:task=none",
    "mystery:9",
    "built:n_layers=96,d_model=12288,n_heads=96",
)
EDITS = ("", "", "", "x", "layers.0.attention.weights:off", "0.attention.heads[0]=0", "=" * 300, "\ud800", "a" * 3000)
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    3,
    10**400,
    1e308,
    float("nan"),
    "",
    "1",
    [],
    [1],
    [[1]],
    [None],
    {},
    {"a": 1},
    "\x00",
    "\ud800",
    "x" * 70_000,
    list(range(600)),
    -(10**20),
)
NAMES = ("level", "layer", "sentence", "second", "model", "hidden", "edits", "off", "more")
OF_PAIR = ("step", "index", "words", "other")
PARTS = ("heads", "edges", "cut", "changes", "sentences", "", "x")
INDEXES = ([], [1], [6], [6, 3, 3], [6, 3], [6, 3, 3, 2, 6], [6, 9, 9, 2, 6], [10**8], [6, *range(64)])
BODIES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe",
    b"[" * 60_000,
    b'{"level": 1, "level": 2}',
    b"9" * 5_000,
    b"NaN",
    b"x" * 70_000,
)
OF_FILE = ("sentence", "second", "model", "layer", "head", "step", "word", "hidden", "edits", "cell", "v", "words_only")
TEXTS = ("", "0", "3", "99", "-1", "x", "\x00", "\ud800", "attention.weights", "attention.input", "1,2", "x" * 3000)
TYPES = ("application/json", "application/json; charset=utf-8", "text/plain", "", "multipart/form-data", "\x80")


def body(draw: random.Random) -> bytes:
    """What a request sends: a run that there is, one with a part that is odd, or something else."""
    if draw.random() < 0.1:
        return draw.choice(BODIES)
    said: dict[str, Any] = {
        "level": draw.choice((1, 1, 2)),
        "layer": draw.choice((0, 1, 3, 4, 99)),
        "sentence": draw.choice((*EVERY, *SENTENCES)),
        "second": draw.choice(("", "", *EVERY)),
        "model": draw.choice(MODELS),
        "hidden": draw.choice(([], [], [1], [0, 1, 2], [400], list(range(40)))),
        "edits": draw.choice(EDITS),
        "off": False,
    }
    names = NAMES
    if draw.random() < 0.2:
        names = (*NAMES, *OF_PAIR)
        said |= {"level": 13, "step": draw.choice(PARTS), "index": draw.choice(INDEXES)}
        said |= {"other": draw.choice((*EVERY, *SENTENCES)), "words": draw.choice(([], ["are", "is"], ["", "is"]))}
    for _ in range(draw.choice((0, 0, 1, 1, 3))):
        said[draw.choice(names)] = draw.choice(ODD)
    if draw.random() < 0.1:
        del said[draw.choice([*said])]
    text = json.dumps(said)
    return text.encode()[: draw.randrange(len(text))] if draw.random() < 0.05 else text.encode()


def file_body(draw: random.Random) -> bytes:
    """What a request for a file sends."""
    query: dict[str, Any] = {"sentence": draw.choice(EVERY), "model": draw.choice(MODELS), "layer": "1", "head": "1"}
    for _ in range(draw.choice((0, 0, 1, 2))):
        query[draw.choice(OF_FILE)] = draw.choice(TEXTS)
    said: dict[str, Any] = {"picture": draw.choice(("arcs", "picture")), "format": draw.choice(FORMATS), "query": query}
    if draw.random() < 0.2:
        said[draw.choice(("picture", "format", "query", "more"))] = draw.choice(ODD)
    return json.dumps(said).encode()


def headers(draw: random.Random) -> dict[str, str]:
    """What a request says of itself; mostly what a page of the app says."""
    said = {"Content-Type": draw.choice((TYPES[0],) * 8 + TYPES)}
    if draw.random() < 0.1:
        said["Accept-Encoding"] = draw.choice(("", "gzip;q=0", "br", "gzip;q=7", "*", ",,;;", "identity"))
    if draw.random() < 0.05:
        said["Origin"] = draw.choice(("null", "http://other", "http://[", "http://testserver", ""))
    if draw.random() < 0.05:
        said["Sec-Fetch-Site"] = draw.choice(("same-origin", "cross-site", "none", "x"))
    if draw.random() < 0.05:
        said["X-Forwarded-For"] = draw.choice(("1.2.3.4", ",", "x" * 500))
    return {name: text for name, text in said.items() if text.isascii()}

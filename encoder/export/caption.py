"""One line that tells what a picture or a file shows: model, sentence, step, layer, head, scale, edits."""

import re

from encoder.edits.describe import sentence
from encoder.trace.tokens import Text
from encoder.trace.trace import Trace

LONGEST = 160  # characters of the sentence
MOST_EDITS = 8


def caption(
    trace: Trace,
    *,
    what: str = "",
    step: str = "",
    layer: int | None = None,
    head: int | None = None,
    scale: str = "",
    compared: str = "",
) -> str:
    """What a picture of this run shows, in words; parts that are not given are left out. Counts start from 0.

    `what` names the picture, `compared` the sentence of a second run. A long sentence is cut, with "…" at its end.
    """
    where = [f"step {step}"] if step else []
    where += [f"layer {layer}"] if layer is not None else []
    where += [f"head {head}"] if head is not None else []
    parts = [
        what.rstrip("."),
        f"Model {trace.source.name} ({trace.source.fingerprint})",
        quoted(trace.asked),
        f"Compared with “{cut(compared)}”" if compared else "",
        ", ".join(where).capitalize(),
        f"Colour scale {scale}" if scale else "",
        f"Hidden: {', '.join(f'{i} {trace.tokens[i]}' for i in trace.hidden)}" if trace.hidden else "",
        changed(trace),
    ]
    return ". ".join(part for part in parts if part) + "."


def quoted(asked: Text) -> str:
    """A sentence, or both of a pair, in quotation marks."""
    return " and ".join(f"“{cut(text)}”" for text in ([asked] if isinstance(asked, str) else asked))


def changed(trace: Trace) -> str:
    """What was changed in the run, in words; empty where nothing was."""
    if not trace.edits:
        return ""
    said = [sentence(edit, trace.config) for edit in trace.edits[:MOST_EDITS]]
    more = len(trace.edits) - len(said)
    return "Changed: " + "; ".join(said) + (f"; and {more} more" if more > 0 else "")


def cut(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"


def file_name(*parts: object) -> str:
    """A name for a file from what it holds: letters, digits, dots, dashes and underscores only, at most 120."""
    joined = "-".join(str(part) for part in parts if part not in ("", None))
    return re.sub(r"[^A-Za-z0-9._-]+", "-", joined).strip("-.")[:120] or "encoder"

"""One line that tells what a picture or a file shows: model, sentence, step, layer, head, scale, edits."""

import re
from dataclasses import dataclass
from typing import Self

from encoder.edits.edit import Edit, reaching, upstream
from encoder.edits.edit_text import sentence
from encoder.support.formatting import where
from encoder.trace.tokens import Text
from encoder.trace.trace import Source, Trace

LONGEST = 160  # characters of the sentence
MOST_EDITS = 8
UNCHANGED = "nothing masked or changed"


@dataclass(frozen=True)
class About:
    """What a picture shows: only this is said in its caption.

    Attributes:
        run: the run whose numbers are drawn; None where they are of no run of one sentence.
        step: the recorded step that is drawn, if it is one.
        layer: the one layer that is drawn, counted from 0.
        head: the one head that is drawn, counted from 0.
        scope: what else the numbers are of, in words, such as "100 bundled sentences, nothing masked or changed".
        source: the model, where no run is drawn.
        other: the run B that the run, then called A, is held against.
        reads: the steps that the numbers are computed from, full names or names within `layer`; `step` alone without
            it, and without both all of the run. A change of the run that cannot reach them is not named.
    """

    run: Trace | None = None
    step: str = ""
    layer: int | None = None
    head: int | None = None
    scope: str = ""
    source: Source | None = None
    other: Trace | None = None
    reads: tuple[str, ...] = ()

    @classmethod
    def of(cls, run: Trace, name: str, head: int | None = None) -> Self:
        """A recorded step of a run, in the layer where it stands, and one head of it where it has several."""
        step = run.step(name)
        return cls(run, step=name, layer=step.layer, head=head if "H" in step.shape else None)

    @classmethod
    def of_stream(cls, run: Trace, upto: int | None = None, other: Trace | None = None) -> Self:
        """Every token's vector from the input, number 0, up to the one after layer `upto` - 1, or after all layers."""
        after = run.config.n_layers if upto is None else upto
        last = f"layers.{after - 1}.output" if after else "embedding.output"
        return cls(run, other=other, reads=(last,))

    @property
    def model(self) -> str:
        """The name of the model whose numbers are drawn; empty where they are of none."""
        source = self.run.source if self.run else self.source
        return source.name if source else ""


def caption(about: About, *, what: str = "", scale: str = "") -> str:
    """What a picture shows, in words; parts that are not given are left out. Counts start from 0.

    `what` names the picture, `scale` the ends of its colours. A long sentence is cut, with "…" at its end.
    """
    at = [f"step {about.step}"] if about.step else []
    at += filter(None, [where(about.layer, "" if about.head is None else str(about.head))])
    parts = [
        what,
        named(about.source) if about.source else "",
        begun(about.scope),
        begun(", ".join(at)),
        f"Colour scale {scale}" if scale else "",
    ]
    if about.run is not None and about.other is not None:
        parts += [f"A: {'. '.join(of_run(about, about.run))}", f"B: {'. '.join(of_run(about, about.other))}"]
    elif about.run is not None:
        parts[1:1] = of_run(about, about.run)
    return ". ".join(part.rstrip(".") for part in parts if part) + "."


def of_run(about: About, run: Trace) -> list[str]:
    """Model and sentence of a run, and what was hidden and changed in it as far as it reaches what is drawn."""
    hidden, edits = bool(run.hidden), run.edits
    steps = about.reads or ((about.step,) if about.step else ())
    if steps and (hidden or edits):
        places = upstream(run.config, [full(name, about.layer) for name in steps], about.head)
        hidden, edits = hidden and ("hidden", None) in places, reaching(edits, places)
    masked = ", ".join(f"{i} {run.tokens[i]}" for i in run.hidden) if hidden else ""
    left_out = f"{run.dropped:,} tokens at the end are left out" if run.dropped else ""
    parts = [
        named(run.source),
        quoted(run.inputs),
        left_out,
        f"Masked: {masked}" if masked else "",
        changed(run, edits),
    ]
    return [part for part in parts if part]


def full(name: str, layer: int | None) -> str:
    """A step's full name, from that or from its name within a layer."""
    within = layer is not None and name.startswith(("attention.", "add_norm_", "feed_forward."))
    return f"layers.{layer}.{name}" if within else name


def named(source: Source) -> str:
    """A model, and what pins its weights."""
    return f"Model {source.name} ({source.fingerprint})"


def begun(words: str) -> str:
    """Words with a capital at the start, the rest as they are."""
    return words[:1].upper() + words[1:]


def quoted(texts: Text) -> str:
    """A sentence, or both of a pair, in quotation marks."""
    return " and ".join(f"“{cut(text)}”" for text in ([texts] if isinstance(texts, str) else texts))


def changed(run: Trace, edits: tuple[Edit, ...]) -> str:
    """What was changed in a run, in words; empty where nothing was."""
    if not edits:
        return ""
    sentences = [sentence(edit, run.config) for edit in edits[:MOST_EDITS]]
    more = len(edits) - len(sentences)
    return "Changed: " + "; ".join(sentences) + (f"; and {more} more" if more > 0 else "")


def cut(text: str) -> str:
    """A text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"


def file_name(*parts: object) -> str:
    """A name for a file from what it holds: letters, digits, dots, dashes and underscores only, at most 120."""
    joined = "-".join(str(part) for part in parts if part not in ("", None))
    return re.sub(r"[^A-Za-z0-9._-]+", "-", joined).strip("-.")[:120] or "encoder"

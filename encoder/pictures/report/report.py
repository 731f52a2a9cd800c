"""A whole run as one HTML file that needs no network: `python -m encoder.pictures.report "a sentence" --out report.html`."""

import argparse
import html
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from latex2mathml.converter import convert

from encoder.explain.what_to_see import what_to_see
from encoder.model.steps.step import Step
from encoder.pictures.export.caption import About, caption
from encoder.pictures.figures.steps import title
from encoder.pictures.paper.type import typeface
from encoder.pictures.report.drawing import drawing, look, overview, scale_of
from encoder.pictures.report.measures import measures
from encoder.pictures.report.template import FOOT, head
from encoder.support import whole_file
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.errors import EncoderError
from encoder.support.formatting import shown
from encoder.support.theme import Theme
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace

LARGEST = 60_000_000  # bytes; a browser that opens more is slow
PER_PICTURE = 16_000  # bytes of a picture and its words besides its numbers
PER_CELL = 1.5  # bytes of a cell as pixels
PACKED = 1.36  # bytes of base64 for each byte of numbers


class ReportError(EncoderError):
    """A report that is not made, with the reason and what to do."""


@dataclass(frozen=True)
class ReportPlan:
    """What a report will hold: the steps in order, and its size in bytes to a few percent."""

    steps: tuple[Step, ...]
    layers: tuple[int, ...]
    nbytes: int


def plan(trace: Trace, layers: Sequence[int] | None = None) -> ReportPlan:
    """Which steps a report of these layers shows, and how large it becomes; all layers where none are named.

    Raises:
        ReportError: the model has no such layer.
    """
    count = trace.config.n_layers
    chosen = tuple(range(count)) if layers is None else tuple(sorted(set(layers)))
    absent = [layer for layer in chosen if not 0 <= layer < count]
    if absent:
        raise ReportError(f"there is no layer {absent[0]}; layers of {trace.source.name} go from 0 to {count - 1}")
    steps = tuple(step for step in map(trace.step, trace) if step.layer is None or step.layer in chosen)
    numbers = sum(drawn_bytes(trace, step) for step in steps if not repeated(trace, step))
    overview = count * trace.config.n_heads * len(trace.tokens) ** 2 * 4
    nbytes = int((numbers + overview) * (PACKED + PER_CELL / 4)) + PER_PICTURE * (len(steps) + 1)
    return ReportPlan(steps, chosen, nbytes)


def drawn_bytes(trace: Trace, step: Step) -> int:
    """Bytes of the numbers in a step's picture."""
    return 0 if step.shape[-1] == "vocab" else 4 * trace[step.name].numel()


def repeated(trace: Trace, step: Step) -> str:
    """The step whose very numbers this one hands on; empty where it computes its own."""
    source = step.inputs[0] if step.operation == "same" and step.inputs else ""
    same = source in trace and trace[source].data_ptr() == trace[step.name].data_ptr()
    return source if same else ""


def report(
    encoder: TextEncoder,
    trace: Trace,
    layers: Sequence[int] | None = None,
    progress: Callable[[float], None] | None = None,
    largest: int = LARGEST,
    theme: Theme = "light",
) -> Iterator[str]:
    """The report of a run, piece by piece: tokens, embedding, every step of the named layers, output, predictions.

    The pieces together are one HTML page in a theme, whatever the screen has. `progress` gets the share that is done.

    Raises:
        ReportError: the model has no such layer, or the file would be larger than `largest` bytes.
        EncoderError: a trace of another model.
    """
    encoder.check_own(trace)
    planned = plan(trace, layers)
    if planned.nbytes > largest:
        raise ReportError(
            f"the report would take {megabytes(planned.nbytes)}, more than {megabytes(largest)}; "
            "name fewer layers or a shorter sentence"
        )
    return pages(encoder, trace, planned, progress or (lambda share: None), theme)


def pages(
    encoder: TextEncoder, trace: Trace, planned: ReportPlan, progress: Callable[[float], None], theme: Theme
) -> Iterator[str]:
    """The pieces of the page in order; the letters of its pictures come last, when it is known which they are."""
    letters: set[str] = set()
    for piece in drawn_pages(encoder, trace, planned, progress, theme):
        letters.update(piece)
        yield piece
    yield typeface("".join(sorted(letters))) + FOOT


def drawn_pages(
    encoder: TextEncoder, trace: Trace, planned: ReportPlan, progress: Callable[[float], None], theme: Theme
) -> Iterator[str]:
    """The pieces of the page in order, without its end."""
    heading = html.escape(shown(trace.text, 80))
    yield head(heading, html.escape(caption(About(trace))), links(planned), theme)
    yield f"<h2 id='tokens'>{len(trace.tokens)} tokens</h2><ol class='tokens' start='0'>"
    yield from (
        f"<li><bdi>{html.escape(shown(t, 24))}</bdi> <small>{i}</small></li>"
        for t, i in zip(trace.tokens, trace.ids, strict=True)
    )
    yield "</ol><h2 id='heads'>All heads</h2>"
    about = About(trace, reads=(f"layers.{trace.config.n_layers - 1}.attention.weights",))
    words = caption(about, what="Attention weights of every head", scale="0 to 1")
    yield drawing(overview(trace), "all-heads", words, theme)
    yield measures(trace)
    yield "<h2 id='embedding'>Embedding</h2>"
    part: int | None = None
    for done, step in enumerate(planned.steps):
        if step.layer != part:
            name = "Output" if step.layer is None else f"Layer {step.layer}"
            yield f"<h2 id='{name.lower().replace(' ', '-')}'>{name}</h2>"
            part = step.layer
        yield section(encoder, trace, step, theme)
        progress((done + 1) / len(planned.steps))
    yield predictions(encoder, trace)


def links(planned: ReportPlan) -> str:
    """The way to each part."""
    named = {"tokens": "Tokens", "heads": "All heads", "embedding": "Embedding"}
    named |= {f"layer-{layer}": f"Layer {layer}" for layer in planned.layers} | {"output": "Output"}
    return " · ".join(f"<a href='#{key}'>{name}</a>" for key, name in named.items())


def section(encoder: TextEncoder, trace: Trace, step: Step, theme: Theme) -> str:
    """One step: what happens, formula, shape, picture, main fact."""
    sizes = " × ".join(map(str, step.sizes(trace.config, len(trace.tokens))))
    said = f"<h3>{html.escape(title_of(step))}</h3><p>{html.escape(step.note)}</p>"
    said += f"<p>{''.join(map(formula, written_lines(step.equation)))}</p>"
    said += f"<p class='quiet'><code>{step.name}</code> · shape {' × '.join(step.shape)} = {sizes}</p>"
    source = repeated(trace, step)
    if source:
        return f"<section>{said}<p>These are the numbers of <code>{source}</code>, handed on.</p></section>"
    panel, fact = look(encoder, trace, step)
    words = caption(About.of(trace, step.name), what=title_of(step), scale=scale_of(panel))
    read = f"<p><b>{html.escape(fact)}</b> {html.escape(what_to_see(trace, step))}</p>"
    return f"<section>{said}{drawing(panel, step.name, words, theme)}{read}</section>"


def written_lines(equation: str) -> list[str]:
    """The lines of an equation: MathML has one formula for each, and no signs that align them."""
    bare = equation.removeprefix(r"\begin{aligned}").removesuffix(r"\end{aligned}")
    if bare == equation:
        return [equation]
    return [line.replace("&", "").strip() for line in bare.split(r"\\")]


def formula(line: str) -> str:
    """One line as MathML."""
    said: str = convert(line, display="block")
    return said


def title_of(step: Step) -> str:
    """The step's title with its layer; all heads are shown."""
    return title(step, 0).replace(", head 0", ", all heads")


def predictions(encoder: TextEncoder, trace: Trace) -> str:
    """What the model would say at each position."""
    found = encoder.predict(trace, 5)
    if found is None:
        return f"<h2>Predictions</h2><p>{html.escape(encoder.why_no_guesses)}</p>"
    rows = "".join(
        f"<tr><th>{i} <bdi>{html.escape(shown(token, 24))}</bdi></th>"
        + "".join(f"<td><bdi>{html.escape(shown(word, 24))}</bdi> {p:.3f}</td>" for word, p in best)
        + "</tr>"
        for i, (token, best) in enumerate(zip(trace.tokens, found, strict=True))
    )
    return f"<h2>Predictions</h2><table><caption>The likeliest words at each position</caption>{rows}</table>"


def megabytes(nbytes: int) -> str:
    """A size in words."""
    return f"{nbytes / 1e6:.1f} MB"


def numbers(text: str) -> list[int] | None:
    """The layers in "0,5"; None for "all".

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    if text == "all":
        return None
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise argparse.ArgumentTypeError(f"layers are {text[:40]!r}; they must be such as 0,5 or all")
    return [int(part) for part in parts]


def bar(share: float) -> None:
    """Progress on the error output, one line that fills."""
    print(
        f"\r[{'#' * round(30 * share):<30}] {share:4.0%}", end="\n" if share >= 1 else "", file=sys.stderr, flush=True
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = CommandLine(prog="python -m encoder.pictures.report", description=__doc__)
    parser.add_argument("sentence")
    parser.add_argument("--pair", default="", help="a second sentence, read together with the first")
    parser.add_argument("--model", default="base", help="what from_pretrained takes (default: base)")
    parser.add_argument("--layers", type=numbers, default=None, help="such as 0,5, or all (default: all)")
    parser.add_argument("--theme", choices=get_args(Theme), default="light", help="of the page (default: light)")
    parser.add_argument(
        "--out", type=Path, default=Path("report.html"), help="the file to write (default: report.html)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress, as without a terminal")
    asked = parser.parse_args(arguments)
    return exit_code(lambda: write(asked), "start again")


def write(asked: argparse.Namespace) -> None:
    """Write the report that is asked for."""
    whole_file.check(asked.out)
    encoder = TextEncoder.from_pretrained(asked.model)
    text = (asked.sentence, asked.pair) if asked.pair else asked.sentence
    told = bar if sys.stderr.isatty() and not asked.quiet else lambda share: None
    pieces = report(encoder, encoder.trace(text), asked.layers, told, theme=asked.theme)
    whole_file.write(asked.out, (piece.encode("utf-8") for piece in pieces))
    print(f"{asked.out}: {megabytes(asked.out.stat().st_size)}")

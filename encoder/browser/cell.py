"""A run as the last line of a notebook's cell: the living picture, and the same in words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from encoder.browser.held import Run, held
from encoder.browser.living import living_file, quoted, written
from encoder.browser.page_table import PAGES
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.packet.format import Stored, unpack
from encoder.packet.run import opening
from encoder.support.errors import EncoderError, integer
from encoder.support.formatting import percent
from encoder.support.whole_file import write
from encoder.trace.trace import Trace

CHOICES = (
    "layer",
    "head",
    "word",
    "step",
    "cell",
    "after",
    "guess",
    "over",
    "off",
    "maps",
)  # what of a page can be chosen
BY_HAND = "show it with encoder.browser.cell.cell([(encoder, trace)])"
WHOLE = re.compile(r"\d{1,6}", re.ASCII)
MOST_TOKENS = 64  # of the table beside a picture
HEIGHT = 640  # pixels of a frame that nobody tells how high its page is
# A frame says how high its page is; it is given so much, within bounds. One listener serves all cells of a page.
FOLLOW = """if (!window.encoderCells) {
  window.encoderCells = true;
  addEventListener('message', ({ source, data }) => {
    const height = Number(data?.encoderHeight);
    if (!(height > 0)) return;
    for (const frame of document.querySelectorAll('iframe.encoder-cell')) {
      if (frame.contentWindow === source) frame.style.height = `${Math.min(Math.max(height, 200), 2400)}px`;
    }
  });
}"""


@dataclass(frozen=True, eq=False)
class LivingCell:
    """A page of HTML that draws itself, shown by a notebook as the last line of a cell.

    Attributes:
        file: the page, which asks no server.
        title: what it shows, in a line.
        words: what a program that shows no pages, or a person who cannot see, is told: HTML.
    """

    file: str
    title: str
    words: str

    def __repr__(self) -> str:
        """What it shows, in a line."""
        return self.title

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which the notebook's styles do not reach, and the same in words."""
        look = f"all: revert; display: block; width: 100%; height: {HEIGHT}px; border: 0"
        frame = (
            f'<iframe class="encoder-cell" sandbox="allow-scripts" style="{look}" title="{written(self.title)}" '
            f"srcdoc='{quoted(self.file)}'></iframe>"
        )
        return f"<script>{FOLLOW}</script>{frame}<details><summary>The same in words</summary>{self.words}</details>"

    def save(self, path: str | Path) -> Path:
        """Write the page as a file, which opens from a disk; return where it is."""
        path = Path(path)
        write(path, self.file.encode())
        return path


def cell(
    runs: Sequence[Run],
    page: str = "start",
    chosen: Mapping[str, object] | None = None,
    *,
    numbers: Sequence[int] | None = (),
) -> LivingCell:
    """Return the living picture of runs; the first one is shown first.

    Args:
        runs: models with runs of theirs.
        page: start, embedding, attention, add_norm, feed_forward, output, heads, what_if or compare.
        chosen: what is chosen, of CHOICES; the run chooses the rest.
        numbers: layers of whose steps every number is there, with those of steps of no layer; None for all.

    Raises:
        EncoderError: there is no such page, choice, layer, head or word, or as `numbers_of_steps`.
    """
    if page not in PAGES:
        raise EncoderError(f"there is no page {page!r:.40}; choose {', '.join(PAGES)}")
    query = spelled(runs[0][1], chosen or {})
    layer = int(query.get("layer", 0))
    return drawn(held(runs, page=page, layer=layer, numbers=numbers), page, query)


def drawn(
    runs: Sequence[Sequence[bytes]],
    page: str,
    query: Mapping[str, str],
    *,
    kept: bool = False,
    link: str = "",
) -> LivingCell:
    """Return the living picture of packets.

    Args:
        runs: of each run its packets, level 1 first.
        page: the key of the page that it opens with, of `encoder.browser.page_table.PAGES`.
        query: what is chosen, as an address spells it; what is no choice is left out.
        kept: whether its foot says what it shows when it opens.
        link: an address of the app that its foot leads to.
    """
    _, about, arrays = unpack(runs[0][0])
    line, words = line_and_text(about, arrays, query)
    title = f"{PAGES[page].title}: {line}"
    file = living_file(runs, title, page=page, chosen=query, kept=line if kept else "", link=link)
    return LivingCell(file, title, words)


def cell_of(trace: Trace, page: str, chosen: Mapping[str, object]) -> LivingCell:
    """Return the living picture of a run that knows the encoder that made it.

    Raises:
        EncoderError: it does not, or as `cell`.
    """
    if not isinstance(trace.encoder, TextEncoder):
        raise EncoderError(f"this trace was put together by hand: {BY_HAND}")
    return cell([(trace.encoder, trace)], page, chosen)


def spelled(trace: Trace, chosen: Mapping[str, object]) -> dict[str, str]:
    """Return choices as an address spells them.

    Raises:
        EncoderError: one is no choice, or the run has no such layer, head or token.
    """
    config = trace.config
    ends = {"layer": config.n_layers, "head": config.n_heads, "word": len(trace.tokens)}
    query = {}
    for name, value in chosen.items():
        if name not in CHOICES:
            raise EncoderError(f"{name!r:.40} cannot be chosen; {', '.join(CHOICES)} can")
        if name in ends:
            value = integer(name, value, 0, ends[name] - 1)
        if value is not None and value is not False:
            query[name] = "1" if value is True else str(value)
    return query


def line_and_text(about: Mapping[str, Any], arrays: Mapping[str, Stored], query: Mapping[str, str]) -> tuple[str, str]:
    """Return a run in a line, and as HTML for who sees no picture: what is guessed, and where the head looks."""
    numbers = {name: int(text) for name in ("layer", "head", "word") if WHOLE.fullmatch(text := query.get(name, ""))}
    line = f"“{short(' / '.join(filter(None, (about['sentence'], about['second']))))}”"
    text = f"<p dir='auto'>{written(line)}</p>"
    says = "gives the label" if "answer" in about else "guesses"
    for place, guesses in about["guesses"].items():
        at = "" if len(about["guesses"]) == 1 else f" for token {place}"
        guessed = ", ".join(f"“{token}” {percent(share)}" for token, share in guesses[:5])
        text += f"<p dir='auto'>The model {says}{at} {written(guessed)}.</p>"
    own = opening(about, arrays)
    layer, head, word = numbers.get("layer", own[0]), numbers.get("head", own[1]), numbers.get("word", about["gap"])
    tokens, rows, weights = about["tokens"], about["rows"], arrays["weights"].numbers
    if word not in rows or not (layer < weights.shape[0] and head < weights.shape[1]):
        return line, text
    shares = sorted(zip(tokens, weights[layer, head, rows.index(word)].tolist(), strict=True), key=lambda row: -row[1])
    caption = f"Where head {head} of layer {layer} looks from token {word}, “{tokens[word]}”"
    table = table_html(caption, ("token", "share"), ((token, percent(share)) for token, share in shares[:MOST_TOKENS]))
    return f"{line}, head {head} of layer {layer}", text + table


def table_html(caption: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; the first cell of a row says what the row is about."""
    head = "".join(f"<th scope='col'>{written(name)}</th>" for name in names)
    lines = (
        f"<th scope='row' dir='auto'>{written(first)}</th>"
        + "".join(f"<td dir='auto'>{written(c)}</td>" for c in cells)
        for first, *cells in rows
    )
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><caption>{written(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def short(sentence: str) -> str:
    """Return a sentence as it stands in a line."""
    line = " ".join(sentence.split())
    return line if len(line) <= 120 else f"{line[:117]}…"

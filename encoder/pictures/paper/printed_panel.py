"""What a panel of a printed figure shows: numbers, and words as text, also for LaTeX and Markdown."""

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from encoder.pictures.export.tables import Rows, header, lines, numbered
from encoder.support.errors import EncoderError
from encoder.support.formatting import MARK, shown
from encoder.support.selection import Selection, TokenKind, selection
from encoder.support.theme import WITH_SIGN, Kind, Theme, limits

MOST_CELLS = 200_000  # of all maps of a panel; what has more is no picture for a sheet of paper
MOST_MAPS = 192
MOST_BYTES = 2_000_000  # of a panel's table
SPECIAL = re.compile(r"\[(CLS|SEP|PAD)\]|</?s>|<pad>")  # tokens that a tokenizer adds
Array = np.ndarray[Any, Any]


class PanelError(EncoderError):
    """A picture that is not taken into a figure, with the reason."""


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A map of numbers [rows, columns]; cells that are no finite number stay blank."""

    values: Array
    rows: tuple[str, ...]
    columns: tuple[str, ...] | str  # names, or what is counted along them
    kind: Kind
    low: float  # with `high` the ends of the colours
    high: float
    title: str = ""
    cells: tuple[tuple[str, ...], ...] = ()  # the words that stand in the cells, where there are some
    subject: tuple[int, int] | None = None  # the row and column that it is about; None for its strongest cell

    @property
    def named(self) -> tuple[int, int]:
        """The row and column whose names stand beside the map even where not all names have room."""
        if self.subject is not None:
            return self.subject
        size = np.where(np.isfinite(self.values), np.abs(self.values), -1.0)
        row, column = divmod(int(size.argmax()), self.shape[1])
        return row, column

    @property
    def pairs(self) -> bool:
        """Whether the same tokens stand along both sides."""
        return self.rows == self.columns

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def words(self) -> Selection:
        """Which of its tokens are words; all, where none was added, nothing else is there, or it is no map of pairs."""
        kinds: list[TokenKind] = ["special" if self.pairs and SPECIAL.fullmatch(name) else "word" for name in self.rows]
        return selection(self.rows, kinds, "words")

    def words_only(self) -> "HeatMap":
        """The map without the rows and columns of added tokens; the same where there is none, or nothing else."""
        words = self.words
        if words.whole:
            return self
        names, subject = tuple(words.drawn), self.subject
        drawn = subject is not None and set(subject) <= set(words.at)
        moved = (words.at.index(subject[0]), words.at.index(subject[1])) if subject is not None and drawn else None
        return replace(self, values=words.cut(self.values), rows=names, columns=names, subject=moved)

    def scaled(self, largest: float) -> "HeatMap":
        """The map with its colours up to another end; of shares too."""
        return replace(self, low=-largest if self.kind in WITH_SIGN else 0.0, high=largest)

    @property
    def largest(self) -> float:
        """The largest size of a number that is drawn."""
        return float(np.abs(self.values[np.isfinite(self.values)]).max(initial=0.0))

    def table(self) -> Rows:
        """A header, then a row for each row of the map."""
        names = self.columns if isinstance(self.columns, str) else list(self.columns)
        yield ("map", "row", *header(names, self.values.shape[1]))
        for name, row in zip(numbered(self.rows), self.values, strict=True):
            yield (self.title, name, *row)


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel: maps, or a chart as Plotly's own marks in a frame, with what it is called and what is said of it.

    `across` is how many maps stand in a row, 0 for as many as look well. `theme` is that of the chart's colours, and
    `numbers` its table as CSV.
    """

    title: str
    caption: str
    maps: tuple[HeatMap, ...] = ()
    marks: tuple[dict[str, Any], ...] = ()
    frame: dict[str, Any] | None = None
    theme: Theme = "light"
    numbers: str = ""
    across: int = 0

    def words_only(self) -> "Panel":
        """The panel without added tokens in its maps."""
        return replace(self, maps=tuple(matrix.words_only() for matrix in self.maps))

    def csv(self) -> str:
        """The numbers that are drawn, as CSV text."""
        if not self.maps:
            return self.numbers
        return MARK + "".join(lines(matrix.table()) for matrix in self.maps)

    @property
    def left_out(self) -> bool:
        """Whether there are added tokens that `words_only` leaves out."""
        return not all(matrix.words.whole for matrix in self.maps)


def heat_map(
    values: Array,
    rows: Sequence[str],
    columns: Sequence[str] | str,
    kind: Kind,
    *,
    title: str = "",
    largest: float | None = None,
    blank: float | None = None,
    subject: tuple[int, int] | None = None,
) -> HeatMap:
    """A map of values [rows, columns]; `largest` is the end of its colours, `blank` a number whose cells have none."""
    values = np.asarray(values, dtype=np.float32)
    if blank is not None and np.isfinite(blank):
        values = np.where(values == np.float32(blank), -np.inf, values)
    finite = np.abs(values[np.isfinite(values)])
    low, high = limits(kind, float(finite.max(initial=0.0)) if largest is None else largest)
    names = columns if isinstance(columns, str) else tuple(map(spelled, columns))
    return HeatMap(values, tuple(map(spelled, rows)), names, kind, low, high, spelled(title, 40), subject=subject)


def with_ends(matrix: HeatMap, kind: Kind, low: float, high: float) -> HeatMap:
    """The map with its colours between these ends."""
    return replace(matrix, kind=kind, low=low, high=high)


def of_maps(title: str, caption: str, maps: Iterable[HeatMap], across: int = 0) -> Panel:
    """A panel of one or more maps.

    Raises:
        PanelError: they have more cells, or are more, than fit on paper.
    """
    blocks = tuple(maps)
    cells = sum(matrix.values.size for matrix in blocks)
    if not blocks or cells > MOST_CELLS or len(blocks) > MOST_MAPS:
        raise PanelError(
            f"it has {cells:,} cells in {len(blocks)} maps; a panel has up to {MOST_CELLS:,} in {MOST_MAPS}"
        )
    return Panel(headline(title), plain_text(caption), blocks, across=across)


def headline(text: str) -> str:
    """The first sentence of a text, which stands above its panel."""
    return re.split(r"[.;:] ", plain_text(text), maxsplit=1)[0].rstrip(".")


def spelled(name: str, longest: int = 14) -> str:
    """A name as it stands in a figure."""
    return plain_text(shown(name, longest))


LONGEST = 2000  # characters of a title, a caption or an alt text
TAGS = re.compile(r"</?(?:b|i|br|sub|sup|span)(?: [^<>]*)?/?>")
UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)
LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "@": r"{@}", "“": "``", "”": "''",
    "…": r"\ldots{}", "×": r"$\times$", "→": r"$\to$", "\u2212": r"$-$", "√": r"$\surd$", "·": r"$\cdot$",
    "≈": r"$\approx$", "ᵀ": r"\textsuperscript{T}", "\u00a0": "~", "±": r"$\pm$", "÷": r"$\div$", "µ": r"$\mu$",
    "²": r"$^2$", "₁": r"$_1$", "₂": r"$_2$", "‖": r"$\|$", "∞": r"$\infty$", "≤": r"$\leq$", "≥": r"$\geq$",
    "–": "--", "—": "---", "\u2018": "`", "\u2019": "'",
}  # fmt: skip
KNOWN = re.compile(r"[ -~À-ÏÑ-Ýß-ïñ-ýÿ]")  # letters of every LaTeX and every of its usual typefaces
OTHER_LETTER = r"\otherletter"
OTHER = r"\providecommand{\otherletter}[2]{\ifdefined\Umathchar#1\else\textbackslash{}u#2\fi}" "\n"
MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&\"@=])")


def plain_text(text: str) -> str:
    """Text on one line; what no eye sees, or what turns the order of what follows, is shown by its number."""
    line = " ".join(str(text)[:LONGEST].split())
    return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", line)


def without_tags(text: str) -> str:
    """What Plotly shows of a text: its few tags are looks, and what was escaped is a character."""
    return html.unescape(TAGS.sub("", text)).replace("\u00a0", " ").strip()


def latex(text: str) -> str:
    """Text for LaTeX: every character that it would read as a command stands for itself.

    Letters that pdfLaTeX does not know are shown there by their number, and LuaLaTeX and XeLaTeX write them: the
    command that does so is OTHER.
    """
    return "".join(LATEX.get(c) or (c if KNOWN.match(c) else other_letter(c)) for c in plain_text(text))


def other_letter(character: str) -> str:
    """A letter beside its number."""
    return f"{OTHER_LETTER}{{{character}}}{{{ord(character):04x}}}"


def markdown(text: str) -> str:
    """Text for Markdown, which reads none of it as a mark."""
    return MARKDOWN.sub(r"\\\1", plain_text(text))

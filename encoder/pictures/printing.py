"""Pictures on a sheet as files: SVG and PDF with words as text, PNG with its size, CSV, LaTeX, Markdown, one zip."""

import html
import io
import math
import re
import threading
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from textwrap import wrap
from typing import Any, Protocol

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from encoder.pictures.chart import Chart
from encoder.pictures.export.archive import archive, write
from encoder.pictures.export.caption import file_name
from encoder.pictures.export.tables import to_csv
from encoder.pictures.export.typeset import OTHER, OTHER_LETTER, latex, markdown, plain_text
from encoder.pictures.printed_charts import CHARTS
from encoder.pictures.printed_maps import MAPS
from encoder.pictures.printed_marks import MARKS
from encoder.pictures.printed_plane import POINT, Plane
from encoder.support.cached_property import cached_property
from encoder.support.errors import EncoderError
from encoder.support.formatting import MARK
from encoder.support.theme import BACKGROUND, INK, MUTED, Theme

SIZES = {"shown": (190.5, 9.0), "one": (85.0, 7.0), "two": (180.0, 7.0)}  # width in mm, letters in points; 720 pixels
WIDTHS, LETTERS = (40.0, 400.0), (5.0, 20.0)
DPI = (300, 600)
MOST_PIXELS = 30_000_000
MOST_PICTURES = 12
MOST_CELLS = 200_000  # of a picture: what has more is no picture for a sheet of paper
NAME = "figure"
BOX = "\u25a1"
PRINTED: dict[str, Callable[[Plane, Chart], float]] = MAPS | CHARTS | MARKS
FIRST = "DejaVu Sans"  # comes with matplotlib; what it lacks is looked up in the others of the machine
NO_LETTERS = re.compile(r"Last Resort|cm[a-z]+\d+$|STIX(Size|NonUni)")  # boxes, and signs at places of letters
SETTINGS = {
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,  # the typeface itself is embedded, and not outlines of its letters
    "svg.hashsalt": "figure",  # the same figure is the same file
    "text.parse_math": False,  # a dollar is a dollar
    "font.family": ["sans-serif"],
    "legend.fontsize": "medium",
    "image.composite_image": False,  # maps of pixels stay small in a file
    "axes.linewidth": 0.5,
    "hatch.linewidth": 0.5,
}
LAYOUT = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03)
CANVASES: dict[str, Any] = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf}
PRESSED = 3  # of 9: twice as fast as the usual 6, and a tenth larger
ONE_AT_A_TIME = threading.Lock()  # matplotlib's settings are those of the process


class Printable(Protocol):
    """What can be printed: an answer of the registry, or a `SheetPart` of one's own."""

    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def caption(self) -> str: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def chart(self) -> Chart: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class SheetPart:
    """A picture of one's own numbers: what it is called, what is said of it, how it is drawn, and what is drawn."""

    title: str
    caption: str
    kind: str
    chart: Chart


class TooLargeError(EncoderError):
    """A picture that is too large for a sheet of paper."""


@cache
def paths() -> dict[str, str]:
    """The file of each typeface that this machine has, those without feet first."""
    faces = [face for face in fontManager.ttflist if face.style == "normal" and not NO_LETTERS.match(face.name)]
    first = sorted(
        faces, key=lambda face: ("Sans" not in face.name, "Mono" in face.name, face.name, face.weight != 400)
    )
    return {face.name: face.fname for face in reversed(first)}


def installed() -> tuple[str, ...]:
    """The typefaces in the order in which letters are looked up in them."""
    return (FIRST, *(family for family in reversed(paths()) if family != FIRST))


@cache
def letters_of(family: str) -> frozenset[int]:
    """The letters that a typeface has, by their numbers; none of one whose letters are pixels."""
    try:
        face = get_font(paths()[family])
        return frozenset(face.get_charmap()) if face.scalable else frozenset()
    except (RuntimeError, OSError, ValueError):
        return frozenset()


@lru_cache(maxsize=256)
def faces_for(letters: frozenset[str]) -> tuple[tuple[str, ...], str]:
    """The typefaces that have these letters, as few as come first, and the letters that none has."""
    faces, left = [FIRST], {c for c in letters if ord(c) not in letters_of(FIRST)}
    for family in installed():
        if not left:
            break
        if has := {c for c in left if ord(c) in letters_of(family)}:
            faces.append(family)
            left -= has
    return tuple(faces), "".join(sorted(left))


@dataclass(frozen=True, eq=False)
class Sheet:
    """Pictures below and beside each other; every file is made when it is asked for.

    `size` is a key of SIZES, `width` in mm and `letters` in points take its place where they are given.

    Raises:
        EncoderError: a choice outside its limits, no pictures, more than a sheet has, or one of too many cells.
    """

    pictures: Sequence[Printable]
    size: str = "two"
    width: float = 0.0
    letters: float = 0.0
    theme: Theme = "light"

    def __post_init__(self) -> None:
        if not 1 <= len(self.pictures) <= MOST_PICTURES:
            raise EncoderError(f"there are {len(self.pictures)} pictures; a sheet has 1 to {MOST_PICTURES}")
        if self.size not in SIZES or self.theme not in BACKGROUND:
            raise EncoderError(
                f"size and theme are {self.size!r} and {self.theme!r}; {', '.join(SIZES)}, light or dark"
            )
        for name, (low, high), usual in zip(("width", "letters"), (WIDTHS, LETTERS), SIZES[self.size], strict=True):
            value = getattr(self, name) or usual
            if not low <= value <= high:
                raise EncoderError(f"{name} is {value}; it must be from {low:g} to {high:g}")
            object.__setattr__(self, name, value)
        for each in self.pictures:
            if each.kind in ("matrix", "maps", "tiles") and (cells := each.chart.numbers.array.size) > MOST_CELLS:
                raise TooLargeError(f"it has {cells:,} cells; a sheet of paper takes up to {MOST_CELLS:,}")

    @property
    def across(self) -> int:
        """How many pictures stand in a row."""
        return 1 if self.width <= 100 else min(2, len(self.pictures))

    @property
    def wide(self) -> float:
        """How wide each picture is, in mm."""
        return self.width / self.across - 4

    @cached_property
    def titles(self) -> list[str]:
        """What stands over each picture, in two lines at most."""
        letters = [f"({letter(i)}) " if len(self.pictures) > 1 else "" for i in range(len(self.pictures))]
        most = int(self.wide / (0.6 * self.letters * POINT))
        lines = [wrap(f"{at}{plain_text(each.title)}", most) for at, each in zip(letters, self.pictures, strict=True)]
        return ["\n".join([*each[:1], *([each[1] + "…"] if len(each) > 2 else each[1:2])]) for each in lines]

    @cached_property
    def height(self) -> float:
        """In mm."""
        with self.set_for_paper():
            return float(self.draw(72).get_figheight() * 25.4)

    @cached_property
    def faces(self) -> tuple[tuple[str, ...], str]:
        """The typefaces that the words of the pictures take, and the letters that none of this machine has."""
        words = "".join([*self.titles, *(word for each in self.pictures for word in words_of(each.chart))])
        return faces_for(frozenset(c for c in words if c.isprintable() and not c.isspace()))

    @property
    def note(self) -> str:
        """One line that says which letters are drawn as boxes; empty where none is."""
        if not (missing := self.faces[1]):
            return ""
        some = " ".join(f"U+{ord(c):04X}" for c in missing[:8])
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        return f"{BOX}: this machine has no typeface for {some}{more}."

    @cached_property
    def lines_of_note(self) -> str:
        """The same in lines that have room."""
        return "\n".join(wrap(self.note, int(self.width / (0.6 * self.letters * POINT))))

    def draw(self, dpi: float, *, noted: bool = False) -> Figure:
        """The drawing, with the note below it; an SVG has none, for whoever opens it has typefaces of their own."""
        figure = Figure((self.width / 25.4, 1.0), dpi=dpi, layout=LAYOUT)
        figure.set_facecolor(BACKGROUND[self.theme])
        grid = figure.add_gridspec(-(-len(self.pictures) // self.across), self.across)
        line, heights = 1.25 * self.letters * POINT, [0.0] * grid.nrows
        for i, (each, title) in enumerate(zip(self.pictures, self.titles, strict=True)):
            row, column = divmod(i, self.across)
            part = figure.add_subfigure(grid[row, column])
            part.suptitle(title, x=0.01, ha="left", size=self.letters * 1.1)
            plane = Plane(part.subplots(), self.wide, self.letters, self.theme)
            high = PRINTED[each.kind](plane, each.chart) + (1.3 + title.count("\n")) * 1.15 * line + 4
            heights[row] = max(heights[row], high)
        grid.set_height_ratios(heights)
        below = (1.5 + self.lines_of_note.count("\n")) * line * bool(self.note)
        figure.set_figheight((sum(heights) + below) / 25.4)
        if noted and self.note:
            figure.supxlabel(self.lines_of_note, x=0.01, ha="left", size=max(5.0, 0.85 * self.letters))
        return figure

    @contextmanager
    def set_for_paper(self) -> Iterator[None]:
        """Matplotlib's settings for this sheet, which no other one has meanwhile."""
        ink, muted = INK[self.theme], MUTED[self.theme]
        colours = {f"{name}.color": muted for name in ("xtick", "ytick")}
        colours |= {"text.color": ink, "axes.labelcolor": muted, "axes.edgecolor": muted, "axes.facecolor": "none"}
        settings: Any = SETTINGS | colours | {"font.sans-serif": [*self.faces[0]], "font.size": self.letters}
        sizes = {f"{name}size": self.letters for name in ("axes.label", "axes.title", "xtick.label", "ytick.label")}
        with ONE_AT_A_TIME, rc_context(settings | sizes), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")
            yield

    def saved(self, kind: str, dpi: float = 72.0, **options: Any) -> bytes:
        """The drawing as a file of that kind."""
        with self.set_for_paper(), io.BytesIO() as file:
            figure = self.draw(dpi, noted=kind != "svg")
            LAYOUT.execute(figure)
            figure.set_layout_engine("none")  # it is laid out; `savefig` would draw it once more for that
            if kind == "png":
                save_pixels(figure, file, **options)
            else:
                getattr(CANVASES[kind](figure), f"print_{kind}")(file, **options)
            return file.getvalue()

    @property
    def caption(self) -> str:
        """What the pictures say of themselves."""
        letters = [f"({letter(i)}) " if len(self.pictures) > 1 else "" for i in range(len(self.pictures))]
        captions = [f"{at}{each.caption}" for at, each in zip(letters, self.pictures, strict=True)]
        return plain_text(" ".join(captions))

    def svg(self, *, in_page: bool = False) -> str:
        """The drawing as SVG; every word in it is text."""
        svg = self.saved("svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}).decode("utf-8")
        begun = svg[svg.index("<svg ") : svg.index(">", svg.index("<svg ")) + 1]
        in_mm = re.sub(r'="([\d.]+)pt"', lambda size: f'="{float(size[1]) * POINT:.3f}mm"', begun)
        sized = in_mm.replace("<svg ", '<svg role="img" ', 1)
        if in_page:
            aria_label = f' aria-label="{html.escape(self.caption)}">'
            return sized.removesuffix(">") + aria_label + svg[svg.index(begun) + len(begun) :]
        named = f"<title>{html.escape(self.titles[0])}</title><desc>{html.escape(self.caption)}</desc>"
        return svg.replace(begun, sized + named, 1)

    def pdf(self) -> bytes:
        """The drawing as vectors, its typefaces embedded."""
        return self.saved("pdf", metadata={"Title": self.titles[0], "Subject": self.caption, "CreationDate": None})

    def dots(self, dpi: int) -> tuple[float, float]:
        """Width and height in so many dots per inch."""
        return self.width / 25.4 * dpi, self.height / 25.4 * dpi

    def png(self, dpi: int = DPI[0]) -> bytes:
        """The drawing in pixels; the file says how large they are in print.

        Raises:
            EncoderError: that is no number of dots per inch from 36 to 1200, or makes more than 30 million of them.
        """
        wide, high = self.dots(dpi)
        if not 36 <= dpi <= 1200 or wide * high > MOST_PIXELS:
            raise EncoderError(f"dpi is {dpi}, {wide:,.0f} x {high:,.0f} dots; 36 to 1200 dpi and {MOST_PIXELS:,} dots")
        return self.saved("png", dpi, texts={"Title": self.titles[0], "Description": self.caption})

    def csv(self) -> str:
        """The numbers of all pictures, one table after another, each under the letter of its picture."""
        tables = [to_csv(each.chart.numbers.table(each.chart.at)).removeprefix(MARK) for each in self.pictures]
        return MARK + "\n".join(f"picture {letter(i)}\n{table}" for i, table in enumerate(tables))

    def latex(self, file: str = f"{NAME}.pdf") -> str:
        """What includes the drawing in a LaTeX document, over both columns where it is wider than one."""
        label, caption = file_name(file.rpartition(".")[0] or file), latex(self.caption)
        figure = "figure*" if self.width > 100 else "figure"
        return (
            f"{OTHER if OTHER_LETTER in caption else ''}\\begin{{{figure}}}\n  \\centering\n"
            f"  \\includegraphics[width={self.width:.1f}mm]{{{file_name(file)}}}\n"
            f"  \\caption{{{caption}}}\n  \\label{{fig:{label}}}\n\\end{{{figure}}}\n"
        )

    def markdown(self, file: str = f"{NAME}.svg") -> str:
        """What shows the drawing in a Markdown document."""
        return f"![{markdown(self.caption)}]({file_name(file)})\n\n*{markdown(self.caption)}*\n"

    def zip(self, name: str = NAME) -> bytes:
        """All files in one, but for pixels that are too many."""
        name = file_name(name)
        files: dict[str, bytes] = {
            f"{name}.svg": self.svg().encode(),
            f"{name}.pdf": self.pdf(),
            **{f"{name}-{dpi}dpi.png": self.png(dpi) for dpi in DPI if math.prod(self.dots(dpi)) <= MOST_PIXELS},
            f"{name}.csv": self.csv().encode(),
            f"{name}.tex": self.latex(f"{name}.pdf").encode(),
            f"{name}.md": self.markdown(f"{name}.svg").encode(),
        }
        with io.BytesIO() as file:
            with archive(file, zipfile.ZIP_DEFLATED) as whole:
                for path, content in files.items():
                    write(whole, path, content)
            return file.getvalue()


def words_of(chart: Chart) -> list[str]:
    """The words that stand in a picture."""
    return [*strings(list(chart.numbers.names.values())), *strings(chart.numbers.words), *strings(chart.look)]


def strings(value: Any) -> Iterator[str]:
    """The texts in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from strings(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings(part)


def save_pixels(figure: Figure, file: io.BytesIO, texts: Mapping[str, str]) -> None:
    """Write a drawing as PNG: no layer of transparency, and the texts in letters of any script."""
    canvas: Any = FigureCanvasAgg(figure)
    header = PngInfo()
    canvas.draw()
    for name, text in texts.items():
        header.add_itxt(name, text)
    dots, opaque = (figure.dpi, figure.dpi), np.asarray(canvas.buffer_rgba())[..., :3]
    Image.fromarray(opaque).save(file, "png", dpi=dots, pnginfo=header, compress_level=PRESSED)


def letter(at: int) -> str:
    """The letter of a picture, counted from 0."""
    return chr(ord("a") + at)

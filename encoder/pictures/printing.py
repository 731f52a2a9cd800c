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
from functools import cache, lru_cache, partial
from string import ascii_lowercase
from textwrap import wrap
from typing import Any

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

from encoder.pictures import printed_charts as charts
from encoder.pictures import printed_maps as maps
from encoder.pictures import printed_marks as marks
from encoder.pictures.chart import Chart
from encoder.pictures.export.archive import archive, write
from encoder.pictures.export.caption import file_name
from encoder.pictures.export.tables import to_csv
from encoder.pictures.export.typeset import OTHER, OTHER_LETTER, latex, markdown, plain_text
from encoder.pictures.picture import Answer
from encoder.pictures.printed_plane import LEAST_LETTERS, LINE, Plane, ink
from encoder.support.cached_property import cached_property
from encoder.support.errors import EncoderError
from encoder.support.formatting import MARK

SIZES = {"shown": (190.5, 9.0), "one": (85.0, 7.0), "two": (180.0, 7.0)}  # width in mm, letters in points; 720 pixels
INCH = 25.4  # mm
DPI = (300, 600)
MOST_PIXELS = 30_000_000
MOST_PICTURES = 12
MOST_CELLS = 200_000  # of a picture: what has more is no picture for a sheet of paper
NAME = "figure"
BOX = "\u25a1"
# How each kind of picture is drawn on a plane; what draws it says how many letters high that is.
PRINTED: Mapping[str, Callable[[Plane, Chart], float]] = {
    "matrix": maps.draw_maps,
    "tiles": partial(maps.draw_maps, kind="tiles"),
    "maps": partial(maps.draw_maps, kind="maps"),
    "words": maps.draw_words,
    "links": charts.draw_links,
    "bars": charts.draw_bars,
    "terms": partial(charts.draw_terms, first=True),
    "signed bars": charts.draw_terms,
    "curve": charts.draw_curve,
    "outlines": charts.draw_outlines,
    "race": charts.draw_race,
    "points": charts.draw_points,
    "paths": charts.draw_paths,
    "units": charts.draw_units,
    "areas": charts.draw_areas,
    "arcs": marks.draw_arcs,
    "lying": marks.draw_lying,
    "sum": marks.draw_sum,
    "spine": marks.draw_spine,
    "strips": marks.draw_strips,
    "waves": marks.draw_waves,
    "stack": marks.draw_stack,
    "circuit": marks.draw_circuit,
}
FIRST = "DejaVu Sans"  # comes with matplotlib; what it lacks is looked up in the others of the machine
NO_LETTERS = re.compile(r"Last Resort|cm[a-z]+\d+$|STIX(Size|NonUni)")  # boxes, and signs at places of letters
SETTINGS: Mapping[str, Any] = {
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,  # the typeface itself is embedded, and not outlines of its letters
    "svg.hashsalt": "figure",  # the same figure is the same file
    "text.parse_math": False,  # a dollar is a dollar
    "font.family": ["sans-serif"],
    "legend.fontsize": "medium",
    "image.composite_image": False,  # maps of pixels stay small in a file
    "axes.linewidth": 0.5,
    "hatch.linewidth": 0.5,
    "axes.facecolor": "none",
    "text.color": ink("ink"),
    **dict.fromkeys(("xtick.color", "ytick.color", "axes.labelcolor", "axes.edgecolor"), ink("muted")),
}
OF_LETTERS = ("font.size", "axes.labelsize", "axes.titlesize", "xtick.labelsize", "ytick.labelsize")
LAYOUT = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03)
CANVASES: dict[str, Any] = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}
PRESSED = 3  # of 9: twice as fast as the usual 6, and a tenth larger
ONE_AT_A_TIME = threading.Lock()  # matplotlib's settings are those of the process


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
    """The file of each typeface that this machine has, in the order in which letters are looked up in them."""
    faces = [face for face in fontManager.ttflist if face.style == "normal" and not NO_LETTERS.match(face.name)]

    def rank(face: Any) -> tuple[Any, ...]:
        """Those without feet first, of several weights the usual one."""
        return face.name != FIRST, "Sans" not in face.name, "Mono" in face.name, face.name, face.weight != 400

    return {face.name: face.fname for face in sorted(faces, key=rank, reverse=True)}


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
    faces, left = list[str](), set(letters)
    for family in reversed(paths()):
        if has := {c for c in left if ord(c) in letters_of(family)}:
            faces.append(family)
            left -= has
        if not left:
            break
    return tuple(faces) or (FIRST,), "".join(sorted(left))


@dataclass(frozen=True, eq=False)
class Sheet:
    """Pictures below and beside each other, in a size of SIZES; every file is made when it is asked for.

    Raises:
        EncoderError: another size, no pictures, more than a sheet has, or one of too many cells.
    """

    pictures: Sequence[Answer | SheetPart]
    size: str = "two"

    def __post_init__(self) -> None:
        if not 1 <= len(self.pictures) <= MOST_PICTURES:
            raise EncoderError(f"there are {len(self.pictures)} pictures; a sheet has 1 to {MOST_PICTURES}")
        if self.size not in SIZES:
            raise EncoderError(f"size is {self.size!r}; {', '.join(SIZES)}")
        for each in self.pictures:
            if each.kind in ("matrix", "maps", "tiles") and (cells := each.chart.numbers.array.size) > MOST_CELLS:
                raise TooLargeError(f"it has {cells:,} cells; a sheet of paper takes up to {MOST_CELLS:,}")

    @property
    def width(self) -> float:
        """In mm."""
        return SIZES[self.size][0]

    @property
    def letters(self) -> float:
        """How large letters are, in points."""
        return SIZES[self.size][1]

    @cached_property
    def height(self) -> float:
        """In mm."""
        with self.set_for_paper():
            return float(self.draw(72).get_figheight() * INCH)

    @property
    def across(self) -> int:
        """How many pictures stand in a row."""
        return 1 if self.size == "one" else min(2, len(self.pictures))

    @property
    def wide(self) -> float:
        """How many letters stand side by side in a picture."""
        return (self.width / INCH * 72 / self.across - 11) / self.letters

    def lettered(self, texts: Iterator[str]) -> list[str]:
        """The texts of the pictures, each behind its letter where there are several."""
        return [
            f"({at}) {text}" if len(self.pictures) > 1 else text
            for at, text in zip(ascii_lowercase, texts, strict=False)
        ]

    @cached_property
    def titles(self) -> list[str]:
        """What stands over each picture, in two lines at most."""
        titles = self.lettered(plain_text(each.title) for each in self.pictures)
        return ["\n".join(wrap(title, int(self.wide / 0.6), max_lines=2, placeholder="…")) for title in titles]

    @property
    def caption(self) -> str:
        """What the pictures say of themselves."""
        return plain_text(" ".join(self.lettered(each.caption for each in self.pictures)))

    @cached_property
    def faces(self) -> tuple[tuple[str, ...], str]:
        """The typefaces that the words of the pictures take, and the letters that none of this machine has."""
        charts = [each.chart for each in self.pictures]
        words = [strings([chart.numbers.names, chart.numbers.words, chart.look]) for chart in charts]
        return faces_for(
            frozenset(c for some in (self.titles, *words) for word in some for c in word if c.isprintable())
        )

    @property
    def note(self) -> str:
        """One line that says which letters are drawn as boxes; empty where none is."""
        if not (missing := self.faces[1]):
            return ""
        some = " ".join(f"U+{ord(c):04X}" for c in missing[:8])
        more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
        return f"{BOX}: this machine has no typeface for {some}{more}."

    def draw(self, dpi: float, *, noted: bool = False) -> Figure:
        """The drawing, with the note below it; an SVG has none, for whoever opens it has typefaces of their own."""
        figure, letter = Figure((self.width / INCH, 1.0), dpi=72, layout=LAYOUT), self.letters / 72
        grid = figure.add_gridspec(-(-len(self.pictures) // self.across), self.across)
        parts = [figure.add_subfigure(grid[divmod(i, self.across)]) for i in range(len(self.pictures))]
        planes = [Plane(part.subplots(), self.wide, self.letters) for part in parts]
        high = [PRINTED[each.kind](plane, each.chart) for plane, each in zip(planes, self.pictures, strict=True)]
        figure.set_figheight(sum(high) * letter)
        heights = [0.0] * grid.nrows
        for i, (part, plane, title) in enumerate(zip(parts, planes, self.titles, strict=True)):
            part.suptitle(title, x=0.01, ha="left", size=self.letters * 1.1)
            around = (getattr(plane.axes.get_tightbbox(), "height", 0.0) - plane.axes.bbox.height) / 72
            own = (high[i] + 1.15 * LINE * (1 + title.count("\n"))) * letter + around + 0.12
            heights[i // self.across] = max(heights[i // self.across], own)
        grid.set_height_ratios(heights)
        lines = wrap(self.note, int(self.wide * self.across / 0.6))
        figure.set_figheight(sum(heights) + (len(lines) + 0.5) * LINE * letter * bool(lines))
        if noted and lines:
            figure.supxlabel("\n".join(lines), x=0.01, ha="left", size=max(LEAST_LETTERS, 0.85 * self.letters))
        figure.set_dpi(dpi)
        return figure

    @contextmanager
    def set_for_paper(self) -> Iterator[None]:
        """Matplotlib's settings for this sheet, which no other one has meanwhile."""
        own: dict[Any, Any] = {**SETTINGS, **dict.fromkeys(OF_LETTERS, self.letters), "font.sans-serif": self.faces[0]}
        with ONE_AT_A_TIME, rc_context(own), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph")
            yield

    def saved(self, kind: str, dpi: float = 72.0, **options: Any) -> bytes:
        """The drawing as a file of that kind."""
        with self.set_for_paper(), io.BytesIO() as file:
            figure = self.draw(dpi, noted=kind != "svg")
            canvas: Any = CANVASES[kind](figure)
            if kind == "png" and (dots := math.prod(figure.get_size_inches()) * dpi**2) > MOST_PIXELS:
                raise EncoderError(f"at {dpi} dpi it has {dots:,.0f} dots; {MOST_PIXELS:,} are the most")
            LAYOUT.execute(figure)
            figure.set_layout_engine("none")  # it is laid out; `savefig` would draw it once more for that
            if kind == "png":  # no layer of transparency, and the texts in letters of any script
                canvas.draw()
                opaque, header = Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]), PngInfo()
                for name, text in options["metadata"].items():
                    header.add_itxt(name, text)
                opaque.save(file, "png", dpi=(dpi, dpi), pnginfo=header, compress_level=PRESSED)
            else:
                getattr(canvas, f"print_{kind}")(file, **options)
            return file.getvalue()

    def svg(self, *, in_page: bool = False) -> str:
        """The drawing as SVG; every word in it is text."""
        svg = self.saved("svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}).decode("utf-8")
        begun = svg[svg.index("<svg ") : svg.index(">", svg.index("<svg ")) + 1]
        in_mm = re.sub(r'="([\d.]+)pt"', lambda size: f'="{float(size[1]) * INCH / 72:.3f}mm"', begun)
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
        return self.width / INCH * dpi, self.height / INCH * dpi

    def png(self, dpi: int = DPI[0]) -> bytes:
        """The drawing in pixels; the file says how large they are in print.

        Raises:
            EncoderError: that is no number of dots per inch from 36 to 1200, or makes more than 30 million of them.
        """
        if not 36 <= dpi <= 1200:
            raise EncoderError(f"dpi is {dpi}; it must be from 36 to 1200")
        return self.saved("png", dpi, metadata={"Title": self.titles[0], "Description": self.caption})

    def csv(self) -> str:
        """The numbers of all pictures, one table after another, each under the letter of its picture."""
        tables = [to_csv(each.chart.numbers.table(each.chart.at)).removeprefix(MARK) for each in self.pictures]
        return MARK + "\n".join(f"picture {at}\n{table}" for at, table in zip(ascii_lowercase, tables, strict=False))

    def latex(self, file: str = f"{NAME}.pdf") -> str:
        """What includes the drawing in a LaTeX document, over both columns where it is wider than one."""
        label, caption = file_name(file.rpartition(".")[0] or file), latex(self.caption)
        figure = "figure" if self.size == "one" else "figure*"
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


def strings(value: Any) -> Iterator[str]:
    """The texts in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from strings(part)

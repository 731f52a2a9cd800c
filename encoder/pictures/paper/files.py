"""A printed figure as files: SVG and PDF with text as text, PNG with its size, CSV, LaTeX, Markdown, one zip."""

import html
import io
import math
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from encoder.pictures.export.archive import archive, write
from encoder.pictures.export.caption import file_name
from encoder.pictures.paper.map_cells import size
from encoder.pictures.paper.paint import Placed, painted, placed
from encoder.pictures.paper.printed_panel import OTHER, OTHER_LETTER, Panel, latex, markdown, plain_text
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.paper.type import SETTINGS, drawing, typeface
from encoder.support.cached_property import cached_property
from encoder.support.errors import EncoderError
from encoder.support.formatting import MARK

DPI = (300, 600)
MOST_PIXELS = 30_000_000
MOST_PANELS = 12
NAME = "figure"


@dataclass(frozen=True, eq=False)
class PaperFigure:
    """Panels on a sheet; every file is made when it is asked for.

    Raises:
        EncoderError: there are no panels, or more than a figure has.
    """

    panels: tuple[Panel, ...]
    sheet: Sheet = field(default_factory=Sheet)

    def __post_init__(self) -> None:
        if not 1 <= len(self.panels) <= MOST_PANELS:
            raise EncoderError(f"there are {len(self.panels)} panels; a figure has 1 to {MOST_PANELS}")

    @cached_property
    def placed(self) -> Placed:
        """Where everything stands."""
        with drawing:
            return placed(self.panels, self.sheet)

    @cached_property
    def painted(self) -> Figure:
        """The drawing."""
        whole = self.placed
        with drawing:
            return painted(whole, self.sheet)

    @property
    def width(self) -> float:
        """In mm."""
        return self.sheet.width

    @property
    def height(self) -> float:
        """In mm."""
        return self.placed.high

    @property
    def caption(self) -> str:
        """What was written, or what the panels say of themselves."""
        if self.sheet.caption:
            return plain_text(self.sheet.caption)
        letters = [f"({letter(i)}) " if len(self.panels) > 1 else "" for i in range(len(self.panels))]
        sentences = [f"{at}{panel.caption}" for at, panel in zip(letters, self.panels, strict=True)]
        if self.sheet.words_only and any(panel.left_out for panel in self.panels):
            sentences.append("Tokens that the tokenizer adds are not drawn; no number is changed by it.")
        if self.sheet.shared and sum(len(panel.maps) for panel in self.panels) > 1:
            sentences.append("One colour scale for all maps.")
        return plain_text(" ".join(sentences))

    @property
    def alt(self) -> str:
        """The same for those who do not see it."""
        return plain_text(self.sheet.alt) or self.caption

    def svg(self) -> str:
        """The drawing as SVG; every word in it is text."""
        svg = self.saved("svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}).decode("utf-8")
        wide, high = size(self.painted)
        named = f"<title>{html.escape(self.sheet.title or NAME)}</title><desc>{html.escape(self.alt)}</desc>"
        begun = svg[svg.index("<svg ") : svg.index(">", svg.index("<svg ")) + 1]
        sized = re.sub(r' width="[^"]*"', f' width="{wide:.3f}mm" role="img"', begun)
        sized = re.sub(r' height="[^"]*"', f' height="{high:.3f}mm"', sized)
        if self.sheet.in_page:
            aria_label = f' aria-label="{html.escape(self.alt)}">'
            return sized.removesuffix(">") + aria_label + svg[svg.index(begun) + len(begun) :]
        return svg.replace(begun, sized + named + typeface(svg), 1)

    def pdf(self) -> bytes:
        """The drawing as vectors, its typeface embedded."""
        metadata = {"Title": self.sheet.title or NAME, "Subject": self.alt, "CreationDate": None}
        return self.saved("pdf", metadata=metadata)

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
        metadata = {"Title": self.sheet.title or NAME, "Description": self.alt}
        return self.saved("png", dpi=dpi, metadata={name: western(text) for name, text in metadata.items()})

    def saved(self, kind: str, **options: Any) -> bytes:
        """The drawing as a file of that kind."""
        painted = self.painted
        with drawing, rc_context(SETTINGS), io.BytesIO() as file:  # type: ignore[arg-type]
            painted.savefig(file, format=kind, facecolor=painted.get_facecolor(), **options)
            return file.getvalue()

    def csv(self) -> str:
        """The numbers of all panels, one table after another, each under the letter of its panel."""
        drawn = [panel.words_only() if self.sheet.words_only else panel for panel in self.panels]
        tables = (panel.csv().removeprefix(MARK) for panel in drawn)
        return MARK + "\n".join(f"panel {letter(i)}\n{table}" for i, table in enumerate(tables))

    def latex(self, file: str = f"{NAME}.pdf") -> str:
        """What includes the drawing in a LaTeX document, with caption and label."""
        label, caption = file_name(file.rpartition(".")[0] or file), latex(self.caption)
        return (
            f"{OTHER if OTHER_LETTER in caption else ''}\\begin{{figure}}\n  \\centering\n"
            f"  \\includegraphics[width={self.width:.1f}mm]{{{file_name(file)}}}\n"
            f"  \\caption{{{caption}}}\n  \\label{{fig:{label}}}\n\\end{{figure}}\n"
        )

    def markdown(self, file: str = f"{NAME}.svg") -> str:
        """What shows the drawing in a Markdown document."""
        return f"![{markdown(self.alt)}]({file_name(file)})\n\n*{markdown(self.caption)}*\n"

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


def western(text: str) -> str:
    """Text for the header of a PNG, which holds no other letters."""
    return text.encode("latin-1", "replace").decode("latin-1")


def letter(at: int) -> str:
    """The letter of a panel, counted from 0."""
    return chr(ord("a") + at)


def figure(panels: Sequence[Panel] | Panel, sheet: Sheet | None = None, **choices: Any) -> PaperFigure:
    """A figure of one or more panels; `choices` are those of `Sheet`, such as width=85.

    Raises:
        EncoderError: a choice outside its limits, no panels, or more than a figure has.
    """
    chosen = (panels,) if isinstance(panels, Panel) else tuple(panels)
    return PaperFigure(chosen, sheet or Sheet(**choices))

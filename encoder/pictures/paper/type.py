"""The letters of a printed figure: the one typeface that is embedded, and how wide a text is in it."""

import base64
import io
import threading
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import font_manager
from matplotlib.ft2font import FT2Font, LoadFlags

POINT = 25.4 / 72  # mm
UNIT = 100.0  # points at which letters are measured
FAMILY = "DejaVu Sans"  # comes with matplotlib; Latin, Greek, Cyrillic, Hebrew, Arabic, arrows and signs of mathematics
FOLDER = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
SETTINGS = {
    "svg.fonttype": "none",  # text stays text
    "pdf.fonttype": 42,  # the typeface itself is embedded, and not outlines of its letters
    "svg.hashsalt": "figure",  # the same figure is the same file
    "text.parse_math": False,  # a dollar is a dollar
    "axes.unicode_minus": True,
    "font.family": [FAMILY],
    "path.simplify": False,
}
MOST_FACES = 8  # typefaces that matplotlib keeps open


class Drawing:
    """One drawing at a time: matplotlib's settings are those of the process.

    It opens each typeface anew for every thread, and keeps up to 64 of them, each an open file or more, whether the
    thread still runs or not; after a drawing they are let go where there are more than MOST_FACES.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __enter__(self) -> None:
        """Wait until nobody else draws."""
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        """Let the next one draw."""
        opened: Any = getattr(font_manager, "_get_font", None)
        try:
            if opened is not None and opened.cache_info().currsize > MOST_FACES:
                opened.cache_clear()
        finally:
            self.lock.release()


drawing = Drawing()


@cache
def face(bold: bool = False) -> FT2Font:
    """The typeface."""
    return FT2Font(str(FOLDER / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")))


@cache
def letters() -> frozenset[int]:
    """The characters that the typeface has, by their numbers."""
    return frozenset(face().get_charmap())


def drawable(text: str) -> str:
    """Text whose every character the typeface has; others are shown by their number, so that none is lost."""
    known = letters()
    return "".join(c if ord(c) in known else f"\\u{ord(c):04x}" for c in text)


@lru_cache(maxsize=4096)
def advance(character: str, bold: bool) -> float:
    """How wide a character is, over the size of the letters."""
    font = face(bold)
    font.set_size(UNIT, 72)
    return font.load_char(ord(character), LoadFlags.NO_HINTING).linearHoriAdvance / 65536 / UNIT


def width(text: str, points: float, bold: bool = False) -> float:
    """How wide a text is at most, in mm."""
    return sum(advance(c, bold) for c in drawable(text)) * points * POINT


def fitted(text: str, points: float, room: float, bold: bool = False) -> str:
    """The beginning of a text that has room in so many mm, "…" at its end where it is cut."""
    if width(text, points, bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width(text[:middle].rstrip() + "…", points, bold) <= room else (low, middle - 1)
    return text[:low].rstrip() + "…" if low else ""


def typeface(text: str) -> str:
    """The letters that a text needs as the style of an SVG, which carries them along and stays text."""
    needed = "".join(sorted({c for c in text if ord(c) in letters()}))
    rules = [rule("normal", "DejaVuSans.ttf", needed)]
    if "bold" in text:
        rules.append(rule("bold", "DejaVuSans-Bold.ttf", needed))
    return f"<style>{''.join(rules)}</style>"


@lru_cache(maxsize=64)
def rule(weight: str, name: str, needed: str) -> str:
    """One weight of the typeface with the letters that are needed."""
    from fontTools import subset  # a third of a second, and only an SVG needs it

    options = subset.Options(layout_features=["kern"], notdef_outline=True, hinting=False)
    options.drop_tables += ["FFTM"]
    font = subset.load_font(str(FOLDER / name), options)
    cutter = subset.Subsetter(options)
    cutter.populate(text=needed)
    cutter.subset(font)
    with io.BytesIO() as file:
        subset.save_font(font, file, options)
        font.close()
        packed = base64.b64encode(file.getvalue()).decode()
    return f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};src:url(data:font/ttf;base64,{packed})}}"

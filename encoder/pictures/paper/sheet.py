"""What is chosen for a printed figure: its size, looks and words."""

from dataclasses import dataclass
from typing import Literal, get_args

from encoder.support.errors import EncoderError
from encoder.support.theme import Theme

Numbers = Literal["none", "fit"]
SIZES: dict[str, tuple[float, float]] = {  # what a figure is for -> its width and height in mm, 0 as high as needed
    "One column": (85.0, 0.0),
    "Two columns": (180.0, 0.0),
    "Slide 16:9": (254.0, 142.9),
}
LIMITS: dict[str, tuple[float, float]] = {"width": (40.0, 400.0), "height": (0.0, 400.0), "letters": (4.0, 20.0)}
LEAST_HEIGHT = 30.0
MOST_COLUMNS = 4


@dataclass(frozen=True)
class Sheet:
    """How a figure is drawn; lengths are in mm."""

    width: float = 180.0
    height: float = 0.0  # 0 is as high as its panels need
    letters: float = 7.0  # size of the labels in points
    columns: int = 0  # how many panels stand in a row; 0 for one up to 100 mm and two beyond
    theme: Theme = "light"  # whatever the screen is
    square: bool = True  # cells of maps from token to token; else maps are as wide as there is room
    words_only: bool = False  # whether maps from token to token leave out [CLS], [SEP] and padding; no number changes
    numbers: Numbers = "none"  # "fit" writes a number into each cell where all of a map have room
    shared: bool = False  # whether all maps have one colour scale, up to the largest number of any
    title: str = ""  # stands over the figure; empty for none
    caption: str = ""  # what it shows, for LaTeX and Markdown; empty for the one that is made from its panels
    alt: str = ""  # the same for those who do not see it; empty for the caption
    in_page: bool = False  # whether it is an SVG within a page: cells are pixels, the typeface is that of the page

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            if not low <= (value := getattr(self, name)) <= high:
                raise EncoderError(f"{name} is {value}; it must be from {low:g} to {high:g}")
        if 0 < self.height < LEAST_HEIGHT:
            raise EncoderError(f"height is {self.height}; it must be 0 or from {LEAST_HEIGHT:g}")
        if not 0 <= self.columns <= MOST_COLUMNS:
            raise EncoderError(f"columns is {self.columns}; it must be from 0 to {MOST_COLUMNS}")
        if self.theme not in get_args(Theme) or self.numbers not in get_args(Numbers):
            raise EncoderError(f"theme and numbers are {self.theme!r} and {self.numbers!r}; light or dark, none or fit")

    def across(self, panels: int) -> int:
        """How many panels stand in a row."""
        return min(panels, self.columns or (1 if self.width <= 100 else 2))

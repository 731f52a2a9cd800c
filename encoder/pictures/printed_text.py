"""Many short texts as one mark of a printed picture: matplotlib lays each `Text` out anew at every step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

LINE = 1.15  # of the size of letters
SIDES = {"left": 0.0, "center": 0.5, "right": 1.0, "bottom": 0.0, "top": 1.0}


class Texts(Artist):
    """Texts of one size at places of the data, each with its colour; of several lines one below the other.

    `ha` and `va` say which side of a text stands at its place, `away` how many points further it stands, and `upright`
    whether it is read from below.
    """

    def __init__(
        self,
        places: Sequence[tuple[float, float]],
        texts: Sequence[str],
        colours: list[Any] | str,
        size: float,
        *,
        ha: str = "center",
        va: str = "center",
        away: tuple[float, float] = (0, 0),
        upright: bool = False,
        laid_out: bool = True,
    ) -> None:
        super().__init__()
        self.set_zorder(3)
        self.lines = [
            (place, line, colours[i] if isinstance(colours, list) else colours, n, text.count("\n"))
            for i, (place, text) in enumerate(zip(places, texts, strict=True))
            for n, line in enumerate(text.split("\n"))
            if line
        ]
        self.font = FontProperties(size=size)
        self.sides = SIDES[ha], SIDES[va]
        self.away, self.upright, self.ha = away, upright, ha
        self.set_in_layout(laid_out)
        self.known: dict[str, tuple[float, float, float]] = {}

    def boxes(self, renderer: RendererBase) -> np.ndarray:
        """Left, bottom, width, height and descent of each line, in dots."""
        if not self.lines:
            return np.zeros((0, 5))
        for line in {line for _, line, *_ in self.lines} - self.known.keys():
            self.known[line] = renderer.get_text_width_height_descent(line, self.font, ismath=False)
        sizes = np.array([self.known[line] for _, line, *_ in self.lines])
        sizes[:, 1:] = np.array([self.known[line] for line in self.known]).max(0)[1:]  # one height for all
        dots = float(np.asarray(renderer.points_to_pixels(1.0)))
        step = LINE * self.font.get_size_in_points() * dots
        at: np.ndarray = self.get_transform().transform(np.array([place for place, *_ in self.lines], dtype=float))
        at = at + np.array(self.away) * dots
        at[:, 1] += [(last / 2 - n) * step for _, _, _, n, last in self.lines]
        wide, high = sizes[:, 0], sizes[:, 1]
        across, up = (high, wide) if self.upright else (wide, high)
        return np.column_stack(
            [at[:, 0] - self.sides[0] * across, at[:, 1] - self.sides[1] * up, across, up, sizes[:, 2]]
        )

    def get_window_extent(self, renderer: RendererBase | None = None) -> Bbox:
        """The box around all of them."""
        assert renderer is not None and self.axes is not None
        boxes = self.boxes(renderer)
        if not len(boxes):
            return Bbox.null()
        return Bbox([boxes[:, :2].min(0), (boxes[:, :2] + boxes[:, 2:4]).max(0)])

    def draw(self, renderer: RendererBase) -> None:
        """Draw each of them."""
        colours = renderer.new_gc()
        canvas = renderer.get_canvas_width_height()[1]
        figure = self.get_figure(root=False)
        assert figure is not None
        middle = Text(ha=self.ha, va="baseline", transform=IdentityTransform())
        middle.set_figure(figure)
        for box, (_, line, colour, *_) in zip(self.boxes(renderer), self.lines, strict=True):
            left, bottom, wide, _, descent = box.tolist()
            x, y = (left + wide - descent, bottom) if self.upright else (left, bottom + descent)
            colours.set_foreground(colour)
            middle.set_position((left + self.sides[0] * wide, y))
            top = canvas - y if renderer.flipy() else y
            anchor = None if self.upright else middle
            renderer.draw_text(colours, x, top, line, self.font, 90 * self.upright, ismath=False, mtext=anchor)
        colours.restore()


def write(axes: Axes, *texts: Any, **how: Any) -> None:
    """Write texts into a picture; see `Texts`."""
    axes.add_artist(Texts(*texts, **how)).set_clip_on(False)

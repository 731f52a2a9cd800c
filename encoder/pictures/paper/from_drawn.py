"""A picture that the library drew with Plotly, as a panel of a printed figure."""

from encoder.pictures.export.tables import to_csv
from encoder.pictures.figures.drawn import Drawn, numbers_of
from encoder.pictures.paper.printed_panel import MOST_BYTES, Panel, PanelError, headline, of_maps, plain_text
from encoder.support.theme import Theme


def of_drawn(title: str, caption: str, figure: Drawn, theme: Theme = "light") -> Panel:
    """A panel of a picture that the library drew in a theme: its map, its tiles, or its chart.

    Raises:
        PanelError: it is too large for a sheet of paper.
    """
    if figure.maps:
        return of_maps(title, caption, figure.maps)
    numbers = to_csv(numbers_of(figure))
    if len(numbers) > MOST_BYTES:
        raise PanelError(f"its table takes {len(numbers):,} bytes; that of a panel takes up to {MOST_BYTES:,}")
    marks, frame = (mark.to_plotly_json() for mark in figure.data), figure.layout.to_plotly_json()
    return Panel(headline(title), plain_text(caption), (), tuple(marks), frame, theme, numbers)

"""Pictures on paper: a function for each kind that is drawn there from its numbers, and not from its Plotly figure."""

from collections.abc import Callable

from encoder.pictures.chart import Chart
from encoder.pictures.maps import ends, small_maps
from encoder.pictures.paper.panel import Panel, heat_map, of_maps


def print_maps(title: str, caption: str, chart: Chart) -> Panel:
    """A map for each place of all dimensions but the last two.

    Raises:
        PanelError: they are too large, or too many, for a sheet of paper.
    """
    rows, columns, subject = chart.names(-2), chart.names(-1), chart.look.get("subject")
    maps = [
        heat_map(
            small.values,
            rows,
            columns,
            small.kind,
            title=small.title,
            largest=small.largest,
            blank=small.blank,
            subject=subject,
        )
        for small in small_maps(chart)
    ]
    return of_maps(title, caption, maps, chart.look.get("columns", 0))


def name_ends(chart: Chart) -> str:
    """The ends of the colours of small maps."""
    told: str = chart.look["scale"] if "scale" in chart.look else ends(small_maps(chart))
    return told


PAPER: dict[str, Callable[[str, str, Chart], Panel]] = {"maps": print_maps}
SCALES: dict[str, Callable[[Chart], str]] = {"maps": name_ends}

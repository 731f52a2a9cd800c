"""Pictures: tensors and labels in, a Plotly figure out. Nothing here knows a model or a web page."""

from encoder.pictures.export.tables import to_csv
from encoder.pictures.figures.charts import likeliest, lines, term_bars, token_bars
from encoder.pictures.figures.drawn import Drawn, numbers_of
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.figures.links import links
from encoder.pictures.figures.matrix import matrix
from encoder.pictures.figures.scatter import named_points, paths
from encoder.pictures.figures.tiles import tiles

__all__ = [
    "Drawn",
    "likeliest",
    "lines",
    "links",
    "main_fact",
    "matrix",
    "named_points",
    "numbers_of",
    "paths",
    "term_bars",
    "tiles",
    "to_csv",
    "token_bars",
]

"""Pictures: tensors and labels in, a Plotly figure out. Nothing here knows a model or a web page."""

from encoder.export.tables import to_csv as to_csv
from encoder.figures.charts import likeliest as likeliest
from encoder.figures.charts import lines as lines
from encoder.figures.charts import term_bars as term_bars
from encoder.figures.charts import token_bars as token_bars
from encoder.figures.drawn import Drawn as Drawn
from encoder.figures.drawn import numbers_of as numbers_of
from encoder.figures.facts import main_fact as main_fact
from encoder.figures.links import links as links
from encoder.figures.matrix import matrix as matrix
from encoder.figures.scatter import named_points as named_points
from encoder.figures.scatter import paths as paths
from encoder.figures.tiles import tiles as tiles

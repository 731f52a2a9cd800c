"""Pictures: tensors and labels in, a Plotly figure out. Nothing here knows a model or a web page."""

from encoder.pictures.export.tables import to_csv as to_csv
from encoder.pictures.figures.charts import likeliest as likeliest
from encoder.pictures.figures.charts import lines as lines
from encoder.pictures.figures.charts import term_bars as term_bars
from encoder.pictures.figures.charts import token_bars as token_bars
from encoder.pictures.figures.drawn import Drawn as Drawn
from encoder.pictures.figures.drawn import numbers_of as numbers_of
from encoder.pictures.figures.facts import main_fact as main_fact
from encoder.pictures.figures.matrix import matrix as matrix
from encoder.pictures.figures.matrix import tiles as tiles
from encoder.pictures.figures.scatter import links as links
from encoder.pictures.figures.scatter import named_points as named_points
from encoder.pictures.figures.scatter import paths as paths

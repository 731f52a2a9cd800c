"""The whole table of a position bias: a number for every head and every step of distance."""

from encoder.pictures.registry.attention import BIAS_TABLE
from pages.ui.picture import ask, show
from pages.ui.text import heading

FIXED = """These slopes are not learned: the paper fixed them, and all sentences and layers have the same. A head \
with a steep slope sees its neighbours, one with a flat slope the whole text."""
FOUND = """These {many} numbers are all that the position bias of this model adds; they {came}. A row is a head, and \
far distances share a number. The row of keys after the query that stand no place away is never read and left out."""


def draw() -> None:
    """All of its numbers at once, and where they come from."""
    scene = ask(BIAS_TABLE)
    falls, at_random = scene.encoder.config.positions == "alibi", scene.encoder.source.seed is not None
    heading("How fast it falls, head by head" if falls else "The whole table, by distance")
    many = BIAS_TABLE.of(scene).numbers.array.size
    came = "were drawn at random, and training would change them" if at_random else "were learned"
    show(BIAS_TABLE, more=FIXED if falls else FOUND.format(many=many, came=came))

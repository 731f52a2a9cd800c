"""Layer by layer: what the model would say after each layer, and where the tokens' vectors go."""

from pages.parts.lens import alike, answer, nearest, ways
from pages.ui.refusals import parts

parts(answer.draw, nearest.draw, ways.draw, alike.draw)

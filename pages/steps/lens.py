"""Layer by layer: what the model would say after each layer, and where the tokens' vectors go."""

from pages.parts.lens import alike, answer, ways

answer.draw()
ways.draw()
alike.draw()

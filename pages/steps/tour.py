"""This model: what kind it is, what its heads do, and what to try with it."""

from pages.parts.tour import cards

cards.draw()

"""Why this guess: which parts of the model, and which words, made it."""

from pages.parts.why import parts
from pages.ui.step import shared_out
from pages.ui.widgets import tabs

tabs({"Which parts": parts.draw, "Which words": shared_out.draw}, "why")

"""Who looks at whom: ask a word; below, several heads of a layer together, as lines and as a matrix."""

from pages.parts.looks import guess, several
from pages.ui import session
from pages.ui.step import ask_a_word, words_only
from pages.ui.widgets import fold

OF_SEVERAL = {"some_heads", "together", "some_tokens", "some_words", "pair_part"}

merged = ask_a_word.draw(session.now())
guess.draw()
fold(
    "Several heads together, as lines and as a matrix",
    "several",
    lambda: several.draw(words_only.chosen(), merged),
    holds=OF_SEVERAL,
)

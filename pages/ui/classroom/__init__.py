"""A class: one screen leads, others follow, and guesses come in."""

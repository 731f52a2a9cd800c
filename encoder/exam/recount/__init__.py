"""The figures of a model card, counted again: `python -m encoder.exam.recount MODEL` prints them as the card shows them."""

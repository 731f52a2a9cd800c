"""The figures of a model card, counted again: `python -m encoder.recount MODEL` prints them as the card shows them."""

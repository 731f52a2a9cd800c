"""The figures of a model card, again: `python -m encoder.exam.recount MODEL` prints them as the card shows them."""

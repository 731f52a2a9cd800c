"""What a run of a text recorded: the text in tokens and words, and every step by its name."""

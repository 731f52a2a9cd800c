"""The parts of Output: the guess layer by layer, and what its folds hold."""

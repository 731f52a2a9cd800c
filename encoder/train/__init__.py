"""Training: `python -m encoder.train`, from a corpus of plain lines to a checkpoint that the app opens."""

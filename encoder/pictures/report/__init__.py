"""A whole run as one living file with its charts: `python -m encoder.pictures.report`."""

"""A run as one HTML file to read offline: `python -m encoder.pictures.report`."""

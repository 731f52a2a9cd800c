"""A run as files: every step for numpy, a layer as CSV, rows as text."""

from encoder.export.archive import ABOUT, layer_size, run_size, to_csv_zip, to_npz
from encoder.export.tables import to_csv

__all__ = ["ABOUT", "layer_size", "run_size", "to_csv", "to_csv_zip", "to_npz"]

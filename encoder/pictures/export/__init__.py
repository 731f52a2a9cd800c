"""A run as files: every step for numpy, a layer as CSV, rows as text."""

from typing import TYPE_CHECKING

from encoder.support.import_names import on_demand

if TYPE_CHECKING:
    from encoder.pictures.export.archive import ABOUT, layer_size, run_size, to_csv_zip, to_npz
    from encoder.pictures.export.tables import to_csv

__all__ = ["ABOUT", "layer_size", "run_size", "to_csv", "to_csv_zip", "to_npz"]

OF_A_RUN = dict.fromkeys(("ABOUT", "layer_size", "run_size", "to_csv_zip", "to_npz"), "encoder.pictures.export.archive")
__getattr__ = on_demand(__name__, OF_A_RUN | {"to_csv": "encoder.pictures.export.tables"})

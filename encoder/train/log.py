"""What is written down while a model learns: a CSV file with a line for each evaluation."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from encoder.train.checkpoint_files import write
from encoder.train.diagnostics import COLUMNS, Habits
from encoder.train.evaluation import Score

METRICS = "metrics.csv"
FIRST = ("step", "tokens", "seconds", "rate", "train_loss", "loss", "top_1", "top_5")


def clock(seconds: float) -> str:
    """Seconds as hours:minutes:seconds."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


class Metrics:
    """metrics.csv: one line for each evaluation, with the means of every layer's heads."""

    def __init__(self, folder: Path, n_layers: int, upto: int) -> None:
        self.path = folder / METRICS
        self.columns = [*FIRST, *(f"layer_{i}_{name}" for i in range(n_layers) for name in (*COLUMNS, "switched_off"))]
        self.rows: list[list[str]] = []
        if self.path.is_file() and upto:
            self.rows = [row for row in read(self.path) if row[0].isdigit() and int(row[0]) <= upto]

    def add(self, first: Sequence[float], score: Score, habits: Habits) -> None:
        """Write one more line; `first` are step, tokens, seconds, rate and training loss."""
        values = [*first, score.loss, score.top_1, score.top_5]
        columns = [*(habits.by_layer(name) for name in COLUMNS), habits.switched_off.tolist()]
        values += [number for layer in zip(*columns, strict=True) for number in layer]
        self.rows.append([f"{v:.6g}" if isinstance(v, float) else str(v) for v in values])
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.columns, *self.rows])
        write(self.path, text.getvalue().encode())


def read(path: Path) -> list[list[str]]:
    """The lines of a CSV file below its heading."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]

"""The training loop: the batches in their order, step after step, and what happens between the steps.

The model is scored, its weights are kept, and metrics.csv gets a line for each evaluation.
"""

import csv
import io
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from encoder.model.encoder import Encoder
from encoder.support.progress import progress as shown
from encoder.train import checkpoint_files
from encoder.train.checkpoint_files import TrainingProgress, write
from encoder.train.diagnostics import COLUMNS, Habits, habits_of
from encoder.train.evaluation import Score, evaluate, held_out_batches
from encoder.train.objective import Batch, vocabulary
from encoder.train.packing import batches, packed
from encoder.train.processes import Processes
from encoder.train.trainer import Trainer, TrainingRun

METRICS = "metrics.csv"
FIRST = ("step", "tokens", "seconds", "rate", "train_loss", "loss", "top_1", "top_5")


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
        self.keep()

    def keep(self) -> None:
        """Write all lines."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([self.columns, *self.rows])
        write(self.path, text.getvalue().encode("utf-8-sig"))


def read(path: Path) -> list[list[str]]:
    """Return the lines of a CSV file below its heading."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))[1:]


class Watch:
    """Keeps count of a run, and does after each step what is due then; only the first process writes and speaks."""

    def __init__(self, run: TrainingRun, trainer: Trainer, progress: TrainingProgress, same: dict[str, object]) -> None:
        self.run, self.trainer, self.on, self.progress, self.same = run, trainer, trainer.on, progress, same
        self.metrics = Metrics(run.folder, run.recipe.config.n_layers, progress.step)
        self.held_out = held_out_batches(run.held_out, run.tokenizer, run.recipe.row_length) if self.on.first else []
        self.tokens, self.words = progress.tokens, progress.words
        self.spent, self.began = progress.seconds, perf_counter()
        mine = progress.nll if self.on.first else 0.0
        self.nll = torch.tensor(mine, dtype=torch.float64, device=self.on.device)
        if not progress.step:
            self.keep(0)

    def after(self, step: int, batch: Batch, nll: Tensor) -> None:
        """Count a step, and do what is due after it."""
        recipe, last = self.run.recipe, step == self.run.recipe.steps
        self.tokens += batch.ids.numel()
        self.words += len(batch.labels)
        self.nll += nll
        if step % recipe.evaluate_every == 0 or last:
            self.score(step)
        if step % recipe.checkpoint_every == 0 or last or step in recipe.snapshots:
            self.keep(step)

    def counted(self, step: int) -> TrainingProgress:
        """Return where the run is after a step, over all processes."""
        total = self.on.total(float(self.nll))
        return TrainingProgress(step, self.tokens, self.spent + perf_counter() - self.began, total, self.words)

    def score(self, step: int) -> None:
        """Score the model on the held-out lines, look at its heads, say it and write it down."""
        now = self.counted(step)
        if self.on.first:
            with self.on.autocast():
                score = evaluate(self.trainer.alone, self.held_out, self.trainer.move)
            habits = habits_of(self.trainer.model, self.run.tokenizer)
            loss, rate = now.nll / max(1, now.words), self.run.recipe.rate(step - 1)
            self.metrics.add((step, now.tokens, now.seconds, rate, loss), score, habits)
            line = f"step {step}: training loss {loss:.3f}; held out: {score}\n{habits.table()}"
            tqdm.write(line, file=sys.stderr)
        self.nll.zero_()
        self.words = 0
        self.on.wait()

    def keep(self, step: int) -> None:
        """Write what is to be kept of this step: a snapshot, a checkpoint."""
        self.progress = self.counted(step)
        if self.on.first:
            if step in self.run.recipe.snapshots:
                checkpoint_files.save_snapshot(self.run.folder, self.trainer.model, step)
                if self.run.examine is not None:
                    self.run.examine(step, checkpoint_files.as_kept(self.trainer.model))
            checkpoint_files.save_state(
                self.run.folder, self.trainer.model, self.trainer.optimizer, self.progress, self.same
            )
        self.on.wait()


def all_batches(run: TrainingRun, start: int) -> Generator[Batch, None, None]:
    """Yield the whole batch of every step from `start` on, each made while the one before is learned from.

    It is the same however many processes share it: its rows follow from seed and epoch, its masks from seed and step.
    """
    recipe, words = run.recipe, vocabulary(run.tokenizer)
    specials = (words.pad, words.cls, words.sep)
    places = batches(run.tokens, recipe.row_length, recipe.joined, recipe.seed, recipe.rows, start)

    def make(step: int) -> Batch:
        plan, first = next(places)
        rows = packed(run.tokens, plan, first, recipe.rows, recipe.row_length, specials)
        return Batch.of(rows, words, recipe.masked, np.random.default_rng((recipe.seed, 0, step)))

    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(make, start)
        for step in range(start, recipe.steps):
            batch = coming.result()
            if step + 1 < recipe.steps:
                coming = worker.submit(make, step + 1)
            yield batch


def train(run: TrainingRun, on: Processes, resume: bool = False) -> tuple[Encoder, TrainingProgress]:
    """Train to the last step, and leave checkpoint, metrics.csv and snapshots in the folder.

    Raises:
        TrainingError: the checkpoint does not fit, or a file cannot be written.
    """
    recipe, trainer, progress = run.recipe, Trainer(run.recipe, on, run.parts, run.start), TrainingProgress()
    same = checkpoint_files.identity(recipe, run.corpus)
    if resume:
        tensors, progress = checkpoint_files.read_state(run.folder, same)
        checkpoint_files.restore(trainer.model, trainer.optimizer, tensors, progress.step)
    watch = Watch(run, trainer, progress, same)
    with shown("training", "steps") as hear:
        for step, batch, nll in trainer.learn(all_batches(run, progress.step), progress.step):
            watch.after(step, batch, nll)
            hear(step, recipe.steps)
    return trainer.model, watch.progress

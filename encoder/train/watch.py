"""What happens between the steps of a run: the model is scored, weights are kept."""

import sys
from time import perf_counter

import torch
from torch import Tensor
from tqdm import tqdm

from encoder.train import checkpoint_files
from encoder.train.checkpoint_files import TrainingProgress
from encoder.train.diagnostics import habits_of
from encoder.train.evaluation import evaluate, held_out_batches
from encoder.train.log import Metrics
from encoder.train.objective import Batch
from encoder.train.trainer import Trainer, TrainingRun


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
        """Where the run is after a step, over all processes."""
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
            said = f"step {step}: training loss {loss:.3f}; held out: {score}\n{habits.table()}"
            tqdm.write(said, file=sys.stderr)
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

"""The training loop: the batches in their order, and step after step."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from encoder.model.encoder import Encoder
from encoder.support.progress import progress as shown
from encoder.train import checkpoint_files
from encoder.train.checkpoint_files import TrainingProgress
from encoder.train.masking import choose, hide, vocabulary
from encoder.train.objective import Batch
from encoder.train.packing import batches, packed
from encoder.train.processes import Processes
from encoder.train.trainer import Trainer, TrainingRun
from encoder.train.watch import Watch


def all_batches(run: TrainingRun, start: int) -> Generator[Batch, None, None]:
    """The whole batch of every step from `start` on, each made while the one before is learned from.

    It is the same however many processes share it: its rows follow from seed and epoch, its masks from seed and step.
    """
    recipe, words = run.recipe, vocabulary(run.tokenizer)
    specials = (words.pad, words.cls, words.sep)
    places = batches(run.tokens, recipe.row_length, recipe.joined, recipe.seed, recipe.rows, start)

    def make(step: int) -> Batch:
        plan, first = next(places)
        rows = packed(run.tokens, plan, first, recipe.rows, recipe.row_length, specials)
        draw = np.random.default_rng((recipe.seed, 0, step))
        chosen = choose(rows.ids, words, recipe.masked, draw)
        return Batch.of(rows, chosen, hide(rows.ids, chosen, words, draw))

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
        for step, batch in enumerate(all_batches(run, progress.step), progress.step):
            watch.after(step + 1, batch, trainer.step(batch, step))
            hear(step + 1, recipe.steps)
    return trainer.model, watch.progress

"""One step's gradient, by as many processes as torchrun starts: `torchrun ... tests/two_processes.py FILE`."""

import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from safetensors.torch import save_file
from tiny import tiny_tokenizer
from torch import Tensor

from encoder.train.loop import all_batches
from encoder.train.packing import encode
from encoder.train.processes import Processes, processes
from encoder.train.recipe import RECIPES, Recipe
from encoder.train.trainer import Trainer, TrainingRun
from encoder.train.training_corpus import Lines

LINES = Lines([" ".join(f"w{(i * j) % 47}" for j in range(1, 3 + i % 9)) for i in range(200)], [False] * 200)
RECIPE: Recipe = replace(
    RECIPES["tiny"].with_values(["vocab_size=53", "d_model=30", "n_heads=3", "d_ff=44", "row_length=24", "rows=12"]),
    dropout=0.0,
    score_penalty=1e-2,
)


def gradients(on: Processes, parts: int) -> dict[str, Tensor]:
    """The gradient of the first step on every weight, as one process of those in `on` sees it."""
    tokenizer = tiny_tokenizer()
    run = TrainingRun(RECIPE, encode(LINES, tokenizer, RECIPE.row_length), [], tokenizer, Path(), "")
    trainer = Trainer(RECIPE, on, parts)
    with closing(all_batches(run, 0)) as coming:
        trainer.backward(next(coming), 0)
    return {name: weight.grad for name, weight in trainer.model.named_parameters() if weight.grad is not None}


if __name__ == "__main__":
    with processes() as on:
        found = gradients(on, parts=2)
        if on.first:
            save_file({name: gradient.contiguous() for name, gradient in found.items()}, sys.argv[1])
    left = [name for task in Path("/proc/self/task").glob("*/comm") if "gloo" in (name := task.read_text())]
    assert not left, f"threads outlive their group, and may touch Python when it has gone: {left}"

"""One step's gradient, by as many processes as torchrun starts: `torchrun ... tests/two_processes.py FILE`."""

import sys
from dataclasses import replace
from pathlib import Path

from safetensors.torch import save_file
from tiny import tiny_tokenizer
from torch import Tensor

from encoder.support.processes import Processes, processes
from encoder.train.masked_rows import Batch, Lines, batches, encode
from encoder.train.recipe import RECIPES, Recipe
from encoder.train.trainer import Trainer

LINES = Lines([" ".join(f"w{(i * j) % 47}" for j in range(1, 3 + i % 9)) for i in range(200)], [False] * 200)
RECIPE: Recipe = replace(
    RECIPES["tiny"].with_values(["vocab_size=53", "d_model=30", "n_heads=3", "d_ff=44", "row_length=24", "rows=12"]),
    dropout=0.0,
    score_penalty=1e-2,
    clip=1000.0,
)


def first_batch(recipe: Recipe) -> Batch:
    """The batch of the first step."""
    tokenizer = tiny_tokenizer()
    return next(batches(encode(LINES, tokenizer, recipe.row_length), tokenizer, recipe))


def gradients(on: Processes) -> dict[str, Tensor]:
    """The gradient of the first step on every weight, as one process of those in `on` sees it."""
    trainer = Trainer(RECIPE, on)
    trainer.step(first_batch(RECIPE), 0)
    return {name: weight.grad for name, weight in trainer.model.named_parameters() if weight.grad is not None}


if __name__ == "__main__":
    with processes() as on:
        found = gradients(on)
        if on.first:
            save_file({name: gradient.contiguous() for name, gradient in found.items()}, sys.argv[1])
    left = [name for task in Path("/proc/self/task").glob("*/comm") if "gloo" in (name := task.read_text())]
    assert not left, f"threads outlive their group, and may touch Python when it has gone: {left}"

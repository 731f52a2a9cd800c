"""A model, its optimizer, and the one step that they take together; and a new start for a layer.

A layer that has switched itself off adds the same vector to every word. So its attention is replaced by one that does
exactly that and can still learn: W_O is 0 and b_O is the vector that was added on average; queries, keys and values are
drawn anew, and the scores are scaled so that the softmax starts soft.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from encoder import checkpoint
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.sentences import SENTENCES
from encoder.model.attention import Attention
from encoder.model.encoder import Encoder
from encoder.support.errors import seeded
from encoder.train.objective import Batch, MaskedWords
from encoder.train.packing import TokenStream, batches
from encoder.train.processes import ALONE, Processes
from encoder.train.recipe import Recipe

SPREAD = 1.0  # standard deviation of the scaled scores of a new head over the sentences


@dataclass(frozen=True)
class TrainingRun:
    """What a run works with. `corpus` pins the text; a process cuts its share of a step into so many `parts`.

    `start` is the model to go on from; without one, training begins with new weights. `examine` is handed the step and
    the model of each snapshot as it was written, on the CPU.
    """

    recipe: Recipe
    tokens: TokenStream
    held_out: Sequence[str]
    tokenizer: Tokenizer
    folder: Path
    corpus: str
    parts: int = 1
    start: Encoder | None = None
    examine: Callable[[int, Encoder], None] | None = None

    def check_rows(self) -> None:
        """Refuse a corpus that does not fill the rows of one step."""
        recipe = self.recipe
        next(batches(self.tokens, recipe.row_length, recipe.joined, recipe.seed, recipe.rows, 0))


def new_model(recipe: Recipe) -> Encoder:
    """Return an encoder at the start of its training, the same for the same recipe."""
    return checkpoint.build(recipe.config, checkpoint.random_weights(recipe.config, recipe.seed), "the new model")


def new_optimizer(model: Encoder, recipe: Recipe, fused: bool) -> torch.optim.AdamW:
    """AdamW; weight decay acts on matrices alone, and each weight takes its share of the rate."""
    groups: dict[tuple[float, float], list[Tensor]] = defaultdict(list)
    for name, weight in model.named_parameters():
        groups[recipe.share(name), recipe.weight_decay if weight.dim() > 1 else 0.0].append(weight)
    parts = [{"params": some, "share": share, "weight_decay": decay} for (share, decay), some in groups.items()]
    return torch.optim.AdamW(parts, recipe.peak_rate, recipe.betas, fused=fused)


class Trainer:
    """A model and its optimizer, and the steps that they take together; alone on the CPU unless told otherwise.

    Steps of the run whose names end as one of `left_out` give zeros.
    """

    def __init__(
        self,
        recipe: Recipe,
        on: Processes = ALONE,
        parts: int = 1,
        start: Encoder | None = None,
        left_out: tuple[str, ...] = (),
    ) -> None:
        self.recipe, self.on, self.parts = recipe, on, parts
        self.model = (start or new_model(recipe)).train().to(on.device)
        for name, weight in self.model.named_parameters():
            weight.requires_grad_(recipe.share(name) > 0)
        self.optimizer = new_optimizer(self.model, recipe, on.on_gpu)
        self.alone = MaskedWords(self.model, recipe.dropout, recipe.score_penalty, on.compiles, left_out)
        spread = DistributedDataParallel(self.alone, [on.device] if on.on_gpu else None) if on.count > 1 else None
        self.spread, self.objective = spread, spread or self.alone

    def move(self, batch: Batch) -> Batch:
        """Bring a batch to the device, from pinned memory where it is a GPU."""
        if not self.on.on_gpu:
            return batch
        return batch.each(lambda tensor: tensor.pin_memory().to(self.on.device, non_blocking=True))

    def backward(self, batch: Batch, step: int) -> Tensor:
        """Lay the gradient of a whole step's batch on the weights; returns this process's summed nll."""
        draw = np.random.SeedSequence((self.recipe.seed, 3, step, self.on.rank))
        torch.manual_seed(int(draw.generate_state(1)[0]))  # dropout
        pieces, nll = self.on.count * self.parts, torch.zeros((), device=self.on.device)
        for i in range(self.parts):
            piece = self.move(batch.cut(self.on.rank * self.parts + i, pieces))
            with self.spread.no_sync() if self.spread and i < self.parts - 1 else nullcontext():
                with self.on.autocast():
                    loss, summed = self.objective(piece, len(batch.labels), pieces)
                (loss * self.on.count).backward()  # DistributedDataParallel takes the mean over processes
            nll += summed
        return nll

    def step(self, batch: Batch, step: int) -> Tensor:
        """Learn from one batch; returns this process's summed nll, in nats."""
        self.optimizer.zero_grad()
        nll = self.backward(batch, step)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = group["share"] * self.recipe.rate(step)
        self.optimizer.step()
        return nll

    def learn(self, batches: Iterable[Batch], done: int = 0) -> Iterator[tuple[int, Batch, Tensor]]:
        """Take one step for each batch; gives how many steps are done, the batch and this process's summed nll."""
        for step, batch in enumerate(batches, done):
            yield step + 1, batch, self.step(batch, step)


def renew(encoder: TextEncoder, layers: Sequence[int], seed: int, sentences: Sequence[str] = SENTENCES) -> None:
    """Start the attention of these layers anew, in place; the same for the same seed and sentences."""
    generator = seeded(seed)
    for i in sorted(layers):
        traces = [encoder.trace(sentence) for sentence in sentences]
        inputs = [trace.layers[i].attention.input for trace in traces]
        words = [~torch.tensor(trace.tokenization.special) for trace in traces]
        outputs = [trace.layers[i].attention.output[kept] for trace, kept in zip(traces, words, strict=True)]
        attention = encoder.model.layers[i].attention
        assert isinstance(attention, Attention)
        start_anew(attention, inputs, torch.cat(outputs).mean(0), generator)


@torch.no_grad()
def start_anew(attention: Attention, inputs: Sequence[Tensor], added: Tensor, generator: torch.Generator) -> None:
    """Draw an attention that adds `added` [d_model] whatever it looks at; inputs are [n, d_model] each."""
    attention.train()  # lets go of copies of the old weights
    for part in (attention.w_q, attention.w_k, attention.w_v, attention.w_o):
        part.weight.uniform_(-1, 1, generator=generator).mul_(math.sqrt(3 / part.in_features))
        part.bias.zero_()
    spread = torch.cat([scaled_scores(attention, x).flatten() for x in inputs]).std()
    for part in (attention.w_q, attention.w_k):
        part.weight.mul_((SPREAD / spread).sqrt())
    attention.w_o.weight.zero_()
    attention.w_o.bias.copy_(added)


def scaled_scores(attention: Attention, x: Tensor) -> Tensor:
    """Return every head's scores of [n, d_model] vectors: [H, n, n]."""
    q, k = (attention.split(part(x)) for part in (attention.w_q, attention.w_k))
    return q @ k.mT / math.sqrt(attention.d_head)

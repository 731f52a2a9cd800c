"""What training makes small, and the steps that do it: the only loop that teaches a model anything here.

It is the negative log-likelihood (nll) of each hidden word; the forward pass is the encoder's own, seen by a tap.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel

from encoder import checkpoint
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.encoder import Encoder
from encoder.model.tap import Tap
from encoder.support.errors import EncoderError
from encoder.support.processes import ALONE, Processes
from encoder.train.masked_rows import Batch, held_out_batches
from encoder.train.recipe import Recipe

DROPPED = ("embedding.output", "attention.weights", "attention.output", "feed_forward.output")
BETAS = (0.9, 0.98)  # of AdamW


class TrainingTap(Tap):
    """What training does on the way: positions from 0 in each segment, dropout, and a penalty on large scores.

    Dropout acts where the paper has it (section 5.4), on the embedding and on what each sublayer gives, and on the
    attention weights. `penalties` collects, layer by layer, the mean square of the scores' log-sum-exp. Steps whose
    names end as one of `left_out` give zeros.
    """

    def __init__(
        self,
        positions: Tensor,
        places: Tensor,
        dropout: float,
        penalties: list[Tensor] | None = None,
        left_out: tuple[str, ...] = (),
    ) -> None:
        self.positions, self.places = positions, places
        self.dropout, self.penalties, self.left_out = dropout, penalties, left_out

    def see(self, name: str, value: Tensor) -> Tensor:
        """Exchange the positions, drop out, or hand on."""
        if name == "embedding.positions":
            return self.positions[self.places]
        if name.endswith(self.left_out):
            return torch.zeros_like(value)
        if name.endswith("attention.masked") and self.penalties is not None:
            self.penalties.append(value.float().logsumexp(-1).square().mean())
        if self.dropout and name.endswith(DROPPED):
            return functional.dropout(value, self.dropout)
        return value


class MaskedWords(nn.Module):
    """The encoder and its loss in one module, so that DistributedDataParallel sees one forward pass.

    `compiled` lets torch.compile make one kernel of many, where the device has it. `left_out` are the ends of the names
    of steps that give zeros.
    """

    def __init__(
        self,
        encoder: Encoder,
        dropout: float = 0.0,
        score_penalty: float = 0.0,
        compiled: bool = False,
        left_out: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout, self.score_penalty, self.left_out = dropout, score_penalty, left_out
        self.run = torch.compile(self.encode) if compiled else self.encode

    def encode(self, ids: Tensor, segments: Tensor, places: Tensor, dropout: float) -> tuple[Tensor, Tensor]:
        """Output [rows, n, d_model] of segments that cannot see each other, and the mean penalty of the layers."""
        hidden = segments[:, :, None] != segments[:, None]  # [rows, n, n]
        penalties: list[Tensor] | None = [] if self.score_penalty and self.training else None
        tap = TrainingTap(self.encoder.embedding.positions.weight, places, dropout, penalties, self.left_out)
        output = self.encoder(ids, hidden, tap=tap)
        return output, torch.stack(penalties).mean() if penalties else output.new_zeros(())

    def logits(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Scores of every word where a word is hidden, [hidden, vocab], and the penalty."""
        output, penalty = self.run(batch.ids, batch.segments, batch.places, self.dropout if self.training else 0.0)
        scores = self.encoder.predict(output.flatten(0, 1)[batch.at])
        assert scores is not None, "Recipe sees to it that there is a head"
        return scores, penalty

    def forward(self, batch: Batch, total: int, parts: int) -> tuple[Tensor, Tensor]:
        """Return the batch's share of the loss, to go backward from, and the summed nll in nats, to report.

        `total` counts the hidden words of the whole step, of which this batch is one of so many `parts`.
        """
        scores, penalty = self.logits(batch)
        nll = functional.cross_entropy(scores.float(), batch.labels, reduction="sum")
        return nll / total + self.score_penalty * penalty / parts, nll.detach()


def new_model(recipe: Recipe) -> Encoder:
    """Return an encoder at the start of its training, the same for the same recipe."""
    return checkpoint.build(recipe.config, checkpoint.random_weights(recipe.config, recipe.seed), "the new model")


def new_optimizer(model: Encoder, recipe: Recipe, fused: bool = False) -> torch.optim.AdamW:
    """AdamW; weight decay acts on matrices alone, and each weight takes its share of the rate."""
    groups: dict[tuple[float, float], list[Tensor]] = defaultdict(list)
    for name, weight in model.named_parameters():
        groups[recipe.share(name), recipe.weight_decay if weight.dim() > 1 else 0.0].append(weight)
    parts = [{"params": some, "share": share, "weight_decay": decay} for (share, decay), some in groups.items()]
    return torch.optim.AdamW(parts, recipe.peak_rate, BETAS, fused=fused)


class Trainer:
    """A model and its optimizer, and the steps that they take together; alone on the CPU unless told otherwise.

    Steps of the run whose names end as one of `left_out` give zeros.
    """

    def __init__(
        self, recipe: Recipe, on: Processes = ALONE, start: Encoder | None = None, left_out: tuple[str, ...] = ()
    ) -> None:
        self.recipe, self.on = recipe, on
        self.model = (start or new_model(recipe)).train().requires_grad_(True).to(on.device)
        self.optimizer = new_optimizer(self.model, recipe, on.on_gpu)
        self.alone = MaskedWords(self.model, recipe.dropout, recipe.score_penalty, on.compiles, left_out)
        spread = DistributedDataParallel(self.alone, [on.device] if on.on_gpu else None) if on.count > 1 else None
        self.objective = spread or self.alone

    def move(self, batch: Batch) -> Batch:
        """Bring a batch to the device, from pinned memory where it is a GPU."""
        if not self.on.on_gpu:
            return batch
        return Batch(*(tensor.pin_memory().to(self.on.device, non_blocking=True) for tensor in batch))

    def step(self, batch: Batch, step: int) -> Tensor:
        """Learn from this process's share of a batch; returns its summed nll, in nats."""
        draw = np.random.SeedSequence((self.recipe.seed, 3, step, self.on.rank))
        torch.manual_seed(int(draw.generate_state(1)[0]))  # dropout
        self.optimizer.zero_grad()
        with self.on.autocast():
            piece = self.move(batch.cut(self.on.rank, self.on.count))
            loss, nll = self.objective(piece, len(batch.labels), self.on.count)
        (loss * self.on.count).backward()  # DistributedDataParallel takes the mean over processes
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = group["share"] * self.recipe.rate(step)
        self.optimizer.step()
        return nll  # type: ignore[no-any-return]

    def learn(self, batches: Iterable[Batch], done: int = 0) -> Iterator[tuple[int, Batch, Tensor]]:
        """Take one step for each batch; gives how many steps are done, the batch and this process's summed nll."""
        for step, batch in enumerate(batches, done):
            yield step + 1, batch, self.step(batch, step)


@dataclass(frozen=True)
class Score:
    """Over `words` hidden tokens: mean negative log-likelihood in nats, and the shares guessed first and among five."""

    words: int
    loss: float
    top_1: float
    top_5: float

    @property
    def error(self) -> float:
        """The standard error of the share guessed first."""
        return math.sqrt(self.top_1 * (1 - self.top_1) / max(1, self.words))

    def __str__(self) -> str:
        return (
            f"loss {self.loss:.3f}, top-1 {100 * self.top_1:.1f} %, top-5 {100 * self.top_5:.1f} % "
            f"over {self.words} hidden tokens"
        )


@torch.inference_mode()
def evaluate(model: MaskedWords, batches: Sequence[Batch], to: Callable[[Batch], Batch] = lambda batch: batch) -> Score:
    """Return the score over all batches; `to` brings a batch to the model's device."""
    training = model.training
    model.eval()
    sums = torch.zeros(3, dtype=torch.float64)
    for batch in map(to, batches):
        logits = model.logits(batch)[0].float()
        right = logits.topk(min(5, logits.shape[-1])).indices == batch.labels[:, None]
        nll = functional.cross_entropy(logits, batch.labels, reduction="sum")
        sums += torch.stack([nll, right[:, 0].sum(), right.sum()]).double().cpu()
    model.train(training)
    words = sum(len(batch.labels) for batch in batches)
    loss, first, five = (sums / max(1, words)).tolist()
    return Score(words, loss, first, five)


def evaluate_text(encoder: TextEncoder, lines: Sequence[str], left_out: tuple[str, ...] = ()) -> Score:
    """Return the score of a finished model on lines of text; steps whose names end as one of `left_out` give zeros.

    Raises:
        EncoderError: the model has no masked-language-model head, or there is no line of text.
    """
    if encoder.model.mlm_head is None:
        raise EncoderError(f"the model {encoder.source.name!r} has no head that guesses words, so it cannot be scored")
    length = min(encoder.config.trained_length or 128, encoder.max_tokens)
    model = MaskedWords(encoder.model, left_out=left_out)
    return evaluate(model.eval(), held_out_batches(lines, encoder.tokenizer, length))

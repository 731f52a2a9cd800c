"""What each layer's heads look at while a model learns, and a warning when a layer has switched itself off.

A head that puts nearly all of its weight on [CLS] and [SEP], whatever the word, adds the same vector to every token.
Once its scores are far apart the softmax passes no gradient, and it stays so while the loss still falls.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.head_measures import mean, runs
from encoder.metrics.heads import normalized_entropy
from encoder.metrics.roles import role_mass
from encoder.metrics.sentences import SENTENCES
from encoder.model.encoder import Encoder
from encoder.trace.trace import Source, Trace
from encoder.trace.unpadded import attention_weights

SWITCHED_OFF = 0.95  # a head with more of its weight than this on special tokens says nothing of the words
FAR_APART = 100.0  # a head whose scaled scores reach further than this within a row passes no gradient
MOST_HEADS = 0.5  # a layer with more of its heads off than this is saturated
COLUMNS = ("entropy", "self", "previous", "next", "specials", "range")


@dataclass(frozen=True)
class Habits:
    """What heads do, [n_layers, H] each, means over the sentences.

    `entropy` is a share of ln n; `self`, `previous` and `next` are masses over the queries that have such a key;
    `specials` is the mass of the words' own rows on [CLS] and [SEP]; `range` is how far the largest scaled score of a
    row is above the smallest.
    """

    values: dict[str, Tensor]

    @property
    def switched_off(self) -> Tensor:
        """How many heads of each layer look at special tokens alone, or have scores too far apart: [n_layers]."""
        return ((self.values["specials"] > SWITCHED_OFF) | (self.values["range"] > FAR_APART)).sum(-1)

    @property
    def saturated(self) -> list[int]:
        """The layers in which more than half of the heads are switched off."""
        return [i for i, off in enumerate(self.switched_off.tolist()) if off > MOST_HEADS * self.heads]

    @property
    def heads(self) -> int:
        """Heads in a layer."""
        return self.values["specials"].shape[1]

    def by_layer(self, name: str) -> list[float]:
        """Return the mean over a layer's heads, layer by layer."""
        return [float(v) for v in self.values[name].mean(-1)]

    def table(self) -> str:
        """Return one line for each layer, and a warning for each that is saturated."""
        lines = [" layer  " + "  ".join(f"{name:>8}" for name in COLUMNS) + "  switched off"]
        for i, off in enumerate(self.switched_off.tolist()):
            numbers = "  ".join(f"{self.by_layer(name)[i]:8.3f}" for name in COLUMNS)
            lines.append(f" {i:5}  {numbers}  {off:>4} of {self.heads}")
        lines += [
            f"warning: layer {i} is saturated: {int(self.switched_off[i])} of its {self.heads} heads put over "
            f"{100 * SWITCHED_OFF:.0f} % of their weight on special tokens or have scaled scores over {FAR_APART:g} "
            "apart. Start again with a lower peak_rate or a higher score_penalty."
            for i in self.saturated
        ]
        return "\n".join(lines)


def specials(weights: Tensor, special: Sequence[bool]) -> Tensor:
    """Mean share of the words' weight on special tokens, [..., n, n] -> [...]; 0 where there are no words."""
    added = torch.tensor(list(special))
    return weights[..., ~added, :][..., added].sum(-1).mean(-1) if not bool(added.all()) else weights.new_zeros(())


def score_range(trace: Trace) -> Tensor:
    """Return the largest less smallest scaled score of a row, averaged over the rows: [n_layers, H]."""
    n = len(trace.tokens) - trace.padding
    scaled = torch.stack([layer.attention.scaled[:, :n, :n] for layer in trace.layers])
    return (scaled.amax(-1) - scaled.amin(-1)).mean(-1)


def habits(encoder: TextEncoder, sentences: Sequence[str] = SENTENCES) -> Habits:
    """Measure every head over the sentences; specials counts the rows of words, all else every row."""
    columns: dict[str, list[Tensor]] = {name: [] for name in COLUMNS}
    counts: dict[str, list[int]] = {name: [] for name in COLUMNS}
    for trace in runs(encoder, sentences):
        weights = attention_weights(trace)  # [n_layers, H, n, n]
        flat = weights.flatten(0, 1)
        n, tokens = weights.shape[-1], trace.tokens
        mass = role_mass(flat, tokens)
        shape = weights.shape[:2]
        measured = {
            "entropy": normalized_entropy(weights).mean(-1),
            **{role: mass[role].view(shape) for role in ("self", "previous", "next")},
            "specials": specials(weights, trace.tokenization.special[:n]),
            "range": score_range(trace),
        }
        sizes = dict.fromkeys(COLUMNS, n) | {"previous": n - 1, "next": n - 1}
        sizes["specials"] = n - sum(trace.tokenization.special[:n])
        for name in COLUMNS:
            columns[name].append(measured[name])
            counts[name].append(sizes[name])
    return Habits({name: mean(columns[name], torch.tensor(counts[name])) for name in COLUMNS})


def habits_of(model: Encoder, tokenizer: Tokenizer) -> Habits:
    """Return the habits of a model in training, wherever it is."""
    copy = deepcopy(model).cpu().float().eval().requires_grad_(False)
    return habits(TextEncoder(copy, tokenizer, Source("training")))

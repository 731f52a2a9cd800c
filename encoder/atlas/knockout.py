"""What a model makes of the contexts of a head or unit without it: everything else is computed as ever."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import torch
from torch import Tensor

from encoder.formatting import percent
from encoder.metrics import length
from encoder.model.tap import NO_TAP, Replacer, Tap
from encoder.text_encoder import TextEncoder


@dataclass(frozen=True)
class AtlasPart:
    """A head or a feed-forward unit, by its layer and number."""

    kind: str  # "head" or "unit"
    layer: int
    number: int

    @property
    def step(self) -> str:
        """Where it is computed."""
        return f"layers.{self.layer}." + {"head": "attention.heads", "unit": "feed_forward.activation"}[self.kind]

    def without(self, value: Tensor) -> Tensor:
        """The step with zeros in its place: heads [B, H, n, d_head], or units [B, n, d_ff]."""
        value = value.clone()
        value[(slice(None), self.number) if self.kind == "head" else (..., self.number)] = 0
        return value


@dataclass(frozen=True)
class Absence:
    """What becomes of a token's last vector without a part.

    `moved` is the length of the change over the vector's own, `elsewhere` the mean of that over the sentence's other
    tokens. The guesses are the likeliest word there and its probability, with the part and without it; None without a
    masked language model head.
    """

    moved: float
    elsewhere: float
    before: tuple[str, float] | None
    after: tuple[str, float] | None

    @property
    def turned(self) -> bool:
        """Whether the likeliest word is another."""
        return self.before is not None and self.after is not None and self.before[0] != self.after[0]


@torch.inference_mode()
def absence(encoder: TextEncoder, part: AtlasPart, text: str, position: int) -> Absence:
    """What a part's absence does at a token of a text.

    Raises:
        ValueError: the text has no such token.
    """
    ids = torch.tensor([encoder.tokenize(text).ids])
    n = ids.shape[1]
    if not 0 <= position < n:
        raise ValueError(f"position is {position}; this text has {n} tokens, from 0 to {n - 1}")
    taps: tuple[Tap, Tap] = (NO_TAP, Replacer({part.step: part.without}, NO_TAP))
    before, after = (encoder.model(ids, None, None, tap)[0] for tap in taps)  # [n, d_model]
    moved = length(after - before) / length(before).clamp_min(1e-30)
    rest = (moved.sum() - moved[position]) / max(1, n - 1)
    return Absence(float(moved[position]), float(rest), *(guess(encoder, x[position]) for x in (before, after)))


def guess(encoder: TextEncoder, vector: Tensor) -> tuple[str, float] | None:
    """The likeliest word for a last vector [d_model], with its probability."""
    logits = encoder.model.predict(vector[None, None])
    if logits is None:
        return None
    share, word = logits[0, 0].softmax(-1).max(-1)
    return encoder.tokenizer.id_to_token(int(word)) or f"#{int(word)}", float(share)


def summed_up(absences: Sequence[Absence]) -> str:
    """What becomes of some tokens without a part, in a sentence."""
    moved, elsewhere = (percent(median(getattr(one, name) for one in absences)) for name in ("moved", "elsewhere"))
    said = f"Without it the last vectors of these {len(absences)} tokens move by {moved} of their length (the median), "
    said += f"those of the other tokens beside them by {elsewhere}"
    if absences[0].before is not None:
        said += f"; the guess turns at {sum(one.turned for one in absences)} of the {len(absences)}"
    return f"{said}."

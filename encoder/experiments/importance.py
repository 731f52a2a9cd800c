"""What each head and feed-forward block matters for a model's guesses: left out in turn, over a set of sentences.

One sentence and zeros mislead: a head may be idle there, and zero is a number that the layers behind it never meet. So
there are two gentler ways to take a part out, and an error bar over the sentences.
"""

from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.experiments.ablation import KNOCKED_OUT, ROWS, WatchedWord, effects, grid, knock_outs, outcomes
from encoder.metrics.head_measures import runs
from encoder.metrics.sentences import SENTENCES
from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError
from encoder.trace.trace import Trace
from encoder.trace.unpadded import tokens
from encoder.trace.words import punctuation

Way = Literal["zero", "mean", "resample"]
OVER = SENTENCES[:50]


@dataclass(eq=False)
class Donor:
    """Numbers to patch from, for a text of as many tokens as are needed: [.., n, d] by the name of a step."""

    text: str
    tokens: list[str]
    values: dict[str, Tensor]
    padding: int = 0

    def __contains__(self, name: object) -> bool:
        """Whether it has this step."""
        return name in self.values

    def __getitem__(self, name: str) -> Tensor:
        """The numbers of a step."""
        return self.values[name]


class Importance(NamedTuple):
    """What leaving each part out changed, over the sentences so far; a column for each head, and one for feed-forward.

    `harm` [n_layers, n_heads + 1] is the mean loss in nats of ln p of a hidden word, `change` that of the output,
    relative to its length; `harm_error` and `change_error` are the standard errors of these means. Without a head that
    guesses words `harm` is NaN.
    """

    done: int
    total: int
    harm: Tensor
    harm_error: Tensor
    change: Tensor
    change_error: Tensor

    @property
    def deciding(self) -> tuple[Tensor, Tensor]:
        """The numbers that decide, and their errors: the harm where words can be guessed, else the change."""
        guessed = bool(self.harm.isfinite().any())
        return (self.harm, self.harm_error) if guessed else (self.change, self.change_error)

    @property
    def clear_heads(self) -> int:
        """How many heads' numbers are more than two errors above zero."""
        value, error = self.deciding
        return int((value > 2 * error)[:, :-1].sum())

    @property
    def strongest_head(self) -> tuple[int, int]:
        """Layer and head of the largest number among the heads."""
        heads = self.deciding[0][:, :-1]
        layer, head = divmod(int(heads.argmax()), heads.shape[1])
        return layer, head


def importance(
    encoder: TextEncoder, way: Way = "mean", sentences: Sequence[str] = OVER, *, batch: int = ROWS
) -> Generator[Importance, None, None]:
    """Leave out every head and every feed-forward block in turn, in every sentence, and hold the guesses against it.

    In each sentence one word is hidden, always the same one. A part is left out by putting in its place: "zero"; its
    "mean" over the sentences, for words one, and for each special token and mark its own, whose numbers can be hundreds
    of times as large; or, "resample", what it gave in the next sentence, place by place.

    Returns:
        a generator of what was found so far, once after each sentence; leaving it cancels the rest.

    Raises:
        EncoderError: another way, or fewer than two sentences.
    """
    if way not in get_args(Way):
        raise EncoderError(f"way is {way!r}; it must be one of {', '.join(get_args(Way))}")
    if len(sentences) < 2:
        raise EncoderError(f"{len(sentences)} sentences; an error bar takes 2 or more")
    return swept(encoder, way, list(sentences), batch)


def swept(encoder: TextEncoder, way: Way, sentences: Sequence[str], batch: int) -> Generator[Importance, None, None]:
    """`importance`, once what was asked for is in order."""
    means = mean_values(encoder, sentences) if way == "mean" else {}
    harms, changes = list[Tensor](), list[Tensor]()
    for i, sentence in enumerate(sentences):
        trace, watch = hidden_word(encoder, sentence)
        n = len(tokens(trace))
        edits = knock_outs(encoder.config)
        if way != "zero":
            other = encoder.trace(sentences[(i + 1) % len(sentences)]) if way == "resample" else None
            donor = Donor(sentence, list(trace.tokens), means_of(means, trace) if other is None else taken(other, n))
            edits = [Edit(edit.step, "patch", heads=edit.heads, value=donor) for edit in edits]
        effect = effects(trace, watch)
        effects_here = [effect(outcome) for chunk in outcomes(encoder, trace, edits, watch, batch) for outcome in chunk]
        harms.append(grid(effects_here, encoder.config, "loss").double())
        changes.append(grid(effects_here, encoder.config).double())
        yield Importance(i + 1, len(sentences), *mean_and_error(harms), *mean_and_error(changes))


def hidden_word(encoder: TextEncoder, sentence: str) -> tuple[Trace, WatchedWord | None]:
    """A sentence with its longest word hidden, and that word to be watched; as it is where no word can be guessed."""
    pieces = encoder.tokenize(sentence)
    words = [i for i, mark in enumerate(pieces.special) if not mark and not punctuation(pieces.tokens[i])]
    if not encoder.config.mlm_head or encoder.mask_token is None or not words:
        return encoder.trace(sentence), None
    at = max(words, key=lambda i: len(pieces.tokens[i]))
    start, end = pieces.spans[at]
    trace = encoder.trace(f"{sentence[:start]} {encoder.mask_token} {sentence[end:]}")
    return trace, WatchedWord(trace.tokens.index(encoder.mask_token), pieces.ids[at])


def left_out(config: EncoderConfig) -> list[str]:
    """The steps whose numbers are taken out."""
    return [f"layers.{i}.{local}" for i in range(config.n_layers) for local in KNOCKED_OUT]


def kind(trace: Trace, position: int) -> str:
    """What a token's mean is taken with: itself where it is special or punctuation, all words else."""
    token = trace.tokens[position]
    return token if trace.tokenization.special[position] or punctuation(token) else ""


def mean_values(encoder: TextEncoder, sentences: Sequence[str]) -> dict[tuple[str, str], Tensor]:
    """The mean of each step over the tokens of each kind: (step, kind) -> its shape without the tokens."""
    sums, counts = dict[tuple[str, str], Tensor](), Counter[tuple[str, str]]()
    for trace in runs(encoder, sentences):
        kinds = [kind(trace, i) for i in range(len(tokens(trace)))]
        for name, word_kind in product(left_out(encoder.config), dict.fromkeys(kinds)):
            places = torch.tensor([i for i, other in enumerate(kinds) if other == word_kind])
            added = trace[name].index_select(-2, places).sum(-2).double()
            sums[name, word_kind] = sums[name, word_kind] + added if (name, word_kind) in sums else added
            counts[name, word_kind] += len(places)
    return {key: (total / counts[key]).float() for key, total in sums.items()}


def means_of(means: dict[tuple[str, str], Tensor], trace: Trace) -> dict[str, Tensor]:
    """For each token of a run the mean of its kind, or that of words where its kind was never seen."""
    kinds = [kind(trace, i) for i in range(len(tokens(trace)))]
    return {
        name: torch.stack([means.get((name, kind), means[name, ""]) for kind in kinds], -2)
        for name in left_out(trace.config)
    }


def taken(other: Trace, n: int) -> dict[str, Tensor]:
    """What another run holds, place by place, from its start again where it is the shorter one."""
    places = torch.arange(n) % len(tokens(other))
    return {name: other[name].index_select(-2, places) for name in left_out(other.config)}


def mean_and_error(values: list[Tensor]) -> tuple[Tensor, Tensor]:
    """The mean over sentences and its standard error, NaN for a single one."""
    together = torch.stack(values)
    error = together.std(0) / len(values) ** 0.5 if len(values) > 1 else torch.full_like(together[0], torch.nan)
    return together.mean(0), error

"""What a model guesses: the fill-ins, sentences of the card, and what guesses lose without a layer's attention."""

from collections.abc import Iterator

import torch

from encoder.edits.edit import Edit
from encoder.experiments.ablation import WatchedWord
from encoder.experiments.importance import hidden_word
from encoder.metrics.sentences import BUNDLED, SENTENCES
from encoder.text_encoder import TextEncoder
from encoder.trace.trace import Trace
from encoder.train.card import fill_ins
from encoder.train.fill_ins import CAPITAL

ASKED = (CAPITAL[0], "The cat [MASK] the mouse.", "The animal didn't cross the street because [MASK] was too wide.")
WITHOUT = {
    "even weights in layer 0": Edit("layers.0.attention.scaled", "zero"),
    "no attention in layer 0": Edit("layers.0.attention.output", "zero"),
    "even weights in layer 1": Edit("layers.1.attention.scaled", "zero"),
}


def loss(trace: Trace, watch: WatchedWord) -> float:
    """Negative log-likelihood of a hidden word, in nats."""
    return -float(trace["mlm.logits"][watch.position].double().log_softmax(-1)[watch.token])


def losses(encoder: TextEncoder) -> Iterator[tuple[float, ...]]:
    """For each bundled sentence the loss of its longest word, which is hidden: as it is, and with each of WITHOUT."""
    for sentence in SENTENCES:
        trace, watch = hidden_word(encoder, sentence)
        assert watch is not None, "the models that have a card guess words"
        edited = (encoder.trace(trace.text, edits=(edit,)) for edit in WITHOUT.values())
        yield tuple(loss(run, watch) for run in (trace, *edited))


def lines(encoder: TextEncoder) -> Iterator[str]:
    """What a card says of guesses."""
    first, five, asked = fill_ins(encoder)
    yield f"fill-ins: {first} of {asked} guessed first, {five} among the first five"
    for trace in map(encoder.trace, ASKED):
        ((word, share), *_) = (encoder.predict(trace) or [])[trace.tokens.index("[MASK]")]
        yield f"  {trace.text}  {word} {share:.3f}"
    usual, *others = torch.tensor(list(losses(encoder)), dtype=torch.float64).T
    yield f"The longest word of each of the {BUNDLED} hidden: loss {float(usual.mean()):.3f} nats; what it is more with"
    for what, edited in zip(WITHOUT, others, strict=True):
        more = edited - usual
        yield f"  {what}: {float(more.mean()):+.3f}, standard error {float(more.std()) / len(more) ** 0.5:.3f}"

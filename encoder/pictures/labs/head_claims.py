"""Trials of single heads: what they look at, what is turned when a sentence changes, and which one a network needs.

Networks that read rows of digits are asked what they compute, too.
"""

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics import MARGIN, attention_weights
from encoder.pictures.labs.trial import Finding, by_head, claim, judge, trial, untried
from encoder.pictures.view import EXAMPLE as WIDE
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent
from encoder.tasks.mystery import SAME, examine, reads_digits
from encoder.tasks.on_digits import ON_DIGITS
from encoder.trace.trace import Trace
from encoder.trace.words import merge

FEW = 0.05  # of all pairs of words: what so many have too is nothing of these two
SWITCH = 0.05  # a difference of weights below this is none


def position_of(trace: Trace, word: str) -> int:
    """Where a word first stands in a run: the position of its first piece.

    Raises:
        EncoderError: it is not one of the words.
    """
    return trace.tokenization.find(word)[0]


def between_words(trace: Trace, *words: str) -> tuple[Tensor, list[int]]:
    """The weights of every head from word to word [n_layers, H, m, m], and which of the m each of these words is.

    Raises:
        EncoderError: one of them is not there.
    """
    pieces = trace.tokenization
    return merge(attention_weights(trace), pieces.words), [pieces.words.index(pieces.find(word)) for word in words]


@claim(
    "first-layer",
    "guide",
    "In “I love transformers” the first layer looks from “transformers” at “love”.",
    page="attention",
    sentence="I love transformers",
    word="transformers",
    target="love",
    layer=0,
)
@trial()
def looks_at(
    encoder: TextEncoder, sentence: str, word: str, target: str, layer: int = 0, head: int | None = None
) -> Finding:
    """In one head a word looks at another, clearly more than chance would; in any head of the layer if none is named.

    Where none is named, the largest of several weights is large for many words: most other words of the sentence must
    have no head in the layer that looks from one to the other so clearly.
    """
    trace = encoder.trace(sentence)
    weights, (i, j) = between_words(trace, word, target)
    check_head(weights, layer, head or 0)
    largest = weights[:, :, i, j]
    head = int(largest[layer].argmax()) if (any_head := head is None) else head
    row = weights[layer, head, i]
    value, best, even = float(row[j]), int(row.argmax()), share(trace, j)
    most = trace.tokenization.words[best]
    name = f"“{trace.tokenization.spelled(most)}” ({most[0]})"
    text = (
        f"In head {head} of layer {layer}{', which does it most' if any_head else ''}, “{word}” puts {brief(value)} of "
        f"its weight on “{target}”; even attention would put {brief(even)}. Its largest weight, "
        f"{brief(float(row[best]))}, is on {name}."
    )
    if any_head:
        at, which = divmod(int(largest.argmax()), largest.shape[1])
        text += f" In all layers the most is {brief(float(largest.max()))}, in head {which} of layer {at}."
    clearly, condition = value > even + MARGIN, ""
    if any_head and clearly and (so_too := others_looking(trace, weights[layer], (i, j))) > FEW:
        clearly, condition = False, f"so it is with {percent(so_too)} of all other pairs of its words"
    return Finding(value, f"weight of “{word}” on “{target}”", text, judge(clearly, condition))


def others_looking(trace: Trace, weights: Tensor, but: tuple[int, int]) -> float:
    """Which share of all other pairs of words have some head [H, m, m] that looks so clearly from one to the other."""
    pieces = trace.tokenization
    spoken = [k for k, word in enumerate(pieces.words) if not pieces.special[word[0]]]
    pairs = [(a, b) for a in spoken for b in spoken if a != b and (a, b) != but]
    looking = sum(float(weights[:, a, b].max()) > share(trace, b) + MARGIN for a, b in pairs)
    return looking / max(1, len(pairs))


def share(trace: Trace, word: int) -> float:
    """What even attention puts on a word: its pieces over all tokens."""
    return len(trace.tokenization.words[word]) / len(trace.tokens)


def check_head(weights: Tensor, layer: int, head: int) -> None:
    """Refuse a head that the model does not have."""
    layers, heads = weights.shape[:2]
    if not (0 <= layer < layers and 0 <= head < heads):
        raise EncoderError(
            f"there is no head {head} of layer {layer}; layers go from 0 to {layers - 1}, heads to {heads - 1}"
        )


@claim(
    "who-is-it",
    "asked",
    "Attention shows what “it” is: the street that was too wide, the animal that was too tired.",
    lesson="who-is-it",
    sentence=WIDE,
    other="The animal didn't cross the street because it was too tired.",
    word="it",
    first="street",
    second="animal",
)
@trial()
def refers(encoder: TextEncoder, sentence: str, other: str, word: str, first: str, second: str) -> Finding:
    """Some head turns the word from one thing to another when the sentence changes."""
    lead = []  # how much more on `first` than on `second`, per head
    for text in (sentence, other):
        weights, (i, a, b) = between_words(encoder.trace(text), word, first, second)
        lead.append(weights[:, :, i, a] - weights[:, :, i, b])
    moved = lead[0] - lead[1]
    layer, head = divmod(int(moved.argmax()), moved.shape[1])
    switch = int(((lead[0] > SWITCH) & (lead[1] < -SWITCH)).sum())
    flips = int(((lead[0] > 0) & (lead[1] < 0) & (moved > SWITCH)).sum())
    best = float(moved.max())
    measured = (
        f"From “{sentence}” to “{other}” {switch} of {moved.numel()} heads turn “{word}” from “{first}” to "
        f"“{second}”. In the one that moves most, head {head} of layer {layer}, the weight on “{first}” less that on "
        f"“{second}” is {float(lead[0][layer, head]):+.3f} before and {float(lead[1][layer, head]):+.3f} after."
    )
    weaker = f"a lead below {SWITCH:g} counts in one of the sentences; then it is {flips} of {moved.numel()} heads"
    judgement = judge(switch > 0, weaker if flips else "")
    return Finding(best, "largest move of a head's preference", measured, judgement, by_head(moved))


NOT_DIGITS = "This model does not read rows of digits; a mystery model of the page Training does."


@trial()
def computes(encoder: TextEncoder, task: str) -> Finding:
    """A network that reads eight digits computes what a task asks for."""
    if not reads_digits(encoder.model):
        return untried(NOT_DIGITS)
    result, about = examine(encoder.model), ON_DIGITS[task]
    share, count = result.agrees(task), len(result.inputs)
    text = f"“{about.title}” asks: {about.asks} It does so for {round(share * count)} of {count} inputs it never saw."
    return Finding(share, f"share of inputs answered as “{about.title}” asks", text, judge(share >= SAME))


@trial()
def head_does_it(encoder: TextEncoder, layer: int = 0, head: int = 0) -> Finding:
    """A network that reads eight digits needs this head: most of what breaks without a head breaks without it."""
    if not reads_digits(encoder.model):
        return untried(NOT_DIGITS)
    result = examine(encoder.model)
    if not (layer < len(result.harm) and head < result.harm.shape[1]):
        raise EncoderError(
            f"there is no head {head} of layer {layer}; there are {' × '.join(map(str, result.harm.shape))}"
        )
    broken = float(result.harm[layer, head])
    text = (
        f"With head {head} of layer {layer} set to zero {percent(broken)} of {len(result.inputs)} inputs are answered "
        f"otherwise; without the head that breaks most it is {percent(float(result.harm.max()))}."
    )
    does = (layer, head) in result.needed
    what = f"share of inputs answered otherwise without head {head} of layer {layer}"
    return Finding(broken, what, text, judge(does), by_head(torch.as_tensor(result.harm)))

"""How long the vectors of a model grow, where they become alike, and which feed-forward units never fire."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.metrics.head_measures import runs
from encoder.metrics.layers import cosine, length
from encoder.metrics.neurons import never_positive
from encoder.metrics.sentences import BUNDLED, SENTENCES
from encoder.text_encoder import TextEncoder
from encoder.trace.words import punctuation

KINDS = ("[CLS], [SEP]", "words", "full stops")


@dataclass(frozen=True)
class Sizes:
    """Lengths of vectors over a set of sentences, and how alike they are.

    `inputs` maps the first token and all others to the lengths of their vectors before the first layer; `feed_forward`
    maps each of KINDS to the lengths of what a layer's feed-forward adds [n_layers, tokens]; `channel` is the largest
    number in size of the longest of them, `share` that number over its length. `ends` and `stops` are the smallest
    cosines to [CLS] after each layer [n_layers]: of [SEP], and of full stops. `silent` is the share of units that are
    exactly zero at a word.
    """

    inputs: dict[str, Tensor]
    feed_forward: dict[str, Tensor]
    layer: int
    channel: int
    share: float
    ends: Tensor
    stops: Tensor
    silent: float


def sizes(encoder: TextEncoder) -> Sizes:
    """Measure the bundled sentences; marks other than the full stop are left out."""
    inputs: dict[str, list[Tensor]] = {"[CLS]": [], "others": []}
    added: dict[str, list[Tensor]] = {kind: [] for kind in KINDS}
    alike: dict[str, list[Tensor]] = {"[SEP]": [], ".": []}
    silent, longest = list[Tensor](), torch.zeros(1)
    layer = 0
    for trace in runs(encoder, SENTENCES):
        start = length(trace["embedding.output"])
        inputs["[CLS]"].append(start[:1])
        inputs["others"].append(start[1:])
        special = torch.tensor(trace.tokenization.special)
        stop = torch.tensor([token == "." for token in trace.tokens])
        word = ~special & ~torch.tensor([punctuation(token) for token in trace.tokens])
        outputs = torch.stack([one.feed_forward.output for one in trace.layers])  # [n_layers, n, d_model]
        lengths = length(outputs)
        for kind, mark in zip(KINDS, (special, word, stop), strict=True):
            added[kind].append(lengths[:, mark])
        at, token = divmod(int(lengths.argmax()), lengths.shape[1])
        if float(lengths.max()) > float(length(longest)):
            layer, longest = at, outputs[at, token]
        after = torch.stack([one.add_norm_2.output for one in trace.layers])
        near = cosine(after, after[:, :1])  # to [CLS], the first: [n_layers, n]
        alike["[SEP]"].append(near[:, -1:])
        alike["."].append(near[:, stop])
        units = torch.stack([one.feed_forward.activation for one in trace.layers])
        silent.append((units[:, word] == 0).float().mean(-1).flatten())
    largest = float(longest.abs().max())
    return Sizes(
        {name: torch.cat(some) for name, some in inputs.items()},
        {kind: torch.cat(some, 1) for kind, some in added.items()},
        layer,
        int(longest.abs().argmax()),
        largest / float(length(longest)),
        torch.cat(alike["[SEP]"], 1).amin(1),
        torch.cat(alike["."], 1).amin(1),
        float(torch.cat(silent).mean()),
    )


def span(lengths: Tensor) -> str:
    """The shortest and the longest: "2.7 to 53.1"."""
    return f"{float(lengths.min()):,.1f} to {float(lengths.max()):,.1f}"


def lines(encoder: TextEncoder) -> Iterator[str]:
    """What a card says of sizes."""
    measured, config = sizes(encoder), encoder.config
    yield f"weights: {sum(weight.numel() for weight in encoder.model.parameters()):,}"
    yield ""
    yield f"Lengths of vectors over the {BUNDLED}"
    yield f"  into layer 0: [CLS] {span(measured.inputs['[CLS]'])}, others {span(measured.inputs['others'])}"
    yield "  feed-forward outputs by layer:"
    for i in range(config.n_layers):
        special, words, stops = (measured.feed_forward[kind][i] for kind in KINDS)
        yield (
            f"  {i}  [CLS] and [SEP] {span(special)}; words {span(words)}, mean {float(words.mean()):.1f}; "
            f"full stops {span(stops)}"
        )
    yield (
        f"  the longest is in layer {measured.layer}; channel {measured.channel} has {measured.share:.2f} of its length"
    )
    yield "Least cosine to [CLS] after each layer"
    for name, near in (("[SEP]", measured.ends), ("full stops", measured.stops)):
        yield f"  {name}: {', '.join(f'{value:.3f}' for value in near.tolist())}"
    yield "Feed-forward units"
    yield f"  zero at a word: {100 * measured.silent:.1f} %"
    silent = ", ".join(f"{count:,}" for count in never_positive(encoder).sum(-1).tolist())
    yield f"  of {config.d_ff:,} in each layer, never active: {silent}"

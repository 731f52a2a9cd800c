"""`python -m tests.shipped.recount MODEL`: count the figures of a model's card again, and print them as it has them."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.edits.edit import Edit
from encoder.exam import bundled_exam
from encoder.exam.constructed_sentences import ALL
from encoder.exam.links import GAPS, JUDGED
from encoder.exam.simple_rules import RULES
from encoder.experiments.ablation import WatchedWord
from encoder.experiments.importance import hidden_word
from encoder.metrics.head_measures import measured, runs
from encoder.metrics.layers import cosine, length
from encoder.metrics.neurons import never_positive
from encoder.metrics.roles import NO_ROLE, ROLES, SPECIAL, TOO_FEW, head_roles
from encoder.metrics.sentences import BUNDLED, SENTENCES
from encoder.support.command_line import CommandLine, exit_code
from encoder.support.progress import counting
from encoder.trace.trace import Trace
from encoder.trace.unpadded import attention_weights
from encoder.trace.words import punctuation

KINDS = ("[CLS], [SEP]", "words", "full stops")
PARKED = 0.5  # of a head's weight on special tokens, over all rows, from which it is counted
SWITCHED_OFF = 0.95  # of it over the rows of words: such a head says nothing of the words
ASKED = (
    "The capital of France is [MASK].",
    "The cat [MASK] the mouse.",
    "The animal didn't cross the street because [MASK] was too wide.",
)
WITHOUT = {
    "even weights in layer 0": Edit("layers.0.attention.scaled", "zero"),
    "no attention in layer 0": Edit("layers.0.attention.output", "zero"),
    "even weights in layer 1": Edit("layers.1.attention.scaled", "zero"),
}
# Everyday facts and phrases with one word left out, and the answers that count as right: written down before any model
# was asked, and not changed to suit one. None of them stands in the training text as it is here.
FILL_INS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Rome is the capital of [MASK].", ("italy",)),
    ("The largest city in Japan is [MASK].", ("tokyo",)),
    ("People in Brazil speak [MASK].", ("portuguese",)),
    ("Our planet moves around the [MASK] once a year.", ("sun",)),
    ("Water freezes when it gets very [MASK].", ("cold",)),
    ("Monday is the first day of the [MASK].", ("week",)),
    ("There are twelve months in a [MASK].", ("year",)),
    ("Thank you so [MASK] for your kind letter.", ("much",)),
    ("He gets up early in the [MASK].", ("morning",)),
    ("She can read and [MASK].", ("write",)),
    ("Ladies and [MASK], welcome to the show.", ("gentlemen",)),
    ("My father and [MASK] are both teachers.", ("mother",)),
    ("He lost the keys to his [MASK].", ("car", "house", "apartment")),
    ("The opposite of hot is [MASK].", ("cold",)),
    ("William Shakespeare was an English [MASK].", ("poet", "playwright", "writer", "author", "dramatist")),
    ("The White House is in [MASK].", ("washington",)),
    ("World War II ended in [MASK].", ("1945",)),
    ("Cows give [MASK] and hens lay eggs.", ("milk",)),
    ("It was raining, so she took an [MASK].", ("umbrella",)),
    ("The king and the [MASK] lived in a castle.", ("queen",)),
)


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
        outputs = torch.stack([layer.feed_forward.output for layer in trace.layers])  # [n_layers, n, d_model]
        lengths = length(outputs)
        for kind, mark in zip(KINDS, (special, word, stop), strict=True):
            added[kind].append(lengths[:, mark])
        at, token = divmod(int(lengths.argmax()), lengths.shape[1])
        if float(lengths.max()) > float(length(longest)):
            layer, longest = at, outputs[at, token]
        after = torch.stack([layer.add_norm_2.output for layer in trace.layers])
        near = cosine(after, after[:, :1])  # to [CLS], the first: [n_layers, n]
        alike["[SEP]"].append(near[:, -1:])
        alike["."].append(near[:, stop])
        units = torch.stack([layer.feed_forward.activation for layer in trace.layers])
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
    """Return the shortest and the longest: "2.7 to 53.1"."""
    return f"{float(lengths.min()):,.1f} to {float(lengths.max()):,.1f}"


def size_lines(encoder: TextEncoder) -> Iterator[str]:
    """Yield what a card says of sizes."""
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


def head_lines(encoder: TextEncoder) -> Iterator[str]:
    """Yield what a card says of heads."""
    n_layers, n_heads = encoder.config.n_layers, encoder.config.n_heads
    words, weights, parts, rows = list[list[str]](), list[Tensor](), list[Tensor](), 0
    for trace in runs(encoder, SENTENCES):
        words.append(trace.tokens)
        weights.append(attention_weights(trace).flatten(0, 1))
        special = torch.tensor(trace.tokenization.special)
        parts.append(weights[-1][:, ~special][..., special].sum((1, 2)))
        rows += int((~special).sum())
    parked = (measured(weights, words, ["special"])["special"] > PARKED).view(n_layers, n_heads).sum(-1)
    on_special = (torch.stack(parts).sum(0) / rows).view(n_layers, n_heads)
    yield f"Heads over the {BUNDLED}, layers and heads from 0"
    for i, role in enumerate(head_roles(weights, words)):
        if role.label not in (NO_ROLE, TOO_FEW, ROLES[SPECIAL], "sep", "cls"):
            yield f"  {role.label}: {place(encoder, i)}, mean weight {role.mass:.2f}"
    yield (
        f"  over half of their weight on [CLS] and [SEP]: {int(parked.sum())} of {n_layers * n_heads}, "
        f"by layer {', '.join(map(str, parked.tolist()))}"
    )
    yield (
        f"  over {100 * SWITCHED_OFF:.0f} % of the words' weight there: {int((on_special > SWITCHED_OFF).sum())}; "
        f"least and most in layer 0: {100 * float(on_special[0].min()):.1f} and "
        f"{100 * float(on_special[0].max()):.1f} %"
    )
    yield from examined(encoder)


def examined(encoder: TextEncoder) -> Iterator[str]:
    """Yield what a card says of the jobs of heads, as an examination on gold trees gave them; nothing without one."""
    exam = bundled_exam(encoder.source.name)
    if exam is None or exam.fingerprint != encoder.source.fingerprint:
        return
    first, second = exam.treebanks
    yield f"Heads examined: chosen on even, scored on odd sentences of {first.name}, confirmed on {second.name}"
    passed = len(exam.passed()) or "none"
    yield f"  passed, 10 points above {len(RULES)} simple rules and every fixed distance: {passed}"
    yield "  passed, or 10 points above every fixed distance alone:"
    for row in exam.jobs():
        yield (
            f"  {row.layer}.{row.head} {row.relation}, {row.direction}: {percent(row.accuracy)} of {row.n:,}, from "
            f"{percent(row.low)} to {percent(row.high)}; distance {row.distance:+d} {percent(row.distance_accuracy)}; "
            f"best rule {percent(row.rule_accuracy)}; {second.name} {percent(row.second_accuracy)}, distance "
            f"{percent(row.second_distance_accuracy)}, best rule {percent(row.second_rule_accuracy)}"
        )
    gap = exam.row(JUDGED)
    yield (
        f"  {GAPS[JUDGED]}: best {gap.layer}.{gap.head}, {percent(gap.accuracy)} of {gap.n}, distance "
        f"{gap.distance:+d} {percent(gap.distance_accuracy)}, best rule {percent(gap.rule_accuracy)}; {gap.verdict}"
    )
    if frame := next((frame for frame in exam.frames if frame.frame == ALL), None):
        yield (
            f"  the subject of a masked verb in constructed sentences: best {frame.layer}.{frame.head}, "
            f"{percent(frame.accuracy)} of {frame.n}, distance {frame.distance:+d} {percent(frame.distance_accuracy)}, "
            f"best rule {percent(frame.rule_accuracy)}; {'passed' if frame.passed else 'did not pass'}"
        )


def percent(share: float | None) -> str:
    """Return a share in percent with one decimal; a dash for none."""
    return "-" if share is None else f"{100 * share:.1f} %"


def place(encoder: TextEncoder, head: int) -> str:
    """Return a head, counted layer by layer, as people write it: L3H6."""
    return "{}.{}".format(*divmod(head, encoder.config.n_heads))


def loss(trace: Trace, watch: WatchedWord) -> float:
    """Return the negative log-likelihood of a hidden word, in nats."""
    return -float(trace["mlm.logits"][watch.position].double().log_softmax(-1)[watch.token])


def losses(encoder: TextEncoder) -> Iterator[tuple[float, ...]]:
    """Yield the loss of the longest word of each bundled sentence, hidden: as it is, and with each of WITHOUT."""
    for sentence in SENTENCES:
        trace, watch = hidden_word(encoder, sentence)
        assert watch is not None, "the models that have a card guess words"
        edited = (encoder.trace(trace.text, edits=(edit,)) for edit in WITHOUT.values())
        yield tuple(loss(run, watch) for run in (trace, *edited))


def fill_ins(encoder: TextEncoder) -> tuple[int, int]:
    """How many of the fill-ins are guessed first, and how many among five."""
    ranks = []
    for sentence, answers in FILL_INS:
        trace = encoder.trace(sentence)
        guesses = [word for word, _ in (encoder.predict(trace) or [])[trace.tokens.index("[MASK]")]]
        ranks.append(next((i for i, word in enumerate(guesses, 1) if word in answers), 6))
    return sum(rank == 1 for rank in ranks), sum(rank <= 5 for rank in ranks)


def guess_lines(encoder: TextEncoder) -> Iterator[str]:
    """Yield what a card says of guesses."""
    first, five = fill_ins(encoder)
    yield f"fill-ins: {first} of {len(FILL_INS)} guessed first, {five} among the first five"
    for trace in map(encoder.trace, ASKED):
        ((word, share), *_) = (encoder.predict(trace) or [])[trace.tokens.index("[MASK]")]
        yield f"  {trace.text}  {word} {share:.3f}"
    usual, *others = torch.tensor(list(losses(encoder)), dtype=torch.float64).T
    yield f"The longest word of each of the {BUNDLED} hidden: loss {float(usual.mean()):.3f} nats; what it is more with"
    for what, edited in zip(WITHOUT, others, strict=True):
        more = edited - usual
        yield f"  {what}: {float(more.mean()):+.3f}, standard error {float(more.std()) / len(more) ** 0.5:.3f}"


def figures(encoder: TextEncoder) -> Iterator[str]:
    """Yield the figures, line by line."""
    for lines in (size_lines, head_lines, guess_lines):
        yield from lines(encoder)
        yield ""


def main(given: list[str] | None = None) -> int:
    """Print the figures of the model that the command line names; return the exit code, 2 where there is none."""
    parser = CommandLine("python -m tests.shipped.recount", description=__doc__)
    parser.add_argument("model", help="a bundled model, or the folder of one")
    options = parser.parse_args(given)

    def work() -> None:
        with counting("figures"):
            text = "\n".join(figures(TextEncoder.from_pretrained(options.model)))
        print(text)

    return exit_code(work, "start again")


if __name__ == "__main__":
    sys.exit(main())

"""Trials of size: parameters, shapes, time, and what a list of token ids says."""

import re
from collections.abc import Mapping
from typing import Any

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import LENGTHS, Duration, timing
from encoder.explain.cost import parameters, run_flops, size
from encoder.pictures.labs.trial import (
    Cost,
    Finding,
    a_list,
    a_number,
    a_text,
    bars,
    claim,
    curves,
    judge,
    trial,
    untried,
)
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, listed, percent, shown, where

CLOSE, ABOUT = 0.01, 0.1  # how far "about" reaches; and up to where it is said that it is not close
REPETITIONS = 4  # runs of each length that is timed
CONSTANT = 1.5  # a time that grows by less than this factor is called constant
BERT_PIECES = 30_522  # in the vocabulary of BERT, uncased (Devlin et al. 2019)
BERT_WORDS = {  # some of its lines: vocab.txt of google-research/bert, uncased_L-12_H-768_A-12, counted from 0
    101: "[CLS]",
    102: "[SEP]",
    1029: "?",
    1045: "i",
    2003: "is",
    2054: "what",
    2204: "good",
    2293: "love",
    10938: "transformer",
    19081: "transformers",
}
PARTS = {
    "attention": ("attention.w_q", "attention.w_k", "attention.w_v", "attention.w_o"),
    "feed-forward": ("feed_forward.w_1", "feed_forward.w_2"),
}
PAPER = 512  # the width of the blocks that claims of parts are about


def block(encoder: TextEncoder, parts: tuple[str, ...] = ("",)) -> int:
    """How many parameters the first block holds, or some of its parts."""
    starts = tuple(f"layers.0.{part}" for part in parts)
    return sum(part.counted for part in parameters(encoder.model) if part.name.startswith(starts))


@claim("twelve-squares", "block", lesson="parameters")
@trial()
def block_size(encoder: TextEncoder) -> Finding:
    """One block holds about 12 d_model² parameters."""
    counted, about = block(encoder), 12 * encoder.config.d_model**2
    off = abs(counted / about - 1)
    text = f"One block holds {counted:,} parameters; 12 · {encoder.config.d_model}² is {about:,}, {percent(off)} away."
    each = {name: block(encoder, PARTS[name]) for name in PARTS} | {"norms": block(encoder, ("norm",))}
    picture = bars({"parameters": each.values()}, list(each), "parameters of a block")
    judgement = judge(off < CLOSE, f"within {percent(ABOUT)}, and not within {percent(CLOSE)}" if off < ABOUT else "")
    return Finding(float(counted), "parameters of a block", text, judgement, picture)


@claim("block-total", "block", page="models")
@trial()
def block_total(encoder: TextEncoder) -> Finding:
    """The parameters of one block are 4 d_model² + 8 d_model² + 6 d_model."""
    d, counted = encoder.config.d_model, block(encoder)
    if encoder.config.d_ff != 4 * d:
        return untried("The formula is of blocks with d_ff = 4 d_model.")
    listed_up = counted - counted_biases(encoder, PARTS["attention"])
    claimed = 12 * d**2 + 6 * d
    text = (
        f"With d = {d} the formula, 12 d² + 6 d, gives {claimed:,}. The parts as tutorials list them, attention "
        f"without biases, add up to {listed_up:,} = 12 d² + {(listed_up - 12 * d**2) / d:g} d; with them the block "
        f"holds {counted:,} = 12 d² + {(counted - 12 * d**2) / d:g} d."
    )
    judgement = judge(counted == claimed, "without the biases of attention" if listed_up == claimed else "")
    return Finding(float(counted - claimed), "parameters that the formula leaves out", text, judgement)


@claim(
    "feed-forward-size",
    "tutorial",
    "Feed-forward has about 2 million parameters in a block of the paper's size.",
    lesson="parameters",
    part="feed-forward",
    expected=2e6,
)
@claim(
    "attention-size",
    "tutorial",
    "Attention has about 1 million parameters in a block of the paper's size.",
    lesson="parameters",
    part="attention",
    expected=1e6,
)
@trial(seconds=0.0, part=a_text(choices=PARTS), expected=a_number(1, 1e12, whole=False))
def part_size(encoder: TextEncoder, part: str, expected: float) -> Finding:
    """A part of a block holds as many parameters as is claimed, to the digits in which it is claimed.

    The claim is of blocks as wide as the paper's, and of no others. Zeros at its end are no digits of it.
    """
    config = encoder.config
    if (config.d_model, config.d_ff) != (PAPER, 4 * PAPER):
        here = f"{config.d_model} and d_ff {config.d_ff}"
        return untried(f"The claim is of blocks with d_model {PAPER} and d_ff {4 * PAPER}; this model has {here}.")
    counted = block(encoder, PARTS[part])
    biases = counted_biases(encoder, PARTS[part])
    digits = len(f"{expected:.0f}".rstrip("0"))
    rounded, weights = (float(f"{count:.{digits - 1}e}") for count in (counted, counted - biases))
    text = f"The {part} of a block holds {counted:,} parameters, {biases:,} of them biases; {expected:,.0f} is claimed."
    text += f" To as many digits it is {rounded:,.0f}." if rounded != counted else ""
    judgement = judge(rounded == expected, "without the biases" if weights == expected else "")
    return Finding(float(counted), f"parameters of {part}", text, judgement)


def counted_biases(encoder: TextEncoder, parts: tuple[str, ...]) -> int:
    """How many of the parameters of a part of the first block are biases."""
    layer = encoder.model.layers[0]
    return sum(p.numel() for name, p in layer.named_parameters() if name.endswith("bias") and name.startswith(parts))


@claim("qkv", "block", lesson="parameters")
@trial()
def query_key_value(encoder: TextEncoder) -> Finding:
    """W_Q, W_K and W_V count 3 d_model² parameters."""
    counted, squares = block(encoder, PARTS["attention"][:3]), 3 * encoder.config.d_model**2
    biases = counted_biases(encoder, PARTS["attention"][:3])
    text = (
        f"They hold {counted:,} parameters; 3 · {encoder.config.d_model}² is {squares:,}. The difference of "
        f"{counted - squares:,} is {biases:,} biases."
    )
    judgement = judge(counted == squares, "without the biases" if counted - biases == squares else "")
    return Finding(float(counted), "parameters of W_Q, W_K and W_V", text, judgement)


@claim(
    "three-rows",
    "stack tutorial",
    "“I understand this” comes out as a matrix of 3 × 512.",
    lesson="shapes",
    sentence="I understand this",
    step="output",
    expected=[3, 512],
    width=512,
)
@trial(width=a_number(0, 8192), expected=a_list(a_number(1, 1_000_000), 4))
def shape_is(encoder: TextEncoder, sentence: str, step: str, expected: list[int], width: int = 0) -> Finding:
    """A step of the run has the shape that is claimed.

    With a width, the claim is of models with that d_model, and of no others.
    """
    if width and encoder.config.d_model != width:
        return untried(f"The claim is of models with d_model {width}; this one has {encoder.config.d_model}.")
    trace = encoder.trace(sentence)
    if step not in trace:
        raise EncoderError(trace.unknown(step))
    real, added = list(trace[step].shape), sum(trace.tokenization.special)
    entry = trace.step(step)
    spoken = [size - added if name == "n" else size for name, size in zip(entry.shape, real, strict=True)]
    text = f"{', '.join(filter(None, [entry.title, where(entry.layer)]))} is {by(real)}" + (
        f", {by(spoken)} without the {added} tokens that the model adds" if added else ""
    )
    judgement = judge(real == expected, f"without the {added} tokens that the model adds" if spoken == expected else "")
    return Finding(float(trace[step].numel()), "numbers in it", f"{text}; {by(expected)} is claimed.", judgement)


def by(sizes: list[int]) -> str:
    """A shape in words: 3 × 512."""
    return " × ".join(map(str, sizes))


@trial()
def one_width(encoder: TextEncoder, sentence: str, layers: int) -> Finding:
    """All blocks, as many as claimed, take and give the same shape."""
    trace, count = encoder.trace(sentence), encoder.config.n_layers
    names = [f"layers.{i}.{end}" for i in range(count) for end in ("attention.input", "output")]
    shapes = {tuple(trace[name].shape) for name in names}
    result = listed([by(list(shape)) for shape in sorted(shapes)])
    text = f"This model has {count} blocks, and what goes in and comes out is {result}."
    judgement = judge(
        count == layers and len(shapes) == 1,
        f"of {count} blocks, where {layers} are claimed" if len(shapes) == 1 else "",
    )
    return Finding(float(count), "blocks", text, judgement)


def cost_of_lengths(encoder: TextEncoder, given: Mapping[str, Any]) -> Cost:
    """Return what runs of every length cost, repeated."""
    longest = min(given.get("longest", LENGTHS[-1]), encoder.max_tokens)
    flops = REPETITIONS * sum(run_flops(encoder.config, n) for n in LENGTHS if n <= longest)
    return Cost(flops, size(encoder.config).bytes_of_a_run(64), 0)


@claim(
    "constant-time", "tutorial", "A run takes the same time however many tokens it reads, 10 or 1,000.", lesson="cost"
)
@trial(own_cost=cost_of_lengths)
def time_constant(encoder: TextEncoder, longest: int = 256) -> Finding:
    """A run takes the same time however many tokens it reads: some lengths up to the longest."""
    return judged(timing(encoder, [n for n in LENGTHS if n <= min(longest, encoder.max_tokens)]))


def judged(durations: tuple[Duration, ...]) -> Finding:
    """The verdict on the times of several lengths, shortest first."""
    first, last = durations[0], durations[-1]
    ratio = last.seconds / first.seconds
    text = (
        f"On one processor: {brief(1000 * first.seconds)} ms for {first.n} tokens and {brief(1000 * last.seconds)} ms "
        f"for {last.n}, {brief(ratio)} times as long, for {brief(last.flops / first.flops)} times as many operations. "
        f"Those for pairs of tokens grew {brief(last.pair_flops / first.pair_flops)} times, and are "
        f"{percent(last.pair_flops / last.flops)} of all at the end."
    )
    measured = [1000 * d.seconds for d in durations]
    series = {"measured": measured, "if it were constant": measured[:1] * len(measured)}
    picture = curves(series, [d.n for d in durations], ("tokens", "milliseconds"), True, True)
    return Finding(ratio, f"time for {last.n} tokens over that for {first.n}", text, judge(ratio < CONSTANT), picture)


@claim(
    "bert-ids",
    "guide",
    "[101, 2054, 2003, 2204, 102] is “What is transformer?”.",
    page="start",
    ids=[101, 2054, 2003, 2204, 102],
    text="What is transformer?",
)
@trial()
def ids_say(encoder: TextEncoder, ids: list[int], text: str) -> Finding:
    """A list of token ids is a text, in the vocabulary of BERT.

    A model with that vocabulary is asked itself; for all others the lines of it that BERT_WORDS quotes are looked up.
    """
    if encoder.tokenizer.get_vocab_size() == BERT_PIECES:
        pieces = [encoder.tokenizer.id_to_token(i) or "nothing" for i in ids]
        meant = list(encoder.tokenize(text).tokens)
        source = "In the vocabulary of this model"
    else:
        pieces = [BERT_WORDS.get(i, "") for i in ids]
        meant = ["[CLS]", *re.findall(r"\w+|[^\w\s]", text.lower()), "[SEP]"]
        source = "In the vocabulary of BERT (uncased, its published list of 30,522 pieces)"
        unknown = [str(i) for i in ids if i not in BERT_WORDS]
        unknown += [word for word in meant if word not in BERT_WORDS.values()]
        if unknown:
            return untried(
                f"This needs a model with BERT's vocabulary of {BERT_PIECES:,} pieces. Of those only some are quoted "
                f"here, and not {listed(unknown)}."
            )
    wrong = sum(a != b for a, b in zip(pieces, meant, strict=False)) + abs(len(pieces) - len(meant))
    sentence = (
        f"{source} the ids spell {' '.join(pieces)}; “{shown(text, 60)}” is {' '.join(meant)}: {wrong} places differ. "
        f"The model on the screen reads it as {listed([str(i) for i in encoder.tokenize(text).ids])}."
    )
    return Finding(float(wrong), "places that differ", sentence, judge(wrong == 0))

"""Trials of what context makes of a word, and of what lower and upper layers do."""

import math

import torch
from torch import Tensor

from encoder.experiments.compare import cosines, word_cosines
from encoder.formatting import brief
from encoder.metrics import SENTENCES, attention_weights
from encoder.metrics.habits import measured
from encoder.metrics.habits import runs as each_run
from encoder.text_encoder import TextEncoder
from encoder.trace.unpadded import stream
from encoder.trials.finding import Curves, Finding, array, judge, untried
from encoder.trials.heads import position_of

ALIKE = 0.9  # mean cosine above which two vectors count as one meaning
LEANS = 2  # factor of the odds from which a guess leans
CONTEXTS = (
    ("light", ("Turn on the light.", "This bag is light.", "I prefer light blue.")),
    ("bank", ("He sat on the bank of the river.", "She put her money in the bank.")),
    ("play", ("The children play in the park.", "He wrote a play for the theatre.")),
)


def contexts(encoder: TextEncoder, word: str, sentences: list[str]) -> Finding:
    """One word has one static vector, and another one in each sentence."""
    if len(sentences) < 2:
        raise ValueError(f"{len(sentences)} sentences; it takes 2 or more to compare")
    static, vectors = [], []
    for sentence in sentences:  # one run at a time: of each only the word's vectors are kept
        run = encoder.trace(sentence)
        place = position_of(run, word)
        static.append(run["embedding.tokens"][place].clone())
        vectors.append(stream(run)[:, place].clone())
        del run
    same = all(torch.equal(vector, static[0]) for vector in static)
    mean = mean_cosine(cosines(vectors))
    last = float(mean[-1])
    said = (
        f"“{word}” has {'the same' if same else 'not the same'} row of the embedding table in all {len(sentences)} "
        "sentences. "
        f"The mean cosine between its vectors is {brief(float(mean[0]))} at the input, where only the place "
        "differs, and "
        f"{brief(last)} after the last layer."
    )
    curves = Curves({"mean cosine": array(mean)}, array(range(len(mean))), ("layers behind it", "cosine"))
    return Finding(last, "mean cosine after the last layer", said, judge(same and last < ALIKE), curves)


def mean_cosine(alike: Tensor) -> Tensor:
    """Mean over all pairs of different runs: [n_layers + 1, k, k] -> [n_layers + 1]."""
    k = alike.shape[-1]
    return (alike.sum((1, 2)) - alike.diagonal(dim1=1, dim2=2).sum(-1)) / (k * (k - 1))


def layers_rise(encoder: TextEncoder) -> Finding:
    """Lower layers look at neighbours, and upper layers tell meanings apart.

    Both are stand-ins that can be measured: the weight on the words next to a word for grammar, and how far context
    moves a word's vector for meaning.
    """
    near = neighbours(encoder)
    half = len(near) // 2
    below = float(near[:half].mean() - near[-half:].mean()) if half else 0.0
    means = []
    for word, sentences in CONTEXTS:
        runs = [encoder.trace(sentence) for sentence in sentences]
        means.append(mean_cosine(word_cosines(runs, [position_of(run, word) for run in runs])))
    alike = torch.stack(means).mean(0)
    parts = alike[1:] < alike[:-1]
    steady = bool((near[1:] < near[:-1]).all()) and bool(parts.all())
    rising = below > 0 and float(alike[-1]) < float(alike[len(alike) // 2])
    said = (
        f"Lower layers put {brief(float(near[:half].mean()))} of a head's weight on the words next to each "
        "other, upper ones "
        f"{brief(float(near[-half:].mean()))}, with the most in layer {int(near.argmax())}. The cosine of one "
        "word in unlike "
        f"sentences falls from {brief(float(alike[0]))} to {brief(float(alike[-1]))}, at {int(parts.sum())} of "
        f"{len(parts)} layers. "
        "Neighbours stand in for grammar and context for meaning; nothing finer was measured."
    )
    curves = Curves(
        {"weight on neighbours": array(near), "1 - cosine of a word in unlike sentences": array(1 - alike[1:])},
        array(range(len(near))), ("layer", "share"),
    )  # fmt: skip
    return Finding(below, "weight on neighbours, lower minus upper half", said, judge(steady, rising), curves)


def neighbours(encoder: TextEncoder) -> Tensor:
    """The share of its weight that a head puts on the tokens beside each token, mean over heads: [n_layers]."""
    words, weights = [], []
    for trace in each_run(encoder, SENTENCES):
        words.append(trace.tokens)
        weights.append(attention_weights(trace).flatten(0, 1))
    found = measured(weights, words, ("previous", "next"))
    return (found["previous"] + found["next"]).view(encoder.config.n_layers, -1).mean(-1)


def leans(encoder: TextEncoder, sentence: str, other: str, word: str, near: str, far: str) -> Finding:
    """In this sentence the model's guess at the word leans further towards a meaning than in the other sentence."""
    odds = []
    for text in (sentence, other):
        trace = encoder.trace(text)
        if "mlm.logits" not in trace:
            return untried("This model has no head that guesses words.")
        at = position_of(trace, word)
        logits = trace["mlm.logits"][at]
        odds.append(float(logits[encoder.word_id(trace, at, near)] - logits[encoder.word_id(trace, at, far)]))
    moved = odds[0] - odds[1]
    said = (
        f"At “{word}” in “{sentence}” the model gives “{near}” {brief(math.exp(odds[0]))} times the "
        f"probability of “{far}”; in "
        f"“{other}” {brief(math.exp(odds[1]))} times: the odds differ by a factor of {brief(math.exp(moved))}."
    )
    return Finding(math.exp(moved), "factor between the odds", said, judge(moved > math.log(LEANS), moved > 0))

"""Trials by probes: what the vectors of each layer tell, each beside the probe's control task."""

import math
from itertools import pairwise
from statistics import NormalDist

from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.named import named
from encoder.experiments.probes.layer_probes import TASKS, Probe, probe
from encoder.pictures.labs.trial import Evidence, Finding, a_text, claim, curves, judge, trial, untried
from encoder.support.formatting import listed, percent

LAB = "What layers know"  # that shows it
CLEAR = 2.0  # standard errors
RARE = 0.05  # the chance that two layers that tell alike seem to differ, over all pairs of layers


def told_surely(result: Probe, layer: int) -> bool:
    """Whether a layer tells clearly more than the control task, and than a guess that never looks."""
    over = result.accuracy[layer] - max(float(result.control[layer]), result.commonest)
    return bool(over > CLEAR * result.error[layer])


def accuracies(**probes: Probe) -> Evidence:
    """The accuracies of up to two probes, each with its control task."""
    series = dict[str, Tensor]()
    for name, result in probes.items():
        series |= {name: result.accuracy, f"{name}, control": result.control}
    return curves(series, range(len(result.accuracy)), ("layers", "share told right"))


def at(layer: int) -> str:
    """What stands after so many layers."""
    return "the input" if layer == 0 else f"{layer} layer{'s' if layer > 1 else ''}"


def thirds(result: Probe) -> str:
    """What the thirds of the stack tell on average, lower, middle and upper."""
    after = result.accuracy[1:]
    n = len(after)
    cuts = [0, -(-n // 3), -(-2 * n // 3), n]
    parts = [after[a:b] for a, b in pairwise(cuts) if b > a]
    return listed([percent(float(part.mean())) for part in parts])


def where_told(result: Probe) -> str:
    """After how many layers a task is told best, or that no layer is clearly the best."""
    best, worst = int(result.accuracy.argmax()), int(result.accuracy.argmin())
    least, most, here = (percent(float(result.accuracy[layer])) for layer in (worst, best, result.best))
    error = percent(float(result.error[best]))
    if not clearer(result, best, worst):
        return f"told alike after every layer, {least} to {most}, each give or take {error}"
    return f"told best after {at(result.best)}, {here}, give or take {error}, where all layers tell {least} to {most}"


def clearer(result: Probe, layer: int, other: int) -> bool:
    """Whether a layer tells more than another by more than chance, whichever two of all layers were picked."""
    layers = len(result.accuracy)
    errors = NormalDist().inv_cdf(1 - RARE / (layers * (layers - 1)))
    error = math.hypot(float(result.error[layer]), float(result.error[other]))
    return float(result.accuracy[layer] - result.accuracy[other]) > errors * error


@claim("lower-upper", "tutorial workflow", lab=LAB)
@trial(runs=200, held=40, probes=("parts of speech", "good or bad"))
def grammar_first(encoder: TextEncoder) -> Finding:
    """Lower layers hold grammar, upper layers meaning.

    Parts of speech stand for grammar, and whether a sentence tells of something good or bad for meaning. What counts is
    the first layer that is within one standard error of the best; meaning has to be told clearly better there than in
    that of grammar.
    """
    grammar, meaning = probe(encoder, "parts of speech"), probe(encoder, "good or bad")
    low, high = grammar.best, meaning.best
    clear = told_surely(grammar, low) and told_surely(meaning, high)
    text = (
        f"Parts of speech, of {grammar.samples} words, are {where_told(grammar)}; the control task "
        f"{percent(float(grammar.control[low]))}. Whether a sentence is good or bad, of {meaning.samples}, is "
        f"{where_told(meaning)}; the control task {percent(float(meaning.control[high]))}. By thirds of the stack: "
        f"{thirds(grammar)} of the parts of speech, {thirds(meaning)} of the sentences."
    )
    if not clear:
        text += " One of the two is not told clearly better than its control task, so nothing follows."
    return Finding(
        float(high - low),
        "layers from the best for grammar to the best for meaning",
        text,
        judge(clear and high > low and clearer(meaning, high, low)),
        accuracies(**{"parts of speech": grammar, "good or bad": meaning}),
    )


@claim("place-kept", "workflow tutorial", lab=LAB)
@trial(runs=200, held=40, probes=("place",))
def place_kept(encoder: TextEncoder) -> Finding:
    """After the last layer a vector still knows where its word stands."""
    result = probe(encoder, "place")
    first, last = float(result.accuracy[0]), float(result.accuracy[-1])
    text = (
        f"Of {result.samples} words a probe tells the place in the sentence of {percent(first)} from the input and of "
        f"{percent(last)} after all layers; the control task {percent(float(result.control[0]))} and "
        f"{percent(float(result.control[-1]))}; who never looks is right in {percent(result.commonest)}."
    )
    judgement = judge(told_surely(result, -1))
    return Finding(last, "share of places told after all layers", text, judgement, accuracies(place=result))


@claim("phrases-middle", "tutorial", "Layers 3 and 4 hold phrases and clauses.", lab=LAB, task="phrases", where=[3, 4])
@claim(
    "meaning-top",
    "tutorial workflow",
    "Layers 5 and 6 hold the meaning of the sentence.",
    lab=LAB,
    task="good or bad",
    where=[5, 6],
)
@trial(runs=200, probes=("task",), task=a_text(choices=TASKS))
def told_in(encoder: TextEncoder, task: str, where: list[int]) -> Finding:
    """A probe tells a task best after one of these layers, surely better than after any other or from the input.

    Where it is surely better than from the input alone, and no layer elsewhere gets as much, it holds with a condition.
    """
    result = probe(encoder, task)
    inside = [layer for layer in where if layer < len(result.accuracy)]
    outside = [layer for layer in range(len(result.accuracy)) if layer not in where]
    if not inside or not outside:
        return untried(
            f"This model has {len(result.accuracy) - 1} layers; {listed([str(one) for one in where])} are asked for."
        )
    best, other = (max(layers, key=lambda layer: float(result.accuracy[layer])) for layers in (inside, outside))
    there, elsewhere = (float(result.accuracy[layer]) for layer in (best, other))
    text = (
        f"After {at(best)}, the best of {listed([at(layer) for layer in inside])}, a probe gets {percent(there)} of "
        f"{result.samples} samples of {task} right; after {at(other)}, best of the others, {percent(elsewhere)}, "
        f"each give or take {percent(float(result.error[best]))}; the control task "
        f"{percent(float(result.control[best]))}. They are {where_told(result)}."
    )
    over_input = 0 in where or clearer(result, best, 0)
    ahead = told_surely(result, best) and over_input and there > elsewhere
    judgement = judge(ahead and clearer(result, best, other), "by no more than chance may make" if ahead else "")
    return Finding(
        there - elsewhere, "share told there more than elsewhere", text, judgement, accuracies(**{task: result})
    )


@claim("names-told", "block workflow", lab=LAB)
@trial(runs=100, seconds=3.0)
def names_told(encoder: TextEncoder) -> Finding:
    """The output serves to find names: it tells them better than a list of words does.

    On gold trees, where people marked the names. The list has the class that each word most often has elsewhere.
    """
    result, listed_share = named(encoder)
    better = float(result.accuracy[-1]) - listed_share > CLEAR * float(result.error[-1])
    text = f"A list of words, without a model, tells {percent(listed_share)}."
    return read_off(result, "names", "words", better, text)


def read_off(result: Probe, task: str, samples: str, better: bool = True, beside: str = "") -> Finding:
    """What the last layer tells, beside the input, the control task and a guess that never looks.

    `better` says whether it tells more than what is told `beside`.
    """
    last = float(result.accuracy[-1])
    text = (
        f"A linear map trained on other sentences tells {percent(last)} of {result.samples} {samples} right from the "
        f"output and {percent(float(result.accuracy[0]))} from the input; its control task "
        f"{percent(float(result.control[-1]))} from the output, and who never looks {percent(result.commonest)}. "
        f"{beside}"
    ).strip()
    judgement = judge(told_surely(result, -1) and better)
    return Finding(last, f"share of {samples} told right", text, judgement, accuracies(**{task: result}))

"""Trials of word order and positions: what is lost without them, and what the published table promises."""

import math

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import exchanged, profile, turn, word_order
from encoder.experiments.positions import on_circles
from encoder.support.formatting import brief
from encoder.teach.trials.experiment import experiment
from encoder.teach.trials.finding import Bars, Curves, Finding, array, judge, untried

NO_TABLE = "This model has no table of positions."
TABLES = ("sinusoidal", "learned")  # the positions that have one
NO_WAVES = "The claim is of a table of sines and cosines; this model has none."
SAME = 1e-4  # factors that a table in float32 does not tell apart
ROUNDING = 1e-5  # differences of float32 sums, relative to the numbers that were added


@experiment(runs=5, held=5)
def same_vectors(encoder: TextEncoder, sentence: str, other: str = "", positions: str = "off") -> Finding:
    """The same words in another order give the same output vectors, each with its word.

    `other` is the second sentence; the first one reversed if it is empty. `positions` says which runs are compared.
    """
    result = exchanged(encoder, sentence, other) if other else word_order(encoder, sentence)
    largest = {"off": result.largest_off, "on": result.largest_on}[positions]
    size = float(encoder.trace(sentence)["output"].abs().max())
    series = {"positions off": array(result.off_by_token), "positions on": array(result.on_by_token)}
    bars = Bars(series, list(result.tokens), "largest difference", logarithmic=True)
    text = (
        f"With positions {positions}, each word's output vector in “{' '.join(result.reordered)}” differs from "
        "its vector "
        f"in “{' '.join(result.tokens)}” by at most {brief(largest)}; the numbers themselves reach {brief(size)}."
    )
    return Finding(
        largest, "largest difference between the vectors of a word", text, judge(largest < 10 * ROUNDING * size), bars
    )


@experiment(runs=5, held=5)
def identical_rows(encoder: TextEncoder, sentence: str) -> Finding:
    """Without positions the output of a sentence and that of its words reversed are identical."""
    result = word_order(encoder, sentence)
    n = len(result.order)
    ours = encoder.trace(sentence)["output"]
    moved = sum(i != j for i, j in enumerate(result.order))
    largest, size = result.largest_off, float(ours.abs().max())
    same = largest < 10 * ROUNDING * size
    text = (
        f"With positions off the two outputs hold the same {n} vectors, up to {brief(largest)}, but {moved} of them "
        "stand in another row: the set is the same, the order is that of the words. "
    )
    if result.largest_on < 10 * ROUNDING * size:
        text += "With positions on they are the same too: nothing here depends on the order of the words."
    else:
        text += f"With positions on, vectors differ by up to {brief(result.largest_on)}."
    judgement = judge(same and moved == 0, "as a set of vectors, and not row by row" if same else "")
    return Finding(largest, "largest difference with positions off", text, judgement)


def position_values(encoder: TextEncoder) -> Finding:
    """All values of the position table are within -1 and 1."""
    if not circles(encoder):
        return untried(NO_WAVES)
    table = encoder.model.embedding.positions.weight
    largest = float(table.abs().max())
    text = (
        f"The {table.shape[0]} × {table.shape[1]} numbers go from {float(table.min()):.4g} to {float(table.max()):.4g}."
    )
    return Finding(largest, "largest value in size", text, judge(largest <= 1 + ROUNDING))


def one_frequency(encoder: TextEncoder, of: str = "pair") -> Finding:
    """Each pair of columns, or each single one, has a frequency of its own.

    A pair has one where it turns by the same angle at every step.
    """
    if not circles(encoder):
        return untried(NO_WAVES)
    result = turn(encoder.model.embedding.positions.weight)
    waves = 2 * math.pi / result.angles.abs()
    text = (
        "From one position to the next each pair turns by an angle of its own, missed by at most "
        f"{brief(result.largest)}. Of {len(waves)} pairs the fastest comes round after {brief(float(waves[0]))} "
        f"positions, the slowest after {brief(float(waves[-1]))}."
    )
    curves = Curves(
        {"wavelength": array(waves)},
        array(range(len(waves))),
        ("pair of columns", "positions for one round"),
        (False, True),
    )
    pairs = result.largest < ROUNDING and len(set(result.angles.tolist())) == len(result.angles)
    if of == "pair":
        return Finding(result.largest, "largest distance from one frequency", text, judge(pairs), curves)
    shared = twins(encoder.model.embedding.positions.weight)
    text += f" But dimensions have no frequency of their own: {shared} of {len(waves)} pairs share one." * bool(shared)
    judgement = judge(not shared, "each pair of dimensions has one, a sine and a cosine" if pairs else "")
    return Finding(float(shared), "pairs of dimensions that share a frequency", text, judgement, curves)


def twins(table: Tensor) -> int:
    """How many pairs of neighbouring columns are waves of the same frequency.

    Of any wave of frequency w, x[p + k] + x[p - k] = 2 cos(kw) x[p]: the factor is fitted for a short and a long k.
    """
    waves, factors = table.double(), []
    for k in (1, len(table) // 4):
        ends, middle = waves[2 * k :] + waves[: -2 * k], waves[k:-k]
        factors.append((ends * middle).sum(0) / middle.square().sum(0).clamp_min(torch.finfo(waves.dtype).tiny))
    left, right = torch.stack(factors).view(2, -1, 2).unbind(-1)
    return int(((left - right).abs() < SAME).all(0).sum())


def one_rotation(encoder: TextEncoder, steps: int = 10) -> Finding:
    """PE(p + k) is one fixed rotation of PE(p), the same for every p."""
    if not circles(encoder):
        return untried(NO_WAVES)
    table = encoder.model.embedding.positions.weight
    result = turn(table, steps)
    holds = result.largest < ROUNDING
    text = (
        f"{'One rotation' if holds else 'No one rotation'} of each pair takes every position p to p + {steps}, for all "
        f"{len(table) - steps} of them; the largest distance between the {'' if holds else 'best '}turned pair and the "
        f"real one is {brief(result.largest)}."
    )
    if 3 * steps < len(table):
        once, twice = misses(table, result.angles, steps)
        text += (
            f" From the row of position {steps} alone it gives that of {2 * steps} but for {brief(once)}, and done "
            f"twice that of {3 * steps} but for {brief(twice)}."
        )
    return Finding(result.largest, "largest distance after the rotation", text, judge(holds))


def misses(table: Tensor, angles: Tensor, steps: int) -> list[float]:
    """How far the row of position `steps` misses those of 2 and 3 times as many, turned by these angles at each."""
    points = on_circles(table)
    turns = (torch.polar(torch.ones_like(angles), k * angles) for k in (1, 2))
    turned = zip((2, 3), turns, strict=True)
    return [float((points[steps] * rotation - points[k * steps]).abs().max()) for k, rotation in turned]


def only_distance(encoder: TextEncoder) -> Finding:
    """How alike two position vectors are depends on how far apart they stand, not on where."""
    if encoder.config.positions not in TABLES:
        return untried(NO_TABLE)
    table = encoder.model.embedding.positions.weight
    result = profile(table)
    half = len(result.mean) // 2
    relative = float(result.spread[:half].max() / result.mean[0].abs())
    falls = float(1 - result.mean[1:half].max() / result.mean[0])
    rises = int((result.mean[1:half] > result.mean[: half - 1]).sum())
    text = (
        f"The dot product of two position vectors is {brief(float(result.mean[0]))} for the same position, "
        f"{brief(float(result.mean[1]))} for neighbours and {brief(float(result.mean[10]))} ten apart. At one distance "
        f"it varies by at most {brief(relative)} of the first. It does not always fall: it rises at {rises} of "
        f"{half - 1} steps."
    )
    curves = Curves({"PE(p) · PE(p + k)": array(result.mean[:half])}, array(range(half)), ("distance k", "dot product"))
    return Finding(relative, "how much it varies at one distance", text, judge(relative < ROUNDING < falls), curves)


def circles(encoder: TextEncoder) -> bool:
    """Whether the model's positions are a computed table that is not all zeros."""
    return encoder.config.positions == "sinusoidal"

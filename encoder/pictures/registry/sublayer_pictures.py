"""Pictures of sublayers: what heads add, a position bias, what the residual gets, and what a norm makes of it."""

from functools import partial

import numpy as np

from encoder.experiments import bias_table
from encoder.metrics import (
    SUBLAYERS,
    head_outputs,
    head_shares,
    largest_cell,
    length,
    length_parts,
    norm_parameters,
    norm_sides,
    shares_in_bins,
    sublayer_lengths,
)
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Every, Several, T, call, step
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, token_of
from encoder.support.formatting import brief, listed, percent, shown

OUT = 4  # times the middle one of all tokens: a vector that is longer has no say in the scale


def part(scene: Scene) -> str:
    """The norm that is looked at, as the page does: that after attention, unless the other one is chosen."""
    return "add_norm_2" if scene.view.step.startswith(("add_norm_2", "output")) else "add_norm_1"


def say_lengths(answer: Answer) -> str:
    """How long what is added is, in the mean and at the token where it is longest beside the residual."""
    before, added = answer.numbers.array
    share = np.divide(added, before, out=np.zeros_like(added), where=before > 0)
    most, tokens = int(share.argmax()), answer.scene.t.tokens
    return (
        f"In the mean what came in is {brief(before.mean())} long, and what is added {brief(added.mean())}. At "
        f"“{shown(tokens[most])}” ({most}) it is {brief(share[most])} times as long as what came in, the most."
    )


LENGTHS = Picture(
    key="lengths",
    page="add_norm",
    question="How much does a sublayer add to what each token had?",
    measure=lambda scene: Every(lambda layer: call(sublayer_lengths, T, layer, part(scene)), scene.n_layers),
    dims=("layer", "series", "token"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"series": ["came in", "added"]},
    kind="bars",
    unit="length of the vector",
    title=lambda scene: (
        f"How long at each token: what came in, and what {SUBLAYERS[part(scene)].replace('_', '-')} added"
    ),
    say=say_lengths,
    about=lambda scene: About(
        scene.t, layer=scene.layer, reads=(f"{part(scene)}.residual", f"{SUBLAYERS[part(scene)]}.output")
    ),
    look=lambda answer: {"paints": ("pale", "accent")},
)


TOKEN = token_of("sum_token", lambda scene: min(1, len(scene.t.tokens) - 1))


def of_token(scene: Scene) -> Call:
    """What the lengths of the chosen token are made of."""
    return call(length_parts, ENC, T, scene.layer, part(scene), scene[TOKEN])


def usual(scene: Scene) -> dict[str, float]:
    """How long the longest vector of all tokens is on both sides of the norm, but for those far above the others."""
    steps, ends = {"the sum": "sum", "after the norm": "output"}, {}
    for title, name in steps.items():
        if (step := f"layers.{scene.layer}.{part(scene)}.{name}") in scene.t:
            lengths = np.sort(np.linalg.norm(scene.t.array(step), axis=-1))
            ends[title] = float(lengths[lengths <= OUT * lengths[len(lengths) // 2]].max(initial=0.0))
    return ends


def say_parts(answer: Answer) -> str:
    """How far what came in and what was added reach along the sum."""
    scene, (kept, added, _) = answer.scene, answer.value(of_token(answer.scene))["the sum"]
    return (
        f"Along the sum of {scene.token(scene[TOKEN])} what came in reaches {brief(kept)}, and what was added "
        f"{brief(added)}: together a length of {brief(kept + added)}."
    )


LENGTH_PARTS = Picture(
    key="length_parts",
    page="add_norm",
    question="How much of a token's vector came in, and how much was added?",
    measure=of_token,
    dims=("series", "part"),
    names=lambda answer: {"series": list(answer.value(of_token(answer.scene))), "part": ["came in", "added", "beta"]},
    kind="stack",
    unit="length along the vector",
    values="signed",
    title=lambda scene: f"What came in and what was added: {scene.token(scene[TOKEN])}",
    say=say_parts,
    about=lambda scene: About(
        scene.t, layer=scene.layer, reads=(f"{part(scene)}.residual", f"{SUBLAYERS[part(scene)]}.output")
    ),
    options=(TOKEN,),
    look=lambda answer: {"ends": usual(answer.scene)},
)


def steps_of(scene: Scene) -> dict[str, str]:
    """The vectors at a sum in the order in which they are computed, by what they are called."""
    at, adds = part(scene), SUBLAYERS[part(scene)]
    sums = {f"{adds}.output": f"what {adds.replace('_', '-')} added", f"{at}.sum": "the sum"}
    normed = {f"{at}.output": "after the norm"} if norm_parameters(scene.encoder, scene.layer, at) else {}
    came = {f"{at}.residual": "what came in"}
    return came | (normed | sums if scene.config.norm_first else sums | normed)


def say_strips(answer: Answer) -> str:
    """How long each vector is."""
    long = np.linalg.norm(answer.numbers.array, axis=-1).tolist()
    lengths = [f"{name} {brief(size)}" for name, size in zip(answer.numbers.along("strip"), long, strict=True)]
    return f"Lengths: {', '.join(lengths)}."


NORM_STRIPS = Picture(
    key="norm_strips",
    page="add_norm",
    question="What came in, what was added, and what does the norm make of both, number by number?",
    measure=lambda scene: Several(*(step(scene.layer, name)[scene[TOKEN]] for name in steps_of(scene))),
    dims=("strip", "dimension"),
    names=lambda answer: {"strip": [*steps_of(answer.scene).values()]},
    kind="strips",
    values="signed",
    title=lambda scene: f"The sum at {scene.token(scene[TOKEN])}, number by number",
    say=say_strips,
    about=lambda scene: About(scene.t, layer=scene.layer, reads=(f"{part(scene)}.output",)),
    options=(TOKEN,),
    look=lambda answer: {
        "behind": [i for i, name in enumerate(steps_of(answer.scene).values()) if name == "after the norm"],
    },
)


def binned(scene: Scene) -> Call:
    """The numbers before the norm and after it, as shares in bins."""
    return call(shares_in_bins, call(norm_sides, T, scene.layer, part(scene)))


def say_sides(answer: Answer) -> str:
    """How widely the numbers are spread on both sides."""
    scene = answer.scene
    before, after = answer.value(call(norm_sides, T, scene.layer, part(scene))).values()
    return (
        f"The {before.numel():,} numbers that go into this norm have a standard deviation of "
        f"{brief(before.std())}; those that come out have {brief(after.std())}."
    )


def about_sides(scene: Scene) -> About:
    """What goes into the norm, and what comes out."""
    into = "residual" if scene.config.norm_first else "sum"
    return About(scene.t, layer=scene.layer, reads=(f"{part(scene)}.{into}", f"{part(scene)}.output"))


NORM_SIDES = Picture(
    key="norm_sides",
    page="add_norm",
    question="How are the numbers spread before a norm and after it?",
    measure=lambda scene: binned(scene)[1],
    dims=("series", "number"),
    names=lambda answer: {"series": ["before", "after"], "number": answer.value(binned(answer.scene)[0]).tolist()},
    kind="outlines",
    unit="number",
    title="All numbers before the norm and after it",
    say=say_sides,
    about=about_sides,
    unfolds={"more": "sides"},
)


def parameters(scene: Scene) -> Call:
    """The gamma and the beta of the norm."""
    return call(norm_parameters, ENC, scene.layer, part(scene))


def learned(scene: Scene) -> list[str]:
    """What the norm has learned: gamma and beta, gamma alone, or nothing where none stands."""
    return list(norm_parameters(scene.encoder, scene.layer, part(scene)))


def say_learned(answer: Answer) -> str:
    """What is done with each of them, and between which numbers they lie."""
    gamma, *beta = (f"({brief(of.min())} to {brief(of.max())})" for of in answer.numbers.array)
    added = "".join(f", and its beta {spread} is added" for spread in beta)
    return f"Each number is multiplied by its gamma {gamma}{added}."


LEARNED = Picture(
    key="gamma_beta",
    page="add_norm",
    question="What has a norm learned?",
    measure=lambda scene: Every(lambda layer: call(norm_parameters, ENC, layer, part(scene)), scene.n_layers),
    dims=("layer", "parameter", "dimension"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"parameter": list(answer.value(parameters(answer.scene)))},
    kind="curve",
    unit="its number",
    title=lambda scene: f"The {listed(learned(scene))} of every dimension",
    say=say_learned,
    about=lambda scene: About(
        source=scene.source, layer=scene.layer, scope="parameters, so the same for every sentence"
    ),
    needs="model",
    unfolds={"more": "learned"},
)


def say_long(answer: Answer) -> str:
    """Which head adds most, and to which token."""
    long, tokens = answer.numbers.array, answer.numbers.along("word")
    h, i = largest_cell(long)
    return (
        f"In layer {answer.scene.layer} head {h} adds most: a vector of length {brief(long[h, i])} to "
        f"“{shown(tokens[i])}” ({i}). The mean over heads and tokens is {brief(long.mean())}."
    )


of_heads = partial(
    Picture,
    page="attention",
    dims=("layer", "head", "word"),
    chosen={"layer": lambda scene: scene.layer},
    about=lambda scene: About(scene.t, layer=scene.layer, reads=("attention.heads",)),
    unfolds={"more": "heads"},
)
HEAD_LENGTHS = of_heads(
    key="head_lengths",
    question="How much does each head add to each token?",
    measure=lambda scene: Every(lambda layer: call(length, call(head_outputs, T, layer)), scene.n_layers),
    title="Length of what each head adds to each token, after W_O",
    say=say_long,
)


def say_shares(answer: Answer) -> str:
    """Which head makes the largest share of what is added to a token, and how many work against the sum."""
    shares, tokens = answer.numbers.array, answer.numbers.along("word")
    h, i = largest_cell(shares)
    return (
        f"Head {h} makes {percent(shares[h, i])} of what all heads add to “{shown(tokens[i])}” ({i}), and "
        f"{int((shares < 0).sum())} of {shares.size} shares are negative."
    )


HEAD_SHARES = of_heads(
    key="head_shares",
    question="Which share of what all heads add is each head's?",
    measure=lambda scene: Every(lambda layer: call(head_shares, T, layer), scene.n_layers),
    values="signed",
    title="Share of each head in what all heads add to each token",
    say=say_shares,
)


def table(scene: Scene) -> Call:
    """The whole table of the position bias."""
    return call(bias_table, ENC)


def say_bias(answer: Answer) -> str:
    """Which distance the chosen head adds most to, or by how much its scores fall."""
    scene, values = answer.scene, answer.numbers.array[answer.scene.head]
    names = answer.value(table(scene)).names
    if scene.config.positions == "alibi":
        slope, far = (brief(-values[i]) for i in (1, -1))
        return (
            f"Head {scene.head} takes {slope} from a score for each token of distance, {far} where the key is "
            f"{names[-1]}."
        )
    most = int(values.argmax())
    where = "is itself" if names[most] == "itself" else f"stands {names[most]}"
    return f"Head {scene.head} adds most, {brief(values[most])}, where the key {where}."


BIAS_TABLE = Picture(
    key="bias_table",
    page="attention",
    question="What does a position bias add at each distance?",
    measure=lambda scene: table(scene).values,
    dims=("head", "distance"),
    names=lambda answer: {"distance": answer.value(table(answer.scene)).names},
    values="signed",
    title="What the position bias adds, head by head and by distance",
    say=say_bias,
    about=lambda scene: About(source=scene.source, scope="a table of the model, the same for every sentence and layer"),
    needs="model",
    unfolds={"more": "bias"},
)

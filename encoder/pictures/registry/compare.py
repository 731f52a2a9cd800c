"""Pictures of two runs: how far they are apart, one word followed, the weights of both, what a patch does."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from encoder.experiments.compare import (
    Pair,
    aligned_tokens,
    patch_sweep,
    relative_difference,
    token_cosine,
    turned_most,
)
from encoder.experiments.compare import both as in_both
from encoder.metrics import largest_cell
from encoder.model.steps.step import Step
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, A, B, Call, Expression, Several, call, last, step
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.figures.facts import title as step_title
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, layer_names, one_of
from encoder.support.formatting import brief, percent, shown
from encoder.support.theme import label
from encoder.trace import unpadded
from encoder.trace.trace import Trace

TWO_RUNS = {"more": "apart"}
PATCHED = ("output", "attention.output", "feed_forward.output", "attention.heads")
PATCH_STEP = one_of("patch_step", PATCHED)
PATCH_HEADS = Option("patch_heads", lambda scene: range(scene.n_heads), lambda scene: [], many=True)


def either(x: str, y: str) -> str:
    """One name for a place: the word that stands there in both runs, or both words."""
    return x if x == y else f"{shown(x, 6)}/{shown(y, 6)}"


def labels(a: Trace, b: Trace) -> list[str]:
    """Names for the tokens that stand in both runs; of different words, both."""
    return [either(a.tokens[i], b.tokens[j]) for i, j in zip(*in_both(aligned_tokens(a, b)), strict=True)]


def spell(run: Trace, position: int | None) -> str:
    """A token as text; a dash where the other sentence has one and this has none."""
    return "–" if position is None else shown(run.tokens[position])


def both_streams(scene: Scene) -> About:
    """All vectors of both runs."""
    return About.of_stream(scene.t, other=scene.b)


def say_apart(answer: Answer) -> str:
    """Where the vectors of two runs are farthest apart."""
    words, scene = labels(answer.scene.t, answer.scene.b), answer.scene
    layers = layer_names(scene.config, with_input=True)
    return f"{answer.title}: {main_fact(answer.numbers.array, words, layers, 'positive')}"


of_page = partial(Picture, page="compare")
APART = of_page(
    key="apart",
    question="Where do two sentences or models part, and how far?",
    measure=lambda scene: call(relative_difference, A, B),
    dims=("after", "token of both"),
    names=lambda answer: {"token of both": labels(answer.scene.t, answer.scene.b)},
    rows="token of both",
    title="How far the vectors of both runs are apart",
    say=say_apart,
    about=both_streams,
    needs="other",
    unfolds=TWO_RUNS,
)
APART_CHANGED = replace(
    APART,
    key="apart_changed",
    page="what_if",
    question="How far does each word end up from where it was without the changes?",
    title="How far each token's vector is from the run without changes",
    needs="unchanged",
    unfolds={"more": "differs"},
)


def same_words(scene: Scene) -> list[Pair]:
    """The tokens of words that stand in both sentences."""
    return [pair for pair in aligned_tokens(scene.t, scene.b) if pair.same]


FOLLOW = Option(
    "follow",
    lambda scene: range(len(same_words(scene))),
    lambda scene: turned_most(scene.t, scene.b, same_words(scene)),
)


def followed(scene: Scene) -> list[tuple[int, int]]:
    """Where the followed word stands in both runs, and the first token that was replaced by another."""
    pairs = [same_words(scene)[scene[FOLLOW]]]
    pairs += [pair for pair in aligned_tokens(scene.t, scene.b) if not pair.same and None not in pair][:1]
    return list(zip(*in_both(pairs), strict=True))


def names_of_followed(answer: Answer) -> Mapping[str, Names]:
    """The followed word, and the word that was replaced with the one there now."""
    a, b = answer.scene.t.tokens, answer.scene.b.tokens
    (i, _), *replaced = followed(answer.scene)
    return {"word followed": [label(a[i]), *(f"{label(a[i])} → {label(b[j])}" for i, j in replaced)]}


def say_followed(answer: Answer) -> str:
    """How alike the vectors of the followed word are at the input, and at the end."""
    alike, word = answer.numbers.array[0], spell(answer.scene.t, followed(answer.scene)[0][0])
    first, last = (brief(alike[i]) for i in (0, -1))
    return f"The vectors of “{word}” have cosine {first} at the input and {last} at the end."


FOLLOWED = of_page(
    key="followed",
    question="How does one word drift apart, layer by layer, when another is replaced?",
    measure=lambda scene: Several(*(call(token_cosine, A, i, B, j) for i, j in followed(scene))),
    dims=("word followed", "after"),
    names=names_of_followed,
    kind="bars",
    unit="cosine",
    title="Cosine of the word's vectors in both runs, layer by layer",
    say=say_followed,
    about=both_streams,
    options=(FOLLOW,),
    needs="other",
    unfolds=TWO_RUNS,
)


def shown_head(run: Trace, scene: Scene) -> tuple[int, int]:
    """The chosen layer and head, or the last ones that the model of a run has."""
    return min(scene.view.layer, run.config.n_layers - 1), min(scene.view.head, run.config.n_heads - 1)


def weights(key: str, name: str, variable: Expression, run_of: Callable[[Scene], Trace]) -> Picture:
    """The picture of the weights of one of two runs whose models have other shapes."""

    def of_layer(scene: Scene) -> Step:
        layer, _ = shown_head(run_of(scene), scene)
        return run_of(scene).step(f"layers.{layer}.attention.weights")

    def head(scene: Scene) -> int:
        return shown_head(run_of(scene), scene)[1]

    def say(answer: Answer) -> str:
        run = run_of(answer.scene)
        return main_fact(answer.numbers.array, run.tokens, run.tokens, "share", run.tokenization.special)

    return of_page(
        key=key,
        question=f"Where does the same head look in {name}?",
        measure=lambda scene: step(of_layer(scene).layer, "attention.weights", variable),
        dims=("head", "query", "key"),
        chosen={"head": head},
        names=lambda answer: dict.fromkeys(("query", "key"), run_of(answer.scene).tokens),
        values="share",
        title=lambda scene: f"{name}: {step_title(of_layer(scene), head(scene))}",
        say=say,
        about=lambda scene: About.of(run_of(scene), of_layer(scene).name, head(scene)),
        needs="other",
        unfolds=TWO_RUNS,
        look=lambda answer: {"row_title": "query (looks)", "column_title": "key (is looked at)"},
    )


WEIGHTS_A = weights("weights_a", "A", A, lambda scene: scene.t)
WEIGHTS_B = weights("weights_b", "B", B, lambda scene: scene.b)


def patched_heads(scene: Scene) -> tuple[int, ...] | None:
    """The heads of the step that are patched; None where all are, or where it has none."""
    some = scene[PATCH_HEADS] if scene[PATCH_STEP] == "attention.heads" else []
    return tuple(sorted(some)) or None


def swept(scene: Scene) -> Call:
    """The sweep of patches to its end."""
    return last(patch_sweep, ENC, A, B, scene[PATCH_STEP], heads=patched_heads(scene))


def places(scene: Scene) -> list[str]:
    """What stands at each position in either run."""
    return list(map(either, unpadded.tokens(scene.t), unpadded.tokens(scene.b)))


def say_patched(answer: Answer) -> str:
    """Which patch brings back most."""
    share = answer.numbers.array
    i, j = largest_cell(share)
    word = places(answer.scene)[i]
    return f"“{word}” ({i}) in layer {j} brings back most: {percent(share[i, j])} of the way from B to A."


PATCH = of_page(
    key="patch_map",
    question="Where does what makes two sentences different stand?",
    measure=lambda scene: swept(scene).share,
    dims=("layer", "place"),
    names=lambda answer: {"place": places(answer.scene)},
    rows="place",
    values="signed",
    title="What each patch brings back",
    say=say_patched,
    about=lambda scene: About(scene.t, other=scene.b, reads=("output",)),
    options=(PATCH_STEP, PATCH_HEADS),
    needs="same model",
    heavy=True,
    unfolds={"more": "patch"},
    look=lambda answer: {"largest": 1.0},
)

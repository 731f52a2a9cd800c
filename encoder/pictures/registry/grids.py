"""Pictures of pairs of tokens as small maps: all heads, those of one layer, one head's steps, what flows, the run."""

from collections.abc import Callable, Mapping
from typing import Any

from encoder.export.caption import About
from encoder.figures.attention_grid import HEATS, MOST, frames, in_the_way, window
from encoder.figures.facts import strongest_map
from encoder.figures.steps import kind_of
from encoder.formatting import brief, percent, shown
from encoder.metrics import disagreement, largest_cell, norm_weighted
from encoder.metrics.against import all_weights
from encoder.metrics.cells import largest_pair
from encoder.metrics.looks import finding
from encoder.metrics.softmax import Setting, recomputed
from encoder.pictures.expression import ENC, A, B, Every, Expression, Several, T, call, step
from encoder.pictures.maps import small_maps
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.heads import every_head, every_weight
from encoder.pictures.scene import Option, Scene, one_of
from encoder.selection import Choice
from encoder.steps.step import PAIRS, Step
from encoder.theme import Kind
from encoder.trace import unpadded
from encoder.trace.unpadded import attention_weights

FRAMES = ("scores", "scaled", "masked", "weights")  # the steps of the grid that stand still on paper
DIFFERENCE = one_of("difference", (0, 1))
GRID = Option("grid", None, lambda scene: "")  # query, key, temperature and whether the scores are divided


def every_layer(scene: Scene) -> Expression:
    """The weights of every head of every layer."""
    return Every(lambda layer: step(layer, "attention.weights"), scene.encoder.config.n_layers)


def say_maps(answer: Answer) -> str:
    """Which map has the largest number, and what is not drawn of all."""
    run, maps, drawn = answer.scene.t, small_maps(answer.chart), answer.selection
    names, at = (run.tokens, None) if drawn is None else (drawn.drawn, drawn.at)
    special = [run.tokenization.special[i] for i in at or range(len(names))]
    values = [small.coloured for small in maps]
    strongest = strongest_map(values, [small.label for small in maps], names, answer.own_values, special, at)
    return f"{strongest} {answer.left_out}".strip()


def look_all(answer: Answer) -> Mapping[str, Any]:
    """What the maps of every head are called; a layer is a row of them."""
    config = answer.scene.encoder.config
    labels = [f"Layer {i}, head {h}" for i in range(config.n_layers) for h in range(config.n_heads)]
    return {"titles": every_head(answer), "labels": labels, "columns": config.n_heads}


ALL_HEADS = Picture(
    key="all_heads",
    page="heads",
    question="What does every head of every layer look at?",
    measure=every_layer,
    dims=("layer", "head", "query", "key"),
    kind="maps",
    values="share",
    title="Attention weights of every head of every layer",
    say=say_maps,
    about=every_weight,
    pairs=True,
    look=look_all,
)


def step_of_pairs(scene: Scene) -> Step:
    """The step that is looked at, where it has a number for each pair of tokens; else the weights."""
    name = f"layers.{scene.layer}.{scene.view.step}"
    if name in scene.t and scene.t.step(name).shape == PAIRS:
        return scene.t.step(name)
    return scene.t.step(f"layers.{scene.layer}.attention.weights")


def weights_of_layer(scene: Scene) -> Step:
    """The weights of a layer."""
    return scene.t.step(f"layers.{scene.layer}.attention.weights")


def heads_of(
    page: str, key: str, drawn: Callable[[Scene], Step], question: str, pairs: bool | Choice = True
) -> Picture:
    """The picture of all heads of a layer at a step."""

    def look(answer: Answer) -> Mapping[str, Any]:
        scene = answer.scene
        what = drawn(scene)
        name = what.title if key == "heads" else f"Layer {scene.layer}"
        hides = what.operation in ("mask", "window")
        return {
            "labels": [f"{name}, head {h}" for h in range(scene.encoder.config.n_heads)],
            "blank": scene.encoder.config.mask_value if hides else None,
        }

    def values(answer: Answer) -> Kind:
        return kind_of(drawn(answer.scene))

    return Picture(
        key=key,
        page=page,
        question=question,
        measure=lambda scene: step(scene.layer, drawn(scene).local),
        dims=("head", "query", "key"),
        kind="maps",
        values=values,
        title=lambda scene: f"{drawn(scene).title} of all heads of layer {scene.layer}",
        say=say_maps,
        about=lambda scene: About.of(scene.t, drawn(scene).name),
        pairs=pairs,
        look=look,
    )


HEADS = heads_of("attention", "heads", step_of_pairs, "How do the heads of a layer differ at one step?")
STORY_HEADS = heads_of("story", "story_heads", weights_of_layer, "What do the heads of a stop look at?", "words")
LESSON_HEADS = heads_of("lessons", "lesson_heads", weights_of_layer, "What do the heads of a lesson look at?", "words")


def flowing(scene: Scene) -> tuple[Expression, Expression, Expression]:
    """The weights of a layer, what flows, and how far the two are apart, each of all heads."""
    return (
        call(attention_weights, T, scene.layer),
        call(norm_weighted, T, scene.layer),
        call(disagreement, T, scene.layer),
    )


def say_flows(answer: Answer) -> str:
    """In which pair weight and flow are furthest apart."""
    weights, _, unlike = answer.numbers.array
    i, j = largest_cell(abs(unlike))
    looks, looked_at = (f"“{shown(answer.scene.t.tokens[at])}” ({at})" for at in (i, j))
    weight = float(weights[i, j])
    return (
        f"{looks} gives {percent(weight)} of its attention to {looked_at}, and "
        f"{percent(weight + float(unlike[i, j]))} of what it takes comes from there."
    )


def look_flows(answer: Answer) -> Mapping[str, Any]:
    """The three maps, each on its own scale; that of the flow is the scale of all heads."""
    return {
        "labels": ("Attention weight", "Flow", "Disagreement"),
        "kinds": ("share", "positive", "signed"),
        "largest": (1.0, float(answer.value(flowing(answer.scene)[1]).max()), 1.0),
    }


FLOWS = Picture(
    key="flows",
    page="heads",
    question="How far is looking from taking in one head?",
    measure=lambda scene: Several(*(part[scene.head] for part in flowing(scene))),
    dims=("kind", "query", "key"),
    kind="maps",
    title=lambda scene: f"Weight and flow of layer {scene.layer}, head {scene.head}",
    say=say_flows,
    about=lambda scene: About(scene.t, layer=scene.layer, head=scene.head, reads=("attention.weights", "attention.v")),
    names=lambda answer: {
        "kind": ["Weight", "Flow", "Flow as shares minus weight"],
        **dict.fromkeys(("query", "key"), unpadded.tokens(answer.scene.t)),
    },
    unfolds={"heads_part": "What really flows"},
    look=look_flows,
)


def usual_pair(scene: Scene) -> tuple[int, int]:
    """The pair that is shown where none is chosen: that of the opened number, or of the largest weight of two words."""
    cell, run = scene.view.cell, scene.t
    steps = {what.name for what in frames(run, scene.layer)[:-1]}
    if cell is not None and cell.step in steps and cell.index[:1] == (scene.head,) and len(cell.index) == 3:
        query, key = cell.index[1:]
        if max(query, key) < len(run.tokens):
            return query, key
    weights = run.array(f"layers.{scene.layer}.attention.weights")[scene.head]
    return largest_pair(weights, run.tokenization.special)


def read_pair(text: str, n: int) -> tuple[int, int, Setting] | None:
    """What a link's text says, such as "8,2" or "8,2,0.5,0", of a sentence of n tokens; None where it says nothing."""
    query, key, heat, scaled = [*text.split(","), *("1.0", "1")[max(0, text.count(",") - 1) :], *[""] * 4][:4]
    heats = {str(heat): heat for heat in HEATS}
    places = [int(place) if place.isascii() and place.isdigit() and len(place) < 6 else n for place in (query, key)]
    fits = 1 <= text.count(",") <= 3 and max(places) < n and heat in heats and scaled in ("0", "1")
    return (places[0], places[1], Setting(heats[heat], scaled == "1")) if fits else None


def pair_in_grid(scene: Scene) -> tuple[int, int, Setting]:
    """The pair and the softmax that are asked for; what cannot be shown gives way to the usual."""
    query, key, setting = read_pair(scene[GRID], len(scene.t.tokens)) or (*usual_pair(scene), Setting())
    return query, key, Setting() if in_the_way(scene.t, scene.layer, scene.head) else setting


def grid_steps(scene: Scene) -> Expression:
    """The steps of one head, recorded or as the setting has them."""
    setting = pair_in_grid(scene)[2]
    recorded = [step(scene.layer, f"attention.{name}")[scene.head] for name in FRAMES]
    if setting.recorded:
        return Several(*recorded)
    again = call(recomputed, T, scene.layer, scene.head, setting)
    return Several(recorded[0], *(again[name] for name in FRAMES[1:]))


def pair_names(scene: Scene) -> tuple[str, str]:
    """The query and the key that the grid is about, each with its position."""
    query, key, _ = pair_in_grid(scene)
    return f"“{shown(scene.t.tokens[query])}” ({query})", f"“{shown(scene.t.tokens[key])}” ({key})"


def say_grid(answer: Answer) -> str:
    """The weight of the pair, how it was computed, and what is drawn of a long sentence."""
    scene, n = answer.scene, len(answer.scene.t.tokens)
    query, key, setting = pair_in_grid(scene)
    looks, looked_at = pair_names(scene)
    told = f"{looks} gives {percent(float(answer.numbers.array[-1, query, key]))} of its weight to {looked_at}."
    if not setting.recorded:
        divided = "" if setting.scaled else ", not divided by the square root of d_head"
        told += f" Recomputed with temperature {brief(setting.heat)}{divided}."
    if n > MOST:
        (first, last), (left, right) = window(n, query), window(n, key)
        told += f" Drawn are queries {first} to {last - 1} and keys {left} to {right - 1} of {n}."
    return told


def about_grid(scene: Scene) -> About:
    """The head up to its weights, or on the screen up to what they take where that is the step that is looked at."""
    last = "attention.heads" if scene.view.step == "attention.heads" else "attention.weights"
    return About(scene.t, layer=scene.layer, head=scene.head, reads=(last,))


def look_grid(answer: Answer) -> Mapping[str, Any]:
    """The steps, each on a scale of its own, and the pair that they are about."""
    scene = answer.scene
    return {
        "titles": [scene.t.step(f"layers.{scene.layer}.attention.{name}").title for name in FRAMES],
        "kinds": ("signed", "signed", "signed", "share"),
        "apart": True,
        "scale": "",
        "blank": scene.encoder.config.mask_value,
        "columns": 2,
        "subject": pair_in_grid(scene)[:2],
    }


ATTENTION_GRID = Picture(
    key="attention_grid",
    page="attention",
    question="How do one head's scores become its weights?",
    measure=grid_steps,
    dims=("step", "query", "key"),
    kind="maps",
    title=lambda scene: "From scores to values, for {} and {}".format(*pair_names(scene)),
    say=say_grid,
    about=about_grid,
    options=(GRID,),
    names=lambda answer: {"step": FRAMES},
    look=look_grid,
)


def unchanged_is_taken_off(scene: Scene) -> bool:
    """Whether the run is drawn as the difference to that without its changes."""
    return scene[DIFFERENCE] == 1 and bool(scene.t.edits or scene.t.hidden)


UNCHANGED_RUN = ENC.trace(T.inputs)


def living(scene: Scene) -> Expression:
    """The weights of all heads, or how much more they are than without the changes."""
    return call(all_weights, T, UNCHANGED_RUN) if unchanged_is_taken_off(scene) else every_layer(scene)


def look_living(answer: Answer) -> Mapping[str, Any]:
    """What the maps are called, and the colours in words: the picture on the screen shows more than weights."""
    signed = answer.values == "signed"
    scale = "what is more is red, what is less is blue" if signed else "0 to 100 % of a row"
    return {**look_all(answer), "scale": scale}


def how_large(scene: Scene) -> str:
    """How many tokens, layers and heads a run has."""
    config = scene.encoder.config
    return f"{len(scene.t.tokens)} tokens through {config.n_layers} layers of {config.n_heads} heads"


LIVING_MAP = Picture(
    key="living_map",
    page="sentence",
    question="What does every token take from the others, layer by layer?",
    measure=living,
    dims=("layer", "head", "query", "key"),
    kind="maps",
    values=lambda answer: "signed" if unchanged_is_taken_off(answer.scene) else "share",
    title=lambda scene: f"The whole run, {how_large(scene)}",
    say=lambda answer: finding(answer.scene.t, answer.scene.layer, answer.scene.head),
    about=lambda scene: About(scene.t),
    options=(DIFFERENCE,),
    look=look_living,
)
LIVING_CHANGE = Picture(
    key="living_change",
    page="compare",
    question="How much more does every token take in run B than in run A, layer by layer?",
    measure=lambda scene: call(all_weights, B, A),
    dims=("layer", "head", "query", "key"),
    kind="maps",
    values="signed",
    title=lambda scene: f"Run B minus run A, {how_large(scene)}",
    say=lambda answer: finding(answer.scene.b, answer.scene.layer, answer.scene.head),
    about=lambda scene: About(scene.t, other=scene.b),
    needs="other",
    look=look_living,
)

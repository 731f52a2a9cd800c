"""The labs on what encoders got after 2017: scores by distance, windows, and units with a gate."""

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import REGIMES, biases, gate_signs, mean_share, placed_scores, sight
from encoder.explain.cost import size
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, Every, Several, T, call
from encoder.pictures.lab import Ask, Beside, Note, Show, When, in_lab, lab
from encoder.pictures.labs.trial import Finding, judge, trial, untried
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Scene, one_of, token_of
from encoder.support.formatting import brief, listed, percent, shown

ROUNDING = 1e-4  # of the largest score: angles in float32 are off by a share of themselves
SMALL = 0.01

QUERY = token_of("placed_query", lambda scene: min(1, len(scene.t.tokens) - 1))
KEY = token_of("placed_key", lambda scene: min(2, len(scene.t.tokens) - 1))
APART = (0, 1, 4, 8)  # places from query to key
ALONG = 40  # places of the query


def placed(scene: Scene, head: int) -> Call:
    """The score of the chosen words in every pair of positions."""
    return call(placed_scores, ENC, T, head, scene[QUERY], scene[KEY])


def about_placed(scene: Scene) -> About:
    """One head of layer 0."""
    return About(source=scene.source, layer=0, head=scene.head, scope="two words in every pair of positions")


of_places = in_lab("Why rotary", options=(QUERY, KEY), about=about_placed)


def say_placed(answer: Answer) -> str:
    """How much scores at one distance differ."""
    scores = answer.value(placed(answer.scene, answer.scene.head))
    return f"The most that scores at one distance differ is {percent(scores.spread)} of the largest score."


PLACED = of_places(
    key="placed",
    question="Does a score say how far apart two words stand, or where they stand?",
    measure=lambda scene: Every(lambda head: placed(scene, head).values, scene.n_heads, "head"),
    dims=("head", "position of the query", "position of the key"),
    chosen={"head": lambda scene: scene.head},
    values="signed",
    title="The score of two words in layer 0, wherever they stand",
    say=say_placed,
    look=lambda answer: {"row_title": "position of the query", "column_title": "position of the key"},
)


def say_along(answer: Answer) -> str:
    """How far the score goes where the key stands one place after."""
    along = answer.value(placed(answer.scene, answer.scene.head)).along(1)
    low, high = (brief(end) for end in (along.min(), along.max()))
    return f"With the key one position after, the score goes from {low} to {high}."


def scores_along(scene: Scene, head: int) -> Several:
    """The scores at some distances, as many of each."""
    shortest = max(0, min(ALONG, min(48, scene.encoder.max_tokens) - APART[-1]))
    return Several(*(placed(scene, head).along(apart)[:shortest] for apart in APART))


PLACED_ALONG = of_places(
    key="placed_along",
    question="Does a score change where both words move on together?",
    measure=lambda scene: Every(lambda head: scores_along(scene, head), scene.n_heads, "head"),
    dims=("head", "series", "position of the query"),
    chosen={"head": lambda scene: scene.head},
    names=lambda answer: {"series": [f"{apart} after" for apart in APART]},
    kind="curve",
    unit="score",
    title="The score of two words that move on together",
    say=say_along,
)


def rotary_or_not(answer: Answer) -> str:
    """Return what a score of two words knows of their places."""
    if answer.scene.encoder.config.positions == "rotary":
        return "Queries and keys are turned by their positions here: every diagonal has one colour."
    return "Where every diagonal has one colour, only the distance counts. Try the model modern beside this one."


TOKENS = 200
PLACE = one_of("sight_place", range(TOKENS), TOKENS // 2)
KINDS = {"seen": "may look at", "reached": "has something of"}


def say_sight(answer: Answer, kind: str) -> str:
    """How much of the text a place sees, layer by layer."""
    shares, place = answer.numbers.array.astype(float).mean(-1), answer.scene[PLACE]
    least, most = int(shares.argmin()), int(shares.argmax())
    low, high = percent(shares[least]), percent(shares[most])
    if low == high:
        return f"In every layer position {place} {KINDS[kind]} {low} of the text."
    return f"In layer {least} position {place} {KINDS[kind]} {low} of the text, in layer {most} {high}."


def sight_of(kind: str, question: str) -> Picture:
    """Whom a place sees in each layer, or what reaches it by way of others."""
    return in_lab("Windows")(
        key=f"sight_{kind}",
        question=question,
        measure=lambda scene: getattr(call(sight, ENC, TOKENS, scene[PLACE]), kind).float(),
        dims=("layer", "place"),
        values="share",
        title=lambda scene: f"What position {scene[PLACE]} {KINDS[kind]}, layer by layer",
        say=lambda answer: say_sight(answer, kind),
        about=lambda scene: About(source=scene.source, scope=f"a text of {TOKENS} tokens, whatever the words are"),
        options=(PLACE,),
        needs="model",
        look=lambda answer: {"column_title": "place"},
    )


SIGHT_SEEN = sight_of("seen", "Whom may a token look at in each layer?")
SIGHT_REACHED = sight_of("reached", "From whom does something reach a token, by way of others?")


def local_layers(answer: Answer) -> list[str]:
    """Return the layers that have a window."""
    config = answer.scene.encoder.config
    return [str(i) for i in range(config.n_layers) if config.window_of(i) is not None]


def window(answer: Answer) -> str:
    """Return which layers have a window, and how wide it is."""
    width = answer.scene.encoder.config.window
    return f"This model has a window of {width} tokens on either side in layers {listed(local_layers(answer))}."


UNITS = 48  # that are drawn


def about_gates(scene: Scene) -> About:
    """The gated units of the chosen layer."""
    return About(scene.t, layer=scene.layer, reads=(f"layers.{scene.layer}.feed_forward.gated",))


of_gates = in_lab("Gate signs", about=about_gates)


def say_gate_signs(answer: Answer) -> str:
    """In which regime most is written."""
    written = answer.numbers.array[1]
    top = int(written.argmax())
    return f"Layer {answer.scene.layer}: {percent(written[top])} of what is written is written with {REGIMES[top]}."


GATE_SIGNS = of_gates(
    key="gate_signs",
    question="Which signs do the two halves of a unit with a gate have?",
    measure=lambda scene: Every(
        lambda layer: Several(call(gate_signs, T, layer).shares, call(gate_signs, T, layer).written), scene.n_layers
    ),
    dims=("layer", "series", "regime"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"series": ("how often", "of what is written"), "regime": REGIMES},
    kind="bars",
    unit="share",
    title="How often the halves of the units have which signs",
    say=say_gate_signs,
)


def say_gate_units(answer: Answer) -> str:
    """How many units are in more than one regime."""
    units = answer.value(call(gate_signs, T, answer.scene.layer)).units
    several = int(((units > 0).sum(-1) > 1).sum())
    return f"{several:,} of {len(units):,} units are in more than one regime over this sentence."


GATE_UNITS = of_gates(
    key="gate_units",
    question="Is each unit with a gate always in one regime?",
    measure=lambda scene: Every(lambda layer: call(gate_signs, T, layer).unit_shares[:UNITS].T, scene.n_layers),
    dims=("layer", "regime", "unit"),
    chosen={"layer": lambda scene: scene.layer},
    names=lambda answer: {"regime": REGIMES},
    values="share",
    title="The share of the tokens for which each unit is in each regime",
    say=say_gate_units,
    look=lambda answer: {"column_title": "unit"},
)


def minus_share(answer: Answer) -> str:
    """Return how much of what gated units write has a minus."""
    written = answer.numbers.array[1]
    minus = percent(float(written[[1, 2]].sum()))
    return f"{minus} of it has a minus: the unit writes its direction the other way round."


def units_drawn(answer: Answer) -> str:
    """Return how many units are drawn."""
    return f"The first {min(UNITS, answer.scene.encoder.config.d_ff)} are drawn."


@trial(PLACED)
def score_by_distance(answer: Answer) -> Finding:
    """The score of two words depends on how far apart they stand, and not on where."""
    if len(answer.scene.t.tokenization.words) < 4:  # between the first and the last, which the model adds
        return untried("This sentence has fewer than two words.")
    result = answer.value(placed(answer.scene, 0))
    near = result.along(1)
    text = (
        f"“{shown(result.query)}” and “{shown(result.key)}”, one position apart, score {brief(float(near[0]))} at the "
        f"start and {brief(float(near[-1]))} at position {len(near) - 1}, in head 0 of layer 0. {answer.sentence}"
    )
    what = "most that scores at one distance differ, of the largest"
    return Finding(result.spread, what, text, judge(result.spread < ROUNDING))


@trial(SIGHT_SEEN)
def window_hides(answer: Answer) -> Finding:
    """In a text of 200 tokens, some token does not see another in some layer."""
    seen = answer.numbers.array.mean(-1)
    text = f"The token in the middle of {TOKENS} sees all of them in every layer."
    if local := local_layers(answer):
        reached = answer.value(call(sight, ENC, TOKENS, answer.scene[PLACE])).reached[-1]
        text = (
            f"The token in the middle of {TOKENS} sees {percent(float(seen.min()))} of them in "
            f"{listed([f'layer {i}' for i in local])}, and all in the others. By way of other tokens it has something "
            f"of {percent(float(reached.double().mean()))} in the end."
        )
    return Finding(float(seen.min()), "least share of tokens that are seen", text, judge(bool(seen.min() < 1)))


@trial(GATE_SIGNS)
def four_regimes(answer: Answer) -> Finding:
    """A unit of the feed-forward network can write its direction with both signs, and each is used."""
    if not answer.scene.config.gated:
        return untried("The units of this model have no gate.")
    shares, written = answer.numbers.array
    parts = listed([f"{percent(float(share))} {name}" for name, share in zip(REGIMES, shares, strict=True)])
    text = (
        f"Over all units of layer 0 and all tokens: {parts}. Where the gate is above zero units write "
        f"{percent(float(written[:2].sum()))} of all that is written; {minus_share(answer)}"
    )
    return Finding(float(shares.min()), "share of the rarest of four combinations", text, judge(shares.min() > SMALL))


@trial()
def mean_is_small(encoder: TextEncoder, sentence: str) -> Finding:
    """What LayerNorm takes away and RMSNorm leaves, the mean, is a small share of a vector."""
    result = mean_share(encoder.trace(sentence))
    largest, usual = float(result.max()), float(result.mean())
    text = (
        f"Over {len(result)} norms and {result.shape[1]} tokens the mean makes {percent(usual)} of the mean square of "
        f"what is normed; {percent(largest)} where it is most."
    )
    judgement = judge(largest < SMALL, f"on average; it is over {percent(SMALL)} somewhere" if usual < SMALL else "")
    return Finding(usual, "share of the mean in the mean square", text, judgement)


@trial()
def biases_are_few(encoder: TextEncoder) -> Finding:
    """The biases of its maps and norms are less than a hundredth of a model's parameters."""
    counted, parameters = biases(encoder), size(encoder.config).parameters
    share = counted / parameters
    text = f"{counted:,} of {parameters:,} parameters are biases or betas."
    judgement = judge(0 < share < SMALL, "this model has none at all" if share == 0 else "")
    return Finding(share, "share of biases", text, judgement)


LABS = {
    "Why rotary": lab(
        "Does a score know only the distance?",
        "Two words of the sentence are put in every pair of 48 positions, and layer 0 scores them there.",
        Beside((Ask("It looks (query)", QUERY, "token"), Ask("It is looked at (key)", KEY, "token"))),
        Show(PLACED, rotary_or_not),
        Show(PLACED_ALONG, "A flat line is a score that knows the distance alone."),
        place=True,
    ),
    "Windows": lab(
        "What can a window not see?",
        "A long text has many pairs of words. With windows most layers look at near ones only. Here are "
        f"{TOKENS} positions: choose one, and see whom it may look at.",
        When(
            lambda answer: not local_layers(answer),
            (Note("offer", "This model has no windows: every layer sees all."),),
        ),
        Ask("Position", PLACE, "slider"),
        SIGHT_SEEN,
        SIGHT_REACHED,
        When(lambda answer: bool(local_layers(answer)), (Note("paragraph", window),)),
    ),
    "Gate signs": lab(
        "What does the sign of a gate do?",
        "A unit with a gate multiplies two numbers, and each may be above zero or below: four regimes, and one "
        "list of words that excite it tells of one or two of them.",
        When(
            lambda answer: answer.scene.encoder.config.gated,
            (Show(GATE_SIGNS, minus_share), Show(GATE_UNITS, units_drawn)),
            (Note("offer", "The units of this model have no gates."),),
        ),
        place=True,
    ),
}

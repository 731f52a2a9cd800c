"""The labs, a row for each: by their groups, and by the names that stand in links."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from encoder.experiments import collapse, dot_products, hidden_row, norms, turn, wavelengths
from encoder.experiments.probes.layer_probes import labelled
from encoder.pictures.expression import call
from encoder.pictures.lab import Ask, Beside, Lab, Note, Own, Show, Table, When, lab
from encoder.pictures.picture import Answer
from encoder.pictures.registry import labs as sentence
from encoder.pictures.registry import labs_layers as layers
from encoder.pictures.registry import labs_padding as padding
from encoder.pictures.registry import labs_positions as places
from encoder.pictures.registry import labs_softmax as softmax
from encoder.pictures.registry import labs_training as training
from encoder.pictures.scene import Scene
from encoder.support.formatting import brief, listed, percent, shown

CONTROLS = {
    "good or bad": "each word draws a number, and a sentence is of one class or the other by the mean of its words"
}
CONTROL = "a class drawn for each word, the same wherever it stands"


def spelled(start: str, tokens: Sequence[str]) -> str:
    """Return tokens as a line of text."""
    return f"{start}: " + " ".join(map(shown, tokens))


def here(answer: Answer) -> str:
    """Return the chosen layer and head in words."""
    return f"layer {answer.scene.layer}, head {answer.scene.head}"


def has_two_words(answer: Answer) -> bool:
    """Return whether the page has one sentence, and no pair, with words to exchange."""
    return isinstance(answer.scene.t.inputs, str) and len(sentence.words(answer.scene)) > 1


def has_waves(answer: Answer) -> bool:
    """Return whether the model has a table of positions whose columns come in pairs."""
    model = answer.scene.encoder.model
    return model.config.positions in ("sinusoidal", "learned") and model.embedding.positions.weight.shape[1] % 2 == 0


def turns(answer: Answer) -> list[bool]:
    """Return for each pair of columns whether one rotation leads from place to place."""
    waves = answer.value(call(wavelengths, places.table(answer.scene))).isfinite()
    return [bool(even) for even in waves]


def word_at(scene: Scene, place: int) -> str:
    """Return a word of the sentence with its number."""
    pieces = scene.t.tokenization
    return f"{place} {shown(pieces.spelled(pieces.words[place]))}"


def widest_heads(answer: Answer) -> str:
    """Return how large the largest weight of the widest head is."""
    widest = answer.value(call(dot_products))[-1]
    return (
        f"The largest weight is {percent(widest.without_largest)} on average without the division and "
        f"{percent(widest.with_largest)} with it: softmax becomes all or nothing."
    )


def batch_shape(answer: Answer) -> str:
    """Return what a batch of two sentences is before and after the encoder."""
    run = answer.value(padding.padded(answer.scene)).runs[0]
    n, d_model = run["output"].shape
    return (
        f"The batch goes in as (2, {n}) ids and comes out as (2, {n}, {d_model:,}): {run.padding} rows of the short "
        "one are [PAD]."
    )


def both_rows(answer: Answer) -> Mapping[Any, Sequence[str]]:
    """Return the tokens of both sentences of a batch, place by place."""
    rows = zip(answer.value(padding.padded(answer.scene)).tokens, answer.scene.t.tokens, strict=True)
    return {"": ["short", "long"]} | {place: list(map(shown, both)) for place, both in enumerate(rows)}


def masked_row(answer: Answer) -> str:
    """Return what becomes of a row whose every key is masked."""
    lost, even = hidden_row(-math.inf), hidden_row(-1e9)
    return (
        f"With minus infinity the row is 0/0, not a number, and {lost.lost[-1]} of {len(lost.weights)} tokens are lost "
        f"in the end; with -1e9 the row is even: {percent(float(even.weights[-1, 0]))} for each token it must not see."
    )


def made_as(answer: Answer) -> str:
    """Return in which order the model has its norms."""
    own = answer.value(layers.in_both_orders(answer.scene)).own
    return f"This model was made as {own}; in the other order its weights do what nobody trained them for."


def merged_layers(answer: Answer) -> str:
    """Return how far two random layers are from the one that they merge into."""
    result = collapse()
    return (
        f"Merged into W' = W₁W₂ and b' = b₁W₂ + b₂ they differ by {result.linear:.1e}. With ReLU between the merged "
        f"layer is {brief(result.bent)} away, and the best linear layer misses {percent(result.remainder)} of it."
    )


def rotary_or_not(answer: Answer) -> str:
    """Return what a score of two words knows of their places."""
    if answer.scene.encoder.config.positions == "rotary":
        return "Queries and keys are turned by their places here: every diagonal has one colour."
    return "Where every diagonal has one colour, only the distance counts. Try the model modern beside this one."


def local_layers(answer: Answer) -> list[str]:
    """Return the layers that have a window."""
    config = answer.scene.encoder.config
    return [str(i) for i in range(config.n_layers) if config.window_of(i) is not None]


def minus_share(answer: Answer) -> str:
    """Return how much of what gated units write has a minus."""
    written = answer.numbers.array[1]
    minus = percent(float(written[[1, 2]].sum()))
    return f"{minus} of it has a minus: the unit writes its direction the other way round."


def units_drawn(answer: Answer) -> str:
    """Return how many units are drawn."""
    return f"The first {min(layers.UNITS, answer.scene.encoder.config.d_ff)} are drawn."


def rotation_misses(answer: Answer) -> str:
    """Return how far a table is from one of waves."""
    largest = answer.value(call(turn, places.table(answer.scene))).largest
    return f"The best rotation misses by {brief(largest)}: this table is no table of waves."


def window(answer: Answer) -> str:
    """Return which layers have a window, and how wide it is."""
    width = answer.scene.encoder.config.window
    return f"This model has a window of {width} tokens on either side in layers {listed(local_layers(answer))}."


def both_formulas(answer: Answer) -> Mapping[Any, Sequence[float]]:
    """Return how far the two norms are apart, width by width."""
    pairs = answer.value(call(norms))
    return {name: [getattr(pair, name) for pair in pairs] for name in pairs[0]._fields}


WAVES = (
    Ask("Pair of dimensions", places.PAIR, "marks"),
    Show(
        places.POSITION_WAVES,
        lambda answer: (
            "One is a sine and the other a cosine of the same angle." * turns(answer)[answer.scene[places.PAIR]]
        ),
    ),
    When(lambda answer: all(turns(answer)), (places.WAVELENGTHS,), (Note("paragraph", rotation_misses),)),
    Note("heading", "How alike two places are, by their distance"),
    places.POSITION_DISTANCE,
)
EXCHANGE = (
    Beside(
        (Ask("One word", sentence.ONE_WORD, "list", word_at), Ask("The other", sentence.OTHER_WORD, "list", word_at))
    ),
    Note("line", lambda answer: spelled("Exchanged", answer.value(sentence.exchanged(answer.scene)).reordered)),
    sentence.SWAPPED,
)
GROUPS: dict[str, dict[str, Lab]] = {
    "Order and position": {
        "Word order": lab(
            "Is word order lost without positions?",
            "The sentence is run as it stands and with its words in reverse, once without positions and once with "
            "them.",
            Note("line", lambda answer: spelled("Reversed", answer.value(sentence.in_reverse(answer.scene)).reordered)),
            sentence.ORDER,
        ),
        "Positions": lab(
            "What does a table of positions hold?",
            When(has_waves, WAVES, ("This model has no table of positions whose columns come in pairs.",)),
            Note("heading", "Two words change places"),
            When(has_two_words, EXCHANGE, ("This needs one sentence of two words or more.",)),
        ),
    },
    "Attention and softmax": {
        "Why √d_head": lab(
            "Why divide scores by √d_head?",
            "Random queries and keys of growing width, and then the heads of this model.",
            softmax.DEVIATION,
            Show(softmax.SPREAD, widest_heads),
            Note("heading", "The gradient with the division, and without"),
            softmax.SLOPES,
            softmax.SCALING_HEADS,
        ),
        "Softmax": lab(
            "What does softmax make of your scores?",
            "Type scores, and see the weights that the model's own softmax makes of them.",
            Ask("Scores, with commas between", softmax.OWN_SCORES, "text"),
            softmax.OWN_WEIGHTS,
            Show(softmax.OWN_SLOPES, "Each row and column adds up to 0: what one weight gains the others lose."),
        ),
        "Padding": lab(
            "What if the mask over [PAD] is forgotten?",
            "In a batch the shorter sentence is filled up with [PAD], and a mask hides that from the words.",
            Ask("Short sentence", padding.SHORT, "text"),
            Table("batch", both_rows),
            Note("finding", batch_shape),
            padding.PADS,
            padding.LEAK,
            Note("heading", lambda answer: f"The short sentence in the batch ({here(answer)})"),
            Ask("Run", padding.MASK, "pills"),
            Beside((padding.PAD_MASKED, padding.PAD_WEIGHTS)),
            "And if every key of a row is masked?",
            Note("finding", masked_row),
            place=True,
        ),
        "Without [CLS] and [SEP]": lab(
            "What if [CLS] and [SEP] are left out?",
            "Tutorials often show one row for each word. Here the sentence is read as they do it, without the tokens "
            "that the tokenizer adds, and beside it as the model was trained.",
            When(
                lambda answer: isinstance(answer.scene.t.inputs, str),
                (
                    Show(
                        sentence.BARE,
                        "Every word also stands as many positions earlier as tokens were added before it.",
                    ),
                    Own("bare output"),
                ),
                ("This needs one sentence, and no pair.",),
            ),
        ),
    },
    "Residuals, norms, depth": {
        "Residuals and depth": lab(
            "What keeps 48 blocks from going flat?",
            "Random blocks, stacked up to 48 deep, with and without the residual path and the norm.",
            layers.DEPTH_APART,
            layers.DEPTH_LENGTH,
        ),
        "Two LayerNorms": lab(
            "Is the norm of many tutorials LayerNorm?",
            "Many tutorials divide by the unbiased standard deviation plus eps. LayerNorm does not.",
            Show(layers.FORMULAS, table=False),
            Table("formulas_table", both_formulas),
        ),
        "Post-norm and pre-norm": lab(
            "Norm after the sum, or before?",
            "Post-norm, as in the paper, norms every sum. Pre-norm norms what goes into a sublayer and leaves the sum "
            "as it is. Here both run with the same weights: what differs is the order alone.",
            Show(layers.ORDER_LENGTH, made_as),
            layers.ORDER_ALIKE,
            Note("heading", lambda answer: f"What goes into a norm of layer {answer.scene.layer}, and what comes out"),
            Ask("Norm", layers.NORM, "pills"),
            Beside((layers.SIDES_POST, layers.SIDES_PRE)),
            place=True,
        ),
        "Layer collapse": lab(
            "Are two linear layers just one?",
            "Two random layers without an activation between them, and with one.",
            Note("finding", merged_layers),
            Note("heading", "A straight boundary, and a bent one"),
            "Two layers are trained to tell the points inside a circle from those around it. A cell is a point; what "
            "the network says of it is above 0.5 where it says inside.",
            Beside((training.BOUNDARY_STRAIGHT, training.BOUNDARY_BENT)),
        ),
    },
    "Training and knowledge": {
        "Dropout": lab(
            "What does dropout do to a sentence?",
            "In training each number is set to zero with probability p and the others are divided by 1 - p: at three "
            "kinds of places in the paper, and in much code inside feed-forward too. A trained model runs without: "
            "everywhere else in this app the step is the identity.",
            Ask("p", sentence.P, "marks"),
            Ask("Where", sentence.DROPPED_AT, "pills", lambda scene, place: sentence.AFTER[place]),
            Ask("Seed", sentence.SEED, "marks"),
            Show(sentence.DROPPED, "The mean of several runs comes closer: what drops out at random partly cancels."),
        ),
        "Trained without a part": lab("Can a model learn without one part?", Own("learning")),
        "What layers know": lab(
            "What does each layer know?",
            Own("readers"),
            Note("heading", "How much each layer tells"),
            f"A probe is a linear map with softmax, trained on the vectors of {len(labelled())} sentences that are "
            "never changed by it. A probe can learn much by heart, so a second one learns a control task from the same "
            "vectors: only what the first does better is in the vectors.",
            Ask("Task", sentence.TASK, "pills"),
            Own("probes"),
            Show(
                sentence.TOLD,
                lambda answer: (
                    f"The control task: {CONTROLS.get(answer.scene[sentence.TASK], CONTROL)}. Who never looks says the "
                    "most frequent class."
                ),
            ),
        ),
    },
    "Today's variants": {
        "Why rotary": lab(
            "Does a score know only the distance?",
            "Two words of the sentence are put in every pair of 48 places, and layer 0 scores them there.",
            Beside((Ask("It looks (query)", places.QUERY, "token"), Ask("It is looked at (key)", places.KEY, "token"))),
            Show(places.PLACED, rotary_or_not),
            Show(places.PLACED_ALONG, "A flat line is a score that knows the distance alone."),
            place=True,
        ),
        "Windows": lab(
            "What can a window not see?",
            "A long text has many pairs of words. With windows most layers look at near ones only. Here are "
            f"{places.TOKENS} places: choose one, and see whom it may look at.",
            When(
                lambda answer: not local_layers(answer),
                (Note("offer", "This model has no windows: every layer sees all."),),
            ),
            Ask("Place", places.PLACE, "slider"),
            places.SIGHT_SEEN,
            places.SIGHT_REACHED,
            When(lambda answer: bool(local_layers(answer)), (Note("paragraph", window),)),
        ),
        "Gate signs": lab(
            "What does the sign of a gate do?",
            "A unit with a gate multiplies two numbers, and each may be above zero or below: four regimes, and one "
            "list of words that excite it tells of one or two of them.",
            When(
                lambda answer: answer.scene.encoder.config.gated,
                (Show(layers.GATE_SIGNS, minus_share), Show(layers.GATE_UNITS, units_drawn)),
                (Note("offer", "The units of this model have no gates."),),
            ),
            place=True,
        ),
    },
}
LABS = {name: row for group in GROUPS.values() for name, row in group.items()}

"""The labs on tokens that nobody typed: [PAD] with its mask and without, and a sentence without [CLS] and [SEP]."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments import bare, hidden_row, padding, softmax_of
from encoder.model.steps.catalogue import by_name
from encoder.pictures.export.caption import About, quoted
from encoder.pictures.expression import ENC, Call, Several, call
from encoder.pictures.figures.facts import kind_of
from encoder.pictures.lab import Ask, Beside, Note, Own, Show, Table, When, about_sentence, in_lab, lab
from encoder.pictures.labs.trial import Finding, a_text, as_judged, claim, judge, trial
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer
from encoder.pictures.scene import Option, Scene, one_of
from encoder.support.formatting import brief, listed, percent, shown
from encoder.support.theme import Kind

ROUNDING = 1e-5  # differences of float32 sums, relative to the numbers that were added

SHORT = Option("pad_short", None, lambda scene: "The cat sleeps.")
MASKS = ("with the mask", "mask forgotten")
MASK = one_of("pad_mask", MASKS)


def padded(scene: Scene) -> Call:
    """The short sentence in a batch with that of the page."""
    return call(padding, ENC, scene[SHORT], scene.t.text)


def about_padded(scene: Scene) -> About:
    """Both sentences."""
    return about_sentence(scene, f"{quoted(scene[SHORT])} padded to the length of {quoted(scene.t.text)}")


def names_of_pads(answer: Answer) -> Mapping[str, Names]:
    """The tokens of the short sentence without [PAD]."""
    batch = answer.value(padded(answer.scene))
    return {"series": ("masked", "mask forgotten"), "token": batch.tokens[: batch.n]}


of_padding = in_lab("Padding")

PADS = of_padding(
    key="pads",
    question="What if the mask that hides [PAD] is forgotten?",
    measure=lambda scene: Several(padded(scene).masked, padded(scene).forgotten),
    dims=("series", "token"),
    names=names_of_pads,
    kind="bars",
    unit="largest difference",
    title="Difference from the run alone, per token",
    say=lambda answer: " ".join(as_judged("padding_ignored", mask=mask)(answer) for mask in ("kept", "forgotten")),
    about=about_padded,
    options=(SHORT,),
)

LEAK = of_padding(
    key="leak",
    question="How much weight does each head give to [PAD] where the mask is forgotten?",
    measure=lambda scene: padded(scene).forgotten_leak,
    dims=("layer", "head"),
    values="share",
    title="Share of the weight that goes to [PAD], head by head",
    say=lambda answer: (
        f"Forgotten, [PAD] takes {percent(answer.numbers.array.mean())} of all weight on average; masked, 0."
    ),
    about=about_padded,
    options=(SHORT,),
)


def names_of_batch(answer: Answer) -> Mapping[str, Names]:
    """The tokens of the short sentence with [PAD]."""
    return dict.fromkeys(("query", "key"), answer.value(padded(answer.scene)).tokens)


def about_batch(scene: Scene) -> About:
    """One head of the short sentence in the batch."""
    whole = about_padded(scene)
    return About(source=whole.source, scope=whole.scope, layer=scene.layer, head=scene.head)


def title_of(name: str, scene: Scene) -> str:
    """What a step of attention is called, and whether there was a mask."""
    return f"{by_name(scene.config)[f'layers.{scene.layer}.attention.{name}'].title}, {scene[MASK]}"


def colours_of(name: str, answer: Answer) -> Kind:
    """How a step of attention is coloured."""
    scene = answer.scene
    return kind_of(by_name(scene.config)[f"layers.{scene.layer}.attention.{name}"])


def say_masked(answer: Answer) -> str:
    """How many scores the mask hides."""
    values = answer.numbers.array
    blank = int((~np.isfinite(values)).sum())
    return f"{title_of('masked', answer.scene)}: {blank} of {values.size} scores are hidden."


def say_on_padding(answer: Answer) -> str:
    """How much weight the sentence's own tokens put on [PAD]."""
    n = answer.value(padded(answer.scene)).n
    share = percent(answer.numbers.array[:n, n:].sum(-1).mean())
    return f"{title_of('weights', answer.scene)}: its {n} tokens put {share} of their weight on [PAD]."


PAD_MASKED = of_padding(
    key="pad_masked",
    question="Which scores does the mask of a batch hide?",
    measure=lambda scene: padded(scene).scores[MASKS.index(scene[MASK])],
    dims=("layer", "head", "query", "key"),
    chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
    names=names_of_batch,
    values=lambda answer: colours_of("masked", answer),
    title=lambda scene: title_of("masked", scene),
    say=say_masked,
    about=about_batch,
    options=(SHORT, MASK),
)

PAD_WEIGHTS = of_padding(
    key="pad_weights",
    question="Where does the short sentence of a batch look?",
    measure=lambda scene: padded(scene).weights[MASKS.index(scene[MASK])],
    dims=("layer", "head", "query", "key"),
    chosen={"layer": lambda scene: scene.layer, "head": lambda scene: scene.head},
    names=names_of_batch,
    values=lambda answer: colours_of("weights", answer),
    title=lambda scene: title_of("weights", scene),
    say=say_on_padding,
    about=about_batch,
    options=(SHORT, MASK),
)


def here(answer: Answer) -> str:
    """Return the chosen layer and head in words."""
    return f"head {answer.scene.head} of layer {answer.scene.layer}"


def batch_shape(answer: Answer) -> str:
    """Return what a batch of two sentences is before and after the encoder."""
    batch, d_model = answer.value(padded(answer.scene)), answer.scene.config.d_model
    n = len(batch.tokens)
    return (
        f"The batch goes in as (2, {n}) ids and comes out as (2, {n}, {d_model:,}): {n - batch.n} rows of the short "
        "one are [PAD]."
    )


def both_rows(answer: Answer) -> Mapping[Any, Sequence[str]]:
    """Return the tokens of both sentences of a batch, place by place."""
    rows = zip(answer.value(padded(answer.scene)).tokens, answer.scene.t.tokens, strict=True)
    return {"": ["short", "long"]} | {place: list(map(shown, both)) for place, both in enumerate(rows)}


def without_added(scene: Scene) -> Call:
    """The sentence's own tokens alone."""
    return call(bare, ENC, scene.t.inputs)


def say_bare(answer: Answer) -> str:
    """What shapes come out, and how alike the vectors are."""
    alone = answer.value(without_added(answer.scene))
    n, d_model = alone.alone.shape
    return (
        f"Without {listed(list(alone.added))} the output is ({n}, {d_model:,}), one row for each of {n} tokens; with "
        f"them it is ({n + len(alone.added)}, {d_model:,}). The vectors of the same tokens have a mean cosine of "
        f"{brief(answer.numbers.array.mean())}."
    )


BARE = in_lab("Without [CLS] and [SEP]")(
    key="bare",
    question="What changes without the tokens that the model adds?",
    measure=lambda scene: without_added(scene).alike,
    dims=("token",),
    names=lambda answer: {"token": answer.value(without_added(answer.scene)).tokens},
    kind="bars",
    unit="cosine",
    title="Cosine of each token's vector alone and with the added tokens",
    say=say_bare,
    about=lambda scene: about_sentence(scene, f"{quoted(scene.t.inputs)} with the added tokens and without"),
)


@trial(PADS, sets={"short": SHORT}, runs=5, held=5, mask=a_text(choices=("kept", "forgotten")))
def padding_ignored(answer: Answer, mask: str = "kept") -> Finding:
    """A short sentence in a batch has the vectors that it has alone."""
    result, short = answer.value(padded(answer.scene)), answer.scene[SHORT]
    leak = result.masked_leak if mask == "kept" else result.forgotten_leak
    value = float(answer.numbers.array[int(mask == "forgotten")].max())
    text = (
        f"With the mask {mask}, the vectors of “{short}” beside {len(result.tokens) - result.n} [PAD] differ from "
        f"those alone by up to {brief(value)}; [PAD] takes {percent(float(leak.mean()))} of all weight."
    )
    return Finding(value, "largest difference from the run alone", text, judge(value < 10 * ROUNDING * result.size))


@claim("masks", "asked", lesson="padding")
@trial()
def masks_alike(encoder: TextEncoder) -> Finding:
    """Masking with -10⁹, as the guide does, and with minus infinity, as the block does, comes to the same."""
    finite, endless = (float(softmax_of([2.0, 1.0, mask])[2]) for mask in (-1e9, -math.inf))
    lost, even = hidden_row(-math.inf), hidden_row(-1e9)
    text = (
        f"Beside keys that may be seen, a key at -1e9 gets weight {brief(finite)}, one at minus infinity "
        f"{brief(endless)}. Where all keys of a row are hidden they differ: minus infinity gives no number, and "
        f"{lost.lost[-1]} of {len(lost.weights)} tokens are lost after {len(lost.lost) - 1} layers; -1e9 gives "
        f"every hidden key {brief(float(even.weights[-1, 0]))}."
    )
    same = finite == endless
    everywhere = same and lost.lost[-1] == even.lost[-1]
    judgement = judge(everywhere, "every row has a key that may be seen" if same else "")
    return Finding(finite, "weight of a key masked with -1e9", text, judgement)


def masks_alike_here(encoder: TextEncoder) -> str:
    """What is said of it; a page that is drawn again asks for it again."""
    return masks_alike(encoder).measured


LABS = {
    "Padding": lab(
        "What if the mask over [PAD] is forgotten?",
        "In a batch the shorter sentence is filled up with [PAD], and a mask hides that from the words.",
        Ask("Short sentence", SHORT, "text"),
        Table("batch", both_rows),
        Note("finding", batch_shape),
        PADS,
        LEAK,
        Note("heading", lambda answer: f"The short sentence in the batch ({here(answer)})"),
        Ask("Run", MASK, "pills"),
        Beside((PAD_MASKED, PAD_WEIGHTS)),
        "And if every key of a row is masked?",
        Note("finding", lambda answer: answer.value(call(masks_alike_here, ENC))),
        place=True,
    ),
    "Without [CLS] and [SEP]": lab(
        "What if [CLS] and [SEP] are left out?",
        "Tutorials often show one row for each word. Here the sentence is read as they do it, without the tokens "
        "that the tokenizer adds, and beside it as the model was trained.",
        When(
            lambda answer: isinstance(answer.scene.t.inputs, str),
            (
                Show(BARE, "Every word also stands as many positions earlier as tokens were added before it."),
                Own("bare output"),
            ),
            ("This needs one sentence, and no pair.",),
        ),
    ),
}

"""The lab on rollout: what it says of the words of a guess, beside what the loss of each word really costs."""

from encoder.experiments.attributions.rolled import rolled
from encoder.metrics import rollout
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, Call, T, call
from encoder.pictures.figures.facts import main_fact
from encoder.pictures.lab import Ask, Note, Show, in_lab, lab
from encoder.pictures.picture import Answer
from encoder.pictures.registry.why_pictures import ASKED, BASELINE, BASELINES, about_logits, target, target_name
from encoder.pictures.scene import Option, Scene
from encoder.support.formatting import brief, percent, shown

UPTO = Option("rollout_layer", lambda scene: range(scene.n_layers), lambda scene: scene.n_layers - 1)
of_rollout = in_lab("Rollout")


def say_rollout(answer: Answer) -> str:
    """What stands out among the rolled weights."""
    run = answer.scene.t
    return main_fact(answer.numbers.array, run.tokens, run.tokens, "share", run.tokenization.special)


ROLLOUT = of_rollout(
    key="rollout",
    question="How much of each input word is in each token, if attention were all?",
    measure=lambda scene: call(rollout, T),
    dims=("layer", "query", "key"),
    chosen={"layer": UPTO.of},
    values="share",
    title=lambda scene: f"Rollout up to layer {scene[UPTO]}",
    say=say_rollout,
    about=lambda scene: About(scene.t, reads=(f"layers.{scene[UPTO]}.attention.weights",)),
    options=(UPTO,),
    look=lambda answer: {"row_title": f"after layer {answer.scene[UPTO]}", "column_title": "input"},
)


def compared(scene: Scene) -> Call:
    """What rollout says of each word, and what its loss costs."""
    return call(rolled, ENC, T, target(scene), BASELINES[scene[BASELINE]])


def words(answer: Answer) -> list[str]:
    """The words beside the guess, each in one piece."""
    return [answer.scene.t.tokenization.spelled(word) for word in answer.value(compared(answer.scene)).words]


def say_compared(answer: Answer) -> str:
    """Which word each of the two puts first, and how far they agree."""
    names, (shares, _), rolled_words = words(answer), answer.numbers.array, answer.value(compared(answer.scene))
    first, dearest = int(shares.argmax()), int(rolled_words.lost.argmax())
    return (
        f"Rollout puts “{shown(names[first])}” first, with {percent(float(shares[first]))}; without "
        f"“{shown(names[dearest])}” {target_name(answer.scene)} falls most. Over the {len(names)} words beside the "
        f"guess the ranks agree by {brief(rolled_words.agreement)}, where 1 is the same order and 0 is none."
    )


ROLLED = of_rollout(
    key="rolled",
    question="Does rollout put the words first that the guess needs?",
    measure=lambda scene: compared(scene).beside(),
    dims=("measure", "word"),
    names=lambda answer: {"measure": ["rollout", "what its loss costs"], "word": words(answer)},
    kind="bars",
    unit="share of all",
    title=lambda scene: f"Rollout, and what the loss of each word costs {target_name(scene)}",
    say=say_compared,
    about=about_logits,
    options=(*ASKED, BASELINE),
)

LABS = {
    "Rollout": lab(
        "Does rollout say which words made the guess?",
        "Rollout averages the heads of each layer, adds the token itself as one half, and multiplies the layers "
        "(Abnar & Zuidema 2020). It knows only weights: not what is handed over, nor what the feed-forward does, nor "
        "whether a word speaks for a guess or against it.",
        ROLLED,
        Note("heading", "Rollout itself"),
        Ask("Up to layer", UPTO, "marks"),
        Show(ROLLOUT, "The half is assumed; nothing in the run says so."),
    )
}

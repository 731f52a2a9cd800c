"""More of What if: switches for the whole model, what differs, each part left out, and what made the guess."""

from collections.abc import Mapping, Sequence
from typing import Any

from encoder.experiments.attributions.contributions import BIAS, EMBEDDING, REST
from encoder.experiments.attributions.why import LOOKED, Why
from encoder.experiments.compare import first_difference
from encoder.experiments.importance import OVER
from encoder.explain.cost import run_flops
from encoder.metrics import cosine
from encoder.pictures.lab import Ask, Beside, Long, Note, Part, Press, Show, Table, When
from encoder.pictures.more.switches import of_whole_model, shifts, temperatures
from encoder.pictures.picture import Answer
from encoder.pictures.registry.compare import APART_CHANGED
from encoder.pictures.registry.side_by_side_pictures import BESIDE_STEP, STEP_BEFORE, STEP_CHANGE, STEP_NOW
from encoder.pictures.registry.what_if_pictures import (
    ACTION,
    EFFECT,
    IMPORTANCE,
    LEFT_OUT,
    WATCHED,
    WAY,
    masked_place,
    measured,
    typed,
)
from encoder.pictures.registry.why_pictures import (
    BASELINE,
    GUESS,
    METHOD,
    METHODS,
    OTHER,
    WHY_DELETED,
    WHY_HEAD,
    WHY_HEADS,
    WHY_PARTS,
    WHY_SUM,
    WHY_WORDS,
    WORD,
    answered,
    attributed,
    target_name,
)
from encoder.pictures.scene import Scene, head_names, layer_names
from encoder.support.formatting import brief, listed, percent, shown

WHY_STEPS = 400  # runs, about, of which a share of the guess is worked out
NOTHING = "Nothing is changed yet: press a switch here, or in the picture above, and what differs stands here."
KNOCKED = "Every head and every feed-forward block is knocked out in turn, each alone, to see which one matters."
MANY = f"""One sentence and zeros can mislead: a part may be idle here, and zero is a number that the layers behind it \
never meet. So each part is left out in {len(OVER)} sentences, without the changes made above. In each the longest \
word is hidden, and what counts is how much of ln p of that word is lost."""
SUM = """The vector that makes the guess is a sum: what the embedding, every head and every feed-forward block put \
into it. So the logit is a sum too."""
NO_KNOCK_OUT = """Each norm divides every part by the spread that it had in this run, and the activation of the MLM \
head multiplies it by the factor that it had: without a part they would be others, so this is not a knock-out."""
ADDED = """With what this run did held (where each head looks, how each norm scales, how far each unit is open), the \
logit is an exact sum over the words, with one part for all biases: it is how this run was added up."""
SHARED = """Every word of the sentence gets a share of the guess. A share by gradients asks what small changes would \
do; the knock-out beside it really takes the word away."""
SPEED = "It is how fast the logit would change if all weights of that head were made a little larger."


def is_changed(answer: Answer) -> bool:
    """Whether something is changed in the run."""
    return bool(answer.scene.view.edits)


def what_differs(answer: Answer) -> str:
    """Where the runs part, and how far apart they end."""
    before, after = answer.scene.t, answer.scene.b
    first = first_difference(before, after)
    if not first:
        return "No number differs from the run without changes."
    alike = cosine(before["output"], after["output"])
    least = int(alike.argmin())
    return (
        f"The runs first differ at {first}; the outputs have cosine {brief(float(alike.mean()))} on average, least at "
        f"“{shown(after.tokens[least])}” ({least}): {brief(float(alike[least]))}."
    )


def first_answers(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """The model's first answer at every token, without the changes and with them."""
    scene = answer.scene
    before, after = scene.encoder.predict(scene.t, 1) or [], scene.encoder.predict(scene.b, 1) or []
    return {
        "token": [f"{i} {shown(token)}" for i, token in enumerate(scene.t.tokens)][: len(before)],
        "before": [words[0][0] for words in before],
        "share before": [words[0][1] for words in before],
        "now": [words[0][0] for words in after],
        "share now": [words[0][1] for words in after],
    }


def how_many_answers(answer: Answer) -> str:
    """At how many tokens the first answer is another one."""
    table = first_answers(answer)
    others = sum(a != b for a, b in zip(table["before"], table["now"], strict=True))
    return f"The model's first answer is another one at {others} of {len(table['token'])} tokens."


def flops_of_parts(scene: Scene) -> float:
    """Operations of leaving out every part of this run, of which the layers above it are made again."""
    return scene.n_layers * (scene.n_heads + 1) * run_flops(scene.config, len(scene.t.tokens)) / 2


def flops_over_sentences(scene: Scene) -> float:
    """The same in many sentences."""
    lengths = [len(scene.encoder.tokenize(text).ids) for text in OVER]
    return sum(scene.n_layers * (scene.n_heads + 1) * run_flops(scene.config, n) / 2 for n in lengths)


def flops_of_why(scene: Scene) -> float:
    """Operations of sharing out the guess."""
    return WHY_STEPS * run_flops(scene.config, len(scene.t.tokens))


def errors(answer: Answer) -> Mapping[Any, Sequence[Any]]:
    """The standard error over the sentences, of every part."""
    scene = answer.scene
    error = answer.value(measured(scene).deciding[1])
    columns = {"": layer_names(scene.config)}
    return columns | dict(zip([*head_names(scene.config), "feed-forward"], error.T.tolist(), strict=True))


def all_parts(answer: Answer) -> str:
    """What the parts that are not drawn put in, and that all add up."""
    parts = answer.value(attributed(answer.scene))
    return (
        f"With the embedding ({brief(parts.of(EMBEDDING))}), the biases ({brief(parts.of(BIAS))}) and rounding or "
        f"changes ({brief(parts.of(REST))}) all parts add up to {brief(parts.total)}, {target_name(answer.scene)}."
    )


def answers_of(answer: Answer) -> Why:
    """All answers to which words made the guess."""
    answers: Why = answer.value(answered(answer.scene)).found
    return answers


def agreement(answer: Answer) -> str:
    """How far each method ranks words as knock-outs do."""
    answers = answers_of(answer)
    ranks = listed([f"{name} {answers.agreement(name):.2f}" for name in METHODS])
    return f"Rank agreement with the knock-outs (Spearman, 1 is the same order): {ranks}."


def completeness(answer: Answer) -> str:
    """Whether the shares add up to what they are shares of."""
    shares = answers_of(answer).integrated
    assert shares.without is not None and shares.missing is not None
    wanted = shares.value - shares.without
    sentence = (
        f"The shares by integrated gradients add up to {brief(shares.total)}; from the baseline to this sentence "
        f"{target_name(answer.scene)} goes from {brief(shares.without)} to {brief(shares.value)}, by {brief(wanted)}."
    )
    end = f" {percent(shares.missing)} is missing, with {shares.steps} steps."
    return sentence + (end if shares.converged else f"{end} It did not converge, so these shares do not add up.")


def watches(answer: Answer) -> str:
    """The word that is watched; why none is."""
    typed(answer.scene)
    return ""


GUESS_OF = (
    Ask("The guess at", GUESS, "token"),
    Ask("Word", WORD, "text", most=40),
    Ask("Rather than (may be empty)", OTHER, "text", most=40),
)
MORE: dict[str, tuple[Part, ...]] = {
    "whole": (
        "Each of these changes the whole model; every change is part of the address.",
        Press("For the whole model", of_whole_model),
        Press("Temperature of the softmax", temperatures),
        Press("Shift positions by", shifts),
    ),
    "differs": (
        When(
            is_changed,
            (
                Note("finding", what_differs),
                Show(APART_CHANGED, more="Length of the difference over the length of the vector without changes."),
                When(
                    lambda answer: answer.scene.config.mlm_head,
                    (Note("paragraph", how_many_answers), Table("answers", first_answers)),
                ),
            ),
            (NOTHING,),
        ),
    ),
    "beside": (
        When(
            is_changed,
            (Ask("Step", BESIDE_STEP, "list"), Beside((STEP_BEFORE, STEP_NOW, STEP_CHANGE))),
            (NOTHING,),
        ),
    ),
    "loo": (
        KNOCKED,
        When(
            lambda answer: masked_place(answer.scene) is not None,
            (Ask("Word to watch at the gap", WATCHED, "text", most=40), Note("paragraph", watches)),
        ),
        Ask("Put in its place", ACTION, "pills"),
        Ask("Effect", EFFECT, "pills"),
        Long("Knock out each in turn", flops_of_parts, (LEFT_OUT,)),
    ),
    "board": (
        MANY,
        Ask("In the place of each part", WAY, "pills"),
        Long("Measure every part", flops_over_sentences, (IMPORTANCE, "The standard errors:", Table("errors", errors))),
    ),
    "parts": (
        SUM,
        *GUESS_OF,
        Show(WHY_PARTS, more=all_parts),
        NO_KNOCK_OUT,
        WHY_HEAD,
    ),
    "words": (
        SHARED,
        *GUESS_OF,
        Ask("In place of a word", BASELINE, "pills"),
        Ask("Method", METHOD, "pills"),
        Long(
            "Divide this guess among the words",
            flops_of_why,
            (
                Note("paragraph", ADDED),
                WHY_SUM,
                Show(WHY_WORDS, more=agreement),
                Note("paragraph", completeness),
                When(lambda answer: answer.scene[METHOD] == LOOKED, (Show(WHY_HEADS, more=SPEED),)),
                Note("heading", "The guess while words go"),
                WHY_DELETED,
            ),
        ),
    ),
}

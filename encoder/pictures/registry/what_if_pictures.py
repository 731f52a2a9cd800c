"""Pictures of what each part of a model matters: left out in turn, over many sentences, and by changes of one's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.experiments.compare import relative_difference
from encoder.experiments.importance import OVER, Way, importance
from encoder.metrics import largest_cell
from encoder.metrics.answer import SENTENCE, answer_id, answers, name_of
from encoder.metrics.guess import word_guess
from encoder.packet.what_if_level import guessed_at
from encoder.pictures.export.caption import UNCHANGED, About
from encoder.pictures.expression import ENC, A, B, Call, Expression, Several, T, call, last, step
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.scene import Option, Scene, head_names, one_of
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, percent, shown
from encoder.support.theme import Kind
from encoder.trace.trace import Trace

ACTIONS = {"Zero": "zero", "Its mean over tokens": "mean"}
WAYS: dict[str, Way] = {
    "Its mean over sentences": "mean",
    "What it gave in another sentence": "resample",
    "Zero in its place": "zero",
}


@dataclass(frozen=True)
class Measure:
    """One effect of leaving a part out: its field of `Effect`, its colours, what it reads, and how a value is said.

    Of all of them a larger value is more harm. `sentence` is what happens without the part; its second argument is the
    watched word.
    """

    field: str
    kind: Kind
    reads: tuple[str, ...]
    sentence: Callable[[float, str], str]


def lost(nats: float, word: str) -> str:
    """How far the log-probability of a word goes down, or up."""
    return f"ln p of “{word}” {'rises' if nats < 0 else 'falls'} by {brief(abs(nats))} nats"


def turned(distance: float, word: str) -> str:
    """How far the vectors of the output turn."""
    return f"the output turns away, to a cosine distance of {brief(distance)}"


MEASURES = {
    "Change of the output": Measure(
        "relative_change", "positive", ("output",), lambda value, _: f"the output changes by {percent(value)}"
    ),
    "Cosine distance of the output": Measure("cosine_distance", "positive", ("output",), turned),
    "Loss of the word's ln p": Measure("loss", "signed", ("mlm.logits",), lost),
}


def offered(watch: WatchedWord | None) -> dict[str, Measure]:
    """What can be measured; the loss only where a word is watched."""
    return {name: measure for name, measure in MEASURES.items() if watch or measure.field != "loss"}


def usual(watch: WatchedWord | None) -> str:
    """The effect that is shown first: that on the watched word, where there is one."""
    names = list(offered(watch))
    return names[-1 if watch else 0]


def strongest(values: np.ndarray, measure: Measure, encoder: TextEncoder, watch: WatchedWord | None) -> str:
    """Which part matters most of values [n_layers, n_heads + 1], and what happens without it."""
    i, j = largest_cell(np.nan_to_num(np.abs(values)))
    columns = [*head_names(encoder.config), "feed-forward"]
    word = shown(encoder.tokenizer.id_to_token(watch.token) or "") if watch else ""
    return f"Layer {i}, {columns[j]} matters most: without it {measure.sentence(float(values[i, j]), word)}."


def masked_place(scene: Scene) -> int | None:
    """The first mask, whose word can be watched; None where there is none, or the model guesses no words."""
    masks = [i for i, token in enumerate(scene.t.tokens) if token == scene.encoder.mask_token]
    return masks[0] if masks and scene.encoder.model.mlm_head is not None else None


def likeliest(scene: Scene) -> str:
    """The likeliest word at the mask; empty where none can be watched."""
    place = masked_place(scene)
    best = None if place is None else scene.encoder.predict(scene.t, 1, [place])
    return "" if best is None else best[0][0][0]


def typed(scene: Scene) -> WatchedWord | None:
    """The word that is watched; None where there is no mask.

    Raises:
        EncoderError: what was typed is no word of the vocabulary.
    """
    place = masked_place(scene)
    return None if place is None else WatchedWord(place, scene.encoder.word_id(scene.t, place, scene[WATCHED]))


def watched(scene: Scene) -> WatchedWord | None:
    """The word that is watched, if there is one."""
    try:
        return typed(scene)
    except EncoderError:
        return None


WATCHED = Option("watched", None, likeliest)
ACTION = one_of("loo_way", ACTIONS)
EFFECT = Option("loo_measure", lambda scene: offered(watched(scene)), lambda scene: usual(watched(scene)))
WAY = one_of("board_way", WAYS)


def swept(scene: Scene) -> Call:
    """Every part knocked out in turn, in this run."""
    return last(ablate_each, ENC, T, action=ACTIONS[scene[ACTION]], watch=watched(scene))


def say_left_out(answer: Answer) -> str:
    """Which part matters most."""
    scene = answer.scene
    return strongest(answer.numbers.array, MEASURES[scene[EFFECT]], scene.encoder, watched(scene))


of_page = partial(Picture, page="what_if", dims=("layer", "block"), heavy=True)
LEFT_OUT = of_page(
    key="loo_map",
    question="Which head or feed-forward block matters most in this sentence?",
    measure=lambda scene: call(grid, swept(scene).effects, T.config, MEASURES[scene[EFFECT]].field),
    values=lambda answer: MEASURES[answer.scene[EFFECT]].kind,
    title=lambda scene: f"{scene[EFFECT]} when each part is knocked out",
    say=say_left_out,
    about=lambda scene: About(scene.t, reads=MEASURES[scene[EFFECT]].reads),
    options=(WATCHED, ACTION, EFFECT),
    unfolds={"more": "loo"},
)


def measured(scene: Scene) -> Call:
    """Every part left out in turn, in many sentences."""
    return last(importance, ENC, WAYS[scene[WAY]])


def what_is_lost(scene: Scene) -> str:
    """What counts, in words."""
    return "Loss of ln p of the hidden word, in nats" if scene.config.mlm_head else "Change of the output"


def say_importance(answer: Answer) -> str:
    """Which head matters most, and how many heads matter clearly."""
    scene, effects = answer.scene, answer.value(measured(answer.scene))
    config, (values, errors) = scene.config, effects.deciding
    i, j = effects.strongest_head
    return (
        f"{what_is_lost(scene)}: head {j} of layer {i} matters most, {brief(values[i, j])} ± "
        f"{brief(errors[i, j])}; {effects.clear_heads} of {config.n_layers * config.n_heads} heads are more than "
        "two errors above 0."
    )


IMPORTANCE = of_page(
    key="board_map",
    question="Which head or feed-forward block matters most over many sentences?",
    measure=lambda scene: measured(scene).deciding[0],
    values=lambda answer: "signed" if answer.scene.config.mlm_head else "positive",
    title=what_is_lost,
    say=say_importance,
    about=lambda scene: About(source=scene.source, scope=f"{len(OVER)} of the bundled sentences, {UNCHANGED}"),
    options=(WAY,),
    unfolds={"more": "board"},
    needs="model",
)


MOST, LIKELIEST = 5, 10  # words that are drawn, and of each run those they are chosen from
HIDDEN_WORD = Option("hidden_word", None, lambda scene: "")  # that stood where the gap is: it is drawn too


def gap(scene: Scene) -> int:
    """The position of the first gap, or the place of the first label.

    Raises:
        EncoderError: there is none, or the model guesses no words.
    """
    place = guessed_at(scene.encoder, scene.t)
    if place is None:
        raise EncoderError("there is no gap whose word this model guesses, and no label with a share")
    return place


def shares(scene: Scene, run: Trace) -> Tensor:
    """The share of every word at the gap in a run, or of every label."""
    how = answers(scene.config)
    return how.shares(how.scores(run, gap(scene))).nan_to_num()


def differs(scene: Scene) -> bool:
    """Whether the two runs are not of the same."""
    return scene.t.inputs != scene.b.inputs or scene.t.edits != scene.b.edits


def words_told(scene: Scene) -> list[int]:
    """The words that are drawn, the likeliest first: those of both runs, and what gains most; then the hidden one."""
    before, after = shares(scene, scene.t), shares(scene, scene.b)
    most = min(LIKELIEST, len(before))
    ids = list(dict.fromkeys([*before.topk(most).indices.tolist(), *after.topk(most).indices.tolist()]))
    left = sorted(ids, key=lambda i: -float(after[i]))
    gains = sorted(ids, key=lambda i: float(before[i] - after[i]))
    drawn = sorted([*dict.fromkeys([*ids[:2], left[0], gains[0], *left[1:2], *ids])][:MOST], key=left.index)
    own = [answer_id(scene.encoder, scene.b, gap(scene), word)] if (word := scene[HIDDEN_WORD]) else []
    return [*dict.fromkeys([*drawn, *own])]


def guessed(scene: Scene) -> Expression:
    """The shares of these words without the changes and, where there are some, with them."""
    runs, place = (A, B) if differs(scene) else (A,), gap(scene)
    probabilities = f"{answers(scene.config).part}.probabilities"
    at = words_told(scene) if place == SENTENCE else (place, words_told(scene))
    return Several(*(step(None, probabilities, run)[at] for run in runs))


def names_guessed(answer: Answer) -> Mapping[str, Names]:
    """The runs, and the words that are drawn."""
    scene = answer.scene
    return {
        "series": [
            *(["with everything on", "with the changes"] if scene.view.edits else ["with the word", "without it"])
        ][: 1 + differs(scene)],
        "word": [name_of(scene.encoder, i) for i in words_told(scene)],
    }


def say_guessed(answer: Answer) -> str:
    """The first choice with the changes, and without them."""
    scene = answer.scene
    labelled = answers(scene.config).labels is not None
    if labelled or scene.t.inputs != scene.b.inputs:
        before, after = (shares(scene, run) for run in (scene.t, scene.b))
        first = int(before.argmax())
        became = f", {percent(float(after[first]))} with the change" if differs(scene) else ""
        what, share = "label" if labelled else "guess", percent(float(before[first]))
        return f"The {what} is {name_of(scene.encoder, first)}, {share}{became}."
    guess = word_guess(scene.encoder, scene.b, gap(scene), scene.t if scene.view.edits else None)
    assert guess is not None
    return guess.sentence


of_change = partial(Picture, page="what_if", kind="lying", needs="unchanged")
GUESS_CHANGED = of_change(
    key="guess_changed",
    question="What does the guess at the gap become with the changes?",
    measure=guessed,
    dims=("series", "word"),
    unit="share",
    values="share",
    title=lambda scene: (
        ("The label" if answers(scene.config).labels else "The guess at the gap")
        + (", without the changes and with them" if scene.view.edits else "")
    ),
    say=say_guessed,
    about=lambda scene: About(scene.b, reads=(f"{answers(scene.config).part}.probabilities",)),
    names=names_guessed,
    options=(HIDDEN_WORD,),
)
LABEL_HIDDEN = Picture(
    page="what_if",
    kind="lying",
    needs="same model",
    key="label_hidden",
    question="What does the label become without a word?",
    measure=guessed,
    dims=("series", "word"),
    unit="share",
    values="share",
    title="The label, with the word and without it",
    say=say_guessed,
    about=lambda scene: About(scene.t, reads=(f"{answers(scene.config).part}.probabilities",)),
    names=names_guessed,
)


def farthest(scene: Scene) -> list[tuple[int, ...]]:
    """The pieces of the words that end up farthest, the farthest first, each by its piece that does."""
    far, text, mask = relative_difference(scene.t, scene.b)[-1], scene.t.tokenization, scene.encoder.mask_token
    words = [pieces for pieces in text.words if not text.special[pieces[0]] or scene.t.tokens[pieces[0]] == mask]
    by = [tuple(sorted(pieces, key=lambda i: -float(far[i]))) for pieces in words if far[list(pieces)].isfinite().all()]
    return sorted(by, key=lambda pieces: -float(far[pieces[0]]))[:MOST]


def names_moved(answer: Answer) -> Mapping[str, Names]:
    """The words that are drawn."""
    scene = answer.scene
    return {"word": [shown(scene.t.tokenization.spelled(tuple(sorted(each)))) for each in farthest(scene)]}


def say_moved(answer: Answer) -> str:
    """Which word ends up farthest from where it was."""
    words, far = answer.numbers.along("word"), answer.numbers.array
    if not far.size or not far.max():
        return "No word ends up elsewhere."
    return f"“{words[0]}” ends up farthest from where it was: by {percent(far[0])} of its length."


WORDS_MOVED = of_change(
    key="words_moved",
    question="Which words end up farthest from where they were without the changes?",
    measure=lambda scene: call(relative_difference, A, B)[-1, [pieces[0] for pieces in farthest(scene)]],
    dims=("word",),
    unit="distance, in lengths of the vector",
    title="How far words end up from where they were",
    say=say_moved,
    about=lambda scene: About(scene.b, reads=("output",)),
    names=names_moved,
)

"""Pictures of what a run becomes with its changes: the guess at the gap, and which words end up elsewhere."""

from collections.abc import Mapping
from functools import partial

from torch import Tensor

from encoder.experiments.compare import relative_difference
from encoder.metrics.guess import word_guess
from encoder.metrics.lens import word
from encoder.pictures.export.caption import About
from encoder.pictures.expression import A, B, Expression, Several, call, step
from encoder.pictures.numbers import Names
from encoder.pictures.picture import Answer, Picture
from encoder.pictures.registry.what_if import masked_place
from encoder.pictures.scene import Scene
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent, shown
from encoder.trace.trace import Trace

GUESS = "mlm.probabilities"
MOST, LIKELIEST = 5, 10  # words that are drawn, and of each run those they are chosen from


def gap(scene: Scene) -> int:
    """The position of the first gap.

    Raises:
        EncoderError: there is none, or the model guesses no words.
    """
    place = masked_place(scene)
    if place is None:
        raise EncoderError("there is no gap whose word this model guesses")
    return place


def shares(scene: Scene, run: Trace) -> Tensor:
    """The share of every word at the gap in a run."""
    return run[GUESS][gap(scene)].nan_to_num()


def words_told(scene: Scene) -> list[int]:
    """The words that are drawn: the likeliest without the changes and with them, and what gains most."""
    before, after = shares(scene, scene.t), shares(scene, scene.b)
    most = min(LIKELIEST, len(before))
    ids = list(dict.fromkeys([*before.topk(most).indices.tolist(), *after.topk(most).indices.tolist()]))
    left = sorted(ids, key=lambda i: -float(after[i]))
    gains = sorted(ids, key=lambda i: float(before[i] - after[i]))
    return sorted([*dict.fromkeys([*ids[:2], left[0], gains[0], *left[1:2], *ids])][:MOST], key=ids.index)


def guessed(scene: Scene) -> Expression:
    """The shares of these words without the changes and, where there are some, with them."""
    runs = (A, B) if scene.view.edits else (A,)
    return Several(*(step(None, GUESS, run)[gap(scene), words_told(scene)] for run in runs))


def names_guessed(answer: Answer) -> Mapping[str, Names]:
    """The runs, and the words that are drawn."""
    scene = answer.scene
    return {
        "series": ["with everything on", "with the changes"][: 1 + bool(scene.view.edits)],
        "word": [shown(word(scene.encoder, i)) for i in words_told(scene)],
    }


def say_guessed(answer: Answer) -> str:
    """The first choice with the changes, and without them."""
    scene = answer.scene
    found = word_guess(scene.encoder, scene.b, gap(scene), scene.t if scene.view.edits else None)
    assert found is not None
    return found.sentence


of_page = partial(Picture, page="what_if", kind="bars", needs="unchanged")
GUESS_CHANGED = of_page(
    key="guess_changed",
    question="What does the guess at the gap become with the changes?",
    measure=guessed,
    dims=("series", "word"),
    unit="share",
    values="share",
    title=lambda scene: "The guess at the gap" + (", without the changes and with them" if scene.view.edits else ""),
    say=say_guessed,
    about=lambda scene: About(scene.b, reads=(GUESS,)),
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


WORDS_MOVED = of_page(
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

"""Small tasks with known attention: their data, the distance, and training that repeats itself."""

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
import torch

from encoder import TextEncoder, learned
from encoder.tasks.data import HELD_OUT, batches, guessing, held_out, numbered, sentence, tokenizer_of, vocab_size
from encoder.tasks.models import place, recorded, to_record
from encoder.tasks.settings import LearnSettings, read, usual
from encoder.tasks.task import TASKS
from encoder.tasks.task_training import DivergedError, LearningMoment, distances, learn, look, read_moment

pytestmark = pytest.mark.slow

OPENED = {"(": ")", "[": "]", "{": "}"}


def closed(line: str) -> str:
    """The closing brackets that the dots of a line stand for, by a stack."""
    stack, found = [], ""
    for sign in line:
        if sign in OPENED:
            stack.append(sign)
        else:
            found += OPENED[stack.pop()]
    assert not stack
    return found


# What the answers to a line are, worked out on its text alone.
RIGHT = {
    "copy": lambda line: line,
    "shift": lambda line: line[-1] + line[:-1],
    "reverse": lambda line: line[::-1],
    "histogram": lambda line: "".join(str(line.count(sign)) for sign in line),
    "majority": lambda line: max("ab", key=line.count) * len(line),
    "maximum": lambda line: max(line) * len(line),
    "palindrome": lambda line: "".join(b for a, b in zip(line, line[::-1], strict=True) if a == "?"),
    "brackets": closed,
    "sort": lambda line: "".join(sorted(line)),
}


def test_the_wanted_answers_are_right_and_training_never_sees_them() -> None:
    """Each row of the known pattern is a share, or says nothing where no answer is wanted; signs are there once."""
    for task in TASKS.values():
        inputs, wanted = held_out(task.key)
        for row, goal in zip(inputs, wanted, strict=True):
            line = sentence(task, row).replace(" ", "").replace("[MASK]", "?")
            assert "".join(task.vocabulary[i] for i in goal if i >= 0) == RIGHT[task.key](line), task.key
        np.testing.assert_allclose(task.looks(inputs).sum(-1)[wanted >= 0], 1.0, rtol=1e-6)
        tokenizer = tokenizer_of(task)
        assert tokenizer.get_vocab_size() == vocab_size(task)
        trained = [row for rows in batches(task, 0, 64, 20) for row in rows.ids[:, 1:-1].tolist()]
        kept_back = {tuple(tokenizer.encode(sentence(task, row)).ids[1:-1]) for row in inputs}
        assert len(trained) == 64 * 20 and not {tuple(row) for row in trained} & kept_back
        assert len({*numbered(task, inputs).tolist()}) == len(kept_back) == HELD_OUT


def test_the_distance_is_the_share_of_weight_elsewhere() -> None:
    pattern = np.array([[[0, 1, 0], [0, 0, 0]]], np.float32)
    weights = torch.tensor([[[[1.0, 0, 0, 0], [0.1, 0.7, 0.0, 0.2], [1, 0, 0, 0], [1, 0, 0, 0]]]])
    assert distances(weights, pattern) == pytest.approx((0.3,))
    assert distances(weights.flip(-1), pattern) == pytest.approx((1.0,))


SETTINGS = LearnSettings("shift", seed=5)


@pytest.fixture(scope="module")
def begun() -> list[LearningMoment]:
    """The first moments of a run."""
    return list(islice(learn(SETTINGS), 4))


@pytest.mark.nightly
def test_training_learns() -> None:
    moments = list(learn(SETTINGS))
    assert moments[0].exact < 0.5 and moments[-1].exact > 0.95 and moments[-1].loss < moments[0].loss / 5


def test_the_same_seed_is_the_same_curve(begun: list[LearningMoment]) -> None:
    assert begun[-1].loss < begun[0].loss
    for one, same in zip(begun, learn(SETTINGS), strict=False):
        assert (same.step, same.loss, same.exact, same.distance) == (one.step, one.loss, one.exact, one.distance)
        assert same.weights == one.weights
    other = next(learn(replace(SETTINGS, seed=6)))
    assert other.loss != begun[0].loss


def test_guessing_alone_costs_the_entropy_of_the_answers() -> None:
    assert guessing("majority") == pytest.approx(np.log(2), abs=0.02)
    assert guessing("shift") == pytest.approx(np.log(8), abs=0.02)


def test_a_moment_survives_its_line(begun: list[LearningMoment]) -> None:
    for one in begun:
        read_again = read_moment(one.line)
        np.testing.assert_array_equal(read_again.maps, one.maps)
        assert replace(read_again, maps=one.maps) == one


def test_a_rate_far_too_large_ends_in_words_or_in_no_answers() -> None:
    """It may end in numbers, which answer nothing, or in none."""
    settings = LearnSettings("shift", width=16, rate=1.0, steps=50)
    try:
        last = list(learn(settings))[-1]
    except DivergedError as error:
        assert "rate 1 is too large" in str(error)
    else:
        assert last.exact < 0.9


def test_settings_survive_their_text_or_are_refused_in_words() -> None:
    for text in (
        "task=reverse",
        "task=sort,heads=4,width=16,rate=0.001,steps=50,seed=99",
        "task=shift,norm_first=True",
    ):
        assert str(read(text)) == text and read(str(usual("brackets"))) == usual("brackets")
    for text, sentence_ in (
        ("task=bake", "task is 'bake'; it must be one of copy, shift"),
        ("task=copy,heads=7", "heads is '7'; it must be one of 1, 2, 4"),
        ("task=copy,rate=0.5", "rate is '0.5'; it must be one of 0.001"),
        ("task=copy,seed=100", "seed is 100; it must be a whole number from 0 to 99"),
        ("task=copy,seed=²", "is not a setting"),
        ("task=copy,layers=__import__", "layers is '__import__'"),
        ("x" * 5000, "is not a setting"),
    ):
        with pytest.raises(ValueError, match=sentence_):
            read(text)


def test_recorded_runs_are_there_and_small_and_found_the_pattern() -> None:
    for settings in to_record():
        moments = recorded(settings)
        assert moments[0].step == 0 and moments[-1].step == settings.steps and moments[-1].weights
        assert place(settings).stat().st_size < 1_500_000
        assert moments[-1].maps.shape[:2] == (settings.layers, settings.heads)
        again = look(learned(str(settings)).model, settings.about, settings.steps)
        assert again.exact == pytest.approx(moments[-1].exact, abs=0.02), "its weights are kept in 16 bits"
    for key in ("shift", "reverse", "palindrome", "maximum", "majority"):
        last = recorded(usual(key))[-1]
        assert last.exact >= 0.99 and last.nearest[0] < (0.1 if key == "reverse" else 0.12), key


ROW = "a b a c a b d e b a"


def test_without_positions_reverse_is_not_learned_because_equal_letters_are_one() -> None:
    settings = "task=reverse,positions=none"
    assert recorded(read(settings))[-1].exact == 0.0
    trace = learned(settings).trace(ROW)
    for name in ("layers.0.attention.output", "mlm.logits"):
        for letter in set(ROW.split()):
            same = trace[name][[i for i, token in enumerate(trace.tokens) if token == letter]]
            torch.testing.assert_close(same, same[:1].expand_as(same), rtol=1e-4, atol=1e-4)


def test_rotary_positions_alone_do_not_tell_where_a_place_is() -> None:
    """In the first layer two letters score the same wherever they are as far apart."""
    settings = "task=reverse,positions=rotary"
    assert recorded(read(settings))[-1].exact == 0.0
    trace = learned(settings).trace(ROW)
    scores, seen = trace["layers.0.attention.scores"][0], dict[tuple[str, str, int], float]()
    for (i, a), (j, b) in product(enumerate(trace.tokens), repeat=2):
        score = float(scores[i, j])
        assert score == pytest.approx(seen.setdefault((a, b, j - i), score), rel=1e-3, abs=1e-3)
    assert len(seen) < len(trace.tokens) ** 2


def test_a_model_of_a_task_is_walked_like_any_other() -> None:
    encoder = learned("task=reverse")
    assert isinstance(encoder, TextEncoder)
    trace = encoder.trace("a b c d e f g h a b")
    assert list(trace.tokens) == ["[CLS]", *"abcdefghab", "[SEP]"]
    guesses = encoder.predict(trace, 1)
    assert guesses is not None and [one[0][0] for one in guesses[1:-1]] == [*"bahgfedcba"]
    with pytest.raises(ValueError, match="no weights are kept of step 7; there are 0,"):
        learned("task=reverse", 7)

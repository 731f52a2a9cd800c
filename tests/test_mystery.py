"""Mystery models: what they compute and which head does it is measured; they are small and come out of their seeds."""

import numpy as np
import pytest

from encoder import Edit, TextEncoder, learned, mystery
from encoder.tasks.data import held_out
from encoder.tasks.mystery import FOLDER, MYSTERIES, examine, examined
from encoder.tasks.on_digits import ON_DIGITS
from encoder.tasks.task_training import learn
from encoder.tasks.task_training import model_of as trained_model

pytestmark = pytest.mark.slow

ROWS = ("31415926", "27182818", "00000000", "98765432", "10203040", "55500055")
# What each task makes of a row, worked out on its text alone.
RIGHT = {
    "own": lambda row: row,
    "before": lambda row: row[-1] + row[:-1],
    "after": lambda row: row[1:] + row[0],
    "two_on": lambda row: row[2:] + row[:2],
    "backwards": lambda row: row[::-1],
    "neighbours": lambda row: "".join(b + a for a, b in zip(row[::2], row[1::2], strict=True)),
    "halves": lambda row: row[4:] + row[:4],
    "mirrored": lambda row: row[3::-1] + row[:3:-1],
    "first": lambda row: row[0] * 8,
    "last": lambda row: row[-1] * 8,
    "largest": lambda row: max(row) * 8,
    "smallest": lambda row: min(row) * 8,
    "times": lambda row: "".join(str(row.count(digit)) for digit in row),
    "in_order": lambda row: "".join(sorted(row)),
}


def said(encoder: TextEncoder, row: str, *edits: Edit) -> str:
    """What a model answers to a row of digits, as a person would ask it."""
    guesses = encoder.predict(encoder.trace(" ".join(row), edits=edits), 1)
    assert guesses is not None
    return "".join(one[0][0] for one in guesses[1:-1])


def test_a_task_on_digits_wants_what_it_says_and_looks_where_that_stands() -> None:
    for key in ON_DIGITS:
        check_task(key)


def check_task(key: str) -> None:
    inputs, wanted = held_out(key)
    np.testing.assert_array_equal(inputs, held_out("own")[0])
    for digits, goal, pattern in zip(inputs, wanted, ON_DIGITS[key].looks(inputs), strict=True):
        assert "".join(map(str, goal)) == RIGHT[key]("".join(map(str, digits)))
        np.testing.assert_allclose(pattern.sum(-1), 1.0, rtol=1e-6)
        if key != "times":
            assert {(i, digits[j - 1]) for i, j in np.argwhere(pattern)} == set(enumerate(goal))


def test_a_mystery_computes_one_task_and_some_heads_do_it() -> None:
    assert len(MYSTERIES) == 10 and len({mystery_.settings.task for mystery_ in MYSTERIES.values()}) == 10
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 1_000_000
    for number in MYSTERIES:
        check_mystery(number)


def check_mystery(number: int) -> None:
    """Measured anew through the way of a person: rows are typed, and a head is edited out."""
    found, encoder, trained = examined(number), mystery(number), MYSTERIES[number].settings
    assert found.computes == trained.task
    assert [key for key in ON_DIGITS if found.agrees(key) > 0.5] == [trained.task]
    rows = ["".join(map(str, row)) for row in found.inputs[:12].tolist()]
    whole = [said(encoder, row) for row in rows]
    assert sum(a == RIGHT[trained.task](row) for a, row in zip(whole, rows, strict=True)) >= 11
    for (layer, head), harm in np.ndenumerate(found.harm):
        off = Edit(f"layers.{layer}.attention.heads", "zero", (head,))
        broken = sum(said(encoder, row, off) != a for a, row in zip(whole, rows, strict=True))
        assert broken >= 9 if harm > 0.9 else broken <= 3 if harm < 0.1 else broken > 0
        assert ((layer, head) in found.needed) == (harm > 0.3), "it is clear which heads do it"
    assert encoder.source.name == f"mystery {number}", "the name tells nothing"


@pytest.mark.nightly
def test_a_mystery_comes_out_of_its_seed_again() -> None:
    """Another processor may round otherwise, but finds the same."""
    one = MYSTERIES[10].settings
    again, shipped = examine(trained_model(one, list(learn(one))[-1])), examined(10)
    assert (again.computes, again.needed) == (shipped.computes, shipped.needed)
    np.testing.assert_allclose(again.harm, shipped.harm, atol=0.2)


def test_what_is_no_mystery_is_said() -> None:
    with pytest.raises(ValueError, match="does not read rows of digits"):
        examine(learned("task=reverse").model)
    with pytest.raises(ValueError, match="mystery is 11; it must be a whole number from 1 to 10"):
        mystery(11)

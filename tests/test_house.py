"""The house does not grow: what `tests/house.py` counts stays within bounds that only fall."""

import house
import mutants
import planted_faults
import pytest

pytestmark = pytest.mark.slow

BOUNDS = {  # what was counted last; lower one whenever a change allows it
    "folders of the library": 16,
    "floors of the library": 13,
    "arrows of the library": 81,
    "# fmt: skip": 26,
    "the five words as names": 29,
    "drawers of a number": 1,
    "elements a kind of picture": 1,
    "owners of a page": 1,
    "tables that name all pages": 1,
    "places that hand a figure to Plotly": 2,
    "names of Streamlit's in styles": 40,
    "insides of Streamlit": 0,
    "basenames that occur again": 4,
}


def test_it_stays_within_its_bounds() -> None:
    figures = house.figures()
    assert {name: figures[name] for name, most in BOUNDS.items() if figures[name] > most} == {}


def test_every_planted_fault_has_its_place() -> None:
    """Else `tests/planted_faults.py` would plant nothing there, and say so only when somebody runs it."""
    for fault in planted_faults.FAULTS:
        assert (house.ROOT / fault.file).read_text(encoding="utf-8").count(fault.right) == 1, fault.seen
        assert [name for name in fault.tests if not (house.ROOT / "tests" / name).is_file()] == [], fault.seen


def test_every_line_of_the_mutants_names_a_place_and_tests_that_are_there() -> None:
    library = house.ROOT / "encoder"
    assert [
        place for place in mutants.TESTS if not (library / place).exists() and not (library / f"{place}.py").exists()
    ] == []
    names = {name for tests in mutants.TESTS.values() for name in tests.split()}
    assert [name for name in names if not (house.ROOT / "tests" / f"test_{name}.py").is_file()] == []

"""Which cases of a test guard every change, and which are run by `bash tests/run.sh all` alone."""

from collections.abc import Collection, Iterable

import pytest
from _pytest.mark import ParameterSet

SHARE = 1.0  # of the generated cases that are tried


def share_of(count: int) -> int:
    """Return how many of so many generated cases this run tries: a part where it guards a change, else all of them."""
    return max(10, round(count * SHARE))


def mostly_nightly(cases: Iterable[str], daily: Collection[str]) -> list[str | ParameterSet]:
    """Return the cases for `parametrize`; all but the daily ones carry the mark `nightly`."""
    cases = list(cases)
    unknown = set(daily) - set(cases)
    if unknown:
        raise ValueError(f"{sorted(unknown)} are none of the cases")
    return [case if case in daily else pytest.param(case, marks=pytest.mark.nightly) for case in cases]

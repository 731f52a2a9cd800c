"""Which cases of a test guard every change, and which are run by `bash tests/run.sh all` alone."""

from collections.abc import Collection, Iterable

import pytest
from _pytest.mark import ParameterSet


def mostly_nightly(cases: Iterable[str], daily: Collection[str]) -> list[str | ParameterSet]:
    """Return the cases for `parametrize`; all but the daily ones carry the mark `nightly`."""
    cases = list(cases)
    unknown = set(daily) - set(cases)
    if unknown:
        raise ValueError(f"{sorted(unknown)} are none of the cases")
    return [case if case in daily else pytest.param(case, marks=pytest.mark.nightly) for case in cases]

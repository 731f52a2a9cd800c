"""Many cases of a test as one: they are tried in turn, and the first that fails is named below its error."""

import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import pytest
from tiny import COVERING

from encoder import EncoderConfig

Test = Callable[..., None]


def without(test: Test, names: Iterable[str], *instead: str) -> inspect.Signature:
    """Return the signature of a test to which these arguments are given, and which takes others instead."""
    signature = inspect.signature(test)
    left = [parameter for name, parameter in signature.parameters.items() if name not in set(names)]
    new = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in instead]
    return signature.replace(parameters=[*left, *new])


def attempt(test: Test, number: int, label: str, arguments: dict[str, Any]) -> None:
    """Run a test with a `tmp_path` of its own; what it raises gets a note of the case."""
    if "tmp_path" in arguments:
        arguments["tmp_path"] = arguments["tmp_path"] / f"case-{number}"
        arguments["tmp_path"].mkdir()
    try:
        test(**arguments)
    except BaseException as error:
        error.add_note(f"in the case {label}")
        raise


def in_turn(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Give a test the cases as `pytest.mark.parametrize` does, one by one, each with a `tmp_path` of its own."""
    listed = list(cases)
    assert listed, "no cases"

    def decorate(test: Test) -> Test:
        @wraps(test)
        def loop(**given: Any) -> None:
            for i, case in enumerate(listed):
                values = {names: case} if isinstance(names, str) else dict(zip(names, case, strict=True))
                attempt(test, i, reprlib.repr(case), given | values)

        loop.__signature__ = without(test, [names] if isinstance(names, str) else names)  # type: ignore[attr-defined]
        return loop

    return decorate


def every_shape(
    shapes: Mapping[str, EncoderConfig], rest: pytest.MarkDecorator = pytest.mark.nightly
) -> Callable[[Test], Test]:
    """Give a test `config`, each of the shapes in turn: the covering ones are a case, the others one marked `rest`.

    What proves the numbers takes `pytest.mark.slow`, and so tries all shapes whenever it guards a change.
    """
    covering = {name: config for name, config in shapes.items() if name in COVERING}
    others = {name: config for name, config in shapes.items() if name not in COVERING}
    groups = [pytest.param(covering, id="covering"), pytest.param(others, id="others", marks=rest)]

    def decorate(test: Test) -> Test:
        @pytest.mark.parametrize("shapes", [group for group in groups if group.values[0]])
        @wraps(test)
        def loop(shapes: Mapping[str, EncoderConfig], **given: Any) -> None:
            for i, (name, config) in enumerate(shapes.items()):
                attempt(test, i, name, {**given, "config": config})

        loop.__signature__ = without(test, ["config"], "shapes")  # type: ignore[attr-defined]
        return loop

    return decorate

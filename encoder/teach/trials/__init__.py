"""Trials: claims about encoders as functions that measure them now, by the names that lesson files use.

A lesson file can name a trial and give it numbers, words and sentences; nothing in a file is ever run as code. What a
trial takes stands in its signature, and what each name may hold in PARAMETERS.
"""

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from encoder.support.errors import EncoderError
from encoder.teach.trials import (
    arithmetic,
    flows,
    grammar,
    heads,
    layout,
    linear,
    links,
    meaning,
    mystery,
    notebook,
    order,
    probing,
    reasons,
    since_2017,
    sizes,
    stacks,
    training,
    wiring,
)
from encoder.teach.trials.finding import Bars, Curves, Finding, Grid, Judgement, Picture, Verdict, judge
from encoder.teach.trials.heads import position_of
from encoder.teach.trials.parameters import OWN, PARAMETERS, ListOf, Number, Text
from encoder.text_encoder import TextEncoder

Trial = Callable[..., Finding]


def trials_of(module: ModuleType) -> dict[str, Trial]:
    """The functions that a module itself defines and that make a finding of an encoder, in their order."""
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and value.__annotations__.get("return") is Finding
        and "encoder" in value.__annotations__
    }


MODULES = (
    order,
    heads,
    links,
    flows,
    meaning,
    reasons,
    arithmetic,
    stacks,
    linear,
    training,
    probing,
    mystery,
    grammar,
    layout,
    notebook,
    wiring,
    sizes,
    since_2017,
)  # in the order in which the maker offers them
TRIALS: dict[str, Trial] = {name: trial for module in MODULES for name, trial in trials_of(module).items()}


def takes(name: str) -> dict[str, bool]:
    """The parameters of a trial besides the model, and whether each must be given."""
    signature = inspect.signature(TRIALS[name])
    return {p.name: p.default is p.empty for p in list(signature.parameters.values())[1:]}


def claim(name: str) -> str:
    """What a trial puts to the test, in one sentence: the first line of its docstring."""
    return inspect.getdoc(TRIALS[name]).partition("\n")[0]  # type: ignore[union-attr]


def kind(name: str, parameter: str) -> Text | Number | ListOf:
    """What a parameter of a trial may hold."""
    return OWN.get((name, parameter)) or PARAMETERS[parameter]


def problems(name: object, given: Mapping[str, object], sentence: bool = False) -> list[str]:
    """What is wrong with a trial's name and parameters, one sentence each; `sentence` is given by the view."""
    if not isinstance(name, str) or name not in TRIALS:
        return [f"there is no trial {str(name)[:60]!r}; the trials are {', '.join(TRIALS)}"]
    known = takes(name)
    found = [
        f"{str(p)[:40]} is no parameter of {name}; it takes {', '.join(known) or 'none'}"
        for p in given
        if p not in known
    ]
    for parameter, needed in known.items():
        allowed = kind(name, parameter)
        if parameter not in given:
            if needed and not (sentence and parameter == "sentence"):
                found.append(f"{parameter} of {name} is missing; it must be {allowed.allowed}")
        elif not allowed.fits(given[parameter]):
            found.append(f"{parameter} of {name} is {str(given[parameter])[:60]!r}; it must be {allowed.allowed}")
    return found


def run(name: str, encoder: TextEncoder, given: Mapping[str, Any]) -> Finding:
    """Measure now.

    Args:
        name: one of TRIALS.
        encoder: the model to measure.
        given: the trial's parameters.

    Raises:
        EncoderError: a name or parameter that `problems` finds fault with, or one that does not fit model and sentence.
    """
    if wrong := problems(name, given):
        raise EncoderError(wrong[0])
    return TRIALS[name](encoder, **given)


__all__ = [
    "PARAMETERS",
    "TRIALS",
    "Bars",
    "Curves",
    "Finding",
    "Grid",
    "Judgement",
    "Picture",
    "Verdict",
    "claim",
    "judge",
    "kind",
    "position_of",
    "problems",
    "run",
    "takes",
]

"""How to check the steps of a page: against PyTorch's own modules, and by their source."""

from collections.abc import Iterator, Mapping, Sequence
from inspect import getsource
from typing import Any

from encoder.browser.page_table import PAGES
from encoder.explain import whole
from encoder.explain.proof import Check, checks
from encoder.explain.snippet import running_source
from encoder.model.steps.step import Step
from encoder.pictures.lab import Note, Part, Table
from encoder.pictures.labs.wiring_claims import classic
from encoder.pictures.picture import Answer
from encoder.support.formatting import agreement, brief

HELD = """What these steps made is held against what PyTorch's own modules make of the same input with the same \
weights, now. Where a change was made on the way, the difference is its effect and proves nothing."""
WHOLE = "All of it in one program, as tutorials write it; with these weights it computes the same:"


def steps_of(page: str, answer: Answer) -> Iterator[Step]:
    """Return the steps of a page that the run has, in the chosen layer."""
    run = answer.scene.t
    for name in run:
        step = run.step(name)
        part = "layer_output" if step.local == "output" and step.layer is not None else step.part
        if step.layer in (None, answer.scene.layer) and part in PAGES[page].parts:
            yield step


def checked(page: str) -> tuple[Part, ...]:
    """Return the parts that check the steps of a page."""

    def columns(answer: Answer) -> Mapping[Any, Sequence[Any]]:
        model, run = answer.scene.encoder.model, answer.scene.t
        every = (check for step in steps_of(page, answer) for check in checks(model, run, step))
        proofs = {(check.what, brief(check.difference), check.edited): check for check in every}.values()
        return {
            "held against": [check.what for check in proofs],
            "agrees": [agreed(check) for check in proofs],
            "largest difference": [check.difference for check in proofs],
            "among numbers up to": [check.size for check in proofs],
        }

    def source(answer: Answer) -> str:
        sources = dict.fromkeys(running_source(answer.scene.t, step) for step in steps_of(page, answer))
        return "\n\n".join(sources)

    shown: tuple[Part, ...] = (HELD, Table(f"checks_{page}", columns), "The source that computed them:")
    return (*shown, Note("code", source))


def agreed(check: Check) -> str:
    """How far a check agrees, or that a change was made on the way."""
    return f"changed: {brief(check.difference)}" if check.edited else agreement(check.difference, check.size)


def program(answer: Answer) -> str:
    """The whole encoder as one program; empty for a model of another kind."""
    return getsource(whole) if classic(answer.scene.config) else ""

"""An edit in words."""

from collections.abc import Sequence

from encoder.edits.edit import Edit, bypassed
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.support.errors import EncoderError

SHOWN = 60  # characters of a sentence within a sentence


def in_runs(numbers: Sequence[int], to: str, between: str) -> str:
    """Ascending whole numbers with three or more in a row drawn together: 0, 2, 3, 4 as "0,2-4"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [f"{run[0]}{to}{run[-1]}" if len(run) > 2 else between.join(map(str, run)) for run in runs]
    return between.join(said)


PHRASES = {  # {value} is the edit's value, {input} the step that a bypass hands on
    "zero": "set to zero",
    "mean": "replaced by their mean over tokens",
    "scale": "multiplied by {value}",
    "noise": "replaced by noise (seed {value})",
    "replace": "set to {value}",
    "patch": "taken from “{value}”",
    "bypass": "left out, {input} handed on",
    "shuffle": "with rows in random order (seed {value})",
    "shift": "with rows moved by {value}",
    "causal": "with later tokens hidden",
}


def sentence(edit: Edit, config: EncoderConfig) -> str:
    """What an edit does, for a person: "layer 2, head 3: weighted values set to zero". All counts start from 0.

    Raises:
        EncoderError: the model of that configuration has no such step.
    """
    step = by_name(config).get(edit.step)
    if step is None:
        raise EncoderError(f"no step is called {edit.step[:SHOWN]!r}")
    where = [] if step.layer is None else [f"layer {step.layer}"]
    for name, numbers in (("head", edit.heads), ("position", edit.positions)):
        where += [f"{name}{'s' * (len(numbers) > 1)} {in_runs(numbers, ' to ', ', ')}"] if numbers else []
    value = edit.value if edit.value is None or isinstance(edit.value, int | float | str) else edit.value.text
    said = shown(value) if isinstance(value, str) else value
    other = by_name(config)[bypassed(step, config)].title if edit.action == "bypass" else ""
    phrase = PHRASES[edit.action].format(value=said, input=plain(other))
    return f"{', '.join(where)}{': ' if where else ''}{plain(step.title)} {phrase}"


def shown(text: str) -> str:
    """A text on one line, without control characters, and cut where it is long."""
    line = "".join(character for character in " ".join(text.split()) if ord(character) >= 32)
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"


def plain(title: str) -> str:
    """A step's title within a sentence: "Attention: Mean" as "mean (attention)"."""
    group, _, name = title.lower().rpartition(": ")
    return f"{name} ({group})" if group else name

"""A small network in the browser: the pattern wanted beside every head's map, the answers and curves, by moment."""

import base64
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from encoder.tasks.attention_task import AttentionTask
from encoder.tasks.data import held_out
from encoder.tasks.mystery import Examined
from encoder.tasks.on_digits import ON_DIGITS
from encoder.tasks.task_training import LEVELS, LearningMoment
from pages.ui.components import film_component

PART = KEY = "learning"
SHOWN = 3  # inputs of a network whose task is hidden


def draw(of: str, task: AttentionTask, moments: Sequence[LearningMoment], last: int, live: bool) -> None:
    """Draw the moments of the run `of` of `last` steps; a `live` one grows, and the newest moment is shown."""
    inputs, wanted = held_out(task.key)
    signs = [task.vocabulary[i] for i in inputs[0].tolist()]
    goal = ["" if i < 0 else task.vocabulary[i] for i in wanted[0].tolist()]
    data = {
        "of": of,
        "moments": [
            {
                "step": moment.step,
                "loss": round(moment.loss, 4),
                "exact": round(moment.exact, 4),
                "distance": [[round(far, 3) for far in heads] for heads in moment.distance],
                "heads": [packed(head) for heads in moment.maps for head in heads],
                "said": moment.said,
                "right": moment.right,
            }
            for moment in moments
        ],
        "last": last,
        "live": live,
        "asks": task.asks,
        "signs": ["[CLS]", *signs, "[SEP]"],
        "lines": [{"title": "Input", "signs": signs}, {"title": "Right", "signs": goal}],
        "wanted": [pattern_of(task), task.pattern],
        "harm": None,
    }
    film_component.draw(PART, KEY, data)


def draw_hidden(number: int, network: Examined, guess: str, is_checked: bool) -> None:
    """Draw a network whose task is hidden: rows with its answers, its maps, and the pattern of the task guessed."""
    task, rows = ON_DIGITS["own"], (network.inputs, network.answers)
    signs = (*"?????", *task.vocabulary)
    spelled = [[[signs[i + 5] for i in row] for row in some[:SHOWN].tolist()] for some in rows]
    lines = [
        {"title": title, "signs": row}
        for pair in zip(*spelled, strict=True)
        for title, row in zip(("Reads", "Answers"), pair, strict=True)
    ]
    heads = [packed(head * LEVELS) for layer in network.maps for head in layer]
    moment = {"step": 0, "loss": 0, "exact": 0, "said": (), "right": (), "heads": heads}
    data = {
        "of": f"mystery {number}",
        "moments": [moment | {"distance": [[-1] * network.harm.shape[1]] * network.harm.shape[0]}],
        "last": 0,
        "live": False,
        "asks": "What it reads, and what it answers",
        "signs": ["[CLS]", *spelled[0][0], "[SEP]"],
        "lines": lines,
        "wanted": [pattern_of(ON_DIGITS[guess]) if guess else "", ON_DIGITS[guess].title if guess else "hidden"],
        "harm": [round(float(share), 4) for share in network.harm.ravel()] if is_checked else None,
    }
    film_component.draw(PART, KEY, data)


def pattern_of(task: AttentionTask) -> str:
    """Where heads should look in the first held-out input, between [CLS] and [SEP]."""
    return packed(np.pad(task.looks(held_out(task.key)[0][:1])[0], ((1, 1), (0, 1))) * LEVELS)


def packed(levels: NDArray[np.number]) -> str:
    """A map in levels of 0 to 254, row by row."""
    return base64.b64encode(np.round(levels).astype(np.uint8).tobytes()).decode("ascii")

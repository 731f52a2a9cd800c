"""Training as it goes: curves, every head's map beside the known pattern, and the answers, moment by moment."""

import base64
from collections.abc import Sequence

import numpy as np

from encoder.support.theme import Theme
from encoder.tasks.attention_task import AttentionTask
from encoder.tasks.data import held_out
from encoder.tasks.task_training import LEVELS, LearningMoment
from pages.ui.component import component, packed_palette

_component = component(__file__, "learning", "<div class='learning'></div>")


def draw(key: str, task: AttentionTask, moments: Sequence[LearningMoment], last: int, theme: Theme, live: bool) -> None:
    """Draw the moments of a run of `last` steps; a `live` one grows, and the newest moment is shown as it comes."""
    inputs, wanted = held_out(task.key)
    pattern = np.pad(task.looks(inputs[:1])[0], ((1, 1), (0, 1)))
    _component(
        key=key,
        data={
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
            "signs": ["[CLS]", *(task.vocabulary[i] for i in inputs[0].tolist()), "[SEP]"],
            "wanted": ["" if i < 0 else task.vocabulary[i] for i in wanted[0].tolist()],
            "pattern": packed(pattern * LEVELS),
            "palette": packed_palette("share", theme),
        },
    )


def packed(levels: np.ndarray) -> str:
    """A map in levels of 0 to 254, row by row."""
    return base64.b64encode(np.round(levels).astype(np.uint8).tobytes()).decode("ascii")

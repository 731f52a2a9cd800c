"""Models of small tasks by their names.

"learned:task=reverse,seed=3" is trained on a task, "mystery:3" on what is to be found out.
"""

from encoder import TextEncoder
from encoder.model.config import EncoderConfig
from encoder.support.errors import EncoderError
from encoder.tasks.attention_task import AttentionTask
from encoder.tasks.models import mystery, opened
from encoder.tasks.mystery import mystery_of
from encoder.tasks.on_digits import ON_DIGITS
from encoder.tasks.settings import LearnSettings, read
from encoder.tasks.task_training import LearningMoment, example
from pages.ui.server.live_training import live

LEARNED, MYSTERY = "learned:", "mystery:"
EXAMPLES = 5  # held-out inputs that are offered as sentences


def is_one(name: str) -> bool:
    """Whether a model's name is that of a task."""
    return name.startswith((LEARNED, MYSTERY))


def asked(name: str) -> LearnSettings:
    """The settings that the name of a trained model spells."""
    return read(name.removeprefix(LEARNED))


def mystery_number(name: str) -> int:
    """The number of a mystery model.

    Raises:
        EncoderError: there is no such mystery.
    """
    number = name.removeprefix(MYSTERY)
    mystery_of(int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 0)
    return int(number)


def task(name: str) -> AttentionTask:
    """The task of a model; of a mystery one that reads the same and does not give it away."""
    return ON_DIGITS["own"] if name.startswith(MYSTERY) else asked(name).about


def moments(name: str) -> dict[int, LearningMoment]:
    """The moments of a trained model whose weights are kept, by step.

    Raises:
        EncoderError: it was not trained here.
    """
    moments_kept = {moment.step: moment for moment in live.moments(asked(name)) if moment.weights}
    if not moments_kept:
        raise EncoderError("it is not trained yet on this server; the page “Training” trains it")
    return moments_kept


def check(name: str) -> None:
    """Refuse the name of a model that is not to be had.

    Raises:
        EncoderError: no such mystery, task or settings, or a run that nobody has trained here.
    """
    if name.startswith(MYSTERY):
        mystery_number(name)
    else:
        moments(name)


def config(name: str) -> EncoderConfig:
    """The shape of a model."""
    settings = mystery_of(mystery_number(name)).settings if name.startswith(MYSTERY) else asked(name)
    return settings.config


def place(name: str) -> tuple[int, int]:
    """The layer and head that are worth a first look: those that look where the known pattern does; 0 in a mystery."""
    return (0, 0) if name.startswith(MYSTERY) else list(moments(name).values())[-1].nearest[1:]


def label(name: str) -> str:
    """What a model is called in a list."""
    if name.startswith(MYSTERY):
        return f"Mystery {mystery_number(name)}"
    return f"{task(name).title}: learned" + (f" ({settled})" if (settled := differing(name)) else "")


def differing(name: str) -> str:
    """What a name says besides the task."""
    return str(asked(name)).partition(",")[2].replace(",", ", ")


def make(name: str) -> TextEncoder:
    """The model of that name."""
    if name.startswith(MYSTERY):
        return mystery(mystery_number(name))
    kept = moments(name)
    return opened(asked(name), kept[max(kept)])


def examples(name: str) -> tuple[str, ...]:
    """Inputs of a model's task that it was never trained on."""
    about = task(name)
    return tuple(example(about, i) for i in range(EXAMPLES))

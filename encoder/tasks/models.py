"""Models of the tasks to walk through: trained ones, from a recorded run where there is one, and mysteries."""

import gzip
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.model.encoder import Encoder
from encoder.support.errors import EncoderError
from encoder.tasks import mystery as mysteries
from encoder.tasks.attention_task import AttentionTask
from encoder.tasks.data import tokenizer_of
from encoder.tasks.on_digits import ON_DIGITS
from encoder.tasks.settings import LearnSettings, read, usual
from encoder.tasks.task import TASKS
from encoder.tasks.task_training import LearningMoment, learn, model_of, read_moment
from encoder.trace.trace import Source

RECORDED = Path(__file__).with_name("recorded")
# What is recorded besides the usual settings of every task.
ALSO_RECORDED = ("task=reverse,positions=none", "task=reverse,positions=rotary")


def to_record() -> list[LearnSettings]:
    """Return the settings of all runs that come with the package."""
    return [*map(usual, TASKS), *map(read, ALSO_RECORDED)]


def place(settings: LearnSettings) -> Path:
    """Return the file of a recorded run."""
    return RECORDED / f"{settings}.jsonl.gz"


@lru_cache(maxsize=16)
def recorded(settings: LearnSettings) -> tuple[LearningMoment, ...]:
    """Return the moments of a run that comes with the package; empty where it was not recorded."""
    if not place(settings).is_file():
        return ()
    lines = gzip.decompress(place(settings).read_bytes()).decode("ascii").splitlines()
    return tuple(map(read_moment, lines))


def walkable(model: Encoder, task: AttentionTask, name: str, digest: str, maker: str) -> TextEncoder:
    """Return a model of a task with the tokenizer that reads its inputs."""
    return TextEncoder(model, tokenizer_of(task), Source(name, digest[:12], maker=maker))


def opened(settings: LearnSettings, moment: LearningMoment, called: str = "") -> TextEncoder:
    """Return the model of a moment whose weights are kept."""
    name = called or f"learned: {settings} after {moment.step:,} steps"
    maker = f"learned({str(settings)!r}, step={moment.step})"
    return walkable(model_of(settings, moment), settings.about, name, sha256(moment.weights).hexdigest(), maker)


def learned(settings: str, step: int | None = None) -> TextEncoder:
    """Return a model trained on a task: "task=reverse,seed=3"; trained now unless the run was recorded.

    Args:
        settings: what `encoder.tasks.settings.read` reads.
        step: after how many steps; all of them without it.

    Raises:
        EncoderError: no such settings, or no weights are kept of that step; the message lists those that are.
        encoder.tasks.task_training.DivergedError: the loss is no number any more.
    """
    chosen = read(settings)
    moments = {moment.step: moment for moment in recorded(chosen) or learn(chosen) if moment.weights}
    wanted = chosen.steps if step is None else step
    if wanted not in moments:
        raise EncoderError(f"no weights are kept of step {wanted}; there are {', '.join(map(str, moments))}")
    return opened(chosen, moments[wanted])


def mystery(number: int) -> TextEncoder:
    """Return a mystery model: which task it was trained on is to be found out (`encoder.tasks.mystery`).

    Raises:
        EncoderError: there is none of that number.
    """
    model = mysteries.model_of(number)
    digest = sha256(mysteries.place(number).read_bytes()).hexdigest()
    return walkable(model, ON_DIGITS["own"], f"mystery {number}", digest, f"mystery({number})")

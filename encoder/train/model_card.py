"""The model card: what was trained, on what, how, and how well it does."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.metrics.head_measures import survey
from encoder.metrics.roles import ROLES
from encoder.train.checkpoint_files import TrainingProgress, write
from encoder.train.diagnostics import habits
from encoder.train.evaluation import Score, fill_in_ranks
from encoder.train.recipe import Recipe

CARD = "MODEL_CARD.md"


@dataclass(frozen=True)
class TrainingFacts:
    """What a card tells of a finished run: the corpus by file with its number of lines, and the scores by file.

    `start` names the model that it began with; it is empty where training began with new weights.
    """

    preset: str
    lines: Mapping[str, int]
    scores: Mapping[str, Score]
    device: str
    start: str = ""


def placed_heads(encoder: TextEncoder) -> str:
    """Return the heads that look at the word itself or at a neighbour, by the criterion of `encoder.metrics.roles`."""
    heads = [
        f"L{i}H{h} {role.label} ({role.mass:.2f})"
        for i, layer in enumerate(survey(encoder).roles)
        for h, role in enumerate(layer)
        if role.label in ROLES[:3]
    ]
    return ", ".join(heads) or "none that chance does not explain"


def fill_ins(encoder: TextEncoder) -> tuple[int, int, int]:
    """How many of the fill-ins are guessed first, how many among five, and how many there are; without the capital."""
    ranks = [rank for _, rank, _ in fill_in_ranks(encoder)][1:]
    return sum(rank == 1 for rank in ranks), sum(rank <= 5 for rank in ranks), len(ranks)


def hours(seconds: float) -> str:
    """Return seconds as hours:minutes:seconds."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def text(encoder: TextEncoder, recipe: Recipe, progress: TrainingProgress, facts: TrainingFacts) -> str:
    """Return the card as Markdown."""
    config, heads = encoder.config, habits(encoder)
    first, five, tried = fill_ins(encoder)
    weights = sum(weight.numel() for weight in encoder.model.parameters())
    dead = ", ".join(map(str, heads.saturated)) or "none"
    settings = ", ".join(f"{name} {value}" for name, value in recipe.plain().items() if name not in vars(config))
    begun = f" --start {facts.start}" if facts.start else ""
    corpus = "; ".join(f"{Path(name).name}, {count:,} lines" for name, count in facts.lines.items())
    scores = "\n".join(f"- {Path(name).name}: {score}" for name, score in facts.scores.items())
    return f"""# {encoder.source.name}

**What it is.** {config.n_layers} layers, {config.n_heads} heads, d_model {config.d_model}, d_ff {config.d_ff},
vocabulary {config.vocab_size:,}; {weights / 1e6:.2f} M parameters, float16. Trained to guess masked words.

**How it was made.** `python -m encoder.train --preset {facts.preset}{begun}`,
PyTorch {version("torch")}, on {facts.device}: {progress.step:,} steps,
{progress.tokens / 1e6:,.1f} M tokens, {hours(progress.seconds)} hours. Settings: {settings}.

**Data.** {corpus}.

**Held-out masked tokens.**
{scores}

**Fill-ins** (`encoder/train/fill_ins.py`): {first} of {tried} guessed first, {five} among the first five.

**Heads.** {placed_heads(encoder)}. Saturated layers: {dead}.
"""


def save(folder: Path, recipe: Recipe, progress: TrainingProgress, facts: TrainingFacts) -> str:
    """Write the card of the model in a folder; returns its text."""
    card = text(TextEncoder.from_pretrained(folder), recipe, progress, facts)
    write(folder / CARD, card.encode())
    return card

"""Which model made a trace."""

from dataclasses import dataclass

HELD = "TextEncoder.from_transformers(model, tokenizer)"  # the maker of a model that transformers made


@dataclass(frozen=True)
class Source:
    """Which model made a trace: its name for people, and what pins its weights.

    `seed` is set for random weights, `sha256` (its first 12 digits) for those of a checkpoint. `origin` is what loads a
    checkpoint again, for snippets: a path, or empty for a bundled model, whose name does. `maker` is the call that
    makes a model of `encoder.tasks` again.
    """

    name: str
    sha256: str = ""
    seed: int | None = None
    origin: str = ""
    maker: str = ""

    @property
    def fingerprint(self) -> str:
        """What pins the weights, in words."""
        return f"sha256 {self.sha256}" if self.seed is None else f"random weights, seed {self.seed}"

"""What this server holds in memory now, and how much of its bound that is."""

from dataclasses import dataclass

from pages.ui.server import memory
from pages.ui.server.engine import budget, model_cache, run_cache


@dataclass(frozen=True)
class Held:
    """Megabytes of this server: models with their prepacked weights, runs, results, all else, and what it may take."""

    models: float
    runs: float
    results: float
    rest: float
    most: float

    @property
    def total(self) -> float:
        """All that it holds, as the system counts it."""
        return self.models + self.runs + self.results + self.rest

    @property
    def share(self) -> float:
        """How much of its bound that is; 1 where it is more."""
        return min(1.0, self.total / self.most)


def held() -> Held:
    """What is held now."""
    models, runs = model_cache.held, run_cache.held
    results = budget.held - models - runs
    rest = max(0.0, memory.used() - models - runs - results)
    return Held(models / 1e6, runs / 1e6, results / 1e6, rest / 1e6, memory.MOST_MB)

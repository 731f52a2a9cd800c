"""The kept moments of training: the weights of a step are those of the model then."""

from pathlib import Path

import pytest
import torch

from encoder import CheckpointError, TextEncoder
from encoder.checkpoint import snapshots
from encoder.tasks.kept_moments import at

pytestmark = pytest.mark.slow

STEPS = (0, 10, 30, 100, 300, 1000, 3000, 10_000, 20_000)


def test_small_keeps_nine_moments_and_the_last_is_the_model(small: TextEncoder) -> None:
    assert snapshots("small") == STEPS and snapshots("base") == ()
    weights, last = small.model.state_dict(), at("small", STEPS[-1]).model.state_dict()
    assert all(torch.equal(weights[name], last[name]) for name in weights)
    first = at("small", 0)
    assert first.config == small.config and first.source.name == "small at step 0"
    words = first.model.embedding.tokens.weight
    assert float(words.std()) == pytest.approx(small.config.d_model**-0.5, rel=0.01), "drawn, not learned"


def test_moments_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'small' keeps no weights of step 7; it has 0, 10, 30"):
        at("small", 7)
    with pytest.raises(ValueError, match="'base' keeps no weights of step 0; it has none"):
        at("base", 0)
    with pytest.raises(CheckpointError, match="neither a bundled model"):
        snapshots(tmp_path / "nowhere")

"""Whatever is given a model and a run says when the run is of another model, whose numbers mean something else."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from in_turn import in_turn
from tiny import SENTENCE, TINY, tiny

from encoder import TextEncoder, Trace
from encoder.browser.held import numbers_of_steps
from encoder.experiments.ablation import ablate_each
from encoder.experiments.attributions import contributions, gradients, similarity, why
from encoder.experiments.attributions.target import Target
from encoder.experiments.compare import patch_sweep
from encoder.experiments.scaling import scaling
from encoder.metrics.lens import logit_lens
from encoder.pictures.labs.link_claims import effects

pytestmark = pytest.mark.slow

CONFIG = replace(TINY, mlm_head=True)
TARGET, B = Target(1, 5), "w1 w2 w7 w2 w4"
TAKES: dict[str, Callable[[TextEncoder, Trace], Any]] = {
    "explain": lambda encoder, trace: encoder.explain(trace, "output", (0, 0)),
    "predict": lambda encoder, trace: encoder.predict(trace),
    "word_id": lambda encoder, trace: encoder.word_id(trace, 1, "w1"),
    "logit_lens": logit_lens,
    "numbers_of_steps": lambda encoder, trace: numbers_of_steps(encoder, trace, [0]),
    "scaling": scaling,
    "ablate_each": lambda encoder, trace: list(ablate_each(encoder, trace)),
    "patch_sweep": lambda encoder, trace: list(patch_sweep(encoder, encoder.trace(B), trace)),
    "contributions": lambda encoder, trace: contributions.logit_attribution(encoder, trace, TARGET),
    "integrated_gradients": lambda encoder, trace: list(gradients.integrated_gradients(encoder, trace, TARGET)),
    "gradient_x_input": lambda encoder, trace: gradients.gradient_x_input(encoder, trace, TARGET),
    "gradient_x_attention": lambda encoder, trace: gradients.gradient_x_attention(encoder, trace, TARGET),
    "knock_out_tokens": lambda encoder, trace: gradients.knock_out_tokens(encoder, trace, TARGET),
    "deletion": lambda encoder, trace: gradients.deletion(encoder, trace, TARGET, [1]),
    "baseline_rows": gradients.baseline_rows,
    "why": lambda encoder, trace: list(why.why(encoder, trace, TARGET)),
    "opened": lambda encoder, trace: similarity.opened(encoder, trace, trace, 1, 1),
    "effects": lambda encoder, trace: effects(encoder, trace, 1),
}


@in_turn("name", TAKES)
@in_turn("other", [tiny(CONFIG, 1), tiny(replace(CONFIG, norm_first=True))])
def test_a_run_of_another_model_is_refused(name: str, other: TextEncoder) -> None:
    encoder = tiny(CONFIG)
    TAKES[name](encoder, encoder.trace(SENTENCE))
    with pytest.raises(ValueError, match="the trace is of another model"):
        TAKES[name](encoder, other.trace(SENTENCE))

"""Generated cases: what a link may say, in earnest or in spite."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from nasty import NUMBERS, texts
from tiers import share_of

from encoder.edits.edit import VALUES
from encoder.pictures.link import KNOWN_STEPS
from pages.ui.server import models


def cases(count: int, shrink: bool = True) -> Callable[[Any], Any]:
    """So many generated cases, the same in every run; without `shrink` the first that fails is reported as it is."""
    return settings(
        max_examples=share_of(count),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        phases=[phase for phase in Phase if shrink or phase is not Phase.shrink],
    )


# What a link may say of each of its parameters, in earnest or in spite
STEPS = sorted(KNOWN_STEPS)
PLACES = st.one_of(st.integers(-3, 600).map(str), st.integers().map(str), st.sampled_from(NUMBERS), texts)
EDIT = st.builds(
    "{}:{}{}{}{}".format,
    st.one_of(st.sampled_from([f"layers.{i}.{step}" for i in (0, 5, 99) for step in STEPS[:20]]), texts),
    st.sampled_from([*VALUES, "x"]),
    st.one_of(st.just(""), PLACES.map(":v={}".format)),
    st.one_of(st.just(""), PLACES.map(":h={}".format)),
    st.one_of(st.just(""), PLACES.map(":p={}".format)),
)
EDITS = st.one_of(texts, st.lists(EDIT, max_size=4).map(";".join))
CELL = st.builds(
    "{}:{}".format,
    st.one_of(st.sampled_from([*(f"layers.2.{step}" for step in STEPS), "ids", "output", "embedding.tokens"]), texts),
    st.lists(PLACES, max_size=5).map(",".join),
)
SHAPE = st.lists(
    st.builds(
        "{}={}".format,
        st.one_of(st.sampled_from(["n_layers", "d_model", "n_heads", "norm", "seed", "mask_value", "norm_eps"]), texts),
        st.one_of(PLACES, st.sampled_from(["true", "null", "relu", "-inf", "std_norm"])),
    ),
    max_size=5,
).map(",".join)
MODEL = st.one_of(
    texts, st.sampled_from(list(models.MODELS)), SHAPE.map("built:{}".format), texts.map("folder:{}".format)
)
LINK = st.fixed_dictionaries(
    {},
    optional={
        "sentence": texts,
        "other": texts,
        "model": MODEL,
        "other_model": MODEL,
        "layer": PLACES,
        "head": PLACES,
        "step": st.one_of(texts, st.sampled_from(STEPS)),
        "hidden": st.one_of(texts, st.lists(PLACES, max_size=6).map(",".join)),
        "cell": st.one_of(texts, CELL),
        "edits": EDITS,
    },
)

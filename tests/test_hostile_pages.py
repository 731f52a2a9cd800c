"""Hostile sentences, links, models and numbers on every page: no traceback, and a sentence where something is amiss."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from link_grammar import cases
from more_tools import section
from nasty import as_sent, texts
from page_tools import ask, go, healthy, open_app, said
from streamlit.testing.v1 import AppTest
from tiny import TINY, tiny_model, tiny_tokenizer

from encoder import Edit, TextEncoder, checkpoint
from encoder.metrics import first_lost
from encoder.model.encoder import Encoder
from encoder.packet.format import unpack
from encoder.packet.run import level_1
from encoder.pictures.link import LONGEST_IN_URL
from pages.ui.server import engine
from pages.ui.state.site import PAGES, Page

pytestmark = pytest.mark.slow

TABS = {  # what a page shows on request: key of the tabs -> names
    "lessons": ("lab", ["Word order", "Why √d_head", "Padding"])
}
SWEEPS = ("why_go",)


@cases(50, shrink=False)
@given(texts.map(as_sent), texts.map(as_sent))
def test_any_text_in_the_boxes_for_one_word(one: str, two: str) -> None:
    typed = {"set": f"{one}\n{two}\nthe light", "set_word": two[:40]}
    items = section("compare", "word", **{name: text for name, text in typed.items() if len(text) <= LONGEST_IN_URL})
    assert {"set", "set_word"} <= {item.get("name") for item in items}


def scaled(factor: float, among: str = "") -> Callable[[Encoder], None]:
    """Weights that are finite, but so large that a run outgrows float32."""

    def change(model: Encoder) -> None:
        for name, weights in model.named_parameters():
            if among in name:
                weights.data.mul_(factor)

    return change


# Finite weights -> the step that first holds something else
OVERFLOWS = {
    "everywhere": (scaled(1e30), ""),
    "in layer 1": (scaled(1e25, "layers.1."), "layers.1."),
    "in the queries": (scaled(1e38, "w_q"), "layers.0.attention."),
    "in the head": (scaled(1e38, "mlm_head"), "mlm."),
    "nowhere, all zero": (scaled(0.0), None),
}


@pytest.fixture(scope="module")
def overflowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A model folder with checkpoints whose runs do not end in numbers."""
    folder = tmp_path_factory.mktemp("overflowing")
    for name, (change, _) in OVERFLOWS.items():
        model = tiny_model(replace(TINY, mlm_head=True))
        change(model)
        checkpoint.save(model, tiny_tokenizer(), folder / name)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ENCODER_MODELS", str(folder))
        yield folder
    engine.model_cache.clear()
    engine.run_cache.clear()


EACH_WITH_ONE = [(name, PAGES[i :: len(OVERFLOWS)]) for i, name in enumerate(OVERFLOWS)]


@pytest.mark.parametrize(("name", "pages"), EACH_WITH_ONE)
def test_a_model_that_outgrows_its_numbers_is_shown_and_what_is_lost_is_said(
    overflowing: Path, name: str, pages: Sequence[Page]
) -> None:
    first = first_lost(TextEncoder.from_pretrained(overflowing / name).trace("w1 w2 w3 w2 [MASK]"))
    begins = OVERFLOWS[name][1]
    assert first is None if begins is None else first.startswith(begins)
    app = open_app(model=f"folder:{name}", sentence="w1 w2 w3 w2 [MASK]", layer="1", head="1")
    for page in pages:
        key, tabs = TABS.get(page.key, ("", [""]))
        for tab in tabs:
            app.query_params["cell"] = "layers.1.attention.weights:1,2,2"
            go(app, page.key)
            if key:
                ask(app, **{key: tab})
            if not page.more:  # else its packet says it
                assert (f"From {first} on" in said(app)) == (first is not None)
            if any(re.search(r"\bnan\b", one.value) for one in [*app.markdown, *app.caption]):
                assert "Where a sentence says nan there is no number" in said(app)
            for sweep in [button for button in app.button if button.key in SWEEPS]:
                healthy(sweep.click().run())


def test_a_map_has_no_colour_where_there_is_no_number(overflowing: Path) -> None:
    """Neither black, which reads as the most, nor the palest colour, which reads as nothing."""
    encoder = TextEncoder.from_pretrained(overflowing / "in the queries")
    trace = encoder.trace("w1 w2 w3 w2 [MASK]")
    _, _, arrays = unpack(level_1(encoder, trace, off=False))
    lost = trace["layers.1.attention.weights"].isnan().numpy()
    assert lost.any() and (np.isnan(arrays["weights"].numbers[1]) == lost).all()


def test_rows_without_a_key_are_told_from_hidden_scores(small: TextEncoder) -> None:
    causal = tuple(Edit(f"layers.{i}.attention.masked", "causal") for i in range(4))
    assert first_lost(small.trace("The cat.", hidden=(1,), edits=causal)) is None
    assert first_lost(small.trace("The cat.", hidden=(0,), edits=causal)) == "layers.0.attention.weights"
    assert first_lost(small.trace("The cat.", edits=(Edit("layers.2.output", "replace", value=1e38),))) is not None
    assert bool(torch.isfinite(small.trace("The cat.", hidden=(1,))["output"]).all())


def test_a_crash_would_be_seen() -> None:
    """The check of these tests can fail."""
    app = AppTest.from_string("1 / 0").run()
    with pytest.raises(AssertionError):
        healthy(app)

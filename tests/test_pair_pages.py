"""A pair of sentences, and words instead of pieces, on the pages."""

import json
import re
from collections.abc import Sequence

import numpy as np
import pytest
from page_tools import go, healthy, maps, numbers, open_app, said

from encoder import TextEncoder
from pages.ui.state.site import PAGES, Page

pytestmark = pytest.mark.slow

A, B = "The cat chased the mouse.", "It purred."


SEGMENTS = "built:n_layers=2,d_model=24,n_heads=3,d_ff=40,n_segments=2,seed=1"


@pytest.mark.parametrize(
    ("model", "pages"),
    [
        ("base", PAGES[::2]),
        (SEGMENTS, PAGES[1::2]),
        pytest.param("base", PAGES[1::2], marks=pytest.mark.nightly),
        pytest.param(SEGMENTS, PAGES[::2], marks=pytest.mark.nightly),
    ],
    ids=["base", "segments", "base, the others", "segments, the others"],
)
def test_every_page_takes_a_pair(model: str, pages: Sequence[Page]) -> None:
    app = open_app(sentence=A, second=B, model=model, layer="0", head="0")
    for page in pages:
        assert not said(go(app, page.key)), page.key
        assert "".join(app.query_params["second"]) == B


def test_the_pair_is_what_the_model_runs(base: TextEncoder) -> None:
    app = open_app("attention", sentence=A, second=B)
    assert (numbers(app) == base.trace((A, B))["layers.4.attention.weights"][1].numpy()).all()
    healthy(go(app, "atlas").text_input(key="second").set_value("").run())
    assert "second" not in app.query_params
    assert (numbers(go(app, "attention")) == base.trace(A)["layers.4.attention.weights"][1].numpy()).all()
    assert "second" not in app.query_params


def test_one_way_between_the_sentences_alone(base: TextEncoder) -> None:
    app = open_app("sentence", sentence=A, second=B, several="1")
    trace = base.trace((A, B))
    first = np.array(trace.tokenization.segments) == 0
    weights = trace["layers.4.attention.weights"][1].numpy()
    for way, kept in (("A->B", np.outer(first, ~first)), ("B->A", np.outer(~first, first)), ("all", True)):
        healthy(app.pills(key="pair_part").set_value(way).run())
        np.testing.assert_array_equal(numbers(app, key="together_matrix"), np.where(kept, weights, 0))
    healthy(app.pills(key="pair_part").set_value("A->B").run())
    share = 100 * weights[first][:, ~first].sum() / first.sum()
    told = [re.search(r"A → B is ([\d.]+) % of where A looks", m.value.replace("\\", "")) for m in app.markdown]
    assert [float(match[1]) for match in told if match] == [pytest.approx(share, rel=0.05)]  # two digits are shown


def test_a_single_sentence_offers_no_ways_between_sentences() -> None:
    app = open_app("sentence", sentence=A, several="1")
    assert numbers(app, key="together_matrix").size
    assert "pair_part" not in [pills.key for pills in app.pills]


def test_pieces_become_words_and_rows_still_sum_to_one(base: TextEncoder) -> None:
    text = "The purring cat sat."
    app = open_app("sentence", sentence=text, several="1")
    trace = base.trace(text)
    pieces = len(trace.tokens)
    assert any(token.startswith("##") for token in trace.tokens)
    healthy(app.toggle(key="merge_words").set_value(True).run())
    values = numbers(app, key="together_matrix")
    assert len(values) == values.shape[1] < pieces
    np.testing.assert_allclose(values.sum(1), 1, atol=1e-6)


def test_the_share_between_the_sentences_for_every_head(base: TextEncoder) -> None:
    app = open_app(sentence=A, second=B)
    app.session_state["heads_part"] = "Between the sentences"
    go(app, "heads")
    trace = base.trace((A, B))
    first = np.array(trace.tokenization.segments) == 0
    weights = np.stack([trace[f"layers.{i}.attention.weights"].numpy() for i in range(6)])
    expected = weights[:, :, first][:, :, :, ~first].sum((2, 3)) / first.sum()
    np.testing.assert_allclose(numbers(app, key="between"), expected, atol=1e-6)


def test_the_two_sentences_are_told_apart_by_colour_and_a_rule(base: TextEncoder) -> None:
    app = open_app("sentence", sentence=A, second=B, several="1")
    tokens = base.trace((A, B)).tokenization
    second = tokens.tokens.index("it")
    chart = next(c for c in app.get("plotly_chart") if "-together_matrix" in c.proto.id)
    layout = json.loads(chart.proto.spec)["layout"]
    for axis in ("xaxis", "yaxis"):
        colours = [re.search(r"color:(#\w+)", text)[1] for text in layout[axis]["ticktext"]]
        assert len(set(colours[:second])) == len(set(colours[second:])) == 1 and colours[0] != colours[-1]
    rules = [(shape["x0"], shape["x1"], shape["y0"], shape["y1"]) for shape in layout["shapes"]]
    assert sorted(rules) == sorted([(second - 0.5, second - 0.5, 0, 1), (0, 1, second - 0.5, second - 0.5)])
    flows = open_app("heads", sentence=A, second=B, heads_part="What really flows")
    assert maps(flows, "flows")["second"] == second
    app = open_app("sentence", sentence=A, several="1")
    alone = next(c for c in app.get("plotly_chart") if "-together_matrix" in c.proto.id)
    assert "shapes" not in json.loads(alone.proto.spec)["layout"]

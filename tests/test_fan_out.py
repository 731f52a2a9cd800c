"""One vector through all heads: every strip holds what the run recorded, and beside a head stands its weight."""

import numpy as np
import pytest
from page_tools import charts
from visits import opened

from encoder import PRESETS, Edit, TextEncoder, Trace
from encoder.figures.fan_out import STRIPS
from encoder.paper.from_drawn import of_drawn
from encoder.pictures.picture import Answer
from encoder.pictures.registry.attention import FAN_OUT
from encoder.pictures.scene import Scene
from encoder.pictures.view import View

SENTENCE = "The animal didn't cross the street because it was too wide."


def runs(base: TextEncoder, small: TextEncoder) -> dict[str, tuple[TextEncoder, Trace]]:
    before = TextEncoder.from_config(PRESETS["pre-norm"], seed=1)
    return {
        "base": (base, base.trace(SENTENCE)),
        "hidden": (small, small.trace("Keys on the table.", hidden=(2,))),
        "edited": (small, small.trace("Keys.", edits=(Edit("layers.1.attention.heads", "zero", heads=(1,)),))),
        "pre-norm": (before, before.trace("Keys on the table.")),
    }


def fan_out(encoder: TextEncoder, trace: Trace, layer: int, token: int) -> Answer:
    view = View(layer=layer, choices=(("through", str(token)),))
    return FAN_OUT.of(Scene(view, encoder, trace))


@pytest.mark.slow
@pytest.mark.parametrize("which", ["base", "hidden", "edited", "pre-norm"])
def test_every_strip_holds_what_was_recorded(base: TextEncoder, small: TextEncoder, which: str) -> None:
    (encoder, trace), layer, token = runs(base, small)[which], 1, 2
    answer = fan_out(encoder, trace, layer, token)
    figure, width = answer.figure(), trace.config.d_head
    written = list(answer.rows())[1:]
    for i, (name, *_) in enumerate(STRIPS):
        recorded = trace.array(f"layers.{layer}.attention.{name}")
        mine = recorded[:, token].ravel() if recorded.ndim == 3 else recorded[token]
        np.testing.assert_array_equal(written[i][1:], mine)
        assert written[i][0] == f"{i} {name}"
        strip = figure.data[i]
        np.testing.assert_array_equal(np.asarray(strip.z)[:, 0], mine)
        assert -strip.zmin == strip.zmax == pytest.approx(np.abs(mine).max())
        if recorded.ndim == 3:
            places = [(h, d) for h in range(len(recorded)) for d in range(width)]
            assert [tuple(place) for place in np.asarray(strip.customdata)[:, 0].tolist()] == places
    said = [note.text for note in figure.layout.annotations if ": " in note.text]
    assert len(said) == trace.config.n_heads
    for h, text in enumerate(said):
        most = trace.array(f"layers.{layer}.attention.weights")[h, token].max()
        assert text.startswith(f"{h}: ") and float(text.split()[1]) == pytest.approx(100 * most, abs=0.51)
    assert width * trace.config.n_heads == len(np.asarray(of_drawn("a", "b", figure).maps[1].values).ravel())


def test_a_curve_is_as_wide_as_the_share_of_its_head(base: TextEncoder) -> None:
    trace, token = base.trace(SENTENCE), 8
    w_o = base.model.layers[4].attention.w_o.weight.detach().double().numpy()
    heads = trace.array("layers.4.attention.heads")[:, token].astype(float)
    width = trace.config.d_head
    added = np.stack([w_o[:, h * width : (h + 1) * width] @ heads[h] for h in range(len(heads))])
    whole = added.sum(0)
    shares = added @ whole / (whole @ whole)
    lines = [shape.line for shape in fan_out(base, trace, 4, token).figure().layout.shapes if shape.type == "path"][
        4::5
    ]
    assert [line.width for line in lines] == pytest.approx(1 + 30 * np.abs(shares), rel=1e-4)
    assert len({line.color for line in lines}) == len({share < 0 for share in shares})


@pytest.mark.slow
def test_the_page_shows_the_token_that_the_link_names() -> None:
    app = opened("attention", {"step": "attention.concat", "through": "2", "sentence": SENTENCE})
    assert "fan_out" in [one.proto.id.rpartition("-")[2] for one in charts(app)]
    assert any("all 512 numbers of “animal”" in one.value for one in app.markdown)

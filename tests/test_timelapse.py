"""The kept moments of training: weights by step, when heads take up their work, and the page that plays them."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from page_tools import healthy, open_app
from streamlit.testing.v1 import AppTest

from encoder import CheckpointError, TextEncoder
from encoder.checkpoint import snapshots
from encoder.metrics import SENTENCES, survey
from encoder.metrics.roles import ROLES
from encoder.pictures.view import EXAMPLE
from encoder.tasks.timelapse import Strongest, appears, at, moment, strongest
from encoder.train.evaluation import Score
from pages.ui.server import measurements
from pages.ui.server.pool import Results

pytestmark = pytest.mark.slow

LAPSE = "Time-lapse"
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


def test_the_previous_token_head_appears_between_steps_300_and_1000() -> None:
    heads = [strongest(step, survey(at("small", step), SENTENCES[:12]), "previous") for step in STEPS[4:7]]
    found = appears(heads)
    assert found is not None
    before, first = found
    assert before is not None and before.step == 300 and before.mass < 0.2
    assert (first.step, first.layer, first.head) == (1000, 0, 2) and first.mass > 0.5
    assert heads[-1].mass > 0.8
    with pytest.raises(ValueError, match="role is 'last'; it must be one of self, previous"):
        strongest(0, survey(at("small", 0), [EXAMPLE]), "last")


def test_a_head_appears_where_it_stays() -> None:
    clear = [Strongest(i, 0, 0, 0.5, c == "x") for i, c in enumerate(".x.xx")]
    assert appears(clear) == (clear[2], clear[3])
    assert appears(clear[:3]) is None and appears([]) is None
    assert appears(clear[3:]) == (None, clear[3])


def test_a_moment_holds_what_the_model_of_that_step_computes(small: TextEncoder) -> None:
    position = small.trace(EXAMPLE).tokens.index("because")
    seen = moment(20_000, small, EXAMPLE, 0, 2, position)
    np.testing.assert_array_equal(seen.weights, small.trace(EXAMPLE)["layers.0.attention.weights"][2].numpy())
    masked = small.trace(EXAMPLE.replace("because", "[MASK]"))
    said = small.predict(masked)
    assert said is not None and seen.answers == said[masked.tokens.index("[MASK]")]
    before = np.diagonal(seen.weights, -1)
    assert seen.measures["previous"] == pytest.approx(float(before.mean()), abs=1e-6)
    typed, alone = moment(0, small, "a [MASK]", 0, 0, 2).answers, small.predict(small.trace("a [MASK]"))
    assert alone is not None and [word for word, _ in typed] == [word for word, _ in alone[2]]
    # two in a batch: sums in another order
    assert [share for _, share in typed] == pytest.approx([share for _, share in alone[2]], rel=1e-5)
    with pytest.raises(ValueError, match="layer is 4; it must be from 0 to 3"):
        moment(0, small, "a", 4, 0, 0)


def player(app: AppTest) -> dict[str, object]:
    """What the player on the page was sent."""
    sent = [json.loads(c.proto.json) for c in app.get("bidi_component") if "-player" in c.proto.id]
    data: dict[str, object] = sent[0]
    return data


def test_the_page_shows_the_head_of_the_sidebar_at_every_moment() -> None:
    app = open_app("learn", learn_part=LAPSE, layer="0", head="2")
    data = player(app)
    moments = data["moments"]
    assert isinstance(moments, list) and [m["title"] for m in moments] == [f"step {step:,}" for step in STEPS]
    for step, sent in zip(STEPS, moments, strict=True):
        weights = at("small", step).trace(EXAMPLE)["layers.0.attention.weights"][2].numpy()
        levels = np.frombuffer(base64.b64decode(sent["cells"]), np.uint8).reshape(weights.shape)
        np.testing.assert_allclose(levels / 254, weights, atol=0.5 / 254 + 1e-6)
        assert len(sent["answers"]) == 5
    assert moments[-1]["answers"][0][0] == "because"
    assert data["start"] == 0
    app.session_state["session"].moment = 6
    assert player(healthy(app.run()))["start"] == 6
    app.query_params.update(layer="5", head="7")  # `small` has neither: the nearest ones, and a button to a clear one
    assert player(healthy(app.run()))["label"] == "Layer 3, head 3"
    healthy(app.button(key="clear_head").click().run())
    assert player(app)["label"] == "Layer 2, head 3"


def history(model: str) -> tuple[dict[str, list[Strongest]], list[Score]]:
    """A head on the token before that appears at step 1,000, and no other; guesses get better."""
    heads = {role: [Strongest(step, 0, 2, 0.1 * i, False) for i, step in enumerate(STEPS)] for role in ROLES}
    heads["previous"] = [Strongest(step, 0, 2, 0.1 * i, step >= 1000) for i, step in enumerate(STEPS)]
    return heads, [Score(100, 9.0 - i, 0.05 * i, 0.1 * i) for i, _ in enumerate(STEPS)]


def test_the_page_says_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "role_history_of", Results(history, 1e6))
    app = open_app("learn", learn_part=LAPSE, training_part="When heads take up their work")
    button = next(one for one in healthy(app.run()).button if one.key == "ask_role_history_small")
    assert "about" in button.label and not app.dataframe
    said = " ".join(m.value for m in healthy(button.click().run()).markdown).replace("\\", "")
    assert (
        "Not yet at step 300. From step 1,000 on there is a head that looks at the token before: then layer 0, head 2, "
        "with 50 % of its weight." in said
    )
    assert "No head looks clearly at the token after." in said
    table = app.dataframe[0].value
    assert tuple(table.index) == STEPS and table["top_1"].tolist() == [0.05 * i for i in range(9)]
    careers, learned = (json.loads(chart.proto.spec)["data"] for chart in app.get("plotly_chart"))
    for series, values in ((careers[0], [0.1 * i for i in range(9)]), (learned[1], [0.1 * i for i in range(9)])):
        drawn = np.frombuffer(base64.b64decode(series["y"]["bdata"]), series["y"]["dtype"])
        np.testing.assert_allclose(drawn, values, rtol=1e-6)


@pytest.mark.nightly
def test_the_page_says_when_each_kind_of_head_appears() -> None:
    app = open_app("learn", learn_part=LAPSE, training_part="When heads take up their work")
    app.default_timeout = 600  # it measures nine models over 100 sentences
    for button in [one for one in healthy(app.run()).button if one.key == "ask_role_history_small"]:
        assert "about" in button.label and not app.dataframe
        button.click()
    said = " ".join(m.value for m in healthy(app.run()).markdown).replace("\\", "")
    assert (
        "Not yet at step 300. From step 1,000 on there is a head that looks at the token before: then layer 0" in said
    )
    table = app.dataframe[0].value
    assert table["top_1"].iloc[-1] > 0.3 > 0.1 > table["top_1"].iloc[0]
    assert snapshots("small") == tuple(table.index)
    lines = [one.value for one in app.code if "print(x)" in one.value]
    for text, chart in zip(lines, app.get("plotly_chart"), strict=True):
        made: dict[str, Any] = {}
        exec(text.replace("moments_of(enc)", f"{{{table.index[-1]}: enc}}"), made)  # of the last moment alone
        sides = [series["y"] for series in json.loads(chart.proto.spec)["data"]]
        drawn = [np.frombuffer(base64.b64decode(side["bdata"]), side["dtype"])[-1] for side in sides]
        np.testing.assert_allclose(np.ravel(made["x"]), drawn, rtol=1e-4)

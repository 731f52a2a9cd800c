"""What if and Compare on real input: switches change the run, the link and the pictures, and lead back."""

import re
from dataclasses import replace

import numpy as np
import pytest
from page_tools import go, healthy, numbers, open_app, said
from streamlit.testing.v1 import AppTest
from visits import opened

from encoder import PRESETS, Edit, TextEncoder
from encoder.edits.edit_text import edits_to_text
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.experiments.compare import relative_difference
from encoder.pictures.view import EXAMPLE
from pages.ui.state.site import PAGES
from pages.ui.step.switches import WHOLE, offered

pytestmark = pytest.mark.slow

HEAD_OFF = (Edit("layers.4.attention.heads", "zero", heads=(1,)),)


def edits(app: AppTest) -> str:
    return edits_to_text(app.session_state["session"].view.edits)


def test_a_head_that_is_off_changes_all_that_follows(base: TextEncoder) -> None:
    app = go(open_app(edits=edits_to_text(HEAD_OFF)), "what_if")
    expected = relative_difference(base.trace(EXAMPLE), base.trace(EXAMPLE, edits=HEAD_OFF)).T.numpy()
    np.testing.assert_allclose(numbers(app, key="apart_changed"), expected, atol=1e-6)
    assert (numbers(app, key="apart_changed")[:, :5] == 0).all() and (numbers(app, key="apart_changed")[:, 5] > 0).all()
    app = open_app("atlas", edits=edits_to_text(HEAD_OFF))
    assert any("This run is changed" in c.value and "layer 4, head 1" in c.value for c in app.markdown)
    healthy(app.button(key="remove_edits").click().run())
    assert edits(app) == "" and "edits" not in app.query_params


def test_a_change_reaches_what_stands_below_attention(base: TextEncoder) -> None:
    app = open_app("attention", edits=edits_to_text(HEAD_OFF), layer="5", head="1", step="attention.weights")
    changed, plain = (base.trace(EXAMPLE, edits=one)["layers.5.attention.weights"][1] for one in (HEAD_OFF, ()))
    np.testing.assert_allclose(numbers(app), changed.numpy(), atol=1e-6)
    assert float((changed - plain).abs().max()) > 1e-3


@pytest.mark.parametrize("name", offered(PRESETS["paper"]))
def test_every_switch_for_the_whole_model_goes_on_and_off(base: TextEncoder, name: str) -> None:
    app = go(open_app(sentence="I understand this"), "what_if")
    healthy(app.pills(key="whole").set_value([name]).run())
    assert edits(app) == edits_to_text(WHOLE[name](base.config))
    assert any("first differ" in m.value for m in app.markdown)
    healthy(app.pills(key="whole").set_value([]).run())
    assert edits(app) == ""


def test_the_dials_change_the_run_and_go_back(base: TextEncoder) -> None:
    app = go(open_app(sentence="I understand this"), "what_if")
    healthy(app.slider(key="temperature").set_value(2.0).run())
    assert "scale:v=0.5" in edits(app)
    healthy(app.slider(key="shift").set_value(2).run())
    assert "embedding.positions:shift:v=2" in edits(app)
    healthy(app.slider(key="shift").set_value(0).run())
    assert "shift" not in edits(app) and "scale:v=0.5" in edits(app)
    healthy(app.slider(key="temperature").set_value(1.0).run())
    assert edits(app) == "" and app.slider(key="shift").value == 0


@pytest.mark.parametrize(
    "text", ["nonsense", "layers.77.output:zero", "output:explode", "layers.0.attention.heads:zero:h=99"]
)
def test_edits_that_cannot_be_are_said_and_removed(text: str) -> None:
    app = open_app(edits=text)
    assert "edits" in said(app)
    assert edits(app) == ""


def test_leave_one_out_is_a_map_of_every_part(base: TextEncoder) -> None:
    app = go(open_app(sentence="The cat [MASK] the mouse."), "what_if")
    healthy(app.button(key="loo_go").click().run())
    app.pills(key="loo_measure").set_value("Change of the output").run()
    *_, found = ablate_each(base, base.trace("The cat [MASK] the mouse."))
    seen = numbers(healthy(app), key="loo_map")
    assert seen.shape == (6, 9)
    np.testing.assert_allclose(seen, grid(found.effects, base.config).numpy(), rtol=1e-4, atol=1e-6)


def test_the_loss_of_a_word_is_shown_first_and_another_effect_on_demand(base: TextEncoder) -> None:
    app = healthy(open_app("what_if", sentence="The capital of France is [MASK].").button(key="loo_go").click().run())
    trace = base.trace("The capital of France is [MASK].")
    *_, found = ablate_each(base, trace, watch=WatchedWord(6, int(trace["mlm.logits"][6].argmax())))
    losses = -grid(found.effects, base.config, "log_probability").numpy()
    assert app.pills(key="loo_measure").value == "Loss of the word's ln p"
    np.testing.assert_allclose(numbers(app, key="loo_map"), losses, rtol=1e-4, atol=1e-5)
    texts = [m.value.replace("\\", "") for m in app.markdown]
    assert any(re.search(r"matters most: without it ln p of “\w+” falls by [\d.]+ nats", text) for text in texts)
    healthy(app.pills(key="loo_measure").set_value("Cosine distance of the output").run())
    assert numbers(app, key="loo_map").min() >= -1e-6


def test_any_step_opens_where_the_runs_differ() -> None:
    """A head that is off leaves its own weights as they are: every value of the difference was 0."""
    app = go(open_app(edits=edits_to_text(HEAD_OFF), layer="4", head="1"), "what_if")
    assert app.selectbox(key="beside_step").value == "layers.4.attention.heads"
    assert np.abs(numbers(app, key="step_change")).max() > 0
    app = go(open_app(edits=edits_to_text(HEAD_OFF), layer="4", head="2"), "what_if")
    assert np.abs(numbers(app, key="step_change")).max() > 0
    app = go(open_app(edits=edits_to_text(HEAD_OFF), layer="5"), "what_if")
    assert app.selectbox(key="beside_step").value == "layers.5.attention.weights"


def test_two_sentences_part_where_their_words_differ() -> None:
    app = go(open_app(), "compare")
    apart = numbers(app, key="apart")
    assert apart[:11, 0].max() == 0 and apart[11, 0] > 0


@pytest.mark.parametrize("model", ["base-untrained", "small", "paper", "pre-norm"])
def test_two_models_are_compared_or_it_is_said_why_not(model: str) -> None:
    app = open_app("compare", other="The animal", other_model=model)
    assert any("first part" in m.value or "differ in layers" in m.value for m in app.markdown)


def test_one_word_drifts_apart_over_the_layers() -> None:
    app = open_app()
    app.session_state["compare_part"] = "One word in many sentences"
    means = numbers(go(app, "compare"), "y", key="set_means")
    assert means[0] > 0.9 > 0.7 > means[-1]
    healthy(app.text_input(key="set_word").set_value("zebra").run())
    assert any("at least 2 are needed" in m.value for m in app.markdown)


def test_a_patch_of_everything_after_the_last_layer_brings_a_token_back() -> None:
    app = open_app()
    app.session_state["compare_part"] = "Patch"
    go(app, "compare")
    healthy(app.button(key="patch_go").click().run())
    share = numbers(app, key="patch_map")
    assert share.shape == (14, 6)
    assert share[:, -1].sum() == pytest.approx(1, abs=1e-3)
    app.query_params["other"] = "Too short"
    healthy(app.run())
    assert any("needs the same number" in m.value for m in app.markdown)


LABS = ["Word order", "Why √d_head", "Padding", "Residuals and depth", "Two LayerNorms", "Layer collapse"]


MODELS = ["base", "small", "guide"]


@pytest.mark.parametrize(
    ("lab", "model"),
    [
        pytest.param(lab, model, marks=() if i % len(MODELS) == j else pytest.mark.nightly)
        for i, lab in enumerate(LABS)
        for j, model in enumerate(MODELS)
    ],
)
def test_every_lab_ends_in_a_measured_verdict(lab: str, model: str) -> None:
    app = open_app(model=model, layer="0", head="0")
    app.session_state["lessons_part"], app.session_state["lab"] = "Labs", lab
    go(app, "lessons")
    verdicts = [m.value for m in app.markdown if m.value.startswith("**") and any(c.isdigit() for c in m.value)]
    assert verdicts


def test_labs_say_what_they_cannot_do() -> None:
    for lab, words in (("Word order", "reads the same both ways"), ("Padding", "must have fewer")):
        app = open_app("lessons", lessons_part="Labs", lab=lab, sentence="no")
        assert any(words in m.value.replace("\\", "") for m in app.markdown)


def test_rows_without_any_key_break_no_page(base: TextEncoder) -> None:
    """Causal, and the first token hidden: the first row is not a number, and soon all is not."""
    causal = tuple(Edit(f"layers.{i}.attention.masked", "causal") for i in range(base.config.n_layers))
    app = open_app(edits=edits_to_text(causal), hidden="0", cell="layers.4.attention.weights:1,0,0")
    for page in PAGES:
        go(app, page.key)


def test_the_proof_of_a_changed_step_says_so() -> None:
    change = {"edits": "layers.4.attention.weights:scale:v=0.5"}
    for layer, changed in (("4", True), ("3", False)):
        app = open_app("attention", **change, layer=layer, step="attention.weights")
        assert app.metric and any("changed" in metric.label for metric in app.metric) == changed


def test_models_of_another_shape_are_compared_by_their_weights(base: TextEncoder, small: TextEncoder) -> None:
    app = opened(
        "compare", {"sentence": "The cat.", "other": "The dog.", "other_model": "small", "layer": "5", "head": "7"}
    )
    assert any("differ in layers" in m.value for m in app.markdown)
    for key, run, layer, head in (
        ("weights_a", base.trace("The cat."), 5, 7),
        ("weights_b", small.trace("The dog."), small.model.config.n_layers - 1, small.model.config.n_heads - 1),
    ):
        np.testing.assert_array_equal(numbers(app, key=key), run[f"layers.{layer}.attention.weights"][head].numpy())
        assert any(f"layer {layer}, head {head}" in m.value for m in app.markdown)


def test_a_model_is_offered_the_switches_that_it_has_something_for() -> None:
    paper, modern = (offered(PRESETS[name]) for name in ("paper", "modern"))
    distances = {"Content to position off", "Position to content off"}
    assert set(WHOLE) - set(paper) == {"Windows open", "Gates open"} | distances
    assert set(WHOLE) - set(modern) == distances
    apart = offered(replace(PRESETS["paper"], distance_scores="c2p"))
    assert set(apart) & distances == {"Content to position off"}
    app = open_app("what_if", model="modern", sentence="the cat ran")
    healthy(app.pills(key="whole").set_value(["Positions off", "Gates open"]).run())
    done = edits(app).split(";")
    assert "layers.1.feed_forward.gated:bypass" in done and "layers.5.attention.k_rotated:bypass" in done

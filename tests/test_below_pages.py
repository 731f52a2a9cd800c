"""What the server draws below the browser's pictures: choices reach it, and its numbers are the run's own."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from page_tools import ask, asked_step, healthy, numbers, open_app, type_sentence, words
from streamlit.testing.v1 import AppTest
from twins import put

from encoder import PRESETS, Edit, TextEncoder
from encoder.edits.edit_text import edits_to_text
from encoder.experiments.ablation import WatchedWord, ablate_each, grid
from encoder.experiments.attributions.similarity import alike
from encoder.experiments.compare import relative_difference
from encoder.experiments.importance import importance
from encoder.metrics import parked
from encoder.pictures.view import EXAMPLE
from pages.ui.server.engine import text_encoder
from pages.ui.server.measurements import importances
from pages.ui.step.switches import WHOLE, offered

pytestmark = pytest.mark.slow

A, B = "The cat chased the mouse.", "It purred."
KEYS = "Keys on the table belong to Sara."
CAPITAL = "The capital of France is [MASK]."
HEAD_OFF = (Edit("layers.4.attention.heads", "zero", heads=(1,)),)


def edits(app: AppTest) -> str:
    return edits_to_text(app.session_state["session"].view.edits)


def look(step: str, **query: Any) -> str:
    """What is said of a step to look at."""
    return str(asked_step(step, **query)[0]["look"])


def layout(app: AppTest, key: str) -> dict:
    chart = next(chart for chart in app.get("plotly_chart") if f"-{key}" in chart.proto.id)
    return json.loads(chart.proto.spec)["layout"]


def test_start_shows_a_pair_one_way_or_the_other_and_tells_its_sentences_apart(base: TextEncoder) -> None:
    app, trace = open_app("start", sentence=A, second=B, several="1"), base.trace((A, B))
    first, weights = np.array(trace.tokenization.segments) == 0, trace["layers.4.attention.weights"][1].numpy()
    start = trace.tokenization.tokens.index("it")
    axes = layout(app, "together_matrix")
    for axis in ("xaxis", "yaxis"):
        colours = [re.search(r"color:(#\w+)", text)[1] for text in axes[axis]["ticktext"]]
        assert len(set(colours[:start])) == len(set(colours[start:])) == 1 and colours[0] != colours[-1]
    rules = sorted((shape["x0"], shape["x1"], shape["y0"], shape["y1"]) for shape in axes["shapes"])
    assert rules == sorted([(start - 0.5, start - 0.5, 0, 1), (0, 1, start - 0.5, start - 0.5)])
    for way, kept in (("all", True), ("B->A", np.outer(~first, first)), ("A->B", np.outer(first, ~first))):
        healthy(app.pills(key="pair_part").set_value(way).run())
        np.testing.assert_array_equal(numbers(app, key="together_matrix"), np.where(kept, weights, 0))
    share = re.search(r"A → B is ([\d.]+) % of where A looks", words(app))
    assert float(share[1]) == pytest.approx(100 * weights[first][:, ~first].sum() / first.sum(), rel=0.05)


def test_start_shows_chosen_heads_tokens_and_words_together(base: TextEncoder) -> None:
    app, weights = (
        open_app("start", several="1", some_heads="1,5"),
        base.trace(EXAMPLE)["layers.4.attention.weights"],
    )
    assert "pair_part" not in [pills.key for pills in app.pills] and "shapes" not in layout(app, "together_matrix")
    np.testing.assert_allclose(numbers(app, key="together_matrix"), weights[[1, 5]].mean(0), atol=1e-7)
    np.testing.assert_allclose(numbers(app, "y", "summed"), weights[[1, 5]].mean((0, 1)), atol=1e-6)
    healthy(app.pills(key="some_tokens").set_value([8, 2]).run())
    assert "“it” (8)" in words(app) and "Of the 2 chosen tokens" in words(app)
    np.testing.assert_allclose(numbers(app, "y", "summed"), weights[[1, 5]].mean(0)[[2, 8]].mean(0), atol=1e-6)
    healthy(app.pills(key="together").set_value("Largest").run())
    np.testing.assert_array_equal(numbers(app, key="together_matrix"), weights[[1, 5]].max(0).values)
    healthy(app.pills(key="together").set_value("Mean").run())
    type_sentence(app, "The purring cat sat.")
    pieces = base.trace("The purring cat sat.").tokens
    healthy(app.toggle(key="merge_words").set_value(True).run())
    merged = numbers(app, key="together_matrix")
    assert any(piece.startswith("##") for piece in pieces) and merged.shape[0] == merged.shape[1] < len(pieces)
    np.testing.assert_allclose(merged.sum(1), 1, atol=1e-6)


def test_start_says_what_is_looked_at_most_what_tokens_are_and_what_is_guessed(base: TextEncoder) -> None:
    app = open_app("start", several="1", layer="4", head="1")
    for sentence in (EXAMPLE, "My dog chased the cat because it was hungry."):
        trace = base.trace(type_sentence(app, sentence).session_state["session"].view.sentence)
        weights, typed = trace["layers.4.attention.weights"][1], range(1, len(trace.tokens) - 1)
        i, j = max(((i, j) for i in typed for j in typed), key=lambda pair: float(weights[pair]))
        found = re.findall(r"“([^”]+)” \((\d+)\) puts [\d.]+ % on “([^”]+)” \((\d+)\), the largest weight", words(app))
        assert found == [(trace.tokens[i], str(i), trace.tokens[j], str(j))] * len(found) != []
    ask(app, sentence=CAPITAL, ask_why="1")
    assert "[CLS] and [SEP] are added for the model." in words(app) and "[UNK]" not in words(app)
    assert "paris" in words(app), "the guess at the mask"
    (fold,) = [fold for fold in app.expander if "Which words made the guess at" in fold.label]
    assert "MASK" in fold.label and "6" in fold.label
    assert "[UNK] stands for what its vocabulary lacks. `##` marks" in words(type_sentence(app, "Unfathomable 😀"))


def test_what_is_said_of_a_step_is_true_of_this_run(base: TextEncoder) -> None:
    line = parked(base.trace(EXAMPLE), 4, 1).sentence
    assert line and line in look("layers.4.attention.weights", index=[1])
    assert "parked" not in look("layers.1.attention.weights", index=[7])
    twice = {"sentence": "The cat saw the other cat."}
    for change, holds in (("", True), ("embedding.positions:zero", False), ("embedding.positions:shuffle:v=7", False)):
        text = look("output", **twice, **({"edits": change} if change else {}))
        assert "Two copies of one word in a sentence have different rows here" in text
        assert ("Said of the model as it is" not in text) == holds, change
    text = look("embedding.output", edits="layers.2.attention.heads:zero:h=3")
    assert "differ by nothing but their positions" in text and "Said of the model" not in text


def test_switches_and_dials_go_on_and_off(small: TextEncoder) -> None:
    app = open_app("what_if", model="small", sentence="I understand this")
    assert "No switch was pressed yet" in words(app)
    for name in offered(PRESETS["paper"]):
        healthy(app.pills(key="whole").set_value([name]).run())
        assert edits(app) == edits_to_text(WHOLE[name](small.config)) and "first differ" in words(app), name
    healthy(app.pills(key="whole").set_value([]).run())
    for key, value, written in (("temperature", 2.0, "scale:v=0.5"), ("shift", 2, "embedding.positions:shift:v=2")):
        healthy(app.slider(key=key).set_value(value).run())
        assert written in edits(app)
    healthy(app.slider(key="shift").set_value(0).run())
    assert "shift" not in edits(app) and "scale:v=0.5" in edits(app)
    healthy(app.slider(key="temperature").set_value(1.0).run())
    assert edits(app) == "" and app.slider(key="shift").value == 0


def test_a_model_is_offered_the_switches_that_it_has_something_for() -> None:
    paper, modern = (set(offered(PRESETS[name])) for name in ("paper", "modern"))
    distances = {"Content to position off", "Position to content off"}
    assert set(WHOLE) - paper == {"Windows open", "Gates open"} | distances and set(WHOLE) - modern == distances
    app = open_app("what_if", model="modern", sentence="the cat ran")
    healthy(app.pills(key="whole").set_value(["Positions off", "Gates open"]).run())
    assert {"layers.1.feed_forward.gated:bypass", "layers.5.attention.k_rotated:bypass"} <= {*edits(app).split(";")}


def test_a_head_that_is_off_changes_what_follows_and_any_step_is_opened_there(base: TextEncoder) -> None:
    app = open_app("what_if", edits=edits_to_text(HEAD_OFF), layer="4", head="1")
    apart = numbers(app, key="apart_changed")
    expected = relative_difference(base.trace(EXAMPLE), base.trace(EXAMPLE, edits=HEAD_OFF)).T.numpy()
    np.testing.assert_allclose(apart, expected, atol=1e-6)
    assert (apart[:, :5] == 0).all() and (apart[:, 5] > 0).all()
    assert app.selectbox(key="beside_step").value == "layers.4.attention.heads"
    for head in ("1", "2"):  # a head that is off leaves its own weights as they are: their difference would be 0
        assert np.abs(numbers(ask(app, head=head), key="step_change")).max() > 0
    assert ask(app, layer="5").selectbox(key="beside_step").value == "layers.5.attention.weights"
    app = open_app("models", edits=edits_to_text(HEAD_OFF))
    assert "This run is changed" in words(app) and "layer 4, head 1" in words(app)
    healthy(app.button(key="remove_edits").click().run())
    assert edits(app) == "" and "edits" not in app.query_params


def test_leaving_each_part_out_is_a_map_of_its_effects(base: TextEncoder) -> None:
    app = healthy(open_app("what_if", sentence=CAPITAL).button(key="loo_go").click().run())
    trace = base.trace(CAPITAL)
    *_, found = ablate_each(base, trace, watch=WatchedWord(6, int(trace["mlm.logits"][6].argmax())))
    assert app.pills(key="loo_measure").value == "Loss of the word's ln p"
    losses = -grid(found.effects, base.config, "log_probability").numpy()
    np.testing.assert_allclose(numbers(app, key="loo_map"), losses, rtol=1e-4, atol=1e-5)
    assert re.search(r"matters most: without it ln p of “\w+” falls by [\d.]+ nats", words(app))
    healthy(app.pills(key="loo_measure").set_value("Change of the output").run())
    expected = grid(found.effects, base.config).numpy()
    np.testing.assert_allclose(numbers(app, key="loo_map"), expected, rtol=1e-4, atol=1e-6)


def test_the_board_is_asked_for_and_kept_for_all() -> None:
    importances.clear()  # another test may have asked
    model = "built:n_layers=2,d_model=24,n_heads=3,d_ff=40,mlm_head=true,seed=1"
    app = open_app("what_if", model=model)
    assert "standard error" not in words(app)
    healthy(app.button(key="board_go").click().run())
    *_, found = importance(text_encoder(model), "mean")
    harm, error = found.harm[:, :-1], found.harm_error[:, :-1]
    layer, head = divmod(int(harm.argmax()), 3)
    most = f"{float(harm[layer, head]):.3g} ± {float(error[layer, head]):.3g}"
    line = f"of the heads layer {layer}, head {head} matters most, {most}; {int((harm > 2 * error).sum())} of 6 heads"
    assert line in words(app) and line in words(open_app("what_if", model=model))  # nothing was measured again


def test_the_shares_of_a_guess_by_words_and_by_parts_add_up(base: TextEncoder) -> None:
    app, trace = open_app("what_if", why="Which parts", sentence=CAPITAL, layer="5", head="3"), base.trace(CAPITAL)
    paris = base.word_id(trace, 6, "paris")
    logit, blank = (float(run["mlm.logits"][6, paris]) for run in (trace, base.trace("[MASK] " * 7)))
    parts = numbers(app, key="why_parts")
    assert parts.shape == (6, 9) and 0.9 * logit < parts.sum() < 1.1 * logit  # the rest is said: embedding and biases
    assert "In layer 5, head 3 puts in most" in words(app)
    assert numbers(app, "y", "why_head").sum() == pytest.approx(float(parts[5, 3]), abs=1e-4)
    assert "the logit of “paris” minus that of “rome”" in words(ask(app, why_other="rome"))
    app = open_app("what_if", sentence=CAPITAL, why="Which words")
    assert not app.get("plotly_chart"), "nothing is worked out unasked"
    healthy(next(button for button in app.button if button.label == "Share out this guess").click().run())
    assert numbers(app, "y", "why_words").sum() == pytest.approx(logit - blank, rel=0.01)
    assert "“capital” speaks most for it" in words(app) and "is missing, with 50 steps" in words(app)
    assert numbers(app, "y", "why_deleted")[[0, -1]] == pytest.approx([logit, blank], abs=1e-3)
    ask(app, why_word="qqqqzzzz")
    assert "is not one word of the vocabulary; write another one" in words(app) and not app.get("plotly_chart")


def test_two_sentences_or_models_are_compared_or_it_is_said_why_not(base: TextEncoder, small: TextEncoder) -> None:
    app = open_app("compare")
    apart = numbers(app, key="apart")
    assert apart[:11, 0].max() == 0 and apart[11, 0] > 0, "they part where their words differ"
    ask(app, sentence="The cat.", other="The dog.", layer="5", head="7")
    for model, outcome in (("base-untrained", "first part"), ("pre-norm", "first part"), ("small", "differ in layers")):
        assert outcome in words(ask(app, other_model=model)), model
    runs = {"weights_a": (base.trace("The cat."), 5, 7), "weights_b": (small.trace("The dog."), 3, 3)}
    for key, (run, layer, head) in runs.items():
        np.testing.assert_array_equal(numbers(app, key=key), run[f"layers.{layer}.attention.weights"][head].numpy())
        assert f"layer {layer}, head {head}" in words(app)


def test_one_word_drifts_apart_and_a_patch_brings_its_token_back() -> None:
    app = open_app("compare", compare_part="One word in many sentences")
    means = numbers(app, "y", key="set_means")
    assert means[0] > 0.9 > 0.7 > means[-1]
    healthy(app.text_input(key="set_word").set_value("zebra").run())
    assert "at least 2 are needed" in words(app)
    app = open_app("compare", compare_part="Patch")
    healthy(app.button(key="patch_go").click().run())
    share = numbers(app, key="patch_map")
    assert share.shape == (14, 6) and share[:, -1].sum() == pytest.approx(1, abs=1e-3)
    assert "needs the same number" in words(ask(app, other="Too short"))


def test_the_cosine_of_two_sentences_is_shared_out_and_the_mean_of_a_corpus_taken_off(small: TextEncoder) -> None:
    pair = ("The cat slept.", "A dog was asleep.")
    app = open_app("compare", compare_part="Alike?", model="small", sentence=pair[0], other=pair[1])
    a, b = (small.trace(text)["output"].double().mean(0) for text in pair)
    cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    assert numbers(app, key="cosine_shares").sum() == pytest.approx(cosine, abs=1e-5)
    assert f"The cosine is {cosine:.4f}" in words(app)
    healthy(app.pills(key="alike_view").set_value("Minus the mean of 100 sentences").run())
    for button in [button for button in app.button if button.label.startswith("Measure")]:
        healthy(button.click().run())
    cosine = float(numbers(app, key="cosine_shares").sum())
    terms = re.search(r"make it: a · b (\S+), less a · m (\S+), less m · b (\S+) and m · m (\S+)\. As", words(app))
    assert terms is not None and sum(map(float, terms.groups())) == pytest.approx(cosine, abs=4e-4)
    assert f"The cosine is {cosine:.4f}" in words(app) and "This is another number" in words(app)


def test_a_list_is_a_matrix_whose_odd_pair_is_opened(base: TextEncoder) -> None:
    texts = ["The food was good.", "The food was not good.", "Prices rose by three percent.", "It = rained *."]
    app = open_app("compare", compare_part="Alike?", alike_part="A list", alike_list="\n".join(texts))
    found = alike([base.trace(text) for text in texts])
    np.testing.assert_allclose(numbers(app, key="all_alike"), found.cosines.numpy(), atol=1e-5)
    i, j = found.odd
    assert f"The odd pair is {i + 1} and {j + 1}" in words(app)
    healthy(app.button(key="open_odd").click().run())
    assert numbers(app, key="cosine_shares").sum() == pytest.approx(float(found.cosines[i, j]), abs=1e-5)
    assert ["".join(app.query_params[name]) for name in ("sentence", "other")] == [texts[i], texts[j]]
    healthy(app.pills(key="alike_part").set_value("A list").run())
    healthy(app.text_area(key="alike_list").set_value("one alone").run())
    assert "the list has 1 sentences; it takes 2 to 24." in words(app)


@pytest.mark.parametrize("mode", ["cls", "max"])
def test_a_folder_of_sentences_with_its_prefixes(mode: str, model_root: Path) -> None:
    prompts = {"prompts": {"query": "w8 w9 "}, "default_prompt_name": "query", "similarity_fn_name": "dot"}
    pooling = {"1_Pooling/config.json": {"pooling_mode": mode}, "config_sentence_transformers.json": prompts}
    folder = put(model_root / "mine", pooling)
    encoder = TextEncoder.from_pretrained(folder)
    app = open_app("compare", compare_part="Alike?", model="folder:mine", sentence="w1 w2", other="w3 w4 w5")
    b = encoder.trace("w8 w9 w3 w4 w5")["pooling.vector"][0].double()
    for prefix in ("w8 w9 ", ""):
        a = encoder.trace(f"{prefix}w1 w2")["pooling.vector"][0].double()
        cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
        assert numbers(app, key="cosine_shares").sum() == pytest.approx(cosine, abs=1e-5)
        assert f"The cosine is {cosine:.4f}" in words(app) and "compares by “dot”" in words(app)
        healthy(app.pills(key="prefix_a").set_value("none").run())
    _, pooled = asked_step("pooling.vector", sentence="w1 w2", model="folder:mine")
    np.testing.assert_allclose(pooled[0], a.numpy(), atol=1e-5)
    shutil.rmtree(folder)


def test_what_ends_in_no_numbers_is_odd_or_cannot_guess_is_told() -> None:
    lost = "layers.1.output:scale:v=3e38;layers.2.output:scale:v=3e38"
    for page in ("what_if", "compare", "heads", "start"):
        app = open_app(
            page, sentence=CAPITAL, model="small", edits=lost, heads_part="Inside one head", why="Which words"
        )
        for button in [button for button in app.button if button.label == "Share out this guess"]:
            healthy(button.click().run())
            assert "only a number can be shared out" in words(app) + " ".join(one.value for one in app.warning)
    for page, part, sentence in (
        ("what_if", {"why": "Which parts"}, "no head that guesses words"),
        ("compare", {"compare_part": "Alike?"}, "The cosine is"),
    ):
        app = open_app(page, model="paper", sentence="w", other="w", **part)
        assert sentence in words(app)
        for odd in ("a " * 100, "= <b>x</b> [MASK]", "同じ [MASK]"):
            ask(app, model="small", sentence=odd, other=odd)

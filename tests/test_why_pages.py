"""Why this guess and Alike?: what stands on the pages is what the run says, and what cannot be explained is said."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from page_tools import go, numbers, open_app, step_numbers
from twins import put

from encoder import TextEncoder
from encoder.experiments.attributions.sentence_list import alike

pytestmark = pytest.mark.slow

CAPITAL = "The capital of France is [MASK]."


def texts_of(app) -> str:
    return " ".join(one.value for kind in (app.markdown, app.text, app.caption) for one in kind).replace("\\", "")


def test_the_shares_of_a_guess_add_up_on_the_page(base: TextEncoder) -> None:
    app = open_app("why", sentence=CAPITAL, why="Which words")
    assert not app.get("plotly_chart"), "nothing is worked out unasked"
    next(one for one in app.button if one.label == "Share out this guess").click().run()
    shares = numbers(app, "y", "why_words")
    trace = base.trace(CAPITAL)
    logit = float(trace["mlm.logits"][6, base.word_id(trace, 6, "paris")])
    blank = base.trace("[MASK] [MASK] [MASK] [MASK] [MASK] [MASK] [MASK]")
    without = float(blank["mlm.logits"][6, base.word_id(trace, 6, "paris")])
    assert shares.sum() == pytest.approx(logit - without, rel=0.01)
    assert "“capital” speaks most for it" in texts_of(app) and "is missing, with 50 steps" in texts_of(app)
    fallen = numbers(app, "y", "why_deleted")
    assert fallen[0] == pytest.approx(logit, abs=1e-3) and fallen[-1] == pytest.approx(without, abs=1e-3)


def test_the_parts_of_a_guess_are_a_map(base: TextEncoder) -> None:
    app = open_app("why", sentence=CAPITAL, layer="5", head="3")
    parts = numbers(app, key="why_parts")
    assert parts.shape == (6, 9)
    trace = base.trace(CAPITAL)
    paris = base.word_id(trace, 6, "paris")
    logit = float(trace["mlm.logits"][6, paris])
    assert 0.9 * logit < parts.sum() < 1.1 * logit  # the rest is said: embedding and biases
    assert "In layer 5, head 3 puts in most" in texts_of(app)
    assert numbers(app, "y", "why_head").sum() == pytest.approx(float(parts[5, 3]), abs=1e-4)


def test_a_lead_over_another_word_and_a_word_that_is_none() -> None:
    app = open_app("why", sentence=CAPITAL, why_other="rome")
    assert "the logit of “paris” minus that of “rome”" in texts_of(app)
    app = open_app("why", sentence=CAPITAL, why_word="qqqqzzzz")
    assert "is not one word of the vocabulary; write another one" in texts_of(app)
    assert not app.exception and not app.get("plotly_chart")


def test_the_cells_of_two_sentences_add_up(base: TextEncoder) -> None:
    app = open_app("alike", sentence="The cat slept.", other="A dog was asleep.")
    a, b = (base.trace(text)["output"].double().mean(0) for text in ("The cat slept.", "A dog was asleep."))
    cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    assert numbers(app, key="cosine_shares").sum() == pytest.approx(cosine, abs=1e-5)
    assert f"The cosine is {cosine:.4f}" in texts_of(app)


@pytest.mark.parametrize("sentence", ["hi", "a " * 100, "= <b>x</b> [MASK]", "同じ [MASK]"])
def test_odd_sentences_get_both_pages(sentence: str) -> None:
    for page in ("why", "alike"):
        assert not open_app(page, model="small", sentence=sentence, other=sentence).exception


def test_a_list_is_a_matrix_whose_odd_pair_is_opened(base: TextEncoder) -> None:
    texts = ["The food was good.", "The food was not good.", "Prices rose by three percent.", "It = rained *."]
    app = open_app("alike", alike_part="A list", alike_list="\n".join(texts))
    found = alike([base.trace(text) for text in texts])
    np.testing.assert_allclose(numbers(app, key="all_alike"), found.cosines.numpy(), atol=1e-5)
    i, j = found.odd
    assert f"The odd pair is {i + 1} and {j + 1}" in texts_of(app)
    app.button(key="open_odd").click().run()
    assert numbers(app, key="cosine_shares").sum() == pytest.approx(float(found.cosines[i, j]), abs=1e-5)
    assert ["".join(app.query_params[name]) for name in ("sentence", "other")] == [texts[i], texts[j]]
    app.pills(key="alike_part").set_value("A list").run()
    app.text_area(key="alike_list").set_value("one alone").run()
    assert "the list has 1 sentences; it takes 2 to 24." in texts_of(app) and not app.exception


def test_the_mean_of_a_corpus_is_a_second_view() -> None:
    less = "Minus the mean of 100 sentences"
    app = open_app("alike", model="small", sentence="The cat slept.", other="A dog was asleep.", alike_view=less)
    for button in [one for one in app.button if one.label.startswith("Measure")]:
        button.click().run()
    cosine = float(numbers(app, key="cosine_shares").sum())
    terms = re.search(r"make it: a · b (\S+), less a · m (\S+), less m · b (\S+) and m · m (\S+)\. As", texts_of(app))
    assert terms is not None and sum(map(float, terms.groups())) == pytest.approx(cosine, abs=4e-4)
    assert f"The cosine is {cosine:.4f}" in texts_of(app) and "This is another number" in texts_of(app)


@pytest.mark.parametrize("mode", ["cls", "max"])
def test_a_folder_of_sentences_with_its_prefixes(mode: str, model_root: Path) -> None:
    prompts = {"prompts": {"query": "w8 w9 "}, "default_prompt_name": "query", "similarity_fn_name": "dot"}
    folder = put(
        model_root / "mine",
        {"1_Pooling/config.json": {"pooling_mode": mode}, "config_sentence_transformers.json": prompts},
    )
    encoder = TextEncoder.from_pretrained(folder)
    app = open_app("alike", model="folder:mine", sentence="w1 w2", other="w3 w4 w5")
    a, b = (encoder.trace(f"w8 w9 {text}")["pooling.vector"][0].double() for text in ("w1 w2", "w3 w4 w5"))
    cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    assert numbers(app, key="cosine_shares").sum() == pytest.approx(cosine, abs=1e-5)
    assert f"The cosine is {cosine:.4f}" in texts_of(app) and "compares by “dot”" in texts_of(app)
    app.pills(key="prefix_a").set_value("none").run()
    a = encoder.trace("w1 w2")["pooling.vector"][0].double()
    cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    assert f"The cosine is {cosine:.4f}" in texts_of(app)
    go(app, "stack")
    np.testing.assert_allclose(step_numbers(app, "pooling.vector")[0], a.numpy(), atol=1e-5)
    shutil.rmtree(folder)


def test_the_guess_at_an_asked_word_opens_below_the_question() -> None:
    app = go(open_app(sentence=CAPITAL, ask_word="6", ask_why="1"), "sentence")
    fold = next(one for one in app.expander if "Which words made the guess at" in one.label)
    assert "MASK" in fold.label and "6" in fold.label


@pytest.mark.parametrize("page", ["why", "alike", "heads", "sentence"])
def test_runs_that_end_in_no_numbers_are_told(page: str) -> None:
    lost = "layers.1.output:scale:v=3e38;layers.2.output:scale:v=3e38"
    app = open_app(page, sentence=CAPITAL, model="small", edits=lost, heads_part="Inside one head", why="Which words")
    for button in [one for one in app.button if one.label == "Share out this guess"]:
        button.click().run()
    said = " ".join(one.value for one in (*app.warning, *app.markdown)).replace("\\", "")
    assert page != "why" or "only a number can be shared out" in said
    assert not app.exception, [one.stack_trace for one in app.exception]


def test_a_model_without_a_head_has_no_guess_and_a_cosine() -> None:
    for page, said in (("why", "no head that guesses words"), ("alike", "The cosine is"), ("sentence", "")):
        assert said in texts_of(open_app(page, model="paper", sentence="w", other="w"))

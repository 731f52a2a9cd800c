"""Below Compare: two runs or models, one word in many sentences, patches, and cosines that are shared out."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from more_tools import every, numbers, pictures, section, words
from page_tools import asked_step
from twins import put

from encoder import TextEncoder
from encoder.experiments.attributions.similarity import alike

pytestmark = pytest.mark.slow

KEYS, KEY = "The keys to the cabinet [MASK] on the table.", "The key to the cabinet [MASK] on the table."
PAIR = ("The cat slept.", "A dog was asleep.")


def test_two_sentences_or_models_are_compared_or_it_is_said_why_not(base: TextEncoder, small: TextEncoder) -> None:
    apart = numbers(pictures(section("compare", "apart", sentence=KEYS, other=KEY))["apart"])
    assert apart[2, 0] > 0 and np.delete(apart, 2, 0)[:, 0].max() == 0, "they part where their words differ"
    here = {"sentence": "The cat.", "other": "The dog.", "layer": "5", "head": "7"}
    for model, outcome in (("base-untrained", "first part"), ("pre-norm", "first part"), ("small", "differ in layers")):
        assert outcome in words(section("compare", "apart", other_model=model, **here)), model
    shown = section("compare", "apart", other_model="small", **here)
    runs = {"weights_a": (base.trace("The cat."), 5, 7), "weights_b": (small.trace("The dog."), 3, 3)}
    for key, (run, layer, head) in runs.items():
        expected = run[f"layers.{layer}.attention.weights"][head].numpy()
        np.testing.assert_allclose(numbers(pictures(shown)[key]), expected, atol=1e-7)
        assert f"head {head} of layer {layer}" in words(shown)
    assert "can be looked at" in words(section("compare", "beside", other_model="small", **here))


def test_a_word_of_both_is_followed_and_any_step_shown_beside_itself() -> None:
    items = section("compare", "apart", sentence=KEYS, other=KEY)
    (follow,) = [item for item in every(items) if item.get("name") == "follow"]
    assert "2 keys" not in follow["texts"] and "6 [MASK]" in follow["texts"]
    chosen = section("compare", "apart", sentence=KEYS, other=KEY, follow=follow["values"][-1])
    assert pictures(chosen)["followed"]["sentence"] != pictures(items)["followed"]["sentence"]
    beside = pictures(section("compare", "beside", sentence=KEYS, other=KEY, layer="5", head="6"))
    change = numbers(beside["beside_1"]) - numbers(beside["beside_0"])
    np.testing.assert_allclose(numbers(beside["beside_change"]), change, atol=1e-6)


def test_one_word_drifts_apart_and_a_patch_brings_its_token_back() -> None:
    means = numbers(pictures(section("compare", "word"))["set_means"], "y")
    assert means[0] > 0.9 > 0.7 > means[-1]
    none = section("compare", "word", set_word="zebra")
    assert "at least 2 are needed" in words(none) and not pictures(none)
    assert {item["name"] for item in none if item["kind"] == "ask"} >= {"set", "set_word"}, "it can be mended"
    shown = section("compare", "patch", sentence=KEYS, other=KEY, agreed=True)
    share = numbers(pictures(shown)["patch_map"])
    assert share.shape == (12, 6) and share[:, -1].sum() == pytest.approx(1, abs=1e-3)
    assert "needs the same number" in words(section("compare", "patch", sentence=KEYS, other="Too short"))
    heads = section(
        "compare", "patch", sentence=KEYS, other=KEY, patch_step="attention.heads", patch_heads="1,6", agreed=True
    )
    (chosen,) = [item["chosen"] for item in heads if item.get("name") == "patch_heads"]
    assert chosen == ["1", "6"] and not np.array_equal(numbers(pictures(heads)["patch_map"]), share)


def test_the_cosine_of_two_sentences_is_shared_out_and_the_mean_of_a_corpus_taken_off(small: TextEncoder) -> None:
    here = {"model": "small", "sentence": PAIR[0], "other": PAIR[1]}
    items = section("compare", "cosine", **here)
    a, b = (small.trace(text)["output"].double().mean(0) for text in PAIR)
    cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
    assert numbers(pictures(items)["cosine_shares"]).sum() == pytest.approx(cosine, abs=1e-5)
    assert f"The cosine is {cosine:.4f}" in words(items)
    less = section("compare", "cosine", alike_view="Minus the mean of 100 sentences", **here)
    cosine = float(numbers(pictures(less)["cosine_shares"]).sum())
    terms = re.search(r"make it: a · b (\S+), less a · m (\S+), less m · b (\S+) and m · m (\S+)\. As", words(less))
    assert terms is not None and sum(map(float, terms.groups())) == pytest.approx(cosine, abs=4e-4)
    assert f"The cosine is {cosine:.4f}" in words(less) and "This is another number" in words(less)


def test_a_list_is_a_matrix_whose_odd_pair_can_be_opened(base: TextEncoder) -> None:
    texts = ["The food was good.", "The food was not good.", "Prices rose by three percent.", "It = rained *."]
    items = section("compare", "list", alike_list="\n".join(texts))
    found = alike([base.trace(text) for text in texts])
    np.testing.assert_allclose(numbers(pictures(items)["all_alike"]), found.cosines.numpy(), atol=1e-5)
    i, j = found.odd
    assert f"The odd pair is {i + 1} and {j + 1}" in words(items)
    (press,) = [item for item in items if item["kind"] == "press"]
    makes = press["switches"][0]["makes"]
    assert (makes["sentence"], makes["other"]) == (texts[i], texts[j])
    pair = pictures(section("compare", "cosine", sentence=texts[i], other=texts[j]))["cosine_shares"]
    assert numbers(pair).sum() == pytest.approx(float(found.cosines[i, j]), abs=1e-5)
    assert "the list has 1 sentences; it takes 2 to 24." in words(section("compare", "list", alike_list="one")).lower()


@pytest.mark.parametrize("mode", ["cls", "max"])
def test_a_folder_of_sentences_with_its_prefixes(mode: str, model_root: Path) -> None:
    prompts = {"prompts": {"query": "w8 w9 "}, "default_prompt_name": "query", "similarity_fn_name": "dot"}
    pooling = {"1_Pooling/config.json": {"pooling_mode": mode}, "config_sentence_transformers.json": prompts}
    folder = put(model_root / "mine", pooling)
    encoder = TextEncoder.from_pretrained(folder)
    here = {"model": "folder:mine", "sentence": "w1 w2", "other": "w3 w4 w5"}
    b = encoder.trace("w8 w9 w3 w4 w5")["pooling.vector"][0].double()
    for prefix, chosen in (("w8 w9 ", {}), ("", {"prefix_a": "none"})):
        a = encoder.trace(f"{prefix}w1 w2")["pooling.vector"][0].double()
        cosine = float(torch.nn.functional.cosine_similarity(a, b, dim=0))
        items = section("compare", "cosine", **here, **chosen)
        assert numbers(pictures(items)["cosine_shares"]).sum() == pytest.approx(cosine, abs=1e-5)
        assert f"The cosine is {cosine:.4f}" in words(items) and "compares by “dot”" in words(items)
    _, pooled = asked_step("pooling.vector", sentence="w1 w2", model="folder:mine")
    np.testing.assert_allclose(pooled[0], a.numpy(), atol=1e-5)
    shutil.rmtree(folder)

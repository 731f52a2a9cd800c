"""Inside a head: terms of a score add up to it, and what weights alone say is what a run of the bare words gives."""

import math
from dataclasses import replace

import pytest
import torch
from in_turn import in_turn
from more_tools import numbers, pictures, section, tables, words
from planted import planted
from tiny import SENTENCE, TINY, VARIANTS, tiny

from encoder import Edit, TextEncoder
from encoder.experiments.attributions.circuits import POSITION, REST, WORD, looked_for, pair_score, written_for

KINDS = ("post-norm", "std-norm-pre-norm", "no-positions", "segments-embedding-norm", "narrow-norm", "albert")


@in_turn("name", KINDS)
def test_terms_add_up_to_the_score(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    trace = encoder.trace(SENTENCE)
    scores = trace["layers.0.attention.scaled"]
    for head, query, key in ((0, 1, 2), (2, 4, 0), (1, 3, 3)):
        found = pair_score(encoder, trace, head, query, key)
        size = float(found.values.abs().sum())
        assert float(found.values.sum()) == pytest.approx(float(scores[head, query, key]), abs=1e-6 * size)
        assert found.score == float(scores[head, query, key]) and found.missing <= 1e-6 * size
        rest = found.values[found.query.index(REST)].abs().sum() + found.values[:, found.key.index(REST)].abs().sum()
        assert float(rest) <= 2e-6 * size
        nowhere = float(found.values[found.query.index(POSITION)].abs().max())
        assert (nowhere == 0) == (name == "no-positions")


def test_a_word_without_a_place_has_the_same_term_everywhere() -> None:
    """The word-word term of a score without norms is that of the two words, wherever they stand."""
    encoder = tiny(TINY)
    one, two = encoder.trace("w1 w2 w3"), encoder.trace("w5 w3 w9 w1")

    def of_words(trace, query: int, key: int) -> float:
        found = pair_score(encoder, trace, 1, query, key)
        return float(found.values[found.query.index(WORD), found.key.index(WORD)])

    assert of_words(one, 1, 3) == pytest.approx(of_words(two, 4, 2), rel=1e-9)
    assert of_words(one, 1, 3) != pytest.approx(of_words(two, 2, 4), rel=1e-3)


def test_a_changed_query_is_the_rest_and_a_changed_score_is_printed() -> None:
    encoder = tiny(TINY)
    changed = encoder.trace(SENTENCE, edits=[Edit("layers.0.attention.q", "scale", heads=(1,), value=3.0)])
    found = pair_score(encoder, changed, 1, 1, 2)
    assert found.missing < 1e-5 and float(found.values[found.query.index(REST)].abs().max()) > 1e-3
    halved = encoder.trace(SENTENCE, edits=[Edit("layers.0.attention.scaled", "scale", value=0.5)])
    found = pair_score(encoder, halved, 1, 1, 2)
    assert found.missing == pytest.approx(abs(found.score), rel=1e-4)


@in_turn("name", ["post-norm", "pre-norm", "narrow-norm", "learned-positions"])
def test_weights_alone_are_a_run_without_places(name: str) -> None:
    """Words of a run whose positions are zero are the bare words in layer 0: its scores and outputs are asked for."""
    encoder = tiny(VARIANTS[name])
    words = [f"w{i}" for i in range(17)]
    trace = encoder.trace(" ".join(words), edits=[Edit("embedding.positions", "zero")])
    scores = trace["layers.0.attention.scaled"]
    at = trace.tokens.index("w4")
    ranked = dict(looked_for(encoder, 0, 1, trace.ids[at], 53))
    assert len(ranked) == 53 and list(ranked.values()) == sorted(ranked.values(), reverse=True)
    for i, token in enumerate(trace.tokens):
        assert ranked[token] == pytest.approx(float(scores[1, at, i]), abs=1e-4)
    value = trace["layers.0.attention.v"][1, at]
    w_o = encoder.model.layers[0].attention.w_o.weight[:, 10:20]  # the columns of head 1
    table = encoder.model.embedding.tokens.weight
    if encoder.model.embedding.projection is not None:
        table = encoder.model.embedding.projection(table)
    near = torch.nn.functional.cosine_similarity(table, (w_o @ value)[None])
    found = written_for(encoder, 0, 1, trace.ids[at], 3)
    assert [encoder.tokenizer.token_to_id(word) for word, _ in found] == near.topk(3).indices.tolist()
    assert found[0][1] == pytest.approx(float(near.max()), abs=1e-5)


def test_a_planted_link_is_what_the_head_looks_for(base: TextEncoder) -> None:
    encoder = planted(base.tokenizer, [("keys", "table")])
    keys = base.tokenizer.token_to_id("keys")
    assert looked_for(encoder, 0, 3, keys, 1)[0][0] == "table"


def test_what_is_not_there_is_a_sentence(base: TextEncoder, small: TextEncoder) -> None:
    trace = base.trace("hi")
    with pytest.raises(ValueError, match="positions go from 0 to 2"):
        pair_score(base, trace, 0, 9, 0)
    with pytest.raises(ValueError, match="heads from 0 to 7"):
        pair_score(base, trace, 8, 0, 0)
    with pytest.raises(ValueError, match="another model"):
        pair_score(small, trace, 0, 0, 0)
    with pytest.raises(ValueError, match="layers go from 0 to 5"):
        looked_for(base, 6, 0, 5)
    with pytest.raises(ValueError, match="words go from 0 to"):
        written_for(base, 0, 0, -1)
    with torch.no_grad():
        lost = tiny(replace(TINY, n_layers=1))
        lost.model.embedding.tokens.weight.fill_(torch.nan)
    assert math.isnan(pair_score(lost, lost.trace("w1"), 0, 0, 1).score)


@pytest.mark.slow
def test_the_page_shows_the_terms_and_says_what_is_of_weights_alone(base: TextEncoder) -> None:
    shown = section("heads", "inside", sentence="The cat slept.", inside_query="2", inside_key="3", head="4")
    score = float(base.trace("The cat slept.")["layers.0.attention.scaled"][4, 2, 3])
    assert numbers(pictures(shown)["inside_terms"]).sum() == pytest.approx(score, abs=1e-4)
    text = words(shown)
    assert "terms add up to it" in text and "weights alone" in text and "In layer 0" in text
    looks, _ = looked_for(base, 0, 4, base.tokenize("The cat slept.").ids[2])[:2]
    assert tables(shown)["inside_words"]["score"][0] == pytest.approx(looks[1])

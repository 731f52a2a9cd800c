"""What is said of steps and terms is true of the model it is said of, tried on runs of that model."""

from dataclasses import replace

import pytest
import torch
from in_turn import every_shape, in_turn
from tiny import TINY, VARIANTS, tiny

from encoder import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.model.steps.glossary import TERMS
from encoder.pictures.labs.order_lab import identical_rows

WINDOWS = replace(TINY, positions="none", window=1, global_every=2, mask_value=-1e9)
TERM = {term.name: term for term in TERMS}


@in_turn("config", [VARIANTS["no-positions"], WINDOWS])
def test_order_is_called_lost_only_where_exchanged_words_give_exchanged_rows(config: EncoderConfig) -> None:
    encoder = tiny(config)
    first, other = encoder.trace("w1 w2 w3 w4 w5"), encoder.trace("w5 w2 w3 w4 w1")
    order = [0, 5, 2, 3, 4, 1, 6]
    lost = torch.allclose(first["output"], other["output"][order], atol=1e-5)
    step = by_name(config)["embedding.positions"]
    assert ("order of the words is lost" in step.note) == ("same rows, exchanged" in step.look) == lost


def test_a_word_put_before_turns_all_words_but_what_is_at_position_0() -> None:
    encoder = tiny(VARIANTS["rotary"])
    name = "layers.0.attention.k_rotated"
    before, after = encoder.trace("w1 w2 w3")[name], encoder.trace("w9 w1 w2 w3")[name]
    assert torch.allclose(before[:, 0], after[:, 0], atol=1e-6)  # [CLS]
    for i in (1, 2, 3):
        assert not torch.allclose(before[:, i], after[:, i + 1], atol=1e-3)
    look = by_name(encoder.config)[name].look
    assert "position 0 stays as it is" in look and "every row" not in look


def test_rotary_scores_depend_on_what_tokens_hold_and_the_glossary_says_so() -> None:
    scores = tiny(VARIANTS["rotary"]).trace("w1 w2 w3 w4")["layers.0.attention.scores"]
    assert not torch.allclose(scores[:, 1, 2], scores[:, 2, 3], atol=1e-3)  # as far apart, other words
    assert "hold" in TERM["rotary"].meaning


def test_the_vector_of_a_sentence_is_not_called_pooler_output() -> None:
    assert "pooler_output" not in TERM["pooling"].names.values() and "tanh" in TERM["pooling"].meaning


def test_rounding_is_not_told_as_a_difference() -> None:
    deaf, hearing = (
        identical_rows(tiny(VARIANTS[name]), sentence="w1 w2 w3").sentence for name in ("no-positions", "post-norm")
    )
    assert "differ by up to" not in deaf and "the same too" in deaf
    assert "With positions on, vectors differ by up to" in hearing


@every_shape(VARIANTS, pytest.mark.slow)
def test_what_is_said_of_steps_is_true_in_every_model(config: EncoderConfig) -> None:
    encoder, steps = tiny(config), by_name(config)
    output = encoder.trace("w1 w2 w1 w3 w4 w5")["output"]  # two copies of a word are called alike where they end alike
    alike = torch.allclose(output[1], output[3], atol=1e-5)
    assert ("are alike here" in steps["output"].look) == alike
    entered = [name for name, step in steps.items() if "enters the next" in step.note]
    assert entered == [f"layers.{i}.output" for i in range(config.n_layers - 1)]
    trace = encoder.trace("w1 w2 w3 w4 w5 w6")  # the largest score is looked at, or the text names what comes between
    layers = [trace.layers[i].attention for i in range(config.n_layers)]
    moved = any(not torch.equal(at.scores.argmax(-1), at.weights.argmax(-1)) for at in layers)
    assert not moved or "distance outweighs" in steps["layers.0.attention.scores"].look or config.window

"""The map of the encoder is drawn from the configuration: order of the norms, and what comes after."""

from dataclasses import replace

import pytest

from encoder.model.config import PRESETS, EncoderConfig
from pages.ui.frame.encoder_map import blocks
from pages.ui.state.walk import stops

POST = ["Attention", "Add & norm", "Feed-forward", "Add & norm"]
PRE = ["Norm", "Attention", "Add", "Norm", "Feed-forward", "Add"]


def layer(config: EncoderConfig) -> list[str]:
    return [box.name for box in blocks(config, 0) if box.in_layer]


def test_the_order_in_a_layer_is_that_of_the_configuration() -> None:
    assert layer(PRESETS["paper"]) == POST
    assert layer(PRESETS["pre-norm"]) == PRE


def test_what_comes_before_and_after_the_layers() -> None:
    plain = replace(PRESETS["paper"], mlm_head=False, final_norm=False)
    outside = [box.name for box in blocks(plain, 0) if not box.in_layer]
    assert outside == ["Tokens", "Embedding", "Position", "Output"]
    more = replace(plain, mlm_head=True, final_norm=True, embedding_norm=True)
    outside = [box.name for box in blocks(more, 0) if not box.in_layer]
    assert outside == ["Tokens", "Embedding", "Position", "Norm", "Final norm", "Output", "Guess of words"]


@pytest.mark.parametrize("name", PRESETS)
def test_every_step_of_the_walk_is_in_one_box_at_most_and_a_click_leads_into_its_box(name: str) -> None:
    config = PRESETS[name]
    for i in (0, config.n_layers - 1):
        boxes = blocks(config, i)
        inside = [stop for box in boxes for stop in box.stops]
        assert len(inside) == len(set(inside))
        assert all(box.opens in box.stops for box in boxes)
        left_out = {stop.step for stop in stops(config) if stop.layer in (None, i) and stop not in inside}
        assert {step.rpartition(".")[2] for step in left_out} <= {"residual", "output", ""}


def test_every_box_of_the_map_has_a_name() -> None:
    for config in PRESETS.values():
        for layer in range(2):
            assert all(block.name for block in blocks(config, layer))
    assert "No norm" in [block.name for block in blocks(PRESETS["modern"], 0)]

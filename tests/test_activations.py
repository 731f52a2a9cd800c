"""What must know an activation knows every one of them, and nothing else names them."""

from pathlib import Path

import torch
from in_turn import in_turn
from oracle import REPLAY
from tiny import VARIANTS

from encoder import EncoderConfig
from encoder.explain.operations import OPERATIONS
from encoder.model.activations import ACTIVATIONS
from encoder.model.steps.catalogue import by_name

ROOT = Path(__file__).parents[1]
BROWSER = "encoder/browser/block.js"


@in_turn("name", ACTIVATIONS)
def test_an_activation_is_known_wherever_it_must_be(name: str) -> None:
    assert name in OPERATIONS and name in REPLAY
    assert (ROOT / BROWSER).read_text(encoding="utf-8").count(f"\n  {name}: ") == 2, (
        "its function, and how it is written"
    )
    assert any(config.activation == name for config in VARIANTS.values())
    step = by_name(EncoderConfig(activation=name))["layers.0.feed_forward.activation"]
    assert step.operation == name and step.formula == ACTIVATIONS[name].formula.replace("<0>", "h")


@in_turn("name", ACTIVATIONS)
def test_the_function_is_the_one_of_the_module(name: str) -> None:
    x = torch.linspace(-9, 9, 1001)
    made = ACTIVATIONS[name].function(x)
    torch.testing.assert_close(made, ACTIVATIONS[name].module()(x))
    assert ACTIVATIONS[name].cuts == (not made[x < 0].any())


def test_a_name_in_a_checkpoint_means_one_activation() -> None:
    names = [theirs for activation in ACTIVATIONS.values() for theirs in activation.hugging_face]
    assert len(names) == len(set(names))

"""The labs of Lessons: what a reader sets reaches the picture, its numbers are the run's own, and limits are told."""

import importlib
import pkgutil

import numpy as np
import pytest
import torch
from page_tools import ask, healthy, numbers, open_app, words
from visits import link

from encoder import TextEncoder
from encoder.experiments import PLACES
from encoder.model.steps.glossary import TERMS
from encoder.pictures import labs
from encoder.pictures.lab import pictures_of
from encoder.pictures.labs import LABS
from encoder.tasks.learning import KINDS, learning_curves

pytestmark = pytest.mark.slow
SENTENCE, LONG = "I understand this", "The animal didn't cross the street."
KEYS = "Keys on the table belong to Sara."


def test_a_lab_stands_beside_its_pictures_and_is_offered() -> None:
    """So that its function and one module are all that a new one needs."""
    names = [module.name for module in pkgutil.iter_modules(labs.__path__) if module.name.endswith("_lab")]
    modules = [importlib.import_module(f"{labs.__name__}.{name}") for name in names]
    assert [set(module.LABS) - set(LABS) for module in modules] == [set()] * len(modules)
    for module in modules:
        shown = {id(picture) for lab in module.LABS.values() for picture in pictures_of(lab.parts)}
        assert shown <= {id(value) for value in vars(module).values()}, module.__name__


def test_what_is_set_in_a_lab_reaches_its_picture_and_what_cannot_be_is_told(base: TextEncoder) -> None:
    app = open_app("lessons", sentence="no", model="base", lab="Word order")
    assert "reads the same both ways" in words(app)
    assert "must have fewer" in words(ask(app, lab="Padding"))
    for nonsense in ("a, b", ",", "1e9", "nan"):
        assert "Type 1 to 24 numbers" in words(ask(app, lab="Softmax", own_scores=nonsense))
    # Scores of one's own become weights, and without the division the gradient shrinks
    expected = torch.tensor([3.0, 1.0, 1.0]).softmax(0).numpy()
    np.testing.assert_allclose(numbers(ask(app, own_scores="3, 1, 1"), "y", "own_weights"), expected, atol=1e-6)
    assert "softmax(3, 1, 1) = 79 %, 11 %, 11 %" in words(app)
    assert numbers(app, key="own_slopes").sum() == pytest.approx(0, abs=1e-6)
    slopes = numbers(ask(app, lab="Why √d_head", sentence=SENTENCE), "y", "slopes")
    assert slopes.max() / slopes.min() < 1.5, "the first line is that with the division"
    assert "of 1024 numbers the gradient of softmax is" in words(app)
    # Dropout of nothing changes nothing, and that of a tenth depends on the seed
    assert numbers(ask(app, lab="Dropout", drop_p="0.0"), "y", "dropped") == pytest.approx(1, abs=1e-4)
    third, fourth = (numbers(ask(app, drop_p="0.1", drop_seed=seed), "y", "dropped") for seed in ("3", "4"))
    assert 0.2 < third.min() < 0.999 and "With p = 0.1, " in words(app) and not np.array_equal(third, fourth)
    (term,) = (term for term in TERMS if term.name == "dropout")  # the glossary shows it beside the lab's own steps
    assert set(term.steps) == {local for steps in PLACES.values() for local in steps} and "nn.Dropout" in term.elsewhere
    # Bare words are a row each
    ask(app, lab="Without [CLS] and [SEP]")
    assert "Without [CLS] and [SEP] the output is (3, 512)" in words(app) and "with them it is (5, 512)" in words(app)
    assert numbers(app, "y", "bare").shape == (3,)
    # A batch of two has its shapes and its padding
    ask(app, lab="Padding", sentence=LONG, pad_short=SENTENCE, layer="2", head="3")
    n = len(base.trace(LONG).tokens)
    shapes = f"The batch goes in as (2, {n}) ids and comes out as (2, {n}, 512): {n - 5} rows of the short one are"
    assert shapes in words(app) and f"with the mask: {n * (n - 5)} of {n * n} scores are hidden" in words(app)
    masked, alone = numbers(app, key="pad_weights"), base.trace(SENTENCE)["layers.2.attention.weights"][3].numpy()
    assert masked[:, 5:].sum() == 0 and "put 0 % of their weight on [PAD]" in words(app)
    np.testing.assert_allclose(masked[:5, :5], alone, atol=1e-5)
    assert not np.isfinite(numbers(app, key="pad_masked")[:, 5:]).any()
    forgotten = numbers(ask(app, pad_mask="mask forgotten"), key="pad_weights")
    assert forgotten[:5, 5:].sum() > 0 and forgotten.sum(-1) == pytest.approx(1, abs=1e-5)
    # Positions are drawn in pairs, and two words change places
    ask(app, lab="Positions", sentence=KEYS, position_pair="1", swap_one="1", swap_other="4")
    assert "Dimensions 2 and 3 come round after 6.51 positions" in words(app)
    waves = base.model.embedding.positions.weight[:128, 2].numpy()
    np.testing.assert_array_equal(numbers(app, "y", "position_waves"), waves)
    assert "Exchanged: [CLS] table on the keys" in words(app)
    assert numbers(app, "y", "swapped").max() < 1e-4, "the first series is that without positions"
    # Both orders of the norms start alike, and the model's own is told
    ask(app, lab="Post-norm and pre-norm")
    assert numbers(app, "y", "order_alike")[0] == pytest.approx(1, abs=1e-5)
    length = float(base.trace(KEYS)["layers.5.output"].norm(dim=-1).mean())
    assert numbers(app, "y", "order_length")[-1] == pytest.approx(length, rel=1e-5)
    assert "This model was made as post-norm" in words(app)
    # A lab leads from a model that lacks its part to one that has it
    for name, lacks, then in (("Windows", "no windows", "has a window of"), ("Gate signs", "no gates", "of what is")):
        assert lacks in words(ask(app, lab=name, model="base", sentence="A dog barks."))
        healthy(app.button(key="lab_modern").click().run())
        assert link(app)["model"] == "modern" and then in words(app)
    learned = "built:n_layers=1,positions=learned,d_model=24,n_heads=3"
    assert "do not turn evenly" in words(ask(app, lab="Positions", model=learned, layer="0", head="0"))


@pytest.mark.nightly
def test_the_lab_trains_all_and_says_who_learned() -> None:
    app = open_app("lessons", sentence=SENTENCE, model="base", lab="Trained without a part")
    assert "nats" not in words(app)
    healthy(app.button(key="learning_go").click().run())
    *_, curves = learning_curves()
    assert list(curves.curves) == list(KINDS) and curves.done == curves.total == len(KINDS)
    np.testing.assert_allclose(numbers(app, "y", "learning_one"), curves.curves["post-norm"].loss, atol=1e-6)
    assert "Clearly below that come post-norm" in words(app)

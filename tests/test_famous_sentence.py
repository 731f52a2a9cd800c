"""What `base` does with the sentence that is told of attention everywhere; the texts say no more than this."""

import pytest
import torch

from encoder import TextEncoder
from encoder.teach.lessons.claims import TIRED, WIDE
from pages.ui.lessons.library import bundled

HEAD = (4, 1)  # the layer and head that lesson, tutorial and README show


def looks(encoder: TextEncoder, text: str, word: str) -> torch.Tensor:
    """What "it" gives to a word in every head: [n_layers, H]."""
    trace = encoder.trace(text)
    it, at = trace.tokens.index("it"), trace.tokens.index(word)
    return torch.stack([layer.attention.weights[:, it, at] for layer in trace.layers])


@pytest.mark.parametrize("text", [WIDE, TIRED], ids=["wide", "tired"])
def test_the_head_that_is_shown_looks_at_the_animal_in_both(base: TextEncoder, text: str) -> None:
    trace = base.trace(text)
    row = trace[f"layers.{HEAD[0]}.attention.weights"][HEAD[1], trace.tokens.index("it")]
    assert trace.tokens[int(row.argmax())] == "animal"
    assert float(row[trace.tokens.index("street")]) < 0.05


def test_no_head_turns_from_the_street_to_the_animal(base: TextEncoder) -> None:
    lead = [looks(base, text, "animal") - looks(base, text, "street") for text in (WIDE, TIRED)]
    assert not bool(((lead[0] < -0.05) & (lead[1] > 0.05)).any())


def test_what_changes_is_the_guess_at_the_hidden_word(base: TextEncoder) -> None:
    found = []
    for text in (WIDE, TIRED):
        trace = base.trace(text.replace("because it", "because the [MASK]"))
        guesses = base.predict(trace, 2, [trace.tokens.index("[MASK]")])
        assert guesses is not None
        found.append([word for word, _ in guesses[0]])
    assert found == [["road", "hole"], ["dog", "animal"]]


def test_the_lesson_does_not_say_that_a_head_thinks_or_knows() -> None:
    steps = [step for name in ("who-is-it", "what-is-attention") for step in bundled()[name].steps]
    assert not [
        step.text for step in steps if "this head think" in step.text or "is how a model does that" in step.text
    ]
    assert "it does not follow what they mean" in bundled()["who-is-it"].steps[2].text

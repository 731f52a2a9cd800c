"""What parts matter over many sentences: each number as by one ordinary run after the other, and heads set by hand."""

import pytest
import torch
from in_turn import in_turn
from planted import PREVIOUS, SPECIAL, planted
from tiny import TINY, tiny

from encoder import Edit, TextEncoder
from encoder.experiments.importance import Importance, importance

THREE = ["The cat chased the mouse.", "Keys on the table belong to Sara.", "It was so quiet."]
HIDDEN = {THREE[0]: "chased", THREE[1]: "belong", THREE[2]: "quiet"}  # the longest word of each


def end(encoder: TextEncoder, way: str, sentences: list[str]) -> Importance:
    """What was found when it was done; it says how far it is after each sentence."""
    found = list(importance(encoder, way, sentences))
    assert [(one.done, one.total) for one in found] == [(i + 1, len(sentences)) for i in range(len(sentences))]
    return found[-1]


def loss(encoder: TextEncoder, sentence: str, edits: tuple[Edit, ...] = ()) -> float:
    """-ln p of the hidden word, by one ordinary run."""
    word = HIDDEN[sentence]
    trace = encoder.trace(sentence.replace(word, "[MASK]"), edits=edits)
    p = trace["mlm.logits"][trace.tokens.index("[MASK]")].double().softmax(-1)
    return -float(p[encoder.tokenizer.token_to_id(word)].log())


def test_zeroing_is_the_mean_over_ordinary_runs(small: TextEncoder) -> None:
    found = end(small, "zero", THREE)
    edit = Edit("layers.2.attention.heads", "zero", heads=(3,))
    harms = torch.tensor([loss(small, s, (edit,)) - loss(small, s) for s in THREE], dtype=torch.float64)
    assert float(found.harm[2, 3]) == pytest.approx(float(harms.mean()), abs=1e-4)
    assert float(found.harm_error[2, 3]) == pytest.approx(float(harms.std()) / 3**0.5, abs=1e-4)
    assert found.harm.shape == found.change.shape == (4, 5)


def test_another_sentence_takes_the_place(small: TextEncoder) -> None:
    """Patched from the next sentence, place by place: by patches of ordinary runs where it is long enough."""
    a, b = THREE[:2]  # b has more tokens than a
    found = end(small, "resample", [a, b])
    edit = Edit("layers.3.attention.heads", "patch", heads=(1,), value=b)
    trace, edited = (small.trace(a.replace("chased", "[MASK]"), edits=e)["output"].double() for e in ((), (edit,)))
    first = next(importance(small, "resample", [a, b]))
    assert float(first.change[3, 1]) == pytest.approx(float((edited - trace).norm() / trace.norm()), rel=1e-3)
    assert torch.isnan(first.change_error).all()  # no error bar of one sentence
    assert bool((found.change_error >= 0).all())


def test_a_mean_changes_nothing_where_a_head_always_gives_the_same(base: TextEncoder) -> None:
    """The special head of the planted model gives all words the same, in sentences of one length."""
    encoder = planted(base.tokenizer, [("keys", "table")])
    sentences = ["The cat chased the mouse.", "My brother bought the house."]
    mean, zero, other = (end(encoder, way, sentences) for way in ("mean", "zero", "resample"))
    assert float(mean.change[0, SPECIAL]) < 1e-5 < 0.05 < float(zero.change[0, SPECIAL])
    assert float(other.change[0, SPECIAL]) < 1e-5
    assert float(mean.change[0, PREVIOUS]) > 0.05  # this one depends on the place
    assert torch.isnan(mean.harm).all()  # no head here guesses words


@in_turn(
    ("way", "sentences", "said"),
    [("half", THREE, "must be one of zero, mean, resample"), ("zero", THREE[:1], "2 or more")],
)
def test_what_cannot_be_is_refused_at_once(way: str, sentences: list[str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        importance(tiny(TINY), way, sentences)

"""What is parked on special tokens, in a model whose heads are set by hand and in the bundled one."""

import pytest
import torch
from planted import LINK, NEXT, PREVIOUS, SPECIAL, planted

from encoder import TextEncoder
from encoder.metrics import NO_ROLE, head_roles, norm_weighted, parked, survey

DEFAULT = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def by_hand(base: TextEncoder) -> TextEncoder:
    return planted(base.tokenizer, [("keys", "table")])


def test_heads_set_by_hand_get_the_labels_they_were_made_for(by_hand: TextEncoder) -> None:
    labels = [role.label for role in survey(by_hand).roles[0]]
    assert (labels[PREVIOUS], labels[NEXT], labels[SPECIAL], labels[LINK]) == ("previous", "next", "special", NO_ROLE)


def test_a_head_of_one_special_token_keeps_its_name() -> None:
    """All weight on [CLS] is the role "cls", half on each of [CLS] and [SEP] "special"."""
    sentences = [["[CLS]", *(f"w{i}" for i in range(n)), "[SEP]"] for n in (6, 7, 8, 9)]
    weights = []
    for words in sentences:
        n = len(words)
        one = torch.zeros(2, n, n)
        one[0, :, 0] = 1
        one[1, :, [0, n - 1]] = 0.5
        weights.append(one)
    assert [role.label for role in head_roles(weights, sentences)] == ["cls", "special"]


def test_what_is_parked_is_said_with_what_flows(base: TextEncoder, by_hand: TextEncoder) -> None:
    trace = base.trace(DEFAULT)
    found = parked(trace, 4, 1)
    weights, flow = trace["layers.4.attention.weights"][1], norm_weighted(trace, 4)[1]
    assert found.weight == pytest.approx(float(weights[:, [0, -1]].sum(1).mean()), abs=1e-6)
    share = flow[:, [0, -1]].sum(1) / flow.sum(1)
    assert found.flow == pytest.approx(float(share.mean()), abs=1e-6)
    assert found.sentence.startswith("70 % of the weight is parked on [CLS] and [SEP]")
    assert "Their values are small" in found.sentence
    assert parked(trace, 1, 7).sentence == ""  # a head that looks at the next word
    even = parked(by_hand.trace(DEFAULT), 0, SPECIAL)
    assert even.weight > 0.95  # each of the two gets a little under half
    assert "small" not in even.sentence  # its special tokens hand over as much as words do

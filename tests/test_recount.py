"""The cards of the bundled models say what the models give: their figures are counted again, some by another way."""

import re
from pathlib import Path

import pytest
import torch
from printed import last_digit
from shipped.recount import FILL_INS, figures, fill_ins
from tiers import mostly_nightly

from encoder import TextEncoder, checkpoint
from encoder.metrics.sentences import SENTENCES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")


def card(name: str) -> str:
    return (checkpoint.BUNDLED / name / "MODEL_CARD.md").read_text(encoding="utf-8")


def counted(name: str) -> str:
    """The figures of a card, which stand under the command that gives them."""
    block = re.search(rf"`python -m tests.shipped.recount {name}`.*?```text\n(.*?)```", card(name), re.DOTALL)
    assert block is not None
    return block[1]


@pytest.mark.parametrize("name", mostly_nightly(["base", "small"], daily=["small"]))
def test_a_card_shows_what_its_command_prints(name: str, request: pytest.FixtureRequest) -> None:
    """Word for word; decimals to one unit of the last digit, which another processor may round otherwise."""
    ours, theirs = counted(name), "\n".join(figures(request.getfixturevalue(name)))
    assert NUMBER.sub("#", ours).split() == NUMBER.sub("#", theirs).split()
    for printed, found in zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True):
        allowed = 1.001 * last_digit(printed.replace(",", "")) if "." in printed else 0
        apart = abs(float(printed.replace(",", "")) - float(found.replace(",", "")))
        assert apart <= allowed, f"the card says {printed}, and the model gives {found}"


def test_heads_that_park_are_counted_by_hand(small: TextEncoder) -> None:
    weights = torch.zeros(4, 4, dtype=torch.float64)
    rows = 0
    for sentence in SENTENCES:
        trace = small.trace(sentence)
        for i in range(4):
            one = trace[f"layers.{i}.attention.weights"].double()
            weights[i] += one[:, :, 0].sum(-1) + one[:, :, -1].sum(-1)
        rows += len(trace.tokens)
    by_layer = (weights / rows > 0.5).sum(-1).tolist()
    assert f"{sum(by_layer)} of 16, by layer {', '.join(map(str, by_layer))}" in counted("small")


def test_the_readme_says_how_many_fill_ins_each_model_knows(base: TextEncoder, small: TextEncoder) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    said = re.findall(r"(\d+) of (\d+)(?: fill-ins)?\)", text)
    assert [tuple(map(int, one)) for one in said] == [(fill_ins(one)[0], len(FILL_INS)) for one in (base, small)]
    assert "`python -m tests.shipped.recount base`" in text

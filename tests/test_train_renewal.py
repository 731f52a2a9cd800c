"""A layer whose heads were lost starts anew, and nothing else changes by that."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from encoder import TextEncoder
from encoder.metrics.sentences import SENTENCES
from encoder.train.__main__ import main
from encoder.train.recipe import RECIPES
from encoder.train.trainer import SPREAD, renew, scaled_scores

pytestmark = pytest.mark.slow

SOME = SENTENCES[:6]
ANEW = ["--start", "small", "--set", "renewed=1", "rest_rate=0", "rows=4", "steps=2", "warm_up=1", "score_penalty=1e-4"]


def words_of(encoder: TextEncoder, step: str) -> list[Tensor]:
    traces = [encoder.trace(sentence) for sentence in SOME]
    return [trace[step][~torch.tensor(trace.tokenization.special)] for trace in traces]


def put_out(encoder: TextEncoder, layer: int) -> None:
    """Make the layer's heads add one and the same vector, as heads do that look at one token alone."""
    attention = encoder.model.layers[layer].attention
    with torch.no_grad():
        attention.train().w_v.weight.zero_()
        attention.w_v.bias.normal_(generator=torch.Generator().manual_seed(3))


def test_what_a_lost_layer_gave_it_still_gives() -> None:
    encoder = TextEncoder.from_pretrained("small")
    put_out(encoder, 1)
    before = [encoder.trace(sentence)["layers.3.output"] for sentence in SOME]
    assert torch.cat(words_of(encoder, "layers.1.attention.output")).std(0).max() < 1e-5
    renew(encoder, [1], 0, SOME)
    for sentence, output in zip(SOME, before, strict=True):
        torch.testing.assert_close(encoder.trace(sentence)["layers.3.output"], output, atol=1e-4, rtol=1e-4)


def test_new_heads_start_soft_and_the_same_for_the_same_seed() -> None:
    one, other, third = (TextEncoder.from_pretrained("small") for _ in range(3))
    mean = torch.cat(words_of(one, "layers.2.attention.output")).mean(0)
    before = {name: weight.clone() for name, weight in one.model.state_dict().items()}
    renew(one, [2], 5, SOME)
    renew(other, [2], 5, SOME)
    renew(third, [2], 6, SOME)
    inputs = [one.trace(sentence)["layers.2.attention.input"] for sentence in SOME]
    attention = one.model.layers[2].attention
    scores = torch.cat([scaled_scores(attention, x).flatten() for x in inputs])
    assert float(scores.std()) == pytest.approx(SPREAD, rel=1e-4)
    torch.testing.assert_close(one.trace(SOME[0])["layers.2.attention.output"][3], mean)
    for name, weight in one.model.state_dict().items():
        assert torch.equal(weight, other.model.state_dict()[name])
        assert torch.equal(weight, before[name]) is not name.startswith("layers.2.attention."), name
    query = "layers.2.attention.w_q.weight"
    assert not torch.equal(one.model.state_dict()[query], third.model.state_dict()[query])


def run(folder: Path, more: Sequence[str] = ()) -> int:
    corpus = folder / "text.txt"
    corpus.write_text("\n".join(SENTENCES * 4))
    held = folder / "held.txt"
    held.write_text("\n".join(SENTENCES[:20]))
    text = ["--corpus", str(corpus), "--heldout", str(held)]
    return main([*text, "--preset", "small", "--out", str(folder / "run"), *(more or ANEW)])


def test_a_run_that_renews_a_layer_moves_that_layer_alone(tmp_path: Path) -> None:
    """The rest takes no step here, and so comes out as it went in, in float16."""
    assert run(tmp_path) == 0
    after, before = (TextEncoder.from_pretrained(name) for name in (tmp_path / "run", "small"))
    assert after.tokenizer.to_str() == before.tokenizer.to_str()
    weights = before.model.state_dict()
    renew(before, [1], 0)
    for name, weight in after.model.state_dict().items():
        assert torch.equal(weight, weights[name]) is not name.startswith("layers.1.attention."), name
    attention, start = after.model.layers[1].attention, before.model.layers[1].attention
    assert not torch.equal(attention.w_o.weight, start.w_o.weight.half().float())
    card = (tmp_path / "run" / "MODEL_CARD.md").read_text()
    assert f"--start small ({before.source.sha256})" in card and "renewed [1]" in card


def test_what_cannot_be_renewed_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more, sentence in (
        (["--set", "renewed=0"], "there is no model to renew; name one with --start"),
        (["--start", "small", "--set", "renewed=4"], "its layers must be from 0 to 3"),
        (["--start", "small", "--set", "d_ff=64"], "changes the shape of small"),
        (["--start", "nowhere"], "'nowhere' is neither a bundled model"),
        (["--start", "small", "--set", "rest_rate=2"], "rest_rate is 2.0; it must be a number from 0 to 1"),
    ):
        assert run(tmp_path, more) == 2
        assert sentence in capsys.readouterr().err


def test_the_renewed_layer_takes_the_whole_rate_and_the_rest_its_part() -> None:
    recipe = replace(RECIPES["small"], renewed=(1,), rest_rate=0.1, embedding_rate=0.5)
    assert recipe.share("layers.1.attention.w_q.weight") == 1.0
    assert recipe.share("layers.0.attention.w_q.weight") == recipe.share("layers.1.norm1.weight") == 0.1
    assert recipe.share("embedding.tokens.weight") == pytest.approx(0.05)

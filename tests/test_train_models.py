"""How trained models are scored and looked at: against plain loops, and what the bundled ones reach."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import TINY, tiny

from encoder import TextEncoder
from encoder.metrics.sentences import SENTENCES
from encoder.train import model_card
from encoder.train.__main__ import main
from encoder.train.diagnostics import FAR_APART, Habits, habits, score_range, specials
from encoder.train.evaluation import evaluate, evaluate_text, fill_in_ranks, held_out_batches
from encoder.train.fill_ins import CAPITAL, FILL_INS
from encoder.train.objective import MaskedWords

pytestmark = pytest.mark.slow

LINES = [f"w{i} w{i % 7} w{(3 * i) % 40} w{i % 11}" for i in range(40)]


def test_the_score_is_that_of_a_plain_loop() -> None:
    """Each line alone through the encoder, the hidden words counted one by one."""
    encoder = tiny(replace(TINY, mlm_head=True, max_positions=64, trained_length=32))
    words, loss, first, five = 0, 0.0, 0, 0
    for batch in held_out_batches(LINES, encoder.tokenizer, 32):
        labels = dict(zip(batch.at.tolist(), batch.labels.tolist(), strict=True))
        for row in range(len(batch.ids)):
            for number in range(1, int(batch.segments[row].max()) + 1):
                places = (batch.segments[row] == number).nonzero()[:, 0].tolist()
                _, logits = encoder.run(batch.ids[row][places][None])
                assert logits is not None
                for i, place in enumerate(places):
                    label = labels.get(row * 32 + place)
                    if label is not None:
                        probabilities = torch.softmax(logits[0, i].double(), -1)
                        rank = int((probabilities > probabilities[label]).sum())
                        words, loss = words + 1, loss - float(probabilities[label].log())
                        first, five = first + (rank == 0), five + (rank < 5)
    score = evaluate_text(encoder, LINES)
    assert score.words == words > 10
    assert (score.loss, score.top_1, score.top_5) == pytest.approx(
        (loss / words, first / words, five / words), rel=1e-4
    )


def test_held_out_masks_follow_from_the_seed() -> None:
    tokenizer = tiny(TINY).tokenizer
    one, same, other = (held_out_batches(LINES, tokenizer, 32, seed) for seed in (1, 1, 2))
    assert all(torch.equal(a.ids, b.ids) and torch.equal(a.at, b.at) for a, b in zip(one, same, strict=True))
    assert not torch.equal(one[0].at[:5], other[0].at[:5])


def test_scoring_leaves_dropout_out_and_the_mode_as_it_was() -> None:
    encoder = tiny(replace(TINY, mlm_head=True, max_positions=64, trained_length=32))
    evaluate_text(encoder, LINES)
    assert not any(part.training for part in encoder.model.modules())
    batches = held_out_batches(LINES, encoder.tokenizer, 32)
    objective = MaskedWords(encoder.model, dropout=0.5).train()
    assert evaluate(objective, batches) == evaluate(objective, batches)
    assert objective.training
    with pytest.raises(ValueError, match="'tiny' has no head that guesses words"):
        evaluate_text(tiny(TINY), LINES)


def test_masses_on_special_tokens_and_ranges_of_scores() -> None:
    """Of the rows of words; the largest score less the smallest."""
    weights = torch.tensor([[[1.0, 0, 0, 0], [0.5, 0.25, 0.25, 0], [0.1, 0.2, 0.3, 0.4], [0, 1, 0, 0]]])
    assert specials(weights, [True, False, False, True]).tolist() == pytest.approx([0.5])
    assert specials(weights, [True] * 4).tolist() == 0
    trace = tiny(TINY).trace("w1 w2 w3")
    scaled = trace["layers.1.attention.scaled"].double().numpy()
    np.testing.assert_allclose(score_range(trace)[1].numpy(), np.ptp(scaled, axis=-1).mean(-1), rtol=1e-5)


def test_a_layer_is_saturated_when_over_half_of_its_heads_are_off(small: TextEncoder, base: TextEncoder) -> None:
    """Layer 0 of base was, until its attention was renewed."""
    ones = dict.fromkeys(("entropy", "self", "previous", "next"), torch.full((1, 4), 0.5))
    for mass, reach, saturated in (
        ([0.99, 0.99, 0.1, 0.1], [5.0] * 4, []),
        ([0.99, 0.99, 0.96, 0.1], [5.0] * 4, [0]),
        ([0.1] * 4, [FAR_APART + 1] * 3 + [5.0], [0]),
        ([0.94] * 4, [FAR_APART - 1] * 4, []),
    ):
        seen = Habits(ones | {"specials": torch.tensor([mass]), "range": torch.tensor([reach])})
        assert seen.saturated == saturated
        assert ("warning: layer 0 is saturated" in seen.table()) == bool(saturated)
    for encoder in (small, base):
        seen = habits(encoder)
        assert seen.saturated == [] and not seen.switched_off.any()
    assert float(habits(small).values["previous"][0, 2]) > 0.9


def test_base_answers_the_capital_of_france_and_the_fill_ins(base: TextEncoder) -> None:
    ranks = [(sentence, rank) for sentence, rank, _ in fill_in_ranks(base)]
    assert ranks[0] == (CAPITAL[0], 1)
    assert len(FILL_INS) == 20 and [sentence for sentence, _ in ranks[1:]] == [sentence for sentence, _ in FILL_INS]
    first, five, asked = model_card.fill_ins(base)
    assert asked == 20 and first >= 15 and five >= 19


def test_one_command_scores_a_bundled_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.txt").write_text("\n".join(SENTENCES))
    assert main(["--evaluate", "small", "--corpus", str(tmp_path / "text.txt")]) == 0
    said = capsys.readouterr().out
    assert "text.txt: loss " in said and "top-5" in said and "fill-ins: 6 of 20 guessed first, 14 among" in said
    assert main(["--evaluate", "nope", "--corpus", str(tmp_path / "text.txt")]) == 2
    assert "neither a bundled model" in capsys.readouterr().err

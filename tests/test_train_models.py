"""How trained models are scored: against plain loops."""

from dataclasses import replace

import pytest
import torch
from tiny import TINY, tiny

from encoder.train.masked_rows import held_out_batches
from encoder.train.trainer import MaskedWords, evaluate, evaluate_text

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

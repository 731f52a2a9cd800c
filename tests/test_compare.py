"""Two runs side by side: aligned, subtracted, and brought back towards each other by patches."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from in_turn import in_turn
from tiny import SENTENCE, TINY, VARIANTS, tiny

from encoder import Edit, TextEncoder, Trace
from encoder.experiments.ablation import WatchedWord
from encoder.experiments.compare import (
    Pair,
    Word,
    align,
    aligned_tokens,
    difference,
    first_difference,
    mean_between,
    patch_sweep,
    recovered,
    relative_difference,
    token_cosine,
    turned_most,
    word_cosines,
)

OTHER = "w9 w2 w3 w8 w4"  # SENTENCE with two words replaced
WIDE, TIRED = "The animal was too wide.", "The animal was too tired."


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    """Post-norm with a head for words."""
    return tiny(replace(VARIANTS["mlm-head"], n_layers=3))


@pytest.fixture(scope="module")
def runs(encoder: TextEncoder) -> tuple[Trace, Trace]:
    """Two sentences of the same length."""
    return encoder.trace(SENTENCE), encoder.trace(OTHER)


# Alignment


def words(tokens: Sequence[str]) -> list[Word]:
    """Words of tokens: one that starts with ## goes on with the word before it."""
    starts = [i for i, token in enumerate(tokens) if not (i and token.startswith("##"))]
    spans = [tuple(range(i, j)) for i, j in pairwise([*starts, len(tokens)])]
    return [("".join(tokens[i] for i in span), span) for span in spans]


def told(a: str, b: str) -> str:
    """An alignment as text: the same tokens as they are, replaced ones with a slash, others with - and +."""
    tokens = a.split(), b.split()
    said = []
    for pair in align(*map(words, tokens)):
        if pair.a is None or pair.b is None:
            said.append(f"-{tokens[0][pair.a]}" if pair.b is None else f"+{tokens[1][pair.b]}")
        else:
            one, other = tokens[0][pair.a], tokens[1][pair.b]
            assert pair.same == (one == other)
            said.append(one if pair.same else f"{one}/{other}")
    return " ".join(said)


@in_turn(
    ("a", "b", "expected"),
    [
        ("a b c", "a b c", "a b c"),
        ("a b c", "a x c", "a b/x c"),
        ("a b c", "a c", "a -b c"),
        ("a c", "a b c", "a +b c"),
        ("a b c", "a x y c", "a -b +x +y c"),
        ("a b b c", "a x y c", "a b/x b/y c"),
        ("a b ##c d", "a b ##e d", "a b/b ##c/##e d"),
        ("a b ##c d", "a x d", "a -b -##c +x d"),
        ("a b ##c d", "b ##c d a", "-a b ##c d +a"),
        ("##a b", "##a b", "##a b"),
        ("", "a", "+a"),
        ("a", "", "-a"),
        ("", "", ""),
    ],
)
def test_words_are_lined_up(a: str, b: str, expected: str) -> None:
    if "b/b" in expected:  # the first pieces are spelled alike, but belong to other words
        assert align(words(a.split()), words(b.split()))[1:3] == [Pair(1, 1, False), Pair(2, 2, False)]
    else:
        assert told(a, b) == expected


def test_padding_takes_no_part(encoder: TextEncoder) -> None:
    short, long = encoder.trace(["w1 w2", SENTENCE])
    assert aligned_tokens(short, long) == [
        Pair(0, 0, True),
        Pair(1, 1, True),
        Pair(2, 2, True),
        Pair(None, 3, False),
        Pair(None, 4, False),
        Pair(None, 5, False),
        Pair(3, 6, True),
    ]


# Differences


def test_a_difference_is_b_minus_a(runs: tuple[Trace, Trace]) -> None:
    a, b = runs
    for step in ("output", "layers.1.attention.q", "layers.1.add_norm_1.mean", "mlm.logits"):
        assert torch.equal(difference(a, b, step), b[step] - a[step])
        assert torch.equal(difference(a, b, step), -difference(b, a, step))
        assert not difference(a, a, step).any()


def test_tokens_in_one_sentence_only_are_left_out(encoder: TextEncoder) -> None:
    a, b = encoder.trace("w1 w2 w3"), encoder.trace("w1 w5 w6 w2 w3")
    of_a, of_b = torch.tensor([0, 1, 2, 3, 4]), torch.tensor([0, 1, 4, 5, 6])
    found = difference(a, b, "output")
    assert torch.equal(found, b["output"][of_b] - a["output"][of_a])
    weights = difference(a, b, "layers.0.attention.weights")
    assert weights.shape == (3, 5, 5)
    name = "layers.0.attention.weights"
    assert torch.equal(weights, b[name][:, of_b][:, :, of_b] - a[name][:, of_a][:, :, of_a])
    assert difference(a, b, "output", [Pair(1, 3, False), Pair(None, 2, False)]).tolist() == [
        (b["output"][3] - a["output"][1]).tolist()
    ]
    assert difference(a, b, "output", []).shape == (0, 30)


def test_two_hidden_scores_do_not_differ(encoder: TextEncoder) -> None:
    a, b = encoder.trace(SENTENCE, hidden=(2,)), encoder.trace(OTHER, hidden=(2, 4))
    found = difference(a, b, "layers.0.attention.masked")
    assert not found[..., 2].any()
    assert bool((found[..., 4] == -torch.inf).all())


def test_the_first_step_where_runs_differ(encoder: TextEncoder, runs: tuple[Trace, Trace]) -> None:
    a, b = runs
    assert first_difference(a, encoder.trace(SENTENCE)) is None
    assert first_difference(a, b) == "layers.0.attention.weights"  # shared out over other keys too
    assert first_difference(a, b, pairs=aligned_tokens(a, b)) == "embedding.tokens"
    assert first_difference(a, encoder.trace(f"w7 {SENTENCE}")) == "embedding.positions"
    for name in ("layers.1.attention.scaled", "layers.2.output", "mlm.probabilities"):
        assert first_difference(a, encoder.trace(SENTENCE, edits=[Edit(name, "scale", value=1.5)])) == name
    slightly = encoder.trace(SENTENCE, edits=[Edit("layers.2.output", "scale", value=1 + 1e-4)])
    assert first_difference(a, slightly) == "layers.2.output"
    assert first_difference(a, slightly, tolerance=1e-3) is None
    large, larger = (
        encoder.trace(SENTENCE, edits=[Edit("mlm.probabilities", "replace", value=1e6 + more)]) for more in (0, 0.5)
    )
    assert first_difference(large, larger) is None
    assert first_difference(large, larger, tolerance=1e-7) == "mlm.probabilities"
    broken = encoder.trace(SENTENCE, edits=[Edit("layers.1.attention.masked", "replace", value=-torch.inf)])
    assert first_difference(a, broken) == "layers.1.attention.masked"
    assert first_difference(broken, broken) is None


def test_how_far_each_token_is_apart(encoder: TextEncoder, runs: tuple[Trace, Trace]) -> None:
    a, b = runs
    found = relative_difference(a, b)
    assert found.shape == (4, 7)
    assert found[0].tolist()[0] == found[0].tolist()[2] == 0
    assert float(found[0, 1]) > 0.1
    for layer in range(3):
        x, y = a[f"layers.{layer}.output"], b[f"layers.{layer}.output"]
        assert torch.allclose(found[layer + 1], (y - x).norm(dim=-1) / x.norm(dim=-1))
    edited = encoder.trace(SENTENCE, edits=[Edit("layers.1.output", "scale", positions=(3,), value=2)])
    rows = relative_difference(a, edited)
    assert not rows[:2].any()
    assert rows[2].tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert bool((rows[3] > 1e-4).all())
    nothing = encoder.trace(SENTENCE, edits=[Edit("layers.1.output", "zero")])
    assert not relative_difference(nothing, nothing).any()
    assert bool(relative_difference(nothing, a)[2].isinf().all())


def test_cosines_of_a_word_by_layer(encoder: TextEncoder, runs: tuple[Trace, Trace]) -> None:
    a, b = runs
    long = encoder.trace("w9 w9 w9 w2")
    found = word_cosines((a, b, long), (2, 2, 4))
    assert found.shape == (4, 3, 3)
    assert torch.allclose(found, found.mT)
    assert torch.allclose(found.diagonal(dim1=1, dim2=2), torch.ones(4, 3), atol=1e-6)
    for layer in range(4):
        name = f"layers.{layer - 1}.output" if layer else "embedding.output"
        expected = torch.nn.functional.cosine_similarity(b[name][2], long[name][4], dim=0)
        assert float(found[layer, 1, 2]) == pytest.approx(float(expected), abs=1e-6)
    assert torch.equal(token_cosine(a, 2, b, 2), word_cosines((a, b), (2, 2))[:, 0, 1])
    assert float(token_cosine(a, 2, b, 2)[0]) == pytest.approx(1, abs=1e-6)
    assert float(token_cosine(a, 2, b, 2)[3]) < 0.999


def test_the_mean_between_runs_leaves_each_with_itself_out() -> None:
    alike = torch.tensor([[[1.0, 0.5, 0.1], [0.5, 1.0, 0.3], [0.1, 0.3, 1.0]], torch.ones(3, 3).tolist()])
    assert mean_between(alike).tolist() == pytest.approx([0.3, 1.0])
    with pytest.raises(ValueError, match="got 1 run"):
        mean_between(torch.ones(4, 1, 1))


def test_what_cannot_be_compared(encoder: TextEncoder, runs: tuple[Trace, Trace]) -> None:
    a, _ = runs
    wider, deeper = tiny(replace(TINY, d_model=36)).trace(SENTENCE), tiny(replace(TINY, n_layers=5)).trace(SENTENCE)
    with pytest.raises(ValueError, match=r"output is \[7, 30\] in A and \[7, 36\] in B; they cannot be compared"):
        difference(a, wider, "output")
    with pytest.raises(ValueError, match=r"no step is called 'layers\.4\.output'"):
        difference(a, deeper, "layers.4.output")
    with pytest.raises(ValueError, match="A has 3 layers of 30, B has 5 layers of 30"):
        relative_difference(a, deeper)
    with pytest.raises(ValueError, match="the models have 3 layers of 30 and 5 layers of 30"):
        word_cosines((a, deeper), (0, 0))
    with pytest.raises(ValueError, match="position 7 is not in 'w1 w2 w3 w2 w4'; positions go from 0 to 6"):
        token_cosine(a, 1, a, 7)


# Patches


def test_the_recovered_share() -> None:
    a, b = torch.tensor([[3.0, 0.0], [1.0, 1.0]]), torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    for patched, share in ((b, 0), (a, 1), ((a + b) / 2, 0.5), (2 * b - a, -1), (b + torch.tensor([0.0, 5.0]), 0)):
        assert recovered(patched, b, a) == pytest.approx(share)
    assert recovered(torch.tensor(-1.0), torch.tensor(-2.0), torch.tensor(2.0)) == 0.25
    with pytest.raises(ValueError, match="A and B are equal there: there is nothing to recover"):
        recovered(a, b, b)


@pytest.mark.parametrize("read", ["output", "one-token", "word"])
def test_a_sweep_is_one_patch_after_the_other(encoder: TextEncoder, runs: tuple[Trace, Trace], read: str) -> None:
    a, b = runs
    watch, at = (WatchedWord(3, 9) if read == "word" else None), (4 if read == "one-token" else None)
    seen = list(patch_sweep(encoder, a, b, "attention.heads", heads=(0, 2), at=at, watch=watch, batch=4))
    assert [step.done for step in seen] == [0, 4, 7, 11, 14, 18, 21]
    assert seen[0].share.shape == (3, 7)
    assert bool(seen[0].share.isnan().all())
    assert int((~seen[2].share.isnan()).sum()) == 7

    def result(trace: Trace) -> torch.Tensor:
        if watch:
            return trace["mlm.logits"][3].double().log_softmax(-1)[9]
        return trace["output"] if at is None else trace["output"][at]

    for layer in range(3):
        for position in range(7):
            edit = Edit(f"layers.{layer}.attention.heads", "patch", (0, 2), (position,), a)
            patched = encoder.trace(OTHER, edits=[edit])
            expected = recovered(result(patched), result(b), result(a))
            assert float(seen[-1].share[layer, position]) == pytest.approx(expected, abs=1e-4)


def test_a_sweep_goes_on_from_an_edited_run(encoder: TextEncoder) -> None:
    edits = (Edit("layers.0.attention.scaled", "bypass"),)
    a, b = encoder.trace(SENTENCE), encoder.trace(OTHER, edits=edits)
    *_, end = patch_sweep(encoder, a, b, positions=(1,))
    patched = encoder.trace(OTHER, edits=(*edits, Edit("layers.1.output", "patch", positions=(1,), value=a)))
    expected = recovered(patched["output"], b["output"], a["output"])
    assert float(end.share[1, 0]) == pytest.approx(expected, abs=1e-4)


def test_what_cannot_be_swept(encoder: TextEncoder, runs: tuple[Trace, Trace]) -> None:
    a, b = runs
    short, headless = encoder.trace("w1"), tiny(replace(TINY, n_layers=3))
    cases = [
        (lambda: patch_sweep(encoder, short, b), "A has 3 tokens, B has 7; a patch sweep needs equal lengths"),
        (lambda: patch_sweep(encoder, a, b, "outputs"), "no step is called 'layers.0.outputs'; did you mean"),
        (lambda: patch_sweep(encoder, a, b, heads=(1,)), "layers.0.output has no heads"),
        (lambda: patch_sweep(encoder, a, b, positions=(7,)), "position 7 is outside the sentence"),
        (lambda: patch_sweep(encoder, a, b, positions=()), "positions is empty; a patch sweep needs at least one"),
        (lambda: patch_sweep(encoder, a, b, at=7), "position 7 is outside the sentence; positions go from 0 to 6"),
        (lambda: patch_sweep(encoder, a, b, watch=WatchedWord(9, 1)), r"watch is \(9, 1\)"),
        (lambda: patch_sweep(headless, a, b), "the trace is of another model"),
        (lambda: patch_sweep(encoder, b, b), "A and B are equal there: there is nothing to recover"),
    ]
    for ask, message in cases:
        with pytest.raises(ValueError, match=message):
            ask()


def test_the_word_to_follow_is_the_one_that_ends_least_alike(base: TextEncoder) -> None:
    wide, tired = (base.trace(f"The animal didn't cross the street because it was too {word}.") for word in WIDE_TIRED)
    same = [Pair(i, i, True) for i in range(len(wide.tokens)) if wide.tokens[i] == tired.tokens[i]]
    found = same[turned_most(wide, tired, same)]
    ends = torch.cosine_similarity(wide["output"], tired["output"], dim=-1)
    typed = [p.a for p in same if wide.tokens[p.a] not in ("[CLS]", "[SEP]")]
    assert found.a == min(typed, key=lambda i: float(ends[i]))
    with pytest.raises(ValueError, match="give 1 or more"):
        turned_most(wide, tired, [])


WIDE_TIRED = ("wide", "tired")

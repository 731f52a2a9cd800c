"""The living map's data is the recorded run: every cell, band, bar and guess is compared with the trace."""

import math
from dataclasses import replace

import numpy as np
import pytest
from answers import answer
from drawn import unpacked
from shared_models import pretrained
from tiers import mostly_nightly
from tiny import SENTENCE, TINY, tiny

from encoder import Edit, TextEncoder, Trace
from encoder.metrics import norm_weighted
from encoder.metrics.strongest_looks import finding
from encoder.model.steps.step import PAIRS, PER_HEAD
from encoder.pictures.figures import living_map
from encoder.pictures.figures.living_map import walk
from encoder.pictures.figures.living_map_cells import MOST_ROWS, NONE, cell_of, index_at, share_levels
from encoder.pictures.registry.grids import LIVING_MAP

pytestmark = pytest.mark.slow

SENTENCES = (
    "The animal didn't cross the street because it was too wide.",
    "The capital of France is [MASK].",
    "I",
    "The old man and the sea were friends. " * 4,
    "!?",
)


@pytest.fixture(scope="module")
def models(base: TextEncoder) -> dict[str, TextEncoder]:
    narrow = replace(TINY, embedding_size=18, embedding_norm=True, norm_first=True, positions="learned", n_segments=2)
    return {
        "base": base,
        "small": pretrained("small"),
        "pre-norm, narrow": tiny(narrow),
        "one head": tiny(replace(TINY, n_heads=1, d_model=22, final_norm=True, norm="std_norm")),
    }


def half_percents(weight: float) -> int:
    """What one byte says of a weight: whole steps of half a percent that it reaches."""
    return 200 if weight > 1 - 1e-6 else sum(weight >= step / 200 for step in range(1, 201))


def close(level: int, value: float, scale: float) -> bool:
    """Whether a signed level stands for a value: within half a step, or at the end of the scale."""
    if not math.isfinite(value):
        return level == NONE
    said = (int(level) - 127) / 127 * scale
    return abs(said - value) <= scale / 127 * 0.51 or (level in (0, 254) and abs(value) > scale and said * value > 0)


def check_whole(trace: Trace) -> None:
    about, arrays = unpacked(living_map.whole(trace))
    n, config = len(trace.tokens), trace.config
    assert (about["rows"], about["layers"], about["heads"]) == (n, config.n_layers, config.n_heads)
    for layer in range(config.n_layers):
        weights = trace[f"layers.{layer}.attention.weights"].numpy().astype(np.float64)
        for i in range(n):
            for j in range(n):
                column = weights[:, i, j]
                assert arrays["strongest"][layer, i, j] == half_percents(column.max())
                assert column[arrays["who"][layer, i, j]] == column.max()
                assert arrays["mean"][layer, i, j] == half_percents(column.mean())
                if arrays["thumbs"].shape[-1] == n:
                    assert [*arrays["thumbs"][layer, :, i, j]] == [half_percents(w) for w in column]
        flows = norm_weighted(trace, layer).sum(0).double()
        shares = (flows / flows.sum(-1, keepdim=True).clamp_min(1e-30)).numpy()
        shown = arrays["flow"][layer].astype(int)
        assert not shown[len(flows) :].any() and not shown[:, len(flows) :].any()
        assert (np.abs(shown[: len(flows), : len(flows)] - np.floor(shares * 200)) <= (shares * 200 % 1 > 0.999)).all()
        for name, norm, part in (("attention", 1, "attention"), ("feed_forward", 2, "feed_forward")):
            added = trace[f"layers.{layer}.{part}.output"].norm(dim=-1)
            stood = trace[f"layers.{layer}.add_norm_{norm}.residual"].norm(dim=-1)
            np.testing.assert_allclose(arrays[name][layer], (added / stood).numpy(), rtol=1e-5)
    for s, name in enumerate(about["steps"]):
        check_cells(trace, name, 0, arrays["strips"][s][:, : about["widths"][s]], about["scales"][s])


def check_cells(trace: Trace, name: str, head: int, levels: np.ndarray, scale: float) -> None:
    """Every cell is the largest number of its own row and stretch, and a click on it opens that very number."""
    step, values = trace.step(name), trace[name].numpy()
    values = values[head] if step.shape in (PAIRS, PER_HEAD) else values
    stretch = math.ceil(values.shape[1] / levels.shape[1])
    for row in range(len(levels)):
        for cell in range(levels.shape[1]):
            among = values[row, cell * stretch : (cell + 1) * stretch]
            sizes = np.where(np.isfinite(among), np.abs(among), -1)
            value = float(among[0 if name == "embedding.positions" else sizes.argmax()])
            level = levels[row, cell]
            fits = level == half_percents(value) if step.values == "share" else close(level, value, scale)
            assert fits, (name, row, cell, value, level)
            if (row + cell) % 7 == 0:
                index = index_at(trace, name, head, row, cell)
                opened = float(trace[name][index])
                assert opened == value or not (math.isfinite(opened) or math.isfinite(value))
                assert index[-2] == row and cell_of(trace, name, index) == (row, cell)


def check_layer(trace: Trace, layer: int, heads: list[int]) -> None:
    about, arrays = unpacked(living_map.layer(trace, layer))
    columns = unpacked(living_map.whole(trace))[0]["columns"]
    assert {"attention.q", "attention.weights", "feed_forward.activation"} < {column["local"] for column in columns}
    for s, (column, scale) in enumerate(zip(columns, about["scales"], strict=True)):
        for head in heads if column["heads"] else [0]:
            levels = arrays[str(s)][head] if column["heads"] else arrays[str(s)]
            check_cells(trace, f"layers.{layer}.{column['local']}", head, levels, scale)


@pytest.mark.parametrize(
    "name", mostly_nightly(["base", "small", "pre-norm, narrow", "one head"], ["small", "pre-norm, narrow", "one head"])
)
def test_every_cell_of_five_sentences_is_the_recorded_number(name: str, models: dict[str, TextEncoder]) -> None:
    encoder = models[name]
    texts = (
        SENTENCES if "," not in name and name != "one head" else ("w1", SENTENCE, "w1 w1 w1", "w9 w8", "w2 w3 w4 w5 w6")
    )
    for text in texts:
        trace = encoder.trace(text)
        check_whole(trace)
        if len(trace.tokens) < 20:
            check_layer(trace, trace.config.n_layers - 1, [0, trace.config.n_heads - 1])


def test_padded_runs_edits_and_pairs_are_drawn_as_recorded(models: dict[str, TextEncoder]) -> None:
    small = models["small"]
    padded, _ = small.trace(["The cat.", "The cat chased the mouse around the house."])
    changed = small.trace(
        "The cat chased the mouse.",
        hidden=[2],
        edits=[Edit("layers.1.attention.heads", "zero", heads=(2,)), Edit("layers.2.attention.masked", "causal")],
    )
    pair = small.trace(("The cat chased the mouse.", "It ran."))
    for trace in (padded, changed, pair):
        check_whole(trace)
        for layer in (1, 2):
            check_layer(trace, layer, [2])
    about, arrays = unpacked(living_map.whole(padded))
    assert about["padding"] == padded.padding > 0 and not any(about["words"][-padded.padding :])
    assert not arrays["strongest"][:, :, -padded.padding :].any()
    about, arrays = unpacked(living_map.whole(changed))
    assert about["hidden"] == [2] and not arrays["strongest"][:, :, 2].any()
    assert [(e["step"], e["heads"], e["off"]) for e in about["changed"]] == [
        ("layers.1.attention.heads", [2], True),
        ("layers.2.attention.masked", [], False),
    ]
    assert unpacked(living_map.whole(pair))[0]["segments"] == list(pair.tokenization.segments)


def test_the_difference_of_two_runs_is_what_one_has_more_than_the_other(models: dict[str, TextEncoder]) -> None:
    small, text = models["small"], "The cat chased the mouse."
    a = small.trace(text)
    b = small.trace(text, hidden=[2], edits=[Edit("layers.1.attention.heads", "zero", heads=(2,))])
    about, arrays = unpacked(living_map.whole(b, before=a))
    assert about["difference"] and about["hidden"] == [2]
    scale, layers = about["band_scale"], range(small.config.n_layers)
    weights = np.stack(
        [(b[f"layers.{i}.attention.weights"] - a[f"layers.{i}.attention.weights"]).numpy() for i in layers]
    )
    for said, values in (("thumbs", weights), ("mean", weights.astype(float).mean(1))):
        np.testing.assert_allclose((arrays[said] - 127.0) / 127 * scale, values, atol=scale / 127 * 0.51)
    largest = np.take_along_axis(weights, arrays["who"][:, None].astype(int), 1)[:, 0]
    assert (np.abs(largest) == np.abs(weights).max(1)).all()
    np.testing.assert_allclose((arrays["strongest"] - 127.0) / 127 * scale, largest, atol=scale / 127 * 0.51)
    assert arrays["flow"][1:, :, 2].max() <= 127, "nothing more comes from a hidden token"
    for s, name in enumerate(about["steps"]):
        change, wide = (b[name] - a[name]).numpy(), about["widths"][s]
        stretch = math.ceil(change.shape[1] / wide)
        for row, cell in ((0, 0), (3, 5), (5, wide - 1)):
            among = change[row, cell * stretch : (cell + 1) * stretch]
            value = float(among[np.abs(among).argmax()])
            assert name == "embedding.positions" or close(arrays["strips"][s, row, cell], value, about["scales"][s])
            if np.abs(among).max() > 0 and name != "embedding.positions":
                index = index_at(b, name, 0, row, cell, before=a)
                assert float(b[name][index] - a[name][index]) == value
    about, arrays = unpacked(living_map.layer(b, 1, before=a))
    columns = [column["local"] for column in unpacked(living_map.whole(b))[0]["columns"]]
    at = columns.index("attention.weights")
    said = (arrays[str(at)] - 127.0) / 127 * about["scales"][at]
    np.testing.assert_allclose(said, weights[1], atol=about["scales"][at] / 127 * 0.51)
    same = unpacked(living_map.whole(a, before=a))[1]
    assert (same["thumbs"] == 127).all() and (same["strips"][:, :, :4] == 127).all()


def test_two_sentences_of_as_many_tokens_are_subtracted_row_by_row(models: dict[str, TextEncoder]) -> None:
    a, b = models["small"].trace("The cat is here."), models["small"].trace("The dog is here.")
    about, arrays = unpacked(living_map.whole(a, before=b))
    assert about["tokens"] == ["[CLS]", "the", "dog | cat", "is", "here", ".", "[SEP]"]
    more = a["layers.0.attention.weights"].numpy() - b["layers.0.attention.weights"].numpy()
    side = arrays["thumbs"].shape[-1]
    said = (arrays["thumbs"][0] - 127.0) / 127 * about["band_scale"]
    np.testing.assert_allclose(said, more[:, :side, :side], atol=about["band_scale"] / 127 * 0.51)


def test_runs_that_cannot_be_subtracted_are_refused(models: dict[str, TextEncoder]) -> None:
    a, b = models["small"].trace("The cat."), models["small"].trace("The big dog.")
    with pytest.raises(ValueError, match=rf"{len(b.tokens)} and {len(a.tokens)} tokens"):
        living_map.whole(a, before=b)
    other = models["base"].trace("The cat.")
    with pytest.raises(ValueError, match=r"layers, heads|as many"):
        living_map.layer(other, 0, before=a)


def test_a_long_text_shares_rows_and_no_weight_is_lost(base: TextEncoder) -> None:
    trace = base.trace("The old man and the sea were friends. " * 9)
    about, arrays = unpacked(living_map.whole(trace))
    every, n = about["every"], len(trace.tokens)
    assert n > MOST_ROWS >= about["rows"] == math.ceil(n / every)
    weights = trace["layers.3.attention.weights"].numpy().max(0)
    for i, j in ((0, 0), (5, 9), (about["rows"] - 1, about["rows"] - 1)):
        block = weights[i * every : (i + 1) * every, j * every : (j + 1) * every]
        assert arrays["strongest"][3, i, j] == half_percents(block.max())
    for name in ("layers.3.attention.weights", "layers.3.attention.q"):
        row, cell = about["rows"] - 1, 1
        index = index_at(trace, name, 1, row, cell)
        assert index[1] // every == row and cell_of(trace, name, index) == (row, cell)


def test_percents_are_those_of_the_weight_and_so_is_every_comparison() -> None:
    shares = np.array([0, 0.001, 0.00499, 0.005, 0.0149, 0.015, 0.0151, 0.1, 0.4949, 0.495, 0.999, 1], np.float32)
    for level, share in zip(share_levels(shares), shares, strict=True):
        assert (int(level) + 1) // 2 == math.floor(float(share) * 100 + 0.5)
        for least in range(1, 101):
            assert (level >= 2 * least) == (float(share) >= least / 100)
    assert share_levels(np.float32([math.nan])) == [NONE]


def test_runs_that_end_in_no_numbers_are_drawn(models: dict[str, TextEncoder]) -> None:
    broken = models["small"].trace("The cat.", edits=[Edit("layers.1.attention.scores", "replace", value=-math.inf)])
    about, arrays = unpacked(living_map.whole(broken))
    assert (arrays["strongest"][1] == NONE).all() and about["links"][1][0] is None
    assert "every number is recorded" in finding(broken, 1, 0)
    unpacked(living_map.layer(broken, 1))


def test_the_finding_is_the_strongest_look_from_word_to_word(base: TextEncoder) -> None:
    trace = base.trace(SENTENCES[0])
    weight = float(trace["layers.4.attention.weights"][1, 8, 2])
    assert trace.tokens[8] == "it" and trace.tokens[2] == "animal"
    said = finding(trace, 4, 1)
    assert said == f"“it” gives {round(100 * weight)} % of its attention to “animal”, in layer 4, head 1."
    assert "“the” (" in finding(trace, 0, 7), "of two words that are alike, it is said which"
    assert finding(base.trace("I"), 0, 0).startswith("3 tokens")


def test_what_is_not_in_the_picture_is_refused(models: dict[str, TextEncoder]) -> None:
    trace = models["small"].trace("The cat.")
    for name, head, row, cell in (
        ("layers.0.attention.weights", 0, 99, 0),
        ("layers.0.attention.weights", 99, 0, 0),
        ("layers.0.add_norm_1.mean", 0, 0, 0),
        ("mlm.logits", 0, 0, 0),
    ):
        with pytest.raises(ValueError, match="picture"):
            index_at(trace, name, head, row, cell)
    with pytest.raises(KeyError):
        index_at(trace, "nothing", 0, 0, 0)
    assert cell_of(trace, "layers.0.attention.weights", (0, 99, 0)) is None
    assert cell_of(trace, "layers.0.add_norm_1.mean", (0,)) is None


def test_the_table_of_the_picture_holds_the_recorded_weights(base: TextEncoder) -> None:
    trace = base.trace("The cat.")
    header, *rows = answer(LIVING_MAP, base, trace).rows()
    assert header == ("layer", "head", "query", *(f"{j} {token}" for j, token in enumerate(trace.tokens)))
    places = list(np.ndindex(trace.config.n_layers, trace.config.n_heads, len(trace.tokens)))
    for row, (layer, head, i) in zip(rows, places, strict=True):
        assert row[:3] == (f"{layer} layer {layer}", f"{head} head {head}", f"{i} {trace.tokens[i]}")
        assert list(row[3:]) == trace[f"layers.{layer}.attention.weights"][head, i].tolist()


def test_the_walk_says_what_was_recorded(models: dict[str, TextEncoder]) -> None:
    base = models["base"]
    trace = base.trace(SENTENCES[0])
    guesses = base.predict(trace, 3)
    said = walk(trace, 8, guesses)
    assert len(said) == trace.config.n_layers + 3 and all("“it”" in one for one in said[0:1] + said[2:-1])
    assert f"{trace['embedding.scaled'][8].norm():.3g}." in said[0] and str(trace.ids[8]) in said[0]
    assert "position 8" in said[1]
    for layer, one in enumerate(said[2:-1]):
        weights = trace[f"layers.{layer}.attention.weights"][:, 8]
        head, key = (int(i) for i in np.unravel_index(int(weights.argmax()), weights.shape))
        assert f"Layer {layer}:" in one and f"in head {head}." in one
        largest = float(weights.max())
        assert (f"{math.floor(100 * largest + 0.5)} %" if largest < 0.995 else "over 99 %") in one
        assert ("itself" if key == 8 else f"“{trace.tokens[key]}” ({key})") in one
        at = f"layers.{layer}."
        added = trace[f"{at}attention.output"][8].norm() / trace[f"{at}add_norm_1.residual"][8].norm()
        assert f"Attention adds {float(added):.3g} times" in one
    assert guesses and guesses[8][0][0] in said[-1]
    assert walk(trace, 0)[-1].startswith("The output is a vector of length")
    with pytest.raises(ValueError, match="position 99"):
        walk(trace, 99)

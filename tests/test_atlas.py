"""An atlas against an independent slow loop, against live runs, and against itself made in other ways."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import torch
from more_tools import section, tables
from safetensors.torch import save
from tiny import TINY, VARIANTS, tiny
from torch import Tensor

from encoder import Edit, TextEncoder, Trace
from encoder.atlas import reruns
from encoder.atlas.__main__ import device, main
from encoder.atlas.atlas_folders import FOLDER, SHIPPED, shelf, stamp
from encoder.atlas.atlas_reader import Atlas, Firing
from encoder.atlas.collecting import COARSE, FINE, KeptVectors
from encoder.atlas.corpus import AtlasCorpus, AtlasError
from encoder.atlas.corpus_numbers import head_survey
from encoder.atlas.making import AtlasPlan, begin, sha256, work
from encoder.atlas.pairs import TO, kinds, pairs_of
from encoder.atlas.ranking import POSITIONS, SAMPLE, TOP, bin_of, bins_of, drawn, edges
from encoder.atlas.reruns import TOKENS, AtlasPart, absence, absences
from encoder.atlas.searching import heads_between, heads_from, nearest_outputs, nearest_tokens, units_on
from encoder.metrics import HEAD_MEASURES, SENTENCES, survey
from encoder.model.encoder import Encoder
from encoder.support.screening import is_fit

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[1]
COUNT = int(os.environ.get("ATLAS_SENTENCES", "38"))  # with 500 it takes half a minute more
SHIPPED_LINES = pq.read_table(SHIPPED / "small" / "sentences.parquet")["text"].to_pylist() if COUNT > 38 else []
LINES = [*SENTENCES[:37], "The cat saw the cat, and the cat saw the dog.", *SHIPPED_LINES[: COUNT - 38]]
KEPT = ("--vectors", "0", "3", "--head-vectors", "1")
CLOSE = 2 * 128 * 2**-24  # two orders of a float32 sum of 128 products, the width of the model (Higham 2002, 3.1)
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
BESIDE = ("_uniform", "_queries")  # of each measure


def made(out: Path, lines: list[str], *more: str, model: str = "small") -> Path:
    """An atlas of some lines in a folder."""
    out.mkdir(parents=True, exist_ok=True)
    text = out.parent / "words.txt"
    text.write_text("\n".join(lines), encoding="utf-8")
    assert main(["--model", model, "--corpus", str(text), "--out", str(out), "--part", "7", *more]) == 0
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("one") / "atlas", LINES, *KEPT)


@pytest.fixture(scope="module")
def atlas(folder: Path, small: TextEncoder) -> Atlas:
    return Atlas(folder, small.source)


@pytest.fixture(scope="module")
def traces(small: TextEncoder) -> list[Trace]:
    return [small.trace(line) for line in LINES]


Event = tuple[float, int, int, int]  # value, sentence, position, position looked at


def events(traces: list[Trace], values: Callable[[Trace], np.ndarray]) -> list[Event]:
    """Every token of the text with its value above zero: of values [n], or the largest of each row of [n, n]."""
    found = []
    for number, trace in enumerate(traces):
        for position, row in enumerate(values(trace)):
            key = int(np.argmax(row)) if np.ndim(row) else 0
            value = float(row[key] if np.ndim(row) else row)
            if value > 0 and not trace.tokenization.special[position]:
                found.append((value, number, position, key))
    return found


def written(trace: Trace, layer: int, head: int) -> np.ndarray:
    """||alpha v W_O|| straight from its definition, with no helper of the library."""
    at = trace.layers[layer].attention
    weight = trace.model.layers[layer].attention.w_o.weight  # [d_model, d_model], columns of head h are its rows of W_O
    wide = at.v.shape[-1]
    offered = at.v[head] @ weight[:, head * wide : (head + 1) * wide].T
    return (at.weights[head] * torch.linalg.vector_norm(offered, dim=-1)).detach().numpy()


def agrees(slow: list[Event], top: list[Firing], sample: list[Firing], bounds: list[float], bits: int) -> None:
    """The contexts, the deciles and the bounds of one unit or head are those of all its events."""
    best = sorted({s: max(e for e in slow if e[1] == s) for s in {e[1] for e in slow}}.values(), reverse=True)[:TOP]
    np.testing.assert_allclose([f.value for f in top], [e[0] for e in best], rtol=CLOSE, atol=1e-6)
    every = {(e[1], e[2]): e for e in slow}
    floor = best[-1][0] * (1 - CLOSE) if len(best) == TOP else 0.0
    assert len({f.sentence for f in top}) == len(top)
    for f in top:
        assert every[f.sentence, f.position][0] >= floor
    lots = drawn(*(torch.tensor([e[i] for e in slow], dtype=torch.int64) for i in (1, 2)))
    chosen = {(slow[i][1], slow[i][2]) for i in lots.argsort()[:SAMPLE].tolist()} if slow else set()
    assert {(f.sentence, f.position) for f in sample} == chosen
    values = np.sort([e[0] for e in slow])
    if not len(values):
        assert bounds == [0.0] * 11
        return
    exact = [values[0], *(values[math.floor(len(values) * d / 10)] for d in range(1, 10)), values[-1]]
    for said, true in zip(bounds, exact, strict=True):
        assert true * (1 - 2**-bits) - 1e-6 <= said <= true * (1 + CLOSE) + 1e-6
    for f in sample:
        np.testing.assert_allclose(f.value, every[f.sentence, f.position][0], rtol=CLOSE, atol=1e-6)
        lowest, highest = f.value * (1 - 2**-bits), f.value * (1 + CLOSE)
        share = [10 * np.sum(values < edge) // len(values) for edge in (lowest, highest)]
        assert share[0] <= f.decile <= share[1]


@pytest.mark.parametrize("by", ["weight", "written"])
def test_heads_are_those_of_a_slow_loop(atlas: Atlas, traces: list[Trace], by: str) -> None:
    for layer, head in product(range(4), repeat=2):

        def values(trace: Trace, at: tuple[int, int] = (layer, head)) -> np.ndarray:
            return trace.layers[at[0]].attention.weights[at[1]].numpy() if by == "weight" else written(trace, *at)

        slow, row = events(traces, values), atlas.head(layer, head)
        top, sample = (atlas.head_firings(layer, head, by, kind) for kind in ("top", "sample"))
        agrees(slow, top, sample, row[f"{by}_deciles"], FINE)
        assert row[f"{by}_mean"] == pytest.approx(np.mean([e[0] for e in slow]), rel=1e-5)
        assert by == "written" or row["firings"] == sum(e[0] > 0.5 for e in slow)
        for f in top:
            shown = values(traces[f.sentence])[f.position]
            assert shown[f.looks_at] >= shown.max() * (1 - CLOSE)
            assert traces[f.sentence].tokens[f.looks_at] == f.token_looked_at


def test_units_are_those_of_a_slow_loop(atlas: Atlas, traces: list[Trace]) -> None:
    for layer, unit in [(0, 0), (0, 511), (1, 7), (2, 33), (2, 434), (3, 54), (3, 200), (3, 300)]:
        slow = events(traces, lambda t, at=(layer, unit): t.layers[at[0]].feed_forward.activation[:, at[1]].numpy())
        row = atlas.unit(layer, unit)
        top, sample = (atlas.unit_firings(layer, unit, kind) for kind in ("top", "sample"))
        agrees(slow, top, sample, row["deciles"], COARSE)
        assert row["firings"] == len(slow)
        assert row["mean"] == pytest.approx(sum(e[0] for e in slow) / max(1, len(slow)), rel=1e-5)
    dead = np.stack(
        [
            (np.concatenate([t.layers[i].feed_forward.activation[1:-1].numpy() for t in traces]) <= 0).all(0)
            for i in range(4)
        ]
    )
    said = atlas.units["firings"].to_numpy().reshape(4, 512) == 0
    np.testing.assert_array_equal(said, dead)
    assert (atlas.card.tokens, atlas.card.sentences) == (sum(len(t.tokens) - 2 for t in traces), len(LINES))


def test_a_survey_read_from_an_atlas_is_a_survey_of_its_sentences(atlas: Atlas, small: TextEncoder) -> None:
    """Measures, labels and masses are the same numbers, only the shuffles are drawn otherwise."""
    stored, live = head_survey(atlas), survey(small, LINES)
    assert stored.measures.keys() == live.measures.keys() and stored.sentences == live.sentences
    for name, values in live.measures.items():
        np.testing.assert_allclose(stored.measures[name], values, atol=1e-4, rtol=1e-4, err_msg=name)
    for ours, theirs in zip(chain(*stored.roles), chain(*live.roles), strict=True):
        assert (ours.label, ours.nearest, ours.n) == (theirs.label, theirs.nearest, theirs.n)
        assert (ours.mass, ours.uniform) == pytest.approx((theirs.mass, theirs.uniform), abs=1e-4)
        assert ours.shuffled == pytest.approx(theirs.shuffled, abs=0.03)


def test_an_atlas_older_than_a_measure_shows_the_others_and_says_how_to_have_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(copy: Path) -> None:
        path = copy / "heads.parquet"
        pq.write_table(pq.read_table(path).drop_columns(["offset"]), path)
        card = json.loads((copy / "card.json").read_text())
        card["files"]["heads.parquet"] = {"bytes": path.stat().st_size, "sha256": sha256(path)}
        (copy / "card.json").write_text(json.dumps(card))

    older = Atlas(damaged(folder, tmp_path, forget))
    assert HEAD_MEASURES.keys() - head_survey(older).measures.keys() == {"offset"}
    monkeypatch.setenv("ENCODER_ATLASES", str(older.folder))
    query = {"model": "small", "atlas_of": "1", "over": "100 sentences", "measure": "offset"}
    roles = offset = section("heads", "measures", **query)
    table = tables(roles)["roles"]
    assert {title for title, values in table.items() if values[0] == "not in this atlas"} == {"Offset"}
    (sentence,) = [item["words"] for item in offset if item["kind"] == "error"]
    assert "atlas was made before “Offset” was measured; make it anew: python -m encoder.atlas" in sentence


def test_pairs_are_those_of_a_slow_loop(atlas: Atlas, traces: list[Trace], layer: int = 1, head: int = 2) -> None:
    """From any token, an article, a mark or [CLS], to the next token, a mark's neighbour, the same token, [SEP]."""
    sums, squares, even, counts = (Counter[tuple[str, str]]() for _ in range(4))
    for trace in traces:
        weights, tokens = trace.layers[layer].attention.weights[head].tolist(), trace.tokens
        n, above = len(tokens), Counter[tuple[str, str]]()
        marks = [j for j in range(1, n - 1) if all(unicodedata.category(c).startswith("P") for c in tokens[j])]
        articles = [j for j in range(1, n - 1) if tokens[j] in ("a", "an", "the") and tokens[j + 1][:2] != "##"]
        for i, row in enumerate(weights):
            starts = ["any"]
            starts += ["article"] if i in articles else []
            starts += ["punctuation"] if i in marks else []
            starts += ["cls"] if i == 0 else []
            ends = {
                "next": [i + 1] if i + 1 < n else [],
                "sep": [n - 1],
                "same": [j for j in range(n) if tokens[j] == tokens[i] and j != i],
                "before_punctuation": [j for j in range(1, n - 1) if j + 1 in marks and j not in marks],
                "article": articles,
            }
            for pair in ((a, b) for a in starts for b in ends):
                mass = sum(row[j] for j in ends[pair[1]])
                sums[pair] += mass
                even[pair] += len(ends[pair[1]]) / n
                above[pair] += mass - len(ends[pair[1]]) / n
                counts[pair] += bool(ends[pair[1]])
        for pair, value in above.items():
            squares[pair] += value**2
    rows = {
        (row["from"], row["to"]): row for row in atlas.pairs.to_pylist() if (row["layer"], row["head"]) == (layer, head)
    }
    assert sum(count > 20 for count in counts.values()) > 12
    for pair, count in counts.items():
        if not count:
            assert pair not in rows
            continue
        row = rows[pair]
        assert row["queries"] == count, pair
        assert row["weight"] == pytest.approx(sums[pair] / count, rel=1e-4), pair
        assert row["uniform"] == pytest.approx(even[pair] / count, rel=1e-5)
        assert row["chance"] == pytest.approx((even[pair] + 1.645 * math.sqrt(squares[pair])) / count, rel=1e-4)
    best = heads_from(atlas, "article", "next")
    assert [one.weight for one in best] == sorted((one.weight for one in best), reverse=True) and len(best) == 16
    same = next(one for one in best if (one.layer, one.head) == (layer, head))
    assert same.anyone == rows["any", "next"]["weight"] and same.weight == rows["article", "next"]["weight"]


def test_kinds_of_tokens_are_what_a_reader_would_say(base: TextEncoder) -> None:
    pieces = base.tokenize("Where did Mary put the 12 unbelievably heavy boxes, and why?")
    said = dict(zip(pieces.tokens, kinds(pieces), strict=True))
    for words in (
        "[CLS] cls where question did auxiliary mary name put word the article",
        "12 number heavy word , punctuation and conjunction ? punctuation [SEP] sep",
    ):
        for token, kind in zip(words.split()[::2], words.split()[1::2], strict=True):
            assert said[token] == kind, token
    keys = dict(zip(TO, pairs_of(pieces)[1], strict=True))
    at = pieces.tokens.index
    assert pieces.tokens[int(keys["word_after"][at("the")].argmax())] == pieces.tokens[at("12") + 1]
    assert int(keys["word_before"][at("the")].argmax()) == at("put") and not keys["word_before"][at("where")].any()
    assert keys["before_punctuation"].sum(-1).unique().tolist() == [2.0]
    own = keys["own_word"].sum(-1)
    assert float(own[at("put")]) == 0 and float(own.sum()) == sum(len(w) * (len(w) - 1) for w in pieces.words)
    quoted = base.tokenize("“Well?!” he said.")
    ends = dict(zip(TO, pairs_of(quoted)[1], strict=True))["before_punctuation"][0]
    assert {quoted.tokens[i] for i in ends.nonzero()[:, 0].tolist()} == {"well", "said"}


def test_a_screened_corpus_leaves_out_and_counts_what_no_class_is_shown_and_another_is_left_as_it_is(
    tmp_path: Path,
) -> None:
    text = tmp_path / "own.txt"
    text.write_text("The assassin is in class.\nHe passed.\nShit happens.\nYou IDIOTS!\nThe cat sat.\n")
    for more, kept in ((["--screen"], [0, 1, 4]), ([], [0, 1, 2, 3, 4])):
        out = tmp_path / f"atlas{len(more)}"
        assert main(["--model", "small", "--corpus", str(text), "--out", str(out), *more]) == 0
        atlas, lines = Atlas(out), text.read_text().splitlines()
        assert atlas.texts([*range(len(kept))]) == {i: lines[line] for i, line in enumerate(kept)}
        assert (atlas.card.sentences, atlas.card.left_out) == (len(kept), len(lines) - len(kept))
        assert ("--screen" in atlas.card.command) is bool(more)
    assert Atlas(tmp_path / "atlas1").card.screened.strip().startswith("2 sentences with vulgar")
    assert not Atlas(tmp_path / "atlas0").card.screened


@pytest.mark.parametrize("name", ["base", "small"])
def test_the_shipped_atlases_show_no_sentence_that_a_class_should_not_see(name: str) -> None:
    atlas = Atlas(SHIPPED / name)
    texts = atlas.texts([*range(atlas.card.sentences)])
    assert atlas.card.left_out and not [text for text in texts.values() if not is_fit(str(text))]
    there = section("heads", "contexts", model=name, sentence="The cat sat.", layer="0", head="0")
    assert f"{atlas.card.left_out} sentences with vulgar, sexual or insulting words were left out." in str(there)


def test_stored_contexts_run_live_give_the_same_numbers(atlas: Atlas, traces: list[Trace]) -> None:
    chance = np.random.default_rng(0)
    compared = []
    for _ in range(50):
        layer, head, unit = (int(chance.integers(most)) for most in (4, 4, 512))
        by, kind = (str(chance.choice(options)) for options in (("weight", "written"), ("top", "sample")))
        seen = atlas.head_firings(layer, head, by, kind)
        one = seen[int(chance.integers(len(seen)))]
        compared += reruns.of_head(traces[one.sentence], layer, head, one)
        for firing in atlas.unit_firings(layer, unit, kind)[:1]:
            compared += reruns.of_unit(traces[firing.sentence], layer, unit, firing)
    assert len(compared) > 130
    assert [one.sentence for one in compared if not one.equal] == []
    wrong = reruns.of_head(traces[one.sentence], (layer + 1) % 4, head, one)
    assert not all(other.equal for other in wrong) and "differ" in "".join(other.sentence for other in wrong)


def test_nearest_tokens_are_exact(atlas: Atlas, traces: list[Trace]) -> None:
    """Against float32 vectors: cosines within what float16 leaves, every token of the text there once."""
    words = [(s, p, t.layers[2].output[p].numpy()) for s, t in enumerate(traces) for p in range(1, len(t.tokens) - 1)]
    asked = torch.from_numpy(words[100][2])
    every = np.stack([vector for *_, vector in words])
    true = np.sort(every @ words[100][2] / np.linalg.norm(every, axis=1) / np.linalg.norm(words[100][2]))[::-1]
    found = nearest_tokens(atlas, 3, asked, 20)
    assert (found[0].sentence, found[0].position) == words[100][:2]
    np.testing.assert_allclose([one.cosine for one in found], true[:20], atol=1e-3)
    stored = np.load(atlas.folder / "vectors-layer-3.npy")
    np.testing.assert_allclose(stored, np.stack([v for *_, v in words]), atol=1e-3 * np.abs(stored).max())
    with pytest.raises(AtlasError, match="it keeps 0, 3"):
        nearest_tokens(atlas, 2, asked)


def test_the_nearest_outputs_of_a_head_are_exact(atlas: Atlas, small: TextEncoder, traces: list[Trace]) -> None:
    """Against what the head writes in float32, through W_O straight from its definition."""
    layer, head = 1, 2
    weight = traces[0].model.layers[layer].attention.w_o.weight
    words = [
        (s, p, t.layers[layer].attention.heads[head][p])
        for s, t in enumerate(traces)
        for p in range(1, len(t.tokens) - 1)
    ]
    wide = len(words[0][2])
    every = torch.stack([z for *_, z in words]) @ weight[:, head * wide : (head + 1) * wide].detach().T
    cosines = torch.nn.functional.cosine_similarity(every, every[100:101]).sort(descending=True).values
    found = nearest_outputs(atlas, small, layer, head, words[100][2], 20)
    assert (found[0].sentence, found[0].position) == words[100][:2]
    np.testing.assert_allclose([one.cosine for one in found], cosines[:20], atol=1e-3)
    with pytest.raises(AtlasError, match="those of layers 1"):
        nearest_outputs(atlas, small, 2, head, words[100][2])


@pytest.mark.parametrize("part", [AtlasPart("head", 2, 3), AtlasPart("unit", 1, 7)])
def test_an_effect_is_that_of_a_run_without_the_part(small: TextEncoder, part: AtlasPart) -> None:
    """A head against the edit that sets it to zero, a unit against a model whose column of W_2 is zero; run alone."""
    contexts = [(text, 1 + i % 3) for i, text in enumerate([*LINES[:17], "the cat saw " * 20, "No."])]
    found = absences(small, part, contexts)
    other = TextEncoder.from_pretrained("small")
    if part.kind == "unit":
        w_2 = other.model.layers[part.layer].feed_forward.w_2
        with torch.no_grad():
            w_2.weight[:, part.number] = 0
        w_2.prepacked = None
    edits = (Edit(part.step, "zero", heads=(part.number,)),) if part.kind == "head" else ()
    assert len({len(small.tokenize(text).ids) for text, _ in contexts}) > 5
    for one, (text, position) in zip(found, contexts, strict=True):
        before, after = small.trace(text), other.trace(text, edits=edits)
        moved = (after["output"] - before["output"]).norm(dim=-1) / before["output"].norm(dim=-1)
        assert one.moved == pytest.approx(float(moved[position]), abs=1e-5), text
        assert one.elsewhere == pytest.approx(float(moved[torch.arange(len(moved)) != position].mean()), abs=1e-5)
        for guess, run in ((one.before, before), (one.after, after)):
            share, word = run["mlm.probabilities"][position].max(-1)
            assert guess is not None and guess[1] == pytest.approx(float(share), abs=1e-4)
            assert guess[0] == small.tokenizer.id_to_token(int(word))
    with pytest.raises(ValueError, match="this text has"):
        absence(small, part, LINES[3], 400)


def test_texts_run_together_as_they_do_alone() -> None:
    """With several kinds of positions, norms and masks: a text beside another one changes nothing in it.

    And more texts than fit in the positions of a model are several rows.
    """
    texts = ["w1 w2 w3 w2 w5", "w4 w5 w1", "w6 w7 w1 w2", "w3"]
    for name in ("rotary", "position-bias-and-window", "alibi", "disentangled-norm"):
        encoder = tiny(VARIANTS[name])
        last = encoder.config.n_heads - 1
        for part in (AtlasPart("head", 0, last), AtlasPart("unit", 1, 3)):
            for effect, text in zip(absences(encoder, part, [(text, 1) for text in texts]), texts, strict=True):
                alone = absence(encoder, part, text, 1)
                assert (effect.moved, effect.elsewhere) == pytest.approx(
                    (alone.moved, alone.elsewhere), rel=1e-4, abs=1e-6
                ), name
    encoder = tiny(VARIANTS["rotary"])
    assert encoder.config.max_positions < TOKENS
    effects = absences(encoder, AtlasPart("head", 0, 0), [(texts[0], 1)] * (TOKENS // 5))
    alone = absence(encoder, AtlasPart("head", 0, 0), texts[0], 1).moved
    assert [effect.moved for effect in effects] == pytest.approx([alone] * len(effects), rel=1e-4, abs=1e-6)


@pytest.mark.nightly
def test_all_is_counted_on_the_device_of_the_model_and_brought_back() -> None:
    """With a device that is not there; PyTorch raises where anything on the way was left behind or came along."""
    run = subprocess.run([sys.executable, ROOT / "tests" / "elsewhere.py"], capture_output=True, text=True, check=False)
    assert run.stdout.split("\n")[:-1] == ["done cpu", "kept elsewhere", "step elsewhere"], run.stderr


def test_the_device_is_a_gpu_where_it_is_asked_for_and_there_is_one_for_each_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for gpus, asked, processes, found in (
        (0, "cpu", 8, "cpu"),
        (1, "cuda", 1, "cuda"),
        (2, "cuda", 2, "cuda"),
        (2, "cpu", 8, "cpu"),
    ):
        monkeypatch.setattr(torch.cuda, "is_available", partial(bool, gpus))
        monkeypatch.setattr(torch.cuda, "device_count", partial(int, gpus))
        monkeypatch.setenv("LOCAL_WORLD_SIZE", str(processes))
        assert device(asked) == found, (gpus, asked, processes)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "3")
    with pytest.raises(AtlasError, match=r"starts 3 processes .* has 2 GPUs.* --device cpu"):
        device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(AtlasError, match="finds no GPU here; leave --device out"):
        device("cuda")


def test_a_word_finds_the_units_that_fire_on_it(atlas: Atlas) -> None:
    units = units_on(atlas, "THE", 5)
    first = units[0]
    on = [f for f in atlas.unit_firings(first.layer, first.unit, "sample") if f.token == "the"]
    assert len(on) == first.sampled > 0 and units_on(atlas, "no such token") == []
    assert [unit.sampled for unit in units] == sorted((unit.sampled for unit in units), reverse=True)
    looks = atlas.head_firings(2, 1, "weight", "top")[0]
    pair = heads_between(atlas, looks.token, looks.token_looked_at, 1)[0]
    kept = [f for kind in ("sample", "top") for f in atlas.head_firings(pair.layer, pair.head, "weight", kind)]
    hits = [f for f in kept if (f.token, f.token_looked_at) == (looks.token, looks.token_looked_at)]
    assert len(hits) == pair.sampled + pair.top > 0


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.nightly
def test_two_processes_under_torchrun_make_the_same_to_rounding(folder: Path, tmp_path: Path) -> None:
    """As a person starts them; the first process alone speaks."""
    plan = planned(tmp_path)
    text = str(plan.corpus.files[0])
    given = ["--model", "small", "--corpus", text, "--out", str(plan.out), "--part", "7", *KEPT]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *TORCHRUN, "-m", "encoder.atlas", *given]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count(f"{len(LINES)} sentences") == 1
    assert [path.name for path in sorted(plan.out.iterdir())] == [path.name for path in sorted(folder.iterdir())]
    for path in plan.out.glob("*.npy"):
        np.testing.assert_array_equal(np.load(path), np.load(folder / path.name))
    for path in plan.out.glob("*.parquet"):
        ours, theirs = pq.read_table(path), pq.read_table(folder / path.name)
        assert ours.schema == theirs.schema
        for name in ours.column_names:
            one, other = ours[name].to_pylist(), theirs[name].to_pylist()
            if one and isinstance(one[0], float | list):
                np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)
            else:
                assert one == other, (path.name, name)


def planned(folder: Path) -> AtlasPlan:
    """What `made` makes in a folder."""
    (folder / "words.txt").write_text("\n".join(LINES), encoding="utf-8")
    return AtlasPlan("small", AtlasCorpus((folder / "words.txt",)), folder / "atlas", KeptVectors((0, 3), (1,)), 7)


def test_a_killed_run_started_again_goes_on_from_its_last_part(
    folder: Path, tmp_path: Path, small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends amid a part; what was done is not done again, and the files are the same."""
    plan, passed = planned(tmp_path), list[Tensor]()
    begin(plan, small)

    def kill(done: int) -> None:
        if done > 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work(plan, small, on_progress=kill)
    for other in ({"kept": KeptVectors((0,))}, {"device": "cuda"}, {"corpus": replace(plan.corpus, every=2)}):
        with pytest.raises(AtlasError, match="other settings"):
            begin(replace(plan, **other), small)
    with pytest.raises(AtlasError, match="number of processes"):
        begin(plan, small, 2)
    assert "--device cuda" in replace(plan, device="cuda").command and "--device" not in plan.command
    run = Encoder.forward
    monkeypatch.setattr(Encoder, "forward", lambda self, ids, *more: passed.append(ids) or run(self, ids, *more))
    assert contents(made(plan.out, LINES, *KEPT)) == contents(folder)
    assert sum(len(ids) for ids in passed) <= len(LINES) - 14 + 1, "and one run that tries the model out"


def test_what_a_killed_run_left_damaged_is_refused_in_a_sentence(tmp_path: Path, small: TextEncoder) -> None:
    plan = planned(tmp_path)
    begin(plan, small)
    for content in (b"", b"{}", b"\xff" * 100, save({"after": torch.tensor(1)})):
        plan.so_far(0).write_bytes(content)
        with pytest.raises(AtlasError, match=r"sums-000\.safetensors is damaged or not there; remove the folder"):
            work(plan, small)


def test_a_model_that_shares_its_layers_is_measured_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = tiny(VARIANTS["albert"])
    monkeypatch.setattr(TextEncoder, "from_pretrained", lambda *given: encoder)
    lines = ["w1 w2 w3 w2", "w4 w5", "w6 w7 w1"]
    atlas = Atlas(made(tmp_path / "atlas", [lines[0], lines[1], "", lines[2]]))
    last = encoder.config.n_layers - 1
    slow = events([encoder.trace(line) for line in lines], lambda t: written(t, last, 0))
    got = [firing.written for firing in atlas.head_firings(last, 0, "written", "top")]
    best = sorted((max(e[0] for e in slow if e[1] == s) for s in range(3)), reverse=True)
    assert got == pytest.approx(best, rel=1e-5)


def test_lots_are_drawn_once_and_evenly_and_bins_hold_what_their_edges_say() -> None:
    sentences, positions = torch.arange(3000).repeat_interleave(40), torch.arange(40).repeat(3000)
    lots = drawn(sentences, positions)
    assert len(lots.unique()) == len(lots) and int(lots.min()) >= 0 and POSITIONS >= 8192
    first = lots.argsort()[:6000]
    assert abs(float(positions[first].float().mean()) - 19.5) < 0.5
    assert abs(float(sentences[first].float().mean()) - 1499.5) < 40
    values = torch.rand(4000) * 40 + 1e-4
    for low, bins in ((edges(bins), bins) for bins in map(bins_of, (COARSE, FINE))):
        at = bin_of(values, bins).numpy()
        assert (low[at] <= values.numpy()).all() and (values.numpy() < low[at + 1]).all()


def damaged(folder: Path, tmp_path: Path, change: Callable[[Path], None]) -> Path:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    change(copy)
    return copy


def card_with(**fields: object) -> Callable[[Path], None]:
    def change(copy: Path) -> None:
        card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
        (copy / "card.json").write_text(json.dumps(card | fields), encoding="utf-8")

    return change


def flip(copy: Path) -> None:
    """Change one byte of a file, not its size."""
    path = copy / "heads-layer-1.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_what_cannot_be_read_is_refused_in_a_sentence(folder: Path, tmp_path: Path) -> None:
    for number, (change, sentence) in enumerate(
        (
            (lambda copy: (copy / "card.json").unlink(), "it has no card.json"),
            (lambda copy: (copy / "card.json").write_text("{"), "card.json of copy is damaged"),
            (lambda copy: (copy / "card.json").write_text(f"[{'1' * 5000}]"), "card.json of copy is damaged"),
            (lambda copy: (copy / "card.json").write_text("[1]"), "does not say that its format is"),
            (card_with(format="another"), "does not say that its format is"),
            (card_with(version=3), "version 3 of the format, and this program reads version 2"),
            (card_with(files={}), "heads-layer-0.parquet is not there"),
            (card_with(model={"name": "x"}), "card.json of copy is damaged"),
            (card_with(files={"../x": {"bytes": -1, "sha256": ""}}), "card.json of copy is damaged"),
            (lambda copy: (copy / "units.parquet").unlink(), "units.parquet is not there"),
            (lambda copy: (copy / "units.parquet").write_bytes(b"x"), "units.parquet has 1 bytes, and its card says"),
            (flip, "heads-layer-1.parquet is not what its card says"),
        )
    ):
        with pytest.raises(AtlasError, match=re.escape(sentence)):
            Atlas(damaged(folder, tmp_path / str(number), change)).head_firings(1, 0, "weight", "top")


def test_the_atlas_of_another_model_is_not_shown(
    folder: Path, base: TextEncoder, small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AtlasError, match=r"an atlas of the model small .*, and this is base"):
        Atlas(folder, base.source)
    with pytest.raises(AtlasError, match="random weights, seed 0"):
        Atlas(folder, TextEncoder.from_config(TINY, tokenizer=tiny(TINY).tokenizer).source)
    monkeypatch.setenv(FOLDER, str(folder.parent))
    assert folder in [atlas.folder for atlas in shelf(small.source).atlases]
    assert folder not in [atlas.folder for atlas in shelf(base.source).atlases]


def test_a_folder_without_a_finished_atlas_is_told_of(
    folder: Path, tmp_path: Path, small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "mine"
    monkeypatch.setenv(FOLDER, str(own))
    assert shelf(small.source).refused == (
        "ENCODER_ATLASES names a folder mine, which is not there; python -m encoder.atlas makes one",
    )
    own.mkdir()
    assert "names a folder mine, which has no atlas in it" in shelf(small.source).refused[0]
    (tmp_path / "words.txt").write_text("The cat.", encoding="utf-8")
    begin(AtlasPlan("small", AtlasCorpus((tmp_path / "words.txt",)), own / "half"), small)
    before = stamp()
    assert "half is an unfinished atlas; the same command goes on" in shelf(small.source).refused[0]
    shutil.copytree(folder, own / "half", dirs_exist_ok=True)
    assert stamp() != before and shelf(small.source).refused == ()
    assert own / "half" in [atlas.folder for atlas in shelf(small.source).atlases]
    monkeypatch.delenv(FOLDER)
    assert shelf(small.source).refused == ()


def test_what_cannot_be_made_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.txt").write_text("\n \n")
    Path("latin.txt").write_bytes("h\xe9\n".encode("latin-1"))
    Path("cut.xz").write_bytes(b"\xfd7zXZ\x00\x00")
    Path("words.txt").write_text("The cat.\n")
    for given, sentence in (
        (["nothing.txt"], "nothing.txt cannot be read"),
        (["empty.txt"], "the corpus is empty"),
        (["latin.txt"], "is not UTF-8 from line 1"),
        (["cut.xz"], "cut.xz cannot be read"),
        (["words.txt", "--vectors", "5"], "--vectors 5 is not a layer"),
        (["words.txt", "--head-vectors", "4"], "--head-vectors 4 is not a layer"),
        (["words.txt", "--every", "0"], "--every 0"),
        (["words.txt", "--part", "0"], "--part 0 must be 1 or more"),
        (["words.txt", "--model", "nope"], "nope"),
    ):
        assert main(["--model", "small", "--out", "out", "--corpus", *given]) == 2, given
        error = capsys.readouterr().err
        assert error.startswith("error: ") and sentence in error and "Traceback" not in error


def examples(folder: Path) -> tuple[str, str]:
    """The lines for pyarrow and for DuckDB of the README of the format, on that folder."""
    text = (ROOT / "encoder" / "atlas" / "README.md").read_text(encoding="utf-8").replace("DIR/", f"{folder}/")
    python, sql = text.split("With pyarrow")[1].split("\n\n", 1)[1].split("With DuckDB")
    return textwrap.dedent(python), sql.split("```sql")[1].split("```")[0]


def test_the_lines_for_pyarrow_and_for_duckdb_print_the_same_contexts() -> None:
    """Those of the unit that they name, as the page shows them; neither needs a line of ours."""
    atlas = Atlas(SHIPPED / "small")
    python, sql = examples(atlas.folder)
    assert len([line for line in python.splitlines() if line]) == len(sql.strip().splitlines()) == 5
    top = atlas.unit_firings(2, 434, "top")
    texts = atlas.texts([one.sentence for one in top])
    said = [f'{one.value:.3f} at {one.token!r} in "{texts[one.sentence]}"' for one in top]
    assert alone(python).splitlines() == said and len(said) == TOP
    rows = json.loads(alone(f"import duckdb, json\nprint(json.dumps(duckdb.sql({sql!r}).fetchall()))"))
    assert [row[1:] for row in rows] == [[one.token, texts[one.sentence]] for one in top]
    assert [row[0] for row in rows] == pytest.approx([one.value for one in top])


def alone(python: str) -> str:
    """What some lines print in a process of their own, which finds nothing of this project."""
    done = subprocess.run([sys.executable, "-I", "-c", python], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_of_the_format_names_every_column(folder: Path) -> None:
    text = (ROOT / "encoder" / "atlas" / "README.md").read_text(encoding="utf-8")
    for path in folder.glob("*.parquet"):
        names = pq.read_schema(path).names
        told = [name for name in names if not name.startswith("length_") and not name.endswith(BESIDE)]
        assert [name for name in told if f"`{name}`" not in text] == [], path.name

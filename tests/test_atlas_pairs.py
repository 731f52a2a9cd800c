"""An atlas of pairs of sentences: A to B against a slow loop, made in other ways, refused, and opened on its page."""

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from more_tools import asks, numbers, pictures, section, words
from tiny import VARIANTS, tiny
from twins import MODELS, roberta_tokenizer, saved

from encoder import Edit, TextEncoder
from encoder.atlas import reruns
from encoder.atlas.__main__ import arguments, main, planned
from encoder.atlas.atlas_folders import FOLDER, SHIPPED
from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.collecting import RunningCounts, collect
from encoder.atlas.corpus import AtlasCorpus, AtlasError
from encoder.atlas.making import begin
from encoder.atlas.pairs import ACROSS, SIDES, kinds
from encoder.atlas.reruns import AtlasPart, absence
from encoder.atlas.searching import heads_from
from encoder.atlas.summary import head_rows
from encoder.metrics import SENTENCES
from encoder.pictures.more.contexts import pieces
from encoder.support.formatting import brief
from encoder.trace.trace import Source

pytestmark = pytest.mark.slow
Pair = tuple[str, str]
LONG = " ".join(["w1 w2 w3"] * 9)  # is cut in a model of 21 positions


def tiny_pairs() -> list[Pair]:
    """Sentences of other lengths in every pair, and one that is too long."""
    chance = random.Random(3)
    words = [[f"w{chance.randrange(40)}" for _ in range(chance.randrange(1, 9))] for _ in range(38)]
    some = [" ".join(one) for one in words]
    return [*zip(some[:19], some[19:], strict=True), (LONG, "w4 w5")]


PAIRS: dict[str, list[Pair]] = {
    "small": [*zip(SENTENCES[:19], SENTENCES[30:49], strict=True), ("The cat saw Tom, Ann and Jim.", "Tom saw it.")],
    "token types": tiny_pairs(),
    "roberta": tiny_pairs(),
}
KEPT = ("--pairs", "--part", "7", "--vectors", "1", "--head-vectors", "1")


def model_of(name: str, folder: Path) -> Path | str:
    """What --model names: `small` has no token types, a BERT has two, and a RoBERTa closes sentence A twice."""
    if name == "small":
        return name
    saved(folder, MODELS["bert" if name == "token types" else "roberta"])
    return folder


def given(folder: Path, pairs: list[Pair]) -> Path:
    """A file of pairs."""
    path = folder / "pairs.tsv"
    path.write_text("".join(f"{a} \t{b}\n\n" for a, b in pairs), encoding="utf-8")
    return path


def asked(name: str, folder: Path, out: Path, *more: str) -> list[str]:
    """A command line over the pairs of a model."""
    text = given(folder, PAIRS[name])
    return ["--model", str(model_of(name, folder / "model")), "--corpus", str(text), "--out", str(out), *KEPT, *more]


@pytest.fixture(scope="module", params=["token types", "roberta"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, TextEncoder, Atlas]:
    name, folder = request.param, tmp_path_factory.mktemp("made")
    assert main(asked(name, folder, folder / "atlas")) == 0
    encoder = TextEncoder.from_pretrained(model_of(name, folder / "model"))
    return name, encoder, Atlas(folder / "atlas", encoder.source)


def places(encoder: TextEncoder, n: int, pair: Pair) -> tuple[range, range]:
    """Where A's and B's tokens are among n, from how many each has alone: A after one mark, B before one."""
    a, b = (len(encoder.tokenizer.encode(text, add_special_tokens=False).ids) for text in pair)
    between = 2 if encoder.tokenizer.token_to_id("</s>") is not None else 1
    return range(1, 1 + min(a, n - 2 - between - b)), range(n - 1 - b, n - 1)  # A may be cut


def test_a_to_b_is_that_of_a_slow_loop(made: tuple[str, TextEncoder, Atlas]) -> None:
    """Every head, from a run of each pair on its own; also what even weights give, and chance."""
    name, encoder, atlas = made
    traces = [encoder.trace(pair) for pair in PAIRS[name]]
    sides = [places(encoder, len(run.tokens), pair) for run, pair in zip(traces, PAIRS[name], strict=True)]
    assert (encoder.config.n_segments == 2) == (name == "token types")
    compared = 0
    for layer in range(encoder.config.n_layers):
        for head in range(encoder.config.n_heads):
            row = atlas.head(layer, head)
            for measure, (start, end) in {"a_to_b": (0, 1), "b_to_a": (1, 0)}.items():
                mass, even, squares, count = 0.0, 0.0, 0.0, 0
                for run, both in zip(traces, sides, strict=True):
                    weights = run.layers[layer].attention.weights[head].tolist()
                    given_ = [sum(weights[i][j] for j in both[end]) for i in both[start]]
                    share = len(both[end]) / len(run.tokens)
                    mass, even = mass + sum(given_), even + share * len(given_)
                    squares += (sum(given_) - share * len(given_)) ** 2
                    count += len(given_)
                assert row[measure] == pytest.approx(mass / count, abs=1e-5)
                assert row[f"{measure}_uniform"] == pytest.approx(even / count, abs=1e-6)
                assert row[f"{measure}_queries"] == count
                found = next(
                    one for one in heads_from(atlas, SIDES[start], SIDES[end]) if (one.layer, one.head) == (layer, head)
                )
                assert (found.weight, found.uniform, found.queries) == (
                    row[measure],
                    row[f"{measure}_uniform"],
                    row[f"{measure}_queries"],
                )
                assert found.chance == pytest.approx((even + 1.645 * math.sqrt(squares)) / count, rel=1e-4)
                compared += 1
    assert compared == 2 * encoder.config.n_layers * encoder.config.n_heads
    shares = atlas.heads["a_to_b"].to_numpy()
    assert shares.max() - shares.min() > 0.01 and not np.allclose(shares, atlas.heads["b_to_a"].to_numpy(), atol=1e-3)


def test_other_measures_are_of_the_run_of_the_pair(made: tuple[str, TextEncoder, Atlas]) -> None:
    """With its token types: the second sentence has the vectors of the second."""
    name, encoder, atlas = made
    traces = [encoder.trace(pair) for pair in PAIRS[name]]
    weights = [run.layers[1].attention.weights[2] for run in traces]
    rows = sum(len(one) for one in weights)
    assert atlas.head(1, 2)["self"] == pytest.approx(
        float(sum(one.diagonal().sum() for one in weights)) / rows, rel=1e-4
    )
    ids = atlas.tokens("vectors.parquet", "sentence", "position")
    stored = np.load(atlas.folder / "vectors-layer-1.npy")
    for at in range(0, len(stored), 17):
        sentence, position = (ids[column][at].as_py() for column in ("sentence", "position"))
        np.testing.assert_allclose(stored[at], traces[sentence].layers[0].output[position], atol=4e-3)
    assert list(atlas.texts(list(range(20))).values()) == PAIRS[name] and "--pairs" in atlas.card.command
    assert atlas.card.pairs and atlas.card.scope.endswith("of pairs.tsv (20 pairs of sentences)")
    cut = sum(run.tokenization.dropped + run.tokenization.pair_dropped > 0 for run in traces)
    assert cut == 1 and '"cut": 1' in (atlas.folder / "card.json").read_text(encoding="utf-8")


def test_contexts_run_live_as_pairs_give_the_same_numbers(made: tuple[str, TextEncoder, Atlas]) -> None:
    _, encoder, atlas = made
    compared, crossing = [], 0
    for head in range(encoder.config.n_heads):
        for by in ("weight", "written"):
            for one in atlas.head_firings(1, head, by, "top"):
                run = encoder.trace(atlas.texts([one.sentence])[one.sentence])
                assert run.tokens[one.position] == one.token
                compared += reruns.of_head(run, 1, head, one)
                crossing += run.tokenization.segments[one.position] != run.tokenization.segments[one.looks_at or 0]
    for one in atlas.unit_firings(1, 7, "top"):
        compared += reruns.of_unit(encoder.trace(atlas.texts([one.sentence])[one.sentence]), 1, 7, one)
    assert [one.sentence for one in compared if not one.equal] == [] and len(compared) > 40 and crossing


def test_a_pair_without_a_head_is_run_as_a_pair(made: tuple[str, TextEncoder, Atlas]) -> None:
    name, encoder, _ = made
    for pair in PAIRS[name][:4]:
        before, after = (
            encoder.trace(pair),
            encoder.trace(pair, edits=(Edit("layers.0.attention.heads", "zero", heads=(1,)),)),
        )
        moved = (after["output"] - before["output"]).norm(dim=-1) / before["output"].norm(dim=-1)
        found = absence(encoder, AtlasPart("head", 0, 1), pair, len(moved) - 2)
        assert found.moved == pytest.approx(float(moved[-2]), rel=1e-4)


def test_a_run_of_pairs_is_not_taken_up_as_one_of_sentences(tmp_path: Path, small: TextEncoder) -> None:
    """The same text would be other sentences then."""
    plan = planned(arguments(asked("small", tmp_path, tmp_path / "atlas")))
    begin(plan, small)
    with pytest.raises(AtlasError, match="other settings"):
        begin(replace(plan, corpus=replace(plan.corpus, pairs=False)), small)


def test_a_sentence_without_a_token_gives_and_gets_nothing() -> None:
    """Its pair is in no mean: there is no query, or nothing to look at."""
    encoder = TextEncoder(tiny(VARIANTS["segments"]).model, roberta_tokenizer(), Source("roberta"))
    running = RunningCounts(encoder, pairs=True)
    collect(running, encoder, 0, [("w1 w2", "w3"), ("w1 w2 w3", " ")])
    rows = head_rows(running, encoder.config)
    assert (rows["a_to_b_queries"][0], rows["b_to_a_queries"][0]) == (2, 1)


def test_a_corpus_of_sentences_has_nothing_of_pairs(tmp_path: Path) -> None:
    """A tab is white space there, and the files are laid out as those that come with the project."""
    (tmp_path / "words.txt").write_text("The cat saw\tthe dog.\nIt ran.\n", encoding="utf-8")
    assert main(["--model", "small", "--corpus", str(tmp_path / "words.txt"), "--out", str(tmp_path / "atlas")]) == 0
    atlas = Atlas(tmp_path / "atlas")
    assert atlas.texts([0, 1]) == {0: "The cat saw\tthe dog.", 1: "It ran."} and not atlas.card.pairs
    assert '"pairs"' not in (tmp_path / "atlas" / "card.json").read_text(encoding="utf-8")
    assert not {*ACROSS} & {*atlas.heads.column_names}
    for path in (tmp_path / "atlas").glob("*.parquet"):
        assert pq.read_schema(path) == pq.read_schema(SHIPPED / "small" / path.name), path.name
    for column, there in (("from", "sentence_a"), ("to", "sentence_b")):
        assert there not in atlas.pairs[column].combine_chunks().dictionary.to_pylist()


def test_a_line_that_is_no_pair_is_refused(tmp_path: Path) -> None:
    for text, sentence in (
        ("One.\tTwo.\n\nThree.\n", r"line 3 of .*pairs\.tsv has 0 tabs within its text; with --pairs each line is two"),
        ("One.\tTwo.\t5\n", "has 2 tabs"),
        ("One.\t\n", "has 0 tabs"),
    ):
        (tmp_path / "pairs.tsv").write_text(text, encoding="utf-8")
        with pytest.raises(AtlasError, match=sentence):
            AtlasCorpus((tmp_path / "pairs.tsv",), pairs=True).measured()


def test_the_first_word_of_each_sentence_is_no_name_for_its_capital(base: TextEncoder) -> None:
    pieces = base.tokenize(("The mouse saw Mary.", "Cheese is for John."))
    said = dict(zip(pieces.tokens, kinds(pieces), strict=True))
    assert [said[word] for word in ("mouse", "mary", "cheese", "john")] == ["word", "name", "word", "name"]


def test_a_pair_is_marked_in_both_sentences(base: TextEncoder) -> None:
    pair = base.tokenize(("The cat.", "A dog."))
    cat, dog = pair.tokens.index("cat"), pair.tokens.index("dog")
    assert pieces(pair, dog, cat) == (
        *(("The ", ""), ("cat", "key"), (".", ""), (" / ", "")),
        *(("A ", ""), ("dog", "at"), (".", "")),
    )
    assert pieces(pair, cat, len(pair.tokens) - 1)[-2:] == ((" → ", ""), ("[SEP]", "key"))
    assert pieces(base.tokenize("The cat."), cat) == (("The ", ""), ("cat", "at"), (".", ""))


# The page


@pytest.fixture(scope="module")
def of_small(tmp_path_factory: pytest.TempPathFactory) -> Atlas:
    folder = tmp_path_factory.mktemp("small")
    assert main(asked("small", folder, folder / "atlas")) == 0
    return Atlas(folder / "atlas")


@pytest.fixture
def shown(of_small: Atlas, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """The atlas of pairs behind the shipped one."""
    monkeypatch.setenv(FOLDER, str(of_small.folder))
    return of_small


HERE = {"model": "small", "layer": "2", "head": "3", "atlas_of": "1"}


def test_the_finder_offers_a_to_b_where_the_atlas_has_it(shown: Atlas) -> None:
    found = section("heads", "two_measures", **HERE, atlas_x="a_to_b")
    for key in ("atlas_x", "atlas_y"):
        assert {"A to B", "B to A"} <= {*asks(found)[key]["texts"]}
    every = shown.heads["a_to_b"].to_pylist()
    most = max(every)
    layer, head = divmod(every.index(most), 4)
    assert f"A to B is largest in head {head} of layer {layer}: " in words(found)
    assert brief(most) in words(found) and ACROSS["a_to_b"].meaning in words(found)
    first = asks(section("heads", "two_measures", **HERE | {"atlas_of": "0"}, atlas_x="a_to_b"))["atlas_x"]
    assert not {"A to B", "B to A"} & {*first["texts"]} and first["chosen"] == "previous"


def test_kinds_of_a_pair_are_offered_where_texts_are_pairs(shown: Atlas) -> None:
    chosen = {"atlas_start": "sentence_a", "atlas_end": "sentence_b"}
    found = section("heads", "kinds", **HERE, **chosen)
    first = heads_from(shown, "sentence_a", "sentence_b")[0]
    assert f"From a token of sentence A to a token of sentence B head {first.head} of layer {first.layer}" in words(
        found
    )
    assert numbers(pictures(found)["atlas_pairs"]).ravel().tolist() == pytest.approx(shown.heads["a_to_b"].to_pylist())
    other = section("heads", "kinds", **HERE | {"atlas_of": "0"}, **chosen)
    assert "a token of sentence A" not in asks(other)["atlas_start"]["texts"]


def test_a_context_of_a_pair_is_run_and_opened_as_a_pair(shown: Atlas) -> None:
    found = section("heads", "contexts", **HERE, atlas_run="3")
    (again,) = [item["words"] for item in found if item["kind"] == "finding" and "stored" in item["words"]]
    assert again.count("They are the same") == 2
    context = shown.head_firings(2, 3, "weight", "top")[2]
    (contexts,) = [item["lines"] for item in found if item["kind"] == "lines"]
    makes = contexts[2]["opens"]["makes"]
    assert (makes["sentence"], makes["second"]) == shown.texts([context.sentence])[context.sentence]


def test_all_heads_says_that_its_atlas_is_of_pairs(shown: Atlas) -> None:
    found = section("heads", "measures", **HERE, over="100 sentences")
    assert "20 pairs of sentences of its atlas" in asks(found)["over"]["texts"]
    assert f"on {shown.card.scope}." in words(found)


def test_every_section_opens_on_pairs(shown: Atlas) -> None:
    for part in ("contexts", "find", "nearest", "two_measures"):
        assert "20 pairs of sentences" in words(section("heads", part, **HERE, atlas_word="the")), part

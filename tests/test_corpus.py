"""Heads and units over a corpus: what is said is what the atlas holds, live runs agree, and it is of no other model."""

import json
import shutil
from pathlib import Path

import pytest
from more_tools import asks, lines, numbers, pictures, section, tables, words

from encoder import TextEncoder
from encoder.atlas.__main__ import main
from encoder.atlas.atlas_folders import FOLDER, SHIPPED
from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.reruns import CLOSE, AtlasPart, absence, summed_up
from encoder.atlas.searching import heads_from, units_on
from encoder.support.formatting import percent

pytestmark = pytest.mark.slow
HERE = {"model": "small", "layer": "2", "head": "3"}
HOSTILE = ["<b>The</b> $x$ and [a](http://b.c) :red[d] `e`.", "The # cat -- -> | dog *was* _there_.", "\u202eThe cat."]


@pytest.fixture(scope="module")
def atlas() -> Atlas:
    return Atlas(SHIPPED / "small")


def test_what_is_shipped_is_whole_and_small_and_of_the_bundled_models() -> None:
    for name in ("base", "small"):
        shipped = Atlas(SHIPPED / name, TextEncoder.from_pretrained(name).source)
        for file in shipped.card.files:
            shipped.path(file)
        assert "CC BY 2.0 FR" in shipped.card.licence and shipped.card.tokens > 100_000
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) <= 10_000_000


def test_a_head_shows_what_its_files_hold(atlas: Atlas) -> None:
    shown = section("heads", "contexts", **HERE)
    row, top = atlas.head(2, 3), atlas.head_firings(2, 3, "weight", "top")
    mass, even = percent(row["nearest_mass"]), percent(row["nearest_uniform"])
    finding = f"Head 3 of layer 2 gives the token before {mass} of its weight; even weights would give {even}."
    assert f"{atlas.card.tokens:,} tokens of tatoeba" in words(shown)
    assert finding in [item["words"] for item in shown if item["kind"] == "finding"]
    assert numbers(pictures(shown)["atlas_deciles"], "y").tolist() == pytest.approx(row["weight_deciles"])
    for line, one in zip(lines(shown), top, strict=True):
        assert line.endswith(f"weight {one.weight:.4f}, written {one.written:.4f}")
    third = section("heads", "contexts", **HERE, atlas_by="written", atlas_list="tenth 3")
    drawn = [one for one in atlas.head_firings(2, 3, "written", "sample") if one.decile == 2]
    assert len(lines(third)) == len(drawn) > 0
    for line, one in zip(lines(third), drawn, strict=True):
        assert line.endswith(f"weight {one.weight:.4f}, written {one.written:.4f}")


def test_a_context_is_run_again_and_held_against_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = section("heads", "contexts", **HERE, atlas_run="4")
    verdicts = next(item["words"] for item in shown if item["kind"] == "finding" and "stored" in item["words"])
    assert verdicts.count("They are the same") == 2
    with monkeypatch.context() as patched:
        patched.setattr("encoder.atlas.reruns.CLOSE", -1.0)  # as if no number were the live one
        assert words(section("heads", "contexts", **HERE, atlas_run="4")).count("do not trust it") == 2
    (every_line,) = [item["lines"] for item in shown if item["kind"] == "lines"]
    shipped = Atlas(SHIPPED / "small")
    texts = shipped.texts([*range(shipped.card.sentences)]).values()
    assert CLOSE == 1e-5 and every_line[3]["opens"]["makes"]["sentence"] in texts


def test_a_unit_shows_what_its_files_hold(atlas: Atlas) -> None:
    shown = section("feed_forward", "corpus", **HERE, atlas_unit="434", atlas_run="1")
    row = atlas.unit(2, 434)
    assert f"unit 434 fires {row['firings']:,} times" in words(shown)
    tokens = [one.token for one in atlas.unit_firings(2, 434, "sample")]
    often = max(dict.fromkeys(tokens), key=tokens.count)
    assert f"most often at “{often}”: {tokens.count(often)} of {len(tokens)} sampled firings." in words(shown)
    (contexts,) = [item["lines"] for item in shown if item["kind"] == "lines"]
    for line, one in zip(contexts, atlas.unit_firings(2, 434, "top"), strict=True):
        assert line["note"] == f"{one.value:.4f}, written {one.value * row['written_per_one']:.4f}"
    assert "They are the same" in words(shown)


def test_knocking_a_part_out_is_said_of_each_context(atlas: Atlas, small: TextEncoder) -> None:
    below = words(section("feed_forward", "corpus", agreed=True, **HERE, atlas_unit="434"))
    heads = words(section("heads", "contexts", agreed=True, **HERE))
    contexts = atlas.unit_firings(2, 434, "top"), atlas.head_firings(2, 3, "weight", "top")
    for part, top, text in zip(
        (AtlasPart("unit", 2, 434), AtlasPart("head", 2, 3)), contexts, (below, heads), strict=True
    ):
        texts = atlas.texts([firing.sentence for firing in top])
        absences = [absence(small, part, texts[firing.sentence], firing.position) for firing in top]
        assert f"changes by {percent(absences[3].moved)}" in text and text.count("changes by") >= len(top)
        assert summed_up(absences) in text


def test_heads_from_one_kind_to_another(atlas: Atlas) -> None:
    shown = section("heads", "kinds", **HERE, atlas_start="article", atlas_end="next")
    first = heads_from(atlas, "article", "next")[0]
    text = words(shown)
    assert f"head {first.head} of layer {first.layer} gives most of all heads: {percent(first.weight)}" in text
    assert f"from tokens of any kind it gives {percent(first.anyone)}" in text and atlas.card.scope in text
    assert numbers(pictures(shown)["atlas_pairs"]).max() == pytest.approx(first.weight)
    assert "No token of this corpus" in words(section("heads", "kinds", **HERE, atlas_start="sep", atlas_end="next"))


def test_all_heads_reads_the_atlas_and_says_so(atlas: Atlas) -> None:
    """Only of the model that it is of: another one is measured over the bundled sentences."""
    many = {"over": "100 sentences", "measure": "previous"}
    shown = section("heads", "measures", **HERE, **many)
    assert f"{atlas.card.many} of its atlas" in asks(shown)["over"]["texts"]
    assert numbers(pictures(shown)["measured"]).ravel().tolist() == pytest.approx(atlas.heads["previous"].to_pylist())
    assert f"Read from the atlas of this model: on {atlas.card.scope}." in words(shown)
    other = section("heads", "measures", model="built:n_layers=1,d_model=16,n_heads=2,d_ff=32", **many)
    assert "atlas" not in words(other) and asks(other)["over"]["texts"] == ["this sentence", "100 sentences"]


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An atlas of three hostile sentences."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "mine.txt").write_text("\n".join(HOSTILE), encoding="utf-8")
    out = str(folder / "atlas")
    assert main(["--model", "small", "--corpus", str(folder / "mine.txt"), "--out", out, "--vectors", "4"]) == 0
    return folder / "atlas"


@pytest.fixture
def second(mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Another atlas of the same model, behind the shipped one."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return Atlas(shutil.copytree(mine, tmp_path / "mine"))


def test_every_section_reads_the_atlas_that_was_chosen(atlas: Atlas, second: Atlas) -> None:
    many = {"over": "100 sentences", "measure": "previous"}
    assert f"On {second.card.scope}." in words(section("heads", "contexts", **HERE, atlas_of="1"))
    for number, here, other in (("1", second, atlas), ("0", atlas, second)):
        shown = section("heads", "measures", **HERE, **many, atlas_of=number)
        assert f"on {here.card.scope}." in words(shown) and other.card.scope not in words(shown)
        drawn = numbers(pictures(shown)["measured"]).ravel().tolist()
        assert drawn == pytest.approx(here.heads["previous"].to_pylist())
        assert asks(shown)["atlas_of"]["chosen"] == number and len(asks(shown)["atlas_of"]["texts"]) == 2


def test_an_atlas_that_was_damaged_later_is_one_sentence_and_hides_no_other_section(second: Atlas) -> None:
    path = second.folder / "heads.parquet"
    path.write_bytes(bytes(len(path.read_bytes())))
    damaged = section("heads", "measures", **HERE, atlas_of="1", over="100 sentences")
    assert any(
        "heads.parquet is not what its card says" in item["words"] for item in damaged if item["kind"] == "error"
    )
    assert pictures(section("heads", "flow", **HERE, atlas_of="1"))


def test_a_word_finds_its_units(atlas: Atlas) -> None:
    assert "Type a word" in words(section("heads", "find", **HERE))
    first = units_on(atlas, "monday")[0]
    shown = section("heads", "find", **HERE, atlas_word="Monday")
    here = f"Layer {first.layer}, unit {first.unit} comes first: on {atlas.card.scope}, “monday” has "
    here += f"{first.sampled} of {first.of_sampled} of its sampled firings."
    assert (
        here in words(shown) and tables(shown)["atlas_word_units"]["unit"][0] == f"{first.unit} of layer {first.layer}"
    )
    assert "This model reads “xylophonist” as" in words(section("heads", "find", **HERE, atlas_word="xylophonist"))
    assert "From any token to [SEP]" in words(section("heads", "find", **HERE, atlas_key="[SEP]"))


def test_neighbours_are_shown() -> None:
    at = {**HERE, "sentence": "Tom is here.", "atlas_token": "1"}
    usual = section("heads", "nearest", **at)
    assert asks(usual)["atlas_near"]["values"] == ["2", "4", "heads-2"] and lines(usual)
    assert "After 4 layers the vector of “tom” is nearest to that of “tom”" in words(
        section("heads", "nearest", **at, atlas_near="4")
    )
    assert "After 2 layers" in words(section("heads", "nearest", **at, atlas_near="2"))
    assert "What head 3 of layer 2 writes to “tom” is nearest to that of" in words(usual)


def test_each_model_has_its_own_atlas_and_an_untrained_one_none(atlas: Atlas) -> None:
    assert "127,270 tokens" not in words(section("heads", "contexts", **HERE))
    assert "127,270 tokens" in words(section("heads", "contexts", **HERE | {"model": "base"}))
    untrained = section("heads", "contexts", **HERE | {"model": "paper"})
    assert "There is no atlas of" in words(untrained) and atlas.card.corpus not in words(untrained)


def test_own_and_damaged_atlases_beside_the_shipped_one(second: Atlas) -> None:
    for name, change in {"newer": {"version": 9}, "odd": {"files": {}}}.items():
        copy = shutil.copytree(second.folder, second.folder.with_name(name))
        card = json.loads((copy / "card.json").read_text(encoding="utf-8"))
        (copy / "card.json").write_text(json.dumps(card | change), encoding="utf-8")
    shown = section("heads", "contexts", **HERE, atlas_of="1")
    assert "newer has version 9 of the format" in words(shown) and "odd is damaged" in words(shown)
    assert "of mine (3 sentences)" in words(shown)
    assert any("<b>The</b> $x$ and [a](http://b.c)" in line for line in lines(shown)), "text is text"
    for part in ("contexts", "two_measures", "kinds", "find", "nearest"):
        assert f"On {second.card.scope}." in words(section("heads", part, **HERE, atlas_of="1", atlas_word="the")), part
    assert f"On {second.card.scope}." in words(section("feed_forward", "corpus", **HERE, atlas_of="1"))

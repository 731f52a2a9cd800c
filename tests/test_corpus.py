"""Heads and units over a corpus: what is said is what the atlas holds, live runs agree, and it is of no other model."""

import json
import shutil
from pathlib import Path

import pytest
from more_tools import section
from more_tools import words as said_below
from page_tools import ask, healthy, numbers, open_app, press, said, words

from encoder import TextEncoder
from encoder.atlas.__main__ import main
from encoder.atlas.atlas_folders import FOLDER, SHIPPED
from encoder.atlas.atlas_reader import Atlas
from encoder.atlas.reruns import CLOSE, AtlasPart, absence, summed_up
from encoder.atlas.searching import heads_from, units_on
from encoder.support.formatting import percent

pytestmark = pytest.mark.slow
HERE = {"model": "small", "layer": "2", "head": "3"}
OVER = HERE | {"heads_part": "Over a corpus"}
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
    app = open_app("heads", **OVER, atlas_spread="1")
    row, top = atlas.head(2, 3), atlas.head_firings(2, 3, "weight", "top")
    text = words(app)
    mass, even = percent(row["nearest_mass"]), percent(row["nearest_uniform"])
    headline = f"Layer 2, head 3 gives the token before {mass} of its weight; even weights would give {even}."
    assert f"{atlas.card.tokens:,} tokens of tatoeba" in text and headline in [
        h.value.replace("\\", "") for h in app.header
    ]
    assert numbers(app, "y", "atlas_deciles").tolist() == pytest.approx(row["weight_deciles"])
    for one in top:
        assert f"weight {one.weight:.4f}, written {one.written:.4f}" in text
    healthy(app.pills(key="atlas_by").set_value("written").run())
    for one in atlas.head_firings(2, 3, "written", "top"):
        assert f"weight {one.weight:.4f}, written {one.written:.4f}" in words(app)
    healthy(app.selectbox(key="atlas_list").set_value("3").run())
    third = [one for one in atlas.head_firings(2, 3, "written", "sample") if one.decile == 2]
    assert f"{len(third)} of the 30 that were drawn evenly" in words(app)


def test_a_context_is_run_again_and_held_against_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_app("heads", **OVER, atlas_run="4")
    verdicts = [line for line in words(app).splitlines() if "stored" in line]
    assert len(verdicts) == 2 and all(":material/check:" in one and "They are the same" in one for one in verdicts)
    assert "With this head off the last vector of" in words(app)
    with monkeypatch.context() as patched:
        patched.setattr("encoder.atlas.reruns.CLOSE", -1.0)  # as if no number were the live one
        healthy(app.run())
        assert CLOSE == 1e-5 and words(app).count("do not trust it") == 2 and ":material/error:" in words(app)
    press(app, "atlas_open")
    assert app.session_state["session"].view.sentence in Atlas(SHIPPED / "small").texts(list(range(16_317))).values()


def test_a_unit_shows_what_its_files_hold(atlas: Atlas) -> None:
    shown = section("feed_forward", "corpus", **HERE, atlas_unit="434", atlas_run="1")
    row = atlas.unit(2, 434)
    assert f"unit 434 fires {row['firings']:,} times" in said_below(shown)
    (contexts,) = [item["lines"] for item in shown if item["kind"] == "lines"]
    for line, one in zip(contexts, atlas.unit_firings(2, 434, "top"), strict=True):
        assert line["note"] == f"{one.value:.4f}, written {one.value * row['written_per_one']:.4f}"
    assert "They are the same" in said_below(shown)


def test_knocking_a_part_out_is_said_of_each_context(atlas: Atlas, small: TextEncoder) -> None:
    below = said_below(section("feed_forward", "corpus", agreed=True, **HERE, atlas_unit="434"))
    heads = words(open_app("heads", **OVER, atlas_off="1"))
    contexts = atlas.unit_firings(2, 434, "top"), atlas.head_firings(2, 3, "weight", "top")
    for part, top, text in zip(
        (AtlasPart("unit", 2, 434), AtlasPart("head", 2, 3)), contexts, (below, heads), strict=True
    ):
        texts = atlas.texts([firing.sentence for firing in top])
        absences = [absence(small, part, texts[firing.sentence], firing.position) for firing in top]
        assert f"moves by {percent(absences[3].moved)}" in text and text.count("moves by") >= len(top)
        assert summed_up(absences) in text


def test_heads_from_one_kind_to_another(atlas: Atlas) -> None:
    app = open_app("heads", **OVER, atlas_part="From A to B", atlas_start="article", atlas_end="next")
    first = heads_from(atlas, "article", "next")[0]
    assert f"layer {first.layer}, head {first.head} gives most of all heads: {percent(first.weight)}" in words(app)
    assert f"from tokens of any kind it gives {percent(first.anyone)}" in words(app) and atlas.card.scope in words(app)
    assert numbers(app, key="atlas_pairs").max() == pytest.approx(first.weight)
    healthy(app.selectbox(key="atlas_start").set_value("sep").run())
    assert "No token of this corpus" in words(app)


def test_each_tab_says_of_what_its_numbers_are(atlas: Atlas) -> None:
    """Beside the line below all of them."""
    app = open_app("heads", **OVER, atlas_word="tom")
    said_in = {part: words(ask(app, atlas_part=part)) for part in ("Contexts", "From A to B", "Find a word", "Nearest")}
    for part, text in {**said_in, "units": said_below(section("feed_forward", "corpus", **HERE))}.items():
        beside = f"of {atlas.card.scope}" in text
        assert text.casefold().count(f"on {atlas.card.scope}".casefold()) >= 2 or beside, part


def test_all_heads_reads_the_atlas_and_says_so(atlas: Atlas) -> None:
    """Only of the model that it is of: another one is measured over the bundled sentences."""
    opened_at = {"heads_part": "Measures", "over": "100 sentences", "measure": "previous"}
    app = open_app("heads", **HERE, **opened_at)
    assert f"{atlas.card.sentences:,} sentences of its atlas" in app.pills(key="over").options
    assert numbers(app, key="measured").ravel().tolist() == pytest.approx(atlas.heads["previous"].to_pylist())
    for part in ("Measures", "What each head does"):
        assert f"Read from the atlas of this model: on {atlas.card.scope}." in words(ask(app, heads_part=part))
    app = open_app("heads", model="paper", **opened_at)
    assert "atlas" not in words(app) and app.pills(key="over").options == ["this sentence", "100 sentences"]


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Atlas:
    """Another atlas of the same model, behind the shipped one."""
    text = tmp_path / "mine.txt"
    text.write_text("The cat saw the dog.\nA dog saw the cat, and it ran.\nThe dog ran.", encoding="utf-8")
    assert main(["--model", "small", "--corpus", str(text), "--out", str(tmp_path / "atlases" / "mine")]) == 0
    monkeypatch.setenv(FOLDER, str(tmp_path / "atlases"))
    return Atlas(tmp_path / "atlases" / "mine")


def test_other_pages_read_the_atlas_that_was_chosen(atlas: Atlas, second: Atlas) -> None:
    app = open_app("heads", **OVER, over="100 sentences", measure="previous")
    healthy(app.selectbox(key="atlas_of").set_value(1).run())
    assert f"On {second.card.scope}." in words(app)
    app = ask(app, heads_part="Measures")
    assert f"on {second.card.scope}." in words(app) and atlas.card.scope not in words(app)
    assert numbers(app, key="measured").ravel().tolist() == pytest.approx(second.heads["previous"].to_pylist())
    healthy(app.selectbox(key="atlas_of").set_value(0).run())
    assert f"on {atlas.card.scope}." in words(app) and second.card.scope not in words(app)


def test_an_atlas_that_was_damaged_later_hides_no_other_part_of_a_page(second: Atlas) -> None:
    path = second.folder / "heads.parquet"
    path.write_bytes(bytes(len(path.read_bytes())))
    app = open_app("heads", **HERE, heads_part="Measures", atlas_of="1", over="100 sentences")
    assert "heads.parquet is not what its card says" in said(app)
    assert "How much of the result is from **other** tokens?" in words(ask(app, heads_part="What really flows"))


def test_a_word_finds_its_units(atlas: Atlas) -> None:
    app = open_app("heads", **OVER, atlas_part="Find a word")
    assert "Type a word" in words(app)
    healthy(app.text_input(key="atlas_word").set_value("Monday").run())
    first = units_on(atlas, "monday")[0]
    share = percent(first.sampled / first.of_sampled)
    assert f"Layer {first.layer}, unit {first.unit} comes first: on {atlas.card.scope}, “monday” has {share}" in words(
        app
    )
    healthy(app.text_input(key="atlas_word").set_value("xylophonist").run())
    assert "this model reads “xylophonist” as" in words(app)
    healthy(app.text_input(key="atlas_word").set_value("").run())
    healthy(app.text_input(key="atlas_key").set_value("[SEP]").run())
    assert "From any token to [SEP]" in words(app)


def test_neighbours_are_shown() -> None:
    app = open_app("heads", **OVER, sentence="Tom is here.", atlas_part="Nearest")
    assert "the vector of “tom” is nearest to that of “tom”" in words(app)
    healthy(app.pills(key="atlas_near").set_value(2).run())
    assert "After 2 layers" in words(app)
    healthy(app.pills(key="atlas_near").set_value("heads-2").run())
    assert "What layer 2, head 3 writes to “tom” is nearest to that of" in words(app)


def test_each_model_has_its_own_atlas_and_an_untrained_one_none(atlas: Atlas) -> None:
    app = open_app("heads", **OVER)
    assert "127,448 tokens" not in words(app) and "127,448 tokens" in words(ask(app, model="base"))
    app = ask(app, model="paper")
    assert "There is no atlas of" in words(app) and "tokens of tatoeba" not in words(app)
    assert atlas.card.corpus not in words(app)


def test_own_and_damaged_atlases_beside_the_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, own = tmp_path / "mine.txt", tmp_path / "atlases"
    text.write_text("\n".join(HOSTILE), encoding="utf-8")
    assert main(["--model", "small", "--corpus", str(text), "--out", str(own / "mine"), "--vectors", "4"]) == 0
    for name, change in {"newer": {"version": 9}, "odd": {"files": {}}}.items():
        shutil.copytree(own / "mine", own / name)
        card = json.loads((own / name / "card.json").read_text(encoding="utf-8"))
        (own / name / "card.json").write_text(json.dumps(card | change), encoding="utf-8")
    monkeypatch.setenv(FOLDER, str(own))
    app = open_app("heads", **OVER, atlas_of="1")
    assert "newer has version 9 of the format" in said(app) and "odd is damaged" in said(app)
    assert "of mine (3 sentences)" in words(app)
    lists = [m.value for m in app.markdown if m.value.startswith("1. ")]
    shown = "".join(lists)
    assert r"\<b\>" in shown and r"\:red\[d\]" in shown and "<b>" not in shown and "\u202e" not in shown
    for part in ("From A to B", "Find a word", "Nearest"):
        ask(app, atlas_part=part, atlas_word="the")
    assert "of mine" in said_below(section("feed_forward", "corpus", **HERE, atlas_of="1"))

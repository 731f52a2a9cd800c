"""The licences of heads on the screen: the shipped numbers and no others, and the examination of one's own model."""

import asyncio
import gzip
import json
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from controls import untrained
from page_tools import healthy, open_app, page_shown
from streamlit.testing.v1 import AppTest

from encoder import TextEncoder
from encoder.exam import Treebank, bundled_treebanks, examine
from encoder.exam.examination import RESULTS
from encoder.exam.sentences import NO_JOB, head_jobs, relation_rows, scope
from encoder.exam.treebank import given_treebank
from encoder.packet.format import unpack
from encoder.support.progress import listening
from pages.front.asked import wanted
from pages.front.packets import Packets
from pages.ui.server import exams, job_queue

pytestmark = pytest.mark.slow

BUILT = "built:n_layers=2,d_model=32,n_heads=4,d_ff=64,vocab_size=16384,seed=3"
JOBS = "What each head does"
SHIPPED = {name: json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")) for name in ("base", "small")}


def whole(share: float) -> str:
    """A share as a reader rounds it; those of the licences have two digits."""
    return f"{Decimal(str(100 * share)).quantize(Decimal(1), ROUND_HALF_UP)} %"


def licences(model: str) -> list[dict[str, Any]]:
    return [row for row in SHIPPED[model]["rows"] if row["licensed"] and row["treebank"] == "en_pud"]


def read(app: Any) -> list[str]:
    """Every sentence of the page, without what Markdown needs."""
    return [line.replace("\\", "") for one in (*app.markdown, *app.caption) for line in one.value.split("\n")]


def numbers(row: dict[str, Any]) -> tuple[str, ...]:
    """What a sentence about a licence must hold."""
    apart = abs(row["distance"])
    rule = f"{('', 'one', 'two', 'three')[apart]} word{'s' * (apart > 1)} {'back' if row['distance'] < 0 else 'on'}"
    return (
        f"({row['relation']})",
        f"{whole(row['accuracy'])} of {row['n']:,}",
        f"“{rule}” {whole(row['distance_accuracy'])}",
        f"in web text {whole(row['second_accuracy'])}",
    )


@pytest.mark.parametrize("model", SHIPPED)
def test_all_heads_and_models_say_each_licence_with_its_numbers(model: str) -> None:
    for page, named in (("heads", "L{layer}H{head} "), ("your_model", "Layer {layer}, head {head} ")):
        text = read(open_app(page, model=model, heads_part=JOBS, tour_jobs="1"))
        for row in licences(model):
            about = [line for line in text if named.format(**row) in line and f"({row['relation']})" in line]
            assert len(about) == 1 and all(part in about[0] for part in numbers(row)), (page, row, about)
        lines = [line for line in text if named.split("{")[0] in line and " looks from " in line]
        made = next(row for row in SHIPPED[model]["frames"] if row["frame"] == "all frames")
        assert len(lines) == len(licences(model)) + made["licensed"]


def test_the_head_of_gaps_has_its_licence_on_made_sentences_only() -> None:
    news, web = (row for row in SHIPPED["base"]["rows"] if row["relation"] == "gap:between")
    made = next(row for row in SHIPPED["base"]["frames"] if row["frame"] == "all frames")
    assert made["licensed"] and not news["licensed"] and not web["licensed"]
    assert {(row["layer"], row["head"]) for row in (made, news, web)} == {(5, 6)}
    best = max(made[name] for name in ("nearest_noun", "first_noun", "distance_accuracy", "position_accuracy"))
    parts = (
        f"licensed in made sentences only: {whole(made['accuracy'])} of {made['n']}",
        f"” {whole(best)}.",
        "it has no licence",
        f"{whole(news['accuracy'])} of {news['n']} in news and Wikipedia, the rule {whole(news['distance_accuracy'])}",
        f"{whole(web['accuracy'])} of {web['n']} in web text, the rule {whole(web['distance_accuracy'])}",
    )
    for page in ("heads", "your_model", "atlas"):
        app = open_app(page, heads_part=JOBS, tour_jobs="1", layer="5", head="6")
        line = next(line for line in read(app) if "masked verb to its subject" in line)
        assert all(part in line for part in parts), line


def test_the_page_of_a_model_leads_to_what_each_head_does() -> None:
    app = open_app("your_model")
    (tried,) = [one for one in app.button if one.label.startswith("See which of its heads do a job")]
    healthy(tried.click().run())
    assert page_shown(app) == "heads" and dict(app.session_state["session"].view.choices)["heads_part"] == JOBS
    assert "Jobs that were examined" in [one.value for one in app.header]


def test_the_atlas_says_the_job_of_the_chosen_head_or_that_there_is_none() -> None:
    row = next(row for row in licences("base") if row["relation"] == "obj")
    text = "\n".join(read(open_app("atlas", layer=str(row["layer"]), head=str(row["head"]))))
    assert all(part in text for part in numbers(row)) and NO_JOB not in text
    text = "\n".join(read(open_app("atlas", layer="0", head="0")))
    assert NO_JOB in text and " looks from " not in text


def test_the_table_has_the_best_head_of_every_relation_beside_its_rule() -> None:
    app = open_app("heads", model="small", heads_part=JOBS)
    table = table_with(app, "rule right")
    rows = [row for row in SHIPPED["small"]["rows"] if row["treebank"] == "en_pud"]
    assert len(table) == len(rows) and list(table["licence"] == "yes") == sorted(
        table["licence"] == "yes", reverse=True
    )
    assert (table["licence"] == "yes").sum() == len(licences("small"))
    for row in rows:
        if row["relation"].startswith("gap"):
            continue
        (found,) = table[table["UD"] == row["relation"]].to_dict("records")
        assert found["best head"] == f"L{row['layer']}H{row['head']}" and found["of"] == row["n"]
        assert found["right"] == pytest.approx(100 * row["accuracy"])
        assert found["rule right"] == pytest.approx(100 * row["distance_accuracy"])


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treebanks of forty sentences, two draws of each frame, and nothing examined before."""
    banks = [Treebank(bank.name, bank.trees[:40]) for bank in bundled_treebanks()]
    monkeypatch.setattr(exams, "bundled_treebanks", lambda: banks)
    monkeypatch.setattr(exams, "DRAWS", 2)
    exams.exams_kept.clear()


@pytest.mark.parametrize("page", ["heads", "your_model", "atlas"])
def test_a_model_without_an_examination_shows_no_licence(page: str, quick: None) -> None:
    text = "\n".join(read(open_app(page, model=BUILT, heads_part=JOBS, tour_jobs="1")))
    assert " looks from " not in text and NO_JOB not in text and "gold trees:" not in text


def test_an_untrained_model_is_examined_at_a_click_and_has_no_job(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    packets = Packets()

    def told_above() -> dict[str, Any]:
        asked = wanted({"level": 6, "sentence": "The cat sat.", "model": BUILT})
        return dict(unpack(gzip.decompress(asyncio.run(packets.get(asked, ""))))[1]["heads"])

    app = open_app("heads", model=BUILT, heads_part=JOBS)
    begins = "Examine the heads of this model on two treebanks (about"
    (offer,) = [one for one in app.button if one.label.startswith(begins)]
    assert told_above()["exam"] == ""
    healthy(offer.click().run())
    text = "\n".join(read(app))
    assert f"In all 8 heads: {NO_JOB}." in text and "40 sentences of news" in text and " looks from " not in text
    assert not [one for one in app.button if one.label.startswith("Examine")] and "not examined yet" not in text
    # The picture above is told of it too, though a packet that says nothing of it was kept.
    assert told_above()["exam"] == scope(exams.exam(BUILT)) and told_above()["jobs"] == [] != told_above()["tried"]
    monkeypatch.setattr(exams, "examine", None)  # from now on only what was kept
    assert NO_JOB in "\n".join(read(open_app("your_model", model=BUILT)))
    assert NO_JOB not in "\n".join(read(open_app("your_model", model=BUILT.replace("seed=3", "seed=4"))))
    assert NO_JOB not in "\n".join(read(open_app("your_model", model=BUILT.replace("d_ff=64", "d_ff=65"))))


def gold(words: str = "The keys to the cabinet are lost .", count: int = 30, **relations: str) -> bytes:
    """So many of one sentence with its tree, as a file."""
    marks = (
        ("DET", 2, "det"),
        ("NOUN", 7, "nsubj:pass"),
        ("ADP", 5, "case"),
        ("DET", 5, "det"),
        ("NOUN", 2, "nmod"),
        ("AUX", 7, "aux:pass"),
        ("VERB", 0, "root"),
        ("PUNCT", 7, "punct"),
    )
    lines = [
        f"{i}\t{word}\t_\t{tag}\t_\tMood=Ind\t{head}\t{relations.get(relation, relation)}\t_\t_"
        for i, (word, (tag, head, relation)) in enumerate(zip(words.split(), marks, strict=True), 1)
    ]
    return ("\n".join(lines) + "\n\n").encode() * count


def table_with(app: AppTest, column: str) -> Any:
    """The first table of the page that has a column."""
    return next(one.value for one in app.dataframe if column in one.value)


def give(app: AppTest, name: str, content: bytes) -> str:
    """Give a file of trees, and read the page."""
    healthy(app.file_uploader(key="heads_trees_file").set_value((name, content, "text/plain")).run())
    return "\n".join([*read(app), *(one.value.replace("\\", "") for one in app.warning)])


def test_trees_of_ones_own_are_examined_at_once_and_forgotten_with_their_file(quick: None) -> None:
    app = open_app("heads", model=BUILT, heads_part=JOBS, heads_trees="1")
    text = give(app, "mine.conllu", gold())
    own = Treebank("your trees", given_treebank(gold(), "x", "y").trees)
    expected = examine(exams.text_encoder(BUILT), [own, exams.bundled_treebanks()[0]])
    assert scope(expected) in text and "30 sentences of your trees" in text and f"In all 8 heads: {NO_JOB}." in text
    table = table_with(app, "rule right")
    assert table.to_dict("records") == relation_rows(expected)
    assert exams.exam(BUILT) is None, "nothing of it is kept for others"
    healthy(app.file_uploader(key="heads_trees_file").set_value(None).run())
    assert "your trees" not in "\n".join(read(app)) and "trees" not in app.session_state["session"].sweeps


def test_a_file_of_trees_that_cannot_be_read_is_refused_in_a_sentence(quick: None) -> None:
    app = open_app("heads", model=BUILT, heads_part=JOBS, heads_trees="1")
    for name, content, why in (
        ("a.txt", b"The cat sat.\n", "a.txt is no CoNLL-U file with gold trees: line 1 has 1 column"),
        ("<script>x</script>.conllu", b"\x00\xff", "<script>x</script>.conllu is not UTF-8"),
        ("b.txt", b"", "b.txt holds no sentence"),
        ("c.txt", gold(count=2001), "more than 2,000 sentences"),
        ("d.txt", gold(words=" ".join(["\u200f" * 9000] * 8), count=1), "c"),
    ):
        text = give(app, name, content)
        assert why in text.replace("\u2060", "") and "30 sentences" not in text


def test_relations_with_strange_names_are_text(quick: None) -> None:
    strange = "<b>|*x*|$y$"
    app = open_app("heads", model=BUILT, heads_part=JOBS, heads_trees="1")
    assert "30 sentences of your trees" in give(app, "e.txt", gold(nmod=strange))
    assert strange in list(table_with(app, "rule right")["UD"])


def test_two_models_stand_side_by_side_relation_by_relation() -> None:
    app = open_app("heads", model="small", heads_part=JOBS, heads_beside="1", heads_other="base")
    table = table_with(app, "its right")
    both = [{row["relation"]: row for row in SHIPPED[name]["rows"] if row["treebank"] == "en_pud"} for name in SHIPPED]
    assert len(table) == len(both[0].keys() & both[1].keys())
    surely = list(table["surely"] == "yes")
    assert surely == sorted(surely, reverse=True) and any(surely) and not all(surely)
    text = "\n".join(read(app))
    assert f"Of those that surely differ, most at {table['relation'][0]}: " in text
    obj = table[table["relation"] == "object → its verb"].to_dict("records")[0]
    base, small = (rows["obj"] for rows in both)
    assert (obj["head"], obj["its head"]) == ("L2H0", "L4H0") and obj["of"] == base["n"] == small["n"]
    assert obj["difference"] == pytest.approx(100 * (base["accuracy"] - small["accuracy"]))
    assert (obj["surely"] == "yes") == (base["low"] > small["high"] or small["low"] > base["high"])
    for other, model in (("base", BUILT), ("small", "base")):
        text = "\n".join(read(open_app("heads", model=model, heads_part=JOBS, heads_beside="1", heads_other=other)))
        assert ("were not examined yet: open it" in text) == (model == BUILT)


class Leave(BaseException):
    """What Streamlit raises in a script that is to stop, or much like it."""


def test_an_examination_ends_when_its_visitor_leaves(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    done = list[int]()
    whole_advance = exams.advance

    def advance(bar: Any, doing: str, progress: Any) -> None:
        done.append(progress.done)
        whole_advance(bar, doing, progress)

    def leave() -> None:
        if len(done) == 3:
            raise Leave

    monkeypatch.setattr(exams, "advance", advance)
    asked = exams.examinee(BUILT)
    own = given_treebank(gold(), "x", "your trees")
    for begin in (lambda: exams.exams_kept.get(asked), lambda: exams.examined_on(BUILT, own)):
        done.clear()
        with listening(leave), pytest.raises(Leave):
            begin()
        assert len(done) == 3 and not exams.exams_kept.has(asked) and job_queue.queue.line == []
        assert exams.exam(BUILT) is None


def test_an_examination_takes_no_longer_than_a_page_may() -> None:
    for seconds in (1, 60, 119, 150, 400):
        assert seconds * exams.share(seconds) <= 120
    assert exams.share(30) == 1 and exams.share(100_000) == 1  # which is too long to be offered


def test_a_model_without_a_mask_is_asked_for_relations_and_says_so() -> None:
    banks = [Treebank(bank.name, bank.trees[:40]) for bank in bundled_treebanks()]
    encoder = untrained(0, "small")
    maskless = TextEncoder(encoder.model, encoder.tokenizer, encoder.source, replace(encoder.special, mask=None))
    for one, missing in ((maskless, True), (encoder, False)):
        exam = examine(one, banks)
        assert ("no head was asked for the subject" in scope(exam)) == missing
        assert missing == (not any(row["UD"] == "" for row in relation_rows(exam))) and not head_jobs(exam)

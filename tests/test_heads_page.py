"""Heads: measured, with what really flows, over a list; and jobs: the shipped numbers, or an examination."""

import asyncio
import gzip
import io
import json
import re
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from controls import untrained
from page_tools import ask, healthy, numbers, open_app, press, words
from shared_models import treebanks
from streamlit.testing.v1 import AppTest
from tiers import mostly_nightly

from encoder import TextEncoder
from encoder.exam import Treebank, examine
from encoder.exam.exam_sentences import NO_JOB, head_jobs, relation_rows, scope
from encoder.exam.examination import RESULTS
from encoder.exam.treebank import given_treebank
from encoder.metrics import disagreement, norm_weighted, normalized_entropy
from encoder.packet.format import unpack
from encoder.pictures.lists import measure
from encoder.support.formatting import percent
from encoder.support.progress import listening
from pages.front.packets import Packets
from pages.front.request_fields import wanted
from pages.heads import over_a_list
from pages.ui.server import exams, jobs

pytestmark = pytest.mark.slow

MOUSE = "The cat chased the mouse."
BUILT = "built:n_layers=2,d_model=32,n_heads=4,d_ff=64,vocab_size=16384,seed=3"
JOBS = "What each head does"
SHIPPED = {name: json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")) for name in ("base", "small")}


def table_with(app: AppTest, column: str) -> Any:
    """The first table of the page that has a column."""
    return next(table.value for table in app.dataframe if column in table.value)


@pytest.mark.parametrize("over", mostly_nightly(["this sentence", "100 sentences"], daily=["this sentence"]))
def test_heads_are_measured_and_labelled(over: str) -> None:
    app = open_app("heads", heads_part=JOBS, over=over)
    line = next(line for line in words(app).splitlines() if line.startswith("Heads with a place"))
    assert all(head in line for head in ("L2H3 previous", "L1H7 next", "L2H4 next"))
    table = table_with(app, "mass")
    assert len(table) == 48 and table.loc["L2H3", "looks at"] == "previous"
    assert table.loc["L2H3", "mass"] > max(table.loc["L2H3", "uniform"], table.loc["L2H3", "shuffled"]) + 0.25
    healthy(ask(app, heads_part="Measures").pills(key="measure").set_value("previous").run())
    values = numbers(app, key="measured")
    assert values.shape == (6, 8) and np.unravel_index(values.argmax(), values.shape) == (2, 3)
    assert numbers(ask(app, heads_part="How alike heads are"), key="likeness").shape == (48, 48)


def test_what_each_head_sends_from_one_sentence_of_a_pair_to_the_other(base: TextEncoder) -> None:
    app = open_app("heads", sentence=MOUSE, second="It purred.", heads_part="Between the sentences")
    trace = base.trace((MOUSE, "It purred."))
    first = np.array(trace.tokenization.segments) == 0
    weights = np.stack([trace[f"layers.{i}.attention.weights"].numpy() for i in range(6)])
    expected = weights[:, :, first][:, :, :, ~first].sum((2, 3)) / first.sum()
    np.testing.assert_allclose(numbers(app, key="between"), expected, atol=1e-6)


def test_what_flows_says_where_weights_say_least_and_each_of_the_three_is_drawn(base: TextEncoder) -> None:
    app = open_app("heads", heads_part="What really flows", sentence=MOUSE, layer="4", head="1")
    trace = base.trace(MOUSE)
    weights, flow = trace["layers.4.attention.weights"][1], norm_weighted(trace, 4)[1]
    share = flow / flow.sum(1, keepdim=True)
    i, j = divmod(int((share - weights).abs().argmax()), len(trace.tokens))
    text = words(app)
    assert f"({i}) gives {percent(float(weights[i, j]))} of its attention to" in text
    assert f"({j}), and {percent(float(share[i, j]))} of what it takes" in text
    less = -100 * float(disagreement(trace, 4)[1].sum(0).min()) / len(trace.tokens)
    points = re.search(r"its share of the flow is ([\d.]+) points below its share of the weight", text)
    assert points and float(points[1]) == pytest.approx(less, rel=0.02)
    for key, expected in (("flow_weight", weights), ("flow_taken", flow), ("flow_minus_weight", share - weights)):
        np.testing.assert_allclose(numbers(app, key=key), expected, atol=1e-6)


LIST = "The cat sat on the mat.\n\n<b>Keys</b> on the table belong to Sara.\n=1+1 مرحبا \n"


def test_a_pasted_list_is_measured_in_every_head_and_taken_along(
    small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_app("heads", model="small", heads_list="1")
    assert "list_go" not in [button.key for button in app.button]
    healthy(app.text_area(key="list_text").set_value(LIST).run())
    table = table_with(press(app, "list_go"), "Normalized entropy")
    assert list(table)[:3] == ["sentence", "layer", "head"] and len(table) == 20 and "48 rows" in words(app)
    first = normalized_entropy(small.trace("The cat sat on the mat.")["layers.0.attention.weights"]).mean(-1)
    np.testing.assert_allclose(table["Normalized entropy"][:4], first.numpy())
    arcs = measure(small, ("The cat sat.", "Keys."), ["arcs"]).tables[0]
    csv, parquet, npz = (io.BytesIO(over_a_list.file_of(arcs, kind)) for kind in over_a_list.KINDS)
    frames = pd.read_csv(csv), pd.read_parquet(parquet), pd.DataFrame(dict(np.load(npz)))
    assert {len(frame) for frame in frames} == {len(arcs)}
    monkeypatch.setattr(over_a_list, "MOST", 2)
    monkeypatch.setattr(over_a_list, "MOST_ROWS", 20)
    assert "The first 2 of 3 are measured." in words(healthy(app.run()))
    assert any("more than 20 rows" in warning.value for warning in press(app, "list_go").warning)


def whole(share: float) -> str:
    """A share as a reader rounds it; those of jobs have two digits."""
    return f"{Decimal(str(100 * share)).quantize(Decimal(1), ROUND_HALF_UP)} %"


def jobs_of(model: str) -> list[dict[str, Any]]:
    rows = (row for row in SHIPPED[model]["rows"] if row["treebank"] == "en_pud")
    return [row for row in rows if row["licensed"] or row["beyond_distance"]]


def parts_of(row: dict[str, Any]) -> tuple[str, ...]:
    """What a sentence about a job must hold."""
    apart = abs(row["distance"])
    rule = f"{('', 'one', 'two', 'three')[apart]} word{'s' * (apart > 1)} {'back' if row['distance'] < 0 else 'on'}"
    return (
        f"({row['relation']})",
        f"{whole(row['accuracy'])} of {row['n']:,}",
        f"the best simple rule “{row['rule']}” {whole(row['rule_accuracy'])}, the best fixed distance",
        f"“{rule}” {whole(row['distance_accuracy'])}",
        f"in web text {whole(row['second_accuracy'])}, the best rule {whole(row['second_rule_accuracy'])}",
        "It passed" if row["licensed"] else f"It did not pass: {row['verdict']}",
    )


@pytest.mark.parametrize("model", SHIPPED)
def test_all_heads_and_models_say_each_job_with_its_numbers(model: str) -> None:
    app, named = open_app("heads", model=model, heads_part=JOBS), "L{layer}H{head} "
    text = words(app).splitlines()
    for row in jobs_of(model):
        about = [line for line in text if named.format(**row) in line and f"({row['relation']})" in line]
        assert len(about) == 1 and all(part in about[0] for part in parts_of(row)), (row, about)
    lines = [line for line in text if named.split("{")[0] in line and " looks from " in line]
    made = next(row for row in SHIPPED[model]["frames"] if row["frame"] == "all frames")
    assert len(lines) == len(jobs_of(model)) + made["beyond_distance"]
    near = {(row["layer"], row["head"]) for row in jobs_of(model)}
    total = "None of 48 heads" if model == "base" else "None of 16 heads"
    assert f"{total} passed on real text" in words(app), "counted apart from constructed sentences"
    more = " and 1 on constructed sentences only" if made["beyond_distance"] else ""
    assert f"{len(near)} on real text{more}." in words(app)
    best_of_every_relation_beside_its_rule(table_with(app, "rule right"), model)


def best_of_every_relation_beside_its_rule(table: pd.DataFrame, model: str) -> None:
    rows = [row for row in SHIPPED[model]["rows"] if row["treebank"] == "en_pud"]
    assert len(table) == len(rows) and list(table["passed"] == "yes") == [False] * len(rows)
    for row in rows:
        if not row["relation"].startswith("gap"):
            (shown,) = table[table["UD"] == row["relation"]].to_dict("records")
            assert shown["best head"] == f"L{row['layer']}H{row['head']}" and shown["of"] == row["n"]
            assert shown["right"] == pytest.approx(100 * row["accuracy"])
            assert shown["rule right"] == pytest.approx(100 * row["rule_accuracy"])
            assert shown["distance right"] == pytest.approx(100 * row["distance_accuracy"])
            assert shown["best simple rule"] == row["rule"] and shown["passed"] == row["verdict"]


def test_the_head_of_gaps_is_told_with_constructed_and_real_sentences_and_with_its_contexts_each_job() -> None:
    news, web = (row for row in SHIPPED["base"]["rows"] if row["relation"] == "gap:between")
    made = next(row for row in SHIPPED["base"]["frames"] if row["frame"] == "all frames")
    assert made["beyond_distance"] and not any(row["licensed"] for row in (made, news, web))
    assert {(row["layer"], row["head"]) for row in (made, news, web)} == {(5, 6)}
    parts = (
        f"in constructed sentences: {whole(made['accuracy'])} of {made['n']}",
        f"the best simple rule “{made['rule']}” 100 %",
        "It did not pass",
        f"{whole(news['accuracy'])} of {news['n']} in news and Wikipedia, the best rule {whole(news['rule_accuracy'])}",
        f"{whole(web['accuracy'])} of {web['n']} in web text, the best rule {whole(web['rule_accuracy'])}",
    )
    for part in (JOBS, "Over a corpus"):
        app = open_app("heads", heads_part=part, layer="5", head="6")
        line = next(line for line in words(app).splitlines() if "masked verb to its subject" in line)
        assert all(part in line for part in parts), line
    row = next(row for row in jobs_of("base") if row["relation"] == "obj")
    for layer, head in ((row["layer"], row["head"]), (0, 0)):
        text = words(open_app("heads", heads_part="Over a corpus", layer=str(layer), head=str(head)))
        assert all(part in text for part in parts_of(row)) == (NO_JOB not in text) == (" looks from " in text)
        assert (NO_JOB in text) == ((layer, head) == (0, 0))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treebanks of twenty sentences, one draw of each frame, and nothing examined before."""
    banks = [Treebank(bank.name, bank.trees[:20]) for bank in treebanks()]
    monkeypatch.setattr(exams, "bundled_treebanks", lambda: banks)
    monkeypatch.setattr(exams, "DRAWS", 1)
    exams.exams_kept.clear()


def test_an_untrained_model_is_examined_at_a_click_and_has_no_job(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    packets = Packets()

    def told_above() -> dict[str, Any]:
        asked = wanted({"level": 6, "sentence": "The cat sat.", "model": BUILT})
        return dict(unpack(gzip.decompress(asyncio.run(packets.get(asked, ""))))[1]["heads"])

    app = open_app("heads", model=BUILT, heads_part=JOBS)
    assert not any(part in words(app) for part in (" looks from ", NO_JOB, "gold trees:"))
    begins = "Examine the heads of this model on two treebanks (about"
    (offer,) = [button for button in app.button if button.label.startswith(begins)]
    assert told_above()["exam"] == ""
    healthy(offer.click().run())
    assert f"In all 8 heads: {NO_JOB}." in words(app) and "20 sentences of news" in words(app)
    assert " looks from " not in words(app) and "not examined yet" not in words(app)
    assert not [button for button in app.button if button.label.startswith("Examine")]
    # The picture above is told of it too, though a packet that says nothing of it was kept.
    assert told_above()["exam"] == scope(exams.exam(BUILT)) and told_above()["jobs"] == [] != told_above()["tried"]
    monkeypatch.setattr(exams, "examine", None)  # from now on only what was kept
    for model in (BUILT, BUILT.replace("seed=3", "seed=4"), BUILT.replace("d_ff=64", "d_ff=65")):
        assert (NO_JOB in words(open_app("heads", model=model, heads_part=JOBS))) == (model == BUILT)


def gold(sentence: str = "The keys to the cabinet are lost .", count: int = 30, **relations: str) -> bytes:
    """So many of one sentence with its tree, as a file."""
    tags = ["DET", "NOUN", "ADP", "DET", "NOUN", "AUX", "VERB", "PUNCT"]
    heads = (2, 7, 5, 5, 2, 7, 0, 7)
    names = ["det", "nsubj:pass", "case", "det", "nmod", "aux:pass", "root", "punct"]
    lines = [
        f"{i}\t{word}\t_\t{tag}\t_\tMood=Ind\t{head}\t{relations.get(relation, relation)}\t_\t_"
        for i, (word, tag, head, relation) in enumerate(zip(sentence.split(), tags, heads, names, strict=True), 1)
    ]
    return ("\n".join(lines) + "\n\n").encode() * count


def give(app: AppTest, name: str, content: bytes) -> str:
    """Give a file of trees, and read the page."""
    healthy(app.file_uploader(key="heads_trees_file").set_value((name, content, "text/plain")).run())
    return "\n".join([words(app), *(warning.value.replace("\\", "") for warning in app.warning)])


def test_trees_of_ones_own_are_examined_or_refused_and_forgotten_with_their_file(quick: None) -> None:
    app = open_app("heads", model=BUILT, heads_part=JOBS, heads_trees="1")
    text = give(app, "mine.conllu", gold())
    own = Treebank("your trees", given_treebank(gold(), "x", "y").trees)
    expected = examine(exams.text_encoder(BUILT), [own, exams.bundled_treebanks()[0]])
    assert scope(expected) in text and "30 sentences of your trees" in text and f"In all 8 heads: {NO_JOB}." in text
    assert table_with(app, "rule right").to_dict("records") == relation_rows(expected)
    assert exams.exam(BUILT) is None, "nothing of it is kept for others"
    strange = "<b>|*x*|$y$"
    assert "30 sentences of your trees" in give(app, "e.txt", gold(nmod=strange))
    assert strange in list(table_with(app, "rule right")["UD"])
    healthy(app.file_uploader(key="heads_trees_file").set_value(None).run())
    assert "your trees" not in words(app) and "trees" not in app.session_state["session"].sweeps
    for name, content, why in (
        ("a.txt", b"The cat sat.\n", "a.txt is no CoNLL-U file with gold trees: line 1 has 1 column"),
        ("<script>x</script>.conllu", b"\x00\xff", "<script>x</script>.conllu is not UTF-8"),
        ("b.txt", b"", "b.txt holds no sentence"),
        ("c.txt", gold(count=2001), "more than 2,000 sentences"),
        ("d.txt", gold(" ".join(["\u200f" * 9000] * 8), count=1), "c"),
    ):
        text = give(app, name, content)
        assert why in text.replace("\u2060", "") and "30 sentences" not in text


def test_two_models_stand_side_by_side_relation_by_relation(quick: None) -> None:
    app = open_app("heads", model="small", heads_part=JOBS, heads_beside="1", heads_other="base")
    table = table_with(app, "its right")
    both = [{row["relation"]: row for row in SHIPPED[name]["rows"] if row["treebank"] == "en_pud"} for name in SHIPPED]
    surely = list(table["surely"] == "yes")
    assert len(table) == len(both[0].keys() & both[1].keys())
    assert surely == sorted(surely, reverse=True) and any(surely) and not all(surely)
    assert f"Of those that surely differ, most at {table['relation'][0]}: " in words(app)
    obj = table[table["relation"] == "object → its verb"].to_dict("records")[0]
    base, small = (rows["obj"] for rows in both)
    assert (obj["head"], obj["its head"]) == ("L2H0", "L4H0") and obj["of"] == base["n"] == small["n"]
    assert obj["difference"] == pytest.approx(100 * (base["accuracy"] - small["accuracy"]))
    assert (obj["surely"] == "yes") == (base["low"] > small["high"] or small["low"] > base["high"])
    app = open_app("heads", model=BUILT, heads_part=JOBS, heads_beside="1", heads_other="base")
    assert "were not examined yet: open it" in words(app)


class Leave(BaseException):
    """What Streamlit raises in a script that is to stop, or much like it."""


def test_an_examination_ends_when_its_visitor_leaves(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    done, telling = list[int](), exams.telling

    def counted(advance: Any, doing: str) -> Any:
        tell = telling(advance, doing)

        def hear(progress: Any) -> None:
            done.append(progress.done)
            tell(progress)

        return hear

    def leave() -> None:
        if len(done) == 3:
            raise Leave

    monkeypatch.setattr(exams, "telling", counted)
    asked, own = exams.examinee(BUILT), given_treebank(gold(), "x", "your trees")
    for begin in (lambda: exams.exams_kept.get(asked), lambda: exams.examined_on(BUILT, own)):
        done.clear()
        with listening(leave), pytest.raises(Leave):
            begin()
        assert len(done) == 3 and not exams.exams_kept.has(asked) and jobs.heavy.line == []
        assert exams.exam(BUILT) is None


def test_an_examination_takes_no_longer_than_a_page_may() -> None:
    assert all(seconds * exams.share(seconds) <= 120 for seconds in (1, 60, 119, 150, 400))
    assert exams.share(30) == 1 and exams.share(100_000) == 1  # which is too long to be offered


def test_a_model_without_a_mask_is_asked_for_relations_and_says_so() -> None:
    banks = [Treebank(bank.name, bank.trees[:20]) for bank in treebanks()]
    encoder = untrained(0, "small")
    maskless = TextEncoder(encoder.model, encoder.tokenizer, encoder.source, replace(encoder.special, mask=None))
    exam = examine(maskless, banks)
    assert "no head was asked for the subject" in scope(exam) and not head_jobs(exam)
    assert not any(row["UD"] == "" for row in relation_rows(exam))

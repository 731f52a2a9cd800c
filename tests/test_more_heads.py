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
from more_tools import Item, asks, lines, numbers, pictures, section, tables, words
from shared_models import treebanks

from encoder import Edit, TextEncoder
from encoder.exam import Treebank, examination, examine, treebank
from encoder.exam.exam_sentences import NO_JOB, head_jobs, relation_rows, scope
from encoder.exam.examination import RESULTS
from encoder.exam.treebank import given_treebank
from encoder.experiments.circuit import MinimalPair, find_circuit, run_pair
from encoder.metrics import disagreement, norm_weighted, normalized_entropy
from encoder.packet.format import unpack
from encoder.pictures.more import heads_page
from encoder.support.formatting import percent
from encoder.support.progress import heard, in_stages, listening, progress
from pages.front.make_more import table_file
from pages.front.packets import Packets
from pages.front.request_fields import MoreRequest, RefusedError, RunRequest, wanted
from pages.ui.server import exams, jobs

pytestmark = pytest.mark.slow

MOUSE = "The cat chased the mouse."
BUILT = "built:n_layers=2,d_model=32,n_heads=4,d_ff=64,vocab_size=16384,seed=3"
SHIPPED = {name: json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")) for name in ("base", "small")}


def test_heads_are_measured_and_labelled() -> None:
    roles = section("heads", "measures", over="this sentence")
    assert all(head in words(roles) for head in ("2.3 previous", "1.7 next", "2.4 next"))
    table = pd.DataFrame(tables(roles)["roles"]).set_index("head")
    assert len(table) == 48 and table.loc["2.3", "looks at"] == "previous"
    assert table.loc["2.3", "mass"] > max(table.loc["2.3", "uniform"], table.loc["2.3", "shuffled"]) + 0.25
    values = numbers(pictures(section("heads", "measures", over="this sentence", measure="previous"))["measured"])
    assert values.shape == (6, 8) and np.unravel_index(values.argmax(), values.shape) == (2, 3)
    assert numbers(pictures(section("heads", "alike", over="this sentence"))["likeness"]).shape == (48, 48)


def test_what_each_head_sends_from_one_sentence_of_a_pair_to_the_other(base: TextEncoder) -> None:
    shown = section("heads", "between", sentence=MOUSE, second="It purred.")
    trace = base.trace((MOUSE, "It purred."))
    first = np.array(trace.tokenization.segments) == 0
    weights = np.stack([trace[f"layers.{i}.attention.weights"].numpy() for i in range(6)])
    expected = weights[:, :, first][:, :, :, ~first].sum((2, 3)) / first.sum()
    np.testing.assert_allclose(numbers(pictures(shown)["between"]), expected, atol=1e-6)
    assert "This is one sentence" in words(section("heads", "between", sentence=MOUSE))


def test_what_flows_says_where_weights_say_least_and_each_of_the_three_is_drawn(base: TextEncoder) -> None:
    shown = section("heads", "flow", sentence=MOUSE, layer="4", head="1")
    trace = base.trace(MOUSE)
    weights, flow = trace["layers.4.attention.weights"][1], norm_weighted(trace, 4)[1]
    share = flow / flow.sum(1, keepdim=True)
    i, j = divmod(int((share - weights).abs().argmax()), len(trace.tokens))
    text = words(shown)
    assert f"({i}) gives {percent(float(weights[i, j]))} of its attention to" in text
    assert f"({j}), and {percent(float(share[i, j]))} of what it takes" in text
    less = -100 * float(disagreement(trace, 4)[1].sum(0).min()) / len(trace.tokens)
    points = re.search(r"its share of the flow is ([\d.]+) points below its share of the weight", text)
    assert points and float(points[1]) == pytest.approx(less, rel=0.02)
    for key, expected in (("flow_weight", weights), ("flow_taken", flow), ("flow_minus_weight", share - weights)):
        np.testing.assert_allclose(numbers(pictures(shown)[key]), expected, atol=1e-6)


LIST = "The cat sat on the mat.\n\n<b>Keys</b> on the table belong to Sara.\n=1+1 مرحبا \n"


def saved(kind: str, table: str, **query: str) -> bytes:
    """A table of the list as a file."""
    asked = tuple({"sentence": MOUSE, "model": "small", **query}.items())
    return gzip.decompress(
        table_file(MoreRequest("heads", "list", asked, "light", True, (("list", LIST),), table, kind)).packed
    )


def test_a_pasted_list_is_measured_in_every_head_and_taken_along(
    small: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not tables(section("heads", "list", model="small"))
    shown = section("heads", "list", model="small", given={"list": LIST})
    (table,) = tables(shown).values()
    assert list(table)[:3] == ["sentence", "layer", "head"] and len(table["layer"]) == 20 and "48 rows" in words(shown)
    first = normalized_entropy(small.trace("The cat sat on the mat.")["layers.0.attention.weights"]).mean(-1)
    np.testing.assert_allclose(table["Normalized entropy"][:4], first.numpy())
    (files,) = [item for item in shown if item["kind"] == "files"]
    frames = [
        pd.read_csv(io.BytesIO(saved("csv", files["name"]))),
        pd.read_parquet(io.BytesIO(saved("parquet", files["name"]))),
        pd.DataFrame(dict(np.load(io.BytesIO(saved("npz", files["name"]))))),
    ]
    assert files["kinds"] == ["csv", "parquet", "npz"] and {len(frame) for frame in frames} == {48}
    with pytest.raises(RefusedError, match="nothing of that name"):
        saved("csv", "list-none")
    monkeypatch.setattr(heads_page, "MOST_SENTENCES", 2)
    assert "The first 2 of 4 sentences are measured." in words(
        section("heads", "list", model="small", given={"list": f"{LIST}More."})
    )
    monkeypatch.setattr(heads_page, "MOST_ROWS", 20)
    refused = section("heads", "list", model="small", given={"list": f"{LIST}Most."})
    assert "more than 20 rows" in next(item["words"] for item in refused if item["kind"] == "error")
    with pytest.raises(RefusedError, match="200,000 are the most"):
        section("heads", "list", given={"list": "a" * 200_001})


def test_a_list_says_what_it_leaves_out(small: TextEncoder) -> None:
    shown = section("heads", "list", model="small", given={"list": "One.\n" + "word " * 3000})
    assert "1 are longer than the model reads, and cut." in words(shown) or "Left out" in words(shown)


def whole(share: float) -> str:
    """A share as a reader rounds it; those of jobs have two digits."""
    return f"{Decimal(str(100 * share)).quantize(Decimal(1), ROUND_HALF_UP)} %"


def jobs_of(model: str) -> list[dict[str, Any]]:
    rows = (row for row in SHIPPED[model]["rows"] if row["treebank"] == "en_pud")
    return [row for row in rows if row["passed"] or row["beyond_distance"]]


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
        "It passed" if row["passed"] else f"It did not pass: {row['verdict']}",
    )


@pytest.mark.parametrize("model", SHIPPED)
def test_all_heads_and_models_say_each_job_with_its_numbers(model: str) -> None:
    shown, named = section("heads", "jobs", model=model), "{layer}.{head} "
    for row in jobs_of(model):
        about = [line for line in lines(shown) if named.format(**row) in line and f"({row['relation']})" in line]
        assert len(about) == 1 and all(part in about[0] for part in parts_of(row)), (row, about)
    made = next(row for row in SHIPPED[model]["frames"] if row["frame"] == "all frames")
    assert len(lines(shown)) == len(jobs_of(model)) + made["beyond_distance"]
    near = {(row["layer"], row["head"]) for row in jobs_of(model)}
    total = "None of 48 heads" if model == "base" else "None of 16 heads"
    assert f"{total} passed on real text" in words(shown), "counted apart from constructed sentences"
    more = " and 1 on constructed sentences only" if made["beyond_distance"] else ""
    assert f"{len(near)} on real text{more}." in words(shown)
    best_of_every_relation_beside_its_rule(pd.DataFrame(tables(shown)["relations"]), model)


def best_of_every_relation_beside_its_rule(table: pd.DataFrame, model: str) -> None:
    rows = [row for row in SHIPPED[model]["rows"] if row["treebank"] == "en_pud"]
    assert len(table) == len(rows) and list(table["passed"] == "yes") == [False] * len(rows)
    for row in rows:
        if not row["relation"].startswith("gap"):
            (shown,) = table[table["UD"] == row["relation"]].to_dict("records")
            assert shown["best head"] == f"{row['layer']}.{row['head']}" and shown["of"] == row["n"]
            assert shown["right (%)"] == pytest.approx(100 * row["accuracy"])
            assert shown["rule right (%)"] == pytest.approx(100 * row["rule_accuracy"])
            assert shown["distance right (%)"] == pytest.approx(100 * row["distance_accuracy"])
            assert shown["best simple rule"] == row["rule"] and shown["passed"] == row["verdict"]


def test_the_head_of_gaps_is_told_with_constructed_and_real_sentences() -> None:
    news, web = (row for row in SHIPPED["base"]["rows"] if row["relation"] == "gap:between")
    made = next(row for row in SHIPPED["base"]["frames"] if row["frame"] == "all frames")
    assert made["beyond_distance"] and not any(row["passed"] for row in (made, news, web))
    assert {(row["layer"], row["head"]) for row in (made, news, web)} == {(5, 6)}
    parts = (
        f"in constructed sentences: {whole(made['accuracy'])} of {made['n']}",
        f"the best simple rule “{made['rule']}” 100 %",
        "It did not pass",
        f"{whole(news['accuracy'])} of {news['n']} in news and Wikipedia, the best rule {whole(news['rule_accuracy'])}",
        f"{whole(web['accuracy'])} of {web['n']} in web text, the best rule {whole(web['rule_accuracy'])}",
    )
    line = next(line for line in lines(section("heads", "jobs")) if "masked verb to its subject" in line)
    assert all(part in line for part in parts), line


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
        asked = wanted(RunRequest, {"level": 6, "sentence": "The cat sat.", "model": BUILT})
        return dict(unpack(gzip.decompress(asyncio.run(packets.get(asked, ""))))[1]["heads"])

    offered = section("heads", "jobs", model=BUILT)
    assert not lines(offered) and not any(part in words(offered) for part in (NO_JOB, "gold trees:"))
    (wait,) = [item["words"] for item in offered if item["kind"] == "wait"]
    assert wait.startswith("Examine the heads of this model on two treebanks (about")
    assert told_above()["exam"] == ""
    shown = section("heads", "jobs", model=BUILT, agreed=True)
    assert f"In all 8 heads: {NO_JOB}." in words(shown) and "20 sentences of news" in words(shown)
    assert not lines(shown)
    # The picture above is told of it too, though a packet that says nothing of it was kept.
    assert told_above()["exam"] == scope(exams.exam(BUILT)) and told_above()["jobs"] == [] != told_above()["tried"]
    monkeypatch.setattr(exams, "examine", None)  # from now on only what was kept
    for model in (BUILT, BUILT.replace("seed=3", "seed=4"), BUILT.replace("d_ff=64", "d_ff=65")):
        assert (NO_JOB in words(section("heads", "jobs", model=model))) == (model == BUILT)
    beside = section("heads", "beside", model=BUILT)
    assert any("examine both on the same sentences" in item["words"] for item in beside if item["kind"] == "error")


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


def give(content: str) -> list[Item]:
    """Give trees, and agree to have the heads examined on them."""
    return section("heads", "trees", agreed=True, model=BUILT, given={"trees": content})


def test_trees_of_ones_own_are_examined_or_refused(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "bundled_treebanks", exams.bundled_treebanks)
    monkeypatch.setattr(treebank, "MOST_GIVEN", 30)
    with monkeypatch.context() as slow:
        slow.setattr(jobs, "SPEED", 1e6)
        offered = section("heads", "trees", model=BUILT, given={"trees": gold().decode()})
    assert [item["kind"] for item in section("heads", "trees", model=BUILT)] == ["paragraph", "ask"]
    assert len(offered) >= 3 and asks(offered)["trees"]["chosen"] == "", "nothing of it is sent back"
    shown = give(gold().decode())
    own = Treebank("your trees", given_treebank(gold(), "x", "y").trees)
    expected = examine(exams.text_encoder(BUILT), [own, exams.bundled_treebanks()[0]])
    text = words(shown)
    assert scope(expected) in text and "30 sentences of your trees" in text and f"In all 8 heads: {NO_JOB}." in text
    table = pd.DataFrame(tables(shown)["own_relations"])
    assert list(table["right (%)"]) == pytest.approx([row["right"] for row in relation_rows(expected)])
    assert exams.exam(BUILT) is None, "nothing of it is kept for others"
    strange = "<b>|*x*|$y$"
    assert strange in tables(give(gold(nmod=strange).decode()))["own_relations"]["UD"]
    for content, why in (
        ("The cat sat.\n", "is not a CoNLL-U file with gold trees: line 1 has 1 column"),
        ("\x00\u202e", "is not a CoNLL-U file"),
        (gold(count=31).decode(), "more than 30 sentences"),
    ):
        refused = give(content)
        assert why in next(item["words"] for item in refused if item["kind"] == "error") and not tables(refused)


PAIRS = """a,b,answer_a,answer_b
The keys near the garden ___ old.,The key near the garden ___ old.,are,is
The dogs behind the house ___ very big.,The dog behind the house ___ very big.,are,is
The keys.,The key.,are,is
"""


def carried(content: str) -> list[Item]:
    """Give pairs, and agree to have all heads tried on them."""
    return section("heads", "pairs", agreed=True, model="small", given={"pairs": content})


def test_pairs_of_ones_own_have_their_heads_found_or_are_refused(small: TextEncoder) -> None:
    offered = section("heads", "pairs", model="small", given={"pairs": PAIRS})
    assert [item["kind"] for item in section("heads", "pairs", model="small")] == ["paragraph", "ask"]
    assert asks(offered)["pairs"]["chosen"] == "", "nothing of it is sent back"
    many = PAIRS + 30 * PAIRS.partition("\n")[2]
    assert section("heads", "pairs", model="small", given={"pairs": many})[-1]["kind"] == "wait", "it is asked first"
    told = list[float]()
    with heard(told.append):
        shown = carried(PAIRS)
    lines = [line.split(",") for line in PAIRS.splitlines()[1:3]]
    pairs = [MinimalPair(a, b, ("are", "is")) for a, b, *_ in lines]
    runs = [run_pair(small, pair) for pair in pairs]
    expected = find_circuit(small, pairs, edges=False)
    text, (board,) = words(shown), [item for item in shown if item["kind"] == "board"]
    assert f"together carry {percent(expected.share)} of the change in 2 pairs" in text and "1 (no gap)" in text
    assert np.array(board["shares"]).shape == (small.config.n_layers, small.config.n_heads)
    for layer, head in ((3, 3), (0, 0)):  # what one head writes at the gap, patched here by hand
        fallen = sum(
            run.leads[0]
            - run.lead(
                small.trace(
                    run.a.inputs,
                    edits=(Edit(f"layers.{layer}.attention.heads", "patch", (head,), (run.place,), run.b),),
                )["mlm.logits"][run.place]
            )
            for run in runs
        )
        assert board["shares"][layer][head] == pytest.approx(fallen / sum(run.flip for run in runs), abs=1e-4)
    table = pd.DataFrame(tables(shown)["own_pairs"])
    assert list(table["change (nats)"]) == pytest.approx([run.flip for run in runs], abs=1e-4)
    for content, why in (
        ("hello", "must begin with a line that names its columns"),
        ("\x00\u202e", "must begin with a line that names its columns"),
        ("a,b\n", "holds no pair"),
        ('{"a": 5, "b": "q"}', "something else than a text"),
        ("a,b\n" + "p,q\n" * 501, "has 501 pairs; 500 are the most"),
        ("a\tb\nThe keys.\tThe key.", "None of 1 pairs can be used; the first: A has no gap"),
    ):
        (refused,) = [item["words"] for item in carried(content) if item["kind"] == "error"]
        assert why in refused and not tables(carried(content))


def test_work_in_stages_is_one_that_only_goes_on() -> None:
    told = list[float]()
    with heard(told.append), in_stages("all", [1, 3]):
        for count in (2, 4):
            with progress("one", "things") as hear:
                for done in range(count):
                    hear(done, count)
    assert told == pytest.approx([0, 0.12, 0.25, 0.44, 0.62, 0.81], abs=0.011)


def test_two_models_stand_side_by_side_relation_by_relation(quick: None) -> None:
    shown = section("heads", "beside", model="small", heads_other="base")
    table = pd.DataFrame(tables(shown)["side_by_side"])
    both = [{row["relation"]: row for row in SHIPPED[name]["rows"] if row["treebank"] == "en_pud"} for name in SHIPPED]
    surely = list(table["surely"] == "yes")
    assert len(table) == len(both[0].keys() & both[1].keys())
    assert surely == sorted(surely, reverse=True) and any(surely) and not all(surely)
    assert f"Of those that surely differ, most at {table['relation'][0]}: " in words(shown)
    obj = table[table["relation"] == "object → its verb"].to_dict("records")[0]
    base, small = (rows["obj"] for rows in both)
    assert (obj["head"], obj["its head"]) == ("2.0", "4.0") and obj["of"] == base["n"] == small["n"]
    assert obj["difference (points)"] == pytest.approx(100 * (base["accuracy"] - small["accuracy"]))
    assert (obj["surely"] == "yes") == (base["low"] > small["high"] or small["low"] > base["high"])
    assert asks(shown)["heads_other"]["values"] == ["base"] and not tables(section("heads", "beside", model=BUILT))


class Leave(BaseException):
    """What a lane raises in work that nobody wants any more."""


def test_an_examination_says_how_far_it_is_and_ends_when_nobody_wants_it(quick: None) -> None:
    asked, heard_of = exams.examinee(BUILT), list[float]()

    def leave() -> None:
        if len(heard_of) == 3:
            raise Leave

    with heard(heard_of.append), listening(leave), pytest.raises(Leave):
        exams.exams_kept.get(asked)
    assert len(heard_of) == 3 and 0 <= heard_of[0] < heard_of[2] < 1
    assert not exams.exams_kept.has(asked) and jobs.heavy.line == [] and exams.exam(BUILT) is None


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


def test_a_head_has_one_name_in_sentences_and_one_in_tables() -> None:
    """Tables and pictures have "3.6", sentences "head 6 of layer 3"; "L3H6" and "layer 3, head 6" stand nowhere."""
    for page, names in (("heads", ("jobs", "measures", "alike", "inside", "flow")), ("compare", ("apart", "patch"))):
        for name in names:
            shown = json.dumps(section(page, name, layer="0", head="2", agreed=True), ensure_ascii=False)
            assert not re.search(r"\bL\d+H\d+\b|[Ll]ayer \d+, head \d+", shown), name

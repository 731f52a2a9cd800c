"""What a caption claims is so: it names a sentence, hidden tokens and changes only where the numbers are theirs."""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
import visits
from page_tools import charts, healthy
from streamlit.testing.v1 import AppTest

from encoder.edits.text import text_to_edits
from encoder.figures.living_map_packet import unpacked
from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow

SENTENCE = "Keys on the <b>table</b>"
HIDDEN, EDITS = (2,), ("layers.1.attention.heads:zero:h=2", "embedding.positions:zero")
START = {"sentence": SENTENCE, "model": "small", "layer": "1", "head": "0"}
PAIR = {"second": "The dog ran."}
MASKED = {"sentence": "The [MASK] sat on the mat."}
LAPSE = {"learn_part": "Time-lapse"}
# Every page, every tab, and steps and layers before and after what is changed
CASES: list[tuple[str, dict[str, str]]] = [
    *((page.key, {}) for page in PAGES),
    ("embedding", {"step": "embedding.scaled"}),
    ("attention", {"layer": "2"}),
    ("attention", {"layer": "0"}),
    ("attention", {"step": "attention.heads"}),
    ("attention", {"step": "attention.heads", "head": "2"}),
    ("attention", {"step": "attention.output", "cell": "layers.1.attention.output:1,3"}),
    ("attention", {"step": "attention.weights", "cell": "layers.1.attention.heads:2,1,3"}),
    ("add_norm", {"step": "add_norm_2.sum"}),
    ("add_norm", {"layer": "0"}),
    ("feed_forward", {"layer": "0"}),
    ("stack", {"step": "mlm.logits"}),
    ("sentence", {"several": "1", "layer": "2", "some_heads": "0,2"}),
    ("sentence", {"several": "1", "layer": "2", "some_heads": "0,2", "words_only": "letters", "ask_word": "1"}),
    ("attention", {"words_only": "words"}),
    ("attention", {"words_only": "letters", "layer": "0", "step": "attention.scores"}),
    ("heads", {"words_only": "words"}),
    ("sentence", PAIR | {"several": "1", "layer": "2", "pair_part": "A->B"}),
    ("heads", {"heads_part": "What really flows", "layer": "2", "rollout_layer": "1"}),
    ("stack", {"alike_layer": "layer 0"}),
    ("stack", MASKED | {"words_open": "1"}),
    ("stack", {"layer": "0", "sources_open": "1", "layers_alike": "1"}),
    ("learn", LAPSE | {"layer": "3"}),
    ("compare", {"layer": "2", "beside_step": "layers.2.attention.q"}),
    ("compare", {"beside_step": "embedding.output"}),
    ("compare", {"compare_part": "One word in many sentences"}),
    ("compare", {"compare_part": "Patch"}),
    ("compare", {"compare_part": "Alike?"}),
    ("labs", {"lab": "Why √d_head"}),
    ("labs", {"lab": "Padding"}),
    ("labs", {"lab": "Residuals and depth"}),
    ("labs", {"lab": "Two LayerNorms"}),
    ("heads", {"heads_part": "Measures"}),
    ("heads", {"heads_part": "Measures", "over": "100 sentences"}),
    ("heads", {"heads_part": "How alike heads are"}),
    ("heads", PAIR | {"heads_part": "Between the sentences"}),
    ("lessons", {"lesson": "padding", "at": "2"}),
]  # fmt: skip


def opened(page: str, query: dict[str, str]) -> AppTest:
    """The page by a link, with every sweep that it offers run."""
    return swept(visits.opened(page, START | query))


def changed(app: AppTest, **fields: Any) -> AppTest:
    """The same page after something was changed."""
    session = app.session_state["session"]
    session.view = replace(session.view, **fields)
    return swept(healthy(app.run()))


def swept(app: AppTest) -> AppTest:
    """The page after every button was pressed that computes something."""
    for key in [str(button.key) for button in app.button if button.key in ("loo_go", "patch_go", "compute_flow")]:
        app.button(key=key).click().run()
    return healthy(app)


def captions(app: AppTest) -> dict[str, str]:
    """The caption under each picture."""
    found = [json.loads(c.proto.json) for c in app.get("bidi_component") if '"caption"' in c.proto.json]
    return {one["chart"]: one["caption"] for one in found}


def same_picture(key: str, one: str, other: str) -> bool:
    """Whether two captions are of the same thing: of the same step, and of strips those of the same pair."""
    steps = [re.search(r"Step (\S+),", caption) for caption in (one, other)]
    if steps[0] and steps[1] and steps[0][1] != steps[1][1]:  # two runs open on the first step in which they differ
        return False
    return key != "neurons" or one.partition(":")[0] == other.partition(":")[0]


def drawn(app: AppTest) -> dict[str, str]:
    """The numbers in each picture."""
    figures = {
        re.search(r"-(\w+)$", chart.proto.id)[1]: [
            {axis: trace.get(axis) for axis in ("x", "y", "z", "text")}
            for trace in json.loads(chart.proto.spec)["data"]
        ]
        for chart in charts(app)
    }
    parts = [c for c in app.get("bidi_component") if '"maps"' in c.proto.json]
    maps = {re.search(r"-(\w+)$", c.proto.id)[1]: [m["cells"] for m in json.loads(c.proto.json)["maps"]] for c in parts}
    runs = [json.loads(c.proto.json)["whole"] for c in app.get("bidi_component") if '"whole"' in c.proto.json]
    asked = [json.loads(c.proto.json)["packet"] for c in app.get("bidi_component") if '"packet"' in c.proto.json]
    answers = [unpacked(base64.b64decode(one))[1]["weights"].tolist() for one in asked]
    whole = [unpacked(base64.b64decode(run)) for run in runs]
    numbers = [[about["guesses"], *(one.tolist() for one in arrays.values())] for about, arrays in whole]
    grids = [json.loads(c.proto.json)["grid"] for c in app.get("bidi_component") if '"grid"' in c.proto.json]
    of_grids = [[one.tolist() for one in unpacked(base64.b64decode(grid))[1].values()] for grid in grids]
    return {
        key: json.dumps(found)
        for key, found in (
            figures
            | maps
            | dict(zip(["living_map"], numbers, strict=False))
            | dict(zip(["ask"], answers, strict=False))
            | dict(zip(["attention_grid"], of_grids, strict=False))
        ).items()
    }


@pytest.mark.parametrize(("page", "query"), CASES, ids=[f"{p}-{'-'.join(q.values())}" for p, q in CASES])
def test_a_change_is_named_where_the_numbers_change_with_it(page: str, query: dict[str, str]) -> None:
    """Hidden tokens on all; a head that is off, which only what follows it knows, on one, positions on the next."""
    named(page, query, [EDITS[CASES.index((page, query)) % 2]])


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "query"), CASES, ids=[f"{p}-{'-'.join(q.values())}" for p, q in CASES])
def test_every_change_is_named_where_the_numbers_change_with_it(page: str, query: dict[str, str]) -> None:
    named(page, query, EDITS)


def named(page: str, query: dict[str, str], edits: Sequence[str]) -> None:
    """Whether a caption names what is hidden or changed just where the picture is another one."""
    app = opened(page, query)
    plain, unedited = drawn(app), captions(app)
    assert plain.keys() == unedited.keys()
    assert not any("Changed:" in said or "Masked:" in said for said in unedited.values())
    for word, fields in [
        ("Masked:", {"hidden": HIDDEN}),
        *(("Changed:", {"edits": text_to_edits(edit)}) for edit in edits),
    ]:
        now, said = drawn(changed(app, **{"hidden": (), "edits": ()} | fields)), captions(app)
        for key in [k for k in plain.keys() & now.keys() if same_picture(k, said[k], unedited[k])]:
            assert (word in said[key]) == (now[key] != plain[key]), (key, fields, said[key])


def test_a_picture_of_random_numbers_names_no_sentence_and_no_model() -> None:
    for lab, count in (("Residuals and depth", 2), ("Two LayerNorms", 1)):
        said = captions(opened("labs", {"lab": lab, "hidden": "2", "edits": EDITS[0]}))
        assert len(said) == count
        for caption in said.values():
            assert "andom" in caption and "seed 0" in caption
            for claimed in ("Keys", "Model", "small", "Layer", "Hidden", "Changed"):
                assert claimed not in caption


def test_an_experiment_on_the_sentence_names_it_and_nothing_hidden_or_changed() -> None:
    for lab, key in (("Word order", "order"), ("Why √d_head", "scaling_heads"), ("Padding", "leak")):
        said = captions(opened("labs", {"lab": lab, "hidden": "2", "edits": EDITS[0]}))[key]
        assert f"“{SENTENCE}”" in said and "Model small (sha256 " in said
        assert "nothing masked or changed" in said and "Layer 1" not in said


@pytest.mark.parametrize(
    ("page", "query", "keys"),
    [
        ("heads", {"heads_part": "How alike heads are", "over": "100 sentences"}, ["likeness", "plane"]),
        ("stack", {"layers_alike": "1"}, ["alike_cosine", "alike_linear"]),
    ],
)
def test_a_survey_says_the_hundred_sentences(page: str, query: dict[str, str], keys: list[str]) -> None:
    said = captions(opened(page, query | {"hidden": "2", "edits": EDITS[0]}))
    for key in keys:
        assert "100 bundled sentences, nothing masked or changed" in said[key] and "Model small" in said[key]
        assert "Keys" not in said[key] and "head 0" not in said[key]


def test_a_measure_that_an_atlas_has_names_its_corpus() -> None:
    query = {"heads_part": "Measures", "over": "100 sentences", "hidden": "2", "edits": EDITS[0]}
    said = captions(opened("heads", query))["measured"]
    assert "tokens of tatoeba" in said and "nothing masked or changed" in said and "Model small" in said
    assert "Keys" not in said and "head 0" not in said


def test_a_measure_of_this_sentence_names_it() -> None:
    said = captions(opened("heads", {"heads_part": "Measures", "hidden": "2"}))["measured"]
    assert f"“{SENTENCE}”, nothing masked or changed" in said


def test_each_picture_of_compare_names_the_run_it_shows() -> None:
    query = {"other": "Keys in the box", "layer": "2", "hidden": "2", "edits": EDITS[0]}
    said = captions(opened("compare", query | {"beside_step": "layers.2.attention.weights"}))
    ours, theirs, both = (said[f"beside_{key}"] for key in ("0", "1", "change"))
    assert "table" in ours and "box" not in ours and "Changed: layer 1, head 2" in ours
    assert "table" not in theirs and "“Keys in the box”" in theirs
    assert "Hidden" not in theirs and "Changed" not in theirs
    for caption in (both, said["apart"], said["followed"]):
        a, b = caption.split("B: ")
        assert "table" in a and "Changed" in a and "box" in b and "Changed" not in b and "Hidden" not in b
    assert "layers.2.attention.weights, layer 2" in both and "Layer 2" not in said["apart"]


def test_one_word_in_many_sentences_names_them() -> None:
    typed = "A light bag.\nThe light is on."
    said = captions(opened("compare", {"compare_part": "One word in many sentences", "set": typed, "edits": EDITS[1]}))
    for caption in (said["set_map"], said["set_means"]):
        assert "“A light bag.”" in caption and "“The light is on.”" in caption
        assert "Keys" not in caption and "Changed" not in caption


def test_the_run_without_changes_names_none() -> None:
    said = captions(opened("what_if", {"edits": EDITS[1]}))
    assert "Changed" not in said["step_before"] and "Changed" in said["step_now"]
    assert "Changed" in said["step_change"] and "Changed" in said["apart_changed"]


def test_learned_numbers_are_of_no_sentence() -> None:
    said = captions(opened("add_norm", {"edits": EDITS[1]}))["gamma_beta"]
    assert "Keys" not in said and "Model small" in said and "layer 1" in said.lower()


def test_a_timelapse_says_when() -> None:
    said = captions(opened("learn", LAPSE))
    for caption in said.values():
        assert "9 moments" in caption and "Model small" in caption and SENTENCE in caption

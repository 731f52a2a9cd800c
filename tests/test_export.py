"""What is kept of a run holds the run's own numbers, opens with numpy alone, and is the same twice."""

import csv
import io
import json
import zipfile

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from encoder import Edit, TextEncoder, Trace
from encoder.pictures.export.archive import about, layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import LONGEST, About, caption
from encoder.pictures.export.tables import cell, to_csv
from encoder.pictures.figures.drawn import numbers_of
from encoder.pictures.numbers import Numbers

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0"]


@pytest.fixture(scope="module")
def changed(small: TextEncoder) -> Trace:
    """A run with a hidden token and two edits."""
    edits = (Edit("layers.2.attention.heads", "zero", heads=(1,)), Edit("embedding.positions", "shuffle", value=7))
    return small.trace("Keys = on the +table @Sara.", hidden=(2,), edits=edits)


def npz(trace: Trace) -> bytes:
    """The file with all steps."""
    file = io.BytesIO()
    to_npz(trace, file)
    return file.getvalue()


def test_numpy_alone_reads_every_step_back_exactly_and_the_size_was_said(changed: Trace) -> None:
    trace = changed
    layer, content = io.BytesIO(), npz(trace)
    to_csv_zip(trace, 1, layer)
    assert len(content) == pytest.approx(run_size(trace), rel=0.02)
    assert layer_size(trace, 1) == pytest.approx(len(layer.getvalue()), rel=0.35)
    with np.load(io.BytesIO(content), allow_pickle=False) as kept:
        assert [name for name in kept.files if name != "about.json"] == list(trace)
        for name in trace:
            np.testing.assert_array_equal(kept[name], trace[name].numpy(), strict=True)
        said = json.loads(kept["about.json"])
    assert said == json.loads(json.dumps(about(trace)))
    assert (said["tokens"], said["ids"], said["hidden"]) == (trace.tokens, trace.ids, list(trace.hidden))
    assert (said["model"], said["sha256"]) == (trace.source.name, trace.source.sha256)
    assert said["edits"] == ["layers.2.attention.heads:zero:h=1", "embedding.positions:shuffle:v=7"]
    assert said["config"]["n_layers"] == trace.config.n_layers and said["config"]["mask_value"] is None
    assert said["steps"]["output"] == list(trace["output"].shape)


def test_the_same_run_gives_the_same_bytes(small: TextEncoder) -> None:
    def twice(text: str) -> set[bytes]:
        return {npz(small.trace(text)) for _ in range(2)}

    assert len(twice("I understand this")) == 1
    zips = set()
    for _ in range(2):
        file = io.BytesIO()
        to_csv_zip(small.trace("I understand this"), 1, file)
        zips.add(file.getvalue())
    assert len(zips) == 1
    for content in (npz(small.trace("I")), *zips):
        with zipfile.ZipFile(io.BytesIO(content)) as whole:
            assert {entry.date_time for entry in whole.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_longest_run_is_written_without_a_second_copy(small: TextEncoder) -> None:
    """Between two reports of progress no more than the arrays of one step are written."""
    trace = small.trace("word " * 600)
    assert len(trace.tokens) == 512
    seen, file = [], io.BytesIO()
    to_npz(trace, file, lambda done: seen.append((done, file.tell())))
    assert [done for done, _ in seen] == pytest.approx([i / len(trace) for i in range(1, len(trace) + 1)])
    steps = np.diff([0, *(at for _, at in seen)])
    assert steps.max() <= max(trace[name].nbytes for name in trace) + 100_000


def test_a_layer_as_csv_holds_every_number_of_every_step(changed: Trace) -> None:
    file, done = io.BytesIO(), []
    to_csv_zip(changed, 2, file, done.append)
    with zipfile.ZipFile(file) as whole:
        said = json.loads(whole.read("about.json"))
        steps = {name.removesuffix(".csv"): whole.read(name) for name in whole.namelist() if name.endswith(".csv")}
    assert said["layer"] == 2 and done[-1] == 1 and len(done) == len(steps)
    assert {f"layers.2.{name}" for name in steps} == {n for n in changed if n.startswith("layers.2.")}
    for name, text in steps.items():
        recorded = changed[f"layers.2.{name}"].numpy()
        frame = pd.read_csv(io.BytesIO(text))
        labels = 2 if recorded.ndim == 3 else 1
        values = frame.iloc[:, labels:].to_numpy(dtype=np.float32)
        np.testing.assert_array_equal(values.reshape(recorded.shape), recorded)
        if recorded.ndim == 3:
            assert frame["head"].tolist() == np.repeat(range(len(recorded)), recorded.shape[1]).tolist()


def test_a_layer_that_is_not_there_is_refused(sara: Trace) -> None:
    with pytest.raises(ValueError, match="layer is 6; it must be a whole number from 0 to 5"):
        to_csv_zip(sara, 6, io.BytesIO())


# CSV


def test_no_text_becomes_a_formula_in_any_cell_of_a_table() -> None:
    for text in FORMULAS:
        (back,) = next(csv.reader([to_csv([[text]])[1:]]) if "\r" not in text else iter([[cell(text)]]))
        assert back == f"'{text}"
    values, names = np.ones((len(FORMULAS),) * 2, np.float32), dict.fromkeys(("query", "key"), FORMULAS)
    likeliest = Numbers(values, ("query", "rank"), names, words=(tuple(FORMULAS),) * len(FORMULAS))
    for numbers in (Numbers(values, ("query", "key"), names), Numbers(values[0], ("key",), names), likeliest):
        for row in csv.reader(io.StringIO(to_csv(numbers.table())[1:], newline="")):
            assert not [text for text in row if text.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_the_csv_of_a_matrix_is_exact() -> None:
    for rows, columns in ((3, 3), (200, 200)):
        values = np.random.default_rng(0).normal(size=(rows, columns)).astype(np.float32)
        values[0, 0] = -np.inf
        text = to_csv(Numbers(values, ("token", "dimension"), {"token": [f"w{i}" for i in range(rows)]}).table())
        frame = pd.read_csv(io.StringIO(text), index_col="token")
        np.testing.assert_array_equal(frame.to_numpy(dtype=np.float32), values)
        assert list(frame.columns[:2]) == ["dim_1", "dim_2"] and frame.index[1] == "1 w1"
        assert text.endswith("\n") and "\r" not in text
    assert to_csv([["n", True], [3, np.int64(4)]]) == "\ufeffn,True\n3,4\n"


def test_a_figure_without_numbers_of_its_own_gives_every_point() -> None:
    figure = go.Figure([go.Scatter(x=[1, 2], y=[3, 4], name="a"), go.Heatmap(z=[[5, 6]])])
    rows = [" ".join(map(str, row)) for row in numbers_of(figure)]
    assert rows[1:] == ["a 1 3 ", "a 2 4 ", "heatmap 1 0 0 5", "heatmap 1 1 0 6"]


# Captions and names


def test_a_caption_says_everything(changed: Trace) -> None:
    said = caption(About.of(changed, "layers.2.attention.heads", head=1), what="Values.", scale="0 to 1")
    for part in (
        "Values. Model small (sha256 ",
        "“Keys = on",
        "Step layers.2.attention.heads, head 1 of layer 2",
        "Colour scale 0 to 1",
        "Masked: 2 ",
        "Changed: head 1 of layer 2",
        "random order (seed 7)",
    ):
        assert part in said
    assert "\n" not in said


def test_a_caption_leaves_out_what_does_not_reach_the_picture(changed: Trace) -> None:
    for name, head, hidden, edits in (
        ("embedding.tokens", 0, False, ()),
        ("embedding.positions", 0, False, ("random order",)),
        ("layers.0.attention.scaled", 1, False, ("random order",)),
        ("layers.0.attention.masked", 1, True, ("random order",)),
        ("layers.2.attention.weights", 1, True, ("random order",)),
        ("layers.2.attention.heads", 0, True, ("random order",)),
        ("layers.2.attention.heads", 1, True, ("random order", "head 1 of layer 2: ")),
        ("layers.2.attention.output", 0, True, ("random order", "head 1 of layer 2: ")),
    ):
        said = caption(About.of(changed, name, head))
        assert ("Masked" in said) == hidden
        assert [words for words in ("random order", "head 1 of layer 2: ") if words in said] == list(edits)


def test_two_runs_and_their_models_are_told_apart(changed: Trace, base: TextEncoder) -> None:
    said = caption(About(changed, other=base.trace("Another"), reads=("output",)), what="Apart")
    a, b = said.split("B: ")
    assert "Model base" in b and "A: Model small" in a and "Keys" in a and "Masked" in a and "Changed" in a
    assert "“Another”" in b and "Hidden" not in b and "Changed" not in b


def test_a_picture_of_no_run_says_what_it_is_of() -> None:
    assert caption(About(scope="random numbers, seed 0"), what="Lines") == "Lines. Random numbers, seed 0."


def test_a_long_sentence_is_cut_and_it_shows(small: TextEncoder) -> None:
    said = caption(About(small.trace("a\nlong   one " * 100)))
    assert "a long one a long one" in said and "…”" in said and len(said) < LONGEST + 80

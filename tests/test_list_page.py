"""A list of sentences on the page Heads: what is pasted is measured, shown and taken along, and bounds are said."""

import io

import numpy as np
import pandas as pd
import pytest
from page_tools import healthy, open_app

from encoder import TextEncoder
from encoder.metrics import normalized_entropy
from encoder.pictures.lists import measure
from pages.heads import over_a_list

pytestmark = pytest.mark.slow

LIST = "The cat sat on the mat.\n\n<b>Keys</b> on the table belong to Sara.\n=1+1 مرحبا \n"


def test_a_pasted_list_is_measured_in_every_head_and_its_first_rows_are_shown(small: TextEncoder) -> None:
    app = open_app("heads", model="small", more="1", heads_list="1")
    assert [one.key for one in app.button if one.key == "list_go"] == []
    healthy(app.text_area(key="list_text").set_value(LIST).run())
    healthy(app.button(key="list_go").click().run())
    table = next(one.value for one in app.dataframe if "Normalized entropy" in one.value)
    assert list(table)[:3] == ["sentence", "layer", "head"] and len(table) == 20
    trace = small.trace("The cat sat on the mat.")
    first = normalized_entropy(trace["layers.0.attention.weights"]).mean(-1).numpy()
    np.testing.assert_allclose(table["Normalized entropy"][:4], first)
    assert "48 rows" in " ".join(one.value for one in app.markdown)


def test_too_many_sentences_and_rows_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_a_list, "MOST", 2)
    monkeypatch.setattr(over_a_list, "MOST_ROWS", 20)
    app = open_app("heads", model="small", more="1", heads_list="1")
    healthy(app.text_area(key="list_text").set_value(LIST).run())
    assert "The first 2 of 3 are measured." in [one.value for one in app.caption]
    healthy(app.button(key="list_go").click().run())
    assert any("more than 20 rows" in one.value for one in app.warning)


def test_files_hold_the_whole_table(small: TextEncoder) -> None:
    table = measure(small, ("The cat sat.", "Keys."), ["arcs"]).tables[0]
    frames = {
        "csv": pd.read_csv(io.BytesIO(over_a_list.file_of(table, "csv"))),
        "parquet": pd.read_parquet(io.BytesIO(over_a_list.file_of(table, "parquet"))),
        "npz": pd.DataFrame(dict(np.load(io.BytesIO(over_a_list.file_of(table, "npz"))))),
    }
    assert frames.keys() == over_a_list.KINDS.keys()
    assert {len(frame) for frame in frames.values()} == {len(table)}

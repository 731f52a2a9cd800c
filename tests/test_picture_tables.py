"""Under every picture the numbers stand as a table, and every heatmap says a fact of its own."""

import json
import re

import page_tools
import pytest
from page_tools import healthy
from streamlit.testing.v1 import AppTest
from visits import opened

from pages.ui.state.site import PAGES

pytestmark = pytest.mark.slow
START = {"sentence": "Keys on the table", "model": "small", "layer": "1", "head": "0"}
LABS = (
    "Why √d_head",
    "Padding",
    "Residuals and depth",
    "Two LayerNorms",
    "Post-norm and pre-norm",
    "Dropout",
    "Why rotary",
    "Windows",
)
CASES: list[tuple[str, dict[str, str]]] = [
    *((page.key, {}) for page in PAGES),
    ("attention", {"step": "attention.heads"}),
    ("attention", {"products": "1"}),
    ("heads", {"heads_part": "Measures"}),
    ("heads", {"heads_part": "How alike heads are"}),
    ("heads", {"heads_part": "Between the sentences", "second": "The dog ran."}),
    ("stack", {"words_open": "1", "sources_open": "1", "layers_alike": "1", "strips_open": "1"}),
    ("compare", {"compare_part": "One word in many sentences"}),
    ("compare", {"other_model": "base"}),
    ("what_if", {"edits": "layers.1.attention.heads:zero:h=2"}),
    ("learn", {"learn_part": "Time-lapse", "training_part": "An embedding row"}),
    *(("labs", {"lab": lab}) for lab in LABS),
]  # fmt: skip


def charts(app: AppTest) -> dict[str, bool]:
    """The key of every chart on a page, and whether it is a heatmap."""
    return {
        re.search(r"-(\w+)$", one.proto.id)[1]: any(t["type"] == "heatmap" for t in json.loads(one.proto.spec)["data"])
        for one in page_tools.charts(app)
    }


@pytest.mark.parametrize(("page", "query"), CASES, ids=[f"{p}-{'-'.join(q.values())}" for p, q in CASES])
def test_every_picture_has_its_numbers_and_every_heatmap_a_fact(page: str, query: dict[str, str]) -> None:
    app = opened(page, START | query)
    folds = sum(fold.label.startswith("Numbers") for fold in app.expander)
    assert folds + len(app.dataframe) >= len(charts(app)), list(charts(app))
    cards = [json.loads(one.proto.json) for one in app.get("bidi_component") if '"alt"' in one.proto.json]
    alts = {one["chart"]: one["alt"] for one in cards}
    for key in [key for key, heat in charts(app).items() if heat]:
        assert re.search(r"\d", alts[key]) and alts[key].rstrip().endswith("."), (key, alts[key])


def test_a_fold_holds_what_is_drawn() -> None:
    app = opened("embedding", START | {"step": "embedding.positions"})
    app.session_state["numbers_alike_places"] = True
    table = healthy(app.run()).dataframe[0].value
    assert len(table) == 6 * 6 or table.shape == (6, 7)
    assert float(table.iloc[0, -6 if table.shape == (6, 7) else -1]) == pytest.approx(1)

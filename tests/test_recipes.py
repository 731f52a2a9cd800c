"""The lines of code under a picture run by themselves and make the numbers that are drawn."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from visits import opened

from encoder import Edit, TextEncoder
from encoder.export.recipe import recipe

START = {"sentence": "Keys on the table", "model": "small", "layer": "1", "head": "0"}
EDITED = {"edits": "layers.1.attention.heads:zero:h=2", "hidden": "3"}
WORDS = {"why": "Which words"}
STARTS = ("compute_flow", "loo_go", "patch_go", "why_go")  # the buttons that have a picture made
LABS = (
    "Word order",
    "Why √d_head",
    "Softmax",
    "Padding",
    "Why rotary",
    "Windows",
    "Without [CLS] and [SEP]",
    "Dropout",
    "Residuals and depth",
    "Two LayerNorms",
    "Post-norm and pre-norm",
)
LONG = "The animal did not cross it."  # fmt: skip
CASES: list[tuple[str, dict[str, str], int]] = [  # and how many pictures of the page have lines at least
    ("position", {}, 1), ("add_norm", EDITED, 2), ("feed_forward", EDITED, 1), ("stack", EDITED, 1),
    ("stack", {"move": "Length"}, 1), ("flows", EDITED | {"through_layers": "1"}, 3), ("lens", EDITED, 4),
    ("vectors", {"layers_alike": "1", "lengths_open": "1"}, 5), ("what_if", EDITED, 2),
    ("attention", EDITED | {"four_maps": "1", "step": "attention.heads"}, 3),
    ("heads", {"heads_part": "Measures"}, 1), ("heads", {"heads_part": "How alike heads are"}, 2),
    ("heads", {"heads_part": "Between the sentences", "second": "The dog ran."}, 1),
    ("compare", {"compare_part": "One word in many sentences"}, 2),
    ("training", {"training_part": "An embedding row"}, 1), ("attention", {"step": "attention.q"} | EDITED, 1),
    ("embedding", {}, 2), ("labs", {"lab": "Positions"}, 1),
    *(("labs", {"lab": lab, "sentence": LONG}, 1) for lab in LABS),
    ("looks", EDITED | {"several": "1", "some_heads": "0,2"}, 3),
    ("looks", {"several": "1", "some_heads": "1,3", "together": "Largest", "some_tokens": "2,3"}, 3),
    ("looks", {"several": "1", "second": "The dog ran.", "pair_part": "A->B"}, 3),
    ("looks", {"several": "1", "words_only": "words"}, 3),
    ("why", EDITED, 2), ("why", EDITED | WORDS, 2), ("why", WORDS | {"why_method": "gradient × attention"}, 3),
    ("alike", EDITED | {"other": "The dog ran."}, 2),
    ("alike", {"other": "A dog.", "alike_view": "Minus the mean of 100 sentences"}, 2),
    ("alike", {"alike_part": "A list", "alike_list": "One cat.\nTwo dogs ran.\nIt rains."}, 2),
    ("compare", {"other": "Keys of the table", "compare_part": "Two runs"}, 2),
    ("compare", {"other": "Keys of the table", "compare_part": "Patch"}, 1),
]  # fmt: skip


def numbers(value: Any) -> Iterator[float]:
    """All numbers in a tensor, a list, or a mapping; words beside them are left out."""
    if isinstance(value, torch.Tensor | np.ndarray):
        yield from np.asarray(value, dtype=float).ravel().tolist()
    elif isinstance(value, dict):
        for one in value.values():
            yield from numbers(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from numbers(one)
    elif isinstance(value, int | float):
        yield float(value)


def decoded(packed: Any) -> np.ndarray:
    """One side of a chart as it is sent to the browser."""
    if isinstance(packed, dict):
        return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"]).astype(float).ravel()
    return np.array([v for v in np.ravel(packed).tolist() if isinstance(v, int | float)], dtype=float)


def drawn(app: AppTest) -> Iterator[np.ndarray]:
    """What each chart draws: its first series, each of its series, and all of them together."""
    for one in app.get("plotly_chart"):
        traces = json.loads(one.proto.spec)["data"]
        for axis in ("z", "y"):
            series = [decoded(trace[axis]) for trace in traces if axis in trace]
            yield from series
            if series:
                yield np.concatenate(series)
        sides = [decoded(trace[axis]) for trace in traces for axis in ("x", "y") if axis in trace]
        if sides:
            yield np.concatenate(sides)


@pytest.mark.slow
@pytest.mark.parametrize(("page", "query", "least"), CASES, ids=[f"{p}-{'-'.join(q.values())}" for p, q, _ in CASES])
def test_the_lines_make_what_is_drawn(page: str, query: dict[str, str], least: int) -> None:
    app = opened(page, START | query)
    for key in [button.key for button in app.button if button.key in STARTS]:
        app.button(key=key).click().run()
    lines = [one.value for one in app.code if "print(x)" in one.value]
    assert len(lines) >= least
    for text in lines:
        made: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(text, "<lines>", "exec"), made)
        x = np.sort(np.array(list(numbers(made["x"]))))
        x = x[np.isfinite(x)]
        same = [
            found
            for found in map(np.sort, drawn(app))
            if len(found[np.isfinite(found)]) == len(x)
            and np.allclose(found[np.isfinite(found)], x, rtol=1e-4, atol=1e-5)
        ]
        assert same and x.size, text


def test_lines_import_and_make_only_what_they_need(small: TextEncoder) -> None:
    trace = small.trace("Keys on the table.", edits=(Edit("layers.1.attention.output", "zero"),))
    runs = {"t": trace}
    assert "TextEncoder" not in recipe(runs, "softmax_of([1.0])")
    of_model = recipe(runs, "survey(enc).likeness")
    assert "trace(" not in of_model and "Edit" not in of_model
    text = recipe(runs, "torch.stack([mixing_ratio(t, i) for i in range(2)])")
    assert text.startswith(
        "import torch\nfrom encoder import Edit, TextEncoder\nfrom encoder.metrics import mixing_ratio"
    )
    assert "Edit('layers.1.attention.output', 'zero')" in text
    with pytest.raises(SyntaxError):
        recipe(runs, "import os")

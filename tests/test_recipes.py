"""The lines of code under a picture run by themselves and make the numbers that are drawn."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from drawn import Drawn, drawn
from visits import opened

from encoder import Edit, TextEncoder
from encoder.export.recipe import recipe
from encoder.pictures.registry import pictures

ROOT = Path(__file__).parents[1]
START = {"sentence": "Keys on the table", "model": "small", "layer": "1", "head": "0"}
EDITED = {"edits": "layers.1.attention.heads:zero:h=2", "hidden": "3"}
WORDS = {"why": "Which words"}
# The buttons that have a picture made
STARTS = ("board_go", "compute_flow", "learning_go", "loo_go", "patch_go", "why_go", "reveal")
TRAINED = "Trained without a part"  # six models, one after the other
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
    TRAINED,
    "Layer collapse",
)
LONG = "The animal did not cross it."  # fmt: skip
LAPSE, ALIKE = {"learn_part": "Time-lapse"}, {"compare_part": "Alike?"}
CASES: list[tuple[str, dict[str, str], int]] = [  # and how many pictures of the page have lines at least
    ("embedding", {"step": "embedding.positions"}, 2),
    ("add_norm", EDITED, 2), ("feed_forward", EDITED, 1), ("stack", EDITED, 1),
    ("stack", {"move": "Length"}, 1), ("stack", EDITED | {"words_open": "1", "ways_open": "1"}, 5),
    ("heads", EDITED | {"heads_part": "What really flows", "through_layers": "1"}, 3),
    ("stack", {"layers_alike": "1", "sources_open": "1", "strips_open": "1"}, 8),
    ("what_if", EDITED | {"beside_step": "embedding.output"}, 5),
    ("attention", EDITED | {"products": "1", "step": "attention.heads"}, 3),
    ("heads", {"heads_part": "Measures"}, 1), ("heads", {"heads_part": "How alike heads are"}, 2),
    ("heads", {"heads_part": "Between the sentences", "second": "The dog ran."}, 1),
    ("compare", {"compare_part": "One word in many sentences"}, 2),
    ("learn", LAPSE | {"training_part": "An embedding row"}, 1), ("attention", {"step": "attention.q"} | EDITED, 1),
    ("embedding", {"strips_open": "1"}, 2), ("labs", {"lab": "Positions"}, 1),
    *(("labs", {"lab": lab, "sentence": LONG}, 1) for lab in LABS),
    ("sentence", EDITED | {"several": "1", "some_heads": "0,2"}, 3),
    ("sentence", {"several": "1", "some_heads": "1,3", "together": "Largest", "some_tokens": "2,3"}, 3),
    ("sentence", {"several": "1", "second": "The dog ran.", "pair_part": "A->B"}, 3),
    ("sentence", {"several": "1", "words_only": "words"}, 3),
    ("why", EDITED, 2), ("why", EDITED | WORDS, 2), ("why", WORDS | {"why_method": "gradient × attention"}, 3),
    ("compare", ALIKE | EDITED | {"other": "The dog ran."}, 1),
    ("compare", ALIKE | {"other": "A dog.", "alike_view": "Minus the mean of 100 sentences"}, 1),
    ("compare", ALIKE | {"alike_part": "A list", "alike_list": "One cat.\nTwo dogs ran.\nIt rains."}, 1),
    ("compare", {"other": "Keys of the table", "beside_open": "1"}, 5),
    ("compare", {"other": "Keys of the table", "other_model": "base", "compare_part": "Two runs"}, 2),
    ("compare", {"other": "A long table", "beside_step": "layers.1.feed_forward.output"}, 3),
    ("compare", {"other": "Keys of the table", "compare_part": "Patch"}, 1),
    ("add_norm", {"step": "add_norm_2.sum", "layer": "2"}, 3), ("learn", LAPSE, 2),
    ("your_model", {}, 1),
    ("attention", {"step": "attention.output", "cell": "layers.1.attention.output:1,3"}, 4),
    ("attention", {"step": "attention.weights", "words_only": "letters", "products": "1"}, 3),
    ("attention", {"step": "attention.concat"}, 3), ("stack", {"step": "mlm.logits", "sentence": "A [MASK]."}, 1),
    ("sentence", EDITED | {"difference": "1"}, 1), ("heads", {"words_only": "words"}, 1),
    ("lessons", {"lesson": "why-residuals", "at": "3"}, 1), ("lessons", {"lesson": "why-divide", "at": "5"}, 1),
    *(("story", {"stop": stop}, 1) for stop in ("2", "8", "12")),
    *(("atlas", {"atlas_part": part}, 1) for part in ("Heads", "Units", "Layers", "From A to B")),
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


def finite(one: Drawn) -> Drawn:
    """The finite numbers among them, sorted."""
    return np.sort(one[0][np.isfinite(one[0])]), one[1]


def close(found: np.ndarray, x: np.ndarray, fine: float) -> bool:
    """Whether they are the same numbers, as finely as they are sent."""
    return np.allclose(found, x, rtol=1e-4, atol=1.001 * fine)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "query", "least"),
    [pytest.param(*case, marks=pytest.mark.nightly if case[1].get("lab") == TRAINED else ()) for case in CASES],
    ids=[f"{p}-{'-'.join(q.values())}" for p, q, _ in CASES],
)
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
        same = [found for found, fine in map(finite, drawn(app)) if len(found) == len(x) and close(found, x, fine)]
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


OF_PEOPLE = {"pages/ui/live/answers.py"}  # what a class answered; no lines of code make that again


def pictures_of(path: Path) -> list[tuple[int, bool]]:
    """Each call that draws a picture that can be kept: its line, and whether it gives the lines of code for it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in ("chart", "maps.draw", "card") and len(node.args) > 2:
                found.append((node.lineno, any(word.arg == "made" for word in node.keywords)))
    return found


def test_every_picture_that_can_be_kept_has_its_lines() -> None:
    every = {path: pictures_of(path) for path in (ROOT / "pages").rglob("*.py")}
    assert sum(map(len, every.values())) + len(pictures()) > 90
    without = [f"{path.relative_to(ROOT)}:{line}" for path, calls in every.items() for line, made in calls if not made]
    assert [one for one in without if one.partition(":")[0] not in OF_PEOPLE] == []

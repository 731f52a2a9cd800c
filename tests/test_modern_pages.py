"""Tiny folders of every newer family open on the pages, and what a page says of them is so."""

from pathlib import Path

import pytest
from page_tools import go, healthy, open_app, said, step_about, step_numbers
from published import PUBLISHED
from twins import MODELS, saved

from encoder.checkpoint import families
from pages.ui.state.site import PAGES, STEPS

pytestmark = pytest.mark.slow

FAMILIES = {
    "modernbert": "modernbert",
    "mpnet": "mpnet",
    "nomic-bert": "nomic_bert",
    "gte": "gte",
    "eurobert": "eurobert",
    "deberta-v3": "deberta-v2",
    "new": "new",
    "jina": "jina_bert",
}


def tiny_folder(root: Path, name: str) -> None:
    """A tiny model of transformers, or one of code published apart."""
    if name not in PUBLISHED:
        saved(root / name, MODELS[name])
        return
    (root / name).mkdir(parents=True)
    PUBLISHED[name](root / name)


WALK = [page.key for page in PAGES if page.section == STEPS]
EVERY = [page.key for page in PAGES]
LAYERS = {"mpnet": "2"}


def test_every_newer_family_is_visited() -> None:
    older = {"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "albert"}
    assert set(FAMILIES.values()) == families.FAMILIES.keys() - older


@pytest.mark.parametrize(
    ("name", "layer", "pages"),
    [
        *((name, LAYERS.get(name, "1"), ["attention", *EVERY[i :: len(FAMILIES)]]) for i, name in enumerate(FAMILIES)),
        pytest.param("modernbert", "0", WALK, marks=pytest.mark.nightly),
        *(pytest.param(name, LAYERS.get(name, "1"), EVERY, marks=pytest.mark.nightly) for name in FAMILIES),
    ],
    ids=lambda one: one if isinstance(one, str) else f"{len(one)} pages",
)
def test_a_folder_opens_on_the_pages(model_root: Path, name: str, layer: str, pages: list[str]) -> None:
    """Every family the attention, and besides each page with one family; the third tier opens all with all."""
    tiny_folder(model_root, name)
    app = open_app(model=f"folder:{name}", layer=layer, sentence="w1 w2 w3 w2 w4")
    for key in pages:
        go(app, key)
        assert app.session_state["session"].view.model == f"folder:{name}"
        assert not said(app), key


@pytest.mark.parametrize(
    ("name", "step", "title"),
    [
        ("modernbert", "attention.q_rotated", "Rotated queries"),
        ("modernbert", "attention.windowed", "Scores within the window"),
        ("modernbert", "feed_forward.gated", "Gated units"),
        ("mpnet", "attention.position_bias", "Position bias"),
        ("jina", "attention.position_bias", "How fast it falls, head by head"),
        ("new", "attention.cos", "by NTK scaling"),
        ("gte-slowed", "attention.cos", "every angle is divided by s = 2.5"),
        ("deberta-v3", "attention.c2p", "Content to position"),
        ("deberta-v3", "attention.p2c", "Position to content"),
        ("deberta-v3", "attention.k_distance", "Keys of the distances"),
        ("deberta-v3", "distances.output", "Distances: Scaled and shifted"),
    ],
)
def test_a_new_step_is_shown_with_its_proof(model_root: Path, name: str, step: str, title: str) -> None:
    tiny_folder(model_root, name)
    folder, sentence = f"folder:{name}", "w1 w2 w3 w2 w4"
    page = {"distances": "embedding"}.get(step.split(".")[0], step.split(".")[0])
    app = open_app(page, model=folder, layer="1", step=step, sentence=sentence)
    assert app.session_state["session"].view.step == step and not said(app)
    healthy(app)
    seen = " ".join(one.value for one in [*app.header, *app.subheader, *app.markdown])
    if title not in seen:
        full = step if step.startswith("distances") else f"layers.1.{step}"
        about = step_about(app, full)
        assert title in f"{about['title']} {about['note']}" and len(step_numbers(app, step)) > 1

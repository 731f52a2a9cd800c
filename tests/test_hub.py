"""Models from the hub: a server of our own stands in for it, and no network is asked."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import torch
from in_turn import in_turn
from twins import MODELS, saved

from encoder import EncoderError, TextEncoder
from encoder.checkpoint import hub

COMMIT = "0123456789abcdef0123456789abcdef01234567"
ID = "team/tiny-bert"
ROOT = Path(__file__).parents[1]


class Hub(ThreadingHTTPServer):
    """The two endpoints that huggingface_hub asks: what a model has, and its files."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = files
        self.listed: dict[str, int | None] = {name: len(content) for name, content in files.items()}
        self.refusal: tuple[int, str] | None = None
        self.cut: str | None = None
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    """Answers as the hub does, as far as a download needs it."""

    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None: ...

    def reply(self, status: int, content: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.asked.append(f"{self.command} {path}")
        if self.server.refusal:
            status, code = self.server.refusal
            self.reply(status, b"{}", X_Error_Code=code, X_Error_Message=code)
        elif path.startswith("/api/models/"):
            siblings = [{"rfilename": name, "size": size} for name, size in self.server.listed.items()]
            self.reply(200, json.dumps({"id": ID, "sha": COMMIT, "siblings": siblings}).encode())
        else:
            name = path.rpartition("/")[2]
            content = self.server.files[name]
            if self.command == "GET" and name == self.server.cut:
                self.reply(403, b"{}")
                return
            self.reply(200, content, ETag=f'"{name}"', X_Repo_Commit=COMMIT)

    do_HEAD = do_GET  # noqa: N815


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Hub]:
    """A hub with one tiny model, and files beside it that nobody should fetch."""
    saved(tmp_path / "made", MODELS["bert"])
    files = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    server = Hub({**files, "pytorch_model.bin": b"pickle", "README.md": b"# tiny", "modeling.py": b"import os"})
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_model_is_fetched_and_opens(served: Hub, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    root = tmp_path / "models"
    folder = hub.download(ID, root, lambda done, total: told.append((done, total)), endpoint=served.address)
    assert folder == root / "team" / "tiny-bert"
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    assert [path.name for path in root.iterdir()] == ["team"]
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert told[-1] == (size, size) and {total for _, total in told} == {size}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    ours, made = TextEncoder.from_pretrained(folder), TextEncoder.from_pretrained(tmp_path / "made")
    assert torch.equal(ours.trace("w1 w2")["mlm.logits"], made.trace("w1 w2")["mlm.logits"])
    assert not [line for line in served.asked if "bin" in line or "README" in line or "modeling" in line]
    served.asked.clear()
    assert hub.download(ID, root, endpoint=served.address) == folder and served.asked == []  # it is not fetched again


NO_IDS = ("", "a/b/c", "../secret", "a/..", "/etc/passwd", "https://hub/a/b", "a b/c", "a\0/b", "team/", "/", "x" * 200)


@in_turn("name", [*NO_IDS, "team/ünïcode", "team/a\n", "a--b/c", "-a/b", "C:\\models"])
def test_ids_that_are_none(name: str, served: Hub, tmp_path: Path) -> None:
    with pytest.raises(hub.HubError, match="is not the id of a model; an id is owner/name"):
        hub.download(name, tmp_path / "models", endpoint=served.address)
    assert served.asked == [] and not (tmp_path / "models").exists()


Change = Callable[[Hub], object]


def longformer(served: Hub) -> None:
    """A model of a kind that does not open here."""
    config = json.loads(served.files["config.json"]) | {"model_type": "longformer"}
    served.files["config.json"] = json.dumps(config).encode()
    served.listed["config.json"] = len(served.files["config.json"])


def answers(status: int, code: str) -> Change:
    return lambda served: setattr(served, "refusal", (status, code))


TOLD_FIRST: list[tuple[Change, str]] = [  # what is told before any weights come
    (answers(401, "RepoNotFound"), "the hub has no public model 'team/tiny-bert'; check the spelling"),
    (answers(404, "RepoNotFound"), "the hub has no public model 'team/tiny-bert'; check the spelling"),
    (answers(403, "GatedRepo"), "is given only to those who log in and accept its terms"),
    (answers(500, ""), "could not be fetched from the hub: it answered 500; bundled models work offline"),
    (answers(429, ""), "it answered 429"),
    (lambda served: served.listed.update({"model.safetensors": 3_000_000_000}), "has 3,000 MB; at most 2,000 MB are"),
    (lambda served: served.listed.update({"model.safetensors": None}), r"does not tell the size of model\.safetensors"),
    (lambda served: served.listed.pop("model.safetensors"), "has no weights in safetensors"),
    (lambda served: served.listed.pop("tokenizer.json"), "has no tokenizer"),
    (lambda served: served.listed.pop("config.json"), "has no config.json"),
    (longformer, "model_type is 'longformer'"),
]


def test_what_cannot_be_fetched_or_used_is_told_before_its_weights_come(served: Hub, tmp_path: Path) -> None:
    files, listed = dict(served.files), dict(served.listed)
    for change, said in TOLD_FIRST:
        served.files, served.listed, served.refusal = dict(files), dict(listed), None
        change(served)
        with pytest.raises(EncoderError, match=said):
            hub.download(ID, tmp_path / "models", endpoint=served.address)
    assert [line for line in served.asked if "safetensors" in line] == []
    assert not (tmp_path / "models").exists() or list((tmp_path / "models").iterdir()) == []


def test_a_download_that_ends_early_leaves_nothing(
    served: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    fetch = partial(hub.download, ID, tmp_path / "models")
    with pytest.raises(KeyboardInterrupt):
        fetch(stop, endpoint=served.address)
    served.cut = "model.safetensors"
    with pytest.raises(hub.HubError, match="could not be fetched"):
        fetch(endpoint=served.address)
    served.cut, served.listed = None, dict.fromkeys(served.listed, 10)
    with pytest.raises(hub.HubError, match="which is not what the hub had told"):
        fetch(most_bytes=5000, endpoint=served.address)
    with pytest.raises(hub.HubError, match="there may be no network; bundled models work offline"):
        fetch(endpoint="http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(hub.HubError, match="pip install huggingface_hub"):
        fetch()
    assert list((tmp_path / "models").iterdir()) == []


def test_shards_are_fetched_together(served: Hub, tmp_path: Path) -> None:
    shards = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    sizes: dict[str, int | None] = dict.fromkeys(
        ["config.json", "tokenizer.json", *shards, "model.safetensors.index.json", "model-x.safetensors"], 1
    )
    assert list(hub.needed_files(ID, sizes)) == [
        "config.json",
        "tokenizer.json",
        "model.safetensors.index.json",
        *shards,
    ]


PLAIN = """
import sys
from pathlib import Path
from encoder.checkpoint import hub
assert "huggingface_hub" not in sys.modules
print(hub.download("team/tiny-bert", Path(sys.argv[1])).name)
"""


@pytest.mark.nightly
def test_the_hubs_address_comes_from_the_environment(served: Hub, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, str(tmp_path / "models")],
        cwd=ROOT,
        env={"HF_ENDPOINT": served.address, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "tiny-bert\n"), done.stderr

"""A checkpoint from the Hugging Face hub: asked for its size first, then fetched into a folder, safetensors only."""

import re
import shutil
import tempfile
from collections.abc import Callable
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from encoder import checkpoint
from encoder.checkpoint import sentence_folder
from encoder.checkpoint.families import FAMILIES
from encoder.checkpoint.folder_reader import BESIDE, CONFIG, PIECES
from encoder.checkpoint.tensor_files import INDEX, WEIGHTS
from encoder.support.errors import EncoderError, of_kind

REPO_ID = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,95}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,95}", re.ASCII)
SHARD = re.compile(r"model-\d{5}-of-\d{5}\.safetensors", re.ASCII)
OF_SENTENCES = (sentence_folder.MODULES, sentence_folder.SETTINGS, sentence_folder.LENGTHS, sentence_folder.POOLING)
SMALL = (CONFIG, *OF_SENTENCES, *BESIDE, *PIECES)
SECONDS = 5.0  # to wait for an answer
MOST_BYTES = 2_000_000_000


class HubError(EncoderError):
    """A model that could not be fetched; the message says why and what can be done."""


def download(
    repo_id: str,
    folder: Path | str,
    progress: Callable[[int, int], None] | None = None,
    most_bytes: int = MOST_BYTES,
    *,
    endpoint: str | None = None,
) -> Path:
    """Fetch a public model into `folder`/owner/name, which `TextEncoder.from_pretrained` then opens.

    Only the configuration, the tokenizer and safetensors are fetched, into a folder of their own that takes its name
    when all are there: a download that fails leaves nothing behind. A model that is already there is not fetched again.

    Args:
        repo_id: such as sentence-transformers/all-MiniLM-L6-v2.
        folder: where models are kept; made if it is not there.
        progress: called with the bytes that have come and those there are; what it raises ends the download.
        most_bytes: the largest model that is fetched.
        endpoint: the hub's address; that of huggingface_hub, or of its HF_ENDPOINT, without it.

    Returns:
        the folder of the model.

    Raises:
        HubError: no such id or model, one that needs a login, is too large or has no safetensors, or no network.
        encoder.checkpoint.CheckpointError: a kind of model that is not supported; told before its weights are fetched.
    """
    folder = Path(of_kind("folder", folder, str | PathLike, "the path of a folder"))
    of_kind("repo_id", repo_id, str, "a text such as google-bert/bert-base-uncased")
    if len(repo_id) > 96 or not REPO_ID.fullmatch(repo_id) or ".." in repo_id or "--" in repo_id:
        raise HubError(
            f"{repo_id[:96]!r} is not the id of a model; an id is owner/name, as in google-bert/bert-base-uncased"
        )
    target = folder / repo_id
    if (target / CONFIG).is_file():
        return target
    hub = library()
    api = hub.HfApi(endpoint=endpoint, token=False)
    info = asked(hub, repo_id, lambda: api.model_info(repo_id, files_metadata=True, timeout=SECONDS))
    sizes = needed_files(repo_id, {file.rfilename: file.size for file in info.siblings or []})
    total = sum(sizes.values())
    if total > most_bytes:
        raise HubError(f"{repo_id} has {total / 1e6:,.0f} MB; at most {most_bytes / 1e6:,.0f} MB are fetched")
    folder.mkdir(parents=True, exist_ok=True)
    report = Report(progress, total, most_bytes)
    with tempfile.TemporaryDirectory(prefix=".download-", dir=folder, ignore_cleanup_errors=True) as name:
        coming = Path(name)
        for file, size in sizes.items():
            where = {"revision": info.sha, "local_dir": coming, "etag_timeout": SECONDS, "tqdm_class": report.bar(hub)}
            asked(hub, repo_id, lambda: api.hf_hub_download(repo_id, file, **where))  # noqa: B023 - called at once
            report.finished(size)
            if file == CONFIG:
                checkpoint.check_kind(coming)
        shutil.rmtree(coming / ".cache", ignore_errors=True)
        settle(coming, target)
    return target


def settle(coming: Path, target: Path) -> None:
    """Give a folder that is complete its name; one that somebody else has fetched meanwhile stays.

    Raises:
        HubError: something else is in the way.
    """
    try:
        coming.chmod(0o755)
        target.parent.mkdir(parents=True, exist_ok=True)
        coming.rename(target)
    except OSError as error:
        if not (target / CONFIG).is_file():
            raise HubError(f"{target.name} could not be put in place: {error.strerror}") from error


def library() -> ModuleType:
    """The package huggingface_hub, imported only when it is needed."""
    try:
        return import_module("huggingface_hub")
    except ImportError as error:
        raise HubError("fetching a model needs the package huggingface_hub: pip install huggingface_hub") from error


def asked(hub: ModuleType, repo_id: str, ask: Callable[[], Any]) -> Any:
    """What the hub answers, its errors told in a sentence.

    Raises:
        HubError: it refuses, or cannot be reached.
    """
    errors = import_module("huggingface_hub.errors")
    try:
        return ask()
    except errors.GatedRepoError as error:
        raise HubError(f"{repo_id} is given only to those who log in and accept its terms") from error
    except errors.RepositoryNotFoundError as error:
        raise HubError(f"the hub has no public model {repo_id!r}; check the spelling, capitals count") from error
    except errors.HFValidationError as error:
        raise HubError(f"{repo_id!r} is not the id of a model; an id is owner/name") from error
    except (errors.OfflineModeIsEnabled, errors.HTTPError, errors.EntryNotFoundError, OSError) as error:
        answered = getattr(getattr(error, "response", None), "status_code", None)
        why = f"it answered {answered}" if answered else "there may be no network"
        raise HubError(f"{repo_id} could not be fetched from the hub: {why}; bundled models work offline") from error


def needed_files(repo_id: str, sizes: dict[str, int | None]) -> dict[str, int]:
    """The files to fetch and their sizes in bytes, config.json first.

    Raises:
        HubError: the model lacks its configuration, its weights in safetensors or a tokenizer.
    """
    weights = [WEIGHTS] if WEIGHTS in sizes else [INDEX, *sorted(filter(SHARD.fullmatch, sizes))]
    wanted = [name for name in (*SMALL, *weights) if name in sizes]
    lacks = {
        CONFIG: CONFIG in sizes,
        "weights in safetensors": WEIGHTS in sizes or (INDEX in sizes and len(weights) > 1),
        "tokenizer": any(name in sizes for name in PIECES),
    }
    missing = [what for what, there in lacks.items() if not there]
    if missing:
        raise HubError(
            f"{repo_id} has no {' and no '.join(missing)}; models of {', '.join(FAMILIES)} with safetensors can be used"
        )
    untold = [name for name in wanted if sizes[name] is None]
    if untold:
        raise HubError(f"the hub does not tell the size of {untold[0]} of {repo_id}; it is not fetched")
    return {name: size for name in wanted if (size := sizes[name]) is not None}


class Report:
    """Counts the bytes that have come and tells whoever asked for it."""

    def __init__(self, progress: Callable[[int, int], None] | None, total: int, most: int) -> None:
        self.progress = progress
        self.total = total
        self.most = most
        self.whole = 0  # of files that are there
        self.part = 0  # of the one that is coming

    def came(self, count: float) -> None:
        """More bytes of a file."""
        self.part += int(count)
        if self.whole + self.part > self.most:
            raise HubError(f"more than {self.most / 1e6:,.0f} MB came, which is not what the hub had told")
        self.tell()

    def finished(self, size: int) -> None:
        """A file is there."""
        self.whole, self.part = self.whole + size, 0
        self.tell()

    def tell(self) -> None:
        """Never more than there are: what is fetched again after an error counts once."""
        if self.progress is not None:
            self.progress(min(self.whole + self.part, self.total), self.total)

    def bar(self, hub: ModuleType) -> type:
        """A progress bar for huggingface_hub that draws nothing and tells this report."""
        report = self

        class Bar(import_module("huggingface_hub.utils").tqdm):  # type: ignore[misc]
            def __init__(self, *args: Any, **options: Any) -> None:
                super().__init__(*args, **{**options, "disable": True})

            def update(self, n: float | None = 1) -> None:
                report.came(n or 0)

        return Bar

"""Which models the app offers, and how each comes to be: bundled, untrained, built by a person, or from a folder.

A model's name is what the link carries: "base", "built:n_layers=8,seed=3", "folder:my-model", "learned:task=reverse" or
"moment:small,3000". A name never holds a path outside the server's model folder, and nothing is downloaded because of a
link.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from encoder import PRESETS, TextEncoder, checkpoint
from encoder.checkpoint import CheckpointError, hub, snapshots
from encoder.checkpoint.listing import folders, within
from encoder.explain.cost import size
from encoder.model.config import EncoderConfig
from encoder.model.config_text import config_to_text, text_to_config
from encoder.pictures.ask import MOMENT, moment_of
from encoder.support.errors import EncoderError
from pages.ui.server import memory, task_models
from pages.ui.server.offers import MODELS as MODELS
from pages.ui.server.offers import Offer
from pages.ui.state.session import session

DRAWN, READ = 4e-9, 1.5e-9  # seconds for a byte of weights that are drawn, or read from a disk
BUILT, FOLDER = "built:", "folder:"
USUAL_FOLDER = "~/encoder-models"
MOST_MB = memory.setting("ENCODER_MOST_MB", 1500)  # what the weights of one model may take
MOST_HEADS = 1536  # of all layers: no published encoder has more than 48 of 32
MOST_FETCHED, MOST_FETCHED_MB = 20, 10_000  # models in the folder up to which more are fetched
fetch_lock = threading.Lock()  # one model is fetched at a time


def folder() -> Path | None:
    """The one folder that models are read from; None where the server switched that off (ENCODER_MODELS is empty)."""
    named = os.environ.get("ENCODER_MODELS", USUAL_FOLDER)
    return Path(named).expanduser() if named else None


def usual() -> Path:
    """The model folder where nothing else is configured."""
    return Path(USUAL_FOLDER).expanduser()


def hub_is_on() -> bool:
    """Whether a person may have models fetched from the hub: ENCODER_HUB is "on", and there is a folder."""
    return folder() is not None and os.environ.get("ENCODER_HUB", "").strip().lower() not in memory.OFF


def fetch(repo_id: str, progress: Callable[[int, int], None]) -> None:
    """Fetch a model from the hub into the folder, one at a time, as long as there are not too many.

    Raises:
        EncoderError: it is no such model, or too large, another one is being fetched, or the folder holds as many as it
            may.
        OSError: the disk is full.
    """
    root = folder()
    if root is None or not hub_is_on():
        raise EncoderError("this server fetches no models from the hub; at home ENCODER_HUB=on turns it on")
    if not fetch_lock.acquire(blocking=False):  # who waited would see nothing happen, for as long as a download takes
        raise EncoderError("another model is being fetched right now; try again when it is there")
    try:
        there = folders(root)
        held = sum(file.stat().st_size for name in there for file in (root / name).glob("*.safetensors")) / 1e6
        if repo_id not in there and (len(there) >= MOST_FETCHED or held > MOST_FETCHED_MB):
            raise EncoderError(
                f"the folder of models holds {len(there)} of {held:,.0f} MB, and its limit is {MOST_FETCHED} models or "
                f"{MOST_FETCHED_MB:,} MB; whoever runs this server can delete some"
            )
        hub.download(repo_id, root, progress, int(MOST_MB * 1e6))
    finally:
        fetch_lock.release()


def offer(name: str) -> Offer:
    """How the app speaks of a model, and where in it to look first."""
    if task_models.is_one(name):
        layer, head = task_models.place(name)
        return Offer(task_models.label(name), layer=layer, head=head)
    if name.startswith(MOMENT):
        model, step = moment_of(name)
        known = MODELS.get(model, Offer(model))
        return Offer(
            f"{model.removeprefix(FOLDER)} at step {step:,} of its training", layer=known.layer, head=known.head
        )
    if name.startswith(BUILT):
        config, seed = text_to_config(name.removeprefix(BUILT))
        return Offer(f"built: {config.n_layers} × {config.d_model}, {config.n_heads} heads, seed {seed}")
    return MODELS[name] if name in MODELS else Offer(name.removeprefix(FOLDER))


def check(name: str) -> None:
    """Refuse a name that this server cannot make a model of; a folder's files are not looked at yet.

    Raises:
        EncoderError: there is no such model, it is too large, or its folder is not one of the server's.
    """
    if task_models.is_one(name):
        task_models.check(name)
    elif name.startswith(MOMENT):
        model, step = moment_of(name)
        kept = snapshots(home(model)) if model.startswith(FOLDER) or trained(model) else ()
        if step not in kept:
            raise EncoderError(f"its weights were not kept then; steps are {', '.join(map(str, kept)) or 'none'}")
    elif name.startswith(BUILT):
        within_limit(text_to_config(name.removeprefix(BUILT))[0])
    elif name.startswith(FOLDER):
        place(name)
        within_megabytes(weights(name) / 1e6)
    elif name not in MODELS:
        raise EncoderError("there is no such model here")


def trained(name: str) -> bool:
    """Whether that is a bundled model with weights of its own."""
    return name in MODELS and not MODELS[name].preset and not MODELS[name].twin


def home(name: str) -> str | Path:
    """What a bundled model, or one in a folder, is loaded by."""
    return place(name) if name.startswith(FOLDER) else name


def place(name: str) -> Path:
    """Where the model of that name lies; raises EncoderError where it may not be read or is not there."""
    root = folder()
    if root is None:
        raise EncoderError("this server opens no models from folders; on your own computer the app does")
    return within(root, name.removeprefix(FOLDER))


def within_limit(config: EncoderConfig) -> None:
    """Refuse a shape whose weights would take more memory than a model may have, or whose heads more time."""
    heads = config.n_layers * config.n_heads
    if heads > MOST_HEADS:
        raise EncoderError(
            f"its {config.n_layers} layers of {config.n_heads} heads are {heads:,} heads; this server allows "
            f"{MOST_HEADS:,}, and TextEncoder.from_config at home any number"
        )
    within_megabytes(size(config).bytes_of_weights / 1e6)


def within_megabytes(needed: float) -> None:
    """Refuse weights of so many MB where a model may not have them."""
    if needed > MOST_MB:
        raise EncoderError(
            f"its weights would take {needed:,.0f} MB; this server allows {MOST_MB:,} MB for a model: make it smaller, "
            "or build it on your own computer"
        )


def built(config: EncoderConfig, seed: int) -> str:
    """The name of an untrained model of that shape."""
    return BUILT + config_to_text(config, seed)


def names() -> list[str]:
    """The models that this session can choose from: the offered ones, and those of its own that it has opened."""
    return [*MODELS, *session().own_models]


def remember(name: str) -> None:
    """Keep a person's own model among those that the session can choose from."""
    own = session().own_models
    if name not in MODELS and name not in own:
        own.append(name)


def weights(name: str) -> int:
    """About how many bytes the weights of that model take.

    Those of a folder may be of 16 bits on disk, and be of 32 here; a folder that is damaged is told so when it is read,
    and has none.
    """
    name = moment_of(name)[0] if name.startswith(MOMENT) else name
    if name.startswith(FOLDER):
        with suppress(ValueError, OSError):
            return checkpoint.bytes_of_weights(place(name))
        return 0
    return size(config_of(name)).bytes_of_weights


def config_of(name: str) -> EncoderConfig:
    """The shape of a model that is not in a folder, before it is made."""
    if task_models.is_one(name):
        return task_models.config(name)
    if name.startswith(BUILT):
        return text_to_config(name.removeprefix(BUILT))[0]
    if preset := MODELS[name].preset:
        return PRESETS[preset]
    return checkpoint.read_config(checkpoint.BUNDLED / (MODELS[name].twin or name) / "config.json", mlm_head=True)


def footprint(name: str) -> int:
    """About how many bytes a model takes when it is there: nearly all of its weights are prepacked, too."""
    check(name)
    return 2 * weights(name)


def seconds(name: str) -> float:
    """About how long it takes until a model is there: those that are offered are ready in a moment."""
    if name in MODELS:
        return 0.0
    return weights(name) * (DRAWN if name.startswith(BUILT) else READ)


def make(name: str) -> TextEncoder:
    """Load or draw the model of that name.

    Raises:
        EncoderError: as `check`, and for a damaged checkpoint; the server's own paths are not named.
    """
    check(name)
    if task_models.is_one(name):
        return task_models.make(name)
    if name.startswith(BUILT):
        config, seed = text_to_config(name.removeprefix(BUILT))
        return TextEncoder.from_config(config, seed, name="built")
    if name.startswith(FOLDER):
        try:
            where, called = place(name), name.removeprefix(FOLDER)
            origin = str(where) if folder() == usual() else called  # a server's own path is not for everybody to see
            return TextEncoder.from_pretrained(where, called=called, origin=origin)
        except CheckpointError as error:
            raise EncoderError(str(error).replace(f"{folder()}/", "")) from error
    if name.startswith(MOMENT):
        model, step = moment_of(name)
        return TextEncoder.from_pretrained(home(model), step=step, origin=model.removeprefix(FOLDER))
    if MODELS[name].preset or MODELS[name].twin:
        return TextEncoder.from_config(config_of(name), name=name)
    return TextEncoder.from_pretrained(name)

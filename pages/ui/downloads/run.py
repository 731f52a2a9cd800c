"""The one place on every page from which all of a run can be taken along."""

from collections.abc import Callable
from typing import BinaryIO

import streamlit as st

from encoder import Trace
from encoder.pictures.export import layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import file_name
from encoder.pictures.link import LONGEST_IN_URL, VERSION
from encoder.support.formatting import megabytes
from pages.ui.downloads.button import save
from pages.ui.downloads.keep import keep_component
from pages.ui.server.writing import MOST_BYTES, written
from pages.ui.state import session_state as state


def page(trace: Trace) -> None:
    """What can be kept on every page: a link to what is seen, and all of the run."""
    view = state.current()
    fold = st.popover("Keep all", key="keep_all", icon=":material/download:", on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.markdown("**A link to what you see**")
        keep_component(key="keep_link", data={"version": VERSION})
        if max(map(len, (view.sentence, view.second))) > LONGEST_IN_URL:
            st.caption("The sentence is too long to be part of the link.")
        st.markdown("**All numbers of this run**")
        whole, layer = run_size(trace), layer_size(trace, view.layer)
        name = f"{file_name(view.model, 'run')}.npz"
        archive("Every step, for numpy", name, whole, lambda f: to_npz(trace, f))
        name = f"{file_name(view.model, f'layer{view.layer}')}.zip"
        archive(f"Layer {view.layer}, as CSV", name, layer, lambda f: to_csv_zip(trace, view.layer, f))


def archive(label: str, name: str, nbytes: int, write: Callable[[BinaryIO], None]) -> None:
    """A button that writes a file when it is clicked, with its size; a file that is too large is refused with it."""
    if nbytes > MOST_BYTES:
        most = megabytes(MOST_BYTES)
        st.caption(f"{label}: {megabytes(nbytes)}, more than the {most} that are handed out here; use the library.")
        return
    key, said = f"save_{name[-3:]}", f"{label} (about {megabytes(nbytes)})"
    save(said, key, name, lambda: written(nbytes, write), "application/octet-stream")

"""The one place on every page from which all of a run can be taken along."""

from collections.abc import Callable
from typing import BinaryIO, get_args

import cachetools
import streamlit as st

from encoder import TextEncoder, Trace
from encoder.pictures.export import layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import file_name
from encoder.pictures.link import LONGEST_IN_URL, VERSION
from encoder.pictures.report.report import megabytes, plan, report
from encoder.support.theme import Theme
from pages.ui import session
from pages.ui.downloads.button import save
from pages.ui.downloads.keep import keep_component
from pages.ui.server.writing import MOST_BYTES, MOST_REPORT, export_lock, written
from pages.ui.state import session_state as state

REPORTS_BYTES = 60_000_000  # all kept reports together
reports: cachetools.LRUCache[tuple[object, ...], bytes] = cachetools.LRUCache(maxsize=REPORTS_BYTES, getsizeof=len)


def page(trace: Trace) -> None:
    """What can be kept on every page: a link to what is seen, and all of the run."""
    view, model = state.current(), session.text_encoder(state.current().model)
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
        st.markdown("**A report to read offline**")
        reported(model, trace)


def archive(label: str, name: str, nbytes: int, write: Callable[[BinaryIO], None]) -> None:
    """A button that writes a file when it is clicked, with its size; a file that is too large is refused with it."""
    if nbytes > MOST_BYTES:
        most = megabytes(MOST_BYTES)
        st.caption(f"{label}: {megabytes(nbytes)}, more than the {most} that are handed out here; use the library.")
        return
    key, said = f"save_{name[-3:]}", f"{label} (about {megabytes(nbytes)})"
    save(said, key, name, lambda: written(nbytes, write), "application/octet-stream")


def reported(encoder: TextEncoder, trace: Trace) -> None:
    """The report of chosen layers: its size, the way to make it with progress, and then to take it along."""
    view = state.current()
    layers = st.multiselect("Layers", range(trace.config.n_layers), default=[view.layer], key="report_layers")
    nbytes = plan(trace, layers).nbytes
    if nbytes > MOST_REPORT:
        st.caption(f"It would take {megabytes(nbytes)}, more than {megabytes(MOST_REPORT)}: choose fewer layers.")
        return
    theme = st.segmented_control("Colours", get_args(Theme), default="light", required=True, key="report_theme")
    asked = (view.model, trace.inputs, view.hidden, view.edits, tuple(sorted(layers)), theme)
    if st.button(f"Make the report (about {megabytes(nbytes)})", key="make_report"):
        bar = st.progress(0.0)

        def tell(done: float) -> None:
            bar.progress(done)

        with export_lock:
            reports[asked] = "".join(report(encoder, trace, layers, tell, theme=theme or "light")).encode()
        bar.empty()
    if (kept := reports.get(asked)) is not None:
        name = f"{file_name(view.model, 'report')}.html"
        save(f"Save the report ({megabytes(len(kept))})", "save_report", name, lambda: kept, "text/html")

"""Measures of all heads, and other pictures, over a list of sentences: as tables to take along."""

from functools import partial
from itertools import islice

import pandas as pd
import streamlit as st

from encoder.metrics import HEAD_MEASURES
from encoder.pictures.export.caption import file_name
from encoder.pictures.lists import ListTable, Measured, measuring
from encoder.support.errors import EncoderError
from pages.ui import session_runs
from pages.ui.downloads import keep
from pages.ui.refusals import shows_errors
from pages.ui.state import session_state as state
from pages.ui.step import sweep
from pages.ui.text import plain

MOST, LONGEST, MOST_ROWS, SHOWN = 1000, 200_000, 1_000_000, 20  # sentences, characters, rows; rows on the page
MEASURES = {f"measured?measure={name}": measure.title for name, measure in HEAD_MEASURES.items()}
PICTURES = MEASURES | {
    "head_lengths": "Length of what each head writes, by token",
    "mixing": "How much each token takes from others",
    "arcs": "Where each head looks from the first word",
    "all_heads": "All weights, from token to token",
    "rollout": "Rollout, from token to token",
}
KINDS = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet", "npz": "application/octet-stream"}


def draw() -> None:
    """The list, what is measured, and the tables."""
    pasted = st.text_area(f"Sentences, one in each line ({MOST:,} at most)", key="list_text", max_chars=LONGEST)
    given = st.file_uploader("Or a text file with one in each line", type=["txt"], key="list_file")
    wanted = st.multiselect("Measure", [*PICTURES], [*MEASURES][:2], PICTURES.__getitem__, key="list_pictures")
    written = given.getvalue()[:LONGEST].decode("utf-8", "replace") if given is not None else pasted
    sentences = tuple(line.strip() for line in written.splitlines() if line.strip())
    if len(sentences) > MOST:
        st.caption(f"The first {MOST:,} of {len(sentences):,} are measured.")
    sentences, view = sentences[:MOST], state.current()
    if not sentences or not wanted:
        st.caption("Every sentence is read alone, by the model in the bar, without what is changed or masked.")
        return
    encoder, done = session_runs.text_encoder(view.model), None
    with shows_errors():
        try:
            done = sweep.follow(
                "list",
                (view.model, sentences, tuple(wanted)),
                lambda: measuring(encoder, sentences, wanted, most_rows=MOST_ROWS),
                f"Measure {len(sentences):,} sentences",
                unit="sentences",
            )
        except EncoderError as error:
            st.warning(plain(f"They cannot be measured: {error}."))
    if done is not None:
        show(done.measured, sentences)


def show(measured: Measured, sentences: tuple[str, ...]) -> None:
    """What was left out, and each table with its files."""
    for number, why in islice(measured.left_out.items(), 5):
        st.caption(plain(f"Left out: “{sentences[number][:60]}”, {why}."))
    if measured.cut:
        st.caption(f"{len(measured.cut)} are longer than the model reads, and cut.")
    for table in measured.tables:
        first = {name: values[:SHOWN] for name, values in table.columns.items()}
        st.markdown(f"**{len(table):,} rows**, one for each sentence, {', '.join(table.dims)}. The first {SHOWN}:")
        st.dataframe(pd.DataFrame(first).rename(columns=PICTURES), key=f"list_{table.name}", hide_index=True)
        with st.container(horizontal=True):
            for kind, mime in KINDS.items():
                name = f"{file_name(f'list-{table.name}')}.{kind}"
                keep.save(kind.upper(), f"list_{table.name}_{kind}", name, partial(file_of, table, kind), mime)


def file_of(table: ListTable, kind: str) -> bytes:
    """A table as a file of a kind."""
    content: str | bytes = getattr(table, kind)()
    return content.encode() if isinstance(content, str) else content

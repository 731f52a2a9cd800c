"""Open a number: the arithmetic that made it, from the recorded operands, and a link to each of them."""

import pandas as pd
import streamlit as st

from encoder.errors import EncoderError
from encoder.formatting import short, shown
from encoder.operations.explanation import Explanation, Operand
from encoder.pictures.registry.steps import TERMS, explained, term_names
from encoder.pictures.view import Cell
from encoder.trace.trace import Trace
from pages.ui import picture, session
from pages.ui.component import component
from pages.ui.state import session_state as state
from pages.ui.step.opened import close, open_number
from pages.ui.text import NUMBER, plain, subheading

ROWS = 500  # terms in the table
_drawer = component(__file__, "drawer", "<span></span>")


def place(trace: Trace, name: str, index: tuple[int, ...]) -> str:
    """Where a number is, in words: its step, layer, head, tokens and dimension."""
    if name == "ids":
        return f"Token id of “{shown(trace.tokens[index[0]])}” ({index[0]})"
    if name not in trace:
        return f"{name} [{', '.join(map(str, index))}]"
    step = trace.step(name)
    where = [f"layer {step.layer}"] if step.layer is not None else []
    tokens = []
    for dimension, i in zip(step.shape, index, strict=True):
        if dimension == "sentence":
            tokens.append("the whole sentence")
        elif dimension == "n":
            tokens.append(f"“{shown(trace.tokens[i])}” ({i})")
        elif dimension == "vocab":
            word = session.text_encoder(state.current().model).tokenizer.id_to_token(i)
            where.append(f"word “{shown(word or '')}” ({i})")
        else:
            where.append(f"{'head' if dimension == 'H' else 'unit' if dimension == 'd_ff' else 'dimension'} {i}")
    return f"{step.title}, {', '.join([*where, ' → '.join(tokens)])}"


def opened(trace: Trace) -> Explanation | str | None:
    """The opened number explained, or why it cannot be; None where none is open."""
    view = state.current()
    if view.cell is None:
        return None
    try:
        return session.text_encoder(view.model).explain(trace, view.cell.step, view.cell.index)
    except (KeyError, EncoderError) as error:
        return f"The opened number cannot be shown: {error.args[0]}."


def draw(trace: Trace, wanted: bool = True) -> None:
    """The opened number in a drawer beside the page, if one is open and `wanted` there."""
    found, cell = opened(trace) if wanted else None, state.current().cell
    _drawer(key="drawer", data={"open": isinstance(found, Explanation)})
    if not isinstance(found, Explanation):
        if found:
            st.warning(plain(found))
        return
    if cell is not None and cell not in state.session().trail:
        state.session().trail = [cell]
    with st.container(border=True, key="inspector"):
        breadcrumb()
        subheading(f"{plain(place(trace, found.name, found.index))} = {short(found.recorded)}")
        st.markdown(plain(found.words))
        if found.edited:
            st.markdown(
                f"**{plain(f'This number was changed: {found.edited}.')}** The arithmetic is that of the step as it is."
            )
        with st.container(key="arithmetic", horizontal=True):
            st.latex(found.latex)
        if found.operation not in ("parameter", "input"):
            st.caption(
                f"Computed again in float64: {found.result:.9g}. Recorded: {found.recorded:.9g}. "
                f"Difference: {found.difference:.1e}, where the numbers combined are of size {short(found.size)}."
            )
        if found.operands:
            links(trace, found.operands)
        if found.terms is not None:
            terms(trace, found)


def breadcrumb() -> None:
    """The trail of opened numbers, each a way back, and the way out."""
    with st.container(horizontal=True, key="trail"):
        for i, cell in enumerate(state.session().trail):
            label = plain(f"{cell.step.removeprefix('layers.')} [{', '.join(map(str, cell.index))}]")
            here = cell == state.current().cell
            st.button(label, key=f"trail_{i}", type="tertiary", disabled=here, on_click=open_number, args=(cell,))
        st.button("Close", key="close", icon=":material/close:", type="tertiary", shortcut="Esc", on_click=close)


def links(trace: Trace, operands: tuple[Operand, ...]) -> None:
    """One button for each single operand."""
    with st.container(horizontal=True, key="operands"):
        for i, one in enumerate(operands):
            label = plain(f"{place(trace, one.name, one.index)} = {short(one.value)}")
            st.button(label, key=f"operand_{i}", on_click=open_number, args=(Cell(one.name, one.index),))


def terms(trace: Trace, found: Explanation) -> None:
    """What was added up: a picture of the largest terms, and a table in which each factor can be opened."""
    summed = found.terms
    assert summed is not None
    scene = picture.ask(TERMS)
    order, name_of = summed.order[:ROWS], term_names(scene, found)
    names = [name_of[k] for k in order]
    picture.show(TERMS, known={explained(scene): found}, numbers=False)
    columns = {line_title(line.name): line.values[order] for line in summed.lines}
    table = pd.DataFrame(
        {"term": names, **columns, "value": summed.values[order], "sum so far": summed.running[: len(order)]}
    )
    picked = st.dataframe(
        table,
        key=f"terms_{Cell(found.name, found.index)}",
        hide_index=True,
        height=260,
        on_select="rerun",
        selection_mode="single-cell",
        column_config=dict.fromkeys([*columns, "value", "sum so far"], NUMBER),
    )
    more = (
        f" The {len(order)} largest of {len(summed.values)} terms are listed."
        if len(order) < len(summed.values)
        else ""
    )
    st.caption(f"Choose a number in the columns {' or '.join(columns)} to open it.{more}")
    for row, column in picked.selection.cells:
        if column in columns:
            line = summed.lines[list(columns).index(column)]
            one = line[int(order[row])]
            if Cell(one.name, one.index) not in state.session().trail:
                open_number(Cell(one.name, one.index))
                st.rerun()


def line_title(name: str) -> str:
    """What a factor is called in the table: the last words of its name."""
    return ".".join(name.split(".")[-2:])

"""What is in the figure, what it can begin with, and what a person chooses for it; all of it is part of the link."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from encoder.model.steps.catalogue import catalogue
from encoder.pictures import figure_link
from encoder.pictures.figure_link import LONGEST, OFFERED, OWN_SIZE, PictureAt, sheet_of, usual
from encoder.pictures.link import to_query
from encoder.pictures.paper.printed_panel import Panel
from encoder.pictures.paper.sheet import Sheet
from encoder.pictures.scene import layer_names
from pages.ui import session_runs
from pages.ui.downloads import figure_collection
from pages.ui.picture_view import panel_at
from pages.ui.state import session_state as state
from pages.ui.state.site import page_of
from pages.ui.state.walk import page_of as page_of_step
from pages.ui.text import plain
from pages.ui.widgets import fold


def shown() -> list[Panel]:
    """What is drawn, in order."""
    here = state.session()
    return [here.figure.panels[at] for at in here.figure.pictures if at in here.figure.panels]


def headline() -> str:
    """What is in the figure; while there is nothing, what stands in for it."""
    titles = [panel.title for panel in shown()]
    if len(titles) > 1:
        return f"{len(titles)} pictures, from “{titles[0]}” to “{titles[-1]}”"
    return titles[0] if titles else f"As it would be printed: {title().lower()}"


def head() -> int:
    """The chosen head of this model."""
    return min(state.current().head, session_runs.now().config.n_heads - 1)


def title() -> str:
    """What the panel is called."""
    return f"Layer {state.current().layer}, head {head()}"


def draw_panels() -> None:
    """A line for each picture: its letter, what it is, and where it came from; the link names them all."""
    here = state.session()
    state.choice("figure", None, "")
    packed = figure_link.pack(here.figure.pictures)
    figure_collection.draw_missing(panel_at)
    state.remember(figure_link.OWN, packed, "")
    if here.figure.pictures and not packed:
        st.caption("The pictures are too many, or their sentences too long, to be part of the link.")
    for i, at in enumerate(here.figure.pictures):
        draw_panel(i, at)


def draw_panel(i: int, at: PictureAt) -> None:
    """One picture, and the buttons that move it, take it out and lead to where it stands."""
    here = state.session()
    page, panel = page_of(at.page), here.figure.panels.get(at)
    with st.container(horizontal=True, vertical_alignment="center", key=f"panel_{i}"):
        title = panel.title if panel else f"Not drawn: {here.figure.reasons.get(at, 'it is not drawn yet')}"
        st.markdown(f"**({chr(97 + i)})** {plain(title)}", width="stretch")
        button = partial(st.button, type="tertiary", args=(at,))
        button(page.title, key=f"panel_page_{i}", icon=page.icon, on_click=figure_collection.open_page)
        button("Move up", key=f"panel_up_{i}", disabled=i == 0, on_click=figure_collection.move)
        button("Take out", key=f"panel_out_{i}", on_click=figure_collection.remove)


WALKED = 10  # steps of a layer that make a film


def draw_beginnings(more: str = "") -> None:
    """While there is no picture: the chosen head's weights to begin with, and rows that make a film; `more` is said."""
    if more:
        st.markdown(more)
    if shown():
        return
    st.markdown("No picture is in it yet. **Add to figure**, under every picture, puts it here. Or begin with:")
    view, config = state.current(), session_runs.now().config
    head = min(view.head, config.n_heads - 1)
    layers = range(min(config.n_layers, figure_link.MOST))
    walk = [each for each in catalogue(config) if each.layer == view.layer and not each.local.endswith("residual")][
        :WALKED
    ]
    offers = {
        f"Weights of layer {view.layer}, head {head}": [weights(view.layer)],
        f"Head {head} in {len(layers)} layers": [weights(layer) for layer in layers],
        f"The first {len(walk)} steps of layer {view.layer}": [
            step(page_of_step(each).key, each.local, view.layer) for each in walk
        ],
    }
    if session_runs.text_encoder(view.model).model.mlm_head is not None:
        after = layer_names(config, with_input=True)[-figure_link.MOST :]
        offers["The ranks of the likeliest words, layer by layer"] = [ranks(layer, after[-1]) for layer in after]
    with st.container(gap="xsmall", key="figure_begins"):
        for i, (words, pictures) in enumerate(offers.items()):
            icon = ":material/add_photo_alternate:"
            st.button(
                words,
                key=f"figure_begin_{i}",
                type="tertiary",
                icon=icon,
                on_click=figure_collection.fill,
                args=(pictures,),
            )


def weights(layer: int) -> PictureAt:
    """The weights of the chosen head in a layer."""
    return step("attention", "attention.weights", layer)


def step(page: str, name: str, layer: int) -> PictureAt:
    """The picture of a step in a layer, on its page."""
    return figure_link.at(page, "picture", to_query(replace(state.current(), step=name, layer=layer)))


def ranks(after: str, last: str) -> PictureAt:
    """The ranks of the last layer's best words up to a layer; the last is where they go without a choice."""
    choices = dict(state.current().choices) | {"race_upto": after}
    if after == last:
        del choices["race_upto"]
    return figure_link.at(
        "stack", "race", to_query(replace(state.current(), step="output", choices=tuple(sorted(choices.items()))))
    )


TOGGLES = {
    "figure_square": "Square cells",
    "figure_words": "Words only",
    "figure_fit": "Numbers in cells",
    "figure_shared": "One colour scale for all",
}
LOOK = ("figure_letters", "figure_across", "figure_theme", *TOGGLES)
WORDS = ("figure_title", "figure_caption", "figure_alt")
HELP = {"figure_fit": "In maps whose cells have room for them."}


def tie(key: str) -> dict[str, Any]:
    """What ties a widget to a choice of the sheet."""
    return state.choice(key, OFFERED[key], usual(key, dict(state.current().choices)))


def pick(widget: Callable[..., Any], label: str, key: str, **options: Any) -> Any:
    """A widget for a choice of the sheet."""
    return widget(label, OFFERED[key], **options, **tie(key))


def choose_sheet() -> Sheet:
    """The sheet that is chosen; asks for all of it, what few change folded."""
    if pick(st.selectbox, "For", "figure_for") == OWN_SIZE:
        pick(st.select_slider, "Width in mm", "figure_width")
        pick(st.select_slider, "Height in mm; 0 is as high as needed", "figure_height")
    fold("Its look", "figure_look", look, holds=LOOK)
    fold("Its words", "figure_texts", texts, holds=WORDS)
    return sheet_of(dict(state.current().choices))


def look() -> None:
    """Letters, rows and colours."""
    pick(st.select_slider, "Labels in points", "figure_letters")
    pick(st.pills, "Panels in a row", "figure_across", required=True, format_func=row_label)
    pick(st.segmented_control, "Colours", "figure_theme", required=True)
    for key, label in TOGGLES.items():
        st.toggle(label, help=HELP.get(key), **tie(key))


def texts() -> None:
    """Title, caption and alt text, where they are not those that are made."""
    st.text_input("Title", max_chars=120, **tie("figure_title"))
    for key, label in (("caption", "Caption; empty for the one below"), ("alt", "Alt text; empty for the caption")):
        st.text_area(label, max_chars=LONGEST, height=70, **tie(f"figure_{key}"))


def row_label(count: int) -> str:
    """How a number of panels in a row is called."""
    return str(count) if count else "As fits"

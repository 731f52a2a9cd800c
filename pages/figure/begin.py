"""What a figure can begin with, each with one click."""

from dataclasses import replace

import streamlit as st

from encoder.model.steps.catalogue import catalogue
from encoder.pictures import figure_link
from encoder.pictures.figure_link import PictureAt
from encoder.pictures.link import to_query
from encoder.pictures.names import layer_names
from pages.figure.panels import shown
from pages.ui import session
from pages.ui.downloads import figure
from pages.ui.state import session_state as state
from pages.ui.state.walk import page_of

WALKED = 10  # steps of a layer that make a film


def draw(more: str = "") -> None:
    """While there is no picture: the chosen head's weights to begin with, and rows that make a film; `more` is said."""
    if more:
        st.markdown(more)
    if shown():
        return
    st.markdown("No picture is in it yet. **Add to figure**, under every picture, puts it here. Or begin with:")
    view, config = state.current(), session.now().config
    head = min(view.head, config.n_heads - 1)
    layers = range(min(config.n_layers, figure_link.MOST))
    walk = [each for each in catalogue(config) if each.layer == view.layer and not each.local.endswith("residual")][
        :WALKED
    ]
    offers = {
        f"Weights of layer {view.layer}, head {head}": [weights(view.layer)],
        f"Head {head} in {len(layers)} layers": [weights(layer) for layer in layers],
        f"The first {len(walk)} steps of layer {view.layer}": [
            step(page_of(each).key, each.local, view.layer) for each in walk
        ],
    }
    if session.text_encoder(view.model).model.mlm_head is not None:
        after = layer_names(config, with_input=True)[-figure_link.MOST :]
        offers["The ranks of the likeliest words, layer by layer"] = [ranks(layer, after[-1]) for layer in after]
    with st.container(gap="xsmall", key="figure_begins"):
        for i, (words, pictures) in enumerate(offers.items()):
            icon = ":material/add_photo_alternate:"
            st.button(
                words, key=f"figure_begin_{i}", type="tertiary", icon=icon, on_click=figure.fill, args=(pictures,)
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

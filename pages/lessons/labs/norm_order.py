"""The same weights with the norm after each sum, and before each sublayer."""

import streamlit as st

from encoder.pictures.registry.labs_layers import (
    NORM,
    NORMS,
    ORDER_ALIKE,
    ORDER_LENGTH,
    SIDES_POST,
    SIDES_PRE,
    in_both_orders,
)
from encoder.support.errors import EncoderError
from pages.ui.picture import answer_of, ask, show, tie
from pages.ui.text import heading, plain


def draw() -> None:
    """How long the vectors grow in both orders, how alike they stay, and what goes into a norm and comes out."""
    st.markdown(
        "Post-norm, as in the paper, norms every sum. Pre-norm norms what goes into a sublayer and leaves the sum as "
        "it is. Here both run with the same weights: what differs is the order alone."
    )
    scene = ask(ORDER_LENGTH)
    try:
        orders = answer_of(ORDER_LENGTH, scene).value(in_both_orders(scene))
    except EncoderError as error:
        st.markdown(f"Not here: {plain(str(error))}.")
        return
    known = {in_both_orders(scene): orders}
    own = f"This model was made as {orders.own}; in the other order its weights do what nobody trained them for."
    show(ORDER_LENGTH, known=known, more=own)
    show(ORDER_ALIKE, known=known)
    heading(f"What goes into a norm of layer {scene.layer}, and what comes out")
    st.pills("Norm", list(NORMS), required=True, **tie(NORM, scene))
    for column, picture in zip(st.columns(2), (SIDES_POST, SIDES_PRE), strict=True):
        with column:
            show(picture, known=known)

"""Labs: claims that every tutorial makes, tried on the spot with the numbers that come out."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from encoder.experiments import collapse, hidden_row, padding, word_order
from encoder.figures.charts import lines, token_bars
from encoder.figures.matrix import matrix
from encoder.formatting import short, shown
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.state import session_state as state
from pages.ui.text import NUMBER, plain, theme

trace, view = session.now(), state.current()
encoder, config = session.text_encoder(view.model), trace.config
layers, heads = [f"layer {i}" for i in range(config.n_layers)], [f"head {h}" for h in range(config.n_heads)]


def verdict(text: str) -> None:
    """What was measured, in one sentence."""
    st.markdown(f"**{plain(text)}**")


def order() -> None:
    """Without positions the outputs are the same vectors in another order."""
    st.markdown(
        "Is word order lost without positional encoding? Your sentence is run with its words in reverse as well."
    )
    try:
        found = word_order(encoder, trace.text)
    except ValueError as error:
        st.markdown(plain(f"{error}."))
        return
    st.text("Reversed: " + " ".join(map(shown, found.reordered)))
    off, on = f"{found.largest_off:.1e}", f"{found.largest_on:.3g}"
    verdict(f"Without positions each word has the same vector in both orders, up to {off}; with them it is {on} away.")
    by_token = {"positions off": found.off.abs().amax(-1).numpy(), "positions on": found.on.abs().amax(-1).numpy()}
    bars = token_bars(by_token, list(found.tokens), title="largest difference", theme=theme())
    chart(bars, "order", "Largest difference of each token's output between both orders")


def scaling() -> None:
    """What the division by sqrt(d_k) is for."""
    st.markdown("Why divide by √d_k? Random queries and keys of growing width, and then the heads of this model.")
    widths = session.lab("dot_products")
    x = np.array([w.d_k for w in widths])
    measured = {"measured": np.array([w.deviation for w in widths]), "√d_k": np.array([w.predicted for w in widths])}
    drawn = lines(measured, x, ("d_k", "standard deviation of q · k"), logarithmic=(True, True), theme=theme())
    chart(drawn, "deviation", "The spread of dot products grows with the square root of the width")
    spread = {
        "divided": np.array([w.with_entropy for w in widths]),
        "not divided": np.array([w.without_entropy for w in widths]),
    }
    drawn = lines(spread, x, ("d_k", "entropy as a share of ln n"), logarithmic=(True, False), theme=theme())
    chart(drawn, "spread", "Entropy of the weights with and without the division")
    last = widths[-1]
    verdict(
        f"At d_k = {last.d_k} the largest weight is {short(last.without_largest)} on average without the division and "
        f"{short(last.with_largest)} with it: softmax becomes all or nothing."
    )
    found = session.lab("scaling", view.model, trace.asked)
    chart(matrix((found.without_entropy - found.with_entropy).numpy(), layers, heads, kind="signed", theme=theme()),
          "scaling_heads", "Change of each head's entropy share when the division is left out")  # fmt: skip
    change = float((found.without_entropy - found.with_entropy).mean())
    verdict(
        f"In this model, on this sentence, leaving it out changes a head's entropy share by {short(change)} on average."
    )


def pads() -> None:
    """Padding with the mask, and with the mask forgotten."""
    st.markdown(
        "In a batch the shorter sentence is filled up with [PAD]. What if the mask that hides [PAD] is forgotten?"
    )
    short_text = st.text_input("Short sentence", max_chars=200, **state.choice("pad_short", None, "The cat sleeps."))
    try:
        found = padding(encoder, short_text, trace.text)
    except ValueError as error:
        st.markdown(plain(f"{error}."))
        return
    words = list(found.tokens[: found.n])
    verdict(
        f"With the mask the short sentence has the vectors that it has alone, up to {float(found.masked.max()):.1e}; "
        f"with the mask forgotten they are up to {float(found.forgotten.max()):.3g} away."
    )
    both = {"masked": found.masked.numpy(), "mask forgotten": found.forgotten.numpy()}
    chart(
        token_bars(both, words, title="largest difference", theme=theme()),
        "pads",
        "Difference from the run alone, per token",
    )
    drawn = matrix(found.forgotten_leak.numpy(), layers, heads, kind="share", theme=theme())
    chart(drawn, "leak", "Share of the weight that goes to [PAD] when the mask is forgotten")
    verdict(f"Forgotten, [PAD] takes {short(float(found.forgotten_leak.mean()))} of all weight on average; masked, 0.")
    st.markdown("And if every key of a row is hidden?")
    lost, even = hidden_row(-math.inf), hidden_row(-1e9)
    verdict(
        f"With minus infinity the row is 0/0, not a number, and {lost.lost[-1]} of {len(lost.weights)} tokens are lost "
        f"in the end; with -1e9 the row is even: {short(float(even.weights[-1, 0]))} for each token it must not see."
    )


def depth() -> None:
    """What residuals and norms do for deep stacks."""
    st.markdown("Random blocks, stacked up to 48 deep, with and without the residual path and the norm.")
    found = session.lab("residuals")
    names = {(True, True): "both", (True, False): "no norm", (False, True): "no residual", (False, False): "neither"}
    x = np.arange(len(found.curves[0].length))
    apart = {names[(c.residual, c.norm)]: c.apart.numpy() for c in found.curves}
    drawn = lines(apart, x, ("blocks", "1 - cosine between tokens"), logarithmic=(False, True), theme=theme())
    chart(drawn, "depth_apart", "How far tokens stay apart with depth")
    length = {names[(c.residual, c.norm)]: c.length.numpy() for c in found.curves}
    drawn = lines(length, x, ("blocks", "length of a vector"), logarithmic=(False, True), theme=theme())
    chart(drawn, "depth_length", "Length of the vectors with depth")
    without, both, bare = found.curve(False, True), found.curve(True, True), found.curve(True, False)
    far = [f"{float(curve.apart[6]):.2g}" for curve in (both, without)]
    verdict(
        f"After 6 blocks 1 - cosine between two tokens is {far[0]} with residuals and {far[1]} without. After {x[-1]} "
        f"blocks a vector is {short(float(bare.length[-1]))} long without norms, {short(float(both.length[-1]))} with."
    )


def formulas() -> None:
    """LayerNorm and the variant with the unbiased standard deviation."""
    st.markdown("Many tutorials divide by the unbiased standard deviation plus eps. Is that LayerNorm?")
    found = session.lab("norms")
    table = pd.DataFrame(found).set_index("d_model")
    x = np.array([pair.d_model for pair in found])
    series = {"largest": table["largest"].to_numpy(), "mean": table["mean"].to_numpy()}
    chart(
        lines(series, x, ("d_model", "difference"), logarithmic=(True, True), theme=theme()),
        "formulas",
        "Difference by width",
    )
    st.dataframe(table, key="formulas_table", column_config=dict.fromkeys(table.columns, NUMBER))
    verdict(f"Not the same, but close: at d_model 512 the outputs differ by a factor of {table.loc[512, 'ratio']:.6f}.")


def merge() -> None:
    """Two linear layers are one; with an activation between them they are not."""
    st.markdown("Without an activation, do two linear layers collapse into one?")
    found = collapse()
    verdict(
        f"Merged into W' = W₁W₂ and b' = b₁W₂ + b₂ they differ by {found.linear:.1e}. With ReLU between the merged "
        f"layer is {short(found.bent)} away, and the best linear layer misses {short(100 * found.remainder)} % of it."
    )


PARTS = {
    "Word order": order,
    "Why √d_k": scaling,
    "Padding": pads,
    "Residuals and depth": depth,
    "Two LayerNorms": formulas,
    "Layer collapse": merge,
}
for tab, draw in zip(st.tabs(list(PARTS), **state.choice("lab", PARTS, "Word order")), PARTS.values(), strict=True):
    if tab.open:
        with tab:
            draw()

"""Which parts of the model made the guess: the logit as a sum over the embedding, every head and every feed-forward."""

import streamlit as st

from encoder.experiments.attributions.contributions import BIAS, EMBEDDING, REST
from encoder.pictures.registry.why import WHY_HEAD, WHY_PARTS, attributed, target_name
from encoder.support.formatting import brief
from pages.ui.picture import kept, show
from pages.ui.step.target import pick
from pages.ui.text import heading, plain


def draw() -> None:
    """The sum as a map of heads and blocks, and one head as a sum over the tokens it gathered from."""
    st.markdown(
        "The vector that makes the guess is a sum: what the embedding, every head and every feed-forward block put "
        "into it. So the logit is a sum too."
    )
    scene = pick()
    if scene is None:
        return
    parts = WHY_PARTS.of(scene, kept(scene)).value(attributed(scene))
    show(
        WHY_PARTS,
        scene=scene,
        more=f"With the embedding ({brief(parts.of(EMBEDDING))}), the biases ({brief(parts.of(BIAS))}) and rounding or "
        f"changes ({brief(parts.of(REST))}) all parts add up to {brief(parts.total)}, {plain(target_name(scene))}.",
    )
    st.caption(
        "Each norm divides every part by the spread that it had in this run, and the activation of the MLM head "
        "multiplies it by the factor that it had: without a part they would be others, so this is no knock-out."
    )
    heading(f"Layer {scene.layer}, head {scene.head}: from which tokens")
    show(WHY_HEAD, scene=scene)

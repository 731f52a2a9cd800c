"""Whether shares add up to what they are shares of."""

import streamlit as st

from encoder.experiments.attributions.gradients import Attribution
from encoder.support.formatting import brief, percent


def completeness(found: Attribution, name: str) -> None:
    """Whether the shares add up to what they are shares of."""
    assert found.without is not None and found.missing is not None
    wanted = found.value - found.without
    st.progress(min(1.0, max(0.0, found.total / wanted)) if wanted else 0.0, "What the shares add up to")
    said = (
        f"The shares by integrated gradients add up to {brief(found.total)}; from the baseline to this "
        f"sentence {name} goes from {brief(found.without)} to {brief(found.value)}, by {brief(wanted)}."
    )
    end = f" {percent(found.missing)} is missing, with {found.steps} steps."
    st.text(said + (end if found.converged else f"{end} It did not converge, so these shares do not add up."))

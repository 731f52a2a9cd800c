"""How the numbers are spread before a norm and after it."""

from encoder.export.caption import About
from encoder.figures.drawn import numbers_of
from encoder.figures.histogram import histogram
from encoder.formatting import brief
from encoder.metrics import norm_sides
from pages.ui import session
from pages.ui.components.chart import chart
from pages.ui.downloads import table as downloads
from pages.ui.state import session_state as state
from pages.ui.text import heading, say, theme


def draw(part: str) -> None:
    """All numbers of all tokens that go into one norm of the layer, and all that come out."""
    trace, view = session.now(), state.current()
    heading("All numbers before the norm and after it")
    sides = norm_sides(trace, view.layer, part)
    drawn = histogram({name: values.numpy() for name, values in sides.items()}, "number", theme())
    before, after = (float(values.std()) for values in sides.values())
    fact = (
        f"The {sides['before'].numel():,} numbers that go into this norm have a standard deviation of {brief(before)}; "
        f"those that come out have {brief(after)}."
    )
    into = "residual" if trace.config.norm_first else "sum"
    about = About(trace, layer=view.layer, reads=(f"{part}.{into}", f"{part}.output"))
    made = f'shares_in_bins(norm_sides(t, {view.layer}, "{part}"))[1]'
    chart(drawn, "norm_sides", fact, about, made=made)
    say(fact, "To see the same weights with their norms in the other place, open the tab of Labs on their order.")
    downloads.of_figure("norm_sides", numbers_of(drawn))

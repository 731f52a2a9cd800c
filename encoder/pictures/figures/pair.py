"""The two sentences of a pair told apart in a picture: by the colour of their names, and by a rule between them."""

import plotly.graph_objects as go

from encoder.support.theme import ACCENT, MUTED, SECOND, Theme, labels


def tell_apart(figure: go.Figure, tokens: list[str], second: int, theme: Theme = "light") -> None:
    """Colour the token names of a figure, and draw a rule before the first token of B, at position `second`.

    Axes that do not name these tokens are left as they are.
    """
    names = labels(tokens)
    for letter in "xy":
        axis = figure.layout[f"{letter}axis"]
        places, said = axis.tickvals, axis.ticktext
        if not said or not all(i in range(len(names)) for i in places):
            continue
        if any(text not in (names[i], f"{i} {names[i]}") for i, text in zip(places, said, strict=True)):
            continue
        colours = (ACCENT[theme] if i < second else SECOND[theme] for i in places)
        axis.ticktext = [f'<span style="color:{c}">{text}</span>' for c, text in zip(colours, said, strict=True)]
        other = "y" if letter == "x" else "x"
        ends = {f"{letter}0": second - 0.5, f"{letter}1": second - 0.5, f"{other}0": 0, f"{other}1": 1}
        line = {"color": MUTED[theme], "width": 1.5}
        figure.add_shape(type="line", **ends, **{f"{letter}ref": letter, f"{other}ref": "paper"}, line=line)

"""What is chosen for a figure as a link says it, and the sheet that it makes."""

from collections.abc import Mapping

from encoder.pictures.choices import spell
from encoder.pictures.paper.sheet import SIZES, Sheet

OWN_SIZE = "Own size"
SLIDE = "Slide 16:9"
LONGEST = 1200  # characters of a caption
OFF_ON = (False, True)
OFFERED: dict[str, tuple[object, ...] | None] = {  # what may be chosen, by its name in a link; None for any text
    "figure_for": (*SIZES, OWN_SIZE),
    "figure_width": tuple(range(40, 401)),
    "figure_height": (0, *range(30, 401, 5)),
    "figure_letters": tuple(half / 2 for half in range(8, 41)),
    "figure_across": tuple(range(5)),
    "figure_theme": ("light", "dark"),
    "figure_square": OFF_ON,
    "figure_words": OFF_ON,
    "figure_fit": OFF_ON,
    "figure_shared": OFF_ON,
    "figure_title": None,
    "figure_caption": None,
    "figure_alt": None,
}
USUAL: dict[str, object] = {
    "figure_for": "Two columns",
    "figure_width": 120,
    "figure_height": 0,
    "figure_letters": 7.0,
    "figure_across": 0,
    "figure_theme": "light",
    "figure_square": True,
    "figure_words": False,
    "figure_fit": False,
    "figure_shared": False,
    "figure_title": "",
    "figure_caption": "",
    "figure_alt": "",
}


def usual(key: str, choices: Mapping[str, str]) -> object:
    """What a choice is where nothing is chosen: on a slide letters are larger."""
    return 12.0 if key == "figure_letters" and choices.get("figure_for") == SLIDE else USUAL[key]


def chosen(key: str, choices: Mapping[str, str]) -> object:
    """What is chosen; the usual where that is nothing, or nothing that is offered."""
    text, offered = choices.get(key), OFFERED[key]
    if text is None:
        return usual(key, choices)
    return text if offered is None else {spell(each): each for each in offered}.get(text, usual(key, choices))


def sheet_of(choices: Mapping[str, str]) -> Sheet:
    """The sheet that the choices of a link make."""
    of = {key.removeprefix("figure_"): chosen(key, choices) for key in OFFERED}
    width, height = SIZES.get(str(of["for"]), (float(str(of["width"])), float(str(of["height"]))))
    return Sheet(
        width=width,
        height=height,
        letters=float(str(of["letters"])),
        columns=int(str(of["across"])),
        theme="dark" if of["theme"] == "dark" else "light",
        square=bool(of["square"]),
        words_only=bool(of["words"]),
        numbers="fit" if of["fit"] else "none",
        shared=bool(of["shared"]),
        title=str(of["title"])[:120],
        caption=str(of["caption"])[:LONGEST],
        alt=str(of["alt"])[:LONGEST],
    )

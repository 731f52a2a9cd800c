"""The experiments of the part Labs of Lessons by their names in an address: in groups, each with one plain question."""

from dataclasses import dataclass

from pages.ui.state import session_state as state


@dataclass(frozen=True)
class Lab:
    """An experiment: its question, and whether it tries something at the chosen layer and head."""

    question: str
    place: bool = False


GROUPS = {
    "Order and position": {
        "Word order": Lab("Is word order lost without positions?"),
        "Positions": Lab("What does a table of positions hold?"),
    },
    "Attention and softmax": {
        "Why √d_head": Lab("Why divide scores by √d_head?"),
        "Softmax": Lab("What does softmax make of your scores?"),
        "Padding": Lab("What if the mask over [PAD] is forgotten?", place=True),
        "Without [CLS] and [SEP]": Lab("What if [CLS] and [SEP] are left out?"),
    },
    "Residuals, norms, depth": {
        "Residuals and depth": Lab("What keeps 48 blocks from going flat?"),
        "Two LayerNorms": Lab("Is the norm of many tutorials LayerNorm?"),
        "Post-norm and pre-norm": Lab("Norm after the sum, or before?", place=True),
        "Layer collapse": Lab("Are two linear layers just one?"),
    },
    "Training and knowledge": {
        "Dropout": Lab("What does dropout do to a sentence?"),
        "Trained without a part": Lab("Can a model learn without one part?"),
        "What layers know": Lab("What does each layer know?"),
    },
    "Today's variants": {
        "Why rotary": Lab("Does a score know only the distance?", place=True),
        "Windows": Lab("What can a window not see?"),
        "Gate signs": Lab("What does the sign of a gate do?", place=True),
    },
}
LABS = {name: lab for group in GROUPS.values() for name, lab in group.items()}
FIRST = next(iter(LABS))


def chosen() -> str:
    """Return the name of the experiment that is open."""
    name = dict(state.current().choices).get("lab", FIRST)
    return name if name in LABS else FIRST


def has_place() -> bool:
    """Return whether a layer and a head mean something to the experiment that is open."""
    return LABS[chosen()].place

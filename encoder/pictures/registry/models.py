"""Pictures of a model itself: where its parameters are."""

from encoder.explain.cost import by_kind, parameters
from encoder.pictures.export.caption import About
from encoder.pictures.expression import ENC, call
from encoder.pictures.picture import Answer, Picture
from encoder.support.formatting import percent


def say_kinds(answer: Answer) -> str:
    """Which kind of part has the most parameters."""
    counts: dict[str, int] = answer.measured
    most = max(counts, key=counts.__getitem__)
    share = percent(counts[most] / sum(counts.values()))
    return f"Most parameters are in the {most}: {counts[most]:,}, {share} of all."


KINDS = Picture(
    key="kinds",
    page="your_model",
    question="Where are the parameters of the model?",
    measure=lambda scene: call(by_kind, call(parameters, ENC.model)),
    dims=("part",),
    names=lambda answer: {"part": list(answer.measured)},
    kind="bars",
    unit="parameters",
    title="Parameters by the kind of part",
    say=say_kinds,
    about=lambda scene: About(source=scene.source, scope="All of its layers together"),
    needs="model",
)

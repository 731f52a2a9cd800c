"""What a step of the catalogue is called above its picture, and how its values are coloured."""

from encoder.model.steps.step import Step
from encoder.support.theme import Kind


def kind_of(step: Step) -> Kind:
    """How the values of a step are coloured."""
    kinds: dict[str, Kind] = {"signed": "signed", "share": "share", "positive": "positive"}
    return kinds[step.values]


def title(step: Step, head: int) -> str:
    """The step with the layer and head it is shown for."""
    where = [f"layer {step.layer}"] if step.layer is not None else []
    where += [f"head {head}"] if "H" in step.shape else []
    return f"{step.title} ({', '.join(where)})" if where else step.title

"""The models that the app offers to everybody, as data. Needs no torch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Offer:
    """A model that the app offers, and a layer and head of it that are worth a first look.

    Those are heads that the guesses depend on: of all heads of `small` 2.3 does most harm when it is left out, of
    `base` 4.1 is among the first five (`encoder.experiments.importance`).

    `preset` names the shape of an untrained model, `twin` the trained model whose shape it has.
    """

    label: str
    preset: str = ""
    twin: str = ""
    layer: int = 0
    head: int = 0


MODELS = {
    "base": Offer("base: trained, the paper's size", layer=4, head=1),
    "small": Offer("small: trained, 4 layers of 128", layer=2, head=3),
    "good-or-bad": Offer("base with labels: good, bad", layer=5, head=2),
    "base-untrained": Offer("base, but untrained", twin="base", layer=4, head=1),
    "paper": Offer("untrained, the paper's size", "paper"),
    "pre-norm": Offer("untrained, norm before each part", "pre-norm"),
    "eight-blocks": Offer("untrained, 8 layers", "eight-blocks"),
    "guide": Offer("untrained, a norm at the end", "guide"),
    "modern": Offer("untrained, built as in 2025", "modern"),
}

"""What a head that names labels is made of: its labels, what each is said of, and how it reads the output."""

from dataclasses import dataclass, fields
from typing import Literal, get_args

from encoder.model.activations import HEAD_ACTIVATIONS
from encoder.support.errors import EncoderError

Labelled = Literal["sentence", "token"]
Problem = Literal["single_label", "multi_label", "regression"]
Reading = Literal["first", "mean", "words", "late"]

CHOICES: dict[str, tuple[str, ...]] = {
    "labelled": get_args(Labelled),
    "problem": get_args(Problem),
    "reading": get_args(Reading),
}
MOST_LABELS, LONGEST_LABEL = 4096, 100  # labels, and characters of one


@dataclass(frozen=True)
class ClassifierConfig:
    """The head of a classifier, which labels a sentence, or of a tagger, which labels each token.

    `labels` are their names, which may be any texts. `problem` says how its scores are read: of a single label softmax
    makes shares, of several at once the logistic sigmoid of each; the numbers of a regression are what it says.
    `reading` is how one vector is made of those of a sentence's tokens: the first of them, their mean, or with
    "words" the mean of those between the first and the last, which a tokenizer puts around a text; with "late" every
    token has scores, and their mean is the sentence's. It means nothing for a tagger. With an `activation` a
    linear map and that activation come first (BERT's pooler is one with tanh), and with a `norm` a norm after them.

    Raises:
        EncoderError: a value is outside its range; the message names the value and the range.
    """

    labels: tuple[str, ...]
    labelled: Labelled = "sentence"
    problem: Problem = "single_label"
    reading: Reading = "first"
    activation: str | None = None
    norm: bool = False

    def __post_init__(self) -> None:
        """Check every field once."""
        if not isinstance(self.labels, tuple) or not 1 <= len(self.labels) <= MOST_LABELS:
            raise EncoderError(f"labels is {self.labels!r:.80}; it must be a tuple of 1 to {MOST_LABELS} texts")
        for label in self.labels:
            if not isinstance(label, str) or len(label) > LONGEST_LABEL:
                raise EncoderError(f"a label is {label!r:.80}; it must be a text of {LONGEST_LABEL} characters or less")
        for name, allowed in (CHOICES | {"activation": (None, *HEAD_ACTIVATIONS)}).items():
            value = getattr(self, name)
            if not isinstance(value, str | None) or value not in allowed:
                raise EncoderError(f"{name} is {value!r:.80}; it must be one of {', '.join(map(str, allowed))}")
        if type(self.norm) is not bool:
            raise EncoderError(f"norm is {self.norm!r:.80}; it must be true or false")
        if self.norm and self.activation is None:
            raise EncoderError("norm is True without an activation; a classifier norms what its activation gives")

    @property
    def pools(self) -> bool:
        """Whether the tokens' vectors become one before anything else."""
        return self.labelled == "sentence" and self.reading != "late"

    @property
    def last(self) -> str:
        """The step of the scores before the tokens' are drawn together, or of the scores themselves."""
        return "token_logits" if self.labelled == "sentence" and self.reading == "late" else "logits"


def read_classifier(given: object) -> ClassifierConfig | None:
    """Return the head that a JSON object describes; None for null.

    Raises:
        EncoderError: no object, a field that a head does not have, or a value outside its range.
    """
    if given is None:
        return None
    known = {field.name for field in fields(ClassifierConfig)}
    if not isinstance(given, dict) or not known >= given.keys() >= {"labels"}:
        raise EncoderError(f"classifier is {given!r:.80}; it must be an object of labels, and of {', '.join(known)}")
    labels = given["labels"]
    return ClassifierConfig(**given | {"labels": tuple(labels) if isinstance(labels, list) else labels})

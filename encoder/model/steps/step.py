"""One step of the encoder: its name, formula, shape and inputs."""

from dataclasses import dataclass

from encoder.model.config import EncoderConfig


@dataclass(frozen=True)
class Step:
    """One line of the computation."""

    name: str
    symbol: str  # what it is called in the formulas of the steps that it goes into
    formula: str
    shape: tuple[
        str, ...
    ]  # dimensions: n, H, d_head, d_model, d_ff, vocab, n_labels; "sentence" is 1, "distances" 2 n - 1
    operation: str
    inputs: tuple[str, ...]  # the steps it is computed from; "ids" and "hidden" stand for what the person gave
    title: str
    note: str  # what happens here
    look: str  # what to look for
    parameters: tuple[str, ...] = ()  # the weights it uses, in the model's own names
    values: str = "signed"  # its colours: "signed" about zero, "share" from 0 to 1, or "positive" from zero up
    labels: tuple[str, ...] = ()  # the names of what stands along "n_labels"

    @property
    def layer(self) -> int | None:
        """The layer it belongs to, counted from 0; None outside the stack."""
        parts = self.name.split(".")
        return int(parts[1]) if parts[0] == "layers" else None

    @property
    def local(self) -> str:
        """The name within its layer, "attention.scores" for "layers.3.attention.scores"."""
        return self.name.split(".", 2)[2] if self.layer is not None else self.name

    @property
    def part(self) -> str:
        """The part of the model it belongs to: embedding, attention, add_norm_1, feed_forward, mlm, ..."""
        return self.local.split(".")[0]

    @property
    def single(self) -> bool:
        """Whether each row is one number."""
        return len(self.shape) == 1

    def rows(self, tokens: list[str]) -> list[str]:
        """What stands along the rows: the tokens, the sentence where a step has one row for all of them, or labels."""
        if "distances" in self.shape:
            return distances(len(tokens))
        if self.shape == LABELS:
            return list(self.labels)
        return [WHOLE] if self.shape[0] == "sentence" else tokens

    def columns(self, tokens: list[str]) -> list[str] | str:
        """What stands along the last dimension: the tokens that are looked at, or the name of what is counted there."""
        if self.shape[-1] == "n_labels" and not self.single:
            return list(self.labels)
        # a step with one number for each row has one column
        names = {"d_ff": "unit", "vocab": "word"} | dict.fromkeys(("n", "distances", "sentence", "n_labels"), "value")
        return tokens if self.shape == PAIRS else names.get(self.shape[-1], "dimension")

    @property
    def equation(self) -> str:
        """The formula with its symbol before it, where the two are not the same."""
        named = "aligned" in self.formula or self.formula == self.symbol
        return self.formula if named else f"{self.symbol} = {self.formula}"

    def sizes(self, config: EncoderConfig, n: int) -> tuple[int, ...]:
        """The shape in numbers for a sentence of n tokens."""
        names = {"n": n, "H": config.n_heads, "vocab": config.vocab_size, "sentence": 1, "distances": 2 * n - 1}
        return tuple(names[d] if d in names else getattr(config, d) for d in self.shape)


TOKENS_BY_MODEL, PER_TOKEN, PER_HEAD, PAIRS = ("n", "d_model"), ("n",), ("H", "n", "d_head"), ("H", "n", "n")
NARROW = ("n", "embedding_size")
SENTENCE, PER_SENTENCE = ("sentence", "d_model"), ("sentence",)
LABELS, TOKEN_LABELS = ("n_labels",), ("n", "n_labels")
PLACES = ("n", "d_head")
DISTANCES, PER_DISTANCE = ("distances", "d_model"), ("distances",)
HEAD_DISTANCES = ("H", "distances", "d_head")
WHOLE = "(sentence)"  # the name of the one row of a step that has none for each token


def distances(n: int) -> list[str]:
    """What stands along the rows of a step with one for each distance: where the key is, seen from the query."""
    return [*(f"{i} after" for i in range(n - 1, 0, -1)), "same place", *(f"{i} before" for i in range(1, n))]

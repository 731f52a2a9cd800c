"""What adds up over a corpus: the measures of heads with their controls."""

import torch
from torch import Tensor

from encoder.atlas.pairs import FROM, same, told_apart
from encoder.metrics.head_measures import HEAD_MEASURES, HeadMeasure
from encoder.metrics.roles import MOST, ROLES, SHUFFLES, perfect, queries, shuffled_mass
from encoder.model.config import EncoderConfig
from encoder.support.errors import seeded

BY_ROW = tuple(name for name, measure in HEAD_MEASURES.items() if measure.rows is len)  # means over all rows
SAME = HeadMeasure(
    "Same token",
    "share",
    "Share of the weight on other places where the same token stands.",
    lambda w, tokens: (w * same(tokens)).sum((-2, -1)) / same(tokens).any(-1).sum().clamp_min(1),
    lambda tokens: int(same(tokens).any(-1).sum()),
)
MEASURES: dict[str, HeadMeasure] = HEAD_MEASURES | {"same": SAME}
BY_KEY = (*ROLES, "same")  # means over the rows that have such a key
ANY = FROM.index("any")


class Sums:
    """Sums over all tokens of a corpus, in float64.

    Queries are told apart by FROM and keys by TO; where texts are pairs of sentences, both also by SIDES.
    """

    def __init__(self, config: EncoderConfig, pairs: bool = False) -> None:
        layers, heads, roles = config.n_layers, config.n_heads, len(ROLES)
        kinds = tuple(map(len, told_apart(pairs)))
        shapes = {
            "rows": (),
            "by_row": (layers, heads, len(BY_ROW)),
            "sure": (layers, heads),
            "words": (),
            "pairs": (layers, heads, *kinds),
            "squares": (layers, heads, *kinds),
            "queries": kinds,
            "uniform": kinds,
            "tried": (roles,),
            "shuffled": (layers, SHUFFLES, heads + roles, roles),
            "tokens": (2,),  # of the text, and those that the model adds
            "cut": (),
        }
        self.values = {name: torch.zeros(shape, dtype=torch.float64) for name, shape in shapes.items()}

    @property
    def kinds(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What queries and what keys are told apart by."""
        return told_apart(len(self.values["queries"]) > len(FROM))

    def text(self, froms: Tensor, keys: Tensor, text: Tensor) -> None:
        """Count the rows and keys of a batch: froms [B, FROM, n], keys [B, TO, n, n], text [B, n]."""
        b, _, n, _ = keys.shape
        at = self.values
        at["rows"] += b * n
        at["queries"] += torch.einsum("bai,bri->ar", froms, keys.amax(-1)).double()
        at["uniform"] += torch.einsum("bai,bri->ar", froms, keys.mean(-1)).double()
        at["tokens"] += torch.stack([text.sum(), (~text).sum()])

    def weights(self, layer: int, weights: Tensor, froms: Tensor, keys: Tensor, text: Tensor) -> None:
        """Measure the weights [B, H, n, n] of a layer; the others as in `text`."""
        n = weights.shape[-1]
        rows = [HEAD_MEASURES[name].of(weights, ()) for name in BY_ROW]  # [B, H], means over n rows
        self.values["by_row"][layer] += n * torch.stack(rows, -1).sum(0).double()
        mass = torch.einsum("bhij,brij->bhri", weights, keys)
        above = mass - keys.mean(-1)[:, None]  # what even weights would give
        for name, of in (("pairs", mass), ("squares", above)):
            each = torch.einsum("bhri,bai->bhar", of, froms).double()
            self.values[name][layer] += (each if of is mass else each.square()).sum(0)
        sure = (weights.amax(-1) > MOST) & text[:, None]
        self.values["sure"][layer] += sure.sum((0, 2))

    def control(self, layer: int, weights: Tensor, pattern: Tensor, seed: int) -> None:
        """Let the keys of one sentence stand in other orders: weights [H, n, n], pattern [roles, n, n]."""
        generator = seeded(seed)
        heads = torch.cat((weights, perfect(pattern)))
        mass = shuffled_mass(heads.cpu(), pattern.cpu(), generator)  # the same orders on every device
        self.values["shuffled"][layer] += mass.to(weights.device)
        if layer == 0:
            self.values["tried"] += queries(pattern)

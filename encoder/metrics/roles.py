"""What a head looks at: the share of its weight on the token itself, its neighbours, special tokens and punctuation.

A role is only said where chance does not explain it. Roles overlap (the last word's next token is [SEP] or a full
stop), so their shares do not add up to 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from encoder.checkpoint.tokenizer_files import KNOWN
from encoder.metrics.heads import offsets
from encoder.support.errors import EncoderError, seeded
from encoder.support.progress import pulse
from encoder.trace.words import punctuation

ROLES = ("self", "previous", "next", "cls", "sep", "punctuation", "special")
SPECIAL = ROLES.index("special")  # [CLS] and [SEP] together, said of a head where neither is its role alone
CLS, SEP = KNOWN["cls"], KNOWN["sep"]
TOO_FEW, NO_ROLE = "too few tokens to say", "no clear role"
MOST = 0.5  # a head must put more of its weight than this on a role
MARGIN = 0.25  # and so much more than chance would put there
SHUFFLES, BETTER = 200, 10  # how many tries, and how many of them may do better: 5 %
CELLS = 4_000_000  # numbers held at once while shuffling


def patterns(tokens: Sequence[str]) -> Tensor:
    """For each of ROLES, 1 where a query's role keys are, 0 elsewhere: [roles, n, n]."""
    n, ahead = len(tokens), offsets(len(tokens))
    places = [ahead == 0, ahead == -1, ahead == 1]
    cls, sep = [t in CLS for t in tokens], [t in SEP for t in tokens]
    kinds = [cls, sep, [punctuation(t) for t in tokens], [a or b for a, b in zip(cls, sep, strict=True)]]
    return torch.stack(places + [torch.tensor(kind).expand(n, n) for kind in kinds]).float()


def role_mass(weights: Tensor, tokens: Sequence[str]) -> dict[str, Tensor]:
    """Mean share of a head's weight on each of ROLES (Clark et al. 2019): name -> [H], from 0 to 1.

    The mean is over the queries that have such a key: n of them, but n - 1 for "previous" and "next", since the token
    at the edge has no neighbour there. A role that no token can play (no punctuation, a single token) has mass 0.

    Raises:
        EncoderError: weights and tokens differ in length.
    """
    check(weights, tokens)
    pattern = patterns(tokens)
    mass = torch.einsum("...ij,rij->r...", weights, pattern)
    return {role: mass[r] / queries(pattern[r]).clamp_min(1) for r, role in enumerate(ROLES)}


def role_queries(tokens: Sequence[str], role: str) -> int:
    """How many of the tokens have a key of a role."""
    return int(queries(patterns(tokens)[ROLES.index(role)]))


def queries(pattern: Tensor) -> Tensor:
    """How many rows of a pattern have a key at all: [..., n, n] -> [...]."""
    return pattern.any(-1).sum(-1)


@dataclass(frozen=True)
class Role:
    """What can be said of a head.

    `label` is one of ROLES, NO_ROLE or TOO_FEW. `nearest` is the role it comes closest to, with its `mass`, the mass
    `uniform` attention would give it, and the mass that `shuffled` tokens exceed in 1 of 20 tries; `n` counts queries.
    """

    label: str
    nearest: str
    mass: float
    uniform: float
    shuffled: float
    n: int


def head_roles(weights: Sequence[Tensor], tokens: Sequence[Sequence[str]], seed: int = 0) -> list[Role]:
    """Label every head, over one sentence or many; masses are means over the queries of all sentences.

    A head plays a role where its mass is over MOST and more than MARGIN above both baselines: "uniform", every
    weight 1/n, and "shuffled", the mass that only BETTER of SHUFFLES tries exceed in which the keys of each
    sentence stand in another order and the weights stay where they are. The second tells a head that looks at [CLS]
    from one that looks at any one token: over one short sentence they are the same, over many they are not.
    "special" is the role of a head that plays no other, and parks its weight on [CLS] and [SEP] together (Clark et
    al. 2019 call it a no-op). A head whose mass is high enough but not above its shuffles gets TOO_FEW, and so does
    every head where no role could be told even of heads that do nothing else.

    Args:
        weights: for each sentence its weights [H, n, n].
        tokens: for each sentence its n tokens.
        seed: of the shuffles.

    Returns:
        H labels.

    Raises:
        EncoderError: no sentence, or weights and tokens that differ in length.
    """
    if not tokens or len(weights) != len(tokens):
        raise EncoderError(f"weights of {len(weights)} sentences and tokens of {len(tokens)}; give 1 or more of each")
    generator = seeded(seed)
    mass, uniform, count, shuffled = torch.zeros(1), torch.zeros(1), torch.zeros(1), torch.zeros(1)
    for sentence, words in zip(weights, tokens, strict=True):
        pulse()
        check(sentence, words)
        pattern = patterns(words)
        heads = torch.cat((sentence, perfect(pattern)))
        mass = mass + torch.einsum("hij,rij->hr", heads, pattern)
        shuffled = shuffled + shuffled_mass(heads, pattern, generator)
        uniform = uniform + pattern.sum((1, 2)) / len(words)
        count = count + queries(pattern)
    possible = count.clamp_min(1)
    mass, uniform = mass / possible, uniform / possible
    return labels(mass, uniform, chance_of(shuffled, possible), count)


def perfect(pattern: Tensor) -> Tensor:
    """One head for each role that does nothing else: [roles, n, n] -> weights [roles, n, n]."""
    return pattern / pattern.sum(-1, keepdim=True).clamp_min(1)


def chance_of(shuffled: Tensor, count: Tensor) -> Tensor:
    """The mean mass that 1 of 20 tries exceed: summed masses [SHUFFLES, heads, roles], queries [roles]."""
    return shuffled.kthvalue(SHUFFLES - BETTER, 0).values / count


def labels(mass: Tensor, uniform: Tensor, chance: Tensor, count: Tensor) -> list[Role]:
    """The verdicts on all heads but the last, which are one for each role that does nothing else.

    `mass` and `chance` are [H + roles, roles], `uniform` and `count` [roles].
    """
    tellable = bool(((mass - torch.maximum(chance, uniform))[-len(ROLES) :].diagonal() > MARGIN).any())
    return [label(mass[h], uniform, chance[h], count, tellable) for h in range(len(mass) - len(ROLES))]


def shuffled_mass(heads: Tensor, pattern: Tensor, generator: torch.Generator) -> Tensor:
    """Summed mass of every role with the keys in SHUFFLES random orders: [SHUFFLES, H, roles]."""
    n = pattern.shape[-1]
    orders = torch.rand(SHUFFLES, n, generator=generator).argsort(-1)
    parts = torch.split(orders, max(1, CELLS // pattern.numel()))
    masses = []
    for part in parts:
        pulse()
        masses.append(torch.einsum("hij,risj->shr", heads, pattern[:, :, part]))
    return torch.cat(masses)


def label(mass: Tensor, uniform: Tensor, shuffled: Tensor, count: Tensor, tellable: bool) -> Role:
    """The verdict on one head from its mass and its baselines, [roles] each, and whether any role can be told."""
    strong = (mass > MOST) & (mass - uniform > MARGIN)
    clear = strong & (mass - shuffled > MARGIN)
    scores = torch.where(clear, mass + 1, mass - uniform)
    alone = scores.clone()
    alone[SPECIAL] = -torch.inf  # it holds the mass of [CLS] and that of [SEP], so it would come first in their place
    nearest = SPECIAL if bool(clear[SPECIAL]) and int(clear.sum()) == 1 else int(alone.argmax())
    name = ROLES[nearest] if bool(clear.any()) else TOO_FEW if bool(strong.any()) or not tellable else NO_ROLE
    of = [float(numbers[nearest]) for numbers in (mass, uniform, shuffled)]
    return Role(name, ROLES[nearest], of[0], of[1], of[2], int(count[nearest]))


def check(weights: Tensor, tokens: Sequence[str]) -> None:
    """Refuse weights that are not over these tokens."""
    if weights.dim() < 3 or weights.shape[-2:] != (len(tokens), len(tokens)):
        raise EncoderError(
            f"weights are {list(weights.shape)} for {len(tokens)} tokens; "
            f"they must be [H, {len(tokens)}, {len(tokens)}]"
        )

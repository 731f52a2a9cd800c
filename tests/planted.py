"""A model with heads set by hand: one looks at the word before, one at the next, one at [CLS] and [SEP], one links.

Every token's vector is a 1 for its place and a 1 for its kind, so a norm treats all tokens alike; queries and keys pick
places or kinds, and scores are so large that softmax puts nearly all weight where they agree
(19 parts of 20 on [CLS] and [SEP] together).
"""

import torch
from tokenizers import Tokenizer

from encoder import EncoderConfig, TextEncoder, checkpoint
from encoder.checkpoint.build import random_weights
from encoder.trace.trace import Source

PREVIOUS, NEXT, SPECIAL, LINK = range(4)
PLACES = 32  # the first columns: one for each position
KINDS = {"other": 32, "special": 33, "first": 34, "second": 35}
WIDTH, HEADS = 160, 4
D_HEAD = WIDTH // HEADS
SHARP = 8.0  # of queries and keys
SOFT = 0.05  # of the query for special tokens: each gets a little under half, and neither is on the edge of most


def planted(
    tokenizer: Tokenizer, links: list[tuple[str, str]], shuffled: bool = False, idle: bool = False, back: int = 1
) -> TextEncoder:
    """The model; with `shuffled`, the same numbers of its queries and keys in random places.

    Args:
        tokenizer: what reads the text; [CLS] and [SEP] are its special tokens.
        links: words that look at each other.
        shuffled: whether nothing is planted after all.
        idle: whether the head that links hands nothing over.
        back: how many places back PREVIOUS looks.
    """
    size = tokenizer.get_vocab_size()
    config = EncoderConfig(
        vocab_size=size,
        d_model=WIDTH,
        n_heads=HEADS,
        n_layers=1,
        d_ff=8,
        max_positions=PLACES,
        positions="learned",
        scale_embeddings=False,
        norm_first=True,
    )
    weights = random_weights(config, 0)
    kinds = torch.full((size,), KINDS["other"])
    named = {"special": ["[CLS]", "[SEP]"], "first": [a for a, _ in links], "second": [b for _, b in links]}
    for name, words in named.items():
        kinds[[tokenizer.token_to_id(word) for word in words]] = KINDS[name]
    weights["embedding.tokens.weight"] = torch.nn.functional.one_hot(kinds, WIDTH).float()
    weights["embedding.positions.weight"] = torch.eye(PLACES, WIDTH)
    q, k = (torch.zeros(HEADS, D_HEAD, WIDTH) for _ in range(2))  # rows: what a column of the head reads
    here = torch.arange(PLACES)
    for head, step in ((PREVIOUS, back), (NEXT, -1)):
        q[head, here, here] = 1
        k[head, (here + step) % PLACES, here] = 1  # the key of a place agrees with the query of the one beside it
    k[SPECIAL, 0, KINDS["special"]] = 1
    q[SPECIAL, 0, list(KINDS.values())] = SOFT
    q[LINK, 0, KINDS["first"]] = k[LINK, 0, KINDS["second"]] = 1
    q[LINK, 1, KINDS["second"]] = k[LINK, 1, KINDS["first"]] = 1
    generator = torch.Generator().manual_seed(1)
    for name, drawn in (("w_q", q), ("w_k", k)):
        flat = drawn.flatten()[torch.randperm(drawn.numel(), generator=generator)] if shuffled else drawn.flatten()
        weights[f"layers.0.attention.{name}.weight"] = SHARP**0.5 * flat.view(WIDTH, WIDTH)
    weights["layers.0.attention.w_v.weight"][LINK * D_HEAD :] *= 0 if idle else 2  # what is linked matters, or not
    model = checkpoint.build(config, weights, "the planted weights")
    return TextEncoder(model, tokenizer, Source("planted", "shuffled" if shuffled else "set by hand"))

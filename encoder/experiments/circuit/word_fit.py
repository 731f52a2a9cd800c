"""How well another word fits where one stands, as the model itself reads both sentences (Salazar et al. 2020)."""

from collections.abc import Sequence

import torch
from torch import Tensor

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.trace.tokens import Tokens

TOGETHER = 32  # sentences in one forward
BESIDE = 2  # tokens before the word, and after it, that are scored with it


class WordFit:
    """ln p of a word and of its neighbours, each masked alone in B, minus the same in A.

    Agreement is read from both sides: "these flower" is as unlikely at "these" as it is at "flower".
    """

    def __init__(self, encoder: TextEncoder, tokens: Tokens):
        """Take a sentence; its model fills masks."""
        self.encoder, self.tokens = encoder, tokens
        self.mask = encoder.tokenizer.token_to_id(encoder.mask_token or "")
        self.known = dict[int, float]()  # ln p of the tokens of A

    def gain(self, position: int, b: str) -> float:
        """Return by how many nats a sentence B is likelier than A around the position where they differ; 0 untold."""
        if self.mask is None or self.encoder.model.mlm_head is None:
            return 0.0
        near = range(max(0, position - BESIDE), min(len(self.tokens.ids), position + BESIDE + 1))
        places = [i for i in near if not self.tokens.special[i] and self.tokens.ids[i] != self.mask]
        fresh = [i for i in places if i not in self.known]
        self.known |= dict(zip(fresh, self.likelihoods(self.tokens.ids, fresh), strict=True))
        in_b = self.likelihoods(self.encoder.tokenize(b).ids, places)
        return sum(in_b) - sum(self.known[i] for i in places)

    def likelihoods(self, ids: Sequence[int], places: list[int]) -> list[float]:
        """Return ln p of the tokens at some places, each where it alone is masked."""
        if not places:
            return []
        shares = self.shares([(ids, i) for i in places]).log()
        likely: list[float] = shares[torch.arange(len(places)), [ids[i] for i in places]].tolist()
        return likely

    @torch.inference_mode()
    def shares(self, masked: Sequence[tuple[Sequence[int], int]]) -> Tensor:
        """Return the shares of all words at one place of each of some sentences of one length, masked: [B, words]."""
        assert self.mask is not None, "it was asked before"
        rows, each = torch.tensor([list(ids) for ids, _ in masked]), torch.arange(len(masked))  # [B, n]
        places = torch.tensor([place for _, place in masked])
        rows[each, places] = self.mask
        result = list[Tensor]()
        for some, at in zip(torch.split(rows, TOGETHER), torch.split(places, TOGETHER), strict=True):
            last = self.encoder.model(some)[torch.arange(len(at)), at]  # [some, d_model]: no other word is scored
            scores = self.encoder.model.predict(last[:, None])  # [some, 1, words]
            assert scores is not None
            result.append(scores[:, 0].softmax(-1))
        return torch.cat(result)

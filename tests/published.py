"""Tiny models as code outside transformers saves them, each beside a twin that transformers computes.

The twins follow that code as it is published, and nothing here: NTK's frequencies in transformers' GTE, and in its BERT
the gated network and the slopes of Jina version 2.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import load_file, save_file
from tiny import tiny_tokenizer
from torch import Tensor, nn
from twins import LONG, drawn, with_tokenizer

Saved = Callable[[Path], Any]


def write(folder: Path, config: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    """A folder of such a model."""
    (folder / "config.json").write_text(json.dumps(config))
    save_file({name: one.detach().clone().contiguous() for name, one in tensors.items()}, folder / "model.safetensors")
    with_tokenizer(folder, tiny_tokenizer())


def new(factor: float | None, theta: float, **sizes: Any) -> Saved:
    """GTE under its first name, with angles that are slowed by NTK scaling as its own code does it."""

    def made(folder: Path) -> Any:
        told = {**LONG, **sizes, "rope_parameters": {"rope_type": "default", "rope_theta": theta}}
        config = transformers.GteConfig(**told, attn_implementation="eager")
        twin = drawn(transformers.GteForMaskedLM(config))
        twin.save_pretrained(folder)
        tensors = {
            name.replace("gte.", "new.", 1): one for name, one in load_file(folder / "model.safetensors").items()
        }
        raw = json.loads((folder / "config.json").read_text())
        del raw["rope_parameters"]
        raw |= {
            "model_type": "new",
            "rope_theta": theta,
            "rope_scaling": {"type": "ntk", "factor": factor},
            "position_embedding_type": "rope",
            "layer_norm_type": "layer_norm",
            "pack_qkv": True,
            "logn_attention_scale": False,
            "auto_map": {"AutoModel": "modeling.NewModel"},
        }
        if factor is None:
            raw["rope_scaling"] = None
        write(folder, raw, tensors)
        if factor is not None:
            dim = config.hidden_size // config.num_attention_heads
            slow = 1.0 / ((theta * factor) ** (torch.arange(0, dim, 2).float() / dim)) / factor ** (2 / dim)
            twin.gte.rotary_emb.inv_freq.copy_(slow)
        return twin

    return made


class Gates(nn.Module):
    """One map makes both halves, the first is activated."""

    def __init__(self, wide: int, d_ff: int, bend: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.gated_layers, self.bend, self.d_ff = nn.Linear(wide, 2 * d_ff, bias=False), bend, d_ff

    def forward(self, x: Tensor) -> Tensor:
        both = self.gated_layers(x)
        return self.bend(both[..., : self.d_ff]) * both[..., self.d_ff :]


def slopes(n: int) -> list[float]:
    """Those of ALiBi's authors, in the words of their code."""
    if math.log2(n).is_integer():
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]
    lower = 2 ** math.floor(math.log2(n))
    return slopes(lower) + slopes(2 * lower)[0::2][: n - lower]


class Jina(nn.Module):
    """BERT of transformers with gates, no positions, and slopes in its mask."""

    def __init__(self, bend: Callable[[Tensor], Tensor], **sizes: Any) -> None:
        super().__init__()
        self.config = transformers.BertConfig(**{**LONG, **sizes}, attn_implementation="eager")
        self.model = transformers.BertForMaskedLM(self.config)
        for layer in self.model.bert.encoder.layer:
            layer.intermediate = Gates(self.config.hidden_size, self.config.intermediate_size, bend)

    def forward(self, ids: Tensor, attention_mask: Tensor, **asked: Any) -> Any:
        """What BERT makes with the slopes added to its mask."""
        place = torch.arange(ids.shape[1])
        each = torch.tensor(slopes(self.config.num_attention_heads))[:, None, None]
        dtype = self.model.dtype
        fall = -(each.to(dtype) * (place[None, :] - place[:, None]).abs().to(dtype))
        unseen = torch.where(attention_mask[:, None, None] > 0, 0.0, torch.finfo(torch.float32).min).to(dtype)
        return self.model(ids, attention_mask=fall[None] + unseen, **asked)


JINAS = {  # their names of what BERT calls otherwise
    ".intermediate.gated_layers": ".mlp.gated_layers",
    ".output.dense": ".mlp.wo",
    ".output.LayerNorm": ".mlp.layernorm",
}


def jina(kind: str, bend: Callable[[Tensor], Tensor], **sizes: Any) -> Saved:
    """Jina version 2, as its own code saves it: a BERT by its type, and by its names nearly."""

    def named(name: str) -> str:
        for theirs, ours in JINAS.items():
            name = name if ".attention." in name else name.replace(theirs, ours)
        return name

    def made(folder: Path) -> Any:
        twin = drawn(Jina(bend, **sizes))
        twin.model.bert.embeddings.position_embeddings.weight.data.zero_()
        every = twin.model.state_dict()
        tensors = {named(name): one for name, one in every.items() if "position" not in name and "decoder" not in name}
        raw = twin.config.to_dict() | {
            "model_type": "bert",
            "position_embedding_type": "alibi",
            "feed_forward_type": kind,
            "emb_pooler": "mean",
            "auto_map": {"AutoModel": "somebody/jina-bert-implementation--modeling_bert.JinaBertModel"},
        }
        write(folder, raw, tensors)
        return twin

    return made


PUBLISHED: dict[str, Saved] = {
    "new": new(2.0, 40.0),
    "new-of-one-segment": new(3.5, 500.0, hidden_size=42, type_vocab_size=1, intermediate_size=26),
    "new-without-segments": new(None, 160_000.0, num_attention_heads=5, type_vocab_size=0),
    "jina": jina("geglu", nn.functional.gelu),
    "jina-of-eight-heads": jina(
        "geglu", nn.functional.gelu, num_attention_heads=8, hidden_size=40, num_hidden_layers=1
    ),
    "jina-reglu": jina("reglu", nn.functional.relu, num_attention_heads=6, hidden_size=42, intermediate_size=26),
}

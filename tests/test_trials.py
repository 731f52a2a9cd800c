"""Every trial: it holds where its claim does, and does not where the condition is broken on purpose."""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from controls import even as evenly
from controls import untrained
from planted import LINK, NEXT, PREVIOUS, planted
from tiers import mostly_nightly
from tiny import SIZES, TINY, VARIANTS, tiny, tiny_model, tiny_tokenizer
from tokenizers import Tokenizer, normalizers
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from encoder import PRESETS, EncoderConfig, TextEncoder, Trace, checkpoint, experiments, mystery
from encoder.exam.examination import exam_by_content
from encoder.exam.rise import rise
from encoder.experiments.probes.layers import Probe
from encoder.explain import whole
from encoder.metrics import attention_weights
from encoder.support.formatting import brief
from encoder.teach import trials
from encoder.teach.trials import (
    TRIALS,
    Finding,
    Verdict,
    flows,
    grammar,
    heads,
    judge,
    layout,
    linear,
    links,
    notebook,
    order,
    probing,
    sizes,
    stacks,
    training,
    trials_of,
    wiring,
)
from encoder.trace.source import Source

HOLDS, CONDITION, FAILS, UNTRIED = Verdict.HOLDS, Verdict.CONDITION, Verdict.FAILS, Verdict.UNTRIED
WIDE = "The animal didn't cross the street because it was too wide."
TIRED = WIDE.replace("wide", "tired")
KEYS = "Keys on the table belong to Sara."
LIGHT = ["Turn on the light.", "This bag is light.", "I prefer light blue."]
PHONES, PIE = "I love Apple phones.", "I love apple pie."
SCORES = [2.0, 1.0, 0.1]
BERT_IDS = [101, 2054, 2003, 2204, 102]
LAMP = {
    "sentence": LIGHT[0],
    "other": LIGHT[1],
    "word": "light",
    "near": "lamp",
    "far": "heavy",
    "neutral": ["This is light."],
    "stand_in": "thing",
}
APPLE = {
    "sentence": PHONES,
    "other": PIE,
    "word": "apple",
    "near": "computer",
    "far": "fruit",
    "neutral": ["I love apple houses."],
    "stand_in": "banana",
}
THINGS = [pair for _, pairs in links.LINKS["place"] for pair in pairs]
CROSS = "The animal didn't cross the [MASK] because it was too wide."
FOOD = {"sentence": "The food was good.", "denial": "The food was not good."}
Break = Callable[[pytest.MonkeyPatch, TextEncoder], TextEncoder | None]


def same(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Nothing is broken."""


def puzzle(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A mystery model in which one of two heads says each half of the row backwards."""
    return mystery(4)


def small(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """The bundled little sibling."""
    return TextEncoder.from_pretrained("small")


def shallow(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """One layer of random weights, in which looking is taking."""
    return tiny(replace(TINY, n_layers=1, mlm_head=True))


def of(name: str) -> Break:
    """Another model."""
    return lambda patch, base: tiny(VARIANTS[name])


def bent_waves(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Waves with one number moved."""
    encoder = tiny(TINY)
    encoder.model.embedding.positions.weight[5, 3] += 0.1
    return encoder


def waves_of(rate: float = 10_000, swapped: bool = False) -> Break:
    """Waves of another rate, or with sine and cosine exchanged."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
        encoder = tiny(TINY)
        table = encoder.model.embedding.positions.weight
        for place in range(len(table)):
            for pair in range(table.shape[1] // 2):
                angle = place / rate ** (2 * pair / table.shape[1])
                waves = [math.cos(angle), math.sin(angle)] if swapped else [math.sin(angle), math.cos(angle)]
                table[place, 2 * pair : 2 * pair + 2] = torch.tensor(waves)
        return encoder

    return broken


def one_place(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A table in which all places are the same."""
    encoder = tiny(TINY)
    encoder.model.embedding.positions.weight.copy_(encoder.model.embedding.positions.weight[3].clone())
    return encoder


def twin_places(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A table in which two places are the same."""
    encoder = tiny(TINY)
    encoder.model.embedding.positions.weight[7] = encoder.model.embedding.positions.weight[11].clone()
    return encoder


def never_looking(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Heads of which none looks from the second token to the fourth, with weights that are not 0 all the same."""

    def weights(trace: Trace) -> torch.Tensor:
        found = attention_weights(trace).clone()
        found[:, :, 1, 3] = 1e-6
        return found / found.sum(-1, keepdim=True)

    patch.setattr("encoder.teach.trials.arithmetic.attention_weights", weights)


def learned_nothing(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Random weights, with a head that guesses words."""
    return untrained(0, "small")


def gradients_of(kept: float, lost: float) -> Break:
    """Stacks that leave so much of a gradient with norms and without."""

    def found(depth: int, *, residual: bool, norm: bool) -> torch.Tensor:
        return torch.tensor([kept if norm else lost, 1.0])

    return lambda patch, base: patch.setattr(stacks, "gradients", found)


def far_out(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Waves as large as learned positions may become."""
    encoder = tiny(TINY)
    encoder.model.embedding.positions.weight.mul_(10)
    return encoder


def without_order(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Runs without positions that differ all the same."""
    patch.setattr(order, "word_order", lambda *args: replace(found := experiments.word_order(*args), off=found.on))


def turning(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Heads of which one turns "it" to the street or the animal, as a person would."""

    def weights(trace: Trace) -> torch.Tensor:
        found = attention_weights(trace).clone()
        found[3, 2] = 0
        found[3, 2, :, trace.tokens.index("street" if "wide" in trace.tokens else "animal")] = 1
        return found

    patch.setattr(heads, "attention_weights", weights)


def planting(*links: tuple[str, str], shuffled: bool = False) -> Break:
    """A model with a head set by hand that links these words; or its numbers in random places."""
    return lambda patch, base: planted(base.tokenizer, list(links), shuffled)


def idle(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A head that links keys and table, and hands over nothing."""
    return planted(base.tokenizer, [("keys", "table")], idle=True)


def deep(pre: float, post: float) -> Break:
    """Stacks of random blocks that end so far apart, whatever their weights; without residuals tokens become one."""

    def found(depths: Sequence[int], config: EncoderConfig = experiments.SHAPE, **given: Any) -> experiments.Residuals:
        end = torch.tensor(1 - (pre if config.norm_first else post), dtype=torch.float64)
        curves = [
            experiments.Curve(residual, True, (end if residual else torch.ones_like(end)).expand(49), torch.ones(49))
            for residual in (True, False)
        ]
        return experiments.Residuals(tuple(depths), tuple(curves))

    return lambda patch, base: patch.setattr(stacks, "residuals", found)


def single_waves(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A table in which no two columns are waves of the same frequency."""
    encoder = tiny(TINY)
    table = encoder.model.embedding.positions.weight
    places = torch.arange(len(table), dtype=torch.float64)
    table.copy_((places[:, None] * torch.linspace(0.1, 3, table.shape[1])).sin())
    return encoder


def one_sided(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Gates whose other half is never below zero."""
    encoder = tiny(VARIANTS["gated"])
    with torch.no_grad():
        encoder.model.layers[0].feed_forward.w_up.bias.fill_(1e3)
    return encoder


def centred(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Maps and tables whose rows have no mean to take away, so that nothing that is normed has one."""
    encoder = tiny(TINY)
    with torch.no_grad():
        model = encoder.model.train().eval()  # without the weights that were laid out for the processor
        for table in (model.embedding.positions.weight, model.embedding.tokens.weight):
            table.sub_(table.mean(-1, keepdim=True))
        for block in model.layers:
            for linear_map in (block.attention.w_o, block.feed_forward.w_2):
                linear_map.weight.sub_(linear_map.weight.mean(0))
                linear_map.bias.sub_(linear_map.bias.mean())
            for norm in (block.norm1, block.norm2):
                norm.weight.fill_(1.0)
                norm.bias.sub_(norm.bias.mean())
    return encoder


def widths_of(power: float) -> Break:
    """Dot products whose spread grows with another power of the width."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
        found = [w._replace(deviation=w.d_head**power) for w in experiments.dot_products()]
        patch.setattr("encoder.teach.trials.arithmetic.dot_products", lambda *args: found)

    return broken


def collapsed(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """An activation that bends nothing."""
    found = experiments.collapse()
    patch.setattr(linear, "collapse", lambda **given: replace(found, remainder=found.linear_remainder))


def even(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Queries of zero: every token looks at all alike, and attention is linear."""
    drawn = tiny_model(TINY).named_parameters()
    tensors = {name: torch.zeros_like(t) if ".w_q." in name else t.detach().clone() for name, t in drawn}
    return TextEncoder(checkpoint.build(TINY, tensors, "no queries"), tiny_tokenizer(), Source("even", "tiny"))


def unbiased(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Linear layers without biases."""
    encoder = tiny(TINY)
    for name in ("w_q", "w_k", "w_v"):
        encoder.model.layers[0].attention.get_submodule(name).bias = None
    return encoder


def taking(seconds: list[float]) -> Break:
    """Runs that take so long."""
    lengths = (8, 64, 256)
    found = tuple(experiments.Duration(n, s, 1000 * n, n * n) for n, s in zip(lengths, seconds, strict=True))
    return lambda patch, base: patch.setattr(sizes, "timing", lambda *args: found)


def bert(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A vocabulary as large as BERT's, with the words of the example in their places."""
    pieces = [f"piece{i}" for i in range(30_522)]
    named = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 2003: "is", 2054: "what", 2204: "good"}
    for i, piece in named.items():
        pieces[i] = piece
    tokenizer = Tokenizer(WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 101), ("[SEP]", 102)]
    )
    return TextEncoder(tiny_model(replace(TINY, vocab_size=30_522)), tokenizer, Source("bert", "tiny"))


def leaking(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A softmax for which a large negative number is not large enough."""
    patch.setattr(
        stacks,
        "softmax_of",
        lambda scores: torch.tensor([s if s == -math.inf else max(s, -9) for s in scores]).softmax(0),
    )


def one_number_heads(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Heads of one dimension, for which the division is by 1."""
    return tiny(replace(TINY, n_heads=SIZES["d_model"]))


def probe_of(accuracy: list[float], control: float = 0.2) -> Probe:
    """What a probe of 200 samples found, layer by layer."""
    told = torch.tensor(accuracy, dtype=torch.float64)
    return Probe(told, torch.full_like(told, control), 0.25, 200)


def telling(best: tuple[int, int] = (1, 3), place: tuple[float, float] = (0.9, 0.5)) -> Break:
    """Probes that tell most after these layers, and the place from the input and at the end."""

    def found(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
        grammar, meaning = ([0.9 if i == layer else 0.5 for i in range(5)] for layer in best)
        places = torch.linspace(*place, 5).tolist()
        every = {"parts of speech": grammar, "good or bad": meaning, "place": places}
        patch.setattr(probing, "probe", lambda encoder, task: probe_of(every[task]))

    return found


def flat_meaning(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Probes that tell words best after one layer, and sentences after every layer nearly alike."""
    every = {"parts of speech": [0.5, 0.9, 0.5, 0.5, 0.5], "good or bad": [0.84, 0.84, 0.85, 0.88, 0.86]}
    patch.setattr(probing, "probe", lambda encoder, task: probe_of(every[task]))


def idle_probes(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Probes that tell no more than their control tasks do."""
    patch.setattr(probing, "probe", lambda encoder, task: probe_of([0.5, 0.6, 0.5, 0.5, 0.5], 0.6))


def undropped(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Dropout that drops nothing."""
    found = experiments.dropout(base, KEYS, 0.0)
    patch.setattr(training, "dropout", lambda *args: found)


def silent_feed_forward(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A model whose feed-forward networks add nothing as it is."""
    encoder = TextEncoder.from_pretrained("small")
    for layer in encoder.model.layers:
        layer.feed_forward.w_2.weight.zero_()
        layer.feed_forward.w_2.bias.zero_()
        layer.feed_forward.w_2.prepacked = None
    return encoder


def recurrent(ours: float, theirs: float) -> Break:
    """An encoder and an LSTM that take so long."""
    return lambda patch, base: patch.setattr(training, "seconds", lambda encoder, n: (ours, theirs))


def torn(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Heads that another matrix made."""
    found = [replace(one, apart=one.apart + 1) for one in experiments.one_matrix(base.trace(KEYS), 0)]
    patch.setattr(layout, "one_matrix", lambda trace, layer: found)


def mixing(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Feed-forward networks that give every token something of all the others."""
    encoder = tiny(TINY)
    for layer in encoder.model.layers:
        alone = layer.feed_forward.forward
        patch.setattr(layer.feed_forward, "forward", lambda x, *tap, alone=alone: alone(x, *tap) + x.mean(1, True))
    return encoder


def wider_than(wanted: int) -> Break:
    """Blocks with so many more parameters than they need, for each d_model."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
        patch.setattr(sizes, "block", lambda *given: 12 * base.config.d_model**2 + wanted * base.config.d_model)

    return broken


def narrowing(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A first block that gives rows of half their width."""
    encoder = tiny(TINY)
    patch.setattr(encoder.model.layers[0], "forward", lambda x: x[..., : x.shape[-1] // 2])
    return encoder


def endless(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Weights with which numbers outgrow float32."""
    encoder = tiny(TINY)
    encoder.model.layers[0].norm1.weight.fill_(math.inf)
    return encoder


def last_norm(norm_first: bool) -> Break:
    """A last norm behind blocks that end with a norm, or with a sum; no norm stretches or moves."""

    def made(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
        encoder = tiny(replace(TINY, final_norm=True, norm_first=norm_first))
        for name, weight in encoder.model.named_parameters():
            if "norm" in name:
                weight.fill_(float(name.endswith("weight")))
        return encoder

    return made


def other_class(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A class that divides its scores by twice the root of the width of a head."""
    patch.setattr(whole, "math", SimpleNamespace(sqrt=lambda x: 2 * math.sqrt(x), log=math.log))


def never_leaving(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A head that is no better than its rule at any moment."""
    patch.setattr(grammar, "rise", lambda *given: replace(one := rise(*given), shares=dict.fromkeys(one.shares, 0.0)))
    return TextEncoder.from_pretrained("small")


def positions_again(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A second block that reads the positions too."""
    steps = [
        replace(step, inputs=(*step.inputs, "embedding.positions")) if step.name == "layers.1.attention.q" else step
        for step in base.steps
    ]
    patch.setattr(TextEncoder, "steps", steps)


def growing_alike(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Vectors that are the more alike the more layers they went through."""
    patch.setattr(wiring, "cosine", lambda a, b: torch.linspace(0.1, 0.9, a.shape[1]).expand(len(a), -1))


CAUSAL = ";".join(f"layers.{i}.attention.masked:causal" for i in range(6))


def equal_values(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Tokens that all hand over as much, so that the largest weight contributes most."""
    patch.setattr(flows, "norm_weighted", attention_weights)


def against_weights(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Tokens that hand over the less the more they are looked at."""
    patch.setattr(flows, "norm_weighted", lambda trace, layer: -attention_weights(trace, layer))


def one_after_the_other(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Runs that take an operation for each token."""
    patch.setattr(flows, "operations", lambda encoder, n: 7 * n)


def never_mixing(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Blocks whose attention hands over nothing."""
    encoder = tiny(TINY)
    for layer in encoder.model.layers:
        layer.attention.w_o.weight.zero_()
        layer.attention.w_o.prepacked = None
    return encoder


def saved_with_it(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A table of positions that is saved with the model."""
    encoder = tiny(TINY)
    positions = encoder.model.embedding.positions
    positions.register_buffer("weight", positions.weight)
    return encoder


def adds_all(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Sums to which vectors of any width can be added."""
    patch.setattr(layout, "can_add", lambda stream, width: True)


def cut_short(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A model that reads few tokens."""
    return tiny(TINY)


def larger(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A family that is said to be twice as large as it is."""
    raw, count = layout.FAMILIES["BERT"]
    patch.setitem(layout.FAMILIES, "BERT", (raw, 2 * count))


def linear_inside(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Feed-forward networks without an activation."""
    encoder = tiny(TINY)
    for layer in encoder.model.layers:
        layer.feed_forward.activation = lambda x: x
    return encoder


def shuffled_rows(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A table of random rows."""
    return TextEncoder.from_config(PRESETS["paper"])


def steps_of_training(ours: float, theirs: float) -> Break:
    """An encoder and an LSTM whose steps of training take so long."""
    return lambda patch, base: patch.setattr(training, "training_seconds", lambda encoder, n: (ours, theirs, 9))


def eight_blocks(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """As many blocks as the notebook has; with six its tokens are more alike than ours."""
    return TextEncoder.from_config(PRESETS["eight-blocks"])


def of_heads(one: float, several: float) -> Break:
    """One head and several that tell so much after their training."""
    return lambda patch, base: patch.setattr(
        training, "pairs_right", lambda heads, seed: one if heads == 1 else several - seed / 10
    )


def unlike(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A notebook that prints other numbers: rows that are one and the same."""
    patch.setattr(notebook, "PRINTED", notebook.PRINTED[:1].expand(3, -1))


def no_last_norm(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A stack whose rows are of any size."""
    patch.setattr(notebook, "through", lambda encoder, x: 3 * x)


def of_names(*accuracy: float) -> Break:
    """A probe of names that tells so much from the input and from the output, and a list that tells 80 %."""
    return lambda patch, base: patch.setattr(probing, "named", lambda encoder: (probe_of(list(accuracy)), 0.8))


def unlicensed(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """An examination that licenses no head."""
    exam = exam_by_content(base.source.fingerprint)
    assert exam is not None
    rows = tuple(replace(row, licensed=False) for row in exam.rows)
    patch.setattr(grammar, "exam_by_content", lambda fingerprint: replace(exam, rows=rows))


def linking(best: float) -> Break:
    """Heads of which the best links labelled words so much, where it counts from 0.2 on; in layer 1 of two."""
    more = torch.zeros(2, 2, 4)
    more[0, 1, 3] = best

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
        for module in (links, grammar):
            patch.setattr(module, "links", lambda encoder, job: links.Links(more, 0.2, 8))

    return broken


def never_far(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Heads that link meaning, and of which none looks far."""
    linking(0.5)(patch, base)
    patch.setattr(grammar, "far_looks", lambda encoder: torch.zeros(6, 8))


Case = tuple[dict[str, Any], Verdict, Break]
BOTH = {"sentence": KEYS, "word": "keys", "first": "table", "second": "sara"}
# For every trial: what holds, or holds with a condition, and what breaks it.
CASES: dict[str, tuple[Case, ...]] = {
    "same_vectors": (
        ({"sentence": "I love deep learning"}, HOLDS, same),
        ({"sentence": "The cat chased the mouse.", "other": "The mouse chased the cat."}, HOLDS, same),
        ({"sentence": "I love deep learning", "positions": "on"}, FAILS, same),
    ),
    "identical_rows": (
        ({"sentence": "I love deep learning"}, CONDITION, same),
        ({"sentence": "I love deep learning"}, FAILS, without_order),
    ),
    "position_values": (({}, HOLDS, same), ({}, FAILS, far_out), ({}, UNTRIED, of("learned-positions"))),
    "one_frequency": (
        ({}, HOLDS, same), ({}, HOLDS, of("post-norm")), ({}, FAILS, bent_waves), ({}, UNTRIED, of("no-positions")),
        ({"of": "dimension"}, CONDITION, same), ({"of": "dimension"}, HOLDS, single_waves),
    ),
    "one_rotation": (
        ({"steps": 10}, HOLDS, same), ({"steps": 3}, FAILS, bent_waves),
        ({"steps": 3}, UNTRIED, of("learned-positions")),
    ),
    "sines_and_cosines": (
        ({}, HOLDS, same), ({}, HOLDS, waves_of()), ({}, FAILS, waves_of(1000)), ({}, FAILS, waves_of(swapped=True)),
        ({"rate": 1000}, HOLDS, waves_of(1000)), ({}, FAILS, bent_waves), ({}, UNTRIED, of("learned-positions")),
    ),
    "places_apart": (
        ({}, HOLDS, same), ({}, HOLDS, of("learned-positions")), ({}, FAILS, one_place), ({}, FAILS, twin_places),
        ({}, UNTRIED, of("no-positions")),
    ),
    "powers_by_log": (
        ({}, HOLDS, waves_of()), ({}, CONDITION, same), ({}, FAILS, waves_of(1000)), ({}, FAILS, bent_waves),
        ({}, UNTRIED, of("learned-positions")),
    ),
    "only_distance": (({}, HOLDS, same), ({}, FAILS, of("learned-positions")), ({}, FAILS, one_place)),
    "looks_at": (
        ({"sentence": WIDE, "word": "it", "target": "animal", "layer": 4, "head": 1}, HOLDS, same),
        ({"sentence": WIDE, "word": "it", "target": "street", "layer": 4, "head": 1}, FAILS, same),
        ({"sentence": WIDE, "word": "it", "target": "animal", "layer": 4}, HOLDS, same),
        ({"sentence": WIDE, "word": "it", "target": "animal", "layer": 0}, FAILS, same),
        ({"sentence": KEYS, "word": "keys", "target": "table"}, HOLDS, planting(("keys", "table"))),
        ({"sentence": KEYS, "word": "keys", "target": "table"}, FAILS, planting(("keys", "table"), shuffled=True)),
    ),
    "linked": (
        ({"sentence": KEYS, "word": "keys", "target": "table"}, HOLDS, planting(("keys", "table"))),
        ({"sentence": KEYS, "word": "keys", "target": "table"}, CONDITION, idle),
        ({"sentence": KEYS, "word": "keys", "target": "sara"}, FAILS, planting(("keys", "table"))),
        ({"sentence": KEYS, "word": "keys", "target": "table"}, FAILS, planting(("keys", "table"), shuffled=True)),
        ({"sentence": KEYS, "word": "keys", "target": "table"}, FAILS, same),
    ),
    "refers": (
        ({"sentence": WIDE, "other": TIRED, "word": "it", "first": "street", "second": "animal"}, HOLDS, turning),
        ({"sentence": WIDE, "other": TIRED, "word": "it", "first": "animal", "second": "street"}, FAILS, turning),
        ({"sentence": WIDE, "other": TIRED, "word": "it", "first": "street", "second": "animal"}, FAILS, same),
    ),
    "contexts": (
        ({"word": "light", "sentences": LIGHT}, HOLDS, same),
        ({"word": "light", "sentences": [LIGHT[0], LIGHT[0]]}, FAILS, same),
    ),
    "leans": (
        (LAMP, HOLDS, same),
        (LAMP | {"neutral": [LIGHT[0]]}, FAILS, same),  # a control that leans as far
        (APPLE, FAILS, same),
        ({k: v for k, v in APPLE.items() if k not in ("neutral", "stand_in")}, CONDITION, same),
        ({"sentence": "w1 w2", "other": "w3 w2", "word": "w2", "near": "w1", "far": "w3"}, UNTRIED, of("post-norm")),
    ),
    "head_job": (
        ({"head": LINK, "job": "place"}, HOLDS, planting(*THINGS)),
        ({"head": PREVIOUS, "job": "place"}, FAILS, planting(*THINGS)),
        ({"head": NEXT, "job": "subject, verb and object"}, FAILS, planting(*THINGS)),  # neighbours are no grammar
        ({"head": LINK, "job": "place"}, FAILS, planting(*THINGS, shuffled=True)),
        ({"head": 0, "job": "subject, verb and object"}, FAILS, same),
        ({"head": 0, "job": "subject, verb and object"}, HOLDS, small),
        ({"head": 1, "job": "place"}, FAILS, small),
    ),
    "some_head_links": (
        ({"job": "place"}, HOLDS, planting(*THINGS)), ({"job": "place"}, FAILS, planting(*THINGS, shuffled=True)),
        ({"job": "subject, verb and object"}, FAILS, planting(*THINGS)), ({"job": "time"}, FAILS, same),
    ),
    "grammar_first": (
        ({}, HOLDS, telling(best=(1, 3))), ({}, FAILS, telling(best=(3, 1))), ({}, FAILS, idle_probes),
        ({}, FAILS, flat_meaning),
    ),
    "place_kept": (({}, HOLDS, telling(place=(0.9, 0.4))), ({}, FAILS, telling(place=(0.9, 0.9)))),
    "words_told": (({}, HOLDS, telling(best=(4, 4))), ({}, FAILS, idle_probes)),
    "sentences_told": (({}, HOLDS, telling(best=(4, 4))), ({}, FAILS, idle_probes)),
    "dropout_share": (
        ({"sentence": KEYS, "p": 0.1}, HOLDS, same), ({"sentence": KEYS, "p": 0.1}, FAILS, undropped),
        ({"sentence": KEYS, "p": 0.1, "place": "activation"}, HOLDS, same),
        ({"sentence": KEYS, "p": 0.1, "place": "activation"}, FAILS, undropped),
    ),
    "gradient_needs_division": (({"width": 512}, HOLDS, same), ({"width": 2}, FAILS, same)),
    "feed_forward_needed": (
        ({}, HOLDS, same), ({}, FAILS, silent_feed_forward), ({}, UNTRIED, of("post-norm")),
        ({}, UNTRIED, learned_nothing),
    ),
    "recurrent_slower": (({}, HOLDS, recurrent(1.0, 3.0)), ({}, FAILS, recurrent(3.0, 1.0))),
    "setting_is": (({"field": "layers", "value": 6}, HOLDS, same), ({"field": "layers", "value": 8}, FAILS, same)),
    "batch_is": (
        ({"expected": [2, 5, 512]}, HOLDS, same), ({"expected": [2, 5, 512]}, FAILS, small),
        ({"expected": [2, 8, 5, 5], "step": "layers.0.attention.weights"}, HOLDS, same),
        ({"expected": [2, 4, 5, 5], "step": "layers.0.attention.weights"}, FAILS, same),
        ({"expected": [2, 5, 30]}, FAILS, endless), ({"expected": [2, 1000, 512]}, UNTRIED, same),
    ),
    "block_takes": (
        ({"expected": [32, 100, 512]}, HOLDS, same), ({"expected": [4, 6, 30]}, FAILS, narrowing),
        ({"expected": [4, 6, 30]}, FAILS, endless), ({"expected": [32, 100, 512]}, UNTRIED, small),
    ),
    "picks_row": (
        ({"sentence": "cat", "word": "cat"}, HOLDS, same),
        ({"sentence": "cat", "word": "cat", "edits": "embedding.tokens:scale:v=1.001"}, FAILS, same),
    ),
    "each_alone": (
        ({"sentence": WIDE}, HOLDS, same), ({"sentence": WIDE, "part": "attention"}, FAILS, same),
        ({"sentence": "w1 w2 w3"}, HOLDS, of("post-norm")), ({"sentence": "w1 w2 w3"}, FAILS, mixing),
    ),
    "blocks_chain": (
        ({"sentence": KEYS}, HOLDS, same),
        ({"sentence": KEYS, "edits": "layers.2.add_norm_1.residual:scale:v=1.001"}, FAILS, same),
        ({"sentence": KEYS, "edits": "embedding.output:scale:v=1.001"}, FAILS, same),
    ),
    "last_norm_changes": (
        ({"sentence": "w1 w2"}, HOLDS, last_norm(True)), ({"sentence": "w1 w2"}, CONDITION, last_norm(False)),
        ({"sentence": KEYS}, FAILS, same),
    ),
    "heads_divide": (({"heads": 7}, HOLDS, same), ({"heads": 8}, FAILS, same)),
    "later_hidden": (({"sentence": KEYS, "edits": CAUSAL}, HOLDS, same), ({"sentence": KEYS}, FAILS, same)),
    "own_class": (
        ({"sentence": KEYS}, HOLDS, same), ({"sentence": KEYS, "part": "block"}, HOLDS, same),
        ({"sentence": KEYS}, FAILS, other_class), ({"sentence": KEYS, "part": "block"}, FAILS, other_class),
        ({"sentence": "w1 w2"}, UNTRIED, of("preset-modern")),
    ),
    "layers_refine": (
        ({"word": "light", "sentences": LIGHT}, HOLDS, same), ({"word": "light", "sentences": LIGHT}, CONDITION, small),
        ({"word": "light", "sentences": LIGHT}, FAILS, growing_alike),
    ),
    "bare_is": (
        ({"sentence": "I understand this", "expected": [3, 512]}, HOLDS, same),
        ({"sentence": "I understand this", "expected": [3, 512]}, CONDITION, small),
        ({"sentence": "I understand this", "expected": [5, 512]}, FAILS, same),
    ),
    "heads_are_one_matrix": (({"sentence": KEYS}, HOLDS, same), ({"sentence": KEYS}, FAILS, torn)),
    "own_parameters": (({}, HOLDS, same), ({}, FAILS, of("shared-layers"))),
    "positions_once": (({}, HOLDS, same), ({}, FAILS, positions_again), ({}, UNTRIED, of("no-positions"))),
    "positions_fixed": (({}, HOLDS, same), ({}, FAILS, of("learned-positions")), ({}, UNTRIED, of("no-positions"))),
    "published_depth": (
        ({"preset": "bert-base", "layers": 12}, HOLDS, same), ({"preset": "bert-large", "layers": 24}, HOLDS, same),
        ({"preset": "bert-base", "layers": 24}, FAILS, same), ({"preset": "paper", "layers": 12}, FAILS, same),
    ),
    "depth_grows": (({"layers": 12}, HOLDS, same), ({"layers": 12}, FAILS, of("shared-layers"))),
    "order_agrees": (
        ({"sentence": CROSS, "method": "integrated gradients"}, HOLDS, small),
        ({"sentence": CROSS, "method": "integrated gradients"}, CONDITION, same),
        ({"sentence": CROSS, "method": "gradient × input"}, FAILS, same),
        ({"sentence": CROSS, "method": "attention weight"}, FAILS, small),
        ({"sentence": "w1 w2 w3", "method": "attention weight"}, UNTRIED, of("post-norm")),
    ),
    "looked_at_matters": (
        ({"sentence": "w1 [MASK] w3 w2"}, HOLDS, shallow), ({"sentence": CROSS}, FAILS, same),
        ({"sentence": "w1 w2"}, UNTRIED, of("post-norm")),
    ),
    "meaning_counts": (
        (FOOD | {"other": "The food was excellent."}, HOLDS, same),
        (FOOD | {"other": "The meal tasted great."}, FAILS, same),
    ),
    "by_hand": (
        ({"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2]}, HOLDS, same),
        ({"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2],
          "edits": "layers.4.attention.scores:scale:v=1.001"}, FAILS, same),
    ),
    "softmax_is": (
        ({"scores": SCORES, "expected": [0.66, 0.24, 0.10]}, HOLDS, same),
        ({"scores": SCORES, "expected": [0.65, 0.24, 0.11]}, FAILS, same),
    ),
    "rows_sum": (
        ({"sentence": KEYS}, HOLDS, same),
        ({"sentence": KEYS, "edits": "layers.2.attention.weights:scale:v=0.9"}, FAILS, same),
    ),
    "all_look": (({"sentence": KEYS}, HOLDS, same), ({"sentence": KEYS}, CONDITION, never_looking)),
    "spread_grows": (({}, HOLDS, same), ({}, FAILS, widths_of(1.0))),
    "saturates": (({"width": 512}, HOLDS, same), ({"width": 4}, FAILS, same)),
    "division_matters": (
        ({"sentence": KEYS}, HOLDS, same),
        ({"sentence": "w1 w2 w3"}, FAILS, one_number_heads),
    ),
    "residuals_deep": (
        ({}, CONDITION, same), ({"norm": "pre"}, HOLDS, same),
        ({}, HOLDS, deep(0.5, 0.5)), ({}, FAILS, deep(0.5, 1e-9)),
    ),
    "residuals_keep": (({"depth": 6}, HOLDS, same), ({"depth": 48}, FAILS, same)),
    "norms_keep_length": (({"depth": 24}, HOLDS, same), ({"depth": 2}, FAILS, same)),
    "norms_keep_gradients": (
        ({"depth": 24}, HOLDS, gradients_of(1.0, math.inf)), ({"depth": 24}, HOLDS, gradients_of(1.0, 1e-9)),
        ({"depth": 24}, FAILS, gradients_of(1e-3, 1e-9)), ({"depth": 24}, FAILS, gradients_of(1.0, 1.0)),
    ),
    "gradients_vanish": (({"depth": 24}, CONDITION, same), ({"depth": 2}, FAILS, same)),
    "learns_better": (
        ({"kind": "post-norm", "than": "without the division"}, HOLDS, same),
        ({"kind": "without the division", "than": "post-norm"}, FAILS, same),
        ({"kind": "pre-norm", "than": "post-norm", "layers": 6}, HOLDS, same),
    ),
    "pre_norm_deeper": (
        ({"depth": 48}, CONDITION, same), ({"depth": 48}, HOLDS, deep(0.5, 1e-9)), ({"depth": 2}, FAILS, same),
    ),
    "std_norm_is": (({"width": 512}, CONDITION, same), ({"width": 8}, FAILS, same)),
    "layers_collapse": (
        ({"between": "nothing"}, HOLDS, same),
        ({"between": "relu"}, FAILS, same),
        ({"between": "gelu"}, FAILS, same),
    ),
    "activation_needed": (
        ({"sentence": KEYS}, CONDITION, same),
        ({"sentence": "w1 w2 w3"}, HOLDS, even),
        ({"sentence": KEYS}, FAILS, collapsed),
    ),
    "attention_linear": (({"sentence": KEYS}, FAILS, same), ({"sentence": "w1 w2 w3"}, HOLDS, even)),
    "padding_ignored": (
        ({"short": "The cat sleeps.", "sentence": WIDE, "mask": "kept"}, HOLDS, same),
        ({"short": "The cat sleeps.", "sentence": WIDE, "mask": "forgotten"}, FAILS, same),
    ),
    "masks_alike": (({}, CONDITION, same), ({"low": -1e6}, CONDITION, same), ({}, FAILS, leaking)),
    "block_total": (
        ({"widths": 13}, HOLDS, same), ({"widths": 9}, CONDITION, same), ({}, FAILS, same),
        ({}, HOLDS, wider_than(6)), ({"widths": 13}, FAILS, wider_than(6)), ({}, UNTRIED, of("gated")),
    ),
    "block_size": (({}, HOLDS, same), ({}, FAILS, of("post-norm"))),
    "part_size": (
        ({"part": "attention", "expected": 1e6}, HOLDS, same),
        ({"part": "feed-forward", "expected": 2e6}, HOLDS, same),
        ({"part": "attention", "expected": 2e6}, FAILS, same),
        ({"part": "attention", "expected": 1_050_624}, HOLDS, same),
        ({"part": "attention", "expected": 1_050_625}, FAILS, same),
        ({"part": "norm 1", "expected": 1024}, HOLDS, same),
        ({"part": "W_O", "expected": 262_144}, CONDITION, same),  # and 512 biases
        ({"part": "W_O", "expected": 240_000}, FAILS, same),
        ({"part": "attention", "expected": 2e6}, UNTRIED, of("post-norm")),
    ),
    "query_key_value": (({}, CONDITION, same), ({}, HOLDS, unbiased)),
    "shape_is": (
        ({"sentence": "I understand this", "step": "output", "expected": [5, 512]}, HOLDS, same),
        ({"sentence": "I understand this", "step": "output", "expected": [3, 512]}, CONDITION, same),
        ({"sentence": "I understand this", "step": "output", "expected": [4, 512]}, FAILS, same),
        ({"sentence": "w1", "step": "output", "expected": [3, 512], "width": 512}, UNTRIED, of("post-norm")),
    ),
    "lengths_run": (
        ({"longest": 500}, HOLDS, same), ({"longest": 512}, CONDITION, same), ({"longest": 500}, CONDITION, cut_short),
    ),
    "weight_contributes": (({}, CONDITION, same), ({}, HOLDS, equal_values), ({}, FAILS, against_weights)),
    "all_linked": (
        ({"sentence": KEYS}, HOLDS, same), ({"sentence": KEYS, "layers": 6}, HOLDS, same),
        ({"sentence": "w1 w2 w3"}, FAILS, never_mixing),
    ),
    "at_once": (({}, HOLDS, same), ({}, FAILS, one_after_the_other)),
    "table_made": (
        ({"value": 512}, HOLDS, same), ({"value": 5000}, CONDITION, same), ({"value": 512}, FAILS, bent_waves),
        ({}, UNTRIED, of("learned-positions")),
    ),
    "positions_saved": (
        ({}, CONDITION, same), ({}, HOLDS, saved_with_it), ({}, FAILS, of("learned-positions")),
        ({}, UNTRIED, of("no-positions")),
    ),
    "sums_need_one_width": (
        ({"sentence": KEYS}, HOLDS, same), ({"sentence": "w1 w2"}, CONDITION, of("post-norm")),
        ({"sentence": KEYS}, CONDITION, adds_all),
    ),
    "families_open": (({}, HOLDS, same), ({}, FAILS, larger)),
    "notebook_prints": (
        ({}, HOLDS, eight_blocks), ({}, CONDITION, same), ({}, FAILS, unlike), ({}, FAILS, no_last_norm),
    ),
    "one_head_both": (
        (BOTH, HOLDS, same), (BOTH, UNTRIED, planting()),
        (BOTH, FAILS, planting(("keys", "table"), ("keys", "sara"))),
    ),
    "linked_in": (
        ({"job": "place", "where": [2]}, HOLDS, linking(0.5)),
        ({"job": "place", "where": [1]}, CONDITION, linking(0.5)),
        ({"job": "place", "where": [2]}, FAILS, linking(0.1)), ({"job": "place", "where": [3, 4]}, FAILS, same),
    ),
    "heads_licensed": (
        ({"chosen": [6, 7]}, HOLDS, same), ({"chosen": [3, 6]}, CONDITION, same),
        ({"chosen": [6, 7]}, FAILS, unlicensed),
        ({"chosen": [0]}, UNTRIED, of("post-norm")),
    ),
    "kinds_at_once": (
        ({}, CONDITION, same), ({}, HOLDS, linking(0.5)), ({}, CONDITION, never_far), ({}, UNTRIED, of("post-norm")),
    ),
    "feed_forward_bends": (({"sentence": KEYS}, HOLDS, same), ({"sentence": "w1 w2 w3"}, FAILS, linear_inside)),
    "rows_hold_meaning": (({}, HOLDS, same), ({}, FAILS, shuffled_rows)),
    "heads_share_work": (
        ({"heads": 2}, HOLDS, of_heads(0.5, 0.9)), ({"heads": 2}, FAILS, of_heads(0.5, 0.5)),
        ({"heads": 2}, CONDITION, of_heads(0.5, 0.55)),
    ),
    "trained_faster": (({}, HOLDS, steps_of_training(1.0, 2.0)), ({}, FAILS, steps_of_training(2.0, 1.0))),
    "told_in": (
        ({"task": "parts of speech", "where": [1, 2]}, HOLDS, telling(best=(1, 3))),
        ({"task": "good or bad", "where": [3]}, CONDITION, flat_meaning),
        ({"task": "good or bad", "where": [1]}, FAILS, flat_meaning),
        ({"task": "good or bad", "where": [1]}, FAILS, idle_probes),
        ({"task": "place", "where": [9]}, UNTRIED, telling()),
    ),
    "names_told": (({}, HOLDS, of_names(0.7, 0.95)), ({}, FAILS, of_names(0.7, 0.81)), ({}, FAILS, of_names(0.2, 0.2))),
    "one_width": (
        ({"sentence": "I understand this", "layers": 6}, HOLDS, same),
        ({"sentence": "I understand this", "layers": 8}, CONDITION, same),
    ),
    "time_constant": (({}, HOLDS, taking([1.0, 0.9, 1.3])), ({}, FAILS, taking([0.01, 0.03, 0.12]))),
    "computes": (
        ({"task": "mirrored"}, HOLDS, puzzle),
        ({"task": "backwards"}, FAILS, puzzle),
        ({"task": "backwards"}, UNTRIED, same),
    ),
    "head_does_it": (
        ({"head": 1}, HOLDS, puzzle),
        ({"head": 0}, FAILS, puzzle),
        ({"head": 0}, UNTRIED, same),
    ),
    "grammar_begins": (
        ({"relation": "obj"}, HOLDS, small), ({"relation": "obj"}, FAILS, never_leaving),
        ({"relation": "obj"}, UNTRIED, same),
    ),
    "distance_first": (
        ({"relation": "det"}, HOLDS, small),
        ({"relation": "obj"}, FAILS, small),
        ({"relation": "obj"}, UNTRIED, same),
    ),
    "ids_say": (
        ({"ids": BERT_IDS, "text": "What is good"}, HOLDS, bert),
        ({"ids": BERT_IDS, "text": "What is transformer?"}, FAILS, bert),
        ({"ids": BERT_IDS, "text": "What is good"}, HOLDS, same),
        ({"ids": BERT_IDS, "text": "What is transformer?"}, FAILS, same),
        ({"ids": [101, 243, 102], "text": "cat"}, UNTRIED, same),
    ),
    "score_by_distance": (
        ({"sentence": "w1 w2 w3"}, HOLDS, of("rotary")),
        ({"sentence": "w1 w2 w3"}, HOLDS, of("preset-modern")),
        ({"sentence": "w1 w2 w3"}, FAILS, of("post-norm")),
        ({"sentence": "w1 w2 w3"}, FAILS, of("learned-positions")),
        ({"sentence": "w1"}, UNTRIED, of("rotary")),
    ),
    "window_hides": (({}, HOLDS, of("window")), ({}, HOLDS, of("preset-modern")), ({}, FAILS, same)),
    "four_regimes": (
        ({"sentence": "w1 w2 w3"}, HOLDS, of("gated")),
        ({"sentence": "w1 w2 w3"}, FAILS, one_sided),
        ({"sentence": KEYS}, UNTRIED, same),
    ),
    "mean_is_small": (
        ({"sentence": KEYS}, FAILS, same),
        ({"sentence": "w1 w2 w3"}, HOLDS, centred),
    ),
    "biases_are_few": (({}, HOLDS, same), ({}, CONDITION, of("preset-modern")), ({}, FAILS, of("post-norm"))),
}  # fmt: skip


def test_every_trial_is_tried_and_has_two_outcomes() -> None:
    assert set(CASES) == set(TRIALS)
    for name, cases in CASES.items():
        verdicts = {verdict for _, verdict, _ in cases} - {UNTRIED}
        assert len(verdicts) > 1 and verdicts & {HOLDS, CONDITION}, f"no planted fault flips the verdict of {name}"


def test_a_new_trial_is_a_function_of_its_module() -> None:
    """A trial stands nowhere but in its module; what else it takes stands in PARAMETERS."""
    module = ModuleType("new")

    def louder(encoder: TextEncoder, sentence: str) -> Finding:
        """Some claim."""
        return Finding(1.0, "loudness", f"{sentence}!", judge(True))

    louder.__module__ = "new"
    vars(module).update(louder=louder, looks_at=heads.looks_at, number=3)
    assert trials_of(module) == {"louder": louder}


def verdicts() -> list[Any]:
    """Every case of every trial; the first with each verdict guards every change, where no model is trained for it."""
    return [
        pytest.param(
            name,
            i,
            marks=pytest.mark.nightly
            if name == "learns_better" or verdict in {earlier for _, earlier, _ in cases[:i]}
            else (),
        )
        for name, cases in CASES.items()
        for i, (_, verdict, _) in enumerate(cases)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), verdicts())
def test_the_verdict_follows_from_the_number(
    name: str, number: int, base: TextEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, expected, broken = CASES[name][number]
    encoder = broken(monkeypatch, base) or base
    found = trials.run(name, encoder, given)
    assert found.verdict is expected, found.sentence
    assert found.sentence.endswith(".")
    if expected is not UNTRIED:
        assert math.isfinite(found.value) and found.what
    assert ("The condition: " in found.sentence) == (expected is CONDITION)


@pytest.mark.parametrize("name", TRIALS)
def test_every_parameter_says_what_it_may_hold_and_every_trial_what_it_claims(name: str) -> None:
    for parameter in trials.takes(name):
        assert trials.kind(name, parameter).allowed
    assert trials.claim(name).endswith(".")
    for one in list(inspect.signature(TRIALS[name]).parameters.values())[1:]:
        if one.default not in (one.empty, "", (), None):
            assert trials.kind(name, one.name).fits(one.default)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("__import__", {}, "no trial"),
        (None, {}, "no trial"),
        ("run", {}, "no trial"),
        ("softmax_is", {"scores": [1.0]}, "expected of softmax_is is missing"),
        ("softmax_is", {"scores": [math.inf], "expected": [1.0]}, "from -1000 to 1000"),
        ("softmax_is", {"scores": "os.system('x')", "expected": [1.0]}, "a list of 1 to 16"),
        ("saturates", {"width": 100_000}, "from 2 to 1024"),
        ("saturates", {"width": True}, "from 2 to 1024"),
        ("saturates", {"width": 8.5}, "whole number"),
        ("saturates", {"width": 8, "extra": 1}, "extra is no parameter"),
        ("residuals_keep", {"depth": 1000}, "from 2 to 48"),
        ("same_vectors", {"sentence": "x" * 601}, "1 to 600 characters"),
        ("padding_ignored", {"short": "a", "sentence": "b c", "mask": "off"}, "one of kept, forgotten"),
        ("head_job", {"head": -1, "job": "place"}, "from 0 to 127"),
        ("shape_is", {"sentence": "a", "step": "output", "expected": [0.5]}, "whole number"),
    ],
)
def test_nothing_but_a_trial_with_fitting_parameters_runs(
    base: TextEncoder, name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        trials.run(name, base, given)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("looks_at", {"sentence": WIDE, "word": "nobody", "target": "it"}, "is not a word"),
        ("looks_at", {"sentence": WIDE, "word": "it", "target": "animal", "layer": 9}, "layers go from 0 to 5"),
        ("by_hand", {"sentence": WIDE, "step": "layers.9.output", "index": [0, 0]}, "no step is called"),
        ("by_hand", {"sentence": WIDE, "step": "output", "index": [99, 0]}, "0 to 13"),
        ("same_vectors", {"sentence": "no no"}, "reads the same both ways"),
        ("same_vectors", {"sentence": "a b", "other": "a c"}, "must have the same words"),
        ("contexts", {"word": "it", "sentences": ["it"]}, "takes 2 or more"),
        (
            "leans",
            {"sentence": PHONES, "other": PIE, "word": "apple", "near": "zzqx", "far": "tree"},
            "is not one word",
        ),
        ("padding_ignored", {"short": WIDE, "sentence": "Hello"}, "must have fewer"),
    ],
)
def test_what_does_not_fit_the_model_or_sentence_is_said(
    base: TextEncoder, name: str, given: dict[str, Any], said: str
) -> None:
    with pytest.raises((ValueError, KeyError), match=said):
        trials.run(name, base, given)


def number(found: Finding) -> float:
    return found.value


def test_numbers_against_independent_arithmetic(base: TextEncoder) -> None:
    layer = base.model.layers[0]
    assert number(trials.run("block_size", base, {})) == sum(p.numel() for p in layer.parameters())
    qkv = [layer.get_submodule(f"attention.{name}") for name in ("w_q", "w_k", "w_v")]
    assert number(trials.run("query_key_value", base, {})) == sum(p.numel() for one in qkv for p in one.parameters())
    expected = [math.exp(s) / sum(map(math.exp, SCORES)) for s in SCORES]
    apart = max(abs(a - b) for a, b in zip(expected, [0.65, 0.24, 0.11], strict=True))
    found = trials.run("softmax_is", base, {"scores": SCORES, "expected": [0.65, 0.24, 0.11]})
    assert number(found) == pytest.approx(apart, rel=1e-5)
    trace = base.trace(WIDE)
    found = trials.run("by_hand", base, {"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2]})
    q, k = trace["layers.4.attention.q"][1, 8].double(), trace["layers.4.attention.k"][1, 2].double()
    assert number(found) == pytest.approx(float(q @ k), rel=1e-5)


def test_odds_are_those_of_the_probabilities(base: TextEncoder) -> None:
    def odds(text: str) -> float:
        trace = base.trace(text)
        p = trace["mlm.probabilities"][trace.tokens.index("apple")].double()
        computer, fruit = (base.tokenizer.token_to_id(word) for word in ("computer", "fruit"))
        return float(p[computer] / p[fruit])

    given = {"sentence": PHONES, "other": PIE, "word": "apple", "near": "computer", "far": "fruit"}
    assert number(trials.run("leans", base, given)) == pytest.approx(odds(PHONES) / odds(PIE), rel=1e-3)


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0"), (1e-7, "1.0e-07"), (0.5, "0.5"), (-0.4538, "-0.454"), (3152384.0, "3,152,384"), (999.6, "1,000")],
)
def test_numbers_are_short(value: float, said: str) -> None:
    assert brief(value) == said


def test_what_holds_with_a_condition_says_it() -> None:
    """There is no such verdict without the condition's sentence, and no such sentence beside another verdict."""
    found = Finding(0.5, "share", "Half of them.", judge(False, "only on Mondays"))
    assert (found.verdict, found.sentence) == (CONDITION, "Half of them. The condition: only on Mondays.")
    for judgement, verdict in ((judge(True, "only on Mondays"), HOLDS), (judge(False), FAILS), (None, UNTRIED)):
        found = Finding(0.5, "share", "Half of them.", judgement)
        assert (found.verdict, found.sentence) == (verdict, "Half of them.")


@pytest.mark.parametrize(
    ("accuracy", "said"),
    [
        ([0.88, 0.85, 0.87, 0.9, 0.86], "told alike after every layer, 85 % to 90 %"),
        ([0.5, 0.9, 0.89, 0.6, 0.5], "told best after 1 layer, 90 %"),
        ([0.9, 0.5, 0.5, 0.6, 0.5], "told best after the input, 90 %"),
    ],
)
def test_the_best_of_several_layers_is_named_where_it_is_more_than_chance(accuracy: list[float], said: str) -> None:
    assert probing.where_told(probe_of(accuracy)).startswith(said)


def beyond_even(weights: torch.Tensor, a: tuple[int, ...], b: tuple[int, ...]) -> torch.Tensor:
    """The weight of a word on each piece of another less an even share, the mean over the pieces that look."""
    return sum(weights[:, :, i, j] for i in a for j in b) / len(a) / len(b) - 1 / weights.shape[-1]


@pytest.mark.slow
def test_a_link_is_held_against_pairs_as_far_apart(base: TextEncoder) -> None:
    """The share of word pairs three tokens apart with a head that stands out as much, counted in loops."""
    others, longer = [], []
    for sentence in links.OVER:
        trace = base.trace(sentence)
        weights = attention_weights(trace)
        words = [
            w
            for w in trace.tokenization.words
            if any(c.isalnum() for c in trace.tokens[w[0]]) and "[" not in trace.tokens[w[0]]
        ]
        at = {word: k for k, word in enumerate(trace.tokenization.words)}
        if sentence == KEYS:
            a, b = trace.tokenization.find("keys"), trace.tokenization.find("table")
            ours, n = torch.stack([beyond_even(weights, a, b), beyond_even(weights, b, a)]), len(trace.tokens)
            continue
        for a, b in [(a, b) for a in words for b in words if at[b] - at[a] == 3]:
            others.append(torch.stack([beyond_even(weights, a, b), beyond_even(weights, b, a)]))
            longer.append(len(trace.tokens))
    mean = torch.stack(others).mean(0)
    strength = float((ours - mean).max())
    as_much = [float((w - mean).max()) * max(1, m / n) >= strength for w, m in zip(others, longer, strict=True)]
    run = trials.run("linked", base, {"sentence": KEYS, "word": "keys", "target": "table"})
    assert number(run) == pytest.approx(sum(as_much) / len(as_much), abs=1e-6)
    assert f"Of {len(others)} other pairs" in run.sentence


@pytest.mark.slow
@pytest.mark.parametrize("job", mostly_nightly(links.LINKS, daily=["place"]))
def test_even_attention_links_nothing(job: str, base: TextEncoder) -> None:
    """However short a sentence is, and of however many pieces its words are."""
    encoder = evenly(base)
    found = [trials.run("head_job", encoder, {"head": head, "job": job}) for head in (0, 5)]
    found += [
        trials.run("linked", encoder, {"sentence": text, "word": "cat", "target": "sleeps"})
        for text in ("The cat sleeps.", "cat sleeps", "Nobody knows that the old cat sleeps unbelievably well.")
    ]
    assert {one.verdict for one in found} == {FAILS}
    assert max(abs(one.value) for one in found[:2]) < 1e-5


def test_pairs_of_one_sentence_are_drawn_together(base: TextEncoder) -> None:
    """Of “cat chased” and “chased mouse” the second begins where the first ends, in every draw."""
    pairs = [(1, 2), (2, 4)]
    found = links.usual(base, pairs, 8)
    assert found is not None
    both = found.chance + found.habit  # sentences of eight tokens count as they are
    every = [(one, k) for one in links.MEASURED[base.model] for k in one.moves(pairs)]
    assert len(every) == len(both) > links.FEWEST
    for (one, k), looked in zip(every, both, strict=True):
        assert {1 + k, 2 + k, 4 + k} <= one.spoken
        if one.tokens <= 8:
            torch.testing.assert_close(looked[1, 0], one.excess[:, :, 2 + k, 4 + k])
            torch.testing.assert_close(looked[0, 1], one.excess[:, :, 2 + k, 1 + k])


def test_a_number_made_by_hand_is_told_as_it_is_made(base: TextEncoder) -> None:
    """Only products are called products: a softmax weight is none, nor is a mean."""

    def said(step: str, *index: int) -> str:
        given = {"sentence": WIDE, "step": f"layers.1.{step}", "index": list(index)}
        return trials.run("by_hand", base, given).sentence

    assert "from 64 products, added up" in said("attention.scores", 0, 3, 2)
    assert "from 14 powers of e, one of them divided by their sum" in said("attention.weights", 0, 3, 2)
    assert "from 512 numbers, added up and divided" in said("add_norm_1.mean", 3)
    assert "from 512 squares, added up and divided" in said("add_norm_1.variance", 3)
    assert "made again by hand, it is" in said("attention.scaled", 0, 3, 2)

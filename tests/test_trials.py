"""Every trial: it holds where its claim does, and does not where the condition is broken on purpose."""

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import torch
from controls import even as evenly
from engine_faults import plant
from planted import LINK, NEXT, PREVIOUS, planted
from tiny import SIZES, TINY, VARIANTS, tiny, tiny_model, tiny_tokenizer
from tokenizers import Tokenizer, normalizers
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from encoder import PRESETS, EncoderConfig, EncoderError, TextEncoder, Trace, checkpoint, experiments, mystery
from encoder.exam.examination import exam_by_content
from encoder.exam.relation_curve import relation_curve
from encoder.experiments import WIDTHS
from encoder.experiments.circuit import circuits_by_content, phenomena
from encoder.experiments.probes.layer_probes import Probe
from encoder.metrics import attention_weights
from encoder.model.encoder import Encoder
from encoder.model.feed_forward import FeedForward
from encoder.pictures import labs
from encoder.pictures.labs import TRIALS, link_claims
from encoder.pictures.labs.probing_claims import where_told
from encoder.pictures.labs.trial import Finding, Verdict, judge
from encoder.pictures.scene import Scene
from encoder.support.formatting import percent
from encoder.tasks.tries import Tries
from encoder.trace.trace import Source

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
APPLE = {"sentence": PHONES, "other": PIE, "word": "apple", "near": "computer", "far": "fruit"}
IT = {"sentence": WIDE, "other": TIRED, "word": "it"}
CELL = {"sentence": WIDE, "step": "layers.4.attention.scores", "index": [1, 8, 2]}
SCALED = CELL | {"step": "layers.4.attention.scaled"}
BOTH = {"sentence": KEYS, "word": "keys", "first": "table", "second": "sara"}
THINGS = [pair for _, pairs in link_claims.LINKS["place"] for pair in pairs]
TABLE = "Keys on the [MASK] belong to Sara."
CROSS = "The animal didn't cross the [MASK] because it was too wide."
FOOD = {"sentence": "The food was good.", "denial": "The food was not good."}
Break = Callable[[pytest.MonkeyPatch, TextEncoder], TextEncoder | None]


# What breaks the condition of a claim: another model than `base`, or a part of the measurement that is replaced


def same(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Nothing is broken."""


def model(name: str) -> Break:
    """Another model: a bundled one, a preset, or a small one with random weights."""
    if name == "small":
        return lambda patch, base: TextEncoder.from_pretrained(name)
    if name in PRESETS:
        return lambda patch, base: TextEncoder.from_config(PRESETS[name])
    return lambda patch, base: tiny(VARIANTS[name])


def changed(change: Callable[[Encoder], object], config: EncoderConfig = TINY) -> Break:
    """A small model of which something is changed."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
        encoder = tiny(config)
        with torch.no_grad():
            change(encoder.model)
        for part in encoder.model.modules():
            if hasattr(part, "prepacked"):
                part.prepacked = None
        return encoder

    return broken


def table(change: Callable[[torch.Tensor], object]) -> Break:
    """A small model whose table of positions is changed."""
    return changed(lambda model: change(model.embedding.positions.weight))


def patched(where: str, value: object) -> Break:
    """Something else in a module of labs: "depth_lab.gradients"."""
    return lambda patch, base: patch.setattr(f"encoder.pictures.labs.{where}", value)


def drawn(name: str, measure: Callable[[Scene], Any]) -> Break:
    """A trial whose picture has other numbers."""
    other = replace(TRIALS[name], picture=replace(TRIALS[name].picture, measure=measure))
    return lambda patch, base: patch.setitem(TRIALS, name, other)


def waves(rate: float = 10_000, swapped: bool = False) -> Break:
    """Sines and cosines of a rate, or with both exchanged."""

    def fill(table: torch.Tensor) -> None:
        for place in range(len(table)):
            for pair in range(table.shape[1] // 2):
                angle = place / rate ** (2 * pair / table.shape[1])
                wave = [math.cos(angle), math.sin(angle)] if swapped else [math.sin(angle), math.cos(angle)]
                table[place, 2 * pair : 2 * pair + 2] = torch.tensor(wave)

    return table(fill)


def looking(where: str, set_to: Callable[[Trace, torch.Tensor], object]) -> Break:
    """Heads with other weights than those that were recorded."""

    def weights(trace: Trace) -> torch.Tensor:
        found = attention_weights(trace).clone()
        set_to(trace, found)
        return found / found.sum(-1, keepdim=True)

    return patched(where, weights)


def turn_to_the_thing(trace: Trace, weights: torch.Tensor) -> None:
    """One head turns "it" to the street or the animal, as a person would."""
    weights[3, 2] = 0
    weights[3, 2, :, trace.tokens.index("street" if "wide" in trace.tokens else "animal")] = 1


def planting(*links: tuple[str, str], shuffled: bool = False, idle: bool = False) -> Break:
    """A model with a head set by hand that links these words; its numbers in random places, or handing nothing over."""
    return lambda patch, base: planted(base.tokenizer, list(links), shuffled, idle)


def gradients_of(kept: float, lost: float) -> Break:
    """Stacks that leave so much of a gradient with norms and without."""
    return patched("depth_lab.gradients", lambda depth, residual, norm: torch.tensor([kept if norm else lost, 1.0]))


def deep(pre: float, post: float) -> Break:
    """Stacks of random blocks that end so far apart, whatever their weights; without residuals tokens become one."""

    def found(depths: Sequence[int], config: EncoderConfig = experiments.SHAPE, **given: Any) -> experiments.Residuals:
        end = torch.tensor(1 - (pre if config.norm_first else post), dtype=torch.float64)
        curves = [
            experiments.Curve(residual, True, (end if residual else torch.ones_like(end)).expand(49), torch.ones(49))
            for residual in (True, False)
        ]
        return experiments.Residuals(tuple(curves))

    return patched("depth_lab.residuals", found)


def centre(model: Encoder) -> None:
    """Take away the means of maps and tables, so that nothing that is normed has one."""
    model.train().eval()  # without the weights that were laid out for the processor
    for table in (model.embedding.positions.weight, model.embedding.tokens.weight):
        table.sub_(table.mean(-1, keepdim=True))
    for block in model.layers:
        for linear_map in (block.attention.w_o, block.feed_forward.w_2):
            linear_map.weight.sub_(linear_map.weight.mean(0))
            linear_map.bias.sub_(linear_map.bias.mean())
        for norm in (block.norm1, block.norm2):
            norm.weight.fill_(1.0)
            norm.bias.sub_(norm.bias.mean())


def even(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """Queries of zero: every token looks at all alike, and attention is linear."""
    drawn = tiny_model(TINY).named_parameters()
    tensors = {name: torch.zeros_like(t) if ".w_q." in name else t.detach().clone() for name, t in drawn}
    return TextEncoder(checkpoint.build(TINY, tensors, "no queries"), tiny_tokenizer(), Source("even", "tiny"))


def drop_biases(model: Encoder) -> None:
    """Take the biases of queries, keys and values out of the first layer."""
    for name in ("w_q", "w_k", "w_v"):
        model.layers[0].attention.get_submodule(name).bias = None


def taking(*seconds: float) -> Break:
    """Runs that take so long."""
    rows = zip((8, 64, 256), seconds, strict=True)
    found = tuple(experiments.Duration(n, s, 1000 * n, n * n) for n, s in rows)
    return patched("sizes_claims.timing", lambda *args: found)


def bert(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A vocabulary as large as BERT's, with the words of the example in their places."""
    pieces = [f"piece{i}" for i in range(30_522)]
    named = {0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]", 2003: "is", 2054: "what", 2204: "good"}
    for i, piece in named.items():
        pieces[i] = piece
    tokenizer = Tokenizer(WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    special = [("[CLS]", 101), ("[SEP]", 102)]
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    return TextEncoder(tiny_model(replace(TINY, vocab_size=30_522)), tokenizer, Source("bert", "tiny"))


def probe_of(accuracy: Sequence[float], control: float = 0.2) -> Probe:
    """What a probe of 200 samples found, layer by layer."""
    told = torch.tensor(accuracy, dtype=torch.float64)
    return Probe(told, torch.full_like(told, control), 0.25, 200)


def probes(control: float = 0.2, **accuracy: Sequence[float]) -> Break:
    """Probes of words, sentences and places that tell so much after each layer, and so do their control tasks."""
    tasks = {"words": "parts of speech", "sentences": "good or bad", "places": "place"}
    every = {tasks[name]: probe_of(values, control) for name, values in accuracy.items()}
    return patched("probing_claims.probe", lambda encoder, task: every[task])


LOW, HIGH = [0.5, 0.9, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.9, 0.5]
FLAT, ABOVE = [0.84, 0.84, 0.85, 0.88, 0.86], [0.5, 0.84, 0.85, 0.88, 0.86]


def silent(part: str) -> Break:
    """The bundled sibling with a map of every layer that hands nothing on: "feed_forward.w_2"."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
        encoder = TextEncoder.from_pretrained("small")
        for layer in encoder.model.layers:
            linear_map = layer.get_submodule(part)
            linear_map.weight.zero_()
            linear_map.bias.zero_()
            linear_map.prepacked = None
        return encoder

    return broken


def never_leaving(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A head that is no better than its rule at any moment."""

    def found(*given: Any) -> Any:
        real = relation_curve(*given)
        return replace(real, shares=dict.fromkeys(real.shares, 0.0))

    patch.setattr("encoder.pictures.labs.grammar_claims.relation_curve", found)
    return TextEncoder.from_pretrained("small")


def learnt(
    ours: Sequence[float] = (), theirs: Sequence[float] = (), one: Sequence[float] = (), several: Sequence[float] = ()
) -> Break:
    """Small models that end at these losses, try by try, one and the other, or heads that tell so much."""
    losses = {kind: [[3.0, end, end] for end in ends] for kind, ends in (("pre-norm", ours), ("post-norm", theirs))}
    right = {kind: [0.5] * len(tries) for kind, tries in losses.items()}
    stored = Tries("2000-01-01", "a test", (0, 10, 20), {"2": losses}, {"2": right}, {"1": one, "2": several})
    return patched("training_claims.tries", lambda: stored)


def losing(*faults: str) -> Break:
    """The engine with these of its FAULTS."""

    def broken(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
        plant(patch, *faults)

    return broken


def mixing(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A feed-forward network that takes a little of all tokens."""
    alone = FeedForward.forward
    patch.setattr(FeedForward, "forward", lambda self, x, *given: alone(self, x + x.mean(1, keepdim=True), *given))


def open_up(model: Encoder) -> None:
    """Let the other half of a gate never be below zero."""
    model.layers[0].feed_forward.w_up.bias.fill_(1e3)


def never_mix(model: Encoder) -> None:
    """Let attention hand over nothing."""
    for layer in model.layers:
        layer.attention.w_o.weight.zero_()


SMALL = model("small")
SHALLOW = changed(lambda model: None, replace(TINY, n_layers=1, mlm_head=True))  # in one layer looking is taking
ONE_NUMBER = changed(lambda model: None, replace(TINY, n_heads=SIZES["d_model"]))  # the division is by 1
SIX_WIDTHS = patched("sizes_claims.block", lambda encoder, *parts: (d := encoder.config.d_model) * (12 * d + 6))
NEVER_LOOKING = looking("softmax_lab.attention_weights", lambda trace, weights: weights[:, :, 1, 3].fill_(1e-6))
GROWING_ALIKE = patched("wiring_claims.mean_between", lambda alike: torch.linspace(0.1, 0.9, len(alike)))


def with_positions(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """Runs that have their positions where they are to have none."""
    patch.setattr("encoder.experiments.positions.without_positions", lambda config: ())


BENT = table(lambda waves: waves[5, 3].add_(0.1))
SHORT_MASK = patched(
    "padding_lab.softmax_of",
    lambda scores: torch.tensor([s if s == -math.inf else max(s, -9) for s in scores]).softmax(0),
)
PASSING = patched(  # where a rule that is told the parts of speech is no opponent
    "grammar_claims.exam_by_content",
    lambda name: (
        (exam := exam_by_content(name))
        and replace(exam, rows=tuple(replace(row, passed=row.beyond_distance) for row in exam.rows))
    ),
)


def carrying(share: Callable[[str, tuple[int, int]], float]) -> Break:
    """What every head carries of each change, another than was measured."""

    def with_shares(name: str) -> object:
        if (shipped := circuits_by_content(name)) is None:
            return None
        each = {
            change: replace(circuit, each={place: share(change, place) for place in circuit.each})
            for change, circuit in shipped.constructed.items()
        }
        return replace(shipped, constructed=each)

    return patched("carried_claims.circuits_by_content", with_shares)


SHARED_OUT = carrying(lambda change, place: 1 / 48)
ONE_EACH = carrying(lambda change, place: float(place == (5, [*phenomena()].index(change))))
COLLAPSED = patched(
    "depth_lab.collapse", lambda **given: replace(end := experiments.collapse(), remainder=end.linear_remainder)
)  # by an activation that bends nothing
WIDTHS_GROW = drawn("spread_grows", lambda scene: [WIDTHS, [math.sqrt(width) for width in WIDTHS]])
BY_THREADS = patched("training_claims.by_threads", lambda measure: {1: (1.0, 2.0), 8: (2.0, 1.0)})
ANOTHER_ROOT = SimpleNamespace(sqrt=lambda x: 2 * math.sqrt(x), log=math.log)


def other_class(patch: pytest.MonkeyPatch, base: TextEncoder) -> None:
    """A class that divides its scores by twice the root of the width of a head."""
    patch.setattr("encoder.explain.whole.math", ANOTHER_ROOT)


def puzzle(patch: pytest.MonkeyPatch, base: TextEncoder) -> TextEncoder:
    """A mystery model in which one of two heads says each half of the row backwards."""
    return mystery(4)


class Case(NamedTuple):
    """What a trial is given, what is broken, and the verdict that follows."""

    verdict: Verdict
    broken: Break
    given: dict[str, Any]


def case(verdict: Verdict, broken: Break = same, **given: Any) -> Case:
    return Case(verdict, broken, given)


holds, condition, fails, untried = (partial(case, verdict) for verdict in (HOLDS, CONDITION, FAILS, UNTRIED))
# For every trial: what holds, or holds with a condition, and what breaks it.
CASES: dict[str, tuple[Case, ...]] = {
    "same_vectors": (
        holds(sentence="I love deep learning"),
        holds(sentence="The cat chased the mouse.", other="The mouse chased the cat."),
        fails(sentence="I love deep learning", positions="on"),
    ),
    "identical_rows": (
        condition(sentence="I love deep learning"), fails(with_positions, sentence="I love deep learning"),
    ),
    "position_values": (holds(), fails(table(lambda waves: waves.mul_(10))), untried(model("learned-positions"))),
    "one_frequency": (condition(), fails(BENT), untried(model("no-positions"))),
    "one_rotation": (holds(steps=10), fails(BENT, steps=3), untried(model("learned-positions"), steps=3)),
    "only_distance": (holds(), fails(model("learned-positions"))),
    "looks_at": (
        holds(sentence=WIDE, word="it", target="animal", layer=4, head=1),
        fails(sentence=WIDE, word="it", target="street", layer=4, head=1),
        condition(planting(("keys", "table")), sentence=KEYS, word="keys", target="table"),  # as all words do the next
    ),
    "linked": (
        holds(planting(("keys", "table")), sentence=KEYS, word="keys", target="table"),
        condition(planting(("keys", "table"), idle=True), sentence=KEYS, word="keys", target="table"),
        fails(planting(("keys", "table")), sentence=KEYS, word="keys", target="sara"),
    ),
    "refers": (
        holds(looking("head_claims.attention_weights", turn_to_the_thing), **IT, first="street", second="animal"),
        fails(looking("head_claims.attention_weights", turn_to_the_thing), **IT, first="animal", second="street"),
    ),
    "contexts": (holds(word="light", sentences=LIGHT), fails(word="light", sentences=[LIGHT[0], LIGHT[0]])),
    "leans": (
        holds(**LAMP), fails(**LAMP | {"neutral": [LIGHT[0]]}), condition(**APPLE),
        untried(model("post-norm"), sentence="w1 w2", other="w3 w2", word="w2", near="w1", far="w3"),
    ),
    "head_job": (
        holds(planting(*THINGS), head=LINK, job="place"), fails(planting(*THINGS), head=PREVIOUS, job="place"),
        fails(planting(*THINGS), head=NEXT, job="subject, verb and object"),
        condition(SMALL, head=0, job="subject, verb and object"),  # in one layer of four
    ),
    "some_head_links": (holds(planting(*THINGS), job="place"), fails(planting(*THINGS, shuffled=True), job="place")),
    "grammar_first": (holds(probes(words=LOW, sentences=HIGH)), fails(probes(words=HIGH, sentences=LOW))),
    "place_kept": (holds(probes(places=[0.9, 0.8, 0.6, 0.5, 0.4])), fails(probes(places=[0.9, 0.8, 0.6, 0.5, 0.2]))),
    "gradient_needs_division": (
        condition(width=512), fails(width=4),
        holds(drawn("gradient_needs_division", lambda scene: [[0.3] * len(WIDTHS), [0.003] * len(WIDTHS)])),
    ),
    "feed_forward_needed": (holds(SMALL), fails(silent("feed_forward.w_2")), untried(model("post-norm"))),
    "each_alone": (holds(sentence=WIDE), fails(mixing, sentence=WIDE)),
    "own_class": (
        holds(sentence=KEYS), fails(other_class, sentence=KEYS), untried(model("preset-modern"), sentence="w1 w2"),
    ),
    "layers_refine": (
        holds(word="light", sentences=LIGHT), condition(SMALL, word="light", sentences=LIGHT),
        fails(GROWING_ALIKE, word="light", sentences=LIGHT),
    ),
    "order_agrees": (
        holds(SMALL, sentence=CROSS, method="integrated gradients"),
        condition(SMALL, sentence=TABLE, method="attention weight"),
        fails(SMALL, sentence=CROSS, method="gradient × input"),
        untried(model("post-norm"), sentence="w1 w2 w3", method="attention weight"),
    ),
    "looked_at_matters": (
        holds(SHALLOW, sentence="w1 [MASK] w3 w2"), fails(sentence=CROSS),
        untried(model("post-norm"), sentence="w1 w2"),
    ),
    "meaning_counts": (holds(**FOOD, other="The food was excellent."), fails(**FOOD, other="The meal tasted great.")),
    "by_hand": (holds(**CELL), fails(losing("no division by the root of d_head"), **SCALED)),
    "softmax_is": (
        holds(scores=SCORES, expected=[0.66, 0.24, 0.10]), fails(scores=SCORES, expected=[0.65, 0.24, 0.11]),
    ),
    "rows_sum": (holds(sentence=KEYS), fails(losing("softmax down the columns"), sentence=KEYS)),
    "all_look": (
        condition(sentence=KEYS), condition(NEVER_LOOKING, sentence=KEYS), holds(even, sentence="w1 w2 w3"),
        fails(patched("softmax_lab.attention_weights", lambda trace: 0.9 * attention_weights(trace)), sentence=KEYS),
    ),
    "spread_grows": (holds(), fails(WIDTHS_GROW)),
    "saturates": (holds(width=512), fails(width=4)),
    "division_matters": (holds(sentence=KEYS), fails(ONE_NUMBER, sentence="w1 w2 w3")),
    "residuals_deep": (condition(), fails(losing("no residual around attention"))),
    "residuals_keep": (holds(depth=6), condition(depth=12), fails(depth=48)),
    "residuals_add": (
        holds(sentence=KEYS), condition(losing("no residual around attention"), sentence=KEYS),
        fails(losing("no residual around attention", "no residual around feed-forward"), sentence=KEYS),
    ),
    "norms_keep_length": (holds(depth=24), fails(depth=2)),
    "norms_keep_gradients": (
        holds(gradients_of(1.0, math.inf), depth=24), fails(gradients_of(1e-3, 1e-9), depth=24),
        fails(gradients_of(1.0, 1.0), depth=24),
    ),
    "gradients_vanish": (condition(depth=24), fails(depth=2)),
    "learns_better": (
        holds(kind="post-norm", than="without the division"), fails(kind="without the division", than="post-norm"),
        condition(learnt([0.5] * 6 + [0.9] * 2, [0.7] * 8), kind="pre-norm", than="post-norm"),
        holds(learnt([0.5] * 7 + [0.9], [0.7] * 8), kind="pre-norm", than="post-norm"),
        fails(learnt([0.5] * 4 + [0.9] * 4, [0.7] * 8), kind="pre-norm", than="post-norm"),
        fails(learnt([0.5] * 2, [0.7] * 2), kind="post-norm", than="pre-norm"),
    ),
    "learns_faster": (
        holds(learnt([0.9] * 8, [1.1] * 8), kind="pre-norm", than="post-norm"),
        fails(learnt([0.9] * 8, [0.8] * 8), kind="pre-norm", than="post-norm"),  # at the same step
        condition(learnt([0.9] * 6 + [1.1] * 2, [1.1] * 6 + [0.9] * 2), kind="pre-norm", than="post-norm"),
        fails(learnt([1.2] * 8, [1.1] * 8), kind="pre-norm", than="post-norm"),
    ),
    "pre_norm_deeper": (condition(depth=48), holds(deep(0.5, 1e-9), depth=48), fails(depth=2)),
    "std_norm_is": (condition(width=512), fails(width=8)),
    "layers_collapse": (holds(between="nothing"), fails(between="relu")),
    "activation_needed": (condition(sentence=KEYS), holds(even, sentence="w1 w2 w3"), fails(COLLAPSED, sentence=KEYS)),
    "attention_linear": (fails(sentence=KEYS), holds(even, sentence="w1 w2 w3")),
    "padding_ignored": (
        holds(short="The cat sleeps.", sentence=WIDE, mask="kept"),
        fails(short="The cat sleeps.", sentence=WIDE, mask="forgotten"),
    ),
    "masks_alike": (condition(), fails(SHORT_MASK)),
    "block_total": (fails(), holds(SIX_WIDTHS), untried(model("gated"))),
    "block_size": (holds(), fails(model("post-norm"))),
    "part_size": (
        holds(part="attention", expected=1e6), fails(part="attention", expected=2e6),
        holds(part="attention", expected=1_050_624), fails(part="attention", expected=1_050_625),
        condition(part="attention", expected=1_048_576), untried(model("post-norm"), part="attention", expected=2e6),
    ),
    "query_key_value": (condition(), holds(changed(drop_biases))),
    "shape_is": (
        holds(sentence="I understand this", step="output", expected=[5, 512]),
        condition(sentence="I understand this", step="output", expected=[3, 512]),
        fails(sentence="I understand this", step="output", expected=[4, 512]),
        untried(model("post-norm"), sentence="w1", step="output", expected=[3, 512], width=512),
    ),
    "weight_contributes": (
        condition(SMALL), holds(patched("flow_claims.norm_weighted", attention_weights)),
        fails(patched("flow_claims.norm_weighted", lambda trace, layer: -attention_weights(trace, layer))),
    ),
    "all_linked": (holds(sentence=KEYS), fails(changed(never_mix), sentence="w1 w2 w3")),
    "one_head_both": (
        holds(**BOTH), untried(planting(), **BOTH), fails(planting(("keys", "table"), ("keys", "sara")), **BOTH),
    ),
    "heads_passed": (
        holds(PASSING, chosen=[6, 7]), condition(PASSING, chosen=[3, 6]), fails(chosen=[6, 7]),
        untried(model("post-norm"), chosen=[0]),
    ),
    "each_carries_one": (condition(), holds(ONE_EACH), fails(SHARED_OUT), untried(SMALL)),
    "head_carries": (
        holds(change="gender", layer=5, head=5), condition(change="number", layer=5, head=6),
        fails(change="determiner", layer=5, head=6), fails(SHARED_OUT, change="gender", layer=5, head=5),
        untried(SMALL, change="gender"),
    ),
    "rows_hold_meaning": (holds(), fails(model("paper"))),
    "heads_share_work": (
        holds(learnt(one=[0.5] * 8, several=[0.9] * 8)),
        fails(learnt(one=[0.5] * 8, several=[0.5] * 8)),
        condition(learnt(one=[0.5] * 8, several=[0.6] * 5 + [0.4] * 3)),
    ),
    "trained_faster": (
        holds(patched("training_claims.training_seconds", lambda *given: (1.0, 2.0))),
        fails(patched("training_claims.training_seconds", lambda *given: (2.0, 1.0))), condition(BY_THREADS),
    ),
    "told_in": (
        holds(probes(words=LOW, sentences=HIGH), task="parts of speech", where=[1, 2]),
        condition(probes(words=LOW, sentences=ABOVE), task="good or bad", where=[3]),
        fails(probes(words=LOW, sentences=FLAT), task="good or bad", where=[3]),
        fails(probes(words=LOW, sentences=FLAT), task="good or bad", where=[1]),
        untried(probes(places=LOW), task="place", where=[9]),
    ),
    "names_told": (
        holds(patched("probing_claims.named", lambda encoder: (probe_of([0.7, 0.95]), 0.8))),
        fails(patched("probing_claims.named", lambda encoder: (probe_of([0.7, 0.81]), 0.8))),
    ),
    "one_width": (holds(sentence="I understand this", layers=6), condition(sentence="I understand this", layers=8)),
    "time_constant": (holds(taking(1.0, 0.9, 1.3)), fails(taking(0.01, 0.03, 0.12))),
    "computes": (holds(puzzle, task="mirrored"), fails(puzzle, task="backwards"), untried(task="backwards")),
    "head_does_it": (holds(puzzle, head=1), fails(puzzle, head=0), untried(head=0)),
    "grammar_begins": (
        holds(SMALL, relation="obj"), fails(never_leaving, relation="obj"), untried(relation="obj"),
    ),
    "distance_first": (
        holds(SMALL, relation="det"), fails(SMALL, relation="obj"), untried(relation="obj"),
    ),
    "ids_say": (
        holds(bert, ids=BERT_IDS, text="What is good"), fails(bert, ids=BERT_IDS, text="What is transformer?"),
        untried(ids=[101, 243, 102], text="cat"),
    ),
    "score_by_distance": (
        holds(model("rotary"), sentence="w1 w2 w3"), fails(model("post-norm"), sentence="w1 w2 w3"),
        untried(model("rotary"), sentence="w1"),
    ),
    "window_hides": (holds(model("window")), fails()),
    "four_regimes": (
        holds(model("gated"), sentence="w1 w2 w3"), fails(changed(open_up, VARIANTS["gated"]), sentence="w1 w2 w3"),
        untried(sentence=KEYS),
    ),
    "mean_is_small": (fails(sentence=KEYS), holds(changed(centre), sentence="w1 w2 w3")),
    "biases_are_few": (holds(), condition(model("preset-modern")), fails(model("post-norm"))),
}  # fmt: skip


def test_every_trial_is_tried_and_has_two_outcomes() -> None:
    assert set(CASES) == set(TRIALS)
    for name, cases in CASES.items():
        verdicts = {case.verdict for case in cases} - {UNTRIED}
        assert len(verdicts) > 1 and verdicts & {HOLDS, CONDITION}, f"no planted fault flips the verdict of {name}"


def test_what_each_head_carries_is_said_with_the_shares_that_were_measured(base: TextEncoder) -> None:
    """Gender is 5.5's, capitals 5.3's, tense 5.2's, number 5.6's with 4.1, and a noun after this or these no head's."""
    shipped = circuits_by_content(base.source.fingerprint)
    assert shipped is not None
    finding = labs.run("each_carries_one", base, {})
    for change, head in {"gender": 5, "capital": 3, "tense": 2}.items():
        share = shipped.constructed[change].each[5, head]
        assert f"{phenomena()[change].shows}: head {head} of layer 5, {percent(share)};" in finding.measured
        assert labs.run("head_carries", base, {"change": change, "layer": 5, "head": head}).value == share > 0.7
    number = percent(shipped.constructed["number"].share)
    assert f"at the verb: head 1 of layer 4 and head 6 of layer 5 together, {number};" in finding.measured
    assert (
        f"at the noun: no few heads (the best 4 {percent(shipped.constructed['determiner'].share)})" in finding.measured
    )
    assert finding.value == 4 and "for heads 0, 2, 3 and 5 alone, of the 9 changes" in finding.sentence
    with pytest.raises(EncoderError, match="no head 9 of layer 5"):
        labs.run("head_carries", base, {"change": "gender", "layer": 5, "head": 9})


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_verdict_follows_from_the_number(name: str, base: TextEncoder) -> None:
    """And flips where the condition is broken."""
    for number, case in enumerate(CASES[name]):
        with pytest.MonkeyPatch.context() as patch:
            found = labs.run(name, case.broken(patch, base) or base, case.given)
        assert found.verdict is case.verdict, (number, found.sentence)
        assert found.sentence.endswith(".")
        assert case.verdict is UNTRIED or (math.isfinite(found.value) and found.what)
        assert ("True within limits: " in found.sentence) == (case.verdict is CONDITION)


def test_every_input_says_what_it_may_hold_and_every_trial_what_it_claims() -> None:
    for name, trial in TRIALS.items():
        assert trial.name == name and trial.claim.endswith(".")
        assert all(allowed.allowed for allowed in trial.inputs.values())
        for one in list(inspect.signature(trial.measure).parameters.values())[1:]:
            if one.default not in (one.empty, "", (), None):
                assert trial.inputs[one.name].fits(one.default), (name, one.name)


def test_nothing_but_a_trial_with_fitting_inputs_that_suit_the_model_runs(base: TextEncoder) -> None:
    apart = APPLE | {"near": "zzqx", "far": "tree"}
    for name, given, said in (
        ("__import__", {}, "no trial"),
        (None, {}, "no trial"),
        ("run", {}, "no trial"),
        ("softmax_is", {"scores": [1.0]}, "expected of softmax_is is missing"),
        ("softmax_is", {"scores": [math.inf], "expected": [1.0]}, "from -1000 to 1000"),
        ("softmax_is", {"scores": "os.system('x')", "expected": [1.0]}, "a list of 1 to 16"),
        ("saturates", {"width": 100_000}, "one of 4, 8, 16"),
        ("std_norm_is", {"width": True}, "from 2 to 1024"),
        ("std_norm_is", {"width": 8.5}, "whole number"),
        ("saturates", {"width": 8, "extra": 1}, "extra is not a parameter"),
        ("same_vectors", {"sentence": "x" * 601}, "1 to 600 characters"),
        ("padding_ignored", {"short": "a", "sentence": "b c", "mask": "off"}, "one of kept, forgotten"),
        ("shape_is", {"sentence": "a", "step": "output", "expected": [0.5]}, "whole number"),
        ("looks_at", {"sentence": WIDE, "word": "nobody", "target": "it"}, "is not a word"),
        ("looks_at", {"sentence": WIDE, "word": "it", "target": "animal", "layer": 9}, "layers go from 0 to 5"),
        ("by_hand", {"sentence": WIDE, "step": "layers.9.output", "index": [0, 0]}, "no step is called"),
        ("by_hand", {"sentence": WIDE, "step": "output", "index": [99, 0]}, "0 to 13"),
        ("same_vectors", {"sentence": "no no"}, "reads the same both ways"),
        ("same_vectors", {"sentence": "a b", "other": "a c"}, "must have the same words"),
        ("contexts", {"word": "it", "sentences": ["it"]}, "takes 2 or more"),
        ("leans", apart, "is not one word"),
        ("padding_ignored", {"short": WIDE, "sentence": "Hello"}, "must have fewer"),
    ):
        with pytest.raises((ValueError, KeyError), match=said):
            labs.run(name, base, given)


def test_numbers_against_independent_arithmetic(base: TextEncoder) -> None:
    layer, trace = base.model.layers[0], base.trace(WIDE)
    qkv = [layer.get_submodule(f"attention.{name}") for name in ("w_q", "w_k", "w_v")]
    expected = [math.exp(s) / sum(map(math.exp, SCORES)) for s in SCORES]
    apart = max(abs(a - b) for a, b in zip(expected, [0.65, 0.24, 0.11], strict=True))
    q, k = trace["layers.4.attention.q"][1, 8].double(), trace["layers.4.attention.k"][1, 2].double()

    def odds(text: str) -> float:
        trace = base.trace(text)
        p = trace["mlm.probabilities"][trace.tokens.index("apple")].double()
        computer, fruit = (base.tokenizer.token_to_id(word) for word in ("computer", "fruit"))
        return float(p[computer] / p[fruit])

    for name, given, number in (
        ("block_size", {}, sum(p.numel() for p in layer.parameters())),
        ("query_key_value", {}, sum(p.numel() for one in qkv for p in one.parameters())),
        ("softmax_is", {"scores": SCORES, "expected": [0.65, 0.24, 0.11]}, apart),
        ("by_hand", CELL, float(q @ k)),
        ("leans", APPLE, odds(PHONES) / odds(PIE)),
    ):
        assert labs.run(name, base, given).value == pytest.approx(number, rel=1e-3 if name == "leans" else 1e-5), name


def test_what_holds_with_a_condition_says_it() -> None:
    """There is no such verdict without the condition's sentence, and no such sentence beside another verdict."""
    found = Finding(0.5, "share", "Half of them.", judge(False, "only on Mondays"))
    assert (found.verdict, found.sentence) == (CONDITION, "Half of them. True within limits: only on Mondays.")
    for judgement, verdict in ((judge(True, "only on Mondays"), HOLDS), (judge(False), FAILS), (None, UNTRIED)):
        found = Finding(0.5, "share", "Half of them.", judgement)
        assert (found.verdict, found.sentence) == (verdict, "Half of them.")


def test_the_best_of_several_layers_is_named_where_it_is_more_than_chance() -> None:
    for accuracy, said in (
        ([0.88, 0.85, 0.87, 0.9, 0.86], "told alike after every layer, 85 % to 90 %"),
        ([0.5, 0.9, 0.89, 0.6, 0.5], "told best after 1 layer, 90 %"),
        ([0.9, 0.5, 0.5, 0.6, 0.5], "told best after the input, 90 %"),
    ):
        assert where_told(probe_of(accuracy)).startswith(said)


def beyond_even(weights: torch.Tensor, a: tuple[int, ...], b: tuple[int, ...]) -> torch.Tensor:
    """The weight of a word on each piece of another less an even share, the mean over the pieces that look."""
    return sum(weights[:, :, i, j] for i in a for j in b) / len(a) / len(b) - 1 / weights.shape[-1]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_link_is_held_against_pairs_as_far_apart(base: TextEncoder) -> None:
    """The share of word pairs three tokens apart with a head that stands out as much, counted in loops."""
    others, longer = [], []
    for sentence in link_claims.OVER:
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
    run = labs.run("linked", base, {"sentence": KEYS, "word": "keys", "target": "table"})
    assert run.value == pytest.approx(sum(as_much) / len(as_much), abs=1e-6)
    assert f"Of {len(others)} other pairs" in run.sentence


@pytest.mark.slow
def test_even_attention_links_nothing(small: TextEncoder) -> None:
    """However short a sentence is, and of however many pieces its words are."""
    encoder = evenly(small)
    found = [labs.run("head_job", encoder, {"head": head, "job": "place"}) for head in (0, 3)]
    found += [
        labs.run("linked", encoder, {"sentence": text, "word": "cat", "target": "sleeps"})
        for text in ("The cat sleeps.", "cat sleeps", "Nobody knows that the old cat sleeps unbelievably well.")
    ]
    assert {one.verdict for one in found} == {FAILS}
    assert max(abs(one.value) for one in found[:2]) < 1e-5


def test_pairs_of_one_sentence_are_drawn_together(base: TextEncoder) -> None:
    """Of “cat chased” and “chased mouse” the second begins where the first ends, in every draw."""
    pairs = [(1, 2), (2, 4)]
    found = link_claims.usual(base, pairs, 8)
    assert found is not None
    both = found.chance + found.habit  # sentences of eight tokens count as they are
    every = [(one, k) for one in link_claims.MEASURED[base.model] for k in one.moves(pairs)]
    assert len(every) == len(both) > link_claims.FEWEST
    for (one, k), looked in zip(every, both, strict=True):
        assert {1 + k, 2 + k, 4 + k} <= one.spoken
        if one.tokens <= 8:
            torch.testing.assert_close(looked[1, 0], one.excess[:, :, 2 + k, 4 + k])
            torch.testing.assert_close(looked[0, 1], one.excess[:, :, 2 + k, 1 + k])


def test_a_number_made_by_hand_is_told_as_it_is_made(base: TextEncoder) -> None:
    """Only products are called products: a softmax weight is none, nor is a mean."""

    def said(step: str, *index: int) -> str:
        given = {"sentence": WIDE, "step": f"layers.1.{step}", "index": list(index)}
        return labs.run("by_hand", base, given).sentence

    assert "from 64 products, added up" in said("attention.scores", 0, 3, 2)
    assert "from 14 powers of e, one of them divided by their sum" in said("attention.weights", 0, 3, 2)
    assert "from 512 numbers, added up and divided" in said("add_norm_1.mean", 3)
    assert "from 512 squares, added up and divided" in said("add_norm_1.variance", 3)
    assert "made again by hand, it is" in said("attention.scaled", 0, 3, 2)

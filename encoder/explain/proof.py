"""Proofs that a recorded run is right: the same input through PyTorch's own modules, compared number by number."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call

from encoder.edits.edit_text import sentence
from encoder.model.activations import ACTIVATIONS, HEAD_ACTIVATIONS
from encoder.model.block import Block
from encoder.model.config import EncoderConfig
from encoder.model.distance import distance_vectors, rotary_frequencies
from encoder.model.encoder import Encoder, meta_device
from encoder.model.normalization import LayerNorm, NoNorm, RMSNorm, StdNorm
from encoder.model.steps.catalogue import by_name, catalogue
from encoder.model.steps.step import Step
from encoder.trace.trace import Trace


@dataclass(frozen=True)
class Check:
    """One comparison: what our numbers were held against, the largest absolute difference, and the largest number.

    Two float32 sums of the same terms in another order differ by a few of the last digits, so a difference is to be
    read beside `size`. `edited` says which edits PyTorch did not make: where it is not empty, the difference is their
    effect and proves nothing.
    """

    what: str
    difference: float
    size: float
    edited: str = ""


def checks(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """Every proof that fits a step: its row sums, and PyTorch's own modules on the recorded input of its part.

    The modules run now, in float32, on this run's own input, with the model's own weights, and without its edits.
    """
    proofs = []
    if step.operation == "softmax":
        sums = largest(trace[step.name].sum(-1), torch.tensor(1.0))
        proofs.append(Check("row sums against 1", sums, 1.0, edited_between(trace, step.inputs[0], step.name)))
    prove = PROOFS.get(step.part)
    with torch.inference_mode():
        return proofs + (prove(model, trace, step) if prove else [])


def check(what: str, trace: Trace, received: str, ours: str, theirs: Tensor) -> Check:
    """Our step `ours` held against what PyTorch made of the step `received`; "" where it was the ids."""
    size = float(theirs.abs().max())
    return Check(what, largest(trace[ours], theirs), size, edited_between(trace, received, ours))


def edited_between(trace: Trace, received: str, ours: str) -> str:
    """The edits, in words, of every step on the way from `received`, whose own value counts as given, to `ours`."""
    between, steps = {received}, by_name(trace.config)
    waiting = [ours]
    while waiting:
        name = waiting.pop()
        if name not in between and name in steps:
            between.add(name)
            waiting += steps[name].inputs
    between.discard(received)
    return "; ".join(sentence(edit, trace.config) for edit in trace.edits if edit.step in between)


def largest(ours: Tensor, theirs: Tensor) -> float:
    """The largest absolute difference between two tensors that broadcast."""
    return float((ours - theirs).abs().max())


def run(module: Callable[[], nn.Module], weights: Mapping[str, Tensor], *inputs: Tensor, **options: object) -> Tensor:
    """What a PyTorch module makes of the inputs with the given weights, without copying them."""
    with meta_device():
        empty = module().eval()
    result: Tensor = functional_call(empty, dict(weights), inputs, options)
    return result


def hidden_keys(trace: Trace) -> Tensor | None:
    """True where a key may not be looked at [1, n]; None where all may."""
    n = len(trace.tokens)
    hidden = torch.arange(n) >= n - trace.padding
    hidden[list(trace.hidden)] = True
    return hidden[None] if bool(hidden.any()) else None


PAPER = {each.local for each in catalogue(EncoderConfig()) if each.layer is not None}  # the steps of its layers


def attention_weights(block: Block) -> dict[str, Tensor]:
    """The block's attention weights under the names of nn.MultiheadAttention."""
    at = block.attention
    return {
        "in_proj_weight": torch.cat((at.w_q.weight, at.w_k.weight, at.w_v.weight)),
        "in_proj_bias": torch.cat((at.w_q.bias, at.w_k.bias, at.w_v.bias)),
        "out_proj.weight": at.w_o.weight,
        "out_proj.bias": at.w_o.bias,
    }


def attention(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """nn.MultiheadAttention on the input of this layer's attention; with a look at distances, PyTorch's functions."""
    config, at = model.config, f"layers.{step.layer}.attention."
    if not {each.local for each in catalogue(config) if each.layer == step.layer and each.part == "attention"} <= PAPER:
        return by_distance(model, trace, step)
    x = trace[at + "input"][None]
    output, weights = run(
        lambda: nn.MultiheadAttention(config.d_model, config.n_heads, batch_first=True),
        attention_weights(block(model, step)),
        x,
        x,
        x,
        key_padding_mask=hidden_keys(trace),
        average_attn_weights=False,
    )
    return [
        check("nn.MultiheadAttention, weights", trace, at + "input", at + "weights", weights[0]),
        check("nn.MultiheadAttention, output", trace, at + "input", at + "output", output[0]),
    ]


def by_distance(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """Turns as products of complex numbers, and F.scaled_dot_product_attention with biases and windows as its mask."""
    at, proofs = f"layers.{step.layer}.attention.", []
    attention = block(model, step).attention
    for name in ("q", "k") if attention.rotary is not None else ():
        came = trace.step(f"{at}{name}_rotated").inputs[0]
        x, n, turns = trace[came], len(trace.tokens), model.config.turns_of(step.layer or 0)
        angles = torch.arange(n)[:, None] * rotary_frequencies(attention.d_head, *turns)
        by_place = torch.polar(torch.ones_like(angles), angles)
        product = torch.complex(*x.chunk(2, -1)) * by_place
        theirs = torch.cat((product.real, product.imag), -1)
        proofs.append(check(f"a product of complex numbers, {name} turned", trace, came, f"{at}{name}_rotated", theirs))
    asks, offers = (trace[name] for name in trace.step(at + "scores").inputs)
    given = trace[at + "position_bias"] if at + "position_bias" in trace else torch.zeros_like(trace[at + "scaled"])
    for part, (name, distant) in PARTS_OF_SCORES.items() if attention.distance_parts else ():
        if part in attention.distance_parts:
            theirs = query_by_query(trace[at + name], trace[at + distant], part)
            proofs.append(check(f"query by query, {part}", trace, at + name, at + part, theirs))
            given = given + theirs / math.sqrt(attention.score_size)
    hidden, place = hidden_keys(trace), torch.arange(len(trace.tokens))
    if attention.window is not None:
        given = given.masked_fill((place - place[:, None]).abs() > attention.window, model.config.mask_value)
    if hidden is not None:
        given = given.masked_fill(hidden, model.config.mask_value)
    nobody = (given == model.config.mask_value).all(-1, keepdim=True)  # a query with all masked weighs all alike
    asks = asks.masked_fill(nobody, 0.0)
    values = torch.cat((trace[at + "v"], torch.eye(len(place)).expand(len(asks), -1, -1)), -1)
    theirs = nn.functional.scaled_dot_product_attention(
        asks, offers, values, attn_mask=given, scale=1 / math.sqrt(attention.score_size)
    )
    heads, weights = theirs[..., : attention.d_head], theirs[..., attention.d_head :]
    read = trace.step(at + "scores").inputs[0]
    output = nn.functional.linear(heads.transpose(0, 1).flatten(1), attention.w_o.weight, attention.w_o.bias)
    return [
        *proofs,
        check("F.scaled_dot_product_attention, weights", trace, read, at + "weights", weights),
        check("F.scaled_dot_product_attention, output", trace, read, at + "output", output),
    ]


PARTS_OF_SCORES = {"c2p": ("q", "k_distance"), "p2c": ("k", "q_distance")}  # what each is the product of


def query_by_query(content: Tensor, distant: Tensor, part: str) -> Tensor:
    """The scores of distances, from the slice of distances that each query has to all keys: [H, n, n]."""
    n, rows = content.shape[1], []
    for i in range(n):
        slices = distant[:, i : i + n].flip(1)  # [H, n, d_head], by key
        rows.append(((content[:, i : i + 1] if part == "c2p" else content) * slices).sum(-1))
    return torch.stack(rows, 1)


def distances(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """nn.Embedding on the rows of the distances, and their norm where they have one."""
    assert model.distances is not None
    table, config = model.distances.table.weight, model.config
    rows = distance_vectors(len(trace.tokens), config.distance_span, config.distance_limit)
    theirs = run(lambda: nn.Embedding(*table.shape), {"weight": table}, rows)
    first = "distances.table" if config.distance_norm else "distances.output"
    proofs = [check("nn.Embedding, rows", trace, "", first, theirs)]
    return proofs + (norm(model, trace, "distances.", first, "distances.norm") if config.distance_norm else [])


def block(model: Encoder, step: Step) -> Block:
    """The model's block that a step belongs to."""
    layer_block = model.get_submodule(f"layers.{step.layer}")
    assert isinstance(layer_block, Block)
    return layer_block


def norm(model: Encoder, trace: Trace, prefix: str, x: str, name: str) -> list[Check]:
    """nn.LayerNorm or nn.RMSNorm, or for std_norm its formula with torch.std, on what a norm received."""
    ours, module = prefix + "output", model.get_submodule(name)
    assert isinstance(module, LayerNorm)
    if isinstance(module, NoNorm):
        return []
    if isinstance(module, RMSNorm):
        rms = run(lambda: nn.RMSNorm(len(module.weight), module.eps), {"weight": module.weight}, trace[x])
        return [check("nn.RMSNorm, output", trace, x, ours, rms + module.bias)]
    if isinstance(module, StdNorm):
        y = trace[x]
        theirs = (y - y.mean(-1, True)) / (y.std(-1, keepdim=True) + module.eps) * module.weight + module.bias
        return [check("the formula with torch.std", trace, x, ours, theirs)]
    weights = {"weight": module.weight, "bias": module.bias}
    theirs = run(lambda: nn.LayerNorm(len(module.weight), module.eps), weights, trace[x])
    return [check("nn.LayerNorm, output", trace, x, ours, theirs)]


def add_norm(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """The norm of this layer that a step belongs to."""
    prefix, number = f"layers.{step.layer}.{step.part}.", step.part[-1]
    first = next((name for name in ("mean", "mean_square") if prefix + name in trace), "output")
    (x,) = trace.step(prefix + first).inputs[:1]
    return norm(model, trace, prefix, x, f"layers.{step.layer}.norm{number}")


def feed_forward(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """Linear, activation, Linear in an nn.Sequential, on what the feed-forward network received."""
    config, at = model.config, f"layers.{step.layer}."
    ours = block(model, step).feed_forward
    if ours.w_up is not None:
        return gated(model, trace, step)
    weights = {
        "0.weight": ours.w_1.weight,
        "0.bias": ours.w_1.bias,
        "2.weight": ours.w_2.weight,
        "2.bias": ours.w_2.bias,
    }
    activation, d_model, d_ff = ACTIVATIONS[config.activation].module, config.d_model, config.d_ff
    (x,) = trace.step(at + "feed_forward.hidden").inputs
    theirs = run(
        lambda: nn.Sequential(nn.Linear(d_model, d_ff), activation(), nn.Linear(d_ff, d_model)), weights, trace[x]
    )
    return [check("nn.Linear, activation, nn.Linear", trace, x, at + "feed_forward.output", theirs)]


def gated(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """nn.Linear made of both halves at once, F.glu's halves with the activation, nn.Linear."""
    at, ours = f"layers.{step.layer}.feed_forward.", block(model, step).feed_forward
    assert ours.w_up is not None
    (x,) = trace.step(at + "hidden").inputs
    both = torch.cat((ours.w_1.weight, ours.w_up.weight)), torch.cat((ours.w_1.bias, ours.w_up.bias))
    first, second = nn.functional.linear(trace[x], *both).chunk(2, -1)
    bent = ACTIVATIONS[model.config.activation].module()(first)
    theirs = nn.functional.linear(bent * second, ours.w_2.weight, ours.w_2.bias)
    return [check("one nn.Linear for both halves, activation, nn.Linear", trace, x, at + "output", theirs)]


def layer(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """nn.TransformerEncoderLayer on the input of this layer, or of the last one for the encoder's output."""
    config = model.config
    apart = any(each.local not in PAPER for each in catalogue(config) if each.layer is not None)
    if config.norm != "layer_norm" or apart or config.no_first_norm:
        return []  # PyTorch has no such layer; its parts are proven one by one
    number = config.n_layers - 1 if step.layer is None else step.layer
    ours = model.layers[number]
    assert isinstance(ours, Block)
    weights = {f"self_attn.{name}": tensor for name, tensor in attention_weights(ours).items()}
    theirs_to_ours = {"linear1": "feed_forward.w_1", "linear2": "feed_forward.w_2", "norm1": "norm1", "norm2": "norm2"}
    for theirs_name, our_name in theirs_to_ours.items():
        for kind in ("weight", "bias"):
            weights[f"{theirs_name}.{kind}"] = getattr(ours.get_submodule(our_name), kind)
    x = f"layers.{number - 1}.output" if number else "embedding.output"
    theirs = run(
        lambda: nn.TransformerEncoderLayer(
            config.d_model,
            config.n_heads,
            config.d_ff,
            0.0,
            ACTIVATIONS[config.activation].module(),
            config.norm_eps,
            batch_first=True,
            norm_first=config.norm_first,
        ),
        weights,
        trace[x][None],
        src_key_padding_mask=hidden_keys(trace),
    )
    what = f"nn.TransformerEncoderLayer, layer {number}"
    if step.layer is None and model.final_norm is not None:
        last = f"layers.{number}.output"
        return [check(what, trace, x, last, theirs[0]), *norm(model, trace, "", last, "final_norm")]
    return [check(what, trace, x, step.name, theirs[0])]


def embedding(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """nn.Embedding on the ids, and the norm where the embedding has one."""
    config, table = model.config, model.embedding.tokens.weight
    ids = torch.tensor(trace.ids)
    theirs = run(lambda: nn.Embedding(*table.shape), {"weight": table}, ids)
    proofs = [check("nn.Embedding, rows", trace, "ids", "embedding.tokens", theirs)]
    projection = model.embedding.projection
    if config.embedding_norm:
        prefix = "embedding." if projection is None else "embedding.norm."
        proofs += norm(model, trace, prefix, "embedding.sum", "embedding.norm")
    if projection is not None:
        (x,) = trace.step("embedding.projected").inputs
        weights = dict(projection.named_parameters())
        wide = run(lambda: nn.Linear(config.d_embedding, config.d_model), weights, trace[x])
        proofs.append(check("nn.Linear, widened", trace, x, "embedding.projected", wide))
    return proofs


def final_norm(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """The norm after the last layer."""
    last = f"layers.{model.config.n_layers - 1}.output"
    return norm(model, trace, "final_norm.", last, "final_norm")


def mlm(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """nn.LayerNorm in the head, and nn.Linear with the embedding as its weight."""
    config, head = model.config, model.mlm_head
    assert head is not None
    weights = {"weight": model.embedding.tokens.weight, "bias": head.bias}
    logits = run(lambda: nn.Linear(config.d_embedding, config.vocab_size), weights, trace["mlm.norm.output"])
    return [
        *norm(model, trace, "mlm.norm.", "mlm.activation", "mlm_head.norm"),
        check("nn.Linear, logits", trace, "mlm.norm.output", "mlm.logits", logits),
    ]


PYTORCHS_POOLING = "PyTorch's own reduction over the tokens"


def pooling(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """PyTorch's own reductions and F.normalize, on the output of the tokens that are not masked."""
    masked = hidden_keys(trace)
    x = trace["output"] if masked is None else trace["output"][~masked[0]]
    over: dict[str, Callable[[], Tensor]] = {
        "mean": lambda: nn.functional.avg_pool1d(x.T, len(x)).T,
        "mean_sqrt_len": lambda: nn.functional.avg_pool1d(x.T, len(x)).T * len(x) ** 0.5,
        "max": lambda: torch.max_pool1d(x.T, len(x)).T,
        "cls": lambda: x[:1],
    }
    proofs = [check(PYTORCHS_POOLING, trace, "output", "pooling.vector", over[str(model.config.pooling)]())]
    if model.config.unit_length:
        theirs = nn.functional.normalize(trace["pooling.vector"])
        proofs.append(check("nn.functional.normalize", trace, "pooling.vector", "pooling.unit", theirs))
    return proofs


def classifier(model: Encoder, trace: Trace, step: Step) -> list[Check]:
    """PyTorch's reduction, nn.Linear, activation, the norm and nn.Linear again, each on what its part received."""
    head, ours = model.config.classifier, model.classifier
    assert head is not None and ours is not None
    x, proofs, masked = "output", list[Check](), hidden_keys(trace)
    tokens = slice(None) if masked is None else ~masked[0]

    def mean(values: Tensor) -> Tensor:
        counted = values[tokens]
        counted = counted[1:-1] if head.reading == "words" and len(counted) > 2 else counted
        return nn.functional.avg_pool1d(counted.T, len(counted)).T

    def maps(part: nn.Linear, received: str) -> Tensor:
        weights = {"weight": part.weight, "bias": part.bias}
        out, size = part.weight.shape
        return run(lambda: nn.Linear(size, out), weights, trace[received])

    if head.pools:
        read = trace[x][:1] if head.reading == "first" else mean(trace[x])
        proofs.append(check(PYTORCHS_POOLING, trace, x, "classifier.pooled", read))
        x = "classifier.pooled"
    if ours.transform is not None:
        bent = HEAD_ACTIVATIONS[str(head.activation)].module()(maps(ours.transform, x))
        proofs.append(check("nn.Linear, activation", trace, x, "classifier.activation", bent))
        x = "classifier.activation"
    if head.norm:
        proofs += norm(model, trace, "classifier.norm.", x, "classifier.norm")
        x = "classifier.norm.output"
    scores = maps(ours.output, x)
    proofs.append(check("nn.Linear, labels", trace, x, f"classifier.{head.last}", scores[0] if head.pools else scores))
    if head.last != "logits":
        received = f"classifier.{head.last}"
        proofs.append(check(PYTORCHS_POOLING, trace, received, "classifier.logits", mean(trace[received])[0]))
    if head.problem == "multi_label":
        shares = nn.Sigmoid()(trace["classifier.logits"])
        proofs.append(check("nn.Sigmoid", trace, "classifier.logits", "classifier.probabilities", shares))
    return proofs


PROOFS: dict[str, Callable[[Encoder, Trace, Step], list[Check]]] = {
    "embedding": embedding,
    "attention": attention,
    "add_norm_1": add_norm,
    "add_norm_2": add_norm,
    "feed_forward": feed_forward,
    "output": layer,
    "final_norm": final_norm,
    "mlm": mlm,
    "pooling": pooling,
    "classifier": classifier,
    "distances": distances,
}

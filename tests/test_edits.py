"""An edit changes what it names and all that follows from it, nothing else, and what was used is what was recorded."""

import math
import random
import string
from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from in_turn import in_turn
from oracle import roundings, torch_twin
from tiny import COVERING, SENTENCE, TINY, VARIANTS, tiny
from torch import Tensor

from encoder import Edit, EncoderConfig, TextEncoder, Trace
from encoder.edits.edit import LONGEST_SENTENCE, VALUES, reaching, upstream
from encoder.edits.edit_text import LONGEST_TEXT, MOST_EDITS, edits_to_text, sentence, text_to_edits
from encoder.explain.proof import checks
from encoder.explain.snippet import snippet
from encoder.model.steps.catalogue import by_name, catalogue

SARA = "Keys on the table belong to Sara."
OTHER = "w9 w8 w7 w6 w5"  # as long as SENTENCE
N = 7
AT = "layers.1.attention."

every_variant = in_turn("config", [VARIANTS[name] for name in COVERING])


@pytest.fixture(scope="module")
def encoder() -> TextEncoder:
    """Post-norm with a head for words."""
    return tiny(VARIANTS["mlm-head"])


@pytest.fixture(scope="module")
def plain(encoder: TextEncoder) -> Trace:
    """The sentence without edits."""
    return encoder.trace(SENTENCE)


def after(config: EncoderConfig, name: str) -> set[str]:
    """Every step that is computed from a step, by way of others too."""
    reached = {name}
    for step in catalogue(config):
        if reached & set(step.inputs):
            reached.add(step.name)
    return reached - {name}


def changed(a: Trace, b: Trace) -> set[str]:
    """The steps that are not the same to the last bit."""
    return {name for name in a if not torch.equal(a[name], b[name])}


# What follows from an edit


@pytest.mark.slow
@in_turn("config", [VARIANTS["std-norm-everywhere"], replace(VARIANTS["preset-bert-base"], n_layers=2)])
def test_an_edit_changes_what_follows_and_what_was_recorded_is_what_was_gone_on_with(config: EncoderConfig) -> None:
    encoder = tiny(config)
    plain = encoder.trace(SENTENCE)
    for step in encoder.steps:
        edit = Edit(step.name, "replace", value=0.7)
        trace = encoder.trace(SENTENCE, edits=[edit])
        assert bool((trace[step.name] == 0.7).all())
        assert {step.name} <= changed(plain, trace) <= {step.name} | after(config, step.name), step.name
        wrong = {name: off for name, off in roundings(encoder, trace).items() if off > 2e-6 and name != step.name}
        assert (wrong, list(trace), trace.edits) == ({}, list(plain), (edit,)), step.name


@every_variant
def test_times_one_changes_no_bit(config: EncoderConfig) -> None:
    encoder = tiny(config)
    plain = encoder.trace([SENTENCE, "w1 w2"], hidden=(2,))
    every = [Edit(step.name, "scale", value=1) for step in encoder.steps if "n" in step.shape]
    for before, trace in zip(plain, encoder.trace([SENTENCE, "w1 w2"], hidden=(2,), edits=every), strict=True):
        assert changed(before, trace) == set()


def test_an_edit_works_on_a_copy_and_leaves_nothing_behind(encoder: TextEncoder) -> None:
    def state() -> dict[tuple[str, str], int]:
        modules = encoder.model.named_modules()
        return {(name, key): id(value) for name, module in modules for key, value in vars(module).items()}

    plain, before = encoder.trace(SENTENCE), state()
    held = encoder.model.state_dict() | dict(encoder.model.named_buffers()) | dict(plain)
    copies = {name: tensor.clone() for name, tensor in held.items()}
    edits = [Edit(step.name, "patch", value=plain) for step in encoder.steps]
    edits += [Edit(step.name, "noise", value=1) for step in encoder.steps]
    trace = encoder.trace(OTHER, edits=[*edits, Edit(AT + "scaled", "bypass"), Edit("mlm.logits", "zero")])
    assert changed(plain, trace) == set(plain)
    assert [name for name, tensor in held.items() if not torch.equal(tensor, copies[name])] == []
    assert state() == before


# Algebra


@every_variant
def test_a_whole_layer_from_another_run_makes_the_rest_its(config: EncoderConfig) -> None:
    encoder = tiny(config)
    a, b = encoder.trace(OTHER), encoder.trace(SENTENCE)
    for name in ("embedding.output", "layers.0.output"):
        for value in (a, OTHER):
            trace = encoder.trace(SENTENCE, edits=[Edit(name, "patch", value=value)])
            rest = {name} | after(config, name)
            assert {name, "output"} <= changed(b, trace) <= rest
            assert changed(a, trace) & rest == set()


@in_turn("name", ["gelu", "pre-norm-final-norm"])
def test_causal_on_every_layer_is_torchs_causal_encoder(name: str) -> None:
    encoder = tiny(VARIANTS[name])
    encoder.model.double()
    edits = [Edit(f"layers.{i}.attention.masked", "causal") for i in range(encoder.config.n_layers)]
    trace = encoder.trace(SENTENCE, edits=edits)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(N, dtype=torch.float64)
    expected = torch_twin(encoder.model)(trace["embedding.output"][None].clone(), mask=mask, is_causal=True)
    assert float((trace["output"] - expected[0]).abs().max()) <= 1e-10
    assert not trace[AT + "weights"].triu(1).any()


def test_causal_keeps_to_its_heads_and_rows_and_takes_the_models_own_value(encoder: TextEncoder, plain: Trace) -> None:
    trace = encoder.trace(SENTENCE, edits=[Edit(AT + "masked", "causal", heads=(2,), positions=(1, 4))])
    expected = plain[AT + "masked"].clone()
    expected[2, 1, 2:] = expected[2, 4, 5:] = -math.inf
    assert torch.equal(trace[AT + "masked"], expected)
    trace = tiny(VARIANTS["finite-mask"]).trace(SENTENCE, edits=[Edit(AT + "masked", "causal")])
    assert trace[AT + "masked"][0, 0].tolist()[1:] == [-1e9] * 6


NO_VALUE = ("zero", "mean", "bypass", "causal")
BYPASSED = {
    "attention.scaled": "attention.scores",
    "attention.masked": "attention.scaled",
    "attention.weights": "attention.masked",
    "attention.input": "x",
    "feed_forward.activation": "feed_forward.hidden",
    "add_norm_1.sum": "add_norm_1.residual",
    "add_norm_2.normalized": "add_norm_2.sum",
    "add_norm_2.output": "add_norm_2.normalized",
}


def test_a_bypassed_step_hands_on_its_first_input(encoder: TextEncoder, plain: Trace) -> None:
    for local, first in BYPASSED.items():
        trace = encoder.trace(SENTENCE, hidden=(3,), edits=[Edit(f"layers.1.{local}", "bypass")])
        handed = trace["layers.0.output" if first == "x" else f"layers.1.{first}"]
        assert torch.equal(trace[f"layers.1.{local}"], handed), local
    edits = [Edit(AT + "scaled", "bypass"), Edit(AT + "scores", "replace", value=3)]
    assert bool((encoder.trace(SENTENCE, edits=edits)[AT + "scaled"] == 3).all())  # the edited input
    trace = encoder.trace(SENTENCE, edits=[Edit(AT + "scaled", "bypass", heads=(1,), positions=(0, 6))])
    expected = plain[AT + "scaled"].clone()
    expected[1, [0, 6]] = plain[AT + "scores"][1, [0, 6]]
    assert torch.equal(trace[AT + "scaled"], expected)


# The actions

SHAPES = ("embedding.output", AT + "q", AT + "scores", "layers.1.add_norm_1.mean", "layers.1.feed_forward.hidden")


class Chosen:
    """Heads 0 and 2 and the positions 1, 2 and 5 of a step: what an edit there makes of them, and of nothing else."""

    def __init__(self, encoder: TextEncoder, name: str) -> None:
        self.encoder, self.step = encoder, by_name(encoder.config)[name]
        rows, self.axis = torch.tensor([1, 2, 5]), int("H" in self.step.shape)
        self.index = (torch.tensor([0, 2])[:, None], rows) if self.axis else (rows,)
        self.whole = encoder.trace(SENTENCE)[name]
        self.before = self.whole[self.index]

    def after(self, action: str, value: object = None) -> Tensor:
        """The chosen numbers after an edit of them; every other number must be as it was."""
        edit = Edit(self.step.name, action, (0, 2) if self.axis else None, (1, 2, 5), value)
        edited = self.encoder.trace(SENTENCE, edits=[edit])[self.step.name]
        elsewhere = torch.ones_like(self.whole, dtype=torch.bool)
        elsewhere[self.index] = False
        assert torch.equal(self.whole[elsewhere], edited[elsewhere]) and bool(elsewhere.any())
        return edited[self.index]

    def in_order(self, *rows: int) -> Tensor:
        """The chosen rows in another order."""
        return self.before.index_select(self.axis, torch.tensor(rows))

    def drawn(self, seed: int) -> Tensor:
        """Normal numbers of a seed with the deviation of what they replace, that of each head by itself."""
        sizes = self.step.sizes(self.encoder.config, N)
        numbers = torch.randn(sizes, generator=torch.Generator().manual_seed(seed))[self.index]
        parts = self.before if self.axis else self.before[None]
        deviation = torch.stack([part.std(correction=0) for part in parts])
        return numbers * (deviation.view(-1, *[1] * (numbers.dim() - 1)) if self.axis else deviation)


@in_turn("name", SHAPES)
def test_each_action_makes_of_the_chosen_numbers_what_it_says(encoder: TextEncoder, name: str) -> None:
    at, donor, state = Chosen(encoder, name), encoder.trace(OTHER), torch.random.get_rng_state()
    rows = at.before.unbind(at.axis)
    exact: list[tuple[str, object, Tensor]] = [
        ("zero", None, torch.zeros_like(at.before)),
        ("replace", -0.25, torch.full_like(at.before, -0.25)),
        ("replace", 10**30, torch.full_like(at.before, 1e30)),
        ("scale", 0.5, at.before * 0.5),
        ("scale", 10**30, at.before * 1e30),
        ("patch", donor, donor[name][at.index]),
        ("patch", OTHER, donor[name][at.index]),
        *(("shift", by, at.in_order(*rows)) for by, rows in ((1, (2, 0, 1)), (-1, (1, 2, 0)), (3, (0, 1, 2)))),
        ("shift", -8, at.in_order(2, 0, 1)),
    ]
    for action, value, expected in exact:
        assert torch.equal(at.after(action, value), expected), (action, value)
    mean = sum(rows[1:], rows[0]) / 3
    assert all(torch.allclose(row, mean, atol=1e-6) for row in at.after("mean").unbind(at.axis))
    assert torch.allclose(at.after("noise", 4), at.drawn(4), atol=1e-5)
    orders = set()
    for seed in range(8):
        moved = at.after("shuffle", seed).unbind(at.axis)
        order = tuple(next(i for i, row in enumerate(rows) if torch.equal(row, new)) for new in moved)
        assert sorted(order) == [0, 1, 2] and torch.equal(at.after("shuffle", seed), at.in_order(*order))
        orders.add(order)
    assert len(orders) > 2 and torch.equal(torch.random.get_rng_state(), state)


def test_a_hidden_score_stays_hidden(encoder: TextEncoder) -> None:
    for action, value in (("scale", 0.0), ("scale", -2.0), ("noise", 3)):
        trace = encoder.trace(SENTENCE, hidden=(2,), edits=[Edit(AT + "masked", action, value=value)])
        masked = trace[AT + "masked"]
        assert bool((masked[..., 2] == -math.inf).all()) and bool(masked[..., [0, 1, 3]].isfinite().all())
        assert bool(trace["output"].isfinite().all())


def test_a_row_with_every_key_hidden_is_no_number(encoder: TextEncoder) -> None:
    edits = [Edit("layers.0.attention.masked", "replace", positions=(3,), value=-math.inf)]
    trace = encoder.trace(SENTENCE, edits=edits)
    assert bool(trace["layers.0.attention.weights"][:, 3].isnan().all())
    assert bool(trace["layers.0.output"][[0, 1, 2, 4, 5, 6]].isfinite().all())
    assert bool(trace["layers.0.output"][3].isnan().all())


def test_a_patch_between_lengths(encoder: TextEncoder) -> None:
    longer = encoder.trace(f"{OTHER} w1 w2")
    trace = encoder.trace(SENTENCE, edits=[Edit("layers.0.output", "patch", value=longer)])
    assert torch.equal(trace["layers.0.output"], longer["layers.0.output"][:N])
    shorter = encoder.trace("w3 w4")
    edits = [Edit(AT + "heads", "patch", positions=(1, 3), value=shorter)]
    assert torch.equal(encoder.trace(SENTENCE, edits=edits)[AT + "heads"][:, [1, 3]], shorter[AT + "heads"][:, [1, 3]])
    padded, _ = encoder.trace(["w1 w2", SENTENCE])  # which gives its own tokens alone
    assert padded.padding == 3
    with pytest.raises(ValueError, match="position 6 is not in the run of 'w1 w2'; its positions go from 0 to 3"):
        encoder.trace(SENTENCE, edits=[Edit("layers.0.output", "patch", value=padded)])


def test_a_patch_sees_no_edit_and_nothing_hidden(encoder: TextEncoder) -> None:
    edits = [Edit("layers.0.output", "zero"), Edit("layers.1.attention.input", "patch", value=OTHER)]
    trace = encoder.trace(SENTENCE, hidden=(1,), edits=edits)
    assert torch.equal(trace["layers.1.attention.input"], encoder.trace(OTHER)["layers.1.attention.input"])


# Several edits


def test_edits_of_a_step_act_in_their_order_and_of_several_together(encoder: TextEncoder, plain: Trace) -> None:
    zero, three = Edit(AT + "v", "zero"), Edit(AT + "v", "replace", value=3)
    double = Edit(AT + "v", "scale", value=2)
    for edits, number in (([zero, three], 3), ([three, zero], 0), ([three, double, double], 12)):
        assert bool((encoder.trace(SENTENCE, edits=edits)[AT + "v"] == number).all())
    edits = [Edit("layers.1.output", "zero", positions=(2,)), Edit("layers.0.attention.v", "zero", heads=(1,))]
    trace = encoder.trace(SENTENCE, edits=edits)
    assert changed(plain, trace) == changed(plain, encoder.trace(SENTENCE, edits=edits[::-1]))
    assert not trace["output"][2].any() and not trace["layers.0.attention.heads"][1].any()
    assert not torch.equal(trace["output"][3], plain["output"][3])


# Batches

EVERYWHERE = [
    Edit("embedding.positions", "shuffle", value=5),
    Edit("layers.0.attention.masked", "causal"),
    Edit("layers.0.attention.weights", "mean", heads=(1,)),
    Edit("layers.0.attention.heads", "shift", value=1),
    Edit("layers.0.feed_forward.output", "mean"),
    Edit("layers.1.attention.q", "noise", value=2),
    Edit("layers.1.attention.scores", "replace", positions=(1,), value=0.5),
    Edit("layers.1.add_norm_1.normalized", "bypass"),
    Edit("layers.1.add_norm_2.residual", "patch", positions=(0, 2), value="w5 w6"),
]


@every_variant
def test_an_edit_in_a_batch_is_that_of_the_sentence_alone(config: EncoderConfig) -> None:
    encoder = tiny(replace(config, n_layers=2))
    encoder.model.double()
    heads = range(encoder.config.n_heads)
    edits = [edit for edit in EVERYWHERE if edit.heads is None or edit.heads[0] in heads]
    texts = [SENTENCE, "w7", "w8 w9 w1"]
    for text, padded in zip(texts, encoder.trace(texts, edits=edits), strict=True):
        alone = encoder.trace(text, edits=edits)
        n = len(alone.tokens)
        for step in encoder.steps:
            longest = len(padded.tokens)
            own = {"n": slice(n), "distances": slice(longest - n, longest + n - 1)}
            part = padded[step.name][tuple(own.get(d, slice(None)) for d in step.shape)]
            assert torch.allclose(part, alone[step.name], atol=1e-11), (text, step.name)
        assert not padded[AT + "weights"][:, :n, n:].any()
        assert padded.edits == alone.edits == tuple(edits)


def test_a_position_must_be_in_every_sentence(encoder: TextEncoder) -> None:
    with pytest.raises(ValueError, match="position 4 is outside the sentence; positions go from 0 to 3"):
        encoder.trace([SENTENCE, "w1 w2"], edits=[Edit("output", "zero", positions=(4,))])


# What an Edit is


def test_an_edit_is_frozen_hashable_and_tidy(plain: Trace) -> None:
    edit = Edit(AT + "heads", "zero", heads=(2, 0, 2), positions=[5, 1])  # type: ignore[arg-type]
    assert (edit.heads, edit.positions) == ((0, 2), (1, 5))
    assert edit == Edit(AT + "heads", "zero", (0, 2), (1, 5))
    assert len({edit, Edit(AT + "heads", "zero", (0, 2), (1, 5)), Edit(AT + "heads", "zero")}) == 2
    assert len({Edit("output", "patch", value=plain), Edit("output", "patch", value=plain)}) == 1
    with pytest.raises(FrozenInstanceError):
        edit.action = "mean"  # type: ignore[misc]


def test_a_trace_tells_its_edits_and_is_equal_to_itself_only(encoder: TextEncoder, plain: Trace) -> None:
    assert plain.edits == () and plain == plain != encoder.trace(SENTENCE) and len({plain, plain}) == 1
    trace = encoder.trace(SENTENCE, edits=[Edit("output", "zero"), Edit("output", "mean")])
    assert repr(trace) == f"Trace({SENTENCE!r}, model='tiny', 7 tokens, {len(trace)} steps, 2 edits)"


WRONG = [  # step, action, value, and what is said; wrong kinds of all arguments are in test_arguments.py
    (("output", "drop"), "action is 'drop'; it must be one of zero, mean, scale, noise, replace, patch"),
    ((3, "zero"), "step is 3; it must be the name of a step"),
    *((("output", name, None, None, 1), f"value is 1; {name} takes no value") for name in NO_VALUE),
    (("output", "scale", None, None, True), r"value is True; scale takes a number from -3\.4e\+38 to 3\.4e\+38"),
    (("output", "scale", None, None, -math.inf), "value is -inf; scale takes a number"),
    (("output", "scale", None, None, 1e39), r"value is 1e\+39; scale takes a number"),
    (("output", "replace", None, None, math.inf), "value is inf; replace takes a number from .* or minus infinity"),
    (("output", "noise", None, None, -1), "value is -1; noise takes a seed, .* from 0 to 2147483647"),
    (("output", "shuffle", None, None, 1.0), r"value is 1\.0; shuffle takes a seed"),
    (("output", "shift", None, None, 8192), "value is 8192; shift takes a whole number from -8191 to 8191"),
    (("output", "shift", None, None, 0.5), r"value is 0\.5; shift takes a whole number"),
    (("output", "patch"), "value is None; patch takes a sentence of 1 to 2000 characters, or a Trace"),
    *((("output", "patch", None, None, text), "patch takes a sentence") for text in ("", "x" * 2001, "a\ud83d")),
    (("output", "zero", (0, 128)), r"heads is \(0, 128\); it must be a tuple of whole numbers from 0 to 127, or None"),
    (("output", "zero", ()), r"heads is \(\); it must be a tuple"),
    (("output", "zero", None, (8192,)), "positions is .* whole numbers from 0 to 8191"),
]


@in_turn(("arguments", "message"), WRONG)
def test_an_edit_that_cannot_be(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Edit(*arguments)


MISFITS = {
    "step": (Edit("layers.2.attention.heads", "zero"), "no step is called 'layers.2.attention.heads'; did you mean la"),
    "far-step": (Edit("zzz", "zero"), "no step is called 'zzz'$"),
    "long-step": (Edit("z" * 10_000, "zero"), "no step is called 'zzz.{1,30}'$"),
    "no-heads": (Edit("output", "zero", heads=(0,)), r"heads is \(0,\); output has no heads"),
    "head": (Edit(AT + "q", "zero", heads=(1, 3)), r"layers.1.attention.q has no head 3; heads go from 0 to 2"),
    "position": (Edit("output", "zero", positions=(7,)), "position 7 is outside the sentence; .* from 0 to 6"),
    "causal": (Edit(AT + "scaled", "causal"), "layers.1.attention.scaled cannot be causal; only attention.masked can"),
    "lookup": (Edit("embedding.tokens", "bypass"), "embedding.tokens cannot be bypassed; it is not computed from ano"),
    "sinusoid": (Edit("embedding.positions", "bypass"), "embedding.positions cannot be bypassed; it is not computed"),
    "heads": (
        Edit(AT + "heads", "bypass"),
        r"heads cannot be bypassed; its input layers.1.attention.weights is \[H, n, n\], not \[H, n, d_head\]",
    ),
    "no-edit": ("output", "edits holds 'output'; it must be a tuple of Edit"),
    "short-donor": (
        Edit("output", "patch", value="w1"),
        "position 6 is not in the run of 'w1'; its positions go from 0 to 2",
    ),
    "place-in-short-donor": (Edit("output", "patch", positions=(0, 5), value="w1"), "position 5 is not in the run of"),
    "pairs": (
        Edit(AT + "scores", "patch", positions=(0,), value="w1"),
        "the run of 'w1' has 3 tokens and this one 7; a patch of pairs of tokens needs equal lengths",
    ),
}


@in_turn(("edit", "message"), MISFITS.values())
def test_an_edit_that_does_not_fit(encoder: TextEncoder, edit: Edit, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        encoder.trace(SENTENCE, edits=[edit])


def test_a_run_of_another_model_must_have_the_step_in_that_size(encoder: TextEncoder) -> None:
    wider = tiny(replace(TINY, d_model=36)).trace(SENTENCE)
    with pytest.raises(
        ValueError, match=r"output is \[7, 36\] in the run of .*; for its 7 tokens it would be \[7, 30\]"
    ):
        encoder.trace(SENTENCE, edits=[Edit("output", "patch", value=wider)])
    with pytest.raises(ValueError, match=r"the run of .* has no step 'mlm.logits'; it cannot be patched from there"):
        encoder.trace(SENTENCE, edits=[Edit("mlm.logits", "patch", value=wider)])
    other = tiny(VARIANTS["mlm-head"], seed=1).trace(SENTENCE)
    trace = encoder.trace(SENTENCE, edits=[Edit("output", "patch", value=other)])
    assert torch.equal(trace["output"], other["output"])


# In words

TEXTS = {
    "": (),
    "layers.2.attention.heads:zero:h=3": (Edit("layers.2.attention.heads", "zero", heads=(3,)),),
    "embedding.positions:shuffle:v=7;output:mean": (
        Edit("embedding.positions", "shuffle", value=7),
        Edit("output", "mean"),
    ),
    "layers.0.attention.scaled:scale:v=0.25:h=0,1,5-7:p=0,2-4": (
        Edit("layers.0.attention.scaled", "scale", (0, 1, 5, 6, 7), (0, 2, 3, 4), 0.25),
    ),
    "output:patch:v=The%20cat%3A%20%22a%3Bb%2C%20c%3Dd%22%20%E2%82%AC:p=1": (
        Edit("output", "patch", positions=(1,), value='The cat: "a;b, c=d" \N{EURO SIGN}'),
    ),
    "output:replace:v=-inf": (Edit("output", "replace", value=-math.inf),),
    "output:replace:v=-1e-07": (Edit("output", "replace", value=-1e-7),),
    "output:shift:v=-3": (Edit("output", "shift", value=-3),),
}


@in_turn(("text", "edits"), TEXTS.items())
def test_edits_as_text(text: str, edits: tuple[Edit, ...]) -> None:
    assert edits_to_text(edits) == text
    assert text_to_edits(text) == edits


def any_edit(dice: random.Random) -> Edit:
    """An edit at random, all actions and kinds of values alike."""
    action = dice.choice(list(VALUES))
    value: float | str | None = None
    if action in ("scale", "replace"):
        value = dice.choice([0, -1, 0.1, 1e-30, -3.4e38, dice.uniform(-9, 9), dice.gauss(0, 1e20), 10**30])
    elif action in ("noise", "shuffle"):
        value = dice.randrange(2**31)
    elif action == "shift":
        value = dice.randrange(-8191, 8192)
    elif action == "patch":
        letters = string.printable + "é€\U0001f642\N{HEBREW LETTER ALEF}\x00\u2028"
        value = "".join(dice.choices(letters, k=dice.randint(1, 40)))
    heads, positions = (
        tuple(dice.sample(range(limit), dice.randint(1, 40))) if dice.random() < 0.5 else None for limit in (128, 512)
    )
    return Edit(dice.choice(("output", AT + "heads", "embedding.positions")), action, heads, positions, value)


def test_any_edits_come_back_from_their_text() -> None:
    dice = random.Random(5)
    for _ in range(300):
        edits = tuple(any_edit(dice) for _ in range(dice.randint(0, 6)))
        text = edits_to_text(edits)
        assert text_to_edits(text) == edits
        assert text.isascii() and text.isprintable() and " " not in text


BAD_TEXTS = {
    "nonsense": ("hello", "'hello' is not an edit; the form is step:action"),
    "trailing": ("output:zero;", "'' is not an edit"),
    "spaces": ("output: zero", "'output: zero' is not an edit"),
    "action": ("output:drop", "action is 'drop'; it must be one of"),
    "value": ("output:zero:v=3", "value is 3; zero takes no value"),
    "number": ("output:scale:v=1.", r"'1\.' is not a number"),
    "infinite": ("output:scale:v=inf", "'inf' is not a number"),
    "large": ("output:scale:v=1e999", "value is inf; scale takes a number"),
    "order": ("output:zero:p=3,2", "'2' in '3,2' is out of order"),
    "repeat": ("output:zero:p=3,3", "'3' in '3,3' is out of order"),
    "backwards": ("output:zero:p=4-2", "'4-2' in '4-2' is out of order"),
    "many": ("output:zero:p=0-9999", "'0-9999' in '0-9999' is out of order; numbers go up, from 0 to 8191"),
    "heads": ("output:zero:h=128", "heads is .* whole numbers from 0 to 127"),
    "swapped": ("output:zero:p=1:h=1", "is not an edit"),
    "percent": ("output:patch:v=a%2", "'a%2' is not a percent-encoded sentence"),
    "utf-8": ("output:patch:v=%FF", "'%FF' is not a sentence in UTF-8"),
    "digits": ("output:zero:p=\u0663", "is not an edit"),
    "length": ("x" * (LONGEST_TEXT + 1), "the edits take 20001 characters; a text holds at most 20000"),
    "count": (";".join(["output:zero"] * (MOST_EDITS + 1)), "257 edits; a text holds at most 256"),
}


@in_turn(("text", "message"), BAD_TEXTS.values())
def test_a_text_that_is_no_edits(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        text_to_edits(text)


def test_what_no_text_can_hold(plain: Trace) -> None:
    with pytest.raises(ValueError, match="a patch from a Trace cannot be written as text; give its sentence 'w1 w2"):
        edits_to_text([Edit("output", "patch", value=plain)])
    with pytest.raises(ValueError, match="257 edits"):
        edits_to_text([Edit("output", "zero")] * 257)
    with pytest.raises(ValueError, match=r"the edits take \d+ characters"):
        edits_to_text([Edit("output", "patch", value="\N{EURO SIGN}" * LONGEST_SENTENCE)] * 2)


SENTENCES = {
    "head 2 of layer 1: weighted values set to zero": Edit(AT + "heads", "zero", heads=(2,)),
    "heads 0, 2 of layer 1, positions 1 to 3, 6: scores set to 0.5": Edit(
        AT + "scores", "replace", (0, 2), (1, 2, 3, 6), 0.5
    ),
    "positional encoding with rows in random order (seed 7)": Edit("embedding.positions", "shuffle", value=7),
    "positional encoding with rows moved by -2": Edit("embedding.positions", "shift", value=-2),
    "layer 0: scaled scores left out, scores passed on": Edit("layers.0.attention.scaled", "bypass"),
    "layer 0: normalized (feed-forward) left out, add (feed-forward) passed on": Edit(
        "layers.0.add_norm_2.normalized", "bypass"
    ),
    "layer 0: masked scores with later tokens hidden": Edit("layers.0.attention.masked", "causal"),
    "layer 0, position 2: output of the layer taken from “a b”": Edit(
        "layers.0.output", "patch", positions=(2,), value="a\n\tb\x00"
    ),
    "logits replaced by their mean over tokens": Edit("mlm.logits", "mean"),
    "logits multiplied by 2": Edit("mlm.logits", "scale", value=2),
    "logits replaced by noise (seed 1)": Edit("mlm.logits", "noise", value=1),
}


@in_turn(("words", "edit"), SENTENCES.items())
def test_an_edit_in_a_sentence(encoder: TextEncoder, words: str, edit: Edit) -> None:
    assert sentence(edit, encoder.config) == words


def test_sentences_for_all_there_is(encoder: TextEncoder, plain: Trace) -> None:
    assert {edit.action for edit in SENTENCES.values()} == set(VALUES)
    assert sentence(Edit("output", "patch", value=plain), encoder.config).endswith(f"taken from “{SENTENCE}”")
    long = sentence(Edit("output", "patch", value="{value} " * 100), encoder.config)
    assert long.endswith("{value} {val…”")
    with pytest.raises(ValueError, match="no step is called 'x'"):
        sentence(Edit("x", "zero"), encoder.config)


# What is said of an edited run


def test_an_explanation_says_what_was_edited(encoder: TextEncoder) -> None:
    edits = [
        Edit(AT + "heads", "zero", heads=(2,), positions=(1,)),
        Edit(AT + "heads", "scale", heads=(2,), value=3),
        Edit(AT + "masked", "causal"),
        Edit("layers.1.add_norm_1.mean", "zero"),
    ]
    trace = encoder.trace(SENTENCE, edits=edits)
    made = encoder.explain(trace, AT + "heads", (2, 1, 4))
    assert made.edited == "; ".join(sentence(edit, encoder.config) for edit in edits[:2])
    assert (made.recorded, made.difference > 1e-3) == (0, True)
    assert encoder.explain(trace, AT + "heads", (2, 0, 4)).edited == sentence(edits[1], encoder.config)
    untouched = {
        AT + "heads": (1, 1, 4),
        AT + "concat": (1, 24),
        AT + "masked": (0, 3, 2),
        AT + "weights": (0, 3, 5),
        "layers.1.add_norm_1.variance": (2,),
        "layers.1.add_norm_1.normalized": (2, 3),
        "ids": (2,),
        "embedding.tokens.weight": (5, 1),
    }
    for name, index in untouched.items():
        made = encoder.explain(trace, name, index)
        assert made.edited == "", name
        assert made.difference <= 2e-6 * made.size, name
    assert encoder.explain(trace, AT + "masked", (0, 3, 5)).edited == "layer 1: masked scores with later tokens hidden"
    assert encoder.explain(trace, AT + "masked", (0, 3, 3)).edited == ""


def test_an_explanation_leaves_padding_alone(encoder: TextEncoder) -> None:
    short, _ = encoder.trace(["w1 w2", SENTENCE], edits=[Edit(AT + "weights", "replace", value=0.5)])
    said = [bool(encoder.explain(short, AT + "weights", index).edited) for index in ((0, 3, 3), (0, 4, 0), (0, 0, 4))]
    assert said == [True, False, False]


@pytest.mark.slow
@in_turn("config", [replace(VARIANTS[name], n_layers=2) for name in ("pre-norm-final-norm", "preset-bert-base")])
def test_a_proof_that_an_edit_spoils_says_so(config: EncoderConfig) -> None:
    encoder = tiny(config)
    parts = list(
        {step.part if step.layer is None else f"{step.layer}{step.part}": step for step in encoder.steps}.values()
    )
    spoiled = set()
    for step in encoder.steps:
        edit = Edit(step.name, "shift", value=1)
        trace = encoder.trace(SENTENCE, edits=[edit])
        for check in (check for part in parts for check in checks(encoder.model, trace, part)):
            assert check.edited in ("", sentence(edit, config))
            if check.edited:
                spoiled.add(step.name)
                assert check.difference > 1e-3 or "row sums" in check.what, (step.name, check)
            else:
                assert check.difference <= 1e-5, (step.name, check)
    assert "embedding.positions" not in spoiled  # what follows starts from the sum that was recorded
    assert {
        f"layers.1.{part}" for part in ("attention.scaled", "add_norm_1.mean", "feed_forward.activation")
    } <= spoiled


def shown_by(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a snippet prints."""
    exec(compile(text, "<snippet>", "exec"), {"__name__": "__main__"})
    return capsys.readouterr().out


def test_a_snippet_makes_the_edits(small: TextEncoder, capsys: pytest.CaptureFixture[str]) -> None:
    donor = small.trace("Cats on a chair talk to Tom.", hidden=(1,), edits=[Edit("layers.0.output", "mean")])
    edits = (
        Edit(AT + "heads", "zero", heads=(1,), positions=(0, 3)),
        Edit(AT + "masked", "replace", positions=(2,), heads=(0,), value=-2.5),
        Edit("layers.2.output", "patch", positions=(4,), value='He said "math.p[\n"""'),
        Edit("layers.2.output", "patch", positions=(5,), value=donor),
        Edit("layers.3.attention.masked", "replace", heads=(3,), positions=(1,), value=-math.inf),
    )
    trace = small.trace(SARA, hidden=(2,), edits=edits)
    for name, said in {AT + "heads": 1, AT + "concat": 0, "layers.2.output": 2, "layers.3.attention.masked": 1}.items():
        text = snippet(trace, trace.step(name), 1)
        assert text.count("\n# edited: ") == said, text
        assert f"t = enc.trace({SARA!r}, hidden=(2,), edits=edits)\n" in text
        assert text.startswith("import math\nimport torch\nfrom encoder import Edit, TextEncoder\n")
        on_screen = trace[name][1] if trace[name].dim() == 3 else trace[name]
        assert shown_by(text, capsys) == f"{on_screen}\n"
    text = snippet(small.trace(SARA, edits=edits[:1]), trace.step(AT + "heads"), 0)
    assert text.splitlines()[0] == "import torch"
    assert text.splitlines()[-2:] == [f'heads = t["{AT}heads"]', "print(heads[0])"]


def test_a_snippet_makes_the_other_model_too(small: TextEncoder, capsys: pytest.CaptureFixture[str]) -> None:
    config = replace(small.config, vocab_size=16_384, n_layers=1, mlm_head=False)
    donor = TextEncoder.from_config(config, seed=3).trace(SARA)
    trace = small.trace(SARA, edits=[Edit("layers.0.output", "patch", value=donor)])
    text = snippet(trace, trace.step("layers.0.output"), 0)
    assert "from encoder import Edit, EncoderConfig, TextEncoder\n" in text
    assert shown_by(text, capsys) == f"{trace['layers.0.output']}\n"


# What a change reaches


@in_turn("heads", [None, (1,), (0, 2)])
@in_turn("at", ["layers.0.attention.q", "layers.1.attention.weights"])
def test_a_change_reaches_the_steps_and_heads_whose_numbers_differ(at: str, heads: tuple[int, ...] | None) -> None:
    encoder, edit = tiny(replace(TINY, mlm_head=True)), Edit(at, "zero", heads=heads)
    before, after = encoder.trace(SENTENCE), encoder.trace(SENTENCE, edits=(edit,))
    for step in catalogue(encoder.config):
        parts = [None, *range(encoder.config.n_heads)] if "H" in step.shape else [None]
        for head in parts:
            picked = slice(None) if head is None else head
            differs = not torch.equal(before[step.name][picked], after[step.name][picked])
            reached = reaching((edit,), upstream(encoder.config, (step.name,), head))
            assert bool(reached) == differs, (step.name, head)

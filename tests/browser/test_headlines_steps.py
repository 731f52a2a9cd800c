"""The headlines of Embedding, Attention, Add & norm and Feed-forward, from the trace, of odd texts too."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pytest
import torch
from made_once import packet_of
from mounted import Mounted
from ordinals import nth
from playwright.sync_api import expect
from shared_models import pretrained

from encoder import PRESETS, TextEncoder, Trace
from encoder.support.formatting import percent

BY_DAY = (
    "A well-known co-worker - not I - left at 5 % of it.",
    "The [MASK] saw the other [MASK], and the dog saw the cat.",
    "...",
    "cat",
    "我喜欢吃苹果 and 😀 too",
    "def f(x): return x - 1 if x > -2 else [x, x]",
)
NIGHTLY = (
    "It was not good, it was not bad.",
    "[MASK] [MASK]",
    "naïve café, Zoë's résumé",
    "3.14159 -2.71828 1e-5",
    "to to to be be be",
    "“Quotes” and \u2018others\u2019",
    "העולם привет",
    "The dog and the cat ran to the [MASK] at night. " * 50,
)
SMALL = {"vocab_size": 16384, "max_positions": 512, "n_layers": 2, "d_model": 48, "n_heads": 3, "d_ff": 66}
CONFIGS = {
    "pre-norm": replace(PRESETS["pre-norm"], **SMALL),
    "modern": replace(PRESETS["modern"], **{**SMALL, "n_heads": 4}, window=3, global_every=2),
    "bert": replace(PRESETS["bert-base"], **SMALL),
}
OF_DAY = {"small": BY_DAY, "pre-norm": BY_DAY[1:2], "modern": BY_DAY[1:2]}
OF_NIGHT = {"small": NIGHTLY, "bert": BY_DAY[:2], "base": BY_DAY[:2]}
MINUS = "\u2212"
NUMBER = re.compile(rf"(?<![\w“]){MINUS}?\d[\d,]*(?:\.\d+)?(?:e[+{MINUS}]\d+)?")
Said = Callable[[TextEncoder, Trace, int, int, int], str]


@cache
def encoder_of(name: str) -> TextEncoder:
    return pretrained(name) if name not in CONFIGS else TextEncoder.from_config(CONFIGS[name], 5, name=name)


def named(trace: Trace, i: int) -> str:
    """How a sentence calls a token: which gap, a word in quotes, and which of several that look alike."""
    tokens, special = trace.tokens, trace.tokenization.special
    gap = tokens[i] == "[MASK]"
    name = "gap" if gap else tokens[i] if special[i] else f"“{tokens[i]}”"
    alike = [j for j, token in enumerate(tokens) if token.lower() == tokens[i].lower() and special[j] == special[i]]
    if sum(tokens[j] == tokens[i] for j in alike) > 1:
        name = f"the {nth(alike.index(i))} {name}"
    elif gap:
        name = "the gap"
    return name


def attention(encoder: TextEncoder, trace: Trace, layer: int, head: int, i: int) -> str:
    weights = trace[f"layers.{layer}.attention.weights"][head, i].double()
    most = int(weights.argmax())
    share = percent(float(weights[most]), 1).replace("over", ">").replace("under", "<")
    if most == i:
        return f"This head stays at {named(trace, i)} itself ({share})."
    return f"This head looks from {named(trace, i)} at {named(trace, most)} ({share})."


def add_norm(encoder: TextEncoder, trace: Trace, layer: int, head: int, i: int) -> str:
    added = trace[f"layers.{layer}.feed_forward.output"][i].double()
    whole = trace[f"layers.{layer}.add_norm_2.sum"][i].double()
    share = float(added @ whole / (whole @ whole))
    if share < 0:
        return f"Feed-forward pulled {named(trace, i)} back, by {percent(-share)} of the sum."
    return f"Feed-forward added {percent(share)} of the sum at {named(trace, i)}."


def feed_forward(encoder: TextEncoder, trace: Trace, layer: int, head: int, i: int) -> str:
    at, count, name = f"layers.{layer}.feed_forward.", f"{encoder.config.d_ff:,}", named(trace, i)
    if encoder.config.gated:
        after, gate, both = (trace[f"{at}{part}"][i].double() for part in ("activation", "up", "gated"))
        unit = int(both.abs().argmax())
        numbers = f"{float(after[unit]):.3g} times {float(gate[unit]):.3g} is {float(both[unit]):.3g}"
        return f"Of {count} units, unit {unit} does most for {name}: {numbers.replace('-', MINUS)}."
    values = trace[f"{at}activation"][i].double()
    firing, unit = int((values > 0).sum()), int(values.argmax())
    if firing == 0:
        return f"None of the {count} units fires for {name}."
    reached = f"{float(values[unit]):.3g}"
    if firing == 1:
        return f"Of {count} units unit {unit} alone fires for {name}: it reaches {reached}."
    return f"{firing:,} of {count} units fire for {name}."


def is_form(one: str, other: str) -> bool:
    """Whether two words share their beginning and differ in endings alone, a last letter twice before them."""
    same = next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    ending = re.compile(r"(|e|y|d|s|es|ed|ing|ies|ied|'s)")
    rests = [word[same + 1 :] if re.match(r"(.)\1.", word[same - 1 :]) else word[same:] for word in (one, other)]
    return same > 2 and all(ending.fullmatch(rest) for rest in rests)


def embedding(encoder: TextEncoder, trace: Trace, layer: int, head: int, i: int) -> str:
    table = encoder.model.embedding.tokens.weight.detach().double()
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    words = [w for w in range(encoder.tokenizer.get_vocab_size()) if encoder.tokenizer.id_to_token(w) not in special]
    near = torch.nn.functional.cosine_similarity(table, table[trace.ids[i]][None], dim=-1)
    others = [w for w in words if w != trace.ids[i]]
    pieces = {w for w in words if str(encoder.tokenizer.id_to_token(w)).startswith("##")}
    whole = others if trace.ids[i] in pieces else [w for w in others if w not in pieces]
    ranked = [whole[place] for place in near[whole].topk(10).indices.tolist()]
    random = f"{float(near[others].mean()):.2f}".replace("-", "\u2212")
    best, second = ranked[:2]
    word, cosine = f"“{encoder.tokenizer.id_to_token(best)}”", f"{float(near[best]):.2f}"
    chance = (2 * torch.tensor(len(words) - 1.0).double().log() / table.shape[1]).sqrt().clamp(max=1)
    name = named(trace, i)
    if trace.tokens[i] == "[MASK]":
        return f"{name[0].upper()}{name[1:]} starts as one row of numbers, the same for every gap: that of [MASK]."
    called = [encoder.tokenizer.id_to_token(w) for w in ranked]
    count = next((k for k, one in enumerate(called) if not is_form(trace.tokens[i], one)), 0)
    if float(near[best]) > 1.25 * float(chance) and count:
        forms = " and ".join(", ".join(f"“{one}”" for one in called[:count]).rsplit(", ", 1))
        then = f"“{called[count]}”: cosine {float(near[ranked[count]]):.2f}, where a random word has {random}."
        return f"On its own, {name} is most like its own form{'s' * (count > 1)} {forms}, then {then}"
    if float(near[best]) > 1.25 * float(chance) and float(near[best] - near[second]) < 0.02:
        other = f"“{encoder.tokenizer.id_to_token(second)}” ({float(near[second]):.2f})"
        both = f"{word} ({cosine}) and {other}"
        return f"On its own, {name} is most like {both} to this model; a random word has {random}."
    if float(near[best]) > 1.25 * float(chance):
        return (
            f"On its own, {name} is most like {word} to this model: cosine {cosine}, where a random word has {random}."
        )
    by_chance = f"by chance it would be {float(chance):.2f}"
    return f"On its own, {name} is like no word to this model (closest: {word}, {cosine}; {by_chance})."


PAGES: dict[str, tuple[Said, dict[str, object]]] = {
    "embedding": (embedding, {"step": "embedding.tokens"}),
    "attention": (attention, {}),
    "add_norm": (add_norm, {"step": "add_norm_2.output"}),
    "feed_forward": (feed_forward, {}),
}


def alike(shown: str, true: str) -> bool:
    """Whether two sentences have the same words, and the same numbers but for one unit of their last digit."""
    if NUMBER.sub("#", shown) != NUMBER.sub("#", true):
        return False
    for one, other in zip(NUMBER.findall(shown), NUMBER.findall(true), strict=True):
        a, b = (float(text.replace(MINUS, "-").replace(",", "")) for text in (one, other))
        places = len(other.partition(".")[2].partition("e")[0])
        unit = 0.0 if abs(b) >= 100 and not places else 1.01 * 10.0**-places
        if abs(a - b) > max(unit, 1e-3 * abs(b)):
            return False
    return True


CASES = [
    *((model, text) for model, texts in OF_DAY.items() for text in texts),
    *(pytest.param(*each, marks=pytest.mark.nightly) for each in ((m, t) for m in OF_NIGHT for t in OF_NIGHT[m])),
]


@pytest.mark.parametrize(("model", "text"), CASES, ids=lambda one: one[:20])
def test_every_headline_is_what_the_run_says(mounted: Mounted, model: str, text: str) -> None:
    encoder = encoder_of(model)
    trace = encoder.trace(text)
    packet = partial(packet_of, encoder, trace, off=False)
    last = encoder.config.n_layers - 1
    gap = next((i for i, token in enumerate(trace.tokens) if token == "[MASK]"), 0)
    # In a long run the rows around the gap, or the first ones, are there.
    marks = trace.tokenization.special
    starts = [i for i, *_ in trace.tokenization.words if not marks[i] or trace.tokens[i] == "[MASK]"]
    held = [i for i in starts if abs(i - gap) < 60]
    assert held, "a text of the list has a word"
    for name, (said, more) in PAGES.items():
        for k, i in enumerate(dict.fromkeys((held[0], held[len(held) // 2], gap if gap else held[-1]))):
            layer, head = (last, 0) if k % 2 else (0, encoder.config.n_heads - 1)
            at = {"sentence": text, "layer": layer, "head": head, "word": i, **more}
            page = mounted(name, packet, first=at)
            title = page.get_by_role("heading", level=1)
            expect(title).not_to_have_text(re.compile(r"\?$"))  # it is no finding yet
            shown = re.sub("[\u2068\u2069]", "", title.text_content() or "").strip().replace("\u00a0", " ")
            true = said(encoder, trace, layer, head, i)
            assert alike(shown, true), (name, layer, head, i, shown, true)


@pytest.mark.parametrize("name", [*PAGES, "start", "what_if", "output", "heads", "compare"])
def test_the_hyphens_of_words_stay_hyphens(mounted: Mounted, name: str) -> None:
    """Numbers are set with a minus, and the words beside them as they were typed."""
    encoder = encoder_of("small")
    trace = encoder.trace("A well-known co-worker [MASK] - and left.")
    packet = partial(packet_of, encoder, trace)
    hyphen = trace.tokens.index("-")
    page = mounted(name, packet, first={"sentence": trace.inputs, "layer": 0, "head": 0, "word": hyphen})
    expect(page.get_by_role("heading", level=1)).not_to_be_empty()
    said = page.evaluate("""() => [...document.querySelectorAll('.enc *')].flatMap(one => [
      ...[...one.childNodes].filter(node => node.nodeType === 3).map(node => node.data),
      ...['aria-label', 'aria-valuetext', 'title'].map(kind => one.getAttribute(kind) ?? '')])""")
    assert not [text for text in said if re.search(rf"\w{MINUS}\w|“{MINUS}”", text)]
    assert any("-" in text for text in said)

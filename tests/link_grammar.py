"""A grammar of links: every parameter, page and shape of a model, and how they may come together.

Names come from the app's own tables, so that a new parameter, page or choice is tried without a word here; the values
are made up, mostly near what fits, so that they come far into a page. Nothing long begins by itself in tiny models.
"""

import ast
from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any
from urllib.parse import quote

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from nasty import NUMBERS, any_text, texts
from tiers import share_of
from tiny import tiny_model, tiny_tokenizer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from encoder import EncoderConfig, checkpoint
from encoder.edits.edit import VALUES
from encoder.model.config import CHOICES
from encoder.model.steps.catalogue import step_names
from encoder.pictures.link import FIELDS
from pages.ui.state.choice_names import names
from pages.ui.state.site import PAGES

ROOT = Path(__file__).parents[1] / "pages"
STEPS, KEYS = sorted(step_names()), [page.key for page in PAGES]
SMALLEST = EncoderConfig(vocab_size=5, d_model=2, n_heads=1, n_layers=1, d_ff=1, max_positions=2)
# Folders of models as small as they can be: name -> shape. The first two have no special tokens: a text may be one
# token or none.
SHAPES = {
    "two-words": SMALLEST,
    "three-words": replace(SMALLEST, max_positions=3, positions="learned", mlm_head=True, n_heads=2, n_layers=2),
    "two-positions": replace(SMALLEST, vocab_size=53, positions="learned", n_heads=2),
    "three-positions": replace(SMALLEST, vocab_size=53, max_positions=3, mlm_head=True, n_segments=2),
    "one-layer": replace(SMALLEST, vocab_size=53, max_positions=40, mlm_head=True, norm_first=True, final_norm=True),
    "narrow": replace(
        SMALLEST,
        vocab_size=53,
        d_model=4,
        embedding_size=2,
        n_layers=3,
        d_ff=3,
        max_positions=9,
        shared_layers=True,
        mlm_head=True,
        embedding_norm=True,
        positions="none",
        norm="std_norm",
    ),
}


def two_words() -> Tokenizer:
    """Reads "w1", and everything else as the other word."""
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "w1": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    return tokenizer


def make_models(root: Path) -> None:
    """Write the folders that links may name."""
    for name, config in SHAPES.items():
        tokenizer = two_words() if config.vocab_size == 5 else tiny_tokenizer()
        checkpoint.save(tiny_model(config), tokenizer, root / name)


@cache
def quoted() -> list[str]:
    """Texts that stand in the pages' source: what can be chosen is among them."""
    found = {
        node.value
        for file in (*ROOT.rglob("*.py"), *(ROOT.parent / "encoder").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and 0 < len(node.value) <= 36
    }
    return sorted(found)


whole = st.one_of(st.integers(-1, 8), st.integers(-600, 600), st.integers()).map(str)
real = st.one_of(st.sampled_from(["0", "-0", "1e-38", "-inf"]), st.floats(width=32).map("{:.6g}".format), whole)
word = st.one_of(
    st.integers(0, 47).map("w{}".format),
    st.sampled_from(["[MASK]", "[UNK]", "light", "it", "sea"]),
    st.text(ascii_lowercase, min_size=1, max_size=9),
)
sentence = st.one_of(st.lists(word, max_size=12).map(" ".join), st.lists(word, max_size=3).map(" ".join), any_text)
places = st.lists(whole, max_size=5).map(",".join)
runs = st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True).map(lambda at: ",".join(map(str, sorted(at))))
step = st.one_of(st.sampled_from(STEPS), st.text(ascii_lowercase + "._", max_size=20))


@st.composite
def full_steps(draw: st.DrawFn) -> str:
    """A step's full name, mostly one that a model of few layers has."""
    local, layer = draw(st.sampled_from(STEPS)), draw(st.integers(0, 3))
    outside = local.startswith(("embedding", "mlm", "classifier", "final_norm", "ids")) or (
        local == "output" and draw(st.booleans())
    )
    return local if outside else f"layers.{layer}.{local}"


@st.composite
def edit(draw: st.DrawFn) -> str:
    """A change of the run with what belongs to it, or nearly so."""
    action = draw(st.sampled_from([*VALUES]))
    value = {"scale": real, "replace": real, "noise": whole, "shuffle": whole, "shift": whole}.get(action, st.just(""))
    if action == "patch":
        value = sentence.map(lambda text: quote(text.encode("utf-8", "replace"), safe=""))
    said = [draw(full_steps()), action, *(f"v={one}" for one in [draw(value)] if one)]
    said += [f"h={draw(runs)}"] if draw(st.integers(0, 3)) == 0 else []
    said += [f"p={draw(runs)}"] if draw(st.integers(0, 3)) == 0 else []
    return ":".join(said)


dials = st.one_of(
    real.map("layers.0.attention.scaled:scale:v={}".format), whole.map("embedding.positions:shift:v={}".format)
)
edits = st.lists(st.one_of(edit(), dials), max_size=3).map(";".join)
cell = st.builds("{}:{}".format, full_steps(), places)
KINDS = {name: st.sampled_from(allowed) for name, allowed in CHOICES.items()}
SWITCHES = {field.name: st.sampled_from(["true", "false"]) for field in fields(EncoderConfig) if field.type is bool}


@st.composite
def shape(draw: st.DrawFn) -> str:
    """A model of any shape that is quickly made: the vocabulary is that of the bundled tokenizer, the rest small."""
    heads = draw(st.integers(1, 4))
    said = {
        "vocab_size": 16384,
        "n_heads": heads,
        "d_model": heads * 2 * draw(st.integers(1, 4)),
        "n_layers": draw(st.integers(1, 3)),
        "d_ff": draw(st.integers(1, 9)),
        "max_positions": draw(st.integers(2, 24)),
    }
    odd = draw(st.fixed_dictionaries({}, optional=KINDS | SWITCHES))
    if draw(st.integers(0, 9)) == 0:
        odd |= {name: draw(whole) for name in draw(st.lists(st.sampled_from(sorted(said)), max_size=2))}
    return "built:" + ",".join(f"{name}={value}" for name, value in (said | odd).items())


model = st.one_of(
    st.sampled_from([f"folder:{name}" for name in SHAPES]),
    st.sampled_from(["base", "small", "folder:none"]),
    shape(),
    any_text,
)
# What a link may say in spite, of each of its parameters

PLACES = st.one_of(whole, st.sampled_from(NUMBERS), texts)
EDITS = st.one_of(
    edits,
    texts,
    st.builds(
        "{}:{}:v={}:h={}:p={}".format,
        st.one_of(full_steps(), texts),
        st.sampled_from([*VALUES, "x"]),
        PLACES,
        PLACES,
        PLACES,
    ),
)
CELL = st.one_of(cell, texts, st.builds("{}:{}".format, full_steps(), st.lists(PLACES, max_size=5).map(",".join)))
SHAPE = st.lists(
    st.builds(
        "{}={}".format,
        st.one_of(st.sampled_from(["n_layers", "d_model", "n_heads", "norm", "seed", "mask_value", "norm_eps"]), texts),
        st.one_of(PLACES, st.sampled_from(["true", "null", "relu", "-inf", "std_norm"])),
    ),
    max_size=5,
).map(",".join)
MODEL = st.one_of(model, texts, SHAPE.map("built:{}".format), texts.map("folder:{}".format))
choice = st.one_of(st.integers(-1, 6).map(str), places, st.sampled_from(quoted()), sentence, real)
VALUES_OF = {
    "sentence": st.one_of(sentence, texts),
    "other": sentence,
    "second": sentence,
    "model": model,
    "other_model": model,
    "layer": PLACES,
    "head": PLACES,
    "at": whole,
    "step": step,
    "hidden": st.one_of(places, texts),
    "cell": CELL,
    "edits": EDITS,
    "lesson": st.one_of(st.sampled_from(sorted(file.stem for file in ROOT.glob("lessons/*.toml"))), any_text),
}
assert VALUES_OF.keys() == FIELDS, "a part of the view that the grammar does not know"


@st.composite
def links(draw: st.DrawFn) -> tuple[str, dict[str, str]]:
    """A page, and the parameters that it is opened with."""
    some = draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=7, unique=True))
    chosen = draw(st.lists(st.sampled_from(sorted(names())), max_size=5, unique=True))
    query = {name: draw(VALUES_OF[name]) for name in some} | {name: draw(choice) for name in chosen}
    if "model" not in query and draw(st.integers(0, 2)):
        query["model"] = draw(model)
    if draw(st.integers(0, 19)) == 0:
        query |= {draw(any_text): draw(any_text)}
    return draw(st.sampled_from(KEYS)), {as_sent(name): as_sent(text) for name, text in query.items()}


def as_sent(text: str) -> str:
    """A text as a browser sends it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def cases(count: int, shrink: bool = True) -> Callable[[Any], Any]:
    """So many generated cases, the same in every run; without `shrink` the first that fails is reported as it is."""
    return settings(
        max_examples=share_of(count),
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        phases=[phase for phase in Phase if shrink or phase is not Phase.shrink],
    )

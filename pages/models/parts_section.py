"""What a model is: its parameters as areas, and a table of them and of the operations of this run, part by part."""

from collections import Counter
from collections.abc import Iterable

from encoder.checkpoint.text_encoder import TextEncoder
from encoder.explain.cost import Area, kind_of, operations
from encoder.model.config import EncoderConfig
from encoder.model.steps.catalogue import by_name
from encoder.pictures.figures.areas import KINDS, colour_of, layer_names, rectangles
from encoder.pictures.picture import Answer
from encoder.support.formatting import percent
from pages.ui.component import component
from pages.ui.state import session_state as state

# kind -> what it is called, and the page of it
TITLES = {
    "embedding": ("Embedding", "embedding"),
    "attention": ("Attention", "attention"),
    "feed-forward": ("Feed-forward", "feed_forward"),
    "add & norm": ("Add & norm", "add_norm"),
    "guess": ("Guess", "output"),
    "labels": ("Labels", "output"),
    "sentence vector": ("Sentence vector", "output"),
}
STRONG = 0.5  # blues on which the page's own colour can be read
FEWEST = 100_000  # operations from which they are counted in millions

_component = component(__file__, "model_parts", "<div class='parts'></div>")


def draw(answer: Answer, encoder: TextEncoder, n: int) -> None:
    """Draw the areas of an answer, and the table for a run of n tokens."""
    parts: list[Area] = answer.chart.look["areas"]
    config, spent = encoder.config, operations(encoder.config, n)
    counts = counted(parts)
    kinds = [kind for kind in KINDS if counts[kind] or spent[kind]]
    boxes = rectangles(parts)
    whole, every = counts.total(), sum(spent.values())
    _component(
        key="model_parts",
        on_open_change=lambda: open_part(kinds, config),
        data={
            "kinds": [
                {
                    "title": TITLES[kind][0],
                    "count": number_of(kind, config),
                    "colour": f"light-dark({colour_of(kind, 'light')}, {colour_of(kind, 'dark')})",
                    "strong": KINDS[kind] > STRONG,
                    "parameters": f"{counts[kind]:,}",
                    "share": in_percent(counts[kind] / whole),
                    "part": counts[kind] / whole,
                    "operations": in_millions(spent[kind], every),
                    "spent": in_percent(spent[kind] / every),
                    "spends": spent[kind] / every,
                }
                for kind in kinds
            ],
            "boxes": [
                box._asdict()
                | {
                    "kind": kinds.index(area.kind),
                    "layer": area.layer,
                    "head": area.head,
                    "says": f"{area.name.replace('.', ', ').replace('_', ' ')}: {area.parameters:,} parameters, "
                    f"{percent(area.parameters / whole)}",
                    "label": "" if area.layer else TITLES[area.kind][0],
                    "about": shape(area, encoder),
                }
                for area, box in zip(parts, boxes, strict=True)
            ],
            "names": layer_names(parts, boxes),
            "alt": answer.alt,
            "all": {"parameters": f"{whole:,}", "operations": in_millions(every, every)},
        },
    )


def counted(parts: Iterable[Area]) -> Counter[str]:
    """The parameters of every kind of part."""
    counts = Counter[str]()
    for area in parts:
        counts[area.kind] += area.parameters
    return counts


def headline(answer: Answer, config: EncoderConfig, n: int) -> str:
    """A part that takes much more, or much less, of the operations than of the parameters, and why."""
    counts, spent = counted(answer.chart.look["areas"]), operations(config, n)
    held, taken = ({kind: of[kind] / sum(of.values()) for kind in KINDS} for of in (counts, spent))
    if taken["guess"] > held["guess"]:
        kind, does = "guess", "Guessing words"
        why = f"it scores all {config.vocab_size:,} tokens, with the embedding's numbers"
    else:
        kind, does = "embedding", "The embedding"
        why = f"a sentence of {n} tokens looks up {n} of its {config.vocab_size:,} rows"
    first, then = (in_percent(of[kind]) for of in (held, taken))
    return f"{does} takes :blue[{first}] of this model's parameters but :blue[{then}] of its operations: {why}."


def shape(area: Area, encoder: TextEncoder) -> str:
    """The sides of a table of the embedding; nothing of anything else."""
    if area.kind != "embedding":
        return ""
    weight = next(weight for name, weight in encoder.model.named_parameters() if name.startswith(area.name))
    return " × ".join(f"{side:,}" for side in weight.shape)


def in_percent(share: float) -> str:
    """A share in whole percents."""
    return percent(share, 1).replace("under", "<") if share else "0 %"


def number_of(kind: str, config: EncoderConfig) -> str:
    """How many there are of a kind of part in a run."""
    heads = config.n_layers * config.n_heads
    norms = sum(name.endswith(".normalized") and kind_of(name) == "add & norm" for name in by_name(config))
    counts = {"attention": f"{heads:,} head{'s' * (heads > 1)}", "feed-forward": config.n_layers, "add & norm": norms}
    return str(counts.get(kind, ""))


def in_millions(count: int, whole: int) -> str:
    """A number of operations, in millions where the whole has many of them."""
    if whole < FEWEST:
        return f"{count:,}"
    return f"{count / 1e6:,.1f} M" if count >= FEWEST / 2 or not count else "< 0.1 M"


def open_part(kinds: list[str], config: EncoderConfig) -> None:
    """Go to the page of the part that was clicked, at its layer and head; a browser may say anything."""
    picked = state.picked("model_parts", "open")
    asked = dict(picked) if isinstance(picked, dict) else {}
    kind = asked.get("kind")
    if type(kind) is not int or not 0 <= kind < len(kinds):
        return
    for name, count in (("layer", config.n_layers), ("head", config.n_heads)):
        if type(number := asked.get(name)) is int and 0 <= number < count:
            state.change(**{name: number})
    state.session().go_to = TITLES[kinds[kind]][1]

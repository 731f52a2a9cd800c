"""A slim map of the encoder, from the catalogue: its blocks in the order of computation, and where we are."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from encoder.model.config import EncoderConfig
from pages.ui.component import component
from pages.ui.state import session_state as state
from pages.ui.state.site import Page
from pages.ui.state.walk import OF_WORDS, Stop, current, go, stops

# What a block is called by the part of the catalogue it comes from; the blocks of a layer's norms say what they do.
NAMES = {
    "sentence": "Tokens",
    "embedding": "Embedding",
    "position": "Position",
    "embedding_norm": "Norm",
    "attention": "Attention",
    "feed_forward": "Feed-forward",
    "final_norm": "Final norm",
    "output": "Output",
    "mlm": "Guess of words",
}
NORM = ("mean", "variance", "mean_square", "normalized")
_component = component(__file__, "encoder_map", "<nav class='encoder' aria-label='Map of the encoder'></nav>")


@dataclass(frozen=True)
class Block:
    """One name of the map, the stops of the walk in it, and whether it stands in a layer."""

    name: str
    stops: tuple[Stop, ...]

    @property
    def in_layer(self) -> bool:
        """Whether every layer has one of these."""
        return self.stops[0].layer is not None

    @property
    def opens(self) -> Stop:
        """Where a click leads: the step that its page opens on, or the block's first."""
        return next((stop for stop in self.stops if stop.step == stop.page.opens_on), self.stops[0])


def part(stop: Stop) -> str:
    """The block a stop belongs to; an empty name for those that stand in none."""
    first, _, last = stop.step.partition(".")
    if stop.layer is not None:
        return first if last and last != "residual" else ""
    if first == "embedding" and last in NORM:
        return "embedding_norm"
    if first == "distances" or (first == "embedding" and stop.step not in OF_WORDS):
        return "position"
    known = stop.page.key if stop.page.key in NAMES else first
    return known if known in NAMES else ""


@lru_cache(maxsize=32)
def blocks(config: EncoderConfig, layer: int) -> tuple[Block, ...]:
    """The boxes of the map, from the tokens to the end, with the steps of one layer in the middle."""
    found: list[Block] = []
    for name, group in groupby((s for s in stops(config) if s.layer in (None, layer)), part):
        steps = tuple(group)
        if not name:
            continue
        does = {stop.step.rpartition(".")[2] for stop in steps}
        if name == "position" and found[-1].name == NAMES["embedding_norm"]:  # what that norm hands on
            found[-1] = Block(found[-1].name, found[-1].stops + steps)
            continue
        words = [word for step, word in (("sum", "Add"), ("normalized", "norm")) if step in does]
        title = NAMES.get(name) or " & ".join(words).capitalize() or "No norm"
        found.append(Block(title, steps))
    return tuple(found)


def draw(page: Page, config: EncoderConfig) -> None:
    """Draw the map in the sidebar; a click, or Enter, leads to a block's page."""
    layer = state.current().layer
    boxes, here = blocks(config, layer), current(page, config) if page.walk else None

    def picked() -> None:
        said = state.picked("encoder_map")
        if isinstance(said, int) and type(said) is int and 0 <= said < len(boxes):
            go(boxes[said].opens)

    _component(
        key="encoder_map",
        on_picked_change=picked,
        data={
            "names": [box.name for box in boxes],
            "inside": [box.in_layer for box in boxes],
            "here": next((i for i, box in enumerate(boxes) if here in box.stops), -1),
            "layer": f"layer {layer} of 0–{config.n_layers - 1}" if config.n_layers > 1 else "the only layer",
        },
    )

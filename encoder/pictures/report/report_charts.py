"""The charts of a run that no page of a living file draws, as SVG."""

import html
from collections.abc import Iterator

from encoder.browser.page_table import PAGES
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.pictures.picture import Picture
from encoder.pictures.picture_files import IN_BROWSER, drawing_of
from encoder.pictures.registry import pictures
from encoder.pictures.scene import Scene
from encoder.pictures.view import View
from encoder.support.errors import EncoderError
from encoder.support.progress import Hear
from encoder.trace.trace import Trace

STYLE = """<style>
.charts { box-sizing: border-box; max-width: 60rem; margin: 0 auto; padding: 8px 24px 40px;
  color-scheme: light; color: #1a1f29; background: #fff; font: 15px/1.5 system-ui, sans-serif; }
.charts figure { margin: 0; } .charts svg { max-width: 100%; height: auto; }
.charts figcaption { font-size: 13px; overflow-wrap: anywhere; }
.charts table { display: block; max-height: 20rem; overflow: auto; font-size: 13px; }
.charts td { padding: 0 .5rem; text-align: right; white-space: nowrap; }
</style>"""


def of_run() -> list[Picture]:
    """Return the pictures of one run that belong to a page of a living file, which does not draw them."""
    own = (each for each in pictures().values() if each.needs == "run" and each.key not in IN_BROWSER)
    return [each for each in own if not each.heavy and each.page in PAGES]


def charts(encoder: TextEncoder, trace: Trace, place: tuple[int, int], hear: Hear) -> str:
    """Return the charts of a run as HTML, each with its caption, finding and numbers.

    Args:
        encoder: the model that made the trace.
        trace: a run.
        place: the layer and the head of those that are of one.
        hear: told how many are drawn, and of how many.
    """
    markup = "".join(sections(encoder, trace, place, hear))
    return f"{STYLE}<section class='charts'><h2>Charts of this run</h2>{markup}</section>"


def sections(encoder: TextEncoder, trace: Trace, place: tuple[int, int], hear: Hear) -> Iterator[str]:
    """Give each chart under its question; one that this run has no numbers for, or no sheet has room for, is absent."""
    sentence, second = trace.inputs if isinstance(trace.inputs, tuple) else (trace.inputs, "")
    scene = Scene(View(sentence=sentence, second=second, layer=place[0], head=place[1]), encoder, trace)
    every = of_run()
    for done, each in enumerate(every):
        hear(done, len(every))
        try:
            drawing = drawing_of(each.of(scene))
        except EncoderError:
            continue
        yield f"<h3>{html.escape(each.question)}</h3>{drawing}"
    hear(len(every), len(every))

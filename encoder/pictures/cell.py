"""A picture as the last line of a notebook's cell: living where the browser draws it, else as SVG."""

from encoder.browser.cell import LivingCell, drawn
from encoder.browser.held import held
from encoder.browser.living import PAGES, written
from encoder.pictures.page import page_of
from encoder.pictures.picture import Answer

IN_BROWSER = (  # the pictures that the browser's pages show
    *("all_heads", "alike_places", "arcs", "beside_change", "guess_changed", "lengths", "lens", "moves", "near_words"),
    *("layer_step", "norm_sides", "picture", "terms", "units_on_curve", "words_moved"),
)
CALLED = {"sentence": "start"}  # pages that the browser calls otherwise
ABOVE = ("numbers", "number", "cell")  # choices that only a server can show


def cell_of(answer: Answer) -> LivingCell:
    """Return what a notebook shows of a picture: the page of its run with what it shows chosen, or it as SVG.

    Raises:
        EncoderError: it is too large for a sheet of paper, or its run cannot be told.
    """
    scene, page = answer.scene, CALLED.get(answer.picture.page, answer.picture.page)
    words = f"<p dir='auto'>{written(answer.caption)}</p>"
    if answer.picture.key not in IN_BROWSER or page not in PAGES or scene.run is None or scene.other:
        return LivingCell(page_of(answer), answer.alt, words)
    runs = [(scene.encoder, scene.run)]
    query = {name: text for name, text in answer.query.items() if name not in ABOVE}
    packets = held(runs, page=page, layer=scene.view.layer)
    return LivingCell(drawn(packets, page, query, kept=True).file, answer.alt, words)

"""A head of an atlas as the last line of a notebook's cell: the sentence that it answers most surely, and a table."""

from collections.abc import Sequence

from encoder.atlas.atlas_reader import AtlasHead, Firing
from encoder.browser.cell import LivingCell, drawn, short, table_html
from encoder.browser.held import held
from encoder.browser.living import written
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent
from encoder.trace.tokens import Text

COLUMNS = ("token", "looks at", "weight", "length of what is written", "sentence")


def html_of(head: AtlasHead) -> str:
    """Return what a notebook shows of a head: the run of its first context, and a row for each of the strongest."""
    firings = head.atlas.head_firings(head["layer"], head["head"], "weight", "top")
    try:
        return living(head, firings)._repr_html_()
    except EncoderError:  # the model is elsewhere: what the atlas says is told all the same
        return table(head, firings)


def living(head: AtlasHead, firings: Sequence[Firing]) -> LivingCell:
    """Return the page Start of the sentence in which a head gives most weight to one token, with the head chosen.

    Raises:
        EncoderError: the model of the atlas is not at hand, or the head has no context.
    """
    card = head.atlas.card
    encoder = TextEncoder.from_pretrained(card.model)
    if encoder.source.sha256 != card.model_sha256:
        raise EncoderError(f"{card.model} is not the model of the atlas")
    if not firings:
        raise EncoderError("the atlas has no context of this head")
    first = firings[0]
    trace = encoder.trace(head.atlas.texts([first.sentence])[first.sentence])
    query = {"layer": str(head["layer"]), "head": str(head["head"]), "word": str(first.position)}
    packets = held([(encoder, trace)], layer=head["layer"])
    page = drawn(packets, "start", query)
    return LivingCell(page.file, f"{called(head)}. {page.title}", table(head, firings))


def called(head: AtlasHead) -> str:
    """Return what a head is called, of which model and over which text."""
    card = head.atlas.card
    return f"Layer {head['layer']}, head {head['head']} of {short(card.model)} over {card.scope}"


def table(head: AtlasHead, firings: Sequence[Firing]) -> str:
    """Return a row for each context as HTML, below what the head does over the whole text."""
    mass, even = (percent(head[f"nearest_{name}"]) for name in ("mass", "uniform"))
    share = percent(head["firings"] / max(1, head.atlas.card.tokens))
    sentence = (
        f"{called(head)}. Where it looks most: {head['nearest']}, {mass} of its weight; even weights would "
        f"give {even}. It puts more than half of its weight on one token at {share} of the tokens."
    )
    texts = head.atlas.texts(sorted({firing.sentence for firing in firings}))
    rows = (
        (
            firing.token,
            firing.token_looked_at,
            f"{firing.weight:.4f}",
            f"{firing.written:.4f}",
            line(texts[firing.sentence]),
        )
        for firing in firings
    )
    return f"<p dir='auto'>{written(sentence)}</p>{table_html('The contexts with the largest weights', COLUMNS, rows)}"


def line(text: Text) -> str:
    """Return a sentence, or both of a pair, in a line."""
    return short(text if isinstance(text, str) else " / ".join(text))

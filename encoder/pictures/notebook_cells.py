"""An examination, and a head of an atlas, as the last line of a notebook's cell: a table, and a page above it.

The page is there where the model is at hand: Heads of an examination, and of a head of an atlas Start with the sentence
that it answers most surely.
"""

from collections.abc import Sequence

from encoder.atlas.atlas_reader import AtlasHead, Firing
from encoder.browser.cell import LivingCell, drawn, short, table_html
from encoder.browser.held import held
from encoder.browser.living import written
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.exam_sentences import relation_rows, scope
from encoder.exam.examination import Exam, exam_by_content
from encoder.packet.heads_level import level_6
from encoder.packet.shipped import SENTENCES
from encoder.support.errors import EncoderError
from encoder.support.formatting import percent
from encoder.trace.tokens import Text

COLUMNS = ("token", "looks at", "weight", "length of what is written", "sentence")


def html_of_exam(exam: Exam) -> str:
    """Return what a notebook shows of an examination: heads with their jobs, and a row for each relation."""
    try:
        return living_exam(exam)._repr_html_()
    except EncoderError:  # the model is elsewhere: what was found of it is told all the same
        return table_of_relations(exam)


def living_exam(exam: Exam) -> LivingCell:
    """Return the page Heads of the examined model, on a bundled sentence.

    Raises:
        EncoderError: the model is not at hand, or another examination is shipped of it.
    """
    encoder = TextEncoder.from_pretrained(exam.model)
    if encoder.source.fingerprint != exam.fingerprint or exam_by_content(exam.fingerprint) not in (None, exam):
        raise EncoderError(f"{exam.model} is not the model that was examined")
    levels = {6: lambda encoder, trace, layer: level_6(encoder, trace, exam=exam)}
    packets = held([(encoder, encoder.trace(SENTENCES[0]))], page="heads", levels=levels)
    page = drawn(packets, "heads", {})
    return LivingCell(page.file, f"The heads of {short(exam.model)}. {scope(exam)}", table_of_relations(exam))


def table_of_relations(exam: Exam) -> str:
    """Return a row for each relation as HTML: its best head, the rule beside it, the verdict."""
    rows = relation_rows(exam)
    caption = f"{short(exam.model)}: {scope(exam)} Shares are in percent."
    return table_html(
        caption, [*rows[0]] if rows else [], ([cell_text(value) for value in row.values()] for row in rows)
    )


def cell_text(value: str | float | None) -> str:
    """Return a value as a table has it."""
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)


def html_of_head(head: AtlasHead) -> str:
    """Return what a notebook shows of a head: the run of its first context, and a row for each of the strongest."""
    firings = head.atlas.head_firings(head["layer"], head["head"], "weight", "top")
    try:
        return living_head(head, firings)._repr_html_()
    except EncoderError:  # the model is elsewhere: what the atlas says is told all the same
        return table_of_contexts(head, firings)


def living_head(head: AtlasHead, firings: Sequence[Firing]) -> LivingCell:
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
    return LivingCell(page.file, f"{called(head)}. {page.title}", table_of_contexts(head, firings))


def called(head: AtlasHead) -> str:
    """Return what a head is called, of which model and over which text."""
    card = head.atlas.card
    return f"Head {head['head']} of layer {head['layer']} of {short(card.model)} over {card.scope}"


def table_of_contexts(head: AtlasHead, firings: Sequence[Firing]) -> str:
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

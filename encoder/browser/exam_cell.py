"""An examination as the last line of a notebook's cell: the page Heads where its model is at hand, and a table."""

from encoder.browser.cell import LivingCell, drawn, short, table_html
from encoder.browser.held import held
from encoder.checkpoint.text_encoder import TextEncoder
from encoder.exam.exam_sentences import relation_rows, scope
from encoder.exam.examination import Exam, exam_by_content
from encoder.packet.heads_level import level_6
from encoder.packet.levels import MORE
from encoder.packet.shipped import SENTENCES
from encoder.support.errors import EncoderError


def html_of(exam: Exam) -> str:
    """Return what a notebook shows of an examination: heads with their jobs, and a row for each relation."""
    try:
        return living(exam)._repr_html_()
    except EncoderError:  # the model is elsewhere: what was found of it is told all the same
        return table(exam)


def living(exam: Exam) -> LivingCell:
    """Return the page Heads of the examined model, on a bundled sentence.

    Raises:
        EncoderError: the model is not at hand, or another examination is shipped of it.
    """
    encoder = TextEncoder.from_pretrained(exam.model)
    if encoder.source.fingerprint != exam.fingerprint or exam_by_content(exam.fingerprint) not in (None, exam):
        raise EncoderError(f"{exam.model} is not the model that was examined")
    levels = MORE | {6: lambda encoder, trace, layer: level_6(encoder, trace, exam=exam)}
    packets = held([(encoder, encoder.trace(SENTENCES[0]))], page="heads", levels=levels)
    page = drawn(packets, "heads", {})
    return LivingCell(page.file, f"The heads of {short(exam.model)}. {scope(exam)}", table(exam))


def table(exam: Exam) -> str:
    """Return a row for each relation as HTML: its best head, the rule beside it, the verdict."""
    rows = relation_rows(exam)
    caption = f"{short(exam.model)}: {scope(exam)} Shares are in percent."
    return table_html(
        caption, [*rows[0]] if rows else [], ([cell_text(value) for value in row.values()] for row in rows)
    )


def cell_text(value: str | float | None) -> str:
    """Return a value as a table has it."""
    return "" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)

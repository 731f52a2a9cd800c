"""A whole run as a file: all its numbers for numpy, a layer as tables, or a report to read offline."""

from collections.abc import Callable
from typing import BinaryIO

from encoder import TextEncoder, Trace
from encoder.edits.text import edits_to_text
from encoder.pictures.ask import text_of
from encoder.pictures.export import layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import file_name
from encoder.pictures.link import from_query
from encoder.pictures.report.report import megabytes, plan, report
from encoder.pictures.steps import KNOWN_STEPS
from encoder.support.errors import EncoderError
from pages.front import make
from pages.front.asked import AskedFile
from pages.front.file import File
from pages.front.packets import compress
from pages.front.refused import RefusedError
from pages.ui.server import engine, job_queue
from pages.ui.server.pool import borrowing
from pages.ui.server.writing import MOST_BYTES, MOST_REPORT, written

TYPES = {"npz": "application/octet-stream", "zip": "application/zip", "html": "text/html; charset=utf-8"}


def file(asked: AskedFile) -> File:
    """Make it; the layer is the one that the query names, or the first.

    Raises:
        RefusedError: there is no such model or layer here, the file is too large, or the server has no room now.
    """
    with borrowing():
        view, notes = from_query(dict(asked.query), lambda model: None, KNOWN_STEPS, ())
        encoder = make.opened(view.model)
        try:
            pieces = encoder.tokenize(text_of(view))
            view, more = view.within(encoder.config, len(pieces.ids))
            if notes or more:
                raise RefusedError(400, (notes + more)[0])
            trace = engine.run(view.model, pieces.inputs, view.hidden, edits_to_text(view.edits))
            data = made(asked.format, trace, encoder, view.layer)
        except job_queue.FullError as error:
            raise RefusedError(503, f"{error}. Try again in a moment.", make.AGAIN) from None
        except EncoderError as error:
            raise RefusedError(400, f"This file cannot be made: {error}.") from None
        part = {"npz": "run", "zip": f"layer{view.layer}", "html": "report"}[asked.format]
        return File(f"{file_name(view.model, part)}.{asked.format}", TYPES[asked.format], compress(data))


def made(kind: str, trace: Trace, encoder: TextEncoder, layer: int) -> bytes:
    """Return what stands in a file of a run.

    Raises:
        EncoderError: it is too large, or the server has no memory left for it.
    """
    size = {"npz": run_size(trace), "zip": layer_size(trace, layer), "html": plan(trace, [layer]).nbytes}[kind]
    most = MOST_REPORT if kind == "html" else MOST_BYTES
    if size > most:
        raise EncoderError(f"it takes {megabytes(size)}, more than the {megabytes(most)} that are handed out here")
    write: dict[str, Callable[[BinaryIO], object]] = {
        "npz": lambda file: to_npz(trace, file),
        "zip": lambda file: to_csv_zip(trace, layer, file),
        "html": lambda file: file.writelines(part.encode() for part in report(encoder, trace, [layer])),
    }
    return written(size, write[kind])

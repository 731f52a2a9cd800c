"""A whole run as a file: all its numbers for numpy, or a layer as tables."""

from collections.abc import Callable
from typing import BinaryIO

from encoder import Trace
from encoder.edits.edit_text import edits_to_text
from encoder.pictures.ask import text_of
from encoder.pictures.export import layer_size, run_size, to_csv_zip, to_npz
from encoder.pictures.export.caption import file_name
from encoder.pictures.link import from_query
from encoder.pictures.steps import KNOWN_STEPS
from encoder.support.errors import EncoderError
from encoder.support.formatting import megabytes
from pages.front import make
from pages.front.asked import AskedFile
from pages.front.file import File
from pages.front.packets import compress
from pages.front.refused import RefusedError
from pages.ui.server import engine, job_queue
from pages.ui.server.pool import borrowing
from pages.ui.server.writing import MOST_BYTES, written

TYPES = {"npz": "application/octet-stream", "zip": "application/zip"}


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
            data = made(asked.format, trace, view.layer)
        except job_queue.FullError as error:
            raise RefusedError(503, f"{error}. Try again in a moment.", make.AGAIN) from None
        except EncoderError as error:
            raise RefusedError(400, f"This file cannot be made: {error}.") from None
        part = {"npz": "run", "zip": f"layer{view.layer}"}[asked.format]
        return File(f"{file_name(view.model, part)}.{asked.format}", TYPES[asked.format], compress(data))


def made(kind: str, trace: Trace, layer: int) -> bytes:
    """Return what stands in a file of a run.

    Raises:
        EncoderError: it is too large, or the server has no memory left for it.
    """
    size = {"npz": run_size(trace), "zip": layer_size(trace, layer)}[kind]
    if size > MOST_BYTES:
        raise EncoderError(
            f"it takes {megabytes(size)}, more than the {megabytes(MOST_BYTES)} that are handed out here"
        )
    write: dict[str, Callable[[BinaryIO], object]] = {
        "npz": lambda file: to_npz(trace, file),
        "zip": lambda file: to_csv_zip(trace, layer, file),
    }
    return written(size, write[kind])

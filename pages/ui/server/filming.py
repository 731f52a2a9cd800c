"""A film in a process of its own: drawing its pictures would hold the interpreter of all sessions for seconds."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from encoder.pictures.paper import filming
from encoder.pictures.paper.film import Film, Kind
from encoder.support.progress import pulse
from pages.ui.server import memory
from pages.ui.server.child import watched
from pages.ui.server.engine import budget

NEEDED = 500e6  # bytes that the process takes for a film of usual size


def filmed(made: Film, kind: Kind, tell: Callable[[float], None]) -> bytes:
    """The film as a file; `tell` gets the share that is done. Who leaves, or what `tell` raises, ends the process.

    Raises:
        EncoderError: there is no memory left for it.
        EndedError: it took too long or too much memory, or was ended from outside.
    """
    memory.check_room(NEEDED, "to make a film", budget.drop_one)
    done = [0.0]

    def look() -> None:
        pulse()
        tell(done[-1])

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        filming.ask(Path(folder), made)
        watched("encoder.pictures.paper.filming", [folder, kind], lambda line: done.append(float(line)), look)
        return filming.file(Path(folder), kind).read_bytes()

"""A line between a browser and a server that can be made to stand still, as a wireless network does."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PIECE, WINDOW = 4096, 16384  # bytes taken at a time, and that the server's side may have on the way


class Line:
    """Hands on what comes from both sides; what the server says, only while `moves` is set."""

    def __init__(self, server: str) -> None:
        self.to = ("127.0.0.1", int(urlsplit(server).port or 0))
        self.moves = threading.Event()
        self.moves.set()
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"

    def take(self) -> None:
        """Let in one browser's connection after the other, until the door is closed."""
        with suppress(OSError):
            while True:
                browser, _ = self.door.accept()
                server = socket.socket()
                server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, WINDOW)
                server.connect(self.to)
                threading.Thread(target=self.join, args=(browser, server), daemon=True).start()

    def join(self, browser: socket.socket, server: socket.socket) -> None:
        """Carry both ways, until both are ended."""
        with browser, server:
            back = threading.Thread(target=self.carry, args=(server, browser, self.moves), daemon=True)
            back.start()
            self.carry(browser, server, None)
            back.join()

    def carry(self, of: socket.socket, to: socket.socket, moves: threading.Event | None) -> None:
        """Carry what one side says to the other, until one of them ends it."""
        with suppress(OSError):
            while True:
                if moves is not None:
                    moves.wait()
                piece = of.recv(PIECE)
                if not piece:
                    break
                to.sendall(piece)
        with suppress(OSError):
            to.shutdown(socket.SHUT_WR)


@contextmanager
def stalling(server: str) -> Iterator[Line]:
    """A line to a server."""
    line = Line(server)
    threading.Thread(target=line.take, daemon=True).start()
    try:
        yield line
    finally:
        line.moves.set()
        line.door.close()

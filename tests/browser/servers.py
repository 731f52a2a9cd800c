"""Start the app as its users do, on a port of this machine; nothing of the product is loaded for it."""

import contextlib
import dataclasses
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "app.py"
SMALL = Path(__file__).with_name("small_server.py")
SERVER_MB = "1500"  # what a server may take: the least that it says a server needs
STREAMLIT = ("-m", "streamlit", "run")
OPTIONS = {
    "STREAMLIT_SERVER_ADDRESS": "127.0.0.1",
    "STREAMLIT_SERVER_HEADLESS": "true",
    "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
}
BASE = "STREAMLIT_SERVER_BASE_URL_PATH"  # in the environment of a server: the path that it serves the app under


@contextlib.contextmanager
def serve(app: Path, log: Path, home: Path, timeout: float = 60.0) -> Iterator[str]:
    """Run the Streamlit script `app` on a free port and yield its address; its output goes to the file `log`."""
    start = STREAMLIT if app != APP else (str(SMALL), "run")
    with started(app, log, home, free_port(), timeout, {"ENCODER_MEMORY_MB": SERVER_MB}, start) as server:
        yield server.url


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclasses.dataclass
class Server:
    """A running server: its address and its process."""

    url: str
    process: subprocess.Popen[bytes]

    @property
    def megabytes(self) -> float:
        """The memory that it holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    @property
    def processor_seconds(self) -> float:
        """The processor time that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def started(
    app: Path,
    log: Path,
    home: Path,
    port: int,
    timeout: float = 60.0,
    more: dict[str, str] | None = None,
    start: Sequence[str] = STREAMLIT,
) -> Iterator[Server]:
    """Run `app` on that port, by what Python is to `start`, with `more` in its environment, and yield the server."""
    command = [sys.executable, *start, app.name]
    env = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    env |= OPTIONS | {"HOME": str(home), "STREAMLIT_SERVER_PORT": str(port)} | (more or {})
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=app.parent, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + timeout
        base = (more or {}).get(BASE, "")
        while not _is_healthy(port, base):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{app} did not start on port {port}. Its log:\n{log.read_text(errors='replace')}")
            time.sleep(0.05)
        yield Server(f"http://127.0.0.1:{port}{base}", server)
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _is_healthy(port: int, base: str = "") -> bool:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        try:
            connection.request("GET", f"{base}/_stcore/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

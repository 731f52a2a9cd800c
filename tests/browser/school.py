"""Two replicas of the app behind a real nginx with the configuration that is shipped."""

import contextlib
import getpass
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from browser_tools import Server, _is_healthy, free_port, started

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / ".docker" / "nginx.conf"
MISSING = "nginx is needed to test replicas: run `apt-get install nginx-light`, or set NGINX to the path of one."


def find_nginx() -> str:
    """The path of nginx; where there is none, how to get one."""
    path = os.environ.get("NGINX") or shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not path:
        raise RuntimeError(MISSING)
    return path


@dataclass
class School:
    """The proxy's address, the replicas behind it by their addresses, and nginx's log of who answered."""

    url: str
    replicas: dict[str, Server]
    log: Path

    @property
    def processor_seconds(self) -> float:
        """The processor time that all replicas have used."""
        return sum(one.processor_seconds for one in self.replicas.values())

    @property
    def said(self) -> str:
        """What the replicas wrote to their logs: an error that a page shows is told in full there."""
        return "\n".join((self.log.parent / f"{name.split(':')[1]}.log").read_text() for name in self.replicas)

    def last_server(self, asked: str) -> str:
        """The replica that answered the last request of that kind."""
        lines = [line for line in self.log.read_text().splitlines() if asked in line]
        return lines[-1].split()[-1]


@contextlib.contextmanager
def two_replicas(tmp_path: Path, more: dict[str, str] | None = None) -> Iterator[School]:
    """Both, with `more` in their environment."""
    nginx = find_nginx()
    port, ports, inner = free_port(), [free_port(), free_port()], [free_port(), free_port()]
    log = tmp_path / "access.log"
    text = CONFIG.read_text().replace("listen 80;", f"listen 127.0.0.1:{port};").replace("/dev/stdout", str(log))
    for i, one in enumerate(ports):
        text = text.replace(f"app-{i + 1}:8501", f"127.0.0.1:{one}").replace(
            f"127.0.0.1:808{i + 1}", f"127.0.0.1:{inner[i]}"
        )
    own = "".join(
        f"  {kind}_temp_path {tmp_path}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (tmp_path / "nginx.conf").write_text(text.replace("http {\n", f"http {{\n{own}", 1))
    secret = {"STREAMLIT_SERVER_COOKIE_SECRET": "one for all"} | (more or {})
    with contextlib.ExitStack() as stack:
        replicas = {
            f"127.0.0.1:{one}": stack.enter_context(
                started(ROOT / "app.py", tmp_path / f"{one}.log", tmp_path, one, more=secret)
            )
            for one in ports
        }
        command = [nginx, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
        command += [
            "-e",
            str(tmp_path / "error.log"),
            "-g",
            f"daemon off; user {getpass.getuser()}; pid {tmp_path}/nginx.pid;",
        ]
        proxy = subprocess.Popen(command)
        stack.callback(proxy.wait, 10)
        stack.callback(proxy.terminate)
        deadline = time.monotonic() + 20
        while not _is_healthy(port):
            assert proxy.poll() is None and time.monotonic() < deadline, (tmp_path / "error.log").read_text()
            time.sleep(0.05)
        yield School(f"http://127.0.0.1:{port}", replicas, log)

"""What the control groups of this process may hold: those of Linux, of either version, at every level above it."""

from dataclasses import dataclass
from pathlib import Path

# Of version 2 and of the memory controller of version 1: the limit, what is held, and files that are given up at need.
FILES = {
    "cgroup2": ("memory.max", "memory.current", "inactive_file"),
    "cgroup": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


@dataclass(frozen=True)
class Level:
    """A group with a limit: bytes that it may hold, those it holds, and of them what it gives up when needed."""

    limit: int
    held: int
    given_up: int

    @property
    def left(self) -> int:
        """Bytes that it can still have."""
        return self.limit - self.held + self.given_up


def levels(system: Path) -> list[Level]:
    """Every group with a limit that this process is in; `system` is the root of all files, `/` but in tests."""
    own = dict(read_own(system / "proc/self/cgroup"))
    found = []
    for kind, top, at in mounted(system / "proc/self/mountinfo"):
        path = own.get(kind)
        if path is None:
            continue
        base = system / at.lstrip("/")
        inside = path.removeprefix(top if top != "/" else "").strip("/") if path.startswith(top) else ""
        folder = base / inside if (base / inside).is_dir() and ".." not in inside else base
        while True:
            if (level := read_level(folder, *FILES[kind])) is not None:
                found.append(level)
            if folder == base:
                break
            folder = folder.parent
    return found


def read_own(file: Path) -> list[tuple[str, str]]:
    """The kind and path of the groups that count memory, as the process sees them."""
    found = []
    for line in lines(file):
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0" and not controllers:
            found.append(("cgroup2", path))
        elif "memory" in controllers.split(","):
            found.append(("cgroup", path))
    return found


def mounted(file: Path) -> list[tuple[str, str, str]]:
    """The kind of each hierarchy that counts memory, which of its groups is at the top of what is seen, and where."""
    found = []
    for line in lines(file):
        place, _, what = line.partition(" - ")
        if len(place.split()) < 5 or len(what.split()) < 3:
            continue
        kind, _, options = what.split()[:3]
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
            top, at = place.split()[3:5]
            found.append((kind, top, at))
    return found


def read_level(folder: Path, limit: str, held: str, given_up: str) -> Level | None:
    """What a group's files say; None where it has no limit."""
    most = number(folder / limit)
    if most is None:
        return None
    spare = [line.split()[1] for line in lines(folder / "memory.stat") if line.startswith(f"{given_up} ")]
    return Level(most, number(folder / held) or 0, int(spare[0]) if spare and spare[0].isdigit() else 0)


def number(file: Path) -> int | None:
    """The whole number in a file; None where it holds none, as "max"."""
    said = "".join(lines(file)).strip()
    return int(said) if said.isascii() and said.isdigit() and len(said) < 30 else None


def lines(file: Path) -> list[str]:
    """The lines of a file of the system; none where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []

"""Reads a TOML file in a process of its own: the file comes in, the same data goes out as JSON.

Keys of many parts and deep tables cost time and memory by their square, so a file of somebody else is read with bounds
on both. This file imports nothing but the standard library, to start at once.
"""

import json
import sys
import tomllib

MEMORY = 200_000_000  # bytes of address space; a file of the largest size in usual TOML takes a tenth
SECONDS = 1  # of a processor; the same file takes a tenth


def limit() -> None:
    """Bound this process; where the system knows no such bounds, whoever started it counts the seconds."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def refuse(value: object) -> None:
    """Refuse what JSON does not have."""
    raise ValueError(f"{value} is a date or a time, which no field of a lesson is")


if __name__ == "__main__":
    limit()
    try:
        said = json.dumps(tomllib.loads(sys.stdin.buffer.read().decode("utf-8")), default=refuse)
    except (MemoryError, RecursionError):
        sys.exit("its keys or tables are nested too deeply")
    except ValueError as error:
        sys.exit(str(error)[:200])
    sys.stdout.write(said)

"""The commands that the installed package has: each is `python -m` of a package here, beside what that may lack."""

import sys
from functools import partial
from importlib import import_module

from encoder.support.import_names import with_extra


def run(package: str) -> int:
    """Do what a package's command line says; return its exit code, 2 where what it needs is not installed."""
    try:
        code: int = import_module(f"{package}.__main__").main()
    except ModuleNotFoundError as error:
        if (message := with_extra(error)) is error:
            raise
        print(f"error: {message}", file=sys.stderr)
        return 2
    return code


atlas, circuit, exam, page, picture, train = (
    partial(run, f"encoder.{package}")
    for package in ("atlas", "experiments.circuit", "exam", "browser", "pictures", "train")
)

"""The commands that the installed package has: each is `python -m` of a package here, beside what that may lack."""

import sys
from functools import partial
from importlib import import_module

EXTRAS = {  # by a module that a command may need, the extra of the package that brings it
    "conllu": "exam", "pyarrow": "exam", "plotly": "figures", "matplotlib": "figures", "fontTools": "figures",
    "PIL": "figures",
}  # fmt: skip


def run(package: str) -> int:
    """Do what a package's command line says; return its exit code, 2 where what it needs is not installed."""
    try:
        code: int = import_module(f"{package}.__main__").main()
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        print(f"error: {error.name} is not installed; pip install 'encoder[{extra}]' brings it", file=sys.stderr)
        return 2
    return code


atlas, exam, picture, report, train = (
    partial(run, f"encoder.{package}") for package in ("atlas", "exam", "pictures", "pictures.report", "train")
)

"""Modules that have names and shapes, but no weights yet: they are laid out in no time, and given weights later."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


@contextmanager
def meta_device() -> Iterator[None]:
    """Lay out the modules made in the block on the meta device, and draw nothing."""
    with torch.device("meta"), NoInit():
        yield


class NoInit(TorchFunctionMode):
    """Leaves out torch.nn.init: drawing weights that are replaced at once takes longer than all the rest of loading.

    On the meta device nothing is drawn either, but a first attempt loads 800 modules of torch's compiler for it.
    """

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Hand a tensor back as it is instead of filling it; do everything else as usual."""
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)

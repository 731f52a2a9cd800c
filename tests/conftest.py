"""What many tests share: one torch thread, and the bundled models loaded once."""

import pytest
import torch

from encoder import TextEncoder, Trace

torch.set_num_threads(1)


@pytest.fixture(scope="session")
def base() -> TextEncoder:
    """The bundled model that the app opens with."""
    return TextEncoder.from_pretrained("base")


@pytest.fixture(scope="session")
def small() -> TextEncoder:
    """The bundled little sibling."""
    return TextEncoder.from_pretrained("small")


@pytest.fixture(scope="session")
def sara(base: TextEncoder) -> Trace:
    """One real sentence through `base`."""
    return base.trace("Keys on the table belong to Sara.")

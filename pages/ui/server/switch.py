"""Whether this server has the new front: ENCODER_FRONT is "new"."""

import os


def is_on() -> bool:
    """Whether Start and Attention are drawn in the browser; without it nothing on the screen is another."""
    return os.environ.get("ENCODER_FRONT", "").strip().lower() == "new"

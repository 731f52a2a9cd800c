"""What somebody is told whose run waits for another one."""

from collections.abc import Sequence

from pages.ui.server.child import MOST_SECONDS
from pages.ui.server.cost_gate import spoken
from pages.ui.server.training import LiveRun


def waiting(before: int, ahead: Sequence[LiveRun]) -> str:
    """How many runs are before this one, and how long that takes as far as it is known."""
    count = "1 run is" if before == 1 else f"{before} runs are"
    left = ahead[0].left if ahead else None
    now = f"The one that trains now needs {spoken(left)} more" if left is not None else "The first of them is starting"
    most = f"{MOST_SECONDS / 60:.0f} minutes"
    return f"Waiting: {count} before this one, since one trains at a time. {now}; none may take over {most}."

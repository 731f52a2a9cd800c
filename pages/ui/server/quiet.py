"""When a server was last asked for anything: what it does by itself waits until nobody waits for an answer."""

import time
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

REST = 1.0  # seconds without a request, after which nobody waits
LONGEST = 15.0  # seconds after which it is done even so
OFTEN = 0.1  # seconds between two looks
HEALTH = "/_stcore/health"  # what asks for it waits for no page

_asked = [0.0]


class Asked:
    """Passes requests on and notes when they came."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not scope.get("path", "").endswith(HEALTH):
            _asked[0] = time.monotonic()
        await self.app(scope, receive, send)


def wait(
    done: Callable[[], bool],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Return when nobody has asked for anything for a while, when it has been long enough, or when it is `done`."""
    begun = clock()
    while not done() and clock() - begun < LONGEST and clock() - max(begun, _asked[0]) < REST:
        sleep(OFTEN)

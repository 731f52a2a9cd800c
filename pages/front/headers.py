"""What every answer of this server tells a browser about itself: to trust its types, and whose scripts may run."""

import base64
import hashlib
import os
import re
from functools import cache

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.front import page_html
from pages.ui.state.site import base

INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
PRIVATE = "private, no-store"  # of what a visitor typed: nobody's to keep
ORIGIN = re.compile(r"https?://[A-Za-z0-9.*\[\]:-]{1,200}", re.ASCII)


@cache
def policy() -> str:
    """Scripts come from this server alone, and from components that Streamlit makes blobs of; nothing else is fetched.

    The scripts that stand in Streamlit's own page are allowed by what they are. ENCODER_FRAMED_BY names the origins
    that may show the app in a frame besides its own, with spaces between them;
    where it is not set, no other may.
    """
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE.findall(page_html.text(base())))
    inline = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' blob: {inline} 'wasm-unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "media-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            f"frame-ancestors {ancestors()}",
        ]
    )


def ancestors() -> str:
    """Return who may show the app in a frame: itself, and those that are named."""
    framed = (site for site in os.environ.get("ENCODER_FRAMED_BY", "").split() if ORIGIN.fullmatch(site))
    return " ".join(["'self'", *framed])


class Headers:
    """Passes requests on and adds to the answers; a policy that an answer has already stays."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                if headers.get("Content-Type", "").startswith("text/html"):
                    headers.setdefault("Content-Security-Policy", policy())
            await send(message)

        await self.app(scope, receive, send_with_headers)

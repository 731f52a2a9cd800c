"""The packets of the bundled sentences, which no model is needed for: compressed once, under the digest of them all."""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache

from encoder.packet.shipped import SENTENCES, path_of
from pages.ui.server.redirects import base


@dataclass(frozen=True)
class Shelf:
    """What is shipped: the digest of all, and each packet compressed, in the order of SENTENCES."""

    digest: str
    packed: tuple[bytes, ...]

    def addresses(self) -> tuple[tuple[str, str], ...]:
        """Each sentence with where its packet is."""
        return tuple((one, f"{base()}/api/shipped/{self.digest}/{i}.packet") for i, one in enumerate(SENTENCES))


@cache
def shelf() -> Shelf:
    """Read what is shipped, without what draws or computes: a server that was just started answers with it at once."""
    packets = [path_of(one).read_bytes() for one in SENTENCES]
    digest = hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in packets)).hexdigest()[:16]
    return Shelf(digest, tuple(gzip.compress(one, 9, mtime=0) for one in packets))

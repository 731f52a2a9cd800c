"""The packets of the bundled sentences, which no model is needed for: compressed once, under the digest of them all."""

import gzip
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import encoder
from pages.ui.server.redirects import base

FOLDER = Path(encoder.__file__).parent / "packet" / "shipped"
BEFORE = 16  # bytes before a packet's header; those from 8 to 11 are how long it is


@dataclass(frozen=True)
class Shelf:
    """What is shipped: the digest of all, each packet compressed, and the sentence of each."""

    digest: str
    packed: tuple[bytes, ...]
    sentences: tuple[str, ...]

    def addresses(self) -> dict[str, str]:
        """Where the packet of each sentence is."""
        return {one: f"{base()}/api/shipped/{self.digest}/{i}.packet" for i, one in enumerate(self.sentences)}


@cache
def shelf(folder: Path = FOLDER) -> Shelf:
    """Read what is shipped, without what draws or computes: a server that was just started answers with it at once."""
    packets = [path.read_bytes() for path in sorted(folder.glob("*.packet"))]
    digest = hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in packets)).hexdigest()[:16]
    return Shelf(digest, tuple(gzip.compress(one, 9, mtime=0) for one in packets), tuple(map(sentence, packets)))


def sentence(packet: bytes) -> str:
    """The sentence that a packet's header says."""
    length = int.from_bytes(packet[8:12], "little")
    return str(json.loads(packet[BEFORE : BEFORE + length])["sentence"])

"""What was found of the bundled models, as shipped: natural pairs, and constructed phenomena."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from encoder.experiments.circuit.found_circuit import DIGITS, Circuit, PairShare, circuit_of
from encoder.support.errors import EncoderError

FORMAT, VERSION = "encoder-circuit", 1
SHIPPED = Path(__file__).parent / "results"


@dataclass(frozen=True)
class ShippedCircuits:
    """The circuit of a model's natural pairs, with each pair, and those of constructed phenomena by their names."""

    model: str
    fingerprint: str
    natural: Circuit
    constructed: dict[str, Circuit]

    def to_json(self) -> str:
        """All of it as JSON, a line for each pair and each phenomenon."""
        head = {"format": FORMAT, "version": VERSION, "model": self.model, "fingerprint": self.fingerprint}
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
        lines.append(f' "natural": {self.natural.to_json()}')
        rows = [
            json.dumps(
                [p.a, p.b, p.words, *(round(x, DIGITS) for x in (p.flip, p.share, p.control))], ensure_ascii=False
            )
            for p in self.natural.of_pairs
        ]
        lines.append(' "of_pairs": [\n  ' + ",\n  ".join(rows) + "\n ]")
        tables = [f"{json.dumps(name)}: {circuit.to_json()}" for name, circuit in self.constructed.items()]
        lines.append(' "constructed": {\n  ' + ",\n  ".join(tables) + "\n }")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def read_circuits(path: Path) -> ShippedCircuits:
    """Read a file that `ShippedCircuits.to_json` wrote.

    Raises:
        EncoderError: it cannot be read or is none.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["format"] != FORMAT or raw["version"] != VERSION:
            raise EncoderError(f"{path} holds no circuits of version {VERSION}")
        pairs = [PairShare(a, b, (words[0], words[1]), *numbers) for a, b, words, *numbers in raw["of_pairs"]]
        constructed = {name: circuit_of(content) for name, content in raw["constructed"].items()}
        return ShippedCircuits(raw["model"], raw["fingerprint"], circuit_of(raw["natural"], pairs), constructed)
    except EncoderError:
        raise
    except (OSError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise EncoderError(f"{path} holds no circuits") from error


@cache
def circuits_by_content(fingerprint: str) -> ShippedCircuits | None:
    """Return what is shipped of a model with these weights (`source.fingerprint`); None without any."""
    shipped = (read_circuits(path) for path in sorted(SHIPPED.glob("*.json")))
    return next((circuits for circuits in shipped if circuits.fingerprint == fingerprint), None)

"""How many bytes the arrays of a packet take, by the size of the sentence and the model."""

from encoder.model.config import EncoderConfig
from encoder.packet.run import MOST_BYTES, MOST_SCORED, rows_within

BASE = EncoderConfig(n_layers=6, n_heads=8, d_model=512)
LARGE = EncoderConfig(n_layers=24, n_heads=16, d_model=1024, d_ff=4096)
MODELS = (BASE, EncoderConfig(n_layers=12, n_heads=12, d_model=768, d_ff=3072), LARGE)
TOKENS = (14, 64, 506)


def level_1_bytes(config: EncoderConfig, n: int, most_bytes: int = MOST_BYTES) -> int:
    """Bytes of the weights and scores of n tokens; what is told of each head switched off comes to it."""
    pairs = config.n_layers * config.n_heads * rows_within(config, n, most_bytes) * n
    return pairs * (6 if n <= MOST_SCORED else 2)


def level_2_bytes(config: EncoderConfig, n: int) -> int:
    """Bytes of one layer's vectors, and of the products of queries and keys, of n tokens."""
    turned = 2 if config.positions == "rotary" else 0
    products = 4 * config.n_heads * n * n if n <= MOST_SCORED else 0
    return 2 * n * (7 + turned) * config.d_model + products


def table() -> str:
    """The lines of the table of bytes in README.md."""
    lines = []
    for config in MODELS:
        for n in TOKENS:
            rows = rows_within(config, n, MOST_BYTES)
            of = "" if rows == n else f" ({rows} rows)"
            one, two = f"{level_1_bytes(config, n):,}{of}", f"{level_2_bytes(config, n):,}"
            lines.append(f"| {n} | {config.n_layers} x {config.n_heads} | {config.d_model} | {one} | {two} |")
    return "\n".join(lines)

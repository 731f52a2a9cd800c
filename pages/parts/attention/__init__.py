"""The sections of Attention below the picture of a step."""

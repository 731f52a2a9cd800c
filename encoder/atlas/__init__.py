"""An atlas of a model: what every head, unit and layer does over a corpus; `python -m encoder.atlas` makes one."""

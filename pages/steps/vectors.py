"""Where vectors come from: the parts that are added up, the units behind them, and how alike the layers are."""

from encoder.metrics import BUNDLED
from pages.parts.vectors import alike, lengths, shares, sizes, units
from pages.ui.refusals import parts
from pages.ui.widgets import fold

parts(shares.draw)
fold("How long the vectors are that this layer adds, token by token", "lengths_open", lengths.draw)
fold("What grows large: the longest vector that each layer adds", "sizes_open", sizes.draw)
fold("Units of the feed-forward and the words they point to", "units_open", units.draw, holds={"unit_token"})
fold(f"How alike the layers are, over {BUNDLED}", "layers_alike", alike.draw)

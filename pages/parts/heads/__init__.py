"""The tabs below the maps of all heads."""

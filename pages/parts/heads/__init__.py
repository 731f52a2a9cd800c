"""The tabs of All heads."""

"""The tabs of Atlas."""

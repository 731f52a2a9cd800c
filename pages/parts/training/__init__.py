"""The tabs of Time-lapse."""

"""The tabs of Why this guess."""

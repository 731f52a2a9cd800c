"""The tabs of Alike?."""

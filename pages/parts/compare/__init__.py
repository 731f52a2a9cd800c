"""The tabs of Compare."""

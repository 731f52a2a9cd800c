"""What the first page unfolds below an asked word."""

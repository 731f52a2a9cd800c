"""The parts of Figure."""

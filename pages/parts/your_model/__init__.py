"""The parts of Models."""

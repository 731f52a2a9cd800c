"""The parts of Watch it learn."""

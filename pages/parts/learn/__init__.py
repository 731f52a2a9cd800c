"""The parts of Learning."""

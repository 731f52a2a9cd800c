"""The parts of Lessons."""

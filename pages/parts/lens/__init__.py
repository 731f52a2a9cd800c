"""The sections of Layer by layer."""

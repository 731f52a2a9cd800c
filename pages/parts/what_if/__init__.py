"""The sections of What if."""

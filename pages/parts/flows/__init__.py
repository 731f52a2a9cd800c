"""The sections of What really flows."""

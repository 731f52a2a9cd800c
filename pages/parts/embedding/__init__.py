"""The sections of Embedding."""

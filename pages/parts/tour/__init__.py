"""The sections of This model."""

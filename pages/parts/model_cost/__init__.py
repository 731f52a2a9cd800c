"""The sections of Model & cost."""

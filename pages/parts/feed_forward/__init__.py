"""The sections of Feed-forward."""

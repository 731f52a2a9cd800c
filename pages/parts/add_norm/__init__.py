"""The sections of Add & norm."""

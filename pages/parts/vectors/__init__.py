"""The sections of Where vectors come from."""

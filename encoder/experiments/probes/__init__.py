"""Probes: small models that read something off frozen vectors, each beside its control task."""

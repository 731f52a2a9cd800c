"""The tabs of Labs, each an experiment."""

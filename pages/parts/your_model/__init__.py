"""The tabs of Your model: three ways to a model."""

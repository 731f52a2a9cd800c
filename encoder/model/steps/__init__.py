"""Every step of the encoder as data: `step` is one, `entries` what is said of each, `catalogue` those of a model."""

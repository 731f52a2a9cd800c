"""One step of the encoder on the screen."""

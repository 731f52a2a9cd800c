"""What explains an encoder: lessons, and the trials that judge what is said of it."""

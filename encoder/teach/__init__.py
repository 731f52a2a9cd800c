"""What explains an encoder: the story, lessons, and the trials that judge what is said of it."""

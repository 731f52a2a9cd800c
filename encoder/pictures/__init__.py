"""Pictures as values: what each asks, the call that measures it, and everything that follows from both."""

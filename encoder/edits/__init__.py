"""Changes to a run: what one is (`edit`), how it is made on the way (`editor`), and how it is spelled and said."""
